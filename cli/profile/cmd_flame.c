/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick flame [options] IN... -o OUT
 *
 * Inputs are profiles of any format that is read (import/input.h), which is seen from the first bytes, not from the
 * name. All inputs are added up in one picture, so they must be of one sort: a recording's weights have a unit, those
 * of collapsed stacks do not. The output's form follows from its name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/args.h"
#include "cli/input/inputs.h"
#include "cli/replace.h"
#include "cli/save.h"
#include "cli/ui.h"
#include "cli/input/view.h"
#include "export/picture.h"
#include "flame/flame.h"
#include "import/collapsed.h"
#include "import/input.h"

int wick_cmd_flame(int argc, char **argv);

static const char usage[] =
    "Usage: wick flame [OPTION...] IN... -o OUT\n"
    "\n"
    "Draws a flame graph. IN is a JFR recording, pprof, perf.data, output of `perf script` or a file of collapsed "
    "stacks, also\n"
    "compressed with gzip; - is standard input; several are added up.\n"
    "\n";

struct job {
    struct wick_flame_opts flame;
    struct wick_export_options export;
    const char *out;
    struct wick_view view;
    struct wick_filter filter; /* the view's */
    struct wick_tree *tree;
    struct wick_profile profile;
    bool text, recording; /* sorts of input seen */
};

/* ---- input ---- */

static int mixed(const char *name, struct wick_err *err)
{
    return wick_err_set(err, WICK_E_USAGE,
                        "%s: recordings and collapsed stacks cannot be added up, since only the former have a unit; "
                        "convert the recordings with `wick convert` first",
                        name);
}

/* Everything that is left in `in`, after what is in sb already. */
static int slurp(FILE *in, struct wick_strbuf *sb, const char *name, struct wick_err *err)
{
    char buf[65536];
    size_t n;
    while ((n = fread(buf, 1, sizeof buf, in)) > 0 && !sb->failed)
        wick_strbuf_add(sb, buf, n);
    if (sb->failed)
        return wick_err_set(err, WICK_E_NOMEM, "not enough memory to hold %s", name);
    return ferror(in) ? wick_err_set(err, WICK_E_IO, "cannot read %s: %s", name, strerror(errno)) : 0;
}

static int read_text(struct job *j, FILE *in, const char *name, struct wick_err *err)
{
    int rc = wick_collapsed_read(j->tree, in, name, err);
    size_t n = strlen(err->msg);
    if (rc == -WICK_E_FORMAT && !wick_tree_node(j->tree, WICK_TREE_ROOT)->total)
        snprintf(err->msg + n, sizeof err->msg - n,
                 ", and this is not a JFR recording, pprof, perf.data or `perf script` output either");
    return rc;
}

/* Collapsed stacks go into the tree, everything else into the profile. What is neither is taken for text, whose reader
 * says where it stops making sense. */
static int read_stream(struct job *j, FILE *in, const char *path, const char *name, struct wick_err *err)
{
    char head[WICK_INPUT_HEAD];
    errno = 0;
    size_t n = fread(head, 1, sizeof head, in);
    if (!n && ferror(in))
        return wick_err_set(err, WICK_E_IO, "cannot read %s: %s", name, strerror(errno));
    enum wick_input_format format = wick_input_is(head, n);
    bool text = format == WICK_INPUT_COLLAPSED || format == WICK_INPUT_UNKNOWN;
    if (text ? j->recording : j->text)
        return mixed(name, err);
    bool again = in != stdin && !fseek(in, 0, SEEK_SET);
    j->text |= text;
    j->recording |= !text;
    if (!text) {
        char *const paths[] = {(char *)path};
        const struct wick_jfr_visitor v = {.filter = j->filter};
        return again ? wick_cli_read_each(&j->profile, paths, 1, &v, err)
                     : wick_cli_read_stream(&j->profile, in, head, n, name, &v, err);
    }
    if (again)
        return read_text(j, in, name, err);
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_strbuf_add(&sb, head, n);
    int rc = slurp(in, &sb, name, err);
    FILE *mem = rc || !sb.len ? NULL : fmemopen(sb.buf, sb.len, "r");
    if (mem)
        rc = read_text(j, mem, name, err);
    else if (!rc && sb.len)
        rc = wick_err_set(err, WICK_E_NOMEM, "not enough memory to read %s", name);
    if (mem)
        fclose(mem);
    wick_strbuf_release(&sb);
    return rc;
}

static int read_input(struct job *j, const char *path, struct wick_err *err)
{
    if (!strcmp(path, "-"))
        return read_stream(j, stdin, path, "standard input", err);
    FILE *in = fopen(path, "re");
    if (!in) {
        int e = errno;
        return wick_err_set(err,
                            e == ENOENT   ? WICK_E_NOTFOUND
                            : e == EACCES ? WICK_E_PERM
                                          : WICK_E_IO,
                            "cannot open %s: %s", path, strerror(e));
    }
    int rc = read_stream(j, in, path, path, err);
    fclose(in);
    return rc;
}

/* ---- output ---- */

typedef int writer(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err);

static writer *writer_for(const char *path, struct wick_err *err)
{
    static const struct {
        const char *format;
        writer *write;
    } writers[] = {
        {"html", wick_flame_write_html}, {"svg", wick_flame_write_svg}, {"collapsed", wick_flame_write_collapsed}};
    const struct wick_format *f = path && strcmp(path, "-") ? wick_format_by_file(path) : wick_format_by_name("html");
    for (size_t i = 0; f && i < sizeof writers / sizeof *writers; i++)
        if (!strcmp(writers[i].format, f->name))
            return writers[i].write;
    wick_err_set(err, WICK_E_USAGE, "cannot infer the format of '%s': use .html, .svg or .collapsed", path);
    return NULL;
}

/* The profile's samples of the chosen event go into the tree; unit and subtitle follow from them. */
static int fold(struct job *j, struct wick_strbuf *subtitle, struct wick_err *err)
{
    int rc = wick_view_end(&j->view, &j->profile, &j->filter, err);
    rc = rc ? rc : wick_cli_event(&j->profile, j->view.event, &j->export.event, err);
    wick_profile_seal(&j->profile);
    rc = rc ? rc : wick_picture_fold(&j->profile, &j->export, j->tree, err);
    if (rc)
        return rc;
    j->flame.unit = wick_picture_unit(&j->profile, &j->export);
    wick_picture_subtitle(subtitle, &j->profile, &j->export);
    if (!j->flame.subtitle && !subtitle->failed)
        j->flame.subtitle = subtitle->buf;
    return 0;
}

/* Pictures are not inputs, whatever they contain: such an operand was meant as the output. */
static int check_inputs(const struct job *j, char *const *inputs, int n, struct wick_err *err)
{
    for (int i = 0; !j->out && i < n; i++) {
        const char *dot = strrchr(inputs[i], '.');
        if (dot && (!strcmp(dot, ".html") || !strcmp(dot, ".svg")))
            return wick_err_set(err, WICK_E_USAGE, "%s cannot be read; as the output it is named with -o %s", inputs[i],
                                inputs[i]);
    }
    return 0;
}

static int run(struct job *j, char **inputs, int n, struct wick_err *err)
{
    struct wick_strbuf subtitle = WICK_STRBUF_INIT;
    const char *slash = strrchr(inputs[0], '/');
    writer *write = writer_for(j->out, err);
    int rc = write ? check_inputs(j, inputs, n, err) : -err->code;
    if (!rc && !j->out && isatty(STDOUT_FILENO))
        rc = wick_err_set(err, WICK_E_USAGE, "HTML on a terminal is of no use; name a file with -o FILE.html");
    rc = rc ? rc : wick_view_begin(&j->view, &j->profile, inputs, n, &j->filter, err);
    for (int i = 0; !rc && i < n; i++)
        rc = read_input(j, inputs[i], err);
    if (!rc && j->text && !wick_view_is_plain(&j->view))
        rc = wick_err_set(err, WICK_E_USAGE,
                          "text has no threads, times or labels to choose by: such options are for recordings");
    if (!rc && j->recording)
        rc = fold(j, &subtitle, err);
    if (!rc && !wick_tree_node(j->tree, WICK_TREE_ROOT)->total)
        rc = wick_err_set(err, WICK_E_FORMAT, "there are no stacks in the input, so there is nothing to draw");
    if (!j->flame.title && strcmp(inputs[0], "-"))
        j->flame.title = slash && slash[1] ? slash + 1 : inputs[0];
    if (!rc) {
        FILE *out = wick_save_open(j->out, false, err);
        rc = out ? wick_save_close(out, j->out, write(j->tree, &j->flame, out, err), err) : -err->code;
    }
    wick_strbuf_release(&subtitle);
    return rc;
}

/* ---- command line ---- */

static bool parse_percent(const char *s, double *out)
{
    char *end;
    *out = strtod(s, &end);
    return !*end && end != s && *out >= 0 && *out <= 100;
}

/* -1 = go on, otherwise the exit status. */
static int take_option(struct job *j, int c)
{
    switch (c) {
    case WICK_ARG_OUTPUT:
        j->out = optarg;
        return -1;
    case WICK_ARG_TITLE:
        j->flame.title = optarg;
        return -1;
    case WICK_ARG_SUBTITLE:
        j->flame.subtitle = optarg;
        return -1;
    case WICK_ARG_UNIT:
        j->flame.unit = optarg;
        return -1;
    case WICK_ARG_LEAF_UP:
        j->flame.reverse = true;
        return -1;
    case WICK_ARG_INVERTED:
        j->flame.icicle = true;
        return -1;
    case WICK_ARG_MIN_WIDTH:
    case WICK_ARG_MINWIDTH:
        if (parse_percent(optarg, &j->flame.min_width))
            return -1;
        wick_ui_print(stderr, "wick: --min-width takes a percentage, not '%s'\n", optarg);
        return wick_err_exit(WICK_E_USAGE);
    case WICK_ARG_THREADS:
        j->export.threads = true;
        return -1;
    case WICK_ARG_SAMPLES:
        j->export.counts = true;
        return -1;
    case WICK_ARG_HELP:
        fputs(usage, stdout);
        wick_args_help(WICK_ARGS_FLAME, stdout);
        return 0;
    default:
        return wick_view_take(&j->view, c, optarg, "flame");
    }
}

int wick_cmd_flame(int argc, char **argv)
{
    struct job j = {.view.shape.no_own = true};
    struct wick_err err = {0};
    int c, status = -1;
    wick_args_start(WICK_ARGS_FLAME);
    while (status < 0 && (c = wick_args_next(argc, argv)) != WICK_ARG_END)
        status = take_option(&j, c);
    if (status >= 0)
        return status;
    if (optind == argc) {
        fputs("wick: no input (see `wick flame --help`)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    j.tree = wick_tree_new();
    int rc = j.tree ? wick_profile_init(&j.profile) : -WICK_E_NOMEM;
    if (rc) {
        wick_err_set(&err, WICK_E_NOMEM, "out of memory");
    } else {
        j.profile.by_thread = j.export.threads;
        j.profile.by_state = false;
        j.profile.objects = true;
        j.export.names = j.view.names;
        j.profile.keep = wick_picture_keep(j.export.names);
        rc = run(&j, argv + optind, argc - optind, &err);
        wick_profile_release(&j.profile);
    }
    wick_tree_free(j.tree);
    wick_view_release(&j.view);
    return rc ? wick_ui_fail(&err) : 0;
}
