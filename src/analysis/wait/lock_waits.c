/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_waits.c - waits joined and grouped by sorting
 *
 * A wait may be read before or after what was seen of its owner. So both are kept until the end, when owners are
 * sorted and each wait searches for its own. Numbers of waits, hash codes and addresses identify something within one
 * recording only, so the number of the input is a part of every key.
 *
 * Waits are then sorted by lock, which makes a lock a range of them. Shares of a lock are made in the same way: one
 * for each of its waits, sorted by owner, place and waiting thread, and neighbours are merged; as equal threads are
 * neighbours, different ones are counted without a set. All is O(n log n).
 *
 * A place is a pair of functions: where the thread was, and the nearest one outside of the JDK, or of another
 * library, since the leaf is mostly the same few lock functions. The line does not matter; of the stacks of a place
 * the one of the heaviest wait is shown.
 *
 * Sums use the weight, which may stand for more waits than one; the longest wait is a duration.
 *
 * An input is not wick's if its metadata lacks wick.LockStatistics: that lists all types, recorded or not.
 */
#include "analysis/wait/lock_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"

static const char ENTER[] = "jdk.JavaMonitorEnter", PARK[] = "jdk.ThreadPark", OWNER[] = "wick.LockOwner",
                  STATISTICS[] = "wick.LockStatistics", NATIVE[] = "profiler.NativeLock",
                  NATIVE_WAIT[] = "wick.NativeWait";

/* Room for one more of n rows, zeroed; NULL without memory. */
static void *add(void **rows, uint32_t *n, uint32_t *cap, size_t size, bool *failed)
{
    if (*n == *cap) {
        uint32_t wanted = *cap ? *cap * 2 : 256;
        void *p = reallocarray(*rows, wanted, size);
        if (!p) {
            *failed = true;
            return NULL;
        }
        *rows = p;
        *cap = wanted;
    }
    return memset((char *)*rows + (size_t)(*n)++ * size, 0, size);
}

static int64_t number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = 0;
    (void)wick_jfr_event_int(e, field, &v);
    return v;
}

static void add_wait(struct wick_lock_waits *w, const struct wick_jfr_event *e)
{
    struct wick_lock_wait_row *r = add((void **)&w->rows, &w->nrows, &w->cap_rows, sizeof *r, &w->failed);
    uint32_t class_name = 0;
    if (!r)
        return;
    r->native = !strcmp(e->type, NATIVE) || !strcmp(e->type, NATIVE_WAIT);
    r->park = !strcmp(e->type, PARK) || !strcmp(e->type, NATIVE_WAIT);
    r->file = w->file;
    if (wick_jfr_event_text(e, r->native ? "variable" : r->park ? "parkedClass" : "monitorClass", &class_name))
        r->class_name = class_name;
    r->identity = number(e, "identityHash");
    if (!r->identity)
        r->identity = number(e, "address");
    r->number = number(e, "wait");
    r->start_ns = e->time_ns;
    r->duration_ns = e->duration_ns;
    r->weight_ns = number(e, "weight");
    if (!r->weight_ns)
        r->weight_ns = e->duration_ns;
    if (r->weight_ns < 0)
        r->weight_ns = 0;
    int64_t timeout_ns = r->park && !r->native ? number(e, "timeout") : 0;
    r->timed_out = timeout_ns > 0 && r->duration_ns >= timeout_ns;
    r->thread = wick_jfr_event_thread(e, "eventThread");
    r->stack = wick_jfr_event_stack(e, "stackTrace");
    r->owner = wick_jfr_event_thread(e, "previousOwner");
}

static void add_look(struct wick_lock_waits *w, const struct wick_jfr_event *e)
{
    struct wick_lock_look_row *r = add((void **)&w->looks, &w->nlooks, &w->cap_looks, sizeof *r, &w->failed);
    if (!r)
        return;
    *r = (struct wick_lock_look_row){.file = w->file,
                                     .thread = wick_jfr_event_thread(e, "eventThread"),
                                     .stack = wick_jfr_event_stack(e, "stackTrace"),
                                     .number = number(e, "wait"),
                                     .time_ns = e->time_ns};
}

bool wick_lock_waits_wants(const char *type)
{
    return !strcmp(type, STATISTICS) || !strcmp(type, ENTER) || !strcmp(type, PARK) || !strcmp(type, OWNER) ||
           !strcmp(type, NATIVE) || !strcmp(type, NATIVE_WAIT);
}

void wick_lock_waits_take(struct wick_lock_waits *w, const struct wick_jfr_event *e)
{
    if (!wick_lock_waits_wants(e->type))
        return;
    w->recorded = true;
    if (!strcmp(e->type, STATISTICS))
        return;
    if (!strcmp(e->type, OWNER))
        add_look(w, e);
    else
        add_wait(w, e);
}

static bool want(void *ctx, const char *type)
{
    struct wick_lock_waits *w = ctx;
    if (!strcmp(type, STATISTICS)) /* wick's metadata lists all of its events, recorded or not */
        w->not_ours = false;
    return wick_lock_waits_wants(type);
}

static void take(void *ctx, const struct wick_jfr_event *e)
{
    wick_lock_waits_take(ctx, e);
}

static void no_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx, (void)s;
}

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_number(const void *a, const void *b)
{
    const struct wick_lock_look_row *x = a, *y = b;
    int r = order(x->file, y->file);
    return r ? r : order(x->number, y->number);
}

static int by_lock(const void *a, const void *b)
{
    const struct wick_lock_wait_row *x = a, *y = b;
    int r = order(x->native, y->native);
    r = r ? r : order(x->park, y->park);
    r = r ? r : order(x->class_name, y->class_name);
    r = r ? r : order(x->file, y->file);
    return r ? r : order(x->identity, y->identity);
}

static int by_total(const void *a, const void *b)
{
    const struct wick_lock_row *x = a, *y = b;
    int r = order(y->total_ns, x->total_ns);
    return r ? r : order(x->first, y->first);
}

/* Joins waits with what was seen of their owners. */
static void join(struct wick_lock_waits *w)
{
    if (w->nlooks)
        qsort(w->looks, w->nlooks, sizeof *w->looks, by_number);
    for (uint32_t i = 0; i < w->nrows && w->nlooks; i++) {
        struct wick_lock_wait_row *r = &w->rows[i];
        const struct wick_lock_look_row key = {.file = r->file, .number = r->number};
        const struct wick_lock_look_row *l =
            r->number ? bsearch(&key, w->looks, w->nlooks, sizeof *w->looks, by_number) : NULL;
        if (l) {
            r->owner = l->thread;
            r->owner_stack = l->stack;
            r->owner_ns = l->time_ns;
        }
    }
}

static void group(struct wick_lock_waits *w)
{
    free(w->locks);
    w->nlocks = 0;
    w->locks = calloc((size_t)w->nrows + 1, sizeof *w->locks);
    if (!w->locks) {
        w->failed = true;
        return;
    }
    if (w->nrows)
        qsort(w->rows, w->nrows, sizeof *w->rows, by_lock);
    for (uint32_t i = 0; i < w->nrows; i++) {
        const struct wick_lock_wait_row *r = &w->rows[i];
        if (!i || by_lock(r, r - 1))
            w->locks[w->nlocks++].first = i;
        struct wick_lock_row *l = &w->locks[w->nlocks - 1];
        l->count++;
        l->total_ns = wick_sum(l->total_ns, r->weight_ns);
        l->owned_ns = wick_sum(l->owned_ns, r->owner ? r->weight_ns : 0);
        if (r->duration_ns > l->longest_ns)
            l->longest_ns = r->duration_ns;
    }
    if (w->nlocks)
        qsort(w->locks, w->nlocks, sizeof *w->locks, by_total);
}

void wick_lock_waits_tie(struct wick_lock_waits *w)
{
    join(w);
    group(w);
}

int wick_lock_waits_choose(struct wick_lock_waits *out, const struct wick_lock_waits *w, const struct wick_range *range,
                           const bool *threads)
{
    *out = *w;
    out->looks = NULL; /* what was seen of the owners is with the waits */
    out->locks = NULL;
    out->nlooks = out->cap_looks = out->nrows = out->nlocks = 0;
    out->cap_rows = w->nrows;
    out->rows = calloc((size_t)w->nrows + 1, sizeof *out->rows);
    for (uint32_t i = 0; out->rows && i < w->nrows; i++) {
        struct wick_lock_wait_row r = w->rows[i];
        if (!wick_range_touches(range, r.start_ns, r.duration_ns) || (threads && !threads[r.thread]))
            continue;
        r.weight_ns = wick_range_part(range, r.weight_ns, r.start_ns, r.duration_ns);
        r.duration_ns = wick_range_part(range, r.duration_ns, r.start_ns, r.duration_ns);
        out->rows[out->nrows++] = r;
    }
    if (out->rows)
        group(out);
    if (out->rows && !out->failed)
        return 0;
    wick_lock_waits_release(out);
    return -WICK_E_NOMEM;
}

struct wick_jfr_visitor wick_lock_waits_visitor(struct wick_lock_waits *w)
{
    return (struct wick_jfr_visitor){.ctx = w, .sample = no_sample, .want = want, .event = take};
}

int wick_lock_waits_read(struct wick_lock_waits *w, struct wick_profile *p, char *const *paths, int n,
                         wick_analysis_reader *read, struct wick_err *err)
{
    const struct wick_jfr_visitor v = wick_lock_waits_visitor(w);
    *w = (struct wick_lock_waits){.profile = p};
    for (int i = 0; i < n; i++) {
        bool foreign = w->not_ours;
        w->file = (uint32_t)i;
        w->not_ours = true;
        int rc = read(p, paths[i], &v, err);
        if (rc)
            return rc;
        w->not_ours |= foreign;
    }
    wick_lock_waits_tie(w);
    if (w->failed || p->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    return 0;
}

void wick_lock_waits_release(struct wick_lock_waits *w)
{
    free(w->rows);
    free(w->looks);
    free(w->locks);
    *w = (struct wick_lock_waits){0};
}

static bool is_jdk(const char *class_name)
{
    static const char *const prefixes[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(class_name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static const struct wick_function *function_at(const struct wick_profile *p, uint32_t stack)
{
    return &p->functions[p->frames[p->stacks[stack].frame].function];
}

/* A function without a symbol is called after its library: "[libc.so.6]". */
static bool is_named(const struct wick_profile *p, uint32_t stack)
{
    const char *name = wick_profile_str(p, function_at(p, stack)->name);
    return *name && *name != '[';
}

/* Where a stack of a native lock is: the first function with a name, and the first one of another library, or of Java.
 */
static void place_native(const struct wick_profile *p, uint32_t stack, struct wick_lock_share *out)
{
    uint32_t named = stack, other;
    while (named && !is_named(p, named))
        named = p->stacks[named].parent;
    named = named ? named : stack;
    for (other = named; other; other = p->stacks[other].parent)
        if (is_named(p, other) && function_at(p, other)->class_name != function_at(p, named)->class_name)
            break;
    out->stack = stack;
    out->frame = p->stacks[named].frame;
    out->function = p->frames[out->frame].function;
    if (other) {
        out->own = p->stacks[other].frame;
        out->own_function = p->frames[out->own].function;
    }
}

/* Fills in the frames that identify where a stack is. */
static void place(const struct wick_profile *p, uint32_t stack, struct wick_lock_share *out)
{
    out->stack = stack;
    for (; stack; stack = p->stacks[stack].parent) {
        uint32_t frame = p->stacks[stack].frame;
        const struct wick_frame *f = &p->frames[frame];
        if (!wick_frame_kind_is_java(f->kind))
            continue;
        if (!out->frame) {
            out->frame = frame;
            out->function = f->function;
        }
        if (is_jdk(wick_profile_str(p, p->functions[f->function].class_name)))
            continue;
        if (frame != out->frame) {
            out->own = frame;
            out->own_function = f->function;
        }
        return;
    }
}

/* Shares of one wait each, whose `threads` is the number of the waiting thread: what belongs together is side by side.
 */
static int by_share(const void *a, const void *b)
{
    const struct wick_lock_share *x = a, *y = b;
    int r = order(x->thread, y->thread);
    r = r ? r : order(x->function, y->function);
    r = r ? r : order(x->own_function, y->own_function);
    r = r ? r : order(x->threads, y->threads);
    return r ? r : order(y->weight_ns, x->weight_ns);
}

static int by_weight(const void *a, const void *b)
{
    const struct wick_lock_share *x = a, *y = b;
    return order(y->weight_ns, x->weight_ns);
}

/* Adds up neighbours that differ in the waiting thread only. `threads` holds that thread's number before, how many
 * there are after. */
static uint32_t merge(struct wick_lock_share *s, uint32_t n)
{
    uint32_t kept = 0, last = 0;
    int64_t heaviest = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct wick_lock_share one = s[i], *k = kept ? &s[kept - 1] : NULL;
        uint32_t thread = one.threads;
        if (!k || k->thread != one.thread || k->function != one.function || k->own_function != one.own_function) {
            one.threads = 1;
            s[kept++] = one;
            heaviest = one.weight_ns;
        } else {
            k->threads += thread != last;
            k->waits++;
            k->weight_ns = wick_sum(k->weight_ns, one.weight_ns);
            if (one.weight_ns > heaviest) {
                heaviest = one.weight_ns;
                k->stack = one.stack;
                k->frame = one.frame;
                k->own = one.own;
            }
        }
        last = thread;
    }
    return kept;
}

uint32_t wick_lock_waits_shares(const struct wick_lock_waits *w, const struct wick_lock_row *lock, bool owners,
                                struct wick_lock_share **out)
{
    struct wick_lock_share *s = calloc((size_t)lock->count + 1, sizeof *s);
    uint32_t n = 0;
    *out = s;
    for (uint32_t i = 0; s && i < lock->count; i++) {
        const struct wick_lock_wait_row *r = &w->rows[lock->first + i];
        if (owners && !r->owner)
            continue;
        s[n] = (struct wick_lock_share){
            .thread = owners ? r->owner : 0, .waits = 1, .threads = r->thread, .weight_ns = r->weight_ns};
        (r->native ? place_native : place)(w->profile, owners ? r->owner_stack : r->stack, &s[n++]);
    }
    if (n)
        qsort(s, n, sizeof *s, by_share);
    n = merge(s, n);
    if (n)
        qsort(s, n, sizeof *s, by_weight);
    return n;
}

static bool is_lock_class(const char *name)
{
    static const char *const prefixes[] = {"java/util/concurrent/locks/ReentrantLock$",
                                           "java/util/concurrent/locks/ReentrantReadWriteLock$",
                                           "java/util/concurrent/locks/StampedLock"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

bool wick_lock_waits_are_owned(const struct wick_lock_waits *w, const struct wick_lock_row *l)
{
    const struct wick_lock_wait_row *r = &w->rows[l->first];
    return !r->park || l->owned_ns || is_lock_class(wick_profile_str(w->profile, r->class_name));
}
