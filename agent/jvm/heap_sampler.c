/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/jvm/heap_sampler.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"

enum { SEGMENTS = 4, CANDIDATES = 64, MOST_BYTES = 64 << 20 };

/* libjvm's variables, and a copy of an earlier moment. */
struct variables {
    uintptr_t bias;
    struct {
        const uint32_t *from;
        size_t words;
        uint32_t *copy;
    } segment[SEGMENTS];
    int segments;
};

/* Where the variable may be, and what it was in the copy. */
struct candidates {
    struct {
        const uint32_t *at;
        uint32_t was;
    } of[CANDIDATES];
    int n;
};

static struct {
    const _Atomic uint32_t *interval; /* NULL = not found */
    bool searched;
    _Atomic uint32_t set;
} sampler = {.set = WICK_HEAP_SAMPLER_DEFAULT};

/* Values near the one that is there: threads that draw their gap during the change draw it with these. */
static const uint32_t marks[] = {524309, 524287, 524341};

static int each_image(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct variables *v = arg;
    (void)size;
    if (info->dlpi_addr != v->bias)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && v->segments < SEGMENTS; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_W) || p->p_memsz > MOST_BYTES)
            continue;
        uintptr_t from = (v->bias + p->p_vaddr + 3) / 4 * 4, to = v->bias + p->p_vaddr + p->p_memsz;
        uint32_t *copy = from + 4 <= to ? malloc(to - from) : NULL;
        if (!copy)
            continue;
        v->segment[v->segments].from = (const uint32_t *)from;
        v->segment[v->segments].words = (to - from) / 4;
        v->segment[v->segments++].copy = copy;
        memcpy(copy, (const void *)from, (to - from) / 4 * 4);
    }
    return 1;
}

static uint32_t now(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* All words that are `value`; if there are too many, none. */
static void collect(const struct variables *v, struct candidates *c, uint32_t value)
{
    c->n = 0;
    for (int s = 0; s < v->segments; s++) {
        for (size_t i = 0; i < v->segment[s].words; i++) {
            const uint32_t *at = v->segment[s].from + i;
            if (now(at) != value)
                continue;
            if (c->n == CANDIDATES) {
                c->n = 0;
                return;
            }
            c->of[c->n].at = at;
            c->of[c->n++].was = v->segment[s].copy[i];
        }
    }
}

static void keep(struct candidates *c, uint32_t value)
{
    int kept = 0;
    for (int i = 0; i < c->n; i++)
        if (now(c->of[i].at) == value)
            c->of[kept++] = c->of[i];
    c->n = kept;
}

static void search(jvmtiEnv *jvmti, const struct variables *v)
{
    struct candidates c = {.n = 0};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        wick_heap_sampler_set(jvmti, marks[i]);
        if (i == 0)
            collect(v, &c, marks[i]);
        else
            keep(&c, marks[i]);
    }
    uint32_t was = c.n == 1 ? c.of[0].was : WICK_HEAP_SAMPLER_DEFAULT;
    wick_heap_sampler_set(jvmti, was);
    keep(&c, was);
    if (c.n == 1)
        sampler.interval = (const _Atomic uint32_t *)(const void *)c.of[0].at;
}

void wick_heap_sampler_find(jvmtiEnv *jvmti, const struct wick_elf_image *libjvm)
{
    if (sampler.searched || !libjvm)
        return;
    struct variables v = {.bias = (uintptr_t)libjvm->bias};
    sampler.searched = true;
    dl_iterate_phdr(each_image, &v);
    search(jvmti, &v);
    for (int i = 0; i < v.segments; i++)
        free(v.segment[i].copy);
}

uint32_t wick_heap_sampler_interval(void)
{
    return wick_load_relaxed(sampler.interval ? sampler.interval : &sampler.set);
}

void wick_heap_sampler_set(jvmtiEnv *jvmti, uint32_t interval)
{
    if (!(*jvmti)->SetHeapSamplingInterval(jvmti, (jint)interval))
        wick_store_relaxed(&sampler.set, interval);
}
