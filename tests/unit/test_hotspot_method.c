/* SPDX-License-Identifier: Apache-2.0 */
/* Names and line tables copied out of a fake metaspace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "fake_space.h"
#include "hotspot/method.h"
#include "unsigned5_encode.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { CM_SIZE = 48, POOL_SIZE = 80, CODE_SIZE = 10, HAS_LINES = 0x4, ACC_STATIC = 8 };

static struct space space;
static struct wick_jvm jvm;

struct line {
    uint32_t bci, line;
};

struct fake_method {
    wick_addr method, cm, pool, klass, class_name;
    struct wick_hs_method_id id;
};

static void set_layout(int major)
{
    struct wick_hs_layout *l = &jvm.layout;
    memset(&jvm, 0, sizeof jvm);
    memset(l, 0xff, sizeof *l);
    jvm.mem = &space.mem;
    jvm.major = major;
    l->method_const = 8;
    l->method_access = 40;
    l->constmethod_size = CM_SIZE;
    l->cm_constants = 8;
    l->cm_total_size = 16;
    l->cm_flags = 20;
    l->cm_has_lines = HAS_LINES;
    l->cm_code_size = 22;
    l->cm_name = 24;
    l->cm_signature = 26;
    l->constantpool_size = POOL_SIZE;
    l->cp_holder = 24;
    l->klass_name = 16;
    l->symbol_length = 4;
    l->symbol_body = 6;
}

static wick_addr symbol(const char *text, size_t len)
{
    wick_addr at = space_take(&space, 6 + len);
    space_put16(&space, at + 4, (uint16_t)len);
    space_put(&space, at + 6, text, len);
    return at;
}

/* A method whose compressed line table is the given bytes. */
static void make(struct fake_method *m, const char *class, const char *name, const char *sig, const uint8_t *table,
                 size_t n)
{
    m->method = space_take(&space, 64);
    m->cm = space_take(&space, CM_SIZE + CODE_SIZE + n + 8);
    m->pool = space_take(&space, POOL_SIZE + 8 * 16);
    m->klass = space_take(&space, 64);
    m->class_name = symbol(class, strlen(class));
    space_put64(&space, m->method + 8, m->cm);
    space_put16(&space, m->method + 40, ACC_STATIC);
    space_put64(&space, m->cm + 8, m->pool);
    space_put32(&space, m->cm + 16, (uint32_t)(CM_SIZE + CODE_SIZE + n + 8 + 7) / 8);
    space_put16(&space, m->cm + 20, table ? HAS_LINES | 1 : 1);
    space_put16(&space, m->cm + 22, CODE_SIZE);
    space_put16(&space, m->cm + 24, 3);
    space_put16(&space, m->cm + 26, 9);
    if (n)
        space_put(&space, m->cm + CM_SIZE + CODE_SIZE, table, n);
    space_put64(&space, m->pool + 24, m->klass);
    space_put64(&space, m->pool + POOL_SIZE + 8 * 3, symbol(name, strlen(name)));
    space_put64(&space, m->pool + POOL_SIZE + 8 * 9, symbol(sig, strlen(sig)) | 1); /* tagged */
    space_put64(&space, m->klass + 16, m->class_name);
}

/* HotSpot's own writer (hotspot/share/code/compressedStream.cpp: CompressedLineNumberWriteStream::write_pair). */
static size_t compress(const struct line *lines, size_t n, int since20, uint8_t *to)
{
    uint8_t *p = to;
    uint32_t bci = 0, line = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t db = (int32_t)(lines[i].bci - bci), dl = (int32_t)(lines[i].line - line);
        if (db >= 0 && db < 32 && dl >= 0 && dl < 8 && (db << 3 | dl) != 0xff && (db << 3 | dl) != 0) {
            *p++ = (uint8_t)(db << 3 | dl);
        } else {
            *p++ = 0xff;
            p = encode5_signed(p, db, since20);
            p = encode5_signed(p, dl, since20);
        }
        bci = lines[i].bci;
        line = lines[i].line;
    }
    *p++ = 0;
    return (size_t)(p - to);
}

static int copy(struct fake_method *m, void *buf, uint32_t cap)
{
    int r = wick_hs_method_identity(&jvm, &space.mem, m->method, &m->id);
    return r ? r : wick_hs_method_copy(&jvm, &space.mem, &m->id, buf, cap);
}

static void test_identity__names_where_everything_is(void **state)
{
    struct fake_method m;
    space_init(&space);
    set_layout(17);
    make(&m, "a/B", "c", "()V", NULL, 0);
    assert_int_equal(wick_hs_method_identity(&jvm, &space.mem, m.method, &m.id), 0);
    assert_int_equal(m.id.method, m.method);
    assert_int_equal(m.id.const_method, m.cm);
    assert_int_equal(m.id.constants, m.pool);
    assert_int_equal(m.id.class_name, m.class_name);
}

static void test_identity__what_is_no_method_is_refused_and_leaves_the_output_alone(void **state)
{
    static const wick_addr wild[] = {0, 8, 4088, SPACE_BASE + 1, UINT64_MAX - 7, 0x7f0000000000};
    struct wick_hs_method_id id = {1, 2, 3, 4};
    struct fake_method m;
    space_init(&space);
    set_layout(17);
    make(&m, "a/B", "c", "()V", NULL, 0);
    for (size_t i = 0; i < COUNT(wild); i++)
        assert_int_equal(wick_hs_method_identity(&jvm, &space.mem, wild[i], &id), -WICK_E_FAULT);
    const wick_addr links[] = {m.method + 8, m.cm + 8, m.pool + 24, m.klass + 16};
    for (size_t i = 0; i < COUNT(links); i++) {
        space_put64(&space, links[i], 0);
        assert_int_equal(wick_hs_method_identity(&jvm, &space.mem, m.method, &id), -WICK_E_FAULT);
        space_put64(&space, links[i], 0x7f0000000000);
        if (i < 3) /* the name itself is only read by the copy */
            assert_int_equal(wick_hs_method_identity(&jvm, &space.mem, m.method, &id), -WICK_E_FAULT);
        space_put64(&space, links[i], i == 0 ? m.cm : i == 1 ? m.pool : i == 2 ? m.klass : m.class_name);
    }
    assert_true(id.method == 1 && id.class_name == 4);
}

static void test_copy__holds_names_access_and_lines_one_behind_the_other(void **state)
{
    const struct line lines[] = {{0, 10}, {5, 12}};
    uint8_t table[64], buf[256];
    struct wick_hs_method *h = (void *)buf;
    struct fake_method m;
    space_init(&space);
    set_layout(17);
    size_t n = compress(lines, 2, 0, table);
    make(&m, "java/lang/String", "format", "(I)V", table, n);
    int used = copy(&m, buf, sizeof buf);
    assert_int_equal(used, sizeof *h + 16 + 6 + 4 + n);
    assert_memory_equal(h->data, "java/lang/Stringformat(I)V", 26);
    assert_int_equal(h->class_len, 16);
    assert_int_equal(h->name_len, 6);
    assert_int_equal(h->sig_len, 4);
    assert_int_equal(h->access, ACC_STATIC);
    assert_int_equal(h->line_bytes, n);
    assert_memory_equal(h->data + 26, table, n);
}

static void test_copy__knows_of_synchronized_blocks(void **state)
{
    uint8_t buf[256];
    struct wick_hs_method *h = (void *)buf;
    struct fake_method m;
    (void)state;
    for (uint32_t flags = 0; flags < 4; flags++) {
        space_init(&space);
        set_layout(21);
        make(&m, "java/lang/String", "format", "(I)V", NULL, 0);
        jvm.layout.method_vtable = 44;
        jvm.layout.method_intrinsic = 52;
        space_put32(&space, m.method + 48, flags | 0x100);
        assert_true(copy(&m, buf, sizeof buf) > 0);
        assert_int_equal(h->access, ACC_STATIC | (flags & 1 ? WICK_HS_METHOD_BLOCKS : 0));
    }
    for (unsigned unknown = 0; unknown < 3; unknown++) {
        jvm.major = unknown == 0 ? 17 : 21;
        jvm.layout.method_intrinsic = unknown == 1 ? 50 : unknown == 2 ? 7 : 52;
        jvm.layout.method_vtable = unknown == 2 ? -1 : 44;
        assert_true(copy(&m, buf, sizeof buf) > 0);
        assert_int_equal(h->access, ACC_STATIC);
    }
}

static void test_copy__never_writes_beyond_its_room(void **state)
{
    const struct line lines[] = {{0, 10}, {5, 1200}};
    uint8_t table[64];
    struct fake_method m;
    space_init(&space);
    set_layout(17);
    size_t n = compress(lines, 2, 0, table);
    make(&m, "java/lang/String", "format", "(I)V", table, n);
    const uint32_t names = sizeof(struct wick_hs_method) + 26;
    for (uint32_t cap = 0; cap < names + n + 2; cap++) {
        uint8_t *buf = malloc(cap ? cap : 1); /* the sanitizer watches its end */
        int used = copy(&m, buf, cap);
        if (cap < names) {
            assert_int_equal(used, -WICK_E_LIMIT);
        } else {
            assert_int_equal(used, cap < names + n ? names : names + n);
            assert_int_equal(((struct wick_hs_method *)buf)->line_bytes, cap < names + n ? 0 : n);
        }
        free(buf);
    }
}

static void test_copy__long_names_are_cut_and_unreadable_ones_are_errors(void **state)
{
    static char name[60000];
    static uint8_t buf[20000];
    struct wick_hs_method *h = (void *)buf;
    struct fake_method m;
    memset(name, 'n', sizeof name - 1);
    space_init(&space);
    set_layout(17);
    make(&m, "a/B", name, "()V", NULL, 0);
    assert_int_equal(copy(&m, buf, sizeof buf), sizeof *h + 3 + 4096 + 3);
    assert_int_equal(h->name_len, 4096);
    static const wick_addr wild[] = {0, 1, 0x7f0000000000};
    for (size_t i = 0; i < COUNT(wild); i++) {
        space_put64(&space, m.pool + POOL_SIZE + 8 * 3, wild[i]);
        assert_int_equal(copy(&m, buf, sizeof buf), -WICK_E_FAULT);
    }
}

/* Reference: the line of the last entry, in order of bci, at or before the bci. */
static uint32_t expected_line(const struct line *lines, size_t n, uint32_t bci)
{
    uint32_t best = 0;
    int64_t at = -1;
    for (size_t i = 0; i < n; i++)
        if (lines[i].bci <= bci && (int64_t)lines[i].bci >= at) {
            at = lines[i].bci;
            best = lines[i].line;
        }
    return best;
}

static void check_lines(int major, const struct line *lines, size_t n)
{
    static uint8_t table[4096], buf[8192];
    struct fake_method m;
    space_init(&space);
    set_layout(major);
    size_t bytes = compress(lines, n, major >= 20, table);
    make(&m, "a/B", "c", "()V", table, bytes);
    assert_true(copy(&m, buf, sizeof buf) > 0);
    const struct wick_hs_method *h = (void *)buf;
    assert_int_equal(h->line_bytes, bytes);
    for (uint32_t bci = 0; bci < 1000; bci++)
        assert_int_equal(wick_hs_method_line(h, bci, major >= 20), expected_line(lines, n, bci));
    assert_int_equal(wick_hs_method_line(h, 65535, major >= 20), expected_line(lines, n, 65535));
}

static void test_lines__every_bci_has_the_line_that_the_writer_meant(void **state)
{
    static const struct line small[] = {{0, 1}, {3, 2}, {9, 9}, {40, 10}}, late[] = {{7, 100}},
                             far[] = {{0, 40000}, {31, 40007}, {500, 65535}, {900, 3}},
                             falling[] = {{0, 50}, {10, 40}, {20, 60}, {30, 7}},
                             unordered[] = {{20, 5}, {4, 9}, {10, 2}, {60, 3}}, same[] = {{5, 1}, {5, 2}, {5, 3}},
                             escape[] = {{0, 1}, {31, 8}, {62, 15}}; /* 31 << 3 | 7 is the escape itself */
    static const int majors[] = {8, 17, 20, 25};
    for (size_t i = 0; i < COUNT(majors); i++) {
        check_lines(majors[i], small, COUNT(small));
        check_lines(majors[i], late, COUNT(late));
        check_lines(majors[i], far, COUNT(far));
        check_lines(majors[i], falling, COUNT(falling));
        check_lines(majors[i], unordered, COUNT(unordered));
        check_lines(majors[i], same, COUNT(same));
        check_lines(majors[i], escape, COUNT(escape));
        check_lines(majors[i], NULL, 0);
    }
}

static void test_lines__long_tables_are_read_in_pieces(void **state)
{
    static struct line lines[600];
    for (uint32_t i = 0; i < COUNT(lines); i++)
        lines[i] = (struct line){i * 3, (i * 977) % 60000 + 1}; /* mostly escapes of 5 bytes */
    check_lines(17, lines, COUNT(lines));
    check_lines(25, lines, COUNT(lines));
}

static void test_lines__a_table_without_end_is_left_out(void **state)
{
    static const uint8_t endless[] = {0x09, 0x0a, 0x0b}, cut[] = {0x09, 0xff, 0xc8};
    static const struct {
        const uint8_t *bytes;
        size_t n;
    } cases[] = {{endless, sizeof endless}, {cut, sizeof cut}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t buf[512];
        struct fake_method m;
        space_init(&space);
        set_layout(17);
        make(&m, "a/B", "c", "()V", cases[i].bytes, cases[i].n);
        uint8_t fill[64];
        memset(fill, 0xc9, sizeof fill); /* no zero up to the end of the ConstMethod */
        size_t begin = CM_SIZE + CODE_SIZE + cases[i].n, end = (begin + 8 + 7) / 8 * 8;
        space_put(&space, m.cm + begin, fill, end - begin);
        assert_true(copy(&m, buf, sizeof buf) > 0);
        struct wick_hs_method *h = (void *)buf;
        assert_int_equal(h->line_bytes, 0);
        assert_int_equal(wick_hs_method_line(h, 0, 0), 0);
    }
}

static void test_lines__a_size_that_lies_costs_only_the_lines(void **state)
{
    static const uint32_t sizes[] = {0, 1, 7, UINT32_MAX};
    static const uint8_t table[] = {0x09, 0x0a};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint8_t buf[512];
        struct fake_method m;
        space_init(&space);
        set_layout(17);
        make(&m, "a/B", "c", "()V", table, sizeof table);
        memset(space.bytes + (m.cm + CM_SIZE + CODE_SIZE - SPACE_BASE) + 2, 0x11, 4000);
        space_put32(&space, m.cm + 16, sizes[i]);
        m.id = (struct wick_hs_method_id){m.method, m.cm, m.pool, symbol("a/B", 3)};
        /* names and pool lie behind and were overwritten: only that it ends well counts */
        (void)wick_hs_method_copy(&jvm, &space.mem, &m.id, buf, sizeof buf);
    }
}

/* A copied table is only bytes: any of them give some line or none. */
static void test_lines__any_bytes_are_survived(void **state)
{
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        uint32_t n = (uint32_t)(x % 24);
        struct wick_hs_method *h = malloc(sizeof *h + n);
        *h = (struct wick_hs_method){.line_bytes = n};
        for (uint32_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            h->data[i] = (x & 0x300) == 0 ? 0xff : (uint8_t)x;
        }
        for (uint8_t since20 = 0; since20 < 2; since20++)
            assert_true(wick_hs_method_line(h, (uint32_t)(x >> 20) & 0xffff, since20) <= 0xffff);
        x = x * 6364136223846793005u + 1;
        free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity__names_where_everything_is),
        cmocka_unit_test(test_identity__what_is_no_method_is_refused_and_leaves_the_output_alone),
        cmocka_unit_test(test_copy__holds_names_access_and_lines_one_behind_the_other),
        cmocka_unit_test(test_copy__knows_of_synchronized_blocks),
        cmocka_unit_test(test_copy__never_writes_beyond_its_room),
        cmocka_unit_test(test_copy__long_names_are_cut_and_unreadable_ones_are_errors),
        cmocka_unit_test(test_lines__every_bci_has_the_line_that_the_writer_meant),
        cmocka_unit_test(test_lines__long_tables_are_read_in_pieces),
        cmocka_unit_test(test_lines__a_table_without_end_is_left_out),
        cmocka_unit_test(test_lines__a_size_that_lies_costs_only_the_lines),
        cmocka_unit_test(test_lines__any_bytes_are_survived),
    };
    return cmocka_run_group_tests_name("hotspot_method", tests, NULL, NULL);
}
