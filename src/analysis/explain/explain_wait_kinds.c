/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_wait_kinds.c - what each wall-clock sample waits for, and whether that keeps somebody from going on
 *
 * Frames have most of it (wait_kind.h). The thread's state, native frames, what its function does at other times, and
 * whether it does anything else at all say the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain_int.h"
#include "base/sum.h"
#include "model/name.h"

#define PIPED_LEAST      4    /* times that a thread begins with a process after it has read a pipe */
#define PIPED_SHARE      0.30 /* of its time in pipes: in starting processes, and waiting for their ends */
#define SYNC_LEAST       0.50 /* of the CPU time in writes to files: in the kernel's code for fsync */
#define TIMED_LEAST      8    /* events of waits */
#define CAME_LEAST       2    /* events of waits that no time-out ended, */
#define CAME_OFTEN       0.05 /* as many as of those that one ended, */
#define CAME_LATE        0.20 /* as long on average as that: a long poll, for what comes at any time; */
#define CAME_LATEST      0.75 /* longer: what takes too long */
#define TIMED_PARK_LEAST 0.95 /* of the time of parks at a place: ended by their time-outs */
#define JAM_LEAST        3    /* threads: one or two may run ahead */
#define STILL_LEAST      INT64_C(4000000000) /* ns: in less CPU time is read too rarely to say that a thread had none */
#define ELSEWHERE_LEAST  2                   /* samples of something else than one wait */

enum { LAST = 16 }; /* objects that were waited for */

enum {
    WAITING = 1 << WICK_EXPLAIN_SLEEPING | 1 << WICK_EXPLAIN_MONITOR | 1 << WICK_EXPLAIN_PARKED |
              1 << WICK_EXPLAIN_OBJECT_WAIT | 1 << WICK_EXPLAIN_IO | 1 << WICK_EXPLAIN_DISK |
              1 << WICK_EXPLAIN_NATIVE_WAIT | 1 << WICK_EXPLAIN_WAITING_FOR_CARRIER | 1 << WICK_EXPLAIN_HELD_BACK
};

static bool is_mutex(const char *name)
{
    return !strncmp(name, "pthread_mutex_", strlen("pthread_mutex_")) || strstr(name, "lll_lock_wait");
}

static bool is_class_init(const char *name)
{
    return strstr(name, "InstanceKlass::initialize");
}

/* Whether one of the native frames at the leaf is such a one. */
static bool leaf_is(const struct wick_profile *p, uint32_t stack, bool such(const char *name))
{
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        if (wick_frame_kind_is_java(f->kind))
            return false;
        if (such(wick_profile_str(p, p->functions[f->function].name)))
            return true;
    }
    return false;
}

static uint32_t function_at(const struct wick_profile *p, uint32_t stack)
{
    return p->frames[p->stacks[stack].frame].function;
}

struct wick_wait wick_explain_wait_at(const struct wick_explain *x, uint32_t stack)
{
    if (!x->at_known[stack]) {
        struct wick_wait w = wick_wait_of(x->f->p, stack);
        if (w.kind == WICK_WAIT_FILE_WRITE && x->syncs[function_at(x->f->p, w.stack)])
            w.kind = WICK_WAIT_FILE_SYNC;
        x->at_stacks[stack] = w;
    }
    x->at_known[stack] = true;
    return x->at_stacks[stack];
}

/* Whether it is a wait in a write, to a file that was opened for synchronous output or not. */
static bool is_write(const struct wick_explain *x, uint32_t stack)
{
    return wick_wait_of(x->f->p, stack).kind == WICK_WAIT_FILE_WRITE;
}

static struct wick_wait wait_in(const struct wick_explain *x, const struct wick_explain_sample *s)
{
    const struct wick_profile *p = x->f->p;
    static const enum wick_wait_kind by_state[WICK_EXPLAIN_STATES] = {[WICK_EXPLAIN_SLEEPING] = WICK_WAIT_TIMER,
                                                                      [WICK_EXPLAIN_PARKED] = WICK_WAIT_PARK,
                                                                      [WICK_EXPLAIN_OBJECT_WAIT] =
                                                                          WICK_WAIT_OBJECT_WAIT,
                                                                      [WICK_EXPLAIN_IO] = WICK_WAIT_IO,
                                                                      [WICK_EXPLAIN_DISK] = WICK_WAIT_DISK,
                                                                      [WICK_EXPLAIN_NATIVE_WAIT] = WICK_WAIT_NATIVE};
    struct wick_wait w = wick_explain_wait_at(x, s->stack);
    if (s->state == WICK_EXPLAIN_RUNNABLE && w.kind == WICK_WAIT_FILE_SYNC)
        return w; /* what the kernel computes for it in the call */
    if (s->state == WICK_EXPLAIN_IO && w.kind == WICK_WAIT_FILE_SYNC && is_write(x, s->stack))
        w.kind = WICK_WAIT_FILE_WRITE; /* to a pipe: for a disk a thread waits otherwise */
    if (!(1u << s->state & WAITING))
        return (struct wick_wait){0};
    if (s->state == WICK_EXPLAIN_MONITOR)
        w.kind = WICK_WAIT_MONITOR;
    else if (s->state == WICK_EXPLAIN_HELD_BACK)
        w.kind = WICK_WAIT_HELD_BACK;
    else if (s->state == WICK_EXPLAIN_WAITING_FOR_CARRIER)
        w.kind = WICK_WAIT_CARRIER;
    else if (w.kind == WICK_WAIT_NONE && leaf_is(p, s->stack, is_class_init))
        w.kind = WICK_WAIT_CLASS_INIT;
    else if (s->state == WICK_EXPLAIN_NATIVE_WAIT && w.kind == WICK_WAIT_NONE && leaf_is(p, s->stack, is_mutex))
        w.kind = WICK_WAIT_NATIVE_LOCK;
    else if (w.kind == WICK_WAIT_NONE)
        w.kind = by_state[s->state];
    else if (w.kind == WICK_WAIT_FILE_READ && s->state == WICK_EXPLAIN_IO)
        w.kind = WICK_WAIT_PIPE; /* a file would be read from a disk */
    else if (w.kind == WICK_WAIT_SOCKET_WRITE && s->state == WICK_EXPLAIN_DISK)
        w.kind = WICK_WAIT_DISK; /* a file that is sent */
    return w;
}

/* The Java frame nearest to the leaf, 0 = there is none. */
static uint32_t java_leaf(const struct wick_profile *p, uint32_t stack)
{
    while (stack && !wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind))
        stack = p->stacks[stack].parent;
    return stack ? p->stacks[stack].frame : 0;
}

static bool is_same_lock(const struct wick_lock_wait_row *a, const struct wick_lock_wait_row *b)
{
    return a->class_name == b->class_name && a->identity == b->identity && a->file == b->file;
}

static void learn_enters(struct wick_explain *x)
{
    const struct wick_lock_waits *l = &x->f->locks;
    for (uint32_t i = 0; i < l->nrows; i++) {
        uint32_t frame = java_leaf(x->f->p, l->rows[i].stack);
        struct wick_explain_enter *at = &x->enters[frame];
        if (!frame || l->rows[i].park || l->rows[i].native)
            continue;
        at->first = at->first ? at->first : i + 1;
        at->others |= !is_same_lock(&l->rows[at->first - 1], &l->rows[i]);
    }
}

/* Whether the owner of the lock of that wait waits for another monitor itself: it is where threads do. What the frames
 * of the JDK say of other waits, they do not say of this one. */
bool wick_explain_owner_enters(const struct wick_explain *x, const struct wick_lock_wait_row *r)
{
    const struct wick_explain_enter *at = &x->enters[java_leaf(x->f->p, r->owner_stack)];
    return at->first && (at->others || !is_same_lock(&x->f->locks.rows[at->first - 1], r));
}

bool wick_explain_is_unmounted(const struct wick_explain *x, uint32_t thread)
{
    return wick_profile_thread_is_many(&x->f->p->threads[thread]);
}

/* What a thread does with other processes: how often it was seen to begin to wait for one, or to start one, after it
 * had read a pipe; and its time in both. */
struct piping {
    unsigned turns;
    bool reads; /* it did so last */
    double process_ns, pipe_ns;
};

/* By thread; samples of one come in order of time, but for a few. */
static struct piping *pipings_of(const struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct piping *of = calloc(f->p->nthreads + 1, sizeof *of);
    x->f->failed |= !of;
    for (size_t i = 0; of && i < f->nwall; i++) {
        struct piping *t = &of[f->wall[i].thread];
        bool process = x->waits[i].kind == WICK_WAIT_PROCESS, pipe = x->waits[i].kind == WICK_WAIT_PIPE;
        t->turns += process && t->reads;
        t->reads = pipe || (t->reads && !process);
        t->process_ns += process ? (double)f->wall[i].weight_ns : 0;
        t->pipe_ns += pipe ? (double)f->wall[i].weight_ns : 0;
    }
    return of;
}

/* Whether one thread has to do with processes again and again, for as long as that: what it reads from pipes comes
 * from those, and not from who gives it work. */
static bool is_piped(const struct wick_explain *x, uint32_t thread, const struct piping *t)
{
    return thread && !wick_explain_is_unmounted(x, thread) && t->turns >= PIPED_LEAST &&
           t->process_ns >= PIPED_SHARE * t->pipe_ns;
}

static bool is_file_write(const char *name)
{
    return strstr(name, "_file_write_iter") || strstr(name, "generic_perform_write");
}

static bool is_pipe_write(const char *name)
{
    return strstr(name, "pipe_write") || strstr(name, "tty_write");
}

/* Whether a thread that writes there may give another process something: what the kernel does says so; else who writes
 * to a process does so by a buffered stream, and by no channel. */
static bool may_write_to_pipe(const struct wick_profile *p, const struct wick_explain_sample *s, uint32_t user)
{
    if (s->state == WICK_EXPLAIN_IO || leaf_is(p, s->stack, is_pipe_write))
        return true;
    if (s->state == WICK_EXPLAIN_DISK || leaf_is(p, s->stack, is_file_write))
        return false;
    bool buffered = false, channel = false;
    for (uint32_t at = s->stack; at && at != user; at = p->stacks[at].parent) {
        const char *class_name = wick_profile_str(p, p->functions[function_at(p, at)].class_name);
        buffered |= !strcmp(class_name, "java/io/BufferedOutputStream");
        channel |= !strcmp(class_name, "sun/nio/ch/FileChannelImpl");
    }
    return buffered && !channel;
}

/* Who reads a pipe may wait for an answer, or follow what another program writes now and then. A function that also
 * writes to pipes, or starts processes, asks; and a thread that starts processes, and waits for
 * their ends, waits for them where it reads as well. */
static void find_piped_answers(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    bool *gives = calloc(f->p->nfunctions + 1, sizeof *gives);
    struct piping *of = pipings_of(x);
    x->f->failed |= !gives;
    for (size_t i = 0; gives && i < f->nwall + f->ncpu; i++) {
        const struct wick_explain_sample *s = i < f->nwall ? &f->wall[i] : &f->cpu[i - f->nwall];
        struct wick_wait w = wick_explain_wait_at(x, s->stack);
        bool writes = w.kind == WICK_WAIT_FILE_WRITE || (w.kind == WICK_WAIT_FILE_SYNC && is_write(x, s->stack));
        if (w.stack && (w.kind == WICK_WAIT_PROCESS || (writes && may_write_to_pipe(f->p, s, w.stack))))
            gives[function_at(f->p, w.stack)] = true;
    }
    for (size_t i = 0; gives && of && i < f->nwall; i++) {
        struct wick_wait *w = &x->waits[i];
        if (w->kind != WICK_WAIT_PIPE || !w->stack)
            continue;
        if (is_piped(x, f->wall[i].thread, &of[f->wall[i].thread]))
            w->kind = WICK_WAIT_PROCESS;
        else if (gives[function_at(f->p, w->stack)])
            w->kind = WICK_WAIT_FILE_READ;
    }
    free(gives);
    free(of);
}

/* ---- parks for a time ---- */

/* Parks of a function of the program, by their events. */
struct parks {
    double all, timed;
    uint32_t n;
};

/* Who is parked for a time, and hardly ever woken before it is over, only rests, as in Thread.sleep. A condition or
 * Object.wait that ends so may be one whose wake-up went to another thread, which is trouble. */
static void find_timed_parks(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    struct parks *of = calloc(f->p->nfunctions + 1, sizeof *of);
    x->f->failed |= !of;
    for (uint32_t i = 0; of && i < f->locks.nrows; i++) {
        const struct wick_lock_wait_row *r = &f->locks.rows[i];
        struct wick_wait w = r->park && !r->native ? wick_explain_wait_at(x, r->stack) : (struct wick_wait){0};
        struct parks *at = &of[function_at(f->p, w.stack)];
        if (w.kind != WICK_WAIT_PARK || !w.stack)
            continue;
        at->n++;
        at->all += (double)r->weight_ns;
        at->timed += r->timed_out ? (double)r->weight_ns : 0;
    }
    for (size_t i = 0; of && i < f->nwall; i++) {
        struct wick_wait *w = &x->waits[i];
        const struct parks *at = &of[function_at(f->p, w->stack)];
        if (w->kind == WICK_WAIT_PARK && w->stack && at->n >= TIMED_LEAST && at->all > 0 &&
            at->timed >= TIMED_PARK_LEAST * at->all)
            w->kind = WICK_WAIT_TIMED_PARK;
    }
    free(of);
}

/* ---- threads that go on ---- */

/* Virtual threads are sampled as one thread while they are on no carrier. What begins in the same function of the
 * program does the same work: how often it was seen elsewhere than in its first wait. */
struct wick_explain_course {
    enum wick_wait_kind kind;
    uint32_t place; /* function, 0 = none yet */
    double elsewhere;
};

/* The program's function nearest to the root, 0 = there is none. */
static uint32_t begins_in(const struct wick_profile *p, uint32_t stack)
{
    uint32_t found = 0;
    for (uint32_t s = stack; s; s = p->stacks[s].parent)
        if (wick_explain_is_program(p, wick_explain_frame_at(p, s)))
            found = wick_explain_function_at(p, s);
    return found;
}

static void count_elsewhere(struct wick_explain *x, const struct wick_explain_sample *rows, size_t n)
{
    const struct wick_profile *p = x->f->p;
    for (size_t i = 0; i < n; i++) {
        struct wick_wait w = wick_explain_wait_at(x, rows[i].stack);
        struct wick_explain_course *c = &x->courses[begins_in(p, rows[i].stack)];
        if (w.stack && (w.kind != c->kind || function_at(p, w.stack) != c->place))
            c->elsewhere += rows[i].count > 1 ? (double)rows[i].count : 1;
    }
}

static void learn_courses(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_explain_course *c = &x->courses[begins_in(f->p, f->wall[i].stack)];
        const struct wick_wait *w = &x->waits[i];
        if (!wick_explain_is_unmounted(x, f->wall[i].thread) || w->kind == WICK_WAIT_NONE || !w->stack || c->place)
            continue;
        c->kind = w->kind;
        c->place = function_at(f->p, w->stack);
    }
    count_elsewhere(x, f->wall, f->nwall);
    count_elsewhere(x, f->cpu, f->ncpu);
}

/* Whether what waits in wall-clock sample i was seen to do something else as well. */
static bool goes_on(const struct wick_explain *x, size_t i)
{
    const struct wick_explain_sample *s = &x->f->wall[i];
    uint32_t function = wick_explain_is_unmounted(x, s->thread) ? begins_in(x->f->p, s->stack) : 0;
    return function ? x->courses[function].elsewhere >= ELSEWHERE_LEAST : wick_explain_moved(x, s->thread);
}

/* Its first sample alone makes a thread run a little. */
bool wick_explain_moved(const struct wick_explain *x, uint32_t thread)
{
    return !x->f->nran || x->ran[thread] > 1 || wick_profile_thread_is_many(&x->f->p->threads[thread]);
}

/* Whether the time is long enough for what did not move in it to stand still. */
static bool stands_still(const struct wick_explain *x)
{
    return x->f->nran && x->f->duration_ns >= STILL_LEAST;
}

/* Whether wait i counts although its thread did not run at all: somebody waits for the request, or nobody gives back
 * what a pool has lent. One that waits for an element or a notification may be a stream of events that has none; but
 * nobody has a client wait until there is room in a queue, or a permit. One thread that waits for room may be made to
 * run ahead of who takes; where several do, and nothing at all is taken, who should take is gone. */
static bool hangs(const struct wick_explain *x, size_t i)
{
    const struct wick_wait *w = &x->waits[i];
    if (w->kind == WICK_WAIT_POOL)
        return true;
    if (stands_still(x) && x->f->wall[i].endpoint &&
        (w->kind == WICK_WAIT_QUEUE_FULL || w->kind == WICK_WAIT_SEMAPHORE))
        return true;
    if (w->kind == WICK_WAIT_QUEUE_FULL && x->jams[function_at(x->f->p, w->stack)] >= JAM_LEAST)
        return true;
    return w->in_request && (wick_wait_role_of(w->kind) == WICK_WAIT_TROUBLE || w->kind == WICK_WAIT_SOCKET);
}

bool wick_explain_wait_counts(const struct wick_explain *x, size_t i)
{
    const struct wick_wait *w = &x->waits[i];
    enum wick_wait_role role = wick_wait_role_of(w->kind);
    bool counted =
        role == WICK_WAIT_TROUBLE || (role == WICK_WAIT_DEPENDS && (x->f->wall[i].endpoint || w->in_request));
    return w->kind != WICK_WAIT_NONE && counted && (hangs(x, i) || goes_on(x, i));
}

/* Whether the wait of wall-clock sample i keeps somebody from going on. */
bool wick_explain_is_trouble(const struct wick_explain *x, size_t i)
{
    const struct wick_wait *w = &x->waits[i];
    enum wick_wait_role role = wick_wait_role_of(w->kind);
    bool depends = w->in_request || x->pressed[x->f->wall[i].thread] || (x->closed && wick_explain_is_inner(w->kind));
    bool counted = role == WICK_WAIT_TROUBLE || (role == WICK_WAIT_DEPENDS && depends);
    bool waits = hangs(x, i) || goes_on(x, i);
    return w->kind != WICK_WAIT_NONE && w->stack && counted && waits && !x->stuck[x->f->wall[i].thread];
}

bool wick_explain_none_ends(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_explain_facts *f = x->f;
    for (size_t i = 0; i < f->nwall; i++)
        if (x->waits[i].kind == at->kind && function_at(f->p, x->waits[i].stack) == at->function && goes_on(x, i))
            return false;
    return at->ns > 0 && stands_still(x);
}

/* Whether it is one of the objects that were waited for last; notes it. */
static bool is_again(int64_t last[LAST], size_t *n, int64_t object)
{
    for (size_t i = 0; i < LAST && i < *n; i++)
        if (object && last[i] == object)
            return true;
    last[(*n)++ % LAST] = object;
    return false;
}

/* Waits that ended in one of two ways. */
struct ended {
    size_t events;
    double ns, n;
};

static double mean_of(const struct ended *e)
{
    return wick_explain_share(e->ns, e->n);
}

double wick_explain_timed_out(const struct wick_explain *x, const struct wick_explain_place *at)
{
    const struct wick_lock_waits *l = &x->f->locks;
    struct ended timed = {0}, came = {0};
    int64_t last[LAST];
    size_t n = 0, others = 0;
    for (uint32_t i = 0; i < l->nrows; i++) {
        const struct wick_lock_wait_row *r = &l->rows[i];
        struct wick_wait w = r->park && !r->native ? wick_explain_wait_at(x, r->stack) : (struct wick_wait){0};
        if (!w.stack || w.kind != at->kind || function_at(x->f->p, w.stack) != at->function)
            continue;
        n++;
        /* who waits for the same again and again with a time-out has something to do in between */
        if (is_again(last, &others, r->identity))
            continue;
        struct ended *e = r->timed_out ? &timed : &came;
        e->events++;
        e->ns += (double)r->weight_ns;
        e->n += wick_explain_share((double)r->weight_ns, (double)r->duration_ns);
    }
    double late = wick_explain_share(mean_of(&came), mean_of(&timed));
    bool polls = !l->not_ours && came.events >= CAME_LEAST && came.n >= CAME_OFTEN * timed.n && late >= CAME_LATE &&
                 late <= CAME_LATEST;
    return n >= TIMED_LEAST && 2 * others >= n && !polls ? wick_explain_share(timed.ns, timed.ns + came.ns) : 0;
}

bool wick_explain_joins(const struct wick_explain *x, size_t i)
{
    const struct wick_wait *w = &x->waits[i];
    return w->kind == WICK_WAIT_THREAD && w->stack && goes_on(x, i) && !x->stuck[x->f->wall[i].thread];
}

/* By function of the program: the threads that wait in it for room in a queue and did nothing else. */
static bool learn_jams(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    bool *counted = calloc(f->p->nthreads + 1, sizeof *counted);
    for (size_t i = 0; counted && stands_still(x) && i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        uint32_t thread = f->wall[i].thread;
        if (w->kind != WICK_WAIT_QUEUE_FULL || !w->stack || counted[thread] || wick_explain_moved(x, thread))
            continue;
        counted[thread] = true;
        x->jams[function_at(f->p, w->stack)]++;
    }
    free(counted);
    return counted != NULL;
}

/* Frames of a thread that has a lock do not show what is held back, but those who wait in that function do. */
static bool learn_held_back(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    double *more = calloc(f->p->nfunctions + 1, sizeof *more); /* time that is held back, less other time */
    for (size_t i = 0; more && i < f->nwall; i++) {
        const struct wick_wait *w = &x->waits[i];
        double ns = (double)f->wall[i].weight_ns;
        if (w->stack && w->kind == WICK_WAIT_HELD_BACK)
            more[function_at(f->p, w->stack)] += ns;
        else if (w->stack && (w->kind == WICK_WAIT_SOCKET || w->kind == WICK_WAIT_PEER))
            more[function_at(f->p, w->stack)] -= ns;
    }
    for (uint32_t i = 0; more && i < f->p->nfunctions; i++)
        x->holds_back[i] = more[i] > 0;
    bool good = more != NULL;
    free(more);
    return good;
}

/* The stub through which Java code called the JVM at the leaf; "" = none did. *named: the function of the JVM that it
 * called has a name. */
static const char *stub_above(const struct wick_profile *p, uint32_t stack, bool *named)
{
    *named = true;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const struct wick_frame *f = &p->frames[p->stacks[s].frame];
        const char *name = wick_profile_str(p, p->functions[f->function].name);
        if (wick_frame_kind_is_java(f->kind))
            return "";
        if (f->kind == WICK_FRAME_STUB)
            return name;
        *named = *name != '['; /* "[libjvm.so]" */
    }
    return "";
}

/* What the JVM waits for is seen by its functions, and where those have no names (JDK 8) by the stub through which it
 * was called. What polls for a safepoint waits for its end, and so does the slow path of an allocation, which has the
 * JVM collect; to JDK 8 one thread after another, each of which enters a monitor of java.lang.ref.Reference first. */
static void learn_stubs(struct wick_explain_facts *f)
{
    for (size_t i = 0; i < f->nwall; i++) {
        struct wick_explain_sample *s = &f->wall[i];
        if (s->state != WICK_EXPLAIN_MONITOR && s->state != WICK_EXPLAIN_NATIVE_WAIT)
            continue;
        bool named;
        const char *stub = stub_above(f->p, s->stack, &named);
        bool allocates = strstr(stub, "new_instance") || strstr(stub, "new_array");
        if (s->state == WICK_EXPLAIN_MONITOR && allocates)
            s->state = WICK_EXPLAIN_ALLOCATION;
        else if (s->state == WICK_EXPLAIN_NATIVE_WAIT && !named && (allocates || strstr(stub, "SafepointBlob")))
            s->state = WICK_EXPLAIN_SAFEPOINT;
    }
}

/* Threads that find no room for a direct buffer wait for the JVM to process references to dead ones, under a monitor of
 * the JDK that they enter one after another: what holds them up is the lack of room. */
static void learn_buffers(struct wick_explain *x)
{
    for (size_t i = 0; i < x->f->nwall; i++) {
        struct wick_explain_sample *s = &x->f->wall[i];
        if (s->state == WICK_EXPLAIN_MONITOR && wick_explain_wait_at(x, s->stack).kind == WICK_WAIT_DIRECT_BUFFER)
            s->state = WICK_EXPLAIN_OBJECT_WAIT;
    }
}

static bool is_sync(const char *name)
{
    return strstr(name, "_sync_file") || strstr(name, "_file_fsync") || strstr(name, "vfs_fsync") ||
           strstr(name, "file_write_and_wait_range");
}

/* A write to a file that was opened for synchronous output (mode rwd or rws, DSYNC) is an fsync as well. Frames of the
 * JDK do not say so, but those of the kernel do where it computes. */
static void learn_syncs(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    int64_t *stacks = calloc(f->p->nstacks + 1, sizeof *stacks), *all = calloc(f->p->nfunctions + 1, sizeof *all),
            *part = calloc(f->p->nfunctions + 1, sizeof *part);
    bool room = stacks && all && part;
    x->f->failed |= !room;
    for (size_t i = 0; room && i < f->ncpu; i++)
        stacks[f->cpu[i].stack] = wick_sum(stacks[f->cpu[i].stack], f->cpu[i].weight_ns);
    for (uint32_t s = 1; room && s < f->p->nstacks; s++) {
        struct wick_wait w = stacks[s] ? wick_wait_of(f->p, s) : (struct wick_wait){0};
        uint32_t function = w.kind == WICK_WAIT_FILE_WRITE ? function_at(f->p, w.stack) : 0;
        if (!function)
            continue;
        all[function] = wick_sum(all[function], stacks[s]);
        part[function] = wick_sum(part[function], leaf_is(f->p, s, is_sync) ? stacks[s] : 0);
    }
    for (uint32_t k = 1; room && k < f->p->nfunctions; k++)
        x->syncs[k] = part[k] && (double)part[k] >= SYNC_LEAST * (double)all[k];
    free(part);
    free(all);
    free(stacks);
}

bool wick_explain_learn_waits(struct wick_explain *x)
{
    const struct wick_explain_facts *f = x->f;
    x->waits = calloc(f->nwall + 1, sizeof *x->waits);
    x->at_stacks = calloc(f->p->nstacks + 1, sizeof *x->at_stacks);
    x->at_known = calloc(f->p->nstacks + 1, sizeof *x->at_known);
    x->syncs = calloc(f->p->nfunctions + 1, sizeof *x->syncs);
    x->ran = calloc(f->p->nthreads + 1, sizeof *x->ran);
    x->stuck = calloc(f->p->nthreads + 1, sizeof *x->stuck);
    x->pressed = calloc(f->p->nthreads + 1, sizeof *x->pressed);
    x->enters = calloc(f->p->nframes + 1, sizeof *x->enters);
    x->courses = calloc(f->p->nfunctions + 1, sizeof *x->courses);
    x->jams = calloc(f->p->nfunctions + 1, sizeof *x->jams);
    x->holds_back = calloc(f->p->nfunctions + 1, sizeof *x->holds_back);
    if (!x->waits || !x->at_stacks || !x->at_known || !x->syncs || !x->ran || !x->stuck || !x->pressed || !x->enters ||
        !x->courses || !x->jams || !x->holds_back)
        return false;
    learn_syncs(x);
    learn_stubs(x->f);
    learn_buffers(x);
    learn_enters(x);
    for (size_t i = 0; i < f->nwall; i++)
        x->waits[i] = wait_in(x, &f->wall[i]);
    for (size_t i = 0; i < f->nran; i++)
        x->ran[f->ran[i]]++;
    wick_explain_find_questions(x);
    find_piped_answers(x);
    if (!wick_explain_find_replies(x) || !learn_jams(x) || !learn_held_back(x))
        return false;
    learn_courses(x);
    find_timed_parks(x);
    return wick_explain_learn_courses(x);
}
