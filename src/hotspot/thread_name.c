/* SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/thread_name.h"

#include <string.h>

#include "codec/utf8.h"
#include "hotspot/oop.h"
#include "hotspot/value.h"

enum { UNITS_MOST = 340, NAME_BYTES = 3 * UNITS_MOST + 1 };

/* The fields that are read of an object, from the first to the end of the last. */
struct fields {
    uint8_t bytes[256];
    int32_t first;
};

/* Reads two fields of an object at once; false if they cannot be read, or lie too far from each other. */
static bool read_fields(const struct wick_jvm *jvm, wick_addr object, int32_t one, int32_t other, struct fields *out)
{
    int32_t last = one < other ? other : one;
    out->first = one < other ? one : other;
    size_t n = (size_t)(last - out->first) + sizeof(uint64_t);
    return n <= sizeof out->bytes && !wick_mem_read(jvm->mem, object + (unsigned)out->first, out->bytes, n);
}

static const uint8_t *field(const struct fields *f, int32_t at)
{
    return f->bytes + (at - f->first);
}

/* A reference as it is in memory. */
static uint64_t reference(const struct wick_jvm *jvm, const void *at)
{
    return jvm->step.oop_kind == WICK_OOP_NARROW ? wick_hs_at32(at, 0) : wick_hs_at64(at, 0);
}

/* What the field of an object whose fields were read refers to, now. */
static wick_addr load(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr object,
                      const struct fields *read, int32_t at)
{
    return f->moves.how == WICK_HS_MOVES_NONE ? wick_hs_oop_at(jvm, field(read, at), 0)
                                              : wick_hs_oop_load_newest(jvm, &f->moves, object + (unsigned)at);
}

/* What a field of the JavaThread refers to, behind its handle. */
static wick_addr refers_to(const struct wick_jvm *jvm, wick_addr java_thread, int32_t at)
{
    wick_addr v = at != WICK_HS_NONE ? wick_hs_u64(jvm->mem, java_thread + (unsigned)at) : 0;
    return v && jvm->major >= 16 ? wick_hs_oop_resolve(jvm, v) : v;
}

/* The Thread object, with its fields: behind a handle from JDK 16 on, a plain reference before. It may be out of date,
 * but not by more than one collection, and what it leads to is the Thread object, or was one, if it has the
 * JavaThread's address. The fields of one that was moved are no newer than that collection, which
 * wick_hs_oop_load_newest sees. */
static wick_addr behind(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                        int32_t at, struct fields *out)
{
    wick_addr v = wick_hs_oop_newest(jvm, &f->moves, refers_to(jvm, java_thread, at));
    return v && read_fields(jvm, v, f->eetop, f->name, out) && wick_hs_at64(field(out, f->eetop), 0) == java_thread ? v
                                                                                                                    : 0;
}

/* The name's String. *where: both come from one read, as the thread may be renamed at any time. */
static wick_addr name_of(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                         struct wick_hs_thread_name_at *where)
{
    /* the same object behind both, unless a virtual thread is mounted; Thread.currentThread() uses the second */
    const int32_t at[] = {jvm->layout.thread_object, jvm->layout.thread_current};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct fields read;
        wick_addr thread = behind(jvm, f, java_thread, at[i], &read);
        wick_addr name = thread ? load(jvm, f, thread, &read, f->name) : 0;
        if (!name)
            continue;
        if (f->moves.how == WICK_HS_MOVES_NONE)
            *where = (struct wick_hs_thread_name_at){thread, reference(jvm, field(&read, f->name))};
        return name;
    }
    return 0;
}

bool wick_hs_thread_name_holds(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                               const struct wick_hs_thread_name_at *at)
{
    struct fields read;
    return at->thread && refers_to(jvm, java_thread, jvm->layout.thread_object) == at->thread &&
           read_fields(jvm, at->thread, f->eetop, f->name, &read) &&
           wick_hs_at64(field(&read, f->eetop), 0) == java_thread && reference(jvm, field(&read, f->name)) == at->name;
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

/* The array of a String and its coder; 0 = it cannot be read. */
static wick_addr array_of(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr string,
                          uint8_t *coder)
{
    struct fields read;
    *coder = WICK_HS_UTF16;
    if (!read_fields(jvm, string, f->value, f->coder ? f->coder : f->value, &read))
        return 0;
    if (f->coder)
        *coder = *field(&read, f->coder);
    return *coder <= WICK_HS_UTF16 ? load(jvm, f, string, &read, f->value) : 0;
}

/* The elements of an array, *n bytes: with its length, if they are few, as most names' are, else by another read. */
static bool read_text(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr array, uint8_t coder,
                      uint8_t text[2 * UNITS_MOST], uint32_t *n)
{
    enum { FEW = 32 };
    uint8_t begin[sizeof(uint32_t) + 24 + FEW];
    /* elements are chars where Strings have no coder */
    uint32_t each = f->coder ? 1 : 2, step = coder == WICK_HS_UTF16 ? 2 : 1, skip = f->data - f->length;
    bool few = skip + FEW <= sizeof begin && !wick_mem_read(jvm->mem, array + f->length, begin, skip + FEW);
    *n = few ? wick_hs_at32(begin, 0) : wick_hs_u32(jvm->mem, array + f->length);
    if (*n > 2 * UNITS_MOST / each || *n * each / step > UNITS_MOST)
        return false;
    *n *= each;
    if (few && *n <= FEW) {
        memcpy(text, begin + skip, *n);
        return true;
    }
    return !*n || !wick_mem_read(jvm->mem, array + f->data, text, *n);
}

bool wick_hs_thread_name(const struct wick_jvm *jvm, const struct wick_hs_thread_names *f, wick_addr java_thread,
                         char *out, size_t cap, struct wick_hs_thread_name_at *where)
{
    uint8_t text[2 * UNITS_MOST], coder;
    struct wick_hs_thread_name_at found = {0};
    uint32_t n;
    wick_addr name = name_of(jvm, f, java_thread, &found), array = name ? array_of(jvm, f, name, &coder) : 0;
    if (!array || !read_text(jvm, f, array, coder, text, &n))
        return false;
    size_t at = 0;
    uint32_t step = coder == WICK_HS_UTF16 ? 2 : 1;
    for (uint32_t i = 0; i + step <= n; i += step) {
        if (at + 4 > cap)
            return false;
        at += put_unit(out + at, step == 2 ? text[i] | (uint32_t)text[i + 1] << 8 : text[i]);
    }
    if (at >= cap)
        return false;
    out[at] = 0;
    if (where)
        *where = found;
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
        if (wick_hs_thread_name(jvm, f, java_thread, found, sizeof found, NULL) && !strcmp(found, name))
            return true;
    }
    return false;
}
