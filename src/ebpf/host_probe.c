/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_probe.c - see host_probe.h
 *
 * A probe of a function is a place in a file, which the kernel finds by its path in the mount namespace of this
 * process. The place is the function's address less where the section that it is in begins, plus where that is in the
 * file.
 */
#include "ebpf/host_probe.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ebpf/host_similar.h"
#include "ebpf/host_usdt.h"
#include "elf/file.h"
#include "sys/perf_event.h"
#include "sys/whole.h"

#define AT_START     "uprobe:"
#define AT_RETURN    "uretprobe:"
#define STATIC       "usdt:"
#define MOUNT        "as root: mount -t tracefs tracefs /sys/kernel/tracing"
#define MOST_STRINGS ((uint64_t)64 << 20) /* bytes of a file's names that are read */

/* What is in no file. */
static int add_place(struct wick_host_probe *out, uint64_t config, enum wick_host_detail detail, struct wick_err *err)
{
    const struct wick_host_place place = {.config = config, .detail = detail, .fd = -1};
    return wick_host_places_add(&out->places, &place) ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}

/* --- tracepoints --- */

/* The folder `events` of tracefs. A descriptor, or -1 and errno. */
static int open_events(void)
{
    static const char *const places[] = {"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 || errno != ENOENT)
            return fd;
    }
    int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd = -1, error;
    int mount = fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)
                    ? -1
                    : (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
    if (mount >= 0)
        fd = openat(mount, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = fd < 0 ? ENOENT : 0;
    if (mount >= 0)
        close(mount);
    if (fs >= 0)
        close(fs);
    errno = error;
    return fd;
}

/* Calls back for each entry of a folder; it takes the descriptor. */
static void each_entry(int folder, void (*found)(void *arg, int folder, const char *name), void *arg)
{
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    if (!dir) {
        if (folder >= 0)
            close(folder);
        return;
    }
    rewinddir(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.' && e->d_type == DT_DIR)
            found(arg, dirfd(dir), e->d_name);
    closedir(dir);
}

struct listing {
    struct wick_host_similar *similar;
    const char *category;
};

static void add_tracepoint(void *arg, int folder, const char *name)
{
    const struct listing *l = arg;
    char whole[WICK_HOST_SIMILAR_NAME];
    if (snprintf(whole, sizeof whole, "%s:%s", l->category, name) < (int)sizeof whole)
        wick_host_similar_add(l->similar, whole);
}

static void add_category(void *arg, int folder, const char *name)
{
    struct listing l = {arg, name};
    each_entry(openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), add_tracepoint, &l);
}

static int no_tracepoint(int events, const char *name, const char *colon, struct wick_err *err)
{
    struct wick_host_similar similar = {.name = name, .tail = (size_t)(colon + 1 - name)};
    char text[WICK_HOST_SIMILAR * (WICK_HOST_SIMILAR_NAME + 2) + 16];
    each_entry(fcntl(events, F_DUPFD_CLOEXEC, 0), add_category, &similar);
    wick_host_similar_text(&similar, text, sizeof text);
    return wick_err_set(err, WICK_E_USAGE, "this kernel has no tracepoint %.200s%s%s", name, text,
                        *text ? "" : "; `perf list tracepoint` shows those that there are");
}

static int find_tracepoint(const char *name, const char *colon, struct wick_host_probe *out, struct wick_err *err)
{
    char path[WICK_HOST_PLACE_PATH + 8], number[24];
    if (name[strcspn(name, "/.")] || strchr(colon + 1, ':'))
        return wick_err_set(err, WICK_E_USAGE, "'%.200s' is not the name of a tracepoint", name);
    int events = open_events();
    if (events < 0 && (errno == EACCES || errno == EPERM))
        return wick_err_set(
            err, WICK_E_PERM,
            "tracepoint %.200s: tracefs is not readable for this user: record as root, or give it access to "
            "/sys/kernel/tracing",
            name);
    if (events < 0)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "tracepoint %.200s: tracefs is not mounted; " MOUNT, name);
    snprintf(path, sizeof path, "%.*s/%s/id", (int)(colon - name), name, colon + 1);
    ssize_t n = wick_whole_text_at(events, path, number, sizeof number);
    int error = errno;
    int rc = n >= 0 && atoi(number) > 0 ? 0
             : n < 0 && error != ENOENT
                 ? wick_err_set(err, error == EACCES ? WICK_E_PERM : WICK_E_UNSUPPORTED,
                                "tracepoint %.200s: its number cannot be read: %s", name, strerror(error))
                 : no_tracepoint(events, name, colon, err);
    close(events);
    if (rc)
        return rc;
    out->kind = WICK_HOST_PROBE_TRACEPOINT;
    out->attr.type = PERF_TYPE_TRACEPOINT;
    out->attr.sample_period = 1;
    return add_place(out, (uint64_t)atoi(number), WICK_HOST_NO_DETAIL, err);
}

/* --- functions --- */

/* The names of a file's functions. */
struct functions {
    const struct wick_elf_file *file;
    char *strings;
    uint64_t nstrings;
    struct wick_host_similar similar;
    uint64_t vaddr;
    bool found, indirect;
    uint64_t count;
};

static void see_symbol(struct functions *f, const Elf64_Sym *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s->st_shndx == SHN_UNDEF || s->st_name >= f->nstrings)
        return;
    const char *name = f->strings + s->st_name;
    f->count++;
    if (strcmp(name, f->similar.name) != 0) {
        wick_host_similar_add(&f->similar, name);
    } else if (type == STT_GNU_IFUNC) {
        f->indirect = true;
    } else if (!f->found) {
        f->found = true;
        f->vaddr = s->st_value;
    }
}

/* Reads one symbol table. Without success nothing is found. */
static void read_symbols(struct functions *f, const struct wick_elf_sec *symbols, const struct wick_elf_sec *strings)
{
    Elf64_Sym block[256];
    if (f->found || !symbols->size || !strings->size || strings->size > MOST_STRINGS)
        return;
    f->nstrings = strings->size;
    f->strings = malloc(f->nstrings + 1);
    if (f->strings && !wick_mem_read(&f->file->mem, strings->off, f->strings, f->nstrings)) {
        f->strings[f->nstrings] = 0;
        uint64_t count = symbols->size / sizeof *block, most = sizeof block / sizeof *block;
        for (uint64_t i = 0; i < count; i += most) {
            uint64_t n = count - i < most ? count - i : most;
            if (wick_mem_read(&f->file->mem, symbols->off + i * sizeof *block, block, n * sizeof *block))
                break;
            for (uint64_t k = 0; k < n; k++)
                see_symbol(f, &block[k]);
        }
    }
    free(f->strings);
    f->strings = NULL;
}

static void read_debug_symbols(struct functions *f, const char *path)
{
    const struct wick_elf_file *own = f->file;
    struct wick_elf_file debug;
    if (f->found || own->symtab.size || wick_elf_open_debug(own, path, -1, NULL, &debug))
        return;
    f->file = &debug;
    read_symbols(f, &debug.symtab, &debug.strtab);
    f->file = own;
    wick_elf_file_release(&debug);
}

static int no_function(const struct functions *f, const char *path, struct wick_err *err)
{
    char text[WICK_HOST_SIMILAR * (WICK_HOST_SIMILAR_NAME + 2) + 16];
    const char *name = f->similar.name;
    if (f->indirect)
        return wick_err_set(
            err, WICK_E_USAGE,
            "%.80s of %.200s is chosen when the program starts, among several functions: probe one of these", name,
            path);
    wick_host_similar_text(&f->similar, text, sizeof text);
    return wick_err_set(err, WICK_E_USAGE, "%.200s has no function %.80s%s%s", path, name, text,
                        !f->count ? ": it is stripped, and has no separate debug file under /usr/lib/debug"
                        : !f->file->symtab.size ? "; it is stripped: only what it exports has a name"
                                                : "");
}

/* Where that address is in the file. */
static bool place_of(const struct wick_elf_file *file, uint64_t vaddr, uint64_t *place)
{
    for (uint32_t i = 0; i < file->n_exec; i++)
        if (vaddr - file->exec[i].addr < file->exec[i].size) {
            *place = vaddr - file->exec[i].addr + file->exec[i].off;
            return true;
        }
    return false;
}

static int find_place(const char *path, const char *function, uint64_t *place, struct wick_err *err)
{
    struct wick_elf_file file;
    int rc = wick_host_place_open(path, &file, err);
    if (rc)
        return rc;
    struct functions f = {.file = &file, .similar = {.name = function}};
    read_symbols(&f, &file.symtab, &file.strtab);
    read_debug_symbols(&f, path);
    read_symbols(&f, &file.dynsym, &file.dynstr);
    rc = !f.found || f.indirect ? no_function(&f, path, err)
         : !place_of(&file, f.vaddr, place)
             ? wick_err_set(err, WICK_E_USAGE, "%.80s of %.200s is no code", function, path)
             : 0;
    wick_elf_file_release(&file);
    return rc;
}

/* The kernel's probes of places in files; the places are known. */
static int use_probes(struct wick_host_probe *out, struct wick_err *err)
{
    char number[24];
    if (wick_whole_text(WICK_HOST_PROBE_TYPE, number, sizeof number) <= 0)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "this kernel has no probes of functions of processes (CONFIG_UPROBE_EVENTS): there is "
                            "no " WICK_HOST_PROBE_TYPE);
    out->kind = WICK_HOST_PROBE_FUNCTION;
    out->attr.type = (uint32_t)atoi(number);
    out->attr.sample_period = 1;
    return 0;
}

/* rest: "/PATH:FUNCTION". */
static int find_function(const char *rest, bool at_return, struct wick_host_probe *out, struct wick_err *err)
{
    struct wick_host_place place = {.config = at_return, .fd = -1}; /* format/retprobe: bit 0 */
    const char *colon = strchr(rest, ':');
    if (*rest != '/' || !colon || !colon[1] || (size_t)(colon - rest) >= sizeof place.path)
        return wick_err_set(err, WICK_E_USAGE,
                            "a probe of a function is called uprobe:/PATH/OF/LIBRARY:FUNCTION, and '%.200s' is not",
                            rest);
    memcpy(place.path, rest, (size_t)(colon - rest));
    int rc = find_place(place.path, colon + 1, &place.at, err);
    if (rc)
        return rc;
    if (wick_host_places_add(&out->places, &place))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    return use_probes(out, err);
}

static int find_static(const char *name, struct wick_host_probe *out, struct wick_err *err)
{
    int rc = wick_host_usdt_find(name, &out->places, err);
    return rc ? rc : use_probes(out, err);
}

/* --- perf's events --- */

static int find_counter(const char *name, struct wick_host_probe *out, struct wick_err *err)
{
    bool cpu_time;
    int rc = wick_perf_event_parse(name, &out->attr, &cpu_time, err);
    if (rc)
        return rc;
    out->kind = WICK_HOST_PROBE_COUNTER;
    if (out->attr.type != PERF_TYPE_SOFTWARE)
        return add_place(out, out->attr.config, WICK_HOST_NO_DETAIL, err);
    /* that one alone does not say which it was */
    bool all = out->attr.config == PERF_COUNT_SW_PAGE_FAULTS;
    if (all || out->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN)
        rc = add_place(out, PERF_COUNT_SW_PAGE_FAULTS_MIN, WICK_HOST_MINOR, err);
    if (!rc && (all || out->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ))
        rc = add_place(out, PERF_COUNT_SW_PAGE_FAULTS_MAJ, WICK_HOST_MAJOR, err);
    return rc || out->places.n ? rc : add_place(out, out->attr.config, WICK_HOST_NO_DETAIL, err);
}

int wick_host_probe_find(const char *name, uint64_t period, struct wick_host_probe *out, struct wick_err *err)
{
    *out = (struct wick_host_probe){.attr.size = sizeof out->attr};
    const char *colon = strchr(name, ':');
    int rc = !strncmp(name, AT_START, strlen(AT_START))     ? find_function(name + strlen(AT_START), false, out, err)
             : !strncmp(name, AT_RETURN, strlen(AT_RETURN)) ? find_function(name + strlen(AT_RETURN), true, out, err)
             : !strncmp(name, STATIC, strlen(STATIC))       ? find_static(name + strlen(STATIC), out, err)
             : colon                                        ? find_tracepoint(name, colon, out, err)
                                                            : find_counter(name, out, err);
    if (!rc && period)
        out->attr.sample_period = period;
    return rc;
}

void wick_host_probe_release(struct wick_host_probe *p)
{
    wick_host_places_release(&p->places);
}
