/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapfile.c - the map's file, and what two dumps differ in
 *
 * /tmp is everybody's. So the file is made under a random name, O_EXCL and 0600, and moved over the old one when it is
 * complete: a link that somebody has put there is replaced, never followed. Inside a container even /tmp is resolved
 * through the symbolic links of that container.
 *
 * Code comes and goes while perf samples, and a sample's address means what lay there then. Of two dumps, before and
 * after, three things can be said of a place. The same symbol in both: nearly sure. A symbol in the older one only, and
 * nothing there now: samples are its, it is kept and marked stale. Another one than before: samples may be either's, so
 * the newer one is marked changed. A symbol at a place that was free is sure, as far as two dumps can show.
 */
#include "export/mapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/plain.h"
#include "hotspot/value.h"
#include "import/perf_map.h"
#include "sys/ns.h"
#include "unwind/codemap.h"

/* Bytes of names: a code cache that is full of methods with long names has a tenth of it. The target says how many
 * there are and how long, so what it can make us write is bounded here. */
#define MOST_TEXT ((uint64_t)128 << 20) /* unless the caller says otherwise */

struct symbol {
    uint64_t start, end;
    size_t name, len; /* in text */
    const char *mark; /* "" = none */
};

struct map_file {
    uint64_t most; /* bytes of names */
    int dir;       /* /tmp */
    char name[64], temporary[64];
    const struct wick_proc *as; /* whose identity makes the file; NULL = ours */
    FILE *out;
    dev_t device; /* of the file in its place */
    ino_t inode;
    struct symbol *symbols;
    size_t n, cap;
    struct wick_strbuf text;
    bool nomem, full;
};

/* --- the file --- */

/* The target's /tmp, which is ours unless it lives in a container. */
static int open_tmp(const struct wick_proc *p, bool in_container, struct wick_err *err)
{
    int dir = -1;
    if (!in_container) {
        dir = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        dir = dir < 0 ? -errno : dir;
    } else {
        int root = wick_ns_root(p);
        dir = root < 0 ? -EACCES : wick_ns_open(root, "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
        if (root >= 0)
            close(root);
    }
    return dir >= 0 ? dir
                    : wick_err_set(err, dir == -EACCES ? WICK_E_PERM : WICK_E_IO, "cannot open /tmp of process %d: %s",
                                   (int)p->pid, strerror(-dir));
}

/* The next two run in a child with the target's identity (wick_ns_call): system calls only. */
static int create_step(void *arg, int *fd)
{
    struct map_file *f = arg;
    *fd = openat(f->dir, f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return *fd < 0 ? -errno : 0;
}

static int rename_step(void *arg, int *fd)
{
    struct map_file *f = arg;
    (void)fd;
    return renameat(f->dir, f->temporary, f->dir, f->name) ? -errno : 0;
}

/* Runs a step as the target, in whose directory it happens: its bind mounts decide which one that is, and what it could
 * not do itself is not done for it. */
static int run_step(struct map_file *f, int (*step)(void *, int *), int *fd)
{
    int none = -1;
    fd = fd ? fd : &none;
    return f->as ? wick_ns_call(f->as, WICK_NS_IDENTITY, step, f, fd) : step(f, fd);
}

/* Puts the file in its place. perf takes no map but its own user's or root's, so it becomes ours, by its descriptor;
 * and in a sticky directory only we can take our last one away. */
static int place_file(struct map_file *f)
{
    struct stat st;
    if (f->as && !fstatat(f->dir, f->name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
        unlinkat(f->dir, f->name, 0);
    int rc = run_step(f, rename_step, NULL);
    if (!rc && f->as && fchown(fileno(f->out), geteuid(), getegid()))
        rc = -errno;
    if (!rc && fstat(fileno(f->out), &st))
        rc = -errno;
    f->device = rc ? 0 : st.st_dev;
    f->inode = rc ? 0 : st.st_ino;
    return rc;
}

static int begin_file(struct map_file *f, struct wick_err *err)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return wick_err_set(err, WICK_E_IO, "no random numbers: %s", strerror(errno));
    snprintf(f->temporary, sizeof f->temporary, ".wick-%016" PRIx64, random);
    int fd = -1, rc = run_step(f, create_step, &fd);
    errno = rc ? -rc : 0;
    f->out = fd < 0 ? NULL : fdopen(fd, "w");
    if (f->out)
        return 0;
    int e = errno;
    if (fd >= 0)
        close(fd);
    return wick_err_set(err, e == EACCES ? WICK_E_PERM : WICK_E_IO, "cannot make a file in /tmp: %s", strerror(e));
}

static int end_file(struct map_file *f, int rc, struct wick_err *err)
{
    if (f->out) {
        bool lost = fflush(f->out) != 0 || ferror(f->out);
        if (!rc && lost)
            rc = wick_err_set(err, WICK_E_IO, "cannot write to /tmp: %s", strerror(errno));
        int placed = rc ? 0 : place_file(f);
        if (placed)
            rc =
                wick_err_set(err, placed == -EPERM || placed == -EACCES ? WICK_E_PERM : WICK_E_IO,
                             "cannot replace /tmp/%s: %s; does it belong to another user?", f->name, strerror(-placed));
        fclose(f->out);
        if (rc)
            unlinkat(f->dir, f->temporary, 0);
    }
    if (f->dir >= 0)
        close(f->dir);
    return rc;
}

/* --- symbols --- */

/* Names are hostile: one must not become two lines, and perf prints them to a terminal. */
static void add_symbol(struct map_file *f, uint64_t start, uint64_t end, const char *name, size_t len, const char *mark)
{
    f->full = f->full || f->text.len + len > f->most;
    if (f->full)
        return;
    if (f->n == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 4096;
        struct symbol *bigger = reallocarray(f->symbols, cap, sizeof *bigger);
        f->nomem = f->nomem || !bigger;
        if (!bigger)
            return;
        f->symbols = bigger;
        f->cap = cap;
    }
    size_t at = f->text.len;
    wick_plain_add(&f->text, name, len, "");
    f->symbols[f->n++] = (struct symbol){start, end, at, f->text.len - at, mark};
    f->nomem = f->nomem || f->text.failed;
}

static void take_code(void *ctx, const struct wick_code_entry *c)
{
    add_symbol(ctx, c->start, c->end, c->name->buf, c->name->len, "");
}

static int by_start(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The first of n symbols, which do not overlap, that ends behind addr. */
static size_t first_behind(const struct map_file *f, size_t n, uint64_t addr)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->symbols[mid].end <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool is_same(const struct map_file *f, const struct symbol *s, const struct wick_perf_symbol *old)
{
    return s->start == old->start && s->end == old->end && s->len == old->name.n &&
           !memcmp(f->text.buf + s->name, old->name.s, s->len);
}

/* Marks what differs from the older map. Its symbols come in the order of their begins, so what lies before `done` is
 * marked already, or lies before the next one: many that cover everything cost no more than one. */
static void compare(struct map_file *f, const struct wick_perf_map *older)
{
    struct wick_perf_symbol old;
    size_t now = f->n, done = 0;
    for (uint32_t i = 0; wick_perf_map_get(older, i, &old); i++) {
        struct wick_word mark = wick_perf_map_cut_mark(&old.name);
        size_t at = first_behind(f, now, old.start);
        if (at == now || f->symbols[at].start >= old.end) {
            add_symbol(f, old.start, old.end, old.name.s, old.name.n, WICK_PERF_STALE);
            continue;
        }
        for (at = at > done ? at : done; at < now && f->symbols[at].start < old.end; at++)
            if (!is_same(f, &f->symbols[at], &old) || (mark.n && !strcmp(mark.s, WICK_PERF_CHANGED))) {
                f->symbols[at].mark = WICK_PERF_CHANGED;
                done = at + 1;
            }
    }
}

static void put_symbol(struct map_file *f, const struct symbol *s)
{
    fprintf(f->out, "%" PRIx64 " %" PRIx64 " ", s->start, s->end - s->start);
    fwrite(f->text.buf + s->name, 1, s->len, f->out);
    fprintf(f->out, "%s\n", s->mark);
}

static int collect(struct map_file *f, const struct wick_remote *remote, const struct wick_mapfile_opts *o, int older,
                   struct wick_err *err)
{
    int rc = wick_codemap_read(remote, o->inlined, take_code, f);
    struct wick_perf_map *map = older >= 0 ? wick_perf_map_read(older) : NULL;
    if (!rc && !f->n)
        rc = wick_err_set(err, WICK_E_GONE, "process %d has no code that can be read: is it just starting or ending?",
                          remote->pid);
    if (!rc && f->n)
        qsort(f->symbols, f->n, sizeof *f->symbols, by_start);
    if (!rc && map)
        compare(f, map);
    if (rc == -WICK_E_NOMEM || f->nomem || (older >= 0 && !map))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc && f->full)
        rc = wick_err_set(err, WICK_E_LIMIT,
                          "process %d has more than %" PRIu64 " bytes of names: its memory may have been tampered "
                          "with, and no map was written (--max-size allows more)",
                          remote->pid, f->most);
    wick_perf_map_free(map);
    return rc;
}

static void write_symbols(struct map_file *f, struct wick_mapfile_result *res)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct symbol *s = &f->symbols[i];
        put_symbol(f, s);
        res->stale += !strcmp(s->mark, WICK_PERF_STALE);
        res->changed += !strcmp(s->mark, WICK_PERF_CHANGED);
    }
    res->symbols = f->n;
}

/* --- JVMs --- */

/* perf walks stacks by the frame pointer, a general register in compiled Java code unless a flag preserves it. */
static bool keeps_frame_pointer(const struct wick_remote *r)
{
    return wick_jvm_flag_is_set(&r->jvm, WICK_JVM_FLAG_PRESERVE_FRAME_POINTER, true);
}

int wick_mapfile_write(const struct wick_proc *p, const struct wick_mapfile_opts *o, struct wick_mapfile_result *res,
                       struct wick_err *err)
{
    struct map_file f = {.dir = -1, .text = WICK_STRBUF_INIT, .most = o->most_bytes ? o->most_bytes : MOST_TEXT};
    struct wick_mapfile_result r = {.in_container = wick_ns_same_root(p) != 1};
    struct wick_remote remote;
    int rc = wick_remote_open(&remote, p->pid, err);
    if (rc)
        return rc;
    snprintf(f.name, sizeof f.name, "perf-%d.map", (int)(r.in_container ? p->st.nspid : p->pid));
    snprintf(r.name, sizeof r.name, "%s", f.name);
    f.as = r.in_container ? p : NULL;
    f.dir = open_tmp(p, r.in_container, err);
    rc = f.dir < 0 ? f.dir : 0;
    if (!rc) {
        r.was_there = !faccessat(f.dir, f.name, F_OK, AT_SYMLINK_NOFOLLOW);
        rc = collect(&f, &remote, o, o->compare ? wick_perf_map_open_at(f.dir, f.name) : -1, err);
    }
    rc = rc ? rc : begin_file(&f, err);
    if (!rc)
        write_symbols(&f, &r);
    rc = end_file(&f, rc, err);
    r.device = f.device;
    r.inode = f.inode;
    r.frame_pointers = !rc && keeps_frame_pointer(&remote);
    wick_remote_close(&remote);
    free(f.symbols);
    wick_strbuf_release(&f.text);
    if (!rc)
        *res = r;
    return rc;
}

void wick_mapfile_remove(const struct wick_proc *p, const struct wick_mapfile_result *res)
{
    int dir = open_tmp(p, res->in_container, NULL);
    if (dir < 0)
        return;
    struct stat st;
    if (!fstatat(dir, res->name, &st, AT_SYMLINK_NOFOLLOW) && st.st_dev == res->device && st.st_ino == res->inode)
        unlinkat(dir, res->name, 0);
    close(dir);
}
