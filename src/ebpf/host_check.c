/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ebpf/host_alloc.h"
#include "ebpf/host_kernel.h"
#include "ebpf/host_probe.h"
#include "ebpf/host_reason.h"
#include "sys/permitted.h"
#include "sys/proc.h"
#include "sys/whole.h"

#define PERF \
    "`wick record --perf -a` records the whole machine through perf, and `wick record PID` one JVM as its own user"
#define BTF     "/sys/kernel/btf/vmlinux"
#define CGROUPS "/sys/fs/cgroup"

enum { INIT_PID_NAMESPACE = 0xEFFFFFFC /* PROC_PID_INIT_INO */, CGROUP2 = 0x63677270 };
enum { INTERVAL_NS = 10000000, THRESHOLD_NS = 1000000 };

static void check_kernel(struct wick_doctor *d)
{
    struct utsname u = {0};
    int major = 0, minor = 0;
    uname(&u);
    if (sscanf(u.release, "%d.%d", &major, &minor) != 2)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "kernel", NULL, "a kernel of unknown version: %s", u.release);
    else if (major < 5 || (major == 5 && minor < 17))
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "kernel", PERF, "Linux %s; 5.17 or newer is needed", u.release);
    else if (major < 6 || (major == 6 && minor < 1))
        wick_doctor_add(d, WICK_DOCTOR_WARN, "kernel", "`wick record -e wall PID` shows what a JVM waits for",
                        "Linux %s; CPU time can be recorded, -e sched needs 6.1 or newer", u.release);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel", NULL, "Linux %s", u.release);
    if (access(BTF, R_OK))
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "kernel types", "a kernel with CONFIG_DEBUG_INFO_BTF; without it, " PERF,
                        "the kernel does not describe its types: " BTF " cannot be read");
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel types", NULL, "described in " BTF);
}

/* The capabilities that are needed, by their numbers (linux/capability.h); CAP_SYS_ADMIN has the first two and the last
 * one as well. */
static void check_rights(struct wick_doctor *d)
{
    static const struct {
        const char *name, *what_for;
        int bit;
        bool admin;
    } needed[] = {{"CAP_BPF", "to load programs", 39, true},
                  {"CAP_PERFMON", "to read the kernel's memory and clocks", 38, true},
                  {"CAP_SYS_PTRACE", "to read processes of other users", 19, false},
                  {"CAP_CHECKPOINT_RESTORE", "to open the files that they have mapped", 40, true}};
    enum { ADMIN = 21 };
    char missing[300] = "";
    struct wick_proc self;
    if (wick_proc_open(getpid(), &self, NULL))
        return;
    uint64_t have = self.st.cap_effective;
    wick_proc_close(&self);
    for (size_t i = 0, n = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(have >> needed[i].bit & 1) && !(needed[i].admin && (have >> ADMIN & 1)))
            n += (size_t)snprintf(missing + n, sizeof missing - n, "%s%s (%s)", n ? ", " : "", needed[i].name,
                                  needed[i].what_for);
    if (*missing)
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "rights", "run it as root, or with these capabilities", "without %s",
                        missing);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "rights", NULL,
                        "CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE");
}

static void check_namespace(struct wick_doctor *d)
{
    struct stat st;
    if (stat("/proc/self/ns/pid", &st))
        return;
    if (st.st_ino == (ino_t)(uint32_t)INIT_PID_NAMESPACE)
        wick_doctor_add(d, WICK_DOCTOR_OK, "processes", NULL, "all of the machine can be seen");
    else
        wick_doctor_add(
            d, WICK_DOCTOR_FAIL, "processes",
            "run it on the host, or in a container with the host's processes (docker: --pid=host; Kubernetes: "
            "hostPID: true)",
            "this is a container's pid namespace: the kernel's numbers of processes mean others here");
}

/* Whether the kernel is locked down so far that programs may not read its memory. */
static void check_lockdown(struct wick_doctor *d)
{
    char text[128];
    if (wick_whole_text("/sys/kernel/security/lockdown", text, sizeof text) > 0 && strstr(text, "[confidentiality]"))
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "lockdown", "boot with lockdown=integrity, or without Secure Boot",
                        "the kernel is locked down for confidentiality: no program may read its memory");
}

static bool take_nothing(void *arg, const struct wick_host_head *head)
{
    return true;
}

static int start_cpu(struct wick_host_kernel *k, struct wick_err *err)
{
    return wick_host_kernel_start(k, INTERVAL_NS, err);
}

static int start_waits(struct wick_host_kernel *k, struct wick_err *err)
{
    return wick_host_kernel_start_waits(k, THRESHOLD_NS, err);
}

static int start_io(struct wick_host_kernel *k, struct wick_err *err)
{
    return wick_host_kernel_start_io(k, 1, err);
}

static int start_stalls(struct wick_host_kernel *k, struct wick_err *err)
{
    return wick_host_kernel_start_stalls(k, THRESHOLD_NS, err);
}

static int start_calls(struct wick_host_kernel *k, struct wick_err *err)
{
    return wick_host_kernel_start_calls(k, THRESHOLD_NS, THRESHOLD_NS, err);
}

/* What can be recorded; without the first of them nothing can. */
static const struct attempt {
    const char *name, *works;
    unsigned load;
    int (*start)(struct wick_host_kernel *k, struct wick_err *err);
} attempts[] = {
    {"-e cpu", "CPU time of all processes can be recorded", 0, start_cpu},
    {"-e sched", "time off the CPU can be recorded", WICK_HOST_LOAD_WAITS, start_waits},
    {"-e blockio", "requests to disks can be recorded", WICK_HOST_LOAD_IO, start_io},
    {"-e memstall", "stalls for memory can be recorded", WICK_HOST_LOAD_STALLS, start_stalls},
    {"-e network, syscalls", "system calls can be recorded", WICK_HOST_LOAD_CALLS, start_calls},
};

/* What an attempt shows. */
struct tried {
    bool probes, files;
};

/* Records for a moment, and keeps nothing. */
static int try(const struct attempt *a, struct tried *out, struct wick_err *err)
{
    struct wick_host_kernel *k = NULL;
    int rc = wick_host_kernel_open(&k, a->load, take_nothing, NULL, err);
    rc = rc ? rc : a->start(k, err);
    *out = (struct tried){!rc && wick_host_kernel_probes(k), !rc && wick_host_kernel_knows_files(k)};
    wick_host_kernel_close(k);
    return rc;
}

static void add_brief(struct wick_doctor *d, bool files)
{
    if (files)
        wick_doctor_add(d, WICK_DOCTOR_OK, "short-lived", NULL,
                        "stacks of programs that live for moments are walked by the unwind rules of their files");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "short-lived", "Linux 6.1 or newer",
                        "unwind rules are read for each process: of programs that live for moments only code with "
                        "frame pointers is walked");
}

static bool check_recording(struct wick_doctor *d)
{
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const struct attempt *a = &attempts[i];
        struct wick_err err = {0};
        struct tried tried;
        int rc = try(a, &tried, &err);
        if (rc && !i) {
            wick_doctor_add(d, WICK_DOCTOR_FAIL, a->name, NULL, "%s", err.msg);
            return false; /* the others would say the same */
        }
        if (rc)
            wick_doctor_add(d, WICK_DOCTOR_WARN, a->name, NULL, "%s", err.msg);
        else if (tried.probes)
            wick_doctor_add(d, WICK_DOCTOR_OK, a->name, "Linux 6.16 or newer does without the probe",
                            "%s, through a probe of " WICK_HOST_SWITCH
                            ", which each switch of threads then costs as well",
                            a->works);
        else
            wick_doctor_add(d, WICK_DOCTOR_OK, a->name, NULL, "%s", a->works);
        if (!i)
            add_brief(d, tried.files);
    }
    return true;
}

/* Of each JVM that there is whether its allocations can be seen. */
static void check_jvms(struct wick_doctor *d, const struct wick_host_alloc *a)
{
    static const char *const ways[] = {
        [WICK_HOST_ALLOC_BY_SYMBOLS] = "found by name",
        [WICK_HOST_ALLOC_BY_CODE] = "found by what its code looks like",
    };
    for (uint32_t i = 0; i < a->njvms; i++) {
        const struct wick_host_alloc_jvm *j = &a->jvms[i];
        if (*j->why)
            wick_doctor_add(d, WICK_DOCTOR_WARN, "-e alloc", "`wick record -e alloc PID` records them, where it can",
                            "allocations of process %u (JDK %d) cannot be recorded: %s", j->pid, j->major, j->why);
        else
            wick_doctor_add(d, WICK_DOCTOR_OK, "-e alloc", NULL,
                            "allocations of process %u (JDK %d) can be recorded: AllocTracer is %s%s", j->pid, j->major,
                            ways[j->source], j->has_agent ? "; while its agent records them, that is asked" : "");
    }
    if (!a->njvms)
        wick_doctor_add(d, WICK_DOCTOR_OK, "-e alloc", NULL, "allocations of JVMs can be recorded; there is none now");
}

static void check_allocs(struct wick_doctor *d)
{
    struct wick_host_kernel *k = NULL;
    struct wick_host_tables tables = {0};
    struct wick_host_processes processes;
    static struct wick_host_libraries libraries; /* none is described */
    struct wick_host_alloc a;
    struct wick_err err = {0};
    if (wick_host_kernel_open(&k, WICK_HOST_LOAD_ALLOCS, take_nothing, NULL, &err)) {
        wick_doctor_add(d, WICK_DOCTOR_WARN, "-e alloc", NULL, "%s", err.msg);
        return;
    }
    wick_hash_seed_init();
    wick_host_processes_init(&processes, k, &tables, &libraries);
    if (wick_host_alloc_begin(&a, k, &processes, UINT32_MAX, &err))
        wick_doctor_add(d, WICK_DOCTOR_WARN, "-e alloc", NULL, "%s", err.msg);
    else
        check_jvms(d, &a);
    wick_host_alloc_release(&a);
    wick_host_processes_release(&processes);
    wick_host_tables_release(&tables);
    wick_host_kernel_close(k);
}

/* Counted events: whether tracepoints have numbers, and functions can be probed. */
static void check_counted(struct wick_doctor *d)
{
    struct wick_host_probe p;
    struct wick_err err = {0};
    if (wick_host_probe_find("sched:sched_switch", 0, &p, &err))
        wick_doctor_add(d, WICK_DOCTOR_WARN, "tracepoints", "as root: mount -t tracefs tracefs /sys/kernel/tracing",
                        "%s", err.msg);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "tracepoints", NULL,
                        "can be recorded by name (-e sched:sched_process_exec)");
    wick_host_probe_release(&p);
    if (access(WICK_HOST_PROBE_TYPE, R_OK))
        wick_doctor_add(d, WICK_DOCTOR_WARN, "functions", "a kernel with CONFIG_UPROBE_EVENTS",
                        "calls of functions cannot be recorded: there is no " WICK_HOST_PROBE_TYPE);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "functions", NULL,
                        "their calls can be recorded (-e uprobe:/PATH:FUNCTION), and static probes "
                        "(-e usdt:PROVIDER:NAME)");
}

static void check_names(struct wick_doctor *d)
{
    struct wick_permitted p;
    struct statfs fs;
    wick_permitted_read(&p);
    if (p.symbols)
        wick_doctor_add(d, WICK_DOCTOR_OK, "kernel symbols", NULL, "functions of the kernel get names");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "kernel symbols", "as root: sysctl kernel.kptr_restrict=0",
                        "functions of the kernel have no names: /proc/kallsyms shows no addresses");
    if (!statfs(CGROUPS, &fs) && fs.f_type == CGROUP2)
        wick_doctor_add(d, WICK_DOCTOR_OK, "cgroups", NULL,
                        "of version 2: processes that live for moments have the label "
                        "container as well");
    else
        wick_doctor_add(d, WICK_DOCTOR_WARN, "cgroups", "boot with systemd.unified_cgroup_hierarchy=1",
                        "of version 1: processes that end before they are read have no label container");
}

void wick_host_check(struct wick_doctor *d)
{
    check_kernel(d);
    check_rights(d);
    check_namespace(d);
    check_lockdown(d);
    if (check_recording(d))
        check_allocs(d);
    check_counted(d);
    check_names(d);
}
