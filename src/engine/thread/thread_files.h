/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_files.h - files of /proc/self/task, kept open for threads that are examined again and again
 *
 * To open and close such a file costs the kernel several times as much as to read it. A file that stays open is of that
 * thread for ever: once the thread has ended, reading fails with ESRCH, even if another one has its id by then. Who
 * knows that an id is a new thread's forgets it first.
 *
 * The table has one place for an id, which another one may take if its files have not been read for a while. So those
 * of a few threads that are busy stay open among thousands. It keeps at most 1/32 of the descriptors that the process
 * may have, and no more than twice WICK_THREAD_FILES_KEPT; the kernel has a page of memory for each. A program may
 * close descriptors that it did not open, and get their numbers for files of its own: what cannot be read is opened
 * anew, and what is no longer the file that was opened is not closed.
 *
 * Threads: any; several that use one table hold a lock.
 * Memory:  descriptors, until the close.
 */
#ifndef WICK_ENGINE_THREAD_THREAD_FILES_H
#define WICK_ENGINE_THREAD_THREAD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum wick_thread_file { WICK_THREAD_FILE_SYSCALL, WICK_THREAD_FILE_SCHEDSTAT, WICK_THREAD_FILES };
enum { WICK_THREAD_FILES_KEPT = 64 };

/* Those of one thread. */
struct wick_thread_files_kept {
    int32_t tid;   /* 0 = none */
    uint64_t read; /* `reads` when one of them was */
    struct {
        int fd; /* -1 = not open */
        dev_t device;
        ino_t inode;
    } files[WICK_THREAD_FILES];
};

struct wick_thread_files {
    int tasks;       /* /proc/self/task, -1 = not open */
    uint32_t places; /* in use, of `kept`: 0 = none is kept */
    uint64_t reads;  /* so far */
    struct wick_thread_files_kept kept[WICK_THREAD_FILES_KEPT];
};

/* Not open, so that it may be closed. */
void wick_thread_files_init(struct wick_thread_files *f);

/* keep: whether files stay open. 0, or the number of the error (of errno). */
int wick_thread_files_open(struct wick_thread_files *f, bool keep);
void wick_thread_files_close(struct wick_thread_files *f);

/* The file's only line, with a NUL at its end: its length, at most room - 1, or -1 if the thread has none, see
 * errno. */
ssize_t wick_thread_files_read(struct wick_thread_files *f, int32_t tid, enum wick_thread_file which, char *text,
                               size_t room);

/* The id is no thread's, or a new one's. */
void wick_thread_files_forget(struct wick_thread_files *f, int32_t tid);

#endif
