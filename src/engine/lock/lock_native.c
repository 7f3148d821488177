/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_native.c - see lock_native.h
 *
 * Between the two clocks is nothing but the true function, and of this engine nothing is held: the thread may be
 * cancelled in it, or leave it by a jump. Afterwards cancellation is off until the engine is done, since a thread that
 * goes away there would never leave the gate.
 *
 * What the functions return is what the true ones do: after a failed try the lock is requested by the true function, so
 * recursive and error-checking mutexes behave as usual. Robust ones are not tried.
 *
 * The true functions are those that the loader finds by name. The words of our own image would not do: another agent
 * may put its functions there, whose calls in turn come to ours, which would lead in a circle.
 */
#include "engine/lock/lock_native.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "base/clock.h"
#include "base/registers.h"
#include "engine/lock/lock.h"

struct wait {
    uint64_t session, start_ns, id;
    int32_t holder;
};

/* How long waits for a lock have lasted lately, by its address, in 1024 ns; 0 = not known. Announcing a wait costs more
 * than a short one lasts, and would change who gets the lock; its owner could not be examined anyway. */
enum { PLACES_BITS = 10, LASTING = 100, FADES_BY = 64 };
static _Atomic uint32_t lately[1 << PLACES_BITS];

static _Atomic uint32_t *lately_of(const void *lock)
{
    return &lately[(uintptr_t)lock * 0x9e3779b97f4a7c15u >> (64 - PLACES_BITS)];
}

static bool may_last(const void *lock)
{
    uint32_t units = wick_load_relaxed(lately_of(lock));
    return !units || units >= LASTING;
}

/* The longest one is forgotten little by little. */
static void remember(const void *lock, uint64_t ns)
{
    uint64_t units = ns >> 10 < UINT32_MAX ? ns >> 10 : UINT32_MAX;
    uint32_t before = wick_load_relaxed(lately_of(lock)), faded = before - (before + FADES_BY - 1) / FADES_BY;
    units = units > faded ? units : faded;
    wick_store_relaxed(lately_of(lock), units ? (uint32_t)units : 1);
}

/* holder: a word with the kernel id of the lock's owner, NULL = there is none. */
static struct wait begin(const void *lock, const int *holder)
{
    struct wait w = {.session = wick_lock_native_session()};
    int saved = errno, cancel;
    if (!w.session)
        return w;
    w.start_ns = wick_clock_mono_ns();
    w.holder = holder ? *(const volatile int *)holder : 0;
    if (holder && may_last(lock)) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
        w.id = wick_lock_native_begin(w.session, holder, w.start_ns);
        pthread_setcancelstate(cancel, NULL);
        errno = saved;
    }
    return w;
}

/* The thread has waited as far as the true function's answer says. Returns that. */
static __attribute__((noinline)) int end(struct wait w, int answer, enum wick_lock_kind kind, const char *operation,
                                         const void *lock, const void *frame)
{
    bool in_vain = answer && answer != ETIMEDOUT && answer != EOWNERDEAD;
    if (!w.session || (in_vain && !w.id))
        return answer;
    uint64_t now = wick_clock_mono_ns();
    int saved = errno, cancel;
    ucontext_t registers;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (kind == WICK_LOCK_NATIVE)
        remember(lock, now - w.start_ns);
    wick_registers_here(&registers);
    const struct wick_lock_native n = {
        .session = w.session,
        .id = w.id,
        .holder = w.holder,
        .in_vain = in_vain,
        .kind = kind,
        .operation = operation,
        .lock = lock,
        .start_ns = w.start_ns,
        .end_ns = now,
        .here = &registers,
        .from = (uintptr_t)frame + 2 * sizeof(void *), /* saved frame pointer, return address; then the caller's */
    };
    wick_lock_native_waited(&n);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
    return answer;
}

static bool is_glibc; /* whose locks we know the inside of; set before the first hook */

/* One that a thread may end with. Trying one that is no longer recoverable reports so, but in glibc acquires it for
 * good: the next thread to lock it would wait for ever. */
static bool is_robust(const pthread_mutex_t *m)
{
    enum {
        ROBUST = 16,    /* PTHREAD_MUTEX_ROBUST_NORMAL_NP of glibc's nptl/pthreadP.h */
        MUSL_ROBUST = 4 /* in _m_type, musl's first word */
    };
    return is_glibc ? *(const volatile int *)&m->__data.__kind & ROBUST : *(const volatile int *)m & MUSL_ROBUST;
}

/* The words in which a mutex and a read-write lock keep the kernel id of their owner and writer. Not of locks that
 * processes share: the id may be that of a thread of another pid namespace, and also of one of ours. */
static const int *mutex_holder(const pthread_mutex_t *m)
{
    enum { SHARED = 128 }; /* PTHREAD_MUTEX_PSHARED_BIT of glibc's nptl/pthreadP.h */
    return !is_glibc || *(const volatile int *)&m->__data.__kind & SHARED ? NULL : &m->__data.__owner;
}

static const int *rwlock_holder(const pthread_rwlock_t *l)
{
    return !is_glibc || l->__data.__shared ? NULL : &l->__data.__cur_writer;
}

/* A function `name` that takes a lock; `try` is the one that does not wait; `alone`: a lock that is not watched. */
#define LOCK(name, alone, holder, try, parameters, arguments)                                            \
    static __typeof__(name) *true_##name;                                                                \
    static int our_##name parameters                                                                     \
    {                                                                                                    \
        if (alone)                                                                                       \
            return true_##name arguments;                                                                \
        int tried = try(lock);                                                                           \
        if (tried != EBUSY)                                                                              \
            return tried;                                                                                \
        struct wait w = begin(lock, holder(lock));                                                       \
        return end(w, true_##name arguments, WICK_LOCK_NATIVE, #name, lock, __builtin_frame_address(0)); \
    }

/* One that waits for a condition. */
#define WAIT(name, parameters, arguments)                                                                \
    static __typeof__(name) *true_##name;                                                                \
    static int our_##name parameters                                                                     \
    {                                                                                                    \
        struct wait w = begin(cond, NULL);                                                               \
        return end(w, true_##name arguments, WICK_LOCK_SIGNAL, #name, cond, __builtin_frame_address(0)); \
    }

LOCK(pthread_mutex_lock, is_robust(lock), mutex_holder, pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
LOCK(pthread_mutex_timedlock, is_robust(lock), mutex_holder, pthread_mutex_trylock,
     (pthread_mutex_t * lock, const struct timespec *until), (lock, until))
LOCK(pthread_rwlock_rdlock, false, rwlock_holder, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
LOCK(pthread_rwlock_wrlock, false, rwlock_holder, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
WAIT(pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), (cond, mutex))
WAIT(pthread_cond_timedwait, (pthread_cond_t * cond, pthread_mutex_t *mutex, const struct timespec *until),
     (cond, mutex, until))
WAIT(pthread_cond_clockwait,
     (pthread_cond_t * cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until),
     (cond, mutex, clock, until))

static struct wick_elf_hook hooks[] = {
#define HOOK(name)                         \
    {                                      \
#name, 0, (uintptr_t)our_##name, 0 \
    }
    HOOK(pthread_mutex_lock), HOOK(pthread_mutex_timedlock), HOOK(pthread_rwlock_rdlock),  HOOK(pthread_rwlock_wrlock),
    HOOK(pthread_cond_wait),  HOOK(pthread_cond_timedwait),  HOOK(pthread_cond_clockwait),
#undef HOOK
};
enum { HOOKS = sizeof hooks / sizeof *hooks, CONDITIONS_FROM = 4 };

static struct wick_elf_hooks_shared placed = WICK_ELF_HOOKS_SHARED_INIT;

/* Referenced here so that our own image records which versions of them it is linked with (elf/hooks.h). */
static void find_truths(void)
{
    size_t i = 0;
#define FIND_ELSE(name, other)                                        \
    do {                                                              \
        void *found = dlsym(RTLD_DEFAULT, #name);                     \
        true_##name = found ? (__typeof__(true_##name))found : other; \
        hooks[i++].truth = (uintptr_t)true_##name;                    \
    } while (0)
#define FIND(name) FIND_ELSE(name, name)
    is_glibc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version") != NULL;
    FIND(pthread_mutex_lock);
    FIND(pthread_mutex_timedlock);
    FIND(pthread_rwlock_rdlock);
    FIND(pthread_rwlock_wrlock);
    FIND(pthread_cond_wait);
    FIND(pthread_cond_timedwait);
    FIND_ELSE(pthread_cond_clockwait, NULL); /* not every C library has it: then it is not hooked */
#undef FIND
#undef FIND_ELSE
}

int wick_lock_native_on(wick_addr jvm, struct wick_err *err)
{
    if (!hooks[0].truth) /* later on threads may be in our functions */
        find_truths();
    for (int i = CONDITIONS_FROM; i < HOOKS; i++)
        hooks[i].not_in = jvm;
    return wick_elf_hooks_shared_on(&placed, hooks, HOOKS, "native locks", err);
}

void wick_lock_native_refresh(void)
{
    wick_elf_hooks_shared_refresh(&placed);
}

void wick_lock_native_off(void)
{
    wick_elf_hooks_shared_off(&placed);
}

void wick_lock_native_count(struct wick_elf_hooks_count *out)
{
    wick_elf_hooks_shared_count(&placed, out);
}
