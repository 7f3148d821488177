/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours.c - see neighbours.h
 *
 * Readings are sorted by pid, as /proc mostly lists processes anyway, and compared like two sorted lists. A reused pid
 * is recognised by the start time of the process. A process that is new counts with all that it used.
 */
#include "sys/neighbours.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sys/proc.h"
#include "sys/procstat.h"
#include "sys/whole.h"

enum { REST = 200, PATH = 128, COMM = 64 };

struct wick_neighbour_row {
    int32_t pid;
    uint64_t began, ticks; /* since boot; user and system time */
};

void wick_neighbours_init(struct wick_neighbours *n, const char *proc, int32_t self)
{
    *n = (struct wick_neighbours){.proc = proc, .self = self};
}

void wick_neighbours_release(struct wick_neighbours *n)
{
    free(n->was);
    free(n->is);
    wick_neighbours_init(n, n->proc, n->self);
}

void wick_neighbours_forget(struct wick_neighbours *n)
{
    n->read_ns = 0;
    n->nwas = 0;
}

static size_t read_file(const struct wick_neighbours *n, int32_t pid, const char *name, char *buf, size_t cap)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%d/%s", n->proc, pid, name);
    ssize_t len = wick_whole_text(path, buf, cap);
    return len > 0 ? (size_t)len : 0;
}

static bool read_row(const struct wick_neighbours *n, int32_t pid, struct wick_neighbour_row *out)
{
    char path[PATH];
    struct wick_procstat s;
    snprintf(path, sizeof path, "%s/%d/stat", n->proc, pid);
    if (!wick_procstat_read(AT_FDCWD, path, &s))
        return false;
    *out = (struct wick_neighbour_row){.pid = pid, .began = s.start, .ticks = s.user + s.system};
    return true;
}

static bool room(struct wick_neighbours *n, size_t count)
{
    if (count < n->cap_is)
        return true;
    size_t wanted = n->cap_is ? 2 * n->cap_is : 256;
    struct wick_neighbour_row *rows = reallocarray(n->is, wanted, sizeof *rows);
    if (!rows)
        return false;
    n->is = rows;
    n->cap_is = wanted;
    return true;
}

static int by_pid(const void *a, const void *b)
{
    const struct wick_neighbour_row *x = a, *y = b;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Fills n->is; how many rows. */
static size_t read_all(struct wick_neighbours *n)
{
    size_t count = 0;
    DIR *d = opendir(n->proc);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char *end;
        long pid = strtol(e->d_name, &end, 10);
        if (pid <= 0 || pid > INT32_MAX || *end || pid == n->self)
            continue;
        if (!room(n, count))
            break;
        if (read_row(n, (int32_t)pid, &n->is[count]))
            count++;
    }
    if (d)
        closedir(d);
    if (count)
        qsort(n->is, count, sizeof *n->is, by_pid);
    return count;
}

/* Keeps the row among the `most` that used most. */
static uint32_t insert(struct wick_neighbour *out, uint32_t count, uint32_t most, int32_t pid, uint64_t cpu_ns)
{
    uint32_t at = count;
    while (at && out[at - 1].cpu_ns < cpu_ns)
        at--;
    if (at == most)
        return count;
    count += count < most;
    memmove(&out[at + 1], &out[at], (count - at - 1) * sizeof *out);
    out[at].pid = pid;
    out[at].cpu_ns = cpu_ns;
    return count;
}

static uint32_t compare(const struct wick_neighbours *n, size_t nis, struct wick_neighbour *out, uint32_t most)
{
    const uint64_t tick_ns = wick_procstat_tick_ns();
    uint32_t count = 0;
    for (size_t i = 0, w = 0; i < nis; i++) {
        const struct wick_neighbour_row *is = &n->is[i];
        while (w < n->nwas && n->was[w].pid < is->pid)
            w++;
        bool known = w < n->nwas && n->was[w].pid == is->pid && n->was[w].began == is->began;
        uint64_t before = known ? n->was[w].ticks : 0;
        if (is->ticks > before)
            count = insert(out, count, most, is->pid, (is->ticks - before) * tick_ns);
    }
    return count;
}

static void name_of(const struct wick_neighbours *n, struct wick_neighbour *out)
{
    char comm[COMM], line[4096], main_class[COMM];
    size_t len = read_file(n, out->pid, "comm", comm, sizeof comm);
    comm[strcspn(comm, "\n")] = 0;
    snprintf(out->name, sizeof out->name, "%s", len ? comm : "?"); /* it may have ended */
    if (strcmp(out->name, "java") != 0)
        return;
    len = read_file(n, out->pid, "cmdline", line, sizeof line);
    if (wick_proc_main_class(line, len, main_class, sizeof main_class))
        snprintf(out->name, sizeof out->name, "java %s", main_class);
}

uint32_t wick_neighbours_read(struct wick_neighbours *n, uint64_t now_ns, struct wick_neighbour *out, uint32_t most,
                              uint64_t *period_ns)
{
    if (now_ns < n->next_ns)
        return 0;
    uint64_t begin = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    size_t nis = read_all(n);
    uint32_t count = n->read_ns ? compare(n, nis, out, most) : 0;
    for (uint32_t i = 0; i < count; i++)
        name_of(n, &out[i]);
    struct wick_neighbour_row *rows = n->was;
    size_t cap = n->cap_was;
    n->was = n->is;
    n->nwas = nis;
    n->cap_was = n->cap_is;
    n->is = rows;
    n->cap_is = cap;
    *period_ns = now_ns - n->read_ns;
    n->read_ns = now_ns;
    n->next_ns = now_ns + (wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) * REST;
    return count;
}
