/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_nativemem.c - native memory as an engine: what was allocated, and what is not freed, as JFR events
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/moments.h"
#include "engine/nativemem/nativemem.h"
#include "engine/nativemem/nativemem_hooks.h"

#define SWEEP_NS 100000000ull

struct state {
    struct wick_nativemem memory;
    struct wick_moments moments;
    uint64_t swept_ns;
};

/* What is alive of one stack, thread and context. */
struct group {
    uint32_t stack, thread, context, samples;
    bool of_jvm, is_stack;
    uint64_t bytes;
    double blocks;
};

static bool planned(const struct wick_opt_events *plan)
{
    return plan->nativemem.on;
}

/* Calls lead past the engine before it goes. */
static void stop(void *e)
{
    wick_nativemem_hooks_off();
    wick_nativemem_stop(&((struct state *)e)->memory);
}

static void release(void *e)
{
    wick_nativemem_release(&((struct state *)e)->memory);
}

static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct state *s = e;
    const struct wick_nativemem_config c = {.interval = h->plan.nativemem.interval,
                                            .rate = (uint32_t)h->opts->alloc_rate,
                                            .vm_lo = h->libjvm ? h->libjvm->text_lo : 0,
                                            .vm_hi = h->libjvm ? h->libjvm->text_hi : 0};
    s->moments.start_ns = s->moments.last_ns = s->swept_ns = wick_clock_mono_ns();
    int rc = wick_nativemem_start(&s->memory, &c, h->recorder, h->threads, err);
    if (!rc && !(rc = wick_nativemem_hooks_on(err)))
        return 0;
    stop(s);
    if (!h->recorder->keep)
        release(s);
    return rc;
}

/* ---- events ---- */

struct freed {
    struct state *s;
    struct wick_drain *d;
    uint64_t now_ns;
};

static void write_free(void *arg, const struct wick_nativemem_block *b)
{
    const struct freed *f = arg;
    bool is_free = !wick_load_relaxed(&b->remaining) && b->freed_ns >= b->time_ns;
    wick_jfr_write_free(f->d->writer, &(struct wick_jfr_free){
                                          .start_ns = is_free ? b->freed_ns : f->now_ns,
                                          .thread = is_free ? wick_threads_of(f->s->memory.threads, b->freed_tid) : 0,
                                          .address = b->address});
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    struct state *s = e;
    struct freed f = {s, d, ev->time_ns};
    const struct wick_nativemem_block *b = wick_nativemem_found(&s->memory, ev);
    if (!b)
        return;
    uint32_t serial = ev->thread ? ev->thread : wick_threads_of(s->memory.threads, b->tid);
    const struct wick_jfr_malloc sample = {
        .start_ns = ev->time_ns,
        .thread = wick_threads_named(s->memory.threads, serial, ev->time_ns),
        .stack = ev->stack,
        .address = b->address,
        .size = b->size,
        .weight = ev->weight,
        .context = ev->context,
        .operation = b->operation,
    };
    wick_jfr_write_malloc(d->writer, &sample);
    wick_nativemem_written(&s->memory, ev, sample.thread, &(struct wick_nativemem_end){write_free, &f});
}

static void lost(void *e, const struct wick_event *ev)
{
    wick_nativemem_lost(&((struct state *)e)->memory, ev);
}

/* ---- moments ---- */

static int by_group(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->stack != y->stack)
        return x->stack < y->stack ? -1 : 1;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->of_jvm != y->of_jvm)
        return x->of_jvm ? -1 : 1;
    if (x->is_stack != y->is_stack)
        return x->is_stack ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Adds those of one group up; returns how many groups there are. */
static uint32_t merge(struct group *g, uint32_t n)
{
    uint32_t kept = 0;
    qsort(g, n, sizeof *g, by_group);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && !by_group(&g[kept - 1], &g[i])) {
            g[kept - 1].samples += g[i].samples;
            g[kept - 1].bytes += g[i].bytes;
            g[kept - 1].blocks += g[i].blocks;
        } else {
            g[kept++] = g[i];
        }
    }
    return kept;
}

/* All that is alive, a row a block. */
static uint32_t gather(const struct wick_nativemem *m, struct group *g)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i <= wick_nativemem_top(m); i++) {
        const struct wick_nativemem_block *b = wick_nativemem_alive(m, i);
        if (!b)
            continue;
        uint64_t bytes = wick_nativemem_bytes(b), remaining = wick_load_relaxed(&b->remaining);
        g[n++] = (struct group){.stack = b->stack,
                                .thread = b->thread,
                                .context = b->context,
                                .samples = 1,
                                .of_jvm = b->of_jvm,
                                .is_stack = b->is_stack,
                                .bytes = bytes,
                                .blocks = (double)bytes / (double)(remaining ? remaining : 1)};
    }
    return n;
}

/* One event at least: a reader takes the last moment of which there is one. */
static void write_alive(struct state *s, struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct wick_nativemem *m = &s->memory;
    struct group *g = calloc(WICK_NATIVEMEM_NOTES + 1, sizeof *g);
    if (!g)
        return;
    uint32_t number = wick_moments_next(&s->moments, now_ns), n = merge(g, gather(m, g));
    for (uint32_t i = 0; i < n || i == 0; i++)
        wick_jfr_write_native_live(w, &(struct wick_jfr_native_live){.start_ns = now_ns,
                                                                     .thread = g[i].thread,
                                                                     .stack = g[i].stack,
                                                                     .samples = g[i].samples,
                                                                     .weight = g[i].bytes,
                                                                     .blocks = (uint64_t)(g[i].blocks + 0.5),
                                                                     .of_jvm = g[i].of_jvm,
                                                                     .of_threads = g[i].is_stack,
                                                                     .snapshot = number,
                                                                     .context = g[i].context});
    free(g);
}

static void stats(void *e, struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct state *s = e;
    const struct wick_nativemem *m = &s->memory;
    uint64_t bytes = 0, of_jvm = 0, of_threads = 0, samples = 0;
    for (uint32_t i = 1; i <= wick_nativemem_top(m); i++) {
        const struct wick_nativemem_block *b = wick_nativemem_alive(m, i);
        uint64_t more = b ? wick_nativemem_bytes(b) : 0;
        bytes += more;
        of_jvm += b && b->of_jvm ? more : 0;
        of_threads += b && b->is_stack ? more : 0;
        samples += b != NULL;
    }
    const struct wick_jfr_native_memory sum = {.start_ns = now_ns,
                                               .snapshot = s->moments.count,
                                               .samples = samples,
                                               .bytes = bytes,
                                               .of_jvm = of_jvm,
                                               .of_threads = of_threads,
                                               .allocated = wick_nativemem_allocated(),
                                               .interval = wick_load_relaxed(&m->interval),
                                               .unfollowed = wick_load_relaxed(&m->unfollowed),
                                               .reused = wick_load_relaxed(&m->reused),
                                               .stacks_lost = m->stacks_lost};
    wick_jfr_write_native_memory(w, &sum);
}

static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    struct state *s = e;
    uint64_t now_ns = wick_clock_mono_ns();
    struct freed f = {s, d, now_ns};
    const struct wick_nativemem_end to = {write_free, &f};
    wick_nativemem_collect(&s->memory, &to);
    if (what == WICK_TAKE_DONE) {
        wick_nativemem_hooks_refresh();
        wick_nativemem_adjust(&s->memory, now_ns);
    }
    if (now_ns - s->swept_ns >= SWEEP_NS) {
        s->swept_ns = now_ns;
        (void)wick_nativemem_sweep(&s->memory, &to); /* without memory it is tried again */
    }
    if (wick_moments_due(&s->moments, what, now_ns))
        write_alive(s, d->writer, now_ns);
}

static void moment(void *e)
{
    ((struct state *)e)->moments.wanted = true;
}

static void carry(void *e, struct wick_carry *c)
{
    wick_nativemem_carry(&((struct state *)e)->memory, c);
}

/* ---- what is said of it ---- */

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    const struct wick_nativemem *m = &((struct state *)e)->memory;
    struct wick_elf_hooks_count places;
    (void)h;
    wick_nativemem_hooks_count(&places);
    wick_strbuf_addf(out,
                     "nativemem_allocated=%" PRIu64 "\nnativemem_interval=%" PRIu64
                     "\nnativemem_interval_changes=%" PRIu32 "\nnativemem_samples=%" PRIu64
                     "\nnativemem_followed=%" PRIu32 "\nnativemem_threshold=%" PRIu64 "\nnativemem_unfollowed=%" PRIu64
                     "\nnativemem_unfollowed_weight=%" PRIu64 "\nnativemem_reused=%" PRIu64
                     "\nnativemem_moments=%" PRIu32 "\nnativemem_images=%" PRIu32 "\nnativemem_words=%" PRIu32 "\n",
                     wick_nativemem_allocated(), wick_load_relaxed(&m->interval), m->changes,
                     wick_load_relaxed(&m->samples), wick_load_relaxed(&m->followed), wick_load_relaxed(&m->threshold),
                     wick_load_relaxed(&m->unfollowed), wick_load_relaxed(&m->unfollowed_weight),
                     wick_load_relaxed(&m->reused), ((struct state *)e)->moments.count, places.images, places.words);
}

static void settings(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now)
{
    const struct wick_nativemem *m = &((struct state *)e)->memory;
    const enum wick_jfr_event_id of = WICK_JFR_EVENT_MALLOC;
    (void)h;
    wick_engine_setting(w, now, of, "enabled", "true");
    wick_engine_setting(w, now, of, "source", "global offset tables");
    wick_engine_rate_settings(w, now, of, &m->rate, wick_load_relaxed(&m->interval));
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_MALLOC, WICK_EVENT_NATIVE_MEMORY},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

const struct wick_engine_ops wick_engine_nativemem = {
    .name = "nativemem",
    .bytes = sizeof(struct state),
    .types = 1u << WICK_EVENT_NATIVE_MEMORY,
    .samples = samples,
    .gate = &wick_nativemem_gate,
    .options = WICK_OPT_BIT(alloc_rate),
    .planned = planned,
    .start = start,
    .stop = stop,
    .release = release,
    .take = take,
    .moment = moment,
    .carry = carry,
    .event = event,
    .lost = lost,
    .stats = stats,
    .status = status,
    .settings = settings,
};
