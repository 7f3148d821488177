/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/record/attached.h"
#include "cli/ui.h"

enum { MOST_OPTIONS = 16 };

/* Whether a word of the command line names a recording: it exists as a file, or looks like a path. Else it names a
 * JVM. */
static bool is_recording(const char *word)
{
    size_t n = strlen(word);
    return !strcmp(word, "-") || strchr(word, '/') || (n > 4 && !strcmp(word + n - 4, ".jfr")) || !access(word, F_OK);
}

static int take_flag(const char *command, const struct wick_look_flag *f, char *arg)
{
    char message[64];
    switch (f->kind) {
    case WICK_LOOK_SWITCH:
        *(bool *)f->value = true;
        break;
    case WICK_LOOK_TEXT:
        *(const char **)f->value = arg;
        break;
    case WICK_LOOK_NUMBER:
        snprintf(message, sizeof message, "--%s takes a number", wick_args_name(f->arg));
        if (!wick_ui_rows(arg, f->value))
            return wick_ui_bad_option(command, message, arg);
        break;
    }
    return -1;
}

int wick_look_parse(const char *usage, const struct wick_look_flag *flags, size_t n, int argc, char **argv)
{
    unsigned command = wick_args_command(argv[0]);
    int opt, status = -1;
    wick_args_start(command);
    while (status < 0 && (opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        size_t i = 0;
        while (i < n && opt != (int)flags[i].arg)
            i++;
        if (i < n) {
            status = take_flag(argv[0], &flags[i], optarg);
        } else if (opt == WICK_ARG_HELP) {
            fputs(usage, stdout);
            wick_args_help(command, stdout);
            status = 0;
        } else {
            status = wick_ui_bad_option(argv[0], NULL, NULL);
        }
    }
    return status;
}

/* The options of a recording, checked by those who know them. */
static int parse(const struct wick_look_option *given, size_t n, struct wick_opts *o, struct wick_err *err)
{
    char *args[1 + 2 * MOST_OPTIONS] = {"look"}, *rest[1 + 2 * MOST_OPTIONS];
    int count = 1, nrest = 0, dashdash = 0;
    for (size_t i = 0; i < n && i < MOST_OPTIONS; i++) {
        if (!given[i].value)
            continue;
        args[count++] = (char *)given[i].flag;
        args[count++] = (char *)given[i].value;
    }
    wick_opt_defaults(o);
    return wick_opt_parse_args(count, args, WICK_CMD_RECORD, o, rest, &nrest, &dashdash, err);
}

/* Whether a version ("8u504", "1.8.0_504", "17.0.15") is of an older JDK; "" = not known, which is none. */
static bool is_before(const char *version, int jdk)
{
    int major = atoi(version);
    return major && major < jdk;
}

/* Records the JVM that `word` means, with the command's options, and shows what came of it. What `show` returns, or why
 * there is nothing to show. *pid gets the process, if it is not NULL. */
static int look_at_jvm(const struct wick_look_command *c, const char *word, int *pid, struct wick_err *err)
{
    struct wick_cli_output out = {.format = "jfr", .path = "(memory)", .fd = -1, .dir = -1};
    char path[64], *const paths[] = {path};
    struct wick_opts o;
    struct wick_attached l;
    bool started = false;
    int rc = parse(c->options, c->noptions, &o, err);
    if (rc || (rc = wick_attached_open(&l, word, err)))
        return rc;
    bool fallen = c->fallback && is_before(l.jvm.version, c->first_jdk);
    if (fallen)
        rc = parse(c->fallback, c->noptions, &o, err);
    if (pid)
        *pid = (int)l.proc.pid;
    out.fd = memfd_create("wick-look", MFD_CLOEXEC);
    if (!rc && out.fd < 0)
        rc = wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    if (!rc)
        rc = wick_attached_attach(&l, &o, err);
    if (!rc)
        rc = wick_attached_record(&l, &o, &out, &started, err);
    bool refused = (rc == -WICK_E_UNSUPPORTED || rc == -WICK_E_STATE) && !started;
    if (refused && c->fallback && !fallen && !(rc = parse(c->fallback, c->noptions, &o, err)))
        rc = wick_attached_record(&l, &o, &out, &started, err);
    wick_ui_progress_end();
    /* What was recorded is shown; that it is less than was asked for is reported after it. */
    bool ended = rc && rc != -WICK_E_INTR && started;
    if (!rc && c->ask)
        c->ask(c->arg, l.client);
    if (!rc || ended) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", out.fd);
        int shown = c->show(c->arg, paths, 1, ended ? &(struct wick_err){0} : err);
        rc = ended ? rc : shown;
        if (ended && rc != -WICK_E_GONE)
            wick_err_prefix(err, "the recording is not complete");
    }
    wick_cli_output_close(&out);
    wick_attached_close(&l);
    return rc;
}

bool wick_look_is_jvm(char *const *words, int n)
{
    return n == 1 && !is_recording(words[0]);
}

int wick_look_at_words(const struct wick_look_command *c, char *const *words, int n, int *pid, struct wick_err *err)
{
    if (pid)
        *pid = 0;
    if (n < 1)
        return wick_err_set(err, WICK_E_USAGE, "which recording or JVM? (see `wick %s --help`)", c->name);
    if (wick_look_is_jvm(words, n))
        return look_at_jvm(c, words[0], pid, err);
    if (c->live_names)
        return wick_err_set(err, WICK_E_USAGE, "%s are for a JVM, not for recordings", c->live_names);
    return c->show(c->arg, words, n, err);
}
