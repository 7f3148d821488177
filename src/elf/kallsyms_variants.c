/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kallsyms_variants.c - functions of the kernel that the compiler has given another name
 *
 * Of the command alone: libwick.so asks for addresses only.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "elf/kallsyms.h"

enum { NAME_MOST = 512 };

/* `.isra.0`, `.constprop.0.isra.1`: whole functions. */
static bool is_variant(const char *suffix)
{
    static const char *const kinds[] = {".isra.", ".constprop.", ".lto_priv.", ".llvm."};
    while (*suffix) {
        size_t n = 0, digits;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !n; i++)
            if (!strncmp(suffix, kinds[i], strlen(kinds[i])))
                n = strlen(kinds[i]);
        digits = n ? strspn(suffix + n, "0123456789") : 0;
        if (!digits)
            return false;
        suffix += n + digits;
    }
    return true;
}

int wick_kallsyms_variants(const char *path, const char *function, int (*visit)(void *arg, const char *name), void *arg)
{
    char line[2 * NAME_MOST], *name, *module;
    uint64_t addr;
    size_t n = strlen(function);
    int rc = 0;
    FILE *f = fopen(path ? path : "/proc/kallsyms", "re");
    if (!f)
        return errno == ENOENT ? -WICK_E_NOTFOUND : -WICK_E_PERM;
    while (!rc && fgets(line, sizeof line, f))
        if (wick_kallsyms_line(line, &addr, &name, &module) && !*module && !strncmp(name, function, n) &&
            is_variant(name + n))
            rc = visit(arg, name);
    fclose(f);
    return rc;
}
