/* SPDX-License-Identifier: Apache-2.0 */
/* What `wick explain` says of a heap that fills up and of memory that grows: facts of a minute, made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/explain/explain_chain.h"
#include "cli/explain/explain_text.h"

enum { POINTS = 60, MANY = 60 };
#define S   1000000000ll
#define MIB (1ll << 20)

/* A collection a second; MiB in use after each. */
struct course {
    int64_t used[POINTS];
    bool many;     /* MANY of them, after which as much is in use */
    double paused; /* share of the time that collections stop the program */
    double held;   /* share of the heap that its holder keeps alive */
    double soft;   /* share that only soft references keep */
};

/* Grows by `rate` MiB a second from 10 MiB on, up to `full`. */
static struct course growing(double rate, int64_t full)
{
    struct course c = {0};
    for (int i = 0; i < POINTS; i++) {
        double used = 10 + rate * i;
        c.used[i] = used < (double)full ? (int64_t)used : full;
    }
    return c;
}

static bool asked; /* who holds the heap, of the last course */

/* "rule: sentence" lines of that course in a heap of 100 MiB; the caller frees it. */
static char *explained(const struct course *c, const char *holder)
{
    static struct wick_explain_heap heaps[POINTS * MANY];
    unsigned each = c->many ? MANY : 1;
    struct wick_profile p;
    struct wick_explain_findings all;
    struct wick_err err = {0};
    struct wick_strbuf out = WICK_STRBUF_INIT;
    assert_int_equal(wick_profile_init(&p), 0);
    for (unsigned i = 0; i < POINTS * each; i++)
        heaps[i] = (struct wick_explain_heap){.time_ns = (i + 1) * S / each,
                                              .used = c->used[i / each] * MIB,
                                              .full = true,
                                              .cause = wick_profile_cstring(&p, "Allocation Failure")};
    struct wick_explain_facts f = {
        .p = &p,
        .duration_ns = POINTS * S,
        .kills_since = -1,
        .heap_max = 100 * MIB,
        .heaps = heaps,
        .nheaps = POINTS * each,
        .pauses_ns = (int64_t)(c->paused * POINTS * S),
        .heap_holder = {.said = holder, .share = c->held, .bytes = c->held * 80 * MIB, .soft = c->soft * 80 * MIB}};
    assert_int_equal(wick_explain_apply(&all, &f, &err), 0);
    asked = wick_explain_asks_for_holder(&all, &f);
    wick_strbuf_adds(&out, "");
    for (size_t i = 0; i < all.n; i++) {
        wick_strbuf_addf(&out, "%s: ", all.rows[i].rule->name);
        wick_explain_text_sentence(&out, &all.rows[i]);
        wick_strbuf_addc(&out, '\n');
    }
    wick_explain_findings_release(&all);
    wick_profile_release(&p);
    return wick_strbuf_take(&out);
}

static void says(struct course c, const char *holder, const char *line)
{
    char *text = explained(&c, holder);
    assert_string_equal(text, line);
    free(text);
}

/* Grows from `least` to `most` MiB, falls back, and again: the old generation is full every eight seconds. */
static struct course sawtooth(int64_t least, int64_t most)
{
    struct course c = {.paused = 0.06};
    for (int i = 0; i < POINTS; i++)
        c.used[i] = least + (most - least) * (i % 8) / 7;
    return c;
}

/* What is in use all the time makes the dead a smaller share, which is enough if it leaves half of the heap. */
static void test_promotion__beside_much_that_stays(void **state)
{
    (void)state;
    char *text = explained(&(struct course){0}, NULL);
    assert_string_equal(text, "");
    free(text);
    struct course much = sawtooth(45, 75), too_much = sawtooth(55, 90), little = sawtooth(45, 60);
    text = explained(&much, NULL);
    assert_non_null(strstr(text, "promotion: 7 collections of the old generation found 40 % of what was in use dead"));
    free(text);
    much.many = true; /* a few of the old generation among thousands are not the trouble */
    text = explained(&much, NULL);
    assert_null(strstr(text, "promotion: "));
    free(text);
    text = explained(&too_much, NULL);
    assert_null(strstr(text, "promotion: "));
    free(text);
    text = explained(&little, NULL);
    assert_null(strstr(text, "promotion: "));
    free(text);
}

static void test_live_set__grows_steadily(void **state)
{
    (void)state;
    says(growing(1.2, 100), NULL,
         "live-set: the heap in use after collections grew from 10 MiB to 80 MiB, of 100 MiB at most\n");
    says(growing(0.5, 100), NULL, ""); /* 39 MiB: far from full */
    says(growing(30, 70), NULL, "");   /* warms up, then stays */
}

/* Five threads run for the first ten seconds, and have an error in the fifth; `go_on` of them run for all of it. */
static char *exhausted(unsigned go_on)
{
    enum { THREADS = 5 };
    struct wick_explain_sample wall[2 * THREADS];
    struct wick_explain_victim victims[THREADS];
    struct wick_profile p;
    struct wick_explain_findings all;
    struct wick_err err = {0};
    struct wick_strbuf out = WICK_STRBUF_INIT;
    assert_int_equal(wick_profile_init(&p), 0);
    uint32_t message = wick_profile_cstring(&p, "Java heap space"), frame = wick_profile_frame(&p, 0, 0, -1, 0);
    p.end_ns = POINTS * S;
    for (unsigned i = 0; i < THREADS; i++) {
        char name[] = "worker-0";
        name[sizeof name - 2] = (char)('0' + i);
        uint32_t thread = wick_profile_thread(&p, wick_profile_cstring(&p, name), i + 1, i + 1, false);
        victims[i] = (struct wick_explain_victim){.thread = thread, .message = message, .last_ns = 5 * S};
        for (unsigned k = 0; k < 2; k++)
            wall[2 * i + k] = (struct wick_explain_sample){.thread = thread,
                                                           .stack = wick_profile_push(&p, 0, frame),
                                                           .state = WICK_EXPLAIN_RUNNABLE,
                                                           .time_ns = k && i < go_on ? 30 * S : S,
                                                           .weight_ns = S};
    }
    struct wick_explain_row row = {.name = message, .events = THREADS, .sum = THREADS};
    struct wick_explain_facts f = {.p = &p,
                                   .duration_ns = POINTS * S,
                                   .kills_since = -1,
                                   .wall = wall,
                                   .nwall = 2 * (size_t)THREADS,
                                   .exhausted = {.rows = &row, .n = 1},
                                   .victims = victims,
                                   .nvictims = THREADS};
    assert_int_equal(wick_explain_apply(&all, &f, &err), 0);
    assert_int_equal(all.n, 1);
    wick_explain_text_sentence(&out, &all.rows[0]);
    wick_explain_findings_release(&all);
    wick_profile_release(&p);
    return wick_strbuf_take(&out);
}

static void test_out_of_memory__names_every_thread_that_it_ended(void **state)
{
    static const char *const sentences[] = {
        "OutOfMemoryError: Java heap space, 5 times, first in thread worker-0, which has ended since, so that nothing "
        "does its work any more; also ended since, after an OutOfMemoryError: worker-1, worker-2, worker-3 and 1 more",
        "OutOfMemoryError: Java heap space, 5 times, first in thread worker-0; also ended since, after an "
        "OutOfMemoryError: worker-1, "
        "worker-2, worker-3 and 1 more",
        [4] = "OutOfMemoryError: Java heap space, 5 times, first in thread worker-0; also ended since, after an "
              "OutOfMemoryError: "
              "worker-4",
        "OutOfMemoryError: Java heap space, 5 times, first in thread worker-0"};
    (void)state;
    for (unsigned i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        char *text = sentences[i] ? exhausted(i) : NULL;
        if (text)
            assert_string_equal(text, sentences[i]);
        free(text);
    }
}

/* Once it is full it cannot go on growing; it may be full for longer than it took to fill. */
static void test_live_set__that_has_become_full_is_named(void **state)
{
    (void)state;
    says(growing(3.5, 96), NULL,
         "live-set: the heap in use after collections grew from 10 MiB to 96 MiB, of 100 MiB at most\n");
    struct course spike = growing(0, 100);
    spike.used[POINTS - 1] = 97;
    spike.used[POINTS - 2] = 96;
    says(spike, NULL, "");
}

static void test_live_set__names_the_holder_that_a_dump_shows(void **state)
{
    (void)state;
    says(
        growing(1.2, 100), "byte[9] keeps all alive, held by system class: class A",
        "live-set: the heap in use after collections grew from 10 MiB to 80 MiB, of 100 MiB at most; byte[9] keeps all "
        "alive, held by system class: class A\n");
    says(growing(0, 100), "it is not checked without a finding", "");
}

/* Who holds a heap that collections leave full is said with what they cost, if it is one object; beside a heap with
 * room nobody asks. */
static void test_gc_pauses__name_the_holder_of_a_crowded_heap(void **state)
{
    (void)state;
    static const char holder[] = "byte[9] keeps it alive";
    struct course full = growing(0, 100), roomy = full;
    for (int i = 0; i < POINTS; i++)
        full.used[i] = 80;
    full.paused = roomy.paused = 0.5;
    full.held = 0.7;
    char *text = explained(&full, holder);
    assert_non_null(strstr(text, "gc-pauses: "));
    assert_non_null(strstr(text, "of 100 MiB at most; byte[9] keeps it alive\n"));
    assert_true(asked);
    free(text);
    full.held = 0.2;
    text = explained(&full, holder);
    assert_non_null(strstr(text, "gc-pauses: "));
    assert_null(strstr(text, holder));
    free(text);
    roomy.held = 0.7;
    text = explained(&roomy, holder);
    assert_non_null(strstr(text, "gc-pauses: "));
    assert_null(strstr(text, holder));
    assert_false(asked);
    free(text);
}

/* Soft references let a cache grow until a collection drops much of it: the heap is full at most times, not always. */
static void test_gc_pauses__name_the_cache_of_soft_references_that_fills_the_heap(void **state)
{
    (void)state;
    static const char holder[] = "Node[9] keeps it alive, most of it by soft references";
    struct course c = {.paused = 0.5, .held = 0.7};
    for (int i = 0; i < POINTS; i++)
        c.used[i] = i % 4 ? 90 : 20;
    for (int soft = 0; soft <= 1; soft++) {
        c.soft = 0.8 * soft;
        char *text = explained(&c, holder);
        assert_non_null(strstr(text, soft ? "gc-pauses: " : "promotion: "));
        assert_null(strstr(text, soft ? "promotion: " : "gc-pauses: "));
        assert_int_equal(strstr(text, holder) != NULL, soft);
        assert_true(asked);
        free(text);
    }
    c.paused = 0.06; /* too little for that rule */
    char *text = explained(&c, holder);
    assert_non_null(strstr(text, "promotion: "));
    assert_non_null(strstr(text, holder));
    free(text);
    for (int i = 0; i < POINTS; i++)
        c.used[i] = i % 4 ? 60 : 20;
    free(explained(&c, holder));
    assert_false(asked);
}

static void test_live_set__collections_that_were_asked_for_are_full_whatever_their_name(void **state)
{
    (void)state;
    assert_true(wick_explain_is_full("Parallel full collection pauses", "Allocation Failure"));
    assert_true(wick_explain_is_full("PSParallelCompact", "Ergonomics"));
    assert_true(wick_explain_is_full("ZGC major collection pauses", "Warmup"));
    assert_true(wick_explain_is_full("Parallel young collection pauses", "System.gc()"));
    assert_true(wick_explain_is_full("PSScavenge", "Heap Dump Initiated GC"));
    assert_true(wick_explain_is_full("Serial young collection pauses", "Metadata GC Threshold"));
    assert_true(wick_explain_is_full("Copy", "System.gc()"));
    assert_false(wick_explain_is_full("Parallel young collection pauses", "Allocation Failure"));
    assert_false(wick_explain_is_full("Serial young collection pauses", "GCLocker Initiated GC"));
    assert_false(wick_explain_is_full("Copy", ""));
    assert_false(wick_explain_is_full("G1 young collection pauses", "System.gc()")); /* a concurrent one may follow */
    assert_false(wick_explain_is_full("", "System.gc()"));
}

static struct wick_arenas idle; /* at the end */

/* "rule: sentence" lines of what a recording with these readings has. */
static char *grown_as(struct wick_memory_moment *series, uint64_t resident, bool zgc, const char *loader_holder)
{
    struct wick_profile p;
    struct wick_explain_findings all;
    struct wick_err err = {0};
    struct wick_strbuf out = WICK_STRBUF_INIT;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_explain_facts f = {
        .p = &p,
        .duration_ns = POINTS * S,
        .kills_since = -1,
        .zgc = zgc,
        .loader_holder.said = loader_holder,
        .memory = {.moments = POINTS, .resident = resident, .series = series, .nseries = POINTS, .arenas = idle}};
    f.memory.part[WICK_MEMORY_MALLOC].now.resident = series[POINTS - 1].resident[WICK_MEMORY_MALLOC];
    assert_int_equal(wick_explain_apply(&all, &f, &err), 0);
    if (wick_explain_loaders_grown(&all))
        wick_strbuf_addf(&out, "of %d loaders\n", (int)wick_explain_loaders_grown(&all));
    for (size_t i = 0; i < all.n; i++) {
        wick_strbuf_addf(&out, "%s: ", all.rows[i].rule->name);
        wick_explain_text_sentence(&out, &all.rows[i]);
        wick_strbuf_addc(&out, '\n');
    }
    wick_explain_findings_release(&all);
    wick_profile_release(&p);
    return wick_strbuf_take(&out);
}

/* Of parts that grow by so many MiB a minute, from 50 MiB on, read each second. */
static char *grown(int heap, int malloc, int metaspace, bool zgc, const char *loader_holder)
{
    struct wick_memory_moment series[POINTS] = {{0}};
    for (int i = 0; i < POINTS; i++) {
        series[i].seconds = i;
        series[i].resident[WICK_MEMORY_HEAP] = (uint64_t)(50 * MIB + heap * MIB * i / POINTS);
        series[i].resident[WICK_MEMORY_MALLOC] = (uint64_t)(50 * MIB + malloc * MIB * i / POINTS);
        series[i].resident[WICK_MEMORY_METASPACE] = (uint64_t)(50 * MIB + metaspace * MIB * i / POINTS);
        series[i].count[WICK_MEMORY_METASPACE] = (uint64_t)(metaspace * i);
    }
    return grown_as(series, (uint64_t)(200 * MIB), zgc, loader_holder);
}

static void grows(int heap, int malloc, bool zgc, const char *line)
{
    char *text = grown(heap, malloc, 0, zgc, NULL);
    if (*line)
        assert_memory_equal(text, line, strlen(line));
    else
        assert_string_equal(text, line);
    free(text);
}

static void test_memory_growth__that_of_tables_of_zgc_is_the_heaps(void **state)
{
    (void)state;
    grows(90, 10, true, ""); /* as measured on JDK 21 and 25 */
    grows(90, 10, false, "memory-growth: malloc grew by 9.8 MiB to 60 MiB");
    grows(90, 30, true, "memory-growth: malloc grew by 19 MiB to 80 MiB"); /* 11 MiB may be tables */
    grows(0, 10, true, "memory-growth: malloc grew by 9.8 MiB to 60 MiB");
}

/* A heap grows by 8 GiB within so many seconds, its tables by so many per cent of that, and so many MiB of native
 * memory leak. */
static bool leak_is_found(int until, int percent, int leak)
{
    struct wick_memory_moment series[POINTS] = {{0}};
    for (int i = 0; i < POINTS; i++) {
        double heap = 8192 * MIB * (i < until ? i : until) / until;
        series[i].seconds = i;
        series[i].resident[WICK_MEMORY_HEAP] = (uint64_t)(50 * MIB + heap);
        series[i].resident[WICK_MEMORY_MALLOC] = (uint64_t)(50 * MIB + heap * percent / 100 + leak * MIB * i / POINTS);
    }
    char *text = grown_as(series, (uint64_t)(10 * 1024 * MIB), true, NULL);
    bool found = strncmp(text, "memory-growth: malloc grew by", 29) == 0;
    assert_true(found || !*text);
    free(text);
    return found;
}

static void test_memory_growth__of_native_memory_beside_that_of_a_zgc_heap(void **state)
{
    static const int untils[] = {POINTS, POINTS / 2, 4};
    (void)state;
    for (size_t i = 0; i < sizeof untils / sizeof *untils; i++) {
        assert_false(leak_is_found(untils[i], 7, 0));
        assert_false(leak_is_found(untils[i], 11, 0));
        assert_true(leak_is_found(untils[i], 7, 1229));
        assert_true(leak_is_found(untils[i], 11, 1229));
    }
    assert_true(leak_is_found(POINTS, 7, 700)); /* with the tables less than a sixth of what the heap grew by */
    assert_true(leak_is_found(POINTS, 11, 400));
    assert_true(leak_is_found(POINTS, 0, 1229));
}

static void test_memory_growth__names_who_holds_class_loaders(void **state)
{
    (void)state;
    char *text = grown(0, 0, 30, false, "9 class loaders are of A");
    assert_memory_equal(text, "of 1770 loaders\nmemory-growth: metaspace grew by", 47);
    assert_non_null(strstr(text, " class loaders more than at the start: "));
    assert_non_null(strstr(text, "; 9 class loaders are of A"));
    free(text);
    text = grown(0, 30, 0, false, "9 class loaders are of A");
    assert_null(strstr(text, "class loaders"));
    free(text);
}

/* Of 109 MiB of malloc's so much is in use. */
static char *grown_with(struct wick_arenas arenas)
{
    idle = arenas;
    char *text = grown(0, 60, 0, false, NULL);
    idle = (struct wick_arenas){0};
    return text;
}

static void test_memory_growth__of_what_malloc_holds_free_is_named(void **state)
{
    const struct wick_arenas mostly_free = {
        .state = WICK_ARENAS_PARTLY, .used = (uint64_t)(20 * MIB), .mapped = (uint64_t)(10 * MIB)};
    struct wick_arenas a = mostly_free;
    (void)state;
    char *text = grown_with(a);
    assert_non_null(strstr(text, "; at least 79 MiB of it are free: fragmentation"));
    assert_null(strstr(text, "malloc_trim"));
    free(text);
    a.trimmable = (uint64_t)(30 * MIB);
    text = grown_with(a);
    assert_non_null(strstr(text, "may reduce; malloc_trim would give back 30 MiB"));
    free(text);
    a.mapped = (uint64_t)(80 * MIB);
    text = grown_with(a);
    assert_null(strstr(text, "free: "));
    free(text);
    a = mostly_free;
    a.state = WICK_ARENAS_UNKNOWN;
    text = grown_with(a);
    assert_null(strstr(text, "free: "));
    free(text);
}

/* What is noted where these are known, and a dump has or has not been taken. */
static void notes(bool heap, int loaders, const char *heap_known, const char *loaders_known, const char *cost,
                  const char *text)
{
    const struct wick_explain_chain_ask ask = {.heap = heap, .loaders = (uint64_t)loaders};
    struct wick_explain_chains c = WICK_EXPLAIN_CHAINS_INIT;
    struct wick_strbuf out = WICK_STRBUF_INIT;
    wick_strbuf_adds(&c.heap, heap_known);
    wick_strbuf_adds(&c.loaders, loaders_known);
    wick_strbuf_adds(&c.cost, cost);
    wick_strbuf_adds(&out, "");
    wick_explain_chain_unknown(&ask, &c, "was not found", &out);
    assert_string_equal(out.buf, text);
    wick_strbuf_release(&out);
    wick_explain_chains_release(&c);
}

static void test_chains__what_stays_unknown_is_noted_with_what_it_cost(void **state)
{
    (void)state;
    notes(true, 0, "", "", "", "what holds the heap was not found");
    notes(false, 9, "", "", "", "what holds class loaders was not found");
    notes(true, 9, "", "", "a dump", "what holds the heap and class loaders was not found (by a dump)");
    notes(true, 9, "A", "", "a dump", "what holds class loaders was not found (by a dump)");
    notes(true, 9, "", "B", "a dump", "what holds the heap was not found (by a dump)");
    notes(true, 9, "A", "B", "a dump", "");
    notes(true, 0, "A", "", "a dump", "");
    notes(false, 9, "", "B", "a dump", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_memory__names_every_thread_that_it_ended),
        cmocka_unit_test(test_promotion__beside_much_that_stays),
        cmocka_unit_test(test_live_set__grows_steadily),
        cmocka_unit_test(test_live_set__that_has_become_full_is_named),
        cmocka_unit_test(test_live_set__names_the_holder_that_a_dump_shows),
        cmocka_unit_test(test_gc_pauses__name_the_holder_of_a_crowded_heap),
        cmocka_unit_test(test_gc_pauses__name_the_cache_of_soft_references_that_fills_the_heap),
        cmocka_unit_test(test_live_set__collections_that_were_asked_for_are_full_whatever_their_name),
        cmocka_unit_test(test_memory_growth__that_of_tables_of_zgc_is_the_heaps),
        cmocka_unit_test(test_memory_growth__of_native_memory_beside_that_of_a_zgc_heap),
        cmocka_unit_test(test_chains__what_stays_unknown_is_noted_with_what_it_cost),
        cmocka_unit_test(test_memory_growth__names_who_holds_class_loaders),
        cmocka_unit_test(test_memory_growth__of_what_malloc_holds_free_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
