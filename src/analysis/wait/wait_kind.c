/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_kind.c - see wait_kind.h
 *
 * From the leaf on, frames of the JDK and of libraries that the table has are what is waited in; the first other one is
 * the program's. Of the former, that furthest from the leaf says most: LinkedBlockingQueue.take parks in a condition,
 * and ThreadPoolExecutor.getTask calls that. A framework for logging is passed through: what is slow is what its
 * appender writes to, and who logs is the program. A pool of objects waits in one of java.util.concurrent's classes and
 * is a library's or the program's own, so it is known by the end of its name only; who called it is the program.
 */
#include "analysis/wait/wait_kind.h"

#include <string.h>

#include "model/name.h"

struct known {
    const char *class_name, *method;
    enum wick_wait_kind kind;
    enum { NEAREST, KNOWN_BETTER, ANYWHERE, PASSED, UNKNOWN } way;
};

static const struct known known[] = {
#define FRAME(class, method, NAME) {class, method, WICK_WAIT_##NAME, NEAREST},
#define SURE(class, method, NAME)  {class, method, WICK_WAIT_##NAME, KNOWN_BETTER},
#define BELOW(class, method, NAME) {class, method, WICK_WAIT_##NAME, ANYWHERE},
#define EXCEPT(class)              {class, "", WICK_WAIT_NONE, UNKNOWN},
#define THROUGH(class)             {class, "", WICK_WAIT_NONE, PASSED},
#include "def/wait_kind.def"
};

static const struct {
    const char *class_name, *method;
} requests[] = {
#define REQUEST(class, method) {class, method},
#include "def/wait_kind.def"
};

static const struct {
    const char *name, *text;
    enum wick_wait_role role;
} kinds[WICK_WAIT_KINDS] = {
    [WICK_WAIT_NONE] = {"none", "something", WICK_WAIT_DEPENDS},
#define KIND(NAME, name, role, text) [WICK_WAIT_##NAME] = {name, text, WICK_WAIT_##role},
#include "def/wait_kind.def"
};

const char *wick_wait_name(enum wick_wait_kind kind)
{
    return kinds[kind].name;
}

const char *wick_wait_text(enum wick_wait_kind kind)
{
    return kinds[kind].text;
}

const char *wick_wait_help(enum wick_wait_kind kind)
{
    static const char *const help[WICK_WAIT_KINDS] = {
#define HELP(NAME, text) [WICK_WAIT_##NAME] = (text),
#include "def/wait_kind.def"
    };
    return help[kind];
}

enum wick_wait_role wick_wait_role_of(enum wick_wait_kind kind)
{
    return kinds[kind].role;
}

bool wick_wait_is_lock(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_MONITOR || kind == WICK_WAIT_LOCK || kind == WICK_WAIT_READ_LOCK ||
           kind == WICK_WAIT_WRITE_LOCK;
}

bool wick_wait_is_timer(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_TIMER || kind == WICK_WAIT_TIMED_PARK;
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The row for a method, NULL if there is none. */
static const struct known *look_up(const char *class_name, const char *method)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(class_name, known[i].class_name) && begins(method, known[i].method))
            return known[i].way == UNKNOWN ? NULL : &known[i];
    return NULL;
}

static bool serves(const char *class_name, const char *method)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (begins(class_name, requests[i].class_name) && begins(method, requests[i].method))
            return true;
    return false;
}

static const struct wick_function *function_of(const struct wick_profile *p, uint32_t stack)
{
    return &p->functions[p->frames[p->stacks[stack].frame].function];
}

static bool is_java(const struct wick_profile *p, uint32_t stack)
{
    return wick_frame_kind_is_java(p->frames[p->stacks[stack].frame].kind);
}

/* A class of objects that are lent: HikariPool, GenericObjectPool, PooledDataSource. No pool of threads, whose workers
 * wait for work. */
static bool lends(const char *class_name)
{
    static const char *const ends[] = {"Pool", "DataSource", "PoolBase", "ConnectionBag"};
    size_t len = strlen(class_name);
    static const char *const working[] = {"ThreadPool", "ExecutorPool", "WorkerPool", "TaskPool", "JobPool"};
    for (size_t i = 0; i < sizeof working / sizeof *working; i++)
        if (strstr(class_name, working[i]))
            return false;
    if (wick_name_is_jdk(class_name))
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (len >= strlen(ends[i]) && !strcmp(class_name + len - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

/* A method called borrow or borrowSession, of a class that is not, or not named, a pool. */
static bool borrows(const char *method)
{
    static const char name[] = "borrow";
    return begins(method, name) && !(method[strlen(name)] >= 'a' && method[strlen(name)] <= 'z');
}

static bool is_lender(const struct wick_profile *p, uint32_t stack)
{
    const struct wick_function *f = function_of(p, stack);
    const char *class_name = wick_profile_str(p, f->class_name);
    return lends(class_name) || (!wick_name_is_jdk(class_name) && borrows(wick_profile_str(p, f->name)));
}

/* How pools wait until an object comes back. */
static bool waits_for_return(enum wick_wait_kind kind)
{
    return kind == WICK_WAIT_QUEUE || kind == WICK_WAIT_SEMAPHORE || kind == WICK_WAIT_CONDITION ||
           kind == WICK_WAIT_OBJECT_WAIT || kind == WICK_WAIT_PARK || kind == WICK_WAIT_LATCH;
}

/* The caller of a pool of objects, if the wait is in one. */
static void leave_pool(const struct wick_profile *p, struct wick_wait *w)
{
    if (!w->stack || !waits_for_return(w->kind) || !is_lender(p, w->stack))
        return;
    for (uint32_t s = p->stacks[w->stack].parent; s; s = p->stacks[s].parent) {
        const char *class_name = wick_profile_str(p, function_of(p, s)->class_name);
        const struct known *k = look_up(class_name, wick_profile_str(p, function_of(p, s)->name));
        if (!is_java(p, s) || lends(class_name) || wick_name_is_jdk(class_name) || (k && k->way == PASSED))
            continue;
        w->kind = WICK_WAIT_POOL;
        w->lender = function_of(p, w->stack)->class_name;
        w->stack = s;
        return;
    }
}

struct wick_wait wick_wait_of(const struct wick_profile *p, uint32_t stack)
{
    struct wick_wait w = {0};
    bool sure = false, pooled = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        if (!is_java(p, s))
            continue;
        const struct wick_function *f = function_of(p, s);
        const char *class_name = wick_profile_str(p, f->class_name);
        const struct known *k = look_up(class_name, wick_profile_str(p, f->name));
        if (!w.stack && waits_for_return(w.kind) && is_lender(p, s))
            pooled = true;
        w.in_request |= w.stack && serves(class_name, wick_profile_str(p, f->name));
        if (k && k->way == PASSED) {
            if (pooled && !w.stack)
                w.stack = s; /* the pool, until its caller is looked for */
            else if (!pooled)
                w.stack = 0;
        } else if (k && (!w.stack || k->way == ANYWHERE)) {
            bool answer = w.kind == WICK_WAIT_EVENT && k->way == ANYWHERE; /* a client's own selector */
            w.kind = sure && !answer ? w.kind : k->kind;
            w.stack = 0;
            sure |= k->way == KNOWN_BETTER || k->kind == WICK_WAIT_DNS;
        } else if (!w.stack && !wick_name_is_jdk(class_name)) {
            w.stack = s;
        }
    }
    leave_pool(p, &w);
    if (w.kind == WICK_WAIT_EVENT && w.in_request)
        w.kind = WICK_WAIT_SOCKET; /* events that a request waits for are of what it asked */
    return w;
}

static bool goes_through(const struct wick_profile *p, uint32_t stack, const char *class_name, const char *method)
{
    uint32_t s = stack;
    while (s && !(is_java(p, s) && !strcmp(wick_profile_str(p, function_of(p, s)->class_name), class_name) &&
                  !strcmp(wick_profile_str(p, function_of(p, s)->name), method)))
        s = p->stacks[s].parent;
    return s != 0;
}

bool wick_wait_is_mounted(const struct wick_profile *p, uint32_t stack)
{
    return goes_through(p, stack, "java/lang/VirtualThread", "runContinuation");
}

/* A thread that constructs a Worker, and so calls the pool's thread factory, is none of its workers. */
bool wick_wait_is_worker(const struct wick_profile *p, uint32_t stack)
{
    bool works = false;
    for (uint32_t s = stack; s; s = p->stacks[s].parent) {
        const char *class_name = wick_profile_str(p, function_of(p, s)->class_name);
        if (!is_java(p, s) || !strcmp(wick_profile_str(p, function_of(p, s)->name), "<init>"))
            continue;
        works |= !strcmp(class_name, "java/util/concurrent/ThreadPoolExecutor$Worker") ||
                 !strcmp(class_name, "java/util/concurrent/ForkJoinWorkerThread") ||
                 !strcmp(class_name, "java/util/TimerThread") ||
                 !strcmp(class_name, "org/apache/tomcat/util/threads/ThreadPoolExecutor$Worker");
    }
    return works && !wick_wait_is_mounted(p, stack) && !goes_through(p, stack, "java/lang/VirtualThread", "run");
}

bool wick_wait_runs_task(const struct wick_profile *p, uint32_t stack)
{
    return goes_through(p, stack, "java/util/concurrent/FutureTask", "run");
}

bool wick_wait_is_for_task(const struct wick_profile *p, uint32_t stack)
{
    return goes_through(p, stack, "java/util/concurrent/FutureTask", "get") ||
           goes_through(p, stack, "java/util/concurrent/AbstractExecutorService", "invokeAll");
}

bool wick_wait_is_completing(const struct wick_profile *p, uint32_t stack)
{
    static const char *const names[] = {"complete", "postComplete", "postFire"};
    for (uint32_t s = stack; s; s = p->stacks[s].parent)
        for (size_t i = 0; is_java(p, s) && i < sizeof names / sizeof *names; i++)
            if (begins(wick_profile_str(p, function_of(p, s)->class_name), "java/util/concurrent/CompletableFuture") &&
                begins(wick_profile_str(p, function_of(p, s)->name), names[i]))
                return true;
    return false;
}

bool wick_wait_is_refused(const struct wick_profile *p, uint32_t stack)
{
    uint32_t s = stack;
    while (s && !(is_java(p, s) && strstr(wick_profile_str(p, function_of(p, s)->class_name), "CallerRunsPolicy") &&
                  !strcmp(wick_profile_str(p, function_of(p, s)->name), "rejectedExecution")))
        s = p->stacks[s].parent;
    return s != 0;
}
