/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_map.h - /tmp/perf-PID.map: what lies where in a process's memory that is no file's
 *
 * A symbol that is in doubt, because two dumps differ, ends in a mark: WICK_PERF_STALE if it was in an earlier dump
 * only, WICK_PERF_CHANGED if something else lay at its place then.
 *
 * Threads: immutable after _read: any thread may look up.
 * Memory:  malloc: the text and 24 bytes a line, until _free.
 */
#ifndef WICK_IMPORT_PERF_MAP_H
#define WICK_IMPORT_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WICK_PERF_STALE   " [stale]"
#define WICK_PERF_CHANGED " [changed]"

struct wick_perf_map;

/* n bytes of text, not NUL-terminated. */
struct wick_word {
    const char *s;
    size_t n;
};

struct wick_perf_symbol {
    uint64_t start, end;
    struct wick_word name;
};

/* Opens the map of a process for reading: in its own /tmp, if it still lives and has another. It must be a plain file
 * of ours, root's or the process's user. The descriptor, or -1. */
int wick_perf_map_open(int64_t pid);

/* Opens the map `name` in a directory, if it is a plain file of ours or root's. The descriptor, or -1. */
int wick_perf_map_open_at(int dir, const char *name);

/* Reads a map and closes fd. NULL if memory ran out. */
struct wick_perf_map *wick_perf_map_read(int fd);
void wick_perf_map_free(struct wick_perf_map *m);

/* The symbol that holds addr; n = 0 if there is none. Of two that do, the one that came later in the file. */
struct wick_word wick_perf_map_find(const struct wick_perf_map *m, uint64_t addr);

/* Symbol number i by address, the first being 0. False: there are no more. */
bool wick_perf_map_get(const struct wick_perf_map *m, uint32_t i, struct wick_perf_symbol *out);

/* Cuts the mark off a symbol's name and returns it, n = 0 if it has none. */
struct wick_word wick_perf_map_cut_mark(struct wick_word *name);

#endif
