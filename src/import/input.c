/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - detects formats and drives the importers
 *
 * Bytes come in pieces, from a mapping, a pipe or the decompressor. The first ones are collected until the format is
 * recognised; then text is handed on as it comes, and what has to be seen as a whole is collected to the end.
 */
#include "import/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/gzip.h"
#include "import/perf_int.h"

#define WHOLE_MAX ((size_t)4 << 30)
#define PIECE     (256u << 10)
#define BLOCK     ((size_t)8 << 20) /* a whole number of pages */

struct input {
    struct wick_import im;
    enum wick_input_format format;
    bool decided;
    struct wick_strbuf held; /* the first bytes, or all */
    struct wick_gunzip *gunzip;
    struct wick_collapsed_in *collapsed;
    struct wick_perf_in *perf;
    struct wick_perf_data *perf_data; /* in the form for pipes */
    struct wick_jfr_reader *jfr;
    struct wick_err *err;
};

/* root;caller;leaf 12, in the first line that is complete. */
static bool is_collapsed(const char *s, size_t n)
{
    const char *end = memchr(s, '\n', n);
    size_t len = end ? (size_t)(end - s) : n;
    while (len && s[len - 1] == '\r')
        len--;
    size_t digits = 0;
    while (digits < len && s[len - 1 - digits] >= '0' && s[len - 1 - digits] <= '9')
        digits++;
    bool whole = digits && digits + 1 < len && s[len - 1 - digits] == ' ';
    /* of a deep stack there may be only the beginning */
    return (whole || (!end && n >= WICK_INPUT_HEAD && memchr(s, ';', len))) && !memchr(s, 0, len);
}

enum wick_input_format wick_input_is(const void *head, size_t n)
{
    if (wick_jfr_is_recording(head, n))
        return WICK_INPUT_JFR;
    if (wick_gzip_is(head, n))
        return WICK_INPUT_GZIP;
    if (n >= 8 && !memcmp(head, "PERFILE2", 8))
        return WICK_INPUT_PERF_DATA;
    if (wick_pprof_in_is(head, n))
        return WICK_INPUT_PPROF;
    if (wick_perf_in_is(head, n))
        return WICK_INPUT_PERF;
    return is_collapsed(head, n) ? WICK_INPUT_COLLAPSED : WICK_INPUT_UNKNOWN;
}

/* --- pieces --- */

static int take(void *ctx, const void *data, size_t n);

static int hold(struct input *in, const void *data, size_t n)
{
    if (in->held.len + n > WHOLE_MAX)
        return wick_err_set(in->err, WICK_E_LIMIT, "more than 4 GiB; unpack it into a file first");
    wick_strbuf_add(&in->held, data, n);
    return in->held.failed ? -WICK_E_NOMEM : 0;
}

static int feed(struct input *in, const void *data, size_t n)
{
    switch (in->format) {
    case WICK_INPUT_COLLAPSED:
        return wick_collapsed_in_feed(in->collapsed, data, n);
    case WICK_INPUT_PERF:
        return wick_perf_in_feed(in->perf, data, n);
    case WICK_INPUT_JFR:
        return wick_jfr_reader_feed(in->jfr, data, n, in->err);
    case WICK_INPUT_PPROF:
        return hold(in, data, n);
    case WICK_INPUT_PERF_DATA:
        return in->perf_data ? wick_perf_data_feed(in->perf_data, data, n) : hold(in, data, n);
    default:
        return wick_err_set(in->err, WICK_E_FORMAT,
                            "neither a JFR recording, pprof, perf.data, output of `perf script` nor collapsed stacks");
    }
}

/* Decides for a format from the first bytes, which are held or in the piece at hand, and hands them on. */
static int decide(struct input *in, const void *data, size_t n)
{
    in->decided = true;
    in->format = wick_input_is(data, n);
    if (in->format == WICK_INPUT_COLLAPSED)
        in->collapsed = wick_collapsed_in_new(&in->im);
    else if (in->format == WICK_INPUT_PERF)
        in->perf = wick_perf_in_new(&in->im);
    else if (in->format == WICK_INPUT_JFR)
        in->jfr = wick_jfr_reader_new(in->im.p, in->im.v, in->im.res);
    bool pipe = in->format == WICK_INPUT_PERF_DATA && wick_perf_data_is_pipe(data, n);
    if (pipe)
        in->perf_data = wick_perf_data_new(&in->im, true);
    bool streamed =
        pipe || in->format == WICK_INPUT_COLLAPSED || in->format == WICK_INPUT_PERF || in->format == WICK_INPUT_JFR;
    bool ready = in->collapsed || in->perf || in->perf_data || in->jfr;
    return streamed && !ready ? -WICK_E_NOMEM : feed(in, data, n);
}

static int decide_held(struct input *in)
{
    struct wick_strbuf head = in->held;
    wick_strbuf_init(&in->held);
    int rc = decide(in, head.buf, head.len);
    wick_strbuf_release(&head);
    return rc;
}

/* Unpacked bytes. */
static int take(void *ctx, const void *data, size_t n)
{
    struct input *in = ctx;
    if (in->decided)
        return feed(in, data, n);
    if (!in->held.len && n >= WICK_INPUT_HEAD)
        return decide(in, data, n);
    int rc = hold(in, data, n);
    return !rc && in->held.len >= WICK_INPUT_HEAD ? decide_held(in) : rc;
}

/* Bytes as they are in the file. Damage in the packing ends the input, and what came out so far is used. */
static int take_raw(struct input *in, const void *data, size_t n)
{
    if (!in->gunzip)
        return take(in, data, n);
    int rc = wick_gunzip_add(in->gunzip, data, n, take, in);
    if (rc != -WICK_E_FORMAT || in->err->code)
        return rc;
    wick_import_problem(&in->im, wick_gunzip_used(in->gunzip), "gzip: damaged (offset in the compressed file)");
    return -WICK_E_FORMAT;
}

/* --- the end --- */

static int read_held(struct input *in)
{
    if (in->format == WICK_INPUT_PPROF)
        return wick_pprof_in_read(&in->im, in->held.buf, in->held.len);
    return wick_perf_data_read(&in->im, in->held.buf, in->held.len, false, true);
}

static int finish(struct input *in, int rc)
{
    bool damaged = rc == -WICK_E_FORMAT && in->gunzip && !in->err->code;
    if (in->gunzip && !rc && !wick_gunzip_complete(in->gunzip))
        wick_import_problem(&in->im, wick_gunzip_used(in->gunzip),
                            "gzip: truncated here (offset in the compressed file)");
    if (damaged)
        rc = 0;
    if (!rc && !in->decided)
        rc = in->held.len ? decide_held(in) : wick_err_set(in->err, WICK_E_FORMAT, "the input is empty");
    if (in->perf) {
        int end = wick_perf_in_end(in->perf);
        rc = rc ? rc : end;
    }
    if (in->collapsed) {
        int end = wick_collapsed_in_end(in->collapsed);
        rc = rc ? rc : end;
    }
    if (in->perf_data) {
        int end = wick_perf_data_end(in->perf_data);
        rc = rc ? rc : end;
    }
    if (in->jfr) {
        if (!rc)
            rc = wick_jfr_reader_end(in->jfr, in->err);
        wick_jfr_reader_free(in->jfr);
    }
    bool whole = in->format == WICK_INPUT_PPROF || (in->format == WICK_INPUT_PERF_DATA && !in->perf_data);
    if (!rc && whole)
        rc = read_held(in);
    wick_gunzip_free(in->gunzip);
    wick_strbuf_release(&in->held);
    if (rc && !in->err->code)
        wick_err_set(in->err, (enum wick_code) - rc, "%s",
                     rc == -WICK_E_FORMAT ? "nothing in it could be read" : wick_err_text(rc));
    return rc;
}

static int begin(struct input *in, const void *head, size_t n)
{
    wick_strbuf_init(&in->held);
    in->im.res->problems = 0;
    if (!wick_gzip_is(head, n))
        return 0;
    in->gunzip = wick_gunzip_new();
    return in->gunzip ? 0 : -WICK_E_NOMEM;
}

/* --- where bytes come from --- */

int wick_input_read_block(struct wick_profile *p, const void *data, size_t size, bool mapped,
                          const struct wick_jfr_visitor *v, struct wick_jfr_result *res, struct wick_err *err)
{
    struct wick_jfr_result own;
    struct wick_err own_err = {0};
    struct wick_import im = {p, v, res ? res : &own};
    *im.res = (struct wick_jfr_result){0};
    if (wick_jfr_is_recording(data, size))
        return wick_jfr_read_memory(p, data, size, v, res, err);
    struct input in = {.im = im, .err = err ? err : &own_err};
    in.err->code = 0;
    if (wick_pprof_in_is(data, size)) { /* no copy */
        int rc = wick_pprof_in_read(&in.im, data, size);
        return rc ? wick_err_set(in.err, (enum wick_code) - rc, "%s", wick_err_text(rc)) : 0;
    }
    if (wick_input_is(data, size) == WICK_INPUT_PERF_DATA) {
        int rc = wick_perf_data_read(&in.im, data, size, mapped, true);
        return rc ? wick_err_set(in.err, (enum wick_code) - rc, "%s", wick_err_text(rc)) : 0;
    }
    int rc = begin(&in, data, size);
    for (size_t at = 0; !rc && at < size; at += BLOCK) {
        const char *block = (const char *)data + at;
        size_t n = size - at < BLOCK ? size - at : BLOCK;
        rc = take_raw(&in, block, n);
        if (mapped)
            madvise((void *)block, n, MADV_DONTNEED);
    }
    return finish(&in, rc);
}

int wick_input_read_stream(struct wick_profile *p, FILE *from, const void *head, size_t n,
                           const struct wick_jfr_visitor *v, struct wick_jfr_result *res, struct wick_err *err)
{
    struct wick_jfr_result own;
    struct wick_err own_err = {0};
    struct input in = {.im = {p, v, res ? res : &own}, .err = err ? err : &own_err};
    char *piece = malloc(PIECE);
    *in.im.res = (struct wick_jfr_result){0};
    in.err->code = 0;
    int rc = piece ? begin(&in, head, n) : -WICK_E_NOMEM;
    if (!rc && n)
        rc = take_raw(&in, head, n);
    while (!rc && (n = fread(piece, 1, PIECE, from)) > 0)
        rc = take_raw(&in, piece, n);
    if (!rc && ferror(from))
        rc = wick_err_set(in.err, WICK_E_IO, "cannot read: %s", strerror(errno));
    free(piece);
    return finish(&in, rc);
}

static int open_error(const char *path, struct wick_err *err)
{
    int e = errno;
    enum wick_code code = e == ENOENT || e == ENOTDIR ? WICK_E_NOTFOUND : e == EACCES ? WICK_E_PERM : WICK_E_IO;
    return wick_err_set(err, code, "cannot open %s: %s", path, strerror(e));
}

static int read_mapped(struct wick_profile *p, const char *path, int fd, size_t size, const struct wick_jfr_visitor *v,
                       struct wick_jfr_result *res, struct wick_err *err)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return wick_err_set(err, WICK_E_IO, "cannot map: %s", strerror(errno));
    madvise(map, size, MADV_SEQUENTIAL);
    bool jfr = wick_jfr_is_recording(map, size);
    int rc = jfr ? 0 : wick_input_read_block(p, map, size, true, v, res, err);
    munmap(map, size);
    return jfr ? wick_jfr_read_file(p, path, v, res, err) : rc;
}

/* A pipe, a device or standard input. */
static int read_other(struct wick_profile *p, int fd, const struct wick_jfr_visitor *v, struct wick_jfr_result *res,
                      struct wick_err *err)
{
    char head[16]; /* enough to recognise gzip */
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *from = copy < 0 ? NULL : fdopen(copy, "r");
    if (!from) {
        if (copy >= 0)
            close(copy);
        return wick_err_set(err, WICK_E_IO, "cannot read: %s", strerror(errno));
    }
    size_t n = fread(head, 1, sizeof head, from);
    int rc = wick_input_read_stream(p, from, head, n, v, res, err);
    fclose(from);
    return rc;
}

int wick_input_read_file(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_jfr_result *res, struct wick_err *err)
{
    struct wick_jfr_result own;
    struct wick_err own_err = {0};
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    res = res ? res : &own;
    err = err ? err : &own_err;
    *res = (struct wick_jfr_result){0};
    err->code = 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return open_error(path, err);
    bool plain = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && !is_stdin;
    int rc = plain ? read_mapped(p, path, fd, (size_t)st.st_size, v, res, err) : read_other(p, fd, v, res, err);
    if (!is_stdin)
        close(fd);
    const char *name = is_stdin ? "standard input" : path;
    if (rc && strncmp(err->msg, name, strlen(name)) != 0 && !strstr(err->msg, "cannot open"))
        wick_err_prefix(err, "%s", name);
    return rc;
}
