/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.c - lines of a text that the kernel makes while it is read
 *
 * A mapping is a line "LO-HI rwxp OFFSET DEV INODE PATH". A path may have any characters; the kernel writes a newline
 * in it as \012.
 *
 * The text is never held as a whole, as a process may have tens of thousands of mappings. Lines are cut out of one
 * buffer, in place; what is left of a line at the buffer's end moves to its front, and the next part is read behind
 * it. The position is our own, by pread(): the descriptor may be borrowed, and its position is not ours. A line
 * longer than the buffer is delivered with the beginning of its path, and the rest is skipped up to the newline, so
 * it hides no mapping behind it. A text that does not end with a newline is an error.
 *
 * Mappings that change between two reads may be there or not; the caller has to live with that.
 *
 * The other reader, wick_maps_find(), needs no path and must do with little stack. It reads on from the descriptor's
 * position and keeps 127 bytes of each line, in which all that stands before the path has room.
 */
#include "sys/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

void wick_maps_begin(struct wick_maps *s, int fd)
{
    s->fd = fd;
    s->at = s->len = 0;
    s->eof = s->in_rest = false;
    s->read = 0;
}

int wick_maps_open(struct wick_maps *s, int proc)
{
    wick_maps_begin(s, openat(proc, "maps", O_RDONLY | O_CLOEXEC));
    if (s->fd >= 0)
        return 0;
    return errno == EACCES || errno == EPERM ? -WICK_E_PERM : -WICK_E_GONE;
}

int wick_maps_open_process(struct wick_maps *s, int pid)
{
    char path[32];
    s->fd = -1;
    snprintf(path, sizeof path, pid ? "/proc/%d" : "/proc/self", pid);
    int proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0)
        return -WICK_E_GONE;
    int rc = wick_maps_open(s, proc);
    close(proc);
    return rc;
}

void wick_maps_close(struct wick_maps *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

bool wick_maps_parse(const char *line, struct wick_mapping *out)
{
    char *p;
    *out = (struct wick_mapping){.lo = strtoull(line, &p, 16)};
    if (p == line || *p != '-')
        return false;
    out->hi = strtoull(p + 1, &p, 16);
    if (*p != ' ' || strlen(p) < 6 || out->hi <= out->lo)
        return false;
    out->readable = p[1] == 'r';
    out->writable = p[2] == 'w';
    out->executable = p[3] == 'x';
    out->shared = p[4] == 's';
    out->offset = strtoull(p + 5, &p, 16);
    out->major = (unsigned)strtoul(p, &p, 16);
    if (*p != ':')
        return false;
    out->minor = (unsigned)strtoul(p + 1, &p, 16);
    if (*p != ' ')
        return false;
    out->inode = strtoull(p, &p, 10);
    out->path = p + strspn(p, " ");
    out->file = out->inode || *out->path == '/';
    return true;
}

int wick_maps_next(struct wick_maps *s, struct wick_mapping *out)
{
    for (;;) {
        char *text = s->buf + s->at, *end = s->at < s->len ? memchr(text, '\n', s->len - s->at) : NULL;
        bool full = !end && s->len - s->at == sizeof s->buf, rest = s->in_rest;
        if (full) /* no directory bounds a path: of a longer one its beginning will do */
            end = s->buf + sizeof s->buf - 1;
        s->in_rest = full || (rest && !end);
        if (end) {
            *end = 0;
            s->at = (uint32_t)(end + 1 - s->buf);
            if (rest)
                continue;
            return wick_maps_parse(text, out) ? 1 : -WICK_E_FORMAT;
        }
        if (s->eof)
            return s->at == s->len ? 0 : -WICK_E_FORMAT;
        memmove(s->buf, text, s->len - s->at);
        s->len -= s->at;
        s->at = 0;
        ssize_t n = pread(s->fd, s->buf + s->len, sizeof s->buf - s->len, (off_t)s->read);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -WICK_E_GONE;
        s->eof = n == 0;
        s->len += (uint32_t)n;
        s->read += (uint64_t)n;
    }
}

bool wick_maps_find(int fd, uint64_t addr, struct wick_mapping *out)
{
    char buf[4096], head[128]; /* what stands before the path has up to 84 characters */
    size_t len = 0;
    ssize_t n;
    struct wick_mapping m;
    while ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR))
        for (ssize_t i = 0; i < n; i++) {
            if (buf[i] != '\n') {
                if (len < sizeof head - 1)
                    head[len++] = buf[i];
                continue;
            }
            head[len] = 0;
            len = 0;
            if (wick_maps_parse(head, &m) && addr >= m.lo && addr < m.hi) {
                m.path = "";
                *out = m;
                return true;
            }
        }
    return false;
}
