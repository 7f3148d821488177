/* SPDX-License-Identifier: Apache-2.0 */
/* What one JVM allows. Nothing is changed in it: no signal, no file. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "client/client.h"
#include "sys/attach.h"
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
            "not on the command line: in methods compiled before the agent came, a sample may be credited to a "
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

/* The path of the process's group in one hierarchy; controller "" = cgroup v2. */
static bool cgroup_path(const char *text, const char *controller, char *out, size_t cap)
{
    for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
        const char *names = strchr(p, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            break;
        names++;
        bool hit = !*controller && path == names;
        for (const char *n = names; *controller && n < path; n += strcspn(n, ",:") + 1)
            hit |= !strncmp(n, controller, strlen(controller)) && strchr(",:", n[strlen(controller)]);
        if (!hit)
            continue;
        snprintf(out, cap, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
        return true;
    }
    return false;
}

static bool read_small(const char *path, char *out, size_t cap)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    bool ok = !wick_proc_read_at(AT_FDCWD, path, &sb);
    snprintf(out, cap, "%.*s", (int)strcspn(sb.buf, "\n"), sb.buf);
    wick_strbuf_release(&sb);
    return ok;
}

/* The smallest CPU quota from the group up to the root, in CPUs; 0 = none found. */
static double cpu_quota(const char *cgroups)
{
    char group[1024], path[1200], value[64], period_text[64];
    double least = 0;
    bool v2 = false;
    if (!cgroup_path(cgroups, "cpu", group, sizeof group)) {
        if (!cgroup_path(cgroups, "", group, sizeof group))
            return 0;
        v2 = true;
    }
    if (strstr(group, "/.."))
        return 0;
    for (;;) {
        long long quota = 0, period = 0;
        if (v2) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
            if (read_small(path, value, sizeof value) && sscanf(value, "%lld %lld", &quota, &period) != 2)
                quota = 0;
        } else {
            snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", group);
            bool ok = read_small(path, value, sizeof value);
            snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", group);
            if (ok && read_small(path, period_text, sizeof period_text)) {
                quota = atoll(value);
                period = atoll(period_text);
            }
        }
        if (quota > 0 && period > 0 && (!least || (double)quota / (double)period < least))
            least = (double)quota / (double)period;
        char *slash = strrchr(group, '/');
        if (!slash || !group[0])
            return least;
        *slash = 0;
    }
}

static void check_cpu_limit(struct wick_doctor *d, const struct wick_proc *p)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    double cpus = 0;
    if (!wick_proc_read(p, "cgroup", &sb))
        cpus = cpu_quota(sb.buf);
    wick_strbuf_release(&sb);
    if (cpus > 0)
        wick_doctor_add(d, WICK_DOCTOR_WARN, "CPU limit",
                        "throttled time is not CPU time: it shows as waiting, not as samples",
                        "its control group may use %.2f CPUs", cpus);
    else
        wick_doctor_add(d, WICK_DOCTOR_OK, "CPU limit", NULL, "no quota on its control group");
}

static void check_files(struct wick_doctor *d, const struct wick_proc *p)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    unsigned long long soft = 0;
    if (!wick_proc_read(p, "limits", &sb)) {
        const char *line = strstr(sb.buf, "Max open files");
        if (line && sscanf(line + 14, "%llu", &soft) == 1 && soft < (unsigned long long)p->st.threads + 256)
            wick_doctor_add(
                d, WICK_DOCTOR_WARN, "JVM's open files", "raise `ulimit -n` of the JVM",
                "limit %llu for %d threads: perf events need a descriptor per thread, CPU timers are used for the rest",
                soft, p->st.threads);
        else if (line)
            wick_doctor_add(d, WICK_DOCTOR_OK, "JVM's open files", NULL, "limit %llu, threads %d", soft, p->st.threads);
    }
    wick_strbuf_release(&sb);
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
