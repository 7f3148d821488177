/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - "read N bytes at a target address": the one way wick reads memory it does not own
 *
 * The target may be this process (mem_self.c), another process (mem_remote.c), a file whose offsets are the addresses
 * (mem_file.c), or buffers in tests and fuzzers (tests/unit/fake_mem.h). Code that understands foreign memory takes a
 * `struct wick_mem` and runs against all of them. A read is all or nothing and never raises a signal: the kernel copies
 * the bytes and answers an error where a plain load would have faulted.
 *
 * Threads: a struct wick_mem is immutable after _init; any number of threads may read through it. Reads through
 *          wick_mem_self_init's reader are async-signal-safe (and keep errno); those of the others are plain system
 *          calls without locks as well.
 * Memory:  the caller owns the struct; no allocation. _release closes the descriptor that _init opened, if any.
 */
#ifndef WICK_MEM_MEM_H
#define WICK_MEM_MEM_H

#include <stddef.h>
#include <stdint.h>

struct wick_err;

enum { WICK_MEM_PAGE = 4096 }; /* the least size of a page: what lies in one is all readable, or not at all */

/* An address in the target. An integer, so that nobody dereferences it by mistake. */
typedef uint64_t wick_addr;

struct wick_mem {
    /* Copies n bytes at addr to buf. 0, -WICK_E_FAULT (some byte is not readable; buf is undefined) or -WICK_E_GONE. */
    int (*read)(const struct wick_mem *m, wick_addr addr, void *buf, size_t n);
    /* Copies the first of n bytes at addr, as many as are readable by one call, in whole pages but for the last; 0 =
     * none. NULL: the reader cannot do this. */
    size_t (*read_first)(const struct wick_mem *m, wick_addr addr, void *buf, size_t n);
    const void *ctx; /* the reader's own */
    int pid;         /* mem_self, mem_remote */
    int fd;          /* /proc/PID/mem or the file; -1 if none */
};

static inline int wick_mem_read(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    return m->read(m, addr, buf, n);
}

/* Copies as many of the n bytes at addr as there are, at once or halving until it can be read; what is left out begins
 * at a page. Returns how many; 0 = none, or less than a page. For stacks, which may end anywhere above. */
size_t wick_mem_read_most(const struct wick_mem *m, wick_addr addr, void *buf, size_t n);

/* Reads a NUL-terminated string of at most cap - 1 bytes into buf, which is terminated whenever the answer is >= 0.
 * Returns the length, or -WICK_E_FAULT, -WICK_E_GONE, or -WICK_E_LIMIT if no NUL came within cap bytes. */
int wick_mem_read_str(const struct wick_mem *m, wick_addr addr, char *buf, size_t cap);

/* This process. 0, or -WICK_E_PERM if the kernel refuses both process_vm_readv and /proc/self/mem (a seccomp filter).
 * A child of fork() must call it again: the reader names the process by number. */
int wick_mem_self_init(struct wick_mem *m);

/* Process pid. Needs the right to ptrace it (same user and dumpable, or CAP_SYS_PTRACE).
 * 0, -WICK_E_NOTFOUND or -WICK_E_PERM with a message in err (may be NULL). */
int wick_mem_remote_init(struct wick_mem *m, int pid, struct wick_err *err);

/* The address space that process pid has now, and no other: when it executes another program or ends, reads find
 * nothing
 * (-WICK_E_GONE). A little slower than the reader above, which goes by the process's number. Errors as above. */
int wick_mem_space_init(struct wick_mem *m, int pid, struct wick_err *err);

/* The bytes of a file: address = offset. Borrows fd (_release does not close it). */
void wick_mem_file_init(struct wick_mem *m, int fd);

void wick_mem_release(struct wick_mem *m);

#endif
