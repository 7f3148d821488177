/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_incidents.c - see ttsp_incidents.h
 *
 * The rules, in order; the first that holds is the reason:
 *
 *   fault     the kernel had put the thread into an uninterruptible wait (state D), or it took page faults that waited
 *             for a disk while it was awaited
 *   starved   for at least half of the time it was awaited it was runnable without a processor, by the kernel's own
 *             account, or its first signal took half of that time to be answered
 *   copy      on top of its stack is a stub or a C function that moves, fills or compares memory
 *   loop      on top of its stack is compiled Java code: it ran on without a poll
 *   vm        on top of its stack is the JVM's own code, entered from Java or from JNI
 *
 * A thread that held up a collection by a critical section has that as its reason.
 *
 * The stack that counts is the one that most of the signals while it was awaited agree on, at the leaf.
 */
#include "analysis/wait/ttsp_incidents.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "model/name.h"
#include "model/own.h"

static void *more(void *rows, uint32_t n, uint32_t *cap, size_t size, bool *failed)
{
    if (n < *cap)
        return rows;
    uint32_t wanted = *cap ? *cap * 2 : 64;
    void *p = reallocarray(rows, wanted, size);
    if (!p) {
        *failed = true;
        return NULL;
    }
    *cap = wanted;
    return p;
}

/* Appends a zeroed row to in->LIST and gives its address; NULL without memory. */
#define ADD(in, list, n, cap)                                                                   \
    ({                                                                                          \
        void *rows_ = more((in)->list, (in)->n, &(in)->cap, sizeof *(in)->list, &(in)->failed); \
        if (rows_) {                                                                            \
            (in)->list = rows_;                                                                 \
            memset(&(in)->list[(in)->n], 0, sizeof *(in)->list);                                \
        }                                                                                       \
        rows_ ? &(in)->list[(in)->n++] : NULL;                                                  \
    })

/* Bounded, so that differences and sums of a few do not overflow whatever a damaged recording says. */
static int64_t number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    (void)wick_jfr_event_int(e, field, &v);
    return v > INT64_MAX / 4 ? INT64_MAX / 4 : v < -INT64_MAX / 4 ? -INT64_MAX / 4 : v;
}

static uint32_t text(const struct wick_jfr_event *e, const char *field)
{
    uint32_t v = 0;
    return wick_jfr_event_text(e, field, &v) ? v : 0;
}

static void add_slow(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e)
{
    struct wick_ttsp_slow *s = ADD(in, slow, nslow, cap_slow);
    if (!s)
        return;
    s->file = in->file;
    s->incident = number(e, "incident");
    s->safepoint = number(e, "safepointId");
    s->time_ns = e->time_ns;
    s->duration_ns = e->duration_ns;
    s->reach_ns = number(e, "timeToSafepoint");
    s->java_threads = number(e, "javaThreads");
    s->late_threads = number(e, "lateThreads");
    s->operation = text(e, "operation");
    s->source = text(e, "source");
    s->critical = !strcmp(wick_profile_str(in->profile, text(e, "kind")), "jni critical");
}

/* A thread that was in one of wick's own handlers is slow where the handler interrupted it. */
static uint32_t without_own(const struct wick_profile *p, uint32_t stack)
{
    uint32_t s = stack;
    while (s && wick_frame_is_own(p, p->stacks[s].frame))
        s = p->stacks[s].parent;
    /* the C library's frame from which a handler returns */
    bool restorer = s && s != stack && p->frames[p->stacks[s].frame].kind == WICK_FRAME_NATIVE;
    return restorer && p->stacks[s].parent ? p->stacks[s].parent : s ? s : stack;
}

static void add_signal(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e)
{
    struct wick_ttsp_signal *s = ADD(in, signals, nsignals, cap_signals);
    if (!s)
        return;
    uint32_t kind = text(e, "kind");
    s->file = in->file;
    s->thread = wick_jfr_event_thread(e, "eventThread");
    s->stack = without_own(in->profile, wick_jfr_event_stack(e, "stackTrace"));
    s->incident = number(e, "incident");
    s->attempt = number(e, "attempt");
    s->time_ns = e->time_ns;
    s->waited_ns = number(e, "waited");
    s->response_ns = number(e, "response");
    s->run_delay_ns = number(e, "runDelay");
    s->cpu_ns = number(e, "cpuTime");
    s->major_faults = number(e, "majorFaults");
    s->last_cpu = number(e, "lastCpu");
    s->nice = number(e, "osPriority");
    s->state = text(e, "osState");
    s->wchan = text(e, "wchan");
    s->scheduler = text(e, "scheduler");
    s->allowed = text(e, "allowedCpus");
    s->gave_way = !strcmp(wick_profile_str(in->profile, kind), "gave way");
}

static void add_arrival(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e)
{
    struct wick_ttsp_culprit *c = ADD(in, culprits, nculprits, cap_culprits);
    if (!c)
        return;
    c->file = in->file;
    c->thread = wick_jfr_event_thread(e, "eventThread");
    c->incident = number(e, "incident");
    c->waited_ns = number(e, "waited");
}

/* "10000000 ns" */
static void add_setting(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e)
{
    int64_t ns = strtoll(wick_profile_str(in->profile, text(e, "value")), NULL, 10);
    bool ours = !strcmp(wick_profile_str(in->profile, text(e, "name")), "ttspThreshold");
    if (ours && ns > 0 && (!in->threshold_ns || ns < in->threshold_ns))
        in->threshold_ns = ns;
}

static void add_counters(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e)
{
    int64_t count = number(e, "count"), sync = number(e, "timeToSafepoint");
    if (in->counters == (int64_t)in->file + 1 && count >= in->last_safepoints && sync >= in->last_sync_ns) {
        in->safepoints = wick_sum(in->safepoints, count - in->last_safepoints);
        in->sync_ns = wick_sum(in->sync_ns, sync - in->last_sync_ns);
    }
    in->counters = (int64_t)in->file + 1;
    in->last_safepoints = count;
    in->last_sync_ns = sync;
    struct wick_ttsp_reading *r = ADD(in, readings, nreadings, cap_readings);
    if (r)
        *r = (struct wick_ttsp_reading){in->file, e->time_ns, in->safepoints, in->sync_ns};
}

bool wick_ttsp_incidents_wants(const char *type)
{
    return !strcmp(type, "wick.SafepointLatency") || !strcmp(type, "wick.SafepointLaggard") ||
           !strcmp(type, "wick.SafepointArrival");
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return wick_ttsp_incidents_wants(type) || !strcmp(type, "jdk.ActiveSetting") || !strcmp(type, "wick.Safepoints");
}

void wick_ttsp_incidents_take(struct wick_ttsp_incidents *in, const struct wick_jfr_event *e)
{
    if (!strcmp(e->type, "wick.SafepointLatency"))
        add_slow(in, e);
    else if (!strcmp(e->type, "wick.SafepointLaggard"))
        add_signal(in, e);
    else if (!strcmp(e->type, "jdk.ActiveSetting"))
        add_setting(in, e);
    else if (!strcmp(e->type, "wick.Safepoints"))
        add_counters(in, e);
    else
        add_arrival(in, e);
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    wick_ttsp_incidents_take(ctx, e);
}

static void no_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx, (void)s;
}

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_signal(const void *a, const void *b)
{
    const struct wick_ttsp_signal *x = a, *y = b;
    int r = order(x->file, y->file);
    r = r ? r : order(x->incident, y->incident);
    r = r ? r : order(x->thread, y->thread);
    return r ? r : order(x->attempt, y->attempt);
}

static int by_culprit(const void *a, const void *b)
{
    const struct wick_ttsp_culprit *x = a, *y = b;
    int r = order(x->file, y->file);
    r = r ? r : order(x->incident, y->incident);
    return r ? r : order(y->waited_ns, x->waited_ns);
}

static int by_reach(const void *a, const void *b)
{
    const struct wick_ttsp_slow *x = a, *y = b;
    int r = order(y->reach_ns, x->reach_ns);
    return r ? r : order(x->time_ns, y->time_ns);
}

static uint32_t leaf_function(const struct wick_profile *p, uint32_t stack)
{
    return p->frames[p->stacks[stack].frame].function;
}

/* The stack of a signal while the thread was awaited whose leaf most of them share; 0 = none came. */
static uint32_t common_stack(const struct wick_profile *p, const struct wick_ttsp_signal *s, uint32_t n)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < n && s[i].stack && !s[i].gave_way; k++)
            same += s[k].stack && !s[k].gave_way && leaf_function(p, s[k].stack) == leaf_function(p, s[i].stack);
        if (same > most) {
            most = same;
            best = s[i].stack;
        }
    }
    return best;
}

/* Whether a stub's or a C function's name says that it works through memory: jbyte_disjoint_arraycopy,
 * __memset_avx2_unaligned_erms, acl_CopyRight. In a C library without symbols those that are chosen by processor have
 * no names, while what it exports has. */
static bool moves_memory(const char *name)
{
    static const char *const parts[] = {"copy",   "memmove",  "memcpy",   "memset", "_fill",
                                        "memcmp", "mismatch", "[libc.so", "[libc-"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

/* The nearest Java frame below the leaf, 0 = none. */
static uint32_t nearest_java(const struct wick_profile *p, uint32_t stack)
{
    for (stack = p->stacks[stack].parent; stack; stack = p->stacks[stack].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[stack].frame];
        if (wick_frame_kind_is_java(f->kind) &&
            strcmp(wick_profile_str(p, p->functions[f->function].name), "arraycopy") != 0)
            return p->stacks[stack].frame;
    }
    return 0;
}

/* The nearest below the leaf of the program's own, not of the JDK, else the nearest: who asked for the work. */
static uint32_t java_caller(const struct wick_profile *p, uint32_t stack)
{
    for (uint32_t s = p->stacks[stack].parent; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        if (wick_frame_kind_is_java(f->kind) &&
            !wick_name_is_jdk(wick_profile_str(p, p->functions[f->function].class_name)))
            return p->stacks[s].frame;
    }
    return nearest_java(p, stack);
}

static enum wick_ttsp_why why_by_stack(const struct wick_profile *p, struct wick_ttsp_culprit *c)
{
    if (!c->stack)
        return WICK_TTSP_UNKNOWN;
    c->frame = p->stacks[c->stack].frame;
    c->caller = java_caller(p, c->stack);
    const struct wick_frame *f = &p->frames[c->frame];
    const struct wick_function *fn = &p->functions[f->function];
    if (!wick_frame_kind_is_java(f->kind)) {
        if (moves_memory(wick_profile_str(p, fn->name)))
            return WICK_TTSP_COPY;
        return f->kind == WICK_FRAME_BREAK || f->kind == WICK_FRAME_UNSAMPLED ? WICK_TTSP_UNKNOWN : WICK_TTSP_VM;
    }
    return WICK_TTSP_LOOP;
}

static void explain(const struct wick_ttsp_incidents *in, struct wick_ttsp_culprit *c)
{
    const struct wick_profile *p = in->profile;
    const struct wick_ttsp_signal *s = &in->signals[c->first];
    bool blocked = false;
    int64_t slowest = 0;
    c->stack = common_stack(p, s, c->count);
    c->why = why_by_stack(p, c);
    for (uint32_t i = 0; i < c->count; i++) {
        if (s[i].gave_way)
            continue;
        blocked |= wick_profile_str(p, s[i].state)[0] == 'D';
        if (s[i].response_ns > slowest)
            slowest = s[i].response_ns;
    }
    if (!c->count)
        return;
    const struct wick_ttsp_signal *last = &s[c->count - 1];
    c->starved_ns = last->run_delay_ns - s->run_delay_ns;
    c->ran_ns = last->cpu_ns - s->cpu_ns;
    c->major_faults = last->major_faults - s->major_faults;
    int64_t seen = c->waited_ns - s->waited_ns; /* how long it was observed while awaited */
    if (blocked || c->major_faults > 0)
        c->why = WICK_TTSP_FAULT;
    else if (seen > 0 && (c->starved_ns * 2 > seen || slowest * 2 > seen)) {
        c->why = WICK_TTSP_STARVED;
        if (slowest > c->starved_ns)
            c->starved_ns = slowest;
    }
}

/* A thread that holds arrays: the frame that counts is the native method that took them. */
static void blame_critical(const struct wick_profile *p, struct wick_ttsp_culprit *c)
{
    uint32_t java = c->stack ? nearest_java(p, c->stack) : 0;
    c->why = WICK_TTSP_CRITICAL;
    if (java && c->frame != java) {
        c->frame = java;
        c->caller = 0;
    }
}

void wick_ttsp_incidents_tie(struct wick_ttsp_incidents *in)
{
    if (in->nsignals)
        qsort(in->signals, in->nsignals, sizeof *in->signals, by_signal);
    if (in->nculprits)
        qsort(in->culprits, in->nculprits, sizeof *in->culprits, by_culprit);
    if (in->nslow)
        qsort(in->slow, in->nslow, sizeof *in->slow, by_reach);
    for (uint32_t i = 0; i < in->nculprits; i++) {
        struct wick_ttsp_culprit *c = &in->culprits[i];
        const struct wick_ttsp_signal key = {.file = c->file, .incident = c->incident, .thread = c->thread};
        uint32_t lo = 0, hi = in->nsignals;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (by_signal(&in->signals[mid], &key) < 0)
                lo = mid + 1;
            else
                hi = mid;
        }
        c->first = lo;
        c->count = 0;
        while (lo + c->count < in->nsignals && in->signals[lo + c->count].file == c->file &&
               in->signals[lo + c->count].incident == c->incident && in->signals[lo + c->count].thread == c->thread)
            c->count++;
        explain(in, c);
    }
    for (uint32_t i = 0; i < in->nslow; i++) {
        struct wick_ttsp_slow *s = &in->slow[i];
        s->first = s->count = 0;
        for (uint32_t k = 0; k < in->nculprits; k++) {
            if (in->culprits[k].file != s->file || in->culprits[k].incident != s->incident)
                continue;
            s->first = s->count++ ? s->first : k;
            if (s->critical)
                blame_critical(in->profile, &in->culprits[k]);
        }
    }
}

struct wick_jfr_visitor wick_ttsp_incidents_visitor(struct wick_ttsp_incidents *in)
{
    return (struct wick_jfr_visitor){.ctx = in, .sample = no_sample, .want = want, .event = take};
}

int wick_ttsp_incidents_read(struct wick_ttsp_incidents *in, struct wick_profile *p, char *const *paths, int n,
                             wick_analysis_reader *read, struct wick_err *err)
{
    const struct wick_jfr_visitor v = wick_ttsp_incidents_visitor(in);
    *in = (struct wick_ttsp_incidents){.profile = p};
    for (int i = 0; i < n; i++) {
        in->file = (uint32_t)i;
        int rc = read(p, paths[i], &v, err);
        if (rc)
            return rc;
    }
    if (in->failed || p->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_ttsp_incidents_tie(in);
    return 0;
}

/* What the counters grew by in the range. */
static void count_in(struct wick_ttsp_incidents *out, const struct wick_ttsp_incidents *in,
                     const struct wick_range *range)
{
    out->safepoints = out->sync_ns = 0;
    for (uint32_t i = 1; i < in->nreadings; i++) {
        const struct wick_ttsp_reading *b = &in->readings[i], *a = b - 1;
        int64_t length;
        if (a->file != b->file || __builtin_sub_overflow(b->time_ns, a->time_ns, &length) || length <= 0)
            continue;
        out->safepoints =
            wick_sum(out->safepoints, wick_range_part(range, b->safepoints - a->safepoints, a->time_ns, length));
        out->sync_ns = wick_sum(out->sync_ns, wick_range_part(range, b->sync_ns - a->sync_ns, a->time_ns, length));
    }
}

/* Copies the slow threads of the incidents in `out`, each once: a damaged recording, or two in one file, may have
 * several incidents of one number, which share theirs. False without memory. */
static bool copy_culprits(struct wick_ttsp_incidents *out, const struct wick_ttsp_incidents *in)
{
    uint32_t *at = calloc((size_t)in->nculprits + 1, sizeof *at); /* in `out`, from 1; 0 = not there */
    if (!at)
        return false;
    for (uint32_t i = 0; i < out->nslow; i++)
        for (uint32_t k = 0; k < out->slow[i].count; k++)
            at[out->slow[i].first + k] = 1;
    for (uint32_t k = 0; k < in->nculprits; k++)
        if (at[k]) {
            out->culprits[out->nculprits] = in->culprits[k];
            at[k] = ++out->nculprits;
        }
    for (uint32_t i = 0; i < out->nslow; i++)
        out->slow[i].first = out->slow[i].count ? at[out->slow[i].first] - 1 : 0;
    free(at);
    return true;
}

int wick_ttsp_incidents_choose(struct wick_ttsp_incidents *out, const struct wick_ttsp_incidents *in,
                               const struct wick_range *range)
{
    *out = *in;
    out->slow = calloc((size_t)in->nslow + 1, sizeof *out->slow);
    out->culprits = calloc((size_t)in->nculprits + 1, sizeof *out->culprits);
    out->signals = calloc((size_t)in->nsignals + 1, sizeof *out->signals);
    out->readings = NULL;
    out->nslow = out->nculprits = out->nreadings = out->cap_readings = 0;
    out->cap_slow = in->nslow + 1;
    out->cap_culprits = in->nculprits + 1;
    out->cap_signals = in->nsignals + 1;
    bool good = out->slow && out->culprits && out->signals;
    for (uint32_t i = 0; good && i < in->nslow; i++)
        if (wick_range_touches(range, in->slow[i].time_ns, in->slow[i].duration_ns))
            out->slow[out->nslow++] = in->slow[i];
    if (!good || !copy_culprits(out, in)) {
        wick_ttsp_incidents_release(out);
        return -WICK_E_NOMEM;
    }
    if (in->nsignals) /* all: threads may share them, too */
        memcpy(out->signals, in->signals, in->nsignals * sizeof *out->signals);
    count_in(out, in, range);
    return 0;
}

void wick_ttsp_incidents_release(struct wick_ttsp_incidents *in)
{
    free(in->slow);
    free(in->culprits);
    free(in->signals);
    free(in->readings);
    *in = (struct wick_ttsp_incidents){0};
}

const char *wick_ttsp_why_name(enum wick_ttsp_why why)
{
    static const char *const names[WICK_TTSP_WHYS] = {"unknown", "loop", "copy", "starved", "fault", "vm", "critical"};
    return names[why];
}

const char *wick_ttsp_why_text(enum wick_ttsp_why why)
{
    static const char *const texts[WICK_TTSP_WHYS] = {
        [WICK_TTSP_UNKNOWN] = "not known",
        [WICK_TTSP_LOOP] = "compiled code without a safepoint poll",
        [WICK_TTSP_COPY] = "one copy or fill of much memory",
        [WICK_TTSP_STARVED] = "no processor to run on",
        [WICK_TTSP_FAULT] = "made to wait by the kernel: page fault, swap or disk",
        [WICK_TTSP_VM] = "in the JVM's own code",
        [WICK_TTSP_CRITICAL] = "native code held an array (JNI critical section), so no collection could begin",
    };
    return texts[why];
}
