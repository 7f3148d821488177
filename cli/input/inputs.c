/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/ui.h"
#include "import/input.h"
#include "sys/whole.h"

/* Of what this thread has read: `wick ui` reads for several requests at once. */
static _Thread_local bool any_unfinished, any_damaged;

bool wick_cli_is_unfinished(void)
{
    return any_unfinished;
}

void wick_cli_forget_inputs(void)
{
    any_unfinished = any_damaged = false;
}

void wick_cli_note_input(const struct wick_jfr_result *r)
{
    any_unfinished |= r->unfinished;
    any_damaged |= r->problems || r->lost_bytes;
}

void wick_cli_warn(const char *path, const struct wick_jfr_result *r)
{
    if (!strncmp(path, "/proc/self/fd/", 14)) /* made by this command, and never had a name */
        path = "the recording";
    wick_cli_note_input(r);
    if (r->unfinished)
        wick_ui_print(
            stderr,
            "wick: %s is not finished: its JVM was killed or did not answer, or it was still running when this was "
            "written; what came afterwards is missing\n",
            path);
    if (r->problems)
        wick_ui_print(stderr, "wick: %s is damaged: at offset %" PRIu64 ": %s (%" PRIu64 " such places)\n", path,
                      r->first_offset, r->first, r->problems);
    if (r->lost_bytes)
        wick_ui_print(stderr, "wick: %s: %" PRIu64 " bytes could not be read\n", path, r->lost_bytes);
    if (r->unresolved)
        wick_ui_print(stderr, "wick: %s: %" PRIu64 " of %" PRIu64 " samples have lost their stack\n", path,
                      r->unresolved, r->samples);
    if (*r->note)
        wick_ui_print(stderr, "wick: %s: %s\n", path, r->note);
}

int wick_cli_read_each(struct wick_profile *p, char *const *paths, int n, const struct wick_jfr_visitor *v,
                       struct wick_err *err)
{
    for (int i = 0; i < n; i++) {
        struct wick_jfr_result res;
        int rc = wick_input_read_file(p, paths[i], v, &res, err);
        if (rc)
            return rc;
        wick_cli_warn(paths[i], &res);
    }
    return 0;
}

struct span {
    int64_t first_ns, last_ns;
};

static void widen(struct span *s, int64_t from_ns, int64_t to_ns)
{
    s->first_ns = !s->last_ns || from_ns < s->first_ns ? from_ns : s->first_ns;
    s->last_ns = to_ns > s->last_ns ? to_ns : s->last_ns;
}

static void take_time(void *ctx, const struct wick_sample *s)
{
    if (s->time_ns > 0 && s->time_ns < INT64_MAX)
        widen(ctx, s->time_ns, s->time_ns + 1); /* the last one is before the end */
}

enum { PIECE = 1 << 16 };
#define KEPT_MOST ((uint64_t)4 << 30)

/* Copies all that comes from one descriptor into another. */
static int copy_all(int from, int to, struct wick_err *err)
{
    char piece[PIECE];
    uint64_t all = 0;
    for (ssize_t n; (n = read(from, piece, sizeof piece)) != 0; all += (uint64_t)n) {
        if (n < 0 && errno != EINTR)
            return wick_err_set(err, WICK_E_IO, "cannot read standard input: %s", strerror(errno));
        n = n < 0 ? 0 : n;
        if (all + (uint64_t)n > KEPT_MOST)
            return wick_err_set(
                err, WICK_E_LIMIT,
                "more than 4 GiB from a pipe, to be read twice for --from and --to; put it into a file");
        int error = wick_whole_write(to, piece, (size_t)n);
        if (error)
            return wick_err_set(err, WICK_E_NOMEM, "cannot keep standard input in memory: %s", strerror(error));
    }
    return 0;
}

/* Makes standard input a file that can be read twice: what comes from a pipe goes into one in memory first. Nothing may
 * have been read from it yet. */
static int keep_stdin(struct wick_err *err)
{
    struct stat st;
    if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode))
        return 0;
    int fd = memfd_create("wick-stdin", MFD_CLOEXEC), rc;
    if (fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    rc = copy_all(STDIN_FILENO, fd, err);
    if (!rc && (lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0))
        rc = wick_err_set(err, WICK_E_IO, "cannot keep standard input in memory: %s", strerror(errno));
    close(fd);
    return rc;
}

int wick_cli_span(const char *path, int64_t *start_ns, int64_t *end_ns, struct wick_err *err)
{
    const char *name = path;
    if (!strcmp(path, "-")) {
        int kept = keep_stdin(err);
        if (kept)
            return kept;
        path = "/dev/stdin";
        name = "standard input";
    }
    struct span found = {0}, all = {*start_ns, *end_ns};
    const struct wick_jfr_visitor v = {.ctx = &found, .sample = take_time};
    struct wick_jfr_result res;
    struct wick_profile p;
    int rc = wick_jfr_span(path, start_ns, end_ns, err);
    if (rc != -WICK_E_FORMAT)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p.keep = 0;
    rc = wick_input_read_file(&p, path, &v, &res, err);
    if (!rc && res.is_jfr)
        found = (struct span){p.start_ns, p.end_ns};
    if (!rc && !found.last_ns)
        rc = wick_err_set(err, WICK_E_FORMAT, "%s does not say when its samples were taken: it has no --from and --to",
                          name);
    wick_profile_release(&p);
    if (rc)
        return rc;
    widen(&all, found.first_ns, found.last_ns);
    *start_ns = all.first_ns;
    *end_ns = all.last_ns;
    return 0;
}

int wick_cli_read_events(struct wick_profile *p, const char *path, const struct wick_jfr_visitor *v,
                         struct wick_err *err)
{
    struct wick_jfr_result res;
    int rc = wick_input_read_file(p, path, v, &res, err);
    if (!rc && !res.is_jfr)
        rc = wick_err_set(err, WICK_E_FORMAT,
                          "%s is not a JFR recording; other formats contain only samples, not the events to show here",
                          strcmp(path, "-") ? path : "standard input");
    if (!rc)
        wick_cli_warn(path, &res);
    return rc;
}

/* Names come from the recording; what would act on a terminal becomes '?'. */
static void make_harmless(struct wick_strbuf *sb)
{
    for (size_t i = 0; i < sb->len; i++) {
        unsigned char c = (unsigned char)sb->buf[i];
        bool c1 = i && (unsigned char)sb->buf[i - 1] == 0xc2 && c >= 0x80 && c < 0xa0;
        if (c < 0x20 || c == 0x7f)
            sb->buf[i] = '?';
        else if (c1)
            sb->buf[i - 1] = sb->buf[i] = '?';
    }
}

int wick_cli_read_stream(struct wick_profile *p, FILE *in, const void *head, size_t n, const char *name,
                         const struct wick_jfr_visitor *v, struct wick_err *err)
{
    struct wick_jfr_result res;
    int rc = wick_input_read_stream(p, in, head, n, v, &res, err);
    if (rc)
        return wick_err_prefix(err, "%s", name);
    wick_cli_warn(name, &res);
    return 0;
}

int wick_cli_event(const struct wick_profile *p, const char *name, uint16_t *event, struct wick_err *err)
{
    uint16_t found = name ? wick_profile_find_event(p, name) : wick_profile_main_event(p);
    if (found) {
        *event = found;
        return 0;
    }
    if (!wick_profile_main_event(p) && any_damaged)
        return wick_err_set(err, WICK_E_FORMAT, "no samples could be read from the damaged recording: record again");
    if (!wick_profile_main_event(p))
        return wick_err_set(err, WICK_E_NOTFOUND, "the recording holds no samples");
    struct wick_strbuf list = WICK_STRBUF_INIT;
    bool removed = false; /* samples were there, and the conditions took all of them */
    for (uint32_t i = 1; i < p->nevents; i++)
        if (!p->events[i].count)
            removed |= wick_profile_event_is(p, (uint16_t)i, name);
        else
            wick_strbuf_addf(&list, "%s%s (%s)", list.len ? ", " : "", wick_profile_str(p, p->events[i].name),
                             wick_event_kind_name(p->events[i].kind));
    make_harmless(&list);
    int rc = removed
                 ? wick_err_set(err, WICK_E_NOTFOUND,
                                "none of the samples of event \"%s\" fits the conditions, only of: %s", name, list.buf)
                 : wick_err_set(err, WICK_E_NOTFOUND, "no samples of event \"%s\"; there are: %s", name, list.buf);
    wick_strbuf_release(&list);
    return rc;
}
