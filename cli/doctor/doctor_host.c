/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a machine allows. Where a question can be asked by trying (opening a perf event, reading a kernel address), it
 * is tried: settings say what ought to work, seccomp filters and hypervisors decide what does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "client/agentlib.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT   38

static bool read_number(const char *path, long *value)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    char *end = NULL;
    bool ok = !wick_proc_read_at(AT_FDCWD, path, &sb);
    if (ok) {
        *value = strtol(sb.buf, &end, 10);
        ok = end != sb.buf;
    }
    wick_strbuf_release(&sb);
    return ok;
}

static uint64_t own_capabilities(int *seccomp)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    struct wick_proc_status st = {.seccomp = -1};
    if (!wick_proc_read_at(AT_FDCWD, "/proc/self/status", &sb))
        wick_proc_parse_status(sb.buf, sb.len, &st);
    wick_strbuf_release(&sb);
    *seccomp = st.seccomp;
    return st.cap_effective;
}

/* Tries to open an event on ourselves. 0 or errno. */
static int try_event(uint32_t type, uint64_t config, bool kernel)
{
    struct perf_event_attr a = {.type = type,
                                .size = sizeof a,
                                .config = config,
                                .sample_period = 1000000,
                                .sample_type = PERF_SAMPLE_IP,
                                .disabled = 1,
                                .exclude_kernel = !kernel,
                                .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static void check_perf(struct wick_doctor *d)
{
    static const char give_permission[] = "as root: sysctl kernel.perf_event_paranoid=1, or run wick as root or with "
                                          "CAP_PERFMON (it opens the events for the "
                                          "JVM, without kernel frames)";
    long paranoid = 99;
    int seccomp;
    uint64_t caps = own_capabilities(&seccomp);
    bool has_cap = caps >> CAP_PERFMON_BIT & 1 || caps >> CAP_SYS_ADMIN_BIT & 1;
    int user = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false);
    int kernel = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true);
    if (!read_number("/proc/sys/kernel/perf_event_paranoid", &paranoid))
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events", "CPU timers are used instead; there are no kernel frames",
                        "this kernel is built without perf_events");
    else if (!user && !kernel)
        wick_doctor_add(d, WICK_DOCTOR_OK, "perf_events", NULL,
                        "may be opened with kernel frames (perf_event_paranoid=%ld%s)", paranoid,
                        has_cap ? ", and we have CAP_PERFMON or CAP_SYS_ADMIN" : "");
    else if (!user)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events", give_permission,
                        "may be opened, but without kernel frames (perf_event_paranoid=%ld)", paranoid);
    else if (user == EACCES && paranoid > 2)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events", give_permission,
                        "not permitted (perf_event_paranoid=%ld): CPU timers are used, without kernel frames",
                        paranoid);
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "perf_events",
                        seccomp == 2
                            ? "a seccomp filter forbids perf_event_open: allow it in the container's profile, or run "
                              "wick on the host as root"
                            : give_permission,
                        "perf_event_open fails: %s; CPU timers are used, without kernel frames", strerror(user));
}

static void check_hardware(struct wick_doctor *d)
{
    int e = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
    if (!e)
        wick_doctor_add(d, WICK_DOCTOR_OK, "hardware events", NULL, "cycles, cache misses and the like can be sampled");
    else if (e == ENOENT || e == EOPNOTSUPP || e == ENODEV)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "hardware events",
                        "-e cpu does not need them; on a virtual machine, ask for a virtual PMU",
                        "this machine has no performance counters (a virtual machine without a PMU?)");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "hardware events", "see perf_events", "not permitted: %s", strerror(e));
}

static void check_kernel_symbols(struct wick_doctor *d)
{
    unsigned long long address = 0;
    long restricted = -1;
    FILE *f = fopen("/proc/kallsyms", "re");
    bool read = f && fscanf(f, "%llx", &address) == 1;
    if (f)
        fclose(f);
    read_number("/proc/sys/kernel/kptr_restrict", &restricted);
    /* The first symbol may truly be at 0 (per-cpu); any non-zero one proves readability. */
    if (read && !address && (f = fopen("/proc/kallsyms", "re"))) {
        char line[512];
        for (int i = 0; i < 50000 && !address && fgets(line, sizeof line, f); i++)
            address = strtoull(line, NULL, 16);
        fclose(f);
    }
    if (address)
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel symbols", NULL, "kernel frames get names (kptr_restrict=%ld)",
                        restricted);
    else
        wick_doctor_add(
            d, WICK_DOCTOR_WARN, "kernel symbols", "as root: sysctl kernel.kptr_restrict=0, or run wick as root",
            "/proc/kallsyms hides its addresses (kptr_restrict=%ld): kernel frames have no names", restricted);
}

static void check_tracefs(struct wick_doctor *d)
{
    if (!access("/sys/kernel/tracing/events", R_OK | X_OK) || !access("/sys/kernel/debug/tracing/events", R_OK | X_OK))
        wick_doctor_add(d, WICK_DOCTOR_OK, "tracefs", NULL, "tracepoints can be named");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "tracefs", "as root: mount -t tracefs nodev /sys/kernel/tracing",
                        "not mounted or not readable: events such as sched:sched_switch are not available");
}

static void check_limits(struct wick_doctor *d)
{
    struct rlimit files;
    long mlock_kb = -1, rate = -1;
    if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < 4096 && files.rlim_max < 4096)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "open files",
                        "raise `ulimit -n` for the JVM (one perf event needs one file)",
                        "the limit is %llu: a JVM with more threads than that falls back to CPU timers",
                        (unsigned long long)files.rlim_max);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "open files", NULL, "limit %llu, can be raised to %llu",
                        (unsigned long long)files.rlim_cur, (unsigned long long)files.rlim_max);
    if (read_number("/proc/sys/kernel/perf_event_mlock_kb", &mlock_kb) &&
        read_number("/proc/sys/kernel/perf_event_max_sample_rate", &rate))
        wick_doctor_add(d, rate < 1000 ? WICK_DOCTOR_WARN : WICK_DOCTOR_OK, "perf limits",
                        rate < 1000 ? "as root: sysctl kernel.perf_event_max_sample_rate=50000" : NULL,
                        "%ld samples a second and CPU, %ld kB of buffers a user", rate, mlock_kb);
}

static void check_agent(struct wick_doctor *d, const struct wick_opts *o)
{
    char lib[4096], build[41];
    struct wick_err err = {0};
    if (wick_agentlib_find(o->lib, lib, sizeof lib, &err) || wick_agentlib_build_id(lib, build, &err))
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "agent", "reinstall wick, or name the library with --lib", "%.390s",
                        err.msg);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "agent", NULL, "%.300s, build %s", lib, build);
}

void wick_doctor_host(struct wick_doctor *d, const struct wick_opts *o)
{
    struct utsname u;
    if (!uname(&u))
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel", NULL, "Linux %.100s %.20s", u.release, u.machine);
    if (geteuid() == 0)
        wick_doctor_add(d, WICK_DOCTOR_OK, "user", NULL, "root: every user's JVM can be profiled");
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "user", "run wick as root to reach other users' JVMs",
                        "uid %u: only this user's JVMs can be profiled", (unsigned)geteuid());
    check_agent(d, o);
    check_perf(d);
    check_hardware(d);
    check_kernel_symbols(d);
    check_tracefs(d);
    check_limits(d);
}
