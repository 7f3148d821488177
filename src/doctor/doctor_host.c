/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine allows. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "client/agentlib.h"
#include "sys/permitted.h"

static void check_perf(struct wick_doctor *d, const struct wick_permitted *p)
{
    static const char give_permission[] = "as root: sysctl kernel.perf_event_paranoid=1, or run wick as root or with "
                                          "CAP_PERFMON (it opens the events for the "
                                          "JVM, without kernel frames)";
    if (!p->has_perf)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events", "CPU timers are used instead; there are no kernel frames",
                        "this kernel is built without perf_events");
    else if (!p->user && !p->kernel)
        wick_doctor_add(d, WICK_DOCTOR_OK, "perf_events", NULL,
                        "may be opened with kernel frames (perf_event_paranoid=%ld%s)", p->paranoid,
                        p->privileged ? ", and we have CAP_PERFMON or CAP_SYS_ADMIN" : "");
    else if (!p->user)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events", give_permission,
                        "may be opened, but without kernel frames (perf_event_paranoid=%ld)", p->paranoid);
    else if (p->user == EACCES && p->paranoid > 2)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events", give_permission,
                        "not permitted (perf_event_paranoid=%ld): CPU timers are used, without kernel frames",
                        p->paranoid);
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events",
                        p->seccomp == 2
                            ? "a seccomp filter forbids perf_event_open: allow it in the container's profile, or run "
                              "wick on the host as root"
                            : give_permission,
                        "perf_event_open fails: %s; CPU timers are used, without kernel frames", strerror(p->user));
}

static void check_hardware(struct wick_doctor *d, int e)
{
    if (!e)
        wick_doctor_add(d, WICK_DOCTOR_OK, "hardware events", NULL, "cycles, cache misses and the like can be sampled");
    else if (e == ENOENT || e == EOPNOTSUPP || e == ENODEV)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "hardware events",
                        "-e cpu does not need them; on a virtual machine, ask for a virtual PMU",
                        "this machine has no performance counters (a virtual machine without a PMU?)");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "hardware events", "see perf_events", "not permitted: %s", strerror(e));
}

static void check_kernel_symbols(struct wick_doctor *d, const struct wick_permitted *p)
{
    if (p->symbols)
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel symbols", NULL, "kernel frames get names (kptr_restrict=%ld)",
                        p->kptr_restrict);
    else
        wick_doctor_add(
            d, WICK_DOCTOR_WARN, "kernel symbols", "as root: sysctl kernel.kptr_restrict=0, or run wick as root",
            "/proc/kallsyms hides its addresses (kptr_restrict=%ld): kernel frames have no names", p->kptr_restrict);
}

static void check_tracefs(struct wick_doctor *d, bool ok)
{
    if (ok)
        wick_doctor_add(d, WICK_DOCTOR_OK, "tracefs", NULL, "tracepoints can be named");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "tracefs", "as root: mount -t tracefs nodev /sys/kernel/tracing",
                        "not mounted or not readable: events such as sched:sched_switch are not available");
}

static void check_limits(struct wick_doctor *d, const struct wick_permitted *p)
{
    if (p->files && p->files < 4096 && p->files_most < 4096)
        wick_doctor_add(
            d, WICK_DOCTOR_WARN, "open files", "raise `ulimit -n` for the JVM (one perf event needs one file)",
            "the limit is %" PRIu64 ": a JVM with more threads than that falls back to CPU timers", p->files_most);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "open files", NULL, "limit %" PRIu64 ", can be raised to %" PRIu64, p->files,
                        p->files_most);
    if (p->mlock_kb >= 0 && p->rate >= 0)
        wick_doctor_add(d, p->rate < 1000 ? WICK_DOCTOR_WARN : WICK_DOCTOR_OK, "perf limits",
                        p->rate < 1000 ? "as root: sysctl kernel.perf_event_max_sample_rate=50000" : NULL,
                        "%ld samples per second and CPU, %ld kB of buffers per user", p->rate, p->mlock_kb);
}

static void check_agent(struct wick_doctor *d, const char *lib_option)
{
    char lib[4096], build[41];
    struct wick_err err = {0};
    if (wick_agentlib_find(lib_option, lib, sizeof lib, &err) || wick_agentlib_build_id(lib, build, &err))
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "agent", "reinstall wick, or name the library with --lib", "%.390s",
                        err.msg);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "agent", NULL, "%.300s, build %s", lib, build);
}

void wick_doctor_host(struct wick_doctor *d, const char *lib)
{
    struct utsname u;
    struct wick_permitted p;
    if (!uname(&u))
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel", NULL, "Linux %.100s %.20s", u.release, u.machine);
    if (geteuid() == 0)
        wick_doctor_add(d, WICK_DOCTOR_OK, "user", NULL, "root: every user's JVM can be profiled");
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "user", "run wick as root to reach other users' JVMs",
                        "uid %u: only this user's JVMs can be profiled", (unsigned)geteuid());
    check_agent(d, lib);
    wick_permitted_read(&p);
    check_perf(d, &p);
    check_hardware(d, p.hardware);
    check_kernel_symbols(d, &p);
    check_tracefs(d, p.tracefs);
    check_limits(d, &p);
}
