/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_watch_sig.c - the owner of a lock records its stack
 *
 * The signal carries its ticket: the note's place and how often it had been used. Only who turns the note's word from
 * sent to held may go on, so a ticket that is out of date finds nothing.
 */
#include "engine/lock/lock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

static struct wick_lock_note *take(struct wick_lock_engine *e, uint64_t ticket)
{
    struct wick_lock_note *n = wick_notes_at_sig(&e->notes, wick_lock_ticket_number(ticket));
    uint64_t word = wick_lock_ticket_word(ticket), held = (word & ~(uint64_t)3) | WICK_LOCK_HELD;
    return n && wick_cas_acq_rel(&n->word, &word, held) ? n : NULL; /* pairs: send in lock_watch.c */
}

static void answer(struct wick_lock_engine *e, struct wick_lock_note *note, void *context, uint64_t now)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    /* the number may be another thread's by now */
    bool right =
        t && t->serial == note->owner && wick_load_acquire(&t->java) == note->owner_java; /* pairs: wick_threads_java */
    struct wick_scratch *scratch = right ? wick_recorder_enter_sig(e->recorder) : NULL;
    bool kept = false;
    if (scratch) {
        uint64_t cpu = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        const struct wick_sample_sig in = {
            .context = context,
            .window = &e->waits[t - e->threads->slots].owner_window,
            .java = note->owner_java,
            .tid = wick_load_relaxed(&t->tid),
            .time_ns = now,
            .thread = t->serial,
            .type = WICK_EVENT_LOCK,
            .note = note->number,
        };
        kept = wick_recorder_sample_sig(e->recorder, scratch, &in);
        wick_recorder_spent_sig(e->recorder, wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
        wick_recorder_leave_sig(scratch);
    }
    if (kept)
        wick_add_relaxed(&e->owners, 1);
    else
        wick_lock_note_free_sig(e, note);
}

void wick_lock_signal_sig(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    uint64_t now = wick_clock_mono_ns();
    struct sigaction other = {.sa_handler = SIG_DFL};
    uint32_t lane = wick_gate_enter_sig(&wick_lock_gate);
    struct wick_lock_engine *e = atomic_load(&wick_lock_current); /* pairs: wick_lock_stop; seq_cst, see gate.h */
    if (e && info->si_code == SI_QUEUE && info->si_pid == e->pid) {
        struct wick_lock_note *n = take(e, (uint64_t)(uintptr_t)info->si_value.sival_ptr);
        if (n)
            answer(e, n, context, now);
    } else if (e) {
        other = e->signal.old;
    }
    wick_gate_leave_sig(&wick_lock_gate, lane);
    wick_signal_pass_sig(&other, sig, info, context);
    errno = saved;
}
