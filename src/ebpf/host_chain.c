/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_chain.c - see host_chain.h
 *
 *      slept                                                       woken
 *      |-------------------------------------------------------------|
 *   |------- links[2], mixed ------|---- links[1] ----|-- links[0] --|
 *      |-- proportionally ---------|- asleep -|-work--|
 *
 * A link that reaches back beyond the start counts from there: one that was asleep first loses that part of its sleep,
 * of a mixed one all is taken in proportion. The kernel side reads a clock here and there, so sums that are longer than
 * the link are cut.
 */
#include "ebpf/host_chain.h"

#include <stdbool.h>
#include <string.h>

static uint64_t part_of(uint64_t ns, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((unsigned __int128)ns * part / whole) : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a link from `from` to `end` did since `begin`, which is not before it. */
static void account(const struct wick_host_link *l, uint64_t begin, uint64_t end, uint64_t ns[WICK_HOST_DOINGS])
{
    uint64_t whole = end - l->from_ns, left = whole;
    uint64_t disk = least(l->disk_ns, left);
    left -= disk;
    uint64_t asleep = least(l->asleep_ns, left);
    left -= asleep;
    uint64_t queue = least(l->queue_ns, left);
    uint64_t wanted = end - begin, cut = begin - l->from_ns;
    if (l->mixed || cut >= disk + asleep) {
        uint64_t of = l->mixed ? whole : whole - disk - asleep;
        disk = l->mixed ? part_of(disk, wanted, of) : 0;
        asleep = l->mixed ? part_of(asleep, wanted, of) : 0;
        queue = part_of(queue, wanted, of);
    } else {
        disk = disk > cut ? disk - cut : 0; /* it has only one of them */
        asleep = asleep > cut ? asleep - cut : 0;
    }
    ns[WICK_HOST_DISKED] += disk;
    ns[WICK_HOST_SLEPT] += asleep;
    ns[WICK_HOST_QUEUED] += queue;
    ns[WICK_HOST_WORKED] += wanted - least(wanted, disk + asleep + queue);
}

static bool same_process(const struct wick_host_link *a, const struct wick_host_link *b)
{
    return a->pid == b->pid && wick_host_same_birth(&a->birth, &b->birth);
}

uint32_t wick_host_chain_split(const struct wick_host_link *links, uint32_t n, uint64_t slept_ns, uint64_t woken_ns,
                               struct wick_host_part parts[WICK_HOST_LINKS])
{
    uint32_t count = 0;
    uint64_t end = woken_ns;
    for (uint32_t i = 0; i < n && i < WICK_HOST_LINKS && end > slept_ns; i++) {
        const struct wick_host_link *l = &links[i];
        uint32_t at = 0;
        if (l->from_ns >= end)
            continue;
        while (at < count && !same_process(parts[at].who, l))
            at++;
        if (at == count)
            parts[count++] = (struct wick_host_part){.who = l};
        account(l, l->from_ns > slept_ns ? l->from_ns : slept_ns, end, parts[at].ns);
        end = l->from_ns;
    }
    return count;
}
