/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usdt_notes.h - the static probes (USDT) of an ELF file
 *
 * Each is a note of type 3 of the owner "stapsdt" in the section .note.stapsdt:
 *
 *      | address of the probe | address of .stapsdt.base | address of the semaphore, 0 = none |  64 bits each
 *      | provider \0 | name \0 | arguments \0 |
 *
 * All addresses are moved by what .stapsdt.base has moved since: by a prelinker. (Format:
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation; base/usdt.h makes such notes.)
 *
 * Memory:  the notes while they are read, at most 16 MiB.
 */
#ifndef WICK_ELF_USDT_NOTES_H
#define WICK_ELF_USDT_NOTES_H

#include "elf/file.h"

struct wick_elf_usdt {
    const char *provider, *name, *arguments; /* NUL-terminated; any bytes */
    uint64_t place, semaphore;               /* where they are in the file; semaphore 0 = none */
};

/* Calls back for each probe of f: a name may have several places. Notes that make no sense are left out. 0,
 * -WICK_E_NOTFOUND (the file has no such notes), -WICK_E_LIMIT, -WICK_E_NOMEM or -WICK_E_FAULT. */
int wick_elf_usdt_each(const struct wick_elf_file *f, void (*found)(void *arg, const struct wick_elf_usdt *probe),
                       void *arg);

#endif
