/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - sorted intervals, searched by thread and time
 *
 * Reading only appends to arrays; what cannot be allocated is noted and reported at the end. There, renamed threads
 * of one process become one first, because all else is found by thread. Settings are the exception: they are a stream
 * in which a number of threads refers to the period before it, and an account of the wall clock's sampler to the
 * settings before that.
 *
 * A lookup finds the innermost span that is open at a time. Spans are sorted by thread and start, the longer one
 * first where starts are equal, and each carries the latest end among itself and the thread's earlier ones. A binary
 * search finds the last span that starts no later than the time; from there it goes backwards, and the first one that
 * is still open is the innermost. It stops at a span whose latest end is over: no earlier one can be open. That is
 * O(log n), and a step for each span that began and ended while an earlier one is open; spans need not be nested
 * properly.
 *
 * Of the accounts of the wall clock's sampler the one for a time is the first that is not earlier, or the last.
 *
 * Times of damaged recordings are bounded when they are read, so that the difference of any two fits.
 */
#include "analysis/span/spans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sum.h"
#include "model/label.h"

void wick_spans_init(struct wick_spans *s, struct wick_profile *p)
{
    *s = (struct wick_spans){.p = p};
    p->by_labels = p->by_span = p->by_thread = p->by_state = p->by_size = true;
}

void wick_spans_release(struct wick_spans *s)
{
    free(s->spans);
    free(s->samples);
    free(s->allocs);
    free(s->cpus);
    free(s->looks);
    free(s->contexts);
    free(s->joined);
    *s = (struct wick_spans){0};
}

/* Room for one more; NULL and `failed` if there is none. */
static void *room(struct wick_spans *s, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t want = *cap ? *cap * 2 : 256;
    void *bigger = reallocarray(array, want, size);
    if (bigger)
        *cap = want;
    else
        s->failed = true;
    return bigger;
}

/* A time of a damaged recording becomes one that can be subtracted from any other: 1970 to 2116. */
static int64_t bounded(int64_t time_ns)
{
    return time_ns < 0 ? 0 : time_ns > INT64_MAX / 2 ? INT64_MAX / 2 : time_ns;
}

static int64_t end_of(int64_t start_ns, int64_t duration_ns)
{
    return bounded(wick_sum(bounded(start_ns), duration_ns > 0 ? duration_ns : 0));
}

static uint32_t text_of(const struct wick_jfr_event *e, const char *field)
{
    uint32_t text = 0;
    return wick_jfr_event_text(e, field, &text) ? text : 0;
}

static void add_span(struct wick_spans *s, const struct wick_jfr_event *e)
{
    struct wick_span *spans = room(s, s->spans, s->n, &s->cap, sizeof *spans);
    int64_t root = 0, is_virtual = -1; /* not known */
    if (!spans)
        return;
    s->spans = spans;
    wick_jfr_event_int(e, "root", &root);
    wick_jfr_event_int(e, "virtual", &is_virtual);
    spans[s->n++] = (struct wick_span){
        .start_ns = bounded(e->time_ns),
        .end_ns = end_of(e->time_ns, e->duration_ns),
        .thread = wick_jfr_event_thread(e, "eventThread"),
        .operation = text_of(e, "operation"),
        .endpoint = text_of(e, "endpoint"),
        .labels = text_of(e, "labels"),
        .trace = text_of(e, "traceId"),
        .id = text_of(e, "spanId"),
        .parent = text_of(e, "parentSpanId"),
        .local_root = text_of(e, "localRootSpanId"),
        .is_root = root == 1,
        .is_virtual = is_virtual != 0,
        .unmounts = is_virtual == 1,
    };
}

static void add_cpu(struct wick_spans *s, const struct wick_jfr_event *e)
{
    struct wick_span_cpu *cpus = room(s, s->cpus, s->ncpus, &s->cap_cpus, sizeof *cpus);
    if (!cpus)
        return;
    s->cpus = cpus;
    struct wick_span_cpu c = {.start_ns = bounded(e->time_ns),
                              .end_ns = end_of(e->time_ns, e->duration_ns),
                              .thread = wick_jfr_event_thread(e, "eventThread")};
    wick_jfr_event_int(e, "cpuTime", &c.cpu_ns);
    wick_jfr_event_int(e, "runQueueDelay", &c.delay_ns);
    if (c.cpu_ns == INT64_MAX || c.delay_ns == INT64_MAX)
        return; /* they do not fit: of another thread that has its id by now */
    cpus[s->ncpus++] = c;
}

/* Settings come one by one. Of the event types that have a period only the wall clock's has a number of threads, which
 * follows it, and a filter, which comes next. */
static void take_setting(struct wick_spans *s, const struct wick_jfr_event *e)
{
    int64_t type = 0;
    const char *name = wick_profile_str(s->p, text_of(e, "name")), *value = wick_profile_str(s->p, text_of(e, "value"));
    int64_t number = strtoll(value, NULL, 10);
    wick_jfr_event_int(e, "id", &type);
    if (!strcmp(name, "period")) {
        s->settings.type = type;
        s->settings.period_ns = number;
    } else if (!strcmp(name, "threads") && type == s->settings.type) {
        s->settings.interval_ns = s->settings.period_ns;
        s->settings.threads = number;
    } else if (!strcmp(name, "filter") && type == s->settings.type && s->settings.threads) {
        s->settings.chosen |= !strncmp(value, "names:", 6) || !strncmp(value, "tids:", 5);
    }
}

static void add_look(struct wick_spans *s, const struct wick_jfr_event *e)
{
    int64_t candidates = 0, each = 0;
    wick_jfr_event_int(e, "candidates", &candidates);
    if (s->settings.threads <= 0 || s->settings.interval_ns <= 0)
        return;
    int64_t threads = candidates > s->settings.threads ? candidates : s->settings.threads;
    struct wick_span_look *looks = room(s, s->looks, s->nlooks, &s->cap_looks, sizeof *looks);
    if (!looks)
        return;
    s->looks = looks;
    each = __builtin_mul_overflow(s->settings.interval_ns, threads, &each) ? INT64_MAX : each;
    looks[s->nlooks++] = (struct wick_span_look){bounded(e->time_ns), each / s->settings.threads};
}

static void take_open(struct wick_spans *s, const struct wick_jfr_event *e)
{
    int64_t open = 0;
    if (e->time_ns < s->open_ns || !wick_jfr_event_int(e, "open", &open))
        return;
    s->open = open > 0 ? open : 0;
    s->open_ns = e->time_ns;
}

static const struct {
    const char *type;
    void (*take)(struct wick_spans *s, const struct wick_jfr_event *e);
} readers[] = {
    {"wick.Span", add_span},        {"wick.ThreadCpu", add_cpu},         {"wick.Labels", take_open},
    {"wick.WallSampler", add_look}, {"jdk.ActiveSetting", take_setting},
};
#define READERS (sizeof readers / sizeof *readers)

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    for (size_t i = 0; i < READERS; i++)
        if (!strcmp(type, readers[i].type))
            return true;
    return false;
}

static void take_event(void *ctx, const struct wick_jfr_event *e)
{
    for (size_t i = 0; i < READERS; i++)
        if (!strcmp(e->type, readers[i].type))
            readers[i].take(ctx, e);
}

/* The value of a label whose key may not have occurred yet. */
static uint32_t label(const struct wick_profile *p, uint32_t set, const char *name, uint32_t *key)
{
    if (!*key)
        *key = wick_profile_label_key(p, name);
    return *key ? wick_profile_label(p, set, *key) : 0;
}

static void take_sample(void *ctx, const struct wick_sample *in)
{
    struct wick_spans *s = ctx;
    const struct wick_sample_type *type = &s->p->events[in->event];
    bool bytes = type->unit == WICK_UNIT_BYTES && type->kind == WICK_KIND_ALLOC;
    if (!bytes && (type->unit != WICK_UNIT_NS || (type->kind != WICK_KIND_CPU && type->kind != WICK_KIND_WALL)))
        return;
    struct wick_span_sample *to = bytes ? room(s, s->allocs, s->nallocs, &s->cap_allocs, sizeof *to)
                                        : room(s, s->samples, s->nsamples, &s->cap_samples, sizeof *to);
    if (!to)
        return;
    *(bytes ? &s->allocs : &s->samples) = to;
    struct wick_span_sample out = {
        .start_ns = bounded(in->time_ns),
        .end_ns = end_of(in->time_ns, in->duration_ns),
        .weight_ns = in->weight > 0 ? in->weight : 0,
        .count = in->count,
        .thread = in->thread,
        .stack = in->stack,
        .state = in->state,
        .event = in->event,
        .cpu = type->kind == WICK_KIND_CPU,
        .variance = in->variance,
    };
    if (in->labels) {
        out.endpoint = label(s->p, in->labels, "endpoint", &s->key_endpoint);
        out.trace = label(s->p, in->labels, "traceId", &s->key_trace);
        out.id = label(s->p, in->labels, "spanId", &s->key_span);
    }
    to[bytes ? s->nallocs++ : s->nsamples++] = out;
}

struct wick_jfr_visitor wick_spans_visitor(struct wick_spans *s)
{
    return (struct wick_jfr_visitor){.ctx = s, .sample = take_sample, .want = want, .event = take_event};
}

static int by_thread_and_start(const void *a, const void *b)
{
    const struct wick_span *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns; /* what is within comes after */
}

static int by_time(const void *a, const void *b)
{
    const struct wick_span_look *x = a, *y = b;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int by_ids(const void *a, const void *b, void *threads)
{
    uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const struct wick_thread *x = (const struct wick_thread *)threads + m, *y = (const struct wick_thread *)threads + n;
    if (x->os_tid != y->os_tid)
        return x->os_tid < y->os_tid ? -1 : 1;
    if (x->java_tid != y->java_tid)
        return x->java_tid < y->java_tid ? -1 : 1;
    return m < n ? -1 : m > n;
}

/* A Java thread has another number under each of its names. What is known of it is joined by thread, so all of it gets
 * the first number. */
static bool join_names(struct wick_spans *s)
{
    const struct wick_profile *p = s->p;
    uint32_t *order = calloc(2 * (size_t)p->nthreads + 1, sizeof *order), *first = order ? order + p->nthreads : NULL;
    if (!order)
        return false;
    for (uint32_t i = 0; i < p->nthreads; i++)
        order[i] = i;
    qsort_r(order, p->nthreads, sizeof *order, by_ids, p->threads);
    for (uint32_t i = 0; i < p->nthreads; i++) {
        const struct wick_thread *x = &p->threads[order[i]], *y = i ? &p->threads[order[i - 1]] : NULL;
        bool same = y && x->os_tid && x->java_tid && x->os_tid == y->os_tid && x->java_tid == y->java_tid;
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    for (size_t i = 0; i < s->n; i++)
        s->spans[i].thread = first[s->spans[i].thread];
    for (size_t i = 0; i < s->nsamples; i++)
        s->samples[i].thread = first[s->samples[i].thread];
    for (size_t i = 0; i < s->nallocs; i++)
        s->allocs[i].thread = first[s->allocs[i].thread];
    for (size_t i = 0; i < s->ncpus; i++)
        s->cpus[i].thread = first[s->cpus[i].thread];
    memmove(order, first, p->nthreads * sizeof *order);
    free(s->joined);
    s->joined = order;
    s->njoined = p->nthreads;
    return true;
}

uint32_t wick_spans_thread(const struct wick_spans *s, uint32_t thread)
{
    return thread < s->njoined ? s->joined[thread] : thread;
}

int wick_spans_finish(struct wick_spans *s)
{
    if (s->one_process && !s->failed && !s->p->failed && !join_names(s))
        return -WICK_E_NOMEM;
    free(s->contexts);
    s->contexts = calloc(s->p->nevents + 1u, sizeof *s->contexts);
    if (s->failed || s->p->failed || !s->contexts)
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < s->nsamples; i++)
        s->contexts[s->samples[i].event] |= s->samples[i].endpoint || s->samples[i].trace || s->samples[i].id;
    for (size_t i = 0; i < s->nallocs; i++)
        s->contexts[s->allocs[i].event] |= s->allocs[i].endpoint || s->allocs[i].trace || s->allocs[i].id;
    if (s->nlooks)
        qsort(s->looks, s->nlooks, sizeof *s->looks, by_time);
    if (s->n)
        qsort(s->spans, s->n, sizeof *s->spans, by_thread_and_start);
    for (size_t i = 0; i < s->n; i++) {
        struct wick_span *x = &s->spans[i];
        bool first = !i || x[-1].thread != x->thread;
        x->latest_ns = first || x[-1].latest_ns < x->end_ns ? x->end_ns : x[-1].latest_ns;
    }
    return 0;
}

/* The samples that were taken in a range, their number to *count; NULL = no memory. */
static struct wick_span_sample *samples_in(const struct wick_span_sample *all, size_t n, int64_t from_ns, int64_t to_ns,
                                           size_t *count)
{
    struct wick_span_sample *out = calloc(n + 1, sizeof *out);
    *count = 0;
    for (size_t i = 0; out && i < n; i++)
        if (all[i].start_ns >= from_ns && all[i].start_ns < to_ns)
            out[(*count)++] = all[i];
    return out;
}

/* Cut spans are in the order that they were in: those that began before the range now begin with it, as they did one
 * after the other. That latest_ns lies behind the range only makes a search longer. */
int wick_spans_part(struct wick_spans *part, const struct wick_spans *s, int64_t from_ns, int64_t to_ns)
{
    *part = *s;
    part->samples = samples_in(s->samples, s->nsamples, from_ns, to_ns, &part->nsamples);
    part->allocs = samples_in(s->allocs, s->nallocs, from_ns, to_ns, &part->nallocs);
    part->spans = calloc(s->n + 1, sizeof *part->spans);
    part->n = 0;
    for (size_t i = 0; part->spans && i < s->n; i++) {
        struct wick_span x = s->spans[i];
        if (x.start_ns >= to_ns || x.end_ns <= from_ns)
            continue;
        x.start_ns = x.start_ns > from_ns ? x.start_ns : from_ns;
        x.end_ns = x.end_ns < to_ns ? x.end_ns : to_ns;
        part->spans[part->n++] = x;
    }
    return part->samples && part->allocs && part->spans ? 0 : -WICK_E_NOMEM;
}

void wick_spans_part_release(struct wick_spans *part)
{
    free(part->spans);
    free(part->samples);
    free(part->allocs);
    *part = (struct wick_spans){0};
}

const struct wick_span *wick_spans_at(const struct wick_spans *s, uint32_t thread, int64_t time_ns)
{
    size_t low = 0, high = s->n;
    while (low < high) { /* the first span that begins later */
        size_t mid = low + (high - low) / 2;
        const struct wick_span *x = &s->spans[mid];
        if (x->thread < thread || (x->thread == thread && x->start_ns <= time_ns))
            low = mid + 1;
        else
            high = mid;
    }
    while (low-- > 0) {
        const struct wick_span *x = &s->spans[low];
        if (x->thread != thread || x->latest_ns <= time_ns)
            return NULL;
        if (x->end_ns > time_ns && !x->unmounts)
            return x;
    }
    return NULL;
}

int64_t wick_spans_look(const struct wick_spans *s, int64_t time_ns)
{
    size_t low = 0, high = s->nlooks;
    while (low < high) { /* the first account given at that time or later */
        size_t mid = low + (high - low) / 2;
        if (s->looks[mid].time_ns < time_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return !s->nlooks ? 0 : s->looks[low < s->nlooks ? low : s->nlooks - 1].each_ns;
}

uint32_t wick_spans_endpoint(const struct wick_spans *s, const struct wick_span_sample *sample)
{
    if (s->contexts[sample->event] || !sample->thread)
        return sample->endpoint;
    const struct wick_span *x = wick_spans_at(s, sample->thread, sample->start_ns);
    return x ? x->endpoint : 0;
}

bool wick_spans_has_wall(const struct wick_spans *s)
{
    bool any = s->nlooks > 0;
    for (size_t i = 0; i < s->nsamples && !any; i++)
        any = !s->samples[i].cpu;
    return any && !s->settings.chosen;
}

enum wick_span_work wick_spans_work(const struct wick_profile *p, uint16_t state)
{
    const char *name = wick_profile_str(p, p->states[state]);
    if (!*name || !strcmp(name, "STATE_RUNNABLE") || !strcmp(name, "STATE_DEFAULT"))
        return WICK_WORK_RUNNING;
    return strcmp(name, "STATE_WAITING_FOR_CPU") ? WICK_WORK_BLOCKED : WICK_WORK_WAITING;
}

const char *wick_spans_state(const struct wick_profile *p, uint16_t state, char *out, size_t cap)
{
    static const char *const short_names[][2] = {
        {"STATE_WAITING_FOR_CPU", "waiting for CPU"},
        {"STATE_WAITING_FOR_CARRIER", "waiting for a carrier"},
        {"STATE_BLOCKED_ON_MONITOR_ENTER", "monitor"},
        {"STATE_IN_OBJECT_WAIT", "Object.wait"},
        {"STATE_IO_WAIT", "I/O"},
        {"STATE_DISK_WAIT", "disk"},
        {"STATE_HELD_BACK", "held back"},
    };
    const char *name = wick_profile_str(p, p->states[state]);
    if (wick_spans_work(p, state) == WICK_WORK_RUNNING)
        name = "on CPU";
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++)
        if (!strcmp(name, short_names[i][0]))
            name = short_names[i][1];
    bool jfr = !strncmp(name, "STATE_", 6);
    snprintf(out, cap, "%s", jfr ? name + 6 : name);
    for (char *c = out; jfr && *c; c++)
        *c = *c == '_' ? ' ' : *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
    return out;
}
