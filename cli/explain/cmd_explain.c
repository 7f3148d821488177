/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick explain [options] FILE...
 * wick explain [options] PID|NAME
 *
 * Says in sentences what makes a program slow. Of a live JVM a recording is taken first, into memory, with all that the
 * rules read. An operand that exists as a file or looks like a path is a file.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/wait/deadlock.h"
#include "cli/command.h"
#include "cli/explain/explain_chain.h"
#include "cli/explain/explain_keep.h"
#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "cli/input/view.h"
#include "cli/record/look.h"
#include "cli/save.h"
#include "cli/ui.h"
#include "sys/attach.h"

struct explain {
    bool json;
    int pid; /* of the JVM that was recorded, 0 = none */
    const char *duration, *lib;
    const char *chains;    /* as given, NULL = not */
    uint64_t chains_most;  /* of the heap in use for which a dump may be taken */
    const char *from, *to; /* a range of time, NULL = not given */
    const char *keep;      /* a file for the recording of a live JVM, NULL = none */
};

#define ASK_NS UINT64_C(10000000000) /* for an answer of the JVM */
/* Of the heap in use, and of the process in RAM, for a copy that nobody asked for: the program stops for some 10 ms. */
#define COPIED   UINT64_C(1 << 30)
#define RESIDENT (UINT64_C(4) << 30)

#define WALL "20ms" /* half of the samples of a recording by hand are enough for shares, at half of what they cost */
#define RATE "150"  /* likewise of allocations, and of each kind of wait for locks: 4,500 in 30 s */

static const char usage[] =
    "Usage: wick explain [OPTION...] FILE...\n"
    "       wick explain [OPTION...] PID|NAME\n"
    "\n"
    "Says in sentences with figures what makes a program slow, from its recordings (- is standard input) or for a "
    "JVM\n"
    "now: whether that is the machine, the JVM or the program, and in each what costs most: too few CPUs, limits,\n"
    "collections, slow safepoints, what threads wait for, who holds it, busy pools, hot code. Record with -e "
    "cpu,wall,alloc,lock --ttsp --filter all; docs/explain.md lists the rules.\n"
    "\n";

/* OOM kills that the cgroups of the recording count since its last reading; -1 = none of them exists here. */
static int64_t kills_since(const struct wick_memory_use *u)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < u->levels; i++) {
        struct wick_cgroup g;
        struct wick_cgroup_memory now;
        uint64_t before = u->level[i].now.oom_kills;
        if (!wick_cgroup_at("", u->level[i].path, WICK_CGROUP_MEMORY, &g) || !wick_cgroup_memory_read(&g, &now))
            continue;
        int64_t since = now.oom_kills > before ? (int64_t)(now.oom_kills - before) : 0;
        most = since > most ? since : most;
        if (u->level[i].now.limit)
            break; /* further out, others may have been killed */
    }
    return most;
}

/* Asks the JVM for deadlocks: a thread dump, so only where threads seem stuck. False: no answer. */
static bool ask_for_deadlocks(int pid, struct wick_strbuf *out)
{
    struct wick_strbuf dump = WICK_STRBUF_INIT;
    struct wick_err err = {0};
    struct wick_proc p;
    if (wick_proc_open(pid, &p, &err))
        return false;
    int rc = wick_attach_jcmd(&p, "Thread.print", ASK_NS, &dump, &err);
    if (!rc)
        (void)wick_deadlock_parse(dump.buf, dump.len, out);
    wick_strbuf_adds(out, ""); /* never NULL */
    wick_strbuf_release(&dump);
    wick_proc_close(&p);
    return !rc && !out->failed;
}

static bool has(const struct wick_explain_findings *all, enum wick_explain_rule_id rule)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->rows[i].rule == &wick_explain_rules[rule])
            return true;
    return false;
}

/* What the JVM answered. */
struct answers {
    struct wick_strbuf deadlock;
    struct wick_explain_chains chains;
};

static void note_unknown(const struct wick_explain_chain_ask *ask, const struct wick_explain_chains *c,
                         const char *verdict)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    wick_explain_chain_unknown(ask, c, verdict, &text);
    if (text.len && !text.failed)
        wick_ui_note("wick: %s", text.buf);
    wick_strbuf_release(&text);
}

/* Finds out who holds most of the heap or class loaders, if a dump may be taken, and says what stays unknown. */
static void ask_for_holders(const struct explain *x, const struct wick_explain_facts *f,
                            const struct wick_explain_chain_ask *ask, struct wick_explain_chains *out)
{
    struct wick_err err = {0};
    struct wick_strbuf why = WICK_STRBUF_INIT;
    char used[32], most[32];
    int rc;
    uint64_t heap = f->nheaps ? (uint64_t)f->heaps[f->nheaps - 1].used : f->memory.part[WICK_MEMORY_HEAP].now.committed;
    if (!heap)
        wick_strbuf_adds(&why, "was not searched for: it is not known how much of the heap is in use");
    else if (heap > x->chains_most)
        wick_strbuf_addf(&why, "was not searched for: %s of the heap are in use, and %s a dump of %s%s",
                         wick_ui_binary(heap, used, sizeof used),
                         x->chains ? "--chains allows" : "without --chains there is at most",
                         wick_ui_binary(x->chains_most, most, sizeof most),
                         x->chains ? "" : "; --chains SIZE allows more");
    else if (!x->chains && f->memory.resident > RESIDENT)
        wick_strbuf_addf(&why,
                         "was not searched for: %s of the process are in RAM, and without --chains at most %s are "
                         "copied; --chains SIZE allows more",
                         wick_ui_binary(f->memory.resident, used, sizeof used),
                         wick_ui_binary(RESIDENT, most, sizeof most));
    else if ((rc = wick_explain_chain(x->pid, ask, out, &err)))
        wick_strbuf_addf(
            &why, "could not be determined: %s%s", err.msg,
            x->chains || rc != -WICK_E_UNSUPPORTED ? "" : "; --chains SIZE has the JVM write a dump, which stops it");
    else
        wick_strbuf_adds(&why, "was not found");
    note_unknown(ask, out, why.failed ? "could not be determined" : why.buf);
    wick_strbuf_release(&why);
}

static const char *said(const struct wick_strbuf *b)
{
    return b->len && !b->failed ? b->buf : NULL;
}

/* Applies the rules; once more, if the JVM has something to say of what they found. */
static int judge(const struct explain *x, struct wick_explain_findings *all, struct wick_explain_facts *f,
                 struct answers *a, struct wick_err *err)
{
    int rc = wick_explain_apply(all, f, err);
    if (rc || !x->pid)
        return rc;
    const struct wick_explain_chain_ask ask = {
        .by_jvm = x->chains,
        .heap = wick_explain_asks_for_holder(all, f),
        .loaders = wick_explain_loaders_grown(all),
    };
    if (has(all, WICK_EXPLAIN_RULE_STUCK) && ask_for_deadlocks(x->pid, &a->deadlock))
        f->deadlock = a->deadlock.buf;
    if (x->chains_most && (ask.heap || ask.loaders))
        ask_for_holders(x, f, &ask, &a->chains);
    f->heap_holder = (struct wick_explain_holder){
        .said = said(&a->chains.heap),
        .bytes = (double)a->chains.retained,
        .share = a->chains.bytes ? (double)a->chains.retained / (double)a->chains.bytes : 0,
        .soft = (double)a->chains.soft};
    f->loader_holder.said = said(&a->chains.loaders);
    if (!f->deadlock && !f->heap_holder.said && !f->loader_holder.said)
        return 0;
    wick_explain_findings_release(all);
    return wick_explain_apply(all, f, err);
}

/* The recording is kept without it if that fails. */
static void add_to_recording(const char *recording, const struct wick_explain_chains *c, int64_t end_ns)
{
    struct wick_err err = {0};
    if (wick_explain_keep_chains(recording, c, end_ns, &err))
        wick_ui_note("wick: %s", err.msg);
}

/* Reads the files and prints what the rules find. */
static int show(void *arg, char *const *paths, int n, struct wick_err *err)
{
    const struct explain *x = arg;
    struct wick_explain_findings all = {0};
    struct wick_explain_facts f = {0};
    struct answers answers = {WICK_STRBUF_INIT, WICK_EXPLAIN_CHAINS_INIT};
    struct wick_range range;
    struct wick_profile p;
    int rc = wick_view_range(x->from, x->to, paths, n, &range.from_ns, &range.to_ns, err);
    if (rc)
        return rc;
    if (wick_profile_init(&p))
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = wick_explain_read(&f, &p, paths, n, &range, wick_cli_read_events, err);
    f.unfinished = wick_cli_is_unfinished();
    f.kills_since = f.unfinished && !range.to_ns ? kills_since(&f.memory) : -1;
    if (!rc)
        rc = judge(x, &all, &f, &answers, err);
    char *const kept[] = {(char *)x->keep};
    struct wick_explain_input in = {paths, n, 0};
    if (!rc && x->pid && x->keep)
        add_to_recording(paths[0], &answers.chains, p.end_ns);
    if (!rc && x->pid && x->keep)
        rc = wick_explain_keep(paths[0], x->keep, err);
    if (x->pid)
        in = (struct wick_explain_input){kept, x->keep ? 1 : 0, x->pid};
    if (!rc)
        wick_explain_text_write(&all, &f, &in, x->json, stdout);
    if (!rc && x->pid && x->keep && !x->json)
        wick_ui_print(stdout, "The recording is in %s\n", x->keep);
    if (!rc)
        rc = wick_ui_written(err);
    wick_explain_findings_release(&all);
    wick_explain_release(&f);
    wick_strbuf_release(&answers.deadlock);
    wick_explain_chains_release(&answers.chains);
    wick_profile_release(&p);
    return rc;
}

int wick_cmd_explain(int argc, char **argv)
{
    struct explain x = {.chains_most = COPIED};
    struct wick_err err = {0};
    const struct wick_look_flag flags[] = {
        {WICK_ARG_DURATION, WICK_LOOK_TEXT, &x.duration}, {WICK_ARG_KEEP, WICK_LOOK_TEXT, &x.keep},
        {WICK_ARG_CHAINS, WICK_LOOK_TEXT, &x.chains},     {WICK_ARG_LIB, WICK_LOOK_TEXT, &x.lib},
        {WICK_ARG_RANGE_FROM, WICK_LOOK_TEXT, &x.from},   {WICK_ARG_RANGE_TO, WICK_LOOK_TEXT, &x.to},
        {WICK_ARG_JSON, WICK_LOOK_SWITCH, &x.json}};
    int status = wick_look_parse(usage, flags, sizeof flags / sizeof *flags, argc, argv);
    if (status >= 0)
        return status;
    if (x.chains && wick_opt_size(x.chains, &x.chains_most)) {
        wick_err_set(&err, WICK_E_USAGE, "--chains takes a size such as 2G, or 0 for never, not '%.40s'", x.chains);
        return wick_ui_fail(&err);
    }
    struct wick_look_option options[] = {{"-e", "cpu,wall,alloc,lock,ttsp"},
                                         {"--alloc-rate", RATE},
                                         {"--filter", "all"}, /* those that requests wait for, in no request */
                                         {"--wall", WALL},
                                         {"--lock-rate", RATE},
                                         {"-d", x.duration ? x.duration : wick_args_default(WICK_ARG_DURATION)},
                                         {"--lib", x.lib}},
                            fallback[sizeof options / sizeof *options];
    memcpy(fallback, options, sizeof options);
    /* where another agent samples allocations, and before JDK 11, where sampling them takes breakpoints in libjvm.so:
     * those are set only when they are asked for */
    fallback[0].value = "cpu,wall,lock,ttsp";
    fallback[1].value = NULL;
    const struct wick_look_command look = {
        .name = "explain",
        .show = show,
        .arg = &x,
        .options = options,
        .noptions = sizeof options / sizeof *options,
        .fallback = fallback,
        .first_jdk = 11,
        .live_names = x.duration || x.lib || x.keep || x.chains ? "--duration, --file, --chains and --lib" : NULL};
    return wick_look_at_words(&look, argv + optind, argc - optind, &x.pid, &err) ? wick_ui_fail(&err) : 0;
}
