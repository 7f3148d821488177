/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_followed.c - see ui_followed.h
 *
 * What is kept belongs to an inode. While its file grows, a reader follows it; when that has ended, the rest is read as
 * of a recording that was cut off there, and what is kept is good as long as the file has the same size and time.
 * Other formats than plain JFR cannot grow: they are read as a whole.
 */
#include "cli/ui/ui_followed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sum.h"
#include "cli/input/inputs.h"
#include "cli/ui/ui_views.h"
#include "import/input.h"

enum {
    SPANS,
    LOCKS,
    SAFEPOINTS,
    DISTURBANCES,
    EXPLAIN,
    EXPLAIN_RANGE /* of a part of the time */,
    GROWTH,
    GROWTH_RANGE,
    KINDS
};

enum {
    DISPLACED = 8,       /* as many large recordings are read at the same time (serve/catalog.c) */
    MOST_CELLS = 1 << 19 /* of live objects: a class, or method, at a moment */
};

#define MOST_BYTES (UINT64_C(192) << 20)
#define WAITS_NS   UINT64_C(30000000000) /* how long what was asked about is kept, large or not */

struct followed {
    int fd;          /* -1 = all has been read */
    struct stat was; /* when it was read last */
    bool ended;
    struct wick_range range;
    struct wick_profile p;
    union {
        struct wick_spans spans;
        struct wick_lock_waits locks;
        struct wick_ttsp_incidents safepoints;
        struct wick_disturbances disturbances;
        struct wick_explain_facts explain;
        struct wick_growth growth[2]; /* by method, by class */
    } of;
    struct wick_trace_locks traces; /* of SPANS, and of these spans */
    struct wick_jfr_visitor visitor;
    struct wick_jfr_result read;
    struct wick_jfr_reader *reader; /* NULL = all has been read */
    uint64_t bytes, used;           /* used: when, counted in uses */
    bool partial;                   /* the file has more already */
    uint64_t when_ns, took_ns;      /* when it was read last, and how long the answer took then */
};

/* A file, or a range of time of it, that made room for another one of its kind although somebody asked about it. */
struct displaced {
    dev_t dev;
    ino_t ino;
    struct wick_range range;
    uint64_t when_ns;
};

static struct followed *kept[KINDS];
static struct displaced displaced[KINDS][DISPLACED];
static uint64_t uses;
static const struct followed *last; /* of which an answer is being made */

/* The file may be deleted while it is shown: its space becomes free then. */
static void let_go(struct followed *f)
{
    wick_jfr_reader_free(f->reader);
    f->reader = NULL;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static bool is_explain(int kind)
{
    return kind == EXPLAIN || kind == EXPLAIN_RANGE;
}

static bool is_growth(int kind)
{
    return kind == GROWTH || kind == GROWTH_RANGE;
}

static void forget(int kind)
{
    struct followed *f = kept[kind];
    if (!f)
        return;
    let_go(f);
    wick_trace_locks_release(&f->traces);
    if (kind == SPANS)
        wick_spans_release(&f->of.spans);
    else if (kind == LOCKS)
        wick_lock_waits_release(&f->of.locks);
    else if (kind == SAFEPOINTS)
        wick_ttsp_incidents_release(&f->of.safepoints);
    else if (kind == DISTURBANCES)
        wick_disturbances_release(&f->of.disturbances);
    else if (is_explain(kind))
        wick_explain_release(&f->of.explain);
    for (int i = 0; i < 2 && is_growth(kind); i++)
        wick_growth_release(&f->of.growth[i]);
    wick_profile_release(&f->p);
    free(f);
    kept[kind] = NULL;
}

/* Whether somebody asks again and again: until it is all read, while it grows, or several questions of one page. */
static bool is_awaited(const struct followed *f)
{
    return wick_clock_mono_ns() - f->when_ns < WAITS_NS;
}

void wick_ui_followed_trim(void)
{
    uint64_t now_ns = wick_clock_mono_ns();
    for (int i = 0; i < KINDS; i++) {
        if (kept[i] && last == kept[i])
            kept[i]->took_ns = now_ns - kept[i]->when_ns;
        if (kept[i] && kept[i]->bytes > MOST_BYTES && !is_awaited(kept[i]))
            forget(i);
    }
    last = NULL;
}

void wick_ui_followed_forget(void)
{
    for (int i = 0; i < KINDS; i++)
        forget(i);
}

static bool is_range(const struct wick_range *a, const struct wick_range *b)
{
    return a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

static bool growth_wants(void *ctx, const char *type)
{
    (void)ctx;
    return wick_growth_wants(type);
}

static void growth_sample(void *ctx, const struct wick_sample *s)
{
    (void)ctx;
    (void)s;
}

static void growth_take(void *ctx, const struct wick_jfr_event *e)
{
    struct wick_growth *both = ctx;
    wick_growth_take(&both[0], e);
    wick_growth_take(&both[1], e);
}

static void begin(struct followed *f, int kind)
{
    if (kind == SPANS) {
        wick_spans_init(&f->of.spans, &f->p);
        f->of.spans.one_process = true;
        wick_trace_locks_init(&f->traces, &f->of.spans);
        f->visitor = wick_trace_locks_visitor(&f->traces);
    } else if (kind == LOCKS) {
        f->of.locks = (struct wick_lock_waits){.profile = &f->p, .not_ours = true};
        f->visitor = wick_lock_waits_visitor(&f->of.locks);
    } else if (kind == SAFEPOINTS) {
        f->of.safepoints = (struct wick_ttsp_incidents){.profile = &f->p};
        f->visitor = wick_ttsp_incidents_visitor(&f->of.safepoints);
    } else if (kind == DISTURBANCES) {
        f->of.disturbances = (struct wick_disturbances){.profile = &f->p};
        f->visitor = wick_disturbances_visitor(&f->of.disturbances);
    } else if (is_growth(kind)) {
        for (int i = 0; i < 2; i++)
            f->of.growth[i] = (struct wick_growth){.p = &f->p,
                                                   .by_class = i == 1,
                                                   .most_cells = MOST_CELLS,
                                                   .from_ns = f->range.from_ns,
                                                   .to_ns = f->range.to_ns};
        f->visitor = (struct wick_jfr_visitor){
            .ctx = f->of.growth, .sample = growth_sample, .want = growth_wants, .event = growth_take};
    } else {
        wick_explain_begin(&f->of.explain, &f->p, &f->range);
        f->visitor = wick_explain_visitor(&f->of.explain);
    }
}

static bool tie_growth(struct followed *f)
{
    for (int i = 0; i < 2; i++) {
        struct wick_growth *g = &f->of.growth[i];
        if (!f->reader)
            wick_growth_end(g);
        if (g->failed || f->p.failed)
            return false;
        wick_growth_tie(g);
    }
    return true;
}

/* What was read so far becomes something to show. False without memory. */
static bool tie(struct followed *f, int kind)
{
    if (kind == SPANS)
        return !wick_trace_locks_finish(&f->traces);
    if (is_explain(kind))
        return true; /* wick_explain_so_far does it */
    if (is_growth(kind))
        return tie_growth(f);
    if (kind == DISTURBANCES)
        return !f->of.disturbances.failed && !f->p.failed;
    bool failed = kind == LOCKS ? f->of.locks.failed : f->of.safepoints.failed;
    if (failed || f->p.failed)
        return false;
    if (kind == SAFEPOINTS) {
        wick_ttsp_incidents_tie(&f->of.safepoints);
        return true;
    }
    wick_lock_waits_tie(&f->of.locks);
    return !f->of.locks.failed;
}

static uint64_t bytes_of_spans(const struct wick_spans *s)
{
    return s->cap * sizeof *s->spans + s->cap_samples * sizeof *s->samples + s->cap_allocs * sizeof *s->allocs +
           s->cap_cpus * sizeof *s->cpus + s->cap_looks * sizeof *s->looks;
}

static uint64_t bytes_of_locks(const struct wick_lock_waits *w)
{
    return (uint64_t)w->cap_rows * (sizeof *w->rows + sizeof *w->locks) + (uint64_t)w->cap_looks * sizeof *w->looks;
}

/* Of what there is most. */
static uint64_t bytes_of_facts(const struct wick_explain_facts *x)
{
    return (x->cap_wall + x->cap_cpu + x->cap_alloc + x->cap_live) * sizeof *x->wall + x->cap_spans * sizeof *x->spans +
           bytes_of_spans(&x->timed) + x->cap_pause * sizeof *x->pause + x->cap_ran * sizeof *x->ran +
           (uint64_t)x->locks.cap_rows * sizeof *x->locks.rows;
}

static uint64_t bytes_of(const struct followed *f, int kind)
{
    const struct wick_ttsp_incidents *in = &f->of.safepoints;
    uint64_t all = wick_profile_bytes(&f->p) + (f->reader ? wick_jfr_reader_bytes(f->reader) : 0);
    if (kind == SPANS)
        return all + bytes_of_spans(&f->of.spans) + bytes_of_locks(&f->traces.waits);
    if (is_explain(kind))
        return all + bytes_of_facts(&f->of.explain);
    if (is_growth(kind))
        return all + wick_growth_bytes(&f->of.growth[0]) + wick_growth_bytes(&f->of.growth[1]);
    if (kind == DISTURBANCES)
        return all + f->of.disturbances.cap * sizeof *f->of.disturbances.rows;
    if (kind == LOCKS)
        return all + bytes_of_locks(&f->of.locks);
    return all + in->cap_slow * sizeof *in->slow + in->cap_culprits * sizeof *in->culprits +
           in->cap_signals * sizeof *in->signals + in->cap_readings * sizeof *in->readings;
}

static bool is_as_it_was(const struct followed *f, const struct stat *now)
{
    const struct stat *was = &f->was;
    return now->st_size == was->st_size && now->st_mtim.tv_sec == was->st_mtim.tv_sec &&
           now->st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

/* Whether what is kept can be gone on with. A file that another recording was copied into has the same inode, and may
 * be larger. */
static bool fits(const struct followed *f, const struct stat *now)
{
    return f->was.st_dev == now->st_dev && f->was.st_ino == now->st_ino && now->st_size >= f->was.st_size &&
           (f->ended ? is_as_it_was(f, now) : wick_jfr_reader_is_same(f->reader));
}

/* Forgets what is kept, which is of another file or range than that which is asked about now, or of what that was
 * before. */
static void displace(int kind, const struct stat *now, const struct wick_range *range)
{
    const struct followed *f = kept[kind];
    uint64_t now_ns = wick_clock_mono_ns();
    struct displaced *at = displaced[kind];
    bool other = f->was.st_dev != now->st_dev || f->was.st_ino != now->st_ino || !is_range(&f->range, range);
    for (int i = 1; i < DISPLACED; i++)
        if (displaced[kind][i].when_ns < at->when_ns)
            at = &displaced[kind][i];
    if (other && is_awaited(f))
        *at = (struct displaced){f->was.st_dev, f->was.st_ino, f->range, now_ns};
    forget(kind);
}

/* Files that are asked about in turn would make each other begin anew for ever. */
static bool was_displaced(int kind, const struct stat *now, const struct wick_range *range)
{
    uint64_t now_ns = wick_clock_mono_ns();
    for (int i = 0; i < DISPLACED; i++) {
        const struct displaced *d = &displaced[kind][i];
        if (d->when_ns && d->dev == now->st_dev && d->ino == now->st_ino && is_range(&d->range, range) &&
            now_ns - d->when_ns < WAITS_NS)
            return true;
    }
    return false;
}

/* Nothing is read yet. It is kept, and to be forgotten on failure. */
static int start(int kind, const struct wick_serve_file *file, const struct wick_range *range, struct wick_err *err)
{
    struct followed *f = calloc(1, sizeof *f);
    char head[4];
    if (!f || wick_profile_init(&f->p)) {
        free(f);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    kept[kind] = f;
    f->range = *range;
    begin(f, kind);
    f->fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open %s: %s", file->name, strerror(errno));
    if (fstat(f->fd, &f->was))
        return wick_err_set(err, WICK_E_IO, "cannot read %s: %s", file->name, strerror(errno));
    f->was.st_size = 0;
    if (pread(f->fd, head, sizeof head, 0) == (ssize_t)sizeof head && wick_jfr_is_recording(head, sizeof head)) {
        f->reader = wick_jfr_reader_new(&f->p, &f->visitor, &f->read);
        return f->reader ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    f->ended = true;
    let_go(f);
    int rc = wick_input_read_file(&f->p, file->path, &f->visitor, &f->read, err);
    return !rc && !f->read.is_jfr ? wick_ui_no_events(err) : rc;
}

/* whole: all of it, even if a part is enough. */
static int read_on(struct followed *f, const struct wick_serve_file *file, bool whole, struct wick_err *err)
{
    uint64_t until_ns = whole ? 0 : file->until_ns, now_ns = wick_clock_mono_ns();
    if (until_ns && until_ns < now_ns + f->took_ns) /* or the answers would take most of the time */
        until_ns = now_ns + f->took_ns;
    int rc = f->reader ? wick_jfr_reader_follow_until(f->reader, f->fd, until_ns, &f->partial, err) : 0;
    if (file->partial)
        *file->partial = f->partial;
    if (!rc && f->reader && !file->grows && !f->partial) {
        rc = wick_jfr_reader_end(f->reader, err);
        let_go(f);
        f->ended = true;
    }
    return rc;
}

/* Forgets what was not used for longest until the rest is small enough, but not what somebody still asks about. */
static void make_room(int used)
{
    for (;;) {
        uint64_t all = 0;
        int oldest = -1;
        for (int i = 0; i < KINDS; i++) {
            if (!kept[i])
                continue;
            all += kept[i]->bytes;
            if (i != used && !is_awaited(kept[i]) && (oldest < 0 || kept[i]->used < kept[oldest]->used))
                oldest = i;
        }
        if (all <= MOST_BYTES || oldest < 0)
            return;
        forget(oldest);
    }
}

/* Brings what is kept up to date, or reads all. NULL on failure: then nothing is kept. */
static struct followed *follow_range(int kind, const struct wick_serve_file *file, const struct wick_range *range,
                                     struct wick_err *err)
{
    struct stat now;
    int rc = 0;
    if (stat(file->path, &now)) {
        wick_err_set(err, WICK_E_IO, "cannot read %s: %s", file->name, strerror(errno));
        return NULL;
    }
    if (kept[kind] && (!fits(kept[kind], &now) || !is_range(&kept[kind]->range, range)))
        displace(kind, &now, range);
    bool whole = !kept[kind] && was_displaced(kind, &now, range);
    if (!kept[kind])
        rc = start(kind, file, range, err);
    struct followed *f = kept[kind];
    rc = rc ? rc : read_on(f, file, whole, err);
    if (!rc && !tie(f, kind))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (rc) {
        forget(kind);
        return NULL;
    }
    f->was = now;
    f->used = ++uses;
    f->when_ns = wick_clock_mono_ns();
    last = f;
    f->bytes = bytes_of(f, kind);
    if (!f->partial) /* that a chunk in the middle is not the last one says nothing */
        wick_cli_note_input(&f->read);
    make_room(kind);
    return f;
}

static struct followed *follow(int kind, const struct wick_serve_file *file, struct wick_err *err)
{
    return follow_range(kind, file, &(struct wick_range){0}, err);
}

struct wick_spans *wick_ui_followed_spans(const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = follow(SPANS, file, err);
    return f ? &f->of.spans : NULL;
}

struct wick_trace_locks *wick_ui_followed_traces(const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = follow(SPANS, file, err);
    return f ? &f->traces : NULL;
}

struct wick_lock_waits *wick_ui_followed_locks(const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = follow(LOCKS, file, err);
    return f ? &f->of.locks : NULL;
}

struct wick_ttsp_incidents *wick_ui_followed_safepoints(const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = follow(SAFEPOINTS, file, err);
    return f ? &f->of.safepoints : NULL;
}

struct wick_disturbances *wick_ui_followed_disturbances(const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = follow(DISTURBANCES, file, err);
    return f ? &f->of.disturbances : NULL;
}

struct wick_growth *wick_ui_followed_growth(const struct wick_serve_file *file, const struct wick_range *range,
                                            bool by_class, struct wick_err *err)
{
    struct followed *f = follow_range(wick_range_is_all(range) ? GROWTH : GROWTH_RANGE, file, range, err);
    return f ? &f->of.growth[by_class] : NULL;
}

/* One step, and what is known then. */
static int explain_step(const struct wick_serve_file *file, const struct wick_range *range,
                        struct wick_explain_facts *now, bool *partial, struct wick_err *err)
{
    int kind = wick_range_is_all(range) ? EXPLAIN : EXPLAIN_RANGE;
    struct followed *f = follow_range(kind, file, range, err);
    *now = (struct wick_explain_facts){0};
    int rc = f ? wick_explain_so_far(&f->of.explain, f->reader, now, err) : -err->code;
    if (f && rc == -WICK_E_NOMEM) { /* what has failed without memory fails for ever */
        wick_explain_so_far_release(now);
        forget(kind);
    }
    *partial = kept[kind] && kept[kind]->partial;
    return rc;
}

int wick_ui_followed_explain(const struct wick_serve_file *file, const struct wick_range *range,
                             struct wick_explain_facts *now, struct wick_err *err)
{
    bool partial;
    int rc = explain_step(file, range, now, &partial, err);
    while (rc == -WICK_E_NOTFOUND && partial) { /* what was read covers no time yet */
        wick_explain_so_far_release(now);
        *err = (struct wick_err){0};
        rc = explain_step(file, range, now, &partial, err);
    }
    return rc;
}
