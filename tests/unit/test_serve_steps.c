/* SPDX-License-Identifier: Apache-2.0 */
/* A large recording is read in steps: who is content with a part has it at once, all others have the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "serve/serve.h"

enum { COPIES = 6, ROOM = 1 << 20 };

struct fixture {
    struct wick_serve *s;
    char dir[64];
    uint64_t until_ns; /* of the view that was made last */
};

static bool runs(void *ctx, unsigned handle, char *why, size_t cap)
{
    (void)ctx;
    (void)handle;
    (void)why;
    (void)cap;
    return false;
}

static int copy_kept(void *ctx, const struct wick_growing *g, const struct wick_ask *a, void **copy,
                     struct wick_err *err)
{
    (void)ctx;
    (void)g;
    (void)a;
    (void)copy;
    (void)err;
    return 1;
}

static int view(void *ctx, const char *name, const struct wick_serve_file *file, const struct wick_ask *a, FILE *out,
                struct wick_err *err)
{
    struct fixture *f = ctx;
    (void)name;
    (void)a;
    (void)err;
    f->until_ns = file->until_ns;
    *file->partial = file->until_ns != 0;
    fputs("{\"open\":0}", out);
    return 0;
}

static const struct wick_serve_asset assets[] = {{0}};

/* A server of a recording that is some others behind each other; a step reads as little as it may. */
static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const struct wick_serve_front front = {
        .ctx = f, .runs = runs, .copy_kept = copy_kept, .view = view, .assets = assets};
    char command[512];
    strcpy(f->dir, "/tmp/wick-steps.XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(command, sizeof command, "for i in $(seq %d); do gzip -dc '%s/jfr/jdk17.jfr.gz'; done > %s/a.jfr", COPIES,
             WICK_GOLDEN, f->dir);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "touch -d '1 hour ago' %s/a.jfr", f->dir); /* it does not grow */
    assert_int_equal(system(command), 0);
    f->s = wick_serve_new(&front);
    f->s->step_ns = 0;
    assert_int_equal(wick_guard_init(&f->s->guard, 8080, NULL), 0);
    assert_int_equal(wick_catalog_name(&f->s->catalog, f->dir, NULL), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", f->dir);
    wick_serve_free(f->s);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

/* The answer to a question about the recording, malloc'ed; `stream` is set to the reply if it is a stream. */
static char *ask(struct fixture *f, const char *what, struct wick_http_reply *stream)
{
    char bearer[64], target[256];
    struct wick_http_reply r = {0};
    snprintf(bearer, sizeof bearer, "Bearer %s", f->s->guard.token);
    if (stream)
        strcpy(target, "/api/v1/events");
    else
        snprintf(target, sizeof target, "/api/v1/recordings/%s%s", f->s->catalog.entries[0]->id, what);
    wick_serve_answer(f->s,
                      &(struct wick_http_request){
                          .method = "GET", .target = target, .host = "127.0.0.1:8080", .authorization = bearer},
                      &r);
    assert_int_equal(r.status, 200);
    if (stream) {
        *stream = r;
        return NULL;
    }
    char *text = strndup(r.body, r.len);
    if (!r.lasting)
        free((void *)(uintptr_t)r.body);
    return text;
}

static int64_t number_in(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtoll(at + strlen(key), NULL, 10);
}

/* Of the recording as it is shown. */
static bool is_partial(const char *shown)
{
    assert_true(strstr(shown, "\"partial\":true") || strstr(shown, "\"partial\":false"));
    return strstr(shown, "\"partial\":true") != NULL;
}

static void test_steps__a_part_is_answered_at_once_and_grows_to_the_whole(void **state)
{
    struct fixture *f = *state;
    int64_t before = 0, samples = 0;
    bool partial = true;
    unsigned steps = 0;
    for (; partial; steps++) {
        char *shown = ask(f, "?partial=1", NULL);
        char *flame = ask(f, "/flame?partial=1", NULL);
        assert_true(number_in(shown, "\"read_bytes\":") > before);
        assert_true(number_in(flame, "\"samples\":") >= samples);
        before = number_in(shown, "\"read_bytes\":");
        samples = number_in(flame, "\"samples\":");
        partial = is_partial(shown);
        assert_int_equal(partial, before < number_in(shown, "\"size_bytes\":"));
        free(shown);
        free(flame);
    }
    assert_true(steps > 1);
    char *pieced = ask(f, "/flame", NULL);
    f->s->step_ns = UINT64_MAX / 4; /* all in one step */
    for (uint32_t i = 0; i < f->s->catalog.n; i++) {
        wick_growing_free(f->s->catalog.entries[i]->model);
        f->s->catalog.entries[i]->model = NULL;
        f->s->catalog.entries[i]->finished_model = false;
    }
    char *whole = ask(f, "/flame?partial=1", NULL);
    assert_string_equal(pieced, whole);
    free(pieced);
    free(whole);
}

static void test_steps__without_being_asked_for_there_is_no_part(void **state)
{
    struct fixture *f = *state;
    char *flame = ask(f, "/flame", NULL), *shown = ask(f, "?partial=1", NULL);
    int64_t samples = number_in(flame, "\"samples\":");
    assert_false(is_partial(shown));
    assert_int_equal(number_in(shown, "\"read_bytes\":"), number_in(shown, "\"size_bytes\":"));
    free(flame);
    free(shown);
    flame = ask(f, "/flame?partial=0", NULL);
    assert_int_equal(number_in(flame, "\"samples\":"), samples);
    free(flame);
}

/* A trace that is not in a part is not missing. */
static void test_steps__a_trace_is_searched_in_the_whole(void **state)
{
    struct fixture *f = *state;
    char *traces = ask(f, "/traces?partial=1", NULL);
    assert_true(f->until_ns > 0);
    assert_true(is_partial(traces));
    char *trace = ask(f, "/trace/0123456789abcdef?partial=1", NULL);
    assert_int_equal(f->until_ns, 0);
    assert_null(strstr(trace, "partial"));
    free(traces);
    free(trace);
}

/* The page that shows the part has a stream open: reading is its work, and it says how far it is until the end. */
/* A request that takes a part is answered with a comparison of parts, and how much of each side that is; at the end of
 * all of both. */
static void test_steps__parts_are_compared_and_say_what_of_each_side_they_are(void **state)
{
    struct fixture *f = *state;
    char command[256], part[160], all[128];
    snprintf(command, sizeof command, "cp -p %s/a.jfr %s/b.jfr", f->dir, f->dir);
    assert_int_equal(system(command), 0);
    wick_catalog_scan(&f->s->catalog);
    assert_int_equal(f->s->catalog.n, 2);
    snprintf(all, sizeof all, "/diff?base=%s", f->s->catalog.entries[1]->id);
    snprintf(part, sizeof part, "%s&partial=1", all);
    char *answer = ask(f, part, NULL);
    int64_t of_base = -1, of_both = -1;
    int steps = 0;
    for (; strstr(answer, "\"partial\":true"); steps++) {
        int64_t base = number_in(answer, "\"base_read_bytes\":"), size = number_in(answer, "\"base_size_bytes\":");
        int64_t after = number_in(answer, ",\"read_bytes\":");
        assert_in_range(base, 1, size);
        assert_int_equal(size, number_in(answer, ",\"size_bytes\":"));
        assert_true(base >= of_base && base + after > of_both && base + after < 2 * size);
        of_base = base;
        of_both = base + after;
        free(answer);
        answer = ask(f, part, NULL);
    }
    assert_true(steps > 1);
    char *whole = ask(f, all, NULL);
    assert_string_equal(answer, whole);
    free(answer);
    free(whole);
}

static void test_steps__a_stream_reads_on_and_says_how_far(void **state)
{
    struct fixture *f = *state;
    struct wick_http_reply stream;
    char *text = malloc(ROOM), *first = ask(f, "?partial=1", NULL);
    assert_true(is_partial(first));
    ask(f, NULL, &stream);
    f->s->catalog.entries[0]->read_ns = UINT64_MAX / 2; /* just now, however long that took */
    char *second = ask(f, "?partial=1", NULL);
    assert_string_equal(first, second);    /* others do not hold it up */
    f->s->catalog.entries[0]->read_ns = 0; /* unless it stands still */
    char *third = ask(f, "?partial=1", NULL);
    assert_true(number_in(third, "\"read_bytes\":") > number_in(second, "\"read_bytes\":"));
    free(third);
    bool partial = true;
    while (partial) {
        ssize_t n = stream.more(stream.stream, text, ROOM - 1);
        assert_true(n > 0);
        text[n] = 0;
        partial = is_partial(text);
    }
    assert_int_equal(number_in(text, "\"read_bytes\":"), number_in(text, "\"size_bytes\":"));
    stream.close(stream.stream);
    free(first);
    free(second);
    free(text);
}

static void test_steps__what_was_asked_about_last_is_read_on_first(void **state)
{
    struct fixture *f = *state;
    struct wick_catalog_entry *e[2];
    char command[256];
    snprintf(command, sizeof command, "cp -p %s/a.jfr %s/b.jfr", f->dir, f->dir);
    assert_int_equal(system(command), 0);
    pthread_mutex_lock(&f->s->lock);
    wick_catalog_scan(&f->s->catalog);
    assert_int_equal(f->s->catalog.n, 2);
    for (int last = 0; last < 2; last++) {
        for (int i = 0; i < 2; i++) /* the one that is asked about last comes last */
            assert_int_equal(wick_serve_read_locked(f->s, f->s->catalog.entries[i ^ !last]->id, true, &e[i], NULL), 0);
        int64_t before = wick_catalog_read_bytes(e[0]), of_last = wick_catalog_read_bytes(e[1]);
        assert_true(wick_serve_read_on_locked(f->s));
        assert_int_equal(wick_catalog_read_bytes(e[0]), before);
        assert_true(wick_catalog_read_bytes(e[1]) > of_last);
    }
    pthread_mutex_unlock(&f->s->lock);
}

/* Two that are read at the same time, and together are more than may be kept, would else make each other begin anew. */
static void test_steps__what_is_being_read_is_not_forgotten(void **state)
{
    struct fixture *f = *state;
    char command[256];
    snprintf(command, sizeof command, "for i in $(seq 20); do cp -p %s/a.jfr %s/b$i.jfr; done", f->dir, f->dir);
    assert_int_equal(system(command), 0);
    pthread_mutex_lock(&f->s->lock);
    wick_catalog_scan(&f->s->catalog);
    assert_int_equal(f->s->catalog.n, 21); /* more than there may be models */
    for (uint32_t i = 0; i < f->s->catalog.n; i++) {
        struct wick_catalog_entry *e;
        assert_int_equal(wick_serve_read_locked(f->s, f->s->catalog.entries[i]->id, true, &e, NULL), 0);
        e->read_ns = UINT64_MAX / 2; /* just now, however long the machine takes for all of them */
    }
    for (uint32_t i = 0; i < f->s->catalog.n; i++)
        assert_true(wick_catalog_is_partial(f->s->catalog.entries[i]));
    for (uint32_t i = 0; i < f->s->catalog.n; i++)
        f->s->catalog.entries[i]->read_ns = 0; /* nobody waits for them any more */
    assert_true(wick_serve_read_on_locked(f->s));
    uint32_t models = 0;
    for (uint32_t i = 0; i < f->s->catalog.n; i++)
        models += f->s->catalog.entries[i]->model != NULL;
    assert_in_range(models, 1, 12);
    pthread_mutex_unlock(&f->s->lock);
}

/* A client may ask for a part of many large recordings; as many are begun as there is room for, and those go on. */
static void test_steps__many_large_recordings_are_not_read_at_the_same_time(void **state)
{
    enum { FILES = 12, MOST = 8 };
    struct fixture *f = *state;
    struct wick_catalog *c = &f->s->catalog;
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && while [ $(stat -c %%s a.jfr) -lt 9000000 ]; do cat a.jfr a.jfr > b && mv b a.jfr; done && "
             "touch -d '1 hour ago' a.jfr && for i in $(seq %d); do ln a.jfr c$i.jfr; done",
             f->dir, FILES - 1);
    assert_int_equal(system(command), 0);
    pthread_mutex_lock(&f->s->lock);
    wick_catalog_scan(c);
    assert_int_equal(c->n, FILES);
    for (int round = 0; round < 2; round++) { /* those that were begun are read on all the same */
        for (uint32_t i = 0; i < FILES; i++) {
            struct wick_catalog_entry *e;
            struct wick_err err = {0};
            for (uint32_t k = 0; k < FILES; k++) /* just now, however long the machine takes */
                c->entries[k]->read_ns = UINT64_MAX / 2;
            int64_t before = wick_catalog_read_bytes(c->entries[i]);
            int rc = wick_serve_read_locked(f->s, c->entries[i]->id, true, &e, &err);
            assert_int_equal(rc, i < MOST ? 0 : -WICK_E_LIMIT);
            if (i < MOST)
                assert_true(wick_catalog_read_bytes(c->entries[i]) > before);
        }
    }
    for (uint32_t i = 0; i < FILES; i++)
        c->entries[i]->read_ns = 0; /* nobody waits for them any more */
    struct wick_catalog_entry *e;
    assert_int_equal(wick_serve_read_locked(f->s, c->entries[FILES - 1]->id, true, &e, NULL), 0);
    pthread_mutex_unlock(&f->s->lock);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(test_steps__a_part_is_answered_at_once_and_grows_to_the_whole),
        WITH_SERVER(test_steps__without_being_asked_for_there_is_no_part),
        WITH_SERVER(test_steps__a_trace_is_searched_in_the_whole),
        WITH_SERVER(test_steps__parts_are_compared_and_say_what_of_each_side_they_are),
        WITH_SERVER(test_steps__a_stream_reads_on_and_says_how_far),
        WITH_SERVER(test_steps__what_was_asked_about_last_is_read_on_first),
        WITH_SERVER(test_steps__what_is_being_read_is_not_forgotten),
        WITH_SERVER(test_steps__many_large_recordings_are_not_read_at_the_same_time),
    };
    return cmocka_run_group_tests_name("serve_steps", tests, NULL, NULL);
}
