/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - see memory.h
 */
#include "agent/event/memory.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/event/direct_buffers.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "footprint/footprint.h"
#include "footprint/shortage.h"
#include "sys/cgroup_memory.h"

/* What a round may take, in CPU time, and what all readings may. */
#define ROUND_NS 2000000
#define LOOK_NS  1000000000ull /* from one reading of the limits to the next */

enum { A_STEP = 4, COST_SHARE = 100 };

/* Of malloc's free chunks: some dozens of rounds, so that a reading is there while its moment counts. */
enum { CHUNKS_MOST = 1 << 15 };

static struct {
    struct wick_footprint_jvm jvm;
    struct wick_footprint_walk walk;
    struct wick_cgroup level[WICK_CGROUP_LEVELS];
    size_t levels;
    struct wick_shortage shortage[WICK_CGROUP_LEVELS];
    uint64_t every_ns, due_ns, looked_ns;
    uint64_t cost_ns; /* of the reading that goes on, in CPU time */
    int proc;         /* -1 = no recording runs */
    bool known;       /* what is found once */
    bool reading;
    bool urgent; /* the file needs it at once */
} memory = {.proc = -1};

void wick_memory_open(uint64_t interval_ns)
{
    memory.every_ns = interval_ns;
    if (!memory.known) {
        wick_footprint_open(&memory.jvm, &wick_vm.jvm);
        memory.jvm.chunks_most = CHUNKS_MOST;
        memory.known = true;
    }
    memory.levels = wick_cgroup_levels("", "self", WICK_CGROUP_MEMORY, memory.level, WICK_CGROUP_LEVELS);
    memory.proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    memory.due_ns = memory.looked_ns = 0;
    memory.reading = memory.urgent = false;
    memset(memory.shortage, 0, sizeof memory.shortage);
}

void wick_memory_close(void)
{
    if (memory.reading)
        wick_footprint_end(&memory.walk);
    if (memory.proc >= 0)
        close(memory.proc);
    memory.reading = false;
    memory.proc = -1;
}

static void write_parts(struct wick_jfr_writer *w, uint64_t now_ns)
{
    for (int i = 0; i < WICK_MEMORY_PARTS; i++) {
        const struct wick_memory_row *r = &memory.walk.out.row[i];
        const struct wick_jfr_memory_part part = {
            .start_ns = now_ns,
            .part = wick_memory_part_name((enum wick_memory_part)i),
            .resident = r->resident,
            .swapped = r->swapped,
            .reserved = r->reserved,
            .committed = r->committed,
            .used = r->used,
            .count = r->count,
        };
        wick_jfr_write_memory_part(w, &part);
    }
}

static void write_arenas(struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct wick_arenas *a = &memory.walk.out.arenas;
    const struct wick_jfr_malloc_arenas e = {
        .start_ns = now_ns,
        .state = wick_arenas_state_name(a->state),
        .arenas = a->arenas,
        .used = a->used,
        .free = a->free,
        .top = a->top,
        .mapped = a->mapped,
        .blocks = a->blocks,
        .trimmable = a->trimmable,
    };
    wick_jfr_write_malloc_arenas(w, &e);
}

/* What the limit of a cgroup leaves; without one that is no shortage. */
static uint64_t room_of(const struct wick_cgroup_memory *m)
{
    uint64_t needed = wick_cgroup_memory_needed(m);
    return m->limit > needed ? m->limit - needed : 0;
}

static void write_levels(struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_cgroup_memory m;
    for (size_t i = 0; i < memory.levels; i++) {
        const struct wick_cgroup *g = &memory.level[i];
        if (!wick_cgroup_memory_read(g, &m))
            continue;
        const struct wick_jfr_cgroup_memory_use use = {
            .start_ns = now_ns,
            .level = (uint32_t)i,
            .path = g->dir[g->mount] ? g->dir + g->mount : "/",
            .limit = m.limit,
            .high = m.high,
            .current = m.current,
            .peak = m.peak,
            .anonymous = m.anonymous,
            .file = m.file,
            .inactive_file = m.inactive_file,
            .shared = m.shared,
            .kernel = m.kernel,
            .swapped = m.swapped,
            .at_limit = m.at_limit,
            .oom_kills = m.oom_kills,
        };
        wick_jfr_write_cgroup_memory_use(w, &use);
        wick_shortage_read(&memory.shortage[i], room_of(&m));
    }
}

static void end_reading(struct wick_drain *d, uint64_t now_ns, int rc)
{
    wick_footprint_end(&memory.walk);
    memory.reading = false;
    if (memory.due_ns && memory.cost_ns * COST_SHARE > memory.every_ns)
        memory.due_ns = now_ns + memory.cost_ns * COST_SHARE;
    if (rc)
        return;
    write_parts(d->writer, now_ns);
    write_arenas(d->writer, now_ns);
    write_levels(d->writer, now_ns);
    wick_direct_buffers_write(d->writer, now_ns);
}

/* Goes on, for a round's time or to the end; writes when all mappings were seen. */
static void go_on(struct wick_drain *d, uint64_t now_ns, bool to_the_end)
{
    uint64_t begin_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID), took = 0;
    int rc;
    do {
        rc = wick_footprint_step(&memory.walk, A_STEP);
        took = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    } while (rc > 0 && (to_the_end || took < ROUND_NS));
    memory.cost_ns += took;
    if (rc <= 0)
        end_reading(d, now_ns, rc);
}

static void begin(uint64_t now_ns)
{
    uint64_t begin_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    memory.due_ns = now_ns + memory.every_ns;
    memory.reading = !wick_footprint_begin(&memory.walk, &memory.jvm, memory.proc);
    memory.cost_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
}

void wick_memory_due(void)
{
    memory.due_ns = 0;
    memory.urgent = true;
}

bool wick_memory_is_short(uint64_t now_ns)
{
    struct wick_cgroup_memory m;
    bool is_short = false;
    if (memory.reading || now_ns - memory.looked_ns < LOOK_NS)
        return false;
    memory.looked_ns = now_ns;
    for (size_t i = 0; i < memory.levels; i++)
        if (wick_cgroup_memory_read(&memory.level[i], &m) && m.limit)
            is_short |= wick_shortage_alarm(&memory.shortage[i], m.limit, room_of(&m));
    return is_short;
}

bool wick_memory_look(struct wick_drain *d, uint64_t now_ns)
{
    bool done = false;
    if (memory.reading) {
        go_on(d, now_ns, false);
        done = memory.urgent && !memory.reading && memory.due_ns;
        memory.urgent &= !done;
    } else if (memory.proc >= 0 && now_ns >= memory.due_ns) {
        begin(now_ns);
    }
    return done;
}

void wick_memory_end(struct wick_drain *d)
{
    uint64_t now_ns = wick_clock_mono_ns();
    if (memory.proc >= 0 && !memory.reading)
        begin(now_ns);
    if (memory.reading)
        go_on(d, now_ns, true);
}
