/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - walking the stack of the thread that was just interrupted, in its signal handler
 *
 * Memory is read by plain loads where it cannot vanish (the thread's own stack, the committed code heaps), through the
 * kernel elsewhere, so a walk over garbage is an error, never a fault. What repeats from sample to sample is cached:
 * blobs and decoded scopes by pc (record/tables.h), unwind rules by pc (here).
 *
 * Threads: _sig functions run in handlers of any number of threads; the others belong to one ordinary thread.
 * Memory:  _init maps the rule cache, _release unmaps it. A handler needs about 3 KiB of stack.
 */
#ifndef WICK_RECORD_WALK_H
#define WICK_RECORD_WALK_H

#include <ucontext.h>

#include "base/atomic.h"
#include "elf/eh_frame.h"
#include "elf/image.h"
#include "hotspot/jvm.h"
#include "record/tables.h"
#include "unwind/step.h"

enum { WICK_RULE_SLOTS = 1 << 11 };

/* One cached unwind rule; `sequence` is odd during a write. */
struct wick_rule_slot {
    _Atomic uint32_t sequence;
    uint32_t epoch; /* of the image table; a slot of another epoch is empty */
    uint64_t pc;
    struct wick_unwind_rule rule;
};

/* A named piece of generated code: a stub, an adapter. Sorted by lo, without overlaps. */
struct wick_stub {
    uint64_t lo, hi;
    const char *name;
};

enum { WICK_WALK_COUNTERS = 3 };

struct wick_walker {
    const struct wick_jvm *jvm;
    const struct wick_stub *stubs; /* borrowed */
    uint32_t stub_count;
    struct wick_mem mem;
    struct wick_elf_images *images;
    _Atomic uint32_t images_epoch;
    _Atomic uint64_t heap_end[WICK_STEP_HEAPS];          /* committed end of each code heap */
    const _Atomic uint64_t *unloads[WICK_WALK_COUNTERS]; /* what metaspace_epoch() adds up; NULL: the JVM keeps none */
    uint32_t java_from, java_to;                         /* what of a JavaThread a walk may read */
    uint64_t interpreter_lo, interpreter_hi;             /* the blob with the interpreter's code, 0 = not known yet */
    uint32_t last_old_compile_id;                        /* nmethods up to here may lack exact debug information */
    struct wick_rule_slot *rules;
};

/* Part of a thread's stack that was seen to be readable: [lo, hi). Each thread has its own. */
struct wick_stack_window {
    uint64_t lo, hi;
};

/* A thread that waits in the kernel, seen from another one: all that can be known of its registers, and a copy of a
 * part of its stack, [lo, lo + bytes). Nothing of it is loaded plainly, because it may wake and go away at any time;
 * whether it slept throughout is the caller's to check. */
struct wick_outside {
    uint64_t pc, sp, lo, bytes;
    const uint8_t *stack;
};

struct wick_walk_result {
    uint32_t state; /* JavaThreadState, 0 = none */
    uint8_t flags;  /* WICK_EVENT_BIASED, _BROKEN, _GAP */
};

/* 0, -WICK_E_NOMEM, -WICK_E_PERM. `images` is borrowed. */
int wick_walker_init(struct wick_walker *w, const struct wick_jvm *jvm, struct wick_elf_images *images);
void wick_walker_release(struct wick_walker *w);

/* Reads again what changes slowly: committed code heaps. For the drain thread, now and then. */
void wick_walker_refresh(struct wick_walker *w);

/* Notifies the walker that the image table changed: cached rules are void. */
void wick_walker_images_changed(struct wick_walker *w);

/* Walks from the interrupted context and fills frames, leaf first, as WICK_FRAME_* numbers. Returns their number (1 ..
 * cap). `java` is the thread's JavaThread or 0. Frames whose stack pointer is below `from` are left out: those of a
 * function that walks its own thread, for which the context is made by hand. Async-signal-safe. */
int wick_walk_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, struct wick_stack_window *window,
                  const ucontext_t *uc, wick_addr from, uint64_t *frames, int cap, struct wick_walk_result *out);

/* The same for the calling thread, from its last Java frame; from the caller if it has none. Java code called it, so
 * there is nothing above that frame but the JVM. */
int wick_walk_here_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, struct wick_stack_window *window,
                       uint64_t *frames, int cap, struct wick_walk_result *out);

/* The same for a thread that waits. A frame pointer that native code kept in a register, and that no frame saved, is
 * searched for (unwind/step_seek.h); where that fails the walk goes on at the thread's anchor, with a gap. */
int wick_walk_outside_sig(struct wick_walker *w, struct wick_tables *t, wick_addr java, const struct wick_outside *o,
                          uint64_t *frames, int cap, struct wick_walk_result *out);

/* The frozen frames of a virtual thread that is on no carrier, from the StackChunk `chunk` on, of which [o->lo, o->lo +
 * o->bytes) is copied to o->stack; pc and sp are not used. Below them is a boundary, which is all of a thread that has
 * not run yet (chunk = 0). Returns 0 if the chunk has none. */
int wick_walk_frozen_sig(struct wick_walker *w, struct wick_tables *t, wick_addr chunk, const struct wick_outside *o,
                         uint64_t *frames, int cap, struct wick_walk_result *out);

#endif
