/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live unwinding of this very process, compiled without frame pointers, against glibc's backtrace().
 *
 * The walker below is the plainest possible reading of eh_frame.h. Both walkers start in the same function, so all
 * return addresses must be equal, to the outermost frame. The stacks cross deep recursion, a frame that gcc realigns
 * (its CFA is loaded from memory), libc (qsort calls back), signal frames on the thread's and on another stack, and
 * whatever instruction a timer happens to interrupt: prologues and epilogues included.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <alloca.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/eh_frame.h"

#define MAX_DEPTH 512
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, RIP = 16 };

struct regs {
    uint64_t r[17]; /* by DWARF number; those that are not callee-saved are not kept */
};

struct walk {
    int n;
    uint64_t pc[MAX_DEPTH];
    int signal_frame; /* index of the last signal frame, -1 if none */
    int deref;        /* frames whose CFA was loaded from memory */
    int rc;           /* 0: ended properly */
};

static struct wick_mem mem;
static struct wick_elf_images images;

/* The registers at this place in the calling function. */
#define CAPTURE(regs)                                                                                              \
    __asm__ volatile("leaq 0f(%%rip), %%rax\n0:\n movq %%rax, 128(%0)\n movq %%rsp, 56(%0)\n movq %%rbp, 48(%0)\n" \
                     " movq %%rbx, 24(%0)\n movq %%r12, 96(%0)\n movq %%r13, 104(%0)\n movq %%r14, 112(%0)\n"      \
                     " movq %%r15, 120(%0)\n"                                                                      \
                     :                                                                                             \
                     : "r"(regs)                                                                                   \
                     : "rax", "memory")

static int apply(const struct wick_unwind_rule *rule, struct regs *g)
{
    static const uint8_t number[WICK_SLOT_COUNT] = {RBP, RIP, RBX, R12, R12 + 1, R12 + 2, R12 + 3};
    struct regs next = *g;
    uint64_t cfa = g->r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_off;
    if (rule->cfa_kind == WICK_CFA_DEREF) {
        if (wick_mem_read(&mem, cfa, &cfa, 8))
            return -1;
        cfa += (uint64_t)(int64_t)rule->cfa_add;
    }
    for (int i = 0; i < WICK_SLOT_COUNT; i++) {
        uint64_t *to = &next.r[number[i]], off = (uint64_t)(int64_t)rule->off[i];
        unsigned how = rule->how[i], kind = WICK_HOW_KIND(how);
        if (kind == WICK_HOW_CFA && wick_mem_read(&mem, cfa + off, to, 8))
            return -2;
        if (kind == WICK_HOW_MEM && wick_mem_read(&mem, g->r[WICK_HOW_REG(how)] + off, to, 8))
            return -3;
        if (kind == WICK_HOW_MOVED)
            *to = g->r[WICK_HOW_REG(how)];
        if (kind == WICK_HOW_VALUE)
            *to = cfa + off;
    }
    next.r[RSP] = cfa;
    *g = next;
    return 0;
}

static void unwind(struct regs g, struct walk *w)
{
    bool exact = true;
    w->n = w->deref = 0;
    w->signal_frame = -1;
    w->rc = -100;
    while (w->n < MAX_DEPTH) {
        struct wick_unwind_rule rule;
        uint64_t pc = g.r[RIP], look = exact ? pc : pc - 1;
        wick_addr lo, hi;
        w->pc[w->n++] = pc;
        const struct wick_elf_image *image = wick_elf_images_find(&images, look);
        w->rc = image ? wick_eh_rule(&mem, image, look, &rule, &lo, &hi) : -101;
        if (w->rc)
            return;
        if (look < lo || look >= hi) {
            w->rc = -102;
            return;
        }
        if (rule.flags & WICK_RULE_END)
            return;
        if (rule.flags & WICK_RULE_SIGNAL)
            w->signal_frame = w->n - 1;
        w->deref += rule.cfa_kind == WICK_CFA_DEREF;
        w->rc = apply(&rule, &g);
        if (w->rc)
            return;
        exact = rule.flags & WICK_RULE_SIGNAL;
    }
}

/* Both walks started in the same function, so their first pcs differ. */
static int first_difference(const struct walk *w, void *const *bt, int n)
{
    for (int i = 1; i < w->n || i < n; i++)
        if (i >= w->n || i >= n || w->pc[i] != (uintptr_t)bt[i])
            return i;
    return 0;
}

static void *theirs[MAX_DEPTH];
static int n_theirs;
static struct walk ours;

static NOINLINE void look_around(void)
{
    struct regs g;
    memset(&g, 0, sizeof g);
    n_theirs = backtrace(theirs, MAX_DEPTH);
    while (n_theirs > 2 && theirs[1] != __builtin_return_address(0)) /* a sanitizer's wrapper of backtrace() */
        memmove(theirs, theirs + 1, (size_t)--n_theirs * sizeof theirs[0]);
    CAPTURE(&g);
    unwind(g, &ours);
}

static void (*volatile at_the_bottom)(void);

/* Uses enough registers and stack that its frame is not trivial. */
static NOINLINE uint64_t recurse(unsigned depth, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    volatile char pad[40];
    pad[depth % 40] = (char)a;
    if (depth == 0) {
        at_the_bottom();
        return a ^ b;
    }
    uint64_t r = recurse(depth - 1, a * 3 + d, b + a, c ^ b, d + 1);
    return r + a * b + c * d + (uint64_t)pad[depth % 40];
}

/* alloca and an over-aligned local: gcc keeps the argument pointer in a register and loads the CFA from memory. */
static NOINLINE uint64_t realigned(unsigned n, uint64_t a, uint64_t b)
{
    alignas(128) volatile char big[256];
    volatile char *dyn = alloca(n);
    big[n % 256] = (char)a;
    dyn[n / 2] = (char)b;
    return recurse(n, a, b, a ^ b, 1) + (uint64_t)big[n % 256] + (uint64_t)dyn[n / 2];
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t r = realigned(5, *(const unsigned *)a, *(const unsigned *)b);
    return r == 1 ? 1 : *(const int *)a - *(const int *)b;
}

static int setup(void **state)
{
    (void)state;
    bool changed;
    void *warm[4];
    backtrace(warm, 4); /* loads libgcc_s now, not in a handler */
    return wick_mem_self_init(&mem) || (wick_elf_images_init(&images, 0), 0) ||
           wick_elf_images_refresh(&images, &mem, &changed, NULL);
}

static int teardown(void **state)
{
    (void)state;
    wick_elf_images_release(&images);
    wick_mem_release(&mem);
    return 0;
}

static void assert_equal_walks(void)
{
    assert_int_equal(ours.rc, 0);
    assert_int_equal(first_difference(&ours, theirs, n_theirs), 0);
}

static void test_unwind__deep_recursion_equals_backtrace(void **state)
{
    (void)state;
    at_the_bottom = look_around;
    assert_true(recurse(200, 1, 2, 3, 4) != 1);
    assert_equal_walks();
    assert_true(ours.n > 200);
}

static void test_unwind__realigned_frames_and_libc_callbacks_equal_backtrace(void **state)
{
    (void)state;
    int numbers[] = {3, 1, 2};
    at_the_bottom = look_around;
    qsort(numbers, 3, sizeof numbers[0], compare_numbers);
    assert_equal_walks();
    assert_true(ours.n > 8);
#ifndef __clang__ /* which addresses such frames by rbp */
    assert_true(ours.deref > 0);
#endif
}

static volatile uint64_t interrupted_pc;

static NOINLINE void on_trap(int sig, siginfo_t *si, void *uc)
{
    (void)sig;
    (void)si;
    interrupted_pc = (uint64_t)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP];
    look_around();
}

static NOINLINE void trap(void)
{
    __asm__ volatile("int3");
}

static void cross_signal(int flags)
{
    struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | flags}, old;
    assert_int_equal(sigaction(SIGTRAP, &sa, &old), 0);
    at_the_bottom = trap;
    recurse(50, 1, 2, 3, 4);
    sigaction(SIGTRAP, &old, NULL);
    assert_equal_walks();
    assert_true(ours.n > 50);
    assert_true(ours.signal_frame > 0);
    assert_true(ours.pc[ours.signal_frame + 1] == interrupted_pc);
}

static void test_unwind__signal_frame_is_crossed(void **state)
{
    (void)state;
    cross_signal(0);
}

static void test_unwind__signal_frame_on_another_stack_is_crossed(void **state)
{
    (void)state;
    stack_t ss = {.ss_size = 256 * 1024}, old;
    ss.ss_sp = mmap(NULL, ss.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(ss.ss_sp, MAP_FAILED);
    assert_int_equal(sigaltstack(&ss, &old), 0);
    cross_signal(SA_ONSTACK);
    sigaltstack(&old, NULL);
    munmap(ss.ss_sp, ss.ss_size);
}

static volatile int ticks, tick_failures;
static struct walk failed;

static void on_tick(int sig, siginfo_t *si, void *context)
{
    static const int greg[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    static void *bt[MAX_DEPTH];
    static struct walk w;
    struct regs g;
    (void)sig;
    (void)si;
    for (int i = 0; i < 17; i++)
        g.r[i] = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[greg[i]];
    unwind(g, &w);
    int n = backtrace(bt, MAX_DEPTH), skip = 0;
    while (skip < n && (uint64_t)(uintptr_t)bt[skip] != g.r[RIP])
        skip++;
    if (w.rc || first_difference(&w, bt + skip, n - skip)) {
        failed = w;
        tick_failures++;
    }
    ticks++;
}

static void do_nothing(void)
{
}

static void test_unwind__any_interrupted_instruction_equals_backtrace(void **state)
{
    (void)state;
    struct sigaction sa = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
    struct itimerval every = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
    at_the_bottom = do_nothing;
    ticks = tick_failures = 0;
    assert_int_equal(sigaction(SIGVTALRM, &sa, &old), 0);
    assert_int_equal(setitimer(ITIMER_VIRTUAL, &every, NULL), 0);
    for (unsigned i = 0; ticks < 200 && i < 20000000; i++) {
        int numbers[] = {3, 1, 2};
        qsort(numbers, 3, sizeof numbers[0], compare_numbers);
        recurse(i % 20, i, 2, 3, 4);
    }
    setitimer(ITIMER_VIRTUAL, &off, NULL);
    sigaction(SIGVTALRM, &old, NULL);
    if (tick_failures)
        print_message("%d of %d walks differ; the last: rc %d, %d frames, at %lx\n", tick_failures, ticks, failed.rc,
                      failed.n, failed.pc[failed.n - 1]);
    assert_true(ticks >= 200);
    assert_int_equal(tick_failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unwind__deep_recursion_equals_backtrace),
        cmocka_unit_test(test_unwind__realigned_frames_and_libc_callbacks_equal_backtrace),
        cmocka_unit_test(test_unwind__signal_frame_is_crossed),
        cmocka_unit_test(test_unwind__signal_frame_on_another_stack_is_crossed),
        cmocka_unit_test(test_unwind__any_interrupted_instruction_equals_backtrace),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
