/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant pools
 *
 * Each kind of constant has a table that gives ids in the order of first use (dense_ids.h). Events name threads,
 * stacks, contexts and strings; building the pools of a flush walks down from those:
 *
 *     threads -> groups        stacks -> methods -> classes -> packages        contexts        strings
 *                                        \__________ symbols ________/
 *
 * Writing a pool may add ids to the tables to its right, so writing them in this order writes everything. Ids are
 * dense, whatever the source's ids are: a frequent method has a small number and its frames cost few bytes. What is
 * written is wick_jfr_number() of an id.
 *
 * Nothing in the tables is marked as written until the bytes are on disk (_commit): a flush that failed leaves its
 * constants to the next one. The source is asked as late as possible, so threads have got their names by then.
 */
#include "jfr/writer/writer_internal.h"

#include <string.h>

#include "base/err.h"
#include "base/frame_kind.h"
#include "jfr/format/bytes.h"

static uint32_t symbol(struct wick_jfr_writer *w, const char *s)
{
    uint32_t id = wick_jfr_names_add(&w->symbols, s, strnlen(s, WICK_JFR_STRING_MAX));
    w->pools.failed |= !id;
    return id;
}

/* Writes the number of one constant that another one, or its own entry, refers to. */
static void put_number(struct wick_jfr_writer *w, const struct wick_jfr_numbering *numbering, uint32_t id)
{
    wick_jfr_add_int(&w->pools, wick_jfr_number(numbering, id));
}

static void put_text(struct wick_jfr_writer *w, const char *s)
{
    wick_jfr_add_string(&w->pools, s, s ? strnlen(s, WICK_JFR_STRING_MAX) : 0);
}

static void pool_begin(struct wick_jfr_writer *w, enum wick_jfr_type_id type, uint32_t constants, uint32_t *pools)
{
    ++*pools;
    wick_jfr_add_int(&w->pools, type);
    wick_jfr_add_int(&w->pools, constants);
}

static void put_thread(struct wick_jfr_writer *w, uint32_t id)
{
    struct wick_jfr_thread t = {0};
    uint32_t group = 0;
    if (w->source.thread(w->source.arg, wick_jfr_ids_key(&w->threads, id), &t))
        t = (struct wick_jfr_thread){0};
    if (!t.os_name && !t.java_name)
        t.os_name = "[unknown]"; /* the JDK's views stumble over a thread without any name */
    if (t.group) {
        group = wick_jfr_names_add(&w->groups, t.group, strnlen(t.group, WICK_JFR_STRING_MAX));
        w->pools.failed |= !group;
    }
    put_number(w, &w->threads.numbering, id);
    put_text(w, t.os_name);
    wick_jfr_add_int(&w->pools, t.os_tid);
    put_text(w, t.java_name);
    wick_jfr_add_int(&w->pools, t.java_tid);
    put_number(w, &w->groups.numbering, group);
}

enum { PEER_FRAME_TYPES = 7 }; /* their numbers are the first ids of def/frame.def */

/* The type of a frame in the file: one of async-profiler's seven, since its reader has an array of them. What is
 * neither Java nor native code is native there, and the finer kind stands with the method (jfr_format.h). */
static uint8_t frame_type(unsigned kind)
{
    if (kind == WICK_FRAME_JAVA_NATIVE)
        return WICK_FRAME_C2;
    return kind < PEER_FRAME_TYPES ? (uint8_t)kind : WICK_FRAME_NATIVE;
}

static void put_stack(struct wick_jfr_writer *w, uint32_t id)
{
    struct wick_strbuf *b = &w->pools;
    bool truncated = false;
    size_t cap = w->config.max_frames;
    size_t n = w->source.stack(w->source.arg, wick_jfr_ids_key(&w->stacks, id), w->frames, cap, &truncated);
    if (n > cap)
        n = cap;
    if (wick_strbuf_grow(b, 3 * WICK_JFR_INT_MAX_BYTES + n * 4 * WICK_JFR_INT_MAX_BYTES))
        return;
    uint8_t *p = (uint8_t *)b->buf + b->len;
    p = wick_jfr_int_at(p, wick_jfr_number(&w->stacks.numbering, id));
    *p++ = truncated;
    p = wick_jfr_int_at(p, n);
    for (size_t i = 0; i < n; i++) {
        const struct wick_jfr_frame *f = &w->frames[i];
        uint32_t method = wick_jfr_ids_add(&w->methods, f->method);
        b->failed |= !method;
        p = wick_jfr_int_at(p, wick_jfr_number(&w->methods.numbering, method));
        p = wick_jfr_int_at(p, f->line);
        p = wick_jfr_int_at(p, f->bci);
        *p++ = frame_type(f->kind);
    }
    b->len = (size_t)((char *)p - b->buf);
}

/* The end of a field descriptor at s, or NULL. */
static const char *skip_type(const char *s)
{
    while (*s == '[')
        s++;
    if (*s == 'L') {
        s = strchr(s, ';');
        return s ? s + 1 : NULL;
    }
    return *s && strchr("BCDFIJSZ", *s) ? s + 1 : NULL;
}

/* The JDK's tool parses a descriptor without checking it and fails on one that is malformed, so anything that is not
 * `(types)type`, including that of native functions, which have none, becomes ()V. */
static const char *checked_descriptor(const char *s)
{
    static const char none[] = "()V";
    if (!s || *s != '(')
        return none;
    const char *p = s + 1;
    while (p && *p != ')')
        p = skip_type(p);
    if (!p)
        return none;
    if (p[1] == 'V')
        return p[2] ? none : s;
    p = skip_type(p + 1);
    return p && !*p ? s : none;
}

/* Classes are keyed by their name's symbol, whether they are Java's, and whether they are hidden. */
static uint32_t class_key(uint32_t symbol_id, bool java, bool hidden)
{
    return symbol_id << 2 | (uint32_t)java << 1 | hidden;
}

uint32_t wick_jfr_class_add(struct wick_jfr_writer *w, const char *name)
{
    uint32_t s = wick_jfr_names_add(&w->symbols, name, strnlen(name, WICK_JFR_STRING_MAX));
    return s ? wick_jfr_ids_add(&w->classes, class_key(s, true, strstr(name, "+0x") != NULL)) : 0;
}

static void put_method(struct wick_jfr_writer *w, uint32_t id)
{
    static const struct wick_jfr_method unknown = {.class_name = "", .name = "[unknown]"};
    struct wick_jfr_method m = {0};
    if (w->source.method(w->source.arg, wick_jfr_ids_key(&w->methods, id), &m))
        m = unknown;
    bool java = m.signature;
    uint32_t class_name = symbol(w, m.class_name ? m.class_name : "");
    if (!class_name)
        return; /* no class without a name may get into the table */
    uint32_t class = wick_jfr_ids_add(&w->classes, class_key(class_name, java, m.class_hidden));
    w->pools.failed |= !class;
    put_number(w, &w->methods.numbering, id);
    put_number(w, &w->classes.numbering, class);
    put_number(w, &w->symbols.numbering, symbol(w, m.name ? m.name : ""));
    put_number(w, &w->symbols.numbering, symbol(w, checked_descriptor(m.signature)));
    wick_jfr_add_int(&w->pools, m.modifiers | (uint32_t)m.kind << WICK_JFR_KIND_SHIFT);
    wick_strbuf_addc(&w->pools, m.hidden);
}

/* The length of the package in a class's internal name; 0 if it has none. The names of hidden classes of older JDKs go
 * on behind the class: a/b/C$$Lambda$14/0x0000000800c0 (unsafe-anonymous: /1234567). */
static size_t package_len(const char *name, size_t n)
{
    const char *slash = memrchr(name, '/', n);
    if (slash && slash + 1 < name + n && slash[1] >= '0' && slash[1] <= '9')
        slash = memrchr(name, '/', (size_t)(slash - name));
    return slash ? (size_t)(slash - name) : 0;
}

static void put_class(struct wick_jfr_writer *w, uint32_t id)
{
    uint32_t key = wick_jfr_ids_key(&w->classes, id), name = key >> 2, package = 0;
    size_t len;
    const char *text = wick_jfr_names_get(&w->symbols, name, &len);
    size_t prefix = key & 2 && *text != '[' ? package_len(text, len) : 0;
    if (prefix) {
        wick_strbuf_clear(&w->scratch); /* a copy: adding the symbol may move the text */
        wick_strbuf_add(&w->scratch, text, prefix);
        uint32_t s = w->scratch.failed ? 0 : wick_jfr_names_add(&w->symbols, w->scratch.buf, prefix);
        package = s ? wick_jfr_ids_add(&w->packages, s) : 0;
        w->pools.failed |= !package;
    }
    put_number(w, &w->classes.numbering, id);
    wick_jfr_add_int(&w->pools, 0); /* class loader */
    put_number(w, &w->symbols.numbering, name);
    put_number(w, &w->packages.numbering, package);
    wick_jfr_add_int(&w->pools, 0); /* modifiers */
    wick_strbuf_addc(&w->pools, key & 1);
}

static void put_package(struct wick_jfr_writer *w, uint32_t id)
{
    put_number(w, &w->packages.numbering, id);
    put_number(w, &w->symbols.numbering, wick_jfr_ids_key(&w->packages, id));
    wick_jfr_add_int(&w->pools, 0); /* module */
    wick_strbuf_addc(&w->pools, 0); /* exported */
}

/* Appends key=value, with a backslash before what separates pairs; nothing for a value that is none. */
static void add_pair(struct wick_strbuf *out, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    if (out->len)
        wick_strbuf_addc(out, ',');
    wick_strbuf_adds(out, key);
    wick_strbuf_addc(out, '=');
    for (; *value; value++) {
        if (*value == ',' || *value == '=' || *value == '\\')
            wick_strbuf_addc(out, '\\');
        wick_strbuf_addc(out, *value);
    }
}

/* A context is one text, the endpoint first, so that a table sorted by it is sorted by endpoint; then the program's
 * labels, which have this form already. A reader that takes the last of equal keys must take the first "endpoint". */
static void put_context(struct wick_jfr_writer *w, uint32_t id)
{
    struct wick_strbuf *text = &w->scratch;
    struct wick_jfr_context c = {0};
    if (!w->source.context || w->source.context(w->source.arg, wick_jfr_ids_key(&w->contexts, id), &c))
        c = (struct wick_jfr_context){0};
    put_number(w, &w->contexts.numbering, id);
    wick_strbuf_clear(text);
    add_pair(text, "endpoint", c.endpoint);
    if (c.labels && *c.labels) {
        wick_strbuf_adds(text, text->len ? "," : "");
        wick_strbuf_adds(text, c.labels);
    }
    add_pair(text, "traceId", c.trace_id);
    add_pair(text, "spanId", c.span_id);
    /* In full: Grafana's parser takes no pooled string within a constant. */
    wick_jfr_add_string(&w->pools, text->buf, text->len);
    w->pools.failed |= text->failed;
}

static void put_ids(struct wick_jfr_writer *w, struct wick_jfr_ids *t, enum wick_jfr_type_id type, uint32_t *pools,
                    void (*put)(struct wick_jfr_writer *, uint32_t))
{
    if (t->count == t->flushed)
        return;
    pool_begin(w, type, t->count - t->flushed, pools);
    for (uint32_t id = t->flushed + 1; id <= t->count && !w->pools.failed; id++)
        put(w, id);
}

/* Pools whose constants are a string: symbols, strings, and groups, which have a parent (none) before it. */
static void put_names(struct wick_jfr_writer *w, struct wick_jfr_names *t, enum wick_jfr_type_id type, uint32_t *pools)
{
    if (t->count == t->flushed)
        return;
    pool_begin(w, type, t->count - t->flushed, pools);
    for (uint32_t id = t->flushed + 1; id <= t->count; id++) {
        size_t len;
        const char *s = wick_jfr_names_get(t, id, &len);
        put_number(w, &t->numbering, id);
        if (type == WICK_JFR_TYPE_THREAD_GROUP)
            wick_jfr_add_int(&w->pools, 0);
        if (len || type != WICK_JFR_TYPE_SYMBOL) {
            wick_jfr_add_string(&w->pools, s, len);
            continue;
        }
        wick_strbuf_addc(&w->pools,
                         WICK_JFR_STR_UTF8); /* as the JDK writes it; jfrconv takes a symbol in no other form */
        wick_jfr_add_int(&w->pools, 0);
    }
}

/* The constants that never change: with the first checkpoint of a chunk. */
static void put_fixed(struct wick_jfr_writer *w, uint32_t *pools)
{
    struct row {
        enum wick_jfr_type_id type;
        uint32_t id;
        const char *name;
    };
    static const struct row rows[] = {
#define X(NAME, id, name, ...) {WICK_JFR_TYPE_FRAME_TYPE, id, name},
#include "def/frame.def"
#undef X
#define X(NAME, id, name) {WICK_JFR_TYPE_THREAD_STATE, id, name},
#include "def/thread_state.def"
#undef X
#define X(NAME, id, name) {WICK_JFR_TYPE_SAMPLE_KIND, id, name},
#include "def/sample_kind.def"
#undef X
    };
    size_t n = sizeof rows / sizeof rows[0];
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && rows[end].type == rows[i].type;)
            end++;
        size_t count = rows[i].type == WICK_JFR_TYPE_FRAME_TYPE ? WICK_FRAME_C1 + 1 : end - i; /* frame_type() */
        pool_begin(w, rows[i].type, (uint32_t)count, pools);
        for (size_t k = i; k < i + count; k++) {
            wick_jfr_add_int(&w->pools, rows[k].id);
            put_text(w, rows[k].name);
        }
    }
}

int wick_jfr_pools_build(struct wick_jfr_writer *w, uint32_t *count)
{
    *count = 0;
    wick_strbuf_clear(&w->pools);
    if (!w->last_checkpoint)
        put_fixed(w, count);
    put_ids(w, &w->threads, WICK_JFR_TYPE_THREAD, count, put_thread);
    put_ids(w, &w->stacks, WICK_JFR_TYPE_STACK_TRACE, count, put_stack);
    put_ids(w, &w->methods, WICK_JFR_TYPE_METHOD, count, put_method);
    put_ids(w, &w->classes, WICK_JFR_TYPE_CLASS, count, put_class);
    put_ids(w, &w->packages, WICK_JFR_TYPE_PACKAGE, count, put_package);
    put_ids(w, &w->contexts, WICK_JFR_TYPE_CONTEXT, count, put_context);
    put_names(w, &w->groups, WICK_JFR_TYPE_THREAD_GROUP, count);
    put_names(w, &w->symbols, WICK_JFR_TYPE_SYMBOL, count);
    put_names(w, &w->strings, WICK_JFR_TYPE_STRING, count);
    return w->pools.failed ? -WICK_E_NOMEM : 0;
}

/* Applies a statement to every table `t`. */
#define FOR_IDS(w, statement)                                                         \
    do {                                                                              \
        struct wick_jfr_ids *all[] = {&(w)->threads, &(w)->stacks,   &(w)->methods,   \
                                      &(w)->classes, &(w)->packages, &(w)->contexts}; \
        for (size_t i_ = 0; i_ < sizeof all / sizeof all[0]; i_++) {                  \
            struct wick_jfr_ids *t = all[i_];                                         \
            statement;                                                                \
        }                                                                             \
    } while (0)
#define FOR_NAMES(w, statement)                                                      \
    do {                                                                             \
        struct wick_jfr_names *all[] = {&(w)->symbols, &(w)->strings, &(w)->groups}; \
        for (size_t i_ = 0; i_ < sizeof all / sizeof all[0]; i_++) {                 \
            struct wick_jfr_names *t = all[i_];                                      \
            statement;                                                               \
        }                                                                            \
    } while (0)

void wick_jfr_pools_commit(struct wick_jfr_writer *w)
{
    FOR_IDS(w, t->flushed = t->count);
    FOR_NAMES(w, t->flushed = t->count);
}

void wick_jfr_pools_begin(struct wick_jfr_writer *w)
{
    unsigned before = w->config.chunks_before;
    uint32_t offset = before ? ((before - 1) % 15 + 1) << 24 : 0;
    FOR_IDS(w, t->numbering = (struct wick_jfr_numbering){.offset = offset});
    FOR_NAMES(w, t->numbering = (struct wick_jfr_numbering){.offset = offset});
}

void wick_jfr_pools_reset(struct wick_jfr_writer *w, bool chunk_exists)
{
    if (chunk_exists) {
        FOR_IDS(w, t->numbering = wick_jfr_next_numbering(&t->numbering, t->count));
        FOR_NAMES(w, t->numbering = wick_jfr_next_numbering(&t->numbering, t->count));
    }
    if (wick_jfr_pools_bytes(w) > w->config.memory_limit_bytes / 4) {
        wick_jfr_pools_release(w);
        return;
    }
    FOR_IDS(w, wick_jfr_ids_clear(t));
    FOR_NAMES(w, wick_jfr_names_clear(t));
}

size_t wick_jfr_pools_bytes(const struct wick_jfr_writer *w)
{
    size_t sum = 0;
    const struct wick_jfr_ids *ids[] = {&w->threads, &w->stacks, &w->methods, &w->classes, &w->packages, &w->contexts};
    const struct wick_jfr_names *names[] = {&w->symbols, &w->strings, &w->groups};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        sum += wick_jfr_ids_bytes(ids[i]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        sum += wick_jfr_names_bytes(names[i]);
    return sum;
}

void wick_jfr_pools_release(struct wick_jfr_writer *w)
{
    FOR_IDS(w, wick_jfr_ids_release(t));
    FOR_NAMES(w, wick_jfr_names_release(t));
}
