/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/convert_cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "cli/input/inputs.h"
#include "cli/save.h"
#include "cli/ui.h"
#include "codec/gzip.h"
#include "jfr/cut/cut.h"
#include "model/choose.h"

struct job {
    struct wick_profile p;
    struct wick_chooser chooser;
    const char *event;
    struct wick_jfr_cut cut;
    struct wick_jfr_cut_result made;
};

static bool takes(void *ctx, const struct wick_profile *p, const struct wick_sample *s)
{
    struct job *j = ctx;
    uint32_t agg = wick_profile_add(&j->p, s);
    return (!j->event || wick_profile_event_is(p, s->event, j->event)) && wick_chooser_takes(&j->chooser, agg);
}

static int check_options(const struct wick_shape *s, struct wick_err *err)
{
    if (!s->nby && !s->skip && !s->depth && !s->fold_inlined && !s->reverse && !s->fold_starts && !s->focus)
        return 0;
    return wick_err_set(err, WICK_E_USAGE,
                        "a recording keeps its stacks as they are: --by, --classify, --skip, --depth, --inline, "
                        "--fold-starts, --callers-of, --callees-of and --reverse cannot be combined with it");
}

/* The output is written while the inputs are mapped, so it must be none of them, nor become one. */
static int check_files(char *const *paths, int n, const char *out, struct wick_err *err)
{
    struct stat to, from;
    bool there = out && strcmp(out, "-") != 0 && !stat(out, &to);
    for (int i = 0; i < n; i++) {
        if (!strcmp(paths[i], "-"))
            continue;
        if (stat(paths[i], &from))
            return wick_err_set(err, errno == EACCES ? WICK_E_PERM : WICK_E_NOTFOUND, "cannot open %s: %s", paths[i],
                                strerror(errno));
        if (S_ISDIR(from.st_mode))
            return wick_err_set(err, WICK_E_IO, "cannot read %s: %s", paths[i], strerror(EISDIR));
        if (there && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            return wick_err_set(err, WICK_E_USAGE, "%s is the output and an input; write to another file", out);
    }
    return 0;
}

/* --- input --- */

static int add(void *ctx, const void *data, size_t n)
{
    struct wick_strbuf *sb = ctx;
    wick_strbuf_add(sb, data, n);
    return sb->failed ? -WICK_E_NOMEM : 0;
}

/* All of a stream, unpacked if it was packed. */
static int read_all(FILE *in, const char *name, struct wick_strbuf *sb, struct wick_err *err)
{
    char piece[65536];
    struct wick_gunzip *z = NULL;
    int rc = 0;
    size_t n;
    bool first = true;
    for (; !rc && (n = fread(piece, 1, sizeof piece, in)) > 0; first = false) {
        if (first && wick_gzip_is(piece, n) && !(z = wick_gunzip_new()))
            rc = -WICK_E_NOMEM;
        else
            rc = z ? wick_gunzip_add(z, piece, n, add, sb) : add(sb, piece, n);
    }
    if (!rc && ferror(in))
        rc = wick_err_set(err, WICK_E_IO, "cannot read %s: %s", name, strerror(errno));
    if ((rc == -WICK_E_FORMAT && sb->len) || (!rc && z && !wick_gunzip_complete(z))) {
        wick_ui_print(stderr, "wick: %s is damaged: the gzip stream is truncated\n", name);
        rc = 0; /* what came out of it is cut like any other damaged recording */
    }
    wick_gunzip_free(z);
    if (rc && !err->code)
        wick_err_set(err, (enum wick_code) - rc, "%s: %s", name, wick_err_text(rc));
    return rc;
}

static bool is_packed(FILE *in)
{
    char head[16];
    size_t n = fread(head, 1, sizeof head, in);
    rewind(in);
    return wick_gzip_is(head, n);
}

static int cut_one(struct job *j, const char *path, struct wick_err *err)
{
    struct wick_jfr_result res;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    bool is_stdin = !strcmp(path, "-");
    const char *name = is_stdin ? "standard input" : path;
    FILE *in = is_stdin ? stdin : fopen(path, "re");
    int rc;
    if (in && (is_stdin || is_packed(in))) {
        rc = read_all(in, name, &sb, err);
        if (!rc && (rc = wick_jfr_cut_memory(&j->p, sb.buf, sb.len, &j->cut, &j->made, &res, err)))
            wick_err_prefix(err, "%s", name);
    } else {
        rc = wick_jfr_cut_file(&j->p, path, &j->cut, &j->made, &res, err); /* says why it cannot be opened */
    }
    if (in && !is_stdin)
        fclose(in);
    wick_strbuf_release(&sb);
    if (!rc)
        wick_cli_warn(name, &res);
    return rc;
}

struct input {
    char *path;
    int64_t start_ns;
    int place;
};

static int by_start(const void *a, const void *b)
{
    const struct input *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->place - y->place;
}

/* The inputs by start time; in the order given if the start of one is unknown. */
static struct input *in_order(char *const *paths, int n)
{
    struct input *in = calloc((size_t)n, sizeof *in);
    bool known = true;
    for (int i = 0; in && i < n; i++) {
        int64_t end = 0;
        struct wick_err err = {0};
        in[i] = (struct input){paths[i], 0, i};
        known = known && strcmp(paths[i], "-") != 0 && !wick_jfr_span(paths[i], &in[i].start_ns, &end, &err);
    }
    if (in && known)
        qsort(in, (size_t)n, sizeof *in, by_start);
    return in;
}

/* --- output --- */

static int judge(const struct job *j, const struct wick_view *view, struct wick_err *err)
{
    uint16_t event;
    int rc = 0;
    if (j->cut.filter.match && !j->made.samples) {
        rc = view->event ? wick_cli_event(&j->p, view->event, &event, err) : 0;
        if (!rc)
            rc = wick_err_set(err, WICK_E_NOTFOUND,
                              wick_profile_main_event(&j->p) ? "none of the samples fits the conditions"
                                                             : "there are no samples in that time");
    } else if (!j->made.chunks) {
        rc = wick_err_set(err, WICK_E_NOTFOUND, "there are no events in that time");
    }
    if (!rc && j->made.unknown)
        fprintf(stderr, "wick: %llu events are left out: their types have fields of unknown layout\n",
                (unsigned long long)j->made.unknown);
    return rc;
}

static int cut_all(struct job *j, const struct wick_view *view, char *const *paths, int n, struct wick_err *err)
{
    int rc = wick_view_begin(view, &j->p, paths, n, &j->cut.filter, err);
    struct input *in = rc ? NULL : in_order(paths, n);
    if (!rc && !in)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (view->event || !wick_shape_is_plain(&view->shape)) {
        j->cut.filter.match = takes;
        j->cut.filter.ctx = j;
    }
    for (int i = 0; !rc && i < n; i++)
        rc = cut_one(j, in[i].path, err);
    free(in);
    return rc ? rc : judge(j, view, err);
}

int wick_convert_cut(const struct wick_view *view, char *const *paths, int n, const char *out, bool even, bool own,
                     struct wick_err *err)
{
    struct job j = {.event = view->event, .cut.even = even};
    int rc = check_options(&view->shape, err);
    rc = rc ? rc : check_files(paths, n, out, err);
    if (rc)
        return rc;
    if (wick_profile_init(&j.p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    j.p.by_thread = j.p.by_state = false;
    j.p.keep = 0;
    wick_chooser_init(&j.chooser, &view->shape, &j.p);
    j.cut.out = wick_save_open(out, own, err);
    rc = j.cut.out ? 0 : -(int)err->code;
    if (!rc) {
        rc = cut_all(&j, view, paths, n, err);
        rc = wick_save_close(j.cut.out, out, rc, err);
    }
    wick_chooser_release(&j.chooser);
    wick_profile_release(&j.p);
    return rc;
}
