/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick host` believes of processes that do not mean well: rules, files, memory and threads, without a kernel
 * side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "ebpf/host_rules.h"
#include "elf/eh_frame.h"
#include "fake_jvm.h"
#include "ebpf/host_step.h"

enum { NUMBERS = 2 * WICK_HOST_RULES, SECOND = 1000000000 };

/* A sink that remembers the rules, and the last page. */
static struct {
    struct wick_unwind_rule rule[NUMBERS];
    struct wick_host_page page;
    struct wick_host_rows rows;
    uint32_t forgotten, pages;
} seen;

static void see_rule(void *arg, uint32_t number, const struct wick_unwind_rule *rule)
{
    (void)arg;
    assert_in_range(number, 1, NUMBERS - 1);
    seen.rule[number] = *rule;
}

static void see_page(void *arg, const struct wick_host_page *page, const struct wick_host_rows *rows)
{
    (void)arg;
    seen.page = *page;
    seen.rows = *rows;
    seen.pages++;
}

static void see_forgotten(void *arg)
{
    (void)arg;
    seen.forgotten++;
}

/* What the kernel side knows a file by: here, what stat() has of it. */
static bool knows_files;
static bool identify(void *arg, int fd, struct wick_host_inode *out)
{
    struct stat st;
    (void)arg;
    if (!knows_files || fstat(fd, &st))
        return false;
    *out = (struct wick_host_inode){st.st_dev | WICK_HOST_OF_FILE, st.st_ino, (uint64_t)st.st_ctim.tv_nsec};
    return true;
}

static const struct wick_host_rule_sink sink = {see_rule, see_page, see_forgotten, identify, NULL};

/* --- numbers of rules --- */

static struct wick_unwind_rule rule_of(uint32_t i)
{
    struct wick_unwind_rule r;
    memset(&r, 0, sizeof r);
    r.cfa_off = (int32_t)i;
    return r;
}

static uint16_t number_of(struct wick_host_numbers *n, uint32_t i, uint64_t now_ns)
{
    const struct wick_unwind_rule r = rule_of(i);
    return wick_host_number(n, &r, now_ns);
}

static void test_numbers__are_used_again_when_all_are_in_use(void **state)
{
    enum { HALF = WICK_HOST_RULES - 1 };
    struct wick_host_numbers n;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(wick_host_numbers_init(&n, &sink), 0);
    uint64_t now_ns = SECOND;
    for (uint32_t i = 0, half = 0; i < 5 * HALF; i++, half = i / HALF) {
        uint16_t number = number_of(&n, i, now_ns);
        assert_int_not_equal(number, 0);
        assert_int_equal(number >= WICK_HOST_RULES, half % 2);
        assert_int_equal(seen.rule[number].cfa_off, i);
        assert_int_equal(number_of(&n, i, now_ns), number); /* the same rule has the same number */
        assert_int_equal(seen.forgotten, half);
        /* what had a number just before the pages were forgotten still has it in the kernel */
        if (half && i % HALF == HALF - 1)
            for (uint32_t k = 0; k < HALF; k++)
                assert_int_equal(seen.rule[half % 2 ? 1 + k : WICK_HOST_RULES + k].cfa_off, i - 2 * HALF + 1 + k);
        now_ns += i % HALF == HALF - 1 ? SECOND : 1;
    }
    wick_host_numbers_release(&n);
}

/* A process with ever new rules does not make all others lose theirs again and again. */
static void test_numbers__are_not_used_again_within_a_second(void **state)
{
    struct wick_host_numbers n;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(wick_host_numbers_init(&n, &sink), 0);
    uint32_t without = 0;
    for (uint32_t i = 0; i < 20 * WICK_HOST_RULES; i++)
        without += number_of(&n, i, 10 * (uint64_t)SECOND + i) == 0;
    assert_int_equal(seen.forgotten, 1); /* the first half had lasted */
    assert_int_equal(without, 20 * WICK_HOST_RULES - 2 * (WICK_HOST_RULES - 1));
    assert_int_not_equal(number_of(&n, 0, 12 * (uint64_t)SECOND), 0);
    assert_int_equal(seen.forgotten, 2);
    wick_host_numbers_release(&n);
}

/* --- rules of a library --- */

/* This process's memory, in which one range reads as zeros. */
struct liar {
    struct wick_mem self;
    wick_addr lo, hi;
};

static int read_lie(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    const struct liar *l = m->ctx;
    int rc = wick_mem_read(&l->self, addr, buf, n);
    for (size_t i = 0; !rc && i < n; i++)
        if (addr + i >= l->lo && addr + i < l->hi)
            ((uint8_t *)buf)[i] = 0;
    return rc;
}

struct library {
    struct wick_elf_images images;
    const struct wick_elf_image *image;
    struct wick_host_devices devices;
    struct wick_mem mem;
    uint64_t pc;
};

static void find_libc(struct library *l)
{
    bool changed;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    *l = (struct library){.pc = 0};
    assert_int_equal(wick_mem_self_init(&l->mem), 0);
    wick_elf_images_init(&l->images, getpid()); /* as another process sees it */
    assert_int_equal(wick_elf_images_refresh(&l->images, &l->mem, &changed, NULL), 0);
    assert_non_null(libc);
    l->pc = (uintptr_t)dlsym(libc, "qsort");
    l->image = wick_elf_images_find(&l->images, l->pc);
    assert_non_null(l->image);
    assert_int_not_equal(l->image->build_id_len, 0);
}

static void release_libc(struct library *l)
{
    wick_elf_images_release(&l->images);
    wick_host_devices_release(&l->devices);
    wick_mem_release(&l->mem);
}

/* The rules of the page that was seen last, one for each of its bytes. */
static void take_rules(struct wick_unwind_rule out[WICK_HOST_PAGE])
{
    for (uint32_t byte = 0, row = 0; byte < WICK_HOST_PAGE; byte++) {
        while (row + 1 < seen.rows.n && seen.rows.row[row + 1].from <= byte)
            row++;
        out[byte] = seen.rule[seen.rows.row[row].rule];
    }
}

/* The page's rules for a process: `out` has one for each of its bytes. pid: whose files; 0 = they cannot be read. */
static void rules_of(struct wick_host_rules *r, struct library *l, int pid, uint64_t birth, const struct wick_mem *mem,
                     const struct wick_elf_image *image, struct wick_unwind_rule out[WICK_HOST_PAGE])
{
    const struct wick_host_code code = {pid, {birth, 0}, mem, image, NULL};
    uint32_t pages = seen.pages;
    wick_host_rules_page(r, &code, l->pc, SECOND);
    assert_int_equal(seen.pages, pages + 1);
    assert_int_equal(seen.page.birth.start_ns, birth);
    assert_int_equal(seen.page.zero, 0);
    take_rules(out);
}

static void rules_for(struct wick_host_rules *r, struct library *l, uint64_t birth, const struct wick_mem *mem,
                      const struct wick_elf_image *image, struct wick_unwind_rule out[WICK_HOST_PAGE])
{
    rules_of(r, l, getpid(), birth, mem, image, out);
}

static struct wick_unwind_rule honest[WICK_HOST_PAGE], planted[WICK_HOST_PAGE], victims[WICK_HOST_PAGE];

/* A process maps libc's file, changes its own copy of the pages, and is met first. */
static void test_rules__changed_memory_is_not_believed_for_others(void **state)
{
    struct library l;
    struct wick_host_rules r;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    rules_for(&r, &l, 1, &l.mem, l.image, honest);
    assert_true(seen.rows.n > 1);
    wick_host_rules_release(&r);
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    const struct liar liar = {l.mem, l.image->ro_lo, l.image->ro_hi};
    const struct wick_mem mem = {.read = read_lie, .ctx = &liar};
    rules_for(&r, &l, 2, &mem, l.image, planted);
    assert_memory_equal(planted, honest, sizeof honest); /* by the file */
    rules_for(&r, &l, 3, &l.mem, l.image, victims);
    assert_memory_equal(victims, honest, sizeof honest);
    rules_of(&r, &l, 0, 4, &mem, l.image, planted); /* its file cannot be read: its memory is good for itself */
    assert_memory_not_equal(planted, honest, sizeof honest);
    rules_of(&r, &l, 0, 5, &l.mem, l.image, victims);
    assert_memory_equal(victims, honest, sizeof honest);
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* A page on which nothing has a rule until a function begins, at no round address. */
__asm__(".pushsection .text\n"
        ".balign 4096\n"
        "rules_behind_a_gap:\n"
        ".skip 329, 0x90\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        ".skip 100, 0x90\n"
        "pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".balign 4096, 0x90\n"
        ".popsection\n");
extern const char rules_behind_a_gap[];

static void test_rules__begin_with_the_first_instruction_behind_a_gap(void **state)
{
    struct library l;
    struct wick_host_rules r;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    l.pc = (uintptr_t)rules_behind_a_gap;
    l.image = wick_elf_images_find(&l.images, l.pc);
    assert_non_null(l.image);
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    rules_for(&r, &l, 1, &l.mem, l.image, honest);
    uint32_t with = 0;
    for (uint32_t byte = 0; byte < WICK_HOST_PAGE; byte++) {
        struct wick_unwind_rule rule;
        wick_addr from, next;
        memset(&rule, 0, sizeof rule);
        if (!wick_eh_rule(&l.mem, l.image, l.pc + byte, &rule, &from, &next)) {
            assert_memory_equal(&honest[byte], &rule, sizeof rule);
            with++;
        }
    }
    assert_int_equal(with, 1 + 3 + 100 + 1 + 1);
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* A program starts in code without a rule, of which some has one nearby. */
static void test_rules__where_a_program_starts_is_the_end_of_the_stack(void **state)
{
    enum { ENTRY = 48 };
    struct library l;
    struct wick_host_rules r;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    l.pc = (uintptr_t)rules_behind_a_gap;
    l.image = wick_elf_images_find(&l.images, l.pc);
    assert_non_null(l.image);
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    rules_of(&r, &l, 0, 1, &l.mem, l.image, honest);
    struct wick_elf_image starts = *l.image;
    for (uint32_t at = 0; at < WICK_HOST_PAGE; at += 24) {
        const struct wick_unwind_rule none = {0};
        starts.entry = (l.pc & ~(uint64_t)(WICK_HOST_PAGE - 1)) + at;
        rules_of(&r, &l, 0, 2 + at, &l.mem, &starts, planted);
        for (uint32_t byte = 0; byte < WICK_HOST_PAGE; byte++) {
            bool ends = !memcmp(&honest[byte], &none, sizeof none) && byte >= at && byte < at + ENTRY;
            assert_int_equal(planted[byte].flags, ends ? WICK_RULE_END : honest[byte].flags);
            if (!ends)
                assert_memory_equal(&planted[byte], &honest[byte], sizeof none);
        }
    }
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* A process has memory of its own that says it has libc's build id. */
static void test_rules__a_build_id_is_not_believed(void **state)
{
    struct library l;
    struct wick_host_rules r;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    size_t size = l.image->ro_hi - l.image->ro_lo;
    uint8_t *copy = calloc(1, size);
    struct wick_elf_image hostile = *l.image;
    assert_non_null(copy);
    hostile.ro_lo = (uintptr_t)copy;
    hostile.ro_hi = hostile.ro_lo + size;
    hostile.eh_hdr = hostile.ro_lo + (l.image->eh_hdr - l.image->ro_lo);
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    rules_for(&r, &l, 1, &l.mem, l.image, honest);
    wick_host_rules_release(&r);
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    rules_for(&r, &l, 2, &l.mem, &hostile, planted);
    assert_memory_equal(planted, honest, sizeof honest); /* libc's code has libc's rules, whatever is beside it */
    rules_of(&r, &l, 0, 3, &l.mem, &hostile, planted);
    assert_memory_not_equal(planted, honest, sizeof honest); /* which it has for itself */
    rules_of(&r, &l, 0, 4, &l.mem, l.image, victims);
    assert_memory_equal(victims, honest, sizeof honest);
    wick_host_rules_release(&r);
    free(copy);
    release_libc(&l);
}

/* --- pages of files --- */

/* Where pc is in libc's file. */
static uint64_t offset_of(const struct library *l)
{
    struct wick_host_devices devices = {0};
    struct wick_host_file file;
    assert_int_equal(wick_host_file_open(&devices, getpid(), l->pc, &file), 0);
    close(file.fd);
    wick_host_devices_release(&devices);
    return file.offset;
}

/* One page serves all processes, by the file and the place in it, until it is missed again. */
static void test_pages__of_a_file_are_for_all_processes(void **state)
{
    struct library l;
    struct wick_host_rules r;
    struct stat st;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    knows_files = true;
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    for (uint64_t birth = 1; birth <= 2; birth++) {
        const struct wick_host_code code = {getpid(), {birth, 0}, &l.mem, l.image, NULL};
        assert_int_equal(wick_host_rules_taught(&r, &code, l.pc), birth == 2);
        wick_host_rules_page(&r, &code, l.pc, SECOND);
        assert_int_equal(seen.pages, 1); /* what the second one missed was missed before it was there */
        assert_int_equal(stat(l.image->path, &st), 0);
        assert_true(seen.page.file.device == (st.st_dev | WICK_HOST_OF_FILE) && seen.page.file.number == st.st_ino);
        assert_int_equal(seen.page.page, offset_of(&l) & ~(uint64_t)(WICK_HOST_PAGE - 1));
        assert_true(wick_host_rules_taught(&r, &code, l.pc));
    }
    take_rules(honest);
    const struct wick_host_code code = {getpid(), {2, 0}, &l.mem, l.image, NULL};
    wick_host_rules_page(&r, &code, l.pc, SECOND);
    assert_int_equal(seen.pages, 1);
    wick_host_rules_page(&r, &code, l.pc, wick_clock_mono_ns()); /* not found by its file */
    assert_int_equal(seen.pages, 3);
    assert_int_equal(seen.page.birth.start_ns, 2);
    assert_int_equal(seen.page.page, l.pc & ~(uint64_t)(WICK_HOST_PAGE - 1));
    take_rules(victims);
    assert_memory_equal(victims, honest, sizeof honest);
    knows_files = false;
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* A file that is open already is known for the next process by what its walks saw, if its mappings show the same: here
 * its files cannot be opened. */
static void test_pages__of_a_known_file_need_nothing_of_the_process(void **state)
{
    struct library l;
    struct wick_host_rules r;
    struct wick_host_inode file;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    knows_files = true;
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    const struct wick_host_code first = {getpid(), {1, 0}, &l.mem, l.image, NULL};
    wick_host_rules_page(&r, &first, l.pc, SECOND);
    file = seen.page.file;
    const uint64_t lo = l.pc & ~(uint64_t)(WICK_HOST_PAGE - 1);
    struct wick_host_mapped mapped = {lo, lo + 2 * WICK_HOST_PAGE, seen.page.page, file};
    for (uint64_t birth = 2; birth <= 4; birth++) {
        struct wick_elf_image image = *l.image;
        image.inode += birth == 3;         /* another file is there by now */
        mapped.lo += birth == 4 ? 256 : 0; /* not where the code is */
        const struct wick_host_code code = {0, {birth, 0}, &l.mem, &image, &mapped};
        wick_host_rules_page(&r, &code, (birth == 4 ? lo : lo + WICK_HOST_PAGE) + 8, wick_clock_mono_ns());
        if (birth == 2) {
            assert_memory_equal(&seen.page.file, &file, sizeof file);
            assert_int_equal(seen.page.page, mapped.offset + WICK_HOST_PAGE);
        } else {
            assert_int_equal(seen.page.birth.start_ns, birth);
            assert_int_equal(seen.page.zero, 0);
        }
    }
    knows_files = false;
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* A process maps bytes of a file as code that are not, or are at another place than the file says. */
static void test_pages__of_a_file_have_rules_where_it_has_code(void **state)
{
    struct library l;
    struct wick_host_rules r;
    const struct wick_unwind_rule none = {0};
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    knows_files = true;
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    const struct wick_host_code honestly = {getpid(), {1, 0}, &l.mem, l.image, NULL};
    wick_host_rules_page(&r, &honestly, l.pc, SECOND);
    take_rules(honest);
    int fd = open(l.image->path, O_RDONLY);
    assert_true(fd >= 0);
    const uint64_t text = offset_of(&l) & ~(uint64_t)(WICK_HOST_PAGE - 1);
    for (uint64_t birth = 2; birth <= 3; birth++) { /* the ELF header, and the same page of code */
        const off_t offset = birth == 2 ? 0 : (off_t)text;
        char *at = mmap(NULL, WICK_HOST_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset);
        assert_true(at != MAP_FAILED);
        const struct wick_host_code code = {getpid(), {birth, 0}, &l.mem, l.image, NULL};
        wick_host_rules_page(&r, &code, (uintptr_t)at + 100, wick_clock_mono_ns());
        assert_int_equal(seen.page.page, offset);
        take_rules(planted);
        for (uint32_t byte = 0; byte < WICK_HOST_PAGE; byte++)
            assert_memory_equal(&planted[byte], birth == 2 ? &none : &honest[byte], sizeof none);
        munmap(at, WICK_HOST_PAGE);
    }
    close(fd);
    knows_files = false;
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* A program without a loader, whose start has no rule: only a flag in its dynamic section says that it is one. */
static void test_pages__of_a_static_program_have_an_end_where_it_starts(void **state)
{
    enum { TEXT = WICK_HOST_PAGE, ENTRY = TEXT + 64, END = 48 };
    static uint8_t bytes[2 * WICK_HOST_PAGE];
    for (int pie = 0; pie <= 1; pie++) {
        struct library l;
        struct wick_host_rules r;
        Elf64_Ehdr head = {.e_ident = ELFMAG "\2\1\1",
                           .e_type = ET_DYN,
                           .e_machine = EM_X86_64,
                           .e_version = 1,
                           .e_entry = ENTRY,
                           .e_phoff = sizeof head,
                           .e_ehsize = sizeof head,
                           .e_phentsize = sizeof(Elf64_Phdr),
                           .e_phnum = 2};
        Elf64_Phdr parts[] = {{.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_filesz = sizeof bytes,
                               .p_memsz = sizeof bytes,
                               .p_align = WICK_HOST_PAGE},
                              {.p_type = PT_DYNAMIC,
                               .p_flags = PF_R,
                               .p_offset = 512,
                               .p_vaddr = 512,
                               .p_filesz = 32,
                               .p_memsz = 32,
                               .p_align = 8}};
        Elf64_Dyn dyn[] = {{.d_tag = DT_FLAGS_1, .d_un.d_val = pie ? DF_1_PIE | DF_1_NOW : DF_1_NOW},
                           {.d_tag = DT_NULL}};
        memcpy(bytes, &head, sizeof head);
        memcpy(bytes + sizeof head, parts, sizeof parts);
        memcpy(bytes + 512, dyn, sizeof dyn);
        int fd = memfd_create("program", MFD_CLOEXEC);
        assert_true(fd >= 0 && write(fd, bytes, sizeof bytes) == sizeof bytes);
        uint8_t *at = mmap(NULL, sizeof bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
        assert_true(at != MAP_FAILED);
        memset(&seen, 0, sizeof seen);
        find_libc(&l);
        knows_files = true;
        assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
        struct wick_elf_image image = *l.image;
        image.inode = 0;
        const struct wick_host_code code = {getpid(), {1, 0}, &l.mem, &image, NULL};
        wick_host_rules_page(&r, &code, (uintptr_t)at + ENTRY, SECOND);
        assert_int_equal(seen.page.page, TEXT);
        take_rules(planted);
        for (uint32_t byte = 0; byte < WICK_HOST_PAGE; byte++)
            assert_int_equal(planted[byte].flags,
                             pie && byte >= ENTRY - TEXT && byte < ENTRY - TEXT + END ? WICK_RULE_END : 0);
        knows_files = false;
        munmap(at, sizeof bytes);
        close(fd);
        wick_host_rules_release(&r);
        release_libc(&l);
    }
}

/* A process has executed another program since its mappings were read: what is mapped there now is another file. */
static void test_pages__of_another_program_are_not_believed(void **state)
{
    struct library l;
    struct wick_host_rules r;
    memset(&seen, 0, sizeof seen);
    find_libc(&l);
    knows_files = true;
    assert_int_equal(wick_host_rules_init(&r, &sink, &l.devices), 0);
    struct wick_elf_image before = *l.image;
    before.inode++;
    const struct wick_host_code code = {getpid(), {1, 0}, &l.mem, &before, NULL};
    wick_host_rules_page(&r, &code, l.pc, SECOND);
    assert_int_equal(seen.page.birth.start_ns, 1); /* by its memory, which may be gone */
    assert_int_equal(seen.page.zero, 0);
    knows_files = false;
    wick_host_rules_release(&r);
    release_libc(&l);
}

/* --- threads --- */

static void test_threads__one_that_has_another_osthread_is_not_believed(void **state)
{
    static struct fj f;
    fj_init(&f, 17);
    struct wick_host_java_thread t = {.addr = FJ_META + FJ_THREAD, .osthread_at = FJ_META + FJ_THREAD + 16};
    t.osthread = FJ_META + FJ_THREAD + 512;
    t.id_at = t.osthread + 40;
    t.id = 4711;
    fj_put64(f.meta, FJ_THREAD + 16, t.osthread);
    fj_put64(f.meta, FJ_THREAD + 512 + 40, 4711);
    assert_true(host_is_thread(&f.env, &t));
    fj_put64(f.meta, FJ_THREAD + 512 + 40, 4712); /* it is another thread's */
    assert_false(host_is_thread(&f.env, &t));
    fj_put64(f.meta, FJ_THREAD + 512 + 40, 4711);
    fj_put64(f.meta, FJ_THREAD + 16, t.osthread + 64);
    assert_false(host_is_thread(&f.env, &t));
    t.osthread_at = 16; /* its memory is gone */
    assert_false(host_is_thread(&f.env, &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers__are_used_again_when_all_are_in_use),
        cmocka_unit_test(test_numbers__are_not_used_again_within_a_second),
        cmocka_unit_test(test_rules__changed_memory_is_not_believed_for_others),
        cmocka_unit_test(test_rules__begin_with_the_first_instruction_behind_a_gap),
        cmocka_unit_test(test_rules__where_a_program_starts_is_the_end_of_the_stack),
        cmocka_unit_test(test_rules__a_build_id_is_not_believed),
        cmocka_unit_test(test_pages__of_a_file_are_for_all_processes),
        cmocka_unit_test(test_pages__of_a_known_file_need_nothing_of_the_process),
        cmocka_unit_test(test_pages__of_a_file_have_rules_where_it_has_code),
        cmocka_unit_test(test_pages__of_a_static_program_have_an_end_where_it_starts),
        cmocka_unit_test(test_pages__of_another_program_are_not_believed),
        cmocka_unit_test(test_threads__one_that_has_another_osthread_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
