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

#include "base/sum.h"
#include "cli/input/inputs.h"
#include "cli/ui/ui_views.h"
#include "import/input.h"

enum { SPANS, LOCKS, SAFEPOINTS, KINDS };

#define MOST_BYTES (UINT64_C(192) << 20)

struct followed {
    int fd;          /* -1 = all has been read */
    struct stat was; /* when it was read last */
    bool ended;
    struct wick_profile p;
    union {
        struct wick_spans spans;
        struct wick_lock_waits locks;
        struct wick_ttsp_incidents safepoints;
    } of;
    struct wick_jfr_visitor visitor;
    struct wick_jfr_result read;
    struct wick_jfr_reader *reader; /* NULL = all has been read */
    uint64_t bytes, used;           /* used: when, counted in uses */
};

static struct followed *kept[KINDS];
static uint64_t uses;

/* The file may be deleted while it is shown: its space becomes free then. */
static void let_go(struct followed *f)
{
    wick_jfr_reader_free(f->reader);
    f->reader = NULL;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static void forget(int kind)
{
    struct followed *f = kept[kind];
    if (!f)
        return;
    let_go(f);
    if (kind == SPANS)
        wick_spans_release(&f->of.spans);
    else if (kind == LOCKS)
        wick_lock_waits_release(&f->of.locks);
    else
        wick_ttsp_incidents_release(&f->of.safepoints);
    wick_profile_release(&f->p);
    free(f);
    kept[kind] = NULL;
}

void wick_ui_followed_trim(void)
{
    for (int i = 0; i < KINDS; i++)
        if (kept[i] && kept[i]->bytes > MOST_BYTES)
            forget(i);
}

void wick_ui_followed_forget(void)
{
    for (int i = 0; i < KINDS; i++)
        forget(i);
}

static void begin(struct followed *f, int kind)
{
    if (kind == SPANS) {
        wick_spans_init(&f->of.spans, &f->p);
        f->of.spans.one_process = true;
        f->visitor = wick_spans_visitor(&f->of.spans);
    } else if (kind == LOCKS) {
        f->of.locks = (struct wick_lock_waits){.profile = &f->p, .not_ours = true};
        f->visitor = wick_lock_waits_visitor(&f->of.locks);
    } else {
        f->of.safepoints = (struct wick_ttsp_incidents){.profile = &f->p};
        f->visitor = wick_ttsp_incidents_visitor(&f->of.safepoints);
    }
}

/* What was read so far becomes something to show. False without memory. */
static bool tie(struct followed *f, int kind)
{
    if (kind == SPANS)
        return !wick_spans_finish(&f->of.spans);
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

static uint64_t bytes_of(const struct followed *f, int kind)
{
    const struct wick_spans *s = &f->of.spans;
    const struct wick_lock_waits *w = &f->of.locks;
    const struct wick_ttsp_incidents *in = &f->of.safepoints;
    uint64_t all = wick_profile_bytes(&f->p) + (f->reader ? wick_jfr_reader_bytes(f->reader) : 0);
    if (kind == SPANS)
        return all + s->cap * sizeof *s->spans + s->cap_samples * sizeof *s->samples +
               s->cap_allocs * sizeof *s->allocs + s->cap_cpus * sizeof *s->cpus + s->cap_looks * sizeof *s->looks;
    if (kind == LOCKS)
        return all + (uint64_t)w->cap_rows * (sizeof *w->rows + sizeof *w->locks) +
               (uint64_t)w->cap_looks * sizeof *w->looks;
    return all + in->cap_slow * sizeof *in->slow + in->cap_culprits * sizeof *in->culprits +
           in->cap_signals * sizeof *in->signals;
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

/* Nothing is read yet. It is kept, and to be forgotten on failure. */
static int start(int kind, const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = calloc(1, sizeof *f);
    char head[4];
    if (!f || wick_profile_init(&f->p)) {
        free(f);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    kept[kind] = f;
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

static int read_on(struct followed *f, const struct wick_serve_file *file, struct wick_err *err)
{
    int rc = f->reader ? wick_jfr_reader_follow(f->reader, f->fd, err) : 0;
    if (!rc && f->reader && !file->grows) {
        rc = wick_jfr_reader_end(f->reader, err);
        let_go(f);
        f->ended = true;
    }
    return rc;
}

/* Forgets what was not used for longest until the rest is small enough, but not what was asked for just now. */
static void make_room(int used)
{
    for (;;) {
        uint64_t all = 0;
        int oldest = -1;
        for (int i = 0; i < KINDS; i++) {
            if (!kept[i])
                continue;
            all += kept[i]->bytes;
            if (i != used && (oldest < 0 || kept[i]->used < kept[oldest]->used))
                oldest = i;
        }
        if (all <= MOST_BYTES || oldest < 0)
            return;
        forget(oldest);
    }
}

/* Brings what is kept up to date, or reads all. NULL on failure: then nothing is kept. */
static struct followed *follow(int kind, const struct wick_serve_file *file, struct wick_err *err)
{
    struct stat now;
    int rc = 0;
    if (stat(file->path, &now)) {
        wick_err_set(err, WICK_E_IO, "cannot read %s: %s", file->name, strerror(errno));
        return NULL;
    }
    if (kept[kind] && !fits(kept[kind], &now))
        forget(kind);
    if (!kept[kind])
        rc = start(kind, file, err);
    struct followed *f = kept[kind];
    rc = rc ? rc : read_on(f, file, err);
    if (!rc && !tie(f, kind))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (rc) {
        forget(kind);
        return NULL;
    }
    f->was = now;
    f->used = ++uses;
    f->bytes = bytes_of(f, kind);
    wick_cli_note_input(&f->read);
    make_room(kind);
    return f;
}

struct wick_spans *wick_ui_followed_spans(const struct wick_serve_file *file, struct wick_err *err)
{
    struct followed *f = follow(SPANS, file, err);
    return f ? &f->of.spans : NULL;
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
