/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content_id.h - what symbols, frames and stacks are called outside of one profile
 *
 * Numbers in a profile say in which order things were first seen. A content id is a digest of what the thing is: the
 * same in every process, on every machine and in every run, so that a program that keeps several recordings (a
 * store, a fleet's collector) can join them without comparing texts. Ids are digests (base/blake2s.h) over
 *
 *     symbol   "wick.sym"   length and bytes of the class's name, of the name, of the signature
 *     frame    "wick.frm"   the symbol's id, line, bytecode index, length and bytes of the kind's name (def/frame.def)
 *     stack    "wick.stk"   the id of the stack without its leaf, the leaf's id
 *
 * where lengths and numbers are 32 bits, lowest byte first. The empty stack and the frame and symbol "none" (number 0)
 * have the id of zeros. A kind goes in by its name, because numbers of kinds may move between versions while names in
 * recordings stay. Changing any of this changes every id that was ever stored: it takes new names of domains, and
 * tests/unit/test_merge.c holds ids that must not change.
 *
 * Collisions. Among n different things the chance that any two have one id is below n^2 / 2^129: for 10^12 stacks,
 * more than a fleet sees in years, about 2 in 10^15. On purpose it takes some 2^64 attempts. So equal ids are taken
 * for equal things.
 *
 * Ids are of what the profile keeps: with coarser frames (wick_profile.keep) ids differ. A program that stores ids
 * keeps WICK_KEEP_ALL, or always the same set.
 *
 * Threads: one at a time; the result may be read by all.
 * Memory:  16 bytes for each function, frame and stack of the profile; freed by wick_content_ids_release.
 */
#ifndef WICK_MODEL_CONTENT_ID_H
#define WICK_MODEL_CONTENT_ID_H

#include "base/blake2s.h"
#include "model/profile.h"

struct wick_content_id {
    uint8_t bytes[WICK_BLAKE2S_BYTES];
};

struct wick_content_ids {
    struct wick_content_id *functions, *frames, *stacks; /* by number; as many as the profile had */
};

/* The ids of all that p holds now. 0 or -WICK_E_NOMEM. */
int wick_content_ids_init(struct wick_content_ids *ids, const struct wick_profile *p);
void wick_content_ids_release(struct wick_content_ids *ids);

/* Less than, equal to or greater than 0: an order that no run and no machine changes. */
static inline int wick_content_id_compare(const struct wick_content_id *a, const struct wick_content_id *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

#endif
