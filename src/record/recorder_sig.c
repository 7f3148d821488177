/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_sig.c - the handler's way through the recorder
 */
#include "record/recorder.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED_FRAMES = 16 }; /* room for frames that are left out at the leaf */

static uint32_t cpu_index(const struct wick_recorder *r)
{
    int cpu = sched_getcpu();
    return cpu < 0 ? 0 : (uint32_t)cpu % r->cpus;
}

static struct wick_scratch *take_scratch(struct wick_recorder *r)
{
    uint32_t start = cpu_index(r);
    for (uint32_t i = 0; i < r->scratch_count; i++) {
        struct wick_scratch *s = &r->scratch[(start + i) % r->scratch_count];
        uint32_t idle = WICK_SCRATCH_FREE;
        /* pairs: wait_idle in recorder.c, see recorder.h; and wick_recorder_leave_sig of the one before */
        if (!wick_load_relaxed(&s->busy) && atomic_compare_exchange_strong(&s->busy, &idle, WICK_SCRATCH_TAKEN))
            return s;
    }
    return NULL;
}

struct wick_scratch *wick_recorder_enter_sig(struct wick_recorder *r)
{
    struct wick_scratch *s = take_scratch(r);
    if (!s || atomic_load(&r->running)) /* pairs: wick_recorder_quiesce; seq_cst, see recorder.h */
        return s;
    wick_recorder_leave_sig(s);
    return NULL;
}

void wick_recorder_leave_sig(struct wick_scratch *s)
{
    wick_store_release(&s->busy, WICK_SCRATCH_FREE); /* pairs: wait_idle in recorder.c */
}

void wick_recorder_drop_sig(struct wick_recorder *r, enum wick_event_type type, enum wick_drop why, uint32_t n,
                            uint64_t weight)
{
    wick_add_relaxed(&r->missed[type][why], n);
    wick_add_relaxed(&r->missed_weight[type], weight);
}

/* Interns frames (leaf first) from the root on; what the stack shares with the scratch area's last one is not interned
 * again. 0 if the table is full. */
static uint32_t intern(struct wick_tables *t, struct wick_scratch *s, const uint64_t *frames, int n)
{
    uint32_t node = 0, depth = 0;
    uint32_t known = s->last_generation == t->generation ? s->last_count : 0;
    int i = n - 1;
    for (; i >= 0 && depth < known && s->last_frames[depth] == frames[i]; i--)
        node = s->last_nodes[depth++];
    s->last_generation = t->generation;
    for (; i >= 0; i--) {
        node = wick_tables_node_sig(t, node, frames[i]);
        if (!node)
            break;
        s->last_frames[depth] = frames[i];
        s->last_nodes[depth++] = node;
    }
    s->last_count = depth;
    return node;
}

static uint32_t samples_of(const struct wick_event *e)
{
    return e->samples ? e->samples : 1;
}

static void count_flags(struct wick_counters *c, const struct wick_event *e)
{
    if (e->flags & WICK_EVENT_BIASED)
        wick_add_relaxed(&c->of[e->type].biased_weight, e->weight);
    if (e->flags & WICK_EVENT_BROKEN)
        wick_add_relaxed(&c->broken, 1);
    if (e->flags & WICK_EVENT_GAP)
        wick_add_relaxed(&c->gaps, 1);
}

static void count_drop(struct wick_counters *c, enum wick_drop why, const struct wick_event *e)
{
    wick_add_relaxed(&c->drops[why], samples_of(e));
    wick_add_relaxed(&c->of[e->type].dropped, samples_of(e));
    wick_add_relaxed(&c->of[e->type].drop_weight, e->weight);
}

static bool finish(struct wick_recorder *r, struct wick_counters *c, const struct wick_event *e)
{
    if (!e->stack) {
        count_drop(c, WICK_DROP_STACK_TABLE_FULL, e);
    } else if (wick_ring_put_sig(&r->rings[c - r->counters], e)) {
        wick_add_relaxed(&c->of[e->type].recorded, samples_of(e));
        wick_add_relaxed(&c->of[e->type].weight, e->weight);
        count_flags(c, e);
        return true;
    } else {
        count_drop(c, WICK_DROP_RING_FULL, e);
    }
    return false;
}

/* The context of wick's own scopes, else one that another library has published; the latter can only be read by the
 * thread itself. */
static bool read_context(const struct wick_labels *l, const struct wick_sample_sig *in, struct wick_context *out)
{
    int32_t tid = in->tid ? in->tid : (int32_t)syscall(SYS_gettid);
    return wick_labels_read_sig(l, tid, in->java, out) ||
           (!in->outside && wick_label_foreign_read_sig(&l->foreign, l->mem, out));
}

/* What the thread works on, as a number in the tables. A sample whose context finds no room is recorded
 * without. */
static uint32_t context_of(struct wick_recorder *r, struct wick_counters *c, struct wick_tables *t,
                           const struct wick_sample_sig *in)
{
    struct wick_context context = in->label ? *in->label : (struct wick_context){0};
    bool labelled = in->label || (r->labels && read_context(r->labels, in, &context));
    if (!labelled && !in->awaited)
        return 0;
    context.awaited = in->awaited;
    uint32_t n = wick_tables_context_sig(t, &context);
    wick_add_relaxed(&c->labelled, labelled);
    if (!n)
        wick_add_relaxed(&c->labels_lost, labelled);
    return n;
}

/* Keeps of a stack that is too deep the frames nearest the leaf, and the mark that there were more. */
static int cut_deep(const struct wick_recorder *r, uint64_t *frames, int n)
{
    int most = (int)r->max_frames, kept = r->kept_frames ? (int)r->kept_frames : most;
    bool is_cut = n && frames[n - 1] == WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_TRUNCATED);
    bool has_mark = n && WICK_FRAME_KIND(frames[n - 1]) == WICK_FRAME_BREAK;
    if (n <= kept || (!is_cut && n - has_mark <= most))
        return n;
    frames[kept] = WICK_FRAME(WICK_FRAME_BREAK, WICK_STOP_TRUNCATED);
    return kept + 1;
}

/* How many frames at the leaf say only how the sample came about: native ones of the range, and the stub from which
 * Java code went there. */
static int skipped(const struct wick_sample_sig *in, const uint64_t *frames, int n)
{
    int i = 0;
    while (i < n && WICK_FRAME_KIND(frames[i]) == WICK_FRAME_NATIVE && WICK_FRAME_PC(frames[i]) >= in->skip_lo &&
           WICK_FRAME_PC(frames[i]) < in->skip_hi)
        i++;
    if (i && i < n && WICK_FRAME_KIND(frames[i]) == WICK_FRAME_STUB)
        i++;
    return i < n ? i : 0;
}

/* Whether the handler was given up, see recorder.h. */
static bool is_lost(const struct wick_scratch *s)
{
    return atomic_load(&s->busy) == WICK_SCRATCH_LOST; /* pairs: give_up in recorder.c; seq_cst: after the tables */
}

/* Walks and interns; e->stack is 0 if there is no room. Returns the number of frames. */
static int walk(struct wick_recorder *r, struct wick_counters *c, struct wick_scratch *s,
                const struct wick_sample_sig *in, struct wick_event *e)
{
    /* pairs: wick_recorder_next_generation; seq_cst, see recorder.h */
    struct wick_tables *t = atomic_load(&r->tables);
    struct wick_walk_result res;
    *e = (struct wick_event){.weight = in->weight, .samples = in->samples, .type = (uint8_t)in->type};
    if (is_lost(s)) /* the tables may be of a later generation than those kept for it */
        return 0;
    uint32_t k = in->kernel_count < WICK_MAX_KERNEL_FRAMES ? in->kernel_count : WICK_MAX_KERNEL_FRAMES;
    for (uint32_t i = 0; i < k; i++)
        s->frames[i] = WICK_FRAME(WICK_FRAME_KERNEL, in->kernel[i] & 0xffffffffffff);
    int cap = (int)r->max_frames - (int)k + 1 + (in->skip_hi ? SKIPPED_FRAMES : 0);
    cap = cap < 1 ? 1 : cap < WICK_MAX_FRAMES ? cap : WICK_MAX_FRAMES;
    int n = in->context
                ? wick_walk_sig(&r->walker, t, in->java, in->window, in->context, in->from, s->frames + k, cap, &res)
            : in->frozen  ? wick_walk_frozen_sig(&r->walker, t, in->chunk, in->outside, s->frames + k, cap, &res)
            : in->outside ? wick_walk_outside_sig(&r->walker, t, in->java, in->outside, s->frames + k, cap, &res)
                          : wick_walk_here_sig(&r->walker, t, in->java, in->window, s->frames + k, cap, &res);
    n += (int)k;
    int leaf = in->skip_hi ? skipped(in, s->frames, n) : 0;
    n = leaf + cut_deep(r, s->frames + leaf, n - leaf);
    *e = (struct wick_event){
        .time_ns = in->event_ns ? in->event_ns : in->time_ns,
        .weight = in->weight,
        .stack = intern(t, s, s->frames + leaf, n - leaf),
        .generation = t->generation,
        .thread = in->thread,
        .context = context_of(r, c, t, in),
        .span_ns = in->span_ns,
        .samples = in->samples,
        .note = in->note,
        .type = (uint8_t)in->type,
        .flags = (uint8_t)(res.flags | (k ? WICK_EVENT_KERNEL : 0)),
        .java_state = (uint8_t)res.state,
        .state = in->state,
    };
    return n;
}

void wick_recorder_spent_sig(struct wick_recorder *r, uint64_t ns)
{
    wick_add_relaxed(&r->counters[cpu_index(r)].handler_ns, ns);
}

bool wick_recorder_sample_sig(struct wick_recorder *r, struct wick_scratch *s, const struct wick_sample_sig *in)
{
    struct wick_counters *c = &r->counters[cpu_index(r)];
    struct wick_event e;
    wick_add_relaxed(&c->of[in->type].fired, in->samples ? in->samples : 1);
    int n = walk(r, c, s, in, &e);
    if (is_lost(s)) /* the rings may be gone; the counters are kept */
        e.stack = 0;
    bool kept = finish(r, c, &e);
    wick_add_relaxed(&c->frames, (uint64_t)n);
    return kept;
}

bool wick_recorder_walk_sig(struct wick_recorder *r, struct wick_scratch *s, const struct wick_sample_sig *in,
                            struct wick_event *out)
{
    struct wick_counters *c = &r->counters[cpu_index(r)];
    wick_add_relaxed(&c->frames, (uint64_t)walk(r, c, s, in, out));
    return out->stack != 0;
}

void wick_recorder_count_sig(struct wick_recorder *r, const struct wick_event *e)
{
    struct wick_counters *c = &r->counters[cpu_index(r)];
    wick_add_relaxed(&c->of[e->type].fired, samples_of(e));
    wick_add_relaxed(&c->of[e->type].recorded, samples_of(e));
    wick_add_relaxed(&c->of[e->type].weight, e->weight);
    count_flags(c, e);
}

void wick_recorder_note(struct wick_recorder *r, enum wick_event_type type, uint64_t time_ns, uint64_t weight,
                        uint32_t thread, enum wick_stop why)
{
    struct wick_scratch *s = take_scratch(r);
    if (!s) {
        wick_recorder_drop_sig(r, type, WICK_DROP_WALK_IN_PROGRESS, 1, weight);
        return;
    }
    struct wick_counters *c = &r->counters[cpu_index(r)];
    /* pairs: wick_recorder_next_generation; seq_cst, see recorder.h */
    struct wick_tables *t = atomic_load(&r->tables);
    uint64_t frame = WICK_FRAME(WICK_FRAME_BREAK, why);
    wick_add_relaxed(&c->of[type].fired, 1);
    const struct wick_event e = {.type = (uint8_t)type,
                                 .time_ns = time_ns,
                                 .weight = weight,
                                 .thread = thread,
                                 .generation = t->generation,
                                 .stack = intern(t, s, &frame, 1)};
    finish(r, c, &e);
    wick_recorder_leave_sig(s);
}
