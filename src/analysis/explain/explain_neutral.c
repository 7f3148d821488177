/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_neutral.c - whether a finding only says where time goes
 *
 * That a program computes, or waits for what a server answers, is what makes it take the time it takes; whether it has
 * to is not seen. A decoder at full CPU and a gateway that waits for a bank are well as they are, and the advice to do
 * less of it would be wrong for them. More threads that compute than CPUs finish as soon as fewer would, if nobody
 * waits for one of them. A stage of a pipeline that is slower than the others is bound to have work all the time while
 * a bounded queue holds back the thread that feeds it. Who waits for a permit while those that have one keep all CPUs
 * computing would wait for a CPU without it, and so would a virtual thread with a carrier of its own. So it is a fault
 * only where something besides shows it: a lock or a pool that is held in the meantime, several answers that are waited
 * for one after another, a time-out that ends the wait, threads that have nothing to do beside one that has too much,
 * code that is interpreted all the time, or a kind of work that is rarely what a program is for.
 *
 * Who waits while a clock sets the pace (explain_pace.c) waits for no longer than somebody decided. A thread that waits
 * for a lock by itself may do so to know that all others have left it, and nobody waits with it.
 *
 * Stand-bys wait for a lock all the time by design, while the one that has it does what they are there for.
 *
 * Data that is forced to a disk takes what the disk takes, as in a group commit.
 *
 * A program that rests nearly all the time is not slow for the little that it computes.
 */
#include <math.h>
#include <string.h>

#include "analysis/explain/explain_int.h"

#define TASKS_MANY    10000 /* cancelled ones in a queue */
#define COPYING_LEAST 0.25  /* of a CPU */
#define HALF          0.50  /* of a thread */
#define OFTEN         20.0  /* collections a second */
#define PAUSES_LEAST  0.05  /* of the time: collections for classes or large objects, with their CPU time */
#define STOPPED_LEAST 0.25  /* of the time: by collections that stop all threads */
#define OWN_MOST      1.20  /* of the time of a pool's workers: waits that are theirs */
#define FORCED_LEAST  0.80  /* of what waits for a disk */
#define CHAIN_LEAST   0.20  /* of the time: of threads that wait for those that wait there */
#define LIMIT_LEAST   0.50  /* of the memory limit: an oversized heap */
#define ACCEPTS_LEAST 0.50  /* of the time waited at a place: by the thread that should accept */

static bool is_one_of(const struct wick_explain_finding *r, const char *const *kinds, size_t n)
{
    const struct wick_explain_figure *kind = wick_explain_figure_of(r, "kind");
    for (size_t i = 0; kind && i < n; i++)
        if (!strcmp(kind->text, kinds[i]))
            return true;
    return false;
}

/* Whether tasks that others wait for rest for a time: what for is not seen. With a lock, or with futures that are to be
 * completed by the same thread, that keeps others from what they do. */
static bool is_rest_of_task(const struct wick_explain_finding *r)
{
    static const char *const rests[] = {"sleep", "timed-park"}, *const shown[] = {"sequence", "timed",  "least",
                                                                                  "uneven",   "holder", "completer",
                                                                                  "worker"};
    if (!r->by_tasks || !is_one_of(r, rests, 2))
        return false;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (wick_explain_figure_of(r, shown[i]))
            return false;
    return true;
}

/* Whether requests rest for a time that the program has chosen. */
static bool is_rest_of_request(const struct wick_explain_finding *r)
{
    static const char *const rests[] = {"sleep", "timed-park"};
    return r->in_request && is_one_of(r, rests, 2);
}

/* Whether tasks that are awaited ask a server: several futures are a way to ask at the same time, if nothing shows that
 * they do not. */
static bool is_asked_by_tasks(const struct wick_explain_finding *r)
{
    static const char *const asks[] = {"socket-read", "socket"}, *const shown[] = {"tasks", "barrier", "worker",
                                                                                   "busiest", "completer"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (wick_explain_figure_of(r, shown[i]))
            return false;
    return is_one_of(r, asks, 2);
}

/* Whether each of these is a long wait for another process, or for what one holds: a thread that keeps a process until
 * it ends, or stands by for the one that leads, waits so. If each task has a process of its own, or many wait for the
 * lock, these waits are shorter or there are more of them. */
static bool is_of_process(const struct wick_explain_finding *r)
{
    static const char *const kinds[] = {"process", "file-lock"};
    return r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_WAITING] && is_one_of(r, kinds, 2) && r->lasting &&
           !wick_explain_figure_of(r, "starter") && !wick_explain_figure_of(r, "full");
}

/* Whether a consumer that computes is slow as collections stop it for a good part of the time, which their findings
 * say. */
static bool is_held_up(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    static const char *const kinds[] = {"queue-full"};
    const struct wick_explain_figure *holder = wick_explain_figure_of(r, "holder");
    return is_one_of(r, kinds, 1) && holder && strstr(holder->text, " is busy at ") &&
           wick_explain_counts(f, (double)f->pauses_ns, STOPPED_LEAST);
}

/* Others' work, which this process has no part in but to wait; or what somebody in it is to do, give or complete, while
 * nothing shows who, nor that it is slow: a limit on purpose, or a group of writes that share one fsync, look so. Or a
 * CPU by another name, while those that have what is waited for keep all CPUs computing. */
static bool is_plain_wait(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    static const char *const kinds[] = {"socket-read", "socket",      "future", "latch",      "reply", "semaphore",
                                        "condition",   "object-wait", "park",   "queue-full", "queue"},
                             *const shown[] = {"sequence", "beginner", "timed", "least", "uneven", "holder"};
    enum { BUT_HOLDER = sizeof shown / sizeof *shown - 1 };
    const struct wick_explain_figure *all = wick_explain_figure_of(r, "time"),
                                     *through = wick_explain_figure_of(r, "through");
    if (r->led_to)
        return true;
    if (is_rest_of_task(r))
        return true;
    bool paced = wick_explain_figure_of(r, "pacer") != NULL; /* through one full queue after another */
    double others = !through ? 0 : is_asked_by_tasks(r) ? r->held_up_ns : through->value;
    if (!paced && through && all && others >= CHAIN_LEAST * all->value)
        return false;
    bool taken = wick_explain_figure_of(r, "taken") != NULL; /* by those that have what is waited for: of any kind */
    if (!taken && !r->lone && !is_of_process(r) && !is_rest_of_request(r) &&
        !is_one_of(r, kinds, sizeof kinds / sizeof *kinds))
        return false;
    for (size_t i = 0; i < BUT_HOLDER; i++)
        if (wick_explain_figure_of(r, shown[i]))
            return false;
    const struct wick_explain_figure *holder = wick_explain_figure_of(r, shown[BUT_HOLDER]);
    return taken || !holder || is_held_up(f, r) ||
           strstr(holder->text, " for a CPU at "); /* which the machine's findings say */
}

/* Whether less than one thread waits for that one, on average, or all for a time that a clock sets, or it computes
 * digests, each of which may need the one before. */
static bool is_stage(const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *waiters = wick_explain_figure_of(r, "waiters");
    return (waiters && waiters->value < 1) || wick_explain_figure_of(r, "period") ||
           wick_explain_figure_of(r, "digests");
}

/* Whether so few cancelled tasks do no harm that shows: no collections are for them. */
static bool is_few(const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *queued = wick_explain_figure_of(r, "queued"),
                                     *share = wick_explain_figure_of(r, "share");
    return queued && share && share->value * queued->value < TASKS_MANY && !wick_explain_figure_of(r, "collected") &&
           !wick_explain_figure_of(r, "holder");
}

/* Whether that takes so little CPU time that it may be what the program is for, and nobody waits for it; who starts
 * something waits for it as well. Of copies counts what they got: what they would take without waiting for CPUs is a
 * guess where they wait most of the time. */
static bool is_little_work(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    static const char *const starts[] = {"starting-threads", "processes", "connecting"}, *const copies[] = {
                                                                                             "copying-arrays"};
    const struct wick_explain_figure *time = wick_explain_figure_of(r, "time"),
                                     *waiters = wick_explain_figure_of(r, "waiters");
    if (is_one_of(r, copies, 1))
        return time && !wick_explain_counts(f, time->value, COPYING_LEAST);
    return r->little && !(waiters && waiters->value >= HALF) && !wick_explain_figure_of(r, "collected") &&
           !is_one_of(r, starts, sizeof starts / sizeof *starts);
}

/* Whether what waits for a disk is data that the program forces to it, which takes what the disk takes: where that is
 * done for each of many things, or others wait for it, the rules about waits say so. */
static bool is_forced(const struct wick_explain_finding *r)
{
    static const char *const forces[] = {"FileDispatcherImpl.force0", "sun.nio.ch.FileChannelImpl.force",
                                         "java.io.FileDescriptor.sync"};
    const struct wick_explain_figure *callee = wick_explain_figure_of(r, "callee"),
                                     *most = wick_explain_figure_of(r, "most"),
                                     *all = wick_explain_figure_of(r, "time");
    bool here = false;
    for (size_t i = 0; callee && i < sizeof forces / sizeof *forces; i++)
        here |= strstr(callee->text, forces[i]) != NULL;
    return here && most && all && most->value >= FORCED_LEAST * all->value;
}

/* Whether there are so many of what the finding counts that it is a fault whatever it costs. */
static bool are_often(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *count = wick_explain_figure_of(r, "count");
    return count && count->value * 1e9 >= OFTEN * (double)f->duration_ns;
}

/* Whether collections take a good part of the time, by pauses, by CPU time or as threads wait for memory; without what
 * they take because the collector lacks CPUs, which the machine's rules are about. */
static bool collections_cost(const struct wick_explain_facts *f)
{
    double got = wick_explain_collectors_got(f), paused = got * (double)f->pauses_ns,
           stalled = got * (double)wick_explain_wall(f, true, 0, 1 << WICK_EXPLAIN_ALLOCATION);
    return wick_explain_counts(f, paused + (double)f->gc_ns, PAUSES_LEAST) ||
           wick_explain_counts(f, stalled, PAUSES_LEAST);
}

/* Whether the heap takes much of the memory limit. Without one nothing shows that the memory is missing elsewhere. */
static bool is_much_of_limit(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *resident = wick_explain_figure_of(r, "resident");
    return resident && f->memory_limit > 0 && resident->value >= LIMIT_LEAST * (double)f->memory_limit;
}

static bool is_neutral(const struct wick_explain_facts *f, const struct wick_explain_finding *r)
{
    static const char *const purposes[] = {"compression",    "archive-entries",     "cryptography",
                                           "key-derivation", "big-numbers",         "scripts",
                                           "sorting",        "regular-expressions", "collation-keys"};
    switch (r->rule - wick_explain_rules) {
    case WICK_EXPLAIN_RULE_HOT_CODE:
        return is_one_of(r, purposes, sizeof purposes / sizeof *purposes) || is_little_work(f, r);
    case WICK_EXPLAIN_RULE_HOT_METHOD:
        return !wick_explain_figure_of(r, "mode");
    case WICK_EXPLAIN_RULE_CACHE_MISSES: /* each key may come once only */
        return !wick_explain_figure_of(r, "collected") && !wick_explain_figure_of(r, "cleared");
    case WICK_EXPLAIN_RULE_CANCELLED_TASKS:
        return is_few(r);
    case WICK_EXPLAIN_RULE_STUCK:
        return wick_explain_figure_of(r, "active") != NULL;
    case WICK_EXPLAIN_RULE_HOT_CALLS:
    case WICK_EXPLAIN_RULE_ENDPOINT_CPU:
    case WICK_EXPLAIN_RULE_TOO_MANY_THREADS:
        return true;
    case WICK_EXPLAIN_RULE_CLASS_UNLOADING: /* the cost of loading them is hot-code's */
        return !collections_cost(f);
    case WICK_EXPLAIN_RULE_HUMONGOUS:
        return !are_often(f, r) && !collections_cost(f);
    case WICK_EXPLAIN_RULE_OVERSIZED_HEAP:
        return !is_much_of_limit(f, r);
    case WICK_EXPLAIN_RULE_UNSTARTED:
        return wick_explain_figure_of(r, "computing") != NULL;
    case WICK_EXPLAIN_RULE_DISK_WAIT:
        return is_forced(r);
    case WICK_EXPLAIN_RULE_DIRECT_MEMORY:
    case WICK_EXPLAIN_RULE_LISTEN_OVERFLOW:
    case WICK_EXPLAIN_RULE_SLOW_ACCEPT:
        return r->remark;
    case WICK_EXPLAIN_RULE_LOCK_CONTENTION:
        return r->led_to;
    case WICK_EXPLAIN_RULE_SATURATED_THREAD:
        return is_stage(r);
    case WICK_EXPLAIN_RULE_WAITING:
    case WICK_EXPLAIN_RULE_ENDPOINT_WAIT:
        return is_plain_wait(f, r);
    default:
        return false;
    }
}

/* A queue that grows comes behind what holds up its tasks, but where that is no fault it is what there is to say. */
static void raise_queue(struct wick_explain_findings *out, struct wick_explain_finding *queue)
{
    for (size_t i = 0; i < out->n; i++) {
        const struct wick_explain_finding *r = &out->rows[i];
        if (r->neutral && r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_WAITING] &&
            wick_explain_same_function(r, queue) && wick_explain_rank_of(r) >= wick_explain_rank_of(queue) &&
            r->cost_ns <= OWN_MOST * queue->cost_ns)
            queue->rank_ns = nextafter(wick_explain_rank_of(r), INFINITY);
    }
}

/* Whether the wait is for an answer of this process, or for somebody on this machine to take what is written: of one
 * that does not read, nothing shows whose it is. */
static bool may_be_of_servers(const struct wick_explain_finding *r)
{
    static const char *const kinds[] = {"socket-write", "socket-read", "socket"};
    const struct wick_explain_figure *server = wick_explain_figure_of(r, "server"),
                                     *to = wick_explain_figure_of(r, "destination");
    bool own = server && strstr(server->text, ", which is this process");
    bool near = to && (!strncmp(to->text, "127.", 4) || !strncmp(to->text, "[::1]", 5)) && !strchr(to->text, ' ');
    return (own || near) && is_one_of(r, kinds, sizeof kinds / sizeof *kinds);
}

/* Whether the wait is for who takes, or does not take, what comes in at that address. */
static bool is_for_who_listens_at(const struct wick_explain_finding *r, const char *address)
{
    static const char *const ends[] = {"server", "destination"};
    bool its = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct wick_explain_figure *end = wick_explain_figure_of(r, ends[i]);
        its |= end && strstr(end->text, ", which is this process") && wick_explain_is_listener_of(address, end->text);
    }
    return its;
}

/* Whether it is the wait of the thread that should accept, which slow-accept has said, or most of it. */
static bool is_of_acceptor(const struct wick_explain_facts *f, const struct wick_explain_finding *r,
                           const struct wick_explain_finding *slow)
{
    const struct wick_explain_figure *awaited = wick_explain_figure_of(slow, "awaited"),
                                     *what = wick_explain_figure_of(r, "what"),
                                     *of = wick_explain_figure_of(slow, "of"),
                                     *through = wick_explain_figure_of(r, "through");
    if (r->rule != &wick_explain_rules[WICK_EXPLAIN_RULE_WAITING] || !awaited || !of || !what ||
        strcmp(awaited->text, what->text) != 0 || !wick_explain_same_function(r, slow))
        return false;
    return of->value * (double)f->duration_ns >= ACCEPTS_LEAST * (r->cost_ns - (through ? through->value : 0));
}

/* Who waits for threads of this process that spin on their selectors, or that do not accept at an address, waits for
 * these. */
static void put_behind_servers(const struct wick_explain_facts *f, struct wick_explain_findings *out,
                               const struct wick_explain_finding *servers)
{
    const struct wick_explain_figure *address = wick_explain_figure_of(servers, "address");
    for (size_t i = 0; i < out->n; i++) {
        struct wick_explain_finding *r = &out->rows[i];
        bool slow = address && (is_for_who_listens_at(r, address->text) || is_of_acceptor(f, r, servers));
        if (address ? !slow : !may_be_of_servers(r))
            continue;
        r->led_to = r->neutral = true;
        if (wick_explain_rank_of(r) >= wick_explain_rank_of(servers))
            r->rank_ns = nextafter(wick_explain_rank_of(servers), 0);
    }
}

void wick_explain_learn_neutral(const struct wick_explain_facts *f, struct wick_explain_findings *out)
{
    for (size_t i = 0; i < out->n + out->undecided; i++)
        out->rows[i].neutral = is_neutral(f, &out->rows[i]);
    static const char *const spins[] = {"selector-spin"};
    for (size_t i = 0; i < out->n; i++) {
        const struct wick_explain_finding *r = &out->rows[i];
        if (r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_GROWING_QUEUE])
            raise_queue(out, &out->rows[i]);
        if ((r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_HOT_CODE] && !r->neutral && is_one_of(r, spins, 1)) ||
            (r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_SLOW_ACCEPT] && !r->neutral))
            put_behind_servers(f, out, r);
    }
}
