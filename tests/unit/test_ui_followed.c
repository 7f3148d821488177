/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick ui` keeps of a recording for its pages: read once, and the same as when it is read as a whole. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../jfr/lock_story.h"
#include "../jfr/requests.h"
#include "analysis/explain/explain_rules.h"
#include "cli/input/inputs.h"
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"

enum { HEADER = 68, START_AT = 32 /* in it: when the chunk begins */, LASTS_AT = 40, FLAGS_AT = 67, FINAL = 2 };

/* A recording as bytes. */
struct bytes {
    char *data;
    size_t n;
};

static struct bytes made_by(int (*write_story)(int fd))
{
    int fd = memfd_create("story", MFD_CLOEXEC), copy = dup(fd);
    struct stat st;
    assert_int_equal(write_story(fd), 0);
    assert_int_equal(fstat(copy, &st), 0);
    struct bytes b = {malloc((size_t)st.st_size), (size_t)st.st_size};
    assert_int_equal(pread(copy, b.data, b.n, 0), b.n);
    close(copy);
    return b;
}

struct file {
    int fd;
    char path[32];
    struct wick_serve_file as;
};

static void make_file(struct file *f, const struct bytes *b)
{
    f->fd = memfd_create("recording", MFD_CLOEXEC);
    assert_int_equal(pwrite(f->fd, b->data, b->n, 0), b->n);
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    f->as = (struct wick_serve_file){f->path, "x.jfr", .grows = true};
}

/* What was read is gone, but for the header, which is the writer's to change; the same comes once more behind it. */
static void grow(const struct file *f, const struct bytes *b)
{
    char *nothing = calloc(1, b->n);
    assert_int_equal(pwrite(f->fd, nothing, b->n - HEADER, HEADER), b->n - HEADER);
    assert_int_equal(pwrite(f->fd, b->data, b->n, (off_t)b->n), b->n);
    free(nothing);
}

/* A file that holds the recording twice, to be read as a whole. */
static void make_double(struct file *f, const struct bytes *b)
{
    make_file(f, b);
    assert_int_equal(pwrite(f->fd, b->data, b->n, (off_t)b->n), b->n);
}

static int by_start(const void *a, const void *b)
{
    const struct wick_span *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static void test_followed__spans_are_read_once(void **state)
{
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct wick_profile p;
    struct wick_spans whole;
    struct file f, both;
    (void)state;
    make_file(&f, &b);
    const struct wick_spans *s = wick_ui_followed_spans(&f.as, &err);
    assert_non_null(s);
    size_t n = s->n, samples = s->nsamples, allocs = s->nallocs;
    assert_true(n > 0);
    assert_ptr_equal(wick_ui_followed_spans(&f.as, &err), s);
    assert_int_equal(s->n, n);

    grow(&f, &b);
    for (int last = 0; last < 3; last++) { /* while it grows, when it has ended, and after that */
        f.as.grows = !last;
        assert_ptr_equal(wick_ui_followed_spans(&f.as, &err), s);
        assert_int_equal(s->n, 2 * n);
        assert_int_equal(s->nsamples, 2 * samples);
        assert_int_equal(s->nallocs, 2 * allocs);
    }

    make_double(&both, &b);
    assert_int_equal(wick_profile_init(&p), 0);
    wick_spans_init(&whole, &p);
    whole.one_process = true;
    const struct wick_jfr_visitor v = wick_spans_visitor(&whole);
    assert_int_equal(wick_ui_read_quietly(&p, both.path, &v, &err), 0);
    assert_int_equal(wick_spans_finish(&whole), 0);
    assert_int_equal(whole.n, s->n);
    qsort(whole.spans, whole.n, sizeof *whole.spans, by_start);
    struct wick_span *sorted = calloc(s->n, sizeof *sorted);
    memcpy(sorted, s->spans, s->n * sizeof *sorted);
    qsort(sorted, s->n, sizeof *sorted, by_start);
    for (size_t i = 0; i < s->n; i++) {
        assert_int_equal(sorted[i].start_ns, whole.spans[i].start_ns);
        assert_int_equal(sorted[i].end_ns, whole.spans[i].end_ns);
    }
    free(sorted);
    wick_spans_release(&whole);
    wick_profile_release(&p);
    close(f.fd);
    close(both.fd);
    free(b.data);
    wick_ui_followed_forget();
}

static void test_followed__locks_are_read_once(void **state)
{
    struct bytes b = made_by(lock_story_write);
    struct wick_err err = {0};
    struct wick_profile p;
    struct wick_lock_waits whole;
    struct file f, both;
    char *path = both.path;
    (void)state;
    make_file(&f, &b);
    const struct wick_lock_waits *w = wick_ui_followed_locks(&f.as, &err);
    assert_non_null(w);
    uint32_t n = w->nrows;
    assert_true(n > 0);
    grow(&f, &b);
    assert_ptr_equal(wick_ui_followed_locks(&f.as, &err), w);
    assert_int_equal(w->nrows, 2 * n);
    make_double(&both, &b);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_lock_waits_read(&whole, &p, &path, 1, wick_ui_read_quietly, &err), 0);
    assert_int_equal(w->nlocks, whole.nlocks);
    assert_int_equal(w->recorded, whole.recorded);
    assert_int_equal(w->not_ours, whole.not_ours);
    for (uint32_t i = 0; i < w->nlocks; i++) {
        assert_int_equal(w->locks[i].count, whole.locks[i].count);
        assert_int_equal(w->locks[i].total_ns, whole.locks[i].total_ns);
        assert_int_equal(w->locks[i].owned_ns, whole.locks[i].owned_ns);
    }
    wick_lock_waits_release(&whole);
    wick_profile_release(&p);
    close(f.fd);
    close(both.fd);
    free(b.data);
    wick_ui_followed_forget();
}

static void test_followed__safepoints_are_read_once(void **state)
{
    struct bytes b = made_by(lock_story_write);
    struct wick_err err = {0};
    struct wick_profile p;
    struct wick_ttsp_incidents whole;
    struct file f, both;
    char *path = both.path;
    (void)state;
    make_file(&f, &b);
    const struct wick_ttsp_incidents *in = wick_ui_followed_safepoints(&f.as, &err);
    assert_non_null(in);
    uint32_t n = in->nslow;
    assert_true(n > 0);
    grow(&f, &b);
    assert_ptr_equal(wick_ui_followed_safepoints(&f.as, &err), in);
    assert_int_equal(in->nslow, 2 * n);
    make_double(&both, &b);
    assert_int_equal(wick_profile_init(&p), 0);
    assert_int_equal(wick_ttsp_incidents_read(&whole, &p, &path, 1, wick_ui_read_quietly, &err), 0);
    assert_int_equal(in->nculprits, whole.nculprits);
    for (uint32_t i = 0; i < in->nculprits; i++) {
        assert_int_equal(in->culprits[i].count, whole.culprits[i].count);
        assert_int_equal(in->culprits[i].why, whole.culprits[i].why);
    }
    for (uint32_t i = 0; i < in->nslow; i++)
        assert_int_equal(in->slow[i].count, whole.slow[i].count);
    wick_ttsp_incidents_release(&whole);
    wick_profile_release(&p);
    close(f.fd);
    close(both.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* What rules make of facts: the same twice over, since they may put what they are given in order. */
static void assert_same_facts(struct wick_explain_facts *a, struct wick_explain_facts *b)
{
    struct wick_err err = {0};
    int64_t weight[2] = {0, 0};
    assert_int_equal(a->duration_ns, b->duration_ns);
    assert_int_equal(a->nwall, b->nwall);
    assert_int_equal(a->ncpu, b->ncpu);
    assert_int_equal(a->nspans, b->nspans);
    assert_int_equal(a->nlive, b->nlive);
    assert_int_equal(a->pauses_ns, b->pauses_ns);
    assert_int_equal(a->own_ns, b->own_ns);
    assert_int_equal(a->sampled_ns, b->sampled_ns);
    for (size_t i = 0; i < a->nwall; i++) {
        weight[0] += a->wall[i].weight_ns;
        weight[1] += b->wall[i].weight_ns;
    }
    assert_int_equal(weight[0], weight[1]);
    for (int twice = 0; twice < 2; twice++) {
        struct wick_explain_findings x, y;
        assert_int_equal(wick_explain_apply(&x, a, &err), 0);
        assert_int_equal(wick_explain_apply(&y, b, &err), 0);
        assert_int_equal(x.n, y.n);
        for (size_t i = 0; i < x.n; i++) {
            assert_ptr_equal(x.rows[i].rule, y.rows[i].rule);
            assert_true(x.rows[i].cost_ns - y.rows[i].cost_ns < 1 && y.rows[i].cost_ns - x.rows[i].cost_ns < 1);
        }
        wick_explain_findings_release(&x);
        wick_explain_findings_release(&y);
    }
}

static void read_whole(struct wick_explain_facts *whole, struct wick_profile *p, char *path)
{
    struct wick_err err = {0};
    assert_int_equal(wick_profile_init(p), 0);
    assert_int_equal(wick_explain_read(whole, p, &path, 1, NULL, wick_ui_read_quietly, &err), 0);
}

/* Judged again and again while more comes, and always as if it had been read as a whole. */
static void test_followed__what_is_explained_is_read_once(void **state)
{
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct wick_explain_facts whole, now;
    struct wick_profile p;
    struct file f, both;
    (void)state;
    make_file(&f, &b);
    read_whole(&whole, &p, f.path);
    assert_true(whole.nwall > 0 && whole.nspans > 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(wick_ui_followed_explain(&f.as, &(struct wick_range){0}, &now, &err), 0);
        assert_same_facts(&now, &whole);
        wick_explain_so_far_release(&now);
    }
    wick_explain_release(&whole);
    wick_profile_release(&p);

    grow(&f, &b);
    make_double(&both, &b);
    read_whole(&whole, &p, both.path);
    for (int last = 0; last < 3; last++) {
        f.as.grows = !last;
        assert_int_equal(wick_ui_followed_explain(&f.as, &(struct wick_range){0}, &now, &err), 0);
        assert_same_facts(&now, &whole);
        wick_explain_so_far_release(&now);
    }
    wick_explain_release(&whole);
    wick_profile_release(&p);
    close(f.fd);
    close(both.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* A range of time is read for itself, in turn with another one and with all of the recording, and stays a range while
 * more comes. */
static void test_followed__what_is_explained_of_a_range_is_of_that(void **state)
{
    struct bytes b = made_by(requests_write);
    const struct wick_range ranges[] = {{REQUESTS_TIME_NS, REQUESTS_TIME_NS + 50 * REQUESTS_MS},
                                        {REQUESTS_TIME_NS + 50 * REQUESTS_MS, REQUESTS_TIME_NS + 100 * REQUESTS_MS},
                                        {0}};
    struct wick_err err = {0};
    struct wick_explain_facts whole, now;
    struct wick_profile p;
    struct file f;
    (void)state;
    make_file(&f, &b);
    for (size_t i = 0; i < 6; i++) {
        const struct wick_range *r = &ranges[i % 3];
        assert_int_equal(wick_profile_init(&p), 0);
        char *path = f.path;
        assert_int_equal(wick_explain_read(&whole, &p, &path, 1, r, wick_ui_read_quietly, &err), 0);
        assert_int_equal(whole.duration_ns, r->to_ns ? r->to_ns - r->from_ns : (int64_t)(2000 * REQUESTS_MS));
        assert_int_equal(wick_ui_followed_explain(&f.as, r, &now, &err), 0);
        assert_same_facts(&now, &whole);
        assert_int_equal(now.p->start_ns, whole.p->start_ns);
        wick_explain_so_far_release(&now);
        assert_int_equal(wick_ui_followed_explain(&f.as, r, &now, &err), 0); /* from what was kept */
        assert_same_facts(&now, &whole);
        wick_explain_so_far_release(&now);
        wick_explain_release(&whole);
        wick_profile_release(&p);
    }
    close(f.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* Who is content with a part has one that grows with each request, and says that it is one, until it is the whole. */
static void test_followed__a_part_grows_to_the_whole(void **state)
{
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct wick_explain_facts whole, now;
    struct wick_profile p;
    struct file f;
    bool partial = true;
    size_t steps = 0, spans = 0;
    (void)state;
    make_double(&f, &b);
    f.as.grows = false;
    read_whole(&whole, &p, f.path);
    f.as.until_ns = 1; /* long ago: as little as it may */
    f.as.partial = &partial;
    for (size_t before = 0; partial; steps++, before = now.nspans, wick_explain_so_far_release(&now)) {
        assert_int_equal(wick_ui_followed_explain(&f.as, &(struct wick_range){0}, &now, &err), 0);
        assert_true(now.nspans >= before);
        assert_true(!partial || now.nspans < whole.nspans);
        if (!partial)
            assert_same_facts(&now, &whole);
        wick_ui_followed_trim();
    }
    assert_true(steps > 1);
    partial = true;
    for (steps = 0; partial; steps++, wick_ui_followed_trim()) {
        const struct wick_spans *s = wick_ui_followed_spans(&f.as, &err);
        assert_non_null(s);
        assert_true(s->n >= spans);
        spans = s->n;
    }
    assert_true(steps > 1);
    wick_explain_release(&whole);
    wick_profile_release(&p);
    close(f.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* Only the last chunk can say that a recording has its end. */
static void test_followed__a_part_is_not_unfinished(void **state)
{
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct file f;
    bool partial = true;
    (void)state;
    b.data[FLAGS_AT] &= ~FINAL;
    make_file(&f, &b);
    b.data[FLAGS_AT] |= FINAL;
    assert_int_equal(pwrite(f.fd, b.data, b.n, (off_t)b.n), b.n);
    f.as = (struct wick_serve_file){f.path, "x.jfr", .until_ns = 1, .partial = &partial};
    for (size_t steps = 0; partial; steps++, wick_ui_followed_trim()) {
        wick_cli_forget_inputs();
        assert_non_null(wick_ui_followed_spans(&f.as, &err));
        assert_false(wick_cli_is_unfinished());
        assert_true(partial || steps);
    }
    b.data[FLAGS_AT] &= ~FINAL;
    assert_int_equal(pwrite(f.fd, b.data, b.n, (off_t)(2 * b.n)), b.n);
    wick_cli_forget_inputs();
    f.as.until_ns = 0;
    assert_non_null(wick_ui_followed_spans(&f.as, &err));
    assert_true(wick_cli_is_unfinished());
    wick_cli_forget_inputs();
    close(f.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* A first part that covers no time is no reason to have no answer: more is read until it does. */
static void test_followed__what_covers_no_time_yet_is_read_on(void **state)
{
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct wick_explain_facts now;
    struct file f;
    bool partial = true;
    char lasts[8];
    (void)state;
    memcpy(lasts, b.data + LASTS_AT, sizeof lasts);
    memset(b.data + LASTS_AT, 0, sizeof lasts);
    make_file(&f, &b);
    f.as = (struct wick_serve_file){f.path, "x.jfr", .until_ns = 1, .partial = &partial};
    memcpy(b.data + LASTS_AT, lasts, sizeof lasts);
    assert_int_equal(pwrite(f.fd, b.data, b.n, (off_t)b.n), b.n);
    for (size_t steps = 0; partial; steps++, wick_explain_so_far_release(&now)) {
        assert_int_equal(wick_ui_followed_explain(&f.as, &(struct wick_range){0}, &now, &err), 0);
        assert_true(now.duration_ns > 0);
        wick_ui_followed_trim();
    }
    close(f.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* Two that are asked about in turn do not make each other begin anew for ever. */
static void test_followed__two_files_in_turn_are_read_to_their_ends(void **state)
{
    enum { ROUNDS = 1000 }; /* some suffice, unless the machine takes half a minute for each */
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct file f[2];
    bool partial[2] = {true, true}, whole[2] = {false, false};
    (void)state;
    for (int i = 0; i < 2; i++) {
        make_double(&f[i], &b);
        f[i].as.until_ns = 1; /* long ago: as little as it may */
        f[i].as.partial = &partial[i];
    }
    assert_non_null(wick_ui_followed_spans(&f[0].as, &err));
    assert_true(partial[0]);
    for (int round = 0; round < ROUNDS && !(whole[0] && whole[1]); round++)
        for (int i = 1; i >= 0; i--, wick_ui_followed_trim()) {
            assert_non_null(wick_ui_followed_spans(&f[i].as, &err));
            whole[i] |= !partial[i];
        }
    assert_true(whole[0] && whole[1]);
    close(f[0].fd);
    close(f[1].fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* A file that was read to its end and is another one now, or went on, is read anew. */
static void test_followed__what_ended_and_changed_is_read_anew(void **state)
{
    struct bytes b = made_by(requests_write);
    struct wick_err err = {0};
    struct file f, other;
    (void)state;
    make_file(&f, &b);
    f.as.grows = false;
    const struct wick_spans *s = wick_ui_followed_spans(&f.as, &err);
    assert_non_null(s);
    size_t n = s->n;
    assert_int_equal(pwrite(f.fd, b.data, b.n, (off_t)b.n), b.n);
    s = wick_ui_followed_spans(&f.as, &err);
    assert_non_null(s);
    assert_int_equal(s->n, 2 * n);
    make_file(&other, &b);
    s = wick_ui_followed_spans(&other.as, &err);
    assert_non_null(s);
    assert_int_equal(s->n, n);
    assert_int_equal(pwrite(other.fd, "no recording", 12, 0), 12);
    assert_int_equal(ftruncate(other.fd, 12), 0);
    assert_null(wick_ui_followed_spans(&other.as, &err));
    assert_int_not_equal(err.code, 0);
    close(f.fd);
    close(other.fd);
    free(b.data);
    wick_ui_followed_forget();
}

/* `cp other.jfr same.jfr`: a larger file with the same inode, to which nothing was added. */
static void test_followed__another_recording_in_the_same_file_is_read_anew(void **state)
{
    struct bytes b = made_by(requests_write), one = made_by(lock_story_write);
    struct wick_err err = {0};
    struct file f;
    (void)state;
    make_file(&f, &b);
    const struct wick_spans *s = wick_ui_followed_spans(&f.as, &err);
    assert_non_null(s);
    size_t n = s->n;
    wick_ui_followed_forget();
    close(f.fd);

    make_file(&f, &one);
    assert_non_null(wick_ui_followed_locks(&f.as, &err));
    s = wick_ui_followed_spans(&f.as, &err);
    assert_non_null(s);
    assert_int_equal(s->n, 0);
    memcpy(b.data + START_AT, one.data + START_AT, 8);
    b.data[START_AT + 4] ^= 1; /* seconds apart */
    assert_int_equal(pwrite(f.fd, b.data, b.n, 0), b.n);
    assert_int_equal(pwrite(f.fd, one.data, one.n, (off_t)b.n), one.n);
    s = wick_ui_followed_spans(&f.as, &err);
    assert_non_null(s);
    assert_int_equal(s->n, n);
    close(f.fd);
    free(b.data);
    free(one.data);
    wick_ui_followed_forget();
}

static unsigned open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* A recording that is deleted then gives its space back. */
static void test_followed__a_file_that_has_ended_is_closed(void **state)
{
    struct bytes b = made_by(lock_story_write);
    struct wick_err err = {0};
    struct file f;
    (void)state;
    make_file(&f, &b);
    unsigned n = open_files();
    assert_non_null(wick_ui_followed_locks(&f.as, &err));
    assert_int_equal(open_files(), n + 1);
    f.as.grows = false;
    for (int i = 0; i < 2; i++) {
        assert_non_null(wick_ui_followed_locks(&f.as, &err));
        assert_int_equal(open_files(), n);
    }
    wick_ui_followed_forget();
    assert_int_equal(open_files(), n);
    close(f.fd);
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_followed__spans_are_read_once),
        cmocka_unit_test(test_followed__locks_are_read_once),
        cmocka_unit_test(test_followed__safepoints_are_read_once),
        cmocka_unit_test(test_followed__what_is_explained_is_read_once),
        cmocka_unit_test(test_followed__what_is_explained_of_a_range_is_of_that),
        cmocka_unit_test(test_followed__a_part_grows_to_the_whole),
        cmocka_unit_test(test_followed__a_part_is_not_unfinished),
        cmocka_unit_test(test_followed__what_covers_no_time_yet_is_read_on),
        cmocka_unit_test(test_followed__two_files_in_turn_are_read_to_their_ends),
        cmocka_unit_test(test_followed__what_ended_and_changed_is_read_anew),
        cmocka_unit_test(test_followed__another_recording_in_the_same_file_is_read_anew),
        cmocka_unit_test(test_followed__a_file_that_has_ended_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
