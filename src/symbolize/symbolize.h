/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbolize.h - which file and which function is this address of that process
 *
 * One answer for all that have an address and print a name: the recorder (its own process), `wick stack`
 * (another one), and the reader of perf.data (files that processes had mapped earlier), which finds the file itself and
 * asks for the rest. A name is readable (demangled); its kind, C or C++, follows from how the file spells it.
 *
 * Threads: one at a time; at least 512 KiB of stack (elf/demangle.h).
 * Memory:  the tables of symbol_cache.h and kernel_names.h.
 */
#ifndef WICK_SYMBOLIZE_SYMBOLIZE_H
#define WICK_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/frame_kind.h"
#include "elf/image.h"
#include "elf/symbols.h"
#include "symbolize/symbol_cache.h"

enum { WICK_CODE_NAME = 512 }; /* bytes of a readable name; longer ones are cut */

struct wick_kernel_names;

/* The code of one process. */
struct wick_symbolizer {
    const struct wick_elf_images *images; /* what it has mapped; borrowed */
    struct wick_symbols_from from;        /* the process and its memory, borrowed */
    struct wick_kernel_names *kernel;     /* borrowed; NULL = the kernel's functions have no names */
    /* Loads the symbols of an image, as wick_symbols_load() does without it, with from.open_arg: 0 or -WICK_E_* */
    int (*load)(void *arg, const struct wick_elf_image *image, struct wick_symbols **out);
    struct wick_symbol_cache cache;
};

/* What lies at an address. */
struct wick_code_name {
    const struct wick_elf_image *image; /* NULL: in none. Belongs to the set of images */
    const char *library;                /* the image's file name without directories; "" for the kernel or no image */
    enum wick_frame_kind kind;
    bool found; /* whether `symbol` is a function's name; else it stands for a place: [libz.so.1], [unknown] ... */
    char symbol[WICK_CODE_NAME];
};

/* For process `pid` (0 = this one); nothing is loaded yet. `mem` reads its memory. */
void wick_symbolizer_init(struct wick_symbolizer *s, const struct wick_elf_images *images, int pid,
                          const struct wick_mem *mem, struct wick_kernel_names *kernel);
void wick_symbolizer_release(struct wick_symbolizer *s);

/* What lies at pc: a function, else the image, else the mapping. */
void wick_symbolize(struct wick_symbolizer *s, uint64_t pc, struct wick_code_name *out);

/* The kernel's function that holds pc, with its module behind it: `name [module]`. */
void wick_symbolize_kernel(struct wick_symbolizer *s, uint64_t pc, struct wick_code_name *out);

/* The readable name of the function at a file's virtual address; `demangle` has WICK_DEMANGLE_*. False, and nothing
 * written, if there is none. *kind may be NULL. */
bool wick_symbolize_vaddr(const struct wick_symbols *symbols, uint64_t vaddr, unsigned demangle, char *name, size_t cap,
                          enum wick_frame_kind *kind);

/* The last part of a path. */
const char *wick_symbolize_library(const char *path);

#endif
