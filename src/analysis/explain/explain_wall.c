/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_wall.c - whose time it was, and where it was spent
 *
 * A wall-clock sample belongs to the endpoint of its own labels. Where it has none, to that of the innermost span of
 * its thread that covers its begin. Threads of a pool that carry a request's context have no spans: of these a sample
 * in the middle of work (WICK_EXPLAIN_WORK) belongs to the endpoint of the thread's CPU sample nearest in time, at most
 * NEAR_NS away. A thread that waits for work stays without one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "analysis/explain/explain_facts.h"
#include "analysis/span/span_time.h"
#include "model/name.h"

#define NEAR_NS 10000000000

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_begin(const void *a, const void *b)
{
    const struct wick_explain_span *x = a, *y = b;
    int r = order(x->thread, y->thread);
    return r ? r : order(x->begin_ns, y->begin_ns);
}

static int by_time(const void *a, const void *b)
{
    const struct wick_explain_sample *x = a, *y = b;
    int r = order(x->thread, y->thread);
    return r ? r : order(x->time_ns, y->time_ns);
}

/* How many rows are before the key. */
static size_t place(const void *key, const void *rows, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (cmp((const char *)rows + mid * size, key) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint32_t endpoint_by_span(const struct wick_explain_facts *f, const struct wick_explain_sample *s)
{
    const struct wick_explain_span key = {.thread = s->thread, .begin_ns = s->time_ns};
    size_t i = f->nspans ? place(&key, f->spans, f->nspans, sizeof key, by_begin) : 0;
    for (size_t looked = 0; i-- > 0 && looked < 64; looked++) { /* scopes nest a few deep, not thousands */
        if (f->spans[i].thread != s->thread)
            return 0;
        if (f->spans[i].end_ns > s->time_ns && !f->spans[i].unmounts)
            return f->spans[i].endpoint;
    }
    return 0;
}

static uint32_t endpoint_by_cpu(const struct wick_explain_facts *f, const struct wick_explain_sample *s)
{
    size_t i = f->ncpu ? place(s, f->cpu, f->ncpu, sizeof *f->cpu, by_time) : 0;
    uint32_t endpoint = 0;
    int64_t nearest = NEAR_NS;
    if (i > 0 && f->cpu[i - 1].thread == s->thread && s->time_ns - f->cpu[i - 1].time_ns < nearest) {
        nearest = s->time_ns - f->cpu[i - 1].time_ns;
        endpoint = f->cpu[i - 1].endpoint;
    }
    if (i < f->ncpu && f->cpu[i].thread == s->thread && f->cpu[i].time_ns - s->time_ns < nearest)
        endpoint = f->cpu[i].endpoint;
    return endpoint;
}

static bool keep_unmounted(struct wick_explain_facts *f, const struct wick_span_time *t)
{
    f->unmounted = calloc(t->n + 1, sizeof *f->unmounted);
    for (size_t i = 0; f->unmounted && i < t->n; i++)
        if (t->rows[i].unmounted_ns)
            f->unmounted[f->nunmounted++] =
                (struct wick_explain_unmounted){t->rows[i].endpoint, t->rows[i].unmounted_ns};
    return f->unmounted != NULL;
}

bool wick_explain_time_spans(struct wick_explain_facts *f)
{
    struct wick_span_time t;
    if (wick_span_time_init(&t, &f->timed))
        return false;
    for (size_t i = 0; i < f->nwall; i++)
        f->wall[i].weight_ns = wick_span_time_weight(&t, f->wall[i].number);
    bool kept = keep_unmounted(f, &t);
    wick_span_time_release(&t);
    return kept;
}

void wick_explain_take_setting(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t name, value;
    if (wick_jfr_event_text(e, "name", &name) && wick_jfr_event_text(e, "value", &value) &&
        !strcmp(wick_profile_str(f->p, name), "filter"))
        f->all_threads = !strcmp(wick_profile_str(f->p, value), "all");
}

void wick_explain_join(struct wick_explain_facts *f)
{
    if (f->nspans)
        qsort(f->spans, f->nspans, sizeof *f->spans, by_begin);
    if (f->ncpu)
        qsort(f->cpu, f->ncpu, sizeof *f->cpu, by_time);
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_explain_sample *s = &f->wall[i];
        if (!s->endpoint)
            s->endpoint = endpoint_by_span(f, s);
        if (!s->endpoint && 1 << s->state & WICK_EXPLAIN_WORK)
            s->endpoint = endpoint_by_cpu(f, s);
    }
}

static int by_value(const void *a, const void *b)
{
    return order(*(const int64_t *)a, *(const int64_t *)b);
}

int64_t wick_explain_p99(const struct wick_explain_facts *f, uint32_t endpoint)
{
    int64_t *took = f->nspans ? malloc(f->nspans * sizeof *took) : NULL, p99 = -1;
    size_t n = 0;
    for (size_t i = 0; took && i < f->nspans; i++)
        if (f->spans[i].root && f->spans[i].endpoint == endpoint)
            took[n++] = f->spans[i].end_ns - f->spans[i].begin_ns;
    if (n) {
        qsort(took, n, sizeof *took, by_value);
        p99 = took[(n * 99 + 99) / 100 - 1];
    }
    free(took);
    return p99;
}

int64_t wick_explain_wall(const struct wick_explain_facts *f, bool every_endpoint, uint32_t endpoint, unsigned states)
{
    int64_t sum = 0;
    for (size_t i = 0; i < f->nwall; i++)
        if ((every_endpoint || f->wall[i].endpoint == endpoint) && 1u << f->wall[i].state & states)
            sum = wick_sum(sum, f->wall[i].weight_ns);
    return sum;
}

double wick_explain_quanta(const struct wick_explain_facts *f, bool every_endpoint, uint32_t endpoint, unsigned states)
{
    double sum = 0;
    for (size_t i = 0; i < f->nwall; i++)
        if ((every_endpoint || f->wall[i].endpoint == endpoint) && 1u << f->wall[i].state & states)
            sum += wick_explain_quantum(&f->wall[i]);
    return sum;
}

static bool stalls(const char *name)
{
    static const struct {
        const char *text;
        enum wick_explain_state state;
    } waits[] = {
#define JAVA(class, method, state)
#define NATIVE(text, state) {text, WICK_EXPLAIN_##state},
#include "def/wait.def"
#undef JAVA
#undef NATIVE
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (waits[i].state == WICK_EXPLAIN_ALLOCATION && strstr(name, waits[i].text))
            return true;
    return false;
}

static bool is_subject(const struct wick_profile *p, const struct wick_frame *f, enum wick_explain_subject subject)
{
    switch (subject) {
    case WICK_EXPLAIN_JAVA:
        return wick_frame_kind_is_java(f->kind);
    case WICK_EXPLAIN_STALL:
        return stalls(wick_profile_str(p, p->functions[f->function].name));
    default:
        return f->kind != WICK_FRAME_KERNEL && f->kind != WICK_FRAME_BREAK && f->kind != WICK_FRAME_UNSAMPLED;
    }
}

/* "[libc.so.6]": a library without a symbol for this place. */
static bool is_unnamed(const struct wick_profile *p, const struct wick_frame *f)
{
    return f->kind == WICK_FRAME_NATIVE && wick_profile_str(p, p->functions[f->function].name)[0] == '[';
}

uint32_t wick_explain_named(const struct wick_profile *p, uint32_t stack)
{
    if (!is_unnamed(p, &p->frames[p->stacks[stack].frame]))
        return stack;
    uint32_t s = stack, function = p->frames[p->stacks[stack].frame].function;
    while (s && p->frames[p->stacks[s].frame].function == function)
        s = p->stacks[s].parent;
    return s && !is_unnamed(p, &p->frames[p->stacks[s].frame]) ? s : stack;
}

/* The stack, cut at the frame that counts; the whole one if there is no such frame, 0 if it is empty. */
static uint32_t subject_of(const struct wick_profile *p, uint32_t stack, enum wick_explain_subject subject)
{
    for (uint32_t s = stack; s; s = p->stacks[s].parent)
        if (is_subject(p, &p->frames[p->stacks[s].frame], subject))
            return wick_explain_named(p, s);
    return stack;
}

bool wick_explain_is_program(const struct wick_profile *p, uint32_t frame)
{
    const struct wick_frame *f = &p->frames[frame];
    return wick_frame_kind_is_java(f->kind) &&
           !wick_name_is_jdk(wick_profile_str(p, p->functions[f->function].class_name));
}

static uint32_t caller_of(const struct wick_profile *p, uint32_t stack, enum wick_explain_subject subject)
{
    uint32_t nearest = 0, cut = stack ? p->stacks[stack].parent : 0;
    for (uint32_t s = cut; s; s = p->stacks[s].parent) {
        uint32_t frame = p->stacks[s].frame;
        if (!wick_frame_kind_is_java(p->frames[frame].kind))
            continue;
        nearest = nearest ? nearest : frame;
        if (subject == WICK_EXPLAIN_STALL || wick_explain_is_program(p, frame))
            return frame;
    }
    return nearest;
}

void wick_explain_top_of_caller(struct wick_explain_facts *f, unsigned states, enum wick_explain_subject subject,
                                struct wick_explain_top *top)
{
    const struct wick_profile *p = f->p;
    uint32_t function = p->frames[top->frame].function, best = 0, heaviest = 0;
    int64_t *sums = calloc(p->nfunctions, sizeof *sums), *frames = calloc(p->nframes, sizeof *frames);
    f->failed |= !sums || !frames;
    for (size_t i = 0; sums && frames && i < f->nwall; i++) {
        uint32_t at = subject_of(p, f->wall[i].stack, subject), caller = caller_of(p, at, subject);
        if (!(1u << f->wall[i].state & states) || p->frames[p->stacks[at].frame].function != function || !caller)
            continue;
        uint32_t by = p->frames[caller].function;
        frames[caller] = wick_sum(frames[caller], f->wall[i].weight_ns);
        sums[by] = wick_sum(sums[by], f->wall[i].weight_ns);
        best = sums[by] > sums[best] ? by : best;
    }
    for (uint32_t i = 1; best && i < p->nframes; i++)
        heaviest = p->frames[i].function == best && frames[i] > frames[heaviest] ? i : heaviest;
    if (heaviest) {
        top->caller = heaviest;
        top->caller_ns = sums[best];
    }
    free(sums);
    free(frames);
}

struct wick_explain_top wick_explain_top(struct wick_explain_facts *f, const struct wick_explain_sample *rows, size_t n,
                                         bool every_endpoint, uint32_t endpoint, unsigned states,
                                         enum wick_explain_subject subject)
{
    const struct wick_profile *p = f->p;
    struct wick_explain_top top = {0};
    int64_t *sums = calloc(p->nfunctions, sizeof *sums), *stacks = calloc(p->nstacks, sizeof *stacks), heaviest = 0;
    if (!sums || !stacks)
        f->failed = true;
    uint32_t best = 0;
    for (size_t i = 0; sums && stacks && i < n; i++) {
        if ((!every_endpoint && rows[i].endpoint != endpoint) || !(1u << rows[i].state & states))
            continue;
        uint32_t at = subject_of(p, rows[i].stack, subject);
        stacks[at] = wick_sum(stacks[at], rows[i].weight_ns);
        uint32_t function = p->frames[p->stacks[at].frame].function;
        sums[function] = wick_sum(sums[function], rows[i].weight_ns);
        if (function && sums[function] > top.weight_ns && !wick_frame_is_unsampled(p, p->stacks[at].frame)) {
            top.weight_ns = sums[function];
            best = function;
        }
    }
    for (size_t i = 0; best && i < n; i++)
        if ((every_endpoint || rows[i].endpoint == endpoint) && 1u << rows[i].state & states &&
            p->frames[p->stacks[subject_of(p, rows[i].stack, subject)].frame].function == best)
            top.quanta += wick_explain_quantum(&rows[i]);
    for (uint32_t s = 1; best && s < p->nstacks; s++) {
        if (stacks[s] <= heaviest || p->frames[p->stacks[s].frame].function != best)
            continue;
        heaviest = stacks[s];
        top.frame = p->stacks[s].frame;
        top.caller = caller_of(p, s, subject);
    }
    free(sums);
    free(stacks);
    return top;
}
