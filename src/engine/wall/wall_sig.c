/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_sig.c - the wall clock's signal handler
 *
 * The signal is queued with the engine's address as its value, so that a signal of other code is not taken for ours.
 * Signals that merge while one is pending lose nothing: what they stand for is in the slot.
 */
#include "engine/wall/wall.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "jfr/writer/writer.h"

static void sample(struct wick_wall_engine *e, struct wick_engine_thread *t, int which, void *context, uint64_t now)
{
    struct wick_wall_slot *slot = &e->slots[t - e->threads->slots];
    uint32_t n;
    uint64_t weight = wick_wall_owed_take(slot, which, &n);
    if (!n)
        return;
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    if (!scratch) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_WALL, WICK_DROP_WALK_IN_PROGRESS, n, weight);
        return;
    }
    uint64_t cpu = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const struct wick_sample_sig in = {
        .context = context,
        .window = &slot->window,
        .tid = wick_load_relaxed(&t->tid),
        .java = wick_load_acquire(&t->java), /* pairs: wick_threads_java */
        .time_ns = now,
        .weight = weight,
        .thread = t->serial,
        .type = WICK_EVENT_WALL,
        .samples = (uint16_t)n, /* see MOST_OWED in wall_visit.c */
        .state = which == WICK_WALL_OWED_RUNNING ? WICK_JFR_STATE_RUNNABLE : WICK_JFR_STATE_WAITING_FOR_CPU,
    };
    wick_recorder_sample_sig(e->recorder, scratch, &in);
    wick_recorder_spent_sig(e->recorder, wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
    wick_recorder_leave_sig(scratch);
}

void wick_wall_signal_sig(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    uint64_t now = wick_clock_mono_ns();
    struct sigaction other = {.sa_handler = SIG_DFL};
    uint32_t lane = wick_gate_enter_sig(&wick_wall_gate);
    struct wick_wall_engine *e = atomic_load(&wick_wall_current); /* pairs: wick_wall_stop; seq_cst, see gate.h */
    if (e && (info->si_code != SI_QUEUE || info->si_value.sival_ptr != e)) {
        other = e->signal.old;
    } else if (e) {
        struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
        if (t) {
            /* pairs: owe in wall_visit.c; seq_cst: before what is owed is taken */
            atomic_store(&e->slots[t - e->threads->slots].signalled, 0);
            for (int i = 0; i < WICK_WALL_OWED_COUNT; i++)
                sample(e, t, i, context, now);
        }
    }
    wick_gate_leave_sig(&wick_wall_gate, lane);
    wick_signal_pass_sig(&other, sig, info, context);
    errno = saved;
}
