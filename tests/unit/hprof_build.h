/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hprof_build.h - heap dumps made by hand
 *
 * Names, classes and objects have the ids that the test gives them. Sub-records go into segments that are opened and
 * closed; a class is declared with its fields as one letter each, 'L' being a reference.
 */
#ifndef WICK_TESTS_UNIT_HPROF_BUILD_H
#define WICK_TESTS_UNIT_HPROF_BUILD_H

#include <string.h>

#include "base/strbuf.h"
#include "heap/hprof.h"

struct hprof_build {
    struct wick_strbuf b;
    unsigned id_size;
    size_t segment; /* where its length goes, 0 = none is open */
};

static inline void hb_u1(struct hprof_build *h, unsigned v)
{
    wick_strbuf_addc(&h->b, (char)v);
}

static inline void hb_n(struct hprof_build *h, uint64_t v, unsigned n)
{
    while (n--)
        hb_u1(h, n < 8 ? (unsigned)(v >> (8 * n)) & 0xff : 0);
}

static inline void hb_id(struct hprof_build *h, uint64_t id)
{
    hb_n(h, id, h->id_size);
}

static inline void hb_begin(struct hprof_build *h, unsigned id_size, const char *version)
{
    wick_strbuf_init(&h->b);
    h->id_size = id_size;
    h->segment = 0;
    wick_strbuf_add(&h->b, version, strlen(version) + 1);
    hb_n(h, id_size, 4);
    hb_n(h, 1700000000000, 8);
}

static inline void hb_record(struct hprof_build *h, unsigned tag, uint32_t len)
{
    hb_u1(h, tag);
    hb_n(h, 0, 4);
    hb_n(h, len, 4);
}

static inline void hb_string(struct hprof_build *h, uint64_t id, const char *s)
{
    hb_record(h, 0x01, (uint32_t)(h->id_size + strlen(s)));
    hb_id(h, id);
    wick_strbuf_adds(&h->b, s);
}

static inline void hb_load(struct hprof_build *h, uint32_t serial, uint64_t class, uint64_t name)
{
    hb_record(h, 0x02, 8 + 2 * h->id_size);
    hb_n(h, serial, 4);
    hb_id(h, class);
    hb_n(h, 0, 4);
    hb_id(h, name);
}

static inline void hb_open(struct hprof_build *h, unsigned tag)
{
    hb_record(h, tag, 0);
    h->segment = h->b.len;
}

static inline void hb_close(struct hprof_build *h)
{
    uint32_t len = (uint32_t)(h->b.len - h->segment);
    for (unsigned i = 0; i < 4; i++)
        h->b.buf[h->segment - 4 + i] = (char)(len >> (8 * (3 - i)));
    h->segment = 0;
}

static inline unsigned hb_type(char letter)
{
    return letter == 'L'   ? WICK_HPROF_REF
           : letter == 'Z' ? WICK_HPROF_BOOLEAN
           : letter == 'C' ? WICK_HPROF_CHAR
           : letter == 'B' ? WICK_HPROF_BYTE
           : letter == 'S' ? WICK_HPROF_SHORT
           : letter == 'J' ? WICK_HPROF_LONG
                           : WICK_HPROF_INT;
}

struct hb_class {
    uint64_t id, super, loader;
    const char *fields;         /* "LIL" */
    const uint64_t *names;      /* one each, of strings */
    unsigned nstatics;          /* all of them references */
    const uint64_t *statics[2]; /* names, values */
};

static inline void hb_class(struct hprof_build *h, const struct hb_class *c)
{
    size_t nfields = c->fields ? strlen(c->fields) : 0;
    hb_u1(h, WICK_HPROF_CLASS);
    hb_id(h, c->id);
    hb_n(h, 0, 4);
    hb_id(h, c->super);
    hb_id(h, c->loader);
    for (int i = 0; i < 4; i++)
        hb_id(h, 0);
    hb_n(h, 16, 4);
    hb_n(h, 1, 2); /* one constant */
    hb_n(h, 7, 2);
    hb_u1(h, WICK_HPROF_INT);
    hb_n(h, 42, 4);
    hb_n(h, c->nstatics, 2);
    for (unsigned i = 0; i < c->nstatics; i++) {
        hb_id(h, c->statics[0][i]);
        hb_u1(h, WICK_HPROF_REF);
        hb_id(h, c->statics[1][i]);
    }
    hb_n(h, nfields, 2);
    for (size_t i = 0; i < nfields; i++) {
        hb_id(h, c->names[i]);
        hb_u1(h, hb_type(c->fields[i]));
    }
}

/* An instance with references only. */
static inline void hb_instance(struct hprof_build *h, uint64_t id, uint64_t class, unsigned n, const uint64_t *refs)
{
    hb_u1(h, WICK_HPROF_INSTANCE);
    hb_id(h, id);
    hb_n(h, 0, 4);
    hb_id(h, class);
    hb_n(h, n * h->id_size, 4);
    for (unsigned i = 0; i < n; i++)
        hb_id(h, refs[i]);
}

static inline void hb_objects(struct hprof_build *h, uint64_t id, uint64_t class, unsigned n, const uint64_t *refs)
{
    hb_u1(h, WICK_HPROF_OBJECTS);
    hb_id(h, id);
    hb_n(h, 0, 4);
    hb_n(h, n, 4);
    hb_id(h, class);
    for (unsigned i = 0; i < n; i++)
        hb_id(h, refs[i]);
}

static inline void hb_bytes(struct hprof_build *h, uint64_t id, const char *bytes)
{
    hb_u1(h, WICK_HPROF_PRIMITIVES);
    hb_id(h, id);
    hb_n(h, 0, 4);
    hb_n(h, strlen(bytes), 4);
    hb_u1(h, WICK_HPROF_BYTE);
    wick_strbuf_adds(&h->b, bytes);
}

/* A root of a kind whose tag has so many words behind the id; all ones are `word`. */
static inline void hb_root(struct hprof_build *h, unsigned tag, uint64_t id, unsigned words, uint32_t word)
{
    hb_u1(h, tag);
    hb_id(h, id);
    while (words--)
        hb_n(h, word, 4);
}

#endif
