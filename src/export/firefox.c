/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox.c - JSON of the Firefox Profiler (profiler.firefox.com): its processed format, version 48
 *
 * The profiler reads every older version, so one is written and kept. docs/formats/firefox.md says what becomes what.
 *
 * The format is columns: a table is an object with one array for each column and its length. In this version every
 * thread has tables of its own; what a thread's samples use is numbered separately for each (struct numbering), so that
 * the file holds nothing twice but what two threads share.
 *
 * Times are milliseconds; they are written as decimal fractions, digit by digit, since a double cannot hold the
 * nanoseconds of a long recording.
 *
 * Memory:  see shown.h and timeline.h.
 */
#include "export/format_writers.h"

#include <stdlib.h>

#include "codec/json.h"
#include "export/timeline.h"

/* Categories give frames their colour. The order is that of `category_of`. */
static const struct {
    const char *name, *color;
} categories[] = {{"Java (compiled)", "green"},
                  {"Java (inlined)", "lightgreen"},
                  {"Java (compiled by C1)", "lightblue"},
                  {"Java (interpreted)", "blue"},
                  {"JVM", "orange"},
                  {"Native", "yellow"},
                  {"Kernel", "red"},
                  {"Other", "grey"}};
#define NCATEGORIES (sizeof categories / sizeof *categories)
#define OTHER       (NCATEGORIES - 1)

static unsigned category_of(unsigned kind)
{
    switch (kind) {
    case WICK_FRAME_C2:
        return 0;
    case WICK_FRAME_INLINED:
        return 1;
    case WICK_FRAME_C1:
        return 2;
    case WICK_FRAME_INTERPRETED:
        return 3;
    case WICK_FRAME_CPP:
    case WICK_FRAME_STUB:
        return 4;
    case WICK_FRAME_NATIVE:
    case WICK_FRAME_JAVA_NATIVE:
        return 5;
    case WICK_FRAME_KERNEL:
        return 6;
    default:
        return OTHER;
    }
}

/* Numbers of the things one thread uses. */
struct numbering {
    uint32_t *number; /* by the profile's number: ours + 1, 0 = none yet */
    uint32_t *used;   /* by our number */
    uint32_t n;
};

struct firefox {
    struct wick_json j;
    const struct wick_shown *s;
    const struct wick_export_options *o;
    struct numbering stacks, frames, functions, strings;
    uint32_t *path;
};

static bool numbering_init(struct numbering *n, uint32_t size)
{
    n->number = calloc(size, sizeof *n->number);
    n->used = calloc(size, sizeof *n->used);
    return n->number && n->used;
}

static void numbering_clear(struct numbering *n)
{
    for (uint32_t i = 0; i < n->n; i++)
        n->number[n->used[i]] = 0;
    n->n = 0;
}

static void numbering_release(struct numbering *n)
{
    free(n->number);
    free(n->used);
}

static uint32_t number(struct numbering *n, uint32_t thing)
{
    if (!n->number[thing]) {
        n->used[n->n] = thing;
        n->number[thing] = ++n->n;
    }
    return n->number[thing] - 1;
}

/* A stack and all above it, root first, so that a prefix always has the smaller number. */
static uint32_t number_stack(struct firefox *w, uint32_t stack)
{
    const struct wick_profile *q = &w->s->q;
    uint32_t n = 0;
    for (uint32_t k = stack; k && !w->stacks.number[k]; k = q->stacks[k].parent)
        w->path[n++] = k;
    while (n) {
        uint32_t k = w->path[--n];
        number(&w->stacks, k);
        number(&w->frames, q->stacks[k].frame);
    }
    return number(&w->stacks, stack);
}

/* --- columns --- */

static void begin(struct wick_json *j, const char *name)
{
    wick_json_key(j, name);
    wick_json_open(j, '[');
}

/* A column in which every row holds the same. */
static void same(struct wick_json *j, const char *name, uint32_t n, const char *value)
{
    begin(j, name);
    for (uint32_t i = 0; i < n; i++)
        wick_json_raw(j, value);
    wick_json_close(j, ']');
}

static void begin_table(struct wick_json *j, const char *name, uint32_t n)
{
    wick_json_key(j, name);
    wick_json_open(j, '{');
    wick_json_key(j, "length");
    wick_json_uint(j, n);
}

static unsigned stack_category(const struct firefox *w, uint32_t i)
{
    const struct wick_profile *q = &w->s->q;
    return category_of(q->frames[q->stacks[w->stacks.used[i]].frame].kind);
}

static void put_stack_table(struct firefox *w)
{
    struct wick_json *j = &w->j;
    const struct wick_profile *q = &w->s->q;
    uint32_t n = w->stacks.n;
    begin_table(j, "stackTable", n);
    begin(j, "frame");
    for (uint32_t i = 0; i < n; i++)
        wick_json_uint(j, number(&w->frames, q->stacks[w->stacks.used[i]].frame));
    wick_json_close(j, ']');
    begin(j, "prefix");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = q->stacks[w->stacks.used[i]].parent;
        if (parent)
            wick_json_uint(j, number(&w->stacks, parent));
        else
            wick_json_raw(j, "null");
    }
    wick_json_close(j, ']');
    begin(j, "category");
    for (uint32_t i = 0; i < n; i++)
        wick_json_uint(j, stack_category(w, i));
    wick_json_close(j, ']');
    same(j, "subcategory", n, "0");
    wick_json_close(j, '}');
}

static void put_frame_table(struct firefox *w)
{
    struct wick_json *j = &w->j;
    const struct wick_profile *q = &w->s->q;
    uint32_t n = w->frames.n;
    begin_table(j, "frameTable", n);
    begin(j, "func");
    for (uint32_t i = 0; i < n; i++)
        wick_json_uint(j, number(&w->functions, q->frames[w->frames.used[i]].function));
    wick_json_close(j, ']');
    begin(j, "line");
    for (uint32_t i = 0; i < n; i++) {
        int32_t line = q->frames[w->frames.used[i]].line;
        if (line > 0)
            wick_json_int(j, line);
        else
            wick_json_raw(j, "null");
    }
    wick_json_close(j, ']');
    begin(j, "category");
    for (uint32_t i = 0; i < n; i++)
        wick_json_uint(j, category_of(q->frames[w->frames.used[i]].kind));
    wick_json_close(j, ']');
    same(j, "subcategory", n, "0");
    same(j, "address", n, "-1");
    same(j, "inlineDepth", n, "0");
    same(j, "nativeSymbol", n, "null");
    same(j, "innerWindowID", n, "0");
    same(j, "implementation", n, "null");
    same(j, "column", n, "null");
    wick_json_close(j, '}');
}

/* Libraries are resources; their numbers are those of their first function. */
static uint32_t put_func_table(struct firefox *w, uint32_t *resources)
{
    struct wick_json *j = &w->j;
    const struct wick_profile *q = &w->s->q;
    uint32_t n = w->functions.n, nresources = 0;
    begin_table(j, "funcTable", n);
    begin(j, "name");
    for (uint32_t i = 0; i < n; i++)
        wick_json_uint(j, number(&w->strings, q->functions[w->functions.used[i]].name));
    wick_json_close(j, ']');
    begin(j, "resource");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t library = q->functions[w->functions.used[i]].class_name, r = 0;
        if (!library) {
            wick_json_int(j, -1);
            continue;
        }
        library = number(&w->strings, library);
        while (r < nresources && resources[r] != library)
            r++;
        if (r == nresources)
            resources[nresources++] = library;
        wick_json_uint(j, r);
    }
    wick_json_close(j, ']');
    same(j, "isJS", n, "false");
    same(j, "relevantForJS", n, "false");
    same(j, "fileName", n, "null");
    same(j, "lineNumber", n, "null");
    same(j, "columnNumber", n, "null");
    wick_json_close(j, '}');
    return nresources;
}

static void put_resource_table(struct firefox *w, const uint32_t *resources, uint32_t n)
{
    struct wick_json *j = &w->j;
    begin_table(j, "resourceTable", n);
    begin(j, "name");
    for (uint32_t i = 0; i < n; i++)
        wick_json_uint(j, resources[i]);
    wick_json_close(j, ']');
    same(j, "lib", n, "null");
    same(j, "host", n, "null");
    same(j, "type", n, "1");
    wick_json_close(j, '}');
}

static void put_strings(struct firefox *w)
{
    begin(&w->j, "stringArray");
    for (uint32_t i = 0; i < w->strings.n; i++) {
        const struct wick_string *s = &w->s->q.strings[w->strings.used[i]];
        wick_json_str(&w->j, s->s, s->len);
    }
    wick_json_close(&w->j, ']');
}

/* --- threads --- */

static const char *weight_type(const struct firefox *w)
{
    if (!strcmp(w->s->unit, "nanoseconds"))
        return "tracing-ms";
    return !strcmp(w->s->unit, "bytes") ? "bytes" : "samples";
}

static void put_samples(struct firefox *w, const struct wick_slot *slot, uint32_t n)
{
    struct wick_json *j = &w->j;
    bool time = !strcmp(w->s->unit, "nanoseconds");
    begin_table(j, "samples", n);
    begin(j, "stack");
    for (uint32_t i = 0; i < n; i++) {
        if (slot[i].stack)
            wick_json_uint(j, number_stack(w, slot[i].stack));
        else
            wick_json_raw(j, "null");
    }
    wick_json_close(j, ']');
    begin(j, "time");
    for (uint32_t i = 0; i < n; i++)
        wick_json_decimal(j, slot[i].end_ns, 6);
    wick_json_close(j, ']');
    begin(j, "weight");
    for (uint32_t i = 0; i < n; i++) {
        if (time)
            wick_json_decimal(j, slot[i].value, 6);
        else
            wick_json_int(j, slot[i].value);
    }
    wick_json_close(j, ']');
    wick_json_key(j, "weightType");
    wick_json_cstr(j, weight_type(w));
    wick_json_close(j, '}');
}

static void put_markers(struct wick_json *j)
{
    static const char *const columns[] = {"category", "data", "endTime", "name", "phase", "startTime"};
    begin_table(j, "markers", 0);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        same(j, columns[i], 0, "");
    wick_json_close(j, '}');
    static const char *const symbols[] = {"address", "functionSize", "libIndex", "name"};
    begin_table(j, "nativeSymbols", 0);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        same(j, symbols[i], 0, "");
    wick_json_close(j, '}');
}

static void put_thread(struct firefox *w, const struct wick_slot *slots, uint32_t n, uint32_t *resources)
{
    struct wick_json *j = &w->j;
    const struct wick_thread *t = &w->s->q.threads[slots->thread];
    struct numbering *const all[] = {&w->stacks, &w->frames, &w->functions, &w->strings};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        numbering_clear(all[i]);
    wick_json_open(j, '{');
    wick_json_key(j, "name");
    wick_json_cstr(j, slots->thread ? wick_shown_thread(w->s, slots->thread) : "all threads");
    wick_json_key(j, "isMainThread");
    wick_json_raw(j, "false");
    wick_json_key(j, "processType");
    wick_json_cstr(j, "default");
    wick_json_key(j, "processName");
    wick_json_cstr(j, w->o->title ? w->o->title : "wick");
    wick_json_key(j, "pid");
    wick_json_cstr(j, "1");
    wick_json_key(j, "tid");
    wick_json_int(j, t->os_tid ? t->os_tid : t->java_tid ? t->java_tid : (int64_t)slots->thread);
    wick_json_key(j, "processStartupTime");
    wick_json_int(j, 0);
    wick_json_key(j, "processShutdownTime");
    wick_json_raw(j, "null");
    wick_json_key(j, "registerTime");
    wick_json_int(j, 0);
    wick_json_key(j, "unregisterTime");
    wick_json_raw(j, "null");
    begin(j, "pausedRanges");
    wick_json_close(j, ']');
    put_samples(w, slots, n);
    put_markers(j);
    put_stack_table(w);
    put_frame_table(w);
    uint32_t nresources = put_func_table(w, resources);
    put_resource_table(w, resources, nresources);
    put_strings(w);
    wick_json_close(j, '}');
}

/* --- the whole --- */

static void put_categories(struct wick_json *j)
{
    begin(j, "categories");
    for (size_t i = 0; i < NCATEGORIES; i++) {
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_cstr(j, categories[i].name);
        wick_json_key(j, "color");
        wick_json_cstr(j, categories[i].color);
        begin(j, "subcategories");
        wick_json_cstr(j, "Other");
        wick_json_close(j, ']');
        wick_json_close(j, '}');
    }
    wick_json_close(j, ']');
}

static void put_meta(struct firefox *w, const struct wick_slots *slots)
{
    static const char *const zeros[] = {"debug", "processType", "stackwalk"};
    struct wick_json *j = &w->j;
    wick_json_key(j, "meta");
    wick_json_open(j, '{');
    wick_json_key(j, "version");
    wick_json_int(j, 30);
    wick_json_key(j, "preprocessedProfileVersion");
    wick_json_int(j, 48);
    wick_json_key(j, "product");
    wick_json_cstr(j, w->o->title ? w->o->title : "wick");
    wick_json_key(j, "importedFrom");
    wick_json_cstr(j, "wick " WICK_VERSION);
    wick_json_key(j, "interval");
    wick_json_int(j, 1);
    wick_json_key(j, "startTime");
    wick_json_decimal(j, slots->origin_ns, 6);
    wick_json_key(j, "symbolicated");
    wick_json_raw(j, "true");
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        wick_json_key(j, zeros[i]);
        wick_json_int(j, 0);
    }
    wick_json_key(j, "usesOnlyOneStackType");
    wick_json_raw(j, "true");
    wick_json_key(j, "doesNotUseFrameImplementation");
    wick_json_raw(j, "true");
    wick_json_key(j, "sourceCodeIsNotOnSearchfox");
    wick_json_raw(j, "true");
    begin(j, "markerSchema");
    wick_json_close(j, ']');
    put_categories(j);
    wick_json_close(j, '}');
}

static void put_all(struct firefox *w, const struct wick_slots *slots, uint32_t *resources)
{
    struct wick_json *j = &w->j;
    wick_json_open(j, '{');
    put_meta(w, slots);
    begin(j, "libs");
    wick_json_close(j, ']');
    begin(j, "threads");
    for (size_t from = 0, to; from < slots->n; from = to) {
        to = from + 1;
        while (to < slots->n && slots->slots[to].thread == slots->slots[from].thread)
            to++;
        put_thread(w, slots->slots + from, (uint32_t)(to - from), resources);
    }
    wick_json_close(j, ']');
    wick_json_close(j, '}');
    putc('\n', j->out);
}

int wick_firefox_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                       struct wick_err *err)
{
    struct wick_shown s;
    struct wick_slots slots = {0};
    struct firefox w = {.j = {.out = out}, .s = &s, .o = o};
    int rc = wick_shown_init(&s, p, o, err);
    if (rc)
        return rc;
    bool room = numbering_init(&w.stacks, s.q.nstacks) & numbering_init(&w.frames, s.q.nframes) &
                numbering_init(&w.functions, s.q.nfunctions) & numbering_init(&w.strings, s.q.nstrings);
    uint32_t *resources = calloc(s.q.nfunctions, sizeof *resources);
    w.path = calloc(s.q.nstacks, sizeof *w.path);
    rc = room && resources && w.path ? wick_slots_init(&slots, &s, o) : -WICK_E_NOMEM;
    if (!rc)
        put_all(&w, &slots, resources);
    struct numbering *const all[] = {&w.stacks, &w.frames, &w.functions, &w.strings};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        numbering_release(all[i]);
    free(resources);
    free(w.path);
    wick_slots_release(&slots);
    wick_shown_release(&s);
    return rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}
