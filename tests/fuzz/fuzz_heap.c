/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_heap.c - any bytes as a heap dump, analysed in every way
 *
 * Beyond not crashing: what the root of the dominator tree retains is all that is reachable, objects that only it
 * dominates share that among them, and no path is longer than there are objects.
 */
#include "heap/loaders.h"
#include "heap/path.h"
#include "heap/retained.h"
#include "heap/waste.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TOPS = 1 << 16 };

static void need(bool ok)
{
    if (!ok)
        abort();
}

static void check_tree(const struct wick_heap_retained *r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->ntops; i++)
        sum += r->tops[i].retained;
    need(wick_heap_retained_of(r, WICK_HEAP_ROOT) == r->bytes);
    need(r->ntops == TOPS || sum == r->bytes);
    need(wick_tree_node(r->tree, WICK_TREE_ROOT)->total == r->bytes);
}

static void check_paths(struct wick_heap_graph *g, const struct wick_heap_retained *r)
{
    struct wick_heap_path path;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    for (size_t i = 0; i < r->nsuspects; i++) {
        if (wick_heap_paths_find(g, &r->suspects[i].object, 1, &path, NULL))
            continue;
        need(path.n && path.n <= g->ids.n);
        wick_heap_root_add(g, path.objects[0], &text);
        for (uint32_t k = 1; k < path.n; k++)
            wick_heap_reference_add(g, path.objects[k - 1], path.objects[k], &text);
        wick_heap_object_add(g, path.objects[path.n - 1], &text);
        wick_heap_paths_release(&path, 1);
    }
    wick_strbuf_release(&text);
}

static void analyse(struct wick_heap_graph *g)
{
    const struct wick_heap_retained_ask ask = {.tops = TOPS, .tree = true};
    struct wick_heap_retained r;
    struct wick_heap_waste w;
    struct wick_heap_loaders l;
    if (wick_heap_graph_index(g, NULL))
        return;
    if (!wick_heap_waste_find(&w, g, 10, NULL))
        wick_heap_waste_release(&w);
    if (wick_heap_retained_find(&r, g, &ask, NULL))
        return;
    check_tree(&r);
    check_paths(g, &r);
    if (!wick_heap_loaders_find(&l, g, &r, NULL))
        wick_heap_loaders_release(&l);
    wick_heap_retained_release(&r, g->store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_heap_file f;
    struct wick_heap_store s = {0};
    struct wick_heap_graph g;
    f = (struct wick_heap_file){.fd = -1, .data = data, .size = size};
    if (!wick_heap_graph_open(&g, &f, "fuzz", &s, NULL)) {
        analyse(&g);
        wick_heap_graph_release(&g);
    }
    need(!s.used);
    return 0;
}
