/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_log.c - incidents as text (docs/ttsp.md explains each field)
 *
 * Threads: the drain thread.
 * Memory:  malloc during the call.
 */
#include "engine/ttsp/ttsp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "sys/procstat.h"

/* Start of this process on CLOCK_MONOTONIC, from its age. */
static uint64_t process_start_ns(void)
{
    struct wick_procstat self;
    (void)wick_procstat_read(AT_FDCWD, "/proc/self/stat", &self);
    uint64_t age = wick_clock_ns(CLOCK_BOOTTIME) - self.start * wick_procstat_tick_ns();
    return wick_clock_mono_ns() - age;
}

/* A time as uptime of the VM in seconds. */
static void add_time(struct wick_strbuf *sb, const char *name, uint64_t ns, uint64_t origin)
{
    wick_strbuf_addf(sb, "%s: %.3f", name, ns > origin ? (double)(ns - origin) / 1e9 : 0.0);
}

/* Control characters of a name would break the line. */
static void add_name(struct wick_strbuf *sb, const char *name)
{
    for (; *name; name++)
        wick_strbuf_addc(sb, (unsigned char)*name < ' ' || *name == '"' || *name == 0x7f ? '?' : *name);
}

static void add_thread(struct wick_strbuf *sb, struct wick_threads *ts, const struct wick_ttsp_incident *i,
                       const struct wick_ttsp_late *l)
{
    struct wick_thread_name n = {0};
    char java_name[1024] = "";
    uint32_t key = l->named ? l->named : wick_threads_named(ts, l->serial, i->begin_ns);
    bool known = wick_threads_name(ts, key, &n, java_name, sizeof java_name);
    wick_strbuf_addf(sb, "Dumping stack for thread 0x%016" PRIx64 "\n\"", l->java);
    add_name(sb, n.java_name ? n.java_name : known ? n.os_name : "?");
    wick_strbuf_addf(sb, "\" id: %d prio: %d os_prio: %d sched: %s allowed_cpus: %s\n", l->tid, n.java_priority,
                     l->rules.nice, l->rules.schedule, l->rules.allowed);
}

static void add_use(struct wick_strbuf *sb, const struct wick_ttsp_attempt *a)
{
    wick_strbuf_addf(sb, "last_cpu: %d cpu_time: %" PRIu64 " run_delay: %" PRIu64 " major_faults: %" PRIu64 "\n",
                     a->facts.last_cpu, a->facts.cpu_ns / 1000000, a->facts.run_delay_ns / 1000000,
                     a->facts.major_faults);
    wick_strbuf_adds(sb, a->stack ? a->stack : "(no stack)\n");
}

/* Where the thread gave way. */
static void add_release(struct wick_strbuf *sb, const struct wick_ttsp_incident *i, uint32_t late, uint64_t origin)
{
    const struct wick_ttsp_attempt *at = NULL;
    for (uint32_t n = 0; n < i->attempt_count; n++)
        if (i->attempts[n].late == late && i->attempts[n].gave_way && i->attempts[n].stack)
            at = &i->attempts[n];
    add_time(sb, "lock_release", i->late[late].released_ns, origin);
    wick_strbuf_addc(sb, '\n');
    if (at)
        add_use(sb, at);
}

static void add_attempt(struct wick_strbuf *sb, const struct wick_ttsp_attempt *a, uint64_t origin)
{
    uint64_t answered = wick_load_relaxed(&a->answered_ns);
    add_time(sb, "signal_sent", a->sent_ns, origin);
    if (answered)
        add_time(sb, " signal_responded", answered, origin);
    else
        wick_strbuf_adds(sb, " signal_responded: never");
    wick_strbuf_addf(sb, "\nstate: %c wchan: %s\n", a->facts.state, a->facts.wchan);
    add_use(sb, a);
}

void wick_ttsp_log(int fd, struct wick_threads *ts, const struct wick_ttsp_incident *i, uint64_t vm_start_ns)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    uint64_t origin = vm_start_ns ? vm_start_ns : process_start_ns();
    add_time(&sb, "Detected TTSP issue: start", i->begin_ns, origin);
    wick_strbuf_addf(&sb, " wait: %.3f %s: %s threads: %u late: %u\n", (double)i->reach_ns / 1e6,
                     i->critical ? "held up" : "operation",
                     i->critical       ? "GC, by JNI critical sections"
                     : i->operation[0] ? i->operation
                                       : "?",
                     i->java_threads, i->awaited);
    if (!i->java_threads)
        wick_strbuf_adds(&sb, "(over before its threads could be examined)\n");
    for (uint32_t k = 0; k < i->late_count; k++) {
        add_thread(&sb, ts, i, &i->late[k]);
        add_release(&sb, i, k, origin);
        for (uint32_t n = 0; n < i->attempt_count; n++)
            if (i->attempts[n].late == k && !i->attempts[n].gave_way)
                add_attempt(&sb, &i->attempts[n], origin);
    }
    wick_strbuf_addc(&sb, '\n');
    for (size_t done = 0; done < sb.len;) {
        /* stderr may be a pipe whose reader has stopped; so much fits one that poll finds writable */
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        size_t part = sb.len - done < PIPE_BUF ? sb.len - done : PIPE_BUF;
        errno = 0;
        ssize_t w = poll(&p, 1, 0) == 1 ? write(fd, sb.buf + done, part) : -1;
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            break;
        done += (size_t)w;
    }
    wick_strbuf_release(&sb);
}
