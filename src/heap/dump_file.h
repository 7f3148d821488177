/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_file.h - the bytes of a heap dump, read through windows
 *
 * A dump may be larger than memory, so it is neither loaded nor mapped: a view keeps a window of it, which follows the
 * reads. What is resident is what was allocated, and a dump that shrinks while it is read is an error and no signal. A
 * gzip'ed dump, and one from a pipe, is unpacked into an unnamed temporary file in $TMPDIR first, since
 * objects are read in the order of their references.
 *
 * Threads: a file any, a view one at a time.
 * Memory:  a view's window; the temporary file is removed when it is closed.
 */
#ifndef WICK_HEAP_DUMP_FILE_H
#define WICK_HEAP_DUMP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WICK_HEAP_VIEW_MOST 65536u /* most bytes asked for at once */

struct wick_heap_file {
    int fd;              /* -1 = in memory */
    const uint8_t *data; /* in memory */
    uint64_t size;
};

struct wick_heap_view {
    const struct wick_heap_file *file;
    uint64_t base; /* of the window */
    size_t have;   /* bytes in it */
    size_t step;   /* bytes that a read asks for */
    uint8_t *window;
    int error; /* errno of a read that failed, 0 = beyond the end */
};

/* Opens a dump: "-" is standard input. 0, or -WICK_E_NOTFOUND, _PERM, _IO, _NOSPACE, _FORMAT (damaged gzip), _NOMEM
 * with a sentence. */
int wick_heap_file_open(struct wick_heap_file *f, const char *path, struct wick_err *err);

/* The same for a descriptor, which is the file's from then on, also on failure. */
int wick_heap_file_adopt(struct wick_heap_file *f, int fd, const char *name, struct wick_err *err);

/* Closes the descriptor. */
void wick_heap_file_close(struct wick_heap_file *f);

/* An unnamed file for reading and writing in $TMPDIR or /tmp. The descriptor, or -WICK_E_* with a sentence. */
int wick_heap_file_temp(struct wick_err *err);

/* A view whose reads take `step` bytes at least: many where the file is read from front to back, few where it is
 * jumped about in. -WICK_E_NOMEM. */
int wick_heap_view_init(struct wick_heap_view *v, const struct wick_heap_file *file, size_t step);
void wick_heap_view_release(struct wick_heap_view *v);

/* Moves the window; for _at. */
const uint8_t *wick_heap_view_move(struct wick_heap_view *v, uint64_t at, size_t len);

/* len (at most WICK_HEAP_VIEW_MOST) bytes at `at`, valid until the next call; NULL beyond the end or unreadable. */
static inline const uint8_t *wick_heap_view_at(struct wick_heap_view *v, uint64_t at, size_t len)
{
    if (at >= v->base && at - v->base <= v->have && len <= v->have - (size_t)(at - v->base))
        return v->window + (at - v->base);
    return wick_heap_view_move(v, at, len);
}

#endif
