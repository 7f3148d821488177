/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_kind.h - what a waiting thread waits for (def/wait_kind.def), and which frame of the program made it wait
 *
 * The kernel knows that a thread sleeps, and wick that it is parked; whether that is a worker without work or a request
 * behind a full connection pool is known from the methods between the park and the program's own code.
 *
 * Threads: reads the profile only.
 */
#ifndef WICK_ANALYSIS_WAIT_WAIT_KIND_H
#define WICK_ANALYSIS_WAIT_WAIT_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

enum wick_wait_kind {
    WICK_WAIT_NONE, /* nothing that the table has */
#define KIND(NAME, name, role, text) WICK_WAIT_##NAME,
#include "def/wait_kind.def"
    WICK_WAIT_KINDS
};

enum wick_wait_role { WICK_WAIT_IDLE, WICK_WAIT_DEPENDS, WICK_WAIT_TROUBLE };

struct wick_wait {
    enum wick_wait_kind kind;
    uint32_t stack;  /* cut at the program's own frame that waits; 0 = it has none */
    bool in_request; /* that frame works for a client of a server */
    uint32_t lender; /* of a pool: the name of its class; else 0 */
};

/* Of a stack, by its Java frames alone. */
struct wick_wait wick_wait_of(const struct wick_profile *p, uint32_t stack);

/* "file-sync": stable, for programs. "fsync (data to reach the disk)": for a sentence. */
const char *wick_wait_name(enum wick_wait_kind kind);
const char *wick_wait_text(enum wick_wait_kind kind);
/* What helps, NULL = nothing that holds for all. */
const char *wick_wait_help(enum wick_wait_kind kind);
enum wick_wait_role wick_wait_role_of(enum wick_wait_kind kind);
/* A monitor, or a lock of java.util.concurrent. */
bool wick_wait_is_lock(enum wick_wait_kind kind);
/* Whether it ends by itself after a time. */
bool wick_wait_is_timer(enum wick_wait_kind kind);

/* Whether the stack is of a carrier with a virtual thread mounted. */
bool wick_wait_is_mounted(const struct wick_profile *p, uint32_t stack);

/* Whether the stack is of a worker of a pool (java.util.concurrent) or of a timer, with or without work; not a carrier
 * of virtual threads. */
bool wick_wait_is_worker(const struct wick_profile *p, uint32_t stack);

/* Whether the stack runs such a task, in whatever thread. */
bool wick_wait_runs_task(const struct wick_profile *p, uint32_t stack);

/* Whether the stack waits for a task that an executor runs, not for what anybody may complete. */
bool wick_wait_is_for_task(const struct wick_profile *p, uint32_t stack);

/* Whether the stack does what is to follow a CompletableFuture, in the thread that completes it. */
bool wick_wait_is_completing(const struct wick_profile *p, uint32_t stack);

/* Whether the stack runs a task in the thread that gave it to a pool, as that took no more (CallerRunsPolicy). */
bool wick_wait_is_refused(const struct wick_profile *p, uint32_t stack);

#endif
