/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.c - see drain.h
 *
 * Method numbers that the writer sees: bit 31 clear = a method or stub of the tables; 31 set = a native function
 * (names.h); 30 and 31 set = a stop reason or boundary, whose text is constant.
 */
#include "record/drain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "jfr/format/jfr_format.h"
#include "record/lookup_profile.h"
#include "record/wait_state.h"
#include "sys/procstat.h"

enum { HELD_MAX = 1 << 16 };
#define METHOD_NATIVE 0x80000000u
#define METHOD_TEXT   0xc0000000u
#define TEXT_BOUNDARY 0xff00u /* + enum wick_boundary; reasons of enum wick_stop are below */

static const char *const stop_text[WICK_STOP_COUNT] = {
#define X(name, text) text,
#include "def/stop.def"
#undef X
};

static const char *const boundary_text[WICK_BOUNDARY_COUNT] = {
#define X(NAME, text) text,
#include "def/boundary.def"
#undef X
};

static const char *const drop_name[WICK_DROP_COUNT] = {
#define X(NAME, name, text) name,
#include "def/drop.def"
#undef X
};

/* One frame of the tables as the recording shows it. */
static struct wick_jfr_frame show_frame(struct wick_drain *d, uint64_t f)
{
    struct wick_jfr_frame out = {.kind = (uint8_t)WICK_FRAME_KIND(f)};
    struct wick_name name;
    int32_t bci;
    switch (out.kind) {
    case WICK_FRAME_NATIVE:
    case WICK_FRAME_KERNEL: {
        bool kernel = out.kind == WICK_FRAME_KERNEL;
        uint32_t n = wick_names_of(d->names, WICK_FRAME_PC(f) - (WICK_FRAME_IS_RETURN(f) ? 1 : 0), kernel);
        wick_names_get(d->names, n, &name);
        out.method = METHOD_NATIVE | n;
        out.kind = (uint8_t)name.kind;
        break;
    }
    case WICK_FRAME_BREAK:
        out.method = METHOD_TEXT | (uint32_t)(f & 0xffff);
        break;
    case WICK_FRAME_BOUNDARY:
        out.method = METHOD_TEXT | TEXT_BOUNDARY | (uint32_t)(f & 0xff);
        break;
    default:
        out.method = WICK_FRAME_METHOD(f);
        bci = WICK_FRAME_BCI(f);
        if (bci >= 0 && out.kind != WICK_FRAME_STUB) {
            const struct wick_hs_method *m = wick_tables_method_data(d->tables, out.method);
            out.bci = (uint32_t)bci;
            out.line = wick_hs_method_line(m, (uint32_t)bci, d->recorder->walker.jvm->major >= 20);
        }
    }
    return out;
}

static size_t source_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    struct wick_drain *d = arg;
    size_t n = 0;
    *truncated = false;
    for (uint32_t node = id; node && n < cap; node = d->tables->nodes[node].parent) {
        uint64_t f = d->tables->nodes[node].frame;
        if (WICK_FRAME_KIND(f) == WICK_FRAME_BREAK && (f & 0xffff) == WICK_STOP_TRUNCATED)
            *truncated = true;
        out[n++] = show_frame(d, f);
    }
    return n;
}

static const char *put(struct wick_strbuf *sb, const uint8_t *s, size_t n)
{
    wick_strbuf_clear(sb);
    wick_strbuf_add(sb, s, n);
    return sb->buf;
}

static int source_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    struct wick_drain *d = arg;
    *out = (struct wick_jfr_method){0};
    if ((id & METHOD_TEXT) == METHOD_TEXT) {
        uint32_t what = id & ~METHOD_TEXT;
        bool boundary = what >= TEXT_BOUNDARY;
        uint32_t which = boundary ? what - TEXT_BOUNDARY : what;
        wick_strbuf_clear(&d->method_name);
        wick_strbuf_addf(&d->method_name, "[%s]",
                         which >= (boundary ? WICK_BOUNDARY_COUNT : WICK_STOP_COUNT) ? "?"
                         : boundary                                                  ? boundary_text[which]
                                                                                     : stop_text[which]);
        out->name = d->method_name.buf;
        out->kind = boundary ? WICK_FRAME_BOUNDARY : WICK_FRAME_BREAK;
        return 0;
    }
    if (id & METHOD_NATIVE) {
        struct wick_name name;
        wick_names_get(d->names, id & ~METHOD_TEXT, &name);
        out->class_name = name.library;
        out->name = name.symbol;
        return 0;
    }
    if (id == 0 || id >= wick_load_relaxed(&d->tables->method_count))
        return -WICK_E_NOTFOUND;
    const struct wick_hs_method *m = wick_tables_method_data(d->tables, id);
    out->class_name = put(&d->class_name, m->data, m->class_len);
    out->name = put(&d->method_name, m->data + m->class_len, m->name_len);
    if (!m->class_len)
        out->kind = WICK_FRAME_STUB;
    if (m->sig_len)
        out->signature = put(&d->signature, m->data + m->class_len + m->name_len, m->sig_len);
    _Static_assert(WICK_HS_METHOD_BLOCKS == WICK_JFR_SYNCHRONIZED_BLOCKS, "modifiers take it as it is");
    out->modifiers = m->access;
    out->class_hidden = memmem(m->data, m->class_len, "+0x", 3) != NULL;
    return 0;
}

static int source_thread(void *arg, uint32_t serial, struct wick_jfr_thread *out)
{
    struct wick_drain *d = arg;
    return d->host.thread(d->host.arg, serial, out);
}

static int source_context(void *arg, uint32_t id, struct wick_jfr_context *out)
{
    struct wick_drain *d = arg;
    if (!d->labels || id >= wick_load_relaxed(&d->tables->context_count))
        return -WICK_E_NOTFOUND;
    wick_contexts_show(d->labels, &d->tables->contexts[id], &d->words, out);
    return 0;
}

static void chunk_begin(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_drain *d = arg;
    d->host.chunk_begin(d->host.arg, w, now_ns);
}

/* At the end of a chunk: these methods will not be known any more, or not as these. */
static void write_lookups(struct wick_drain *d, struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct wick_walker *walker = &d->recorder->walker;
    wick_lookup_profile_write(d->tables, walker->jvm, &walker->mem, w, now_ns);
}

static void chunk_end(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_drain *d = arg;
    if (d->host.more)
        d->host.more(d->host.arg, d, true);
    write_lookups(d, w, now_ns);
}

int wick_drain_open(struct wick_drain *d, struct wick_recorder *r, struct wick_elf_images *images,
                    struct wick_output *out, const struct wick_drain_host *host, const struct wick_drain_config *c,
                    struct wick_err *err)
{
    *d = (struct wick_drain){.recorder = r, .images = images, .output = out, .host = *host, .cpu_time = c->cpu_time};
    memcpy(d->sample, c->sample, sizeof d->sample);
    wick_strbuf_init(&d->class_name);
    wick_strbuf_init(&d->method_name);
    wick_strbuf_init(&d->signature);
    d->tables = wick_load_relaxed(&r->tables);
    d->names = wick_names_new(images, &r->walker.mem);
    d->process_start_ns = c->from_birth ? 0 : wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const struct wick_jfr_source source = {d, source_stack, source_method, source_thread, source_context};
    struct wick_jfr_config config = {
        .start_mono_ns = c->start_ns,
        .chunk_bytes = c->chunk_bytes,
        .chunk_ns = c->chunk_ns,
        .memory_limit_bytes = c->memory_limit,
        .max_frames = c->max_frames + WICK_MAX_KERNEL_FRAMES,
        .chunks_before = c->resumed,
        .chunk_begin = chunk_begin,
        .chunk_end = chunk_end,
        .chunk_arg = d,
    };
    wick_output_limit_chunks(out, &config);
    d->labels = c->labels;
    if (d->labels)
        wick_contexts_begin(d->labels, &d->labels_base);
    const struct wick_jfr_sink sink = wick_output_sink(out);
    int rc = d->names ? wick_jfr_writer_open(&d->writer, &sink, &source, &config) : -WICK_E_NOMEM;
    if (rc) {
        wick_names_free(d->names);
        return wick_err_set(err, WICK_E_NOMEM, "no memory for the recording's writer");
    }
    return 0;
}

static uint64_t samples_of(const struct wick_event *e)
{
    return e->samples ? e->samples : 1;
}

/* Has an event of the present generation written. */
static void show_event(struct wick_drain *d, const struct wick_event *e)
{
    const struct wick_jfr_weight each = {samples_of(e), e->weight};
    const struct wick_jfr_weight before = wick_jfr_writer_weigh(d->writer, each);
    d->host.event(d->host.arg, d, e);
    wick_jfr_writer_weigh(d->writer, before);
}

/* An event that finds no room here. */
static void lose(struct wick_drain *d, const struct wick_event *e)
{
    d->held_lost[e->type].samples += samples_of(e);
    d->held_lost[e->type].weight += e->weight;
    d->host.lost(d->host.arg, e);
}

static void hold(struct wick_drain *d, const struct wick_event *e)
{
    if (d->held_count == d->held_cap) {
        size_t cap = d->held_cap ? d->held_cap * 2 : 256;
        struct wick_event *p = cap <= HELD_MAX ? realloc(d->held, cap * sizeof *p) : NULL;
        if (!p) {
            lose(d, e);
            return;
        }
        d->held = p;
        d->held_cap = cap;
    }
    d->held[d->held_count++] = *e;
}

/* What a thread with this stack waits for, 0 = not known from the stack. */
static unsigned wait_by_stack(struct wick_drain *d, uint32_t stack)
{
    unsigned state = 0;
    for (uint32_t node = stack; node; node = d->tables->nodes[node].parent) {
        uint64_t f = d->tables->nodes[node].frame;
        struct wick_name name;
        unsigned kind = (unsigned)WICK_FRAME_KIND(f);
        if (kind == WICK_FRAME_NATIVE) {
            wick_names_get(d->names,
                           wick_names_of(d->names, WICK_FRAME_PC(f) - (WICK_FRAME_IS_RETURN(f) ? 1 : 0), false), &name);
            unsigned native = wick_wait_state_native(name.symbol);
            if (native)
                return native;
        } else if (kind != WICK_FRAME_BREAK && kind != WICK_FRAME_BOUNDARY && kind != WICK_FRAME_KERNEL &&
                   kind != WICK_FRAME_STUB) {
            struct wick_jfr_method m;
            if (source_method(d, WICK_FRAME_METHOD(f), &m))
                return state;
            const char *class_name = m.class_name ? m.class_name : "";
            unsigned java = wick_wait_state_java(class_name, m.name ? m.name : "");
            state = java ? java : state;
            if (!wick_wait_state_passes(class_name))
                return state;
        }
    }
    return state;
}

unsigned wick_drain_wait_state(struct wick_drain *d, uint32_t stack)
{
    uint32_t i = stack % WICK_WAIT_CACHE;
    if (d->waits[i].stack != stack) {
        d->waits[i].stack = stack;
        d->waits[i].state = (uint8_t)wait_by_stack(d, stack);
    }
    return d->waits[i].state;
}

static void refresh_images(struct wick_drain *d)
{
    bool changed = false;
    if (wick_elf_images_refresh(d->images, NULL, &changed, NULL))
        return;
    if (d->labels)
        wick_label_foreign_find(&d->labels->foreign, d->images, d->labels->mem, changed);
    if (!changed)
        return;
    wick_walker_images_changed(&d->recorder->walker);
    wick_names_images_changed(d->names);
}

void wick_drain_put(struct wick_drain *d, const struct wick_event *e)
{
    int32_t ahead = (int32_t)(e->generation - d->tables->generation);
    if (!ahead)
        show_event(d, e);
    else if (ahead > 0)
        hold(d, e);
    else
        /* its tables have been freed: it lay in its ring behind a cell that a handler of the next generation had
         * claimed and not filled, when the rings were emptied for the last time */
        lose(d, e);
}

/* Takes what the rings hold: all of it, or until the chunk is full, because what has piled up while this thread got no
 * processor may be more than a chunk. */
static size_t take_events(struct wick_drain *d, bool all)
{
    struct wick_event e;
    size_t n = 0;
    refresh_images(d);
    for (uint32_t cpu = 0; cpu < d->recorder->cpus; cpu++) {
        while ((all || !wick_jfr_writer_chunk_full(d->writer)) && wick_ring_get(&d->recorder->rings[cpu], &e)) {
            n++;
            wick_drain_put(d, &e);
        }
    }
    if (d->host.more)
        d->host.more(d->host.arg, d, false);
    if (d->labels)
        wick_contexts_write_spans(d->labels, d->writer, d->host.named, d->host.arg);
    return n;
}

size_t wick_drain_round(struct wick_drain *d)
{
    return take_events(d, false);
}

/* Replaces the tables. Everything that refers to the old ones is written before they go. */
static void next_generation(struct wick_drain *d, uint64_t now_ns)
{
    struct wick_tables *old = wick_recorder_next_generation(d->recorder);
    if (!old)
        return;
    take_events(d, true);
    if (d->host.more)
        d->host.more(d->host.arg, d, true);
    write_lookups(d, d->writer, now_ns);
    wick_jfr_writer_rotate(d->writer, now_ns);
    wick_names_clear(d->names);
    memset(d->waits, 0, sizeof d->waits);
    d->host.chunk_end(d->host.arg);
    d->tables = wick_load_relaxed(&d->recorder->tables);
    if (d->host.carry)
        d->host.carry(d->host.arg, old, d->tables);
    wick_recorder_free_generation(d->recorder, old);
    d->generations++;
    for (size_t i = 0; i < d->held_count; i++)
        show_event(d, &d->held[i]);
    d->held_count = 0;
}

/* Takes samples of a type that were lost behind the rings from those recorded, and their weight. */
static void count_lost(struct wick_totals *t, enum wick_event_type type, enum wick_drop why,
                       const struct wick_jfr_weight *lost)
{
    struct wick_type_totals *of = &t->of[type];
    uint64_t n = lost->samples, weight = lost->weight < of->weight ? lost->weight : of->weight;
    of->weight -= weight;
    of->drop_weight += weight;
    t->drops[why] += n;
    t->recorded -= n < t->recorded ? n : t->recorded;
    of->dropped += n;
    of->recorded -= n < of->recorded ? n : of->recorded;
}

static void totals(const struct wick_drain *d, const struct wick_jfr_stats *s, struct wick_totals *out)
{
    wick_recorder_totals(d->recorder, out);
    for (size_t i = 0; i < WICK_JFR_EVENT_COUNT; i++) {
        if (!d->sample[i])
            continue;
        enum wick_event_type type = (enum wick_event_type)(d->sample[i] - 1);
        count_lost(out, type, WICK_DROP_OUTPUT_FULL, &s->lost_output_weight[i]);
        count_lost(out, type, WICK_DROP_OUT_OF_MEMORY, &s->lost_memory_weight[i]);
    }
    for (int t = 0; t < WICK_EVENT_TYPES; t++)
        count_lost(out, (enum wick_event_type)t, WICK_DROP_OUT_OF_MEMORY, &d->held_lost[t]);
}

void wick_drain_totals(const struct wick_drain *d, struct wick_totals *out)
{
    struct wick_jfr_stats stats;
    wick_jfr_writer_stats(d->writer, &stats);
    totals(d, &stats, out);
}

/* CPU time of the process while samples were taken for which none of them stands. Only where samples weigh CPU time:
 * those of the wall clock and of perf's events say nothing about it. It also falls because a sample stands for the
 * time before it. */
static uint64_t unsampled_ns(const struct wick_drain *d, const struct wick_totals *t)
{
    uint64_t quiet = wick_load_relaxed(&d->recorder->quiet_cpu_ns);
    uint64_t used = (quiet ? quiet : wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID)) - d->process_start_ns;
    return d->cpu_time && used > t->of[WICK_EVENT_CPU].weight ? used - t->of[WICK_EVENT_CPU].weight : 0;
}

/* What each type of event has come to, in its own unit. */
static void write_types(struct wick_drain *d, const struct wick_totals *t, uint64_t now_ns)
{
    static const char *const names[][2] = {
#define X(NAME, name, unit) {name, unit},
#include "def/event_type.def"
#undef X
    };
    for (int i = 0; i < WICK_EVENT_TYPES; i++) {
        const struct wick_type_totals *of = &t->of[i];
        if (of->fired)
            wick_jfr_write_sample_totals(d->writer,
                                         &(struct wick_jfr_sample_totals){.start_ns = now_ns,
                                                                          .type = names[i][0],
                                                                          .unit = names[i][1],
                                                                          .fired = of->fired,
                                                                          .recorded = of->recorded,
                                                                          .dropped = of->dropped,
                                                                          .weight = of->weight,
                                                                          .dropped_weight = of->drop_weight});
    }
}

static void write_profiler(struct wick_drain *d, uint64_t now_ns)
{
    struct wick_totals t;
    struct wick_jfr_stats stats;
    wick_jfr_writer_stats(d->writer, &stats);
    totals(d, &stats, &t);
    uint64_t dropped = 0;
    for (int i = 0; i < WICK_DROP_COUNT; i++) {
        dropped += t.drops[i];
        if (t.drops[i])
            wick_jfr_write_drops(
                d->writer, &(struct wick_jfr_drops){.start_ns = now_ns, .name = drop_name[i], .count = t.drops[i]});
    }
    const struct wick_jfr_profiler p = {
        .start_ns = now_ns,
        .fired = t.fired,
        .recorded = t.recorded,
        .dropped = dropped,
        .handler_ns = t.handler_ns,
        .memory_bytes = wick_tables_used(d->tables) + wick_names_memory(d->names) + stats.memory_bytes +
                        d->held_cap * sizeof *d->held,
        .written_bytes = stats.bytes,
        .biased_ns = t.of[WICK_EVENT_CPU].biased_weight,
        .unsampled_ns = unsampled_ns(d, &t),
    };
    wick_jfr_write_profiler(d->writer, &p);
    write_types(d, &t, now_ns);
    if (d->labels)
        wick_contexts_write_labels(d->labels, &d->labels_base, &t, d->writer, now_ns);
}

static void write_cpu_load(struct wick_drain *d, uint64_t now_ns)
{
    struct rusage ru;
    struct wick_procstat_cpu all = {0};
    if (getrusage(RUSAGE_SELF, &ru))
        return;
    (void)wick_procstat_machine(&all);
    uint64_t total = all.total, busy = total - all.idle - all.iowait;
    uint64_t user = (uint64_t)ru.ru_utime.tv_sec * 1000000000u + (uint64_t)ru.ru_utime.tv_usec * 1000u;
    uint64_t cpu = user + (uint64_t)ru.ru_stime.tv_sec * 1000000000u + (uint64_t)ru.ru_stime.tv_usec * 1000u;
    if (d->last_wall_ns && now_ns > d->last_wall_ns) {
        double span = (double)(now_ns - d->last_wall_ns) * d->recorder->cpus;
        uint64_t sys = cpu - user, last_sys = d->last_cpu_ns - d->last_user_ns;
        const struct wick_jfr_cpu_load load = {
            .start_ns = now_ns,
            .jvm_user = (float)((double)(user - d->last_user_ns) / span),
            .jvm_system = (float)((double)(sys - last_sys) / span),
            .machine_total =
                total > d->machine_total ? (float)(busy - d->machine_busy) / (float)(total - d->machine_total) : 0,
        };
        wick_jfr_write_cpu_load(d->writer, &load);
    }
    d->last_wall_ns = now_ns;
    d->last_user_ns = user;
    d->last_cpu_ns = cpu;
    d->machine_busy = busy;
    d->machine_total = total;
}

bool wick_drain_chunk_full(const struct wick_drain *d)
{
    return wick_jfr_writer_chunk_full(d->writer);
}

/* Frees what was kept of libraries that were unloaded, after the events of their time have got their names. */
static void reclaim_images(struct wick_drain *d)
{
    if (wick_elf_images_wasted(d->images) && wick_recorder_is_idle(d->recorder))
        wick_elf_images_reclaim(d->images);
}

int wick_drain_flush(struct wick_drain *d, uint64_t now_ns)
{
    wick_drain_round(d);
    write_profiler(d, now_ns);
    write_cpu_load(d, now_ns);
    int rc = wick_jfr_writer_flush(d->writer, now_ns);
    wick_walker_refresh(&d->recorder->walker);
    wick_names_tidy(d->names);
    reclaim_images(d);
    if (wick_tables_nearly_full(d->tables))
        next_generation(d, now_ns);
    return rc;
}

int wick_drain_flush_all(struct wick_drain *d, uint64_t now_ns)
{
    take_events(d, true);
    if (d->host.more)
        d->host.more(d->host.arg, d, true);
    return wick_drain_flush(d, now_ns);
}

const char *wick_drain_symbol(struct wick_drain *d, uint64_t pc)
{
    struct wick_name name;
    wick_names_get(d->names, wick_names_of(d->names, pc, false), &name);
    return name.symbol;
}

/* "demo.Work.run()V:12", "[truncated: ...]", "libjvm.so`memcpy": what a person reads. */
static void frame_text(struct wick_drain *d, uint64_t raw, struct wick_strbuf *out)
{
    const struct wick_jfr_frame f = show_frame(d, raw);
    struct wick_jfr_method m;
    if (source_method(d, f.method, &m)) {
        wick_strbuf_adds(out, "[unknown]");
        return;
    }
    bool java = m.signature != NULL;
    for (const char *c = m.class_name ? m.class_name : ""; *c; c++)
        wick_strbuf_addc(out, java && *c == '/' ? '.' : *c);
    wick_strbuf_addf(out, "%s%s%s", m.class_name && *m.class_name ? java ? "." : "`" : "", m.name,
                     java ? m.signature : "");
    if (java && f.line)
        wick_strbuf_addf(out, ":%u", f.line);
}

void wick_drain_stack_text(struct wick_drain *d, uint32_t stack, uint64_t pc, struct wick_strbuf *out)
{
    unsigned n = 0;
    for (uint32_t node = stack; node; node = d->tables->nodes[node].parent, n++) {
        uint64_t f = d->tables->nodes[node].frame;
        if (n && WICK_FRAME_KIND(f) == WICK_FRAME_NATIVE)
            pc = WICK_FRAME_PC(f);
        wick_strbuf_addf(out, "%u ", n);
        if (pc)
            wick_strbuf_addf(out, "0x%016llx ", (unsigned long long)pc);
        else
            wick_strbuf_addf(out, "%18s ", "-");
        frame_text(d, f, out);
        wick_strbuf_addc(out, '\n');
        pc = 0;
    }
}

int wick_drain_close(struct wick_drain *d, uint64_t now_ns, struct wick_totals *sum, struct wick_jfr_stats *stats)
{
    struct wick_jfr_stats last;
    take_events(d, true);
    write_profiler(d, now_ns);
    write_lookups(d, d->writer, now_ns);
    int rc = wick_jfr_writer_close(d->writer, now_ns, &last);
    if (sum)
        totals(d, &last, sum);
    if (stats)
        *stats = last;
    wick_names_free(d->names);
    wick_strbuf_release(&d->class_name);
    wick_strbuf_release(&d->method_name);
    wick_strbuf_release(&d->signature);
    free(d->held);
    d->writer = NULL;
    d->held = NULL;
    return rc;
}
