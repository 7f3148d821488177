/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.h - what a heap dump says besides objects: names, classes, threads and their stacks
 *
 * Of strings only the place in the file is kept, and the text of those that name something. A class's fields are read
 * again from its record when they are needed; only where its references lie in an instance is kept, and that is found
 * when the first instance is seen, so that a file of classes without instances makes nothing large.
 *
 * Sizes. A dump does not say how many bytes an object takes in the heap, only what its fields hold, with references as
 * long as ids. But objects lie one behind the other and so are dumped: see sizes.c.
 *
 * What an object refers to, for retention: the referents of soft, weak, phantom and final references are left out, as
 * they do not keep anything alive. Those of soft references count if that is asked for (`soft`): they are alive until
 * memory is short.
 *
 * Memory:  malloc; freed by wick_heap_classes_release. In proportion to the file's strings and classes.
 */
#ifndef WICK_HEAP_CLASSES_H
#define WICK_HEAP_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "heap/hprof.h"
#include "heap/stretches.h"
#include "model/hash.h"

enum { WICK_HEAP_SUPERCLASSES = 1024 }; /* of a class at most: a hostile dump may have a circle of them */

#define WICK_HEAP_NONE UINT32_MAX /* no class, string, object */

enum wick_heap_class_flags {
    WICK_HEAP_IS_REFERENCE = 1, /* java.lang.ref.Reference or below */
    WICK_HEAP_IS_THREAD = 2,    /* java.lang.Thread or below */
    WICK_HEAP_IS_LOADER = 4,    /* java.lang.ClassLoader or below */
    WICK_HEAP_IS_ROOT = 8,      /* its class object is a GC root */
    WICK_HEAP_HAS_LAYOUT = 16,  /* refs and bytes are known */
    WICK_HEAP_HAS_OBJECTS = 32,
    WICK_HEAP_IS_SOFT = 64, /* java.lang.ref.SoftReference or below */
};

struct wick_heap_class {
    uint64_t id, super, loader;
    uint64_t record; /* place of its CLASS_DUMP, 0 = none */
    uint32_t name;   /* number of a string, or WICK_HEAP_NONE */
    uint32_t serial; /* of LOAD_CLASS */
    uint32_t size;   /* bytes of an instance in the heap, 0 = not known */
    uint32_t bytes;  /* of the fields of an instance in the dump */
    uint32_t *refs;  /* where its references lie in those, rising */
    uint32_t nrefs;
    uint32_t statics;        /* bytes of its static fields */
    uint32_t gap, gap_times; /* the least distance from an instance to the next object, and how often it was */
    uint16_t extra;          /* bytes of an instance that its fields do not account for */
    uint8_t flags;
    uint64_t objects, shallow; /* how many there are, and their bytes */
};

struct wick_heap_string {
    uint64_t id, at;
    uint32_t len;
    uint32_t text_len;
    char *text; /* NULL until it was asked for */
};

struct wick_heap_thread {
    uint32_t serial, trace;
    uint64_t id; /* of the Thread object */
};

struct wick_heap_trace {
    uint32_t serial, n;
    uint64_t at; /* of the frames' ids */
};

/* How the JVM lays out objects. */
struct wick_heap_layout {
    unsigned ref;    /* bytes of a reference in the heap */
    unsigned header; /* bytes of an object's header */
    unsigned array;  /* bytes of an array's header, its length included */
    unsigned mirror; /* bytes of a class object without static fields */
    unsigned align;  /* objects begin at multiples of so many bytes, and end there */
    bool measured;   /* else assumed */
    bool given;      /* by the dump, which has the sizes of classes' instances too */
};

/* What the distances between objects show of arrays. */
struct wick_heap_gaps {
    uint64_t last;         /* id of the object before */
    uint64_t bytes;        /* of its elements, 0 = it was no array */
    uint32_t class, refs;  /* WICK_HEAP_NONE = no instance; elements that are references */
    uint32_t array_header; /* the least that is left of a byte[] without its elements */
    uint64_t arrays, short_refs, long_refs;
};

struct wick_heap_classes {
    const struct wick_hprof *hprof;
    bool soft;                   /* referents of soft references count as well; set before the first layout */
    struct wick_heap_class *all; /* in order of their first mention */
    uint32_t n, cap;
    struct wick_index by_id;
    struct wick_heap_string *strings; /* by id */
    size_t nstrings, strings_cap;
    struct wick_heap_thread *threads; /* by serial */
    size_t nthreads, threads_cap;
    struct wick_heap_trace *traces; /* by serial */
    size_t ntraces, traces_cap;
    struct wick_hprof_frame *frames; /* by id */
    size_t nframes, frames_cap;
    struct wick_heap_layout layout;
    struct wick_heap_gaps gaps;
    uint64_t ids, nids;                   /* all objects' ids, one over the other; how many */
    struct wick_heap_stretches stretches; /* while the dump is read for the first time */
    uint32_t primitive[WICK_HPROF_TYPES]; /* classes of arrays of primitives */
    uint32_t class_class;                 /* java.lang.Class */
};

/* Reads a dump for all this. 0, or -WICK_E_FORMAT, _IO, _NOMEM with a sentence. */
int wick_heap_classes_read(struct wick_heap_classes *c, const struct wick_hprof *h, struct wick_heap_view *v,
                           struct wick_err *err);
void wick_heap_classes_release(struct wick_heap_classes *c);

/* The number of a class by its id; WICK_HEAP_NONE. _make adds an unnamed one; WICK_HEAP_NONE if memory ran out. */
uint32_t wick_heap_class_find(const struct wick_heap_classes *c, uint64_t id);
uint32_t wick_heap_class_make(struct wick_heap_classes *c, uint64_t id);

/* The class of an object. For one whose class the dump does not have, WICK_HEAP_NONE. */
uint32_t wick_heap_class_of(const struct wick_heap_classes *c, const struct wick_hprof_object *o);

/* Bytes that an object takes in the heap, a multiple of 8; of a class object, with its static fields. */
uint64_t wick_heap_size_of(const struct wick_heap_classes *c, const struct wick_hprof_object *o, uint32_t class);

/* Finds where the references of a class's instances lie. 0, -WICK_E_NOMEM, or -WICK_E_FORMAT if its superclasses are
 * missing, go in a circle or have more fields than `bytes`, what an instance has of them. */
int wick_heap_class_layout(struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class, uint32_t bytes);

/* Where in an instance the field `name` of a class or its superclasses lies, and its type. False if there is none. */
bool wick_heap_class_field(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class,
                           const char *name, uint32_t *offset, unsigned *type);

/* The name of the field at an offset of an instance, appended; a static field by its number likewise. */
void wick_heap_class_field_name(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t class,
                                uint32_t offset, struct wick_strbuf *out);

/* The internal name ("java/lang/Foo"); "" and 0 bytes if there is none. */
const char *wick_heap_class_internal(const struct wick_heap_classes *c, uint32_t class, size_t *len);

/* True if that is the name. */
bool wick_heap_class_is(const struct wick_heap_classes *c, uint32_t class, const char *internal);

/* The first class of an internal name; WICK_HEAP_NONE. */
uint32_t wick_heap_class_named(const struct wick_heap_classes *c, const char *internal);

/* Appends the name as people read it: "java.lang.Foo", "int[]"; "[unknown class]" if there is none. */
void wick_heap_class_name(const struct wick_heap_classes *c, uint32_t class, struct wick_strbuf *out);

/* Appends a string of the dump by its id, read from the file. */
void wick_heap_string_add(const struct wick_heap_classes *c, struct wick_heap_view *v, uint64_t id,
                          struct wick_strbuf *out);

/* The thread of a serial number; NULL. */
const struct wick_heap_thread *wick_heap_thread_find(const struct wick_heap_classes *c, uint32_t serial);

/* Appends "acme.Pool.run(Pool.java:42)", the frame at a depth of a thread's stack. False if the dump has no such frame.
 */
bool wick_heap_frame_add(const struct wick_heap_classes *c, struct wick_heap_view *v, uint32_t thread, uint32_t depth,
                         struct wick_strbuf *out);

#endif
