/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_machine.c - facts about the machine: CPUs and who uses them, memory, the cgroups' limits, pressure
 *
 * See explain_facts.h.
 */
#include "analysis/explain/explain_take.h"

enum { LISTENING_MOST = 1000 }; /* addresses: more are a damaged recording */

static void take_load(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    f->loads++;
    f->jvm += wick_explain_take_real(e, "jvmUser") + wick_explain_take_real(e, "jvmSystem");
}

static void take_machine(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    f->machines++;
    f->steal += wick_explain_take_real(e, "steal");
    f->others += wick_explain_take_real(e, "others");
    wick_explain_take_raise_to(&f->allowed, wick_explain_take_number(e, "allowedCpus"));
}

static void take_neighbour(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t name = wick_explain_take_text(e, "name");
    int64_t pid = wick_explain_take_number(e, "pid");
    for (size_t i = 0; i < f->nneighbours; i++)
        if (f->neighbours[i].name == name) {
            f->neighbours[i].several |= f->neighbours[i].pid != pid;
            wick_explain_take_add_to(&f->neighbours[i].cpu_ns,
                                     wick_explain_take_part(f, e, wick_explain_take_number(e, "cpuTime")));
            return;
        }
    struct wick_explain_neighbour *n = ADD(f, neighbours);
    if (n)
        *n = (struct wick_explain_neighbour){
            .name = name, .pid = pid, .cpu_ns = wick_explain_take_part(f, e, wick_explain_take_number(e, "cpuTime"))};
}

static void take_cpus(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_raise_to(&f->cpus, wick_explain_take_number(e, "hwThreads"));
}

static void take_rss(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_raise_to(&f->rss, wick_explain_take_number(e, "size"));
}

/* One of many, of a whole machine. */
static void take_cgroup_of(struct wick_explain_facts *f, const struct wick_jfr_event *e, uint32_t path)
{
    struct wick_explain_cgroup *g = NULL;
    for (size_t i = 0; i < f->ncgroups && !g; i++)
        g = f->cgroups[i].path == path ? &f->cgroups[i] : NULL;
    if (!g && (g = ADD(f, cgroups)))
        *g = (struct wick_explain_cgroup){.path = path, .container = wick_explain_take_text(e, "container")};
    if (!g)
        return;
    double limit = wick_explain_take_real(e, "limit");
    g->limit = limit > 0 ? limit : g->limit;
    wick_explain_take_count_on(f, e, &g->periods, wick_explain_take_number(e, "periods"));
    wick_explain_take_count_on(f, e, &g->throttled, wick_explain_take_number(e, "throttledPeriods"));
    wick_explain_take_count_on(f, e, &g->throttled_ns, wick_explain_take_number(e, "throttledTime"));
}

static void take_oom_kill(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t cgroup = wick_explain_take_text(e, "victimCgroup"),
             container = wick_explain_take_text(e, "victimContainer");
    struct wick_explain_kill *k = NULL;
    for (size_t i = 0; i < f->nkills && !k; i++)
        k = f->kills[i].cgroup == cgroup && f->kills[i].container == container ? &f->kills[i] : NULL;
    if (!k && (k = ADD(f, kills)))
        *k = (struct wick_explain_kill){.cgroup = cgroup, .container = container};
    if (!k)
        return;
    k->kills++;
    k->victim = wick_explain_take_text(e, "victim");
    k->anonymous = wick_explain_take_number(e, "anonymous");
    k->shared = wick_explain_take_number(e, "shared");
    k->swapped = wick_explain_take_number(e, "swapped");
    k->resident = wick_sum(wick_sum(k->anonymous, k->shared), wick_explain_take_number(e, "file"));
}

static void take_cgroup_cpu(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t path = wick_explain_take_text(e, "cgroup");
    if (*wick_profile_str(f->p, path)) {
        take_cgroup_of(f, e, path);
        return;
    }
    f->cpu_limit = wick_explain_take_real(e, "limit");
    wick_explain_take_count_on(f, e, &f->periods, wick_explain_take_number(e, "periods"));
    wick_explain_take_count_on(f, e, &f->throttled, wick_explain_take_number(e, "throttledPeriods"));
    wick_explain_take_count_on(f, e, &f->throttled_ns, wick_explain_take_number(e, "throttledTime"));
}

static void take_cgroup_memory(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    if (wick_range_has(&f->range, e->time_ns)) {
        f->memory_limit = wick_explain_take_number(e, "max");
        f->memory_charged = wick_explain_take_number(e, "current");
    }
    wick_explain_take_count_on(f, e, &f->oom_kills, wick_explain_take_number(e, "oomKills"));
}

static void take_pressure(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_count_on(f, e, &f->memory_full_ns, wick_explain_take_number(e, "memoryFull"));
    wick_explain_take_count_on(f, e, &f->io_some_ns, wick_explain_take_number(e, "ioSome"));
}

static void take_tcp(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_count_on(f, e, &f->listen_overflows, wick_explain_take_number(e, "listenOverflows"));
    wick_explain_take_count_on(f, e, &f->syn_retransmits, wick_explain_take_number(e, "synRetransmits"));
}

static void take_listening(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t address = wick_explain_take_text(e, "address");
    int64_t waiting = wick_explain_take_number(e, "waiting");
    struct wick_explain_listening *l = f->listening, *end = l + f->nlistening;
    while (l < end && l->address != address)
        l++;
    if (l == end) {
        l = f->nlistening < LISTENING_MOST ? ADD(f, listening) : NULL;
        if (!l)
            return;
        *l = (struct wick_explain_listening){.address = address};
    }
    l->readings++;
    l->with_some += waiting > 0;
    wick_explain_take_add_to(&l->waiting, waiting);
    wick_explain_take_raise_to(&l->most, waiting);
    l->changes += l->readings > 1 && waiting != l->last;
    l->last = waiting;
    l->backlog = wick_explain_take_number(e, "backlog");
}

const struct wick_explain_reader wick_explain_machine_readers[] = {
    {"jdk.CPULoad", take_load, IN_RANGE},
    {"jdk.CPUInformation", take_cpus, ALWAYS},
    {"jdk.ResidentSetSize", take_rss, IN_RANGE},
    {"wick.MachineTime", take_machine, IN_RANGE},
    {"wick.Neighbour", take_neighbour, IN_RANGE},
    {"wick.CgroupCpu", take_cgroup_cpu, ALWAYS},
    {"wick.OomKill", take_oom_kill, IN_RANGE},
    {"wick.CgroupMemory", take_cgroup_memory, ALWAYS},
    {"wick.Pressure", take_pressure, ALWAYS},
    {"wick.TcpStatistics", take_tcp, ALWAYS},
    {"wick.ListeningSocket", take_listening, IN_RANGE},
    {NULL, NULL, 0},
};
