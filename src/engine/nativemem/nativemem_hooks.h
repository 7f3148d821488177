/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_hooks.h - functions that interpose on the calls that allocate and free native memory
 *
 * Each calls the true function that the loader finds by that name: the C library's, or that of an allocator which was
 * preloaded or which the program brings. Images that define one of them are left alone (elf/hooks.h), so what an
 * allocator does within itself, how it maps memory for instance, is not seen, and nothing is counted twice.
 *
 *      malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign valloc pvalloc
 *      mmap mmap64 munmap mremap brk sbrk pthread_create
 *
 * A mapping without any access is address space and no memory: it is not counted, and put over memory it frees that.
 * What lies between two ends of the data segment (brk) is a mapping whose bounds need not be a page's. A thread that is
 * created allocates its stack, of which nativemem_threads.h learns the end; a stack that the program brings is memory
 * that it has allocated before.
 *
 * Threads: any; a lock keeps on, refresh, off and count apart (see lock_native.h). The functions in any thread of the
 *          process, also in signal handlers and after _off.
 * Memory:  static.
 */
#ifndef WICK_ENGINE_NATIVEMEM_NATIVEMEM_HOOKS_H
#define WICK_ENGINE_NATIVEMEM_NATIVEMEM_HOOKS_H

#include "base/err.h"
#include "elf/hooks.h"

/* Puts the functions in place. -WICK_E_PERM with a sentence. */
int wick_nativemem_hooks_on(struct wick_err *err);

/* Searches for libraries loaded since; about as often as the drain thread goes its round. After _off it does
 * nothing. */
void wick_nativemem_hooks_refresh(void);

/* Every word that held one of the functions holds the true one again. Does nothing if they are not in place. */
void wick_nativemem_hooks_off(void);

/* Where they are now. */
void wick_nativemem_hooks_count(struct wick_elf_hooks_count *out);

#endif
