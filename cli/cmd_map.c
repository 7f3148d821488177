/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_map.c - wick map: names for perf
 *
 * perf looks up addresses that belong to no file in /tmp/perf-PID.map: one line a symbol, address and size in
 * hexadecimal, then the name. Of a process in a container it looks there, inside the container and by the pid in it. It
 * takes only files that belong to its own user or root, so the file belongs to whoever calls this command.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/mapfile.h"
#include "cli/target.h"
#include "cli/ui.h"

static void usage(FILE *f)
{
    fputs(
        "Usage: wick map PID|NAME...\n"
        "       wick map --all\n"
        "\n"
        "Writes /tmp/perf-PID.map: the names of compiled methods and of the JVM's stubs, read from outside, so that\n"
        "perf can name them. Call it while or right after `perf record` runs:\n"
        "\n"
        "  perf record -F 99 -a -g -- sleep 30; wick map --all; perf script | wick flame - -o all.html\n"
        "\n"
        "Options:\n"
        "      --all       every JVM that this user may read\n"
        "      --compare   mark what differs from the map that is there, written before: \" [stale]\" is what has "
        "gone\n"
        "                  since, \" [changed]\" what lies where something else lay\n"
        "      --inlined   tell inlined methods apart: \"a->b\" is b inlined into a, which `wick` shows as two frames\n"
        "  -h, --help      this text\n",
        f);
}

static int map_process(const struct wick_proc *p, const struct wick_mapfile_opts *o, struct wick_err *err)
{
    struct wick_mapfile_result r;
    int rc = wick_mapfile_write(p, o, &r, err);
    if (rc)
        return rc;
    printf("%d: %lu symbols in /tmp/%s%s", (int)p->pid, r.symbols, r.name, r.in_container ? " of its container" : "");
    if (o->compare)
        printf(", %lu stale, %lu changed", r.stale, r.changed);
    putchar('\n');
    if (!r.frame_pointers)
        fprintf(stderr,
                "wick: %d runs without -XX:+PreserveFramePointer: perf sees its Java frames, but often not who called "
                "them\n",
                (int)p->pid);
    return 0;
}

static int map_word(const char *word, const struct wick_mapfile_opts *o, struct wick_err *err)
{
    struct wick_proc proc;
    struct wick_jvm_entry jvm;
    int rc = wick_target_open(word, &proc, &jvm, err);
    if (rc)
        return rc;
    rc = map_process(&proc, o, err);
    wick_proc_close(&proc);
    return rc;
}

/* JVMs that end meanwhile are no failure, nor are other users'. */
static int map_all(const struct wick_mapfile_opts *o, struct wick_err *err)
{
    struct wick_jvmlist list;
    size_t done = 0;
    int rc = wick_jvmlist_scan(&list, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < list.count; i++) {
        struct wick_err one = {0};
        struct wick_proc proc;
        if (!list.jvms[i].readable || wick_proc_open(list.jvms[i].pid, &proc, &one))
            continue;
        if (map_process(&proc, o, &one) == 0)
            done++;
        else if (one.code != WICK_E_GONE)
            fprintf(stderr, "wick: %s\n", one.msg);
        wick_proc_close(&proc);
    }
    wick_jvmlist_free(&list);
    return done ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "there is no JVM that could be read (`wick ps` lists them)");
}

int wick_cmd_map(int argc, char **argv)
{
    static const struct option longs[] = {{"all", no_argument, NULL, 'a'},
                                          {"inlined", no_argument, NULL, 'i'},
                                          {"compare", no_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct wick_err err = {0};
    struct wick_mapfile_opts o = {0};
    bool all = false;
    int opt, rc = 0;
    optind = 0; /* getopt starts anew: another command may have used it */
    while ((opt = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (opt == 'a') {
            all = true;
        } else if (opt == 'i') {
            o.inlined = true;
        } else if (opt == 'c') {
            o.compare = true;
        } else {
            usage(opt == 'h' ? stdout : stderr);
            return opt == 'h' ? 0 : wick_err_exit(WICK_E_USAGE);
        }
    }
    if (all == (optind < argc)) {
        fputs("wick: which JVM? Name some, or give --all (`wick map --help` tells more)\n", stderr);
        return wick_err_exit(WICK_E_USAGE);
    }
    if (all)
        rc = map_all(&o, &err);
    for (int i = optind; !rc && i < argc; i++)
        rc = map_word(argv[i], &o, &err);
    return rc ? wick_ui_fail(&err) : 0;
}
