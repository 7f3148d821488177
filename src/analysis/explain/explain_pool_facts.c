/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_pool_facts.c - what the program's thread pools have, by readings of their own fields (wick.ThreadPool)
 *
 * A reading belongs to a pool by the thread that leads to it, which is the same one as long as that lives. Rules know
 * pools by what the names of their threads have in common, so a pool whose threads are named like those of another one
 * at the same time is not used.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "analysis/explain/explain_take.h"
#include "base/strbuf.h"

#define FALL_MOST  0.20 /* of what it has grown by: fewer tasks than at the reading before, in all */
#define RISE_LEAST 0.60 /* of the readings: more than the one before */
#define GREW_LEAST 0.20 /* of what was queued at first */

#define TIMER_QUEUE "java/util/TaskQueue"

enum { POOLS_MOST = 1024, READINGS_LEAST = 5, OVERDUE_LEAST = 20000000 /* ns: a thread may take as long to wake */ };

/* As it is: -1 stands for "none" or "not known". */
static int64_t signed_number(const struct wick_jfr_event *e, const char *field)
{
    int64_t v = -1;
    (void)wick_jfr_event_int(e, field, &v);
    return v < 0 ? -1 : v;
}

void wick_explain_take_pool(struct wick_explain_facts *f, const struct wick_jfr_event *e)
{
    uint32_t thread = wick_jfr_event_thread(e, "eventThread"), queue = wick_explain_take_text(e, "queueClass");
    int64_t queued = signed_number(e, "queued"), now_ns = wick_explain_take_not_negative(e->time_ns);
    struct wick_explain_pool *o = NULL;
    for (size_t i = 0; i < f->npools && !o; i++)
        o = f->pools[i].thread == thread && f->pools[i].queue_class == queue ? &f->pools[i] : NULL;
    bool first = !o;
    if (first && thread && f->npools < POOLS_MOST && (o = ADD(f, pools)))
        *o = (struct wick_explain_pool){
            .thread = thread, .queue_class = queue, .first_ns = now_ns, .first_queued = queued};
    if (!o || (!first && now_ns <= o->last_ns)) /* parts of a recording in another order */
        return;
    o->fallen += !first && queued < o->queued ? (double)o->queued - (double)queued : 0;
    o->rises += !first && queued > o->queued;
    o->readings++;
    o->last_ns = now_ns;
    o->queued = queued;
    o->queued_sum += (double)(queued > 0 ? queued : 0);
    o->threads = wick_explain_take_number(e, "threads");
    o->core = wick_explain_take_number(e, "corePoolSize");
    o->maximum = wick_explain_take_number(e, "maximumPoolSize");
    o->capacity = signed_number(e, "capacity");
    o->cancelled = wick_explain_take_number(e, "cancelled");
    int64_t overdue = signed_number(e, "overdue");
    o->timed += overdue >= 0;
    o->overdue += overdue >= OVERDUE_LEAST;
    o->overdue_ns += overdue >= OVERDUE_LEAST ? (double)overdue : 0;
}

const struct wick_explain_pool *wick_explain_pool_named(const struct wick_explain *x, uint32_t name)
{
    struct wick_explain_facts *f = x->f;
    const struct wick_explain_pool *found = NULL;
    for (size_t i = 0; i < f->npools; i++) {
        struct wick_explain_pool *o = &f->pools[i];
        if (!o->name)
            o->name = wick_explain_pool_name(f->p, o->thread);
        if (o->name != name)
            continue;
        bool apart = !found || o->first_ns > found->last_ns || o->last_ns < found->first_ns;
        if (!apart)
            return NULL;
        if (!found || o->first_ns > found->last_ns)
            found = o;
    }
    return found;
}

bool wick_explain_pool_is_timed(const struct wick_explain *x, const struct wick_explain_pool *o)
{
    static const char *const timed[] = {"java/util/concurrent/ScheduledThreadPoolExecutor$DelayedWorkQueue",
                                        TIMER_QUEUE};
    const char *class_name = wick_profile_str(x->f->p, o->queue_class);
    return !strcmp(class_name, timed[0]) || !strcmp(class_name, timed[1]);
}

bool wick_explain_pool_is_timer(const struct wick_explain *x, const struct wick_explain_pool *o)
{
    return !strcmp(wick_profile_str(x->f->p, o->queue_class), TIMER_QUEUE);
}

bool wick_explain_pool_grows(const struct wick_explain *x, const struct wick_explain_pool *o)
{
    double grown = (double)o->queued - (double)o->first_queued;
    return o->readings >= READINGS_LEAST && o->capacity < 0 && o->first_queued >= 0 && grown > 0 &&
           o->fallen <= FALL_MOST * grown && (double)o->rises >= RISE_LEAST * (double)(o->readings - 1) &&
           grown >= GREW_LEAST * (double)o->first_queued && !wick_explain_pool_is_timed(x, o);
}

/* Classes of others may refuse a task so that the pool makes a thread for it, as Tomcat's does. */
static bool is_queue_of_jdk(const struct wick_explain *x, const struct wick_explain_pool *o)
{
    static const char prefix[] = "java/util/concurrent/";
    return !strncmp(wick_profile_str(x->f->p, o->queue_class), prefix, sizeof prefix - 1);
}

/* Why it has no more threads than its core size, though its maximum is greater. */
static void say_size(struct wick_explain *x, struct wick_explain_finding *r, const struct wick_explain_pool *o)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    if (o->maximum <= o->core || o->threads > o->core || o->capacity == 0 || wick_explain_pool_is_timed(x, o) ||
        !is_queue_of_jdk(x, o))
        return;
    wick_strbuf_addf(&text, "its core size is %d, and it makes more threads", (int)o->core);
    if (o->maximum < INT32_MAX)
        wick_strbuf_addf(&text, ", up to its maximum of %d,", (int)o->maximum);
    if (o->capacity < 0)
        wick_strbuf_adds(&text, " only when its queue is full, which one without a limit never is");
    else
        wick_strbuf_addf(&text, " only when its queue is full, with %lld tasks", (long long)o->capacity);
    wick_explain_say(x, r, "size", text.buf);
    wick_strbuf_release(&text);
    r->advice = "a larger core size (allowCoreThreadTimeOut ends threads that have nothing to do), or a queue that is "
                "full sooner; or quicker tasks";
}

void wick_explain_say_pool(struct wick_explain *x, struct wick_explain_finding *r, uint32_t name)
{
    const struct wick_explain_pool *o = r ? wick_explain_pool_named(x, name) : NULL;
    if (!o || o->queued < 0 || wick_explain_pool_is_timed(x, o))
        return;
    double mean = o->queued_sum / (double)o->readings;
    if (mean >= 1)
        wick_explain_figure(r, "queued", WICK_EXPLAIN_NUMBER, wick_explain_two_digits(mean));
    if (wick_explain_pool_grows(x, o)) {
        wick_explain_figure(r, "before", WICK_EXPLAIN_NUMBER, (double)o->first_queued);
        wick_explain_figure(r, "after", WICK_EXPLAIN_NUMBER, (double)o->queued);
    }
    say_size(x, r, o);
}
