/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mounted.c - JavaThread -> VirtualThread -> name, id, Continuation -> StackChunk
 *
 * A JavaThread has two handles, its own Thread object and that of the thread which runs on it now; they hold the same
 * object unless a virtual thread is mounted. Where objects keep their fields is in their classes (klass.h).
 */
#include "hotspot/mounted.h"

#include "codec/utf8.h"
#include "hotspot/klass.h"
#include "hotspot/oop.h"
#include "hotspot/value.h"

/* An array: mark word, compressed class (with compact headers part of the mark word), length, elements. */
enum { ARRAY_LENGTH = 12, COMPACT_ARRAY_LENGTH = 8, NAME_BYTES = 400 };

static wick_addr object_of(const struct wick_jvm *jvm, wick_addr java_thread, int32_t handle)
{
    return handle >= 0 ? wick_hs_oop_resolve(jvm, wick_hs_u64(jvm->mem, java_thread + (unsigned)handle)) : 0;
}

void wick_hs_mounted_init(struct wick_hs_mounted_fields *f, struct wick_jvm *jvm)
{
    *f = (struct wick_hs_mounted_fields){.readable = wick_hs_oop_form(jvm) && wick_hs_klass_form(jvm),
                                         .array_length = ARRAY_LENGTH};
    if (wick_jvm_flag_is_set(jvm, WICK_JVM_FLAG_COMPACT_OBJECT_HEADERS, false))
        f->array_length = COMPACT_ARRAY_LENGTH;
}

static void find_fields(const struct wick_jvm *jvm, struct wick_hs_mounted_fields *f, wick_addr thread)
{
    wick_addr klass = wick_hs_klass_of(jvm, thread);
    f->looked = true;
    f->id = wick_hs_klass_field(jvm, klass, "tid", "J");
    f->name = wick_hs_klass_field(jvm, klass, "name", "Ljava/lang/String;");
    f->cont = wick_hs_klass_field(jvm, klass, "cont", "Ljdk/internal/vm/Continuation;");
    klass = wick_hs_klass_of(jvm, f->name ? wick_hs_oop_load(jvm, thread + (unsigned)f->name) : 0);
    f->text = wick_hs_klass_field(jvm, klass, "value", "[B");
    f->coder = wick_hs_klass_field(jvm, klass, "coder", "B");
    klass = wick_hs_klass_of(jvm, f->cont ? wick_hs_oop_load(jvm, thread + (unsigned)f->cont) : 0);
    f->tail = wick_hs_klass_field(jvm, klass, "tail", "Ljdk/internal/vm/StackChunk;");
}

/* Where chunks keep frozen frames, from the first one that is seen. */
static void find_frozen(struct wick_jvm *jvm, const struct wick_hs_mounted_fields *f, wick_addr thread)
{
    struct wick_step_jvm *s = &jvm->step;
    wick_addr continuation = f->cont ? wick_hs_oop_load(jvm, thread + (unsigned)f->cont) : 0;
    wick_addr chunk = continuation && f->tail ? wick_hs_oop_load(jvm, continuation + (unsigned)f->tail) : 0;
    wick_addr klass = wick_hs_klass_of(jvm, chunk);
    if (!klass)
        return;
    s->chunk_parent = wick_hs_klass_field(jvm, klass, "parent", "Ljdk/internal/vm/StackChunk;");
    s->chunk_size = wick_hs_klass_field(jvm, klass, "size", "I");
    s->chunk_sp = wick_hs_klass_field(jvm, klass, "sp", "I");
    s->chunk_bottom = wick_hs_klass_field(jvm, klass, "bottom", "I");
    s->chunk_bottom_is_argsize = !s->chunk_bottom;
    if (s->chunk_bottom_is_argsize)
        s->chunk_bottom = wick_hs_klass_field(jvm, klass, "argsize", "I");
    s->chunk_flags = wick_hs_klass_injected(jvm, klass, "flags", "B");
    s->chunk_stack = wick_hs_klass_instance_bytes(jvm, klass);
    if (s->chunk_parent && s->chunk_size && s->chunk_sp && s->chunk_bottom && s->chunk_stack > s->chunk_bottom)
        s->cont_tail = f->tail;
}

/* Latin 1 or UTF-16 to UTF-8, as much as there is room for. */
static void to_utf8(const uint8_t *text, uint32_t n, bool utf16, char *out, size_t cap)
{
    size_t at = 0;
    for (uint32_t i = 0; i + utf16 < n && at + 3 < cap; i += 1 + utf16) {
        uint32_t c = utf16 ? text[i] | (uint32_t)text[i + 1] << 8 : text[i];
        at += wick_utf8_encode(out + at, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    }
    out[at] = 0;
}

static void read_name(const struct wick_jvm *jvm, const struct wick_hs_mounted_fields *f, wick_addr thread, char *out,
                      size_t cap)
{
    uint8_t text[NAME_BYTES], coder = 0;
    *out = 0;
    wick_addr name = f->name && f->text ? wick_hs_oop_load(jvm, thread + (unsigned)f->name) : 0;
    wick_addr array = name ? wick_hs_oop_load(jvm, name + (unsigned)f->text) : 0;
    uint32_t n = array ? wick_hs_u32(jvm->mem, array + (unsigned)f->array_length) : 0;
    n = n < sizeof text ? n : sizeof text;
    if (n && !wick_mem_read(jvm->mem, array + (unsigned)f->array_length + 4, text, n) && f->coder &&
        !wick_mem_read(jvm->mem, name + (unsigned)f->coder, &coder, 1))
        to_utf8(text, n, coder == WICK_HS_UTF16, out, cap);
}

bool wick_hs_mounted(struct wick_jvm *jvm, struct wick_hs_mounted_fields *f, wick_addr java_thread,
                     struct wick_hs_mounted *out)
{
    const struct wick_hs_layout *l = &jvm->layout;
    wick_addr own = object_of(jvm, java_thread, l->thread_object);
    wick_addr thread = object_of(jvm, java_thread, l->thread_current);
    if (jvm->major < 21 || !own || !thread || own == thread)
        return false;
    *out = (struct wick_hs_mounted){0};
    if (!f->readable)
        return true;
    if (!f->looked)
        find_fields(jvm, f, thread);
    if (jvm->step.cont_tail <= 0)
        find_frozen(jvm, f, thread);
    out->id = f->id ? wick_hs_u64(jvm->mem, thread + (unsigned)f->id) : 0;
    read_name(jvm, f, thread, out->name, sizeof out->name);
    return true;
}
