/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_build.h - profiles for tests of formats, and what is compared of them
 *
 * Threads: one.
 * Memory:  strings handed out are malloc'ed.
 */
#ifndef WICK_TESTS_UNIT_PROFILE_BUILD_H
#define WICK_TESTS_UNIT_PROFILE_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/format_writers.h"
#include "model/profile.h"

static inline uint32_t build_frame(struct wick_profile *p, const char *cls, const char *name, const char *signature,
                                   int line, unsigned kind)
{
    uint32_t f = wick_profile_function(p, wick_profile_cstring(p, cls), wick_profile_cstring(p, name),
                                       wick_profile_cstring(p, signature));
    return wick_profile_frame(p, f, line, -1, kind);
}

/* Every kind of frame, names that need escaping, two threads, two states, weights that no double can hold. */
static inline uint16_t build_profile(struct wick_profile *p)
{
    if (wick_profile_init(p))
        abort();
    uint16_t cpu = wick_profile_event(p, wick_profile_cstring(p, "cpu"), WICK_KIND_CPU, WICK_UNIT_NS);
    uint32_t main = wick_profile_thread(p, wick_profile_cstring(p, "main"), 4711, 1, false);
    uint32_t odd = wick_profile_thread(p, wick_profile_cstring(p, "a\"b<c>\\d;e"), 0, 77, true);
    uint16_t runs = wick_profile_state(p, wick_profile_cstring(p, "STATE_RUNNABLE"));
    uint32_t leaf_first[] = {
        build_frame(p, "[kernel.kallsyms]", "do_syscall_64", "", 0, WICK_FRAME_KERNEL),
        build_frame(p, "libc.so.6", "write", "", 0, WICK_FRAME_NATIVE),
        build_frame(p, "libjvm.so", "JavaThread::run", "", 0, WICK_FRAME_CPP),
        build_frame(p, "", "call_stub", "", 0, WICK_FRAME_STUB),
        build_frame(p, "x/Y", "inlined", "(I)V", 3, WICK_FRAME_INLINED),
        build_frame(p, "x/Y$$Lambda/0x00007f12", "hot", "([Lx/Z;J)I", 20, WICK_FRAME_C2),
        build_frame(p, "x/Y", "warm\"<&;", "()V", 10, WICK_FRAME_C1),
        build_frame(p, "x/Y", "<init>", "()V", 1, WICK_FRAME_INTERPRETED),
        build_frame(p, "", "[broken: no interpreter frame]", "", 0, WICK_FRAME_BREAK),
        build_frame(p, "", "carrier below", "", 0, WICK_FRAME_BOUNDARY),
    };
    uint32_t all = wick_profile_push_all(p, leaf_first, sizeof leaf_first / sizeof *leaf_first);
    uint32_t part = wick_profile_push_all(p, leaf_first + 4, 4);
    uint32_t other = wick_profile_push(p, 0, build_frame(p, "libmine.so", "write", "", 0, WICK_FRAME_NATIVE));
    struct wick_sample s[] = {
        {.stack = all, .thread = main, .state = runs, .event = cpu, .weight = (int64_t)1 << 60 | 1, .count = 3},
        {.stack = part, .thread = main, .state = 0, .event = cpu, .weight = 9007199254740993, .count = 1},
        {.stack = part, .thread = odd, .state = runs, .event = cpu, .weight = 500, .count = 2},
        {.stack = other, .thread = odd, .state = runs, .event = cpu, .weight = 700, .count = 1},
        {.stack = other, .thread = 0, .state = 0, .event = cpu, .weight = 1, .count = 1},
    };
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        wick_profile_add(p, &s[i]);
    wick_profile_cover(p, 1763700000000000000, 1763700010000000000);
    return cpu;
}

/* What a writer makes of p; size may be NULL. */
static inline char *build_text(const struct wick_profile *p, const struct wick_export_options *o,
                               int (*write)(const struct wick_profile *p, const struct wick_export_options *o,
                                            FILE *out, struct wick_err *err),
                               size_t *size)
{
    char *text = NULL;
    size_t n = 0;
    struct wick_err err = {0};
    FILE *f = open_memstream(&text, &n);
    if (!f || write(p, o, f, &err)) {
        fprintf(stderr, "writer: %s\n", err.msg);
        abort();
    }
    fclose(f);
    if (size)
        *size = n;
    return text;
}

/* All that is shown of a profile: threads, kinds, signatures and lines. */
static inline char *build_shown(const struct wick_profile *p, bool counts)
{
    struct wick_export_options o = {
        .names = WICK_NAME_ANNOTATE | WICK_NAME_SIGNATURES | WICK_NAME_LINES, .threads = true, .counts = counts};
    return build_text(p, &o, wick_collapsed_out_write, NULL);
}

#endif
