/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_facts.c - see explain_facts.h
 *
 * Two tables say which events are read and by which function, the one here and that of explain_machine.c. An event that
 * the recording does not have leaves its sums at 0, and rules that divide by them stay silent.
 */
#include "analysis/explain/explain_facts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_arguments.h"
#include "analysis/explain/explain_take.h"
#include "base/sum.h"
#include "model/classify.h"
#include "model/label.h"

static void take_span(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_span *s = ADD(f, spans);
    if (s)
        *s = (struct wick_explain_span){
            .begin_ns = wick_explain_take_not_negative(e->time_ns),
            .end_ns =
                wick_sum(wick_explain_take_not_negative(e->time_ns), wick_explain_take_not_negative(e->duration_ns)),
            .thread = wick_jfr_event_thread(e, "eventThread"),
            .endpoint = wick_explain_take_text(e, "endpoint"),
            .root = wick_explain_take_number(e, "root") == 1 && wick_range_has(&f->range, e->time_ns),
            .unmounts = wick_explain_take_number(e, "virtual") == 1};
}

/* The row of that thread, NULL without memory. */
static struct wick_explain_use *use_of(struct wick_explain_facts *f, uint32_t thread)
{
    while (f->nuses <= thread) {
        struct wick_explain_use *use = ADD(f, uses);
        if (!use)
            return NULL;
        *use = (struct wick_explain_use){0};
    }
    return &f->uses[thread];
}

/* The largest number is one that does not fit: what a counter is less than before, in a recording by another one. */
static int64_t time_of(const struct wick_explain_facts *f, const struct wick_jfr_event *e, const char *field)
{
    int64_t ns = wick_explain_take_number(e, field);
    return wick_explain_take_part(f, e, ns == INT64_MAX ? 0 : ns);
}

static void take_thread_cpu(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t thread = wick_jfr_event_thread(e, "eventThread");
    int64_t cpu = time_of(f, e, "cpuTime"), delay = time_of(f, e, "runQueueDelay");
    uint32_t *ran = ADD(f, ran);
    if (ran)
        *ran = thread;
    struct wick_explain_use *use = use_of(f, thread);
    if (use) {
        wick_explain_take_add_to(&use->cpu_ns, cpu);
        wick_explain_take_add_to(&use->delay_ns, delay);
        wick_explain_take_add_to(&use->slices, wick_explain_take_part(f, e, wick_explain_take_number(e, "timeslices")));
    }
    bool hungry = wick_sum(cpu, delay) >= wick_explain_take_part(f, e, e->duration_ns) / 2;
    bool collector = wick_classify_thread(wick_profile_str(f->p, f->p->threads[thread].name)) == WICK_WORK_GC;
    wick_explain_take_add_to(&f->got_ns, cpu);
    if (hungry) {
        wick_explain_take_add_to(&f->hungry_got_ns, cpu);
        wick_explain_take_add_to(&f->hungry_delay_ns, delay);
    }
    if (collector) {
        wick_explain_take_add_to(&f->gc_ns, cpu);
        wick_explain_take_add_to(&f->gc_wait_ns, delay);
    }
    if (hungry && collector)
        wick_explain_take_add_to(&f->gc_delay_ns, delay);
}

static void add_pause(struct wick_explain_facts *f, const struct wick_jfr_event *e, int64_t paused_ns,
                      int64_t longest_ns, bool exact)
{
    struct wick_explain_pause *row = ADD(f, pause);
    if (!row)
        return;
    int64_t begin = wick_explain_take_not_negative(e->time_ns), took = wick_explain_take_not_negative(e->duration_ns);
    *row = (struct wick_explain_pause){.begin_ns = begin,
                                       .end_ns = wick_sum(begin, took > paused_ns ? took : paused_ns),
                                       .paused_ns = paused_ns,
                                       .longest_ns = longest_ns,
                                       .exact = exact};
}

static void take_pause(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    int64_t took = wick_explain_take_not_negative(e->duration_ns);
    add_pause(f, e, took, took, true);
}

static bool has_any(const char *text, const char *const words[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* By the names that jvmstat, and the JDK's own events, have for collectors. */
bool wick_explain_is_full(const char *collector, const char *cause)
{
    static const char *const whole[] = {"full", "Full", "old", "Old", "MSC", "MarkSweep", "Compact", "Major", "major"};
    static const char *const stop[] = {"Parallel", "PSScavenge", "Serial", "Copy"};
    static const char *const small[] = {"Allocation", "GCLocker", "Ergonomics"};
    if (has_any(collector, whole, sizeof whole / sizeof *whole))
        return true;
    return *cause && has_any(collector, stop, sizeof stop / sizeof *stop) &&
           !has_any(cause, small, sizeof small / sizeof *small);
}

static void take_gc(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t *cause = ADD(f, causes);
    if (cause)
        *cause = wick_explain_take_text(e, "cause");
    f->gcs++;
    f->zgc |= wick_profile_str(f->p, wick_explain_take_text(e, "name"))[0] == 'Z';
    add_pause(f, e, wick_explain_take_number(e, "sumOfPauses"), wick_explain_take_number(e, "longestPause"), false);
    wick_explain_take_raise_to(&f->heap_used, wick_explain_take_number(e, "heapUsedAfter"));
    struct wick_explain_heap *h = wick_explain_take_number(e, "heapUsedAfter") ? ADD(f, heaps) : NULL;
    if (h)
        *h = (struct wick_explain_heap){
            .time_ns = wick_explain_take_not_negative(e->time_ns),
            .used = wick_explain_take_number(e, "heapUsedAfter"),
            .cause = wick_explain_take_text(e, "cause"),
            .full = wick_explain_is_full(wick_profile_str(f->p, wick_explain_take_text(e, "name")),
                                         wick_profile_str(f->p, wick_explain_take_text(e, "cause")))};
}

/* The row of that name, a new one if there is none; NULL without memory. */
static struct wick_explain_row *row_of(struct wick_explain_facts *f, struct wick_explain_rows *in, uint32_t name)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->rows[i].name == name)
            return &in->rows[i];
    void *rows = wick_explain_room(in->rows, in->n, &in->cap, sizeof *in->rows);
    f->failed |= !rows;
    if (!rows)
        return NULL;
    in->rows = rows;
    in->rows[in->n] = (struct wick_explain_row){.name = name};
    return &in->rows[in->n++];
}

/* The JVM has half a dozen messages; more come from a recording that was made up. Of threads the first ones count. */
enum { MESSAGES = 64, VICTIMS = 256 };

static void take_victim(struct wick_explain_facts *f, uint32_t thread, uint32_t message, int64_t time_ns)
{
    size_t i = 0;
    while (i < f->nvictims && (f->victims[i].thread != thread || f->victims[i].message != message))
        i++;
    if (i == VICTIMS || !thread)
        return;
    if (i == f->nvictims) {
        struct wick_explain_victim *rows = wick_explain_room(f->victims, i, &f->cap_victims, sizeof *rows);
        f->failed |= !rows;
        if (!rows)
            return;
        f->victims = rows;
        rows[f->nvictims++] = (struct wick_explain_victim){.thread = thread, .message = message};
    }
    f->victims[i].last_ns = time_ns;
}

static void take_out_of_memory(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t message = wick_explain_take_text(e, "message");
    struct wick_explain_row *r = f->exhausted.n < MESSAGES ? row_of(f, &f->exhausted, message) : NULL;
    if (!r)
        return;
    r->sum += 1 + (double)wick_explain_take_number(e, "missed");
    take_victim(f, wick_jfr_event_thread(e, "eventThread"), message, e->time_ns);
}

static void take_direct_buffers(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    int64_t used = wick_explain_take_number(e, "memoryUsed"),
            peak = wick_explain_take_number(e, "memoryPeak"); /* the JDK's own event has no peak */
    wick_explain_take_raise_to(&peak, used);
    f->direct_least = f->directs++ && f->direct_least < used ? f->direct_least : used;
    if (peak < f->direct_peak)
        return;
    f->direct_peak = peak;
    f->direct_limit = wick_explain_take_number(e, "maxCapacity");
    f->direct_count = wick_explain_take_number(e, "count");
}

static void take_queue(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_row *r = row_of(f, &f->queues, wick_explain_take_text(e, "compiler"));
    if (!r)
        return;
    r->events++;
    r->sum += wick_explain_take_real(e, "average");
    wick_explain_take_raise_to(&r->peak, wick_explain_take_number(e, "peak"));
}

static void take_compilation(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    if (e->duration_ns <= f->long_ns)
        return;
    f->long_ns = e->duration_ns;
    f->long_method = wick_explain_take_text(e, "method");
}

static void take_compiler(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_count_on(f, e, &f->compile_ns, wick_explain_take_number(e, "totalTimeSpent"));
    wick_explain_take_count_on(f, e, &f->compiles, wick_explain_take_number(e, "compileCount"));
}

static void take_deopts(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    int64_t now = wick_explain_take_not_negative(e->time_ns),
            covered = f->ndeopts_then ? f->deopts_then[f->ndeopts_then - 1].covered_ns : 0;
    if (f->deopts.seen && now > f->deopts_ns)
        wick_explain_take_add_to(&covered,
                                 wick_range_part(&f->range, now - f->deopts_ns, f->deopts_ns, now - f->deopts_ns));
    f->deopts_ns = now;
    wick_explain_take_count_on(f, e, &f->deopts, wick_explain_take_number(e, "count"));
    struct wick_explain_reading *r = ADD(f, deopts_then);
    if (r)
        *r = (struct wick_explain_reading){covered, f->deopts.grown};
}

static void take_reason(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_row *r = row_of(f, &f->reasons, wick_explain_take_text(e, "reason"));
    if (r)
        r->sum += (double)wick_explain_take_number(e, "count");
}

static void take_classes(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_count_on(f, e, &f->loaded, wick_explain_take_number(e, "loadedClassCount"));
    wick_explain_take_count_on(f, e, &f->unloaded, wick_explain_take_number(e, "unloadedClassCount"));
}

/* The compiler counts as switched off from the event that says so to the next one. */
static void take_code_cache(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    int64_t time_ns = wick_explain_take_not_negative(e->time_ns);
    if (f->off_since_ns && time_ns > f->off_since_ns)
        wick_explain_take_add_to(&f->off_ns, wick_range_part(&f->range, time_ns - f->off_since_ns, f->off_since_ns,
                                                             time_ns - f->off_since_ns));
    f->off_since_ns = wick_explain_take_number(e, "compilerStopped") ? time_ns : 0;
    if (wick_explain_take_real(e, "fullest") < f->code_fullest || !wick_range_has(&f->range, time_ns))
        return;
    f->code_fullest = wick_explain_take_real(e, "fullest");
    f->code_used = wick_explain_take_number(e, "used");
    f->code_limit = wick_explain_take_number(e, "reserved");
}

/* Collections have rules of their own. */
static bool is_collection(const char *operation)
{
    static const char *const words[] = {"Collect",    "GC",         "Mark",       "Evac",
                                        "ZOperation", "XOperation", "Shenandoah", "CMS_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(operation, words[i]))
            return true;
    return operation[0] == 'Z' || operation[0] == 'X' || !strncmp(operation, "G1", 2);
}

static void take_operation(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t name = wick_explain_take_text(e, "operation");
    if (is_collection(wick_profile_str(f->p, name)))
        return;
    struct wick_explain_row *r = row_of(f, &f->operations, name);
    if (r)
        r->sum += (double)wick_explain_take_part(f, e, wick_explain_take_number(e, "time"));
}

static void take_safepoints(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_count_on(f, e, &f->safepoints, wick_explain_take_number(e, "count"));
    wick_explain_take_count_on(f, e, &f->sync_ns, wick_explain_take_number(e, "timeToSafepoint"));
}

static void take_native_memory(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_trend_point *p = ADD(f, native);
    if (p)
        *p = (struct wick_trend_point){(double)e->time_ns / 1e9, (double)wick_explain_take_number(e, "bytes") -
                                                                     (double)wick_explain_take_number(e, "ofJvm") -
                                                                     (double)wick_explain_take_number(e, "ofThreads")};
}

static void add_native(struct wick_explain_facts *f, struct wick_explain_native_moment *m,
                       const struct wick_jfr_event *e)
{
    void *rows = wick_explain_room(m->rows, m->n, &m->cap, sizeof *m->rows);
    f->failed |= !rows;
    if (!rows)
        return;
    m->rows = rows;
    m->rows[m->n++] = (struct wick_explain_native){.stack = wick_jfr_event_stack(e, "stackTrace"),
                                                   .bytes = wick_explain_take_number(e, "weight"),
                                                   .samples = wick_explain_take_number(e, "samples"),
                                                   .blocks = wick_explain_take_number(e, "blocks"),
                                                   .of_threads = wick_explain_take_number(e, "ofThreads") != 0};
}

/* What the JVM maps itself is covered by other rules. */
static void take_native_live(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_native_moment *first = &f->native_first, *last = &f->native_last;
    if (!first->time_ns)
        first->time_ns = e->time_ns;
    if (e->time_ns > last->time_ns) {
        last->n = 0;
        last->time_ns = e->time_ns;
    }
    if (wick_explain_take_number(e, "ofJvm"))
        return;
    if (e->time_ns == first->time_ns)
        add_native(f, first, e);
    if (e->time_ns == last->time_ns)
        add_native(f, last, e);
}

/* Deadlocks stay: the last search has them all. */
static void take_search(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    f->nlocked = f->locked_before;
    f->searched = wick_explain_take_number(e, "complete") && !wick_explain_take_number(e, "unknown");
}

static void take_deadlock(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_locked *l = ADD(f, locked);
    if (l)
        *l = (struct wick_explain_locked){.thread = wick_jfr_event_thread(e, "eventThread"),
                                          .owner = wick_jfr_event_thread(e, "owner"),
                                          .class_name = wick_explain_take_text(e, "lockClass")};
}

static void take_holder(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    bool heap = !strcmp(wick_profile_str(f->p, wick_explain_take_text(e, "subject")), "heap");
    struct wick_explain_holder *h = heap ? &f->heap_holder : &f->loader_holder;
    h->read = wick_explain_take_text(e, "holder");
    double whole = (double)wick_explain_take_number(e, "heapSize");
    h->bytes = (double)wick_explain_take_number(e, "retainedSize");
    h->share = whole > 0 ? h->bytes / whole : 0;
    h->soft = (double)wick_explain_take_number(e, "softSize");
}

/* Files of one recording continue its totals; another one starts from zero. */
static void take_recording(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_counter *totals[] = {&f->fired, &f->dropped, &f->biased_ns};
    int64_t began_ms = wick_explain_take_number(e, "recordingStart");
    bool same = began_ms && began_ms == f->recording_ms;
    if (same)
        f->unsampled_before_ns = f->unsampled_earlier_ns;
    else
        f->unsampled_earlier_ns = f->unsampled_before_ns = f->unsampled_ns;
    if (!same) {
        f->locked_before = f->nlocked;
        f->nnative = f->native_first.n = f->native_last.n = 0;
        f->native_first.time_ns = f->native_last.time_ns = 0;
    }
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        totals[i]->seen = same;
    f->unsampled_base_ns = same ? f->unsampled_base_ns : 0;
    f->recording_ms = began_ms;
}

static void take_profiler(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_count_all(f, e, &f->fired, wick_explain_take_number(e, "fired"));
    wick_explain_take_count_all(f, e, &f->dropped, wick_explain_take_number(e, "dropped"));
    wick_explain_take_count_all(f, e, &f->biased_ns, wick_explain_take_number(e, "biasedWeight"));
    /* no counter: it falls when a sample comes that stands for time before it */
    int64_t unsampled = wick_explain_take_number(e, "cpuTimeUnsampled");
    if (f->range.from_ns && e->time_ns < f->range.from_ns)
        f->unsampled_base_ns = unsampled;
    else if (wick_range_has(&f->range, e->time_ns))
        f->unsampled_ns =
            wick_sum(f->unsampled_before_ns, wick_explain_take_not_negative(unsampled - f->unsampled_base_ns));
}

static void take_jvm(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    wick_explain_take_arguments(f, wick_explain_take_text(e, "jvmArguments"));
    f->jvm_version = wick_explain_take_text(e, "jvmVersion");
    uint32_t program = wick_explain_take_text(e, "javaArguments");
    f->programs_differ |= f->program && program != f->program;
    f->program = program;
}

static void take_notice(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    struct wick_explain_notice *n = ADD(f, notices);
    int64_t weight = wick_explain_take_number(e, "weight"); /* the JDK's own event has none */
    if (n)
        *n = (struct wick_explain_notice){.thread = wick_jfr_event_thread(e, "eventThread"),
                                          .stack = wick_jfr_event_stack(e, "stackTrace"),
                                          .file = f->locks.file,
                                          .identity = wick_explain_take_number(e, "address"),
                                          .end_ns = wick_sum_time(e->time_ns, e->duration_ns),
                                          .weight_ns = weight ? weight : wick_explain_take_not_negative(e->duration_ns),
                                          .timed_out = wick_explain_take_number(e, "timedOut") != 0};
}

/* Each chunk has what was counted until then, so of one lookup the last says all. More are only in a recording that was
 * made up. */
static void take_lookup(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    enum { LOOKUPS_MOST = 4096 };
    const struct wick_profile *p = f->p;
    uint32_t stack = wick_jfr_event_stack(e, "stackTrace"), frame = p->stacks[stack].frame;
    uint32_t callee = wick_explain_take_text(e, "callee");
    struct wick_explain_lookup *l = NULL;
    for (size_t i = 0; stack && i < f->nlookups && !l; i++)
        l = f->lookups[i].frame == frame && f->lookups[i].callee == callee ? &f->lookups[i] : NULL;
    if (stack && (l || (f->nlookups < LOOKUPS_MOST && (l = ADD(f, lookups)))))
        *l = (struct wick_explain_lookup){.frame = frame,
                                          .callee = callee,
                                          .found = wick_explain_take_number(e, "found"),
                                          .missed = wick_explain_take_number(e, "missed"),
                                          .first_line = wick_explain_take_number(e, "missedFirstLine"),
                                          .last_line = wick_explain_take_number(e, "missedLastLine")};
}

static const struct wick_explain_reader readers[] = {
    {"wick.Span", take_span, IN_RANGE},
    {"wick.ThreadCpu", take_thread_cpu, IN_RANGE},
    {"jdk.GarbageCollection", take_gc, IN_RANGE},
    {"jdk.GCPhasePause", take_pause, IN_RANGE},
    {"jdk.ActiveRecording", take_recording, ALWAYS},
    {"jdk.ActiveSetting", wick_explain_take_setting, ALWAYS},
    {"jdk.JVMInformation", take_jvm, ALWAYS},
    {"wick.OutOfMemory", take_out_of_memory, IN_RANGE},
    {"jdk.JavaMonitorWait", take_notice, IN_RANGE},
    {"wick.LookupProfile", take_lookup, ALWAYS},
    {"wick.ThreadPool", wick_explain_take_pool, IN_RANGE},
    {"wick.DeadlockSearch", take_search, IN_RANGE},
    {"wick.Deadlock", take_deadlock, IN_RANGE},
    {"wick.HeapHolder", take_holder, IN_RANGE},
    {"jdk.DirectBufferStatistics", take_direct_buffers, IN_RANGE},
    {"wick.NativeMemory", take_native_memory, IN_RANGE},
    {"wick.NativeLive", take_native_live, IN_RANGE},
    {"wick.Safepoints", take_safepoints, ALWAYS},
    {"wick.Profiler", take_profiler, ALWAYS},
    {"wick.CompileQueue", take_queue, IN_RANGE},
    {"wick.Compilation", take_compilation, IN_RANGE},
    {"jdk.CompilerStatistics", take_compiler, ALWAYS},
    {"wick.Deoptimizations", take_deopts, ALWAYS},
    {"wick.DeoptimizationReason", take_reason, IN_RANGE},
    {"jdk.ClassLoadingStatistics", take_classes, ALWAYS},
    {"wick.CodeCache", take_code_cache, ALWAYS},
    {"wick.VmOperation", take_operation, IN_RANGE},
};

/* NULL = nobody here reads such events. */
static const struct wick_explain_reader *reader_of(const char *type)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (!strcmp(type, readers[i].type))
            return &readers[i];
    for (size_t i = 0; wick_explain_machine_readers[i].type; i++)
        if (!strcmp(type, wick_explain_machine_readers[i].type))
            return &wick_explain_machine_readers[i];
    return NULL;
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return reader_of(type) || wick_spans_visitor(NULL).want(NULL, type) || wick_memory_use_wants(type) ||
           wick_ttsp_incidents_wants(type) || wick_lock_waits_wants(type);
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct wick_explain_facts *f = ctx;
    const struct wick_jfr_visitor timed = wick_spans_visitor(&f->timed);
    if (timed.want(timed.ctx, e->type))
        timed.event(timed.ctx, e);
    bool in_range = wick_range_touches(&f->range, e->time_ns, e->duration_ns);
    f->has_thread_cpu |= !in_range && !strcmp(e->type, "wick.ThreadCpu");
    const struct wick_explain_reader *r = reader_of(e->type);
    if (r) {
        if (in_range || r->always)
            r->take(f, e);
        return;
    }
    if (in_range)
        wick_memory_use_take(&f->memory, f->p, e);
    if (wick_ttsp_incidents_wants(e->type))
        wick_ttsp_incidents_take(&f->ttsp, e);
    wick_lock_waits_take(&f->locks, e);
}

static enum wick_explain_state state_of(const struct wick_profile *p, uint16_t state)
{
    static const struct {
        const char *name;
        enum wick_explain_state state;
    } states[] = {
#define X(NAME, id, jfr_name) {jfr_name, WICK_EXPLAIN_##NAME},
#include "def/thread_state.def"
#undef X
    };
    const char *name = wick_profile_str(p, p->states[state]);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strcmp(name, states[i].name))
            return states[i].state;
    return WICK_EXPLAIN_UNKNOWN;
}

/* What of a sample lies in the range; false: nothing. */
static bool cut_sample(const struct wick_range *r, const struct wick_sample *s, struct wick_sample *out)
{
    int64_t start = s->time_ns, end = s->duration_ns > 0 ? wick_sum_time(s->time_ns, s->duration_ns) : s->time_ns;
    *out = *s;
    if (!wick_range_touches(r, s->time_ns, s->duration_ns))
        return false;
    if (s->duration_ns <= 0)
        return true;
    wick_range_clip(r, &start, &end);
    out->time_ns = start;
    out->duration_ns = end - start;
    out->weight = wick_range_part(r, s->weight, s->time_ns, s->duration_ns);
    int64_t count = s->count < INT64_MAX ? (int64_t)s->count : INT64_MAX;
    count = wick_range_part(r, count, s->time_ns, s->duration_ns);
    out->count = count || !s->count ? (uint64_t)count : 1;
    return true;
}

static void take_outside(void *ctx, enum wick_event_kind kind)
{
    struct wick_explain_facts *f = ctx;
    f->has_cpu |= kind == WICK_KIND_CPU;
    f->has_wall |= kind == WICK_KIND_WALL;
}

static void take_sample(void *ctx, const struct wick_sample *whole)
{
    struct wick_explain_facts *f = ctx;
    struct wick_sample in_range;
    const struct wick_sample *s = whole;
    if (!wick_range_is_all(&f->range)) {
        if (!cut_sample(&f->range, whole, &in_range)) {
            take_outside(f, f->p->events[s->event].kind);
            return;
        }
        s = &in_range;
    }
    const struct wick_sample_type *type = &f->p->events[s->event];
    struct wick_explain_sample *row = NULL;
    f->nother += type->kind != WICK_KIND_CPU;
    if (s->weight > 0 && type->unit == WICK_UNIT_NS)
        row = type->kind == WICK_KIND_CPU ? ADD(f, cpu) : type->kind == WICK_KIND_WALL ? ADD(f, wall) : NULL;
    else if (s->weight > 0 && type->unit == WICK_UNIT_BYTES)
        row = type->kind == WICK_KIND_ALLOC ? ADD(f, alloc) : type->kind == WICK_KIND_LIVE ? ADD(f, live) : NULL;
    if (!row)
        return;
    *row = (struct wick_explain_sample){.time_ns = wick_explain_take_not_negative(s->time_ns),
                                        .span_ns = wick_explain_take_not_negative(s->duration_ns),
                                        .weight_ns = s->weight,
                                        .thread = s->thread,
                                        .stack = s->stack,
                                        .variance = s->variance,
                                        .count = s->count,
                                        .state = state_of(f->p, s->state),
                                        .endpoint = wick_explain_label(f->p, s, "endpoint"),
                                        .process = wick_explain_label(f->p, s, "process"),
                                        .rival = wick_explain_label(f->p, s, "ran-instead"),
                                        .peer = wick_explain_label(f->p, s, "waited-for"),
                                        .doing = wick_explain_label(f->p, s, "waited-for-state"),
                                        .cgroup = wick_explain_label(f->p, s, "cgroup"),
                                        .number = f->timed.nsamples};
    f->rivals += row->rival != 0;
    f->peers += row->doing != 0;
    if (type->kind == WICK_KIND_WALL) {
        wick_explain_learn_end(f, s, row);
        const struct wick_jfr_visitor timed = wick_spans_visitor(&f->timed);
        timed.sample(timed.ctx, s);
    }
}

struct wick_jfr_visitor wick_explain_visitor(struct wick_explain_facts *f)
{
    /* Of what is alive the last moment that the filter lets through counts. */
    return (struct wick_jfr_visitor){.ctx = f,
                                     .sample = take_sample,
                                     .outside = take_outside,
                                     .want = want,
                                     .event = take,
                                     .filter.to_ns = f->range.to_ns};
}

void wick_explain_release(struct wick_explain_facts *f)
{
    wick_ttsp_incidents_release(&f->ttsp);
    wick_lock_waits_release(&f->locks);
    free(f->locked);
    free(f->notices);
    free(f->lookups);
    free(f->pools);
    free(f->ran);
    free(f->uses);
    free(f->wall);
    free(f->cpu);
    free(f->spans);
    free(f->unmounted);
    wick_spans_release(&f->timed);
    free(f->causes);
    free(f->deopts_then);
    free(f->heaps);
    free(f->alloc);
    free(f->live);
    free(f->native);
    free(f->native_first.rows);
    free(f->native_last.rows);
    wick_memory_use_release(&f->memory);
    free(f->pause);
    free(f->neighbours);
    free(f->listening);
    free(f->cgroups);
    free(f->kills);
    free(f->queues.rows);
    free(f->reasons.rows);
    free(f->exhausted.rows);
    free(f->victims);
    free(f->operations.rows);
    *f = (struct wick_explain_facts){0};
}
