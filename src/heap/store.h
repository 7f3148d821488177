/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the large arrays of an analysis, in memory or in unnamed temporary files
 *
 * Each array has a number of bytes for each object of the dump. As long as all that are known to be needed fit into the
 * limit they are ordinary memory. If not, those that rest between two uses are mapped from temporary files in $TMPDIR:
 * parked, they take no memory of the process, and the kernel may write them out. Loops over many objects call _relieve,
 * which parks all files when the process has more in memory than the limit: what is needed again comes back page by
 * page.
 *
 * Memory:  mmap; freed by _free. The files have no name and are removed with the process.
 */
#ifndef WICK_HEAP_STORE_H
#define WICK_HEAP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { WICK_HEAP_STORE_FILES = 24, WICK_HEAP_STORE_LOOK = 1 << 14 /* calls of _relieve until it checks */ };

struct wick_heap_array {
    void *p;
    size_t bytes;
    bool in_file;
};

struct wick_heap_store {
    uint64_t limit;                                      /* bytes of memory for arrays; 0 = as many as it takes */
    uint64_t used;                                       /* of memory, not of files */
    bool tight;                                          /* what is needed does not fit: arrays that rest go to files */
    uint32_t calls;                                      /* of _relieve */
    struct wick_heap_array files[WICK_HEAP_STORE_FILES]; /* those there are; p = NULL: free */
};

/* Says how many bytes will be needed at once. */
void wick_heap_store_expect(struct wick_heap_store *s, uint64_t bytes);

/* A new array of zeros in *a (freed already). rests = it will be parked at times. -WICK_E_NOMEM, _NOSPACE, _IO with a
 * sentence. */
int wick_heap_store_new(struct wick_heap_store *s, struct wick_heap_array *a, uint64_t n, size_t size, bool rests,
                        struct wick_err *err);

/* Gives back what lies behind the first `bytes`. */
void wick_heap_store_trim(struct wick_heap_store *s, struct wick_heap_array *a, size_t bytes);

/* Parks all arrays that are in files if the process has more in memory than the limit; for _relieve. */
void wick_heap_store_look(struct wick_heap_store *s);

/* To be called for each object in loops over many. */
static inline void wick_heap_store_relieve(struct wick_heap_store *s)
{
    if (!(++s->calls % WICK_HEAP_STORE_LOOK))
        wick_heap_store_look(s);
}

/* The array is not used for a while. */
void wick_heap_store_park(const struct wick_heap_array *a);

/* Frees an array, which may be none. */
void wick_heap_store_free(struct wick_heap_store *s, struct wick_heap_array *a);

static inline uint32_t *wick_heap_u32(const struct wick_heap_array *a)
{
    return a->p;
}

static inline uint64_t *wick_heap_u64(const struct wick_heap_array *a)
{
    return a->p;
}

#endif
