/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_virtual.c - see stack_virtual.h
 *
 * The list may be longer than a reply, so the agent writes it to a file in memory that goes with the question. The
 * agent is not loaded for it: it would know of no thread that opened its scopes before.
 */
#include "cli/stack/stack_virtual.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ui.h"
#include "cli/stack/virtual_threads.h"
#include "client/client.h"

#define ANSWER_NS 120000000000u /* the agent gives up earlier; a JVM may be at a long safepoint */

enum { FIRST_JDK = 21 };

/* The JDK's number: "8u504", "17.0.15"; 0 = not known. */
static int feature(const struct wick_jvm_entry *jvm)
{
    return atoi(jvm->version);
}

/* The whole file, terminated; NULL with a sentence. */
static char *slurp(int fd, struct wick_err *err)
{
    struct stat st;
    char *text = fstat(fd, &st) ? NULL : malloc((size_t)st.st_size + 1);
    size_t done = 0;
    while (text && done < (size_t)st.st_size) {
        ssize_t n = pread(fd, text + done, (size_t)st.st_size - done, (off_t)done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (text)
        text[done] = 0;
    else
        wick_err_set(err, WICK_E_NOMEM, "no memory for the list of virtual threads");
    return text;
}

static int show(const struct wick_stack_virtual *o, int pid, int fd, struct wick_err *err)
{
    struct wick_virtual_threads v;
    char *text = slurp(fd, err);
    int rc = text ? wick_virtual_threads_parse(&v, text, o->name, err) : -WICK_E_NOMEM;
    if (rc)
        return rc;
    if (o->json)
        wick_virtual_threads_json(stdout, pid, &v);
    else
        wick_virtual_threads_print(stdout, &v);
    wick_virtual_threads_release(&v);
    return wick_ui_written(err);
}

/* Asks the agent that `c` is connected to. */
static int ask(struct wick_client *c, const struct wick_stack_virtual *o, int pid, struct wick_err *err)
{
    char command[64];
    int fd = memfd_create("wick-virtual", MFD_CLOEXEC);
    if (fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    snprintf(command, sizeof command, "virtual,virtual-rows=%" PRIu32, o->rows);
    int rc = wick_client_send(c, "o", &fd, 1, false, command, err);
    if (!rc)
        rc = wick_client_receive(c, ANSWER_NS, err);
    if (!rc)
        rc = show(o, pid, fd, err);
    close(fd);
    if (!rc && !c->running)
        wick_ui_note("wick: no recording is running in process %d: scopes that virtual threads open are kept only "
                     "while one runs, or always with -Dwick.publish=otel",
                     pid);
    return rc;
}

/* A JVM without virtual threads. */
static int show_none(const struct wick_stack_virtual *o, int pid, const struct wick_jvm_entry *jvm,
                     struct wick_err *err)
{
    if (o->json)
        wick_virtual_threads_json(stdout, pid, &(struct wick_virtual_threads){0});
    else
        wick_ui_print(stdout, "no virtual threads: they came with JDK %d, and process %d runs on %s\n", FIRST_JDK, pid,
                      jvm->version);
    return wick_ui_written(err);
}

int wick_stack_virtual(const struct wick_stack_virtual *o, const struct wick_proc *p, const struct wick_jvm_entry *jvm,
                       struct wick_err *err)
{
    if (feature(jvm) && feature(jvm) < FIRST_JDK)
        return show_none(o, (int)p->pid, jvm, err);
    struct wick_client *c = malloc(sizeof *c);
    if (!c)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_client_init(c);
    int rc = wick_client_find(p, NULL, c, err);
    if (rc == -WICK_E_NOTFOUND)
        rc = wick_err_set(
            err, WICK_E_STATE,
            "wick's agent is not in process %d (%.100s), so no context is known: `wick start %d` loads it and "
            "keeps the scopes that are opened from then on",
            (int)p->pid, jvm->main, (int)p->pid);
    if (!rc)
        rc = ask(c, o, (int)p->pid, err);
    wick_client_close(c);
    free(c);
    return rc;
}
