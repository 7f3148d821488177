/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols, compared with what nm and objdump say about the same files.
 *
 * The libraries are those of this machine; where one is missing its comparison is left out, except libc and this test's
 * own executable, which are always there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "elf/dynsym.h"
#include "elf/file.h"
#include "elf/image.h"
#include "elf/symbols.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static char self[4096]; /* this executable */

/* One line of nm: sorted by address, then name. */
struct line {
    uint64_t addr, size;
    char *name;
    char type;
};

struct lines {
    struct line *l;
    size_t n, cap;
};

static int by_addr(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_line(struct lines *ls, uint64_t addr, uint64_t size, char type, char *name)
{
    if (ls->n == ls->cap) {
        ls->cap = ls->cap ? ls->cap * 2 : 1024;
        ls->l = realloc(ls->l, ls->cap * sizeof ls->l[0]);
        assert_non_null(ls->l);
    }
    char *at = strchr(name, '@');
    if (at && at > name)
        *at = 0;
    ls->l[ls->n++] = (struct line){addr, size, strdup(name), type};
}

static bool has_line(const struct lines *ls, uint64_t addr, const char *name)
{
    struct line key = {.addr = addr, .name = (char *)name};
    return ls->n && bsearch(&key, ls->l, ls->n, sizeof key, by_addr);
}

static void free_lines(struct lines *ls)
{
    for (size_t i = 0; i < ls->n; i++)
        free(ls->l[i].name);
    free(ls->l);
}

/* Thread-local symbols, which have no address and which nm may show as functions. */
static struct lines run_readelf_tls(const char *path)
{
    char cmd[4300], text[8192], name[8000];
    struct lines ls = {0};
    snprintf(cmd, sizeof cmd, "LC_ALL=C readelf -W --syms --dyn-syms '%s'", path);
    FILE *f = popen(cmd, "r");
    assert_non_null(f);
    unsigned long addr;
    while (fgets(text, sizeof text, f))
        if (sscanf(text, "%*d: %lx %*d TLS %*s %*s %*s %7999s", &addr, name) == 2)
            add_line(&ls, addr, 0, 'T', name);
    pclose(f);
    if (ls.n)
        qsort(ls.l, ls.n, sizeof ls.l[0], by_addr);
    return ls;
}

/* Defined symbols of those nm types. */
static struct lines run_nm(const char *options, const char *path, const char *types)
{
    char cmd[4300], text[8192], name[8000];
    struct lines ls = {0}, tls = run_readelf_tls(path);
    snprintf(cmd, sizeof cmd, "LC_ALL=C nm -S --defined-only %s '%s' 2>/dev/null", options, path);
    FILE *f = popen(cmd, "r");
    assert_non_null(f);
    while (fgets(text, sizeof text, f)) {
        unsigned long addr, size = 0;
        char type;
        if (sscanf(text, "%lx %lx %c %7999s", &addr, &size, &type, name) != 4) {
            size = 0;
            if (sscanf(text, "%lx %c %7999s", &addr, &type, name) != 3)
                continue;
        }
        if (strchr(types, type) && !has_line(&tls, addr, strtok(name, "@")))
            add_line(&ls, addr, size, type, name);
    }
    pclose(f);
    free_lines(&tls);
    if (ls.n)
        qsort(ls.l, ls.n, sizeof ls.l[0], by_addr);
    return ls;
}

/* Every k-th function is found at its first and last byte, by one of its own names (or an inner label's). */
static void compare_with_nm(const struct wick_symbols *s, const struct lines *ls, size_t every)
{
    char name[8192];
    size_t checked = 0;
    assert_true(ls->n > 0);
    for (size_t i = 0; i < ls->n; i += every) {
        const struct line *l = &ls->l[i];
        struct wick_symbol sym;
        if (l->size == 0)
            continue;
        if (wick_symbols_find(s, l->addr, &sym, name, sizeof name))
            fail_msg("nothing is found at %lx, where nm lists %s", l->addr, l->name);
        assert_true(sym.is_plt || sym.vaddr == l->addr);
        if (!has_line(ls, sym.vaddr, name))
            fail_msg("%lx is %s at %lx, which nm does not list", l->addr, name, sym.vaddr);
        assert_int_equal(wick_symbols_find(s, l->addr + l->size - 1, &sym, name, sizeof name), 0);
        assert_true(sym.vaddr >= l->addr && has_line(ls, sym.vaddr, name));
        checked++;
    }
    assert_true(checked > 0);
}

static struct wick_symbols *load(const char *path, const char *debug_dir)
{
    struct wick_symbols *s = NULL;
    struct wick_symbols_from from = {.debug_dir = debug_dir};
    struct wick_err err = {0};
    if (wick_symbols_load(&s, &(struct wick_elf_image){.path = path}, &from, &err))
        fail_msg("%s", err.msg);
    return s;
}

static void check_file(const char *path, const char *nm_options, enum wick_symbols_source source, size_t every)
{
    struct wick_symbols *s = load(path, "/nonexistent");
    struct lines ls = run_nm(nm_options, path, "tTwWiu");
    print_message("           %-62s %6zu functions\n", path, wick_symbols_count(s));
    assert_int_equal(wick_symbols_source(s), source);
    compare_with_nm(s, &ls, every);
    free_lines(&ls);
    wick_symbols_free(s);
}

static void test_symbols__agree_with_nm(void **state)
{
    (void)state;
    check_file(self, "", WICK_SYMBOLS_SYMTAB, 1);
    check_file(LIBC, "-D", WICK_SYMBOLS_DYNSYM, 1);
    check_file("/lib64/ld-linux-x86-64.so.2", "-D", WICK_SYMBOLS_DYNSYM, 1);
    glob_t g = {0};
    glob("/usr/lib/jvm/*/lib/server/libjvm.so", 0, NULL, &g);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        struct lines ls = run_nm("", g.gl_pathv[i], "tT");
        bool full = ls.n > 0;
        free_lines(&ls);
        check_file(g.gl_pathv[i], full ? "" : "-D", full ? WICK_SYMBOLS_SYMTAB : WICK_SYMBOLS_DYNSYM, 20);
    }
    globfree(&g);
}

static void test_symbols__between_functions_there_is_nothing(void **state)
{
    (void)state;
    struct wick_symbols *s = load(LIBC, "/nonexistent");
    struct lines ls = run_nm("-D", LIBC, "tTwWiu");
    struct wick_symbol sym;
    char name[256];
    uint64_t end = 0;
    size_t gaps = 0;
    for (size_t i = 0; i < ls.n; i++) {
        if (end && ls.l[i].addr > end + 1) {
            assert_int_equal(wick_symbols_find(s, end, &sym, name, sizeof name), -WICK_E_NOTFOUND);
            gaps++;
        }
        if (ls.l[i].addr + ls.l[i].size > end)
            end = ls.l[i].addr + ls.l[i].size;
    }
    assert_true(gaps > 100);
    assert_int_equal(wick_symbols_find(s, 0, &sym, name, sizeof name), -WICK_E_NOTFOUND);
    assert_int_equal(wick_symbols_find(s, UINT64_MAX, &sym, name, sizeof name), -WICK_E_NOTFOUND);
    free_lines(&ls);
    wick_symbols_free(s);
}

static void test_symbols__known_names_win_over_internal_ones(void **state)
{
    (void)state;
    struct wick_symbols *s = load(LIBC, "/nonexistent");
    void *libc = dlopen("libc.so.6", RTLD_NOW); /* a sanitizer's runtime has functions of these names as well */
    static const char *const names[] = {"read", "write", "nanosleep", "fork"};
    for (size_t i = 0; i < 4; i++) {
        Dl_info info;
        char name[256];
        struct wick_symbol sym;
        void *f = dlsym(libc, names[i]);
        assert_true(f && dladdr(f, &info));
        uint64_t vaddr = (uintptr_t)f - (uintptr_t)info.dli_fbase;
        assert_int_equal(wick_symbols_find(s, vaddr + 1, &sym, name, sizeof name), 0);
        assert_string_equal(name, names[i]);
    }
    dlclose(libc);
    wick_symbols_free(s);
}

/* objdump labels PLT entries; `*ABS*+0x9f3a0@plt` is an indirect function, which we name. */
static size_t compare_plt(const char *path)
{
    char cmd[4300], text[8192], want[8000], name[8192];
    struct wick_symbols *s = load(path, "/nonexistent");
    struct wick_symbol sym;
    size_t n = 0;
    snprintf(cmd, sizeof cmd, "LC_ALL=C objdump -d -j .plt -j .plt.sec -j .plt.got '%s' 2>/dev/null", path);
    FILE *f = popen(cmd, "r");
    assert_non_null(f);
    while (fgets(text, sizeof text, f)) {
        unsigned long addr;
        if (sscanf(text, "%lx <%7999[^>]>:", &addr, want) != 2 || !strstr(want, "@plt"))
            continue;
        assert_int_equal(wick_symbols_find(s, addr + 5, &sym, name, sizeof name), 0);
        assert_true(sym.is_plt);
        assert_true(sym.vaddr == addr);
        if (strstr(want, "@plt-0x")) { /* the entry before the first function's */
            assert_string_equal(name, ".plt");
            continue;
        }
        char *at = strchr(want, '@'); /* memcpy@GLIBC_2.14@plt in some versions */
        snprintf(at, 8, "@plt");
        if (!strncmp(want, "*ABS*", 5))
            assert_true(strlen(name) > 4 && !strcmp(name + strlen(name) - 4, "@plt"));
        else
            assert_string_equal(name, want);
        n++;
    }
    pclose(f);
    wick_symbols_free(s);
    return n;
}

static void test_symbols__plt_entries_are_named(void **state)
{
    (void)state;
    assert_true(compare_plt(self) > 10);
    assert_true(compare_plt(LIBC) > 3);
    assert_true(compare_plt("/usr/lib/x86_64-linux-gnu/libstdc++.so.6") > 100);
}

/* ------------------------------------------------------------------------------------------------ debug files */

struct dir {
    char path[64], file[128], debug[128];
};

static void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *fmt, ...)
{
    char cmd[8192];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(cmd, sizeof cmd, fmt, ap);
    va_end(ap);
    if (system(cmd))
        fail_msg("failed: %s", cmd);
}

/* dir/prog is this executable, stripped, with a link to prog.debug; with a build id or without. */
static void make_stripped(struct dir *d, bool build_id)
{
    snprintf(d->path, sizeof d->path, "/tmp/wick-elf-XXXXXX");
    assert_non_null(mkdtemp(d->path));
    snprintf(d->file, sizeof d->file, "%s/prog", d->path);
    snprintf(d->debug, sizeof d->debug, "%s/prog.debug", d->path);
    run("cp '%s' '%s'", self, d->file);
    if (!build_id)
        run("objcopy --remove-section .note.gnu.build-id '%s'", d->file);
    run("objcopy --only-keep-debug '%s' '%s' && strip '%s'", d->file, d->debug, d->file);
    run("objcopy --add-gnu-debuglink='%s' '%s'", d->debug, d->file);
}

static void remove_dir(const struct dir *d)
{
    run("rm -rf '%s'", d->path);
}

static void check_source(const char *file, const char *debug_dir, enum wick_symbols_source want)
{
    struct wick_symbols *s = load(file, debug_dir);
    assert_int_equal(wick_symbols_source(s), want);
    if (want == WICK_SYMBOLS_DEBUG) {
        struct lines ls = run_nm("", self, "tTwWiu");
        compare_with_nm(s, &ls, 1);
        free_lines(&ls);
        assert_true(wick_symbols_count(s) > 100);
    }
    wick_symbols_free(s);
}

static void test_debug_file__found_by_link_and_checked_by_crc(void **state)
{
    (void)state;
    struct dir d;
    make_stripped(&d, false);
    check_source(d.file, "/nonexistent", WICK_SYMBOLS_DEBUG);
    run("mkdir '%s/.debug' && mv '%s' '%s/.debug/'", d.path, d.debug, d.path);
    check_source(d.file, "/nonexistent", WICK_SYMBOLS_DEBUG);
    run("mkdir -p '%s/root%s' && mv '%s/.debug/prog.debug' '%s/root%s/'", d.path, d.path, d.path, d.path, d.path);
    char root[128];
    snprintf(root, sizeof root, "%s/root", d.path);
    check_source(d.file, root, WICK_SYMBOLS_DEBUG);
    run("printf x >> '%s/root%s/prog.debug'", d.path, d.path); /* another file than the link means */
    check_source(d.file, root, WICK_SYMBOLS_DYNSYM);
    remove_dir(&d);
}

static void test_debug_file__found_by_build_id(void **state)
{
    (void)state;
    struct dir d;
    struct wick_elf_file f;
    char hex[2 * WICK_BUILD_ID_MAX + 1], root[128];
    int fd = wick_elf_open_path(-1, self);
    assert_int_equal(wick_elf_file_take_fd(&f, fd), 0);
    if (!f.build_id_len) {
        wick_elf_file_release(&f);
        print_message("this toolchain makes no build ids\n");
        skip();
    }
    for (int i = 0; i < f.build_id_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", f.build_id[i]);
    wick_elf_file_release(&f);
    make_stripped(&d, true);
    run("mkdir -p '%s/root/.build-id/%.2s' && mv '%s' '%s/root/.build-id/%.2s/%s.debug'", d.path, hex, d.debug, d.path,
        hex, hex + 2);
    snprintf(root, sizeof root, "%s/root", d.path);
    check_source(d.file, root, WICK_SYMBOLS_DEBUG);
    run("cp " LIBC " '%s/root/.build-id/%.2s/%s.debug'", d.path, hex, hex + 2); /* some other file */
    check_source(d.file, root, WICK_SYMBOLS_DYNSYM);
    remove_dir(&d);
}

/* --------------------------------------------------------------------------------------------- loaded images */

static struct wick_mem mem;
static struct wick_elf_images images;

static const struct wick_elf_image *image_of(const void *p)
{
    bool changed;
    assert_int_equal(wick_elf_images_refresh(&images, &mem, &changed, NULL), 0);
    const struct wick_elf_image *image = wick_elf_images_find(&images, (uintptr_t)p);
    assert_non_null(image);
    return image;
}

static void check_name(const struct wick_elf_image *image, const void *p, const char *want,
                       enum wick_symbols_source source)
{
    struct wick_symbols *s = NULL;
    struct wick_symbols_from from = {.mem = &mem};
    struct wick_symbol sym;
    char name[256];
    struct wick_err err = {0};
    if (wick_symbols_load(&s, image, &from, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(wick_symbols_source(s), source);
    assert_int_equal(wick_symbols_find(s, (uintptr_t)p - image->bias, &sym, name, sizeof name), 0);
    assert_string_equal(name, want);
    assert_true(sym.vaddr + image->bias == (uintptr_t)p);
    wick_symbols_free(s);
}

__attribute__((noinline)) static int a_function_of_this_test(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

static void test_symbols__of_a_loaded_image(void **state)
{
    (void)state;
    const void *p = (const void *)(uintptr_t)a_function_of_this_test;
    check_name(image_of(p), p, "a_function_of_this_test", WICK_SYMBOLS_SYMTAB);
}

static void test_symbols__of_another_process(void **state)
{
    (void)state;
    const void *p = (const void *)(uintptr_t)a_function_of_this_test;
    struct wick_elf_images other;
    struct wick_mem remote;
    struct wick_symbols *s = NULL;
    struct wick_symbol sym;
    struct wick_err err = {0};
    char name[64];
    bool changed;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    assert_int_equal(wick_mem_remote_init(&remote, pid, NULL), 0);
    wick_elf_images_init(&other, pid);
    assert_int_equal(wick_elf_images_refresh(&other, &remote, &changed, NULL), 0);
    const struct wick_elf_image *image = wick_elf_images_find(&other, (uintptr_t)p);
    struct wick_symbols_from from = {.pid = pid, .mem = &remote};
    if (wick_symbols_load(&s, image, &from, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(wick_symbols_source(s), WICK_SYMBOLS_SYMTAB);
    assert_int_equal(wick_symbols_find(s, (uintptr_t)p - image->bias, &sym, name, sizeof name), 0);
    assert_string_equal(name, "a_function_of_this_test");
    wick_symbols_free(s);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    wick_elf_images_release(&other);
    wick_mem_release(&remote);
}

static void test_symbols__without_a_file_come_from_memory(void **state)
{
    (void)state;
    const void *p = dlsym(RTLD_DEFAULT, "getppid");
    struct wick_elf_image no_file = *image_of(p);
    no_file.flags |= WICK_IMAGE_VDSO; /* that is: has no file */
    check_name(&no_file, p, "getppid", WICK_SYMBOLS_MEMORY);
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    const struct wick_elf_table *t = images.table;
    for (uint32_t i = 0; vdso && i < t->n; i++) {
        wick_addr addr;
        if (!(t->e[i].image->flags & WICK_IMAGE_VDSO))
            continue;
        assert_int_equal(wick_elf_dynsym(&mem, t->e[i].image, "__vdso_getcpu", &addr), 0);
        check_name(t->e[i].image, (const void *)(uintptr_t)addr, "getcpu", WICK_SYMBOLS_MEMORY);
        vdso = 0;
    }
    assert_true(vdso == 0);
}

static void test_symbols__a_replaced_file_is_not_mistaken_for_the_mapped_one(void **state)
{
    (void)state;
    char dir[] = "/tmp/wick-elf-XXXXXX", lib[64];
    assert_non_null(mkdtemp(dir));
    snprintf(lib, sizeof lib, "%s/libcopy.so", dir);
    run("cp -L /lib/x86_64-linux-gnu/libz.so.1 '%s'", lib);
    void *h = dlopen(lib, RTLD_NOW);
    assert_non_null(h);
    const void *p = dlsym(h, "zlibVersion");
    struct wick_elf_image image = *image_of(p);
    struct wick_symbols_from from = {.debug_dir = "/nonexistent"};
    struct wick_symbols *s = NULL;
    struct wick_symbol sym;
    char name[64];
    run("rm '%s' && cp -L " LIBC " '%s'", lib, lib);
    from.mem = &mem;
    assert_int_equal(wick_symbols_load(&s, &image, &from, NULL), 0); /* by map_files if we may, else from memory */
    assert_int_equal(wick_symbols_find(s, (uintptr_t)p - image.bias, &sym, name, sizeof name), 0);
    assert_string_equal(name, "zlibVersion");
    wick_symbols_free(s);
    dlclose(h);
    run("rm -rf '%s'", dir);
}

static void test_open_path__never_leaves_the_root_and_takes_only_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/wick-elf-XXXXXX";
    assert_non_null(mkdtemp(dir));
    run("mkdir -p '%s/root/etc' && echo outside > '%s/secret' && echo inside > '%s/root/secret'", dir, dir, dir);
    run("ln -s ../../secret '%s/root/etc/up' && ln -s /secret '%s/root/etc/abs' && mkfifo '%s/root/fifo'", dir, dir,
        dir);
    char root[64], text[8];
    snprintf(root, sizeof root, "%s/root", dir);
    int root_fd = open(root, O_PATH | O_DIRECTORY);
    static const char *const paths[] = {"/secret", "/etc/up", "/etc/abs", "/../secret", "/etc/../../secret"};
    for (size_t i = 0; i < 5; i++) {
        int fd = wick_elf_open_path(root_fd, paths[i]);
        assert_true(fd >= 0);
        assert_int_equal(read(fd, text, 6), 6);
        assert_memory_equal(text, "inside", 6);
        close(fd);
    }
    char fifo[80], event[512];
    snprintf(fifo, sizeof fifo, "%s/fifo", root);
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(watch >= 0 && inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
    assert_int_equal(wick_elf_open_path(root_fd, "/fifo"), -WICK_E_NOTFOUND);
    assert_int_equal(read(watch, event, sizeof event), -1); /* not even opened */
    assert_int_equal(errno, EAGAIN);
    close(watch);
    assert_int_equal(wick_elf_open_path(root_fd, "/etc"), -WICK_E_NOTFOUND);
    assert_int_equal(wick_elf_open_path(root_fd, "/missing"), -WICK_E_NOTFOUND);
    close(root_fd);
    run("rm -rf '%s'", dir);
    root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(wick_elf_open_path(root_fd, "/proc/version"), -WICK_E_NOTFOUND);
    close(root_fd);
}

/* --------------------------------------------------------------------------------------------- one name */

static void test_dynsym__finds_every_exported_symbol_of_libc(void **state)
{
    (void)state;
    const struct wick_elf_image *libc = image_of(dlsym(RTLD_DEFAULT, "getppid"));
    struct lines ls = run_nm("-D", libc->path, "TWiDBRV");
    wick_addr addr;
    assert_true(ls.n > 1000);
    for (size_t i = 0; i < ls.n; i++) {
        const char *name = ls.l[i].name;
        if (wick_elf_dynsym(&mem, libc, name, &addr))
            fail_msg("%s is not found", name);
        assert_true(has_line(&ls, addr - libc->bias, name)); /* one of its versions */
    }
    assert_int_equal(wick_elf_dynsym(&mem, libc, "no_such_symbol", &addr), -WICK_E_NOTFOUND);
    assert_int_equal(wick_elf_dynsym(&mem, libc, "", &addr), -WICK_E_NOTFOUND);
    free_lines(&ls);
}

static volatile uint32_t sized_for_this_test[6];

static void test_find_symtab__agrees_with_nm(void **state)
{
    (void)state;
    sized_for_this_test[0] = 1;
    struct wick_elf_file f;
    struct lines ls = run_nm("", self, "tTdDbB");
    uint64_t vaddr, size = 0;
    assert_int_equal(wick_elf_file_take_fd(&f, wick_elf_open_path(-1, self)), 0);
    assert_int_equal(wick_elf_find_symtab(&f, "sized_for_this_test", &vaddr, &size), 0);
    assert_in_range(size, sizeof sized_for_this_test, 256); /* sanitizers add to it */
    for (size_t i = 0; i < ls.n; i += 7) {
        assert_int_equal(wick_elf_find_symtab(&f, ls.l[i].name, &vaddr, NULL), 0);
        assert_true(has_line(&ls, vaddr, ls.l[i].name));
    }
    assert_int_equal(wick_elf_find_symtab(&f, "no_such_symbol", &vaddr, NULL), -WICK_E_NOTFOUND);
    assert_int_equal(wick_elf_find_symtab(&f, "_function_of_this_test", &vaddr, NULL), -WICK_E_NOTFOUND); /* a tail */
    wick_elf_file_release(&f);
    free_lines(&ls);
}

static void test_symbols__every_truncation_of_a_file_is_survived(void **state)
{
    (void)state;
    int fd = wick_elf_open_path(-1, "/lib64/ld-linux-x86-64.so.2");
    assert_true(fd >= 0);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    char dir[] = "/tmp/wick-elf-XXXXXX", copy[64], name[64];
    assert_non_null(mkdtemp(dir));
    snprintf(copy, sizeof copy, "%s/lib", dir);
    run("cp -L /lib64/ld-linux-x86-64.so.2 '%s'", copy);
    for (off_t size = st.st_size; size > 0; size -= size > 4096 ? 1777 : 13) {
        struct wick_symbols *s = NULL;
        struct wick_symbol sym;
        struct wick_symbols_from from = {.debug_dir = "/nonexistent"};
        struct wick_err err = {0};
        assert_int_equal(truncate(copy, size), 0);
        if (wick_symbols_load(&s, &(struct wick_elf_image){.path = copy}, &from, &err)) {
            assert_true(err.msg[0]);
            continue;
        }
        for (uint64_t a = 0x1000; a < 0x30000; a += 0x777)
            wick_symbols_find(s, a, &sym, name, sizeof name);
        wick_symbols_free(s);
    }
    close(fd);
    run("rm -rf '%s'", dir);
}

/* Gives the table of symbols in a file a size of that many bytes. */
static void enlarge_symtab(const char *path, uint64_t bytes)
{
    Elf64_Ehdr e;
    Elf64_Shdr s = {0};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &e, sizeof e, 0), sizeof e);
    off_t at = (off_t)e.e_shoff;
    for (unsigned i = 0; i < e.e_shnum && s.sh_type != SHT_SYMTAB; i++, at += (off_t)sizeof s)
        assert_int_equal(pread(fd, &s, sizeof s, at), sizeof s);
    assert_int_equal(s.sh_type, SHT_SYMTAB);
    s.sh_size = bytes;
    assert_int_equal(pwrite(fd, &s, sizeof s, at - (off_t)sizeof s), sizeof s);
    close(fd);
}

static void test_symbols__of_a_sparse_file_are_not_all_read(void **state)
{
    (void)state;
    const off_t size = (off_t)1 << 40;
    char dir[] = "/tmp/wick-elf-XXXXXX", copy[64];
    assert_non_null(mkdtemp(dir));
    snprintf(copy, sizeof copy, "%s/prog", dir);
    run("cp '%s' '%s'", self, copy);
    enlarge_symtab(copy, (uint64_t)size / 48 * 24);
    bool possible = !truncate(copy, size);
    if (possible) {
        struct wick_symbols *s = NULL;
        struct wick_symbols_from from = {.debug_dir = "/nonexistent"};
        struct wick_err err = {0};
        assert_int_equal(wick_symbols_load(&s, &(struct wick_elf_image){.path = copy}, &from, &err), -WICK_E_LIMIT);
        assert_true(err.msg[0]);
    }
    run("rm -rf '%s'", dir);
    if (!possible)
        skip(); /* no file of that size here */
}

static int setup(void **state)
{
    (void)state;
    wick_elf_images_init(&images, 0);
    return wick_mem_self_init(&mem) || readlink("/proc/self/exe", self, sizeof self - 1) < 0;
}

static int teardown(void **state)
{
    (void)state;
    wick_elf_images_release(&images);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols__agree_with_nm),
        cmocka_unit_test(test_symbols__between_functions_there_is_nothing),
        cmocka_unit_test(test_symbols__known_names_win_over_internal_ones),
        cmocka_unit_test(test_symbols__plt_entries_are_named),
        cmocka_unit_test(test_debug_file__found_by_link_and_checked_by_crc),
        cmocka_unit_test(test_debug_file__found_by_build_id),
        cmocka_unit_test(test_symbols__of_a_loaded_image),
        cmocka_unit_test(test_symbols__of_another_process),
        cmocka_unit_test(test_symbols__without_a_file_come_from_memory),
        cmocka_unit_test(test_symbols__a_replaced_file_is_not_mistaken_for_the_mapped_one),
        cmocka_unit_test(test_open_path__never_leaves_the_root_and_takes_only_files),
        cmocka_unit_test(test_dynsym__finds_every_exported_symbol_of_libc),
        cmocka_unit_test(test_find_symtab__agrees_with_nm),
        cmocka_unit_test(test_symbols__every_truncation_of_a_file_is_survived),
        cmocka_unit_test(test_symbols__of_a_sparse_file_are_not_all_read),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
