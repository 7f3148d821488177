/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/input.h"
#include "model/own.h"
#include "model/thread_start.h"

static void take_sample(void *ctx, const struct wick_sample *s)
{
    struct wick_growing *g = ctx;
    wick_heat_add(&g->heat, &g->p, wick_profile_add(&g->p, s), s);
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return !strcmp(type, "wick.Mark") || wick_memory_use_wants(type) || wick_gc_history_wants(type);
}

static void take_mark(struct wick_growing *g, const struct wick_jfr_event *e)
{
    struct wick_growing_mark m = {.time_ns = e->time_ns};
    if (!wick_jfr_event_text(e, "text", &m.text) || g->nmarks == WICK_GROWING_MARKS)
        return;
    if (!g->marks)
        g->marks = calloc(WICK_GROWING_MARKS, sizeof *g->marks);
    if (g->marks)
        g->marks[g->nmarks++] = m;
}

/* There are recordings of years, and such that were made to harm: of those no collection is kept. */
static void take_collection(struct wick_growing *g, const struct wick_jfr_event *e)
{
    if (g->more_collections)
        return;
    wick_gc_history_take(&g->collections, &g->p, e);
    g->more_collections = g->collections.failed || g->collections.n > WICK_GROWING_COLLECTIONS ||
                          g->collections.nheaps > WICK_GROWING_HEAPS;
    if (g->more_collections)
        wick_gc_history_release(&g->collections);
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct wick_growing *g = ctx;
    if (!strcmp(e->type, "wick.Mark"))
        take_mark(g, e);
    else if (wick_memory_use_wants(e->type))
        wick_memory_use_take(&g->memory, &g->p, e);
    else
        take_collection(g, e);
}

/* All that some question may ask of a sample. */
static void keep_all(struct wick_profile *p)
{
    p->by_thread = p->by_state = p->by_labels = p->by_size = p->objects = true;
    p->keep = WICK_KEEP_LINES | WICK_KEEP_JAVA_KINDS;
}

/* The file may be deleted while it is shown: its space becomes free then. */
static void let_go(struct wick_growing *g)
{
    wick_jfr_reader_free(g->reader);
    g->reader = NULL;
    if (g->fd >= 0)
        close(g->fd);
    g->fd = -1;
}

struct wick_growing *wick_growing_open(int fd, struct wick_err *err)
{
    struct wick_growing *g = calloc(1, sizeof *g);
    char head[4];
    struct stat st;
    if (!g || wick_profile_init(&g->p)) {
        free(g);
        close(fd);
        wick_err_set(err, WICK_E_NOMEM, "out of memory");
        return NULL;
    }
    g->fd = fd;
    keep_all(&g->p);
    wick_heat_init(&g->heat);
    g->visitor = (struct wick_jfr_visitor){.ctx = g, .sample = take_sample, .want = want, .event = take};
    bool follows = !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
                   wick_jfr_is_recording(head, sizeof head);
    int rc = 0;
    if (follows) {
        g->reader = wick_jfr_reader_new(&g->p, &g->visitor, &g->read);
        rc = g->reader ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    } else {
        char path[32];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        rc = wick_input_read_file(&g->p, path, &g->visitor, &g->read, err);
        wick_heat_flush(&g->heat);
        let_go(g);
    }
    if (!rc)
        return g;
    wick_growing_free(g);
    return NULL;
}

void wick_growing_free(struct wick_growing *g)
{
    if (!g)
        return;
    let_go(g);
    wick_heat_release(&g->heat);
    wick_profile_release(&g->p);
    free(g->without_own);
    free(g->folded);
    free(g->marks);
    wick_memory_use_release(&g->memory);
    wick_gc_history_release(&g->collections);
    free(g);
}

int wick_growing_read(struct wick_growing *g, bool last, uint64_t until_ns, struct wick_err *err)
{
    if (!g->reader)
        return 0;
    int rc = wick_jfr_reader_follow_until(g->reader, g->fd, until_ns, &g->partial, err);
    if (!rc && last && !g->partial)
        rc = wick_jfr_reader_end(g->reader, err);
    wick_heat_flush(&g->heat);
    if (rc || (last && !g->partial))
        let_go(g);
    return rc;
}

uint64_t wick_growing_position(const struct wick_growing *g, uint64_t size)
{
    return g->reader ? wick_jfr_reader_position(g->reader) : size;
}

bool wick_growing_is_same(const struct wick_growing *g)
{
    return !g->reader || wick_jfr_reader_is_same(g->reader);
}

uint64_t wick_growing_bytes(const struct wick_growing *g)
{
    return wick_profile_bytes(&g->p) + (g->reader ? wick_jfr_reader_bytes(g->reader) : 0) +
           (uint64_t)g->heat.places * sizeof *g->heat.cells +
           (uint64_t)g->memory.cap_series * sizeof *g->memory.series +
           (uint64_t)g->collections.cap * sizeof *g->collections.rows + (uint64_t)g->collections.cap_heaps * 32;
}

/* Learns of the stacks that have come; a parent's number is smaller than its children's. */
static bool know_own(struct wick_growing *g)
{
    uint32_t n = g->p.nstacks;
    if (g->nwithout_own >= n)
        return true;
    uint32_t *bigger = reallocarray(g->without_own, n, sizeof *bigger);
    if (!bigger)
        return false;
    g->without_own = bigger;
    for (uint32_t i = g->nwithout_own; i < n; i++) {
        struct wick_stack s = g->p.stacks[i];
        if (!i)
            bigger[i] = 0;
        else if (wick_frame_is_own(&g->p, s.frame))
            bigger[i] = bigger[s.parent];
        else
            bigger[i] = bigger[s.parent] == s.parent ? i : wick_profile_push(&g->p, bigger[s.parent], s.frame);
    }
    g->nwithout_own = n;
    return !g->p.failed;
}

uint32_t wick_growing_without_own(struct wick_growing *g, uint32_t stack)
{
    /* Stacks that are made for this hold no such frame. */
    if (stack >= g->nwithout_own && !know_own(g))
        return 0;
    return g->without_own[stack];
}

/* A stack that is folded stays as it is. */
static bool know_folded(struct wick_growing *g)
{
    uint32_t n = g->p.nstacks, name = wick_profile_cstring(&g->p, WICK_THREAD_START);
    uint32_t frame = wick_profile_frame(&g->p, wick_profile_function(&g->p, 0, name, 0), 0, -1, WICK_FRAME_BOUNDARY);
    uint32_t *bigger = reallocarray(g->folded, n, sizeof *bigger);
    if (!bigger)
        return false;
    g->folded = bigger;
    g->thread_start = wick_profile_push(&g->p, 0, frame);
    for (uint32_t i = g->nfolded; i < n; i++) {
        struct wick_stack s = g->p.stacks[i];
        bool first = i && (!s.parent || bigger[s.parent] == g->thread_start);
        if (!i)
            bigger[i] = 0;
        else if (first && wick_frame_starts_thread(&g->p, s.frame))
            bigger[i] = g->thread_start;
        else
            bigger[i] = bigger[s.parent] == s.parent ? i : wick_profile_push(&g->p, bigger[s.parent], s.frame);
    }
    g->nfolded = n;
    return !g->p.failed;
}

uint32_t wick_growing_folded(struct wick_growing *g, uint32_t stack)
{
    if (stack >= g->nfolded && !know_folded(g))
        return stack;
    uint32_t folded = g->folded[stack];
    return folded && folded == g->thread_start ? wick_profile_push(&g->p, folded, g->p.stacks[stack].frame) : folded;
}
