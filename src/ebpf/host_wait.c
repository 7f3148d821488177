/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_wait.c - see host_wait.h
 */
#include "ebpf/host_wait.h"

#include "ebpf/host_chain.h"
#include "record/wait_state.h"

/* What its innermost frames show of a wait, as in record/drain.c: a function of the JVM, or the first Java method. */
static unsigned state_by_stack(const struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_jfr_frame *f = &frames[i];
        if (!f->method || f->method > t->nmethods)
            continue;
        const struct wick_jfr_method *m = &t->methods[f->method - 1];
        unsigned state = 0;
        if (f->kind == WICK_FRAME_NATIVE || f->kind == WICK_FRAME_CPP)
            state = wick_wait_state_native(m->name);
        else if (f->kind == WICK_FRAME_C1 || f->kind == WICK_FRAME_C2 || f->kind == WICK_FRAME_INLINED ||
                 f->kind == WICK_FRAME_INTERPRETED)
            return wick_wait_state_java(m->class_name, m->name);
        if (state)
            return state;
    }
    return 0;
}

/* Files block uninterruptibly, so a read that does not is one of a socket or a pipe. */
unsigned wick_host_wait_state(const struct wick_host_tables *t, const struct wick_host_head *h,
                              const struct wick_jfr_frame *frames, uint32_t n)
{
    if (h->flags & WICK_HOST_DISK)
        return WICK_JFR_STATE_DISK;
    unsigned state = h->call < 0 ? WICK_JFR_STATE_NATIVE_WAIT : wick_wait_state_call((long)h->call);
    if (state == WICK_JFR_STATE_NATIVE_WAIT) {
        unsigned by_stack = state_by_stack(t, frames, n);
        state = by_stack ? by_stack : state;
    }
    return state ? state : WICK_JFR_STATE_IO;
}

/* What is being written, and how much of it has been. */
struct wait {
    const struct wick_host_span_source *of;
    struct wick_jfr_wall_clock_sample event;
    uint64_t written_ns;
};

static void write_phase(struct wait *w, struct wick_host_relation by, uint64_t weight_ns, unsigned state)
{
    if (!weight_ns)
        return;
    by.thread = w->of->labels;
    by.lock_owner = state == WICK_JFR_STATE_WAITING_FOR_CPU ? NULL : w->of->lock_owner;
    w->event.context = wick_host_process_context(w->of->processes, w->of->process, &by);
    w->event.weight_ns = weight_ns;
    w->event.state = state;
    wick_jfr_write_wall_clock_sample(w->of->writer, &w->event);
    w->written_ns += weight_ns;
}

/* A time of the wait as many times as the record stands for. */
static uint64_t standing_for(const struct wick_host_head *h, uint64_t ns)
{
    uint64_t whole = h->woken_ns - h->slept_ns;
    return (uint64_t)((unsigned __int128)ns * h->asleep_ns / whole);
}

/* Time asleep, with who ended it: a sample for each process that it waited for and what that one did, and one for the
 * rest. */
static void write_asleep(struct wait *w, const struct wick_host_record *s, unsigned state)
{
    const struct wick_host_other *others = wick_host_others(s);
    const struct wick_host_head *h = &s->head;
    struct wick_host_relation by = {0};
    struct wick_host_part parts[WICK_HOST_LINKS];
    uint64_t left = h->asleep_ns;
    uint32_t nparts = h->woken_ns > h->slept_ns
                          ? wick_host_chain_split(wick_host_links(s), h->nlinks, h->slept_ns, h->woken_ns, parts)
                          : 0;
    for (uint32_t i = 0; i < h->nothers; i++)
        if (others[i].role != WICK_HOST_RAN)
            by.other = &others[i];
    for (uint32_t i = 0; i < nparts; i++)
        for (int doing = 0; doing < WICK_HOST_DOINGS; doing++) {
            uint64_t part_ns = standing_for(h, parts[i].ns[doing]), ns = part_ns < left ? part_ns : left;
            if (!ns)
                continue;
            left -= ns;
            by.link = parts[i].who;
            by.doing = (enum wick_host_doing)doing;
            write_phase(w, by, ns, state);
        }
    by.link = NULL;
    write_phase(w, by, left, state);
}

/* Time without a processor: a sample for each process that ran in it, and one for the rest. */
static void write_ready(struct wait *w, const struct wick_host_record *s)
{
    const struct wick_host_other *others = wick_host_others(s);
    uint64_t left = s->head.ready_ns;
    for (uint32_t i = 0; i < s->head.nothers; i++) {
        uint64_t ns = others[i].ns < left ? others[i].ns : left;
        if (others[i].role != WICK_HOST_RAN || !ns)
            continue;
        left -= ns;
        write_phase(w, (struct wick_host_relation){.other = &others[i]}, ns, WICK_JFR_STATE_WAITING_FOR_CPU);
    }
    write_phase(w, (struct wick_host_relation){0}, left, WICK_JFR_STATE_WAITING_FOR_CPU);
}

uint64_t wick_host_wait_write(const struct wick_host_span_source *of, const struct wick_host_record *s, unsigned state)
{
    struct wait w = {.of = of};
    w.event.start_ns = s->head.time_ns;
    w.event.thread = of->thread;
    w.event.stack = of->stack;
    w.event.samples = 1;
    write_asleep(&w, s, state);
    write_ready(&w, s);
    return w.written_ns;
}
