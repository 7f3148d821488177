/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut_int.h - what the two halves of cutting share (not for other modules)
 *
 * Threads: one at a time.
 * Memory:  the arrays are kept from chunk to chunk and freed by whoever made the cutter.
 */
#ifndef WICK_JFR_CUT_INT_H
#define WICK_JFR_CUT_INT_H

#include "jfr/cut.h"
#include "jfr/reader_int.h"

/* A constant that is needed: its pool, and its slot there. */
struct wick_jfr_need {
    uint64_t slot;
    uint32_t pool;
};

struct wick_jfr_cutter {
    const struct wick_jfr_cut *cut;
    struct wick_jfr_cut_result *made;

    /* The chunk. */
    uint64_t *stays; /* a bit for each event in the order of the file */
    uint64_t nevents, cap_events;
    uint64_t chosen;  /* events that stay and are no facts */
    uint64_t kept;    /* events that stay */
    uint64_t samples; /* of them */
    uint64_t bytes;   /* of them */
    int64_t latest_ns;
    struct wick_jfr_need *needs;
    uint32_t nneeds, cap_needs;
    uint8_t *leads; /* by type: whether its values can lead to constants */
    uint32_t cap_leads;
};

/* cut_const.c */
/* Notes the constants that an event, its cursor behind the type, leads to directly. False if it is malformed. */
bool wick_jfr_need_event(struct wick_jfr_reader *r, const struct wick_jfr_type *t, struct wick_jfr_cur *c);
/* Forgets the last chunk; false if memory ran out. */
bool wick_jfr_needs_begin(struct wick_jfr_reader *r);
/* Adds the constants that those noted lead to, and puts all into the order in which they are written. */
void wick_jfr_needs_complete(struct wick_jfr_reader *r);
/* The checkpoint event that holds them: its size, and the event itself. */
uint64_t wick_jfr_checkpoint_size(struct wick_jfr_reader *r);
void wick_jfr_checkpoint_write(struct wick_jfr_reader *r, FILE *out);

#endif
