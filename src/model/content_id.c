/* SPDX-License-Identifier: Apache-2.0 */
#include "model/content_id.h"

#include "base/err.h"

#include <stdlib.h>

static void add_text(struct wick_blake2s *b, const char *s, size_t len)
{
    wick_blake2s_add_u32(b, (uint32_t)len);
    wick_blake2s_add(b, s, len);
}

static void add_string(struct wick_blake2s *b, const struct wick_profile *p, uint32_t string)
{
    add_text(b, p->strings[string].s, p->strings[string].len);
}

static void id_function(struct wick_content_id *id, const struct wick_profile *p, const struct wick_function *f)
{
    struct wick_blake2s b;
    wick_blake2s_init(&b, "wick.sym");
    add_string(&b, p, f->class_name);
    add_string(&b, p, f->name);
    add_string(&b, p, f->signature);
    wick_blake2s_end(&b, id->bytes);
}

static void id_frame(struct wick_content_id *id, const struct wick_content_id *functions, const struct wick_frame *f)
{
    const char *kind = wick_frame_kind_name(f->kind);
    struct wick_blake2s b;
    wick_blake2s_init(&b, "wick.frm");
    wick_blake2s_add(&b, functions[f->function].bytes, sizeof functions->bytes);
    wick_blake2s_add_u32(&b, (uint32_t)f->line);
    wick_blake2s_add_u32(&b, (uint32_t)f->bci);
    add_text(&b, kind, strlen(kind));
    wick_blake2s_end(&b, id->bytes);
}

int wick_content_ids_init(struct wick_content_ids *ids, const struct wick_profile *p)
{
    *ids = (struct wick_content_ids){
        .functions = calloc(p->nfunctions, sizeof *ids->functions),
        .frames = calloc(p->nframes, sizeof *ids->frames),
        .stacks = calloc(p->nstacks, sizeof *ids->stacks),
    };
    if (!ids->functions || !ids->frames || !ids->stacks) {
        wick_content_ids_release(ids);
        return -WICK_E_NOMEM;
    }
    for (uint32_t i = 1; i < p->nfunctions; i++)
        id_function(&ids->functions[i], p, &p->functions[i]);
    for (uint32_t i = 1; i < p->nframes; i++)
        id_frame(&ids->frames[i], ids->functions, &p->frames[i]);
    /* A parent comes before its children. */
    for (uint32_t i = 1; i < p->nstacks; i++) {
        const struct wick_content_id *parent = &ids->stacks[p->stacks[i].parent];
        const struct wick_content_id *leaf = &ids->frames[p->stacks[i].frame];
        struct wick_blake2s b;
        wick_blake2s_init(&b, "wick.stk");
        wick_blake2s_add(&b, parent->bytes, sizeof parent->bytes);
        wick_blake2s_add(&b, leaf->bytes, sizeof leaf->bytes);
        wick_blake2s_end(&b, ids->stacks[i].bytes);
    }
    return 0;
}

void wick_content_ids_release(struct wick_content_ids *ids)
{
    free(ids->functions);
    free(ids->frames);
    free(ids->stacks);
    *ids = (struct wick_content_ids){0};
}
