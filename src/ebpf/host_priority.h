/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_priority.h - that the recorder gets a CPU when it needs one, and does not keep it from others
 *
 * What a process says of itself must be read while it lives, however crowded the machine is. A nice value does not see
 * to that where the kernel groups processes by session (sched_autogroup): it counts among those of the same session,
 * and a machine with forty sessions gives each a fortieth. So the recorder runs before all others (SCHED_RR), for
 * three tenths of each second at most; beyond that it is one of them, and what it used beyond them counts against the
 * seconds that follow. Without the right to that (CAP_SYS_NICE), or to a negative nice value, it goes without; and
 * where a limit on such time (RLIMIT_RTTIME) would end it.
 *
 * Threads: the recorder's own; threads that it starts do not inherit it.
 */
#ifndef WICK_EBPF_HOST_PRIORITY_H
#define WICK_EBPF_HOST_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

struct wick_host_priority {
    bool begun, allowed; /* between _init and _end; it may run before all others */
    bool first;          /* it does */
    int nice;            /* before */
    uint64_t next_ns;    /* when what it has used is asked for next */
    uint64_t begun_ns;   /* when the second began, CLOCK_MONOTONIC */
    uint64_t used_ns;    /* CPU time of this thread by then, less what it owes from earlier seconds */
};

/* Asks for it, for the calling thread; _end makes it one of the others again. Zeros are one that has not begun. */
void wick_host_priority_init(struct wick_host_priority *p);
void wick_host_priority_end(struct wick_host_priority *p);

/* What was used so far does not count: the kernel checks the programs once, at the start, for a second or so. */
void wick_host_priority_restart(struct wick_host_priority *p);

/* Called often: it asks the kernel once in a millisecond at most. */
void wick_host_priority_update(struct wick_host_priority *p);

#endif
