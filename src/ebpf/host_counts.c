/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_counts.h"

static void add_span(struct wick_host_span_counts *out, const struct wick_host_span_counts *of)
{
    out->seen += of->seen;
    out->fired += of->fired;
    out->recorded += of->recorded;
    out->ring_full += of->ring_full;
    out->nested += of->nested;
    out->no_memory += of->no_memory;
    out->walk_ns += of->walk_ns;
}

void wick_host_counts_add(struct wick_host_counts *out, const struct wick_host_counts *of)
{
    out->ticks += of->ticks;
    out->idle += of->idle;
    out->recorded += of->recorded;
    out->ring_full += of->ring_full;
    out->nested += of->nested;
    out->walk_ns += of->walk_ns;
    out->wait.switches += of->wait.switches;
    out->wait.fired += of->wait.fired;
    out->wait.recorded += of->wait.recorded;
    out->wait.ring_full += of->wait.ring_full;
    out->wait.nested += of->wait.nested;
    out->wait.no_memory += of->wait.no_memory;
    out->wait.unseen += of->wait.unseen;
    out->wait.walk_ns += of->wait.walk_ns;
    out->io.requests += of->io.requests;
    out->io.fired += of->io.fired;
    out->io.recorded += of->io.recorded;
    out->io.ring_full += of->io.ring_full;
    out->io.nested += of->io.nested;
    out->io.no_memory += of->io.no_memory;
    out->io.unseen += of->io.unseen;
    out->io.walk_ns += of->io.walk_ns;
    add_span(&out->stall, &of->stall);
    add_span(&out->call, &of->call);
    add_span(&out->socket, &of->socket);
    add_span(&out->alloc, &of->alloc);
    out->oom_kills += of->oom_kills;
    out->oom_lost += of->oom_lost;
}
