/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_task.c - threads, processes and what they have mapped, as the records say
 *
 * A process's mappings are a sorted array without overlaps; a new one cuts what lay there before. A child has its
 * parent's array until either of them changes it. Threads that have ended are forgotten when there are many of them,
 * not at once: the kernel still samples what they do on their way out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "import/perf_int.h"

#define MAPS_PER_PROCESS 65536u
#define MAPS_IN_ALL      (4u << 20)
#define SWEEP_AT         65536u

struct place {
    uint64_t start, end, pgoff;
    uint32_t dso;
    bool is_absolute; /* an address in it is used as it is */
};

struct maps {
    uint32_t refs, n, cap;
    struct place *e;
};

struct thread {
    int32_t tid, pid;
    uint32_t name; /* string of the profile; 0 = not known */
    bool exited;
};

struct process {
    int32_t pid;
    struct maps *maps;    /* may be NULL */
    uint32_t label, said; /* label set, and the name that it was made of */
};

struct wick_perf_tasks {
    struct wick_profile *p;
    struct wick_perf_dsos *dsos;
    struct thread *threads;
    struct process *processes;
    uint32_t nthreads, cap_threads, nprocesses, cap_processes;
    struct wick_index by_tid, by_pid;
    uint32_t exited, all_maps;
    uint64_t dropped;
};

struct wick_perf_tasks *wick_perf_tasks_new(struct wick_profile *p, struct wick_perf_dsos *d)
{
    struct wick_perf_tasks *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->p = p;
    t->dsos = d;
    return t;
}

static void drop_maps(struct wick_perf_tasks *t, struct maps *m)
{
    if (!m || --m->refs)
        return;
    t->all_maps -= m->cap;
    free(m->e);
    free(m);
}

void wick_perf_tasks_free(struct wick_perf_tasks *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->nprocesses; i++)
        drop_maps(t, t->processes[i].maps);
    wick_index_release(&t->by_tid);
    wick_index_release(&t->by_pid);
    free(t->threads);
    free(t->processes);
    free(t);
}

uint64_t wick_perf_tasks_dropped(const struct wick_perf_tasks *t)
{
    return t->dropped;
}

/* --- tables --- */

static uint64_t hash_id(int32_t id)
{
    return wick_hash_2((uint32_t)id, 1);
}

static struct thread *find_thread(const struct wick_perf_tasks *t, int32_t tid)
{
    uint64_t h = hash_id(tid);
    uint32_t at = wick_index_start(&t->by_tid, h), id;
    while (wick_index_next(&t->by_tid, h, &at, &id))
        if (t->threads[id].tid == tid)
            return &t->threads[id];
    return NULL;
}

static struct process *find_process(const struct wick_perf_tasks *t, int32_t pid)
{
    uint64_t h = hash_id(pid);
    uint32_t at = wick_index_start(&t->by_pid, h), id;
    while (wick_index_next(&t->by_pid, h, &at, &id))
        if (t->processes[id].pid == pid)
            return &t->processes[id];
    return NULL;
}

static bool grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 256;
    void **a = array, *bigger = more > *cap ? reallocarray(*a, more, size) : NULL;
    if (!bigger)
        return false;
    *a = bigger;
    *cap = more;
    return true;
}

static struct thread *get_thread(struct wick_perf_tasks *t, int32_t pid, int32_t tid)
{
    struct thread *found = find_thread(t, tid);
    if (found && found->exited && found->pid != pid) { /* the number belongs to another thread now */
        found->name = 0;
        found->exited = false;
        t->exited--;
    }
    if (found) {
        found->pid = pid;
        return found;
    }
    if (!grow(&t->threads, t->nthreads, &t->cap_threads, sizeof *t->threads) ||
        wick_index_add(&t->by_tid, hash_id(tid), t->nthreads))
        return NULL;
    t->threads[t->nthreads] = (struct thread){.tid = tid, .pid = pid};
    return &t->threads[t->nthreads++];
}

static struct process *get_process(struct wick_perf_tasks *t, int32_t pid)
{
    struct process *found = find_process(t, pid);
    if (found)
        return found;
    if (!grow(&t->processes, t->nprocesses, &t->cap_processes, sizeof *t->processes) ||
        wick_index_add(&t->by_pid, hash_id(pid), t->nprocesses))
        return NULL;
    t->processes[t->nprocesses] = (struct process){.pid = pid};
    return &t->processes[t->nprocesses++];
}

/* Forgets threads that have ended, and processes whose threads all have. */
static int sweep(struct wick_perf_tasks *t)
{
    uint32_t kept = 0, procs = 0;
    int rc = 0;
    wick_index_release(&t->by_tid);
    for (uint32_t i = 0; i < t->nthreads; i++)
        if (!t->threads[i].exited) {
            t->threads[kept] = t->threads[i];
            rc = rc ? rc : wick_index_add(&t->by_tid, hash_id(t->threads[kept].tid), kept);
            kept++;
        }
    t->nthreads = kept;
    t->exited = 0;
    struct wick_index alive = {0};
    for (uint32_t i = 0; !rc && i < kept; i++)
        rc = wick_index_add(&alive, hash_id(t->threads[i].pid), i);
    wick_index_release(&t->by_pid);
    for (uint32_t i = 0; i < t->nprocesses; i++) {
        uint64_t h = hash_id(t->processes[i].pid);
        uint32_t at = wick_index_start(&alive, h), id;
        if (!wick_index_next(&alive, h, &at, &id)) {
            drop_maps(t, t->processes[i].maps);
            continue;
        }
        t->processes[procs] = t->processes[i];
        rc = rc ? rc : wick_index_add(&t->by_pid, h, procs);
        procs++;
    }
    t->nprocesses = procs;
    wick_index_release(&alive);
    return rc;
}

/* --- mappings --- */

/* The process's mappings with room for two more, its own; NULL = too many, or no memory (*rc). */
static struct maps *own_maps(struct wick_perf_tasks *t, struct process *p, int *rc)
{
    struct maps *m = p->maps;
    uint32_t need = (m ? m->n : 0) + 2;
    if (m && m->refs == 1 && need <= m->cap)
        return m;
    uint32_t cap = need < 16 ? 16 : need + need / 2;
    if (need > MAPS_PER_PROCESS || t->all_maps > MAPS_IN_ALL - cap)
        return NULL;
    struct maps *mine = malloc(sizeof *mine);
    struct place *e = reallocarray(NULL, cap, sizeof *e);
    if (!mine || !e) {
        free(mine);
        free(e);
        *rc = -WICK_E_NOMEM;
        return NULL;
    }
    *mine = (struct maps){1, m ? m->n : 0, cap, e};
    if (m)
        memcpy(e, m->e, m->n * sizeof *e);
    t->all_maps += cap;
    drop_maps(t, m);
    p->maps = mine;
    return mine;
}

/* The first mapping that ends behind addr. */
static uint32_t first_behind(const struct maps *m, uint64_t addr)
{
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->e[mid].end <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Puts a place in; what it covers is cut away, perhaps in two. There is room for two more. */
static void insert(struct maps *m, const struct place *new)
{
    uint32_t from = first_behind(m, new->start), to = from, n = 0;
    struct place parts[3];
    while (to < m->n && m->e[to].start < new->end)
        to++;
    if (from < to && m->e[from].start < new->start) {
        parts[n] = m->e[from];
        parts[n++].end = new->start;
    }
    parts[n++] = *new;
    if (from < to && m->e[to - 1].end > new->end) {
        struct place rest = m->e[to - 1];
        rest.pgoff += new->end - rest.start;
        rest.start = new->end;
        parts[n++] = rest;
    }
    memmove(m->e + from + n, m->e + to, (m->n - to) * sizeof *m->e);
    memcpy(m->e + from, parts, n * sizeof *parts);
    m->n = m->n - (to - from) + n;
}

int wick_perf_tasks_map(struct wick_perf_tasks *t, const struct wick_perf_mapping *mapping)
{
    struct process *p = get_process(t, mapping->pid);
    int rc = 0;
    struct maps *m = p ? own_maps(t, p, &rc) : NULL;
    if (!m) {
        t->dropped++;
        return p ? rc : -WICK_E_NOMEM;
    }
    struct place e = {.start = mapping->start,
                      .end = mapping->start + mapping->len,
                      .pgoff = mapping->pgoff,
                      .dso = wick_perf_dso(t->dsos, mapping)};
    e.is_absolute = wick_perf_dso_is_absolute(t->dsos, e.dso);
    insert(m, &e);
    return 0;
}

uint32_t wick_perf_tasks_find(struct wick_perf_tasks *t, int32_t pid, uint64_t addr, uint64_t *at)
{
    const struct process *p = find_process(t, pid);
    uint32_t i = p && p->maps ? first_behind(p->maps, addr) : 0;
    if (!p || !p->maps || i == p->maps->n || p->maps->e[i].start > addr)
        return 0;
    const struct place *e = &p->maps->e[i];
    *at = e->is_absolute ? addr : addr - e->start + e->pgoff;
    return e->dso;
}

/* --- what happens to threads --- */

int wick_perf_tasks_comm(struct wick_perf_tasks *t, int32_t pid, int32_t tid, struct wick_word comm, bool exec)
{
    struct thread *thread = get_thread(t, pid, tid);
    struct process *p = get_process(t, pid);
    if (!thread || !p)
        return -WICK_E_NOMEM;
    thread->name = wick_profile_string(t->p, comm.s, comm.n);
    if (exec) { /* nothing of the old program is left */
        drop_maps(t, p->maps);
        p->maps = NULL;
    }
    return 0;
}

int wick_perf_tasks_fork(struct wick_perf_tasks *t, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid)
{
    if (t->nthreads >= SWEEP_AT && t->exited > t->nthreads / 2 && sweep(t))
        return -WICK_E_NOMEM;
    const struct thread *parent = find_thread(t, ptid);
    uint32_t name = parent ? parent->name : 0;
    struct thread *thread = get_thread(t, pid, tid);
    struct process *p = get_process(t, pid);
    if (!thread || !p)
        return -WICK_E_NOMEM;
    t->exited -= thread->exited;
    thread->exited = false;
    thread->name = name ? name : thread->name;
    const struct process *from = ppid != pid ? find_process(t, ppid) : NULL;
    if (from && from->maps != p->maps) {
        drop_maps(t, p->maps);
        p->maps = from->maps;
        if (p->maps)
            p->maps->refs++;
    }
    return 0;
}

void wick_perf_tasks_exit(struct wick_perf_tasks *t, int32_t tid)
{
    struct thread *thread = find_thread(t, tid);
    if (!thread || thread->exited)
        return;
    thread->exited = true;
    t->exited++;
}

/* --- names --- */

uint32_t wick_perf_tasks_name(struct wick_perf_tasks *t, int32_t tid)
{
    char text[16];
    const struct thread *thread = find_thread(t, tid);
    if (thread && thread->name)
        return thread->name;
    snprintf(text, sizeof text, ":%d", tid);
    return wick_profile_cstring(t->p, tid ? text : "swapper");
}

uint32_t wick_perf_tasks_process(struct wick_perf_tasks *t, int32_t pid)
{
    if (!t->p->by_labels)
        return 0;
    uint32_t name = wick_perf_tasks_name(t, pid);
    struct process *p = get_process(t, pid);
    if (p && p->label && p->said == name)
        return p->label;
    const struct wick_string *s = &t->p->strings[name];
    uint32_t label = wick_perf_process(t->p, (struct wick_word){s->s, s->len}, pid);
    if (p) {
        p->label = label;
        p->said = name;
    }
    return label;
}
