/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/explain/explain_facts.h"
#include "model/label.h"

uint32_t wick_explain_label(struct wick_profile *p, const struct wick_sample *s, const char *name)
{
    uint32_t key = wick_profile_label_key(p, name);
    return key ? wick_profile_label(p, s->labels, key) : 0;
}

void wick_explain_learn_end(struct wick_explain_facts *f, const struct wick_sample *s, struct wick_explain_sample *row)
{
    bool socket = row->state == WICK_EXPLAIN_IO || row->state == WICK_EXPLAIN_HELD_BACK;
    if (socket)
        row->service = wick_explain_label(f->p, s, "local");
    if (socket && !row->service) /* of a whole machine clients have a name as well */
        row->server = wick_explain_label(f->p, s, "peer");
    if (row->state == WICK_EXPLAIN_DISK)
        row->file = wick_explain_label(f->p, s, "file");
    if (row->state == WICK_EXPLAIN_NATIVE_WAIT)
        row->child = wick_explain_label(f->p, s, "child");
    row->pipe_full = row->child && wick_explain_label(f->p, s, "pipe");
    f->ends += row->server || row->service || row->file;
}
