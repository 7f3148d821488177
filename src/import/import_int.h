/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_int.h - what the importers share: where samples go, how damage is reported, lines, and guesses about names
 *
 * An importer takes its input in pieces of any size (a mapped file is one piece, a pipe many), so that nothing has to
 * be held that is not needed any more:
 *
 *     _new ... _feed _feed _feed ... _end (also frees)
 *
 * Threads: one at a time per input.
 * Memory:  see each importer.
 */
#ifndef WICK_IMPORT_IMPORT_INT_H
#define WICK_IMPORT_IMPORT_INT_H

#include "base/strbuf.h"
#include "jfr/reader/reader.h"

struct wick_import {
    struct wick_profile *p;
    const struct wick_jfr_visitor *v; /* may be NULL */
    struct wick_jfr_result *res;
};

/* Counts a malformed place and keeps the words for the first one. */
void wick_import_problem(struct wick_import *im, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Hands a sample to the visitor, or to the profile, if the filter keeps it. */
void wick_import_sample(struct wick_import *im, const struct wick_sample *s);

/* Input cut into lines. */
struct wick_lines {
    struct wick_strbuf part; /* the beginning of a line whose end has not come yet */
    uint64_t offset;         /* of the next line */
    /* Takes one line without its line break (not NUL-terminated). */
    void (*take)(void *ctx, const char *line, size_t n, uint64_t offset);
    void *ctx;
    struct wick_import *im; /* is notified of lines that are dropped */
    bool too_long;          /* the line at hand is longer than 1 MiB and is dropped */
    uint64_t dropped;       /* bytes of it so far that are not in `part` */
};

/* Feeds n bytes; and at the end what has no line break. 0 or -WICK_E_NOMEM. */
int wick_lines_feed(struct wick_lines *l, const char *data, size_t n);
void wick_lines_end(struct wick_lines *l);

/* The kind of a frame by the form of its name, which is a guess: enum wick_frame_kind. */
unsigned wick_import_guess_kind(const char *s, size_t n);

/* What a frame of collapsed stacks is: its kind by its suffix, or a guess, and the line that a Java frame may have. */
struct wick_import_frame {
    const char *name; /* in the text, or in the room */
    size_t n;
    uint32_t line; /* 0 = not known */
    unsigned kind; /* enum wick_frame_kind */
};

/* Parses one, n > 0 bytes of text; `room` holds a name that has escapes and says if memory ran out; NULL if
 * there are no escapes in the line. */
void wick_import_frame_parse(struct wick_import_frame *out, struct wick_strbuf *room, const char *text, size_t n);

/* The frame for a Java method written as one word: java.lang.Foo.bar, java/lang/Foo.bar(I)V or Foo::bar, with a
 * signature of the JVM's spelling only if `signature` is true. */
uint32_t wick_import_java(struct wick_profile *p, const char *s, size_t n, bool signature, int32_t line, unsigned kind);

/* The kind named like a frame kind (base/frame_kind.h), -1 if none is. */
int wick_import_kind_named(const char *s, size_t n);

struct wick_collapsed_in;
struct wick_perf_in;

/* Collapsed stacks, and the text of `perf script`, in pieces. _new: NULL if memory ran out; im must live until _end.
 * _feed and _end: 0 or -WICK_E_NOMEM; _end also frees. */
struct wick_collapsed_in *wick_collapsed_in_new(struct wick_import *im);
int wick_collapsed_in_feed(struct wick_collapsed_in *c, const void *data, size_t n);
int wick_collapsed_in_end(struct wick_collapsed_in *c);
struct wick_perf_in *wick_perf_in_new(struct wick_import *im);
int wick_perf_in_feed(struct wick_perf_in *c, const void *data, size_t n);
int wick_perf_in_end(struct wick_perf_in *c);
/* True if this text begins as the output of `perf script` does. */
bool wick_perf_in_is(const char *text, size_t n);

/* A whole pprof profile, uncompressed. 0, -WICK_E_FORMAT (nothing in it could be used) or _NOMEM. */
int wick_pprof_in_read(struct wick_import *im, const void *data, size_t n);
/* True if this is the beginning of one. */
bool wick_pprof_in_is(const void *data, size_t n);

#endif
