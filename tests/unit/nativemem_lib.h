/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_lib.h - what test_nativemem.c finds in the library whose calls it hooks
 */
#ifndef WICK_TESTS_UNIT_NATIVEMEM_LIB_H
#define WICK_TESTS_UNIT_NATIVEMEM_LIB_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum nativemem_way {
    NATIVEMEM_MALLOC,
    NATIVEMEM_CALLOC,
    NATIVEMEM_REALLOC,
    NATIVEMEM_REALLOCARRAY,
    NATIVEMEM_POSIX_MEMALIGN,
    NATIVEMEM_ALIGNED_ALLOC,
    NATIVEMEM_MEMALIGN,
    NATIVEMEM_VALLOC,
    NATIVEMEM_PVALLOC,
    NATIVEMEM_MMAP,   /* at p, if that is not NULL */
    NATIVEMEM_RESERVE /* the same without any access */
};

struct nativemem_lib {
    /* Memory of that size, a multiple of 8; p: what is reallocated. */
    void *(*get)(enum nativemem_way way, void *p, size_t size);
    void (*give)(void *p);
    int (*unmap)(void *p, size_t size);
    void *(*remap)(void *p, size_t from, size_t to, int flags);
    void *(*move)(intptr_t more); /* sbrk */
    int (*move_to)(void *end);    /* brk */
    int (*spawn)(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);
};

extern const struct nativemem_lib nativemem_lib;

#endif
