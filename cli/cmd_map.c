/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_map.c - wick map: names for perf
 *
 * perf looks up addresses that belong to no file in /tmp/perf-PID.map: one line a symbol, address and size in
 * hexadecimal, then the name. Of a process in a container it looks there, inside the container and by the pid in it. It
 * takes only files that belong to its own user or root, so the file belongs to whoever calls this command.
 *
 * /tmp is everybody's. So the file is made under a random name, O_EXCL and 0600, and moved over the old one when it is
 * complete: a link that somebody has put there is replaced, never followed. Inside a container even /tmp is looked up
 * with the links of that container.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/target.h"
#include "cli/ui.h"
#include "hotspot/value.h"
#include "sys/ns.h"
#include "unwind/codemap.h"

struct map_file {
    int dir; /* /tmp */
    char name[64], temporary[64];
    FILE *out;
    unsigned long symbols;
};

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
        "      --inlined   tell inlined methods apart: \"a->b\" is b inlined into a, which `wick` shows as two frames\n"
        "  -h, --help      this text\n",
        f);
}

/* --- the file --- */

/* The target's /tmp, which is ours unless it lives in a container. */
static int open_tmp(const struct wick_proc *p, struct wick_err *err)
{
    int dir = -1;
    if (wick_ns_same_root(p) == 1) {
        dir = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        dir = dir < 0 ? -errno : dir;
    } else {
        int root = wick_ns_root(p);
        dir = root < 0 ? -EACCES : wick_ns_open(root, "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
        if (root >= 0)
            close(root);
    }
    return dir >= 0 ? dir
                    : wick_err_set(err, dir == -EACCES ? WICK_E_PERM : WICK_E_IO, "cannot open /tmp of process %d: %s",
                                   (int)p->pid, strerror(-dir));
}

static int begin_file(struct map_file *f, const struct wick_proc *p, struct wick_err *err)
{
    uint64_t random = 0;
    f->dir = open_tmp(p, err);
    if (f->dir < 0)
        return f->dir;
    snprintf(f->name, sizeof f->name, "perf-%d.map", (int)(wick_ns_same_root(p) == 1 ? p->pid : p->st.nspid));
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return wick_err_set(err, WICK_E_IO, "no random numbers: %s", strerror(errno));
    snprintf(f->temporary, sizeof f->temporary, ".wick-%016" PRIx64, random);
    int fd = openat(f->dir, f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    f->out = fd < 0 ? NULL : fdopen(fd, "w");
    if (f->out)
        return 0;
    int e = errno;
    if (fd >= 0)
        close(fd);
    return wick_err_set(err, e == EACCES ? WICK_E_PERM : WICK_E_IO, "cannot make a file in /tmp: %s", strerror(e));
}

static int end_file(struct map_file *f, int rc, struct wick_err *err)
{
    if (f->out) {
        bool lost = ferror(f->out);
        lost |= fclose(f->out) != 0;
        if (!rc && lost)
            rc = wick_err_set(err, WICK_E_IO, "cannot write to /tmp: %s", strerror(errno));
        if (!rc && renameat(f->dir, f->temporary, f->dir, f->name))
            rc = wick_err_set(err, errno == EPERM || errno == EACCES ? WICK_E_PERM : WICK_E_IO,
                              "cannot replace /tmp/%s: %s; does it belong to another user?", f->name, strerror(errno));
        if (rc)
            unlinkat(f->dir, f->temporary, 0);
    }
    if (f->dir >= 0)
        close(f->dir);
    return rc;
}

/* Names are hostile: one must not become two lines. */
static void put_symbol(void *ctx, const struct wick_code_entry *c)
{
    struct map_file *f = ctx;
    fprintf(f->out, "%" PRIx64 " %" PRIx64 " ", c->start, c->end - c->start);
    for (size_t i = 0; i < c->name->len; i++) {
        unsigned char b = (unsigned char)c->name->buf[i];
        putc_unlocked(b < 0x20 || b == 0x7f ? '?' : b, f->out);
    }
    putc_unlocked('\n', f->out);
    f->symbols++;
}

/* --- JVMs --- */

/* perf walks stacks by the frame pointer, which compiled Java code has for other things unless it is told not to. */
static bool keeps_frame_pointer(const struct wick_remote *r)
{
    uint8_t on = 1;
    wick_addr flag = wick_jvm_flag(&r->jvm, "PreserveFramePointer");
    return !flag || wick_mem_read(&r->mem, flag, &on, 1) || on;
}

static int map_process(const struct wick_proc *p, bool inlined, struct wick_err *err)
{
    struct map_file f = {.dir = -1};
    struct wick_remote remote;
    int rc = wick_remote_open(&remote, p->pid, err);
    if (rc)
        return rc;
    rc = begin_file(&f, p, err);
    if (!rc && (rc = wick_codemap_read(&remote, inlined, put_symbol, &f)))
        wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc && !f.symbols)
        rc = wick_err_set(err, WICK_E_GONE, "process %d has no code that can be read: is it just starting or ending?",
                          (int)p->pid);
    rc = end_file(&f, rc, err);
    if (!rc) {
        printf("%d: %lu symbols in /tmp/%s%s\n", (int)p->pid, f.symbols, f.name,
               wick_ns_same_root(p) == 1 ? "" : " of its container");
        if (!keeps_frame_pointer(&remote))
            fprintf(stderr,
                    "wick: %d runs without -XX:+PreserveFramePointer: perf sees its Java frames, but often not who "
                    "called them\n",
                    (int)p->pid);
    }
    wick_remote_close(&remote);
    return rc;
}

static int map_word(const char *word, bool inlined, struct wick_err *err)
{
    struct wick_proc proc;
    struct wick_jvm_entry jvm;
    int rc = wick_target_open(word, &proc, &jvm, err);
    if (rc)
        return rc;
    rc = map_process(&proc, inlined, err);
    wick_proc_close(&proc);
    return rc;
}

/* JVMs that end meanwhile are no failure, nor are other users'. */
static int map_all(bool inlined, struct wick_err *err)
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
        if (map_process(&proc, inlined, &one) == 0)
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
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct wick_err err = {0};
    bool all = false, inlined = false;
    int opt, rc = 0;
    optind = 0; /* getopt starts anew: another command may have used it */
    while ((opt = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (opt == 'a') {
            all = true;
        } else if (opt == 'i') {
            inlined = true;
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
        rc = map_all(inlined, &err);
    for (int i = optind; !rc && i < argc; i++)
        rc = map_word(argv[i], inlined, &err);
    return rc ? wick_ui_fail(&err) : 0;
}
