/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind rules from .eh_frame, read in place.
 *
 *   .eh_frame_hdr   version, encodings, pointer to .eh_frame, count, then a table sorted by pc:
 *                       { first pc of a function, address of its FDE } ...
 *   .eh_frame       CIE: what many functions share: encodings, alignment factors, an opening piece of program
 *                   FDE: one function: its CIE, pc range, a program
 *
 * A program is a list of byte codes (DWARF 5, section 6.4.2) that describes a table with one row per pc range: where
 * the CFA is (the stack pointer before the call) and where each register was saved. We never build that table: the
 * program runs until its location passes our pc, and the row at that moment is the rule. Typical programs are 20 to 60
 * bytes. The table is searched in windows of 256 bytes, guessing where the pc's entry is: some 8 reads for libjvm's
 * 65,000 functions, where halving takes 11. Then follow one read for the FDE and one for its CIE.
 *
 * A row is kept in the very struct that is returned. It holds 16-bit offsets and only forms that a stack walker can
 * apply without a DWARF machine; whatever does not fit becomes LOST, which is an error only if it is the CFA or the
 * return address of the row that was asked for. Expressions (section 2.5) are recognised, not evaluated:
 *
 *   breg R, o                    R + o
 *   breg R, o; deref; plus n     load(R + o) + n       signal frames, OpenSSL, gcc's realigned frames (DRAP)
 *   breg 7, 8; breg 16, 0; lit15; and; lit N; ge; lit3; shl; plus
 *                                the PLT: 16-byte entries, in which the stack grew by 8 at offset N and above
 *
 * Hostile input: every loop is bounded by the record's size, which is bounded by MAX_RECORD; the state stack is
 * bounded; every read lies inside the image's read-only segment (eh_read.h).
 */
#include "elf/eh_frame.h"

#include "elf/eh_arch.h"
#include "elf/eh_read.h"

#define MAX_RECORD 65536 /* bytes of one FDE or CIE; the longest in any libjvm has 1,728 */
#define MAX_STATES 8     /* remember_state nested; compilers nest 1 deep */
#define CFA_NONE   0xff  /* cfa_kind of a row whose CFA cannot be expressed */

enum {
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_NEGATE_RA_STATE = 0x2d,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
};

/* The CFI itself marks the return address as undefined: WICK_RULE_END, which is not the same as LOST. */
#define HOW_UNDEFINED 6

/* cfa_kind of a row while the program runs: the PLT's rule, with its N in cfa_add. */
#define CFA_PLT 0xfe

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint8_t fde_enc;
    bool has_aug_data, signal;
    struct wick_unwind_rule initial; /* row after the CIE's own program */
};

/* A program in execution. */
struct run {
    const struct cie *cie;
    wick_addr hdr;    /* what datarel pointers are relative to */
    wick_addr pc;     /* stop before the row after this pc's */
    wick_addr lo, hi; /* row's range so far: [lo, hi) */
    wick_addr start;  /* of the function */
    struct wick_unwind_rule row;
    struct wick_unwind_rule states[MAX_STATES];
    unsigned depth;
};

/* Where the search for a rule has ended, and what is needed to go on behind it. */
struct found {
    struct run run;
    struct cie cie;
    struct eh_cursor c;          /* in the FDE's program, behind what ended the rule's range */
    struct wick_unwind_rule row; /* as it was then */
    wick_addr next, end;         /* where its range ends, and the function; end 0: nothing was found */
};

_Static_assert(sizeof(struct found) <= sizeof(struct wick_eh_found), "room for it");

/* One expression, recognised. */
struct expr {
    enum { EXPR_OTHER, EXPR_REG, EXPR_DEREF, EXPR_PLT } kind;
    uint64_t reg;
    int64_t off, add;
};

static void set_slot(struct wick_unwind_rule *row, uint64_t reg, unsigned kind, uint64_t base, int64_t off)
{
    int i = eh_slot_of(reg);
    if (i < 0)
        return;
    if (off != (int16_t)off || base > 31) {
        kind = WICK_HOW_LOST;
        base = 0;
        off = 0;
    }
    row->how[i] = (uint8_t)(kind | base << 3);
    row->off[i] = (int16_t)off;
}

static void set_cfa(struct wick_unwind_rule *row, uint8_t kind, uint64_t reg, int64_t off, int64_t add)
{
    if (off != (int32_t)off || add != (int8_t)add || reg > 31) {
        row->cfa_kind = CFA_NONE;
        return;
    }
    row->cfa_kind = kind;
    row->cfa_reg = (uint8_t)reg;
    row->cfa_off = (int32_t)off;
    row->cfa_add = (int8_t)add;
}

/* [reg, off] of a breg or bregx operation, which must come first. */
static bool parse_base(struct eh_cursor *c, struct expr *x)
{
    uint8_t op = eh_u8(c);
    if (op >= OP_BREG0 && op <= OP_BREG31)
        x->reg = op - OP_BREG0;
    else if (op == OP_BREGX)
        x->reg = eh_uleb(c);
    else
        return false;
    x->off = eh_sleb(c);
    return true;
}

static bool parse_plt(struct eh_cursor *c, wick_addr end, struct expr *x)
{
    static const uint8_t tail[] = {0x80, 0x00, 0x3f, 0x1a, 0 /* lit N */, 0x2a, 0x33, 0x24, 0x22};
    if (end - eh_at(c) != sizeof tail || x->reg != 7 || x->off != 8)
        return false;
    bool same = true;
    for (size_t i = 0; i < sizeof tail; i++) {
        uint8_t b = eh_u8(c);
        if (i == 4 && b >= OP_LIT0 && b <= OP_LIT0 + 15)
            x->add = b - OP_LIT0;
        else
            same &= b == tail[i];
    }
    x->kind = EXPR_PLT;
    return same;
}

/* After `breg`: nothing, `deref`, or `deref` and one addition. */
static bool parse_deref(struct eh_cursor *c, wick_addr end, struct expr *x)
{
    x->kind = EXPR_REG;
    if (eh_at(c) == end)
        return true;
    if (eh_u8(c) != OP_DEREF)
        return false;
    x->kind = EXPR_DEREF;
    if (eh_at(c) == end)
        return true;
    uint8_t op = eh_u8(c);
    if (op == OP_PLUS_UCONST) {
        x->add = (int64_t)eh_uleb(c);
        return eh_at(c) == end;
    }
    if (op == OP_CONST1U)
        x->add = eh_u8(c);
    else if (op >= OP_LIT0 && op <= OP_LIT31)
        x->add = op - OP_LIT0;
    else
        return false;
    return eh_u8(c) == OP_PLUS && eh_at(c) == end;
}

/* Reads a length-prefixed expression whole, whatever it is. */
static struct expr read_expr(struct eh_cursor *c)
{
    struct expr x = {0};
    uint64_t n = eh_uleb(c);
    wick_addr end = eh_at(c) + n;
    if (c->rc || n > c->end - eh_at(c)) {
        eh_fail(c, -WICK_E_FORMAT);
        return (struct expr){0};
    }
    bool known =
        n > 0 && parse_base(c, &x) && (parse_plt(c, end, &x) || (x.kind == EXPR_OTHER && parse_deref(c, end, &x)));
    if (!known)
        x.kind = EXPR_OTHER;
    if (!c->rc && eh_at(c) > end)
        eh_fail(c, -WICK_E_FORMAT);
    else if (!c->rc)
        eh_skip(c, end - eh_at(c));
    return x;
}

static void def_cfa_expression(struct wick_unwind_rule *row, struct eh_cursor *c)
{
    struct expr x = read_expr(c);
    switch (x.kind) {
    case EXPR_REG:
        set_cfa(row, WICK_CFA_REG, x.reg, x.off, 0);
        break;
    case EXPR_DEREF:
        set_cfa(row, WICK_CFA_DEREF, x.reg, x.off, x.add);
        break;
    case EXPR_PLT:
        set_cfa(row, CFA_PLT, x.reg, x.off, x.add);
        break;
    default:
        row->cfa_kind = CFA_NONE;
    }
}

static void slot_expression(struct wick_unwind_rule *row, struct eh_cursor *c, bool value)
{
    uint64_t reg = eh_uleb(c);
    struct expr x = read_expr(c);
    if (x.kind == EXPR_REG && !value)
        set_slot(row, reg, WICK_HOW_MEM, x.reg, x.off);
    else if (x.kind == EXPR_DEREF && value && x.add == 0)
        set_slot(row, reg, WICK_HOW_MEM, x.reg, x.off);
    else if (x.kind == EXPR_REG && value && x.off == 0)
        set_slot(row, reg, WICK_HOW_MOVED, x.reg, 0);
    else
        set_slot(row, reg, WICK_HOW_LOST, 0, 0);
}

static void restore_slot(struct run *r, uint64_t reg)
{
    int i = eh_slot_of(reg);
    if (i >= 0) {
        r->row.how[i] = r->cie->initial.how[i];
        r->row.off[i] = r->cie->initial.off[i];
    }
}

/* The next row starts at loc. False if that is beyond our pc: the present row is the answer. */
static bool advance(struct run *r, wick_addr loc)
{
    if (loc > r->pc) {
        if (loc < r->hi)
            r->hi = loc;
        return false;
    }
    r->lo = loc;
    return true;
}

static bool push_or_pop(struct run *r, struct eh_cursor *c, bool push)
{
    if (push && r->depth < MAX_STATES) {
        r->states[r->depth++] = r->row;
        return true;
    }
    if (!push && r->depth > 0) {
        r->row = r->states[--r->depth];
        return true;
    }
    return eh_fail(c, push ? -WICK_E_UNSUPPORTED : -WICK_E_FORMAT);
}

/* The codes about the CFA. `row->cfa_off` alone may change only in a plain register rule. */
static void cfa_op(struct run *r, struct eh_cursor *c, uint8_t op)
{
    struct wick_unwind_rule *row = &r->row;
    uint64_t reg = row->cfa_reg;
    int64_t off = row->cfa_off;
    if (op == CFA_DEF_CFA || op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_REGISTER)
        reg = eh_uleb(c);
    if (op == CFA_DEF_CFA || op == CFA_DEF_CFA_OFFSET)
        off = (int64_t)eh_uleb(c);
    else if (op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_OFFSET_SF)
        off = (int64_t)((uint64_t)eh_sleb(c) * (uint64_t)r->cie->data_align);
    bool whole = op == CFA_DEF_CFA || op == CFA_DEF_CFA_SF;
    if (whole || row->cfa_kind == WICK_CFA_REG)
        set_cfa(row, WICK_CFA_REG, reg, off, 0);
    else
        row->cfa_kind = CFA_NONE;
}

/* The codes about one register. False if op is none of them. */
static bool slot_op(struct run *r, struct eh_cursor *c, uint8_t op)
{
    struct wick_unwind_rule *row = &r->row;
    uint64_t align = (uint64_t)r->cie->data_align;
    if (op == CFA_EXPRESSION || op == CFA_VAL_EXPRESSION) {
        slot_expression(row, c, op == CFA_VAL_EXPRESSION);
        return true;
    }
    bool known = (op >= CFA_OFFSET_EXTENDED && op <= CFA_REGISTER) || op == CFA_OFFSET_EXTENDED_SF ||
                 op == CFA_VAL_OFFSET || op == CFA_VAL_OFFSET_SF || op == CFA_GNU_NEGATIVE_OFFSET_EXTENDED;
    if (!known)
        return false;
    uint64_t reg = eh_uleb(c);
    switch (op) {
    case CFA_OFFSET_EXTENDED:
        set_slot(row, reg, WICK_HOW_CFA, 0, (int64_t)(eh_uleb(c) * align));
        return true;
    case CFA_OFFSET_EXTENDED_SF:
        set_slot(row, reg, WICK_HOW_CFA, 0, (int64_t)((uint64_t)eh_sleb(c) * align));
        return true;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        set_slot(row, reg, WICK_HOW_CFA, 0, (int64_t)(0 - eh_uleb(c) * align));
        return true;
    case CFA_VAL_OFFSET:
        set_slot(row, reg, WICK_HOW_VALUE, 0, (int64_t)(eh_uleb(c) * align));
        return true;
    case CFA_VAL_OFFSET_SF:
        set_slot(row, reg, WICK_HOW_VALUE, 0, (int64_t)((uint64_t)eh_sleb(c) * align));
        return true;
    case CFA_REGISTER:
        set_slot(row, reg, WICK_HOW_MOVED, eh_uleb(c), 0);
        return true;
    case CFA_RESTORE_EXTENDED:
        restore_slot(r, reg);
        return true;
    case CFA_UNDEFINED:
        set_slot(row, reg, HOW_UNDEFINED, 0, 0);
        return true;
    default: /* CFA_SAME_VALUE */
        set_slot(row, reg, WICK_HOW_SAME, 0, 0);
        return true;
    }
}

/* One code with its operands. False ends the program: our row is complete, or c->rc says what is wrong. */
static bool step(struct run *r, struct eh_cursor *c)
{
    uint8_t op = eh_u8(c);
    uint64_t align = r->cie->code_align, low = op & 0x3f;
    switch (op & 0xc0) {
    case CFA_ADVANCE_LOC:
        return advance(r, r->lo + low * align);
    case CFA_OFFSET:
        set_slot(&r->row, low, WICK_HOW_CFA, 0, (int64_t)(eh_uleb(c) * (uint64_t)r->cie->data_align));
        return true;
    case CFA_RESTORE:
        restore_slot(r, low);
        return true;
    }
    switch (op) {
    case CFA_NOP:
    case CFA_NEGATE_RA_STATE: /* AArch64: the return address is signed from here on; the walker strips it anyway */
        return true;
    case CFA_SET_LOC:
        return advance(r, eh_pointer(c, r->cie->fde_enc, r->hdr, true));
    case CFA_ADVANCE_LOC1:
        return advance(r, r->lo + eh_u8(c) * align);
    case CFA_ADVANCE_LOC2:
        return advance(r, r->lo + eh_u16(c) * align);
    case CFA_ADVANCE_LOC4:
        return advance(r, r->lo + eh_u32(c) * align);
    case CFA_REMEMBER_STATE:
    case CFA_RESTORE_STATE:
        return push_or_pop(r, c, op == CFA_REMEMBER_STATE);
    case CFA_DEF_CFA:
    case CFA_DEF_CFA_SF:
    case CFA_DEF_CFA_REGISTER:
    case CFA_DEF_CFA_OFFSET:
    case CFA_DEF_CFA_OFFSET_SF:
        cfa_op(r, c, op);
        return true;
    case CFA_DEF_CFA_EXPRESSION:
        def_cfa_expression(&r->row, c);
        return true;
    case CFA_GNU_ARGS_SIZE:
        eh_uleb(c);
        return true;
    default:
        return slot_op(r, c, op) || eh_fail(c, -WICK_E_UNSUPPORTED);
    }
}

/* Opens the record at `at` and limits the cursor to it. Sets *id_at to the address of the word after the length. */
static void open_record(struct eh_cursor *c, const struct wick_mem *mem, const struct wick_elf_image *image,
                        wick_addr at, wick_addr *id_at)
{
    eh_open(c, mem, image, at);
    uint64_t len = eh_u32(c);
    if (len == 0xffffffff)
        len = eh_u64(c);
    if (!c->rc && (len == 0 || len > MAX_RECORD))
        eh_fail(c, -WICK_E_FORMAT);
    *id_at = eh_at(c);
    eh_limit(c, *id_at + len);
}

/* The augmentation string and its data (LSB 10.6.1.1.1). */
static void read_augmentation(struct eh_cursor *c, const char *aug, size_t n, struct cie *out)
{
    if (n == 0)
        return;
    if (aug[0] != 'z') {
        eh_fail(c, -WICK_E_UNSUPPORTED);
        return;
    }
    out->has_aug_data = true;
    uint64_t len = eh_uleb(c);
    wick_addr end = eh_at(c) + len;
    if (c->rc || len > c->end - eh_at(c)) {
        eh_fail(c, -WICK_E_FORMAT);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        if (aug[i] == 'R') {
            out->fde_enc = eh_u8(c);
        } else if (aug[i] == 'L') {
            eh_u8(c);
        } else if (aug[i] == 'P') {
            uint8_t enc = eh_u8(c);
            if (enc != EH_PE_OMIT)
                eh_pointer(c, enc & 0x0f, 0, false);
        } else if (aug[i] == 'S') {
            out->signal = true;
        } else if (aug[i] != 'B') {
            break; /* unknown, but its data has a length */
        }
    }
    if (!c->rc && eh_at(c) > end)
        eh_fail(c, -WICK_E_FORMAT);
    else if (!c->rc)
        eh_skip(c, end - eh_at(c));
}

/* Parses the CIE at `at` and runs its program in r, whose states serve as scratch. */
static int read_cie(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr at, struct cie *out,
                    struct run *r)
{
    struct eh_cursor c;
    wick_addr id_at;
    memset(out, 0, sizeof *out);
    out->initial.cfa_kind = CFA_NONE;
    open_record(&c, mem, image, at, &id_at);
    if (eh_u32(&c) != 0)
        eh_fail(&c, -WICK_E_FORMAT);
    uint8_t version = eh_u8(&c);
    char aug[8];
    size_t n = 0;
    for (char ch; (ch = (char)eh_u8(&c)) && n < sizeof aug;)
        aug[n++] = ch;
    if (n == sizeof aug || (!c.rc && version != 1 && version != 3))
        eh_fail(&c, -WICK_E_UNSUPPORTED);
    out->code_align = eh_uleb(&c);
    out->data_align = eh_sleb(&c);
    uint64_t ra = version == 1 ? eh_u8(&c) : eh_uleb(&c);
    if (!c.rc && ra != eh_slot_reg[WICK_SLOT_RA])
        eh_fail(&c, -WICK_E_UNSUPPORTED);
    read_augmentation(&c, aug, n, out);
    r->cie = out;
    r->row = out->initial;
    while (eh_more(&c) && step(r, &c))
        ;
    out->initial = r->row;
    return c.rc;
}

/* An explicit rule for the stack pointer is fine if it says what the CFA says (signal frames do that). */
static bool sp_is_cfa(const struct wick_unwind_rule *row)
{
    uint8_t how = row->how[EH_SLOT_SP];
    int off = row->off[EH_SLOT_SP];
    switch (WICK_HOW_KIND(how)) {
    case WICK_HOW_SAME:
        return true;
    case WICK_HOW_VALUE:
        return off == 0;
    case WICK_HOW_MEM:
        return row->cfa_kind == WICK_CFA_DEREF && row->cfa_reg == WICK_HOW_REG(how) && row->cfa_off == off &&
               row->cfa_add == 0;
    default:
        return false;
    }
}

/* Turns the last row into an answer. */
static int finish(struct run *r, bool signal)
{
    struct wick_unwind_rule *row = &r->row;
    row->flags = signal ? WICK_RULE_SIGNAL : 0;
    if (WICK_HOW_KIND(row->how[WICK_SLOT_RA]) == HOW_UNDEFINED) {
        *row = (struct wick_unwind_rule){.flags = row->flags | WICK_RULE_END};
        return 0;
    }
    if (row->cfa_kind == CFA_PLT) {
        wick_addr entry = r->pc & ~(wick_addr)15, grown = entry + (uint8_t)row->cfa_add;
        bool is_grown = r->pc >= grown;
        wick_addr lo = is_grown ? grown : entry, hi = is_grown ? entry + 16 : grown;
        r->lo = lo > r->lo ? lo : r->lo;
        r->hi = hi < r->hi ? hi : r->hi;
        row->cfa_kind = WICK_CFA_REG;
        row->cfa_off += is_grown ? 8 : 0;
        row->cfa_add = 0;
    }
    unsigned ra = WICK_HOW_KIND(row->how[WICK_SLOT_RA]);
#ifdef __x86_64__
    bool ra_known = ra != WICK_HOW_LOST && ra != WICK_HOW_SAME;
#else
    bool ra_known = ra != WICK_HOW_LOST; /* a leaf function leaves it in the link register */
#endif
    if (row->cfa_kind == CFA_NONE || !ra_known || !sp_is_cfa(row))
        return -WICK_E_UNSUPPORTED;
    for (int i = 0; i < WICK_SLOT_COUNT; i++)
        if (WICK_HOW_KIND(row->how[i]) == HOW_UNDEFINED)
            row->how[i] = WICK_HOW_LOST;
    row->how[EH_SLOT_SP] = 0;
    row->off[EH_SLOT_SP] = 0;
    return 0;
}

/* Runs the FDE's program on, up to the run's pc. */
static int run_on(struct found *f)
{
    struct run *r = &f->run;
    while (eh_more(&f->c) && step(r, &f->c))
        ;
    f->row = r->row;
    f->next = r->hi;
    int rc = f->c.rc ? f->c.rc : finish(r, f->cie.signal);
    if (rc || f->row.cfa_kind == CFA_PLT) /* whose ranges are shorter */
        f->end = 0;
    return rc;
}

/* Parses the FDE at `at` and runs its program up to pc. */
static int read_fde(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr at, struct found *f)
{
    struct eh_cursor *c = &f->c;
    struct run *r = &f->run;
    wick_addr id_at, pc = r->pc;
    open_record(c, mem, image, at, &id_at);
    uint32_t back = eh_u32(c);
    if (c->rc || back == 0)
        return c->rc ? c->rc : -WICK_E_FORMAT;
    r->pc = UINT64_MAX; /* a CIE's program has no locations */
    int rc = read_cie(mem, image, id_at - back, &f->cie, r);
    if (rc)
        return rc;
    r->pc = pc;
    r->depth = 0;
    r->lo = eh_pointer(c, f->cie.fde_enc, r->hdr, true);
    uint64_t size = eh_pointer(c, f->cie.fde_enc, r->hdr, false);
    r->hi = r->lo + size;
    r->start = r->lo;
    if (f->cie.has_aug_data)
        eh_skip(c, eh_uleb(c));
    if (c->rc)
        return c->rc;
    if (pc < r->lo || pc - r->lo >= size || r->hi < r->lo)
        return -WICK_E_NOTFOUND;
    f->end = r->hi;
    return run_on(f);
}

/* The sorted table: where it is and how to read it. */
struct table {
    wick_addr at;
    uint64_t n;
    uint8_t enc;
    unsigned half; /* bytes of one value; an entry has two */
};

static int open_table(const struct wick_mem *mem, const struct wick_elf_image *image, struct table *t)
{
    struct eh_cursor c;
    eh_open(&c, mem, image, image->eh_hdr);
    uint32_t head = eh_u32(&c);
    uint8_t version = (uint8_t)head, ptr_enc = (uint8_t)(head >> 8), count_enc = (uint8_t)(head >> 16);
    t->enc = (uint8_t)(head >> 24);
    if (c.rc)
        return c.rc;
    if (version != 1 || count_enc == EH_PE_OMIT || t->enc == EH_PE_OMIT)
        return -WICK_E_UNSUPPORTED;
    if (ptr_enc != EH_PE_OMIT)
        eh_pointer(&c, ptr_enc & 0x0f, 0, false);
    t->n = eh_pointer(&c, count_enc, image->eh_hdr, true);
    t->at = eh_at(&c);
    if (c.rc)
        return c.rc;
    switch (t->enc & 0x0f) {
    case EH_PE_UDATA4:
    case EH_PE_SDATA4:
        t->half = 4;
        break;
    case EH_PE_ABSPTR:
    case EH_PE_UDATA8:
    case EH_PE_SDATA8:
        t->half = 8;
        break;
    default:
        return -WICK_E_UNSUPPORTED;
    }
    if ((t->enc & 0xf0) != 0 && (t->enc & 0xf0) != EH_PE_PCREL && (t->enc & 0xf0) != EH_PE_DATAREL)
        return -WICK_E_UNSUPPORTED;
    uint64_t room = image->eh_hdr + image->eh_hdr_size - t->at;
    if (image->eh_hdr + image->eh_hdr_size > image->ro_hi || room > image->eh_hdr_size || t->n > room / (2 * t->half))
        return -WICK_E_FORMAT;
    return t->n ? 0 : -WICK_E_NOTFOUND;
}

/* A piece of the table: entries [first, first + n). */
struct window {
    const uint8_t *bytes;
    uint64_t first;
    unsigned n;
    uint8_t buf[EH_WINDOW];
};

static int read_window(const struct wick_mem *mem, const struct wick_elf_image *image, const struct table *t,
                       struct window *w)
{
    wick_addr at = t->at + w->first * 2 * t->half;
    w->bytes = w->buf;
    if (image->flags & WICK_IMAGE_PINNED) {
        w->bytes = (const uint8_t *)(uintptr_t)at;
        return 0;
    }
    return wick_mem_read(mem, at, w->buf, (size_t)w->n * 2 * t->half);
}

/* Entry i of the window: its first pc (field 0) or its FDE (field 1). */
static wick_addr entry_value(const struct table *t, const struct window *w, wick_addr hdr, unsigned i, unsigned field)
{
    uint64_t at = (w->first + i) * 2 * t->half + field * t->half, v;
    const uint8_t *p = w->bytes + (at - w->first * 2 * t->half);
    if (t->half == 8) {
        memcpy(&v, p, 8);
    } else {
        uint32_t v32;
        memcpy(&v32, p, 4);
        v = (t->enc & 0x0f) == EH_PE_SDATA4 ? (uint64_t)(int64_t)(int32_t)v32 : v32;
    }
    switch (t->enc & 0xf0) {
    case EH_PE_PCREL:
        return v + t->at + at;
    case EH_PE_DATAREL:
        return v + hdr;
    default:
        return v;
    }
}

/* The entries still in question: the answer is in [lo, lo + n), whose pcs are in [lo_pc, hi_pc), or pc is below all. */
struct search {
    uint64_t lo, n;
    wick_addr lo_pc, hi_pc;
};

/* Where to search next. Functions are about equally dense everywhere, so the place is guessed from the pc; every other
 * time the range is halved instead, so that a table that fools the guess costs twice the steps and not thousands. */
static void choose_window(const struct search *s, wick_addr pc, bool halve, unsigned max, struct window *w)
{
    uint64_t mid = s->n / 2, span = s->hi_pc - s->lo_pc, off = pc - s->lo_pc;
    if (!halve && pc >= s->lo_pc && pc < s->hi_pc) {
        unsigned shift = span >> 32 ? 32 - (unsigned)__builtin_clzll(span) : 0; /* n has at most 29 bits: no overflow */
        mid = s->n * (off >> shift) / (span >> shift);
    }
    w->n = s->n < max ? (unsigned)s->n : max;
    mid = mid < w->n / 2 ? 0 : mid - w->n / 2;
    w->first = s->lo + (mid > s->n - w->n ? s->n - w->n : mid);
}

/* The address of the FDE of the last entry at or below pc. */
static int search(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc, wick_addr *fde)
{
    struct table t;
    struct window w;
    int rc = open_table(mem, image, &t);
    if (rc)
        return rc;
    struct search s = {0, t.n, image->text_lo, image->text_hi};
    for (unsigned step = 0; s.n; step++) {
        choose_window(&s, pc, step & 1, EH_WINDOW / (2 * t.half), &w);
        rc = read_window(mem, image, &t, &w);
        if (rc)
            return rc;
        wick_addr first = entry_value(&t, &w, image->eh_hdr, 0, 0);
        wick_addr last = entry_value(&t, &w, image->eh_hdr, w.n - 1, 0);
        if (first > pc) {
            s.n = w.first - s.lo;
            s.hi_pc = first;
        } else if (last <= pc && w.first + w.n < s.lo + s.n) {
            s.n -= w.first + w.n - s.lo;
            s.lo = w.first + w.n;
            s.lo_pc = last;
            *fde = entry_value(&t, &w, image->eh_hdr, w.n - 1, 1); /* the answer, unless a later one is */
        } else {
            break;
        }
    }
    if (!s.n)
        return s.lo ? 0 : -WICK_E_NOTFOUND;
    unsigned lo = 0, hi = w.n; /* the first is at or below pc */
    while (hi - lo > 1) {
        unsigned mid = (lo + hi) / 2;
        if (entry_value(&t, &w, image->eh_hdr, mid, 0) <= pc)
            lo = mid;
        else
            hi = mid;
    }
    *fde = entry_value(&t, &w, image->eh_hdr, lo, 1);
    return 0;
}

static int run_to(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc, struct found *f)
{
    struct run *r = &f->run;
    f->end = 0;
    if (!image->eh_hdr)
        return -WICK_E_UNSUPPORTED;
    r->hdr = image->eh_hdr;
    r->pc = pc;
    r->lo = r->hi = r->start = 0;
    r->depth = 0;
    wick_addr fde;
    int rc = search(mem, image, pc, &fde);
    return rc ? rc : read_fde(mem, image, fde, f);
}

/* Goes on with the range that begins where the last one has ended, in the same function. */
static int run_further(struct found *f)
{
    f->run.row = f->row;
    f->run.lo = f->run.pc = f->next;
    f->run.hi = f->end;
    return run_on(f);
}

int wick_eh_rule(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc,
                 struct wick_unwind_rule *out, wick_addr *valid_lo, wick_addr *valid_hi)
{
    struct found f;
    int rc = run_to(mem, image, pc, &f);
    if (rc)
        return rc;
    *out = f.run.row;
    if (valid_lo)
        *valid_lo = f.run.lo;
    if (valid_hi)
        *valid_hi = f.run.hi;
    return 0;
}

int wick_eh_rule_from(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc,
                      struct wick_eh_found *from, struct wick_unwind_rule *out, wick_addr *valid_lo,
                      wick_addr *valid_hi)
{
    struct found *f = (struct found *)from;
    bool follows = f->end && pc == f->next && pc < f->end;
    int rc = follows ? run_further(f) : run_to(mem, image, pc, f);
    if (rc)
        return rc;
    *out = f->run.row;
    *valid_lo = f->run.lo;
    *valid_hi = f->run.hi;
    return 0;
}

int wick_eh_function(const struct wick_mem *mem, const struct wick_elf_image *image, wick_addr pc, wick_addr *start)
{
    struct found f;
    int rc = run_to(mem, image, pc, &f);
    if (!rc)
        *start = f.run.start;
    return rc;
}
