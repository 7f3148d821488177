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
#include "base/strbuf.h"
#include "elf/image_scan.h"

#define MAX_MAPS ((size_t)256 << 20) /* bytes of /proc/PID/maps */

struct map {
    uint64_t lo, hi, off, inode;
    char perm[5];
    const char *path;
};

struct maps {
    struct map *m;
    size_t n, cap;
};

static int read_whole(const struct wick_elf_images *of, struct wick_strbuf *sb, struct wick_err *err)
{
    char path[32];
    int pid = of->pid;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    int fd = of->maps_fd < 0 ? open(path, O_RDONLY | O_CLOEXEC) : of->maps_fd;
    if (fd < 0 && (errno == ENOENT || errno == ESRCH))
        return wick_err_set(err, WICK_E_GONE, "there is no process %d", pid);
    if (fd < 0)
        return wick_err_set(err, WICK_E_PERM,
                            "the memory map of process %d may not be read (%s): run as its user or as root", pid,
                            strerror(errno));
    int rc = 0;
    for (;;) {
        if (wick_strbuf_grow(sb, 65536)) {
            rc = wick_err_set(err, WICK_E_NOMEM, "out of memory while reading %s", path);
            break;
        }
        ssize_t n = pread(fd, sb->buf + sb->len, 65536, (off_t)sb->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = wick_err_set(err, errno == ESRCH ? WICK_E_GONE : WICK_E_IO, "cannot read %s: %s", path,
                              strerror(errno));
        if (n > 0 && sb->len + (size_t)n > MAX_MAPS)
            rc = wick_err_set(err, WICK_E_LIMIT, "%s has more than %zu bytes", path, MAX_MAPS);
        if (n <= 0 || rc)
            break;
        sb->len += (size_t)n;
        sb->buf[sb->len] = 0;
    }
    if (of->maps_fd < 0)
        close(fd);
    return rc;
}

/* Parses one line in place: "lo-hi perm off dev inode   path". */
static bool parse_line(char *line, struct map *m)
{
    int at = 0;
    memset(m, 0, sizeof *m);
    if (sscanf(line, "%lx-%lx %4s %lx %*x:%*x %lu%n", &m->lo, &m->hi, m->perm, &m->off, &m->inode, &at) != 5 || !at)
        return false;
    m->path = line + at + strspn(line + at, " ");
    return m->lo < m->hi;
}

static int parse_maps(char *text, struct maps *out)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        struct map m;
        if (!parse_line(line, &m))
            continue;
        if (out->n == out->cap) {
            size_t cap = out->cap ? out->cap * 2 : 256;
            struct map *grown = realloc(out->m, cap * sizeof *grown);
            if (!grown)
                return -WICK_E_NOMEM;
            out->m = grown;
            out->cap = cap;
        }
        out->m[out->n++] = m;
    }
    return 0;
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
    return lo < maps->n && maps->m[lo].lo <= addr && maps->m[lo].perm[2] == 'x';
}

static int add_image(struct wick_elf_scan *s, const struct maps *maps, const struct map *m, const struct wick_mem *mem)
{
    struct wick_elf_image img;
    bool vdso = !strcmp(m->path, "[vdso]");
    if (m->off != 0 || (!m->inode && !vdso))
        return 0;
    int rc = wick_elf_image_probe(mem, m->lo, &img);
    if (rc == -WICK_E_GONE)
        return rc;
    if (rc || img.map_lo > m->lo || !is_executable(maps, img.text_lo))
        return 0;
    img.inode = m->inode;
    if (vdso)
        img.flags |= WICK_IMAGE_VDSO;
    size_t len = strlen(m->path);
    char *deleted = len > 10 ? (char *)m->path + len - 10 : NULL;
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
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct maps maps = {0};
    int rc = read_whole(of, &text, err);
    if (!rc)
        rc = parse_maps(text.buf, &maps);
    for (size_t i = 0; i < maps.n && !rc; i++)
        rc = add_image(s, &maps, &maps.m[i], mem);
    if (!rc && s->n == 0)
        rc = -WICK_E_GONE; /* an ended process has an empty map */
    if (rc == -WICK_E_GONE)
        wick_err_set(err, WICK_E_GONE, "process %d has ended (or is a kernel thread)", pid);
    if (!rc)
        mark_main(s, pid);
    free(maps.m);
    wick_strbuf_release(&text);
    return rc;
}
