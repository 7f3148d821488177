/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hsperfdata, version 2.0 (JDK 1.4.2 to today: runtime/perfMemory.hpp). A prologue of 32 bytes
 *
 *   0 magic CA FE C0 C0 | 4 byte order (1 = little) | 5 major | 6 minor | 7 accessible | 8 used | 12 overflow |
 *   16 time | 24 offset of the first entry | 28 number of entries
 *
 * then entries of
 *
 *   0 length | 4 name offset | 8 vector length | 12 type ('B' = bytes) | 13 flags | 14 units | 15 variability |
 *   16 data offset
 *
 * with offsets from the entry's start. Another user writes this file while we read it: every number is checked.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sys/jvmlist.h"

static uint32_t get32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void copy_printable(char *out, size_t cap, const unsigned char *p, size_t len)
{
    size_t n = 0;
    for (; n < len && n + 1 < cap && p[n]; n++)
        out[n] = p[n] < 0x20 || p[n] == 0x7f ? ' ' : (char)p[n];
    out[n] = 0;
}

bool wick_hsperf_string(const unsigned char *data, size_t len, const char *name, char *out, size_t cap)
{
    static const unsigned char magic[4] = {0xca, 0xfe, 0xc0, 0xc0};
    if (len < 32 || memcmp(data, magic, 4) || data[4] != 1 || data[5] != 2)
        return false;
    size_t at = get32(data + 24), name_len = strlen(name);
    for (uint32_t left = get32(data + 28); left; left--) {
        if (at > len || len - at < 20)
            return false;
        const unsigned char *e = data + at;
        size_t size = get32(e), name_off = get32(e + 4), vector = get32(e + 8), data_off = get32(e + 16);
        if (size < 20 || size > len - at)
            return false;
        if (e[12] == 'B' && name_off < size && size - name_off > name_len && data_off < size &&
            vector <= size - data_off && !memcmp(e + name_off, name, name_len) && !e[name_off + name_len]) {
            copy_printable(out, cap, e + data_off, vector);
            return *out;
        }
        at += size;
    }
    return false;
}
