/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kallsyms.h - names of kernel functions, from /proc/kallsyms
 *
 * Threads: immutable after _load: any thread may look up. Loading takes some 50 ms: ordinary threads, when a name is
 *          needed.
 * Memory:  malloc: about 35 bytes per function (4 MB on a distribution's kernel) until _free.
 */
#ifndef WICK_ELF_KALLSYMS_H
#define WICK_ELF_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wick_err;
struct wick_kallsyms;

/* Reads the kernel's symbol table. path NULL = "/proc/kallsyms". 0; -WICK_E_PERM: the kernel hides addresses
 * (kptr_restrict, perf_event_paranoid); -WICK_E_NOTFOUND, -WICK_E_NOMEM, -WICK_E_IO; each with a message in err. */
int wick_kallsyms_load(struct wick_kallsyms **out, const char *path, struct wick_err *err);

void wick_kallsyms_free(struct wick_kallsyms *k);

/* Number of functions in the table. */
size_t wick_kallsyms_count(const struct wick_kallsyms *k);

/* Writes the name of the function that holds addr, as `name` or `name [module]` (cap >= 16; cut if longer), the offset
 * in it, and how far it is from its start to the next function, 0 = not known (both may be NULL). 0 or
 * -WICK_E_NOTFOUND. */
int wick_kallsyms_find(const struct wick_kallsyms *k, uint64_t addr, char *name, size_t cap, uint64_t *offset,
                       uint64_t *size);

/* Splits a line of the table in place, "address type name[\t[module]]\n". False: not code, or not such a line. */
bool wick_kallsyms_line(char *line, uint64_t *addr, char **name, char **module);

/* Calls visit with each function of the kernel itself, without its modules, that is `function` or a variant of it that
 * the compiler made: the name has a suffix then, such as `.isra.0` or `.llvm.1234`. Pieces of functions, as `.cold` and
 * `.part.0`, are none. Needs no addresses, so hidden ones do not matter. Ends with the first value of visit other than
 * 0, and returns it; 0 = there was none; path as above, and -WICK_E_NOTFOUND, -WICK_E_PERM if it cannot be read. */
int wick_kallsyms_variants(const char *path, const char *function, int (*visit)(void *arg, const char *name),
                           void *arg);

#endif
