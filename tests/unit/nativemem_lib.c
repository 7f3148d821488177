/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library whose calls test_nativemem.c hooks.
 */
#include "nativemem_lib.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *get(enum nativemem_way way, void *p, size_t size)
{
    void *q = NULL;
    switch (way) {
    case NATIVEMEM_MALLOC:
        return malloc(size);
    case NATIVEMEM_CALLOC:
        return calloc(size / 8, 8);
    case NATIVEMEM_REALLOC:
        return realloc(p, size);
    case NATIVEMEM_REALLOCARRAY:
        return reallocarray(p, size / 8, 8);
    case NATIVEMEM_POSIX_MEMALIGN:
        return posix_memalign(&q, 256, size) ? NULL : q;
    case NATIVEMEM_ALIGNED_ALLOC:
        return aligned_alloc(256, size);
    case NATIVEMEM_MEMALIGN:
        return memalign(256, size);
    case NATIVEMEM_VALLOC:
        return valloc(size);
    case NATIVEMEM_PVALLOC:
        return pvalloc(size);
    case NATIVEMEM_MMAP:
        q = mmap(p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (p ? MAP_FIXED : 0), -1, 0);
        break;
    case NATIVEMEM_RESERVE:
        q = mmap(p, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | (p ? MAP_FIXED : 0), -1, 0);
        break;
    }
    return q == MAP_FAILED ? NULL : q;
}

static void give(void *p)
{
    free(p);
}

static int unmap(void *p, size_t size)
{
    return munmap(p, size);
}

static void *remap(void *p, size_t from, size_t to, int flags)
{
    void *q = mremap(p, from, to, flags);
    return q == MAP_FAILED ? NULL : q;
}

static void *move(intptr_t more)
{
    return sbrk(more);
}

static int move_to(void *end)
{
    return brk(end);
}

static int spawn(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    return pthread_create(out, attributes, run, arg);
}

const struct nativemem_lib nativemem_lib = {get, give, unmap, remap, move, move_to, spawn};
