/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pagemap.h - which pages of a process are in RAM, asked some MiB at a time
 *
 * The kernel holds the lock of the process's mappings for a read only, a fraction of a millisecond. From Linux 6.7 on
 * it skips what has no pages, and reports the page of zeros, which backs memory that was only read. Before that, a page
 * that is mapped once is certain, one that is not may be the page of zeros, and a range of more than 64 GiB is taken
 * for one without pages: it would take seconds.
 *
 * Memory:  the caller's struct; a descriptor until _close.
 */
#ifndef WICK_SYS_PAGEMAP_H
#define WICK_SYS_PAGEMAP_H

#include <stdbool.h>
#include <stdint.h>

enum { WICK_PAGEMAP_RUNS = 256 };

/* Pages one behind the other that are alike. */
struct wick_page_run {
    uint64_t lo, hi;
    bool resident, swapped;
    bool unsure; /* resident, or the page of zeros */
};

enum { WICK_PAGEMAP_BITS = 12 }; /* of an address within a page */

struct wick_pagemap {
    int fd; /* -1 = not open */
    bool scans;
    struct wick_page_run run[WICK_PAGEMAP_RUNS];
};

/* `proc`: descriptor of /proc/PID. 0, -WICK_E_PERM, -WICK_E_GONE. */
int wick_pagemap_open(struct wick_pagemap *p, int proc);
void wick_pagemap_close(struct wick_pagemap *p);

/* Goes on from lo towards hi, which are at pages, and sets *end to where it came, behind lo. Returns the number of runs
 * in p->run, which may be 0, or -WICK_E_GONE. */
int wick_pagemap_read(struct wick_pagemap *p, uint64_t lo, uint64_t hi, uint64_t *end);

#endif
