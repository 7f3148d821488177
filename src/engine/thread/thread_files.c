/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/thread/thread_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/whole.h"

enum {
    PART = 32 * WICK_THREAD_FILES, /* descriptors that the process may have, for each place in the table */
    A_WHILE = 4,                   /* reads for each place */
};

static void empty(struct wick_thread_files *f, size_t at)
{
    for (size_t i = 0; i < WICK_THREAD_FILES; i++) {
        struct stat now;
        int fd = f->kept[at].files[i].fd;
        if (fd >= 0 && !fstat(fd, &now) && now.st_dev == f->kept[at].files[i].device &&
            now.st_ino == f->kept[at].files[i].inode)
            close(fd);
        f->kept[at].files[i].fd = -1;
    }
    f->kept[at].tid = 0;
}

void wick_thread_files_init(struct wick_thread_files *f)
{
    memset(f, 0, sizeof *f);
    f->tasks = -1;
    for (size_t at = 0; at < WICK_THREAD_FILES_KEPT; at++)
        for (size_t i = 0; i < WICK_THREAD_FILES; i++)
            f->kept[at].files[i].fd = -1;
}

int wick_thread_files_open(struct wick_thread_files *f, bool keep)
{
    struct rlimit limit;
    wick_thread_files_init(f);
    if (keep && !getrlimit(RLIMIT_NOFILE, &limit)) {
        rlim_t most = limit.rlim_cur / PART;
        f->places = most < WICK_THREAD_FILES_KEPT ? (uint32_t)most : WICK_THREAD_FILES_KEPT;
    }
    f->tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->tasks < 0 ? errno : 0;
}

void wick_thread_files_close(struct wick_thread_files *f)
{
    for (size_t at = 0; at < WICK_THREAD_FILES_KEPT; at++)
        empty(f, at);
    if (f->tasks >= 0)
        close(f->tasks);
    f->tasks = -1;
}

void wick_thread_files_forget(struct wick_thread_files *f, int32_t tid)
{
    size_t at = f->places ? (uint32_t)tid % f->places : 0;
    if (f->places && f->kept[at].tid == tid)
        empty(f, at);
}

/* The descriptor of the file, -1: see errno. */
static int open_file(const struct wick_thread_files *f, int32_t tid, enum wick_thread_file which)
{
    static const char *const names[] = {
        [WICK_THREAD_FILE_SYSCALL] = "syscall", [WICK_THREAD_FILE_SCHEDSTAT] = "schedstat"};
    char path[48];
    snprintf(path, sizeof path, "%d/%s", tid, names[which]);
    return openat(f->tasks, path, O_RDONLY | O_CLOEXEC);
}

/* Keeps the open file, or closes it. */
static void keep(struct wick_thread_files *f, int32_t tid, enum wick_thread_file which, int fd)
{
    struct stat now;
    size_t at = f->places ? (uint32_t)tid % f->places : 0;
    bool others = f->kept[at].tid && f->kept[at].tid != tid;
    if (!f->places || (others && f->reads - f->kept[at].read < (uint64_t)A_WHILE * f->places) || fstat(fd, &now)) {
        close(fd);
        return;
    }
    if (others)
        empty(f, at);
    f->kept[at].tid = tid;
    f->kept[at].read = f->reads;
    f->kept[at].files[which].fd = fd;
    f->kept[at].files[which].device = now.st_dev;
    f->kept[at].files[which].inode = now.st_ino;
}

/* By what is kept: false if it has to be opened. */
static bool read_kept(struct wick_thread_files *f, int32_t tid, enum wick_thread_file which, char *text, size_t room,
                      ssize_t *n)
{
    size_t at = f->places ? (uint32_t)tid % f->places : 0;
    if (!f->places || f->kept[at].tid != tid || f->kept[at].files[which].fd < 0)
        return false;
    f->kept[at].read = f->reads;
    *n = wick_whole_line_fd(f->kept[at].files[which].fd, text, room);
    bool ended = *n < 0 && errno == ESRCH, known = ended || (*n > 0 && text[*n - 1] == '\n');
    if (ended || !known)
        empty(f, at);
    if (ended)
        errno = ESRCH;
    return known;
}

ssize_t wick_thread_files_read(struct wick_thread_files *f, int32_t tid, enum wick_thread_file which, char *text,
                               size_t room)
{
    ssize_t n = -1;
    *text = 0;
    if (tid <= 0) {
        errno = ESRCH;
        return -1;
    }
    f->reads++;
    if (read_kept(f, tid, which, text, room, &n))
        return n;
    int fd = open_file(f, tid, which);
    if (fd < 0) {
        *text = 0;
        return -1;
    }
    n = wick_whole_line_fd(fd, text, room);
    int why = errno;
    if (n > 0)
        keep(f, tid, which, fd);
    else
        close(fd);
    errno = why;
    return n;
}
