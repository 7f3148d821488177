/* SPDX-License-Identifier: Apache-2.0 */
/* Saved memory of real JVMs is walked, without a JVM, to the frames that were found and checked when it was saved. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "snapshot.h"

struct wick_step_env {
    const struct snapshot *snap;
    const struct snapshot_walk *walk;
    uint64_t lacks; /* an address that the walk asked about and the file does not know */
    struct wick_step_scratch scratch;
};

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

static int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    for (uint64_t done = 0, part; done < n; done += part) {
        uint64_t at = addr + done, in = at % SNAPSHOT_PIECE;
        const struct snapshot_piece *p = snapshot_piece_find(&env->walk->own, at - in);
        if (!p)
            p = snapshot_piece_find(&env->snap->memory, at - in);
        if (!p)
            env->lacks = at;
        if (!p || p->none)
            return -1;
        part = SNAPSHOT_PIECE - in < n - done ? SNAPSHOT_PIECE - in : n - done;
        memcpy((char *)buf + done, p->bytes + in, part);
    }
    return 0;
}

static int step_native_rule(struct wick_step_env *env, uint64_t pc, struct wick_unwind_rule *rule)
{
    const struct snapshot_rule *r = snapshot_rule_find(env->snap, pc);
    if (!r)
        env->lacks = pc;
    if (!r || r->none)
        return -1;
    *rule = r->rule;
    return 0;
}

static int step_native_function(struct wick_step_env *env, uint64_t pc, uint64_t *start)
{
    const struct snapshot_function *f = snapshot_function_find(env->snap, pc);
    if (!f)
        env->lacks = pc;
    if (!f || !f->start)
        return -1;
    *start = f->start;
    return 0;
}

#define step_blob_find   step_blob_read
#define step_method_find step_method_read
#include "unwind/step_walk.h"

enum { KINDS = WICK_STEP_UNKNOWN };

static void check_walk(const struct snapshot *snap, const struct snapshot_walk *w)
{
    struct wick_step_env env = {.snap = snap, .walk = w};
    struct wick_step_state s = w->state;
    int res = WICK_STEP_MORE;
    for (int i = 0; i < w->n; i++) {
        struct wick_step_frame f;
        const struct wick_step_frame *want = &w->frames[i].frame;
        memset(&f, 0, sizeof f);
        if (res == WICK_STEP_MORE)
            res = wick_step(&env, &snap->jvm, &s, &f);
        if (res == WICK_STEP_NONE || f.kind != want->kind || f.ptr != want->ptr || f.off != want->off ||
            f.identity != want->identity || f.level != want->level || f.leaf != want->leaf || f.stop != want->stop)
            fail_msg("%s, walk \"%s\", frame %d (%s): kind %d ptr %" PRIx64 " off %u instead of kind %d ptr %" PRIx64
                     " off %u; asked for what the file does not have: %" PRIx64,
                     snap->title, w->name, i, w->frames[i].name, f.kind, f.ptr, f.off, want->kind, want->ptr, want->off,
                     env.lacks);
    }
    struct wick_step_frame more;
    if (res == WICK_STEP_MORE && wick_step(&env, &snap->jvm, &s, &more) != WICK_STEP_NONE)
        fail_msg("%s, walk \"%s\": more than %d frames", snap->title, w->name, w->n);
    if (env.lacks)
        fail_msg("%s, walk \"%s\": asked for what the file does not have: %" PRIx64, snap->title, w->name, env.lacks);
}

/* Which kinds of frames a JDK's files have; bit n: kind n. */
static unsigned kinds_of[64];

static void check_file(const char *path)
{
    struct snapshot snap;
    int line = snapshot_load(&snap, path);
    if (line)
        fail_msg("%s: line %d cannot be read", path, line);
    assert_true(snap.walk_count > 0);
    for (size_t i = 0; i < snap.walk_count; i++) {
        check_walk(&snap, snap.walks[i]);
        for (int k = 0; k < snap.walks[i]->n; k++)
            kinds_of[snap.jvm.major & 63] |= 1u << snap.walks[i]->frames[k].frame.kind;
    }
    snapshot_release(&snap);
}

static void test_snapshot__every_saved_walk_finds_its_frames(void **state)
{
    static const unsigned majors[] = {8, 11, 17, 21, 25};
    const unsigned plain = 1u << WICK_STEP_NATIVE | 1u << WICK_STEP_INTERPRETED | 1u << WICK_STEP_COMPILED |
                           1u << WICK_STEP_WRAPPER | 1u << WICK_STEP_STUB | 1u << WICK_STEP_ENTRY;
    DIR *d = opendir(WICK_SNAPSHOTS);
    (void)state;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[4096];
        size_t n = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", WICK_SNAPSHOTS, e->d_name);
        if (n > 3 && !strcmp(e->d_name + n - 3, ".gz"))
            check_file(path);
    }
    closedir(d);
    for (size_t i = 0; i < sizeof majors / sizeof *majors; i++) {
        unsigned want = plain | (majors[i] >= 21 ? 1u << WICK_STEP_BOUNDARY : 0);
        assert_int_equal(kinds_of[majors[i]] & want, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_snapshot__every_saved_walk_finds_its_frames)};
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
