/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_priority.h"

#include <sched.h>
#include <sys/resource.h>

#include "base/clock.h"

enum { NICE = -10, SHARE_NS = 300000000, PERIOD_NS = 1000000000, START_US = 60000000, ASK_NS = 1000000 };

static void run_first(struct wick_host_priority *p, bool first)
{
    const struct sched_param param = {.sched_priority = first};
    p->first = !sched_setscheduler(0, (first ? SCHED_RR : SCHED_OTHER) | SCHED_RESET_ON_FORK, &param) && first;
}

/* The kernel ends a process that runs first for longer than its limit, in microseconds, without waiting. Loading the
 * programs at the start takes longest. */
static bool is_allowed(void)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_RTTIME, &limit) && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= START_US);
}

/* What was used beyond the share so far counts in the seconds that begin; one that passed without it pays a share. */
static void begin_second(struct wick_host_priority *p, uint64_t now_ns)
{
    uint64_t cpu_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t used = cpu_ns - p->used_ns, paid = (now_ns - p->begun_ns) / PERIOD_NS * SHARE_NS;
    p->begun_ns = now_ns;
    p->used_ns = cpu_ns - (used > paid ? used - paid : 0);
}

void wick_host_priority_init(struct wick_host_priority *p)
{
    *p = (struct wick_host_priority){.begun = true, .allowed = is_allowed(), .nice = getpriority(PRIO_PROCESS, 0)};
    setpriority(PRIO_PROCESS, 0, NICE);
    if (p->allowed)
        run_first(p, true);
    p->allowed = p->first;
    wick_host_priority_restart(p);
}

void wick_host_priority_restart(struct wick_host_priority *p)
{
    p->begun_ns = wick_clock_mono_ns();
    p->used_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void wick_host_priority_end(struct wick_host_priority *p)
{
    if (!p->begun)
        return;
    p->begun = false;
    const struct sched_param others = {.sched_priority = 0};
    if (p->allowed)
        sched_setscheduler(0, SCHED_OTHER, &others);
    setpriority(PRIO_PROCESS, 0, p->nice);
}

void wick_host_priority_update(struct wick_host_priority *p)
{
    uint64_t now_ns = wick_clock_mono_ns();
    if (!p->begun || !p->allowed || now_ns < p->next_ns)
        return;
    p->next_ns = now_ns + ASK_NS;
    if (now_ns - p->begun_ns >= PERIOD_NS)
        begin_second(p, now_ns);
    bool owes = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - p->used_ns >= SHARE_NS;
    if (owes == p->first)
        run_first(p, !owes);
}
