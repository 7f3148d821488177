/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information of compiled methods: numbers, the search for a pc, inlined scopes, and streams that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_space.h"
#include "hotspot/scopes.h"
#include "hotspot/unsigned5.h"
#include "unsigned5_encode.h"

#define COUNT(a)  (sizeof(a) / sizeof *(a))
#define METHOD(i) (0x7f1000000000ull + 64 * (uint64_t)(i))

static struct space space;

static void check_number(uint32_t v, int since20)
{
    uint8_t buf[8];
    uint8_t *end = encode5(buf, v, since20);
    const uint8_t *p = buf;
    assert_int_equal(wick_unsigned5(&p, end, (uint8_t)since20), v);
    assert_ptr_equal(p, end);
    for (uint8_t *cut = buf; cut < end; cut++) {
        p = buf;
        assert_int_equal(wick_unsigned5(&p, cut, (uint8_t)since20), 0);
        assert_null(p);
    }
    p = buf;
    end = encode5_signed(buf, (int32_t)v, since20);
    assert_int_equal(wick_unsigned5_signed(&p, end, (uint8_t)since20), (int32_t)v);
    assert_ptr_equal(p, end);
}

static void test_unsigned5__what_was_encoded_is_decoded(void **state)
{
    for (int since20 = 0; since20 < 2; since20++) {
        uint64_t x = 88172645463325252u;
        for (uint32_t v = 0; v < 20000; v++)
            check_number(v, since20);
        for (int bit = 0; bit < 32; bit++)
            for (int d = -200; d <= 200; d++)
                check_number((1u << bit) + (uint32_t)d, since20);
        for (int i = 0; i < 20000; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            check_number((uint32_t)x, since20);
        }
        check_number(UINT32_MAX, since20);
    }
}

/* The first byte that says "more follows" is 192 in both formats, but stands for another number. */
static void test_unsigned5__bytes_190_to_193_are_the_boundary(void **state)
{
    static const struct {
        uint8_t bytes[2], excluded, used;
        uint32_t value;
    } cases[] = {
        {{190, 0}, 0, 1, 190}, {{191, 0}, 0, 1, 191}, {{192, 0}, 0, 2, 192}, {{193, 0}, 0, 2, 193},
        {{192, 1}, 0, 2, 256}, {{190, 1}, 1, 1, 189}, {{191, 1}, 1, 1, 190}, {{192, 1}, 1, 2, 191},
        {{193, 1}, 1, 2, 192}, {{192, 2}, 1, 2, 255}, {{255, 255}, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint8_t *p = cases[i].bytes;
        assert_int_equal(wick_unsigned5(&p, cases[i].bytes + 2, cases[i].excluded), cases[i].value);
        assert_ptr_equal(p, cases[i].used ? cases[i].bytes + cases[i].used : NULL);
    }
}

static void test_unsigned5__a_zero_byte_ends_a_stream_since_20(void **state)
{
    const uint8_t zero[] = {0}, inner[] = {200, 0, 5};
    const uint8_t *p = zero;
    assert_int_equal(wick_unsigned5(&p, zero + 1, 0), 0);
    assert_ptr_equal(p, zero + 1);
    p = zero;
    wick_unsigned5(&p, zero + 1, 1);
    assert_null(p);
    p = inner;
    wick_unsigned5(&p, inner + 3, 1);
    assert_null(p);
    wick_unsigned5(&p, inner + 3, 1); /* once lost, always lost */
    assert_null(p);
}

/* Five bytes are the most, whatever they say. */
static void test_unsigned5__the_fifth_byte_is_the_last(void **state)
{
    const uint8_t many[] = {255, 255, 255, 255, 255, 255};
    const uint8_t *p = many;
    wick_unsigned5(&p, many + 6, 0);
    assert_ptr_equal(p, many + 5);
}

/* --- an nmethod in each of the layouts ---------------------------------------------------------------------------- */

struct pc_row {
    int32_t pc;
    uint32_t scope;
};

struct nm {
    struct wick_jvm jvm;
    wick_addr addr, pcs, code;
    uint8_t data[8192];
    uint32_t data_bytes, pcs_bytes, metadata_count;
};

/* Offsets of our own; the code takes them from the layout. */
static void layout_for(struct wick_jvm *jvm, int major)
{
    struct wick_hs_layout *l = &jvm->layout;
    memset(jvm, 0, sizeof *jvm);
    memset(l, 0xff, sizeof *l);
    jvm->mem = &space.mem;
    jvm->major = major;
    l->nmethod_size = 128;
    l->pcdesc_size = 16;
    l->pcdesc_pc = 0;
    l->pcdesc_scope = 4;
    l->nm_method = 8;
    l->nm_scopes_pcs = 16;
    if (major >= 23) {
        l->nm_immutable = 24;
        l->nm_immutable_size = 32;
        l->nm_scopes_data = 36;
        l->cb_data_offset = 40;
        l->nm_metadata = 44;
        if (major >= 25) {
            l->cb_mutable_data = 48;
            l->cb_relocation_size = 56;
        }
        if (major >= 26)
            l->nm_immutable_refs = 60;
    } else {
        l->nm_dependencies = 20;
        l->nm_metadata = 24;
        if (major >= 9)
            l->nm_scopes_data_begin = 32;
        else
            l->nm_scopes_data = 28;
    }
}

static void place(struct nm *m, const struct pc_row *rows, size_t n)
{
    m->pcs_bytes = (uint32_t)n * 16;
    m->addr = space_take(&space, 128);
    wick_addr metadata = space_take(&space, 64 + 8 * m->metadata_count), parts;
    space_put64(&space, m->addr + 8, METHOD(0));
    if (m->jvm.major >= 23) {
        parts = space_take(&space, 32 + m->pcs_bytes + m->data_bytes);
        m->pcs = parts + 32;
        space_put64(&space, m->addr + 24, parts);
        space_put32(&space, m->addr + 32, 32 + m->pcs_bytes + m->data_bytes + (m->jvm.major >= 26 ? 8 : 0));
        space_put32(&space, m->addr + 16, 32);
        space_put32(&space, m->addr + 36, 32 + m->pcs_bytes);
        if (m->jvm.major >= 26)
            space_put32(&space, m->addr + 60, 32 + m->pcs_bytes + m->data_bytes);
        space_put(&space, m->pcs + m->pcs_bytes, m->data, m->data_bytes);
        if (m->jvm.major >= 25) {
            space_put64(&space, m->addr + 48, metadata);
            space_put32(&space, m->addr + 56, 24);
            metadata += 24;
        } else {
            space_put32(&space, m->addr + 40, (uint32_t)(metadata - m->addr));
            space_put16(&space, m->addr + 44, 16);
            metadata += 16;
        }
    } else {
        wick_addr data = space_take(&space, m->data_bytes);
        m->pcs = data + m->data_bytes;
        space_take(&space, m->pcs_bytes + 16);
        space_put(&space, data, m->data, m->data_bytes);
        space_put32(&space, m->addr + 16, (uint32_t)(m->pcs - m->addr));
        space_put32(&space, m->addr + 20, (uint32_t)(m->pcs - m->addr) + m->pcs_bytes);
        space_put32(&space, m->addr + 24, (uint32_t)(metadata - m->addr));
        if (m->jvm.major >= 9)
            space_put64(&space, m->addr + 32, data);
        else
            space_put32(&space, m->addr + 28, (uint32_t)(data - m->addr));
    }
    for (uint32_t i = 0; i < m->metadata_count; i++)
        space_put64(&space, metadata + 8 * (uint64_t)i, METHOD(i));
    for (size_t i = 0; i < n; i++) {
        space_put32(&space, m->pcs + 16 * i, (uint32_t)rows[i].pc);
        space_put32(&space, m->pcs + 16 * i + 4, rows[i].scope);
    }
}

static void begin(struct nm *m, int major)
{
    space_init(&space);
    memset(m, 0, sizeof *m);
    layout_for(&m->jvm, major);
    m->data_bytes = 1; /* offset 0 means no scope */
    m->metadata_count = 100;
}

/* Appends a scope; returns its offset. */
static uint32_t add_scope(struct nm *m, uint32_t sender, uint32_t method, int32_t bci)
{
    uint32_t at = m->data_bytes;
    uint8_t *p = m->data + at;
    p = encode5(p, sender, m->jvm.major >= 20);
    p = encode5(p, method + 1, m->jvm.major >= 20);
    p = encode5(p, (uint32_t)(bci + 1), m->jvm.major >= 20);
    m->data_bytes = (uint32_t)(p - m->data);
    return at;
}

static int scopes(const struct nm *m, uint32_t off, struct wick_hs_scope *out, int cap)
{
    return wick_hs_scopes(&m->jvm, &space.mem, &(struct wick_hs_at){.nmethod = m->addr, .off = off}, out, cap);
}

static const int majors[] = {8, 11, 17, 21, 24, 25, 26};

/* root(0) inlines 1, which inlines 2 at one place and 3 at another. */
static void make_inlined(struct nm *m, int major)
{
    begin(m, major);
    uint32_t root = add_scope(m, 0, 0, 300), mid = add_scope(m, root, 1, -1), in2 = add_scope(m, mid, 2, 0),
             in3 = add_scope(m, mid, 3, 70000);
    const struct pc_row rows[] = {{-1, 0}, {16, root}, {40, in2}, {64, in3}, {80, 0}, {0x7fffffff, 0}};
    place(m, rows, COUNT(rows));
}

static void test_scopes__inlined_methods_come_innermost_first_in_every_layout(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        struct nm m;
        struct wick_hs_scope s[8];
        make_inlined(&m, majors[i]);
        assert_int_equal(scopes(&m, 40, s, 8), 3);
        assert_int_equal(s[0].method, METHOD(2));
        assert_int_equal(s[0].bci, 0);
        assert_int_equal(s[1].method, METHOD(1));
        assert_int_equal(s[1].bci, -1);
        assert_int_equal(s[2].method, METHOD(0));
        assert_int_equal(s[2].bci, 300);
        assert_int_equal(scopes(&m, 64, s, 8), 3);
        assert_int_equal(s[0].method, METHOD(3));
        assert_int_equal(s[0].bci, 70000);
        assert_int_equal(wick_hs_nmethod_method(&m.jvm, &space.mem, m.addr), METHOD(0));
    }
}

static void test_scopes__the_first_pc_at_or_after_decides(void **state)
{
    static const struct {
        uint32_t off;
        int n;
        wick_addr leaf;
    } cases[] = {{0, 1, METHOD(0)},  {15, 1, METHOD(0)}, {16, 1, METHOD(0)}, {17, 3, METHOD(2)},
                 {40, 3, METHOD(2)}, {41, 3, METHOD(3)}, {64, 3, METHOD(3)}};
    struct nm m;
    struct wick_hs_scope s[8];
    make_inlined(&m, 17);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(scopes(&m, cases[i].off, s, 8), cases[i].n);
        assert_int_equal(s[0].method, cases[i].leaf);
    }
}

/* Only sentinels, a place without a scope, and behind the last place: the compiled method itself is known at least. */
static void test_scopes__without_debug_information_the_method_itself_is_reported(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        struct nm m;
        struct wick_hs_scope s[4];
        make_inlined(&m, majors[i]);
        static const uint32_t offs[] = {65, 80, 81, 5000, 0x7ffffffe};
        for (size_t k = 0; k < COUNT(offs); k++) {
            assert_int_equal(scopes(&m, offs[k], s, 4), 1);
            assert_int_equal(s[0].method, METHOD(0));
            assert_int_equal(s[0].bci, -1);
        }
        begin(&m, majors[i]);
        const struct pc_row sentinels[] = {{-1, 0}, {0x7fffffff, 0}};
        place(&m, sentinels, 2);
        assert_int_equal(scopes(&m, 10, s, 4), 1);
        assert_int_equal(s[0].bci, -1);
        begin(&m, majors[i]);
        place(&m, NULL, 0);
        assert_int_equal(scopes(&m, 10, s, 4), 1);
    }
}

static void test_scopes__deep_inlining_keeps_the_innermost(void **state)
{
    struct nm m;
    struct wick_hs_scope s[100];
    begin(&m, 21);
    uint32_t last = 0;
    for (uint32_t i = 0; i < 90; i++)
        last = add_scope(&m, last, i, (int32_t)i);
    const struct pc_row rows[] = {{-1, 0}, {8, last}, {0x7fffffff, 0}};
    place(&m, rows, 3);
    assert_int_equal(scopes(&m, 8, s, 100), 90);
    assert_int_equal(s[0].bci, 89);
    assert_int_equal(s[89].method, METHOD(0));
    s[64].bci = -77;
    assert_int_equal(scopes(&m, 8, s, 64), 64);
    assert_int_equal(s[63].bci, 26);
    assert_int_equal(s[64].bci, -77);
}

static void test_scopes__a_stream_that_goes_in_circles_ends(void **state)
{
    struct nm m;
    struct wick_hs_scope s[64];
    begin(&m, 17);
    uint32_t a = add_scope(&m, 0, 1, 5);
    uint32_t b = add_scope(&m, a, 2, 6);
    uint8_t *p = encode5(m.data + a, b, 0); /* a's sender is b, its own callee */
    p = encode5(p, 2, 0);
    encode5(p, 6, 0);
    const struct pc_row rows[] = {{-1, 0}, {8, b}, {0x7fffffff, 0}};
    place(&m, rows, 3);
    assert_int_equal(scopes(&m, 8, s, 64), 2);
    assert_int_equal(s[1].method, METHOD(1));
}

static void test_scopes__a_truncated_stream_is_malformed(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        struct nm m;
        struct wick_hs_scope s[8];
        begin(&m, majors[i]);
        uint32_t at = add_scope(&m, 0, 0, 1000000);
        m.data_bytes--; /* the bci needs four bytes */
        const struct pc_row rows[] = {{-1, 0}, {8, at}, {0x7fffffff, 0}};
        place(&m, rows, 3);
        assert_int_equal(scopes(&m, 8, s, 8), -WICK_E_FORMAT);
    }
}

static void test_scopes__wild_method_numbers_are_refused(void **state)
{
    struct nm m;
    struct wick_hs_scope s[8];
    begin(&m, 17);
    uint32_t none = add_scope(&m, 0, UINT32_MAX, 0), huge = add_scope(&m, 0, 1u << 20, 0);
    const struct pc_row rows[] = {{-1, 0}, {8, none}, {16, huge}, {24, 1u << 30}, {0x7fffffff, 0}};
    place(&m, rows, COUNT(rows));
    assert_int_equal(scopes(&m, 8, s, 8), -WICK_E_FORMAT);
    assert_int_equal(scopes(&m, 16, s, 8), -WICK_E_FORMAT);
    assert_int_equal(scopes(&m, 24, s, 8), 1); /* a scope outside of the data is none */
}

static void test_scopes__freed_nmethods_are_errors(void **state)
{
    for (size_t i = 0; i < COUNT(majors); i++) {
        struct nm m;
        struct wick_hs_scope s[8];
        make_inlined(&m, majors[i]);
        assert_int_equal(wick_hs_scopes(&m.jvm, &space.mem, &(struct wick_hs_at){.nmethod = 0x10}, s, 8),
                         -WICK_E_FAULT);
        space_put64(&space, m.addr + 8, 0);
        assert_int_equal(scopes(&m, 40, s, 8), -WICK_E_FORMAT);
        for (int junk = 0; junk < 256; junk++) {
            uint8_t b[128];
            memset(b, junk, sizeof b);
            space_put(&space, m.addr, b, sizeof b);
            int n = scopes(&m, 40, s, 8);
            assert_true(n >= -WICK_E_COUNT && n <= 8 && n != 0);
        }
    }
}

static void test_scopes__odd_sizes_of_rows_are_refused(void **state)
{
    struct nm m;
    struct wick_hs_scope s[8];
    make_inlined(&m, 17);
    static const int32_t sizes[] = {33, 4, 65535};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        m.jvm.layout.pcdesc_size = sizes[i];
        assert_int_equal(scopes(&m, 40, s, 8), -WICK_E_FORMAT);
    }
    m.jvm.layout.pcdesc_size = 16;
    m.jvm.layout.nmethod_size = 513;
    assert_int_equal(scopes(&m, 40, s, 8), -WICK_E_FAULT);
}

/* --- code that is described at safepoints only --- */

enum { CODE_BYTES = 160 };

/* Root(0) inlines 1 and 2; its code, with where it is described:
 *
 *       0  test rax, rax              a loop
 *       3  jne 20                     a type that was never seen
 *       5  inc rax
 *       8  test [r10], eax   1        the poll of each round
 *      11  jmp 0
 *      13  ret
 *      20  mov edi, 1                 the trap
 *      25  call                       described behind it
 *      30  int3              2
 *      40  inc rax                    code that C2 has put behind all of this
 *      43  jne 40
 *      45  ret
 *      46  inc rax                    a loop to which nothing is said but what stands behind it
 *      49  jmp 46
 *      60  nop               2
 *      64  call                       of the JVM's own code
 *      69  inc rax
 *      72  test [r10], eax   1
 *      75  test rax, rax
 *      78  jne 130
 *      80  inc rax, four times
 *      92  jmp 8
 *      96  call                       the last thing of the root before a loop of 1
 *     101  inc rax, six times 0
 *     119  test [r10], eax   1
 *     122  jmp 101
 *     130  mov edi, 1                 another trap
 *     135  call
 *     140  int3              2
 *     142  inc rax                    a loop without a description
 *     145  jne 142
 *     147  test [r10], eax   1        behind it
 */
static const struct {
    uint32_t at;
    uint8_t bytes[6], n;
} flow_code[] = {
    {0, {0x48, 0x85, 0xc0}, 3},
    {3, {0x75, 15}, 2},
    {5, {0x48, 0xff, 0xc0}, 3},
    {8, {0x41, 0x85, 0x02}, 3},
    {11, {0xeb, 0xf3}, 2},
    {13, {0xc3}, 1},
    {20, {0xbf, 1}, 5},
    {25, {0xe8}, 5},
    {30, {0xcc}, 1},
    {40, {0x48, 0xff, 0xc0}, 3},
    {43, {0x75, 0xfb}, 2},
    {45, {0xc3}, 1},
    {46, {0x48, 0xff, 0xc0}, 3},
    {49, {0xeb, 0xfb}, 2},
    {60, {0x0f, 0x1f, 0x40}, 4},
    {64, {0xe8}, 5},
    {69, {0x48, 0xff, 0xc0}, 3},
    {72, {0x41, 0x85, 0x02}, 3},
    {75, {0x48, 0x85, 0xc0}, 3},
    {78, {0x75, 0x32}, 2},
    {80, {0x48, 0xff, 0xc0}, 3},
    {83, {0x48, 0xff, 0xc0}, 3},
    {86, {0x48, 0xff, 0xc0}, 3},
    {89, {0x48, 0xff, 0xc0}, 3},
    {92, {0xeb, 0xaa}, 2},
    {96, {0xe8}, 5},
    {101, {0x48, 0xff, 0xc0}, 3},
    {104, {0x48, 0xff, 0xc0}, 3},
    {107, {0x48, 0xff, 0xc0}, 3},
    {110, {0x48, 0xff, 0xc0}, 3},
    {113, {0x48, 0xff, 0xc0}, 3},
    {116, {0x48, 0xff, 0xc0}, 3},
    {119, {0x41, 0x85, 0x02}, 3},
    {122, {0xeb, 0xe9}, 2},
    {130, {0xbf, 1}, 5},
    {135, {0xe8}, 5},
    {140, {0xcc}, 1},
    {142, {0x48, 0xff, 0xc0}, 3},
    {145, {0x75, 0xfb}, 2},
    {147, {0x41, 0x85, 0x02}, 3},
};

static void set_code_end(const struct nm *m, int32_t bytes)
{
    if (m->jvm.step.code_is_pointer) {
        space_put64(&space, m->addr + 96, m->code);
        space_put64(&space, m->addr + 104, m->code + (wick_addr)bytes);
    } else {
        space_put32(&space, m->addr + 96, (uint32_t)(m->code - m->addr));
        space_put32(&space, m->addr + 104, (uint32_t)(m->code - m->addr) + (uint32_t)bytes);
    }
}

static void make_flow(struct nm *m, int major)
{
    begin(m, major);
    m->jvm.step.cb_code = 96;
    m->jvm.step.cb_code_end = 104;
    m->jvm.step.code_is_pointer = major >= 9 && major <= 22;
    uint32_t one = add_scope(m, add_scope(m, 0, 0, 10), 1, 11), two = add_scope(m, add_scope(m, 0, 0, 20), 2, 22);
    uint32_t root = add_scope(m, 0, 0, 30);
    const struct pc_row rows[] = {{-1, 0},     {8, one},   {30, two},  {60, two},  {72, one},
                                  {101, root}, {119, one}, {140, two}, {147, one}, {0x7fffffff, 0}};
    place(m, rows, COUNT(rows));
    m->code = space_take(&space, CODE_BYTES);
    set_code_end(m, CODE_BYTES);
    for (size_t i = 0; i < COUNT(flow_code); i++)
        space_put(&space, m->code + flow_code[i].at, flow_code[i].bytes, flow_code[i].n);
}

static int near(const struct nm *m, uint32_t off, struct wick_hs_scope *out)
{
    return wick_hs_scopes(&m->jvm, &space.mem, &(struct wick_hs_at){m->addr, off, true}, out, 8);
}

struct near_case {
    uint32_t off;
    int n;
    wick_addr leaf;
};

static void check_near(const struct near_case *cases, size_t count)
{
    for (size_t k = 0; k < COUNT(majors); k++) {
        struct nm m;
        struct wick_hs_scope s[8];
        make_flow(&m, majors[k]);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(near(&m, cases[i].off, s), cases[i].n);
            assert_int_equal(s[0].method, cases[i].leaf);
            assert_int_equal(s[cases[i].n - 1].method, METHOD(0));
        }
    }
}

static void test_scopes__between_safepoints_the_description_met_first_decides(void **state)
{
    static const struct near_case cases[] = {
        {8, 2, METHOD(1)},  /* as it stands there */
        {5, 2, METHOD(1)},  /* the poll, one instruction on */
        {11, 2, METHOD(1)}, /* the next round's, and not the trap's behind it */
        {20, 2, METHOD(2)}, /* the trap's */
        {25, 2, METHOD(2)}, {30, 2, METHOD(2)},
    };
    struct nm m;
    struct wick_hs_scope s[8];
    check_near(cases, COUNT(cases));
    make_flow(&m, 17);
    assert_int_equal(scopes(&m, 11, s, 8), 2); /* the order of the code says otherwise */
    assert_int_equal(s[0].method, METHOD(2));
}

static void test_scopes__in_a_loop_its_only_description_decides(void **state)
{
    static const struct near_case cases[] = {
        {104, 2, METHOD(1)}, /* five instructions before the poll; what stands before the loop is of the root */
        {116, 2, METHOD(1)},
        {122, 2, METHOD(1)},
    };
    check_near(cases, COUNT(cases));
}

/* The loops at 40 and 46 end, or do not, before anything is described: 30 and 60 stand around them, both in 2. */
static void test_scopes__where_none_is_met_what_stands_around_has_to_agree(void **state)
{
    static const struct near_case cases[] = {
        {40, 2, METHOD(2)},
        {43, 2, METHOD(2)},
        {46, 2, METHOD(2)},
        {13, 1, METHOD(0)} /* between 8 and 30, in 1 and 2 */
    };
    check_near(cases, COUNT(cases));
}

/* What is met some way off may be of another call than what was passed before: only what both are in is known. */
static void test_scopes__far_from_a_description_what_was_passed_has_to_agree(void **state)
{
    static const struct near_case cases[] = {
        {69, 1, METHOD(0)}, /* behind a call: 1 is next, but the call may be of what was before that, 2 */
        {72, 2, METHOD(1)},
        {80, 1, METHOD(0)},  /* five instructions before the poll of 1, and a trap of 2 has just been passed by */
        {86, 2, METHOD(1)},  /* near enough */
        {142, 1, METHOD(0)}, /* near as well, but the loop may be of what was passed before it */
        {145, 1, METHOD(0)},
        {147, 2, METHOD(1)},
    };
    check_near(cases, COUNT(cases));
}

/* A description that stands neither at a poll nor behind a call is of code that is described throughout. */
static void test_scopes__code_that_is_described_throughout_is_taken_in_its_order(void **state)
{
    struct nm m;
    struct wick_hs_scope s[8];
    make_flow(&m, 17);
    assert_int_equal(near(&m, 80, s), 1);
    space_put32(&space, m.pcs + 16 * 5, 89); /* that of the root at 101 */
    assert_int_equal(near(&m, 80, s), 1);
    assert_int_equal(s[0].bci, 30);
    space_put32(&space, m.pcs + 16 * 4, 83); /* that of 1 at 72 */
    assert_int_equal(near(&m, 80, s), 2);
    assert_int_equal(s[0].method, METHOD(1));
}

static void test_scopes__code_that_cannot_be_followed_is_taken_in_its_order(void **state)
{
    for (size_t k = 0; k < COUNT(majors); k++) {
        struct nm m;
        struct wick_hs_scope s[8];
        const uint8_t none = 0x06; /* no instruction */
        make_flow(&m, majors[k]);
        assert_int_equal(near(&m, 11, s), 2);
        assert_int_equal(s[0].method, METHOD(1));
        space_put(&space, m.code, &none, 1);
        assert_int_equal(near(&m, 11, s), 2);
        assert_int_equal(s[0].method, METHOD(2));
        make_flow(&m, majors[k]);
        set_code_end(&m, -8);
        assert_int_equal(near(&m, 11, s), 2);
        assert_int_equal(s[0].method, METHOD(2));
    }
}

/* Each scope's sender must lie before it, but there may be any number. */
static void test_scopes__chains_without_end_are_refused(void **state)
{
    struct nm m;
    struct wick_hs_scope s[8];
    begin(&m, 17);
    uint32_t last = 0;
    for (int i = 0; i < 1000; i++)
        last = add_scope(&m, last, 0, i);
    const struct pc_row rows[] = {{-1, 0}, {40, last}, {50, last}, {0x7fffffff, 0}};
    place(&m, rows, COUNT(rows));
    m.jvm.step.cb_code = 96;
    m.jvm.step.cb_code_end = 104;
    m.code = space_take(&space, CODE_BYTES);
    set_code_end(&m, CODE_BYTES);
    const uint8_t ret = 0xc3, poll[] = {0x41, 0x85, 0x02};
    space_put(&space, m.code + 45, &ret, 1);
    space_put(&space, m.code + 50, poll, sizeof poll);
    assert_int_equal(near(&m, 45, s), -WICK_E_FORMAT);
    assert_int_equal(near(&m, 40, s), 8);
}

/* Whatever bytes stand for code, the search ends, and stays in it. */
static void test_scopes__any_bytes_are_followed_to_an_end(void **state)
{
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 2000; round++) {
        struct nm m;
        struct wick_hs_scope s[8];
        uint8_t bytes[CODE_BYTES];
        make_flow(&m, majors[(size_t)round % COUNT(majors)]);
        for (size_t i = 0; i < sizeof bytes; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            bytes[i] = (uint8_t)(round % 2 ? x : x % 4 ? 0x75 : x >> 8); /* every other time mostly branches */
        }
        space_put(&space, m.code, bytes, sizeof bytes);
        for (uint32_t off = 0; off <= CODE_BYTES + 1; off++) {
            int n = near(&m, off, s);
            assert_true(n == 1 || n == 2);
            assert_int_equal(s[n - 1].method, METHOD(0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsigned5__what_was_encoded_is_decoded),
        cmocka_unit_test(test_unsigned5__bytes_190_to_193_are_the_boundary),
        cmocka_unit_test(test_unsigned5__a_zero_byte_ends_a_stream_since_20),
        cmocka_unit_test(test_unsigned5__the_fifth_byte_is_the_last),
        cmocka_unit_test(test_scopes__inlined_methods_come_innermost_first_in_every_layout),
        cmocka_unit_test(test_scopes__the_first_pc_at_or_after_decides),
        cmocka_unit_test(test_scopes__without_debug_information_the_method_itself_is_reported),
        cmocka_unit_test(test_scopes__deep_inlining_keeps_the_innermost),
        cmocka_unit_test(test_scopes__a_stream_that_goes_in_circles_ends),
        cmocka_unit_test(test_scopes__a_truncated_stream_is_malformed),
        cmocka_unit_test(test_scopes__wild_method_numbers_are_refused),
        cmocka_unit_test(test_scopes__freed_nmethods_are_errors),
        cmocka_unit_test(test_scopes__odd_sizes_of_rows_are_refused),
        cmocka_unit_test(test_scopes__between_safepoints_the_description_met_first_decides),
        cmocka_unit_test(test_scopes__in_a_loop_its_only_description_decides),
        cmocka_unit_test(test_scopes__code_that_is_described_throughout_is_taken_in_its_order),
        cmocka_unit_test(test_scopes__chains_without_end_are_refused),
        cmocka_unit_test(test_scopes__any_bytes_are_followed_to_an_end),
        cmocka_unit_test(test_scopes__where_none_is_met_what_stands_around_has_to_agree),
        cmocka_unit_test(test_scopes__far_from_a_description_what_was_passed_has_to_agree),
        cmocka_unit_test(test_scopes__code_that_cannot_be_followed_is_taken_in_its_order),
    };
    return cmocka_run_group_tests_name("hotspot_scopes", tests, NULL, NULL);
}
