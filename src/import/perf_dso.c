/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_dso.c - from a place in a file to frames
 *
 * perf.data holds addresses; names come from this machine: symbols of ELF files, /proc/kallsyms, /tmp/perf-PID.map. A
 * file is asked only if it is the one that was mapped then: by its build id, which perf.data has for files with
 * samples, or by its inode. It is searched for as the process sees it, while the process lives, and then as we do. The
 * kernel is asked if it is the one that ran then: the same release, at the same addresses (which differ from boot to
 * boot).
 *
 * What lies at a place is worked out once; symbol tables are loaded when a place in their file is first seen.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "elf/demangle.h"
#include "elf/file.h"
#include "elf/symbols.h"
#include "import/perf_int.h"
#include "symbolize/kernel_names.h"
#include "symbolize/symbolize.h"

#define LOADED_MAX 128u /* tables held at a time: each has an open file */
#define NAME_BYTES 4096

enum kind { KIND_FILE, KIND_JVM_MAP, KIND_VDSO, KIND_NONE };

struct dso {
    uint32_t path;  /* string of the profile */
    int32_t pid;    /* of a process that has it */
    uint64_t world; /* mount namespace, 0 = ours or not known */
    uint64_t text, inode;
    enum kind kind;
    bool asked; /* the map was read, or could not be */
    bool other; /* its file was searched for, and is missing or has changed */
    uint8_t build_id_len, build_id[WICK_BUILD_ID_MAX];
    struct wick_perf_map *map;
    struct wick_elf_sec exec[WICK_ELF_EXEC_MAX];
    uint32_t n_exec;
};

struct place {
    uint64_t at;
    uint32_t dso, first, count; /* frames */
};

struct build_id {
    uint32_t path;
    uint8_t len, id[20];
};

struct wick_perf_dsos {
    struct wick_profile *p;
    bool use_files, nomem;
    struct dso *dsos; /* from 1 */
    uint32_t n, cap;
    struct wick_symbol_cache symbols; /* by number of the dso */
    struct wick_index by_key;
    struct place *places;
    uint32_t nplaces, cap_places;
    struct wick_index by_place;
    struct wick_perf_frames frames;
    struct build_id *ids;
    uint32_t nids, cap_ids;
    struct wick_index by_path;
    struct wick_kernel_names kernel;
    bool kernel_asked, kernel_named, kernel_known, other_kernel;
    uint64_t kernel_at;
    uint32_t other_files; /* that have changed since, or are not here */
    int32_t world_pid;    /* whose mount namespace was asked for last */
    uint64_t world;
};

struct wick_perf_dsos *wick_perf_dsos_new(struct wick_profile *p, bool use_files)
{
    struct wick_perf_dsos *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->p = p;
    d->use_files = use_files;
    d->n = 1;
    d->world_pid = -1;
    wick_symbol_cache_init(&d->symbols, LOADED_MAX);
    return d;
}

void wick_perf_dsos_free(struct wick_perf_dsos *d)
{
    if (!d)
        return;
    for (uint32_t i = 1; i < d->n; i++)
        wick_perf_map_free(d->dsos[i].map);
    wick_symbol_cache_release(&d->symbols);
    wick_kernel_names_release(&d->kernel);
    wick_index_release(&d->by_key);
    wick_index_release(&d->by_place);
    wick_index_release(&d->by_path);
    free(d->dsos);
    free(d->places);
    free(d->frames.f);
    free(d->ids);
    free(d);
}

bool wick_perf_dsos_nomem(const struct wick_perf_dsos *d)
{
    return d->nomem || d->frames.nomem;
}

static bool grow(struct wick_perf_dsos *d, void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 64;
    void **a = array, *bigger = more > *cap ? reallocarray(*a, more, size) : NULL;
    d->nomem = d->nomem || !bigger;
    if (!bigger)
        return false;
    *a = bigger;
    *cap = more;
    return true;
}

/* --- what perf.data contains --- */

void wick_perf_dsos_release(struct wick_perf_dsos *d, struct wick_word release)
{
    struct utsname u;
    d->kernel_known = true;
    if (uname(&u) || strlen(u.release) != release.n || memcmp(u.release, release.s, release.n) != 0)
        d->other_kernel = true;
}

void wick_perf_dsos_kernel_at(struct wick_perf_dsos *d, uint64_t symbol_address)
{
    d->kernel_at = symbol_address;
    d->kernel_known = true;
}

static const struct build_id *find_build_id(const struct wick_perf_dsos *d, uint32_t path)
{
    uint64_t h = wick_hash_2(path, 2);
    uint32_t at = wick_index_start(&d->by_path, h), id;
    while (wick_index_next(&d->by_path, h, &at, &id))
        if (d->ids[id].path == path)
            return &d->ids[id];
    return NULL;
}

void wick_perf_dsos_build_id(struct wick_perf_dsos *d, struct wick_word path, const unsigned char *id, size_t len)
{
    uint32_t string = wick_profile_string(d->p, path.s, path.n);
    if (!len || len > sizeof d->ids->id || find_build_id(d, string) ||
        !grow(d, &d->ids, d->nids, &d->cap_ids, sizeof *d->ids))
        return;
    d->ids[d->nids] = (struct build_id){.path = string, .len = (uint8_t)len};
    memcpy(d->ids[d->nids].id, id, len);
    d->nomem = wick_index_add(&d->by_path, wick_hash_2(string, 2), d->nids) || d->nomem;
    d->nids++;
}

/* --- files --- */

static bool begins(struct wick_word w, const char *prefix)
{
    size_t n = strlen(prefix);
    return w.n >= n && !memcmp(w.s, prefix, n);
}

/* What a mapping's name means. Memory without a file in which code lies is a JIT compiler's. */
static enum kind kind_of(const struct wick_perf_mapping *m)
{
    if (begins(m->name, "//anon") || begins(m->name, "/anon_hugepage") || begins(m->name, "/dev/zero") ||
        begins(m->name, "[anon") || begins(m->name, "[heap]") || begins(m->name, "[stack") || begins(m->name, "/SYSV"))
        return m->executable ? KIND_JVM_MAP : KIND_NONE;
    if (begins(m->name, "[vdso]"))
        return KIND_VDSO;
    return begins(m->name, "/") ? KIND_FILE : KIND_NONE;
}

/* A number for the process's mount namespace: 0 if it is ours, or the process has ended. */
static uint64_t world_of(struct wick_perf_dsos *d, int32_t pid)
{
    char path[48];
    struct stat own, other;
    if (pid == d->world_pid)
        return d->world;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", pid);
    bool differs = d->use_files && pid > 0 && !stat("/proc/self/ns/mnt", &own) && !stat(path, &other) &&
                   (own.st_ino != other.st_ino || own.st_dev != other.st_dev);
    d->world_pid = pid;
    d->world = differs ? other.st_ino : 0;
    return d->world;
}

uint32_t wick_perf_dso(struct wick_perf_dsos *d, const struct wick_perf_mapping *m)
{
    char name[48];
    enum kind kind = kind_of(m);
    struct wick_word path = m->name;
    if (kind == KIND_JVM_MAP)
        path = (struct wick_word){name, (size_t)snprintf(name, sizeof name, "/tmp/perf-%d.map", m->pid)};
    uint64_t world = kind == KIND_FILE ? world_of(d, m->pid) : 0;
    uint32_t string = wick_profile_string(d->p, path.s, path.n);
    uint64_t h = wick_hash_2(string, world);
    uint32_t at = wick_index_start(&d->by_key, h), id;
    while (wick_index_next(&d->by_key, h, &at, &id))
        if (d->dsos[id].path == string && d->dsos[id].world == world)
            return id;
    if (!grow(d, &d->dsos, d->n, &d->cap, sizeof *d->dsos) || wick_index_add(&d->by_key, h, d->n))
        return 0;
    struct dso *o = &d->dsos[d->n];
    *o = (struct dso){.path = string, .pid = m->pid, .world = world, .text = m->start, .inode = m->inode, .kind = kind};
    o->build_id_len = m->build_id_len;
    if (m->build_id_len)
        memcpy(o->build_id, m->build_id, m->build_id_len);
    return d->n++;
}

bool wick_perf_dso_is_absolute(const struct wick_perf_dsos *d, uint32_t dso)
{
    return dso && d->dsos[dso].kind == KIND_JVM_MAP;
}

/* --- symbols --- */

/* The file as process `pid` sees it, or as we do (0), if it is the one that was mapped. */
static bool load_as_seen_by(struct wick_perf_dsos *d, struct dso *o, int pid, struct wick_symbols **symbols)
{
    char root[32];
    struct wick_elf_file file;
    struct wick_elf_image image = {.path = wick_profile_str(d->p, o->path), .inode = o->inode, .text_lo = o->text};
    int root_fd = -1;
    image.build_id_len = o->build_id_len;
    memcpy(image.build_id, o->build_id, o->build_id_len);
    if (pid) {
        snprintf(root, sizeof root, "/proc/%d/root", pid);
        root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (root_fd < 0)
            return false;
    }
    int fd = wick_elf_open_image(&image, pid, root_fd);
    if (root_fd >= 0)
        close(root_fd);
    if (fd < 0 || wick_elf_file_take_fd(&file, fd))
        return false;
    memcpy(o->exec, file.exec, file.n_exec * sizeof *o->exec);
    o->n_exec = file.n_exec;
    wick_elf_file_release(&file);
    return wick_symbols_load(symbols, &image, &(struct wick_symbols_from){.pid = pid}, NULL) == 0;
}

static struct wick_symbols *load_file(struct wick_perf_dsos *d, struct dso *o)
{
    struct wick_symbols *symbols = NULL;
    const struct build_id *known = o->build_id_len ? NULL : find_build_id(d, o->path);
    if (known) {
        o->build_id_len = known->len;
        memcpy(o->build_id, known->id, known->len);
    }
    if (!load_as_seen_by(d, o, o->pid, &symbols) && !load_as_seen_by(d, o, 0, &symbols)) {
        d->other_files += !o->other;
        o->other = true;
    }
    return symbols;
}

/* Every process of one kernel has the same vDSO. */
static struct wick_symbols *load_vdso(struct wick_perf_dsos *d, struct dso *o)
{
    struct wick_symbols *symbols = NULL;
    struct wick_mem mem;
    struct wick_elf_image image;
    wick_addr base = getauxval(AT_SYSINFO_EHDR);
    if (d->other_kernel || !base || wick_mem_self_init(&mem) || wick_elf_image_probe(&mem, base, &image))
        return NULL;
    image.flags = WICK_IMAGE_VDSO;
    image.path = "[vdso]";
    wick_symbols_load(&symbols, &image, &(struct wick_symbols_from){.mem = &mem}, NULL);
    o->exec[0] = (struct wick_elf_sec){.addr = base - image.bias, .size = image.map_hi - image.map_lo};
    o->n_exec = 1;
    return symbols;
}

static const struct wick_symbols *symbols_of(struct wick_perf_dsos *d, uint32_t dso)
{
    struct dso *o = &d->dsos[dso];
    const struct wick_symbols *known = NULL;
    if (!d->use_files || (o->kind != KIND_FILE && o->kind != KIND_VDSO) ||
        wick_symbol_cache_find(&d->symbols, dso, &known))
        return known;
    return wick_symbol_cache_add(&d->symbols, dso, o->kind == KIND_FILE ? load_file(d, o) : load_vdso(d, o));
}

/* The map that a JVM's compiled code is named by; NULL if there is none. */
static const struct wick_perf_map *map_of(struct wick_perf_dsos *d, struct dso *o)
{
    if (o->asked || !d->use_files || o->kind != KIND_JVM_MAP)
        return o->map;
    int fd = wick_perf_map_open(o->pid);
    o->asked = true;
    o->map = fd >= 0 ? wick_perf_map_read(fd) : NULL;
    d->nomem = d->nomem || (fd >= 0 && !o->map);
    return o->map;
}

/* The virtual address of a place in the file, which is in one of its sections with code. */
static bool address_of(const struct dso *o, uint64_t at, uint64_t *vaddr)
{
    for (uint32_t i = 0; i < o->n_exec; i++)
        if (at - o->exec[i].off < o->exec[i].size) {
            *vaddr = at - o->exec[i].off + o->exec[i].addr;
            return true;
        }
    return false;
}

/* The symbol at a place; n = 0 if it has none. */
static struct wick_word symbol_at(struct wick_perf_dsos *d, uint32_t dso, uint64_t at, char *buf)
{
    struct dso *o = &d->dsos[dso];
    uint64_t vaddr;
    const struct wick_perf_map *map = map_of(d, o);
    if (map)
        return wick_perf_map_find(map, at);
    const struct wick_symbols *symbols = symbols_of(d, dso); /* and with them the sections */
    if (!symbols || !address_of(o, at, &vaddr) ||
        !wick_symbolize_vaddr(symbols, vaddr, WICK_DEMANGLE_TEMPLATES | WICK_DEMANGLE_CLONES, buf, NAME_BYTES, NULL))
        return (struct wick_word){"", 0};
    return (struct wick_word){buf, strlen(buf)};
}

/* Whether this machine's kernel is the one that ran then, and says how its functions are called. */
static bool kernel_has_names(struct wick_perf_dsos *d)
{
    char name[256];
    uint64_t start = 0;
    if (d->kernel_asked || !d->use_files)
        return d->kernel_named;
    d->kernel_asked = true;
    if (d->other_kernel || !d->kernel_known)
        return false;
    bool found = wick_kernel_names_find(&d->kernel, d->kernel_at, &start, name, sizeof name);
    if (d->kernel.failed)
        return false;
    d->other_kernel = d->kernel_at && (!found || start != d->kernel_at);
    d->kernel_named = !d->other_kernel;
    return d->kernel_named;
}

/* `name [module]` becomes symbol and module. */
static struct wick_word kernel_symbol(struct wick_perf_dsos *d, uint64_t addr, char *buf, struct wick_word *dso)
{
    *dso = (struct wick_word){"[kernel.kallsyms]", sizeof "[kernel.kallsyms]" - 1};
    if (!kernel_has_names(d) || !wick_kernel_names_find(&d->kernel, addr, NULL, buf, NAME_BYTES))
        return (struct wick_word){"", 0};
    char *module = strchr(buf, ' ');
    if (module)
        *dso = (struct wick_word){module + 1, strlen(module + 1)};
    return (struct wick_word){buf, module ? (size_t)(module - buf) : strlen(buf)};
}

/* --- frames --- */

static const struct place *find_place(const struct wick_perf_dsos *d, uint32_t dso, uint64_t at)
{
    uint64_t h = wick_hash_2(at, dso);
    uint32_t slot = wick_index_start(&d->by_place, h), id;
    while (wick_index_next(&d->by_place, h, &slot, &id))
        if (d->places[id].at == at && d->places[id].dso == dso)
            return &d->places[id];
    return NULL;
}

static const struct place *make_place(struct wick_perf_dsos *d, uint32_t dso, uint64_t at, bool kernel)
{
    char buf[NAME_BYTES];
    struct wick_word symbol = {"", 0}, library = {"[unknown]", 9};
    if (!grow(d, &d->places, d->nplaces, &d->cap_places, sizeof *d->places))
        return NULL;
    if (kernel) {
        symbol = kernel_symbol(d, at, buf, &library);
    } else if (dso) {
        const struct wick_string *path = &d->p->strings[d->dsos[dso].path];
        library = (struct wick_word){path->s, path->len};
        symbol = symbol_at(d, dso, at, buf);
    }
    struct place *e = &d->places[d->nplaces];
    *e = (struct place){.at = at, .dso = kernel ? UINT32_MAX : dso, .first = d->frames.n};
    wick_perf_frames_of(&d->frames, d->p, symbol, library, kernel);
    e->count = d->frames.n - e->first;
    d->nomem = wick_index_add(&d->by_place, wick_hash_2(at, e->dso), d->nplaces) || d->nomem;
    d->nplaces++;
    return e;
}

static void append(const struct wick_perf_dsos *d, const struct place *e, struct wick_perf_stack *to)
{
    for (uint32_t i = 0; e && i < e->count && to->n < to->cap; i++)
        to->f[to->n++] = d->frames.f[e->first + i];
}

void wick_perf_dso_frames(struct wick_perf_dsos *d, uint32_t dso, uint64_t at, struct wick_perf_stack *to)
{
    at = dso ? at : 0; /* places nowhere are all alike */
    const struct place *e = find_place(d, dso, at);
    append(d, e ? e : make_place(d, dso, at, false), to);
}

void wick_perf_kernel_frames(struct wick_perf_dsos *d, uint64_t addr, struct wick_perf_stack *to)
{
    const struct place *e = find_place(d, UINT32_MAX, addr);
    append(d, e ? e : make_place(d, 0, addr, true), to);
}

void wick_perf_dsos_note(const struct wick_perf_dsos *d, char *buf, size_t cap)
{
    size_t n = 0;
    buf[0] = 0;
    if (d->kernel_asked && !d->kernel_named)
        n = (size_t)snprintf(buf, cap, "%s",
                             d->other_kernel
                                 ? "kernel functions have no names: another kernel, or another boot, ran then"
                                 : "kernel functions have no names: /proc/kallsyms hides their addresses");
    if (d->other_files && n < cap)
        snprintf(buf + n, cap - n, "%sfunctions have no names in files that are gone or have changed: %u",
                 n ? "; " : "", d->other_files);
}
