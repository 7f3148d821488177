/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut_int.h - what the two halves of cutting share (not for other modules)
 *
 * Memory:  the arrays are kept from chunk to chunk and freed by the owner of the cutter.
 */
#ifndef WICK_JFR_CUT_CUT_INT_H
#define WICK_JFR_CUT_CUT_INT_H

#include "jfr/cut/cut.h"
#include "jfr/reader/reader_int.h"

/* A constant that is needed: its pool, and its slot there. */
struct wick_jfr_need {
    uint64_t slot;
    uint32_t pool;
};

/* What --compat writes anew: CPU samples, wall-clock samples, and what readers sum by a field of its own. */
enum wick_jfr_even_sort { WICK_JFR_EVEN_CPU, WICK_JFR_EVEN_WALL, WICK_JFR_EVEN_FIELD, WICK_JFR_EVEN_SORTS };

/* Samples of one sort, written so that each stands for an interval. */
struct wick_jfr_even {
    int64_t period_ns;    /* of the settings, 0 = not known */
    int64_t carry_ns;     /* of weights so far that is in no event yet, or less than 0: that was too much */
    int64_t unit_rest_ns; /* of intervals written that their weights' unit could not express */
};

struct wick_jfr_cutter {
    struct wick_jfr_instead instead; /* first */
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
    struct wick_jfr_even even[WICK_JFR_EVEN_SORTS];       /* goes on from chunk to chunk */
    struct wick_jfr_even even_begin[WICK_JFR_EVEN_SORTS]; /* the same where the chunk begins */
};

static inline struct wick_jfr_cutter *wick_jfr_cutter_of(const struct wick_jfr_reader *r)
{
    return (struct wick_jfr_cutter *)r->instead;
}

/* cut_even.c */
/* What goes with a sample's type if its events are to be rewritten, otherwise NULL. */
struct wick_jfr_even *wick_jfr_even_of(struct wick_jfr_reader *r, const struct wick_jfr_handler *h);
/* Writes what becomes of an event, its cursor behind the type; out = NULL: nothing. Returns the bytes, 0 = nothing is
 * due. */
uint64_t wick_jfr_even_write(struct wick_jfr_reader *r, const struct wick_jfr_handler *h, struct wick_jfr_even *e,
                             struct wick_jfr_cur c, FILE *out, uint64_t *events);

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
