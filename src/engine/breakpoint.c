/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/breakpoint.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/breakpoint_int.h"
#include "engine/signal.h"

#define INT3 0xccu

static struct wick_breakpoint_state *const state = &wick_breakpoint_state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool installed; /* the handler, once and for all */

static bool is_ours(void)
{
    struct sigaction now;
    return !sigaction(SIGTRAP, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == wick_breakpoint_trap_sig;
}

/* A handler that came behind ours may call ours, so ours must not call it: it is not installed a second time. */
static int install(struct wick_err *err)
{
    struct sigaction sa = {.sa_sigaction = wick_breakpoint_trap_sig,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    if (installed)
        return is_ours() ? 0
                         : wick_err_set(err, WICK_E_STATE,
                                        "breakpoints need the signal SIGTRAP, and another handler has taken the place "
                                        "of wick's since an earlier recording");
    wick_signal_mask(&sa.sa_mask);
    if (sigaction(SIGTRAP, NULL, &state->before) || sigaction(SIGTRAP, &sa, NULL))
        return wick_err_set(err, WICK_E_STATE, "the signal SIGTRAP cannot be handled: %s", strerror(errno));
    installed = true;
    return 0;
}

/* Keeps what is there, if it is an instruction that can be done in its place. */
static int remember(unsigned number, wick_addr at, struct wick_err *err)
{
    struct wick_breakpoint_place *p = &state->places[number];
    const uint8_t *code = (const uint8_t *)(uintptr_t)at;
    wick_addr known = wick_load_relaxed(&p->at);
    if (known == at && (p->set || code[0] == p->first[0]) && !memcmp(p->first + 1, code + 1, sizeof p->first - 1))
        return 0;
    if (known || !wick_breakpoint_step_sig(code, NULL))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "no breakpoint can be set at 0x%llx: the code there (%02x %02x %02x %02x) is not how a "
                            "function begins that wick knows, or somebody has changed it",
                            (unsigned long long)at, code[0], code[1], code[2], code[3]);
    memcpy(p->first, code, sizeof p->first);
    wick_store_release(&p->at, at); /* pairs: number_of in breakpoint_sig.c */
    return 0;
}

enum poke { DONE, ANOTHERS, UNCHANGED, LEFT_WRITABLE };

/* Changes the byte from one value to the other. */
static enum poke poke(wick_addr at, uint8_t from, uint8_t to)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(uintptr_t)(at & ~(wick_addr)(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE | PROT_EXEC))
        return UNCHANGED;
    /* pairs: the processor that fetches it; an exchange of one byte, so that it finds one or the other */
    bool changed = wick_cas_acq_rel((_Atomic uint8_t *)(uintptr_t)at, &from, to);
    if (mprotect(start, page, PROT_READ | PROT_EXEC))
        return LEFT_WRITABLE;
    return changed ? DONE : ANOTHERS;
}

static bool clear_locked(void)
{
    bool all = true;
    for (int i = 0; i < WICK_BREAKPOINT_MOST; i++) {
        struct wick_breakpoint_place *p = &state->places[i];
        if (!p->set)
            continue;
        enum poke r = poke(wick_load_relaxed(&p->at), INT3, p->first[0]);
        p->set = r == UNCHANGED; /* it stays until the next attempt, and costs time */
        all = all && r == DONE;
    }
    wick_store_release(&state->hit, NULL); /* pairs: wick_breakpoint_trap_sig */
    return all;
}

static int set_locked(const wick_addr *at, unsigned n, wick_breakpoint_hit *hit, struct wick_err *err)
{
    int rc = n > WICK_BREAKPOINT_MOST ? wick_err_set(err, WICK_E_LIMIT, "too many breakpoints") : 0;
    for (unsigned i = 0; i < n && !rc; i++)
        rc = remember(i, at[i], err);
    if (rc || (rc = install(err)))
        return rc;
    wick_store_release(&state->hit, hit); /* pairs: wick_breakpoint_trap_sig */
    for (unsigned i = 0; i < n && !rc; i++) {
        if (state->places[i].set) /* one that could not be cleared */
            continue;
        enum poke r = poke(at[i], state->places[i].first[0], INT3);
        state->places[i].set = r == DONE || r == LEFT_WRITABLE;
        if (r == DONE)
            continue;
        rc = wick_err_set(err, WICK_E_PERM,
                          r == ANOTHERS        ? "the code at 0x%llx is being changed by somebody else"
                          : r == LEFT_WRITABLE ? "the page of code at 0x%llx could not be made read-only again (%s)"
                                               : "the code at 0x%llx cannot be changed (%s): a security policy may "
                                                 "forbid it",
                          (unsigned long long)at[i], strerror(errno));
    }
    if (rc)
        clear_locked();
    return rc;
}

int wick_breakpoint_set(const wick_addr *at, unsigned n, wick_breakpoint_hit *hit, struct wick_err *err)
{
    pthread_mutex_lock(&lock);
    int rc = set_locked(at, n, hit, err);
    pthread_mutex_unlock(&lock);
    return rc;
}

bool wick_breakpoint_clear(void)
{
    pthread_mutex_lock(&lock);
    bool all = clear_locked();
    pthread_mutex_unlock(&lock);
    return all;
}

bool wick_breakpoint_guard(void)
{
    bool set = false, good = true;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < WICK_BREAKPOINT_MOST; i++)
        set = set || state->places[i].set;
    if (set && !is_ours()) {
        clear_locked();
        good = false;
    }
    pthread_mutex_unlock(&lock);
    return good;
}

bool wick_breakpoint_unblock(void)
{
    sigset_t trap, was;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    return !pthread_sigmask(SIG_UNBLOCK, &trap, &was) && sigismember(&was, SIGTRAP) == 1;
}
