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

/* The place of that id, NULL = none is kept. */
static struct wick_thread_files_kept *place_of(struct wick_thread_files *f, int32_t tid)
{
    return f->places ? &f->kept[(uint32_t)tid % f->places] : NULL;
}

static void empty(struct wick_thread_files_kept *k)
{
    for (size_t i = 0; i < WICK_THREAD_FILES; i++) {
        struct stat now;
        int fd = k->files[i].fd;
        if (fd >= 0 && !fstat(fd, &now) && now.st_dev == k->files[i].device && now.st_ino == k->files[i].inode)
            close(fd);
        k->files[i].fd = -1;
    }
    k->tid = 0;
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
        empty(&f->kept[at]);
    if (f->tasks >= 0)
        close(f->tasks);
    f->tasks = -1;
}

void wick_thread_files_forget(struct wick_thread_files *f, int32_t tid)
{
    struct wick_thread_files_kept *k = place_of(f, tid);
    if (k && k->tid == tid)
        empty(k);
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
    struct wick_thread_files_kept *k = place_of(f, tid);
    bool taken = k && k->tid && k->tid != tid;
    if (!k || (taken && f->reads - k->read < (uint64_t)A_WHILE * f->places) || fstat(fd, &now)) {
        close(fd);
        return;
    }
    if (taken)
        empty(k);
    k->tid = tid;
    k->read = f->reads;
    k->files[which].fd = fd;
    k->files[which].device = now.st_dev;
    k->files[which].inode = now.st_ino;
}

/* By what is kept: false if it has to be opened. */
static bool read_kept(struct wick_thread_files *f, int32_t tid, enum wick_thread_file which, char *text, size_t room,
                      ssize_t *n)
{
    struct wick_thread_files_kept *k = place_of(f, tid);
    if (!k || k->tid != tid || k->files[which].fd < 0)
        return false;
    k->read = f->reads;
    *n = wick_whole_line_fd(k->files[which].fd, text, room);
    if (*n > 0 && text[*n - 1] == '\n')
        return true;
    bool ended = *n < 0 && errno == ESRCH;
    empty(k);
    errno = ESRCH;
    return ended;
}

ssize_t wick_thread_files_read(struct wick_thread_files *f, int32_t tid, enum wick_thread_file which, char *text,
                               size_t room)
{
    ssize_t n = -1;
    f->reads++;
    if (read_kept(f, tid, which, text, room, &n))
        return n;
    *text = 0;
    int fd = open_file(f, tid, which);
    if (fd < 0)
        return -1;
    n = wick_whole_line_fd(fd, text, room);
    int why = errno;
    if (n > 0)
        keep(f, tid, which, fd);
    else
        close(fd);
    errno = why;
    return n;
}
