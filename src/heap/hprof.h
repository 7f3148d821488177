/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hprof.h - the records of a heap dump (HPROF, "JAVA PROFILE 1.0.1" and "1.0.2")
 *
 *     "JAVA PROFILE 1.0.2\0"   u4 size of ids (4 or 8)   u8 ms since 1970
 *     records:      u1 tag, u4 microseconds, u4 length, body
 *     HEAP_DUMP and HEAP_DUMP_SEGMENT hold sub-records, which have a tag but no length: each has to be understood to
 *     find the next.
 *
 * Lengths that are not what they seem: a writer that cannot seek (a pipe) leaves a segment's length 0, meaning "up to
 * the next record"; and a HEAP_DUMP of more than 4 GiB by an old JVM has its length modulo 2^32. Numbers are
 * big-endian.
 *
 * A scan reads all records from front to back and calls what the visitor has. Nothing is kept: code that needs the body
 * of an object reads it at its place.
 *
 * Threads: one at a time for each view.
 * Memory:  the view's window.
 */
#ifndef WICK_HEAP_HPROF_H
#define WICK_HEAP_HPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/dump_file.h"

enum wick_hprof_root_kind {
#define X(name, tag, words, ids, thread, text) WICK_HPROF_ROOT_##name,
#include "def/hprof_root.def"
#undef X
    WICK_HPROF_ROOT_KINDS
};

/* "JNI global reference" */
const char *wick_hprof_root_text(enum wick_hprof_root_kind kind);

enum wick_hprof_kind {
    WICK_HPROF_CLASS = 0x20,
    WICK_HPROF_INSTANCE,
    WICK_HPROF_OBJECTS,
    WICK_HPROF_PRIMITIVES,
    WICK_HPROF_NODATA = 0xc3
};

enum wick_hprof_type {
    WICK_HPROF_REF = 2,
    WICK_HPROF_BOOLEAN = 4,
    WICK_HPROF_CHAR,
    WICK_HPROF_FLOAT,
    WICK_HPROF_DOUBLE,
    WICK_HPROF_BYTE,
    WICK_HPROF_SHORT,
    WICK_HPROF_INT,
    WICK_HPROF_LONG,
    WICK_HPROF_TYPES
};

struct wick_hprof {
    const struct wick_heap_file *file;
    const char *name; /* of the file, for messages; the caller's */
    unsigned id_size; /* 4 or 8 */
    uint64_t start;   /* of the first record */
    uint64_t time_ms; /* since 1970 */
};

/* An object: where it is and what its head says. */
struct wick_hprof_object {
    uint64_t at; /* of the sub-record */
    uint64_t id;
    uint64_t class_id; /* INSTANCE, OBJECTS (class of the array) */
    uint64_t body;     /* where fields or elements begin */
    uint64_t end;      /* of the sub-record */
    uint32_t count;    /* INSTANCE: bytes of fields; arrays: elements */
    uint8_t kind;      /* enum wick_hprof_kind */
    uint8_t type;      /* enum wick_hprof_type of the elements of PRIMITIVES and NODATA */
};

/* The parts of a class: where its static and instance fields are described. */
struct wick_hprof_class {
    uint64_t at, id, super, loader, signers, domain;
    uint32_t instance_size;
    uint32_t static_bytes, static_refs; /* of the values of static fields, and how many are references */
    uint16_t nstatics, nfields;
    uint64_t statics, fields, end;
};

struct wick_hprof_field {
    uint64_t name;  /* id of a string */
    uint64_t value; /* static fields: an id, or the bits of the primitive */
    uint8_t type;
};

struct wick_hprof_root {
    uint64_t id;
    uint32_t thread; /* serial number, 0 = none */
    uint32_t frame;  /* depth in the thread's stack, UINT32_MAX = none */
    enum wick_hprof_root_kind kind;
};

struct wick_hprof_frame {
    uint64_t id, method, signature, source; /* the last three are strings' */
    uint32_t class_serial;
    int32_t line; /* > 0: known; -3 = native */
};

/* What a scan calls; each may be NULL. Another value than 0 ends the scan, which returns it. */
struct wick_hprof_visitor {
    void *ctx;
    int (*string)(void *ctx, uint64_t id, uint64_t at, uint32_t len);
    int (*loaded)(void *ctx, uint32_t serial, uint64_t class_id, uint64_t name);
    int (*frame)(void *ctx, const struct wick_hprof_frame *f);
    /* n frames' ids begin at `at` */
    int (*trace)(void *ctx, uint32_t serial, uint32_t thread, uint32_t n, uint64_t at);
    int (*root)(void *ctx, const struct wick_hprof_root *r);
    /* A root of the kind THREAD, after _root. */
    int (*thread)(void *ctx, uint64_t id, uint32_t serial, uint32_t trace);
    int (*class_dump)(void *ctx, const struct wick_hprof_class *c);
    int (*object)(void *ctx, const struct wick_hprof_object *o); /* also classes, of kind CLASS */
};

/* Bytes of a value of a type; 0 if there is no such type. */
unsigned wick_hprof_size(const struct wick_hprof *h, unsigned type);

/* Reads the head of the file. 0 or -WICK_E_FORMAT with a sentence. */
int wick_hprof_open(struct wick_hprof *h, const struct wick_heap_file *file, const char *name, struct wick_err *err);

/* Reads all records. 0, what a visitor's function returned, or -WICK_E_FORMAT or _IO saying where and what. */
int wick_hprof_scan(const struct wick_hprof *h, struct wick_heap_view *v, const struct wick_hprof_visitor *visitor,
                    struct wick_err *err);

/* The object whose sub-record is at `at` (from a scan). 0 or -WICK_E_FORMAT. */
int wick_hprof_object_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t at,
                         struct wick_hprof_object *o);

/* The class whose sub-record is at `at`. 0 or -WICK_E_FORMAT. */
int wick_hprof_class_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t at, struct wick_hprof_class *c);

/* The static or instance field described at *at, which moves to the next one. 0 or -WICK_E_FORMAT. */
int wick_hprof_static_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t *at,
                         struct wick_hprof_field *f);
int wick_hprof_field_at(const struct wick_hprof *h, struct wick_heap_view *v, uint64_t *at, struct wick_hprof_field *f);

static inline uint32_t wick_hprof_u4(const uint8_t *p)
{
    uint32_t v;
    __builtin_memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}

static inline uint64_t wick_hprof_u8(const uint8_t *p)
{
    uint64_t v;
    __builtin_memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}

static inline uint64_t wick_hprof_id(const struct wick_hprof *h, const uint8_t *p)
{
    return h->id_size == 8 ? wick_hprof_u8(p) : wick_hprof_u4(p);
}

#endif
