/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_finalizable.c - whether what collections have to copy are objects with a finalize() method
 *
 *     app.Lane.next -> app.LaneScan.<init> -> app.Scan.<init> -> java.lang.Object.<init> -> Finalizer.register
 *     \_ maker          \_ whose finalize() it is: the constructor nearest to the root
 *
 * Such an object is registered when it is made, which is a call of the JVM and takes a lock. A collection that finds it
 * dead keeps it, and all that it refers to, for its finalizer, so that it lives until the next one at least, whatever
 * its method does: many of them fill the young generation, and then the old one. Registration is all that samples show
 * of it: the method itself may be empty.
 */
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "model/name.h"

#define SAMPLES_LEAST 3 /* of registration: a few such objects are made by any program */

/* Whether the frame is where an object is registered: the JDK's method, or the stub through which compiled code calls
 * the JVM for it. */
static bool registers(const struct wick_profile *p, uint32_t stack)
{
    const struct wick_function *f = &p->functions[wick_explain_function_at(p, stack)];
    const char *name = wick_profile_str(p, f->name);
    if (wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind))
        return !strcmp(name, "register") && !strcmp(wick_profile_str(p, f->class_name), "java/lang/ref/Finalizer");
    return strstr(name, "register_finalizer") != NULL;
}

/* The constructor's frame of the class with the method, 0 = no such object is made there; *maker: who calls it. */
static uint32_t made_at(const struct wick_profile *p, uint32_t stack, uint32_t *maker)
{
    uint32_t s = stack, constructor = 0;
    while (s && !registers(p, s))
        s = p->stacks[s].parent;
    for (; s; s = p->stacks[s].parent) {
        const struct wick_function *f = &p->functions[wick_explain_function_at(p, s)];
        if (!wick_frame_kind_is_java(p->frames[p->stacks[s].frame].kind) || registers(p, s))
            continue;
        *maker = p->stacks[s].frame;
        if (strcmp(wick_profile_str(p, f->name), "<init>") != 0)
            break;
        constructor = p->stacks[s].frame;
    }
    return constructor;
}

void wick_explain_say_finalizable(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_explain_facts *f = x->f;
    uint32_t constructor = 0, maker = 0;
    int64_t most = 0;
    size_t n = 0;
    for (size_t i = 0; r && i < f->nwall + f->ncpu; i++) {
        const struct wick_explain_sample *s = i < f->nwall ? &f->wall[i] : &f->cpu[i - f->nwall];
        uint32_t by = 0, at = made_at(f->p, s->stack, &by);
        n += at != 0;
        if (at && s->weight_ns > most) {
            constructor = at;
            maker = by;
            most = s->weight_ns;
        }
    }
    if (n < SAMPLES_LEAST)
        return;
    const char *class_name = wick_profile_str(f->p, f->p->functions[f->p->frames[constructor].function].class_name);
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_name_add_class(&name, class_name, strlen(class_name), 0);
    wick_explain_say(x, r, "finalizable", name.buf);
    wick_strbuf_release(&name);
    wick_explain_say_frame(x, r, "maker", maker);
    r->advice =
        "take finalize() out of that class: close such objects where they are used (AutoCloseable), with a Cleaner "
        "for those that own something outside of the heap; an empty finalize() costs the same";
}
