/* SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/thread_name.h"

#include <string.h>

#include "codec/utf8.h"
#include "hotspot/oop.h"
#include "hotspot/value.h"

enum { UNITS_MOST = 340, NAME_BYTES = 3 * UNITS_MOST + 1 };

/* The Thread object: behind a handle from JDK 16 on, a plain reference before. It may be out of date, but not
 * by more than one collection, and what it leads to is the Thread object, or was one, if it has the JavaThread's
 * address. The fields of one that was moved are no newer than that collection, which wick_hs_oop_load_newest sees. */
static wick_addr behind(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                        int32_t at)
{
    wick_addr v = at != WICK_HS_NONE ? wick_hs_u64(jvm->mem, java_thread + (unsigned)at) : 0;
    v = wick_hs_oop_newest(jvm, &f->moves, v && jvm->major >= 16 ? wick_hs_oop_resolve(jvm, v) : v);
    return v && wick_hs_u64(jvm->mem, v + (unsigned)f->eetop) == java_thread ? v : 0;
}

static wick_addr name_of(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread)
{
    /* the same object behind both, unless a virtual thread is mounted; Thread.currentThread() uses the second */
    const int32_t at[] = {jvm->layout.thread_object, jvm->layout.thread_current};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        wick_addr thread = behind(jvm, f, java_thread, at[i]);
        wick_addr name = thread ? wick_hs_oop_load_newest(jvm, &f->moves, thread + (unsigned)f->name) : 0;
        if (name)
            return name;
    }
    return 0;
}

/* One unit of UTF-16; surrogates by themselves, and 0 in two bytes. */
static size_t put_unit(char *out, uint32_t c)
{
    if (c)
        return wick_utf8_encode(out, c);
    out[0] = (char)0xc0;
    out[1] = (char)0x80;
    return 2;
}

bool wick_hs_thread_name(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                         char *out, size_t cap)
{
    uint8_t text[2 * UNITS_MOST], coder = WICK_HS_UTF16;
    wick_addr name = name_of(jvm, f, java_thread);
    wick_addr array = name ? wick_hs_oop_load_newest(jvm, &f->moves, name + (unsigned)f->value) : 0;
    if (!array || (f->coder && wick_mem_read(jvm->mem, name + (unsigned)f->coder, &coder, 1)) || coder > WICK_HS_UTF16)
        return false;
    /* elements are chars where Strings have no coder */
    uint32_t each = f->coder ? 1 : 2, n = wick_hs_u32(jvm->mem, array + f->length),
             step = coder == WICK_HS_UTF16 ? 2 : 1;
    if (n > sizeof text / each || n * each / step > UNITS_MOST)
        return false;
    n *= each;
    if (n && wick_mem_read(jvm->mem, array + f->data, text, n))
        return false;
    size_t at = 0;
    for (uint32_t i = 0; i + step <= n; i += step) {
        if (at + 4 > cap)
            return false;
        at += put_unit(out + at, step == 2 ? text[i] | (uint32_t)text[i + 1] << 8 : text[i]);
    }
    if (at >= cap)
        return false;
    out[at] = 0;
    return true;
}

bool wick_hs_thread_names_form(const struct wick_jvm *jvm, struct wick_hs_thread_names *f, wick_addr java_thread,
                               const char *name)
{
    /* compact headers; compressed class pointers; neither, with arrays of bytes aligned like objects, or not (23..) */
    static const struct {
        uint32_t length, data;
    } forms[] = {{8, 12}, {12, 16}, {16, 24}, {16, 20}};
    char found[NAME_BYTES];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        f->length = forms[i].length;
        f->data = forms[i].data;
        if (wick_hs_thread_name(jvm, f, java_thread, found, sizeof found) && !strcmp(found, name))
            return true;
    }
    return false;
}
