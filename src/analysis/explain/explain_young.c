/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_young.c - a young generation that an option makes far too small for the heap
 *
 * Objects that would have died young are copied to the old generation, which then has to be collected as a whole. How
 * much of a heap is young is the collector's to decide, a third of it or more; a twentieth is too little for a program
 * that allocates.
 */
#include <string.h>

#include "analysis/explain/explain_arguments.h"
#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"

#define PART_MOST  0.05 /* of the heap */
#define RATE_LEAST 5.0  /* collections a second */
#define STOP_LEAST 0.10 /* of the time */

void wick_explain_young(struct wick_explain *x)
{
    static const char *const options[] = {"-Xmn", "-XX:MaxNewSize="};
    const struct wick_explain_facts *f = x->f;
    const char *word = "";
    const char *arguments = f->arguments && !f->programs_differ ? wick_profile_str(f->p, f->arguments) : "";
    int64_t young = wick_explain_size_option(arguments, options, sizeof options / sizeof *options, &word);
    bool ignored = strstr(arguments, "+UseZGC") || strstr(arguments, "+UseShenandoahGC");
    double rate = wick_explain_share((double)f->gcs * 1e9, (double)f->duration_ns);
    double stopped = wick_explain_share((double)f->pauses_ns, (double)f->duration_ns);
    if (!young || ignored || !f->heap_max || (double)young > PART_MOST * (double)f->heap_max || rate < RATE_LEAST ||
        stopped < STOP_LEAST)
        return;
    struct wick_strbuf option = WICK_STRBUF_INIT;
    wick_strbuf_add(&option, word, strcspn(word, " "));
    double cost = wick_explain_stopped(x) > (double)f->gc_ns ? wick_explain_stopped(x) : (double)f->gc_ns;
    struct wick_explain_finding *r = wick_explain_found(x, cost);
    wick_explain_say(x, r, "option", option.buf);
    wick_explain_say(x, r, "effect",
                     "leaves so little of the heap to new objects that one collection follows another, and many of "
                     "them are copied to the old generation before they die");
    wick_explain_figure(r, "collections", WICK_EXPLAIN_NUMBER, (double)f->gcs);
    wick_explain_figure(r, "rate", WICK_EXPLAIN_NUMBER, rate);
    wick_explain_figure(r, "share", WICK_EXPLAIN_SHARE, wick_explain_share((double)f->gc_ns, (double)f->got_ns));
    wick_explain_figure(r, "time", WICK_EXPLAIN_TIME, (double)f->gc_ns);
    wick_explain_say(x, r, "what", "the collector");
    if (r)
        r->advice = "leave the option out, so that the collector decides, or give a third of the heap";
    wick_strbuf_release(&option);
}
