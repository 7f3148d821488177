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

/* One counter, checked. */
struct entry {
    const char *name; /* ends with a NUL within the entry */
    char type;
    const unsigned char *data;
    size_t room, vector; /* bytes there are; length of a string */
};

struct walk {
    const unsigned char *data;
    size_t len, at;
    uint32_t left;
};

static bool begin(struct walk *w, const unsigned char *data, size_t len)
{
    static const unsigned char magic[4] = {0xca, 0xfe, 0xc0, 0xc0};
    if (len < 32 || memcmp(data, magic, 4) || data[4] != 1 || data[5] != 2)
        return false;
    *w = (struct walk){data, len, get32(data + 24), get32(data + 28)};
    return true;
}

/* False at the end, and where the file makes no sense. */
static bool next(struct walk *w, struct entry *out)
{
    while (w->left) {
        w->left--;
        if (w->at > w->len || w->len - w->at < 20)
            return false;
        const unsigned char *e = w->data + w->at;
        size_t size = get32(e), name = get32(e + 4), data = get32(e + 16);
        if (size < 20 || size > w->len - w->at)
            return false;
        w->at += size;
        if (name >= size || data >= size || !memchr(e + name, 0, size - name))
            continue;
        *out = (struct entry){(const char *)e + name, (char)e[12], e + data, size - data, get32(e + 8)};
        return true;
    }
    return false;
}

bool wick_hsperf_string(const unsigned char *data, size_t len, const char *name, char *out, size_t cap)
{
    struct walk w;
    struct entry e;
    if (!begin(&w, data, len))
        return false;
    while (next(&w, &e))
        if (e.type == 'B' && e.vector <= e.room && !strcmp(e.name, name)) {
            copy_printable(out, cap, e.data, e.vector);
            return *out;
        }
    return false;
}

/* "sun.gc.generation.1.space.0.used" */
static bool is_of_space(const char *name, const char *what)
{
    static const char head[] = "sun.gc.generation.";
    if (strncmp(name, head, sizeof head - 1) != 0)
        return false;
    name += sizeof head - 1;
    name += strspn(name, "0123456789");
    if (strncmp(name, ".space.", 7) != 0)
        return false;
    name += 7;
    name += strspn(name, "0123456789");
    return *name == '.' && !strcmp(name + 1, what);
}

bool wick_hsperf_heap(const unsigned char *data, size_t len, uint64_t *used, uint64_t *committed)
{
    struct walk w;
    struct entry e;
    bool found = false;
    *used = *committed = 0;
    if (!begin(&w, data, len))
        return false;
    while (next(&w, &e)) {
        bool uses = is_of_space(e.name, "used");
        if (e.type != 'J' || e.room < 8 || (!uses && !is_of_space(e.name, "capacity")))
            continue;
        uint64_t v = get32(e.data) | (uint64_t)get32(e.data + 4) << 32;
        if (v > UINT64_MAX / 4096) /* no heap is as large */
            return false;
        found |= uses;
        *(uses ? used : committed) += v;
    }
    return found;
}
