/* SPDX-License-Identifier: Apache-2.0 */
/* Go's table of functions, made by hand as Go's linker does; tests/jvm/host_go reads that of a real program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "elf/go_table.h"
#include "fake_mem.h"

enum { TEXT = 0x401000, HEAD = 72, ROOM = 1024, V1_18 = 0xf0, V1_20 = 0xf1 };
enum { TOP = 1, WRITES_SP = 2 };

static const struct {
    const char *name;
    uint32_t size;
    uint8_t flags;
    uint8_t list[12]; /* changes of depth, doubled, or doubled less one where negative; bytes of code */
    uint32_t bytes;   /* of the list; 0 = it has none */
} made[] = {
    {"main.work", 64, 0, {2, 10, 64, 40, 63, 1, 0}, 7},                /* 0 to 10, 32 to 50, 0 to 51 */
    {"runtime.mcall", 32, WRITES_SP, {2, 20, 16, 8, 0}, 5},            /* 0, then 8 */
    {"runtime.systemstack", 64, WRITES_SP, {2, 60, 0}, 3},             /* 0 */
    {"runtime.nanotime1", 32, WRITES_SP, {2, 4, 48, 26, 47, 2, 0}, 7}, /* 0 to 4, 24 to 30, 0 to 32 */
    {"runtime.mstart", 16, TOP, {2, 5, 0}, 3},
    {"runtime.bare", 16, 0, {0}, 0},
    {"main.odd", 16, 0, {10, 9, 0}, 3},                  /* 4: no whole word */
    {"runtime.morestack", 16, WRITES_SP, {2, 16, 0}, 3}, /* its rbp is of another stack in later versions */
    {"main.still", 16, 0, {2, 4, 16, 0, 16, 12, 0}, 7},  /* a part without code */
};
enum { COUNT = sizeof made / sizeof *made };

static uint8_t *table; /* ROOM bytes, of malloc, so that sanitizers see what is read beyond them */
static size_t size;

static void put(size_t at, const void *p, size_t n)
{
    assert_true(at + n <= ROOM);
    memcpy(table + at, p, n);
}

static void put_32(size_t at, uint32_t v)
{
    put(at, &v, sizeof v);
}

static void make(uint8_t version)
{
    const uint64_t stacks = HEAD + 200, funcs = HEAD + 300;
    const uint64_t head[] = {COUNT, 0, TEXT, HEAD, 0, 0, stacks, funcs};
    memset(table, 0, ROOM);
    put(0, (uint8_t[]){version, 0xff, 0xff, 0xff, 0, 0, 1, 8}, 8);
    put(8, head, sizeof head);
    uint32_t code = 0, name = 0, list = 1, at = (COUNT + 1) * 8;
    for (int i = 0; i < COUNT; i++) {
        put_32(funcs + (size_t)i * 8, code);
        put_32(funcs + (size_t)i * 8 + 4, at);
        put_32(funcs + at, code);
        put_32(funcs + at + 4, name);
        put_32(funcs + at + 16, made[i].bytes ? list : 0);
        table[funcs + at + (version == V1_18 ? 37 : 41)] = made[i].flags;
        put(HEAD + name, made[i].name, strlen(made[i].name) + 1);
        put(stacks + list, made[i].list, made[i].bytes);
        code += made[i].size;
        name += (uint32_t)strlen(made[i].name) + 1;
        list += made[i].bytes;
        at += 48;
    }
    put_32(funcs + COUNT * 8, code);
    size = funcs + at;
}

/* A file that is nothing but the table. */
static struct wick_elf_file file_of(const struct wick_mem *mem)
{
    return (struct wick_elf_file){.mem = *mem,
                                  .fd = -1,
                                  .size = size,
                                  .go_table = {.size = size},
                                  .exec = {{.addr = TEXT, .size = 4096}},
                                  .n_exec = 1};
}

struct reader {
    struct wick_mem_range range;
    struct wick_mem_fake fake;
    struct wick_mem mem;
    struct wick_elf_file file;
    struct wick_go_table go;
    int rc;
};

static void open_table(struct reader *r)
{
    r->range = (struct wick_mem_range){0, size, table};
    r->fake = (struct wick_mem_fake){&r->range, 1};
    wick_mem_fake_init(&r->mem, &r->fake);
    r->file = file_of(&r->mem);
    r->rc = wick_go_table_init(&r->go, &r->file);
}

struct expected {
    uint64_t at;
    int rc;
    uint8_t reg;
    int32_t off;
    uint8_t flags;
    bool has_frame;
    uint64_t lo, hi; /* from TEXT, as at */
};

static void check_rule(const struct reader *r, const struct expected *x)
{
    struct wick_unwind_rule rule;
    uint64_t lo = 0, hi = 0;
    assert_int_equal(wick_go_table_rule(&r->go, &r->mem, TEXT + x->at, NULL, &rule, &lo, &hi), x->rc);
    if (x->rc)
        return;
    assert_int_equal(rule.flags, x->flags);
    assert_int_equal(lo - TEXT, x->lo);
    assert_int_equal(hi - TEXT, x->hi);
    if (rule.flags & WICK_RULE_END)
        return;
    assert_int_equal(rule.cfa_kind, WICK_CFA_REG);
    assert_int_equal(rule.cfa_reg, x->reg);
    assert_int_equal(rule.cfa_off, x->off);
    assert_int_equal(rule.how[WICK_SLOT_RA], WICK_HOW_CFA);
    assert_int_equal(rule.off[WICK_SLOT_RA], -8);
    assert_int_equal(rule.how[WICK_SLOT_FP], x->has_frame ? WICK_HOW_CFA : WICK_HOW_SAME);
    assert_int_equal(rule.off[WICK_SLOT_FP], x->has_frame ? -16 : 0);
}

static void test_rules__are_those_of_each_version(void **state)
{
    static const struct expected all[] = {
        {0, 0, 7, 8, 0, false, 0, 10},
        {9, 0, 7, 8, 0, false, 0, 10},
        {10, 0, 7, 40, 0, true, 10, 50},
        {50, 0, 7, 8, 0, false, 50, 51},
        {51, -WICK_E_NOTFOUND, 0, 0, 0, false, 0, 0}, /* padding */
        {64, 0, 0, 0, WICK_RULE_END, false, 64, 96},  /* mcall leaves its goroutine */
        {100, 0, 6, 16, WICK_RULE_SWITCH | WICK_RULE_GAP, true, 96, 156},
        {160, 0, 7, 8, 0, false, 160, 164}, /* its own frame is not there yet */
        {170, 0, 6, 16, WICK_RULE_SWITCH, true, 164, 190},
        {190, 0, 7, 8, 0, false, 190, 192}, /* it is no more */
        {195, 0, 0, 0, WICK_RULE_END, false, 192, 208},
        {210, -WICK_E_NOTFOUND, 0, 0, 0, false, 0, 0},
        {225, -WICK_E_FORMAT, 0, 0, 0, false, 0, 0},
        {245, 0, 0, 0, WICK_RULE_END, false, 240, 256},
        {257, 0, 7, 8, 0, false, 256, 260},
        {261, -WICK_E_FORMAT, 0, 0, 0, false, 0, 0},
        {272, -WICK_E_NOTFOUND, 0, 0, 0, false, 0, 0}, /* behind the last function */
        {(uint64_t)-1, -WICK_E_NOTFOUND, 0, 0, 0, false, 0, 0},
    };
    struct reader r;
    for (int v = 0; v < 2; v++) {
        make(v ? V1_20 : V1_18);
        open_table(&r);
        assert_int_equal(r.rc, 0);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            check_rule(&r, &all[i]);
    }
}

static void test_names__are_of_the_function_that_holds_an_address(void **state)
{
    struct reader r;
    char name[32], cut[5];
    make(V1_20);
    open_table(&r);
    uint64_t at = TEXT, begin, bytes;
    for (int i = 0; i < COUNT; at += made[i++].size) {
        assert_int_equal(
            wick_go_table_function(&r.go, &r.mem, at + made[i].size - 1, &begin, &bytes, name, sizeof name), 0);
        assert_string_equal(name, made[i].name);
        assert_int_equal(begin, at);
        assert_int_equal(bytes, made[i].size);
    }
    assert_int_equal(wick_go_table_function(&r.go, &r.mem, at, &begin, &bytes, name, sizeof name), -WICK_E_NOTFOUND);
    assert_int_equal(wick_go_table_function(&r.go, &r.mem, TEXT, &begin, &bytes, cut, sizeof cut), 0);
    assert_string_equal(cut, "main");
}

/* Functions enough that the search does more than one step. */
static void test_search__finds_each_of_many(void **state)
{
    enum { MANY = 1000, ONE = 48 };
    const uint64_t head[] = {MANY, 0, TEXT, HEAD, 0, 0, HEAD, HEAD + 16};
    const size_t funcs = HEAD + 16, descriptions = (MANY + 1) * 8;
    struct reader r;
    char name[8];
    free(table);
    size = funcs + descriptions + MANY * ONE;
    table = calloc(1, size);
    assert_non_null(table);
    memcpy(table, (uint8_t[]){V1_20, 0xff, 0xff, 0xff, 0, 0, 1, 8}, 8);
    memcpy(table + 8, head, sizeof head);
    memcpy(table + HEAD, "f", 2);
    for (uint32_t i = 0; i <= MANY; i++) {
        const uint32_t entry[2] = {i * 4, i < MANY ? (uint32_t)descriptions + i * ONE : 0};
        memcpy(table + funcs + i * sizeof entry, entry, sizeof entry);
    }
    open_table(&r);
    r.file.exec[0].size = MANY * 4;
    assert_int_equal(wick_go_table_init(&r.go, &r.file), 0);
    for (uint32_t i = 0; i < MANY * 4; i++) {
        uint64_t begin = 0, bytes = 0;
        assert_int_equal(wick_go_table_function(&r.go, &r.mem, TEXT + i, &begin, &bytes, name, sizeof name), 0);
        assert_int_equal(begin, TEXT + i / 4 * 4);
        assert_int_equal(bytes, 4);
    }
    free(table);
    table = calloc(1, ROOM);
    assert_non_null(table);
}

static void test_other_tables__are_refused(void **state)
{
    struct reader r;
    make(0xfa); /* Go 1.16 */
    open_table(&r);
    assert_int_equal(r.rc, -WICK_E_UNSUPPORTED);
    make(V1_20);
    r.file.go_table.size = 0;
    assert_int_equal(wick_go_table_init(&r.go, &r.file), -WICK_E_NOTFOUND);
    make(V1_20);
    table[24] = 1; /* its first function is no code */
    table[26] = 0;
    open_table(&r);
    assert_int_equal(r.rc, -WICK_E_FORMAT);
    make(V1_20);
    open_table(&r);
    r.file.exec[0].size = 271; /* its last one is none */
    assert_int_equal(wick_go_table_init(&r.go, &r.file), -WICK_E_FORMAT);
}

/* From Go 1.26 on it does not say where the code begins: all code is Go's, or it has a symbol, or it is not known. */
static void test_text__is_found_where_the_table_does_not_say_it(void **state)
{
    struct reader r;
    make(V1_20);
    memset(table + 24, 0, 8);
    open_table(&r);
    assert_int_equal(r.rc, 0);
    assert_int_equal(r.go.text, TEXT);
    r.file.exec[1] = (struct wick_elf_sec){.addr = TEXT - 4096, .size = 32};
    r.file.n_exec = 2;
    assert_int_equal(wick_go_table_init(&r.go, &r.file), -WICK_E_UNSUPPORTED);
    r.file.symtab.size = r.file.strtab.size = (uint64_t)1 << 40; /* of a sparse file: nobody reads it all */
    r.file.symtab.entsize = 24;
    assert_int_equal(wick_go_table_init(&r.go, &r.file), -WICK_E_UNSUPPORTED);
}

/* Rules that are asked for one after the other are those that are asked for alone, in any order. */
static void test_rules__go_on_from_the_last_one(void **state)
{
    struct reader r;
    make(V1_20);
    open_table(&r);
    for (unsigned step = 1; step <= 200; step += 3) {
        struct wick_go_found from = {0};
        for (uint64_t i = 0; i < 280; i++) {
            const uint64_t at = TEXT + i * step % 280;
            uint64_t lo[2] = {0}, hi[2] = {0};
            struct wick_unwind_rule rule[2];
            memset(rule, 0, sizeof rule);
            int rc = wick_go_table_rule(&r.go, &r.mem, at, NULL, &rule[0], &lo[0], &hi[0]);
            assert_int_equal(wick_go_table_rule(&r.go, &r.mem, at, &from, &rule[1], &lo[1], &hi[1]), rc);
            assert_memory_equal(&rule[0], &rule[1], sizeof *rule);
            assert_true(lo[0] == lo[1] && hi[0] == hi[1]);
        }
    }
}

/* The section is found by its name, which is longer where addresses are relocated. */
static void test_section__is_known_by_its_name(void **state)
{
    static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab", ".data.gopclntab", ".gopclntab2"};
    char path[] = "/tmp/wick-go-XXXXXX", command[512];
    for (unsigned i = 0; i < 4; i++) {
        struct wick_elf_file f;
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        /* the table is any bytes here: those of a small file */
        snprintf(command, sizeof command,
                 "objcopy --add-section %s=/etc/passwd --set-section-flags %s=alloc,readonly,data /bin/true '%s' "
                 "2>/dev/null",
                 names[i], names[i], path);
        assert_int_equal(system(command), 0);
        assert_int_equal(wick_elf_file_take_fd(&f, wick_elf_open_path(-1, path)), 0);
        assert_int_equal(f.go_table.size > 0, i < 2);
        wick_elf_file_release(&f);
        unlink(path);
        strcpy(path, "/tmp/wick-go-XXXXXX");
    }
}

/* What it says of any place is within a function of the table, whatever the table holds. */
static void check_all(void)
{
    struct reader r;
    struct wick_unwind_rule rule;
    char name[16];
    open_table(&r);
    for (uint64_t at = TEXT; at < TEXT + 260 && !r.rc; at++) {
        uint64_t lo = 0, hi = 0;
        if (!wick_go_table_rule(&r.go, &r.mem, at, NULL, &rule, &lo, &hi))
            assert_true(lo <= at && at < hi);
        if (!wick_go_table_function(&r.go, &r.mem, at, &lo, &hi, name, sizeof name))
            assert_true(lo <= at && at - lo < hi && memchr(name, 0, sizeof name));
    }
}

static void test_damage__is_survived(void **state)
{
    make(V1_20);
    const size_t whole = size;
    for (size_t at = 0; at < whole; at++)
        for (int k = 0; k < 3; k++) {
            make(V1_20);
            table[at] = k == 2 ? 0xff : (uint8_t)(table[at] ^ (k ? 0x80 : 1));
            check_all();
        }
    for (size_t cut = 0; cut < whole; cut++) {
        make(V1_20);
        size = cut;
        check_all();
    }
}

int main(void)
{
    table = calloc(1, ROOM);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules__are_those_of_each_version),
        cmocka_unit_test(test_names__are_of_the_function_that_holds_an_address),
        cmocka_unit_test(test_search__finds_each_of_many),
        cmocka_unit_test(test_other_tables__are_refused),
        cmocka_unit_test(test_text__is_found_where_the_table_does_not_say_it),
        cmocka_unit_test(test_rules__go_on_from_the_last_one),
        cmocka_unit_test(test_section__is_known_by_its_name),
        cmocka_unit_test(test_damage__is_survived),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(table);
    return failed;
}
