/* SPDX-License-Identifier: Apache-2.0 */
/* What one JVM allows. Nothing is changed in it: no signal, no file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "client/client.h"
#include "sys/attach.h"
#include "sys/cgroup.h"
#include "sys/ns.h"

static void check_version(struct wick_doctor *d, const struct wick_jvm_entry *jvm)
{
    const char *v = jvm->version;
    int major = atoi(v);
    if (major == 1 && v[1] == '.')
        major = atoi(v + 2);
    if (!major)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "JDK", NULL,
                        "the version cannot be determined; wick supports HotSpot 8 to 25");
    else if (major < 8)
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "JDK", "run the program on JDK 8 or newer", "version %s is too old", v);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "JDK", NULL, "version %s", v);
}

static void check_attach(struct wick_doctor *d, const struct wick_proc *p)
{
    struct wick_err err = {0};
    struct wick_client *c = malloc(sizeof *c);
    if (!c)
        return;
    wick_client_init(c);
    if (!wick_client_find(p, NULL, c, NULL))
        wick_doctor_add(d, WICK_DOCTOR_OK, "attach", NULL, "the agent (version %s) is loaded%s", c->version,
                        c->running ? " and recording" : "");
    else if (wick_attach_check_ready(p, &err))
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "attach", NULL, "%.390s", err.msg);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "attach", NULL, "the JVM takes agents");
    wick_client_close(c);
    free(c);
}

static void check_flags(struct wick_doctor *d, const struct wick_proc *p)
{
    struct wick_strbuf cmd = WICK_STRBUF_INIT, env = WICK_STRBUF_INIT;
    wick_proc_read(p, "cmdline", &cmd);
    wick_proc_read(p, "environ", &env);
    int debug = wick_proc_jvm_flag(cmd.buf, cmd.len, env.buf, env.len, "DebugNonSafepoints");
    int dynamic = wick_proc_jvm_flag(cmd.buf, cmd.len, env.buf, env.len, "EnableDynamicAgentLoading");
    wick_strbuf_release(&cmd);
    wick_strbuf_release(&env);
    if (debug == 1)
        wick_doctor_add(d, WICK_DOCTOR_OK, "DebugNonSafepoints", NULL, "on: inlined frames and lines are exact");
    else
        wick_doctor_add(
            d, WICK_DOCTOR_WARN, "DebugNonSafepoints",
            "start the JVM with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints, or with -agentpath",
            "not on the command line: in methods compiled before the agent was loaded, a sample may be credited to a "
            "neighbouring line or inlined method");
    if (dynamic == 0)
        wick_doctor_add(d, WICK_DOCTOR_FAIL, "agent loading",
                        "remove -XX:-EnableDynamicAgentLoading, or use -agentpath",
                        "switched off by -XX:-EnableDynamicAgentLoading");
}

static void check_container(struct wick_doctor *d, const struct wick_proc *p, const struct wick_jvm_entry *jvm)
{
    static const char *const names[] = {"mnt", "pid", "net", "user"};
    char differ[64] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wick_ns_same(p, names[i]) == 0)
            snprintf(differ + strlen(differ), sizeof differ - strlen(differ), "%s%s", *differ ? ", " : "", names[i]);
    if (!*differ && !*jvm->container)
        wick_doctor_add(d, WICK_DOCTOR_OK, "container", NULL, "none: it shares our namespaces");
    else
        wick_doctor_add(d, *differ && geteuid() != 0 ? WICK_DOCTOR_WARN : WICK_DOCTOR_OK, "container",
                        *differ && geteuid() != 0 ? "run wick as root on the host, or inside the container" : NULL,
                        "%.80s, own namespaces: %s", *jvm->container ? jvm->container : "unnamed",
                        *differ ? differ : "none");
}

static void check_privileges(struct wick_doctor *d, const struct wick_proc *p)
{
    if (p->st.seccomp == 2)
        wick_doctor_add(d, WICK_DOCTOR_OK, "seccomp",
                        "if perf events fail in it, run wick as root: it opens them for the JVM",
                        "the JVM runs under a filter, which may forbid perf_event_open");
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "seccomp", NULL, "no filter on the JVM");
}

static void check_cpu_limit(struct wick_doctor *d, const struct wick_proc *p)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)p->pid);
    double cpus = wick_cgroup_cpus("", pid);
    if (cpus > 0)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "CPU limit",
                        "throttled time is not CPU time: it shows as waiting, not as samples",
                        "its control group may use %.2f CPUs", cpus);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "CPU limit", NULL, "no quota on its control group");
}

static void check_files(struct wick_doctor *d, const struct wick_proc *p)
{
    uint64_t limit;
    if (!wick_proc_open_files(p, &limit))
        return;
    if (limit < (uint64_t)p->st.threads + 256)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "JVM's open files", "raise `ulimit -n` of the JVM",
                        "limit %" PRIu64 " for %d threads: perf events need a descriptor per thread, CPU timers are "
                        "used for the rest",
                        limit, p->st.threads);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "JVM's open files", NULL, "limit %" PRIu64 ", threads %d", limit,
                        p->st.threads);
}

void wick_doctor_jvm(struct wick_doctor *d, const struct wick_proc *p, const struct wick_jvm_entry *jvm)
{
    wick_doctor_add(d, WICK_DOCTOR_OK, "target", NULL, "process %d of user %s: %.200s", (int)p->pid, jvm->user,
                    jvm->main);
    check_version(d, jvm);
    check_attach(d, p);
    check_flags(d, p);
    check_privileges(d, p);
    check_container(d, p, jvm);
    check_cpu_limit(d, p);
    check_files(d, p);
}
