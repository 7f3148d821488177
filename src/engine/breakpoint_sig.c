/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakpoint_sig.c - SIGTRAP
 *
 * The first instruction of a function is one of a few: endbr64, which does nothing here, or push of a register.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/breakpoint_int.h"
#include "engine/signal.h"

struct wick_breakpoint_state wick_breakpoint_state;

#if defined(__x86_64__)

enum { KERNEL_MASK = 8 }; /* bytes of the kernel's signal set */

static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static void push(ucontext_t *c, unsigned number, unsigned length)
{
    greg_t *r = c->uc_mcontext.gregs, value = r[registers[number]];
    r[REG_RSP] -= 8;
    memcpy((void *)(uintptr_t)r[REG_RSP], &value, sizeof value);
    r[REG_RIP] += length;
}

bool wick_breakpoint_step_sig(const uint8_t *instruction, ucontext_t *context)
{
    static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned rex = instruction[0] == 0x41, number = instruction[rex] - 0x50u;
    if (!memcmp(instruction, endbr64, sizeof endbr64)) {
        if (context)
            context->uc_mcontext.gregs[REG_RIP] += sizeof endbr64;
        return true;
    }
    if (number >= 8)
        return false;
    if (context)
        push(context, number + 8 * rex, 1 + rex);
    return true;
}

static int number_of(wick_addr at)
{
    for (int i = 0; i < WICK_BREAKPOINT_MOST; i++)
        if (wick_load_acquire(&wick_breakpoint_state.places[i].at) == at) /* pairs: remember in breakpoint.c */
            return at ? i : -1;
    return -1;
}

/* The default, which ends the process: where the instruction is, or at once if somebody has sent the signal. */
static void die(const siginfo_t *info, ucontext_t *context)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGTRAP, &by_default, NULL);
    if (info->si_code == SI_KERNEL)
        context->uc_mcontext.gregs[REG_RIP]--; /* the same int3 again */
    else
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGTRAP);
}

/* What the kernel would have done without us. An ignored signal is ignored if it was sent; raised by an instruction it
 * ends the process. */
static void pass_on(int sig, siginfo_t *info, ucontext_t *context)
{
    const struct sigaction *to = &wick_breakpoint_state.before;
    bool handled = to->sa_flags & SA_SIGINFO || (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN);
    if (!handled) {
        if (to->sa_handler == SIG_DFL || info->si_code > 0)
            die(info, context);
        return;
    }
    uint64_t mask, interrupted, was = 0;
    memcpy(&mask, &to->sa_mask, sizeof mask);
    memcpy(&interrupted, &context->uc_sigmask, sizeof interrupted);
    if (!(to->sa_flags & SA_NODEFER))
        mask |= 1ull << (SIGTRAP - 1);
    mask |= interrupted;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &was, KERNEL_MASK);
    wick_signal_pass_sig(to, sig, info, context);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &was, NULL, KERNEL_MASK);
}

void wick_breakpoint_trap_sig(int sig, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    wick_addr at = (wick_addr)c->uc_mcontext.gregs[REG_RIP] - 1;
    int number = info->si_code > 0 ? number_of(at) : -1, error = errno;
    if (number < 0) {
        pass_on(sig, info, c);
    } else {
        wick_breakpoint_hit *hit = wick_load_acquire(&wick_breakpoint_state.hit); /* pairs: wick_breakpoint_set */
        c->uc_mcontext.gregs[REG_RIP] = (greg_t)at;
        if (hit)
            hit((unsigned)number, c);
        wick_breakpoint_step_sig(wick_breakpoint_state.places[number].first, c);
    }
    errno = error;
}

#else

bool wick_breakpoint_step_sig(const uint8_t *instruction, ucontext_t *context)
{
    (void)instruction, (void)context;
    return false;
}

void wick_breakpoint_trap_sig(int sig, siginfo_t *info, void *context)
{
    wick_signal_pass_sig(&wick_breakpoint_state.before, sig, info, context);
}

#endif
