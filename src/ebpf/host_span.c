/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_span.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void wick_host_span_stall(const struct wick_host_span_source *of, const struct wick_host_head *h)
{
    static const char *const stalls[] = {
        [WICK_HOST_RECLAIM] = "reclaim",
        [WICK_HOST_CGROUP_RECLAIM] = "cgroup-reclaim",
        [WICK_HOST_COMPACTION] = "compaction",
    };
    const struct wick_host_relation label = {.stall = stalls[h->span.kind % (sizeof stalls / sizeof *stalls)],
                                             .thread = of->labels};
    wick_jfr_write_memory_stall(of->writer,
                                &(struct wick_jfr_memory_stall){
                                    .start_ns = h->span.begin_ns,
                                    .duration_ns = h->span.whole_ns,
                                    .thread = of->thread,
                                    .stack = of->stack,
                                    .stall = label.stall,
                                    .weight_ns = h->span.weight_ns,
                                    .context = wick_host_process_context(of->processes, of->process, &label),
                                });
}

/* The victim as what a record of its own would say. */
const struct wick_host_process *wick_host_span_victim(struct wick_host_processes *ps, const struct wick_host_head *h)
{
    struct wick_host_head own = {.pid = h->oom.pid, .birth = h->oom.birth, .time_ns = h->time_ns};
    own.cgroup = h->oom.cgroup;
    memcpy(own.process_comm, h->oom.comm, sizeof own.process_comm);
    return wick_host_process_of(ps, &own);
}

void wick_host_span_oom(const struct wick_host_span_source *of, const struct wick_host_head *h)
{
    const struct wick_host_memory *m = &h->oom.victim, *own = &h->oom.own;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const struct wick_host_relation label = {.thread = of->labels};
    uint32_t context = wick_host_process_context(of->processes, of->process, &label);
    char name[WICK_HOST_COMM + 16];
    snprintf(name, sizeof name, "%.*s-%u", WICK_HOST_COMM - 1, h->oom.comm, h->oom.pid);
    const struct wick_host_process *victim = wick_host_span_victim(of->processes, h);
    wick_jfr_write_oom_kill(of->writer, &(struct wick_jfr_oom_kill){
                                            .start_ns = h->time_ns,
                                            .thread = of->thread,
                                            .stack = of->stack,
                                            .victim = name,
                                            .cgroup = victim && victim->cgroup ? victim->cgroup : "",
                                            .container = victim ? victim->container : "",
                                            .anonymous = m->anonymous * page,
                                            .file = m->file * page,
                                            .shared = m->shared * page,
                                            .swapped = m->swapped * page,
                                            .virtual_size = m->virtual * page,
                                            .own_resident = (own->anonymous + own->file + own->shared) * page,
                                            .context = context,
                                        });
}
