/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_brief.h - the code of processes that end before they are read, or while they are, by what walks saw of mappings
 *
 * A record of a process that is not known yet has the mappings that its walk came by, and the files behind them. What
 * others have of the same files, unwind data and symbols, then holds for it as well (host_library.h).
 *
 * Memory:  malloc: a few mappings for each such process.
 */
#ifndef WICK_EBPF_HOST_BRIEF_H
#define WICK_EBPF_HOST_BRIEF_H

#include "ebpf/host_process.h"

/* Remembers mappings of a process. */
void wick_host_brief_see(struct wick_host_process *p, const struct wick_host_mapped *mapped, uint32_t n);

/* The one that holds pc; NULL = none is known. */
const struct wick_host_mapped *wick_host_brief_at(const struct wick_host_process *p, uint64_t pc);

/* What lies at pc: a function, else the file. False: nothing is known of it. */
bool wick_host_brief_name(const struct wick_host_process *p, uint64_t pc, struct wick_code_name *out);

#endif
