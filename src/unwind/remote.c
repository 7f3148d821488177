/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.c - the walker over another process
 *
 *   PTRACE_SEIZE + INTERRUPT   the thread stops without a signal that it could see
 *   PTRACE_GETREGS             where it stands
 *   copy                       JavaFrameAnchor, thread state, mounted thread, stack from sp to its end (at most
 *                              STACK_MAX)
 *   PTRACE_DETACH              it runs on
 *   walk                       memory reads inside the copied stack come from the copy, all others from the live
 *                              process
 */
#include "unwind/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "elf/eh_frame.h"
#include "hotspot/thread.h"
#include "hotspot/value.h"
#include "elf/dynsym.h"

enum { STACK_MAX = 4 << 20, STACK_PIECE = 64 << 10 };

struct wick_step_env {
    const struct wick_remote *r;
    wick_addr stack_lo, stack_hi; /* copied range */
    struct wick_step_scratch scratch;
};

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

static int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    if (addr >= env->stack_lo && addr <= env->stack_hi && n <= env->stack_hi - addr) {
        memcpy(buf, env->r->stack + (addr - env->stack_lo), n);
        return 0;
    }
    return wick_mem_read(&env->r->mem, addr, buf, n);
}

static int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    const struct wick_elf_image *image = wick_elf_images_find(&env->r->images, pc);
    return image ? wick_eh_rule(&env->r->mem, image, pc, rule, NULL, NULL) : -WICK_E_NOTFOUND;
}

static int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    const struct wick_elf_image *image = wick_elf_images_find(&env->r->images, pc);
    return image ? wick_eh_function(&env->r->mem, image, pc, start) : -WICK_E_NOTFOUND;
}

#define step_blob_find   step_blob_read
#define step_method_find step_method_read
#include "unwind/step_walk.h"

static wick_addr find_symbol(void *arg, const char *name)
{
    struct wick_remote *r = arg;
    wick_addr addr = 0;
    return wick_elf_dynsym(&r->mem, r->libjvm, name, &addr) ? 0 : addr;
}

/* The image that exports HotSpot's tables; libjvm.so by name first, because asking each image costs reads. */
static const struct wick_elf_image *find_libjvm(struct wick_remote *r)
{
    for (int pass = 0; pass < 2; pass++) {
        const struct wick_elf_image *image;
        for (uint32_t i = 0; (image = wick_elf_images_at(&r->images, i)); i++) {
            wick_addr a;
            if ((strstr(image->path, "/libjvm.so") != NULL) == (pass == 0) &&
                !wick_elf_dynsym(&r->mem, image, "gHotSpotVMStructs", &a))
                return image;
        }
    }
    return NULL;
}

int wick_remote_open(struct wick_remote *r, int pid, struct wick_err *err)
{
    bool changed;
    *r = (struct wick_remote){.pid = pid, .mem.fd = -1};
    int rc = wick_mem_remote_init(&r->mem, pid, err);
    if (rc)
        return rc;
    wick_elf_images_init(&r->images, pid);
    rc = wick_elf_images_refresh(&r->images, &r->mem, &changed, err);
    if (!rc && !(r->libjvm = find_libjvm(r)))
        rc = wick_err_set(err, WICK_E_NOTJVM, "process %d is not a HotSpot JVM: it has no libjvm.so mapped", pid);
    const struct wick_hs_symbols syms = {find_symbol, r};
    if (!rc)
        rc = wick_jvm_open(&r->jvm, &r->mem, &syms, err);
    if (!rc)
        rc = wick_jvm_open_code(&r->jvm, err);
    if (!rc)
        wick_hs_mounted_init(&r->mounted, &r->jvm);
    if (rc)
        wick_remote_close(r);
    return rc;
}

void wick_remote_close(struct wick_remote *r)
{
    wick_elf_images_release(&r->images);
    wick_mem_release(&r->mem);
    free(r->stack);
    r->stack = NULL;
}

/* Copies the stack upwards from lo until `end` or the first unreadable piece. Returns the end of the copy. */
static wick_addr copy_stack(struct wick_remote *r, wick_addr lo, wick_addr end)
{
    size_t done = 0, piece = STACK_PIECE;
    while (done < STACK_MAX) {
        size_t n = end && lo + done + piece > end ? end - lo - done : piece;
        if (!n || n > STACK_MAX)
            break;
        if (r->stack_cap < done + n) {
            uint8_t *p = realloc(r->stack, done + n);
            if (!p)
                break;
            r->stack = p;
            r->stack_cap = done + n;
        }
        if (!wick_mem_read(&r->mem, lo + done, r->stack + done, n)) {
            done += n;
        } else if (piece > 4096) {
            piece = 4096 - (lo + done) % 4096;
        } else {
            break;
        }
    }
    return lo + done;
}

static int stop_thread(int tid, struct user_regs_struct *regs, struct wick_err *err)
{
    int status;
    if (ptrace(PTRACE_SEIZE, tid, 0, 0)) {
        if (errno == ESRCH)
            return wick_err_set(err, WICK_E_GONE, "thread %d ended", tid);
        return wick_err_set(err, WICK_E_PERM,
                            "thread %d may not be traced (%s): a debugger may hold it, or run as root", tid,
                            strerror(errno));
    }
    if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status) ||
        ptrace(PTRACE_GETREGS, tid, 0, regs)) {
        ptrace(PTRACE_DETACH, tid, 0, 0);
        return wick_err_set(err, WICK_E_GONE, "thread %d ended", tid);
    }
    /* our own interrupt and a stop of the whole process are events; anything else is a signal on its way, even SIGTRAP
     */
    return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
}

static void load_registers(struct wick_step_state *s, const struct user_regs_struct *g)
{
    *s = (struct wick_step_state){
        .rax = g->rax,
        .rdx = g->rdx,
        .rcx = g->rcx,
        .rbx = g->rbx,
        .rsi = g->rsi,
        .rdi = g->rdi,
        .fp = g->rbp,
        .sp = g->rsp,
        .r8 = g->r8,
        .r9 = g->r9,
        .r10 = g->r10,
        .r11 = g->r11,
        .r12 = g->r12,
        .r13 = g->r13,
        .r14 = g->r14,
        .r15 = g->r15,
        .pc = g->rip,
        .leaf = 1,
    };
}

int wick_remote_walk_thread(struct wick_remote *r, int tid, wick_addr java_thread, struct wick_remote_walk *w,
                            struct wick_err *err)
{
    struct user_regs_struct g;
    struct wick_step_state s;
    struct wick_step_env env = {.r = r};
    const struct wick_step_jvm *j = &r->jvm.step;
    int sig = stop_thread(tid, &g, err);
    if (sig < 0)
        return sig;
    uint64_t t0 = wick_clock_mono_ns();
    load_registers(&s, &g);
    env.stack_lo = (s.sp - WICK_STEP_RED_ZONE) & ~(wick_addr)7;
    if (java_thread) {
        s.thread = java_thread;
        s.stack_end = wick_hs_thread_stack_end(&r->jvm, java_thread);
        if (s.stack_end <= s.sp || s.stack_end - s.sp > STACK_MAX)
            s.stack_end = 0;
        s.thread_state = wick_hs_u32(&r->mem, java_thread + (unsigned)j->thread_state);
        step_load_anchor(&env, j, &s, java_thread + (unsigned)j->thread_anchor);
        w->carries = wick_hs_mounted(&r->jvm, &r->mounted, java_thread, &w->mounted);
    }
    env.stack_hi = copy_stack(r, env.stack_lo, s.stack_end);
    /* a signal that happened to stop the thread first is handed on */
    ptrace(PTRACE_DETACH, tid, 0, (void *)(intptr_t)sig);
    w->stopped_ns = wick_clock_mono_ns() - t0;
    w->thread_state = s.thread_state;
    w->n = 0;
    while (w->n < w->cap) {
        int res = wick_step(&env, j, &s, &w->frames[w->n]);
        if (res == WICK_STEP_NONE)
            break;
        w->n++;
        if (res == WICK_STEP_LAST)
            break;
    }
    w->gaps = s.gaps;
    w->anchors_used = s.anchors_used;
    w->scans = s.scans;
    return 0;
}
