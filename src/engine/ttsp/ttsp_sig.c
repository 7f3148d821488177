/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_sig.c - a slow thread answers
 *
 * The signal carries its ticket, which holds the places of incident and attempt. Only who turns the attempt's word from
 * sent to answering may write to it, so a ticket that is out of date finds nothing.
 */
#include "engine/ttsp/ttsp.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "hotspot/thread.h"

static uint64_t context_pc(const ucontext_t *uc)
{
#if defined(__x86_64__)
    return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#else
    return uc->uc_mcontext.pc;
#endif
}

/* The attempt whose ticket the signal carries, now being answered; NULL if there is none (any more). */
static struct wick_ttsp_attempt *take(uint64_t ticket)
{
    struct wick_ttsp_incident *i = &wick_ttsp_slots[ticket / WICK_TTSP_ATTEMPTS % WICK_TTSP_INCIDENTS];
    struct wick_ttsp_attempt *a = &i->attempts[ticket % WICK_TTSP_ATTEMPTS];
    uint64_t word = ticket << 2 | WICK_TTSP_SENT;
    return wick_cas_acq_rel(&a->word, &word, ticket << 2 | WICK_TTSP_ANSWERING) ? a : NULL; /* pairs: send, retire */
}

static void record(struct wick_ttsp_engine *e, struct wick_ttsp_attempt *a, const struct wick_ttsp_late *late,
                   const ucontext_t *context)
{
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    if (!scratch) {
        wick_add_relaxed(&e->dumb, 1);
        return;
    }
    const struct wick_sample_sig in = {
        .context = context,
        .window = &a->window,
        .java = late->java,
        .time_ns = wick_load_relaxed(&a->answered_ns),
        .thread = late->serial,
        .type = WICK_EVENT_TTSP,
        .note = wick_ttsp_note(a),
    };
    wick_recorder_sample_sig(e->recorder, scratch, &in);
    wick_recorder_leave_sig(scratch);
}

static void answer(struct wick_ttsp_engine *e, uint64_t ticket, struct wick_ttsp_attempt *a, uint64_t now,
                   const ucontext_t *context)
{
    const struct wick_ttsp_incident *i = a->incident;
    const struct wick_ttsp_late *late = &i->late[a->late];
    const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    wick_store_relaxed(&a->answered_ns, now);
    a->pc = context_pc(context);
    /* up to JDK 13 a thread that has stopped may still be in the VM by its state */
    a->held = wick_hs_safepoint_holds_sig(&e->safepoint, i->safepoint) &&
              (e->jvm->major < 14 || !wick_hs_thread_awaited_sig(e->jvm, wick_hs_thread_state_sig(e->jvm, late->java)));
    /* what ran on since it gave way shows another place; and the number may be another thread's by now */
    if ((a->held || !a->gave_way) && t && wick_load_acquire(&t->java) == late->java) /* pairs: threads.c */
        record(e, a, late, context);
    wick_store_release(&a->word, ticket << 2 | WICK_TTSP_ANSWERED); /* pairs: wick_ttsp_collect */
}

void wick_ttsp_handle_sig(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    uint64_t now = wick_clock_mono_ns();
    struct sigaction other = {.sa_handler = SIG_DFL};
    uint32_t lane = wick_gate_enter_sig(&wick_ttsp_gate);
    struct wick_ttsp_engine *e = atomic_load(&wick_ttsp_current); /* pairs: wick_ttsp_stop; seq_cst, see gate.h */
    if (e && info->si_code == SI_QUEUE && info->si_pid == e->pid) {
        uint64_t ticket = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
        struct wick_ttsp_attempt *a = take(ticket);
        if (a)
            answer(e, ticket, a, now, context);
    } else if (e) {
        other = e->signal.old;
    }
    wick_gate_leave_sig(&wick_ttsp_gate, lane);
    wick_signal_pass_sig(&other, sig, info, context);
    errno = saved;
}
