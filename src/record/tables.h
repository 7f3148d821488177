/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - what a recording has seen: methods, stacks, and what each pc means
 *
 * One generation of tables is one reserved mapping, carved into parts that grow as they are touched:
 *
 *      [ node index | method index | context index | nodes | methods | contexts | pc cache | arena ............ ]
 *        stacks are a prefix tree of nodes                  names, scopes and line tables copied from metaspace
 *
 * Everything is insert-only. A generation is bounded by the memory limit; when it fills up the drain thread makes the
 * next one, writes out what the old one holds, and frees it once no handler uses it (drain.c). Ids are only valid
 * within a generation.
 *
 * A stack is the id of its leaf node; a node is (parent, frame). Frames are 64-bit numbers (see WICK_FRAME_*).
 *
 * Threads: handlers insert and find concurrently; the drain thread reads what ids it got from the ring name.
 * Memory:  mmap by _new, munmap by _free; nothing else.
 */
#ifndef WICK_RECORD_TABLES_H
#define WICK_RECORD_TABLES_H

#include "base/frame_kind.h"
#include "hotspot/method.h"
#include "labels/labels.h"
#include "record/level_index.h"
#include "unwind/step.h"

/*
 * A frame: kind in the top 4 bits (enum wick_frame_kind), then
 *      Java     method number (28 bits) << 32 | bci + 1 (17 bits are enough)
 *      native, C++, kernel   low 48 bits of the pc, bit 48: it is a return address
 *      stub     method number << 32 (the name is kept like a method's)
 *      break    enum wick_stop
 *      boundary enum wick_boundary
 */
#define WICK_FRAME(kind, payload)    ((uint64_t)(kind) << 60 | (payload))
#define WICK_FRAME_KIND(f)           ((unsigned)((f) >> 60))
#define WICK_FRAME_METHOD(f)         ((uint32_t)((f) >> 32) & 0x0fffffff)
#define WICK_FRAME_BCI(f)            ((int32_t)((f)&0x1ffff) - 1)
#define WICK_FRAME_PC(f)             ((f)&0xffffffffffff)
#define WICK_FRAME_IS_RETURN(f)      ((f) >> 48 & 1)
#define WICK_FRAME_JAVA(kind, m, b)  WICK_FRAME(kind, (uint64_t)(m) << 32 | (uint32_t)((b) + 1))
#define WICK_FRAME_NATIVE(pc, isret) WICK_FRAME(WICK_FRAME_NATIVE, ((pc)&0xffffffffffff) | (uint64_t)(isret) << 48)

enum wick_boundary {
#define X(NAME, text) WICK_BOUNDARY_##NAME,
#include "def/boundary.def"
#undef X
    WICK_BOUNDARY_COUNT
};

struct wick_node {
    uint64_t frame;
    uint32_t parent; /* node number, 0 = root */
    uint32_t depth;  /* number of frames down to and including this one */
};

/* A method, or a stub as method: names and lines are a struct wick_hs_method at arena + data. */
struct wick_method_entry {
    struct wick_hs_method_id id; /* stub: method = CodeBlob* + offset, the rest 0 */
    uint64_t unloads;            /* value of the JVM's counters of classes when the identity was last verified */
    uint32_t data;
    uint16_t code_size; /* bytes of bytecode */
};

/* What a pc in the code cache means: its blob, and for compiled code its frames, leaf first. Immutable once published.
 */
struct wick_pc_record {
    uint64_t pc;
    struct wick_step_blob blob;
    uint32_t n;
    uint64_t frames[];
};

enum { WICK_PC_SLOTS = 1 << 14, WICK_PC_WAYS = 4 };

struct wick_tables {
    size_t bytes; /* of the whole mapping, this struct included */
    uint32_t generation;
    struct wick_level_index node_index, method_index, context_index;
    struct wick_node *nodes; /* [1 .. node_cap) */
    struct wick_method_entry *methods;
    struct wick_context *contexts; /* [1 .. context_cap) */
    _Atomic uint32_t *pc_slots;    /* arena offsets / 8 of wick_pc_record, 0 = empty */
    uint8_t *arena;
    uint32_t node_cap, method_cap, context_cap;
    uint64_t arena_cap;
    _Atomic uint32_t node_count, method_count, context_count;
    _Atomic uint64_t arena_used;
};

/* A generation that never takes more than `limit` bytes of memory (at least 4 MiB). NULL if the kernel refuses. */
struct wick_tables *wick_tables_new(size_t limit);
void wick_tables_free(struct wick_tables *t);

/* Bytes in use: an upper bound of what is resident. */
size_t wick_tables_used(const struct wick_tables *t);

/* True when a part is more than three quarters full: time for the next generation. */
bool wick_tables_nearly_full(const struct wick_tables *t);

/* True when a part is more than half full: stacks of before are not carried over into it (carry.h). */
bool wick_tables_half_full(const struct wick_tables *t);

/* Takes n bytes (8-aligned) from the arena; offset 0 means full. Async-signal-safe. */
uint32_t wick_tables_alloc_sig(struct wick_tables *t, uint32_t n);

/* Node number of frame under parent (0 = root); 0 if the table is full. Async-signal-safe. */
uint32_t wick_tables_node_sig(struct wick_tables *t, uint32_t parent, uint64_t frame);

/* Number of a context; 0 if the table is full. Async-signal-safe. */
uint32_t wick_tables_context_sig(struct wick_tables *t, const struct wick_context *context);

/* Number of the Java method, copied on first sight; 0 if it is not readable or the table is full (*full says which).
 * `unloads` is the present value of the JVM's counters of classes: a method verified at the same value is not verified
 * again. WICK_UNLOADS_UNKNOWN: verify always. Async-signal-safe with a signal-safe mem. */
#define WICK_UNLOADS_UNKNOWN UINT64_MAX
uint32_t wick_tables_method_sig(struct wick_tables *t, const struct wick_jvm *jvm, const struct wick_mem *mem,
                                wick_addr method, uint64_t unloads, bool *full);

/* The entry of a method that was verified at this value of the counters, NULL if it was not. */
const struct wick_method_entry *wick_tables_method_known_sig(const struct wick_tables *t, wick_addr method,
                                                             uint64_t unloads);

/* Number of a stub's name, kept under `key`, an address in it; 0 if the table is full. Async-signal-safe. */
uint32_t wick_tables_stub_sig(struct wick_tables *t, wick_addr key, const char *name, uint32_t len);

/* The number of the stub already kept under key, 0 if none. */
uint32_t wick_tables_stub_find_sig(const struct wick_tables *t, wick_addr key);

/* Number in `t` of what is method or stub `number` in the tables `from`, copied if it is not there; 0 if t is full. */
uint32_t wick_tables_method_from(struct wick_tables *t, const struct wick_tables *from, uint32_t number);

/* The record of pc, NULL if none. Whether it is still valid (same compile id) is the caller's to check. */
const struct wick_pc_record *wick_tables_pc_find_sig(const struct wick_tables *t, uint64_t pc);

/* Publishes a record that was filled in the arena at offset `at`. */
void wick_tables_pc_put_sig(struct wick_tables *t, uint32_t at);

static inline struct wick_hs_method *wick_tables_method_data(const struct wick_tables *t, uint32_t method)
{
    return (struct wick_hs_method *)(t->arena + t->methods[method].data);
}

#endif
