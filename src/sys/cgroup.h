/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - where the files are that say what a cgroup's controller does to a process
 *
 * Threads: any.
 */
#ifndef WICK_SYS_CGROUP_H
#define WICK_SYS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wick_cgroup_controller { WICK_CGROUP_CPU, WICK_CGROUP_MEMORY, WICK_CGROUP_PRESSURE };

/* The most cgroups one within the other that count. */
enum { WICK_CGROUP_PATH = 1024, WICK_CGROUP_LEVELS = 16 };

struct wick_cgroup {
    char dir[WICK_CGROUP_PATH]; /* without a slash at its end */
    size_t mount;               /* length of its beginning that is where the hierarchy is mounted */
    bool v2;
    double limit; /* CPUs or bytes, 0 = none */
};

/* Finds the cgroup of this process whose limit counts: of its own and those above it the one with the tightest; its own
 * if none has a limit. `root` stands before every path: "" but in tests. False if there is none. */
bool wick_cgroup_find(const char *root, enum wick_cgroup_controller c, struct wick_cgroup *out);

/* The cgroups of a process ("self" or its number), from its own to the outermost that is mounted: their limits all hold
 * for it. Returns how many there are. */
size_t wick_cgroup_levels(const char *root, const char *process, enum wick_cgroup_controller c, struct wick_cgroup *out,
                          size_t most);

/* The path of a process's cgroup in the hierarchy of a controller ("/pod/app"), by the text of its /proc/PID/cgroup.
 * False if it has none there, its path is too long, or it is outside of this process's cgroup namespace. */
bool wick_cgroup_path(const char *text, enum wick_cgroup_controller c, char out[WICK_CGROUP_PATH]);

/* The CPUs that a process may use by the limits of all its cgroups, the least of them; 0 = no limit, or its cgroups are
 * not among those that are mounted here. */
double wick_cgroup_cpus(const char *root, const char *process);

/* The cgroup of that path in a controller's hierarchy ("/pod/app"). False if it does not exist here, or is no path. */
bool wick_cgroup_at(const char *root, const char *path, enum wick_cgroup_controller c, struct wick_cgroup *out);

/* The present limit of such a cgroup in CPUs or bytes, 0 = none. */
double wick_cgroup_limit(const struct wick_cgroup *g, enum wick_cgroup_controller c);

/* The number behind a word at the start of a line, as in files of cgroups and of /proc; 0 if there is no such line.
 * *found becomes true if there is; NULL = nobody asks. */
uint64_t wick_cgroup_value(const char *text, const char *word, bool *found);

#endif
