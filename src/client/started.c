/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A note is a file named after the process: its pid and the time at which it started, so that a successor with the same
 * pid finds none, behind a number for the running system and the pid namespace, since a home directory may be shared by
 * machines and containers. Notes of processes that have ended are removed when another one is written. It holds lines
 * of a fixed order and then, because names may contain anything but NUL, the title and the path, each ended by one. The
 * file is made under a random name and moved into place.
 *
 * Only a directory that belongs to this user and that nobody else can write to is used, and only notes that belong to
 * this user are read.
 */
#include "client/started.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fnv.h"
#include "sys/procstat.h"
#include "sys/whole.h"

#define MAGIC "wick-started 2"

static bool is_private(int fd, mode_t type)
{
    struct stat st;
    return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* Opens the directory `name` in dir, which it makes where it is missing; takes dir. -1 = none that is private. */
static int enter(int dir, const char *name)
{
    mkdirat(dir, name, 0700);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(dir);
    if (fd >= 0 && !is_private(fd, S_IFDIR)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_private(const char *path)
{
    int fd = path && *path == '/' ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0 && !is_private(fd, S_IFDIR)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int notes_dir(void)
{
    int at = open_private(geteuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR"));
    if (at >= 0)
        return enter(at, "wick");
    at = open_private(getenv("HOME"));
    static const char *const steps[] = {".cache", "wick", "started"};
    for (size_t i = 0; at >= 0 && i < sizeof steps / sizeof *steps; i++)
        at = enter(at, steps[i]);
    return at;
}

/* What pids mean here. */
static uint32_t place(void)
{
    char boot[64];
    struct stat st = {0};
    ssize_t n = wick_whole_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot - 24);
    n = n > 0 ? n : 0;
    if (stat("/proc/self/ns/pid", &st))
        st.st_ino = 0;
    n += snprintf(boot + n, 24, "%ju", (uintmax_t)st.st_ino);
    return wick_fnv(WICK_FNV, boot, (size_t)n);
}

/* "PLACE-PID-START" */
static bool note_name(const struct wick_proc *p, char *out, size_t cap)
{
    struct wick_procstat s;
    bool ok = wick_procstat_read(p->dir, "stat", &s);
    if (ok)
        snprintf(out, cap, "%08" PRIx32 "-%d-%" PRIu64, place(), (int)p->pid, s.start);
    return ok;
}

/* Whether the process of a note made here has ended, or another one has its pid. */
static bool has_ended(const char *name)
{
    char now[64] = "";
    struct wick_proc p;
    uint32_t at;
    int pid, end = 0;
    unsigned long long start;
    if (sscanf(name, "%8" SCNx32 "-%d-%llu%n", &at, &pid, &start, &end) != 3 || name[end] || at != place() || pid <= 0)
        return false;
    int rc = wick_proc_open(pid, &p, NULL);
    if (rc)
        return rc == -WICK_E_NOTFOUND;
    bool known = note_name(&p, now, sizeof now);
    wick_proc_close(&p);
    return known && strcmp(now, name);
}

static void sweep(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && (e = readdir(d));)
        if (has_ended(e->d_name))
            unlinkat(dir, e->d_name, 0);
    if (d)
        closedir(d);
}

static bool write_note(int dir, const char *name, const struct wick_started *s, int open_fd)
{
    char temporary[40];
    uint64_t random;
    struct stat st = {0};
    if ((open_fd >= 0 && fstat(open_fd, &st)) || getrandom(&random, sizeof random, 0) != sizeof random)
        return false;
    snprintf(temporary, sizeof temporary, ".%016" PRIx64, random);
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    fprintf(f, MAGIC "\n%s\n%d %d %d %ju %ju\n%s%c%s%c", s->format, s->threads, s->sequence, s->compat,
            (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, s->title, 0, s->path, 0);
    bool lost = ferror(f);
    lost |= fclose(f) != 0;
    if (!lost && !renameat(dir, temporary, dir, name))
        return true;
    unlinkat(dir, temporary, 0);
    return false;
}

bool wick_started_keep(const struct wick_proc *p, const struct wick_started *s, int fd)
{
    char name[64];
    int dir = notes_dir();
    bool ok = dir >= 0 && note_name(p, name, sizeof name) && write_note(dir, name, s, fd);
    if (dir >= 0)
        sweep(dir);
    if (dir >= 0)
        close(dir);
    return ok;
}

/* Copies a string that ends within the text. Returns what follows, or NULL. */
static const char *take(const char *s, const char *end, char *out, size_t cap)
{
    const char *nul = s ? memchr(s, 0, (size_t)(end - s)) : NULL;
    if (!nul || (size_t)(nul - s) >= cap)
        return NULL;
    memcpy(out, s, (size_t)(nul - s) + 1);
    return nul + 1;
}

static bool parse_note(const struct wick_strbuf *sb, int fd, struct wick_started *out, bool *fd_is_it)
{
    struct wick_started r = {0};
    uintmax_t dev, ino;
    int threads, sequence, compat, head = 0;
    struct stat st;
    const char *end = sb->buf + sb->len;
    if (sscanf(sb->buf, MAGIC "\n%15s\n%d %d %d %ju %ju%n", r.format, &threads, &sequence, &compat, &dev, &ino,
               &head) != 6 ||
        sb->buf[head] != '\n')
        return false;
    const char *s = take(sb->buf + head + 1, end, r.title, sizeof r.title);
    if (take(s, end, r.path, sizeof r.path) != end || r.path[0] != '/')
        return false;
    r.threads = threads != 0;
    r.sequence = sequence != 0;
    r.compat = compat != 0;
    *fd_is_it = !fstat(fd, &st) && st.st_dev == (dev_t)dev && st.st_ino == (ino_t)ino;
    *out = r;
    return true;
}

bool wick_started_find(const struct wick_proc *p, int fd, struct wick_started *out, bool *fd_is_it)
{
    char name[64];
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    int dir = notes_dir(), note = -1;
    if (dir >= 0 && note_name(p, name, sizeof name))
        note = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = note >= 0 && is_private(note, S_IFREG) && !wick_proc_read_at(dir, name, &sb) && !sb.failed && sb.len &&
              parse_note(&sb, fd, out, fd_is_it);
    wick_strbuf_release(&sb);
    if (note >= 0)
        close(note);
    if (dir >= 0)
        close(dir);
    return ok;
}

void wick_started_forget(const struct wick_proc *p)
{
    char name[64];
    int dir = notes_dir();
    if (dir >= 0 && note_name(p, name, sizeof name))
        unlinkat(dir, name, 0);
    if (dir >= 0)
        close(dir);
}
