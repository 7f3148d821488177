/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of native and kernel code, resolved when a recording is written
 *
 * A pc becomes a number here, equal for all pcs in one function of one library; numbers are kept until _clear, which
 * goes with a new chunk. Symbol tables are loaded when the first pc of a library is asked for and dropped when they
 * have not been needed for a while, so that the target carries them only while something new shows up.
 *
 * Threads: one (the drain thread).
 * Memory:  malloc; when it runs out, names become unknown, nothing else.
 */
#ifndef WICK_RECORD_NAMES_H
#define WICK_RECORD_NAMES_H

#include <stdbool.h>

#include "base/frame_kind.h"
#include "elf/image.h"
#include "mem/mem.h"

struct wick_name {
    const char *library; /* file name without directories; "" for the kernel */
    const char *symbol;  /* readable form; "[libx.so]" or "[unknown]" when there is none */
    enum wick_frame_kind kind;
};

struct wick_names;

/* `images` and `mem` are borrowed. NULL if out of memory. */
struct wick_names *wick_names_new(const struct wick_elf_images *images, const struct wick_mem *mem);
void wick_names_free(struct wick_names *n);

/* The number (> 0) of the function that holds pc; `kernel`: pc is the low 48 bits of a kernel address. */
uint32_t wick_names_of(struct wick_names *n, uint64_t pc, bool kernel);

/* What a number stands for; strings live until _clear. */
void wick_names_get(const struct wick_names *n, uint32_t number, struct wick_name *out);

/* Pcs may mean something else from now on (a library was unloaded); numbers stay. */
void wick_names_images_changed(struct wick_names *n);

/* Forgets all numbers. */
void wick_names_clear(struct wick_names *n);

/* Drops symbol tables that were not used during the last 30 calls; called about once a second. */
void wick_names_tidy(struct wick_names *n);

/* Bytes held. */
size_t wick_names_memory(const struct wick_names *n);

#endif
