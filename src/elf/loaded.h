/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded.h - an ELF file by the addresses that its program headers name: as if it was loaded there (bias 0)
 *
 * So what reads an image in the memory of a process reads it in its file.
 *
 * Threads: immutable after _init; any thread may read.
 * Memory:  no allocation.
 */
#ifndef WICK_ELF_LOADED_H
#define WICK_ELF_LOADED_H

#include <stdbool.h>

#include "elf/image.h"
#include "mem/mem.h"

enum { WICK_ELF_LOADS = 64 };

/* Bytes of the file that are loaded. */
struct wick_elf_load {
    uint64_t offset, addr, size;
    bool code;
};

struct wick_elf_loaded {
    struct wick_mem bytes; /* address = offset; borrowed */
    struct wick_elf_load load[WICK_ELF_LOADS];
    uint32_t n;
    wick_addr base; /* where its header is */
};

/* 0, -WICK_E_FORMAT (no 64-bit little-endian ELF file that can be loaded), or that of a read. */
int wick_elf_loaded_init(struct wick_elf_loaded *f, const struct wick_mem *bytes);

/* Its bytes by address; f must outlive it. */
struct wick_mem wick_elf_loaded_mem(const struct wick_elf_loaded *f);

#endif
