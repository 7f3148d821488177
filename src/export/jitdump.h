/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdump.h - the code of JVMs with the times at which it came, in the form that `perf inject --jit` takes
 *
 * Memory:  what lay where at the last poll, some 40 bytes a symbol, until _close.
 */
#ifndef WICK_EXPORT_JITDUMP_H
#define WICK_EXPORT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/proc.h"

struct wick_jitdump_jvm;

struct wick_jitdump {
    char path[4096];     /* DIR/jit-PID.dump */
    uint64_t most_bytes; /* of one JVM; 1 GiB unless it is set after _open */

    /* Private from here. */
    int fd;
    void *marker; /* the mapping by which perf notices the file */
    uint64_t index, look_ns;
    struct wick_jitdump_jvm *jvms;
    size_t njvms;
};

/* Makes the file in directory dir and maps it, which perf notices if it begins later or runs already. -WICK_E_IO,
 * _PERM or _NOTFOUND with a message. */
int wick_jitdump_open(struct wick_jitdump *d, const char *dir, struct wick_err *err);

/* A poll of the JVMs begins at _begin; _look writes what is new in one of them since the last one. 0; the errors of
 * wick_remote_open if it has ended or cannot be read; -WICK_E_LIMIT, once, if it has written most_bytes: no more of it
 * is written; -WICK_E_IO, _NOSPACE or _NOMEM. */
void wick_jitdump_begin(struct wick_jitdump *d);
int wick_jitdump_look(struct wick_jitdump *d, pid_t pid, bool inlined, struct wick_err *err);

/* How many symbols have been written. */
uint64_t wick_jitdump_count(const struct wick_jitdump *d);

/* Ends the file, which stays. Harmless after a failed _open. */
void wick_jitdump_close(struct wick_jitdump *d);

#endif
