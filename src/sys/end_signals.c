/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/end_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

sigset_t wick_end_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

bool wick_end_signals_pending(void)
{
    sigset_t pending;
    return !sigpending(&pending) && (sigismember(&pending, SIGINT) > 0 || sigismember(&pending, SIGTERM) > 0 ||
                                     sigismember(&pending, SIGHUP) > 0);
}

int wick_end_signals_open(void)
{
    sigset_t set = wick_end_signals();
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void wick_end_signals_close(int fd)
{
    sigset_t set = wick_end_signals();
    if (fd >= 0)
        close(fd);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
