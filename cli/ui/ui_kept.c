/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_kept.c - the answers of `wick ui` about memory and collections
 *
 * The model of a recording has kept both (serve/growing.h), so no file is read for them, however it grows; only of a
 * recording with more collections than a model keeps the file is read. The model is not changed: what it has so far is
 * copied and brought to its end.
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

/* .../memory, and .../memory/series */
static int kept_memory(const struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_memory_use *u = malloc(sizeof *u);
    if (!u || wick_memory_use_copy(u, &g->memory)) {
        free(u);
        return no_memory(err);
    }
    wick_memory_use_end(u);
    int rc = u->failed ? no_memory(err) : write_memory_use(u, a, out, err);
    wick_memory_use_release(u);
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

static int kept_collections(const struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct wick_gc_history h;
    struct choice c;
    int rc = take_choice(&c, a, err);
    if (rc)
        return rc;
    if (wick_gc_history_copy(&h, &g->collections))
        return no_memory(err);
    wick_gc_history_end(&h);
    rc = write_chosen(&h, &g->p, &c, out, err);
    wick_gc_history_release(&h);
    return rc;
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

int wick_ui_front_kept(void *ctx, const struct wick_growing *g, const struct wick_ask *a, FILE *out,
                       struct wick_err *err)
{
    bool memory = !strcmp(a->segment[4], "memory") &&
                  (a->nsegments == 5 || (a->nsegments == 6 && !strcmp(a->segment[5], "series")));
    bool collections = !strcmp(a->segment[4], "collections") && a->nsegments == 5;
    (void)ctx;
    if (!memory && (!collections || g->more_collections))
        return 1;
    if (!g->read.is_jfr)
        return wick_ui_no_events(err);
    return memory ? kept_memory(g, a, out, err) : kept_collections(g, a, out, err);
}
