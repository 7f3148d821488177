/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_filter.h - which threads the wall clock may sample: the option `filter`
 *
 *   (nothing)      all until a tick finds a thread that has a trace context; from then on those that have one
 *   all            all
 *   context        those that have a trace context at the tick
 *   names:REGEX    whose name matches (POSIX extended, anywhere in the name)
 *   tids:1,5-9     by the kernel's thread ids
 *
 * Threads: a filter is constant once it is parsed.
 * Memory:  _release frees what _parse took.
 */
#ifndef WICK_ENGINE_WALL_WALL_FILTER_H
#define WICK_ENGINE_WALL_WALL_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum wick_wall_filter_kind { WICK_WALL_AUTO, WICK_WALL_ALL, WICK_WALL_CONTEXT, WICK_WALL_NAMES, WICK_WALL_TIDS };

enum { WICK_WALL_RANGES = 64 };

struct wick_wall_filter {
    enum wick_wall_filter_kind kind;
    regex_t names;
    struct {
        int32_t lo, hi;
    } tids[WICK_WALL_RANGES];
    uint32_t ranges;
};

/* 0 or -WICK_E_USAGE with a sentence. */
int wick_wall_filter_parse(struct wick_wall_filter *f, const char *text, struct wick_err *err);
void wick_wall_filter_release(struct wick_wall_filter *f);

/* Whether the filter admits the thread by what does not change: name (may be NULL) and id. Context comes on top. */
bool wick_wall_filter_admits(const struct wick_wall_filter *f, const char *name, int32_t tid);

#endif
