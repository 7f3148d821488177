/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/dump_file.h"
#include "sys/whole.h"

#define HUGE (UINT64_C(8) << 20)

void wick_heap_store_expect(struct wick_heap_store *s, uint64_t bytes)
{
    s->tight = s->limit && bytes > s->limit - (s->used < s->limit ? s->used : s->limit);
}

/* Space is reserved at once: a write to a mapping for which there is none is a signal, not an error. */
static int map_file(struct wick_heap_store *s, struct wick_heap_array *a, size_t bytes, struct wick_err *err)
{
    int fd = wick_heap_file_temp(err);
    if (fd < 0)
        return fd;
    int e = posix_fallocate(fd, 0, (off_t)bytes);
    void *p = e ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!e && p == MAP_FAILED)
        e = errno;
    close(fd);
    if (e)
        return wick_err_set(
            err, e == ENOSPC || e == EDQUOT ? WICK_E_NOSPACE : WICK_E_IO,
            "cannot make a temporary file of %zu MiB: %s; set TMPDIR to a directory with more space, or "
            "give more memory with --memory",
            bytes >> 20, strerror(e));
    *a = (struct wick_heap_array){p, bytes, true};
    for (size_t i = 0; i < WICK_HEAP_STORE_FILES; i++)
        if (!s->files[i].p) {
            s->files[i] = *a;
            break;
        }
    return 0;
}

int wick_heap_store_new(struct wick_heap_store *s, struct wick_heap_array *a, uint64_t n, size_t size, bool rests,
                        struct wick_err *err)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(n ? n : 1, size, &bytes) || bytes > SIZE_MAX / 2)
        return wick_err_set(err, WICK_E_NOMEM, "the dump has too many objects for this machine");
    if (s->limit && ((rests && s->tight) || s->used + bytes > s->limit))
        return map_file(s, a, bytes, err);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory: an array of %llu MiB is needed; --memory bounds it",
                            (unsigned long long)bytes >> 20);
    if (bytes >= HUGE)
        madvise(p, bytes, MADV_HUGEPAGE); /* most are read and written here and there */
    s->used += bytes;
    *a = (struct wick_heap_array){p, bytes, false};
    return 0;
}

void wick_heap_store_trim(struct wick_heap_store *s, struct wick_heap_array *a, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), keep = (bytes + page - 1) / page * page;
    if (keep >= a->bytes || !keep)
        return;
    munmap((char *)a->p + keep, a->bytes - keep);
    if (!a->in_file)
        s->used -= a->bytes - keep;
    for (size_t i = 0; i < WICK_HEAP_STORE_FILES; i++)
        if (s->files[i].p == a->p)
            s->files[i].bytes = keep;
    a->bytes = keep;
}

void wick_heap_store_park(const struct wick_heap_array *a)
{
    if (a->p && a->in_file)
        madvise(a->p, a->bytes, MADV_DONTNEED);
}

/* Bytes that the process has in memory; 0 = not known. */
static uint64_t resident(void)
{
    char text[128];
    unsigned long long pages = 0;
    wick_whole_text("/proc/self/statm", text, sizeof text);
    return sscanf(text, "%*u %llu", &pages) == 1 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void wick_heap_store_look(struct wick_heap_store *s)
{
    bool has_files = false;
    for (size_t i = 0; i < WICK_HEAP_STORE_FILES; i++)
        has_files |= s->files[i].p != NULL;
    if (!has_files || resident() < s->limit / 16 * 15)
        return;
    for (size_t i = 0; i < WICK_HEAP_STORE_FILES; i++)
        wick_heap_store_park(&s->files[i]);
}

void wick_heap_store_free(struct wick_heap_store *s, struct wick_heap_array *a)
{
    if (!a->p)
        return;
    munmap(a->p, a->bytes);
    if (!a->in_file)
        s->used -= a->bytes;
    for (size_t i = 0; i < WICK_HEAP_STORE_FILES; i++)
        if (s->files[i].p == a->p)
            s->files[i].p = NULL;
    *a = (struct wick_heap_array){0};
}
