/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_stack.c - `wick stack PID`: mixed stacks of all threads of a live JVM, read from outside
 *
 * No agent is loaded and no safepoint is asked for: the same stepping code that runs in the agent's signal handlers
 * runs here over the target's memory (unwind/remote.c). Each thread stands still only while its stack is copied.
 * Virtual threads that are not mounted are no threads of the kernel: `--virtual` asks the agent (stack_virtual.c).
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame_kind.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/stack/stack_virtual.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "client/virtual_threads.h"
#include "hotspot/method.h"
#include "hotspot/scopes.h"
#include "hotspot/thread.h"
#include "hotspot/value.h"
#include "symbolize/symbolize.h"
#include "sys/whole.h"
#include "unwind/remote.h"

enum { MAX_FRAMES = 4096, MAX_THREADS = 65536, MAX_SCOPES = 256 };

struct stack_cmd {
    struct wick_remote remote;
    struct wick_symbolizer code;
    struct wick_hs_thread *java;
    int java_count;
    void *method; /* buffer of WICK_HS_METHOD_BYTES */
    const char *only;
    bool timing;
    unsigned walks, broken;
    uint64_t longest_stop_ns;
};

static const char *const stop_text[] = {
#define X(name, text) text,
#include "def/stop.def"
#undef X
};

static const char *thread_state_name(uint32_t state)
{
    switch (state) {
    case 4:
        return "in native";
    case 6:
        return "in VM";
    case 8:
        return "in Java";
    case 10:
        return "blocked";
    default:
        return state ? "in transition" : "native thread";
    }
}

static void print_native(struct stack_cmd *c, const struct wick_step_frame *f)
{
    struct wick_code_name code;
    wick_symbolize(&c->code, f->leaf ? f->ptr : f->ptr - 1, &code);
    if (code.found)
        wick_ui_print(stdout, "    %s (%s)\n", code.symbol, code.library);
    else if (code.image)
        wick_ui_print(stdout, "    %s +0x%" PRIx64 "\n", code.symbol, f->ptr - code.image->bias);
    else
        wick_ui_print(stdout, "    %s 0x%" PRIx64 "\n", code.symbol, f->ptr);
}

static void print_method(struct stack_cmd *c, wick_addr method, int32_t bci, const char *kind)
{
    struct wick_hs_method_id id;
    struct wick_hs_method *m = c->method;
    if (wick_hs_method_identity(&c->remote.jvm, &c->remote.mem, method, &id) ||
        wick_hs_method_copy(&c->remote.jvm, &c->remote.mem, &id, m, WICK_HS_METHOD_BYTES) < 0) {
        printf("    [unreadable method] (%s)\n", kind);
        return;
    }
    for (uint16_t i = 0; i < m->class_len; i++)
        if (m->data[i] == '/')
            m->data[i] = '.';
    uint32_t line = bci >= 0 ? wick_hs_method_line(m, (uint32_t)bci, c->remote.jvm.major >= 20) : 0;
    fputs("    ", stdout);
    wick_print_name(stdout, (char *)m->data, m->class_len);
    putchar('.');
    wick_print_name(stdout, (char *)m->data + m->class_len, m->name_len);
    if (line)
        printf(":%u", line);
    printf(" (%s)\n", kind);
}

static void print_compiled(struct stack_cmd *c, const struct wick_step_frame *f)
{
    struct wick_hs_scope scopes[MAX_SCOPES];
    const struct wick_hs_at at = {f->ptr, f->off, wick_hs_describes_safepoints_only(&c->remote.jvm, &c->remote.mem)};
    int n = wick_hs_scopes(&c->remote.jvm, &c->remote.mem, &at, scopes, MAX_SCOPES);
    const char *root = f->level >= 1 && f->level <= 3 ? "C1" : "C2";
    for (int i = 0; i < n; i++)
        print_method(c, scopes[i].method, scopes[i].bci, i == n - 1 ? root : "inlined");
    if (n <= 0)
        print_method(c, wick_hs_nmethod_method(&c->remote.jvm, &c->remote.mem, f->ptr), -1, root);
}

/* Behind the last frame of the virtual thread that is mounted. */
static void print_boundary(const struct wick_remote_walk *w)
{
    if (w->mounted.id) {
        fputs("    -- virtual thread \"", stdout);
        wick_ui_plain(stdout, w->mounted.name);
        printf("\" id=%" PRIu64 " above, carrier below --\n", w->mounted.id);
    } else {
        puts("    -- virtual thread above, carrier below --");
    }
}

/* Whether a frame of a native method is Continuation.enterSpecial, where a virtual thread's stack begins if none of it
 * is frozen. */
static bool enters_continuation(struct stack_cmd *c, const struct wick_step_frame *f)
{
    static const char name[] = "enterSpecial";
    const struct wick_hs_method *m = c->method;
    return f->kind == WICK_STEP_WRAPPER && m->name_len == sizeof name - 1 &&
           !memcmp(m->data + m->class_len, name, m->name_len);
}

static void print_frame(struct stack_cmd *c, const struct wick_remote_walk *w, const struct wick_step_frame *f)
{
    char name[96] = "?";
    switch (f->kind) {
    case WICK_STEP_NATIVE:
        print_native(c, f);
        break;
    case WICK_STEP_INTERPRETED:
        print_method(c, f->ptr, f->off == 0xffff ? -1 : (int32_t)f->off,
                     f->off == 0xffff ? "native method" : "interpreted");
        break;
    case WICK_STEP_COMPILED:
        print_compiled(c, f);
        break;
    case WICK_STEP_WRAPPER:
        print_method(c, wick_hs_nmethod_method(&c->remote.jvm, &c->remote.mem, f->ptr), -1, "native method");
        if (w->carries && enters_continuation(c, f))
            print_boundary(w);
        break;
    case WICK_STEP_BOUNDARY:
        print_boundary(w);
        break;
    case WICK_STEP_BREAK:
        printf("    [%s]\n", stop_text[f->stop]);
        break;
    default:
        wick_mem_read_str(&c->remote.mem, wick_hs_u64(&c->remote.mem, f->ptr + (unsigned)c->remote.jvm.layout.cb_name),
                          name, sizeof name);
        wick_ui_print(stdout, "    [%s]\n", name);
    }
}

static void read_comm(int pid, int tid, char *out, size_t cap)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    if (wick_whole_text(path, out, cap) <= 0)
        snprintf(out, cap, "?");
    out[strcspn(out, "\n")] = 0;
}

/* By the name of the thread, or of the virtual thread that is mounted on it now. */
static bool is_wanted(struct stack_cmd *c, const char *comm, wick_addr java)
{
    struct wick_hs_mounted m;
    return !c->only || strstr(comm, c->only) ||
           (java && wick_hs_mounted(&c->remote.jvm, &c->remote.mounted, java, &m) && strstr(m.name, c->only));
}

static void print_carried(const struct wick_hs_mounted *m)
{
    fputs(", carries virtual thread \"", stdout);
    wick_ui_plain(stdout, m->name);
    printf("\" id=%" PRIu64, m->id);
}

static int walk_one(struct stack_cmd *c, int tid, struct wick_step_frame *frames, struct wick_err *err)
{
    char comm[32];
    wick_addr java = 0;
    for (int i = 0; i < c->java_count; i++)
        if (c->java[i].tid == tid)
            java = c->java[i].addr;
    read_comm(c->remote.pid, tid, comm, sizeof comm);
    if (!is_wanted(c, comm, java))
        return 0;
    struct wick_remote_walk w = {.frames = frames, .cap = MAX_FRAMES};
    int r = wick_remote_walk_thread(&c->remote, tid, java, &w, err);
    if (r)
        return r == -WICK_E_GONE ? 0 : r;
    c->walks++;
    if (w.stopped_ns > c->longest_stop_ns)
        c->longest_stop_ns = w.stopped_ns;
    wick_ui_print(stdout, "\"%s\" tid=%d %s", comm, tid, thread_state_name(w.thread_state));
    if (w.carries)
        print_carried(&w.mounted);
    if (c->timing)
        printf(" stopped=%.3fms", (double)w.stopped_ns / 1e6);
    putchar('\n');
    for (int i = 0; i < w.n; i++)
        print_frame(c, &w, &w.frames[i]);
    if (w.n && w.frames[w.n - 1].kind == WICK_STEP_BREAK)
        c->broken++;
    putchar('\n');
    return 0;
}

static int walk_all(struct stack_cmd *c, struct wick_err *err)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", c->remote.pid);
    DIR *d = opendir(path);
    struct wick_step_frame *frames = malloc(MAX_FRAMES * sizeof *frames);
    int r = 0;
    if (!d || !frames)
        r = wick_err_set(err, WICK_E_GONE, "process %d ended", c->remote.pid);
    for (struct dirent *e; !r && (e = readdir(d));)
        if (atoi(e->d_name) > 0)
            r = walk_one(c, atoi(e->d_name), frames, err);
    if (d)
        closedir(d);
    free(frames);
    return r;
}

static void usage(FILE *f)
{
    fputs("Usage: wick stack [OPTION...] PID|NAME\n"
          "\n"
          "Prints the stack of every thread of a JVM, native to Java, read from outside: no agent, no safepoint.\n"
          "With --virtual, the virtual threads that have a scope of wick.jar open, mounted or not; wick's agent must\n"
          "be loaded (wick start); it knows the scopes opened while a recording runs, or all of them if the JVM\n"
          "runs with -Dwick.publish=otel.\n"
          "\n",
          f);
    wick_args_help(WICK_ARGS_STACK, f);
}

static int run(struct stack_cmd *c, int pid, struct wick_err *err)
{
    int r = wick_remote_open(&c->remote, pid, err);
    if (r)
        return r;
    wick_symbolizer_init(&c->code, &c->remote.images, c->remote.pid, &c->remote.mem, NULL);
    c->method = malloc(WICK_HS_METHOD_BYTES);
    c->java = malloc(MAX_THREADS * sizeof *c->java);
    if (c->method && c->java) {
        c->java_count = wick_hs_threads(&c->remote.jvm, c->java, MAX_THREADS);
        r = walk_all(c, err);
    } else {
        r = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    if (!r && c->timing)
        fprintf(stderr, "%u threads, %u broken walks, longest stop %.3f ms\n", c->walks, c->broken,
                (double)c->longest_stop_ns / 1e6);
    wick_symbolizer_release(&c->code);
    free(c->java);
    free(c->method);
    wick_remote_close(&c->remote);
    return r;
}

struct stack_options {
    struct stack_cmd outside;
    struct wick_stack_virtual inside;
    bool virtual_threads;
};

/* 0 to go on; else what the command ends with, plus 1. */
static int parse(int argc, char **argv, struct stack_options *o)
{
    int opt;
    unsigned long rows;
    char *end;
    wick_args_start(WICK_ARGS_STACK);
    while ((opt = wick_args_next(argc, argv)) != WICK_ARG_END) {
        switch (opt) {
        case WICK_ARG_STACK_THREAD:
            o->outside.only = o->inside.name = optarg;
            break;
        case WICK_ARG_TIMING:
            o->outside.timing = true;
            break;
        case WICK_ARG_VIRTUAL:
            o->virtual_threads = true;
            break;
        case WICK_ARG_VIRTUAL_JSON:
            o->inside.json = true;
            break;
        case WICK_ARG_STACK_ROWS:
            rows = strtoul(optarg, &end, 10);
            if (*end || end == optarg || rows > WICK_VIRTUAL_ROWS_MOST)
                return 1 + wick_ui_bad_option("stack", "--rows takes a number up to 131072 (0 = all)", optarg);
            o->inside.rows = rows ? (uint32_t)rows : WICK_VIRTUAL_ROWS_MOST;
            break;
        default:
            usage(opt == WICK_ARG_HELP ? stdout : stderr);
            return 1 + (opt == WICK_ARG_HELP ? 0 : wick_err_exit(WICK_E_USAGE));
        }
    }
    return 0;
}

/* Options that do not go together. */
static int check(const struct stack_options *o, struct wick_err *err)
{
    if (!o->virtual_threads && (o->inside.json || o->inside.rows))
        return wick_err_set(err, WICK_E_USAGE, "--json and --rows are for --virtual");
    if (o->virtual_threads && o->outside.timing)
        return wick_err_set(err, WICK_E_USAGE, "--timing is not for --virtual, which stops no thread");
    return 0;
}

int wick_cmd_stack(int argc, char **argv)
{
    struct stack_options o = {0};
    struct wick_err err = {0};
    struct wick_proc proc;
    struct wick_jvm_entry jvm;
    const char *word;
    int r = parse(argc, argv, &o);
    if (r)
        return r - 1;
    r = check(&o, &err);
    if (!r)
        r = wick_target_operand(argv + optind, argc - optind, "stack", &word, &err);
    if (!r)
        r = wick_target_open(word, &proc, &jvm, &err);
    if (!r) {
        if (!o.inside.rows)
            o.inside.rows = WICK_VIRTUAL_ROWS;
        r = o.virtual_threads ? wick_stack_virtual(&o.inside, &proc, &jvm, &err) : run(&o.outside, proc.pid, &err);
        wick_proc_close(&proc);
    }
    return r ? wick_ui_fail(&err) : 0;
}
