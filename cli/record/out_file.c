/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_file.c - name and format of a recording's file, and what becomes of it at the end
 *
 * client/new_file.c opens and replaces files; here is which: the name's pattern expanded, the format by the extension,
 * and at the end the conversion by the command's own options, with the sentences about it.
 */
#include "cli/record/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/input/convert.h"
#include "cli/input/convert_cut.h"
#include "cli/record/outcome.h"
#include "cli/replace.h"
#include "cli/ui.h"
#include "client/new_file.h"
#include "client/started.h"

bool wick_cli_output_is_direct(const struct wick_cli_output *out)
{
    return !out->compat && !out->apart && !strcmp(out->format, "jfr");
}

static int convert(const char *in, const struct wick_cli_output *out, struct wick_err *err)
{
    const struct wick_convert_opts o = {out->format, out->title, out->threads, NULL};
    const struct wick_view everything = {0};
    char *inputs[] = {(char *)(uintptr_t)in};
    if (out->compat)
        return wick_convert_cut(&everything, inputs, 1, out->path, true, true, err);
    return wick_convert_jfr(in, out->path, &o, err);
}

/* The name of a format that can be written: "jfr", or one of the converter's. NULL if it is none. */
static const char *known_format(const char *name)
{
    if (!strcmp(name, "jfr"))
        return "jfr";
    const struct wick_format *f = wick_format_by_name(name);
    return f ? f->name : NULL;
}

static const char *format_of_name(const char *file)
{
    size_t n = strlen(file);
    if (n > 4 && !strcmp(file + n - 4, ".jfr"))
        return "jfr";
    const struct wick_format *f = wick_format_by_file(file);
    return f ? f->name : NULL;
}

static int choose_format(const struct wick_opts *o, struct wick_cli_output *out, struct wick_err *err)
{
    const char *format = NULL;
    if (*o->output) {
        format = known_format(o->output);
        if (!format)
            return wick_err_set(err, WICK_E_USAGE,
                                "option output: '%.40s' is neither jfr nor a format that `wick convert --help` lists",
                                o->output);
    } else if (*o->s.file) {
        format = format_of_name(o->s.file);
        if (!format)
            return wick_err_set(err, WICK_E_USAGE,
                                "cannot infer the format of '%.200s': use .html, .jfr or another extension that "
                                "`wick convert --help` lists; wick record also takes --output FORMAT",
                                o->s.file);
    } else {
        format = o->s.compat ? "jfr" : "html";
    }
    snprintf(out->format, sizeof out->format, "%s", format);
    return 0;
}

/* The simple name of a main class or jar, of harmless characters only. */
static void label(const struct wick_jvm_entry *jvm, char *out, size_t cap)
{
    const char *s = jvm && *jvm->main ? jvm->main : "java";
    const char *slash = strrchr(s, '/');
    size_t n = 0;
    for (s = slash && slash[1] ? slash + 1 : s; *s && n < cap - 1; s++)
        out[n++] =
            (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '.' ? *s : '-';
    out[n] = 0;
    if (out[0] == '.')
        out[0] = '-';
}

static int make_absolute(char *path, struct wick_err *err)
{
    char cwd[PATH_MAX], joined[WICK_OPT_PATH_MAX];
    if (*path == '/')
        return 0;
    if (!getcwd(cwd, sizeof cwd))
        return wick_err_set(err, WICK_E_IO, "cannot determine the current directory: %s", strerror(errno));
    if ((size_t)snprintf(joined, sizeof joined, "%s/%s", cwd, path) >= sizeof joined)
        return wick_err_set(err, WICK_E_LIMIT, "the output's path is too long");
    strcpy(path, joined);
    return 0;
}

/* An absolute pattern for the agent, which knows when each file is made: our process id and environment, its times and
 * numbers. The name that we choose ourselves has the time of the start. */
static int plan_sequence(const struct wick_opts *o, const struct wick_jvm_entry *jvm, const char *pattern,
                         char path[WICK_OPT_PATH_MAX], struct wick_err *err)
{
    char fixed[WICK_OPT_PATH_MAX], cwd[WICK_OPT_PATH_MAX] = "";
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    long pid = jvm ? jvm->pid : getpid();
    int rc = *o->s.file ? wick_opt_fix(pattern, pid, fixed, sizeof fixed)
                        : wick_opt_expand(pattern, pid, (int64_t)time(NULL), 0, fixed, sizeof fixed);
    if (!rc && *fixed != '/') {
        strcpy(cwd, ".");
        rc = make_absolute(cwd, err);
        cwd[strlen(cwd) - 1] = 0;
        wick_opt_escape(cwd, &sb);
    }
    wick_strbuf_adds(&sb, rc ? "" : fixed);
    if (!rc && (sb.failed || sb.len >= WICK_OPT_PATH_MAX))
        rc = -WICK_E_LIMIT;
    if (rc && err && !err->code)
        wick_err_set(err, WICK_E_LIMIT, "the output's path is too long once expanded");
    if (!rc)
        memcpy(path, sb.buf, sb.len + 1);
    wick_strbuf_release(&sb);
    return rc;
}

int wick_cli_output_plan(const struct wick_opts *o, const struct wick_jvm_entry *jvm, struct wick_cli_output *out,
                         struct wick_err *err)
{
    char name[64], pattern[WICK_OPT_PATH_MAX];
    struct wick_cli_output r = {.fd = -1, .dir = -1, .threads = o->s.threads, .compat = o->s.compat};
    int rc = choose_format(o, &r, err);
    if (rc)
        return rc;
    if (r.compat && strcmp(r.format, "jfr"))
        return wick_err_set(err, WICK_E_USAGE,
                            "--compat is for recordings, not for %s; name an output that ends in .jfr", r.format);
    label(jvm, name, sizeof name);
    if (*o->s.file)
        snprintf(pattern, sizeof pattern, "%s", o->s.file);
    else
        snprintf(pattern, sizeof pattern, jvm ? "wick-%s-%%p-%%t.%s" : "wick-%s-%%t.%s", name, r.format);
    /* a limit is kept by removing the oldest of several files */
    r.sequence = wick_opt_is_sequence(pattern) || o->s.max_size_bytes || o->s.max_age_ns;
    if (r.sequence && strcmp(r.format, "jfr"))
        return wick_err_set(err, WICK_E_USAGE, "%%n, --max-size and --max-age are for jfr files only");
    if (r.sequence && r.compat)
        return wick_err_set(
            err, WICK_E_USAGE,
            "--compat cannot be combined with %%n, --max-size and --max-age; run `wick convert --compat` on "
            "the files");
    if (r.sequence)
        rc = plan_sequence(o, jvm, pattern, r.path, err);
    else if (wick_opt_expand(pattern, jvm ? jvm->pid : getpid(), (int64_t)time(NULL), 0, r.path, sizeof r.path))
        return wick_err_set(err, WICK_E_LIMIT, "the output's path is too long once expanded");
    if (!rc && !r.sequence)
        rc = make_absolute(r.path, err);
    snprintf(r.title, sizeof r.title, "%s", *o->title ? o->title : jvm && *jvm->main ? jvm->main : name);
    if (!rc)
        *out = r;
    return rc;
}

int wick_cli_output_open(struct wick_cli_output *out, struct wick_err *err)
{
    char dir[WICK_OPT_PATH_MAX];
    wick_new_file_directory(out->path, dir, sizeof dir);
    if (out->sequence) {
        char pattern[WICK_OPT_PATH_MAX];
        memcpy(pattern, dir, sizeof pattern);
        if (wick_opt_expand(pattern, getpid(), (int64_t)time(NULL), 0, dir, sizeof dir))
            return wick_err_set(err, WICK_E_LIMIT, "the output's path is too long once expanded");
        out->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (out->dir < 0)
            return wick_new_file_error("open", dir, err);
        out->fd = out->taken ? wick_new_file_temp(dir, false, err) : -1;
        return out->taken && out->fd < 0 ? -(int)err->code : 0;
    }
    if (wick_replace_check(out->path, err))
        return -(int)err->code;
    if (!wick_cli_output_is_direct(out)) {
        int rc = wick_new_file_check(out->path, err);
        int fd = rc ? rc : wick_new_file_temp(dir, true, err);
        if (fd < 0)
            return fd;
        out->fd = fd;
        return 0;
    }
    int fd = out->fresh ? wick_new_file_fresh(out->path, err) : wick_new_file_named(out->path, err);
    if (fd >= 0)
        out->fd = fd;
    return fd < 0 ? fd : 0;
}

void wick_cli_output_keep(const struct wick_cli_output *out, const char *in, struct wick_err *err)
{
    char path[WICK_OPT_PATH_MAX + 8];
    size_t n = strlen(err->msg);
    snprintf(path, sizeof path, "%s.jfr", out->path);
    if (out->apart ? wick_new_file_keep(in, path) : !linkat(AT_FDCWD, in, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
        snprintf(err->msg + n, sizeof err->msg - n, "\nwick: the recording is kept: `wick flame %s` draws it", path);
}

/* What a file of that format is called in messages. */
static const char *what(const char *format)
{
    return !strcmp(format, "jfr")                              ? "recording"
           : !strcmp(format, "html") || !strcmp(format, "svg") ? "picture"
                                                               : "profile";
}

int wick_cli_output_finish(struct wick_cli_output *out, int fd, struct wick_err *err)
{
    char in[64], size[32];
    struct stat st;
    if (out->sequence) {
        wick_ui_note("recording: %s", out->path);
        return 0;
    }
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return wick_err_set(err, WICK_E_IO, "the recording is not a plain file");
    if (!st.st_size) {
        if (wick_cli_output_is_direct(out))
            unlink(out->path);
        return wick_err_set(err, WICK_E_IO, "the recording is empty, so there is no %s", out->path);
    }
    snprintf(in, sizeof in, "/proc/self/fd/%d", fd);
    wick_new_file_strip_mode(fd, &st);
    if (!wick_cli_output_is_direct(out)) {
        bool copies = !out->compat && !strcmp(out->format, "jfr");
        int rc = copies ? wick_new_file_copy(fd, out->path, err) : convert(in, out, err);
        if (rc == -WICK_E_NOTFOUND && !out->compat)
            return wick_err_set(err, WICK_E_NOTFOUND,
                                "there were no samples, so there is nothing to draw: the JVM did nothing of that kind");
        if (rc && !copies)
            wick_cli_output_keep(out, in, err);
        if (rc)
            return rc;
        if (stat(out->path, &st))
            st.st_size = 0;
    }
    wick_ui_note("%s: %s (%s)", what(out->format), out->path, wick_ui_bytes((uint64_t)st.st_size, size, sizeof size));
    wick_outcome_of_file(in);
    return 0;
}

bool wick_cli_output_note(const struct wick_cli_output *out, const struct wick_proc *p)
{
    struct wick_started s = {.threads = out->threads, .compat = out->compat, .sequence = out->sequence};
    strcpy(s.path, out->path);
    strcpy(s.format, out->format);
    strcpy(s.title, out->title);
    return wick_started_keep(p, &s, out->fd);
}

bool wick_cli_output_noted(struct wick_cli_output *out, const struct wick_proc *p, int fd, bool *fd_is_it)
{
    struct wick_started s;
    if (!wick_started_find(p, fd, &s, fd_is_it))
        return false;
    *out =
        (struct wick_cli_output){.threads = s.threads, .compat = s.compat, .sequence = s.sequence, .fd = -1, .dir = -1};
    strcpy(out->path, s.path);
    strcpy(out->format, s.format);
    strcpy(out->title, s.title);
    return true;
}

void wick_cli_output_close(struct wick_cli_output *out)
{
    if (out->fd >= 0)
        close(out->fd);
    if (out->dir >= 0)
        close(out->dir);
    out->fd = out->dir = -1;
}
