/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_sig.c - what happens in the threads that allocate: reports that are recorded, and on JDK 8 what the
 * breakpoints show
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/poisson.h"
#include "base/usdt.h"
#include "engine/alloc/alloc.h"
#include "hotspot/klass.h"

_Atomic(struct wick_alloc_engine *) wick_alloc_current;
struct wick_gate wick_alloc_gate;

/* The threads' gaps outlast recordings: what was drawn in one is the first thing reported in the next. */
struct wick_alloc_gap *wick_alloc_gaps;

/* The calling thread's place. */
static struct wick_alloc_gap *gap_of(const struct wick_alloc_engine *e, const struct wick_engine_thread *t)
{
    struct wick_alloc_gap *g = &wick_alloc_gaps[t - e->threads->slots];
    if (g->serial != t->serial) {
        g->serial = t->serial;
        g->window = (struct wick_stack_window){0};
    }
    return g;
}

/* Takes the stack of the calling thread; false: it is lost, and counted. */
static bool sample(struct wick_alloc_engine *e, const struct wick_alloc_draw *d, uint16_t note, const ucontext_t *here,
                   wick_addr from)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    struct wick_stack_window window = {0};
    if (!scratch) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_ALLOC, WICK_DROP_WALK_IN_PROGRESS, 1, d->weight);
        return false;
    }
    uint64_t cpu = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const struct wick_sample_sig in = {
        .context = here,
        .from = from,
        .skip_lo = e->config.vm_lo,
        .skip_hi = e->config.vm_hi,
        .window = t ? &gap_of(e, t)->window : &window,
        .java = t ? wick_load_acquire(&t->java) : 0, /* pairs: wick_threads_java */
        .tid = t ? wick_load_relaxed(&t->tid) : 0,
        .time_ns = wick_clock_mono_ns(),
        .weight = d->weight,
        .thread = t ? t->serial : 0,
        .type = WICK_EVENT_ALLOC,
        .note = note,
    };
    bool kept = wick_recorder_sample_sig(e->recorder, scratch, &in);
    wick_recorder_spent_sig(e->recorder, wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
    wick_recorder_leave_sig(scratch);
    return kept;
}

bool wick_alloc_keep_sig(struct wick_alloc_engine *e, const struct wick_alloc_draw *d, const char *class_name,
                         uint64_t reference, const ucontext_t *here, wick_addr from)
{
    WICK_USDT(alloc__sample, WICK_USDT_ALWAYS, (uintptr_t)class_name, d->size, d->weight);
    uint16_t number = wick_notes_take_sig(&e->notes);
    struct wick_alloc_note *note = wick_notes_at_sig(&e->notes, number);
    if (!note) {
        wick_recorder_drop_sig(e->recorder, WICK_EVENT_ALLOC, WICK_DROP_NOTES_FULL, 1, d->weight);
        return false;
    }
    note->size = d->size;
    note->priority = d->priority;
    note->reference = reference;
    note->born = reference ? e->config.references->collections() : 0;
    size_t n = strlen(class_name), most = sizeof note->class_name - 1;
    memcpy(note->class_name, class_name, n < most ? n : most);
    note->class_name[n < most ? n : most] = 0;
    if (sample(e, d, number, here, from))
        return true;
    wick_notes_free_sig(&e->notes, number);
    return false;
}

/* --- JDK 8 ------------------------------------------------------------------------------------------------------- */

bool wick_alloc_chosen_sig(struct wick_alloc_engine *e, uint64_t bytes, uint64_t *weight)
{
    uint64_t interval = wick_load_relaxed(&e->interval);
    uint64_t random = wick_random_stream(e->gap_seed, wick_add_relaxed(&e->draws, 1));
    double u = (double)(random >> 11) * 0x1p-53;
    if (!bytes || u >= wick_poisson_one_minus_exp((double)bytes / (double)interval))
        return false;
    wick_add_relaxed(&e->reports, 1);
    *weight = wick_poisson_weight(bytes, interval);
    return true;
}

static void arguments_of(const ucontext_t *c, uint64_t out[WICK_HS_ALLOC_ARGUMENTS])
{
#if defined(__x86_64__)
    static const int registers[WICK_HS_ALLOC_ARGUMENTS] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8};
    for (int i = 0; i < WICK_HS_ALLOC_ARGUMENTS; i++)
        out[i] = (uint64_t)c->uc_mcontext.gregs[registers[i]];
#else
    (void)c;
    memset(out, 0, WICK_HS_ALLOC_ARGUMENTS * sizeof *out);
#endif
}

/* For how many bytes the object stands. */
static uint64_t bytes_of(const struct wick_alloc_engine *e, const struct wick_engine_thread *t, wick_addr java,
                         const struct wick_hs_slow_alloc *a)
{
    struct wick_alloc_buffer *b = &wick_alloc_gaps[t - e->threads->slots].buffer;
    struct wick_hs_buffer now;
    wick_hs_buffer_sig(e->config.jvm, java, &now);
    if (b->serial != t->serial)
        *b = (struct wick_alloc_buffer){.serial = t->serial};
    uint64_t own = a->buffer ? 0 : a->size; /* what is outside has been counted */
    const struct wick_alloc_buffer_seen seen = {
        .before = now.allocated > own ? now.allocated - own : 0,
        .size = a->size,
        .fresh = a->buffer,
        .present = a->buffer ? 0 : now.present,
        .used = a->buffer ? 0 : now.used,
        .desired = now.desired,
    };
    return wick_alloc_buffer_seen_sig(b, &seen);
}

static void slow(struct wick_alloc_engine *e, unsigned i, const ucontext_t *here)
{
    uint64_t arguments[WICK_HS_ALLOC_ARGUMENTS];
    struct wick_hs_slow_alloc a;
    struct wick_alloc_draw d = {.session = e->session};
    const struct wick_engine_thread *t = wick_threads_find_sig(e->threads, (int32_t)syscall(SYS_gettid));
    wick_addr java = t ? wick_load_acquire(&t->java) : 0; /* pairs: wick_threads_java */
    wick_add_relaxed(&e->slow, 1);
    if (!java) /* a thread that is being attached, or of the JVM's own */
        return;
    arguments_of(here, arguments);
    if (!wick_hs_alloc_tracer_call_sig(e->config.tracer, i, arguments, &a) || (a.thread && a.thread != java)) {
        wick_add_relaxed(&e->odd, 1);
        return;
    }
    d.size = a.size;
    if (!wick_alloc_chosen_sig(e, bytes_of(e, t, java, &a), &d.weight))
        return;
    char name[WICK_ALLOC_CLASS];
    wick_hs_klass_name_sig(e->config.jvm, a.klass, name, sizeof name);
    wick_alloc_keep_sig(e, &d, name, 0, here, 0);
}

void wick_alloc_slow_sig(unsigned i, const ucontext_t *here)
{
    uint32_t lane = wick_gate_enter_sig(&wick_alloc_gate);
    struct wick_alloc_engine *e = atomic_load(&wick_alloc_current); /* pairs: wick_alloc_stop; seq_cst, see gate.h */
    if (e && e->config.tracer)
        slow(e, i, here);
    wick_gate_leave_sig(&wick_alloc_gate, lane);
}
