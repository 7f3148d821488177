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
 * What is met a few instructions on is of the same bytecode, as a rule: it checks what they have loaded. What is met
 * later, or behind a loop around pc that has no description, may be of something else; so what was passed before has to
 * agree, unless the description is the only one of a loop around pc. What was passed is found by reading the code in
 * its order from the last description before pc: that one, or the trap of the last branch in between. The call of a
 * routine without a description is of what stands before it.
 *
 * Code that is described throughout (it was compiled while DebugNonSafepoints was on) is known by a description that
 * stands neither at a poll nor behind a call: there HotSpot's way is right.
 *
 * Debug information is sought only where it may be: a search costs reads through the kernel on JDK 23 and later.
 */
#include "hotspot/scope_flow.h"

#include <stdbool.h>

#include "hotspot/x86_insn.h"

enum {
    STEPS_MOST = 192, /* instructions that a search goes through */
    ASKED_MOST = 48,  /* searches for debug information */
    NEAR_STEPS = 4,
    TRAP_STEPS = 16,  /* of a branch to the trap */
    PLAIN_STEPS = 64, /* to the next description of code that is described throughout */
    FORKS_MOST = 8,
    BACK_BYTES = 1024,
    WINDOW_BYTES = 64,
    NONE = WICK_HS_NOWHERE
};

/* The code, read in stretches. */
struct reader {
    const struct wick_hs_code *code;
    uint32_t at, n;
    uint8_t bytes[WINDOW_BYTES];
    unsigned asked;
};

/* Reads the instruction there; false: it cannot be. */
static bool read_insn(struct reader *r, uint32_t off, struct wick_x86_insn *out)
{
    const struct wick_hs_code *c = r->code;
    if (off >= c->bytes)
        return false;
    uint32_t left = c->bytes - off, wanted = left < WICK_X86_INSN_MOST ? left : WICK_X86_INSN_MOST;
    if (off < r->at || off - r->at > r->n || r->n - (off - r->at) < wanted) {
        r->at = off;
        r->n = left < sizeof r->bytes ? left : (uint32_t)sizeof r->bytes;
        if (wick_mem_read(c->mem, c->begin + off, r->bytes, r->n)) {
            r->n = 0;
            return false;
        }
    }
    return wick_x86_insn(r->bytes + (off - r->at), r->n - (off - r->at), out);
}

static bool is_described(struct reader *r, uint32_t off)
{
    r->asked++;
    return r->code->described(r->code->ctx, off) == off;
}

/* Each search for debug information costs; what is not known after so many is left open. */
static bool is_spent(const struct reader *r)
{
    return r->asked >= ASKED_MOST;
}

/* --- ahead --- */

/* Places to go on from, in the order of their distance. */
struct search {
    struct reader *reader;
    uint32_t at[STEPS_MOST];
    uint8_t distance[STEPS_MOST];
    unsigned count;
    bool cut; /* there was more to follow */
};

static void add(struct search *s, uint64_t off, unsigned distance)
{
    if (off >= s->reader->code->bytes)
        return;
    for (unsigned i = s->count; i--;)
        if (s->at[i] == off)
            return;
    if (s->count == STEPS_MOST) {
        s->cut = true;
        return;
    }
    s->at[s->count] = (uint32_t)off;
    s->distance[s->count++] = (uint8_t)distance;
}

/* Goes on behind an instruction. */
static void add_next(struct search *s, uint32_t off, const struct wick_x86_insn *insn, unsigned distance)
{
    uint32_t behind = off + insn->length;
    if (insn->flow != WICK_X86_JUMP && insn->flow != WICK_X86_END)
        add(s, behind, distance);
    if (insn->flow == WICK_X86_JUMP || insn->flow == WICK_X86_FORK)
        add(s, (uint64_t)((int64_t)behind + insn->target), distance);
}

/* Goes on behind the i-th place. Returns the place of the description met there, or NONE. */
static uint32_t follow(struct search *s, unsigned i)
{
    struct wick_x86_insn insn;
    uint32_t off = s->at[i];
    if (!read_insn(s->reader, off, &insn)) {
        s->cut = true;
        return NONE;
    }
    if (insn.flow == WICK_X86_POLL && is_described(s->reader, off))
        return off;
    if (insn.flow == WICK_X86_CALL && is_described(s->reader, off + insn.length))
        return off + insn.length;
    add_next(s, off, &insn, s->distance[i] + 1u);
    return NONE;
}

/* The description met first, and its distance; NONE: there is none, or, if `cut`, it is not known. */
static uint32_t look_ahead(struct reader *r, uint32_t off, uint32_t next, unsigned *distance, bool *cut)
{
    struct search s = {.reader = r, .cut = off >= r->code->bytes};
    uint32_t found = NONE;
    add(&s, off, 0);
    for (unsigned i = 0; i < s.count && found == NONE && !is_spent(r); i++) {
        found = s.at[i] == next ? next : follow(&s, i);
        *distance = s.distance[i];
    }
    *cut = s.cut || is_spent(r);
    return found;
}

/* Whether what runs behind an instruction comes to `off` before it comes to a description. */
static bool comes_to(struct reader *r, uint32_t from, uint32_t off)
{
    struct search s = {.reader = r};
    struct wick_x86_insn insn;
    if (!read_insn(r, from, &insn))
        return false;
    add_next(&s, from, &insn, 0);
    for (unsigned i = 0; i < s.count && !is_spent(r); i++) {
        if (s.at[i] == off)
            return true;
        follow(&s, i);
    }
    return false;
}

/* Whether a description is of a loop that a place is in: it comes from one to the other without another one. */
static bool is_of_loop(struct reader *r, uint32_t described, uint32_t off)
{
    return described == off || comes_to(r, described, off);
}

/* Whether the description at `next` is one that only code has which is described throughout. */
static bool is_of_plain_code(struct reader *r, uint32_t off, uint32_t next)
{
    struct wick_x86_insn insn = {.flow = WICK_X86_CALL}, at_next;
    for (int i = 0; i < PLAIN_STEPS && off < next; i++) {
        if (!read_insn(r, off, &insn))
            return false;
        off += insn.length;
    }
    return off == next && insn.flow != WICK_X86_CALL && read_insn(r, next, &at_next) && at_next.flow != WICK_X86_POLL;
}

/* --- before --- */

/* The last branches forwards of a stretch of code, by their targets. */
struct forks {
    uint32_t target[FORKS_MOST], count;
};

/* The description that a branch leads to, without another branch: that of a trap, as a rule. */
static uint32_t described_at_once(struct reader *r, uint32_t off)
{
    struct wick_x86_insn insn;
    for (int i = 0; i < TRAP_STEPS && read_insn(r, off, &insn); i++) {
        off += insn.length;
        if (insn.flow == WICK_X86_CALL)
            return is_described(r, off) ? off : NONE;
        if (insn.flow != WICK_X86_NEXT)
            return NONE;
    }
    return NONE;
}

static uint32_t trap_of_last(struct reader *r, const struct forks *f)
{
    uint32_t found = NONE;
    for (uint32_t i = f->count; i && f->count - i < FORKS_MOST && found == NONE && !is_spent(r); i--)
        found = described_at_once(r, f->target[(i - 1) % FORKS_MOST]);
    return found;
}

/* What a reading of the code up to a pc found; the description before it if it could not be read. */
struct before {
    bool elsewhere;  /* what runs up to the pc comes from elsewhere by a jump, and passed none since */
    bool called;     /* the pc follows a call */
    uint32_t passed; /* NONE: there is none before */
};

static void look_back(struct reader *r, uint32_t off, struct before *out)
{
    uint32_t start = r->code->described_before(r->code->ctx, off), at = start == NONE ? 0 : start;
    struct before b = {.passed = start};
    struct forks forks = {.count = 0};
    struct wick_x86_insn insn;
    *out = b;
    if (at > off || off - at > BACK_BYTES)
        return;
    for (; at < off; at += insn.length) {
        if (!read_insn(r, at, &insn))
            return;
        b.called = insn.flow == WICK_X86_CALL;
        if (insn.flow == WICK_X86_FORK && insn.target > 0)
            forks.target[forks.count++ % FORKS_MOST] = at + insn.length + (uint32_t)insn.target;
        if (insn.flow == WICK_X86_JUMP || insn.flow == WICK_X86_END) {
            b.elsewhere = true;
            forks.count = 0;
        }
    }
    if (at != off) /* no instruction begins there: data was read for code */
        return;
    uint32_t trap = trap_of_last(r, &forks);
    if (trap != NONE) {
        b.passed = trap;
        b.elsewhere = false;
    }
    *out = b;
}

void wick_hs_scope_flow(const struct wick_hs_code *code, uint32_t off, struct wick_hs_near *out)
{
    uint32_t next = code->described(code->ctx, off);
    struct reader r = {.code = code};
    struct before before;
    unsigned distance = 0;
    bool cut = false;
    *out = (struct wick_hs_near){.match = WICK_HS_SURE, .ahead = next, .passed = NONE};
    if (next == off || (next != NONE && is_of_plain_code(&r, off, next)))
        return;
    uint32_t ahead = look_ahead(&r, off, next, &distance, &cut);
    if (ahead == NONE) {
        out->match = cut ? WICK_HS_SURE : WICK_HS_ENDS;
        return;
    }
    out->ahead = ahead;
    look_back(&r, off, &before);
    out->passed = before.passed;
    bool far = distance > NEAR_STEPS && !before.elsewhere;
    if (before.called || (!is_of_loop(&r, ahead, off) && (far || comes_to(&r, off, off))))
        out->match = before.passed == NONE ? WICK_HS_ENTRY : WICK_HS_AGREE;
}
