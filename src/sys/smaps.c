/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smaps.c - see smaps.h
 *
 * A mapping is a line "LO-HI rwxp OFFSET DEV INODE PATH" and lines "Name: value" of which VmFlags is the last (Linux
 * 3.8 and later). A path may have any characters; the kernel writes a newline in it as \012.
 */
#include "sys/smaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

int wick_smaps_open(struct wick_smaps *s, int proc)
{
    s->at = s->len = 0;
    s->eof = false;
    s->fd = openat(proc, "smaps", O_RDONLY | O_CLOEXEC);
    if (s->fd >= 0)
        return 0;
    return errno == EACCES || errno == EPERM ? -WICK_E_PERM : -WICK_E_GONE;
}

void wick_smaps_close(struct wick_smaps *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static uint64_t kilobytes(const char *lines, const char *name)
{
    const char *line = strstr(lines, name);
    return line ? strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
}

bool wick_smaps_parse(char *text, struct wick_mapping *out)
{
    char *end = strchr(text, '\n'), *p;
    *out = (struct wick_mapping){.lo = strtoull(text, &p, 16)};
    if (!end || p == text || *p != '-')
        return false;
    out->hi = strtoull(p + 1, &p, 16);
    if (*p != ' ' || end - p < 6 || out->hi <= out->lo)
        return false;
    *end = 0;
    out->readable = p[1] == 'r';
    out->writable = p[2] == 'w';
    out->executable = p[3] == 'x';
    out->shared = p[4] == 's';
    p = text;
    for (int field = 0; field < 4 && p; field++)
        p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL;
    if (!p)
        return false;
    out->file = strtoull(p, &p, 10) != 0; /* the inode */
    out->path = p + strspn(p, " ");
    out->file |= *out->path == '/';
    out->rss = kilobytes(end + 1, "Rss:");
    out->pss = kilobytes(end + 1, "\nPss:");
    out->swap = kilobytes(end + 1, "\nSwap:");
    return true;
}

/* Where the mapping that begins at `text` ends: behind its line VmFlags, NULL if that is not here yet. */
static char *end_of(char *text)
{
    char *flags = strstr(text, "\nVmFlags:");
    return flags ? strchr(flags + 1, '\n') : NULL;
}

int wick_smaps_next(struct wick_smaps *s, struct wick_mapping *out)
{
    for (;;) {
        char *text = s->buf + s->at, *end = s->at < s->len ? end_of(text) : NULL;
        if (end) {
            *end = 0;
            s->at = (uint32_t)(end + 1 - s->buf);
            return wick_smaps_parse(text, out) ? 1 : -WICK_E_FORMAT;
        }
        if (s->eof || s->len - s->at == sizeof s->buf - 1)
            return s->at == s->len ? 0 : -WICK_E_FORMAT;
        memmove(s->buf, text, s->len - s->at);
        s->len -= s->at;
        s->at = 0;
        ssize_t n = read(s->fd, s->buf + s->len, sizeof s->buf - 1 - s->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -WICK_E_GONE;
        s->eof = n == 0;
        s->len += (uint32_t)n;
        s->buf[s->len] = 0;
    }
}
