/* SPDX-License-Identifier: Apache-2.0 */
#include "model/agg_value.h"

#include <inttypes.h>
#include <string.h>

#include "model/classify.h"

static bool add_text(struct wick_strbuf *out, const struct wick_profile *p, uint32_t string)
{
    wick_strbuf_add(out, p->strings[string].s, p->strings[string].len);
    return p->strings[string].len > 0;
}

bool wick_agg_value(struct wick_strbuf *out, const struct wick_profile *p, const struct wick_agg *a, const char *key)
{
    const struct wick_label_set *set = &p->label_sets[a->labels];
    for (uint32_t i = set->first; i < set->first + set->n; i++)
        if (!strcmp(wick_profile_str(p, p->labels[i].key), key))
            return add_text(out, p, p->labels[i].value);
    const struct wick_thread *t = &p->threads[a->thread];
    if (!strcmp(key, "thread"))
        return add_text(out, p, t->name);
    if (!strcmp(key, "state"))
        return add_text(out, p, p->states[a->state]);
    if (!strcmp(key, "event"))
        return add_text(out, p, p->events[a->event].name);
    if (!strcmp(key, "kind"))
        wick_strbuf_adds(out, wick_frame_kind_name(p->frames[p->stacks[a->stack].frame].kind));
    else if (!strcmp(key, "work"))
        wick_strbuf_adds(out, wick_work_name(wick_classify(p, a->stack, a->thread)));
    else if (!strcmp(key, "tid") && (t->os_tid || t->java_tid))
        wick_strbuf_addf(out, "%" PRId64, t->os_tid ? t->os_tid : t->java_tid);
    else
        return false;
    return true;
}
