/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_kept.h - what a walk has at hand: a piece of the stack, and the rules and blobs that walks before it have found
 *
 * A helper that reads another address space takes as long as all else that is done for a frame together, and so does a
 * lookup in a map of hashes. So the stack is copied a piece at a time, upwards as the walk goes on:
 *
 *      sp --> [ frame | frame | frame | fr ] --> [ ame | frame ... ]
 *               near: 1 KiB                        the next piece
 *
 * and what was found for a pc is kept for later walks in tables, in which each pc has one place, and the last one that
 * was found has the place:
 *
 *      rules[hash of process and pc]  unwind rule: for a second at most, then it comes from its page again
 *      blobs[hash of process and pc]  blob: likewise, and only while it is the same one, which is asked once in a walk
 *
 * Threads: the walkers of a CPU that share tables are never at work within one another.
 * Memory:  1 KiB in each walker; two times 82 KiB of tables for each CPU.
 */
#ifndef WICK_BPF_HOST_KEPT_H
#define WICK_BPF_HOST_KEPT_H

#include <stdbool.h>

#include "ebpf/host_event.h"

/* Whose tables a walker uses: walkers that share them never come within one another. */
enum { KEPT_NONE, KEPT_BY_CLOCK, KEPT_BY_COUNTER = KEPT_BY_CLOCK, KEPT_BY_WAIT, KEPT_TABLES = KEPT_BY_WAIT };

/* Of the stack: how many words are at hand, and how many of them lie below the one for which they were copied. */
enum { NEAR_WORDS = 128, NEAR_BELOW = 8 };

/* A walk. */
struct at_hand {
    struct wick_host_birth birth; /* of the process */
    __u64 now_ns;
    __u64 near_at, not_near; /* where `near` is from; a page that could not be copied from */
    __u64 near[NEAR_WORDS];
    __u32 tables, pad; /* KEPT_* */
};

/* All powers of two. A value of a map for each CPU may have 32 KiB: a bank is one. */
enum { KEPT_BANKS = 4, KEPT_RULES = 128, KEPT_BLOBS = 128, KEPT_ALL = KEPT_TABLES * KEPT_BANKS };

enum { KEPT_SECOND = 30, SKIPPED_PAGE = 12, NO_WORD = 1 }; /* shifts: of ns, of an address; where no word is */

/* Of which process and when. */
struct kept_key {
    __u64 pc, start_ns;
    __u32 execs, second;
};

struct kept_rule {
    struct kept_key key;
    struct wick_unwind_rule rule;
};

struct kept_blob {
    struct kept_key key;
    __u64 name;       /* where the name of its kind is */
    __u64 checked_ns; /* the walk that has asked last whether it is the same one */
    struct wick_step_blob blob;
};

struct kept {
    struct kept_rule rules[KEPT_RULES];
    struct kept_blob blobs[KEPT_BLOBS];
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, KEPT_ALL);
    __type(key, __u32);
    __type(value, struct kept);
} kept SEC(".maps");

/* --- the stack --- */

STEP_INLINE void begin_at_hand(struct at_hand *h, const struct wick_host_birth *birth, __u64 now_ns)
{
    h->birth = *birth;
    h->now_ns = now_ns;
    h->near_at = NO_WORD;
    h->not_near = 0;
}

/* Copies what is around addr and above it. 0 on success. */
STEP_FN int copy_near(struct at_hand *h, __u64 addr)
{
    if (STEP_NULL(h) || (addr & 7) || addr >> SKIPPED_PAGE == h->not_near)
        return -1;
    __u64 at = addr - 8 * NEAR_BELOW;
    if (bpf_probe_read_user(h->near, sizeof h->near, (const void *)at)) {
        h->near_at = NO_WORD;
        h->not_near = addr >> SKIPPED_PAGE;
        return -1;
    }
    h->near_at = at;
    return 0;
}

/* As unwind/step.h says of step_read_stack(). */
STEP_INLINE int read_near(struct at_hand *h, __u64 addr, void *buf, __u64 n)
{
    __u64 off = addr - h->near_at, *to = buf;
    if ((off & 7) || off > sizeof h->near - n) {
        if (copy_near(h, addr))
            return (int)bpf_probe_read_user(buf, (__u32)n, (const void *)addr);
        off = addr - h->near_at;
    }
    __u32 i = (__u32)(off / 8);
    __asm__ volatile("" : "+r"(i)); /* what is compared is what is used */
    if (i > NEAR_WORDS - n / 8)
        return -1;
    for (__u32 k = 0; k < n / 8; k++)
        to[k] = h->near[i + k];
    return 0;
}

/* --- the tables --- */

STEP_INLINE __u32 kept_hash(const struct at_hand *h, __u64 pc)
{
    return (__u32)((pc ^ h->birth.start_ns) * 0x9e3779b97f4a7c15 >> 40);
}

/* The bank with the place of a pc; NULL if this walker has none. */
STEP_INLINE struct kept *kept_bank(const struct at_hand *h, __u32 hash)
{
    __u32 key = (h->tables - KEPT_BY_CLOCK) * KEPT_BANKS + (hash >> 16 & (KEPT_BANKS - 1));
    return bpf_map_lookup_elem(&kept, &key);
}

STEP_INLINE struct kept_key kept_key_of(const struct at_hand *h, __u64 pc)
{
    return (struct kept_key){pc, h->birth.start_ns, (__u32)h->birth.execs, (__u32)(h->now_ns >> KEPT_SECOND)};
}

STEP_INLINE bool kept_is(const struct at_hand *h, const struct kept_key *k, __u64 pc)
{
    return k->pc == pc && k->start_ns == h->birth.start_ns && k->execs == (__u32)h->birth.execs &&
           k->second == (__u32)(h->now_ns >> KEPT_SECOND);
}

STEP_INLINE bool kept_rule(struct at_hand *h, __u64 pc, struct wick_unwind_rule *rule)
{
    __u32 hash = kept_hash(h, pc);
    const struct kept *bank = kept_bank(h, hash);
    if (!bank)
        return false;
    const struct kept_rule *k = &bank->rules[hash & (KEPT_RULES - 1)];
    if (!kept_is(h, &k->key, pc))
        return false;
    *rule = k->rule;
    return true;
}

STEP_INLINE void keep_rule(struct at_hand *h, __u64 pc, const struct wick_unwind_rule *rule)
{
    __u32 hash = kept_hash(h, pc);
    struct kept *bank = kept_bank(h, hash);
    if (!bank)
        return;
    struct kept_rule *k = &bank->rules[hash & (KEPT_RULES - 1)];
    k->key = kept_key_of(h, pc);
    k->rule = *rule;
}

#endif
