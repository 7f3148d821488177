/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdump.c - jitdump files (tools/perf/Documentation/jitdump-specification.txt in Linux)
 *
 *     "DTiJ" version 1, 40 bytes, machine, 0, pid, time, flags      then records:
 *     type 0, size, time, pid, tid, address, address, length, number, name NUL, instructions
 *
 * A JIT compiler writes such a record whenever it has made code. We poll from outside, repeatedly, and write what
 * has come since the last poll. Code that lies where nothing was has come after the last poll and cannot have been
 * sampled earlier, so that poll's time is right; if something else was there, it was replaced in between, and the
 * middle is the best that can be said. When the JVM maps more memory for code, perf takes that for the end of all that
 * lay in this mapping, and the kernel makes one mapping of neighbours; then everything is written once more.
 *
 * perf learns of the file from an executable mapping of it, jit-PID.dump by process PID. That is this process: records
 * have pids of their own, so one file serves all JVMs, also those in containers. Times are CLOCK_MONOTONIC: perf record
 * needs `-k mono`.
 */
#include "export/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "codec/plain.h"
#include "model/hash.h"
#include "sys/maps.h"
#include "sys/whole.h"
#include "unwind/codemap.h"

#define MAGIC      0x4A695444u
#define MARKER     4096u
#define CODE_BYTES (64u << 20)
#define MOST_BYTES ((uint64_t)1 << 30) /* many times what a code cache holds */

struct header {
    uint32_t magic, version, size, machine, pad, pid;
    uint64_t time_ns, flags;
};
_Static_assert(sizeof(struct header) == 40, "as the specification has it");

struct load {
    uint32_t id, size;
    uint64_t time_ns;
    uint32_t pid, tid;
    uint64_t address, code_address, code_size, index;
};
_Static_assert(sizeof(struct load) == 56, "as the specification has it");

struct symbol {
    uint64_t start, end, name; /* a hash of the name */
};

struct symbols {
    struct symbol *s;
    size_t n, cap;
};

struct wick_jitdump_jvm {
    pid_t pid;
    struct symbols last;
    uint64_t last_ns; /* of the last poll; 0 = none yet */
    uint64_t memory;  /* code_memory() then */
    uint64_t written; /* bytes, of all polls */
    bool full;        /* most_bytes of them: it is left alone */
};

/* One poll of one JVM. */
struct look {
    struct wick_jitdump *d;
    struct wick_jitdump_jvm *jvm;
    const struct wick_remote *remote;
    struct symbols now;
    struct wick_strbuf out; /* one record */
    int rc;
};

static int broken(const struct wick_jitdump *d, int e, struct wick_err *err)
{
    return wick_err_set(err,
                        e == EACCES || e == EPERM ? WICK_E_PERM
                        : e == ENOENT             ? WICK_E_NOTFOUND
                        : e == ENOSPC             ? WICK_E_NOSPACE
                                                  : WICK_E_IO,
                        "cannot write %s: %s", d->path, strerror(e));
}

static uint32_t machine(void)
{
#if defined(__aarch64__)
    return EM_AARCH64;
#else
    return EM_X86_64;
#endif
}

int wick_jitdump_open(struct wick_jitdump *d, const char *dir, struct wick_err *err)
{
    struct header h = {
        .magic = MAGIC, .version = 1, .size = sizeof h, .machine = machine(), .time_ns = wick_clock_mono_ns()};
    *d = (struct wick_jitdump){.fd = -1, .marker = MAP_FAILED, .most_bytes = MOST_BYTES};
    h.pid = (uint32_t)getpid();
    wick_hash_seed_init();
    if ((size_t)snprintf(d->path, sizeof d->path, "%s/jit-%d.dump", dir, (int)getpid()) >= sizeof d->path)
        return wick_err_set(err, WICK_E_LIMIT, "the path is too long: %.200s", dir);
    d->fd = open(d->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (d->fd < 0 || wick_whole_write(d->fd, &h, sizeof h))
        return broken(d, errno, err);
    d->marker = mmap(NULL, MARKER, PROT_READ | PROT_EXEC, MAP_PRIVATE, d->fd, 0);
    if (d->marker == MAP_FAILED)
        return wick_err_set(err, WICK_E_PERM,
                            "%s cannot be mapped executable, which perf needs: %s; choose a file system without noexec",
                            d->path, strerror(errno));
    return 0;
}

void wick_jitdump_close(struct wick_jitdump *d)
{
    for (size_t i = 0; i < d->njvms; i++)
        free(d->jvms[i].last.s);
    free(d->jvms);
    if (d->marker != MAP_FAILED)
        munmap(d->marker, MARKER);
    if (d->fd >= 0)
        close(d->fd);
    d->jvms = NULL;
    d->njvms = 0;
    d->marker = MAP_FAILED;
    d->fd = -1;
}

uint64_t wick_jitdump_count(const struct wick_jitdump *d)
{
    return d->index;
}

/* --- polls --- */

void wick_jitdump_begin(struct wick_jitdump *d)
{
    d->look_ns = wick_clock_mono_ns();
}

static struct wick_jitdump_jvm *jvm_of(struct wick_jitdump *d, pid_t pid)
{
    for (size_t i = 0; i < d->njvms; i++)
        if (d->jvms[i].pid == pid)
            return &d->jvms[i];
    struct wick_jitdump_jvm *bigger = reallocarray(d->jvms, d->njvms + 1, sizeof *bigger);
    if (!bigger)
        return NULL;
    d->jvms = bigger;
    d->jvms[d->njvms] = (struct wick_jitdump_jvm){.pid = pid};
    return &d->jvms[d->njvms++];
}

/* A number that changes when memory for code was mapped: a hash of the mappings that may be some. */
static uint64_t code_memory(pid_t pid)
{
    struct wick_maps maps;
    struct wick_mapping m;
    uint64_t h = 0;
    if (wick_maps_open_process(&maps, (int)pid))
        return 0;
    while (wick_maps_next(&maps, &m) == 1)
        if (m.executable && !strchr(m.path, '/')) {
            h = wick_hash_2(wick_hash_2(h, m.lo), wick_hash_2(m.hi, m.offset));
            h = wick_hash_2(h, wick_hash_bytes(m.path, strlen(m.path)) + m.readable + 2u * m.writable);
        }
    wick_maps_close(&maps);
    return h;
}

/* The first that ends behind addr. */
static const struct symbol *first_behind(const struct symbols *in, uint64_t addr)
{
    size_t lo = 0, hi = in->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (in->s[mid].end <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < in->n ? &in->s[lo] : NULL;
}

static bool remember(struct symbols *in, const struct symbol *s)
{
    if (in->n == in->cap) {
        size_t cap = in->cap ? in->cap * 2 : 4096;
        struct symbol *bigger = reallocarray(in->s, cap, sizeof *bigger);
        if (!bigger)
            return false;
        in->s = bigger;
        in->cap = cap;
    }
    in->s[in->n++] = *s;
    return true;
}

/* When a symbol came; 0 = it was there at the last poll. Where nothing is known of a last poll,
 * it is this one's. */
static uint64_t time_of(const struct look *l, const struct symbol *s)
{
    const struct symbol *old = first_behind(&l->jvm->last, s->start);
    if (!l->jvm->last_ns || !old || old->start >= s->end)
        return l->jvm->last_ns ? l->jvm->last_ns : l->d->look_ns;
    if (old->start == s->start && old->end == s->end && old->name == s->name)
        return 0;
    return l->jvm->last_ns + (l->d->look_ns - l->jvm->last_ns) / 2;
}

static int write_load(struct look *l, const struct wick_code_entry *c, uint64_t time_ns)
{
    struct load r = {.time_ns = time_ns,
                     .pid = (uint32_t)l->jvm->pid,
                     .tid = (uint32_t)l->jvm->pid,
                     .address = c->start,
                     .code_address = c->start,
                     .code_size = c->end - c->start,
                     .index = l->d->index};
    wick_strbuf_clear(&l->out);
    wick_strbuf_add(&l->out, &r, sizeof r);
    wick_plain_add(&l->out, c->name->buf, c->name->len, "");
    wick_strbuf_addc(&l->out, 0);
    size_t whole = l->out.len + r.code_size;
    r.size = (uint32_t)whole;
    if (!l->out.failed)
        memcpy(l->out.buf, &r, sizeof r);
    if (wick_strbuf_grow(&l->out, r.code_size))
        return -WICK_E_NOMEM;
    if (wick_mem_read(&l->remote->mem, c->start, l->out.buf + l->out.len, r.code_size))
        return 0; /* thrown away just now */
    l->jvm->written += whole;
    if (l->jvm->written > l->d->most_bytes)
        return -WICK_E_LIMIT;
    l->d->index++;
    return wick_whole_write(l->d->fd, l->out.buf, whole) ? -WICK_E_IO : 0;
}

static void take_code(void *ctx, const struct wick_code_entry *c)
{
    struct look *l = ctx;
    struct symbol s = {c->start, c->end, wick_hash_bytes(c->name->buf, c->name->len)};
    if (l->rc || s.end <= s.start || s.end - s.start > CODE_BYTES)
        return;
    uint64_t time_ns = time_of(l, &s);
    if (!remember(&l->now, &s))
        l->rc = -WICK_E_NOMEM;
    else if (time_ns)
        l->rc = write_load(l, c, time_ns);
}

static int by_start(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

int wick_jitdump_look(struct wick_jitdump *d, pid_t pid, bool inlined, struct wick_err *err)
{
    struct wick_remote remote;
    struct look l = {.d = d, .jvm = jvm_of(d, pid), .remote = &remote, .out = WICK_STRBUF_INIT};
    int rc = l.jvm ? wick_remote_open(&remote, pid, err) : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (rc)
        return rc;
    if (l.jvm->full) {
        wick_remote_close(&remote);
        return 0;
    }
    uint64_t memory = code_memory(pid);
    if (memory != l.jvm->memory)
        l.jvm->last_ns = 0;
    l.jvm->memory = memory;
    rc = wick_codemap_read(&remote, inlined, take_code, &l);
    wick_remote_close(&remote);
    rc = rc ? rc : l.rc;
    if (l.now.n)
        qsort(l.now.s, l.now.n, sizeof *l.now.s, by_start);
    free(l.jvm->last.s);
    l.jvm->last = l.now;
    l.jvm->last_ns = d->look_ns;
    wick_strbuf_release(&l.out);
    if (rc == -WICK_E_NOMEM)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    l.jvm->full = rc == -WICK_E_LIMIT;
    if (l.jvm->full)
        return wick_err_set(err, WICK_E_LIMIT,
                            "process %d has made more than %" PRIu64 " bytes of code and names: no more of it is "
                            "written (--max-size allows more)",
                            (int)pid, d->most_bytes);
    return rc ? broken(d, errno, err) : 0;
}
