/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_alloc_probe.h - where the agent's probe wick:alloc__sample is in a file, and where its arguments are then; and
 * which rate of calls is too much to be probed
 *
 *     8@%r13 8@%rax 8@%rdx    class, size, weight: in three registers of 64 bits
 *
 * Memory:  that of elf/usdt_notes.h.
 */
#ifndef WICK_EBPF_HOST_ALLOC_PROBE_H
#define WICK_EBPF_HOST_ALLOC_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum { WICK_HOST_ALLOC_ARGUMENTS = 3, WICK_HOST_ALLOC_REPORTS = 8 };

/* A place of it. */
struct wick_host_alloc_report {
    uint64_t place;  /* in the file */
    uint64_t cookie; /* a byte for each argument: its register's place in the kernel's struct pt_regs */
};

/* The cookie for what a note says of the arguments; false: they are not in registers. */
bool wick_host_alloc_cookie(const char *arguments, uint64_t *cookie);

/* The places in a file, of which the descriptor remains the caller's. Returns how many. */
uint32_t wick_host_alloc_reports(int fd, struct wick_host_alloc_report out[WICK_HOST_ALLOC_REPORTS]);

/* Whether so many calls of AllocTracer in that time are more than should be probed: 50,000 a second. */
static inline bool wick_host_alloc_floods(uint64_t calls, uint64_t ns)
{
    enum { MOST_A_SECOND = 50000, NS = 1000000000 };
    return (unsigned __int128)calls * NS >= (unsigned __int128)ns * MOST_A_SECOND;
}

#endif
