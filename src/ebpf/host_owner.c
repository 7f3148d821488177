/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_owner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "jfr/writer/writer.h"
#include "record/wait_state.h"
#include "sys/proc.h"
#include "sys/whole.h"

/* Threads of a process in a container that are listed, what share of the time that may take (one in LIST_SHARE), and
 * for how long a name is taken to hold. */
enum { MOST_THREADS = 4096, LIST_SHARE = 20, LIST_LEAST_NS = 200000000, HOLDS_NS = 1000000000, INNERMOST = 4 };

bool wick_host_owner_is_locking(const struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n)
{
    static const char *const functions[] = {"mutex_lock", "mutex_timedlock", "mutex_clocklock", "lll_lock_wait",
                                            "mutex_cond_lock"};
    uint32_t native = 0;
    for (uint32_t i = 0; i < n && native < INNERMOST; i++) {
        if (frames[i].kind != WICK_FRAME_NATIVE || !frames[i].method || frames[i].method > t->nmethods)
            continue;
        const char *name = t->methods[frames[i].method - 1].name;
        native++;
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            if (strstr(name, functions[k]))
                return true;
    }
    return false;
}

/* 1: it waits for such a lock, 0: it does not, -1: the frames around decide. A thread that has been notified waits for
 * the lock of its condition in the acquire() of that. */
static int decides(const struct wick_jfr_frame *f, const struct wick_jfr_method *m, bool *parks, bool *acquires)
{
    static const char locks[] = "java/util/concurrent/locks/", queue[] = "AbstractQueuedSynchronizer";
    const char *name;
    unsigned state;
    if (f->kind == WICK_FRAME_NATIVE || f->kind == WICK_FRAME_CPP) {
        state = wick_wait_state_native(m->name);
        return !state ? -1 : state == WICK_JFR_STATE_MONITOR && strstr(m->name, "ObjectMonitor::");
    }
    if (f->kind != WICK_FRAME_C1 && f->kind != WICK_FRAME_C2 && f->kind != WICK_FRAME_INLINED &&
        f->kind != WICK_FRAME_INTERPRETED)
        return -1;
    if (wick_wait_state_java(m->class_name, m->name) == WICK_JFR_STATE_PARKED) {
        *parks = true;
        return -1;
    }
    if (!*parks || strncmp(m->class_name, locks, sizeof locks - 1) != 0)
        return 0;
    name = m->class_name + sizeof locks - 1;
    if (!strcmp(name, "LockSupport"))
        return -1;
    if (!strcmp(name, queue)) {
        *acquires |= !strncmp(m->name, "acquire", 7);
        return -1;
    }
    if (!strncmp(name, queue, sizeof queue - 1))
        return *acquires;
    return !strncmp(name, "ReentrantLock", 13) || !strcmp(name, "ReentrantReadWriteLock$WriteLock");
}

bool wick_host_owner_is_java(const struct wick_host_tables *t, const struct wick_jfr_frame *frames, uint32_t n)
{
    bool parks = false, acquires = false;
    int is = -1;
    for (uint32_t i = 0; i < n && is < 0; i++)
        if (frames[i].method && frames[i].method <= t->nmethods)
            is = decides(&frames[i], &t->methods[frames[i].method - 1], &parks, &acquires);
    return is > 0;
}

static bool read_name(uint32_t pid, uint32_t tid, char *out)
{
    char path[64], comm[WICK_HOST_COMM + 1];
    snprintf(path, sizeof path, "/proc/%u/task/%u/comm", pid, tid);
    ssize_t n = wick_whole_text(path, comm, sizeof comm);
    if (n <= 0)
        return false;
    comm[strcspn(comm, "\n")] = 0;
    snprintf(out, WICK_HOST_OWNER_NAME, "%.*s-%u", WICK_HOST_COMM - 1, comm, tid);
    return true;
}

static uint32_t own_number(uint32_t pid, uint32_t thread)
{
    char path[64];
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_proc_status st = {0};
    snprintf(path, sizeof path, "/proc/%u/task/%u/status", pid, thread);
    if (wick_proc_read_at(-1, path, &text) || wick_proc_parse_status(text.buf, text.len, &st))
        st.nspid = 0;
    wick_strbuf_release(&text);
    return (uint32_t)st.nspid;
}

/* Lists the threads of a process in a container anew, with both numbers of each. */
static void list_threads(struct wick_host_process *p, uint64_t now_ns)
{
    struct wick_host_numbered *list = p->numbered.of;
    char path[32];
    uint64_t begin_ns = wick_clock_mono_ns();
    snprintf(path, sizeof path, "/proc/%u/task", p->pid);
    list = list ? list : malloc(MOST_THREADS * sizeof *list);
    p->numbered.of = list;
    p->numbered.n = 0;
    DIR *dir = list ? opendir(path) : NULL;
    for (const struct dirent *e; dir && p->numbered.n < MOST_THREADS && (e = readdir(dir));) {
        uint32_t thread = (uint32_t)strtoul(e->d_name, NULL, 10);
        if (thread)
            list[p->numbered.n++] = (struct wick_host_numbered){own_number(p->pid, thread), thread};
    }
    if (dir)
        closedir(dir);
    uint64_t wait_ns = (wick_clock_mono_ns() - begin_ns) * LIST_SHARE;
    p->numbered.next_ns = now_ns + (wait_ns > LIST_LEAST_NS ? wait_ns : LIST_LEAST_NS);
}

static uint32_t listed(const struct wick_host_process *p, uint32_t tid)
{
    for (uint32_t i = 0; i < p->numbered.n; i++)
        if (p->numbered.of[i].own == tid)
            return p->numbered.of[i].here;
    return 0;
}

/* The number of this machine; 0 = it has no such thread, as far as is known. */
static uint32_t number_here(struct wick_host_process *p, uint32_t tid, uint64_t now_ns)
{
    if (!p->own_pids)
        return tid;
    uint32_t here = listed(p, tid);
    if (!here && now_ns >= p->numbered.next_ns) {
        list_threads(p, now_ns);
        here = listed(p, tid);
    }
    return here;
}

const char *wick_host_owner_name(struct wick_host_owners *o, struct wick_host_process *p, uint32_t tid, uint64_t now_ns)
{
    struct wick_host_owner *one = &o->of[(tid ^ p->pid * 31) % WICK_HOST_OWNERS];
    if (!one->read_ns || one->tid != tid || memcmp(&one->birth, &p->birth, sizeof one->birth) ||
        now_ns > one->read_ns + HOLDS_NS) {
        *one = (struct wick_host_owner){.birth = p->birth, .read_ns = now_ns, .tid = tid};
        uint32_t here = p->gone ? 0 : number_here(p, tid, now_ns);
        if (!here || !read_name(p->pid, here, one->name) || !wick_host_process_is_same(p))
            *one->name = 0;
    }
    return *one->name ? one->name : NULL;
}
