/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_finalizable.c - whether what collections have to copy are objects with a finalize() method
 *
 *     app.Lane.next -> app.LaneScan.<init> -> app.Scan.<init> -> java.lang.Object.<init> -> Finalizer.register
 *     \_ maker          \_ outermost           \_ innermost constructor
 *
 * Such an object is registered when it is made, which is a call of the JVM and takes a lock, unless its method is
 * empty. A collection that finds it dead keeps it, and all that it refers to, for its finalizer, so that it lives until
 * the next one at least, whatever its method does: many of them fill the young generation, and then the old one. What
 * samples show of it is the registration. Whether one constructor calls that of its superclass, or makes another
 * object, they do not show, so both ends of such a chain are named; above a class of the JDK only that.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/strbuf.h"
#include "base/sum.h"
#include "model/name.h"

#define SAMPLES_LEAST 3
#define TIME_LEAST    0.01  /* of the recording: in registration; a few such objects are made by any program */
#define CPU_LEAST     0.003 /* of the recording: of the thread that runs their methods */

/* Where an object is registered; 0 = it is not there. */
struct made {
    uint32_t innermost, outermost, maker; /* frames: of constructors, and of who calls the latter */
};

static const char *class_of(const struct wick_profile *p, uint32_t frame)
{
    return wick_profile_str(p, p->functions[p->frames[frame].function].class_name);
}

/* Whether the frame is where an object is registered: the JDK's method, or the stub through which compiled code calls
 * the JVM for it. */
static bool registers(const struct wick_profile *p, uint32_t frame)
{
    const char *name = wick_profile_str(p, p->functions[p->frames[frame].function].name);
    if (wick_frame_kind_is_java(p->frames[frame].kind))
        return !strcmp(name, "register") && !strcmp(class_of(p, frame), "java/lang/ref/Finalizer");
    return strstr(name, "register_finalizer") != NULL;
}

static struct made made_at(const struct wick_profile *p, uint32_t stack)
{
    uint32_t s = stack;
    struct made m = {0};
    while (s && !registers(p, p->stacks[s].frame))
        s = p->stacks[s].parent;
    for (; s; s = p->stacks[s].parent) {
        uint32_t frame = p->stacks[s].frame;
        if (!wick_frame_kind_is_java(p->frames[frame].kind) || registers(p, frame))
            continue;
        bool constructor = !strcmp(wick_profile_str(p, p->functions[p->frames[frame].function].name), "<init>");
        if (constructor && !strcmp(class_of(p, frame), "java/lang/Object"))
            continue;
        m.maker = frame;
        if (!constructor ||
            (m.outermost && wick_name_is_jdk(class_of(p, m.outermost)) && !wick_name_is_jdk(class_of(p, frame))))
            break;
        m.innermost = m.innermost ? m.innermost : frame;
        m.outermost = frame;
    }
    return m;
}

/* That which most of the time is for; n, ns: all samples and time of such. */
static struct made most_made(struct wick_explain *x, size_t *n, double *ns)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *by = calloc(f->p->nframes, sizeof *by), most = 0; /* by the frame of the outermost constructor */
    struct made best = {0};
    x->f->failed |= !by;
    for (size_t i = 0; by && i < f->nwall; i++) {
        struct made m = made_at(f->p, f->wall[i].stack);
        if (!m.outermost)
            continue;
        *n += 1;
        *ns += (double)f->wall[i].weight_ns;
        by[m.outermost] = wick_sum(by[m.outermost], f->wall[i].weight_ns);
        best = by[m.outermost] > most ? m : best;
        most = by[m.outermost] > most ? by[m.outermost] : most;
    }
    free(by);
    return best;
}

/* Whether the thread that runs finalizers has some to run all the time: then one sample of their registration will
 * do. */
static bool finalizes(const struct wick_explain_facts *f)
{
    for (uint32_t t = 1; t < f->p->nthreads && t < f->nuses; t++)
        if (!strcmp(wick_profile_str(f->p, f->p->threads[t].name), "Finalizer") &&
            wick_explain_counts(f, (double)f->uses[t].cpu_ns, CPU_LEAST))
            return true;
    return false;
}

void wick_explain_say_finalizable(struct wick_explain *x, struct wick_explain_finding *r)
{
    const struct wick_profile *p = x->f->p;
    size_t n = 0;
    double ns = 0;
    struct made m = r ? most_made(x, &n, &ns) : (struct made){0};
    bool many = n >= SAMPLES_LEAST && wick_explain_counts(x->f, ns, TIME_LEAST);
    if (!m.outermost || !(many || finalizes(x->f)))
        return;
    struct wick_strbuf names = WICK_STRBUF_INIT;
    bool jdk = wick_name_is_jdk(class_of(p, m.innermost));
    if (!jdk)
        wick_name_add_class(&names, class_of(p, m.outermost), strlen(class_of(p, m.outermost)), 0);
    if (!jdk && m.innermost != m.outermost)
        wick_strbuf_adds(&names, " or ");
    if (jdk || m.innermost != m.outermost)
        wick_name_add_class(&names, class_of(p, m.innermost), strlen(class_of(p, m.innermost)), 0);
    wick_explain_say(x, r, "finalizable", names.buf);
    wick_strbuf_release(&names);
    wick_explain_say_frame(x, r, "maker", m.maker);
    if (!many || wick_explain_figure_of(r, "soft"))
        return; /* that there are some says little of what collections are for */
    r->advice = jdk ? "make fewer of them, or use another class of the JDK without a finalizer (on JDK 8 "
                      "Files.newInputStream in place of FileInputStream)"
                    : "take finalize() out of that class: close such objects where they are used (AutoCloseable), with "
                      "a Cleaner for those that own something outside of the heap; one that finds nothing to do costs "
                      "the same";
}
