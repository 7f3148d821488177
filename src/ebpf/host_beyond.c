/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_beyond.h"

#include <string.h>

/* What is above the copy within so many bytes may be of its stack; and how many bytes are compared, at least and at
 * most. */
enum { ABOVE = 1 << 20, SAME_LEAST = 64, SAME_MOST = 512 };

struct wick_host_beyond wick_host_beyond(const struct wick_host_copy *copy, const struct wick_mem *mem)
{
    return (struct wick_host_beyond){.copy = copy, .mem = mem, .sp = copy->state.sp};
}

int wick_host_beyond_read(struct wick_host_beyond *s, uint64_t addr, void *buf, size_t n)
{
    const struct wick_host_copy *c = s->copy;
    uint64_t at = addr - c->at;
    if (at < c->n && n <= c->n - at) {
        memcpy(buf, c->bytes + at, n);
        return 0;
    }
    if (!s->mem || wick_mem_read(s->mem, addr, buf, n))
        return -1;
    s->beyond |= at < (uint64_t)c->n + ABOVE;
    return 0;
}

void wick_host_beyond_come(struct wick_host_beyond *s, uint64_t sp, bool interrupted)
{
    bool out = sp - s->copy->at > s->copy->n;
    s->lost |= interrupted && out && !s->beyond;
    s->beyond |= out;
    s->sp = s->beyond ? s->sp : sp;
}

bool wick_host_beyond_holds(const struct wick_host_beyond *s)
{
    const struct wick_host_copy *c = s->copy;
    uint8_t now[SAME_MOST];
    uint64_t n = s->sp - c->state.sp < SAME_MOST ? s->sp - c->state.sp : SAME_MOST, at = s->sp - n;
    return s->mem && !s->lost && n >= SAME_LEAST && at - c->at < c->n && n <= c->n - (at - c->at) &&
           !wick_mem_read(s->mem, at, now, n) && !memcmp(now, c->bytes + (at - c->at), n);
}
