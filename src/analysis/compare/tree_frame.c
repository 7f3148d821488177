/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/tree_frame.h"

#include "base/err.h"

/* The library of a native frame if its name does not identify it, else WICK_TREE_NONE. */
static uint32_t library_of(const struct wick_profile *p, struct wick_tree *t, const struct wick_frame *frame)
{
    const struct wick_function *fn = &p->functions[frame->function];
    const struct wick_string *library = &p->strings[fn->class_name];
    if ((frame->kind != WICK_FRAME_NATIVE && frame->kind != WICK_FRAME_CPP) || !library->len ||
        !p->strings[fn->name].len)
        return WICK_TREE_NONE;
    return wick_tree_name(t, library->s, library->len);
}

int wick_analysis_tree_frame(const struct wick_profile *p, struct wick_tree *t, uint32_t frame, unsigned names,
                             struct wick_tree_frame *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    const struct wick_frame *from = &p->frames[frame];
    wick_name_add_frame(&name, p, frame, names & ~(unsigned)(WICK_NAME_LINES | WICK_NAME_ANNOTATE));
    uint32_t id = name.failed ? WICK_TREE_NONE : wick_tree_name_in(t, name.buf, name.len, library_of(p, t, from));
    wick_strbuf_release(&name);
    *out = (struct wick_tree_frame){.name = id, .line = from->line > 0 ? (uint32_t)from->line : 0, .kind = from->kind};
    return id == WICK_TREE_NONE ? -WICK_E_NOMEM : 0;
}
