/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of global offset tables: found in images made by hand, and hooked in real libraries, whose words are bound
 * lazily or at once, lie in the read-only part or not, or are used without a PLT.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_mem.h"
#include "base/err.h"
#include "elf/hooks.h"

/* --- an image made by hand ---------------------------------------------------------------------------------------- */

enum { BASE = 0x10000, SIZE = 0x3000, SYMBOLS = 5 };

static const char strings[] = "\0pthread_mutex_lock\0pthread_cond_wait\0V_2\0V_30\0lib.so\0";
enum { LOCK_AT = 1, COND_AT = 20, V2_AT = 38, V30_AT = 42 };

/* As a library lies in memory. */
static struct {
    Elf64_Dyn dyn[12];
    Elf64_Sym sym[SYMBOLS];
    uint32_t hash[2];
    char str[sizeof strings];
    uint16_t versym[SYMBOLS];
    _Alignas(8) Elf64_Verneed need;
    Elf64_Vernaux aux[2];
    Elf64_Rela rela[4], plt[3];
} made;

#define AT(member) (BASE + offsetof(__typeof__(made), member))

static struct {
    struct wick_elf_slot slot[8];
    int n;
} seen;

static void note(void *arg, const struct wick_elf_slot *slot)
{
    (void)arg;
    assert_true(seen.n < 8);
    seen.slot[seen.n++] = *slot;
}

static void make(void)
{
    const Elf64_Dyn dyn[] = {{DT_SYMTAB, {AT(sym)}},
                             {DT_STRTAB, {AT(str)}},
                             {DT_STRSZ, {sizeof strings}},
                             {DT_HASH, {AT(hash)}},
                             {DT_RELA, {AT(rela)}},
                             {DT_RELASZ, {sizeof made.rela}},
                             {DT_JMPREL, {AT(plt)}},
                             {DT_PLTRELSZ, {sizeof made.plt}},
                             {DT_VERSYM, {AT(versym)}},
                             {DT_VERNEED, {AT(need)}},
                             {DT_NULL, {0}}};
    memset(&made, 0, sizeof made);
    memcpy(made.dyn, dyn, sizeof dyn);
    memcpy(made.str, strings, sizeof strings);
    made.hash[0] = 1;
    made.hash[1] = SYMBOLS;
    made.sym[1] = (Elf64_Sym){.st_name = LOCK_AT};
    made.sym[2] = (Elf64_Sym){.st_name = COND_AT};
    made.sym[3] = (Elf64_Sym){.st_name = COND_AT};
    made.sym[4] = (Elf64_Sym){.st_name = LOCK_AT, .st_shndx = 3}; /* its own function of that name */
    made.versym[1] = 2;
    made.versym[2] = 3 | 0x8000;
    made.versym[3] = VER_NDX_GLOBAL;
    made.need = (Elf64_Verneed){.vn_aux = sizeof made.need};
    made.aux[0] = (Elf64_Vernaux){.vna_other = 2, .vna_name = V2_AT, .vna_next = sizeof *made.aux};
    made.aux[1] = (Elf64_Vernaux){.vna_other = 3, .vna_name = V30_AT};
    made.rela[0] = (Elf64_Rela){0x2000, ELF64_R_INFO(0, R_X86_64_RELATIVE), 8};
    made.rela[1] = (Elf64_Rela){0x2008, ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0};
    made.rela[2] = (Elf64_Rela){0x2010, ELF64_R_INFO(4, R_X86_64_GLOB_DAT), 0};
    made.rela[3] = (Elf64_Rela){0x2018, ELF64_R_INFO(1, R_X86_64_64), 0};
    made.plt[0] = (Elf64_Rela){0x2020, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0};
    made.plt[1] = (Elf64_Rela){0x2028, ELF64_R_INFO(3, R_X86_64_JUMP_SLOT), 0};
    made.plt[2] = (Elf64_Rela){0x9000, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0}; /* outside of the image */
}

static int search(void)
{
    static const char *const names[] = {"pthread_cond_wait", "pthread_mutex_lock"};
    const struct wick_mem_range range = {BASE, sizeof made, &made};
    const struct wick_mem_fake fake = {&range, 1};
    const struct wick_elf_image image = {
        .bias = BASE, .map_lo = BASE, .map_hi = BASE + SIZE, .dyn = AT(dyn), .dyn_size = sizeof made.dyn};
    struct wick_mem mem;
    wick_mem_fake_init(&mem, &fake);
    seen.n = 0;
    return wick_elf_got_slots(&mem, &image, names, 2, note, NULL);
}

static void test_slots__words_of_other_images_functions_are_found(void **state)
{
    (void)state;
    make();
    assert_int_equal(search(), 0);
    assert_int_equal(seen.n, 3);
    assert_int_equal(seen.slot[0].addr, BASE + 0x2008);
    assert_int_equal(seen.slot[0].name, 1);
    assert_false(seen.slot[0].lazy);
    assert_string_equal(seen.slot[0].version, "V_2");
    assert_int_equal(seen.slot[1].addr, BASE + 0x2020);
    assert_int_equal(seen.slot[1].name, 0);
    assert_true(seen.slot[1].lazy);
    assert_string_equal(seen.slot[1].version, "V_30");
    assert_int_equal(seen.slot[2].addr, BASE + 0x2028);
    assert_string_equal(seen.slot[2].version, "");
}

static void test_slots__tables_that_lie_end_the_search(void **state)
{
    (void)state;
    make();
    made.dyn[5].d_un.d_val = UINT64_MAX; /* relocations without end */
    assert_int_equal(search(), -WICK_E_FORMAT);
    make();
    made.dyn[5].d_un.d_val = 0x100000; /* more than there are */
    assert_int_equal(search(), -WICK_E_FAULT);
    make();
    made.aux[0].vna_next = 0; /* the chain ends before the version */
    assert_int_equal(search(), 0);
    assert_string_equal(seen.slot[1].version, "");
    make();
    made.aux[1].vna_next = (uint32_t) - (int32_t)sizeof *made.aux; /* far beyond */
    made.sym[1].st_name = 0x7fffffff;
    assert_int_equal(search(), 0);
    assert_int_equal(seen.n, 2);
    made.dyn[4].d_tag = made.dyn[6].d_tag = DT_DEBUG;
    assert_int_equal(search(), -WICK_E_NOTFOUND);
}

/* --- real libraries ----------------------------------------------------------------------------------------------- */

static _Atomic unsigned calls;

static int our_lock(pthread_mutex_t *m)
{
    atomic_fetch_add(&calls, 1);
    return pthread_mutex_lock(m);
}

static struct wick_elf_hook hook = {.name = "pthread_mutex_lock"};
static struct wick_elf_hooks hooks;
static const char *const paths[] = {GOT_LAZY, GOT_NOW, GOT_NOPLT, GOT_NORELRO};
enum { LIBS = sizeof paths / sizeof *paths };

struct lib {
    void *handle;
    int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
    struct wick_elf_slot slot;
};

static void open_lib(struct lib *l, const char *path)
{
    l->handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    assert_non_null(l->handle);
    l->lock = (int (*)(pthread_mutex_t *))dlsym(l->handle, "got_lock");
    l->unlock = (int (*)(pthread_mutex_t *))dlsym(l->handle, "got_unlock");
    assert_true(l->lock && l->unlock);
}

static void use(const struct lib *l)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    assert_int_equal(l->lock(&m), 0);
    assert_int_equal(l->unlock(&m), 0);
}

static void keep_slot(void *arg, const struct wick_elf_slot *slot)
{
    *(struct wick_elf_slot *)arg = *slot;
}

/* The word of a library by the loader's own record of it. */
static _Atomic uintptr_t *word_of(struct lib *l)
{
    static const char *const names[] = {"pthread_mutex_lock"};
    struct link_map *map;
    struct wick_mem mem;
    assert_int_equal(dlinfo(l->handle, RTLD_DI_LINKMAP, &map), 0);
    const struct wick_elf_image image = {.bias = map->l_addr,
                                         .map_lo = map->l_addr,
                                         .map_hi = map->l_addr + 0x10000,
                                         .dyn = (uintptr_t)map->l_ld,
                                         .dyn_size = 64 * sizeof(Elf64_Dyn)};
    assert_int_equal(wick_mem_self_init(&mem), 0);
    l->slot.addr = 0;
    assert_int_equal(wick_elf_got_slots(&mem, &image, names, 1, keep_slot, &l->slot), 0);
    wick_mem_release(&mem);
    assert_true(l->slot.addr != 0);
    return (_Atomic uintptr_t *)(uintptr_t)l->slot.addr;
}

/* "rw-p" of the page. */
static void protection(uintptr_t addr, char out[5])
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    out[0] = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned long lo, hi;
        char p[5];
        if (sscanf(line, "%lx-%lx %4s", &lo, &hi, p) == 3 && addr >= lo && addr < hi)
            memcpy(out, p, 5);
    }
    fclose(f);
}

static int set_up(void **state)
{
    (void)state;
    hook.truth = (uintptr_t)pthread_mutex_lock;
    hook.ours = (uintptr_t)our_lock;
    return 0;
}

static void test_hooks__calls_of_each_sort_are_hooked_and_freed(void **state)
{
    (void)state;
    struct lib libs[LIBS];
    uintptr_t before[LIBS];
    char was[LIBS][5], is[5];
    struct wick_elf_hooks_count count;
    for (int i = 0; i < LIBS; i++) {
        open_lib(&libs[i], paths[i]);
        before[i] = atomic_load(word_of(&libs[i]));
        protection(libs[i].slot.addr, was[i]);
    }
    assert_int_not_equal(before[0], hook.truth); /* lazy, and not called yet */
    assert_string_equal(was[1], "r--p");         /* read-only after binding */
    unsigned calls_before = atomic_load(&calls);
    assert_int_equal(wick_elf_hooks_on(&hooks, &hook, 1), 0);
    wick_elf_hooks_count(&hooks, &count);
    assert_true(count.images >= LIBS && count.words >= LIBS);
    for (int i = 0; i < LIBS; i++) {
        assert_int_equal(atomic_load(word_of(&libs[i])), hook.ours);
        protection(libs[i].slot.addr, is);
        assert_string_equal(is, was[i]);
        use(&libs[i]);
        assert_int_equal(atomic_load(&calls), calls_before + (unsigned)i + 1);
    }
    wick_elf_hooks_off(&hooks);
    for (int i = 0; i < LIBS; i++) {
        uintptr_t now = atomic_load(word_of(&libs[i]));
        assert_true(now == before[i] || (i == 0 && now == hook.truth));
        protection(libs[i].slot.addr, is);
        assert_string_equal(is, was[i]);
        use(&libs[i]);
        dlclose(libs[i].handle);
    }
    assert_int_equal(atomic_load(&calls), calls_before + LIBS);
}

static void test_hooks__libraries_that_come_later_and_go(void **state)
{
    (void)state;
    struct lib l, other;
    assert_int_equal(wick_elf_hooks_on(&hooks, &hook, 1), 0);
    for (int i = 0; i < 20; i++) {
        open_lib(&l, paths[i % LIBS]);
        for (int k = 0; k < 3; k++)
            wick_elf_hooks_refresh(&hooks);
        assert_int_equal(atomic_load(word_of(&l)), hook.ours);
        unsigned calls_before = atomic_load(&calls);
        use(&l);
        assert_int_equal(atomic_load(&calls), calls_before + 1);
        dlclose(l.handle);
    }
    open_lib(&other, paths[1]); /* not seen before the end */
    wick_elf_hooks_off(&hooks);
    assert_int_equal(atomic_load(word_of(&other)), hook.truth);
    use(&other);
    dlclose(other.handle);
}

static void test_hooks__what_somebody_else_put_there_stays(void **state)
{
    (void)state;
    struct lib l;
    open_lib(&l, paths[3]);
    _Atomic uintptr_t *word = word_of(&l);
    use(&l);
    uintptr_t truth = atomic_load(word), foreign = (uintptr_t)pthread_mutex_trylock;
    atomic_store(word, foreign);
    assert_int_equal(wick_elf_hooks_on(&hooks, &hook, 1), 0);
    assert_int_equal(atomic_load(word), foreign);
    atomic_store(word, truth);
    for (int i = 0; i < 8 && atomic_load(word) != hook.ours; i++)
        wick_elf_hooks_refresh(&hooks);
    assert_int_equal(atomic_load(word), hook.ours); /* tried again, since it was not done */
    atomic_store(word, foreign);
    wick_elf_hooks_off(&hooks);
    assert_int_equal(atomic_load(word), foreign);
    atomic_store(word, truth);
    dlclose(l.handle);
}

static void test_hooks__an_image_can_be_left_alone(void **state)
{
    (void)state;
    struct lib l;
    open_lib(&l, paths[1]);
    struct wick_elf_hook sparing = hook;
    sparing.not_in = (uintptr_t)l.lock;
    assert_int_equal(wick_elf_hooks_on(&hooks, &sparing, 1), 0);
    assert_int_equal(atomic_load(word_of(&l)), hook.truth);
    wick_elf_hooks_off(&hooks);
    dlclose(l.handle);
}

/* --- all at once -------------------------------------------------------------------------------------------------- */

static _Atomic int leave;

static void *come_and_go(void *arg)
{
    for (unsigned i = (unsigned)(uintptr_t)arg; !atomic_load(&leave); i++) {
        struct lib l;
        open_lib(&l, paths[i % LIBS]);
        for (int k = 0; k < 20; k++)
            use(&l);
        dlclose(l.handle);
    }
    return NULL;
}

static void *call_on(void *arg)
{
    while (!atomic_load(&leave))
        use(arg);
    return NULL;
}

static void test_hooks__on_and_off_while_libraries_come_and_go(void **state)
{
    (void)state;
    struct lib stays;
    pthread_t t[4];
    unsigned calls_before = atomic_load(&calls);
    open_lib(&stays, GOT_LAZY_TOO);
    atomic_store(&leave, 0);
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, i < 2 ? come_and_go : call_on, i < 2 ? (void *)i : &stays), 0);
    for (int i = 0; i < 100 || atomic_load(&calls) == calls_before; i++) { /* the threads may have had no processor */
        assert_int_equal(wick_elf_hooks_on(&hooks, &hook, 1), 0);
        for (int k = 0; k < 5; k++)
            wick_elf_hooks_refresh(&hooks);
        wick_elf_hooks_off(&hooks);
        assert_int_equal(atomic_load(word_of(&stays)), hook.truth);
    }
    atomic_store(&leave, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert_true(atomic_load(&calls) > calls_before);
    dlclose(stays.handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots__words_of_other_images_functions_are_found),
        cmocka_unit_test(test_slots__tables_that_lie_end_the_search),
        cmocka_unit_test(test_hooks__calls_of_each_sort_are_hooked_and_freed),
        cmocka_unit_test(test_hooks__libraries_that_come_later_and_go),
        cmocka_unit_test(test_hooks__what_somebody_else_put_there_stays),
        cmocka_unit_test(test_hooks__an_image_can_be_left_alone),
        cmocka_unit_test(test_hooks__on_and_off_while_libraries_come_and_go),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
