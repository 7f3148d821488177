/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick ui` answers to requests, without a network: who is let in, and where requests lead. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sum.h"
#include "jfr_build.h"
#include "serve/serve.h"

/* --- a server --- */

struct fixture {
    struct wick_serve *s;
    char dir[64], file[128];
    unsigned started, stopped;
};

static int no_jvms(void *ctx, void (*each)(void *to, const struct wick_serve_jvm *jvm), void *to, struct wick_err *err)
{
    const struct wick_serve_jvm jvm = {.pid = 42,
                                       .name = "a<b\"",
                                       .jdk = "21",
                                       .user = "u",
                                       .container = "",
                                       .cpu_ns = 7,
                                       .rss_bytes = -1,
                                       .heap_bytes = -1,
                                       .heap_committed = -1};
    (void)ctx;
    (void)err;
    each(to, &jvm);
    return 0;
}

static int start(void *ctx, const struct wick_ask *body, char **path, int *pid, unsigned *handle, struct wick_err *err)
{
    struct fixture *f = ctx;
    if (!wick_ask_get(body, "pid"))
        return wick_err_set(err, WICK_E_USAGE, "pid is missing");
    f->started++;
    *path = strdup(f->file);
    *pid = 42;
    *handle = 1;
    return 0;
}

static int stop(void *ctx, unsigned handle, struct wick_err *err)
{
    struct fixture *f = ctx;
    (void)err;
    assert_int_equal(handle, 1);
    f->stopped++;
    return 0;
}

static bool runs(void *ctx, unsigned handle, char *why, size_t cap)
{
    struct fixture *f = ctx;
    (void)handle;
    (void)why;
    (void)cap;
    return f->started > f->stopped;
}

static int copy_kept(void *ctx, const struct wick_growing *g, const struct wick_ask *a, void **copy,
                     struct wick_err *err)
{
    struct fixture *f = ctx;
    (void)g;
    (void)err;
    assert_int_not_equal(pthread_mutex_trylock(&f->s->lock), 0);
    if (strcmp(a->segment[4], "memory") != 0)
        return 1;
    *copy = strdup("{\"kept\":1}");
    return 0;
}

static int write_kept(void *ctx, void *copy, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    struct fixture *f = ctx;
    (void)a;
    (void)err;
    assert_int_equal(pthread_mutex_trylock(&f->s->lock), 0); /* other questions are answered until then */
    pthread_mutex_unlock(&f->s->lock);
    fputs(copy, out);
    free(copy);
    return 0;
}

static atomic_int views_made, view_takes_long;

static int view(void *ctx, const char *name, const struct wick_serve_file *file, const struct wick_ask *a, FILE *out,
                struct wick_err *err)
{
    (void)ctx;
    (void)a;
    if (strcmp(name, "explain") != 0)
        return wick_err_set(err, WICK_E_NOTFOUND, "there is nothing at this path");
    assert_int_equal(access(file->path, R_OK), 0);
    atomic_fetch_add(&views_made, 1);
    while (atomic_load(&view_takes_long))
        usleep(1000);
    fputs("{\"findings\":[]}", out);
    return 0;
}

static int table(void *ctx, const struct wick_picked *s, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    int64_t sum = 0;
    (void)ctx;
    (void)a;
    (void)err;
    for (uint32_t i = 0; i < s->view.naggs; i++)
        sum += s->view.aggs[i].weight;
    fprintf(out, "{\"sum\":%lld,\"weight\":%lld}", (long long)sum, (long long)s->view.events[s->event].weight);
    return 0;
}

static const struct wick_serve_asset assets[] = {
    {"/ui/x.html", "text/html", "start", 5}, {"/api/v1/openapi.json", "application/json", "{}", 2}, {0}};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char command[512];
    const struct wick_serve_front front = {.ctx = f,
                                           .jvms = no_jvms,
                                           .start = start,
                                           .stop = stop,
                                           .runs = runs,
                                           .copy_kept = copy_kept,
                                           .write_kept = write_kept,
                                           .view = view,
                                           .table = table,
                                           .assets = assets};
    strcpy(f->dir, "/tmp/wick-serve.XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->file, sizeof f->file, "%s/a.jfr", f->dir);
    snprintf(command, sizeof command, "gzip -dc '%s/jfr/jdk17.jfr.gz' > %s && ln -s /etc/passwd %s/link.jfr",
             WICK_GOLDEN, f->file, f->dir);
    assert_int_equal(system(command), 0);
    f->s = wick_serve_new(&front);
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

/* Sends a request with everything right but for what `q` has; what is answered in text (at most cap bytes). */
static int send_to(struct fixture *f, struct wick_http_request q, char *text, size_t cap)
{
    struct wick_http_reply r = {0};
    char bearer[64];
    snprintf(bearer, sizeof bearer, "Bearer %s", f->s->guard.token);
    q.method = q.method ? q.method : "GET";
    q.host = q.host ? q.host : "127.0.0.1:8080";
    q.authorization = q.authorization || q.cookie ? q.authorization : bearer;
    wick_serve_answer(f->s, &q, &r);
    snprintf(text, cap, "%.*s", (int)r.len, r.body);
    if (r.more)
        r.close(r.stream);
    else if (!r.lasting)
        free((void *)(uintptr_t)r.body);
    return r.status;
}

static int get(struct fixture *f, const char *target, char *text, size_t cap)
{
    return send_to(f, (struct wick_http_request){.target = target}, text, cap);
}

static void test_serve__only_a_request_with_the_token_is_answered(void **state)
{
    struct fixture *f = *state;
    char text[4096], token[128], cookie[200];
    assert_int_equal(strlen(f->s->guard.token), WICK_TOKEN_CHARS);
    assert_int_equal(get(f, "/", text, sizeof text), 200);
    assert_string_equal(text, "start");
    for (int i = 0; i < WICK_TOKEN_CHARS; i++) { /* wrong in one place */
        snprintf(token, sizeof token, "Bearer %s", f->s->guard.token);
        token[7 + i] = token[7 + i] == '0' ? '1' : '0';
        assert_int_equal(
            send_to(f, (struct wick_http_request){.target = "/", .authorization = token}, text, sizeof text), 401);
    }
    snprintf(cookie, sizeof cookie, "x=y; wick-8080=%s; z", f->s->guard.token);
    assert_int_equal(send_to(f, (struct wick_http_request){.target = "/", .cookie = cookie}, text, sizeof text), 200);
    snprintf(cookie, sizeof cookie, "xwick-8080=%s; wick-80=%s", f->s->guard.token, f->s->guard.token);
    assert_int_equal(send_to(f, (struct wick_http_request){.target = "/", .cookie = cookie}, text, sizeof text), 401);
    assert_int_equal(send_to(f, (struct wick_http_request){.target = "/", .cookie = ""}, text, sizeof text), 401);
    snprintf(token, sizeof token, "/?token=%s", f->s->guard.token);
    assert_int_equal(send_to(f, (struct wick_http_request){.target = token, .cookie = ""}, text, sizeof text), 303);
    snprintf(token, sizeof token, "/api/v1/jvms?token=%s", f->s->guard.token);
    assert_int_equal(send_to(f, (struct wick_http_request){.target = token, .cookie = ""}, text, sizeof text), 401);
}

static void test_serve__requests_from_elsewhere_are_refused_whatever_token_they_have(void **state)
{
    const struct wick_http_request bad[] = {
        {.host = "evil.example:8080"},
        {.host = "127.0.0.1"},
        {.host = "127.0.0.1:8081"},
        {.host = "127.0.0.1:8080.evil"},
        {.origin = "http://evil.example"},
        {.origin = "null"},
        {.origin = "https://127.0.0.1:8080"},
        {.origin = "http://127.0.0.1:80801"},
        {.fetch_site = "cross-site"},
        {.fetch_site = "same-site", .fetch_mode = "navigate"},
        {.foreign = true},
    };
    const struct wick_http_request good[] = {{.host = "localhost:8080"},
                                             {.origin = "http://127.0.0.1:8080"},
                                             {.fetch_site = "same-origin"},
                                             {.fetch_site = "none"}};
    struct fixture *f = *state;
    char text[4096];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wick_http_request q = bad[i];
        q.target = "/api/v1/jvms";
        assert_int_equal(send_to(f, q, text, sizeof text), 403);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct wick_http_request q = good[i];
        q.target = "/api/v1/jvms";
        assert_int_equal(send_to(f, q, text, sizeof text), 200);
    }
    assert_int_equal(
        send_to(f, (struct wick_http_request){.target = "/", .fetch_site = "cross-site", .fetch_mode = "navigate"},
                text, sizeof text),
        200);
    assert_int_equal(
        send_to(f, (struct wick_http_request){.target = "/ui/x.html", .fetch_site = "cross-site", .fetch_mode = "cors"},
                text, sizeof text),
        403);
}

static void test_serve__names_are_escaped(void **state)
{
    char text[4096];
    assert_int_equal(get(*state, "/api/v1/jvms", text, sizeof text), 200);
    assert_string_equal(text, "{\"jvms\":[{\"pid\":42,\"name\":\"a\\u003cb\\\"\",\"jdk\":\"21\",\"user\":\"u\","
                              "\"container\":\"\",\"readable\":"
                              "false,\"recording\":null,\"cpu_ns\":7}]}");
}

static void test_serve__paths_that_lead_nowhere_are_not_found(void **state)
{
    static const char *const bad[] = {"/nothing",
                                      "/ui",
                                      "/ui/../x",
                                      "/api",
                                      "/api/v2/jvms",
                                      "/api/v1",
                                      "/api/v1/nothing",
                                      "/api/v1/recordings/nothing",
                                      "/api/v1/recordings/nothing/flame"};
    struct fixture *f = *state;
    char text[4096], target[128];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(get(f, bad[i], text, sizeof text), 404);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/nothing", f->s->catalog.entries[0]->id);
    assert_int_equal(get(f, target, text, sizeof text), 404);
    assert_int_equal(get(f, "/%zz", text, sizeof text), 400);
    assert_int_equal(send_to(f, (struct wick_http_request){.target = "/", .method = "PUT"}, text, sizeof text), 405);
    assert_int_equal(send_to(f, (struct wick_http_request){.too_large = true}, text, sizeof text), 413);
}

static void test_serve__a_folder_shows_its_plain_files_only(void **state)
{
    struct fixture *f = *state;
    char text[4096];
    assert_int_equal(get(f, "/api/v1/recordings", text, sizeof text), 200);
    assert_int_equal(f->s->catalog.n, 1);
    assert_string_equal(f->s->catalog.entries[0]->name, "a.jfr");
    assert_null(strstr(text, "link"));
}

/* A server that has no descriptors left for a moment has not lost its recordings. */
static void test_serve__recordings_stay_while_nothing_can_be_opened(void **state)
{
    struct fixture *f = *state;
    struct rlimit all, none;
    static char text[1 << 16];
    char target[256];
    wick_catalog_scan(&f->s->catalog);
    assert_int_equal(f->s->catalog.n, 1);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/table", f->s->catalog.entries[0]->id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
    none = (struct rlimit){0, all.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    wick_catalog_scan(&f->s->catalog);
    int status = get(f, target, text, sizeof text);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
    assert_int_equal(status, 500);
    assert_non_null(strstr(text, strerror(EMFILE)));
    assert_int_equal(f->s->catalog.n, 1);
    assert_non_null(f->s->catalog.entries[0]->model);
    assert_int_equal(get(f, target, text, sizeof text), 200);
}

static int64_t number_in(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtoll(at + strlen(key), NULL, 10);
}

/* What the hottest colour stands for is the smallest of the weights that 99 in 100 of the cells with weight do not
 * exceed: one cell far above the others does not set the colours of all. */
static void assert_hottest(const int64_t *values, size_t n, int64_t p99)
{
    size_t all = 0, below = 0, not_above = 0;
    for (size_t i = 0; i < n; i++) {
        all += values[i] > 0;
        below += values[i] > 0 && values[i] < p99;
        not_above += values[i] > 0 && values[i] <= p99;
    }
    assert_true(not_above * 100 >= all * 99);
    assert_true(all == 0 || below * 100 < all * 99);
}

/* The cells of a heatmap add up to the weight, however long they are; a range has those cells only that lie in it. */
static void check_heat(struct fixture *f, const char *id, int64_t weight)
{
    static const char *const scales[] = {"?columns=4096", "?column_ns=5000000000", "?column_ns=2592000000000000", ""};
    static char text[1 << 20];
    static int64_t values[1 << 18];
    char target[256];
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        int64_t sum = 0, most = 0;
        size_t n = 0;
        snprintf(target, sizeof target, "/api/v1/recordings/%s/heat%s", id, scales[i]);
        assert_int_equal(get(f, target, text, sizeof text), 200);
        int64_t cells = number_in(text, "\"columns\":") * number_in(text, "\"rows\":");
        char *at = strstr(text, "\"values\":[");
        assert_non_null(at);
        for (at += strlen("\"values\":["); *at && *at != ']'; at += *at == ',') {
            int64_t v = strtoll(at, &at, 10);
            sum += v;
            most = v > most ? v : most;
            cells--;
            assert_true(n < sizeof values / sizeof *values);
            values[n++] = v;
        }
        assert_int_equal(sum, weight);
        assert_int_equal(cells, 0);
        assert_int_equal(most, number_in(text, "\"max\":"));
        assert_hottest(values, n, number_in(text, "\"p99\":"));
        assert_int_equal(number_in(text, "\"start_ns\":") % number_in(text, "\"column_ns\":"), 0);
    }
    snprintf(target, sizeof target, "/api/v1/recordings/%s/heat?columns=4096", id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    int64_t first = number_in(text, "\"start_ns\":"), column = number_in(text, "\"column_ns\":");
    snprintf(target, sizeof target, "/api/v1/recordings/%s/heat?column_ns=%" PRId64 "&to=%" PRId64, id, column,
             first + column);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(number_in(text, "\"columns\":"), 1);
}

static void test_serve__questions_about_samples_agree_with_each_other(void **state)
{
    struct fixture *f = *state;
    static char text[1 << 20];
    char target[256];
    const char *id = f->s->catalog.entries[0]->id;
    int64_t weight[4];
    static const char *const what[] = {"table", "flame", "threads", "labels"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(target, sizeof target, "/api/v1/recordings/%s/%s", id, what[i]);
        assert_int_equal(get(f, target, text, sizeof text), 200);
        weight[i] = number_in(text, "\"weight\":");
        assert_true(weight[i] > 0);
        assert_int_equal(weight[i], weight[0]);
    }
    snprintf(target, sizeof target, "/api/v1/recordings/%s/series?by=event&bins=7", id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_true(number_in(text, "\"bins\":") <= 7);
    check_heat(f, id, weight[0]);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/diff?base=%s", id, id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(number_in(text, "\"base_weight\":"), weight[0]);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/table?from=1&to=2", id);
    assert_int_equal(get(f, target, text, sizeof text), 404);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/table?from=1", id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(number_in(text, "\"sum\":"), weight[0]);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/flame?max_nodes=100", id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(number_in(text, "\"weight\":"), weight[0]);
}

static unsigned times_in(const char *text, const char *what)
{
    unsigned n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void test_serve__lists_are_bounded_and_say_how_many_there_are(void **state)
{
    struct fixture *f = *state;
    static char text[1 << 20];
    char target[256];
    const char *id = f->s->catalog.entries[0]->id;
    snprintf(target, sizeof target, "/api/v1/recordings/%s/threads", id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    unsigned all = times_in(text, "\"tid\":");
    assert_true(all > 2);
    assert_int_equal(number_in(text, "\"total\":"), all);
    for (unsigned rows = 0; rows < 3; rows++) {
        snprintf(target, sizeof target, "/api/v1/recordings/%s/threads?rows=%u", id, rows);
        assert_int_equal(get(f, target, text, sizeof text), 200);
        assert_int_equal(times_in(text, "\"tid\":"), rows ? rows : all);
        assert_int_equal(number_in(text, "\"total\":"), all);
    }
    snprintf(target, sizeof target, "/api/v1/recordings/%s/threads?rows=-1", id);
    assert_int_equal(get(f, target, text, sizeof text), 400);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/labels?rows=x", id);
    assert_int_equal(get(f, target, text, sizeof text), 400);
}

/* Ends the chunk, which is ten seconds long, and writes it. */
static void write_chunk(struct jfr_build *j, const char *path)
{
    uint64_t ten_seconds = htobe64(10000000000);
    jfr_end(j);
    memcpy(j->out.buf + 40, &ten_seconds, sizeof ten_seconds);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(j->out.buf, 1, j->out.len, out), j->out.len);
    assert_int_equal(fclose(out), 0);
    wick_strbuf_release(&j->out);
}

/* A recording of one stack: 500 samples, one each 20 ms, and 21 more in one of these. */
static void record_a_burst(const char *path)
{
    static const char *const types[] = {"11 long", "30 jdk.jfr.Timestamp", "20 java.lang.Thread javaThreadId:11",
                                        "21 jdk.types.StackTrace truncated:11",
                                        "E100 jdk.ExecutionSample startTime:11T sampledThread:20p stackTrace:21p"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    jfr_begin(&j);
    for (int64_t i = 0; i < 500; i++)
        for (int64_t n = i == 250 ? 22 : 1; n > 0; n--)
            JFR_EVENT(&j, 100, JFR_BUILD_START_TICKS + i * 40000000 + n, 1, 1);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    jfr_checkpoint(&j, 0, &(struct wick_strbuf)WICK_STRBUF_INIT);
    write_chunk(&j, path);
}

static void test_serve__one_cell_far_above_the_others_does_not_set_the_colours(void **state)
{
    struct fixture *f = *state;
    static char text[1 << 20];
    char target[256];
    record_a_burst(f->file);
    wick_catalog_scan(&f->s->catalog);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/heat?column_ns=1000000000", f->s->catalog.entries[0]->id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(number_in(text, "\"cell_ns\":"), 20000000);
    assert_int_equal(number_in(text, "\"max\":"), 22 * number_in(text, "\"p99\":"));
}

/* Two objects in each of two threads, whose weights are the largest that there are. */
static void record_too_much(const char *path)
{
    static const char *const types[] = {"11 long", "30 jdk.jfr.Timestamp", "20 java.lang.Thread javaThreadId:11",
                                        "E100 jdk.ObjectAllocationSample startTime:11T eventThread:20p weight:11"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct wick_strbuf threads = WICK_STRBUF_INIT;
    jfr_begin(&j);
    for (int64_t i = 0; i < 4; i++)
        JFR_EVENT(&j, 100, JFR_BUILD_START_TICKS + i, 1 + i % 2, INT64_MAX);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    static const int64_t pool[] = {20, 2, 1, 7, 2, 8}; /* type, number; key and java id of each */
    for (size_t i = 0; i < sizeof pool / sizeof *pool; i++)
        jfr_put(&threads, pool[i]);
    jfr_checkpoint(&j, 1, &threads);
    write_chunk(&j, path);
    wick_strbuf_release(&threads);
}

static void test_serve__sums_that_are_too_large_are_the_largest_number(void **state)
{
    struct fixture *f = *state;
    char text[65536], target[256], path[128];
    record_too_much(f->file);
    wick_catalog_scan(&f->s->catalog);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/series?by=event&bins=3", f->s->catalog.entries[0]->id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_non_null(strstr(text, "\"total\":18446744073709551615,\"values\":[18446744073709551615,"));
    snprintf(path, sizeof path, "%s/b.collapsed", f->dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "[t];a 9223372036854775807\n[t];b 9223372036854775807\n");
    assert_int_equal(fclose(out), 0);
    wick_catalog_scan(&f->s->catalog);
    assert_int_equal(f->s->catalog.n, 2);
    static const char *const what[] = {"threads", "labels"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        snprintf(target, sizeof target, "/api/v1/recordings/%s/%s", f->s->catalog.entries[1]->id, what[i]);
        assert_int_equal(get(f, target, text, sizeof text), 200);
        assert_int_equal(number_in(text, "\"weight\":"), INT64_MAX);
    }
    assert_true(wick_sum_was_exceeded());
}

static void test_serve__bad_parameters_are_named(void **state)
{
    static const char *const bad[] = {"flame?thread=(", "flame?label=x",  "flame?from=5&to=5", "flame?max_nodes=1",
                                      "flame?own=2",    "series?bins=0",  "series?top=99999",  "diff",
                                      "flame?from=x",   "heat?columns=0", "heat?column_ns=7"};
    struct fixture *f = *state;
    char text[4096], target[256];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(target, sizeof target, "/api/v1/recordings/%s/%s", f->s->catalog.entries[0]->id, bad[i]);
        assert_int_equal(get(f, target, text, sizeof text), 400);
        assert_non_null(strstr(text, "\"why\":\""));
    }
}

static int post(struct fixture *f, const char *target, const char *type, const char *body, char *text, size_t cap)
{
    return send_to(
        f,
        (struct wick_http_request){
            .method = "POST", .target = target, .content_type = type, .body = body, .body_len = strlen(body)},
        text, cap);
}

static void test_serve__what_is_outside_the_folders_is_not_opened(void **state)
{
    struct fixture *f = *state;
    char text[4096], body[256];
    static const char *const bad[] = {"/etc/passwd",         "/etc/none",   "a.jfr",       "",
                                      "%s/../../etc/passwd", "%s/link.jfr", "%s/none.jfr", "%sx/a.jfr"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[160];
        const char *hole = strstr(bad[i], "%s");
        snprintf(path, sizeof path, "%s%s", hole ? f->dir : "", hole ? hole + 2 : bad[i]);
        snprintf(body, sizeof body, "{\"path\":\"%s\"}", path);
        assert_int_equal(post(f, "/api/v1/recordings", "application/json", body, text, sizeof text), 403);
    }
    snprintf(body, sizeof body, "{\"path\":\"%s\"}", f->file);
    assert_int_equal(post(f, "/api/v1/recordings", "application/json", body, text, sizeof text), 201);
    assert_int_equal(f->s->catalog.n, 1);
}

static void test_serve__recordings_start_and_stop_by_json_only(void **state)
{
    struct fixture *f = *state;
    char text[4096], target[128];
    assert_int_equal(post(f, "/api/v1/recordings", "text/plain", "{\"pid\":42}", text, sizeof text), 400);
    assert_int_equal(post(f, "/api/v1/recordings", NULL, "{\"pid\":42}", text, sizeof text), 400);
    assert_int_equal(post(f, "/api/v1/recordings", "application/json", "{}", text, sizeof text), 400);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/stop", f->s->catalog.entries[0]->id);
    assert_int_equal(post(f, target, "application/json", "", text, sizeof text), 409);
    assert_int_equal(f->started, 0);
    assert_int_equal(post(f, "/api/v1/recordings", "application/json", "{\"pid\":42}", text, sizeof text), 201);
    assert_non_null(strstr(text, "\"live\":true"));
    assert_int_equal(get(f, "/api/v1/jvms", text, sizeof text), 200);
    assert_non_null(strstr(text, f->s->catalog.entries[0]->id));
    assert_int_equal(post(f, target, "application/json", "", text, sizeof text), 200);
    assert_non_null(strstr(text, "\"live\":false"));
    assert_int_equal(f->stopped, 1);
}

static void test_serve__a_recording_that_was_made_here_is_renamed_and_replaces_nothing(void **state)
{
    struct fixture *f = *state;
    char text[4096], target[128], body[160];
    static const struct {
        const char *name;
        int status;
    } names[] = {{"../b", 400}, {"a/b", 400}, {".b", 400}, {"-b", 400}, {"%p", 400}, {"", 400}, {"c", 409}, {"a", 200}};
    snprintf(target, sizeof target, "/api/v1/recordings/%s/rename", f->s->catalog.entries[0]->id);
    assert_int_equal(post(f, target, "application/json", "{\"name\":\"b\"}", text, sizeof text), 409); /* not here */
    assert_int_equal(post(f, "/api/v1/recordings", "application/json", "{\"pid\":42}", text, sizeof text), 201);
    assert_int_equal(post(f, target, "application/json", "{\"name\":\"b\"}", text, sizeof text), 409); /* it grows */
    f->stopped = f->started;
    snprintf(body, sizeof body, "%s/c.jfr", f->dir);
    FILE *other = fopen(body, "w");
    fclose(other);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(body, sizeof body, "{\"name\":\"%s\"}", names[i].name);
        assert_int_equal(post(f, target, "application/json", body, text, sizeof text), names[i].status);
    }
    assert_int_equal(post(f, target, "text/plain", "{\"name\":\"b\"}", text, sizeof text), 400);
    snprintf(body, sizeof body, "{\"name\":\"<b>'&\"}");
    assert_int_equal(post(f, target, "application/json", body, text, sizeof text), 200);
    assert_non_null(strstr(text, "\\u003cb>'&.jfr\""));
    assert_int_not_equal(access(f->file, F_OK), 0);
    assert_int_equal(get(f, target, text, sizeof text), 404); /* the id was the path's */
    snprintf(target, sizeof target, "/api/v1/recordings/%s/flame", f->s->catalog.entries[0]->id);
    assert_int_equal(get(f, target, text, sizeof text), 200);
}

static void test_serve__a_stream_says_what_there_is_and_ends_with_the_server(void **state)
{
    struct fixture *f = *state;
    struct wick_http_reply r = {0};
    char text[4096];
    assert_int_equal(wick_serve_stream(f->s, &r, NULL), 0);
    ssize_t n = r.more(r.stream, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    assert_ptr_equal(strstr(text, "event: recording\ndata: {\"id\":"), text);
    assert_string_equal(text + n - 2, "\n\n");
    wick_serve_end(f->s);
    assert_int_equal(r.more(r.stream, text, sizeof text), -1);
    r.close(r.stream);
    assert_int_equal(f->s->streams, 0);
}

static void test_serve__streams_are_bounded(void **state)
{
    struct fixture *f = *state;
    struct wick_http_reply r[WICK_SERVE_STREAMS + 1] = {0};
    for (int i = 0; i < WICK_SERVE_STREAMS; i++)
        assert_int_equal(wick_serve_stream(f->s, &r[i], NULL), 0);
    assert_int_equal(wick_serve_stream(f->s, &r[WICK_SERVE_STREAMS], NULL), -WICK_E_LIMIT);
    for (int i = 0; i < WICK_SERVE_STREAMS; i++)
        r[i].close(r[i].stream);
}

static void test_serve__a_file_that_is_no_recording_is_unreadable(void **state)
{
    struct fixture *f = *state;
    char text[4096], target[128];
    FILE *out = fopen(f->file, "w");
    fputs("FLR\0 and then nothing that makes sense, for long enough to be a header of seventy bytes or so", out);
    fclose(out);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/flame", f->s->catalog.entries[0]->id);
    int status = get(f, target, text, sizeof text);
    assert_true(status == 422 || status == 404);
    assert_non_null(strstr(text, "\"why\":\""));
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

struct visitor {
    pthread_t thread;
    struct fixture *f;
    char target[96], text[256];
    int status;
};

static void *visit(void *arg)
{
    struct visitor *v = arg;
    v->status = get(v->f, v->target, v->text, sizeof v->text);
    return NULL;
}

/* What reads all of a file holds up no question that does not, and is done once for all that ask it. */
static void test_serve__an_expensive_answer_holds_up_no_other(void **state)
{
    struct fixture *f = *state;
    static char text[1 << 20];
    struct visitor visitors[3] = {{.f = f}, {.f = f}, {.f = f}};
    const char *id;
    assert_int_equal(get(f, "/api/v1/recordings", text, sizeof text), 200);
    id = f->s->catalog.entries[0]->id;
    atomic_store(&views_made, 0);
    atomic_store(&view_takes_long, 1);
    for (int i = 0; i < 3; i++) {
        snprintf(visitors[i].target, sizeof visitors[i].target, "/api/v1/recordings/%s/explain", id);
        assert_int_equal(pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]), 0);
    }
    while (!atomic_load(&views_made))
        usleep(1000);
    char target[96];
    snprintf(target, sizeof target, "/api/v1/recordings/%s/flame?event=jdk.ExecutionSample", id);
    assert_int_equal(get(f, target, text, sizeof text), 200); /* while they are made */
    assert_int_equal(get(f, "/api/v1/recordings", text, sizeof text), 200);
    atomic_store(&view_takes_long, 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(visitors[i].thread, NULL);
        assert_int_equal(visitors[i].status, 200);
        assert_string_equal(visitors[i].text, "{\"findings\":[]}");
    }
    assert_int_equal(atomic_load(&views_made), 1);
}

static void test_serve__what_was_kept_is_written_without_the_lock(void **state)
{
    struct fixture *f = *state;
    char text[256], target[96];
    snprintf(target, sizeof target, "/api/v1/recordings/%s/memory", f->s->catalog.entries[0]->id);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(get(f, target, text, sizeof text), 200);
        assert_string_equal(text, "{\"kept\":1}");
    }
}

/* What is answered while a file grows lacks what lies behind its last complete part: once it has ended, it is answered
 * anew, though not a byte has come. */
static void test_serve__an_answer_about_what_grew_does_not_outlast_its_end(void **state)
{
    struct fixture *f = *state;
    char text[4096], target[96];
    struct timespec grows[2] = {{.tv_sec = time(NULL) + 3600}, {.tv_sec = time(NULL) + 3600}}, ended[2] = {0};
    atomic_store(&views_made, 0);
    snprintf(target, sizeof target, "/api/v1/recordings/%s/explain", f->s->catalog.entries[0]->id);
    assert_int_equal(utimensat(AT_FDCWD, f->file, grows, 0), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(atomic_load(&views_made), 1);
    assert_int_equal(utimensat(AT_FDCWD, f->file, ended, 0), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(get(f, target, text, sizeof text), 200);
    assert_int_equal(atomic_load(&views_made), 2);
}

/* `cp other.jfr same.jfr` while the model follows the file: the same inode, and more bytes. */
static void test_serve__another_recording_copied_into_a_file_is_read_anew(void **state)
{
    struct fixture *f = *state;
    static char text[1 << 16];
    char command[512], target[96];
    snprintf(target, sizeof target, "/api/v1/recordings/%s", f->s->catalog.entries[0]->id);
    for (int copied = 0; copied < 2; copied++) {
        const struct timespec grows[2] = {{.tv_sec = time(NULL) + 3600}, {.tv_sec = time(NULL) + 3600}};
        assert_int_equal(utimensat(AT_FDCWD, f->file, grows, 0), 0);
        assert_int_equal(get(f, target, text, sizeof text), 200);
        assert_int_equal(!strstr(text, "jdk.NativeMethodSample"), copied);
        assert_int_equal(!!strstr(text, "profiler.WallClockSample"), copied);
        snprintf(command, sizeof command, "for i in 1 2 3 4 5 6 7 8; do gzip -dc '%s/jfr/wick.jfr.gz'; done > %s",
                 WICK_GOLDEN, f->file);
        assert_int_equal(system(command), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(test_serve__only_a_request_with_the_token_is_answered),
        WITH_SERVER(test_serve__requests_from_elsewhere_are_refused_whatever_token_they_have),
        WITH_SERVER(test_serve__names_are_escaped),
        WITH_SERVER(test_serve__paths_that_lead_nowhere_are_not_found),
        WITH_SERVER(test_serve__a_folder_shows_its_plain_files_only),
        WITH_SERVER(test_serve__recordings_stay_while_nothing_can_be_opened),
        WITH_SERVER(test_serve__lists_are_bounded_and_say_how_many_there_are),
        WITH_SERVER(test_serve__questions_about_samples_agree_with_each_other),
        WITH_SERVER(test_serve__one_cell_far_above_the_others_does_not_set_the_colours),
        WITH_SERVER(test_serve__sums_that_are_too_large_are_the_largest_number),
        WITH_SERVER(test_serve__bad_parameters_are_named),
        WITH_SERVER(test_serve__what_is_outside_the_folders_is_not_opened),
        WITH_SERVER(test_serve__recordings_start_and_stop_by_json_only),
        WITH_SERVER(test_serve__a_recording_that_was_made_here_is_renamed_and_replaces_nothing),
        WITH_SERVER(test_serve__a_stream_says_what_there_is_and_ends_with_the_server),
        WITH_SERVER(test_serve__streams_are_bounded),
        WITH_SERVER(test_serve__a_file_that_is_no_recording_is_unreadable),
        WITH_SERVER(test_serve__an_expensive_answer_holds_up_no_other),
        WITH_SERVER(test_serve__what_was_kept_is_written_without_the_lock),
        WITH_SERVER(test_serve__an_answer_about_what_grew_does_not_outlast_its_end),
        WITH_SERVER(test_serve__another_recording_copied_into_a_file_is_read_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
