/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense_ids.h - small dense ids for strings and for numbers (internal to jfr/)
 *
 * Constant pools need ids that are small, since every use of one costs its bytes, and each constant once per
 * chunk. Both tables give a key its id at first sight: 1, 2, 3, …; 0 means failure (or "none"). `count` is the last id
 * given, `flushed` the last id whose constant is on disk: the constants of a flush are those between.
 *
 * The number in the file is not that id itself. A JDK reader that meets in a chunk a constant's number that the chunk
 * before had takes the earlier constant for it (ConstantLookup.getPreviousResolved), so neighbouring chunks must have
 * no numbers in common: `numbering` maps ids to numbers that the chunk before did not use, the smallest there are.
 * wick_jfr_number() at every place where one is written.
 *
 * Memory:  malloc, growing by doubling; _clear keeps it, _release frees it but for the numbering. An all-zero struct is
 * an empty table.
 */
#ifndef WICK_JFR_FORMAT_DENSE_IDS_H
#define WICK_JFR_FORMAT_DENSE_IDS_H

#include <stddef.h>
#include <stdint.h>

struct wick_jfr_numbering {
    uint32_t offset;            /* number = id + offset, */
    uint32_t skip_at, skip_len; /* and from skip_at on, skip_len more */
};

struct wick_jfr_name {
    uint32_t hash, len;
    size_t offset; /* in text */
};

struct wick_jfr_names {
    uint32_t count, flushed;
    struct wick_jfr_numbering numbering;
    struct wick_jfr_name *entries; /* [id - 1] */
    uint32_t *slots;               /* open addressing, ids; 0 = free */
    uint32_t capacity;             /* of slots, a power of two; entries has half of it */
    char *text;
    size_t text_len, text_cap;
    uint64_t secret[2]; /* of the hash, drawn for the first name */
};

struct wick_jfr_ids {
    uint32_t count, flushed;
    struct wick_jfr_numbering numbering;
    uint32_t *keys; /* [id - 1] */
    uint32_t *slots;
    uint32_t capacity;
};

/* The number that stands for an id in the file; 0 (null) for 0. */
static inline uint32_t wick_jfr_number(const struct wick_jfr_numbering *n, uint32_t id)
{
    uint32_t number = id ? id + n->offset : 0;
    return n->skip_len && number >= n->skip_at ? number + n->skip_len : number;
}

/* The numbering for the chunk after one that used ids 1 to count. */
struct wick_jfr_numbering wick_jfr_next_numbering(const struct wick_jfr_numbering *n, uint32_t count);

/* The id of the n bytes at s, given now if they are new. 0: out of memory, the table is as before. */
uint32_t wick_jfr_names_add(struct wick_jfr_names *t, const char *s, size_t n);

/* The bytes of an id that was given; borrowed until the next _add. */
const char *wick_jfr_names_get(const struct wick_jfr_names *t, uint32_t id, size_t *len);

/* Empties the table; the numbering stays. */
void wick_jfr_names_clear(struct wick_jfr_names *t);
void wick_jfr_names_release(struct wick_jfr_names *t);
size_t wick_jfr_names_bytes(const struct wick_jfr_names *t);

/* The id of a number, given now if it is new. 0: out of memory, the table is as before. */
uint32_t wick_jfr_ids_add(struct wick_jfr_ids *t, uint32_t key);

/* The key of an id that was given. */
static inline uint32_t wick_jfr_ids_key(const struct wick_jfr_ids *t, uint32_t id)
{
    return t->keys[id - 1];
}

/* Empties the table; the numbering stays. */
void wick_jfr_ids_clear(struct wick_jfr_ids *t);
void wick_jfr_ids_release(struct wick_jfr_ids *t);
size_t wick_jfr_ids_bytes(const struct wick_jfr_ids *t);

#endif
