/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/csv.h"

#include <string.h>

void wick_csv_cell(FILE *out, const char *s, size_t n)
{
    putc_unlocked('"', out);
    if (n && *s && strchr("=+-@\t\r", *s))
        putc_unlocked('\'', out);
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            putc_unlocked('"', out);
        putc_unlocked(s[i], out);
    }
    putc_unlocked('"', out);
}
