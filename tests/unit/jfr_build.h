/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_build.h - makes JFR chunks for tests, byte by byte
 *
 * Types are given as text, so that a test shows what its metadata says:
 *
 *     "24 jdk.types.StackFrame method:25p lineNumber:11 type:22p"     id, name, fields as name:type and flags
 *     "E100 jdk.ExecutionSample startTime:12T sampledThread:20p"      E = an event
 *
 * Flags: p constant pool, a array, T time stamp in ticks, S time span in ticks, N in nanoseconds, M in milliseconds.
 *
 * Memory:  string buffers, released by the caller.
 */
#ifndef WICK_TESTS_UNIT_JFR_BUILD_H
#define WICK_TESTS_UNIT_JFR_BUILD_H

#include "base/leb128.h"
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JFR_BUILD_START_NS    1700000000000000000ll
#define JFR_BUILD_START_TICKS 5000000000ll
#define JFR_BUILD_FREQUENCY   2000000000ll /* half a nanosecond a tick */

struct jfr_build {
    struct wick_strbuf out;
    int64_t last_checkpoint; /* position, 0 = none */
    int64_t metadata;
    size_t begin; /* of the chunk in out */
};

static inline void jfr_put(struct wick_strbuf *b, int64_t v)
{
    uint8_t buf[9];
    wick_strbuf_add(b, buf, wick_leb128_jfr_write(buf, (uint64_t)v));
}

static inline void jfr_put_utf8(struct wick_strbuf *b, const char *s)
{
    wick_strbuf_addc(b, 3);
    jfr_put(b, (int64_t)strlen(s));
    wick_strbuf_adds(b, s);
}

static inline void jfr_put_big(struct wick_strbuf *b, uint64_t v, unsigned bytes)
{
    while (bytes--)
        wick_strbuf_addc(b, (char)(v >> (8 * bytes)));
}

/* Appends an event whose fields are `body`; returns its position in the chunk. */
static inline int64_t jfr_event(struct jfr_build *j, int64_t type, const struct wick_strbuf *body)
{
    uint8_t t[9], s[9];
    size_t nt = wick_leb128_jfr_write(t, (uint64_t)type), ns = 1;
    while (wick_leb128_jfr_write(s, nt + body->len + ns) != ns)
        ns++;
    int64_t at = (int64_t)(j->out.len - j->begin);
    wick_strbuf_add(&j->out, s, ns);
    wick_strbuf_add(&j->out, t, nt);
    wick_strbuf_add(&j->out, body->buf, body->len);
    return at;
}

/* Appends an event of n integers. */
static inline int64_t jfr_event_ints(struct jfr_build *j, int64_t type, const int64_t *v, size_t n)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    for (size_t i = 0; i < n; i++)
        jfr_put(&b, v[i]);
    int64_t at = jfr_event(j, type, &b);
    wick_strbuf_release(&b);
    return at;
}
#define JFR_EVENT(j, type, ...) \
    jfr_event_ints(j, type, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static inline void jfr_begin(struct jfr_build *j)
{
    j->begin = j->out.len;
    j->last_checkpoint = j->metadata = 0;
    wick_strbuf_add(&j->out, (const char[68]){'F', 'L', 'R', 0, 0, 2, 0, 1}, 68);
}

static inline void jfr_end(struct jfr_build *j)
{
    struct wick_strbuf h = WICK_STRBUF_INIT;
    jfr_put_big(&h, j->out.len - j->begin, 8);
    jfr_put_big(&h, (uint64_t)j->last_checkpoint, 8);
    jfr_put_big(&h, (uint64_t)j->metadata, 8);
    jfr_put_big(&h, JFR_BUILD_START_NS, 8);
    jfr_put_big(&h, 1000000000, 8);
    jfr_put_big(&h, JFR_BUILD_START_TICKS, 8);
    jfr_put_big(&h, JFR_BUILD_FREQUENCY, 8);
    jfr_put_big(&h, 1, 4);
    memcpy(j->out.buf + j->begin + 8, h.buf, h.len);
    wick_strbuf_release(&h);
}

/* Appends a checkpoint: `pools` is type, count, constants and so on, npools times. */
static inline void jfr_checkpoint(struct jfr_build *j, unsigned npools, const struct wick_strbuf *pools)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    int64_t at = (int64_t)(j->out.len - j->begin);
    jfr_put(&b, 0);
    jfr_put(&b, 0);
    jfr_put(&b, j->last_checkpoint ? j->last_checkpoint - at : 0);
    wick_strbuf_addc(&b, 1);
    jfr_put(&b, npools);
    wick_strbuf_add(&b, pools->buf, pools->len);
    j->last_checkpoint = jfr_event(j, 1, &b);
    wick_strbuf_release(&b);
}

/* --- metadata --- */

struct jfr_names {
    struct wick_strbuf bytes; /* encoded strings */
    char *s[2000];
    unsigned n;
};

static inline int64_t jfr_name(struct jfr_names *t, const char *s)
{
    for (unsigned i = 0; i < t->n; i++)
        if (strcmp(t->s[i], s) == 0)
            return i;
    jfr_put_utf8(&t->bytes, s);
    t->s[t->n] = strdup(s);
    return t->n++;
}

static inline void jfr_attribute(struct jfr_names *t, struct wick_strbuf *b, const char *key, const char *value)
{
    jfr_put(b, jfr_name(t, key));
    jfr_put(b, jfr_name(t, value));
}

/* One field, "name:type flags". Annotation classes are 30 (Timestamp) and 31 (Timespan). */
static inline void jfr_field(struct jfr_names *t, struct wick_strbuf *b, const char *spec)
{
    char name[100], id[20];
    int used = 0;
    if (sscanf(spec, "%99[^:]:%19[0-9]%n", name, id, &used) != 2)
        abort();
    const char *flags = spec + used, *unit = NULL;
    unsigned attributes = 2 + !!strchr(flags, 'p') + !!strchr(flags, 'a');
    jfr_put(b, jfr_name(t, "field"));
    jfr_put(b, attributes);
    jfr_attribute(t, b, "name", name);
    jfr_attribute(t, b, "class", id);
    if (strchr(flags, 'p'))
        jfr_attribute(t, b, "constantPool", "true");
    if (strchr(flags, 'a'))
        jfr_attribute(t, b, "dimension", "1");
    unit = strpbrk(flags, "TSNM");
    jfr_put(b, unit != NULL);
    if (!unit)
        return;
    jfr_put(b, jfr_name(t, "annotation"));
    jfr_put(b, 2);
    jfr_attribute(t, b, "class", *unit == 'T' ? "30" : "31");
    jfr_attribute(t, b, "value", *unit == 'N' ? "NANOSECONDS" : *unit == 'M' ? "MILLISECONDS" : "TICKS");
    jfr_put(b, 0);
}

static inline void jfr_class(struct jfr_names *t, struct wick_strbuf *b, const char *spec)
{
    char copy[4096], *save = NULL;
    snprintf(copy, sizeof copy, "%s", spec);
    char *id = strtok_r(copy, " ", &save), *name = strtok_r(NULL, " ", &save), *fields[64];
    unsigned n = 0, is_event = *id == 'E';
    while (n < 64 && (fields[n] = strtok_r(NULL, " ", &save)))
        n++;
    jfr_put(b, jfr_name(t, "class"));
    jfr_put(b, 2 + is_event);
    jfr_attribute(t, b, "id", id + is_event);
    jfr_attribute(t, b, "name", name);
    if (is_event)
        jfr_attribute(t, b, "superType", "jdk.jfr.Event");
    jfr_put(b, n);
    for (unsigned i = 0; i < n; i++)
        jfr_field(t, b, fields[i]);
}

static inline void jfr_metadata(struct jfr_build *j, const char *const *types, unsigned n)
{
    struct jfr_names t = {.bytes = WICK_STRBUF_INIT};
    struct wick_strbuf tree = WICK_STRBUF_INIT, body = WICK_STRBUF_INIT;
    jfr_put(&tree, jfr_name(&t, "root"));
    jfr_put(&tree, 0);
    jfr_put(&tree, 1);
    jfr_put(&tree, jfr_name(&t, "metadata"));
    jfr_put(&tree, 0);
    jfr_put(&tree, n);
    for (unsigned i = 0; i < n; i++)
        jfr_class(&t, &tree, types[i]);
    for (int i = 0; i < 3; i++)
        jfr_put(&body, 0);
    jfr_put(&body, t.n);
    wick_strbuf_add(&body, t.bytes.buf, t.bytes.len);
    wick_strbuf_add(&body, tree.buf, tree.len);
    j->metadata = jfr_event(j, 0, &body);
    for (unsigned i = 0; i < t.n; i++)
        free(t.s[i]);
    wick_strbuf_release(&t.bytes);
    wick_strbuf_release(&tree);
    wick_strbuf_release(&body);
}

#endif
