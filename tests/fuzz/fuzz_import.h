/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_import.h - what must hold for a profile, whatever it was read from
 *
 * Threads: one.
 * Memory:  none.
 */
#ifndef WICK_TESTS_FUZZ_FUZZ_IMPORT_H
#define WICK_TESTS_FUZZ_FUZZ_IMPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "export/format.h"
#include "import/import_int.h"

static inline void need(bool ok)
{
    if (!ok)
        abort();
}

static inline void fuzz_take(void *ctx, const struct wick_sample *s)
{
    struct wick_profile *p = ctx;
    need(s->stack < p->nstacks && s->thread < p->nthreads && s->state < p->nstates && s->event < p->nevents);
    wick_profile_add(p, s);
}

/* Every number exists, parents come before children, and every format can be written. */
static inline void fuzz_check(const struct wick_profile *p, const struct wick_jfr_result *res, size_t size)
{
    static FILE *null;
    need((res->problems == 0) == (res->first[0] == 0) && res->filtered == 0);
    for (uint32_t i = 1; i < p->nfunctions; i++) {
        const struct wick_function *f = &p->functions[i];
        need(f->class_name < p->nstrings && f->name < p->nstrings && f->signature < p->nstrings);
    }
    for (uint32_t i = 1; i < p->nframes; i++)
        need(p->frames[i].function < p->nfunctions && p->frames[i].kind < WICK_FRAME_KIND_COUNT);
    for (uint32_t i = 1; i < p->nstacks; i++)
        need(p->stacks[i].parent < i && p->stacks[i].frame && p->stacks[i].frame < p->nframes);
    if (!null)
        null = fopen("/dev/null", "w");
    struct wick_export_options o = {.names = WICK_NAME_ANNOTATE | WICK_NAME_LINES | WICK_NAME_SIGNATURES};
    for (const struct wick_format *f = wick_format_table; null && f->name && size < 4096; f++)
        f->write(p, &o, null, NULL);
}

#endif
