/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/signal.h"

void wick_signal_pass_sig(const struct sigaction *to, int sig, siginfo_t *info, void *context)
{
    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(sig, info, context);
    else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN)
        to->sa_handler(sig);
}
