/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The images of another process, from /proc/PID/maps and the headers in its memory.
 *
 * A mapping at file offset 0 may be the start of an image, or of a file that was merely mapped to be read. It is an
 * image if its bytes are an ELF header and the place where its text would be is executable. The text's own mapping is
 * not asked for a name: programs that move their text to huge pages leave it anonymous.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/image_scan.h"
#include "sys/maps.h"

#define MAX_MAPS ((size_t)256 << 20) /* bytes of /proc/PID/maps */
#define VDSO     "[vdso]"

enum { HEAD_BYTES = 50 }; /* of a line, before the path: at least */

/* A mapping; path (malloc) is that of a file which begins here, NULL of all others. */
struct map {
    uint64_t lo, hi, inode;
    bool executable;
    char *path;
};

struct maps {
    struct map *m;
    size_t n, cap, bytes; /* bytes: of the text, about */
};

static int add_map(struct maps *maps, const struct wick_mapping *m)
{
    bool begins = m->offset == 0 && (m->inode || !strcmp(m->path, VDSO));
    char *path = begins ? strdup(m->path) : NULL;
    if (begins && !path)
        return -WICK_E_NOMEM;
    if (maps->n == maps->cap) {
        size_t cap = maps->cap ? maps->cap * 2 : 256;
        struct map *grown = realloc(maps->m, cap * sizeof *grown);
        if (!grown) {
            free(path);
            return -WICK_E_NOMEM;
        }
        maps->m = grown;
        maps->cap = cap;
    }
    maps->m[maps->n++] = (struct map){m->lo, m->hi, m->inode, m->executable, path};
    maps->bytes += HEAD_BYTES + strlen(m->path);
    return 0;
}

static int read_maps(const struct wick_elf_images *of, struct maps *maps, struct wick_err *err)
{
    char path[32];
    int pid = of->pid, rc;
    struct wick_maps text;
    struct wick_mapping m;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    int fd = of->maps_fd < 0 ? open(path, O_RDONLY | O_CLOEXEC) : of->maps_fd;
    if (fd < 0 && (errno == ENOENT || errno == ESRCH))
        return wick_err_set(err, WICK_E_GONE, "there is no process %d", pid);
    if (fd < 0)
        return wick_err_set(err, WICK_E_PERM,
                            "the memory map of process %d may not be read (%s): run as its user or as root", pid,
                            strerror(errno));
    wick_maps_begin(&text, fd);
    while ((rc = wick_maps_next(&text, &m)) == 1) {
        rc = maps->bytes > MAX_MAPS ? -WICK_E_LIMIT : add_map(maps, &m);
        if (rc)
            break;
    }
    if (rc == -WICK_E_NOMEM)
        wick_err_set(err, WICK_E_NOMEM, "out of memory while reading %s", path);
    else if (rc == -WICK_E_LIMIT)
        wick_err_set(err, WICK_E_LIMIT, "%s has more than %zu bytes", path, MAX_MAPS);
    else if (rc == -WICK_E_FORMAT)
        wick_err_set(err, WICK_E_FORMAT, "%s is not a list of mappings", path);
    if (of->maps_fd < 0)
        close(fd);
    return rc;
}

static void release_maps(struct maps *maps)
{
    for (size_t i = 0; i < maps->n; i++)
        free(maps->m[i].path);
    free(maps->m);
}

/* Is the byte at addr executable? The mappings are sorted and disjoint. */
static bool is_executable(const struct maps *maps, wick_addr addr)
{
    size_t lo = 0, hi = maps->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (maps->m[mid].hi <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < maps->n && maps->m[lo].lo <= addr && maps->m[lo].executable;
}

static int add_image(struct wick_elf_scan *s, const struct maps *maps, const struct map *m, const struct wick_mem *mem)
{
    struct wick_elf_image img;
    if (!m->path)
        return 0;
    int rc = wick_elf_image_probe(mem, m->lo, &img);
    if (rc == -WICK_E_GONE)
        return rc;
    if (rc || img.map_lo > m->lo || !is_executable(maps, img.text_lo))
        return 0;
    img.inode = m->inode;
    if (!m->inode)
        img.flags |= WICK_IMAGE_VDSO;
    size_t len = strlen(m->path);
    char *deleted = len > 10 ? m->path + len - 10 : NULL;
    if (deleted && !strcmp(deleted, " (deleted)")) {
        img.flags |= WICK_IMAGE_DELETED;
        *deleted = 0;
    }
    return wick_elf_scan_add(s, &img, m->path);
}

/* Marks the image of /proc/PID/exe, identified by its inode. */
static void mark_main(struct wick_elf_scan *s, int pid)
{
    char path[32], exe[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    for (uint32_t i = 0; i < s->n && n > 0; i++)
        if (!strncmp(exe, s->images[i].path, strlen(s->images[i].path)) &&
            (!exe[strlen(s->images[i].path)] || (s->images[i].flags & WICK_IMAGE_DELETED)))
            s->images[i].flags |= WICK_IMAGE_MAIN;
}

int wick_elf_scan_other(struct wick_elf_scan *s, const struct wick_elf_images *of, const struct wick_mem *mem,
                        struct wick_err *err)
{
    int pid = of->pid;
    struct maps maps = {0};
    int rc = read_maps(of, &maps, err);
    for (size_t i = 0; i < maps.n && !rc; i++)
        rc = add_image(s, &maps, &maps.m[i], mem);
    if (!rc && s->n == 0)
        rc = -WICK_E_GONE; /* an ended process has an empty map */
    if (rc == -WICK_E_GONE)
        wick_err_set(err, WICK_E_GONE, "process %d has ended (or is a kernel thread)", pid);
    if (!rc)
        mark_main(s, pid);
    release_maps(&maps);
    return rc;
}
