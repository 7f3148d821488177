/* SPDX-License-Identifier: Apache-2.0 */
#include "model/own.h"

#include <stdlib.h>
#include <string.h>

/* Whose the frame next to the root is, the C library's start of a thread left aside. */
enum { NOBODYS, WICKS, PROGRAMS };

static bool in_library(const struct wick_profile *p, uint32_t frame, const char *name)
{
    const struct wick_frame *f = &p->frames[frame];
    bool native = f->kind == WICK_FRAME_NATIVE || f->kind == WICK_FRAME_CPP;
    return native && !strncmp(wick_profile_str(p, p->functions[f->function].class_name), name, strlen(name));
}

/* Time of the profiler's own threads that no sample stands for, as a recording has it and as it is read (def/stop.def).
 */
static bool is_unsampled(const struct wick_profile *p, uint32_t frame)
{
    const struct wick_frame *f = &p->frames[frame];
    return (f->kind == WICK_FRAME_UNSAMPLED || f->kind == WICK_FRAME_BREAK) &&
           !strcmp(wick_profile_str(p, p->functions[f->function].name), "[not sampled: thread of wick]");
}

bool wick_frame_is_own(const struct wick_profile *p, uint32_t frame)
{
    return in_library(p, frame, "libwick.so") || is_unsampled(p, frame);
}

static uint8_t whose_frame(const struct wick_profile *p, uint32_t frame)
{
    if (wick_frame_is_own(p, frame))
        return WICKS;
    return in_library(p, frame, "libc.") || in_library(p, frame, "libpthread") || in_library(p, frame, "ld-")
               ? NOBODYS
               : PROGRAMS;
}

/* A parent comes before its children. */
bool wick_owners_learn(struct wick_owners *o)
{
    uint8_t *bigger = o->n < o->p->nstacks ? realloc(o->whose, o->p->nstacks) : o->whose;
    if (!bigger)
        return o->n >= o->p->nstacks;
    o->whose = bigger;
    for (; o->n < o->p->nstacks; o->n++) {
        const struct wick_stack *at = &o->p->stacks[o->n];
        uint8_t parents = o->n ? o->whose[at->parent] : NOBODYS;
        o->whose[o->n] = o->n && parents == NOBODYS ? whose_frame(o->p, at->frame) : parents;
    }
    return true;
}

bool wick_owners_is_own(const struct wick_owners *o, uint32_t stack)
{
    return stack && stack < o->n && (o->whose[stack] == WICKS || wick_frame_is_own(o->p, o->p->stacks[stack].frame));
}

void wick_owners_release(struct wick_owners *o)
{
    free(o->whose);
    *o = (struct wick_owners){0};
}
