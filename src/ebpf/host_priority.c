/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_priority.h"

#include <sched.h>
#include <sys/resource.h>

#include "base/clock.h"

enum { NICE = -10, SHARE_NS = 300000000, PERIOD_NS = 1000000000 };

static void run_first(struct wick_host_priority *p, bool first)
{
    const struct sched_param param = {.sched_priority = first};
    p->first = !sched_setscheduler(0, (first ? SCHED_RR : SCHED_OTHER) | SCHED_RESET_ON_FORK, &param) && first;
}

static void begin_second(struct wick_host_priority *p)
{
    p->begun_ns = wick_clock_mono_ns();
    p->used_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void wick_host_priority_init(struct wick_host_priority *p)
{
    setpriority(PRIO_PROCESS, 0, NICE);
    begin_second(p);
    run_first(p, true);
}

void wick_host_priority_update(struct wick_host_priority *p)
{
    if (wick_clock_mono_ns() - p->begun_ns >= PERIOD_NS) {
        begin_second(p);
        if (!p->first)
            run_first(p, true);
    } else if (p->first && wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - p->used_ns >= SHARE_NS) {
        run_first(p, false);
    }
}
