/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/host/machine_totals.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/ui.h"

static void print_drop(uint64_t count, const char *what, const char *why)
{
    if (count)
        wick_ui_note("lost: %" PRIu64 " %s: %s", count, what, why);
}

static void print_drops(const struct wick_host_sum *sum, const char *what, const char *at_work)
{
    print_drop(sum->ring_full, what, "the ring to this program was full");
    print_drop(sum->nested, what, at_work);
    print_drop(sum->output_full, what, "they could not be written");
    print_drop(sum->out_of_memory, what, "there was no memory for them");
    print_drop(sum->unreported, what, "the kernel did not report that they began or ended");
}

static double us_each(const struct wick_host_sum *sum)
{
    return sum->fired ? (double)sum->walk_ns / 1e3 / (double)sum->fired : 0.0;
}

static void print_waits(const struct wick_host_totals *t)
{
    wick_ui_note("%" PRIu64 " waits of %" PRIu64 " switches onto a CPU; %.1f us of CPU time for each wait",
                 t->wait.recorded, t->switches, us_each(&t->wait));
    print_drops(&t->wait, "waits", "another wait was being recorded on that CPU");
}

static void print_counted(const struct wick_opt_host_events *e, const struct wick_host_totals *t)
{
    for (uint32_t i = 0; i < e->ncounted; i++) {
        const char *name = e->counted[i].name;
        wick_ui_note("%s: %" PRIu64 " occurrences, %" PRIu64 " samples", name, t->each[i].hits, t->each[i].fired);
        if (t->each[i].skipped)
            wick_ui_note("besides, the kernel skipped %" PRIu64 " occurrences of %s", t->each[i].skipped, name);
    }
    if (e->ncounted)
        wick_ui_note("%" PRIu64 " samples of counted events; %.1f us of CPU time each", t->counted.recorded,
                     us_each(&t->counted));
    print_drops(&t->counted, "samples of counted events", "another sample was being taken on that CPU");
    if (t->missed)
        wick_ui_note("besides, the kernel skipped %" PRIu64
                     " occurrences, as another sample was being taken on that CPU",
                     t->missed);
}

static void print_calls(uint64_t threshold_ns, const struct wick_host_sum *sum, uint64_t seen, const char *what)
{
    if (threshold_ns)
        wick_ui_note("%" PRIu64 " of %" PRIu64 " %s; %.1f us of CPU time for each of these", sum->recorded, seen, what,
                     us_each(sum));
    print_drops(sum, what, "another one was being recorded on that CPU");
}

/* Those whose libjvm.so makes no sense, by number. */
static void print_refused(const struct wick_host_totals *t)
{
    char pids[16 * WICK_HOST_REFUSED] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < t->nrefused_pids && i < WICK_HOST_REFUSED; i++)
        n += (size_t)snprintf(pids + n, sizeof pids - n, "%s%u", i ? ", " : "", t->refused_pid[i]);
    if (t->refused == 1)
        wick_ui_note("process %s has a libjvm.so whose tables make no sense: no Java frames of it", pids);
    else if (t->refused)
        wick_ui_note("%" PRIu64 " processes have a libjvm.so whose tables make no sense: no Java frames of them (%s%s)",
                     t->refused, pids, t->refused > t->nrefused_pids ? ", ..." : "");
}

static void print_processes(const struct wick_host_totals *t)
{
    char jvms[32] = "1 of them a JVM";
    if (t->jvms != 1)
        snprintf(jvms, sizeof jvms, "%" PRIu64 " of them JVMs", t->jvms);
    if (t->cpu.fired)
        wick_ui_note("%" PRIu64 " sample%s of %" PRIu64 " process%s, %s; %.1f us of CPU time each", t->cpu.recorded,
                     t->cpu.recorded == 1 ? "" : "s", t->processes, t->processes == 1 ? "" : "es", jvms,
                     us_each(&t->cpu));
}

static void print_allocs(const struct wick_opt_host_events *e, const struct wick_host_totals *t)
{
    if (!e->alloc_bytes)
        return;
    wick_ui_note("%" PRIu64 " sample%s of allocations; %" PRIu64 " JVM%s seen at the end; %.1f us of CPU time each",
                 t->alloc.recorded, t->alloc.recorded == 1 ? "" : "s", t->alloc_jvms,
                 t->alloc_jvms == 1 ? " was" : "s were", us_each(&t->alloc));
    print_drops(&t->alloc, "samples of allocations", "another one was being taken on that CPU");
    for (uint32_t i = 0; i < t->nunseen; i++)
        wick_ui_note("allocations of process %u are not in it: %s", t->unseen[i].pid, t->unseen[i].why);
    if (t->unseen_all > t->nunseen)
        wick_ui_note("nor are those of %" PRIu64 " other JVMs", t->unseen_all - t->nunseen);
    if (t->alloc_unread)
        wick_ui_note("%" PRIu64 " JVM%s ended before %s examined: what %s allocated is not in it", t->alloc_unread,
                     t->alloc_unread == 1 ? "" : "s", t->alloc_unread == 1 ? "it was" : "they were",
                     t->alloc_unread == 1 ? "it" : "they");
}

void wick_machine_totals_print(const struct wick_opt_host_events *e, const struct wick_host_totals *t)
{
    print_processes(t);
    print_drops(&t->cpu, "samples", "another sample was being taken on that CPU");
    if (t->switches)
        print_waits(t);
    print_counted(e, t);
    if (e->io_period)
        wick_ui_note("%" PRIu64 " of %" PRIu64 " requests to disks; %.1f us of CPU time for each of these",
                     t->io.recorded, t->requests, us_each(&t->io));
    print_drops(&t->io, "requests", "another one was being recorded on that CPU");
    if (e->stall_ns)
        wick_ui_note("%" PRIu64 " of %" PRIu64 " stalls for memory; %.1f us of CPU time for each of these",
                     t->stall.recorded, t->stalls, us_each(&t->stall));
    print_drops(&t->stall, "stalls", "another one was being recorded on that CPU");
    print_allocs(e, t);
    print_calls(e->call_ns, &t->call, t->calls, "system calls");
    print_calls(e->socket_ns, &t->socket, t->socket_calls, "calls on sockets");
    if (t->oom_kills)
        wick_ui_note("the kernel ended %" PRIu64 " process%s for lack of memory", t->oom_kills,
                     t->oom_kills == 1 ? "" : "es");
    print_drop(t->oom_lost, "of these", "they could not be recorded");
    if (t->skipped)
        wick_ui_note("besides, the kernel skipped %" PRIu64 " ticks of the clock", t->skipped);
    if (t->ended)
        wick_ui_note(t->ended == 1 ? "%" PRIu64 " process had ended before it was read: only code of files that others "
                                     "ran as well has names"
                                   : "%" PRIu64 " processes had ended before they were read: only code of files that "
                                     "others ran as well has names",
                     t->ended);
    if (t->cgroups_left_out)
        wick_ui_note("the CPU limits of %" PRIu64 " cgroups are missing: too many were met", t->cgroups_left_out);
    print_refused(t);
}
