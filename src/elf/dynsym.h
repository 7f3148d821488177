/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynsym.h - an image's dynamic symbols, from memory alone
 *
 * What the loader itself uses is always in memory, so exported names (gHotSpotVMStructs and its kin) are found without
 * opening a file: in containers, with deleted files, in a core dump.
 *
 * Threads: any.
 */
#ifndef WICK_ELF_DYNSYM_H
#define WICK_ELF_DYNSYM_H

#include "elf/image.h"
#include "mem/mem.h"

/* Where the dynamic section says things are: absolute addresses, 0 if absent. */
struct wick_elf_dyn {
    wick_addr symtab, strtab, gnu_hash, hash;
    uint64_t strtab_size;
    wick_addr rela, jmprel; /* relocations with addends: of data, and of the PLT */
    uint64_t rela_size, jmprel_size;
    wick_addr versym, verneed; /* which version of which library each symbol needs */
};

/* Reads the dynamic section. 0, -WICK_E_NOTFOUND (the image has none, or no symbols), -WICK_E_FORMAT, -WICK_E_FAULT or
 * -WICK_E_GONE. */
int wick_elf_dyn_read(const struct wick_mem *mem, const struct wick_elf_image *image, struct wick_elf_dyn *out);

/* The number of dynamic symbols, which nothing states but the hash tables imply. Errors as above. */
int wick_elf_dyn_count(const struct wick_mem *mem, const struct wick_elf_dyn *dyn, uint32_t *count);

/* The address of a defined dynamic symbol that is not thread-local: by DT_GNU_HASH, else by DT_HASH. Of an indirect
 * function it is the resolver's. 0, -WICK_E_NOTFOUND, -WICK_E_FORMAT, -WICK_E_FAULT or -WICK_E_GONE. */
int wick_elf_dynsym(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name, wick_addr *addr);

/* The offset of a defined thread-local symbol in its image's thread-local block. Errors as above. */
int wick_elf_dynsym_tls(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name,
                        uint64_t *offset);

#endif
