/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture.c - from aggregated samples to a call tree and its picture
 *
 * The profile's stacks are paths in a prefix tree already, but a different one: it tells frames apart by line, bytecode
 * index and signature, while a box of a flame graph is a method as it is shown. So every aggregate is walked to its
 * root and added as a path. What a frame becomes (name, library, line, kind) is worked out once a frame, not once a
 * stack: there are some thousands of frames and often millions of steps.
 *
 * Samples whose weight is 0 have no width and are left out, as in collapsed text.
 */
#include "export/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "flame/flame.h"
#include "flame/text.h"

struct fold {
    const struct wick_profile *p;
    struct wick_tree *t;
    struct wick_tree_frame *frames; /* by frame number; name WICK_TREE_NONE = not made yet */
    struct wick_tree_frame *path;   /* one stack, root first, built from its end */
    uint32_t depth;                 /* room in path, the thread included */
    unsigned names;
};

/* Room for the deepest stack and a thread. */
static uint32_t deepest(const struct wick_profile *p)
{
    uint32_t max = 0, *depth = calloc(p->nstacks, sizeof *depth);
    for (uint32_t i = 1; depth && i < p->nstacks; i++) {
        depth[i] = depth[p->stacks[i].parent] + 1;
        max = depth[i] > max ? depth[i] : max;
    }
    uint32_t result = depth ? max : p->nstacks;
    free(depth);
    return result + 1;
}

/* The library of a native frame where its name does not tell it, else WICK_TREE_NONE. */
static uint32_t library_of(struct fold *f, const struct wick_frame *frame)
{
    const struct wick_function *fn = &f->p->functions[frame->function];
    const struct wick_string *library = &f->p->strings[fn->class_name];
    if ((frame->kind != WICK_FRAME_NATIVE && frame->kind != WICK_FRAME_CPP) || !library->len ||
        !f->p->strings[fn->name].len)
        return WICK_TREE_NONE;
    return wick_tree_name(f->t, library->s, library->len);
}

static int make_frame(struct fold *f, uint32_t frame)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    const struct wick_frame *from = &f->p->frames[frame];
    wick_frame_name(&name, f->p, frame, f->names);
    uint32_t id = name.failed ? WICK_TREE_NONE : wick_tree_name_in(f->t, name.buf, name.len, library_of(f, from));
    wick_strbuf_release(&name);
    f->frames[frame] =
        (struct wick_tree_frame){.name = id, .line = from->line > 0 ? (uint32_t)from->line : 0, .kind = from->kind};
    return id == WICK_TREE_NONE ? -WICK_E_NOMEM : 0;
}

static int make_thread(struct fold *f, uint32_t thread, struct wick_tree_frame *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    wick_thread_name(&name, f->p, thread);
    *out = (struct wick_tree_frame){.kind = WICK_FRAME_BOUNDARY};
    out->name = name.failed ? WICK_TREE_NONE : wick_tree_name(f->t, name.buf, name.len);
    wick_strbuf_release(&name);
    return out->name == WICK_TREE_NONE ? -WICK_E_NOMEM : 0;
}

static int add_agg(struct fold *f, const struct wick_agg *a, bool threads, uint64_t weight)
{
    uint32_t at = f->depth;
    int rc = 0;
    for (uint32_t s = a->stack; s && !rc; s = f->p->stacks[s].parent) {
        uint32_t frame = f->p->stacks[s].frame;
        if (f->frames[frame].name == WICK_TREE_NONE)
            rc = make_frame(f, frame);
        f->path[--at] = f->frames[frame];
    }
    if (!rc && threads)
        rc = make_thread(f, a->thread, &f->path[--at]);
    return rc ? rc : wick_tree_add(f->t, f->path + at, f->depth - at, weight);
}

int wick_picture_fold(const struct wick_profile *p, const struct wick_export_options *o, struct wick_tree *t,
                      struct wick_err *err)
{
    uint16_t event = o->event ? o->event : wick_profile_main_event(p);
    struct fold f = {.p = p, .t = t, .depth = deepest(p), .names = o->names & ~(WICK_NAME_LINES | WICK_NAME_ANNOTATE)};
    bool any = false;
    f.frames = reallocarray(NULL, p->nframes, sizeof *f.frames);
    f.path = reallocarray(NULL, f.depth, sizeof *f.path);
    int rc = f.frames && f.path ? 0 : -WICK_E_NOMEM;
    for (uint32_t i = 0; !rc && i < p->nframes; i++)
        f.frames[i].name = WICK_TREE_NONE;
    for (uint32_t i = 0; !rc && i < p->naggs; i++) {
        const struct wick_agg *a = &p->aggs[i];
        uint64_t weight = o->counts ? a->count : a->weight > 0 ? (uint64_t)a->weight : 0;
        if (a->event != event || !weight)
            continue;
        rc = add_agg(&f, a, o->threads, weight);
        any = true;
    }
    free(f.frames);
    free(f.path);
    if (rc == -WICK_E_LIMIT)
        return wick_err_set(err, WICK_E_LIMIT, "the weights of the samples add up to more than 64 bits can hold");
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while making the call tree");
    return any ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
}

/* The event type that is shown. */
static const struct wick_event_type *shown(const struct wick_profile *p, const struct wick_export_options *o)
{
    return &p->events[o->event ? o->event : wick_profile_main_event(p)];
}

const char *wick_picture_unit(const struct wick_profile *p, const struct wick_export_options *o)
{
    const struct wick_event_type *e = shown(p, o);
    if (o->counts)
        return "samples";
    if (e->unit == WICK_UNIT_NS)
        return "ns";
    if (e->unit == WICK_UNIT_BYTES)
        return "bytes";
    return e->kind == WICK_EVENT_PERF ? wick_profile_str(p, e->name) : "samples";
}

void wick_picture_subtitle(struct wick_strbuf *out, const struct wick_profile *p, const struct wick_export_options *o)
{
    static const char *const measured[WICK_EVENT_KIND_COUNT] = {
        [WICK_EVENT_CPU] = "CPU time", [WICK_EVENT_WALL] = "elapsed time", [WICK_EVENT_NATIVE] = "time in native code"};
    const struct wick_event_type *e = shown(p, o);
    char when[64];
    struct tm tm;
    time_t at = (time_t)(p->start_ns / 1000000000);
    const char *what = e->kind < WICK_EVENT_KIND_COUNT ? measured[e->kind] : NULL;
    wick_strbuf_adds(out, what ? what : wick_profile_str(p, e->name));
    wick_strbuf_adds(out, ", ");
    wick_text_add_weight(out, e->count, "samples");
    if (p->end_ns > p->start_ns)
        wick_strbuf_addf(out, " in %.1f s", (double)(p->end_ns - p->start_ns) / 1e9);
    if (p->start_ns > 0 && gmtime_r(&at, &tm) && strftime(when, sizeof when, " from %Y-%m-%d %H:%M:%S UTC", &tm))
        wick_strbuf_adds(out, when);
}

typedef int draw(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err);

static int write_picture(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, draw *writer,
                         struct wick_err *err)
{
    struct wick_strbuf subtitle = WICK_STRBUF_INIT;
    struct wick_tree *t = wick_tree_new();
    int rc = t ? wick_picture_fold(p, o, t, err) : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc) {
        wick_picture_subtitle(&subtitle, p, o);
        struct wick_flame_opts f = {
            .title = o->title,
            .subtitle = subtitle.failed ? NULL : subtitle.buf,
            .unit = wick_picture_unit(p, o),
        };
        rc = writer(t, &f, out, err);
    }
    wick_strbuf_release(&subtitle);
    wick_tree_free(t);
    return rc;
}

int wick_picture_write_html(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                            struct wick_err *err)
{
    return write_picture(p, o, out, wick_flame_write_html, err);
}

int wick_picture_write_svg(const struct wick_profile *p, const struct wick_export_options *o, FILE *out,
                           struct wick_err *err)
{
    return write_picture(p, o, out, wick_flame_write_svg, err);
}
