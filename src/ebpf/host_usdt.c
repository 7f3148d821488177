/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_usdt.c - see host_usdt.h
 *
 * One name may have many places, even in one file: a probe in a function that the compiler copied into others has one
 * in each. All count as one event. Where a probe has a semaphore, the kernel raises it in each process that has mapped
 * the file, now or later; it takes the semaphore's place in the file from the upper half of `config`.
 */
#include "ebpf/host_usdt.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ebpf/host_file.h"
#include "ebpf/host_similar.h"
#include "elf/usdt_notes.h"
#include "sys/maps.h"

#define SEMAPHORE_SHIFT 32 /* /sys/bus/event_source/devices/uprobe/format/ref_ctr_offset */

struct search {
    const char *name; /* "provider:name" */
    struct wick_host_places *out;
    struct wick_host_place place; /* what those of the current file have in common */
    struct wick_host_similar similar;
    uint64_t count; /* of probes that were seen */
    uint32_t files; /* that were read */
    char first[WICK_HOST_SIMILAR_NAME];
    int rc;
};

static void see_probe(void *arg, const struct wick_elf_usdt *probe)
{
    struct search *s = arg;
    char whole[WICK_HOST_SIMILAR_NAME];
    size_t n = strlen(probe->provider);
    s->count++;
    if (strncmp(s->name, probe->provider, n) != 0 || s->name[n] != ':' || strcmp(s->name + n + 1, probe->name) != 0) {
        if (snprintf(whole, sizeof whole, "%s:%s", probe->provider, probe->name) >= (int)sizeof whole)
            return;
        if (!*s->first)
            memcpy(s->first, whole, sizeof whole);
        wick_host_similar_add(&s->similar, whole);
        return;
    }
    struct wick_host_place place = s->place;
    place.at = probe->place;
    place.config = probe->semaphore << SEMAPHORE_SHIFT;
    if (!s->rc)
        s->rc = probe->semaphore > UINT32_MAX ? -WICK_E_LIMIT : wick_host_places_add(s->out, &place);
    if (!s->rc)
        s->place.fd = -1; /* one of them has it */
}

static struct search begin(const char *name, struct wick_host_places *out)
{
    struct search s = {.name = name, .out = out, .place.fd = -1, .similar.name = name};
    s.similar.tail = (size_t)(strchr(name, ':') + 1 - name);
    return s;
}

static int conclude(const struct search *s, struct wick_err *err)
{
    if (s->rc)
        return wick_err_set(err, (enum wick_code) - s->rc, "static probe %.100s: %s", s->name,
                            s->rc == -WICK_E_LIMIT ? "it has more places than can be probed: name one file"
                                                   : wick_err_text(s->rc));
    return 0;
}

/* Of the file's other probes, what helps: similar ones, or that there are some. */
static void add_others(const struct search *s, char *text, size_t cap)
{
    wick_host_similar_text(&s->similar, text, cap);
    if (*text || !*s->first)
        return;
    struct wick_host_similar one = {.name = s->first};
    char name[WICK_HOST_SIMILAR_NAME + 16];
    wick_host_similar_add(&one, s->first);
    wick_host_similar_text(&one, name, sizeof name);
    snprintf(text, cap, "; it has %llu others, such as %s", (unsigned long long)s->count,
             *name ? name + strlen("; similar: ") : "?");
}

static int find_in_file(const char *path, const char *name, struct wick_host_places *out, struct wick_err *err)
{
    char text[WICK_HOST_SIMILAR * (WICK_HOST_SIMILAR_NAME + 2) + 64];
    struct wick_elf_file file;
    struct search s = begin(name, out);
    int rc = wick_host_place_open(path, &file, err);
    if (rc)
        return rc;
    snprintf(s.place.path, sizeof s.place.path, "%s", path);
    rc = wick_elf_usdt_each(&file, see_probe, &s);
    wick_elf_file_release(&file);
    if (rc == -WICK_E_NOTFOUND)
        return wick_err_set(err, WICK_E_USAGE,
                            "%.300s has no static probes (no section .note.stapsdt): it was built without; a function "
                            "can be probed instead, uprobe:/PATH:FUNCTION",
                            path);
    if (rc)
        return wick_err_set(err, (enum wick_code) - rc, "the static probes of %.300s cannot be read: %s", path,
                            wick_err_text(rc));
    if (s.rc || out->n)
        return conclude(&s, err);
    add_others(&s, text, sizeof text);
    return wick_err_set(err, WICK_E_USAGE, "%.300s has no static probe %.100s%s", path, name, text);
}

/* Files that were read, by device and inode. */
struct seen {
    struct {
        uint64_t device, inode;
    } * of;
    size_t n;
};

/* Whether it was not seen before. */
static bool is_new(struct seen *seen, uint64_t device, uint64_t inode)
{
    for (size_t i = seen->n; i-- > 0;)
        if (seen->of[i].inode == inode && seen->of[i].device == device)
            return false;
    void *more = realloc(seen->of, (seen->n + 1) * sizeof *seen->of);
    if (!more)
        return false;
    seen->of = more;
    seen->of[seen->n].device = device;
    seen->of[seen->n++].inode = inode;
    return true;
}

static void read_mapped(struct search *s, struct wick_host_devices *devices, int pid, wick_addr addr)
{
    struct wick_host_file mapped;
    struct wick_elf_file file;
    if (wick_host_file_open(devices, pid, addr, &mapped))
        return;
    if (wick_elf_file_take_fd(&file, mapped.fd))
        return;
    s->files++;
    int fd = file.usdt.size ? fcntl(mapped.fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd >= 0) {
        snprintf(s->place.path, sizeof s->place.path, "/proc/self/fd/%d", fd);
        s->place.fd = fd;
        wick_elf_usdt_each(&file, see_probe, s);
        if (s->place.fd >= 0)
            close(fd);
    }
    wick_elf_file_release(&file);
}

static void search_process(struct search *s, struct wick_host_devices *devices, struct seen *seen, int pid)
{
    struct wick_maps maps;
    struct wick_mapping m;
    if (wick_maps_open_process(&maps, pid))
        return;
    wick_host_devices_update(devices, pid);
    while (wick_maps_next(&maps, &m) == 1)
        if (m.executable && m.file && m.inode && is_new(seen, wick_host_device(m.major, m.minor), m.inode))
            read_mapped(s, devices, pid, m.lo);
    wick_maps_close(&maps);
}

static int find_mapped(const char *name, struct wick_host_places *out, struct wick_err *err)
{
    char text[WICK_HOST_SIMILAR * (WICK_HOST_SIMILAR_NAME + 2) + 64];
    struct wick_host_devices devices = {0};
    struct search s = begin(name, out);
    struct seen seen = {0};
    DIR *proc = opendir("/proc");
    for (const struct dirent *e; proc && (e = readdir(proc));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            search_process(&s, &devices, &seen, atoi(e->d_name));
    if (proc)
        closedir(proc);
    wick_host_devices_release(&devices);
    free(seen.of);
    if (s.rc || out->n)
        return conclude(&s, err);
    wick_host_similar_text(&s.similar, text, sizeof text);
    if (!s.files)
        return wick_err_set(err, WICK_E_PERM,
                            "static probe %.100s: the files that processes have mapped cannot be read by this user: "
                            "run as root, or name one, usdt:/PATH:PROVIDER:NAME",
                            name);
    return wick_err_set(err, WICK_E_USAGE,
                        "none of %u files that processes have mapped now has the static probe %.100s%s. Start the "
                        "program first, or name its file: usdt:/PATH:PROVIDER:NAME",
                        (unsigned)s.files, name, text);
}

int wick_host_usdt_find(const char *name, struct wick_host_places *out, struct wick_err *err)
{
    char path[WICK_HOST_PLACE_PATH];
    const char *last = strrchr(name, ':'), *before = last ? memrchr(name, ':', (size_t)(last - name)) : NULL;
    const char *provider = before ? before + 1 : name;
    size_t n = before ? (size_t)(before - name) : 0;
    if (!last || !last[1] || last == provider || n >= sizeof path ||
        (before ? *name != '/' : strchr(name, '/') != NULL))
        return wick_err_set(err, WICK_E_USAGE,
                            "a static probe is called usdt:/PATH/OF/FILE:PROVIDER:NAME, or usdt:PROVIDER:NAME in "
                            "whatever file processes have mapped, and '%.200s' is not",
                            name);
    if (!before)
        return find_mapped(name, out, err);
    memcpy(path, name, n);
    path[n] = 0;
    return find_in_file(path, provider, out, err);
}
