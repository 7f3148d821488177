/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of graphs, against their definition: a dominates b if b cannot be reached when a is taken away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "heap/dominators.h"
#include "heap/ids.h"

enum { MOST = 64 };

struct graph {
    uint32_t n, nroots, nedges;
    uint32_t roots[MOST], from[MOST * 8], to[MOST * 8];
};

static int roots_of(void *ctx, wick_heap_edge *edge, void *to)
{
    const struct graph *g = ctx;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < g->nroots; i++)
        rc = edge(to, 0, g->roots[i]);
    return rc;
}

static int edges_of(void *ctx, uint32_t node, wick_heap_edge *edge, void *to)
{
    const struct graph *g = ctx;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < g->nedges; i++)
        if (g->from[i] == node)
            rc = edge(to, node, g->to[i]);
    return rc;
}

static struct wick_heap_edges edges_for(struct graph *g)
{
    return (struct wick_heap_edges){.ctx = g, .nodes = g->n, .roots = roots_of, .of = edges_of};
}

/* What can be reached without going through a node (n = none). */
static void reach(const struct graph *g, uint32_t without, uint8_t *seen)
{
    memset(seen, 0, MOST);
    for (uint32_t i = 0; i < g->nroots; i++)
        if (g->roots[i] != without)
            seen[g->roots[i]] = 1;
    for (int more = 1; more;) {
        more = 0;
        for (uint32_t i = 0; i < g->nedges; i++)
            if (seen[g->from[i]] && g->to[i] != without && !seen[g->to[i]])
                more = seen[g->to[i]] = 1;
    }
}

static void check_against_definition(struct graph *g, uint64_t limit)
{
    uint8_t all[MOST], without[MOST][MOST];
    struct wick_heap_store s = {.limit = limit};
    struct wick_heap_dominators d;
    struct wick_err err = {0};
    const struct wick_heap_edges e = edges_for(g);
    wick_heap_store_expect(&s, limit ? 1 << 20 : 0);
    assert_int_equal(wick_heap_dominators_find(&d, &e, &s, &err), 0);
    reach(g, g->n, all);
    for (uint32_t a = 0; a < g->n; a++)
        reach(g, a, without[a]);
    const uint32_t *number = wick_heap_u32(&d.number), *node = wick_heap_u32(&d.node), *idom = wick_heap_u32(&d.idom);
    for (uint32_t b = 0; b < g->n; b++) {
        uint8_t found[MOST] = {0};
        assert_int_equal(number[b] != 0, all[b]);
        if (!number[b])
            continue;
        assert_int_equal(node[number[b]], b);
        for (uint32_t k = idom[number[b]]; k != WICK_HEAP_ROOT; k = idom[k])
            found[node[k]] = 1;
        for (uint32_t a = 0; a < g->n; a++)
            if (a != b)
                assert_int_equal(found[a], all[a] && !without[a][b]);
    }
    wick_heap_dominators_release(&d, &s);
    assert_int_equal(s.used, 0);
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

static void test_dominators__those_of_random_graphs_are_as_defined(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 3000; i++) {
        struct graph g = {.n = 1 + draw(&seed, i < 1500 ? 8 : MOST - 1)};
        g.nroots = draw(&seed, 4);
        for (uint32_t k = 0; k < g.nroots; k++)
            g.roots[k] = draw(&seed, g.n);
        g.nedges = draw(&seed, g.n * (1 + draw(&seed, 4)));
        for (uint32_t k = 0; k < g.nedges; k++) {
            g.from[k] = draw(&seed, g.n);
            g.to[k] = draw(&seed, g.n);
        }
        check_against_definition(&g, i & 1 ? 0 : 1);
    }
}

/* A list that goes both ways, held at both ends: what iterative algorithms take quadratic time for. */
struct list {
    uint32_t n;
};

static int list_roots(void *ctx, wick_heap_edge *edge, void *to)
{
    (void)ctx;
    return edge(to, 0, 0);
}

static int list_of(void *ctx, uint32_t node, wick_heap_edge *edge, void *to)
{
    const struct list *l = ctx;
    if (!node) /* the head */
        return edge(to, 0, 1) || edge(to, 0, l->n - 1);
    return (node + 1 < l->n && edge(to, node, node + 1)) || (node > 1 && edge(to, node, node - 1));
}

static void test_dominators__a_long_list_is_no_trouble(void **state)
{
    (void)state;
    struct list l = {1000000};
    struct wick_heap_store s = {0};
    struct wick_heap_dominators d;
    const struct wick_heap_edges e = {.ctx = &l, .nodes = l.n, .roots = list_roots, .of = list_of};
    assert_int_equal(wick_heap_dominators_find(&d, &e, &s, NULL), 0);
    uint32_t head = wick_heap_u32(&d.number)[0];
    assert_int_equal(d.reached, l.n + 1);
    for (uint32_t i = 1; i < l.n; i++)
        assert_int_equal(wick_heap_u32(&d.idom)[wick_heap_u32(&d.number)[i]], head);
    wick_heap_dominators_release(&d, &s);
}

static void check_ids(const uint64_t *ids, size_t n, const uint64_t *others, size_t nothers)
{
    struct wick_heap_store s = {0};
    struct wick_heap_ids_range r = {0};
    struct wick_heap_ids x;
    for (size_t i = 0; i < n; i++)
        wick_heap_ids_see(&r, ids[i]);
    assert_int_equal(wick_heap_ids_init(&x, &r, &s, NULL), 0);
    for (size_t i = 0; i < n; i++)
        assert_true(wick_heap_ids_add(&x, ids[n - 1 - i]));
    wick_heap_ids_finish(&x);
    for (size_t i = 0; i < n; i++) {
        uint32_t below = 0;
        for (size_t k = 0; k < n; k++) {
            size_t first = 0;
            while (ids[first] != ids[k])
                first++;
            below += first == k && ids[k] < ids[i];
        }
        assert_int_equal(wick_heap_ids_find(&x, ids[i]), below);
    }
    for (size_t i = 0; i < nothers; i++)
        assert_int_equal(wick_heap_ids_find(&x, others[i]), UINT32_MAX);
    wick_heap_ids_release(&x, &s);
}

static void test_ids__numbers_follow_the_addresses(void **state)
{
    (void)state;
    uint64_t near[600], far[40];
    for (size_t i = 0; i < 600; i++)
        near[i] = 0x7f0000000000 + 8 * ((i * 7919) % 6007);
    near[5] = near[17]; /* twice */
    for (size_t i = 0; i < 40; i++)
        far[i] = (i * 0x123456789abcdef1u) ^ i;
    const uint64_t others[] = {0, 1, 0x7f0000000001, 0x7f0000000000 + 8 * 6007, UINT64_MAX};
    check_ids(near, 600, others, 5);
    check_ids(far, 40, others + 2, 2);
    check_ids((const uint64_t[]){UINT64_MAX, 1}, 2, (const uint64_t[]){0, 2, UINT64_MAX - 1}, 3);
    check_ids((const uint64_t[]){5}, 1, others, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dominators__those_of_random_graphs_are_as_defined),
        cmocka_unit_test(test_dominators__a_long_list_is_no_trouble),
        cmocka_unit_test(test_ids__numbers_follow_the_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
