/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nativemem/nativemem_threads.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/nativemem/nativemem.h"

enum { COUNTED = 1, ENDED = 2 };

struct wick_nativemem_thread {
    void *(*run)(void *);
    void *arg;
    _Atomic uint32_t state;
};

static pthread_key_t at_end;
static bool ready;

/* The stack is not followed any more, nor is the record needed. */
static void release(struct wick_nativemem_thread *t)
{
    int saved = errno, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (wick_nativemem_may_hold((uintptr_t)t))
        wick_nativemem_gone((uintptr_t)t);
    free(t);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

/* The second of both to say so releases. */
static void say(struct wick_nativemem_thread *t, uint32_t what)
{
    if (atomic_fetch_or_explicit(&t->state, what, memory_order_acq_rel)) /* pairs: itself */
        release(t);
}

/* Destructor of the key. */
static void end(void *t)
{
    say(t, ENDED);
}

void wick_nativemem_threads_init(void)
{
    ready = !pthread_key_create(&at_end, end);
}

size_t wick_nativemem_threads_bytes(const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    void *at;
    size_t size = 0;
    if (attributes) {
        /* glibc answers with what is below address 0 where no stack is given, musl with an error */
        bool given = !pthread_attr_getstack(attributes, &at, &size) && (uintptr_t)at + size;
        return given || pthread_attr_getstacksize(attributes, &size) ? 0 : size;
    }
    if (pthread_attr_init(&usual))
        return 0;
    if (pthread_attr_getstacksize(&usual, &size))
        size = 0;
    pthread_attr_destroy(&usual);
    return size;
}

struct wick_nativemem_thread *wick_nativemem_threads_new(void *(*run)(void *), void *arg)
{
    int saved = errno;
    struct wick_nativemem_thread *t = ready ? malloc(sizeof *t) : NULL;
    if (t)
        *t = (struct wick_nativemem_thread){.run = run, .arg = arg};
    errno = saved;
    return t;
}

/* By a tail call: nothing here may need a place on the stack. */
void *wick_nativemem_threads_run(void *thread)
{
    struct wick_nativemem_thread *t = thread;
    void *(*run)(void *) = t->run;
    void *arg = t->arg;
    if (pthread_setspecific(at_end, t))
        say(t, ENDED); /* without memory for the value its end cannot be learnt: as if it ended now */
    return run(arg);
}

void wick_nativemem_threads_counted(struct wick_nativemem_thread *t)
{
    say(t, COUNTED);
}

void wick_nativemem_threads_failed(struct wick_nativemem_thread *t)
{
    free(t);
}
