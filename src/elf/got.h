/* SPDX-License-Identifier: Apache-2.0 */
/*
 * got.h - the words through which an image calls functions of other images
 *
 * A call that leaves its image goes through a word of the global offset table, which the loader fills: at once
 * (R_*_GLOB_DAT, or everything with -z now), or at the first call (R_*_JUMP_SLOT of lazy binding; until then the word
 * leads back into the image's own PLT). A relocation names the word, the symbol and, with the GNU version tables, the
 * version of the symbol that the image was linked with.
 *
 * Threads: any.
 */
#ifndef WICK_ELF_GOT_H
#define WICK_ELF_GOT_H

#include <stdbool.h>

#include "elf/image.h"
#include "mem/mem.h"

enum { WICK_GOT_VERSION_MAX = 32 };

struct wick_elf_slot {
    wick_addr addr;                     /* of the word */
    uint32_t name;                      /* which of the names */
    bool lazy;                          /* a word of the PLT: it may lead back into the image until the first call */
    char version[WICK_GOT_VERSION_MAX]; /* of the symbol; "" = it has none, or one too long */
};

/* Calls `found` for each word of the image that is to hold the address of one of n functions defined elsewhere. 0, or
 * an error of wick_elf_dyn_read; -WICK_E_NOTFOUND if the image calls nobody. Tables that contradict themselves end
 * the search early. */
int wick_elf_got_slots(const struct wick_mem *mem, const struct wick_elf_image *image, const char *const *names,
                       uint32_t n, void (*found)(void *arg, const struct wick_elf_slot *slot), void *arg);

#endif
