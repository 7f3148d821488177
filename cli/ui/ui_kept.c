/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_kept.c - the answers of `wick ui` about memory and collections
 *
 * The model of a recording has kept both (serve/growing.h), so no file is read for them, however it grows; only of a
 * recording with more collections than a model keeps the file is read. The model is not changed: what it has so far is
 * copied with the server's lock, and brought to its end without: that sorts up to hundreds of thousands of rows.
 *
 * Memory:  a copy of the readings or collections, while it answers.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/memory/memory_table.h"
#include "cli/ui/ui_front.h"
#include "cli/ui/ui_views.h"

static int no_memory(struct wick_err *err)
{
    return wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

/* --- memory --- */

static int write_memory_use(const struct wick_memory_use *u, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { READINGS = 300, MOST_READINGS = 5000 };
    int64_t most;
    if (!u->moments)
        return wick_err_set(err, WICK_E_NOTFOUND,
                            "the recording has no readings of memory: one is written every ten seconds");
    if (a->nsegments == 5) {
        wick_memory_table_write_json(u, &(struct wick_memory_table){.title = "recording"}, out);
        return 0;
    }
    int rc = wick_ask_number(a, "readings", 1, MOST_READINGS, READINGS, &most, err);
    if (!rc && wick_ui_memory_over_time(u, (size_t)most, out))
        rc = no_memory(err);
    return rc;
}

int wick_ui_memory(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_memory_use *u = calloc(1, sizeof *u);
    struct wick_range range;
    struct wick_profile p;
    if (!u || wick_profile_init(&p)) {
        free(u);
        return no_memory(err);
    }
    int rc = wick_ui_range(a, &range, err);
    rc = rc ? rc
            : wick_memory_use_read(u, &p, (char *const *)(uintptr_t)&file->path, 1, &range, wick_ui_read_quietly, err);
    if (!rc && !u->moments && range.to_ns)
        rc =
            wick_err_set(err, WICK_E_NOTFOUND,
                         "there is no reading of memory before the end of that time: one is written every ten seconds");
    rc = rc ? rc : write_memory_use(u, a, out, err);
    wick_memory_use_release(u);
    wick_profile_release(&p);
    free(u);
    return rc;
}

/* --- collections --- */

struct choice {
    int64_t from, to, rows;
};

static int take_choice(struct choice *c, const struct wick_ask *a, struct wick_err *err)
{
    enum { ROWS = 400, MOST_ROWS = 10000 };
    int rc = wick_ask_number(a, "from", 0, INT64_MAX, 0, &c->from, err);
    rc = rc ? rc : wick_ask_number(a, "to", 0, INT64_MAX, 0, &c->to, err);
    return rc ? rc : wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &c->rows, err);
}

static int write_chosen(struct wick_gc_history *h, const struct wick_profile *p, const struct choice *c, FILE *out,
                        struct wick_err *err)
{
    if (wick_gc_history_choose(h, c->from, c->to))
        return no_memory(err);
    wick_gc_history_thin(h, (size_t)c->rows);
    wick_ui_write_collections(h, p, out);
    return 0;
}

int wick_ui_collections(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_gc_history h = {0};
    struct wick_profile p;
    struct choice c;
    int rc = take_choice(&c, a, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return no_memory(err);
    rc = wick_gc_history_read(&h, &p, (char *const *)(uintptr_t)&file->path, 1, wick_ui_read_quietly, err);
    rc = rc ? rc : write_chosen(&h, &p, &c, out, err);
    wick_gc_history_release(&h);
    wick_profile_release(&p);
    return rc;
}

/* --- copies --- */

struct copy {
    bool is_memory;
    struct wick_memory_use memory;
    struct wick_gc_history collections;
    struct choice choice;      /* of collections */
    struct wick_profile names; /* of collectors and causes */
};

static void release_copy(struct copy *c)
{
    wick_memory_use_release(&c->memory);
    wick_gc_history_release(&c->collections);
    if (!c->is_memory)
        wick_profile_release(&c->names);
    free(c);
}

/* The number of a string among the names; known: by number in p, 0 = not yet. */
static uint32_t name_of(struct wick_profile *names, const struct wick_profile *p, uint32_t string, uint32_t *known)
{
    if (string && !known[string])
        known[string] = wick_profile_string(names, p->strings[string].s, p->strings[string].len);
    return known[string];
}

/* Without the profile, which changes as soon as the lock is free, the copy has to have names of its own. False without
 * memory. */
static bool copy_names(struct copy *c, const struct wick_profile *p)
{
    uint32_t *known = calloc((size_t)p->nstrings + 1, sizeof *known);
    for (size_t i = 0; known && i < c->collections.n; i++) {
        struct wick_gc_collection *row = &c->collections.rows[i];
        row->cause = name_of(&c->names, p, row->cause, known);
        row->collector = name_of(&c->names, p, row->collector, known);
    }
    bool known_all = known && !c->names.failed;
    free(known);
    return known_all;
}

static int copy_memory(struct copy *c, const struct wick_growing *g, struct wick_err *err)
{
    return wick_memory_use_copy(&c->memory, &g->memory) ? no_memory(err) : 0;
}

static int copy_collections(struct copy *c, const struct wick_growing *g, const struct wick_ask *a,
                            struct wick_err *err)
{
    int rc = take_choice(&c->choice, a, err);
    if (rc)
        return rc;
    return wick_gc_history_copy(&c->collections, &g->collections) || !copy_names(c, &g->p) ? no_memory(err) : 0;
}

int wick_ui_front_copy_kept(void *ctx, const struct wick_growing *g, const struct wick_ask *a, void **copy,
                            struct wick_err *err)
{
    bool memory = !strcmp(a->segment[4], "memory") &&
                  (a->nsegments == 5 || (a->nsegments == 6 && !strcmp(a->segment[5], "series")));
    /* What the model has kept of each reading is not enough for what `memory` says of one in the middle. */
    if (memory && a->nsegments == 5 && (wick_ask_get(a, "from") || wick_ask_get(a, "to")))
        return 1;
    bool collections = !strcmp(a->segment[4], "collections") && a->nsegments == 5;
    (void)ctx;
    if (!memory && (!collections || g->more_collections))
        return 1;
    if (!g->read.is_jfr)
        return wick_ui_no_events(err);
    struct copy *c = calloc(1, sizeof *c);
    if (!c || (!memory && wick_profile_init(&c->names))) {
        free(c);
        return no_memory(err);
    }
    c->is_memory = memory;
    int rc = memory ? copy_memory(c, g, err) : copy_collections(c, g, a, err);
    if (rc)
        release_copy(c);
    else
        *copy = c;
    return rc;
}

int wick_ui_front_write_kept(void *ctx, void *copy, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct copy *c = copy;
    int rc;
    (void)ctx;
    if (c->is_memory) {
        wick_memory_use_end(&c->memory);
        rc = c->memory.failed ? no_memory(err) : write_memory_use(&c->memory, a, out, err);
    } else {
        wick_gc_history_end(&c->collections);
        rc = write_chosen(&c->collections, &c->names, &c->choice, out, err);
    }
    release_copy(c);
    return rc;
}
