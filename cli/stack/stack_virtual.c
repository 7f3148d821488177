/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stack/stack_virtual.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/stack/virtual_table.h"
#include "cli/ui.h"
#include "client/virtual_threads.h"

enum { FIRST_JDK = 21 };

/* The JDK's number: "8u504", "17.0.15"; 0 = not known. */
static int feature(const struct wick_jvm_entry *jvm)
{
    return atoi(jvm->version);
}

static int show(const struct wick_stack_virtual *o, int pid, const struct wick_virtual_threads *v, struct wick_err *err)
{
    if (o->json)
        wick_virtual_table_json(stdout, pid, v);
    else
        wick_virtual_table_print(stdout, v);
    return wick_ui_written(err);
}

/* Asks the agent that `c` is connected to. */
static int ask(struct wick_client *c, const struct wick_stack_virtual *o, int pid, struct wick_err *err)
{
    struct wick_virtual_threads v;
    int rc = wick_virtual_threads_ask(&v, c, o->rows, o->name, err);
    if (rc)
        return rc;
    rc = show(o, pid, &v, err);
    wick_virtual_threads_release(&v);
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
        wick_virtual_table_json(stdout, pid, &(struct wick_virtual_threads){0});
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
