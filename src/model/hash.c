/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hash.h"
#include "base/clock.h"
#include "base/err.h"

#include <stdlib.h>
#include <sys/random.h>

/* Fallback when the kernel gives no random bytes: odd, so that multiplying by it loses nothing. */
uint64_t wick_hash_seed[2] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u};

void wick_hash_seed_init(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    uint64_t s[2];
    if (getrandom(s, sizeof s, GRND_NONBLOCK) != (ssize_t)sizeof s)
        s[0] = s[1] = wick_clock_mono_ns();
    wick_hash_seed[0] ^= s[0];
    wick_hash_seed[1] ^= s[1];
}

/* Makes room for n entries in all. 0 or -WICK_E_NOMEM. */
static int reserve(struct wick_index *ix, uint32_t n)
{
    uint64_t cap = ix->mask ? (uint64_t)ix->mask + 1 : 16;
    while (cap * 2 < (uint64_t)n * 3)
        cap *= 2;
    if (ix->mask && cap == (uint64_t)ix->mask + 1)
        return 0;
    uint64_t *slots = cap <= UINT32_MAX ? calloc(cap, sizeof *slots) : NULL;
    if (!slots)
        return -WICK_E_NOMEM;
    uint32_t mask = (uint32_t)cap - 1;
    for (uint32_t i = 0; ix->mask && i <= ix->mask; i++) {
        uint64_t s = ix->slots[i];
        if (!s)
            continue;
        uint32_t at = (uint32_t)(s >> 32) & mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = s;
    }
    free(ix->slots);
    ix->slots = slots;
    ix->mask = mask;
    return 0;
}

int wick_index_add(struct wick_index *ix, uint64_t hash, uint32_t id)
{
    int rc = reserve(ix, ix->count + 1);
    if (rc)
        return rc;
    uint32_t at = wick_index_start(ix, hash);
    while (ix->slots[at])
        at = (at + 1) & ix->mask;
    ix->slots[at] = (hash >> 32) << 32 | (id + 1);
    ix->count++;
    return 0;
}

void wick_index_release(struct wick_index *ix)
{
    free(ix->slots);
    *ix = (struct wick_index){0};
}
