/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_threads.h - the stacks of threads as blocks of native memory: from pthread_create to the end of the thread
 *
 * The C library maps the stack of a thread without a call that can be hooked, keeps it when the thread has ended, and
 * gives it to the next one. So a stack counts while its thread lives: with the bytes that the thread is created with,
 * all of which are mapped, as memory that the creating thread allocated.
 *
 * A thread that is created while a recording runs gets a start routine of ours. It leaves a value of a key with the
 * thread, whose destructor the C library calls at the thread's end, and goes on in the program's routine by a tail
 * call, so that no frame of ours is on the stack. The record of a thread is the block: nobody else can have its
 * address until it has been freed, by the creating thread or the one that ends, whichever is the last to have seen it.
 *
 *      creating thread                         new thread
 *      _new, pthread_create(_run)
 *      the sample is taken                     _run; the program's routine
 *      _counted: state |= COUNTED              at its end: state |= ENDED
 *
 * Threads that outlive a recording keep their records, of a few bytes, and the destructor frees them: the library is
 * never unloaded (-z nodelete).
 *
 * Threads: any.
 * Memory:  malloc, for as long as a thread lives that was created during a recording.
 */
#ifndef WICK_ENGINE_NATIVEMEM_NATIVEMEM_THREADS_H
#define WICK_ENGINE_NATIVEMEM_NATIVEMEM_THREADS_H

#include <pthread.h>
#include <stddef.h>

struct wick_nativemem_thread;

/* Once in a process, before the others. */
void wick_nativemem_threads_init(void);

/* Bytes of the stack that a thread with these attributes (NULL = none) gets, without its guard; 0: it is memory of the
 * program's own. */
size_t wick_nativemem_threads_bytes(const pthread_attr_t *attributes);

/* A thread that is going to be created with _run and this as its argument; NULL: its end could not be learnt. */
struct wick_nativemem_thread *wick_nativemem_threads_new(void *(*run)(void *), void *arg);
void *wick_nativemem_threads_run(void *thread);

/* It has been created, and its sample is taken; or it could not be created. The record may be gone afterwards. */
void wick_nativemem_threads_counted(struct wick_nativemem_thread *t);
void wick_nativemem_threads_failed(struct wick_nativemem_thread *t);

#endif
