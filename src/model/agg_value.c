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

/* "com.example.shop" of "com/example/shop/Cart$$Lambda/0x7f.."; false if no frame is of Java. */
static bool add_package(struct wick_strbuf *out, const struct wick_profile *p, uint32_t stack)
{
    while (stack && !wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind))
        stack = p->stacks[stack].parent;
    if (!stack)
        return false;
    const char *name = wick_profile_str(p, p->functions[p->frames[p->stacks[stack].frame].function].class_name);
    const char *hidden = strstr(name, "$$"), *end = hidden ? hidden : name + strlen(name);
    while (end > name && end[-1] != '/' && end[-1] != '.')
        end--;
    if (end == name)
        wick_strbuf_adds(out, "default package");
    for (; name + 1 < end; name++)
        wick_strbuf_addc(out, *name == '/' ? '.' : *name);
    return true;
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
    if (!strcmp(key, "package"))
        return add_package(out, p, a->stack);
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
