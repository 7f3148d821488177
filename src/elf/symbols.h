/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h - from a pc in an image to the name of a function
 *
 * Loaded when names are needed (a chunk is being written), dropped afterwards; never at attach. The index has 12 bytes
 * per function (0.8 MB for libjvm); names stay in the file and are read when they are asked for.
 *
 * Threads: any thread may look up in a loaded table. Its users are counted by one thread at a time. Loading belongs to
 *          ordinary threads.
 * Memory:  malloc; the last wick_symbols_free releases all, descriptors included.
 */
#ifndef WICK_ELF_SYMBOLS_H
#define WICK_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"
#include "mem/mem.h"

struct wick_err;
struct wick_symbols;

/* Where to search. All fields may be 0. */
struct wick_symbols_from {
    int pid;                    /* whose image it is; 0 = this process */
    const struct wick_mem *mem; /* its memory: for images without a file any more, and the vDSO; may be NULL */
    const char *debug_dir;      /* NULL = "/usr/lib/debug" */
    /* Opens an image's file in place of finding it by its path: a descriptor, or why not. The path is not used for
     * anything then, and a debug file is only taken from this machine's debug_dir, by build id. */
    int (*open)(void *arg, const struct wick_elf_image *image);
    void *open_arg;
};

/* Where the names of a table come from. */
enum wick_symbols_source {
    WICK_SYMBOLS_NONE,
    WICK_SYMBOLS_SYMTAB, /* the file's full table */
    WICK_SYMBOLS_DEBUG,  /* a separate debug file's */
    WICK_SYMBOLS_GO,     /* Go's table of functions, of a stripped program */
    WICK_SYMBOLS_DYNSYM, /* the file's exported symbols only */
    WICK_SYMBOLS_MEMORY, /* exported symbols, read from the target's memory */
};

struct wick_symbol {
    uint64_t vaddr; /* where it begins (file's virtual address; + image bias = address) */
    uint64_t size;  /* bytes; 0 = not stated */
    bool is_plt;
};

/* Loads the symbols of an image: .symtab, else a debug file's (by build id or .gnu_debuglink), else .dynsym, else what
 * memory shows. Of a stripped program what is not among these is searched in Go's table of functions. An image without
 * any symbol yields an empty table. 0 or -WICK_E_NOMEM, -WICK_E_NOTFOUND, -WICK_E_PERM, -WICK_E_FORMAT, -WICK_E_IO with
 * a message. */
int wick_symbols_load(struct wick_symbols **out, const struct wick_elf_image *image,
                      const struct wick_symbols_from *from, struct wick_err *err);

/* For one more user, who frees it as well: it is released with the last one. Returns s. */
struct wick_symbols *wick_symbols_share(struct wick_symbols *s);
uint32_t wick_symbols_users(const struct wick_symbols *s);

void wick_symbols_free(struct wick_symbols *s);

/* Number of functions, and which kind of table they are from. */
size_t wick_symbols_count(const struct wick_symbols *s);
enum wick_symbols_source wick_symbols_source(const struct wick_symbols *s);

/* The function that holds vaddr (pc - image->bias), its name as the file spells it (mangled), without a symbol version;
 * PLT entries are called `name@plt`. Of several names the exported one with the fewest leading underscores wins. name
 * is NUL-terminated and cut to cap (>= 16) bytes. 0, -WICK_E_NOTFOUND or -WICK_E_FAULT (the file changed). */
int wick_symbols_find(const struct wick_symbols *s, uint64_t vaddr, struct wick_symbol *out, char *name, size_t cap);

#endif
