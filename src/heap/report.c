/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/report.h"

#include <string.h>

#define LEAST_MEMORY (UINT64_C(256) << 20)

static void step(const struct wick_heap_report *r, const char *what)
{
    if (r->ask.step)
        r->ask.step(what);
}

/* Waste comes first: what it needs is freed before the dominators need theirs. */
static int analyse(struct wick_heap_report *r, struct wick_err *err)
{
    const struct wick_heap_retained_ask ask = {.tops = r->ask.rows, .tree = r->ask.tree};
    struct wick_heap_graph *g = &r->graph;
    uint32_t targets[WICK_HEAP_SUSPECTS];
    step(r, "finding objects");
    int rc = wick_heap_graph_index(g, err);
    if (!rc && r->ask.waste) {
        step(r, "searching for duplicates");
        rc = wick_heap_waste_find(&r->waste, g, r->ask.rows, err);
    }
    if (!rc) {
        step(r, "computing dominators");
        rc = wick_heap_retained_find(&r->retained, g, &ask, err);
    }
    if (!rc && r->ask.waste) {
        step(r, "searching for byte buffers");
        rc = wick_heap_views_find(&r->views, g, &r->retained, err);
    }
    rc = rc ? rc : wick_heap_loaders_find(&r->loaders, g, &r->retained, err);
    if (!rc && r->ask.paths) {
        step(r, "searching for paths");
        for (size_t i = 0; i < r->retained.nsuspects; i++)
            targets[i] = r->retained.suspects[i].object;
        rc = wick_heap_paths_find(g, targets, r->retained.nsuspects, r->paths, err);
    }
    return rc;
}

static int make(struct wick_heap_report *r, const char *name, struct wick_err *err)
{
    uint64_t third = r->file.size / 3;
    r->store.limit = r->ask.memory ? r->ask.memory : third > LEAST_MEMORY ? third : LEAST_MEMORY;
    step(r, "reading classes");
    int rc = wick_heap_graph_open(&r->graph, &r->file, name, &r->store, err);
    if (rc)
        wick_heap_file_close(&r->file);
    r->graph.classes.soft = r->ask.soft;
    if (!rc && r->ask.graph)
        rc = analyse(r, err);
    if (rc)
        wick_heap_report_release(r);
    return rc;
}

int wick_heap_report_make(struct wick_heap_report *r, const char *path, const struct wick_heap_ask *ask,
                          struct wick_err *err)
{
    memset(r, 0, sizeof *r);
    r->ask = *ask;
    r->file.fd = -1;
    int rc = wick_heap_file_open(&r->file, path, err);
    return rc ? rc : make(r, strcmp(path, "-") ? path : "standard input", err);
}

int wick_heap_report_adopt(struct wick_heap_report *r, int fd, const char *name, const struct wick_heap_ask *ask,
                           struct wick_err *err)
{
    memset(r, 0, sizeof *r);
    r->ask = *ask;
    r->file.fd = -1;
    int rc = wick_heap_file_adopt(&r->file, fd, name, err);
    return rc ? rc : make(r, name, err);
}

void wick_heap_report_release(struct wick_heap_report *r)
{
    wick_heap_paths_release(r->paths, WICK_HEAP_SUSPECTS);
    wick_heap_loaders_release(&r->loaders);
    wick_heap_waste_release(&r->waste);
    wick_heap_retained_release(&r->retained, &r->store);
    wick_heap_graph_release(&r->graph);
    wick_heap_file_close(&r->file);
}
