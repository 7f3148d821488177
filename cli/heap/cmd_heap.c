/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick heap [options] DUMP.hprof
 * wick heap [options] OLD.hprof NEW.hprof
 * wick heap [options] PID|NAME
 *
 * What fills the heap, and who holds it: a heap dump, analysed without a JVM. What exists as a file, or looks like a
 * path, is a file.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/heap/heap_diff.h"
#include "cli/heap/heap_live.h"
#include "cli/heap/heap_page.h"
#include "cli/heap/heap_table.h"
#include "cli/record/look.h"
#include "cli/page.h"
#include "cli/replace.h"
#include "cli/ui.h"

struct heap {
    struct wick_heap_table table;
    bool histogram, json, live, copy;
    const char *sort, *memory, *output;
};

static bool is_jvm(const char *word)
{
    return wick_look_is_jvm((char *const[]){(char *)(uintptr_t)word}, 1);
}

static const char usage[] =
    "Usage: wick heap [OPTION...] DUMP.hprof\n"
    "       wick heap [OPTION...] OLD.hprof NEW.hprof\n"
    "       wick heap [OPTION...] PID|NAME\n"
    "\n"
    "Analyses a heap dump of a JVM (HPROF, gzip'ed or not; - is standard input), without a JVM: which classes fill\n"
    "it, which objects keep most alive and what holds those, duplicate strings and arrays, room that collections do\n"
    "not use, and class loaders. Of two dumps it shows what changed. A running JVM writes its dump into a file that\n"
    "is removed afterwards, and is stopped while it does; with --copy a copy of its process writes it, and the\n"
    "program stops for milliseconds. With --histogram the JVM counts its objects instead.\n"
    "\n";

static void show_step(const char *what)
{
    wick_ui_progress("%s ...", what);
}

static int parse_sort(const char *word, enum wick_heap_sort *sort, struct wick_err *err)
{
    static const char *const words[] = {"retained", "shallow", "objects", "name"};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) {
            *sort = (enum wick_heap_sort)i;
            return 0;
        }
    return !word
               ? 0
               : wick_err_set(err, WICK_E_USAGE, "--sort takes retained, shallow, objects or name, not '%.40s'", word);
}

/* A dump of a JVM: its descriptor. */
static int dump(const struct heap *h, const char *word, struct wick_strbuf *title, struct wick_err *err)
{
    uint64_t stopped_ns;
    int fd = wick_heap_live_dump(word,
                                 h->copy   ? WICK_HEAP_LIVE_COPY
                                 : h->live ? WICK_HEAP_LIVE_REACHABLE
                                           : WICK_HEAP_LIVE_ALL,
                                 title, &stopped_ns, err);
    if (fd >= 0 && h->copy)
        wick_ui_note("wick: the JVM was stopped for %.1f ms at most", (double)stopped_ns / 1e6);
    return fd;
}

/* The report of a file, or of a dump that a JVM is asked for; title is what it is called. */
static int make(const struct heap *h, struct wick_heap_report *r, const char *word, const struct wick_heap_ask *ask,
                struct wick_strbuf *title, struct wick_err *err)
{
    int rc;
    if (is_jvm(word)) {
        int fd = dump(h, word, title, err);
        rc = fd < 0 ? fd : wick_heap_report_adopt(r, fd, title->buf, ask, err);
    } else {
        wick_strbuf_adds(title, strcmp(word, "-") ? word : "standard input");
        rc = wick_heap_report_make(r, word, ask, err);
    }
    wick_ui_progress_end();
    return rc;
}

/* Takes a dump of a JVM and keeps it. */
static int save(const struct heap *h, const char *word, struct wick_err *err)
{
    struct wick_strbuf title = WICK_STRBUF_INIT;
    int fd = dump(h, word, &title, err);
    int rc = fd < 0 ? fd : wick_heap_live_save(fd, h->output, err);
    if (fd >= 0)
        close(fd);
    wick_strbuf_release(&title);
    return rc;
}

static int show(const struct heap *h, const char *word, const struct wick_heap_ask *ask, struct wick_err *err)
{
    struct wick_heap_report r;
    struct wick_strbuf title = WICK_STRBUF_INIT;
    struct wick_heap_table t = h->table;
    int rc = make(h, &r, word, ask, &title, err);
    t.title = title.buf;
    if (rc) {
        wick_strbuf_release(&title);
        return rc;
    }
    if (h->output)
        rc = wick_heap_page_save(&r, &t, h->output, err);
    else if (t.path)
        rc = wick_heap_table_write_paths(&r, &t, h->json, stdout, err);
    else
        rc = (h->json ? wick_heap_json_write : wick_heap_table_write)(&r, &t, stdout, err);
    wick_heap_report_release(&r);
    wick_strbuf_release(&title);
    return rc ? rc : wick_ui_written(err);
}

static int compare(const struct heap *h, char *const *words, const struct wick_heap_ask *ask, struct wick_err *err)
{
    struct wick_heap_class_diff d = {0};
    struct wick_strbuf titles[2] = {WICK_STRBUF_INIT, WICK_STRBUF_INIT};
    struct wick_heap_table t = h->table;
    int rc = 0;
    for (int side = 0; !rc && side < 2; side++) {
        struct wick_heap_report r;
        rc = make(h, &r, words[side], ask, &titles[side], err);
        if (rc)
            break;
        if (wick_heap_class_diff_take(&d, &r, side))
            rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
        wick_heap_report_release(&r);
    }
    t.title = titles[1].buf;
    if (!rc)
        (h->json ? wick_heap_diff_write_json : wick_heap_diff_write)(&d, &t, titles[0].buf, ask->graph, stdout);
    wick_heap_class_diff_release(&d);
    wick_strbuf_release(&titles[0]);
    wick_strbuf_release(&titles[1]);
    return rc ? rc : wick_ui_written(err);
}

/* Whether the output is the dump, not a page. */
static bool keeps_dump(const struct heap *h)
{
    static const char ending[] = ".hprof";
    size_t n = h->output ? strlen(h->output) : 0;
    return n >= sizeof ending && !strcmp(h->output + n - strlen(ending), ending);
}

/* Whether a file can be made there: asked before the JVM is stopped for it. */
static int check_folder(const char *path, struct wick_err *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int n =
        snprintf(folder, sizeof folder, "%.*s", slash && slash > path ? (int)(slash - path) : 1, slash ? path : ".");
    if (n < (int)sizeof folder && !access(folder, W_OK | X_OK))
        return 0;
    return wick_err_set(err, errno == ENOENT || errno == ENOTDIR ? WICK_E_NOTFOUND : WICK_E_PERM,
                        "cannot create %s: %s", path, strerror(errno));
}

/* Whether the output can be what its name says. */
static int check_output(const struct heap *h, const char *word, struct wick_err *err)
{
    bool jvm = is_jvm(word);
    if (!keeps_dump(h))
        return !h->output || !wick_page_check(h->output, NULL)
                   ? 0
                   : wick_err_set(err, WICK_E_USAGE, "cannot infer the format of '%s': the name must end in .html%s",
                                  h->output, jvm ? ", or in .hprof for the dump itself" : "");
    if (!jvm)
        return wick_err_set(err, WICK_E_USAGE, "%s is a dump already: the output is a page, FILE.html", word);
    int rc = wick_replace_check(h->output, err);
    return rc ? rc : check_folder(h->output, err);
}

/* What goes together. */
static int check(const struct heap *h, char *const *words, int n, struct wick_err *err)
{
    if (n < 1)
        return wick_err_set(err, WICK_E_USAGE, "which heap dump or JVM? (see `wick heap --help`)");
    if (n > 2)
        return wick_err_set(err, WICK_E_USAGE, "one dump, or two to compare, not %d", n);
    if (h->histogram && (h->table.path || h->output))
        return wick_err_set(err, WICK_E_USAGE, "%s needs more than a histogram: leave out --histogram",
                            h->table.path ? "--path" : "a page");
    if (h->table.heading && (!h->output || keeps_dump(h)))
        return wick_err_set(err, WICK_E_USAGE, "--title is of a page: it needs -o FILE.html");
    if (n == 2 && (h->table.path || h->output))
        return wick_err_set(err, WICK_E_USAGE, "%s is of one dump, not of two", h->table.path ? "--path" : "a page");
    if ((h->live || h->copy) && !is_jvm(words[0]) && !(n == 2 && is_jvm(words[1])))
        return wick_err_set(err, WICK_E_USAGE, "%s is for a JVM: what a dump holds is decided when it is made",
                            h->copy ? "--copy" : "--live");
    if (h->live && h->copy)
        return wick_err_set(err, WICK_E_USAGE, "--copy has no garbage in its dump: leave out --live");
    if (h->histogram && h->copy)
        return wick_err_set(err, WICK_E_USAGE, "--histogram is counted by the JVM itself: leave out --copy");
    return check_output(h, words[0], err);
}

static int run(struct heap *h, char *const *words, int n, struct wick_err *err)
{
    bool whole = !h->histogram && !h->table.path && !h->table.class && n == 1;
    struct wick_heap_ask ask = {.graph = !h->histogram,
                                .waste = whole,
                                .paths = whole,
                                .tree = h->output != NULL,
                                .rows = h->table.rows && h->table.rows < 1000 ? h->table.rows : 1000,
                                .step = show_step};
    int rc = parse_sort(h->sort, &h->table.sort, err);
    if (!rc && h->memory && (wick_opt_size(h->memory, &ask.memory) || !ask.memory))
        rc = wick_err_set(err, WICK_E_USAGE, "--memory takes a size such as 512M, not '%.40s'", h->memory);
    rc = rc ? rc : check(h, words, n, err);
    if (rc)
        return rc;
    if (keeps_dump(h))
        return save(h, words[0], err);
    if (n == 2)
        return compare(h, words, &ask, err);
    if (h->histogram && is_jvm(words[0]))
        return wick_heap_live_histogram(words[0], h->live, &h->table, h->json, stdout, err);
    return show(h, words[0], &ask, err);
}

int wick_cmd_heap(int argc, char **argv)
{
    struct heap h = {.table.rows = wick_args_default_number(WICK_ARG_HEAP_ROWS)};
    struct wick_err err = {0};
    const struct wick_look_flag flags[] = {{WICK_ARG_HEAP_ROWS, WICK_LOOK_NUMBER, &h.table.rows},
                                           {WICK_ARG_HISTOGRAM, WICK_LOOK_SWITCH, &h.histogram},
                                           {WICK_ARG_SORT, WICK_LOOK_TEXT, &h.sort},
                                           {WICK_ARG_CLASS, WICK_LOOK_TEXT, &h.table.class},
                                           {WICK_ARG_PATH, WICK_LOOK_TEXT, &h.table.path},
                                           {WICK_ARG_MEMORY, WICK_LOOK_TEXT, &h.memory},
                                           {WICK_ARG_GARBAGE, WICK_LOOK_SWITCH, &h.live},
                                           {WICK_ARG_HEAP_COPY, WICK_LOOK_SWITCH, &h.copy},
                                           {WICK_ARG_HEAP_PAGE, WICK_LOOK_TEXT, &h.output},
                                           {WICK_ARG_TITLE, WICK_LOOK_TEXT, &h.table.heading},
                                           {WICK_ARG_JSON, WICK_LOOK_SWITCH, &h.json}};
    int status = wick_look_parse(usage, flags, sizeof flags / sizeof *flags, argc, argv);
    if (status >= 0)
        return status;
    return run(&h, argv + optind, argc - optind, &err) ? wick_ui_fail(&err) : 0;
}
