/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_machine.c - facts about the machine: CPUs and who uses them, memory, the cgroups' limits, pressure
 *
 * See explain_facts.h.
 */
#include "analysis/explain/explain_take.h"

static void take_load(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    f->loads++;
    f->jvm += real(e, "jvmUser") + real(e, "jvmSystem");
}

static void take_machine(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    f->machines++;
    f->steal += real(e, "steal");
    f->others += real(e, "others");
    raise_to(&f->allowed, number(e, "allowedCpus"));
}

static void take_neighbour(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t name = text(e, "name");
    int64_t pid = number(e, "pid");
    for (size_t i = 0; i < f->nneighbours; i++)
        if (f->neighbours[i].name == name) {
            f->neighbours[i].several |= f->neighbours[i].pid != pid;
            add_to(&f->neighbours[i].cpu_ns, part(f, e, number(e, "cpuTime")));
            return;
        }
    struct wick_explain_neighbour *n = ADD(f, neighbours);
    if (n)
        *n = (struct wick_explain_neighbour){.name = name, .pid = pid, .cpu_ns = part(f, e, number(e, "cpuTime"))};
}

static void take_cpus(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    raise_to(&f->cpus, number(e, "hwThreads"));
}

static void take_rss(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    raise_to(&f->rss, number(e, "size"));
}

/* One of many, of a whole machine. */
static void take_cgroup_of(struct wick_explain_facts *f, const struct wick_jfr_event *e, uint32_t path)
{
    struct wick_explain_cgroup *g = NULL;
    for (size_t i = 0; i < f->ncgroups && !g; i++)
        g = f->cgroups[i].path == path ? &f->cgroups[i] : NULL;
    if (!g && (g = ADD(f, cgroups)))
        *g = (struct wick_explain_cgroup){.path = path, .container = text(e, "container")};
    if (!g)
        return;
    double limit = real(e, "limit");
    g->limit = limit > 0 ? limit : g->limit;
    count_on(f, e, &g->periods, number(e, "periods"));
    count_on(f, e, &g->throttled, number(e, "throttledPeriods"));
    count_on(f, e, &g->throttled_ns, number(e, "throttledTime"));
}

static void take_oom_kill(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t cgroup = text(e, "victimCgroup"), container = text(e, "victimContainer");
    struct wick_explain_kill *k = NULL;
    for (size_t i = 0; i < f->nkills && !k; i++)
        k = f->kills[i].cgroup == cgroup && f->kills[i].container == container ? &f->kills[i] : NULL;
    if (!k && (k = ADD(f, kills)))
        *k = (struct wick_explain_kill){.cgroup = cgroup, .container = container};
    if (!k)
        return;
    k->kills++;
    k->victim = text(e, "victim");
    k->anonymous = number(e, "anonymous");
    k->shared = number(e, "shared");
    k->swapped = number(e, "swapped");
    k->resident = wick_sum(wick_sum(k->anonymous, k->shared), number(e, "file"));
}

static void take_cgroup_cpu(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t path = text(e, "cgroup");
    if (*wick_profile_str(f->p, path)) {
        take_cgroup_of(f, e, path);
        return;
    }
    f->cpu_limit = real(e, "limit");
    count_on(f, e, &f->periods, number(e, "periods"));
    count_on(f, e, &f->throttled, number(e, "throttledPeriods"));
    count_on(f, e, &f->throttled_ns, number(e, "throttledTime"));
}

static void take_cgroup_memory(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    if (wick_range_has(&f->range, e->time_ns)) {
        f->memory_limit = number(e, "max");
        f->memory_charged = number(e, "current");
    }
    count_on(f, e, &f->oom_kills, number(e, "oomKills"));
}

static void take_pressure(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    count_on(f, e, &f->memory_full_ns, number(e, "memoryFull"));
    count_on(f, e, &f->io_some_ns, number(e, "ioSome"));
}

const struct wick_explain_reader wick_explain_machine_readers[] = {
    {"jdk.CPULoad", take_load, IN_RANGE},         {"jdk.CPUInformation", take_cpus, ALWAYS},
    {"jdk.ResidentSetSize", take_rss, IN_RANGE},  {"wick.MachineTime", take_machine, IN_RANGE},
    {"wick.Neighbour", take_neighbour, IN_RANGE}, {"wick.CgroupCpu", take_cgroup_cpu, ALWAYS},
    {"wick.OomKill", take_oom_kill, IN_RANGE},    {"wick.CgroupMemory", take_cgroup_memory, ALWAYS},
    {"wick.Pressure", take_pressure, ALWAYS},     {NULL, NULL, 0},
};
