/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agentlib.h - the file libwick.so: where it is, which build it is, and how the target gets to see it
 */
#ifndef WICK_CLIENT_AGENTLIB_H
#define WICK_CLIENT_AGENTLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "sys/proc.h"

struct wick_agentlib_place {
    char path[4096]; /* as the target sees it */
    int dir;         /* directory of the copy, -1 = no copy was made */
    char name[64];   /* name of the copy in dir */
};

/* Finds the agent: `given` (option --lib) if not empty, else libwick.so beside this program (an uninstalled build), in
 * ../lib, or in the library directory it was configured with. Absolute path to out[cap]. -WICK_E_NOTFOUND.
 */
int wick_agentlib_find(const char *given, char *out, size_t cap, struct wick_err *err);

/* Build id (hex) of the ELF file path to out[41]. -WICK_E_FORMAT if it has none or is no 64-bit ELF library. */
int wick_agentlib_build_id(const char *path, char *out, struct wick_err *err);

/* Makes path reachable for the target: itself where it means the same file there and the target's user may read it and
 * !unique, else a copy in the target's /tmp, /dev/shm or /var/tmp, owned by its user, mode 0500. */
int wick_agentlib_place(const struct wick_proc *p, const char *path, bool unique, struct wick_agentlib_place *place,
                        struct wick_err *err);

/* Removes the copy. The JVM keeps the mapping. */
void wick_agentlib_unplace(const struct wick_proc *p, struct wick_agentlib_place *place);

#endif
