/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_stacks.h - facts of ten seconds for `wick explain`, made of stacks, and what it says of them
 *
 * Threads: one.
 * Memory:  a scene is freed when it was explained.
 */
#ifndef WICK_TESTS_UNIT_EXPLAIN_STACKS_H
#define WICK_TESTS_UNIT_EXPLAIN_STACKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/explain/explain_text.h"

enum { MOST = 64 };
#define S 1000000000ll

struct scene {
    struct wick_profile p;
    struct wick_explain_sample wall[MOST], cpu[MOST];
    uint32_t causes[MOST], ran[MOST];
    struct wick_explain_use uses[MOST];
    struct wick_lock_wait_row waits[MOST];
    struct wick_explain_notice notices[MOST];
    struct wick_explain_facts f;
};

/* "app/Main.run" is Java's, "app/Main.run@12" in that line, ">app/Main.get" inlined into what is below it,
 * "libc.so.6:write" a library's, "kernel:do_futex" the kernel's. */
static inline uint32_t push(struct wick_profile *p, uint32_t below, const char *name)
{
    char class_name[128], method[128];
    bool inlined = *name == '>';
    name += inlined;
    const char *colon = strchr(name, ':'), *end = colon ? colon : strrchr(name, '.');
    assert_non_null(end);
    snprintf(class_name, sizeof class_name, "%.*s", (int)(end - name), name);
    uint8_t kind = inlined                        ? WICK_FRAME_INLINED
                   : !colon                       ? WICK_FRAME_C2
                   : strcmp(class_name, "kernel") ? WICK_FRAME_NATIVE
                                                  : WICK_FRAME_KERNEL;
    const char *at = strchr(end, '@');
    snprintf(method, sizeof method, "%.*s", (int)strcspn(end + 1, "@"), end + 1);
    uint32_t function =
        wick_profile_function(p, wick_profile_cstring(p, class_name), wick_profile_cstring(p, method), 0);
    return wick_profile_push(p, below, wick_profile_frame(p, function, at ? atoi(at + 1) : 0, -1, kind));
}

/* Frames from the root to the leaf, up to NULL. */
static inline uint32_t stack_of(struct scene *s, ...)
{
    va_list names;
    uint32_t stack = 0;
    va_start(names, s);
    for (const char *name; (name = va_arg(names, const char *));)
        stack = push(&s->p, stack, name);
    va_end(names);
    return stack;
}

#define STACK(s, ...) stack_of(s, __VA_ARGS__, NULL)

static inline struct scene *scene(void)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_int_equal(wick_profile_init(&s->p), 0);
    s->f = (struct wick_explain_facts){.p = &s->p,
                                       .duration_ns = 10 * S,
                                       .got_ns = 10 * S,
                                       .kills_since = -1,
                                       .wall = s->wall,
                                       .cpu = s->cpu,
                                       .causes = s->causes,
                                       .ran = s->ran,
                                       .uses = s->uses,
                                       .notices = s->notices,
                                       .locks = {.rows = s->waits, .recorded = true}};
    return s;
}

static inline uint32_t thread_of(struct scene *s, const char *name, int64_t id)
{
    return wick_profile_thread(&s->p, wick_profile_cstring(&s->p, name), id, id, false);
}

/* Wall time of a thread that runs now and then. */
static inline void add(struct scene *s, uint32_t thread, uint32_t stack, enum wick_explain_state state, double seconds)
{
    assert_true(s->f.nwall < MOST && s->f.nran + 2 < MOST);
    s->wall[s->f.nwall++] = (struct wick_explain_sample){
        .thread = thread, .stack = stack, .state = state, .weight_ns = (int64_t)(seconds * S)};
    s->ran[s->f.nran++] = thread;
    s->ran[s->f.nran++] = thread;
}

/* One sample after another: of a wait of 200 ms, as its rows are in order of time. */
static inline void then(struct scene *s, uint32_t stack, enum wick_explain_state state)
{
    add(s, thread_of(s, "http", 1), stack, state, 0.2);
    s->wall[s->f.nwall - 1].time_ns = (int64_t)s->f.nwall * S / 5;
    s->f.nran = 2;
}

/* A wait that the owner's stack explains. */
static inline void owned(struct scene *s, uint32_t thread, uint32_t stack, uint32_t owner_stack, bool park,
                         double seconds)
{
    /* a lock for each place that waits */
    s->waits[s->f.locks.nrows++] = (struct wick_lock_wait_row){.thread = thread,
                                                               .stack = stack,
                                                               .identity = stack,
                                                               .owner_stack = owner_stack,
                                                               .park = park,
                                                               .weight_ns = (int64_t)(seconds * S)};
}

/* An event of waiting to be notified, or (park) of being parked. */
static inline void noticed(struct scene *s, uint32_t thread, uint32_t stack, int64_t identity, bool timed_out,
                           bool park)
{
    assert_true(s->f.nnotices < MOST && s->f.locks.nrows < MOST);
    if (park)
        s->waits[s->f.locks.nrows++] =
            (struct wick_lock_wait_row){.thread = thread, .stack = stack, .identity = identity, .park = true};
    else
        s->notices[s->f.nnotices++] = (struct wick_explain_notice){
            .thread = thread, .stack = stack, .identity = identity, .timed_out = timed_out};
}

/* "rule: sentence" lines, the first finding first, an empty one, and open questions; the scene is freed. The caller
 * frees it. */
static inline char *explained(struct scene *s)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    struct wick_explain_findings all;
    struct wick_err err = {0};
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    for (size_t i = 0; i < all.n; i++) {
        wick_strbuf_addf(&out, "%s: ", all.rows[i].rule->name);
        wick_explain_text_sentence(&out, &all.rows[i]);
        wick_strbuf_addc(&out, '\n');
    }
    wick_strbuf_addc(&out, '\n');
    for (size_t i = all.n; i < all.n + all.undecided; i++) {
        wick_strbuf_addf(&out, "? %s: ", all.rows[i].rule->name);
        wick_explain_text_sentence(&out, &all.rows[i]);
        wick_strbuf_addf(&out, " (record %lld s)\n", (long long)(all.rows[i].record_ns / S));
    }
    wick_explain_findings_release(&all);
    wick_profile_release(&s->p);
    free(s);
    return wick_strbuf_take(&out);
}

static inline void begins(struct scene *s, const char *line)
{
    char *text = explained(s);
    if (strncmp(text, line, strlen(line)) != 0)
        fail_msg("not first: \"%s\" in:\n%s", line, text);
    free(text);
}

static inline void has(struct scene *s, const char *part)
{
    char *text = explained(s);
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
    free(text);
}

static inline void has_not(struct scene *s, const char *part)
{
    char *text = explained(s);
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%s", part, text);
    free(text);
}

static inline void silent(struct scene *s)
{
    char *text = explained(s);
    assert_string_equal(text, "\n");
    free(text);
}

static inline void cpu(struct scene *s, uint32_t stack, double seconds)
{
    s->cpu[s->f.ncpu++] = (struct wick_explain_sample){
        .stack = stack, .state = WICK_EXPLAIN_DEFAULT, .weight_ns = (int64_t)(seconds * S)};
    s->f.sampled_ns += (int64_t)(seconds * S);
}

/* What the kernel counted of a thread, which is CPU time of one stack. */
static inline void uses(struct scene *s, uint32_t thread, uint32_t stack, double cpu, double delay)
{
    assert_true(s->f.ncpu < MOST && thread < MOST);
    s->cpu[s->f.ncpu++] =
        (struct wick_explain_sample){.thread = thread, .stack = stack, .weight_ns = (int64_t)(cpu * S)};
    s->uses[thread] = (struct wick_explain_use){(int64_t)(cpu * S), (int64_t)(delay * S), (int64_t)(1000 * cpu)};
    s->f.nuses = thread >= s->f.nuses ? thread + 1 : s->f.nuses;
    s->f.sampled_ns += (int64_t)(cpu * S);
}

/* Whether the first finding of the rule is neutral; the scene goes on. */
static inline bool is_neutral(struct scene *s, const char *rule)
{
    struct wick_explain_findings all;
    struct wick_err err = {0};
    size_t i = 0;
    assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
    while (i < all.n && strcmp(all.rows[i].rule->name, rule) != 0)
        i++;
    assert_true(i < all.n);
    bool neutral = all.rows[i].neutral;
    wick_explain_findings_release(&all);
    return neutral;
}

#endif
