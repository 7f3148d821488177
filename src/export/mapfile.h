/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapfile.h - /tmp/perf-PID.map of a JVM, written so that perf takes it and nobody can abuse it
 */
#ifndef WICK_EXPORT_MAPFILE_H
#define WICK_EXPORT_MAPFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sys/proc.h"

struct wick_mapfile_opts {
    bool inlined;        /* "a->b": b inlined into a */
    bool compare;        /* with the map that is there: marks of import/perf_map.h */
    uint64_t most_bytes; /* of names; more is refused. 0 = 128 MiB, many times what a JVM has */
};

/* What was written. */
struct wick_mapfile_result {
    char name[64]; /* in /tmp: "perf-4711.map" */
    dev_t device;  /* the file that was written */
    ino_t inode;
    unsigned long symbols, stale, changed; /* all, and those with a mark */
    bool in_container;                     /* in the container's /tmp */
    bool was_there;                        /* another map was replaced */
    bool frame_pointers;                   /* the JVM keeps them, so perf can walk its stacks */
};

/* Writes the map of a JVM. 0; -WICK_E_GONE if the process has no code that can be read; -WICK_E_PERM, _IO, _NOMEM. */
int wick_mapfile_write(const struct wick_proc *p, const struct wick_mapfile_opts *o, struct wick_mapfile_result *res,
                       struct wick_err *err);

/* Removes the map that was written for this process, unless another file is in its place now. The process may have
 * ended (but not if it lived in a container). */
void wick_mapfile_remove(const struct wick_proc *p, const struct wick_mapfile_result *res);

#endif
