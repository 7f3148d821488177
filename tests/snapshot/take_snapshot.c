/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take_snapshot.c - `take_snapshot PID FILE ROUNDS TITLE`: walks threads of a live JVM and keeps what was read
 *
 *   SIGSTOP to all of it, each thread's registers by ptrace, one walk per thread, SIGCONT; many times
 *
 * A walk is kept if it reached a basic block of the stepping code that no other walk had reached (the compiler calls
 * __sanitizer_cov_trace_pc in each), or a pair of frames that no other had. At the end those that the rest make
 * superfluous are left out again, largest first. Walks with gaps or a break are counted, not kept: what they should
 * have found is not known. Nor are those that knew only pc and sp and found something else than with all registers.
 */
#include "snapshot.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/eh_frame.h"
#include "hotspot/method.h"
#include "hotspot/scopes.h"
#include "hotspot/thread.h"
#include "hotspot/value.h"
#include "symbolize/symbolize.h"
#include "unwind/remote.h"

enum { FEATURES = 1 << 16, THREADS = 512, SCOPES = 64, METHOD_BYTES = 64 << 10, STACK_MOST = 4 << 20 };

struct wick_step_env {
    struct wick_remote *r;
    struct snapshot *snap;
    struct snapshot_pieces seen; /* by this walk */
    struct wick_step_scratch scratch;
};

static bool counting;
static uint8_t reached[FEATURES]; /* by the present walk */
static uint16_t users[FEATURES];  /* how many kept walks have it */

static void reach(uint64_t what)
{
    reached[(what * 0x9e3779b97f4a7c15ull) >> 48] = 1;
}

void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
    if (counting)
        reached[((uintptr_t)__builtin_return_address(0) * 0x9e3779b97f4a7c15ull) >> 48] = 1;
}

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

static struct snapshot_piece *piece_of(struct wick_step_env *env, uint64_t addr)
{
    struct snapshot_piece *p = snapshot_piece_find(&env->seen, addr);
    if (p)
        return p;
    p = snapshot_piece_add(&env->seen, addr);
    p->none = wick_mem_read(&env->r->mem, addr, p->bytes, SNAPSHOT_PIECE) != 0;
    return p;
}

static __attribute__((noinline)) int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    counting = false;
    uint64_t done = 0;
    while (done < n) {
        uint64_t at = addr + done, in = at % SNAPSHOT_PIECE;
        uint64_t part = SNAPSHOT_PIECE - in < n - done ? SNAPSHOT_PIECE - in : n - done;
        struct snapshot_piece *p = piece_of(env, at - in);
        if (p->none)
            break;
        memcpy((char *)buf + done, p->bytes + in, part);
        done += part;
    }
    counting = true;
    return done == n ? 0 : -1;
}

static __attribute__((noinline)) int step_native_rule(struct wick_step_env *env, uint64_t pc,
                                                      struct wick_unwind_rule *rule)
{
    counting = false;
    struct snapshot_rule *s = snapshot_rule_find(env->snap, pc);
    if (!s) {
        const struct wick_elf_image *image = wick_elf_images_find(&env->r->images, pc);
        s = snapshot_rule_add(env->snap, pc);
        s->none = !image || wick_eh_rule(&env->r->mem, image, pc, &s->rule, NULL, NULL);
    }
    *rule = s->rule;
    counting = true;
    return s->none ? -1 : 0;
}

static __attribute__((noinline)) int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    counting = false;
    struct snapshot_function *s = snapshot_function_find(env->snap, pc);
    if (!s) {
        const struct wick_elf_image *image = wick_elf_images_find(&env->r->images, pc);
        s = snapshot_function_add(env->snap, pc);
        if (image && wick_eh_function(&env->r->mem, image, pc, &s->start))
            s->start = 0;
    }
    *start = s->start;
    counting = true;
    return s->start ? 0 : -1;
}

#define step_blob_find   step_blob_read
#define step_method_find step_method_read
#include "unwind/step_walk.h"

/* A walk that may be kept, and what it would add. */
struct candidate {
    struct snapshot_walk *walk;
    struct snapshot_pieces seen;
    uint16_t *features;
    int n;
};

struct take {
    struct wick_remote remote;
    struct wick_symbolizer code;
    struct snapshot snap;
    struct candidate *kept;
    size_t kept_count;
    struct wick_hs_thread java[THREADS];
    int java_count;
    struct snapshot_walk whole; /* the last that knew all registers */
    unsigned walks, refused;
    union {
        struct wick_hs_method m;
        uint8_t bytes[METHOD_BYTES];
    } method;
};

static void add_method(struct take *t, char *out, size_t cap, uint64_t method, int32_t bci)
{
    struct wick_hs_method_id id;
    struct wick_hs_method *m = &t->method.m;
    size_t len = strlen(out);
    if (wick_hs_method_identity(&t->remote.jvm, &t->remote.mem, method, &id) ||
        wick_hs_method_copy(&t->remote.jvm, &t->remote.mem, &id, m, METHOD_BYTES) < 0)
        return;
    uint32_t line = bci >= 0 ? wick_hs_method_line(m, (uint32_t)bci, t->remote.jvm.major >= 20) : 0;
    snprintf(out + len, cap - len, "%s%.*s.%.*s:%u", len ? " < " : "", m->class_len, (char *)m->data, m->name_len,
             (char *)m->data + m->class_len, line);
}

static void name_frame(struct take *t, struct snapshot_frame *e)
{
    const struct wick_step_frame *f = &e->frame;
    struct wick_hs_scope scopes[SCOPES];
    struct wick_code_name code;
    uint64_t blob_name;
    e->name[0] = 0;
    switch (f->kind) {
    case WICK_STEP_NATIVE:
        wick_symbolize(&t->code, f->leaf ? f->ptr : f->ptr - 1, &code);
        snprintf(e->name, sizeof e->name, "%.100s (%.40s)", code.symbol, code.library ? code.library : "");
        break;
    case WICK_STEP_INTERPRETED:
        add_method(t, e->name, sizeof e->name, f->ptr, f->off == 0xffff ? -1 : (int32_t)f->off);
        break;
    case WICK_STEP_COMPILED:
        for (int i = 0, n = wick_hs_scopes(&t->remote.jvm, &t->remote.mem, &(struct wick_hs_at){f->ptr, f->off, false},
                                           scopes, SCOPES);
             i < n; i++)
            add_method(t, e->name, sizeof e->name, scopes[i].method, scopes[i].bci);
        break;
    case WICK_STEP_WRAPPER:
        add_method(t, e->name, sizeof e->name, wick_hs_nmethod_method(&t->remote.jvm, &t->remote.mem, f->ptr), -1);
        break;
    case WICK_STEP_BOUNDARY:
        snprintf(e->name, sizeof e->name, "-- carrier below --");
        break;
    default:
        blob_name = wick_hs_u64(&t->remote.mem, f->ptr + (unsigned)t->remote.jvm.layout.cb_name);
        if (wick_mem_read_str(&t->remote.mem, blob_name, e->name, sizeof e->name) < 0)
            e->name[0] = 0;
    }
}

/* Where the thread stands; false if it is gone. */
static bool read_registers(int tid, struct wick_step_state *s)
{
    struct user_regs_struct g;
    int status;
    if (ptrace(PTRACE_SEIZE, tid, 0, 0))
        return false;
    bool good = !ptrace(PTRACE_INTERRUPT, tid, 0, 0) && waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status) &&
                !ptrace(PTRACE_GETREGS, tid, 0, &g);
    ptrace(PTRACE_DETACH, tid, 0, 0);
    if (!good)
        return false;
    *s = (struct wick_step_state){
        .reg = {g.rax, g.rdx, g.rcx, g.rbx, g.rsi, g.rdi, g.rbp, g.rsp, g.r8, g.r9, g.r10, g.r11, g.r12, g.r13, g.r14,
                g.r15, g.rip},
        .leaf = 1,
    };
    return true;
}

static void load_thread(struct take *t, uint64_t java, struct wick_step_env *env, struct wick_step_state *s)
{
    const struct wick_step_jvm *j = &t->remote.jvm.step;
    struct wick_hs_mounted mounted;
    s->thread = java;
    s->stack_end = wick_hs_thread_stack_end(&t->remote.jvm, java);
    if (s->stack_end <= s->sp || s->stack_end - s->sp > STACK_MOST)
        s->stack_end = 0;
    s->thread_state = wick_hs_u32(&t->remote.mem, java + (unsigned)j->thread_state);
    step_load_anchor(env, j, s, java + (unsigned)j->thread_anchor);
    wick_hs_mounted(&t->remote.jvm, &t->remote.mounted, java, &mounted);
}

/* The walk, or false if its frames are not to be relied on. */
static bool walk(struct take *t, struct wick_step_env *env, struct snapshot_walk *w)
{
    struct wick_step_state s = w->state;
    memset(reached, 0, sizeof reached);
    counting = true;
    int res = WICK_STEP_MORE;
    while (w->n < SNAPSHOT_FRAMES && res == WICK_STEP_MORE) {
        res = wick_step(env, &t->remote.jvm.step, &s, &w->frames[w->n].frame);
        w->n += res != WICK_STEP_NONE;
    }
    counting = false;
    for (int i = 0; i < w->n; i++)
        if (w->frames[i].frame.kind == WICK_STEP_BREAK || w->frames[i].frame.kind == WICK_STEP_UNKNOWN)
            return false;
    for (int i = 0; i < w->n; i++)
        name_frame(t, &w->frames[i]);
    for (int i = 0; i + 1 < w->n; i++) {
        const struct wick_step_frame *f = &w->frames[i].frame;
        if (f->kind != WICK_STEP_NATIVE || f->leaf || f->kind != w->frames[i + 1].frame.kind)
            reach(1000003ull * (f->kind * 100u + f->level * 10u + f->leaf) + w->frames[i + 1].frame.kind * 10u +
                  w->frames[i + 1].frame.level);
    }
    return res != WICK_STEP_MORE && w->n && !s.gaps;
}

static void keep(struct take *t, struct snapshot_walk *w, struct wick_step_env *env)
{
    t->kept = realloc(t->kept, (t->kept_count + 1) * sizeof *t->kept);
    struct candidate *c = &t->kept[t->kept_count++];
    *c = (struct candidate){w, env->seen, malloc(FEATURES * sizeof *c->features), 0};
    for (int i = 0; i < FEATURES; i++) {
        if (reached[i]) {
            users[i]++;
            c->features[c->n++] = (uint16_t)i;
        }
    }
    env->seen = (struct snapshot_pieces){0};
}

/* Whether a walk from outside found what the one with all registers did. */
static bool agrees(const struct snapshot_walk *a, const struct snapshot_walk *b)
{
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++)
        same = a->frames[i].frame.kind == b->frames[i].frame.kind && a->frames[i].frame.ptr == b->frames[i].frame.ptr &&
               a->frames[i].frame.off == b->frames[i].frame.off;
    return same;
}

static void one_walk(struct take *t, const char *name, const struct wick_step_state *s, struct wick_step_env *env)
{
    struct snapshot_walk *w = calloc(1, sizeof *w);
    snprintf(w->name, sizeof w->name, "%.40s", name);
    w->state = *s;
    bool news = false;
    t->walks++;
    env->seen.n = 0;
    bool good = walk(t, env, w);
    if (!s->unknown)
        t->whole = *w;
    if (good && agrees(w, &t->whole)) {
        for (int i = 0; i < FEATURES; i++)
            news |= reached[i] && !users[i];
    } else {
        t->refused++;
    }
    if (news)
        keep(t, w, env);
    else
        snapshot_walk_free(w);
}

static void one_thread(struct take *t, int tid)
{
    char path[64], name[64] = "?";
    struct wick_step_env env = {.r = &t->remote, .snap = &t->snap};
    struct wick_step_state s;
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", t->remote.pid, tid);
    FILE *f = fopen(path, "re");
    if (f && fgets(name, 32, f))
        name[strcspn(name, "\n")] = 0;
    if (f)
        fclose(f);
    if (!read_registers(tid, &s))
        return;
    for (int i = 0; i < t->java_count; i++)
        if (t->java[i].tid == tid)
            load_thread(t, t->java[i].addr, &env, &s);
    one_walk(t, name, &s, &env);
    if (s.thread && s.thread_state != STEP_THREAD_IN_JAVA) {
        /* once more, as one sees it who knows pc and sp only */
        struct wick_step_state few = s;
        memset(few.reg, 0, sizeof few.reg);
        few.pc = s.pc;
        few.sp = s.sp;
        few.unknown = UINT32_MAX & ~(1u << STEP_REG_SP);
        strcat(name, " outside");
        one_walk(t, name, &few, &env);
    }
    free(env.seen.at);
}

static void one_round(struct take *t)
{
    char path[32];
    int tids[THREADS], n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", t->remote.pid);
    kill(t->remote.pid, SIGSTOP);
    usleep(2000);
    DIR *d = opendir(path);
    for (struct dirent *e; d && n < THREADS && (e = readdir(d));)
        if (atoi(e->d_name) > 0)
            tids[n++] = atoi(e->d_name);
    if (d)
        closedir(d);
    t->java_count = wick_hs_threads(&t->remote.jvm, t->java, THREADS);
    for (int i = 0; i < n; i++)
        one_thread(t, tids[i]);
    kill(t->remote.pid, SIGCONT);
}

static int by_size(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->seen.n < y->seen.n) - (x->seen.n > y->seen.n);
}

static void drop_superfluous(struct take *t)
{
    qsort(t->kept, t->kept_count, sizeof *t->kept, by_size);
    for (size_t i = 0; i < t->kept_count; i++) {
        struct candidate *c = &t->kept[i];
        bool needed = false;
        for (int k = 0; k < c->n; k++)
            needed |= users[c->features[k]] == 1;
        for (int k = 0; !needed && k < c->n; k++)
            users[c->features[k]]--;
        if (!needed) {
            snapshot_walk_free(c->walk);
            c->walk = NULL;
        }
    }
}

/* What the walk read goes to all walks' memory, or to its own where the two differ. */
static void put_memory(struct take *t, struct candidate *c)
{
    for (size_t i = 0; i < c->seen.n; i++) {
        const struct snapshot_piece *p = &c->seen.at[i];
        struct snapshot_piece *q = snapshot_piece_find(&t->snap.memory, p->addr);
        if (!q)
            *snapshot_piece_add(&t->snap.memory, p->addr) = *p;
        else if (q->none != p->none || memcmp(q->bytes, p->bytes, SNAPSHOT_PIECE))
            *snapshot_piece_add(&c->walk->own, p->addr) = *p;
    }
}

/* Rules and functions that only walks which were not kept asked for. */
static void replay_rules(struct take *t)
{
    struct snapshot all = t->snap;
    t->snap.rules = NULL;
    t->snap.functions = NULL;
    t->snap.rule_count = t->snap.function_count = 0;
    for (size_t i = 0; i < t->kept_count; i++) {
        if (!t->kept[i].walk)
            continue;
        struct wick_step_env env = {.r = &t->remote, .snap = &t->snap, .seen = t->kept[i].seen};
        struct wick_step_state s = t->kept[i].walk->state;
        struct wick_step_frame f;
        while (wick_step(&env, &t->snap.jvm, &s, &f) == WICK_STEP_MORE)
            ;
        t->kept[i].seen = env.seen;
    }
    free(all.rules);
    free(all.functions);
}

/* Where frozen frames are is known once a thread that has some was seen; until then walks would end differently. */
static void learn_frozen(struct take *t)
{
    struct wick_hs_mounted m;
    for (int round = 0; round < 200 && t->remote.jvm.major >= 21 && t->remote.jvm.step.cont_tail <= 0; round++) {
        usleep(5000);
        kill(t->remote.pid, SIGSTOP);
        t->java_count = wick_hs_threads(&t->remote.jvm, t->java, THREADS);
        for (int i = 0; i < t->java_count; i++)
            wick_hs_mounted(&t->remote.jvm, &t->remote.mounted, t->java[i].addr, &m);
        kill(t->remote.pid, SIGCONT);
    }
}

int main(int argc, char **argv)
{
    static struct take t;
    struct wick_err err = {0};
    if (argc != 5) {
        fputs("Usage: take_snapshot PID FILE ROUNDS TITLE\n", stderr);
        return 2;
    }
    if (wick_remote_open(&t.remote, atoi(argv[1]), &err)) {
        fprintf(stderr, "take_snapshot: %s\n", err.msg);
        return 1;
    }
    wick_symbolizer_init(&t.code, &t.remote.images, t.remote.pid, &t.remote.mem, NULL);
    snprintf(t.snap.title, sizeof t.snap.title, "JDK %s, %.150s", t.remote.jvm.release, argv[4]);
    learn_frozen(&t);
    for (int i = 0; i < atoi(argv[3]); i++) {
        one_round(&t);
        usleep((useconds_t)(1000 + rand() % 5000));
    }
    t.snap.jvm = t.remote.jvm.step;
    drop_superfluous(&t);
    replay_rules(&t);
    for (size_t i = 0; i < t.kept_count; i++) {
        if (t.kept[i].walk) {
            put_memory(&t, &t.kept[i]);
            snapshot_walk_add(&t.snap, t.kept[i].walk);
        }
        free(t.kept[i].seen.at);
        free(t.kept[i].features);
    }
    int rc = snapshot_save(&t.snap, argv[2]);
    printf("%s: %u walks, %u refused, %zu of %zu kept, %zu pieces\n", argv[2], t.walks, t.refused, t.snap.walk_count,
           t.kept_count, t.snap.memory.n);
    free(t.kept);
    snapshot_release(&t.snap);
    wick_symbolizer_release(&t.code);
    wick_remote_close(&t.remote);
    return rc ? 1 : 0;
}
