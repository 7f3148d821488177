/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_start.c - a library to preload: the first recording takes long to begin, as on a crowded machine
 *
 * sigaction() is interposed: the first call that installs a handler of libwick.so, which is in the middle of a
 * recording's start, sleeps for WICK_SLOW_START milliseconds. All others go on.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int action(int sig, const struct sigaction *act, struct sigaction *old);

static void sleep_once(void)
{
    static atomic_flag slept = ATOMIC_FLAG_INIT;
    const char *ms = getenv("WICK_SLOW_START");
    long n = ms ? atol(ms) : 0;
    const struct timespec t = {n / 1000, n % 1000 * 1000000};
    if (!atomic_flag_test_and_set(&slept))
        nanosleep(&t, NULL);
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    action *real = (action *)dlsym(RTLD_NEXT, "sigaction");
    Dl_info of;
    if (act && (act->sa_flags & SA_SIGINFO) && dladdr((void *)act->sa_sigaction, &of) && of.dli_fname &&
        strstr(of.dli_fname, "libwick.so"))
        sleep_once();
    return real(sig, act, old);
}
