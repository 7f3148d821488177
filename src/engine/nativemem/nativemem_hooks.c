/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nativemem_hooks.c - see nativemem_hooks.h
 *
 * What nearly every call costs beside the true function: of an allocation one atomic subtraction and a byte of the
 * filter, of a free that byte. The rest is in functions of their own, so that registers stay free here.
 *
 * Order. A block is said to be gone before the true function frees it, since afterwards another thread may have its
 * address; where the function may fail it is taken out first, and freed or given back afterwards. New memory is there
 * before the program knows of it, so nobody can free it first.
 *
 * The stack begins at the caller: that of the hook and of what it calls is left out by address.
 */
#include "engine/nativemem/nativemem_hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "engine/nativemem/nativemem.h"
#include "engine/nativemem/nativemem_threads.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD        static __attribute__((noinline, cold))
#define FRAME       __builtin_frame_address(0)

enum { TO_ADDRESS = 2, STAYS = 4 }; /* MREMAP_FIXED and _DONTUNMAP of linux/mman.h */

/* ---- what comes ---- */

enum kind { A_BLOCK, A_RANGE, A_STACK };

COLD void came(uint64_t address, uint64_t size, int64_t left, const char *operation, enum kind kind, const void *frame)
{
    int saved = errno, cancel;
    ucontext_t registers;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    wick_registers_here(&registers);
    const struct wick_nativemem_came c = {
        .address = address,
        .size = size,
        .left = left,
        .operation = operation,
        .is_range = kind == A_RANGE,
        .is_stack = kind == A_STACK,
        .here = &registers,
        .from = (uintptr_t)frame + 2 * sizeof(void *), /* saved frame pointer, return address; then the caller's */
    };
    wick_nativemem_came(&c);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

/* A block of the heap, or the stack of a thread; NULL = there is none. */
static inline __attribute__((always_inline)) void *counted(void *p, size_t size, const char *operation, enum kind kind,
                                                           const void *frame)
{
    if (!p || !wick_nativemem_running())
        return p;
    int64_t left = wick_nativemem_pass(size);
    if (UNLIKELY(left < (int64_t)size) || UNLIKELY(wick_nativemem_may_hold((uintptr_t)p)))
        came((uintptr_t)p, size, left, operation, kind, frame);
    return p;
}

static inline __attribute__((always_inline)) void *block(void *p, size_t size, const char *operation, const void *frame)
{
    return counted(p, size, operation, A_BLOCK, frame);
}

/* A mapping. */
static void *mapping(void *p, size_t size, const char *operation, const void *frame)
{
    if (p != MAP_FAILED && wick_nativemem_running())
        came((uintptr_t)p, size, wick_nativemem_pass(size), operation, A_RANGE, frame);
    return p;
}

/* ---- what goes ---- */

COLD void gone(const void *p)
{
    int saved = errno, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    wick_nativemem_gone((uintptr_t)p);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

COLD void take(const void *p, struct wick_nativemem_held *held)
{
    int saved = errno, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    wick_nativemem_take((uintptr_t)p, held);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Addresses at which a call is going to end what is there. */
static void take_bytes(const void *p, size_t size, struct wick_nativemem_held *held)
{
    int saved = errno, cancel;
    uint64_t lo = (uintptr_t)p;
    held->n = 0;
    if (!wick_nativemem_running() || !wick_load_relaxed(&wick_nativemem_ranges.used) || lo + size < lo)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    wick_nativemem_take_range(lo, lo + size, held);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

/* The same where the call refuses addresses that are not a page's. */
static void take_range(const void *p, size_t size, struct wick_nativemem_held *held)
{
    held->n = 0;
    if ((uintptr_t)p % page_bytes() == 0)
        take_bytes(p, size, held);
}

/* What was taken has been freed, or the call has failed. */
static void settle(const struct wick_nativemem_held *held, bool good)
{
    int saved = errno, cancel;
    if (!held->n)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (good)
        wick_nativemem_freed(held);
    else
        wick_nativemem_give_back(held);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

static size_t whole_pages(size_t size)
{
    size_t page = page_bytes();
    return size + page - 1 < size ? size : (size + page - 1) / page * page;
}

/* ---- the functions ---- */

static void *(*true_malloc)(size_t);
static void *(*true_calloc)(size_t, size_t);
static void *(*true_realloc)(void *, size_t);
static void *(*true_reallocarray)(void *, size_t, size_t);
static void (*true_free)(void *);
static int (*true_posix_memalign)(void **, size_t, size_t);
static void *(*true_aligned_alloc)(size_t, size_t);
static void *(*true_memalign)(size_t, size_t);
static void *(*true_valloc)(size_t);
static void *(*true_pvalloc)(size_t);
static void *(*true_mmap)(void *, size_t, int, int, int, off_t);
static void *(*true_mmap64)(void *, size_t, int, int, int, off_t);
static int (*true_munmap)(void *, size_t);
static void *(*true_mremap)(void *, size_t, size_t, int, ...);
static int (*true_brk)(void *);
static void *(*true_sbrk)(intptr_t);
static int (*true_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void *our_malloc(size_t size)
{
    return block(true_malloc(size), size, "malloc", FRAME);
}

static void *our_calloc(size_t n, size_t size)
{
    return block(true_calloc(n, size), n * size, "calloc", FRAME);
}

static void our_free(void *p)
{
    if (UNLIKELY(wick_nativemem_may_hold((uintptr_t)p)) && wick_nativemem_running())
        gone(p);
    true_free(p);
}

/* An answer of NULL to a size of 0 means that the block was freed, to others that it is still there. */
static void *our_realloc(void *p, size_t size)
{
    struct wick_nativemem_held held = {.n = 0};
    if (UNLIKELY(wick_nativemem_may_hold((uintptr_t)p)) && wick_nativemem_running())
        take(p, &held);
    void *q = true_realloc(p, size);
    settle(&held, q || !size);
    return block(q, size, "realloc", FRAME);
}

static void *our_reallocarray(void *p, size_t n, size_t size)
{
    struct wick_nativemem_held held = {.n = 0};
    if (UNLIKELY(wick_nativemem_may_hold((uintptr_t)p)) && wick_nativemem_running())
        take(p, &held);
    void *q = true_reallocarray(p, n, size);
    settle(&held, q || !n || !size);
    return block(q, n * size, "reallocarray", FRAME);
}

static int our_posix_memalign(void **out, size_t alignment, size_t size)
{
    int rc = true_posix_memalign(out, alignment, size);
    if (!rc)
        block(*out, size, "posix_memalign", FRAME);
    return rc;
}

static void *our_aligned_alloc(size_t alignment, size_t size)
{
    return block(true_aligned_alloc(alignment, size), size, "aligned_alloc", FRAME);
}

static void *our_memalign(size_t alignment, size_t size)
{
    return block(true_memalign(alignment, size), size, "memalign", FRAME);
}

static void *our_valloc(size_t size)
{
    return block(true_valloc(size), size, "valloc", FRAME);
}

static void *our_pvalloc(size_t size)
{
    return block(true_pvalloc(size), whole_pages(size), "pvalloc", FRAME);
}

/* A mapping at a given address replaces what was there. */
#define MAP(name)                                                                                              \
    static void *our_##name(void *at, size_t size, int protection, int flags, int fd, off_t offset)            \
    {                                                                                                          \
        struct wick_nativemem_held held = {.n = 0};                                                            \
        if (flags & MAP_FIXED)                                                                                 \
            take_range(at, whole_pages(size), &held);                                                          \
        void *p = true_##name(at, size, protection, flags, fd, offset);                                        \
        settle(&held, p != MAP_FAILED);                                                                        \
        return protection == PROT_NONE ? p : mapping(p, whole_pages(size), #name, __builtin_frame_address(0)); \
    }

MAP(mmap)
MAP(mmap64)

static int our_munmap(void *at, size_t size)
{
    struct wick_nativemem_held held;
    take_range(at, whole_pages(size), &held);
    int rc = true_munmap(at, size);
    settle(&held, !rc);
    return rc;
}

/* The old memory goes, and comes as new in its new size; but for what stays (an old size of 0 makes a second view). */
static void *our_mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    struct wick_nativemem_held held = {.n = 0}, under = {.n = 0};
    va_list more;
    va_start(more, flags);
    void *to = flags & TO_ADDRESS ? va_arg(more, void *) : NULL;
    va_end(more);
    if (!(flags & STAYS))
        take_range(old, whole_pages(old_size), &held);
    if (flags & TO_ADDRESS)
        take_range(to, whole_pages(size), &under);
    void *p = true_mremap(old, old_size, size, flags, to);
    settle(&held, p != MAP_FAILED);
    settle(&under, p != MAP_FAILED);
    return mapping(p, whole_pages(size), "mremap", FRAME);
}

/* The end of the data segment, which malloc may move as well, without a call that is seen. NULL: it is not known. */
static char *data_end(void)
{
    void *at = true_sbrk ? true_sbrk(0) : MAP_FAILED;
    return at == MAP_FAILED ? NULL : at;
}

/* Where it ended when the hooks were placed first. What is followed lies above it. */
static char *first_end;

/* The data segment is about to end at `to` instead of at `end`; the kernel may refuse that. */
static void take_segment(char *to, char *end, struct wick_nativemem_held *held)
{
    char *from = to > first_end ? to : first_end;
    if (end && from < end)
        take_bytes(from, (size_t)(end - from), held);
}

static int our_brk(void *to)
{
    struct wick_nativemem_held held = {.n = 0};
    char *end = data_end();
    take_segment(to, end, &held);
    int rc = true_brk(to);
    bool moved = !rc && data_end() == to; /* glibc says 0 as well where the kernel refuses an end below the segment */
    settle(&held, moved);
    if (moved && end && (char *)to > end)
        mapping(end, (size_t)((char *)to - end), "brk", FRAME);
    return rc;
}

static void *our_sbrk(intptr_t more)
{
    struct wick_nativemem_held held = {.n = 0};
    char *end = more < 0 ? data_end() : NULL;
    size_t less = more < 0 ? -(size_t)more : 0;
    if (less <= (uintptr_t)end)
        take_segment(end - less, end, &held);
    void *p = true_sbrk(more);
    settle(&held, p != MAP_FAILED);
    return more > 0 ? mapping(p, (size_t)more, "sbrk", FRAME) : p;
}

static int our_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    size_t size = wick_nativemem_running() ? wick_nativemem_threads_bytes(attributes) : 0;
    struct wick_nativemem_thread *t = size ? wick_nativemem_threads_new(run, arg) : NULL;
    if (!t)
        return true_pthread_create(out, attributes, run, arg);
    int rc = true_pthread_create(out, attributes, wick_nativemem_threads_run, t);
    if (rc) {
        wick_nativemem_threads_failed(t);
        return rc;
    }
    counted(t, size, "pthread_create", A_STACK, FRAME);
    wick_nativemem_threads_counted(t);
    return 0;
}

/* ---- in their place ---- */

#define EACH(X)       \
    X(malloc)         \
    X(calloc)         \
    X(realloc)        \
    X(reallocarray)   \
    X(free)           \
    X(posix_memalign) \
    X(aligned_alloc)  \
    X(memalign) X(valloc) X(pvalloc) X(mmap) X(mmap64) X(munmap) X(mremap) X(brk) X(sbrk) X(pthread_create)

static struct wick_elf_hook hooks[] = {
#define HOOK(name) {#name, 0, (uintptr_t)our_##name, 0},
    EACH(HOOK)
#undef HOOK
};
enum { HOOKS = sizeof hooks / sizeof *hooks };
_Static_assert(HOOKS <= (int)WICK_HOOKS_MOST, "all of them fit");

static struct wick_elf_hooks_shared placed = WICK_ELF_HOOKS_SHARED_INIT;

/* What a C library does not have is not hooked. */
static void find_truths(void)
{
    size_t i = 0;
#define FIND(name)                                                     \
    true_##name = (__typeof__(true_##name))dlsym(RTLD_DEFAULT, #name); \
    hooks[i++].truth = (uintptr_t)true_##name;
    EACH(FIND)
#undef FIND
}

int wick_nativemem_hooks_on(struct wick_err *err)
{
    if (!hooks[0].truth) { /* later on threads may be in our functions */
        wick_nativemem_threads_init();
        find_truths();
        first_end = data_end();
    }
    return wick_elf_hooks_shared_on(&placed, hooks, HOOKS, "native memory", err);
}

void wick_nativemem_hooks_refresh(void)
{
    wick_elf_hooks_shared_refresh(&placed);
}

void wick_nativemem_hooks_off(void)
{
    wick_elf_hooks_shared_off(&placed);
}

void wick_nativemem_hooks_count(struct wick_elf_hooks_count *out)
{
    wick_elf_hooks_shared_count(&placed, out);
}
