/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_map.c - /tmp/perf-PID.map: addresses and sizes in hexadecimal, and names, a symbol a line
 *
 * JVMs with an agent that logs append to their map, so a later line replaces what an earlier one says of its place.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "import/perf_map.h"
#include "sys/ns.h"

#define FLAGS      (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
#define LOOK_BACK  64u /* entries that begin before the nearest one and may reach further */
#define TEXT_BYTES (UINT32_MAX / 2)

struct entry {
    uint64_t start, end;
    uint32_t name, len; /* in text */
    uint32_t line;
};

struct wick_perf_map {
    struct wick_strbuf text;
    struct entry *e;
    uint32_t n, cap;
};

/* --- the file --- */

static int only_trusted(int fd, uid_t owner)
{
    struct stat st;
    if (fd < 0)
        return -1;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid || st.st_uid == owner))
        return fd;
    close(fd);
    return -1;
}

int wick_perf_map_open(int64_t pid)
{
    char path[64];
    struct wick_proc proc;
    uid_t owner = 0;
    int fd = -1;
    if (pid <= 0 || pid > INT32_MAX)
        return -1;
    if (!wick_proc_open((pid_t)pid, &proc, NULL)) {
        owner = proc.st.ruid;
        int root = wick_ns_same_root(&proc) == 0 ? wick_ns_root(&proc) : -1;
        snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)proc.st.nspid);
        fd = root >= 0 ? wick_ns_open(root, path, FLAGS, 0) : -1;
        if (root >= 0)
            close(root);
        wick_proc_close(&proc);
    }
    snprintf(path, sizeof path, "/tmp/perf-%" PRId64 ".map", pid);
    return only_trusted(fd >= 0 ? fd : open(path, FLAGS), owner);
}

int wick_perf_map_open_at(int dir, const char *name)
{
    return only_trusted(openat(dir, name, FLAGS), geteuid());
}

/* --- lines --- */

static bool add_entry(struct wick_perf_map *m, struct entry e, const char *name, size_t len)
{
    if (m->n == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 1024;
        struct entry *bigger = cap > m->cap ? reallocarray(m->e, cap, sizeof *bigger) : NULL;
        if (!bigger)
            return false;
        m->e = bigger;
        m->cap = cap;
    }
    if (m->text.len + len > TEXT_BYTES)
        return true; /* enough is enough */
    e.name = (uint32_t)m->text.len;
    e.len = (uint32_t)len;
    e.line = m->n;
    wick_strbuf_add(&m->text, name, len);
    m->e[m->n++] = e;
    return !m->text.failed;
}

/* "7f00aa 1f0 a name"; other lines are skipped. False: no memory. */
static bool take_line(struct wick_perf_map *m, const char *line, size_t n)
{
    char *p;
    struct entry e = {.start = strtoull(line, &p, 16)};
    if (p == line || *p != ' ')
        return true;
    const char *size = p + 1;
    e.end = e.start + strtoull(size, &p, 16);
    if (p == size || *p != ' ' || e.end <= e.start)
        return true;
    const char *name = p + 1, *end = line + n;
    while (end > name && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    return end == name || add_entry(m, e, name, (size_t)(end - name));
}

static int by_start(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

struct wick_perf_map *wick_perf_map_read(int fd)
{
    struct wick_perf_map *m = calloc(1, sizeof *m);
    FILE *in = fdopen(fd, "r");
    char *line = NULL;
    size_t cap = 0;
    bool good = m && in;
    if (m)
        wick_strbuf_init(&m->text);
    for (ssize_t n; good && (n = getline(&line, &cap, in)) > 0;)
        good = take_line(m, line, (size_t)n);
    free(line);
    if (in)
        fclose(in);
    else
        close(fd);
    if (!good) {
        wick_perf_map_free(m);
        return NULL;
    }
    if (m->n)
        qsort(m->e, m->n, sizeof *m->e, by_start);
    return m;
}

void wick_perf_map_free(struct wick_perf_map *m)
{
    if (!m)
        return;
    wick_strbuf_release(&m->text);
    free(m->e);
    free(m);
}

struct wick_word wick_perf_map_find(const struct wick_perf_map *m, uint64_t addr)
{
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->e[mid].start <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct entry *best = NULL;
    for (uint32_t i = lo, steps = 0; i > 0 && steps < LOOK_BACK; i--, steps++)
        if (m->e[i - 1].end > addr && (!best || m->e[i - 1].line > best->line))
            best = &m->e[i - 1];
    return best ? (struct wick_word){m->text.buf + best->name, best->len} : (struct wick_word){"", 0};
}

bool wick_perf_map_get(const struct wick_perf_map *m, uint32_t i, struct wick_perf_symbol *out)
{
    if (i >= m->n)
        return false;
    *out = (struct wick_perf_symbol){m->e[i].start, m->e[i].end, {m->text.buf + m->e[i].name, m->e[i].len}};
    return true;
}

struct wick_word wick_perf_map_cut_mark(struct wick_word *name)
{
    static const char *const marks[] = {WICK_PERF_STALE, WICK_PERF_CHANGED};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i]);
        if (name->n > n && !memcmp(name->s + name->n - n, marks[i], n)) {
            name->n -= n;
            return (struct wick_word){marks[i], n};
        }
    }
    return (struct wick_word){"", 0};
}
