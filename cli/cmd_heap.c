/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick heap [options] DUMP.hprof
 * wick heap [options] OLD.hprof NEW.hprof
 *
 * What fills the heap, and who holds it: a heap dump, analysed without a JVM.
 */
#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/heap_table.h"
#include "cli/look.h"
#include "cli/ui.h"

struct heap {
    struct wick_heap_table table;
    bool histogram, json;
    const char *sort, *memory;
};

static void usage(FILE *f)
{
    fputs("Usage: wick heap [OPTION...] DUMP.hprof\n"
          "\n"
          "Analyses a heap dump of a JVM (HPROF, gzip'ed or not; - is standard input), without a JVM: which classes "
          "fill\n"
          "it, which objects keep most alive and who holds those, duplicate strings and arrays, room that collections "
          "do\n"
          "not use, and class loaders. A dump is made by `jcmd PID GC.heap_dump FILE`.\n"
          "\n"
          "Options:\n"
          "      --histogram           only objects and bytes by class: quick, in little memory\n"
          "  -n, --rows N              rows of each table (default 15; 0 = all)\n"
          "      --sort KEY            order of classes: retained, shallow, objects or name (default retained)\n"
          "      --class NAME          only classes whose names contain NAME\n"
          "      --path CLASS|0xID     only the shortest path from a GC root to that object, or to those of a class "
          "that\n"
          "                            retain most\n"
          "      --memory SIZE         memory for the analysis; what does not fit goes to temporary files in $TMPDIR\n"
          "                            (default a third of the dump's size, at least 256M)\n"
          "      --json                JSON; sizes in bytes\n"
          "  -h, --help                this text\n",
          f);
}

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
               : wick_err_set(err, WICK_E_USAGE, "--sort wants retained, shallow, objects or name, not '%.40s'", word);
}

static int show(const struct heap *h, const char *path, const struct wick_heap_ask *ask, struct wick_err *err)
{
    struct wick_heap_report r;
    struct wick_heap_table t = h->table;
    t.title = strcmp(path, "-") ? path : "standard input";
    int rc = wick_heap_report_make(&r, path, ask, err);
    wick_ui_progress_end();
    if (rc)
        return rc;
    if (t.path)
        rc = wick_heap_write_paths(&r, &t, h->json, stdout, err);
    else
        rc = (h->json ? wick_heap_write_json : wick_heap_write_text)(&r, &t, stdout, err);
    wick_heap_report_release(&r);
    return rc ? rc : wick_ui_written(err);
}

static int run(struct heap *h, char *const *words, int n, struct wick_err *err)
{
    bool whole = !h->histogram && !h->table.path && !h->table.class;
    struct wick_heap_ask ask = {.graph = !h->histogram,
                                .waste = whole,
                                .paths = whole,
                                .rows = h->table.rows && h->table.rows < 1000 ? h->table.rows : 1000,
                                .step = show_step};
    int rc = parse_sort(h->sort, &h->table.sort, err);
    if (!rc && h->memory && (wick_opt_size(h->memory, &ask.memory) || !ask.memory))
        rc = wick_err_set(err, WICK_E_USAGE, "--memory wants a size such as 512M, not '%.40s'", h->memory);
    if (!rc && n < 1)
        rc = wick_err_set(err, WICK_E_USAGE, "which heap dump? (`wick heap --help` tells more)");
    if (!rc && h->histogram && h->table.path)
        rc = wick_err_set(err, WICK_E_USAGE, "--path needs more than a histogram: leave out --histogram");
    return rc ? rc : show(h, words[0], &ask, err);
}

int wick_cmd_heap(int argc, char **argv)
{
    struct heap h = {.table.rows = 15};
    struct wick_err err = {0};
    const struct wick_look_flag flags[] = {
        {"rows", 'n', WICK_LOOK_NUMBER, &h.table.rows}, {"histogram", 0, WICK_LOOK_SWITCH, &h.histogram},
        {"sort", 0, WICK_LOOK_TEXT, &h.sort},           {"class", 0, WICK_LOOK_TEXT, &h.table.class},
        {"path", 0, WICK_LOOK_TEXT, &h.table.path},     {"memory", 0, WICK_LOOK_TEXT, &h.memory},
        {"json", 0, WICK_LOOK_SWITCH, &h.json}};
    int status = wick_look_parse("heap", usage, flags, sizeof flags / sizeof *flags, argc, argv);
    if (status >= 0)
        return status;
    return run(&h, argv + optind, argc - optind, &err) ? wick_ui_fail(&err) : 0;
}
