/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope_flow.c - see scope_flow.h
 *
 * Unless it is asked for more, HotSpot describes only the pcs at which a thread may stop: behind calls and at polls.
 * For others it takes the first description behind them in the order of the code. That may be of anything: the compiler
 * puts blocks in an order of its own, and what it inlined at the end of a method stands behind a loop which has no call
 * in it. Here the code is followed from pc along all branches, and the first description met is taken, by the number of
 * instructions in between. Two kinds are met in loops: the poll of each round; and calls of the uncommon trap, to which
 * C2 branches where an assumption of its does not hold (a type, a bound, a branch never taken) and which describe the
 * very bytecode.
 *
 * What was passed last is found by reading the code in its order from the last description before pc: that one, or the
 * trap of the last branch in between.
 *
 * Debug information is sought only where it may be: a search costs reads through the kernel on JDK 23 and later.
 */
#include "hotspot/scope_flow.h"

#include "hotspot/x86_insn.h"

enum {
    STEPS_MOST = 192,
    TRAP_MOST = 16, /* instructions of a branch to the trap */
    FORKS_MOST = 8,
    BACK_MOST = 4096,
    NONE = UINT32_MAX
};

/* Places to go on from, in the order in which they were found. */
struct search {
    const struct wick_hs_code *code;
    uint32_t at[STEPS_MOST];
    unsigned count;
    bool cut; /* there was more to follow */
};

static void add(struct search *s, uint64_t off)
{
    if (off >= s->code->bytes)
        return;
    for (unsigned i = s->count; i--;)
        if (s->at[i] == off)
            return;
    if (s->count == STEPS_MOST)
        s->cut = true;
    else
        s->at[s->count++] = (uint32_t)off;
}

static bool is_described(const struct search *s, uint32_t off)
{
    return s->code->described(s->code->ctx, off) == off;
}

/* Reads the instruction there; false: it cannot be. */
static bool read_insn(const struct wick_hs_code *c, uint32_t off, struct wick_x86_insn *out)
{
    uint8_t bytes[WICK_X86_INSN_MOST];
    size_t n = c->bytes - off < sizeof bytes ? c->bytes - off : sizeof bytes;
    return !wick_mem_read(c->mem, c->begin + off, bytes, n) && wick_x86_insn(bytes, n, out);
}

/* Goes on behind the instruction. Returns the place of the description met there, or NONE. */
static uint32_t follow(struct search *s, uint32_t off)
{
    struct wick_x86_insn insn;
    if (!read_insn(s->code, off, &insn)) {
        s->cut = true;
        return NONE;
    }
    uint32_t behind = off + insn.length;
    if (insn.flow == WICK_X86_POLL && is_described(s, off))
        return off;
    if (insn.flow == WICK_X86_CALL && is_described(s, behind))
        return behind;
    if (insn.flow != WICK_X86_JUMP && insn.flow != WICK_X86_END)
        add(s, behind);
    if (insn.flow == WICK_X86_JUMP || insn.flow == WICK_X86_FORK)
        add(s, (uint64_t)((int64_t)behind + insn.target));
    return NONE;
}

static void look_ahead(const struct wick_hs_code *c, uint32_t off, struct wick_hs_near *out)
{
    uint32_t next = c->described(c->ctx, off);
    struct search s = {.code = c, .cut = off >= c->bytes};
    out->ahead = next == off ? off : NONE;
    add(&s, off);
    for (unsigned i = 0; i < s.count && out->ahead == NONE; i++) {
        out->ahead = s.at[i] == next ? next : follow(&s, s.at[i]);
        out->distance = i;
    }
    out->ends = out->ahead == NONE && !s.cut;
}

/* The description that a branch leads to, without another branch: that of a trap, as a rule. */
static uint32_t described_at_once(const struct wick_hs_code *c, uint32_t off)
{
    struct wick_x86_insn insn;
    for (int i = 0; i < TRAP_MOST && off < c->bytes && read_insn(c, off, &insn); i++) {
        off += insn.length;
        if (insn.flow == WICK_X86_CALL)
            return c->described(c->ctx, off) == off ? off : NONE;
        if (insn.flow != WICK_X86_NEXT)
            return NONE;
    }
    return NONE;
}

/* The last branches of a stretch of code, by their targets. */
struct forks {
    uint32_t target[FORKS_MOST], count;
};

static uint32_t trap_of_last(const struct wick_hs_code *c, const struct forks *f)
{
    uint32_t found = NONE;
    for (uint32_t i = f->count; i && f->count - i < FORKS_MOST && found == NONE; i--)
        found = described_at_once(c, f->target[(i - 1) % FORKS_MOST]);
    return found;
}

static void look_back(const struct wick_hs_code *c, uint32_t off, struct wick_hs_near *out)
{
    uint32_t at = c->described_before(c->ctx, off), start = at;
    struct forks forks = {.count = 0};
    struct wick_x86_insn insn;
    if (at == NONE || at >= off || off - at > BACK_MOST || off > c->bytes)
        return;
    for (; at < off; at += insn.length) {
        if (!read_insn(c, at, &insn))
            return;
        if (insn.flow == WICK_X86_FORK)
            forks.target[forks.count++ % FORKS_MOST] = at + insn.length + (uint32_t)insn.target;
        if (insn.flow == WICK_X86_JUMP || insn.flow == WICK_X86_END) {
            start = NONE; /* what follows is come to from elsewhere */
            forks.count = 0;
        }
        out->called = insn.flow == WICK_X86_CALL;
    }
    out->passed = trap_of_last(c, &forks);
    if (out->passed == NONE)
        out->passed = start;
}

void wick_hs_scope_flow(const struct wick_hs_code *code, uint32_t off, struct wick_hs_near *out)
{
    *out = (struct wick_hs_near){.ahead = NONE, .passed = NONE};
    look_ahead(code, off, out);
    if (out->ahead != off)
        look_back(code, off, out);
}
