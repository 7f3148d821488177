/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tracer.c - see alloc_tracer.h
 *
 *      17 ..         send_allocation_in_new_tlab(Klass *, HeapWord *, size_t tlab, size_t size, JavaThread *)
 *                    send_allocation_outside_tlab(Klass *, HeapWord *, size_t size, JavaThread *)
 *      11 .. 16      the same with a Thread *
 *      8u262 ..      send_allocation_in_new_tlab_event(KlassHandle, HeapWord *, size_t tlab, size_t size, Thread *)
 *                    send_allocation_outside_tlab_event(KlassHandle, HeapWord *, size_t size, Thread *)
 *      .. 8u252      send_allocation_in_new_tlab_event(KlassHandle, size_t tlab, size_t size)
 *                    send_allocation_outside_tlab_event(KlassHandle, size_t size)
 *
 * From JDK 11 on they are called when all is done: the new buffer is the thread's and the object is in it, and the
 * thread's count has an object that is outside. JDK 8 counts that one before the call as well, but calls for a new
 * buffer first. HeapWord is a pointer to a class HeapWordImpl from JDK 14 on, which the compiled names show.
 *
 * A KlassHandle is a class with one member, the Klass *, and is passed like that. Names are compared whole: with a
 * suffix (.part.0, .constprop.1, .cold) they are other code, or take other arguments.
 *
 * Without symbols. Of the newer form the two are neighbours in the library, are small, call the same function first
 * (the recorder's sampler of old objects), and each tests one byte, at a constant offset from one and the same table:
 * whether its event is on. The events are neighbours in that table. If just one pair in all of the library is like
 * that, it is taken. Were it another one: a breakpoint where a function begins changes nothing but time, and a call
 * is only taken for an allocation if the thread that it is given is the one that runs, and its sizes and its class
 * are possible.
 */
#include "hotspot/alloc_tracer.h"

#include <string.h>

#include "base/atomic.h"
#include "elf/eh_frame.h"
#include "hotspot/value.h"

enum {
    WORD = 8,
    KLASS_LEAST = 4096,
    SIZE_MOST_BITS = 40,
    CODE_LEAST = 48, /* bytes of such a function */
    CODE_MOST = 384,
    ALIGNED = 16, /* functions, by the compiler */
    ENTRY = 8,    /* of the sorted table in .eh_frame_hdr */
    ENTRIES_AT_ONCE = 512,
    ENTRIES_MOST = 1 << 18, /* libjvm of JDK 8 has some 50,000 */
    EVENT_LEAST = 8,        /* bytes between neighbours in the table of events */
    EVENT_MOST = 64,
};

#define TRACER "_ZN11AllocTracer"

static const struct form {
    const char *names[WICK_HS_ALLOC_FUNCTIONS];
    bool has_thread, after;
} forms[] = {
    {{TRACER "27send_allocation_in_new_tlabEP5KlassPP12HeapWordImplmmP10JavaThread",
      TRACER "28send_allocation_outside_tlabEP5KlassPP12HeapWordImplmP10JavaThread"},
     true,
     true},
    {{TRACER "27send_allocation_in_new_tlabEP5KlassP8HeapWordmmP6Thread",
      TRACER "28send_allocation_outside_tlabEP5KlassP8HeapWordmP6Thread"},
     true,
     true},
    {{TRACER "27send_allocation_in_new_tlabEP5KlassPP12HeapWordImplmmP6Thread",
      TRACER "28send_allocation_outside_tlabEP5KlassPP12HeapWordImplmP6Thread"},
     true,
     true},
    {{TRACER "33send_allocation_in_new_tlab_eventE11KlassHandleP8HeapWordmmP6Thread",
      TRACER "34send_allocation_outside_tlab_eventE11KlassHandleP8HeapWordmP6Thread"},
     true,
     false},
    {{TRACER "33send_allocation_in_new_tlab_eventE11KlassHandlemm",
      TRACER "34send_allocation_outside_tlab_eventE11KlassHandlem"},
     false,
     false},
};

/* Of every JDK: JavaThread::exit(bool, ExitType). */
static const char end_name[] = "_ZN10JavaThread4exitEbNS_8ExitTypeE";

/* --- by symbols -------------------------------------------------------------------------------------------------- */

static bool begins_there(const struct wick_jvm *jvm, const struct wick_elf_image *image, wick_addr at)
{
    wick_addr start;
    return at >= image->text_lo && at < image->text_hi && !wick_eh_function(jvm->mem, image, at, &start) && start == at;
}

/* Where a function of that name begins; 0 = there is none. */
static wick_addr start_of(const struct wick_jvm *jvm, const struct wick_elf_image *image,
                          const struct wick_elf_file *libjvm, const char *name)
{
    uint64_t vaddr, size = 0;
    if (wick_elf_find_symtab(libjvm, name, &vaddr, &size) || !size)
        return 0;
    return begins_there(jvm, image, vaddr + image->bias) ? vaddr + image->bias : 0;
}

static bool find_symbols(struct wick_hs_alloc_tracer *t, const struct wick_jvm *jvm, const struct wick_elf_image *image,
                         const struct wick_elf_file *libjvm)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const struct form *form = &forms[k];
        struct wick_hs_alloc_tracer found = {.has_thread = form->has_thread, .after = form->after, .by_symbols = true};
        bool all = form->after == (jvm->major > 8);
        for (int i = 0; i < WICK_HS_ALLOC_FUNCTIONS && all; i++) {
            found.at[i] = start_of(jvm, image, libjvm, form->names[i]);
            all = found.at[i] != 0;
        }
        if (!all)
            continue;
        found.end = start_of(jvm, image, libjvm, end_name);
        *t = found;
        return true;
    }
    return false;
}

/* --- by their looks ---------------------------------------------------------------------------------------------- */

struct looks {
    wick_addr at, first_call, table;
    int32_t event; /* offset in the table */
};

static int32_t int_at(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Where the call (E8) at code[i] leads to, 0: these bytes are none to a function of the library. */
static wick_addr called(const struct wick_elf_image *image, wick_addr from, const uint8_t *code, size_t i)
{
    wick_addr to = from + i + 5 + (wick_addr)(int64_t)int_at(code + i + 1);
    return code[i] == 0xe8 && to >= image->text_lo && to < image->text_hi && to % ALIGNED == 0 ? to : 0;
}

/* The first call, and the byte in a table that is compared with 0: lea table(%rip), %rax; cmpb $0, event(%rax). */
static bool looks_of(const struct wick_jvm *jvm, const struct wick_elf_image *image, wick_addr from, wick_addr to,
                     struct looks *out)
{
    uint8_t code[CODE_MOST];
    size_t n = (size_t)(to - from);
    bool compared = false;
    *out = (struct looks){.at = from};
    if (to < from + CODE_LEAST || n > sizeof code || wick_mem_read(jvm->mem, from, code, n))
        return false;
    for (size_t i = 0; i + 7 <= n && !compared; i++) {
        if (!out->first_call)
            out->first_call = called(image, from, code, i);
        if (code[i] == 0x48 && code[i + 1] == 0x8d && code[i + 2] == 0x05)
            out->table = from + i + 7 + (wick_addr)(int64_t)int_at(code + i + 3);
        compared = out->table && code[i] == 0x80 && code[i + 1] == 0xb8 && code[i + 6] == 0;
        if (compared)
            out->event = int_at(code + i + 2);
    }
    return compared && out->first_call;
}

static bool are_a_pair(const struct looks *a, const struct looks *b)
{
    int64_t apart = (int64_t)b->event - a->event;
    return a->first_call == b->first_call && a->table == b->table && apart >= EVENT_LEAST && apart <= EVENT_MOST;
}

/* The table: version 1, encodings, the address of .eh_frame (4 bytes), the number of entries (4 bytes); then pairs of
 * 4 bytes, relative to the header and sorted: where a function begins, and its description. */
static bool find_looks(struct wick_hs_alloc_tracer *t, const struct wick_jvm *jvm, const struct wick_elf_image *image)
{
    static const uint8_t known[4] = {1, 0x1b, 0x03, 0x3b};
    uint8_t head[12], entries[ENTRIES_AT_ONCE * ENTRY];
    struct looks last = {0}, here;
    wick_addr from = 0;
    int pairs = 0;
    if (image->eh_hdr_size < sizeof head || wick_mem_read(jvm->mem, image->eh_hdr, head, sizeof head) ||
        memcmp(head, known, sizeof known))
        return false;
    uint64_t most = (image->eh_hdr_size - sizeof head) / ENTRY, n = (uint32_t)int_at(head + 8);
    n = n < most ? n : most;
    n = n < ENTRIES_MOST ? n : ENTRIES_MOST;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = i % ENTRIES_AT_ONCE, rest = n - i < ENTRIES_AT_ONCE ? n - i : ENTRIES_AT_ONCE;
        if (!k && wick_mem_read(jvm->mem, image->eh_hdr + sizeof head + i * ENTRY, entries, rest * ENTRY))
            return false;
        wick_addr to = image->eh_hdr + (wick_addr)(int64_t)int_at(entries + k * ENTRY);
        bool is_one = from >= image->text_lo && to <= image->text_hi && looks_of(jvm, image, from, to, &here);
        if (is_one && last.at && are_a_pair(&last, &here)) {
            *t = (struct wick_hs_alloc_tracer){.at = {last.at, here.at}, .has_thread = true};
            pairs++;
        }
        last = is_one ? here : (struct looks){0};
        from = to;
    }
    return pairs == 1;
}

int wick_hs_alloc_tracer_find(struct wick_hs_alloc_tracer *t, const struct wick_jvm *jvm,
                              const struct wick_elf_image *image, const struct wick_elf_file *libjvm,
                              struct wick_err *err)
{
    struct wick_hs_alloc_tracer found;
    if (libjvm && find_symbols(&found, jvm, image, libjvm)) {
        *t = found;
        return 0;
    }
    /* with symbols, but without these two, it is a JVM whose allocations are reported another way */
    if (jvm->major <= 8 && (!libjvm || !libjvm->symtab.size) && find_looks(&found, jvm, image)) {
        *t = found;
        return 0;
    }
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        "the functions that this JDK calls for allocations (AllocTracer) are not found in its "
                        "libjvm.so: install its debug symbols (openjdk-%d-dbg), or leave alloc out",
                        jvm->major);
}

/* --- a call ------------------------------------------------------------------------------------------------------ */

static bool is_size(uint64_t bytes)
{
    return bytes >= WORD && bytes % WORD == 0 && !(bytes >> SIZE_MOST_BITS);
}

bool wick_hs_alloc_tracer_call_sig(const struct wick_hs_alloc_tracer *t, unsigned i,
                                   const uint64_t arguments[WICK_HS_ALLOC_ARGUMENTS], struct wick_hs_slow_alloc *out)
{
    const uint64_t *a = arguments + 1 + t->has_thread;
    struct wick_hs_slow_alloc c = {.klass = arguments[0]};
    if (i == WICK_HS_REFILL)
        c.buffer = *a++;
    c.size = *a++;
    c.thread = t->has_thread ? *a : 0;
    *out = c;
    return c.klass >= KLASS_LEAST && c.klass % WORD == 0 && is_size(c.size) &&
           (i != WICK_HS_REFILL || (is_size(c.buffer) && c.size <= c.buffer));
}

/* --- the thread and the class ------------------------------------------------------------------------------------ */

static bool inside(const struct wick_hs_layout *l, int32_t field)
{
    return field != WICK_HS_NONE && l->thread_tlab + field >= 0 && l->thread_tlab + field + WORD <= l->javathread_size;
}

bool wick_hs_buffer_known(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    return l->thread_allocated != WICK_HS_NONE && l->thread_tlab != WICK_HS_NONE && inside(l, l->tlab_start) &&
           inside(l, l->tlab_top) && inside(l, l->tlab_end) && inside(l, l->tlab_desired);
}

static uint64_t word(wick_addr java, int32_t at)
{
    return wick_load_relaxed((const _Atomic uint64_t *)(uintptr_t)(java + (unsigned)at));
}

void wick_hs_buffer_sig(const struct wick_jvm *jvm, wick_addr java, struct wick_hs_buffer *out)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint64_t start = word(java, l->thread_tlab + l->tlab_start), top = word(java, l->thread_tlab + l->tlab_top);
    uint64_t end = word(java, l->thread_tlab + l->tlab_end);
    uint64_t desired = word(java, l->thread_tlab + l->tlab_desired);
    bool there = start && start <= top && top <= end;
    *out = (struct wick_hs_buffer){
        .allocated = word(java, l->thread_allocated) + (there ? top - start : 0),
        .present = there ? end - start : 0,
        .used = there ? top - start : 0,
        .desired = desired < UINT64_MAX / WORD ? desired * WORD : 0,
    };
}
