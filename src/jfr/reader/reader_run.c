/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_run.c - runs of events of one type
 *
 * Recordings are millions of samples of one type in a row. Taken one by one, each costs some 70 cycles, most of them
 * for branches that cannot be foreseen: whether a key has one byte or two is practically random. Within a run nothing
 * branches on lengths. Size and type are compared as one word with those of the event before; an integer's end is the
 * first byte without the top bit, found in a word by counting zeros, and its bytes are squeezed together whatever their
 * number. All that the next event waits for is the size of the one before it.
 *
 *     | size, below 128 | type: `head` bytes with the size | `before` integers | key of the stack | state | ...
 *
 * Any other form ends the run and goes the ordinary way: another type, a longer event, an unknown stack, a state that
 * may mean another kind of sample. So whatever a run takes counts as if taken one by one.
 */
#include "jfr/reader/reader_int.h"

/* Runs end this far before the chunk does: every event that begins before is whole, and so is a word behind any of its
 * fields. */
#define TAIL 160u

struct run {
    uint64_t tag, mask; /* the first bytes of an event, and which of their bits count */
    unsigned head;
    const uint8_t *at, *limit;
};

static uint64_t word_at(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* The events behind e that begin like it. False if there can be none. */
static bool run_begin(const struct wick_jfr_reader *r, const struct wick_jfr_place *e, struct run *run)
{
    const uint8_t *first = r->base + e->at;
    if (r->len < TAIL || e->at + e->size >= r->len - TAIL || *first >= 0x80 || e->type_end - first > 8)
        return false;
    run->head = (unsigned)(e->type_end - first);
    run->mask = (run->head == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * run->head) - 1) & ~(uint64_t)0x7f;
    run->tag = word_at(first) & run->mask;
    run->at = first + e->size;
    run->limit = r->base + r->len - TAIL;
    const uint8_t *pause = wick_jfr_released(r) + WICK_JFR_RELEASE_STEP;
    if (r->mapped && pause < run->limit)
        run->limit = pause;
    return true;
}

/* The run ends here: e becomes as long as all of it. */
static void run_end(const struct wick_jfr_reader *r, const struct run *run, struct wick_jfr_place *e)
{
    e->size = (uint64_t)(run->at - r->base) - e->at;
}

uint64_t wick_jfr_skip_run(const struct wick_jfr_reader *r, struct wick_jfr_place *e)
{
    struct run run;
    uint64_t n = 0;
    if (!run_begin(r, e, &run))
        return 0;
    const uint8_t *p = run.at;
    for (; p < run.limit; n++) {
        uint64_t w = word_at(p);
        if ((w & run.mask) != run.tag || (w & 0x7f) < run.head)
            break;
        p += w & 0x7f;
    }
    run.at = p;
    run_end(r, &run, e);
    return n;
}

void wick_jfr_run_describe(struct wick_jfr_handler *h)
{
    const struct wick_jfr_op *op = h->plan.ops, *end = op + h->plan.nops;
    h->run_before = 0;
    h->may_run = false;
    if (!h->plan.only_ints || h->same_weight < 0)
        return;
    if (op < end && op->code == WICK_JFR_OP_SKIP_INTS)
        h->run_before = op++->n;
    if (op == end || op->code != WICK_JFR_OP_INT || op->slot != WICK_JFR_STACK || op->n)
        return;
    h->run_state = ++op < end && op->code == WICK_JFR_OP_INT && op->slot == WICK_JFR_STATE && !op->n;
    h->may_run = h->run_before < 8 && op + h->run_state == end && h->run_state >= h->may_be_wall;
}

uint64_t wick_jfr_sum_run(struct wick_jfr_reader *r, struct wick_jfr_handler *h, struct wick_jfr_place *e)
{
    struct run run;
    uint64_t n = 0;
    if (!h->may_run || (h->may_be_wall && !h->cpu_state) || !run_begin(r, e, &run))
        return 0;
    const struct wick_jfr_pool *pool = &r->pools[r->meta.types[h->stack_type].pool];
    const uint64_t min_key = pool->min_key, ndirect = pool->ndirect, *direct = pool->direct;
    const uint32_t before = h->run_before;
    const bool has_state = h->run_state, one_state = h->may_be_wall;
    const uint8_t *p = run.at;
    for (; p < run.limit; n++) {
        uint64_t w = word_at(p);
        const uint8_t *next = p + (w & 0x7f), *field = p + run.head;
        if ((w & run.mask) != run.tag)
            break;
        if (before) {
            uint64_t stop = ~word_at(field) & WICK_JFR_HIGH_BITS;
            for (uint32_t i = 1; i < before; i++)
                stop &= stop - 1;
            if (!stop)
                break;
            field += ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
        }
        uint64_t key = word_at(field), stop = ~key & WICK_JFR_HIGH_BITS;
        if (!stop)
            break;
        field += ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
        uint64_t at = wick_jfr_squeeze(key & (stop ^ (stop - 1))) - min_key;
        if (at >= ndirect || !direct[at] || field + has_state > next)
            break;
        if (has_state && (*field >= 0x80 || (one_state && *field != h->cpu_state)))
            break;
        h->sums[at].count++;
        p = next;
    }
    run.at = p;
    run_end(r, &run, e);
    r->res->samples += n;
    return n;
}
