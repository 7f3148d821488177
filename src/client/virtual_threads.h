/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_threads.h - the virtual threads that have a context, as the agent lists them
 *
 * Memory:  _parse and _ask allocate, _release frees; strings point into the text that was read.
 */
#ifndef WICK_CLIENT_VIRTUAL_THREADS_H
#define WICK_CLIENT_VIRTUAL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"

/* How many threads are listed by default, and at most. */
enum { WICK_VIRTUAL_ROWS = 1000, WICK_VIRTUAL_ROWS_MOST = 131072 };

struct wick_virtual_stack {
    uint32_t first, n; /* its frames, leaf first */
    uint32_t more;     /* frames left out */
    uint32_t threads;  /* that are in it */
};

struct wick_virtual_row {
    const char *name, *state; /* state: of Thread.State; "" = not known, as for all strings */
    const char *trace, *span, *endpoint, *operation, *labels;
    uint64_t id, open_ns; /* open_ns: since the outermost scope was opened */
    uint32_t stack;
    int32_t carrier; /* kernel id of the thread it is mounted on, 0 = unmounted */
    bool pinned;     /* it waits and cannot leave its carrier */
};

struct wick_virtual_threads {
    struct wick_virtual_row *rows; /* longest open first */
    uint32_t nrows;
    struct wick_virtual_stack *stacks;
    uint32_t nstacks;
    const char **frames;
    uint32_t nframes;
    uint32_t known; /* virtual threads with a context; more than there are rows if these were limited */
    uint32_t ended; /* ended with a scope open, among those examined */
    bool cut;       /* it took too long */
    char *text;
};

/* Takes apart the agent's answer (agent/label/virtual_list.c), a malloc'ed text that v takes over, whatever it holds.
 * name: only threads whose name contains it; NULL: all. -WICK_E_FORMAT if it is none, or not whole. */
int wick_virtual_threads_parse(struct wick_virtual_threads *v, char *text, const char *name, struct wick_err *err);
void wick_virtual_threads_release(struct wick_virtual_threads *v);

/* Asks the agent that `c` is connected to for `rows` threads, of which those are taken that _parse takes. */
int wick_virtual_threads_ask(struct wick_virtual_threads *v, struct wick_client *c, uint32_t rows, const char *name,
                             struct wick_err *err);

#endif
