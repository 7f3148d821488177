/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - what the walker of the own process needs outside of handlers
 */
#include "record/walk.h"

#include <string.h>
#include <sys/mman.h>

#include "hotspot/value.h"

/* From the first to the end of the last field of JavaThread that a walk reads. */
static void find_java_fields(struct wick_walker *w, const struct wick_hs_layout *l)
{
    const struct {
        int32_t at, bytes;
    } fields[] = {{l->thread_anchor, 64},
                  {l->thread_state, 8},
                  {l->thread_stack_base, 8},
                  {l->thread_cont_entry, 8},
                  {l->thread_saved_pc, 8}};
    uint32_t from = UINT32_MAX, to = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].at == WICK_HS_NONE)
            continue;
        uint32_t at = (uint32_t)fields[i].at, end = at + (uint32_t)fields[i].bytes;
        from = at < from ? at : from;
        to = end > to ? end : to;
    }
    w->java_from = from < to ? from : to;
    w->java_to = to;
}

int wick_walker_init(struct wick_walker *w, const struct wick_jvm *jvm, struct wick_elf_images *images)
{
    struct wick_walker out = {.jvm = jvm, .images = images};
    int r = wick_mem_self_init(&out.mem);
    if (r)
        return r;
    out.rules =
        mmap(NULL, WICK_RULE_SLOTS * sizeof *out.rules, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out.rules == MAP_FAILED) {
        wick_mem_release(&out.mem);
        return -WICK_E_NOMEM;
    }
    static const char *const counters[WICK_WALK_COUNTERS] = {
        "java.cls.unloadedClasses", "java.cls.sharedUnloadedClasses", "java.cls.loadedClasses"};
    for (int i = 0; i < WICK_WALK_COUNTERS; i++)
        out.unloads[i] = (const _Atomic uint64_t *)(uintptr_t)wick_jvm_perf_counter(jvm, counters[i]);
    find_java_fields(&out, &jvm->layout);
    wick_store_relaxed(&out.images_epoch, 1);
    *w = out;
    wick_walker_refresh(w);
    return 0;
}

void wick_walker_release(struct wick_walker *w)
{
    if (w->rules)
        munmap(w->rules, WICK_RULE_SLOTS * sizeof *w->rules);
    wick_mem_release(&w->mem);
    w->rules = NULL;
}

void wick_walker_refresh(struct wick_walker *w)
{
    for (uint32_t i = 0; i < w->jvm->step.heap_count; i++)
        wick_store_relaxed(&w->heap_end[i], wick_jvm_heap_committed(w->jvm, i));
}

void wick_walker_images_changed(struct wick_walker *w)
{
    wick_add_release(&w->images_epoch, 1); /* pairs: step_native_rule in walk_sig.c; after the images */
}
