/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind rules of real libraries, compared row by row with what readelf prints for them.
 *
 * `readelf --debug-dump=frames-interp` prints, for each FDE, the rows of its table:
 *
 *     00000018 000000000000002c 0000001c FDE cie=00000000 pc=0000000000001060..00000000000010db
 *        LOC           CFA      rbx   rbp   ra
 *     0000000000001060 rsp+8    u     u     c-8
 *
 * Every k-th row is checked at its first and last pc. Big libraries (libjvm) are sampled; WICK_TEST_ALL=1 checks every
 * row. Special rows must be right or be refused, and are counted: those whose CFA is an expression (printed as "exp"),
 * and those that restore the stack pointer from somewhere else than the CFA (the last instructions of longjmp).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_mem.h"
#include "base/clock.h"
#include "base/err.h"
#include "elf/eh_frame.h"

#define MAX_COLS 32
#define MAX_ROWS 4096
#define MAX_CIES 8192

static const char *const slot_name[WICK_SLOT_COUNT] = {"rbp", "ra", "rbx", "r12", "r13", "r14", "r15"};
static const char *const reg_name[17] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                         "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};

/* A library file laid out at its virtual addresses. */
struct view {
    const char *path;
    void *bytes;
    size_t size;
    struct wick_mem_range range[8];
    struct wick_mem_fake fake;
    struct wick_mem mem;
    struct wick_elf_image image;
};

static bool view_open(struct view *v, const char *path)
{
    memset(v, 0, sizeof *v);
    v->path = path;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st))
        return false;
    v->size = (size_t)st.st_size;
    v->bytes = mmap(NULL, v->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    assert_ptr_not_equal(v->bytes, MAP_FAILED);
    const Elf64_Ehdr *e = v->bytes;
    const Elf64_Phdr *p = (const void *)((const char *)v->bytes + e->e_phoff);
    for (int i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type != PT_LOAD)
            continue;
        assert_true(v->fake.n < 8);
        v->range[v->fake.n++] =
            (struct wick_mem_range){p[i].p_vaddr, p[i].p_filesz, (const char *)v->bytes + p[i].p_offset};
    }
    v->fake.ranges = v->range;
    wick_mem_fake_init(&v->mem, &v->fake);
    assert_int_equal(wick_elf_image_probe(&v->mem, v->range[0].addr, &v->image), 0);
    return true;
}

static void view_close(struct view *v)
{
    munmap(v->bytes, v->size);
}

struct row {
    uint64_t pc;
    char cfa[16];
    char col[MAX_COLS][8];
};

struct fde {
    uint64_t lo, hi;
    int n_cols, n_rows;
    char cols[MAX_COLS][8];
    struct row rows[MAX_ROWS];
};

/* What an FDE without rows of its own inherits. */
struct cie {
    unsigned long off;
    int n_cols, n_rows;
    char cols[MAX_COLS][8];
    struct row row;
};

struct tally {
    unsigned long pcs, fdes, special, refused, wrong;
    struct wick_eh_found from; /* one rule after the other */
};

static int reg_of(const char *name, size_t n)
{
    for (int i = 0; i < 17; i++)
        if (strlen(reg_name[i]) == n && !strncmp(reg_name[i], name, n))
            return i;
    return -1;
}

static bool slot_matches(const struct wick_unwind_rule *r, int slot, const char *want)
{
    unsigned kind = WICK_HOW_KIND(r->how[slot]);
    if (!strcmp(want, "u"))
        return kind == WICK_HOW_SAME || kind == WICK_HOW_LOST;
    if (!strcmp(want, "s"))
        return kind == WICK_HOW_SAME;
    if (!strcmp(want, "exp"))
        return kind == WICK_HOW_MEM || (kind == WICK_HOW_LOST && slot != WICK_SLOT_RA);
    if (want[0] == 'c')
        return kind == WICK_HOW_CFA && r->off[slot] == atoi(want + 1);
    if (want[0] == 'v' && want[1] != 'e')
        return kind == WICK_HOW_VALUE && r->off[slot] == atoi(want + 1);
    return kind == WICK_HOW_MOVED && WICK_HOW_REG(r->how[slot]) == reg_of(want, strlen(want));
}

static bool cfa_matches(const struct wick_unwind_rule *r, const char *want)
{
    if (!strcmp(want, "exp"))
        return true;
    size_t n = strcspn(want, "+-");
    return r->cfa_kind == WICK_CFA_REG && r->cfa_reg == reg_of(want, n) && r->cfa_off == atoi(want + n);
}

static bool rule_matches(const struct fde *f, const struct row *row, const struct wick_unwind_rule *r)
{
    bool ended = false, seen[WICK_SLOT_COUNT] = {0};
    for (int c = 0; c < f->n_cols; c++)
        ended |= !strcmp(f->cols[c], "ra") && !strcmp(row->col[c], "u");
    if (ended || (r->flags & WICK_RULE_END))
        return ended && (r->flags & WICK_RULE_END);
    bool ok = cfa_matches(r, row->cfa) && r->how[7] == 0;
    for (int c = 0; c < f->n_cols; c++) {
        for (int s = 0; s < WICK_SLOT_COUNT; s++) {
            if (strcmp(f->cols[c], slot_name[s]))
                continue;
            seen[s] = true;
            ok = ok && slot_matches(r, s, row->col[c]);
        }
    }
    for (int s = 0; s < WICK_SLOT_COUNT; s++)
        ok = ok && (seen[s] || WICK_HOW_KIND(r->how[s]) == WICK_HOW_SAME);
    return ok;
}

/* The answer is the same when the search goes on from the one before. */
static void check_from(const struct view *v, struct wick_eh_found *from, uint64_t pc, int rc,
                       const struct wick_unwind_rule *rule, wick_addr lo, wick_addr hi)
{
    struct wick_unwind_rule r;
    wick_addr from_lo = 0, from_hi = 0;
    assert_int_equal(wick_eh_rule_from(&v->mem, &v->image, pc, from, &r, &from_lo, &from_hi), rc);
    if (rc)
        return;
    assert_memory_equal(&r, rule, sizeof r);
    assert_true(from_lo == lo && from_hi == hi);
}

static void check_pc(const struct view *v, const struct fde *f, const struct row *row, uint64_t next, uint64_t pc,
                     struct tally *t)
{
    struct wick_unwind_rule r;
    wick_addr lo = 0, hi = 0;
    int rc = wick_eh_rule(&v->mem, &v->image, pc, &r, &lo, &hi);
    check_from(v, &t->from, pc, rc, &r, lo, hi);
    bool is_exp = !strcmp(row->cfa, "exp"), is_special = is_exp, ok;
    for (int c = 0; c < f->n_cols; c++)
        is_special |= !strcmp(f->cols[c], "rsp") && strcmp(row->col[c], "u");
    t->pcs++;
    t->special += is_special;
    if (rc == -WICK_E_UNSUPPORTED && is_special) {
        t->refused++;
        return;
    }
    if (is_exp) /* the PLT's rule holds for half an entry */
        ok = rc == 0 && lo >= row->pc && hi <= next && lo <= pc && pc < hi;
    else
        ok = rc == 0 && lo == row->pc && hi == next;
    if (ok && rule_matches(f, row, &r))
        return;
    if (t->wrong++ < 10)
        printf("%s pc %lx: rc %d, range %lx..%lx (want %lx..%lx), cfa %d reg %d%+d (want %s)\n", v->path, pc, rc, lo,
               hi, row->pc, next, r.cfa_kind, r.cfa_reg, r.cfa_off, row->cfa);
}

static void check_fde(const struct view *v, const struct fde *f, unsigned every, struct tally *t)
{
    t->fdes++;
    for (int i = 0; i < f->n_rows; i++) {
        uint64_t next = i + 1 < f->n_rows ? f->rows[i + 1].pc : f->hi;
        if (next <= f->rows[i].pc || (t->fdes + (unsigned)i) % every)
            continue;
        check_pc(v, f, &f->rows[i], next, f->rows[i].pc, t);
        check_pc(v, f, &f->rows[i], next, next - 1, t);
    }
}

static void parse_columns(struct fde *f, char *line)
{
    char *save, *word = strtok_r(line, " \n", &save); /* LOC */
    strtok_r(NULL, " \n", &save);                     /* CFA */
    f->n_cols = 0;
    while ((word = strtok_r(NULL, " \n", &save)) && f->n_cols < MAX_COLS)
        snprintf(f->cols[f->n_cols++], sizeof f->cols[0], "%s", word);
}

static void parse_row(struct fde *f, char *line)
{
    assert_true(f->n_rows < MAX_ROWS);
    struct row *row = &f->rows[f->n_rows++];
    char *save, *word = strtok_r(line, " \n", &save);
    row->pc = strtoull(word, NULL, 16);
    snprintf(row->cfa, sizeof row->cfa, "%s", strtok_r(NULL, " \n", &save));
    int c = 0;
    while (c <= f->n_cols && (word = strtok_r(NULL, " \n", &save))) {
        if (word[0] == '(' && c > 0) /* "r5 (rdi)" is one column: is in register rdi */
            snprintf(row->col[c - 1], sizeof row->col[0], "%.*s", (int)strcspn(word + 1, ")"), word + 1);
        else if (c < f->n_cols)
            snprintf(row->col[c++], sizeof row->col[0], "%s", word);
    }
}

/* readelf's output on its way through the parser. */
struct reading {
    const struct view *view;
    unsigned every;
    struct tally tally;
    struct fde *record; /* the CIE or FDE that is being read */
    struct cie *cies;
    int n_cies;
    bool is_cie, is_fde;
    unsigned long off; /* the record's, or for an FDE its CIE's */
};

static const struct cie *find_cie(const struct reading *g, unsigned long off)
{
    for (int i = g->n_cies - 1; i >= 0; i--)
        if (g->cies[i].off == off)
            return &g->cies[i];
    return NULL;
}

static void end_record(struct reading *g)
{
    struct fde *f = g->record;
    if (g->is_cie) {
        assert_true(g->n_cies < MAX_CIES);
        struct cie *cie = &g->cies[g->n_cies++];
        cie->off = g->off;
        cie->n_cols = f->n_cols;
        cie->n_rows = f->n_rows;
        memcpy(cie->cols, f->cols, sizeof cie->cols);
        cie->row = f->rows[0];
    } else if (g->is_fde) {
        const struct cie *cie = f->n_rows ? NULL : find_cie(g, g->off);
        if (cie && cie->n_rows) {
            f->n_cols = cie->n_cols;
            memcpy(f->cols, cie->cols, sizeof f->cols);
            f->rows[0] = cie->row;
            f->rows[0].pc = f->lo;
            f->n_rows = 1;
        }
        check_fde(g->view, f, g->every, &g->tally);
    }
    g->is_cie = g->is_fde = false;
    f->n_rows = f->n_cols = 0;
}

static void read_line(struct reading *g, char *line)
{
    struct fde *f = g->record;
    if (sscanf(line, "%*x %*x %*x FDE cie=%lx pc=%lx..%lx", &g->off, &f->lo, &f->hi) == 3)
        g->is_fde = true;
    else if (strstr(line, " CIE ") && sscanf(line, "%lx", &g->off) == 1)
        g->is_cie = true;
    else if (line[0] == '\n' || strstr(line, "ZERO terminator"))
        end_record(g);
    else if (strstr(line, "LOC ") && strstr(line, " CFA "))
        parse_columns(f, line);
    else if (line[0] != ' ' && (g->is_cie || g->is_fde))
        parse_row(f, line);
}

static struct tally compare_with_readelf(const struct view *v, unsigned every)
{
    char cmd[4200], line[4096];
    struct reading g = {.view = v, .every = every};
    g.record = calloc(1, sizeof *g.record);
    g.cies = calloc(MAX_CIES, sizeof *g.cies);
    snprintf(cmd, sizeof cmd,
             "LC_ALL=C readelf --debug-dump=no-follow-links --debug-dump=frames-interp '%s' 2>/dev/null", v->path);
    FILE *out = popen(cmd, "r");
    assert_non_null(out);
    bool in_eh_frame = false;
    while (fgets(line, sizeof line, out)) {
        if (!strncmp(line, "Contents of the ", 16))
            in_eh_frame = strstr(line, " .eh_frame section") != NULL;
        else if (in_eh_frame)
            read_line(&g, line);
    }
    end_record(&g);
    pclose(out);
    free(g.record);
    free(g.cies);
    return g.tally;
}

/* Checks one library; returns the number of pcs compared, 0 if it is not on this machine. */
static unsigned long check_library(const char *path, unsigned every)
{
    struct view v;
    if (!view_open(&v, path))
        return 0;
    struct tally t = compare_with_readelf(&v, getenv("WICK_TEST_ALL") ? 1 : every);
    print_message("           %-62s %7lu pcs, %6lu FDEs, %3lu special (%lu refused), %lu wrong\n", path, t.pcs, t.fdes,
                  t.special, t.refused, t.wrong);
    view_close(&v);
    assert_int_equal(t.wrong, 0);
    assert_true(t.pcs > 0);
    return t.pcs;
}

static void test_eh_rule__agrees_with_readelf_on_system_libraries(void **state)
{
    (void)state;
    unsigned long pcs = 0;
    pcs += check_library("/lib/x86_64-linux-gnu/libc.so.6", 1);
    pcs += check_library("/lib64/ld-linux-x86-64.so.2", 1);
    pcs += check_library("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 1);
    pcs += check_library("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", 4);
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    pcs += check_library(self, 1);
    assert_true(pcs >= 20000);
}

static void test_eh_rule__agrees_with_readelf_on_the_vdso(void **state)
{
    (void)state;
    char path[] = "/tmp/wick-vdso-XXXXXX";
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (!vdso)
        skip(); /* no vDSO in this process (vdso=0 or an emulator) */
    const Elf64_Ehdr *e = (const void *)vdso;
    size_t size = e->e_shoff + (size_t)e->e_shentsize * e->e_shnum;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, (const void *)vdso, size), size);
    close(fd);
    unsigned long pcs = check_library(path, 1);
    unlink(path);
    assert_true(pcs > 0);
}

/* Appends what matches pattern below the home directory. */
static void glob_home(const char *pattern, glob_t *g)
{
    char path[4200];
    const char *home = getenv("HOME");
    snprintf(path, sizeof path, "%s/%s", home ? home : "", pattern);
    glob(path, GLOB_APPEND, NULL, g);
}

static bool is_link_to_another(const char *path)
{
    char real[4096];
    return realpath(path, real) && strcmp(real, path);
}

/* The system's; with WICK_TEST_ALL also those that were fetched for other tests. */
static void test_eh_rule__agrees_with_readelf_on_every_libjvm(void **state)
{
    (void)state;
    glob_t g = {0};
    size_t checked = 0;
    glob("/usr/lib/jvm/*/lib/server/libjvm.so", 0, NULL, &g);
    if (getenv("WICK_TEST_ALL")) {
        glob_home(".cache/wick/jdk/*/root/usr/lib/jvm/*/lib/server/libjvm.so", &g);
        glob_home(".cache/wick/jdk/*/root/usr/lib/jvm/*/jre/lib/*/server/libjvm.so", &g); /* JDK 8 */
    }
    for (size_t i = 0; i < g.gl_pathc; i++)
        if (!is_link_to_another(g.gl_pathv[i]))
            checked += check_library(g.gl_pathv[i], 64) > 0;
    globfree(&g);
    if (!checked) {
        print_message("no JDK on this machine\n");
        skip();
    }
}

/* ------------------------------------------------------------------------------------------------ made-up images */

#define HDR  0x10000u /* address of .eh_frame_hdr; the records follow at HDR + 0x100 */
#define TEXT 0x20000u

struct made {
    uint8_t bytes[0x400];
    size_t n;
    struct wick_mem_range range;
    struct wick_mem_fake fake;
    struct wick_mem mem;
    struct wick_elf_image image;
};

static void put(struct made *m, size_t at, const void *p, size_t n)
{
    memcpy(m->bytes + at, p, n);
    if (at + n > m->n)
        m->n = at + n;
}

static void put32(struct made *m, size_t at, uint32_t v)
{
    put(m, at, &v, 4);
}

/* One function [TEXT, TEXT + size) with that program. */
static void make(struct made *m, const uint8_t *program, size_t n, uint32_t size)
{
    static const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0};
    memset(m, 0, sizeof *m);
    put32(m, 0, 0x3b031b01); /* version 1, pcrel sdata4, udata4, datarel sdata4 */
    put32(m, 4, 0x100 - 4);
    put32(m, 8, 1);
    put32(m, 12, TEXT - HDR);
    put32(m, 16, 0x100 + 24);
    put32(m, 0x100, 4 + sizeof cie);
    put32(m, 0x104, 0);
    put(m, 0x108, cie, sizeof cie);
    put32(m, 0x118, (uint32_t)(13 + n)); /* FDE: CIE pointer, begin, size, augmentation length, program */
    put32(m, 0x11c, 0x1c);
    put32(m, 0x120, TEXT - (HDR + 0x120));
    put32(m, 0x124, size);
    put(m, 0x128, "", 1);
    put(m, 0x129, program, n);
    m->range = (struct wick_mem_range){HDR, m->n, m->bytes};
    m->fake = (struct wick_mem_fake){&m->range, 1};
    wick_mem_fake_init(&m->mem, &m->fake);
    m->image = (struct wick_elf_image){
        .text_lo = TEXT, .text_hi = TEXT + size, .eh_hdr = HDR, .eh_hdr_size = 20, .ro_lo = HDR, .ro_hi = HDR + m->n};
}

static int rule_at(const struct made *m, uint32_t off, struct wick_unwind_rule *r, wick_addr *lo, wick_addr *hi)
{
    return wick_eh_rule(&m->mem, &m->image, TEXT + off, r, lo, hi);
}

static void test_eh_rule__plt_is_resolved_for_the_pc(void **state)
{
    (void)state;
    static const uint8_t program[] = {0x0e, 16,   0x46, 0x0e, 24,   0x4a, 0x0f, 11,   0x77, 8,
                                      0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    struct made m;
    struct wick_unwind_rule r;
    wick_addr lo, hi;
    make(&m, program, sizeof program, 0x40);
    assert_int_equal(rule_at(&m, 0x2a, &r, &lo, &hi), 0);
    assert_int_equal(r.cfa_kind, WICK_CFA_REG);
    assert_int_equal(r.cfa_reg, 7);
    assert_int_equal(r.cfa_off, 8);
    assert_true(lo == TEXT + 0x20 && hi == TEXT + 0x2b);
    assert_int_equal(rule_at(&m, 0x2b, &r, &lo, &hi), 0);
    assert_int_equal(r.cfa_off, 16);
    assert_true(lo == TEXT + 0x2b && hi == TEXT + 0x30);
    assert_int_equal(rule_at(&m, 7, &r, &lo, &hi), 0);
    assert_int_equal(r.cfa_off, 24);
    assert_true(lo == TEXT + 6 && hi == TEXT + 16);
}

static void test_eh_rule__realigned_frame_keeps_its_registers(void **state)
{
    (void)state;
    /* gcc's DRAP: CFA = load(rbp - 8), rbp at rbp + 0 */
    static const uint8_t program[] = {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0, 0x10, 13, 2, 0x76, 0x70};
    struct made m;
    struct wick_unwind_rule r;
    make(&m, program, sizeof program, 0x40);
    assert_int_equal(rule_at(&m, 0, &r, NULL, NULL), 0);
    assert_int_equal(r.cfa_kind, WICK_CFA_DEREF);
    assert_int_equal(r.cfa_reg, 6);
    assert_int_equal(r.cfa_off, -8);
    assert_int_equal(r.cfa_add, 0);
    assert_int_equal(r.how[WICK_SLOT_FP], WICK_HOW_MEM | 6 << 3);
    assert_int_equal(r.off[WICK_SLOT_FP], 0);
    assert_int_equal(r.how[WICK_SLOT_R13], WICK_HOW_MEM | 6 << 3);
    assert_int_equal(r.off[WICK_SLOT_R13], -16);
}

static void test_eh_rule__states_nest_and_are_bounded(void **state)
{
    (void)state;
    /* offset 16, push, advance 1, offset 24, push, advance 1, offset 32, pop, advance 1, pop, advance 1 */
    static const uint8_t program[] = {0x0e, 16, 0x0a, 0x41, 0x0e, 24,   0x0a, 0x41,
                                      0x0e, 32, 0x41, 0x0b, 0x41, 0x0b, 0x41};
    static const int cfa[] = {16, 24, 32, 24, 16};
    uint8_t pushes[64], pop = 0x0b;
    struct made m;
    struct wick_unwind_rule r;
    make(&m, program, sizeof program, 0x40);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(rule_at(&m, i, &r, NULL, NULL), 0);
        assert_int_equal(r.cfa_off, cfa[i]);
    }
    memset(pushes, 0x0a, sizeof pushes);
    make(&m, pushes, sizeof pushes, 0x40);
    assert_int_equal(rule_at(&m, 0, &r, NULL, NULL), -WICK_E_UNSUPPORTED);
    make(&m, &pop, 1, 0x40);
    assert_int_equal(rule_at(&m, 0, &r, NULL, NULL), -WICK_E_FORMAT);
}

static void test_eh_rule__undefined_return_address_ends_the_stack(void **state)
{
    (void)state;
    static const uint8_t program[] = {0x07, 16};
    struct made m;
    struct wick_unwind_rule r;
    make(&m, program, sizeof program, 0x40);
    assert_int_equal(rule_at(&m, 3, &r, NULL, NULL), 0);
    assert_int_equal(r.flags, WICK_RULE_END);
}

static void test_eh_rule__what_cannot_be_expressed_is_refused(void **state)
{
    (void)state;
    static const uint8_t cfa_expr[] = {0x0f, 2, 0x12, 0x06};        /* dup; deref */
    static const uint8_t ra_expr[] = {0x10, 16, 2, 0x30, 0x06};     /* lit0; deref */
    static const uint8_t unknown[] = {0x3f};                        /* no such code */
    static const uint8_t sp_moved[] = {0x09, 7, 10};                /* rsp is in r10 */
    static const uint8_t far_away[] = {0x11, 16, 0x80, 0x80, 0x04}; /* the return address at cfa - 512 KiB */
    static const struct {
        const uint8_t *p;
        size_t n;
    } cases[] = {{cfa_expr, sizeof cfa_expr},
                 {ra_expr, sizeof ra_expr},
                 {unknown, sizeof unknown},
                 {sp_moved, sizeof sp_moved},
                 {far_away, sizeof far_away}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made m;
        struct wick_unwind_rule r;
        make(&m, cases[i].p, cases[i].n, 0x40);
        assert_int_equal(rule_at(&m, 0, &r, NULL, NULL), -WICK_E_UNSUPPORTED);
    }
}

static void test_eh_rule__pcs_outside_any_function_are_not_found(void **state)
{
    (void)state;
    struct made m;
    struct wick_unwind_rule r;
    make(&m, (const uint8_t *)"", 0, 0x40);
    assert_int_equal(rule_at(&m, 0x3f, &r, NULL, NULL), 0);
    assert_int_equal(rule_at(&m, 0x40, &r, NULL, NULL), -WICK_E_NOTFOUND);
    assert_int_equal(rule_at(&m, (uint32_t)-1, &r, NULL, NULL), -WICK_E_NOTFOUND);
}

static void test_eh_rule__every_truncation_is_an_error(void **state)
{
    (void)state;
    static const uint8_t program[] = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6};
    struct made m;
    struct wick_unwind_rule r;
    make(&m, program, sizeof program, 0x40);
    assert_int_equal(rule_at(&m, 0x3f, &r, NULL, NULL), 0);
    for (size_t n = 0; n < m.n; n++) {
        m.image.ro_hi = HDR + n;
        assert_true(rule_at(&m, 0x3f, &r, NULL, NULL) < 0);
        m.image.ro_hi = HDR + m.n; /* the header says there is more than memory holds */
        m.range.size = n;
        assert_true(rule_at(&m, 0x3f, &r, NULL, NULL) < 0);
        m.range.size = m.n;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eh_rule__agrees_with_readelf_on_system_libraries),
        cmocka_unit_test(test_eh_rule__agrees_with_readelf_on_the_vdso),
        cmocka_unit_test(test_eh_rule__agrees_with_readelf_on_every_libjvm),
        cmocka_unit_test(test_eh_rule__plt_is_resolved_for_the_pc),
        cmocka_unit_test(test_eh_rule__realigned_frame_keeps_its_registers),
        cmocka_unit_test(test_eh_rule__states_nest_and_are_bounded),
        cmocka_unit_test(test_eh_rule__undefined_return_address_ends_the_stack),
        cmocka_unit_test(test_eh_rule__what_cannot_be_expressed_is_refused),
        cmocka_unit_test(test_eh_rule__pcs_outside_any_function_are_not_found),
        cmocka_unit_test(test_eh_rule__every_truncation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
