/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_table.c - self and total weights by method, class, kind or thread
 *
 * Everything is done on the prefix tree of stacks, never stack by stack: the samples' weights are put on their
 * nodes and summed into the parents (a parent's number is lower, so one pass from the end does it). Then a depth-first
 * walk knows for each row how often it is on the current path; the node where that count leaves zero is the outermost
 * one, and its sum is added to the row's total. So recursion counts once and the cost is linear in the nodes.
 *
 * Frames are mapped to rows by their shown name: overloads, and a method seen in several libraries or class loaders
 * under one name, are one row.
 */
#include "top_table.h"
#include "base/strbuf.h"
#include "base/sum.h"
#include "cli/print.h"
#include "cli/ui.h"
#include "cli/input/inputs.h"
#include "model/agg_value.h"
#include "model/interval.h"
#include "model/name.h"
#include "model/shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *name; /* len bytes, any */
    size_t len;
    uint64_t self, total, self_count, total_count;
    double self_variance, total_variance;
    uint32_t on_path;
    bool unsampled; /* no method: time without samples */
};

struct table {
    const struct wick_profile *p;
    const struct wick_top_options *o;
    struct row *rows;
    uint32_t nrows, cap_rows;
    struct wick_index by_name;
    uint32_t *frame_row;      /* by frame number: row + 1, 0 = not yet known */
    uint64_t *weight, *count; /* by stack number: of the node and everything below */
    double *variance;         /* the same */
    uint32_t *child, *sibling;
    uint64_t all_weight, all_count;
    double all_variance;                        /* 0 = not known */
    uint64_t unsampled_weight, unsampled_count; /* of these */
    bool failed;
};

static uint32_t row_of(struct table *t, const struct wick_strbuf *name)
{
    uint64_t h = wick_hash_bytes(name->buf, name->len);
    uint32_t at = wick_index_start(&t->by_name, h), id;
    while (wick_index_next(&t->by_name, h, &at, &id))
        if (t->rows[id].len == name->len && memcmp(t->rows[id].name, name->buf, name->len) == 0)
            return id;
    if (t->nrows == t->cap_rows) {
        uint32_t cap = t->cap_rows ? t->cap_rows * 2 : 256;
        struct row *bigger = reallocarray(t->rows, cap, sizeof *bigger);
        t->failed = t->failed || !bigger;
        if (!bigger)
            return 0;
        t->rows = bigger;
        t->cap_rows = cap;
    }
    t->rows[t->nrows] = (struct row){.name = malloc(name->len + 1), .len = name->len};
    if (t->rows[t->nrows].name)
        memcpy(t->rows[t->nrows].name, name->buf, name->len + 1);
    t->failed = t->failed || !t->rows[t->nrows].name || wick_index_add(&t->by_name, h, t->nrows);
    return t->nrows++;
}

static uint32_t row_of_frame(struct table *t, uint32_t frame)
{
    if (t->frame_row[frame])
        return t->frame_row[frame] - 1;
    const struct wick_frame *f = &t->p->frames[frame];
    const struct wick_function *fn = &t->p->functions[f->function];
    bool is_java = wick_frame_kind_is_java(f->kind);
    struct wick_strbuf name = WICK_STRBUF_INIT;
    const struct wick_string *cls = &t->p->strings[fn->class_name];
    switch (t->o->by) {
    case WICK_TOP_KIND:
        wick_strbuf_adds(&name, wick_frame_kind_name(f->kind));
        break;
    case WICK_TOP_CLASS:
        if (is_java)
            wick_name_add_class(&name, cls->s, cls->len, 0);
        else
            wick_strbuf_adds(&name, cls->len ? cls->s : wick_frame_kind_name(f->kind));
        break;
    default:
        if (t->o->names & WICK_NAME_LINES)
            wick_name_add_frame(&name, t->p, frame, t->o->names);
        else
            wick_name_add_function(&name, t->p, f->function, is_java, t->o->names);
    }
    uint32_t row = row_of(t, &name);
    t->failed = t->failed || name.failed;
    if (!t->failed && t->o->by != WICK_TOP_KIND)
        t->rows[row].unsampled = wick_frame_is_unsampled(t->p, frame);
    t->frame_row[frame] = row + 1;
    wick_strbuf_release(&name);
    return row;
}

static void add(uint64_t *sum, uint64_t v)
{
    *sum = wick_sum_u64(*sum, v);
}

/* True if a sample's row follows from what it carries and not from its stack. */
static bool by_sample(const struct wick_top_options *o)
{
    return o->by == WICK_TOP_THREAD || o->by == WICK_TOP_VALUE;
}

static uint32_t row_of_sample(struct table *t, const struct wick_agg *a)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    if (t->o->by == WICK_TOP_THREAD)
        wick_name_add_thread(&name, t->p, a->thread);
    else if (!wick_agg_value(&name, t->p, a, t->o->key))
        wick_strbuf_adds(&name, "[none]");
    uint32_t row = row_of(t, &name);
    wick_strbuf_release(&name);
    return row;
}

/* Puts the samples on their nodes; in tables by what samples carry that is all there is to do. */
static void place_samples(struct table *t)
{
    for (uint32_t i = 0; i < t->p->naggs && !t->failed; i++) {
        const struct wick_agg *a = &t->p->aggs[i];
        uint64_t w = a->weight > 0 ? (uint64_t)a->weight : 0;
        if (a->event != t->o->event)
            continue;
        add(&t->all_weight, w);
        add(&t->all_count, a->count);
        double variance = wick_profile_sizes(t->p, i).variance;
        t->all_variance += variance;
        uint32_t row;
        if (by_sample(t->o)) {
            row = row_of_sample(t, a);
        } else {
            row = row_of_frame(t, t->p->stacks[a->stack].frame);
            add(&t->weight[a->stack], w);
            add(&t->count[a->stack], a->count);
            t->variance[a->stack] += variance;
        }
        if (t->failed)
            return;
        struct row *r = &t->rows[row];
        add(&r->self, w);
        add(&r->self_count, a->count);
        r->self_variance += variance;
        if (by_sample(t->o)) {
            r->total = r->self;
            r->total_count = r->self_count;
            r->total_variance = r->self_variance;
        }
    }
}

static void sum_and_link(struct table *t)
{
    const struct wick_stack *s = t->p->stacks;
    for (uint32_t i = t->p->nstacks; i-- > 1;) {
        add(&t->weight[s[i].parent], t->weight[i]);
        add(&t->count[s[i].parent], t->count[i]);
        t->variance[s[i].parent] += t->variance[i];
        t->sibling[i] = t->child[s[i].parent];
        t->child[s[i].parent] = i;
    }
}

/* The walk. Branches without samples are not entered. */
static void add_totals(struct table *t)
{
    const struct wick_stack *s = t->p->stacks;
    uint32_t node = t->child[0];
    while (node && !t->failed) {
        bool enter = t->count[node] || t->weight[node];
        if (enter) {
            uint32_t row = row_of_frame(t, s[node].frame);
            if (t->failed)
                return;
            struct row *r = &t->rows[row];
            if (r->on_path++ == 0) {
                add(&r->total, t->weight[node]);
                add(&r->total_count, t->count[node]);
                r->total_variance += t->variance[node];
            }
            if (t->child[node]) {
                node = t->child[node];
                continue;
            }
        }
        for (; node; node = s[node].parent) {
            if (t->count[node] || t->weight[node])
                t->rows[t->frame_row[s[node].frame] - 1].on_path--;
            if (t->sibling[node])
                break;
        }
        node = node ? t->sibling[node] : 0;
    }
}

static int by_text(const struct row *x, const struct row *y)
{
    int c = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);
    return c ? c : x->len < y->len ? -1 : x->len > y->len;
}

static int by_size(uint64_t x, uint64_t y)
{
    return x > y ? -1 : x < y;
}

/* Time without samples comes after all that was sampled. */
static int by_order(const void *a, const void *b, void *order)
{
    const struct row *x = a, *y = b;
    enum wick_top_sort sort = *(const enum wick_top_sort *)order;
    int self = by_size(x->self, y->self), total = by_size(x->total, y->total);
    if (x->unsampled != y->unsampled)
        return x->unsampled ? 1 : -1;
    int first = sort == WICK_TOP_BY_SELF ? self : sort == WICK_TOP_BY_TOTAL ? total : by_text(x, y);
    return first ? first : self ? self : total ? total : by_text(x, y);
}

/* --- output --- */

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static const char *by_name(const struct wick_top_options *o)
{
    static const char *const names[] = {"method", "class", "thread", "kind"};
    return o->by == WICK_TOP_VALUE ? o->key : names[o->by];
}

static const char *const unit_names[] = {"count", "ns", "bytes"};

/* ,"KEY_low":...,"KEY_high":... */
static void write_interval(const char *key, uint64_t estimate, double variance, FILE *out)
{
    struct wick_interval i = wick_interval_95((double)estimate, variance);
    fprintf(out, ",\"%s_low\":%.0f,\"%s_high\":%.0f", key, i.low, key, i.high);
}

static void write_json(const struct table *t, uint32_t n, FILE *out)
{
    const struct wick_sample_type *e = &t->p->events[t->o->event];
    fputs("{\"event\":", out);
    wick_print_json(out, t->p->strings[e->name].s, t->p->strings[e->name].len);
    fprintf(out, ",\"unfinished\":%s", wick_cli_is_unfinished() ? "true" : "false");
    fprintf(out, ",\"kind\":\"%s\",\"unit\":\"%s\",\"by\":", wick_event_kind_name(e->kind), unit_names[e->unit]);
    wick_print_json(out, by_name(t->o), strlen(by_name(t->o)));
    fprintf(out,
            ",\"weight\":%" PRIu64 ",\"samples\":%" PRIu64 ",\"not_sampled\":{\"weight\":%" PRIu64
            ",\"samples\":%" PRIu64 "},\"own\":%" PRId64,
            t->all_weight, t->all_count, t->unsampled_weight, t->unsampled_count, e->own);
    if (t->all_variance > 0)
        write_interval("weight", t->all_weight, t->all_variance, out);
    fprintf(out, ",\"total_rows\":%" PRIu32 ",\"rows\":[", t->nrows);
    for (uint32_t i = 0; i < n; i++) {
        const struct row *r = &t->rows[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        wick_print_json(out, r->name, r->len);
        fprintf(out,
                ",\"self\":%" PRIu64 ",\"self_samples\":%" PRIu64 ",\"total\":%" PRIu64 ",\"total_samples\":%" PRIu64,
                r->self, r->self_count, r->total, r->total_count);
        if (t->all_variance > 0) {
            write_interval("self", r->self, r->self_variance, out);
            write_interval("total", r->total, r->total_variance, out);
        }
        fputc('}', out);
    }
    fputs("\n]}\n", out);
}

/* Weights in the unit people read: milliseconds for time. */
static void print_weight(FILE *out, unsigned unit, uint64_t w)
{
    if (unit == WICK_UNIT_NS)
        fprintf(out, "%12.1f", (double)w / 1e6);
    else
        fprintf(out, "%12" PRIu64, w);
}

/* The other event types that there are, by the words that --event takes. */
static void write_others(const struct table *t, FILE *out)
{
    const char *before = "not shown (--event): ";
    for (uint32_t i = 1; i < t->p->nevents; i++) {
        const struct wick_sample_type *x = &t->p->events[i];
        if (i == t->o->event || !x->count)
            continue;
        fputs(before, out);
        wick_print_name(out, t->p->strings[x->name].s, t->p->strings[x->name].len);
        fprintf(out, " (%s) %" PRIu64 " samples", wick_event_kind_name(x->kind), x->count);
        before = ", ";
    }
    if (*before == ',')
        fputc('\n', out);
}

/* Weight that is known, but not where it belongs: of threads before they were known, and after their last sample. */
static void write_unsampled(const struct table *t, unsigned unit, FILE *out)
{
    print_weight(out, unit, t->unsampled_weight);
    fprintf(out, " %6.2f %29" PRIu64 "  not sampled: starts and ends of threads, of no method\n",
            percent(t->unsampled_weight, t->all_weight), t->unsampled_count);
}

/* Takes the rows that are no methods from the end of the list. */
static void set_apart(struct table *t)
{
    for (; t->nrows && t->rows[t->nrows - 1].unsampled; t->nrows--) {
        struct row *r = &t->rows[t->nrows - 1];
        add(&t->unsampled_weight, r->self);
        add(&t->unsampled_count, r->self_count);
        free(r->name);
    }
}

static void write_row(const struct table *t, const struct row *r, FILE *out)
{
    const struct wick_sample_type *e = &t->p->events[t->o->event];
    enum { USED = 51, PLUS_MINUS = 8 }; /* columns before the names */
    bool estimated = t->all_variance > 0;
    print_weight(out, e->unit, r->self);
    if (estimated && !r->self)
        fprintf(out, " %7s", "-");
    else if (estimated)
        fprintf(out, " %6.1f%%", 100 * wick_interval_share((double)r->self, r->self_variance));
    fprintf(out, " %6.2f ", percent(r->self, t->all_weight));
    print_weight(out, e->unit, r->total);
    fprintf(out, " %6.2f %9" PRIu64 "  ", percent(r->total, t->all_weight), r->self_count);
    wick_ui_last_column(out, USED + (estimated ? PLUS_MINUS : 0), r->name, r->len);
    fputc('\n', out);
}

static void write_text(const struct table *t, uint32_t n, FILE *out)
{
    const struct wick_sample_type *e = &t->p->events[t->o->event];
    const char *unit = e->unit == WICK_UNIT_NS ? "ms" : e->unit == WICK_UNIT_BYTES ? "bytes" : "";
    wick_print_name(out, t->p->strings[e->name].s, t->p->strings[e->name].len);
    fprintf(out, " (%s): %" PRIu64 " samples", wick_event_kind_name(e->kind), t->all_count);
    if (e->unit == WICK_UNIT_NS)
        fprintf(out, " standing for %.3f s", (double)t->all_weight / 1e9);
    else
        fprintf(out, " standing for %" PRIu64 " %s", t->all_weight, *unit ? unit : "occurrences");
    if (t->all_variance > 0)
        fprintf(out, " +- %.1f %%", 100 * wick_interval_share((double)t->all_weight, t->all_variance));
    fputs("; by ", out);
    wick_print_name(out, by_name(t->o), strlen(by_name(t->o)));
    fputc('\n', out);
    write_others(t, out);
    char self[32], total[32];
    snprintf(self, sizeof self, "SELF %s", unit);
    snprintf(total, sizeof total, "TOTAL %s", unit);
    fprintf(out, "%12s%s %6s %12s %6s %9s  %s\n", self, t->all_variance > 0 ? "      +-" : "", "%", total, "%",
            "SAMPLES", "NAME");
    for (uint32_t i = 0; i < n; i++)
        write_row(t, &t->rows[i], out);
    if (n < t->nrows)
        fprintf(out, "... %" PRIu32 " more\n", t->nrows - n);
    if (t->unsampled_count)
        write_unsampled(t, e->unit, out);
}

int wick_top_table_write(const struct wick_profile *p, const struct wick_top_options *o, FILE *out,
                         struct wick_err *err)
{
    struct table t = {.p = p, .o = o};
    t.frame_row = calloc(p->nframes, sizeof *t.frame_row);
    t.weight = calloc(p->nstacks, sizeof *t.weight);
    t.count = calloc(p->nstacks, sizeof *t.count);
    t.variance = calloc(p->nstacks, sizeof *t.variance);
    t.child = calloc(p->nstacks, sizeof *t.child);
    t.sibling = calloc(p->nstacks, sizeof *t.sibling);
    t.failed = !t.frame_row || !t.weight || !t.count || !t.variance || !t.child || !t.sibling;
    if (!t.failed)
        place_samples(&t);
    if (!t.failed && !by_sample(o)) {
        sum_and_link(&t);
        add_totals(&t);
    }
    if (!t.failed) {
        if (t.nrows)
            qsort_r(t.rows, t.nrows, sizeof *t.rows, by_order, &(enum wick_top_sort){o->sort});
        set_apart(&t);
        uint32_t n = o->rows && o->rows < t.nrows ? o->rows : t.nrows;
        (o->json ? write_json : write_text)(&t, n, out);
    }
    for (uint32_t i = 0; i < t.nrows; i++)
        free(t.rows[i].name);
    free(t.rows);
    free(t.frame_row);
    free(t.weight);
    free(t.count);
    free(t.variance);
    free(t.child);
    free(t.sibling);
    wick_index_release(&t.by_name);
    return t.failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table") : 0;
}
