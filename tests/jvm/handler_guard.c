/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_guard.c - a library to preload: what a signal handler of wick must not do ends the JVM
 *
 * sigaction() is interposed. A handler that lies in libwick.so is put behind one of ours, which marks the thread while
 * it runs; asking for the present handler answers with the original, so that nobody notices. The functions that a
 * handler may never call are interposed as well; called on a marked thread they write which it was and abort. (wick
 * itself is not changed for this, and the objects' calls are checked by tests/lint already; here are those that no
 * object file shows: what libc's functions do inside.)
 *
 * At its end the process writes `handlers checked: N`. With WICK_GUARD_PROVE set the handler is made to call malloc, to
 * prove that this would be seen.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void handler(int sig, siginfo_t *info, void *context);

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static _Thread_local int marked __attribute__((tls_model("initial-exec")));
static _Atomic(handler *) original[NSIG];
static _Atomic unsigned long checked;
static int prove;

static void forbid(const char *what)
{
    static const char text[] = "\nhandler guard: a signal handler of wick called ";
    if (!marked)
        return;
    marked = 0;
    (void)!write(2, text, sizeof text - 1);
    (void)!write(2, what, strlen(what));
    (void)!write(2, "\n", 1);
    abort();
}

void *malloc(size_t n)
{
    forbid("malloc");
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    forbid("calloc");
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    forbid("realloc");
    return __libc_realloc(p, n);
}

void *memalign(size_t align, size_t n)
{
    forbid("memalign");
    return __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    forbid("aligned_alloc");
    return __libc_memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    forbid("posix_memalign");
    void *p = __libc_memalign(align, n);
    if (!p)
        return 12; /* ENOMEM */
    *out = p;
    return 0;
}

void free(void *p)
{
    forbid("free");
    __libc_free(p);
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
    static _Atomic(int (*)(pthread_mutex_t *)) real;
    forbid("pthread_mutex_lock");
    if (!atomic_load(&real))
        atomic_store(&real, (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    return atomic_load(&real)(m);
}

static void guarded(int sig, siginfo_t *info, void *context)
{
    marked++;
    if (prove) {
        void *volatile p = malloc(32); /* volatile, or the compiler leaves the pair out */
        free(p);
    }
    atomic_load (&original[sig])(sig, info, context);
    marked--;
    atomic_fetch_add_explicit(&checked, 1, memory_order_relaxed);
}

static int is_wicks(handler *h)
{
    Dl_info where;
    return h && dladdr((void *)h, &where) && where.dli_fname && strstr(where.dli_fname, "libwick");
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    static _Atomic(int (*)(int, const struct sigaction *, struct sigaction *)) real;
    struct sigaction mine, before;
    if (!atomic_load(&real))
        atomic_store(&real, (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction"));
    if (act && sig > 0 && sig < NSIG && (act->sa_flags & SA_SIGINFO) && is_wicks(act->sa_sigaction)) {
        atomic_store(&original[sig], act->sa_sigaction);
        mine = *act;
        mine.sa_sigaction = guarded;
        act = &mine;
    }
    int r = atomic_load(&real)(sig, act, &before);
    if (!r && old) {
        *old = before;
        if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction == guarded)
            old->sa_sigaction = atomic_load(&original[sig]);
    }
    return r;
}

__attribute__((constructor)) static void begin(void)
{
    prove = getenv("WICK_GUARD_PROVE") != NULL;
}

__attribute__((destructor)) static void end(void)
{
    fprintf(stderr, "handlers checked: %lu\n", atomic_load(&checked));
}
