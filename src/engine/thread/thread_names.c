/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Java threads that change while they are sampled
 *
 * A thread's first name goes by its serial number. When a sample of it is written that is younger than the last read of
 * its name, at most once in a round of the drain thread, the name is read again; if it has changed, that is an alias: a
 * number of its own (from ALIASES on), valid for what happened since that read. A read long ago says nothing about the
 * time after it, so then the alias is valid only since the round before. Signal handlers have no part in it, and a
 * thread that is not sampled costs nothing.
 *
 * A name that cannot be read now, because a collector is at work, may be known by the kernel: HotSpot gives it each
 * name that a thread gives itself, cut to 15 bytes. That it does so for a thread is seen once, when both names agree;
 * from then on another name of the kernel's, if it is not one that may have been cut, is the thread's. A name that one
 * thread gives to another does not change the kernel's, which then has nothing to say.
 *
 * The recording asks what a number stands for when it is flushed, so aliases that no longer hold are kept until after
 * the flush that follows: the first wick_threads_forget marks them, the second drops them.
 */
#include "engine/thread/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/whole.h"

enum {
    NAME_BYTES = 1024,
    OS_NAME_BYTES = 16,
    ALIASES_MOST = 1 << 16,
    LATE_NS = 200000000
}; /* a sample reaches its ring later */
#define ALIASES (UINT32_C(1) << 31)

/* The names are a row sorted by serial. */
struct wick_thread_name *wick_threads_name_of_locked(struct wick_threads *ts, uint32_t serial)
{
    uint32_t lo = 0, hi = ts->name_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ts->names[mid].serial < serial)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < ts->name_count && ts->names[lo].serial == serial ? &ts->names[lo] : NULL;
}

static struct wick_thread_alias *find(const struct wick_threads *ts, uint32_t key)
{
    uint32_t lo = 0, hi = ts->alias_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ts->aliases[mid].key < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < ts->alias_count && ts->aliases[lo].key == key ? &ts->aliases[lo] : NULL;
}

static const char *current(const struct wick_threads *ts, const struct wick_thread_name *n)
{
    const struct wick_thread_alias *a = n->alias ? find(ts, n->alias) : NULL;
    return a ? a->name : n->java_name;
}

void wick_threads_rename_locked(struct wick_threads *ts, struct wick_thread_name *n, const char *name)
{
    const char *old = current(ts, n);
    if (old && !strcmp(old, name))
        return;
    char *copy = strdup(name);
    if (!ts->recording || !n->java_name) {
        if (copy) {
            free(n->java_name);
            n->java_name = copy;
        }
        return;
    }
    if (ts->alias_count == ts->alias_cap) {
        uint32_t cap = ts->alias_cap ? ts->alias_cap * 2 : 64;
        struct wick_thread_alias *p = cap <= ALIASES_MOST ? realloc(ts->aliases, cap * sizeof *p) : NULL;
        ts->aliases = p ? p : ts->aliases;
        ts->alias_cap = p ? cap : ts->alias_cap;
    }
    if (!copy || ts->alias_count == ts->alias_cap || ts->next_alias >= ALIASES) {
        free(copy); /* it keeps the name it had */
        return;
    }
    bool recent = n->looked_ns + LATE_NS >= ts->rounds_ns[0];
    uint32_t key = ALIASES + ts->next_alias++;
    ts->aliases[ts->alias_count++] = (struct wick_thread_alias){.key = key,
                                                                .serial = n->serial,
                                                                .before = n->alias,
                                                                .since_ns = recent ? n->looked_ns : ts->rounds_ns[0],
                                                                .name = copy};
    n->alias = key;
}

void wick_threads_names_from(struct wick_threads *ts, wick_thread_name_reader *read, void *arg, bool or_kernel)
{
    pthread_mutex_lock(&ts->lock);
    ts->or_kernel = or_kernel;
    ts->read_name = read;
    ts->read_name_arg = arg;
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_os_name(int32_t tid, char name[OS_NAME_BYTES])
{
    char path[48], comm[OS_NAME_BYTES + 1];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", tid);
    ssize_t n = wick_whole_text(path, comm, sizeof comm);
    if (n <= 0)
        return;
    size_t len = (size_t)(comm[n - 1] == '\n' ? n - 1 : n);
    len = len < OS_NAME_BYTES ? len : OS_NAME_BYTES - 1;
    memcpy(name, comm, len);
    name[len] = 0;
}

/* Whether the kernel's name of the thread, which is returned, is its Java name as far as there is room. */
static bool follows(struct wick_thread_name *n, const char *java_name, char os_name[OS_NAME_BYTES])
{
    os_name[0] = 0;
    wick_threads_os_name(n->tid, os_name);
    if (!os_name[0] || strncmp(os_name, java_name, OS_NAME_BYTES - 1) != 0)
        return false;
    memcpy(n->followed, os_name, OS_NAME_BYTES);
    return true;
}

/* The name according to the kernel. False if that is not known. */
static bool by_kernel(const struct wick_threads *ts, struct wick_thread_name *n, char *name)
{
    char os_name[OS_NAME_BYTES];
    const char *old = current(ts, n);
    if (!old)
        return false;
    if (follows(n, old, os_name)) {
        snprintf(name, NAME_BYTES, "%s", old);
        return true;
    }
    size_t length = strlen(os_name);
    if (!n->followed[0] || !length || length == OS_NAME_BYTES - 1 || !strcmp(os_name, n->followed))
        return false;
    memcpy(n->followed, os_name, OS_NAME_BYTES);
    memcpy(name, os_name, OS_NAME_BYTES);
    return true;
}

static void look_locked(struct wick_threads *ts, struct wick_thread_name *n)
{
    char name[NAME_BYTES], os_name[OS_NAME_BYTES];
    const struct wick_engine_thread *t = wick_threads_find_sig(ts, n->tid);
    uint64_t now = wick_clock_mono_ns();
    wick_addr java = t && t->serial == n->serial ? wick_load_relaxed(&t->java) : 0;
    if (!java || !ts->read_name)
        return;
    enum wick_thread_name_found found = ts->read_name(ts->read_name_arg, java, name, sizeof name);
    if (found == WICK_THREAD_NAME_AS_BEFORE) {
        n->looked_ns = now;
        return;
    }
    if (found == WICK_THREAD_NAME_READ) {
        const char *old = current(ts, n);
        if (!n->compared || !old || strcmp(old, name) != 0)
            follows(n, name, os_name);
        n->compared = true;
    } else if (!ts->or_kernel || !by_kernel(ts, n, name)) {
        return;
    }
    wick_threads_rename_locked(ts, n, name);
    n->looked_ns = now;
}

void wick_threads_names_begin(struct wick_threads *ts, uint64_t now_ns)
{
    pthread_mutex_lock(&ts->lock);
    bool recording = ts->recording;
    ts->recording = false; /* what they were called before is nobody's business */
    for (uint32_t i = 0; i < ts->name_count; i++)
        if (ts->names[i].java_name)
            look_locked(ts, &ts->names[i]);
    ts->recording = recording;
    ts->rounds_ns[0] = ts->rounds_ns[1] = now_ns;
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_round(struct wick_threads *ts, uint64_t now_ns)
{
    pthread_mutex_lock(&ts->lock);
    ts->rounds_ns[0] = ts->rounds_ns[1];
    ts->rounds_ns[1] = now_ns;
    pthread_mutex_unlock(&ts->lock);
}

uint32_t wick_threads_named(struct wick_threads *ts, uint32_t serial, uint64_t time_ns)
{
    uint32_t key = 0, earliest = 0; /* of those that are still known: one that was dropped held before */
    pthread_mutex_lock(&ts->lock);
    struct wick_thread_name *n = wick_threads_name_of_locked(ts, serial);
    if (n && n->java_name) {
        if (n->looked_ns < time_ns)
            look_locked(ts, n);
        for (key = n->alias; key;) {
            const struct wick_thread_alias *a = find(ts, key);
            if (!a || a->since_ns <= time_ns) {
                key = a ? key : earliest;
                break;
            }
            earliest = key;
            key = a->before;
        }
    }
    pthread_mutex_unlock(&ts->lock);
    return key ? key : serial;
}

bool wick_threads_is_own_locked(struct wick_threads *ts, uint32_t serial)
{
    const struct wick_thread_name *n = wick_threads_name_of_locked(ts, serial);
    static const char *const own[] = {"wick-control", "wick-drain", "wick-wall",
                                      "wick-lock",    "wick-ttsp",  "wick-counts"};
    for (size_t i = 0; n && i < sizeof own / sizeof *own; i++)
        if (!strcmp(n->java_name ? n->java_name : n->os_name, own[i]))
            return true;
    return false;
}

const struct wick_thread_alias *wick_threads_alias_locked(const struct wick_threads *ts, uint32_t key)
{
    return key >= ALIASES ? find(ts, key) : NULL;
}

void wick_threads_forget_aliases_locked(struct wick_threads *ts, bool all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ts->alias_count; i++) {
        struct wick_thread_alias *a = &ts->aliases[i];
        struct wick_thread_name *n = wick_threads_name_of_locked(ts, a->serial);
        bool holds = n && n->alias == a->key;
        if (all && holds) { /* nobody asks by number any more */
            free(n->java_name);
            n->java_name = a->name;
            n->alias = 0;
        } else if (all || !n || (!holds && a->old)) {
            free(a->name);
        } else {
            a->old = !holds;
            ts->aliases[kept++] = *a;
        }
    }
    ts->alias_count = kept;
}
