/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_descriptor.h - where the threads of a process have an exported thread-local variable, found from outside
 *
 * A library that reaches its variable by a TLS descriptor (R_X86_64_TLSDESC) has two words for it: a function of the
 * loader, and that function's argument. glibc has two kinds of arguments:
 *
 *      static     a negative number: the distance from the thread pointer, the same in each thread
 *      dynamic    the address of { module, offset }: the thread pointer's second word leads to a vector of 16 bytes for
 *                 each module, the first of which is the address of the module's block, -1 until the thread has one
 *
 * What the words say is the process's own: a reader must bound what it makes of them.
 *
 * Threads: any.
 */
#ifndef WICK_ELF_TLS_DESCRIPTOR_H
#define WICK_ELF_TLS_DESCRIPTOR_H

#include <stdbool.h>

#include "elf/image.h"
#include "mem/mem.h"

enum { WICK_TLS_MODULES = 4096 }; /* the most that are believed */

struct wick_tls_descriptor {
    bool dynamic;
    uint64_t module; /* dynamic: index into the vector, from 1 on */
    uint64_t offset; /* in the module's block; static: from the thread pointer, modulo 2^64 */
};

/* Finds that of a defined thread-local symbol of the image among *most relocations at most, from which it takes off how
 * many were read. 0, -WICK_E_NOTFOUND (it exports none, does not use a descriptor, or has it behind those),
 * -WICK_E_FORMAT (what the descriptor holds makes no sense), -WICK_E_FAULT or -WICK_E_GONE. */
int wick_tls_descriptor_find(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name,
                             uint32_t *most, struct wick_tls_descriptor *out);

#endif
