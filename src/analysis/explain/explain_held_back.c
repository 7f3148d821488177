/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_held_back.c - who wrote what Nagle's algorithm holds back while threads wait
 *
 * As writes are short, perhaps no sample shows them. Where many are seen, and none of them by those who wait, these
 * read what comes while others write: what is held back is not what they wait for.
 */
#include <stdlib.h>

#include "analysis/explain/explain_int.h"

#define OTHERS_LEAST 8 /* samples of writes to sockets */

/* Where the threads that wait there write to sockets, most first. Returns how many writes of others samples show. */
static size_t writes_of(struct wick_explain *x, const struct wick_explain_place *at, struct wick_explain_places *out)
{
    const struct wick_explain_facts *f = x->f;
    bool *waits = calloc(f->p->nthreads + 1, sizeof *waits);
    size_t others = 0;
    x->f->failed |= !waits;
    for (size_t i = 0; waits && i < f->nwall; i++)
        waits[f->wall[i].thread] |= f->wall[i].thread && x->waits[i].kind == at->kind && x->waits[i].stack &&
                                    wick_explain_function_at(f->p, x->waits[i].stack) == at->function;
    for (size_t i = 0; waits && i < f->nwall + f->ncpu; i++) {
        const struct wick_explain_sample *s = i < f->nwall ? &f->wall[i] : &f->cpu[i - f->nwall];
        struct wick_wait w = wick_explain_wait_at(x, s->stack);
        if (w.kind != WICK_WAIT_SOCKET_WRITE || !w.stack)
            continue;
        if (waits[s->thread])
            wick_explain_places_add(x, out, w, s->weight_ns, 0);
        else
            others++;
    }
    wick_explain_places_sort(out);
    free(waits);
    return others;
}

bool wick_explain_may_write(struct wick_explain *x, const struct wick_explain_place *at)
{
    struct wick_explain_places writes = {0};
    bool good = writes_of(x, at, &writes) < OTHERS_LEAST || writes.n;
    free(writes.rows);
    return good;
}

void wick_explain_say_writer(struct wick_explain *x, struct wick_explain_finding *r,
                             const struct wick_explain_place *at)
{
    struct wick_explain_places writes = {0};
    writes_of(x, at, &writes);
    if (writes.n)
        wick_explain_say_frame(x, r, "writer", wick_explain_frame_at(x->f->p, writes.rows[0].stack));
    free(writes.rows);
}
