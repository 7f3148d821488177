/* SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/virtual_thread.h"

#include "hotspot/value.h"

/* States have a flag for threads that JVMTI has suspended. What is read of a thread and of the heap lies that close
 * together. */
enum { STATES = 64, SUSPENDED = 1 << 8, OBJECT_BYTES = 256, HEAP_BYTES = 128 };

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Of a VirtualThread, up to the last of its fields that are read. */
static unsigned thread_bytes(const struct wick_hs_virtual_fields *f)
{
    return (unsigned)larger(larger(f->cont, f->carrier), larger(f->state, f->id)) + 8;
}

bool wick_hs_virtual_known(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    return jvm->virtual_thread.cont > 0 && jvm->step.cont_tail > 0 && l->java_heap &&
           l->java_heap_collections != WICK_HS_NONE && l->java_heap_paused != WICK_HS_NONE &&
           l->java_heap_collections < HEAP_BYTES - 4 && l->java_heap_paused < HEAP_BYTES &&
           thread_bytes(&jvm->virtual_thread) <= OBJECT_BYTES;
}

/* Whether the chunk is the continuation's. With ZGC the reference back is out of date longer than those that led here,
 * which were not. */
static bool owns(const struct wick_jvm *jvm, const struct wick_hs_moves *moves, wick_addr cont, wick_addr chunk)
{
    int32_t owner = jvm->virtual_thread.owner;
    return !owner || moves->how == WICK_HS_MOVES_COLOURS ||
           wick_hs_oop_load_newest(jvm, moves, chunk + (unsigned)owner) == cont;
}

/* Whether the chunks of the callers are where the references from chunk to chunk lead. */
static bool callers_are_there(const struct wick_jvm *jvm, const struct wick_hs_moves *moves, wick_addr chunk)
{
    if (moves->how != WICK_HS_MOVES_COLOURS)
        return true;
    for (int i = 0; i < WICK_HS_CHUNKS_FOLLOWED; i++) {
        wick_addr field = chunk + (unsigned)jvm->step.chunk_parent;
        if (!wick_hs_oop_load(jvm, field))
            return true;
        if (!(chunk = wick_hs_oop_load_newest(jvm, moves, field)))
            return false;
    }
    return true;
}

enum wick_hs_virtual_seen wick_hs_virtual_look(const struct wick_jvm *jvm, const struct wick_hs_moves *moves,
                                               wick_addr thread, uint64_t *id, wick_addr *chunk)
{
    const struct wick_hs_virtual_fields *f = &jvm->virtual_thread;
    uint8_t object[OBJECT_BYTES];
    if (!thread || wick_mem_read(jvm->mem, thread, object, thread_bytes(f)))
        return WICK_HS_VIRTUAL_UNKNOWN;
    uint64_t found = wick_hs_at64(object, f->id);
    if (!found || (*id && *id != found))
        return WICK_HS_VIRTUAL_UNKNOWN;
    *id = found;
    uint32_t state = wick_hs_at32(object, f->state) & ~(uint32_t)SUSPENDED;
    if (wick_hs_oop_at(jvm, object, f->carrier))
        return WICK_HS_VIRTUAL_MOUNTED;
    wick_addr cont = wick_hs_oop_load_newest(jvm, moves, thread + (unsigned)f->cont);
    *chunk = cont ? wick_hs_oop_load_newest(jvm, moves, cont + (unsigned)jvm->step.cont_tail) : 0;
    if (cont && !*chunk && state < STATES && f->started >> state & 1)
        return WICK_HS_VIRTUAL_READY;
    if (!*chunk || state >= STATES || !owns(jvm, moves, cont, *chunk) || !callers_are_there(jvm, moves, *chunk))
        return WICK_HS_VIRTUAL_UNKNOWN;
    return f->parked >> state & 1        ? WICK_HS_VIRTUAL_PARKED
           : f->monitor >> state & 1     ? WICK_HS_VIRTUAL_MONITOR
           : f->object_wait >> state & 1 ? WICK_HS_VIRTUAL_OBJECT_WAIT
           : f->ready >> state & 1       ? WICK_HS_VIRTUAL_READY
                                         : WICK_HS_VIRTUAL_UNKNOWN;
}

uint64_t wick_hs_collections(const struct wick_jvm *jvm)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint8_t heap[HEAP_BYTES];
    wick_addr at = wick_hs_u64(jvm->mem, l->java_heap);
    size_t n = (size_t)larger(l->java_heap_collections + 4, l->java_heap_paused + 1);
    if (!at || wick_mem_read(jvm->mem, at, heap, n) || heap[l->java_heap_paused])
        return 0;
    return (uint64_t)wick_hs_at32(heap, l->java_heap_collections) + 1;
}
