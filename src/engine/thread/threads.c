/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - knowing every thread of the process
 *
 * Java threads announce themselves (JVMTI ThreadStart, in the new thread, before it runs any Java code). All others -
 * collectors, compilers, threads of native libraries - are found by reading /proc/self/task. That costs a few
 * microseconds per thread, so it is only done when something changed: the number of threads (the directory's link
 * count), or the last pid that the system gave out (/proc/loadavg), if one of those given out since is a thread of this
 * process, for which the kernel is asked pid by pid. Each is a cheap system call. Where more pids are given out than
 * can be asked for, a process with thousands of threads would do little else than read; so scans rest in proportion to
 * what reading the list cost (not to what arming did: that is paid once for each thread), and less where the process
 * itself has more threads or fewer than before.
 *
 * The kernel uses a thread's id again once it is free. A Java thread says when it ends; where no recording is on, its
 * slot and its name go at once. Of all others a scan compares the inode of their folder in /proc, which costs nothing,
 * and where it is another one (the kernel may have dropped the folder from its cache) the time of their start.
 */
#include "engine/thread/threads.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/procstat.h"
#include "sys/whole.h"

enum {
    YOUNG_POLLS = 6,
    SCAN_REST = 400,     /* a scan that took a time t is followed by none for so many t: at most 0.25 % of a core, */
    OWN_SCAN_REST = 100, /* or 1 % where the number of the process's own threads keeps changing */
    MOST_PROBES = 256,   /* pids asked for at a poll */
};

int wick_threads_init(struct wick_threads *ts)
{
    size_t slots = WICK_MAX_THREADS * sizeof *ts->slots, map = WICK_MAX_TID * sizeof *ts->slot_of_tid;
    uint8_t *p = mmap(NULL, slots + map, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -WICK_E_NOMEM;
    madvise(p, slots + map, MADV_NOHUGEPAGE);
    *ts = (struct wick_threads){.lock = PTHREAD_MUTEX_INITIALIZER,
                                .slots = (struct wick_engine_thread *)p,
                                .slot_of_tid = (_Atomic uint32_t *)(p + slots),
                                .top = 1,
                                .free_hint = 1,
                                .next_serial = 1};
    return 0;
}

void wick_threads_release(struct wick_threads *ts)
{
    for (uint32_t i = 0; i < ts->name_count; i++)
        free(ts->names[i].java_name);
    free(ts->names);
    for (uint32_t i = 0; i < ts->alias_count; i++)
        free(ts->aliases[i].name);
    free(ts->aliases);
    munmap(ts->slots, WICK_MAX_THREADS * sizeof *ts->slots + WICK_MAX_TID * sizeof *ts->slot_of_tid);
    *ts = (struct wick_threads){0};
}

/* Room for the name of `serial`, which is the greatest so far. */
static void add_name(struct wick_threads *ts, uint32_t serial, int32_t tid)
{
    if (ts->name_count == ts->name_cap) {
        uint32_t cap = ts->name_cap ? ts->name_cap * 2 : 64;
        struct wick_thread_name *p = realloc(ts->names, cap * sizeof *p);
        if (!p)
            return;
        ts->names = p;
        ts->name_cap = cap;
    }
    ts->names[ts->name_count++] = (struct wick_thread_name){.serial = serial, .tid = tid};
    ts->young[ts->young_next].serial = serial;
    ts->young[ts->young_next].polls = YOUNG_POLLS;
    ts->young_next = (ts->young_next + 1) % WICK_YOUNG_THREADS;
}

static void read_os_name(struct wick_thread_name *n)
{
    wick_threads_os_name(n->tid, n->os_name);
}

/* The kernel's list of threads is not read at once, and leaves out a thread that lives when others end between two
 * reads (fs/proc/base.c: first_tid counts again from the beginning). So the kernel is asked for each missing thread by
 * its id. */
static bool has_ended(int32_t tid)
{
    return syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH;
}

/* When a thread of this process was started, in the kernel's ticks since it booted, + 1; 0 if unknown. */
static uint64_t start_of(int32_t tid)
{
    struct wick_procstat s;
    return wick_procstat_thread(tid, &s) ? s.start + 1 : 0;
}

/* Whether a slot is still that of the thread which has its id now. */
static bool is_same(struct wick_engine_thread *t, uint64_t inode)
{
    if (inode > 1 && inode == t->inode) /* 1: the kernel could not look it up */
        return true;
    uint64_t start = start_of(wick_load_relaxed(&t->tid));
    bool same = !start || !t->start || start == t->start;
    if (same) {
        t->inode = inode;
        t->start = t->start ? t->start : start;
    }
    return same;
}

/* Reads the name of a thread again, unless it has ended: its id may be another's. Locked. */
static void reread_os_name(struct wick_threads *ts, struct wick_thread_name *n)
{
    char path[48];
    struct stat st;
    struct wick_engine_thread *t = wick_threads_find_sig(ts, n->tid);
    snprintf(path, sizeof path, "/proc/self/task/%d", n->tid);
    if (t && t->serial == n->serial && !stat(path, &st) && is_same(t, st.st_ino))
        read_os_name(n);
}

/* A slot for a thread that has none. Locked. */
static struct wick_engine_thread *add_locked(struct wick_threads *ts, int32_t tid)
{
    uint32_t i = ts->free_hint;
    while (i < wick_threads_top(ts) && wick_load_relaxed(&ts->slots[i].tid))
        i++;
    if (i >= WICK_MAX_THREADS || tid <= 0 || tid >= WICK_MAX_TID) {
        ts->overflow++;
        return NULL;
    }
    struct wick_engine_thread *t = &ts->slots[i];
    *t = (struct wick_engine_thread){.serial = ts->next_serial++, .perf_fd = -1, .timer = -1, .start = start_of(tid)};
    wick_store_relaxed(&t->tid, tid);
    ts->free_hint = i + 1;
    if (i >= wick_threads_top(ts))
        wick_store_relaxed(&ts->top, i + 1);
    add_name(ts, t->serial, tid);
    wick_store_release(&ts->slot_of_tid[tid], i); /* pairs: wick_threads_find_sig */
    return t;
}

static void arm_locked(struct wick_threads *ts, struct wick_engine_thread *t, bool born_late)
{
    for (int i = 0; i < WICK_MAX_HOOKS; i++) {
        if ((t->armed >> i & 1) || !ts->hooks[i].arm)
            continue;
        t->armed |= UINT32_C(1) << i;
        ts->hooks[i].arm(ts->hooks[i].arg, t, born_late);
    }
}

/* The running thread, which is armed, has become a Java thread. */
static void java_locked(struct wick_threads *ts, struct wick_engine_thread *t)
{
    for (int i = 0; i < WICK_MAX_HOOKS; i++)
        if ((t->armed >> i & 1) && ts->hooks[i].java)
            ts->hooks[i].java(ts->hooks[i].arg, t);
}

static void disarm_locked(struct wick_threads *ts, struct wick_engine_thread *t, int i)
{
    if ((t->armed >> i & 1) && ts->hooks[i].disarm)
        ts->hooks[i].disarm(ts->hooks[i].arg, t);
    t->armed &= ~(UINT32_C(1) << i);
}

/* The running thread ends. */
static void end_locked(struct wick_threads *ts, struct wick_engine_thread *t)
{
    for (int i = 0; i < WICK_MAX_HOOKS; i++)
        if ((t->armed >> i & 1) && ts->hooks[i].end)
            ts->hooks[i].end(ts->hooks[i].arg, t);
}

/* The thread has ended. */
static void remove_locked(struct wick_threads *ts, struct wick_engine_thread *t)
{
    uint32_t i = (uint32_t)(t - ts->slots);
    int32_t tid = wick_load_relaxed(&t->tid);
    for (int e = 0; e < WICK_MAX_HOOKS; e++)
        disarm_locked(ts, t, e);
    if (wick_load_relaxed(&ts->slot_of_tid[tid]) == i)
        wick_store_release(&ts->slot_of_tid[tid], 0); /* pairs: wick_threads_find_sig */
    wick_store_relaxed(&t->java, 0);
    wick_store_relaxed(&t->tid, 0);
    if (i < ts->free_hint)
        ts->free_hint = i;
}

/* The thread has ended, and another one has its id. */
static void replace_locked(struct wick_threads *ts, struct wick_engine_thread *t)
{
    t->replaced = true;
    remove_locked(ts, t);
}

/* Drops a name that nobody will ask for. */
static void drop_name_locked(struct wick_threads *ts, uint32_t serial)
{
    struct wick_thread_name *n = wick_threads_name_of_locked(ts, serial);
    if (!n)
        return;
    free(n->java_name);
    memmove(n, n + 1, (size_t)(ts->names + --ts->name_count - n) * sizeof *n);
}

void wick_threads_java(struct wick_threads *ts, int32_t tid, wick_addr java, const char *name, uint64_t java_tid)
{
    pthread_mutex_lock(&ts->lock);
    struct wick_engine_thread *t = wick_threads_find_sig(ts, tid);
    bool own = tid == (int32_t)syscall(SYS_gettid);
    if (t && own && wick_load_relaxed(&t->java) != java && (wick_load_relaxed(&t->java) || !is_same(t, 0))) {
        replace_locked(ts, t); /* the kernel gave the id of a thread that ended unnoticed to this one */
        t = NULL;
    }
    if (!t && !has_ended(tid))
        t = add_locked(ts, tid);
    if (t) {
        struct wick_thread_name *n = wick_threads_name_of_locked(ts, t->serial);
        bool late = own && wick_load_relaxed(&t->java) != java;
        /* pairs: the acquire loads of java, as in lock_note_sig.c: who finds it finds the slot of the same thread */
        wick_store_release(&t->java, java);
        t->seen = ts->scan;
        if (n) {
            if (name)
                wick_threads_rename_locked(ts, n, name);
            n->java_tid = java_tid;
        }
        if (late)
            java_locked(ts, t);
        arm_locked(ts, t, own); /* what its start cost is also counted */
    }
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_java_priority(struct wick_threads *ts, int32_t tid, int32_t priority)
{
    pthread_mutex_lock(&ts->lock);
    const struct wick_engine_thread *t = wick_threads_find_sig(ts, tid);
    struct wick_thread_name *n = t ? wick_threads_name_of_locked(ts, t->serial) : NULL;
    if (n)
        n->java_priority = priority;
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_java_end(struct wick_threads *ts, int32_t tid)
{
    pthread_mutex_lock(&ts->lock);
    struct wick_engine_thread *t = wick_threads_find_sig(ts, tid);
    if (t) {
        struct wick_thread_name *n = wick_threads_name_of_locked(ts, t->serial);
        if (n)
            read_os_name(n);
        if (tid == (int32_t)syscall(SYS_gettid))
            end_locked(ts, t);
        wick_store_release(&t->java, 0); /* pairs: the acquire loads of java, to which 0 means that there is none */
        if (!ts->recording) {            /* nobody will notice its end; should it live on, a scan finds it again */
            uint32_t serial = t->serial;
            remove_locked(ts, t);
            drop_name_locked(ts, serial);
        }
    }
    pthread_mutex_unlock(&ts->lock);
}

/* Brings the slots in line with /proc/self/task. Returns the CPU time spent on the scan. Locked. */
static uint64_t scan_locked(struct wick_threads *ts, bool first)
{
    uint64_t begin = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID), arming = 0;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        return 0;
    ts->scan++;
    for (struct dirent *e; (e = readdir(d));) {
        int32_t tid = atoi(e->d_name);
        if (tid <= 0)
            continue;
        struct wick_engine_thread *t = wick_threads_find_sig(ts, tid);
        if (t && !is_same(t, e->d_ino)) {
            replace_locked(ts, t);
            t = NULL;
        }
        bool known = t;
        if (!t)
            t = add_locked(ts, tid);
        if (!t)
            continue;
        t->seen = ts->scan;
        t->inode = e->d_ino;
        uint64_t found = known ? 0 : wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        struct wick_thread_name *n = wick_threads_name_of_locked(ts, t->serial);
        if (n && !n->os_name[0])
            read_os_name(n);
        arm_locked(ts, t, !first);
        arming += known ? 0 : wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - found;
    }
    closedir(d);
    for (uint32_t i = 1; i < wick_threads_top(ts); i++) {
        struct wick_engine_thread *t = &ts->slots[i];
        int32_t tid = wick_load_relaxed(&t->tid);
        if (tid && t->seen != ts->scan && has_ended(tid))
            remove_locked(ts, t);
    }
    uint32_t top = wick_threads_top(ts);
    while (top > 1 && !wick_load_relaxed(&ts->slots[top - 1].tid))
        top--;
    wick_store_relaxed(&ts->top, top);
    return wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin - arming;
}

static void reread_young_locked(struct wick_threads *ts)
{
    for (uint32_t i = 0; i < WICK_YOUNG_THREADS; i++) {
        if (!ts->young[i].polls)
            continue;
        struct wick_thread_name *n = wick_threads_name_of_locked(ts, ts->young[i].serial);
        struct wick_engine_thread *t = n ? wick_threads_find_sig(ts, n->tid) : NULL;
        bool alive = t && t->serial == n->serial;
        if (alive)
            reread_os_name(ts, n);
        ts->young[i].polls = alive ? ts->young[i].polls - 1 : 0;
    }
}

/* Two numbers that change whenever a thread of this process is born. */
static void birth_marks(uint64_t out[2])
{
    struct stat st;
    char buf[128];
    out[0] = stat("/proc/self/task", &st) ? 0 : st.st_nlink;
    wick_whole_text("/proc/loadavg", buf, sizeof buf);
    const char *last = strrchr(buf, ' ');
    out[1] = last ? strtoull(last, NULL, 10) : 0;
}

/* Whether /proc/loadavg is the kernel's own, with pids as this process sees them (lxcfs puts another one in its place).
 */
static bool loadavg_is_the_kernels(void)
{
    struct statfs st;
    return !statfs("/proc/loadavg", &st) && st.f_type == PROC_SUPER_MAGIC;
}

/* Whether a thread of this process may be among the pids given out since the last poll, `last` being the newest. A
 * thread has its pid a moment before it can be found, so each pid is asked for at two polls. */
static bool may_have_born(struct wick_threads *ts, uint64_t last)
{
    uint64_t from = ts->probed_pid;
    if (last == from && last == ts->scan_state[1])
        return false;
    if (!ts->pids_are_ours || last < from || last - from > MOST_PROBES)
        return true;
    for (uint64_t pid = from + 1; pid <= last; pid++)
        if (!has_ended((int32_t)pid))
            return true;
    ts->probed_pid = ts->scan_state[1];
    ts->scan_state[1] = last;
    return false;
}

int wick_threads_arm(struct wick_threads *ts, const struct wick_thread_hooks *hooks)
{
    int i = 0;
    pthread_mutex_lock(&ts->lock);
    while (i < WICK_MAX_HOOKS && ts->hooks[i].arm)
        i++;
    if (i < WICK_MAX_HOOKS) {
        birth_marks(ts->scan_state);
        ts->probed_pid = ts->scan_state[1];
        ts->pids_are_ours = loadavg_is_the_kernels();
        if (i > 0)
            scan_locked(ts, false); /* threads that started during this come after the others */
        ts->hooks[i] = *hooks;
        scan_locked(ts, true);
    }
    pthread_mutex_unlock(&ts->lock);
    return i < WICK_MAX_HOOKS ? 0 : -WICK_E_LIMIT;
}

void wick_threads_disarm(struct wick_threads *ts, const void *arg)
{
    pthread_mutex_lock(&ts->lock);
    for (int e = 0; e < WICK_MAX_HOOKS; e++) {
        if (!ts->hooks[e].arm || ts->hooks[e].arg != arg)
            continue;
        for (uint32_t i = 1; i < wick_threads_top(ts); i++)
            if (wick_load_relaxed(&ts->slots[i].tid))
                disarm_locked(ts, &ts->slots[i], e);
        ts->hooks[e] = (struct wick_thread_hooks){0};
    }
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_poll(struct wick_threads *ts)
{
    uint64_t marks[2], now = wick_clock_mono_ns();
    birth_marks(marks);
    pthread_mutex_lock(&ts->lock);
    reread_young_locked(ts);
    bool own = marks[0] != ts->scan_state[0], changed = own || !marks[0] || may_have_born(ts, marks[1]);
    if (changed && now >= ts->scan_rest_until_ns) {
        uint64_t rest = own ? OWN_SCAN_REST : SCAN_REST;
        memcpy(ts->scan_state, marks, sizeof marks);
        ts->probed_pid = marks[1];
        ts->scan_rest_until_ns = now + rest * scan_locked(ts, false);
    }
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_refresh_names(struct wick_threads *ts)
{
    pthread_mutex_lock(&ts->lock);
    for (uint32_t i = 1; i < wick_threads_top(ts); i++) {
        struct wick_thread_name *n =
            wick_load_relaxed(&ts->slots[i].tid) ? wick_threads_name_of_locked(ts, ts->slots[i].serial) : NULL;
        if (n)
            reread_os_name(ts, n);
    }
    pthread_mutex_unlock(&ts->lock);
}

bool wick_threads_name(struct wick_threads *ts, uint32_t serial, struct wick_thread_name *out, char *buf, size_t cap)
{
    if (serial == WICK_THREADS_UNMOUNTED) {
        snprintf(buf, cap, "virtual threads, not mounted");
        *out = (struct wick_thread_name){.serial = serial, .os_name = "virtual threads", .java_name = buf};
        return true;
    }
    pthread_mutex_lock(&ts->lock);
    const struct wick_thread_alias *a = wick_threads_alias_locked(ts, serial);
    struct wick_thread_name *n = wick_threads_name_of_locked(ts, a ? a->serial : serial);
    if (n) {
        if (!n->os_name[0])
            reread_os_name(ts, n);
        *out = *n;
        if (n->java_name) {
            snprintf(buf, cap, "%s", a ? a->name : n->java_name);
            out->java_name = buf;
        }
    }
    pthread_mutex_unlock(&ts->lock);
    return n != NULL;
}

const struct wick_thread_name *wick_threads_name_locked(struct wick_threads *ts, uint32_t serial)
{
    return wick_threads_name_of_locked(ts, serial);
}

/* The number of a thread that has ended and never had a slot; a new one unless an event of it came before. */
static uint32_t unseen_locked(struct wick_threads *ts, int32_t tid)
{
    for (uint32_t i = ts->name_count; i-- > 0;)
        if (ts->names[i].unseen && ts->names[i].tid == tid)
            return ts->names[i].serial;
    uint32_t serial = ts->next_serial, count = ts->name_count;
    add_name(ts, serial, tid);
    if (ts->name_count == count)
        return 0;
    ts->next_serial++;
    ts->names[count].unseen = true;
    snprintf(ts->names[count].os_name, sizeof ts->names[count].os_name, "[tid=%d]", tid);
    return serial;
}

uint32_t wick_threads_of(struct wick_threads *ts, int32_t tid)
{
    pthread_mutex_lock(&ts->lock);
    struct wick_engine_thread *t = wick_threads_find_sig(ts, tid);
    if (!t && tid > 0 && !has_ended(tid) && (t = add_locked(ts, tid))) {
        t->seen = ts->scan;
        arm_locked(ts, t, true);
    }
    uint32_t serial = t ? t->serial : tid > 0 ? unseen_locked(ts, tid) : 0;
    pthread_mutex_unlock(&ts->lock);
    return serial;
}

/* Drops the names of those that had ended at the last call, or have ended now. */
static void drop_ended_names_locked(struct wick_threads *ts, bool now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ts->name_count; i++) {
        struct wick_thread_name *n = &ts->names[i];
        struct wick_engine_thread *t = wick_threads_find_sig(ts, n->tid);
        bool gone = !t || t->serial != n->serial;
        if (!gone || !(now || n->gone)) {
            n->gone = gone;
            ts->names[kept++] = *n;
        } else {
            free(n->java_name);
        }
    }
    ts->name_count = kept;
}

void wick_threads_forget(struct wick_threads *ts)
{
    pthread_mutex_lock(&ts->lock);
    drop_ended_names_locked(ts, false);
    wick_threads_forget_aliases_locked(ts, false);
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_begin(struct wick_threads *ts)
{
    pthread_mutex_lock(&ts->lock);
    ts->recording = true;
    ts->scan_state[0] = ts->scan_rest_until_ns = 0; /* the next poll scans */
    pthread_mutex_unlock(&ts->lock);
}

void wick_threads_rest(struct wick_threads *ts)
{
    pthread_mutex_lock(&ts->lock);
    ts->recording = false;
    for (uint32_t i = 1; i < wick_threads_top(ts); i++) {
        struct wick_engine_thread *t = &ts->slots[i];
        int32_t tid = wick_load_relaxed(&t->tid);
        if (tid && (!wick_load_relaxed(&t->java) || has_ended(tid)))
            remove_locked(ts, t);
    }
    wick_threads_forget_aliases_locked(ts, true);
    drop_ended_names_locked(ts, true);
    pthread_mutex_unlock(&ts->lock);
}
