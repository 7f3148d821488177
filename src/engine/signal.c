/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/signal.h"

#include <string.h>

static bool is_free(int number)
{
    struct sigaction sa;
    return !sigaction(number, NULL, &sa) && !(sa.sa_flags & SA_SIGINFO) && sa.sa_handler == SIG_DFL;
}

static int choose(void)
{
    static const int candidates[] = {SIGSTKFLT, SIGPWR, SIGXFSZ, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (is_free(candidates[i]))
            return candidates[i];
    return 0;
}

/* The last ones are left out: the JDK's class libraries take SIGRTMAX - 2 when sockets or channels are first used,
 * without checking that it is free. */
static int choose_realtime(void)
{
    for (int number = SIGRTMIN + 5; number < SIGRTMAX - 5; number++)
        if (is_free(number))
            return number;
    return 0;
}

/* What a handler must not be interrupted by: every signal, because an application's handler may leave by siglongjmp and
 * the C library's own (32: pthread_cancel, 33: setuid), which sigfillset leaves out, may end the thread. The handler
 * would never come back. What the kernel raises for a fault stays open: blocked it would kill the process without the
 * JVM's report. */
void wick_signal_mask(sigset_t *mask)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    memset(mask, 0xff, sizeof *mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(mask, faults[i]);
}

int wick_signal_take(struct wick_signal *s, int number, wick_signal_handler *handler, struct wick_err *err)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    wick_signal_mask(&sa.sa_mask);
    *s = (struct wick_signal){.handler = handler};
    s->number = number > 0 ? number : number == WICK_SIGNAL_ANY_REALTIME ? choose_realtime() : choose();
    if (number > 0 && !is_free(number))
        return wick_err_set(err, WICK_E_STATE,
                            "this needs the signal %s, which is already in use (by another profiler, or the "
                            "application)",
                            number == SIGPROF ? "SIGPROF" : strsignal(number));
    if (!s->number || sigaction(s->number, &sa, &s->old))
        return wick_err_set(
            err, WICK_E_STATE,
            number == WICK_SIGNAL_ANY_REALTIME
                ? "there is no free real-time signal"
                : "there is no free signal: SIGSTKFLT, SIGPWR, SIGXFSZ, SIGTTIN and SIGTTOU are all taken");
    s->set = true;
    return 0;
}

void wick_signal_give(struct wick_signal *s)
{
    struct sigaction now, ignore = {.sa_handler = SIG_IGN};
    if (!s->set)
        return;
    s->set = false;
    if (sigaction(s->number, NULL, &now) || !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != s->handler)
        return;
    /* Ignoring a signal makes the kernel discard pending ones, which would kill by default. */
    sigaction(s->number, &ignore, NULL);
    sigaction(s->number, &s->old, NULL);
}
