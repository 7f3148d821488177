/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_map.c - wick map: names for perf
 *
 * perf resolves addresses that belong to no file through /tmp/perf-PID.map: one line per symbol, address and size in
 * hexadecimal, then the name. For a process in a container it reads the file inside the container, named by the pid
 * there. It accepts only files of its own user or of root, so the file belongs to the user who runs this command.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/command.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "export/jitdump.h"
#include "export/mapfile.h"
#include "opt/option.h"

enum { LOOK_MS = 1000 };

struct map_job {
    struct wick_mapfile_opts o;
    bool all;
    pid_t *pids; /* JVMs that were named, for jitdump */
    size_t npids;
    char **command; /* run while maps are written; NULL = none */
};

static void usage(FILE *f)
{
    fputs("Usage: wick map PID|NAME...\n"
          "       wick map --all\n"
          "       wick map --jitdump DIR PID|NAME...|--all -- COMMAND...\n"
          "\n"
          "Writes /tmp/perf-PID.map: the names of compiled methods and of the JVM's stubs, read from outside, so that\n"
          "perf can name them. Call it while or right after `perf record` runs:\n"
          "\n"
          "  perf record -F 99 -a -g -- sleep 30; wick map --all; wick flame perf.data -o all.html\n"
          "\n"
          "`wick record --perf -a` does all of this in one step.\n"
          "\n"
          "To know when code came (--jitdump), instead:\n"
          "\n"
          "  wick map --jitdump . --all -- perf record -k mono -F 99 -a -g -- sleep 30\n"
          "  perf inject --jit -i perf.data -o perf.jit.data\n"
          "\n",
          f);
    wick_args_help(WICK_ARGS_MAP, f);
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

/* JVMs that end during the scan, and those of other users, are not errors. */
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
            wick_ui_print(stderr, "wick: %s\n", one.msg);
        wick_proc_close(&proc);
    }
    wick_jvmlist_free(&list);
    return done ? 0 : wick_err_set(err, WICK_E_NOTFOUND, "no JVM could be read (`wick ps` lists them)");
}

/* --- jitdump --- */

/* Polls the named JVMs, or all of them, once. A JVM that ends during the scan is not an error. */
static int look(struct wick_jitdump *d, const struct map_job *job, struct wick_err *err)
{
    struct wick_jvmlist list = {0};
    int rc = job->all ? wick_jvmlist_scan(&list, err) : 0;
    size_t n = job->all ? list.count : job->npids;
    wick_jitdump_begin(d);
    for (size_t i = 0; !rc && i < n; i++) {
        struct wick_err one = {0};
        if (job->all && !list.jvms[i].readable)
            continue;
        int failed = wick_jitdump_look(d, job->all ? list.jvms[i].pid : job->pids[i], job->o.inlined, &one);
        if (failed == -WICK_E_LIMIT)
            wick_ui_note("%s", one.msg);
        if (failed == -WICK_E_NOMEM || failed == -WICK_E_IO || failed == -WICK_E_NOSPACE) {
            rc = failed;
            *err = one;
        }
    }
    wick_jvmlist_free(&list);
    return rc;
}

/* Polls every second while the command runs. */
static int watch(struct wick_jitdump *d, const struct map_job *job, int child, struct wick_err *err)
{
    struct pollfd p = {child, POLLIN, 0};
    int rc = 0;
    while (!rc && poll(&p, 1, LOOK_MS) == 0)
        rc = look(d, job, err);
    return rc ? rc : look(d, job, err); /* the last one */
}

static int run_command(struct wick_jitdump *d, const struct map_job *job, int *status, struct wick_err *err)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        execvp(job->command[0], job->command);
        wick_ui_print(stderr, "wick: cannot run %s: %s\n", job->command[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    int child = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (child < 0)
        return wick_err_set(err, WICK_E_LIMIT, "cannot run %s: %s", job->command[0], strerror(errno));
    int rc = watch(d, job, child, err);
    if (rc)
        kill(pid, SIGINT);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    close(child);
    return rc;
}

static int name_jvms(struct map_job *job, char **words, struct wick_err *err)
{
    for (; *words; words++) {
        struct wick_proc proc;
        int rc = wick_target_open(*words, &proc, NULL, err);
        if (rc)
            return rc;
        job->pids[job->npids++] = proc.pid;
        wick_proc_close(&proc);
    }
    return 0;
}

/* Returns the exit status, which is the command's. */
static int jitdump(struct map_job *job, const char *dir, char **words)
{
    struct wick_err err = {0};
    struct wick_jitdump d;
    int status = 0, rc = name_jvms(job, words, &err);
    if (rc)
        return wick_ui_fail(&err);
    signal(SIGINT, SIG_IGN); /* it is the command's, which ends then */
    rc = wick_jitdump_open(&d, dir, &err);
    if (job->o.most_bytes)
        d.most_bytes = job->o.most_bytes;
    rc = rc ? rc : look(&d, job, &err);
    rc = rc ? rc : run_command(&d, job, &status, &err);
    if (!rc)
        wick_ui_print(stdout, "%" PRIu64 " symbols in %s\n", wick_jitdump_count(&d), d.path);
    wick_jitdump_close(&d);
    if (rc)
        return wick_ui_fail(&err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Takes "-- COMMAND" off the arguments. */
static int take_command(struct map_job *job, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--") && i + 1 < argc) {
            job->command = argv + i + 1;
            argv[i] = NULL;
            return i;
        }
    return argc;
}

static int misused(const char *what)
{
    wick_ui_print(stderr, "wick: %s (see `wick map --help`)\n", what);
    return wick_err_exit(WICK_E_USAGE);
}

int wick_cmd_map(int argc, char **argv)
{
    struct wick_err err = {0};
    struct map_job job = {.pids = calloc((size_t)argc, sizeof *job.pids)};
    const char *dir = NULL;
    int opt, rc = job.pids ? 0 : wick_err_set(&err, WICK_E_NOMEM, "out of memory"), status = 0;
    argc = take_command(&job, argc, argv);
    wick_args_start(WICK_ARGS_MAP);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        if (opt == WICK_ARG_ALL_JVMS) {
            job.all = true;
        } else if (opt == WICK_ARG_INLINED) {
            job.o.inlined = true;
        } else if (opt == WICK_ARG_COMPARE) {
            job.o.compare = true;
        } else if (opt == WICK_ARG_JITDUMP) {
            dir = optarg;
        } else if (opt == WICK_ARG_MAX_SIZE && (wick_opt_size(optarg, &job.o.most_bytes) || !job.o.most_bytes)) {
            free(job.pids);
            return wick_ui_bad_option("map", "--max-size takes a size such as 256m", optarg);
        } else if (opt != WICK_ARG_MAX_SIZE) {
            usage(opt == WICK_ARG_HELP ? stdout : stderr);
            free(job.pids);
            return opt == WICK_ARG_HELP ? 0 : wick_err_exit(WICK_E_USAGE);
        }
    }
    if (job.all == (optind < argc))
        status = misused("which JVM? Name some, or give --all");
    else if (!dir != !job.command)
        status = misused("--jitdump DIR and -- COMMAND go together: it is written while that runs");
    else if (!rc && dir)
        status = jitdump(&job, dir, argv + optind);
    else if (!rc && job.all)
        rc = map_all(&job.o, &err);
    for (int i = optind; !rc && !status && !dir && !job.all && i < argc; i++)
        rc = map_word(argv[i], &job.o, &err);
    free(job.pids);
    return rc ? wick_ui_fail(&err) : status;
}
