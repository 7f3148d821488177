/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"

#include <stdlib.h>
#include <string.h>

#include "cli/replace.h"
#include "cli/ui.h"
#include "export/format.h"

enum { COUNT = WICK_ARG_LIMIT - WICK_ARG_FIRST, WIDTH = 100, COLUMN = 28 };

/* The columns of the list, without prefixes. */
enum {
    OPTIONS = WICK_ARGS_OPTIONS,
    SAMPLES = WICK_ARGS_SAMPLES,
    STACKS = WICK_ARGS_STACKS,
    LIVE = WICK_ARGS_LIVE,
    TOP = WICK_ARGS_TOP,
    ENDPOINTS = WICK_ARGS_ENDPOINTS,
    TRACE = WICK_ARGS_TRACE,
    EXPLAIN = WICK_ARGS_EXPLAIN,
    LOCKS = WICK_ARGS_LOCKS,
    TTSP = WICK_ARGS_TTSP,
    MEMORY = WICK_ARGS_MEMORY,
    HEAP = WICK_ARGS_HEAP,
    HOST = WICK_ARGS_HOST,
    FLAME = WICK_ARGS_FLAME,
    HEATMAP = WICK_ARGS_HEATMAP,
    CONVERT = WICK_ARGS_CONVERT,
    DIFF = WICK_ARGS_DIFF,
    STACK = WICK_ARGS_STACK,
    MAP = WICK_ARGS_MAP,
    UI = WICK_ARGS_UI,
    VIEWS = TOP | FLAME | HEATMAP | CONVERT | DIFF,
    ALL = 2 * UI - 1
};

const struct wick_arg_desc wick_arg_table[COUNT] = {
#define X(id, name_, letter_, metavar_, words_, def_, section_, commands_, help_, more_) \
    [WICK_ARG_##id - WICK_ARG_FIRST] = {.name = (name_),                                 \
                                        .metavar = (metavar_),                           \
                                        .words = (words_),                               \
                                        .def = (def_),                                   \
                                        .help = (help_),                                 \
                                        .more = (more_),                                 \
                                        .commands = (commands_),                         \
                                        .section = (section_),                           \
                                        .letter = (letter_)},
#include "def/tool_option.def"
#undef X
};

static const struct {
    const char *name;
    unsigned bit;
} commands[] = {{"top", TOP},         {"endpoints", ENDPOINTS},
                {"trace", TRACE},     {"explain", EXPLAIN},
                {"locks", LOCKS},     {"ttsp", TTSP},
                {"memory", MEMORY},   {"heap", HEAP},
                {"flame", FLAME},     {"heatmap", HEATMAP},
                {"convert", CONVERT}, {"diff", DIFF},
                {"stack", STACK},     {"map", MAP},
                {"host", HOST},       {"ui", UI}};

unsigned wick_args_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, name))
            return commands[i].bit;
    return 0;
}

/* --- parsing --- */

static struct option longs[COUNT + 1];
static char letters[2 * COUNT + 1];
static int by_letter[128];

void wick_args_start(unsigned command)
{
    char *at = letters;
    size_t n = 0;
    memset(by_letter, 0, sizeof by_letter);
    WICK_ARGS_FOR_EACH(d)
    {
        int arg = WICK_ARG_FIRST + (int)(d - wick_arg_table);
        if (!(d->commands & command))
            continue;
        longs[n++] = (struct option){d->name, *d->metavar ? required_argument : no_argument, NULL, arg};
        if (!d->letter)
            continue;
        by_letter[(unsigned char)d->letter] = arg;
        *at++ = d->letter;
        if (*d->metavar)
            *at++ = ':';
    }
    longs[n] = (struct option){0};
    *at = 0;
    optind = 0; /* getopt starts anew: another command may have used it */
}

int wick_args_next(int argc, char **argv)
{
    int arg;
    do {
        arg = getopt_long(argc, argv, letters, longs, NULL);
        if (arg > 0 && arg < (int)(sizeof by_letter / sizeof *by_letter) && by_letter[arg])
            arg = by_letter[arg];
        wick_replace_force |= arg == WICK_ARG_FORCE;
    } while (arg == WICK_ARG_FORCE);
    return arg;
}

const char *wick_args_name(int arg)
{
    return wick_arg_table[arg - WICK_ARG_FIRST].name;
}

const char *wick_args_default(int arg)
{
    return wick_arg_table[arg - WICK_ARG_FIRST].def;
}

uint32_t wick_args_default_number(int arg)
{
    return (uint32_t)strtoul(wick_args_default(arg), NULL, 10);
}

/* --- texts --- */

static void add_kinds(struct wick_strbuf *out, const char *separator)
{
    static const char *const words[] = {
#define X(kind, word, ...) word,
#include "def/event_kind.def"
#undef X
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wick_strbuf_addf(out, "%s%s", i ? separator : "", words[i]);
}

static void add_keys(struct wick_strbuf *out, const char *separator)
{
    static const char *const words[] = {"thread", "tid", "state", "event", "kind", "package", "work", "object"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wick_strbuf_addf(out, "%s%s", i ? separator : "", words[i]);
}

static void add_formats(struct wick_strbuf *out, const char *separator)
{
    for (const struct wick_format *x = wick_format_table; x->name; x++)
        wick_strbuf_addf(out, "%s%s", x->name, separator);
    wick_strbuf_adds(out, "jfr");
}

/* Each alone, and with cpu those that go beside it. */
static void add_events(struct wick_strbuf *out, const char *separator)
{
    enum { CPU, BESIDE };
    static const struct {
        const char *word;
        int sort;
    } words[] = {
#define X(word, sort, ...) {word, sort},
#include "def/event_word.def"
#undef X
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        wick_strbuf_addf(out, "%s%s", i ? separator : "", words[i].word);
        if (words[i].sort == BESIDE)
            wick_strbuf_addf(out, "%scpu,%s", separator, words[i].word);
    }
}

/* Each alone, and all of them. */
static void add_host_words(struct wick_strbuf *out, const char *separator)
{
#define X(word, ...) wick_strbuf_addf(out, "%s%s", word, separator);
#include "def/host_event.def"
#undef X
    const char *comma = "";
#define X(word, ...)                            \
    wick_strbuf_addf(out, "%s%s", comma, word); \
    comma = ",";
#include "def/host_event.def"
#undef X
}

static void add_host_events(struct wick_strbuf *out, const char *separator)
{
    const char *before = "";
#define X(word, field, kind, value, help)                            \
    wick_strbuf_addf(out, "%s%s%s (%s)", before, word, value, help); \
    before = separator;
#include "def/host_event.def"
#undef X
}

void wick_args_expand(struct wick_strbuf *out, const char *text, const char *separator)
{
    static const struct {
        const char *mark;
        void (*add)(struct wick_strbuf *out, const char *separator);
    } lists[] = {{"<kinds>", add_kinds},           {"<keys>", add_keys},
                 {"<formats>", add_formats},       {"<events>", add_events},
                 {"<host-words>", add_host_words}, {"<host-events>", add_host_events}};
    while (*text) {
        size_t i = 0, n = sizeof lists / sizeof *lists;
        while (i < n && strncmp(text, lists[i].mark, strlen(lists[i].mark)) != 0)
            i++;
        if (i < n)
            lists[i].add(out, separator);
        else
            wick_strbuf_addc(out, *text);
        text += i < n ? strlen(lists[i].mark) : 1;
    }
}

static void print_option(const struct wick_arg_desc *d, FILE *f)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    int at = d->letter ? fprintf(f, "  -%c, --%s", d->letter, d->name) : fprintf(f, "      --%s", d->name);
    if (*d->metavar)
        at += fprintf(f, " %s", d->metavar);
    fprintf(f, "%*s", at < COLUMN ? COLUMN - at : 2, "");
    wick_args_expand(&text, d->help, ", ");
    if (*d->def)
        wick_strbuf_addf(&text, " (default %s)", d->def);
    wick_ui_wrap(f, text.buf, at < COLUMN ? COLUMN : at + 2, COLUMN, WIDTH);
    wick_strbuf_release(&text);
}

void wick_args_help(unsigned command, FILE *f)
{
    static const struct {
        unsigned section;
        const char *title;
    } sections[] = {{OPTIONS, "Options:"}, {SAMPLES, "Samples to take:"}, {STACKS, "Stacks:"}, {LIVE, "For a JVM:"}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const char *title = sections[i].title;
        WICK_ARGS_FOR_EACH(d)
        {
            if (!(d->commands & command) || d->section != sections[i].section || !*d->help)
                continue;
            if (title)
                fprintf(f, "%s%s\n", i ? "\n" : "", title);
            title = NULL;
            print_option(d, f);
        }
    }
}
