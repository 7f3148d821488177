/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_kind.h - what a stack frame is (one list for agent, recording and reader: def/frame.def)
 */
#ifndef WICK_BASE_FRAME_KIND_H
#define WICK_BASE_FRAME_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum wick_frame_kind {
#define X(name, id, jfr_name, letter, is_java) WICK_FRAME_##name = (id),
#include "def/frame.def"
#undef X
    WICK_FRAME_KIND_COUNT
};

/* The name in recordings ("JIT compiled"); "?" for an unknown number. */
static inline const char *wick_frame_kind_name(unsigned kind)
{
    switch (kind) {
#define X(name, id, jfr_name, letter, is_java) \
    case id:                                   \
        return jfr_name;
#include "def/frame.def"
#undef X
    default:
        return "?";
    }
}

/* True if a frame of this kind is a Java method. */
static inline bool wick_frame_kind_is_java(unsigned kind)
{
    switch (kind) {
#define X(name, id, jfr_name, letter, is_java) \
    case id:                                   \
        return is_java;
#include "def/frame.def"
#undef X
    default:
        return false;
    }
}

/* The letter in collapsed stacks, 0 = none. */
static inline char wick_frame_kind_letter(unsigned kind)
{
    switch (kind) {
#define X(name, id, jfr_name, letter, is_java) \
    case id:                                   \
        return letter;
#include "def/frame.def"
#undef X
    default:
        return 0;
    }
}

/* The kind with this letter, -1 if none has it. */
static inline int wick_frame_kind_of_letter(char letter)
{
    switch (letter) {
#define X(name, id, jfr_name, l, is_java) \
    case l:                               \
        return id;
#include "def/frame.def"
#undef X
    default:
        return -1;
    }
}

/* True if it depends on the moment that a method's frame is of this kind: methods are interpreted first and compiled
 * later. What shows methods without regard to that takes all these kinds as one. */
static inline bool wick_frame_kind_varies(unsigned kind)
{
    return wick_frame_kind_is_java(kind) && kind != WICK_FRAME_JAVA_NATIVE;
}

/* BREAK, or UNSAMPLED if a frame that recordings and texts have as a BREAK is called "[not sampled: ...]"
 * (def/stop.def), with or without its bracket: n bytes. */
static inline unsigned wick_frame_kind_of_break(const char *name, size_t n)
{
    static const char *const forms[] = {"not sampled: ", "[not sampled: "};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (n > strlen(forms[i]) && !memcmp(name, forms[i], strlen(forms[i])))
            return WICK_FRAME_UNSAMPLED;
    return WICK_FRAME_BREAK;
}

#endif
