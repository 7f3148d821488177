/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wall/wall_pick.h"

#include <string.h>

#include "base/random.h"

static bool has(const uint64_t *words, uint32_t i)
{
    return words[i / 64] >> (i % 64) & 1;
}

/* k different ranks out of n, each subset equally likely (Floyd; Bentley, Programming Pearls 1987). */
static void draw_ranks(uint64_t *chosen, uint32_t n, uint32_t k, uint64_t *random)
{
    memset(chosen, 0, (n + 63) / 64 * sizeof *chosen);
    for (uint32_t j = n - k; j < n; j++) {
        uint32_t r = (uint32_t)wick_random_below(random, j + 1);
        uint32_t take = has(chosen, r) ? j : r;
        chosen[take / 64] |= 1ull << (take % 64);
    }
}

/* The slot of the rank-th set bit of a word. */
static uint32_t select_bit(uint64_t word, uint32_t rank)
{
    for (; rank; rank--)
        word &= word - 1;
    return (uint32_t)__builtin_ctzll(word);
}

void wick_wall_pick(struct wick_wall_pick *p, const struct wick_wall_set *a, const struct wick_wall_set *b,
                    uint32_t top, uint32_t k, uint64_t *random)
{
    uint32_t words = top < WICK_MAX_THREADS ? (top + 63) / 64 : WICK_WALL_WORDS, n = 0;
    for (uint32_t w = 0; w < words; w++) {
        p->copy[w] = wick_load_relaxed(&a->words[w]) & (b ? wick_load_relaxed(&b->words[w]) : ~0ull);
        n += (uint32_t)__builtin_popcountll(p->copy[w]);
    }
    k = k < n ? k : n;
    k = k < WICK_WALL_MOST ? k : WICK_WALL_MOST;
    p->candidates = n;
    p->n = 0;
    draw_ranks(p->chosen, n, k, random);
    uint32_t word = 0, before = 0; /* candidates in the words before `word` */
    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        for (uint64_t left = p->chosen[w]; left; left &= left - 1) {
            uint32_t rank = w * 64 + (uint32_t)__builtin_ctzll(left), here;
            while (rank - before >= (here = (uint32_t)__builtin_popcountll(p->copy[word]))) {
                before += here;
                word++;
            }
            p->slots[p->n++] = word * 64 + select_bit(p->copy[word], rank - before);
        }
    }
}

uint64_t wick_wall_weight(const struct wick_wall_pick *p, uint32_t i, uint64_t time_ns)
{
    uint64_t total = time_ns * p->candidates;
    return total / p->n + (i < total % p->n);
}
