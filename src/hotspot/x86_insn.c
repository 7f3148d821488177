/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_insn.c - see x86_insn.h
 *
 *      legacy prefixes | REX, VEX, EVEX | opcode | ModRM, SIB, displacement | immediate
 *
 * VEX and EVEX name one of the maps of two- and three-byte opcodes. What follows an opcode is one character in a table
 * of its map (Intel SDM volume 2, appendix A):
 *
 *      .  nothing                    m  ModRM                  -  no instruction of 64-bit code
 *      b  an immediate of 1 byte     B  ModRM and that
 *      z  one of 4 bytes (or 2)      Z  ModRM and that
 *      j  a conditional jump of 1 byte, J of 4
 *      p  a prefix
 *      *  a case of its own
 */
#include "hotspot/x86_insn.h"

#include <stdbool.h>

/* clang-format off */
static const char one_byte[256 + 1] =
    "mmmmbz--mmmmbz-*" "mmmmbz--mmmmbz--" "mmmmbzp-mmmmbzp-" "mmmmbzp-mmmmbzp-" /* 00: arithmetic; 0F */
    "pppppppppppppppp" "................" "--*mppppzZbB...." "jjjjjjjjjjjjjjjj" /* 40: REX, push and pop, EVEX, jcc */
    "BZ-Bmmmmmmmmmmmm" "..........-....." "****....bz......" "bbbbbbbb********" /* 80: mov */
    "BB*.**BZ*.*..b-." "mmmm---.mmmmmmmm" "jjjjbbbb**-*...." "p.pp..**......m*"; /* C0: ret, VEX, call, jmp */

static const char two_byte[256 + 1] =
    "mmmm-.....-.-m.B" "mmmmmmmmmmmmmmmm" "mmmm----mmmmmmmm" "......-.*-*-----" /* 00 */
    "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "BBBBmmm.mmmmmmmm" /* 40 */
    "JJJJJJJJJJJJJJJJ" "mmmmmmmmmmmmmmmm" "...mBm--...mBmmm" "mmmmmmmmmmBmmmmm" /* 80: jcc */
    "mmBmBBBm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm"; /* C0 */
/* clang-format on */

struct reader {
    const uint8_t *at, *end;
    bool wide, short_operand, short_address; /* REX.W; 66; 67 */
    bool failed;
};

static uint8_t next(struct reader *r)
{
    if (r->at == r->end) {
        r->failed = true;
        return 0;
    }
    return *r->at++;
}

static void skip(struct reader *r, size_t n)
{
    if ((size_t)(r->end - r->at) < n)
        r->failed = true;
    else
        r->at += n;
}

static int32_t displacement(struct reader *r, size_t n)
{
    uint32_t v = 0;
    if ((size_t)(r->end - r->at) < n) {
        r->failed = true;
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        v |= (uint32_t)r->at[i] << 8 * i;
    r->at += n;
    return n == 1 ? (int8_t)v : (int32_t)v;
}

/* Reads ModRM and what belongs to it. */
static uint8_t modrm(struct reader *r)
{
    uint8_t m = next(r), mod = m >> 6, rm = m & 7;
    if (mod == 3)
        return m;
    uint8_t base = rm == 4 ? next(r) & 7 : rm;
    skip(r, mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0);
    return m;
}

static void immediate(struct reader *r)
{
    skip(r, r->short_operand && !r->wide ? 2 : 4);
}

static void branch(struct reader *r, size_t n, enum wick_x86_flow flow, struct wick_x86_insn *out)
{
    out->flow = flow;
    out->target = displacement(r, n);
}

/* Opcodes of one byte that the table says nothing of. */
static void lone(struct reader *r, uint8_t op, struct wick_x86_insn *out)
{
    if (op >= 0xa0 && op <= 0xa3) { /* an address */
        skip(r, r->short_address ? 4 : 8);
    } else if (op >= 0xa4 && op <= 0xa7) {
        return;
    } else if (op >= 0xb8 && op <= 0xbf) { /* the immediate may be of eight bytes */
        skip(r, r->wide ? 8 : r->short_operand ? 2 : 4);
    } else if (op == 0xc2 || op == 0xca) {
        skip(r, 2);
        out->flow = WICK_X86_END;
    } else if (op == 0xc8) {
        skip(r, 3);
    } else if (op == 0xe8) {
        branch(r, 4, WICK_X86_CALL, out);
    } else if (op == 0xe9) {
        branch(r, 4, WICK_X86_JUMP, out);
    } else if (op == 0xeb) {
        branch(r, 1, WICK_X86_JUMP, out);
    } else if (op == 0xf6 || op == 0xf7) { /* test has an immediate, not, neg, mul and div have none */
        uint8_t m = modrm(r);
        if ((m >> 3 & 7) < 2 && op == 0xf6)
            skip(r, 1);
        else if ((m >> 3 & 7) < 2)
            immediate(r);
    } else if (op == 0xff) {
        uint8_t m = modrm(r) >> 3 & 7;
        out->flow = m == 2 || m == 3 ? WICK_X86_CALL : m == 4 || m == 5 ? WICK_X86_END : WICK_X86_NEXT;
    } else {
        r->failed = true;
    }
}

static void operands(struct reader *r, char form, struct wick_x86_insn *out)
{
    switch (form) {
    case '.':
        break;
    case 'b':
        skip(r, 1);
        break;
    case 'z':
        immediate(r);
        break;
    case 'm':
        modrm(r);
        break;
    case 'B':
        modrm(r);
        skip(r, 1);
        break;
    case 'Z':
        modrm(r);
        immediate(r);
        break;
    case 'j':
        branch(r, 1, WICK_X86_FORK, out);
        break;
    case 'J':
        branch(r, 4, WICK_X86_FORK, out);
        break;
    default:
        r->failed = true;
    }
}

/* An opcode of the map 0F (1), 0F 38 (2) or 0F 3A (3), or one of those for half-precision numbers (5, 6). */
static void mapped(struct reader *r, unsigned map, struct wick_x86_insn *out)
{
    uint8_t op = next(r);
    r->failed |= map < 1 || map == 4 || map > 6;
    if (map == 1)
        operands(r, two_byte[op], out);
    else
        operands(r, map == 3 ? 'B' : 'm', out);
    if (map == 1 && op == 0x0b)
        out->flow = WICK_X86_END; /* ud2 */
}

/* The opcode behind the prefixes; of REX that counts which stands right before it. */
static uint8_t opcode(struct reader *r)
{
    uint8_t op = next(r);
    while (one_byte[op] == 'p' && !r->failed) {
        r->short_operand |= op == 0x66;
        r->short_address |= op == 0x67;
        r->wide = op >> 3 == 0x48 >> 3;
        op = next(r);
    }
    return op;
}

/* Where it leads, of those whose operands say nothing of that. */
static enum wick_x86_flow flow_of(uint8_t op, const uint8_t *operands, const uint8_t *end)
{
    if (op == 0x85 && operands < end && *operands >> 6 != 3)
        return WICK_X86_POLL;
    return op == 0xc3 || op == 0xcb || op == 0xcc || op == 0xcf || op == 0xf4 ? WICK_X86_END : WICK_X86_NEXT;
}

static void decode(struct reader *r, struct wick_x86_insn *out)
{
    uint8_t op = opcode(r);
    unsigned map;
    out->flow = flow_of(op, r->at, r->end);
    switch (op) {
    case 0x0f:
        map = r->at == r->end ? 1 : *r->at == 0x38 ? 2 : *r->at == 0x3a ? 3 : 1;
        skip(r, map > 1);
        return mapped(r, map, out);
    case 0xc5: /* VEX */
        skip(r, 1);
        return mapped(r, 1, out);
    case 0xc4:
        map = next(r) & 0x1f;
        skip(r, 1);
        return mapped(r, map, out);
    case 0x62: /* EVEX */
        map = next(r) & 7;
        skip(r, 2);
        return mapped(r, map, out);
    default:
        return one_byte[op] == '*' ? lone(r, op, out) : operands(r, one_byte[op], out);
    }
}

unsigned wick_x86_insn(const uint8_t *code, size_t n, struct wick_x86_insn *out)
{
    struct reader r = {.at = code, .end = code + (n < WICK_X86_INSN_MOST ? n : WICK_X86_INSN_MOST)};
    *out = (struct wick_x86_insn){0};
    decode(&r, out);
    if (r.failed)
        return 0;
    out->length = (uint8_t)(r.at - code);
    return out->length;
}
