/* SPDX-License-Identifier: Apache-2.0 */
/* Spans and samples of a recording whose timeline is known: tests/jfr/requests.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../jfr/requests.h"
#include "analysis/span/span_time.h"
#include "analysis/owner/trace_locks.h"
#include "analysis/span/spantrace.h"

struct fixture {
    struct wick_profile p;
    struct wick_spans s;
    struct wick_trace_locks locks;
    struct wick_spantrace_id *ids;
    size_t n;
};

static unsigned char *recording, *owners;
static size_t recording_size, owners_size;

static int write_recording(int (*write_it)(int fd), unsigned char **out, size_t *size)
{
    int fd = memfd_create("requests", MFD_CLOEXEC), copy = dup(fd);
    struct stat st;
    if (fd < 0 || copy < 0 || write_it(fd) || fstat(copy, &st))
        return 1;
    *size = (size_t)st.st_size;
    *out = malloc(*size);
    ssize_t got = pread(copy, *out, *size, 0);
    close(copy);
    return got != st.st_size;
}

static int write_once(void **state)
{
    (void)state;
    return write_recording(requests_write, &recording, &recording_size) ||
           write_recording(requests_write_locks, &owners, &owners_size);
}

static int forget(void **state)
{
    (void)state;
    free(recording);
    free(owners);
    return 0;
}

static int read_bytes(struct fixture *f, const void *data, size_t size)
{
    struct wick_err err = {0};
    assert_int_equal(wick_profile_init(&f->p), 0);
    wick_spans_init(&f->s, &f->p);
    wick_trace_locks_init(&f->locks, &f->s);
    const struct wick_jfr_visitor v = wick_trace_locks_visitor(&f->locks);
    return wick_jfr_read_memory(&f->p, data, size, &v, NULL, &err);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_int_equal(read_bytes(f, recording, recording_size), 0);
    assert_int_equal(wick_spans_finish(&f->s), 0);
    assert_int_equal(wick_spantrace_list(&f->s, &f->ids, &f->n), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    free(f->ids);
    wick_spans_release(&f->s);
    wick_trace_locks_release(&f->locks);
    wick_profile_release(&f->p);
    free(f);
    return 0;
}

static const char *text(const struct fixture *f, uint32_t string)
{
    return wick_profile_str(&f->p, string);
}

static int64_t at_ms(int64_t time_ns)
{
    return (time_ns - (int64_t)REQUESTS_TIME_NS) / (int64_t)REQUESTS_MS;
}

static void test_spans__traces_are_listed_by_latency(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(f->n, 3);
    assert_string_equal(text(f, f->ids[0].key), REQUESTS_SLOW);
    assert_int_equal(f->ids[0].spans, 3);
    assert_string_equal(text(f, f->ids[0].longest->operation), "GET /slow");
    assert_string_equal(text(f, f->ids[1].key), "0000000000000009"); /* has no trace id: goes by its outermost span */
    assert_string_equal(text(f, f->ids[2].key), REQUESTS_FAST);
}

static void test_spans__a_trace_has_its_spans_in_order_with_their_depth(void **state)
{
    struct fixture *f = *state;
    struct wick_spantrace t;
    assert_int_equal(wick_spantrace_init(&t, &f->s, &f->ids[0]), 0);
    assert_int_equal(t.nspans, 3);
    assert_string_equal(text(f, t.spans[0]->operation), "GET /slow");
    assert_string_equal(text(f, t.spans[1]->operation), "db.query");
    assert_int_equal(wick_spantrace_depth(&t, 0), 0);
    assert_int_equal(wick_spantrace_depth(&t, 1), 1);
    assert_int_equal(wick_spantrace_depth(&t, 2), 0);
    assert_int_equal(at_ms(t.start_ns), 0);
    assert_int_equal(at_ms(t.end_ns), 100);
    assert_int_equal(t.nthreads, 2);
    wick_spantrace_release(&t);
}

static void test_spans__bars_say_what_each_thread_did_when(void **state)
{
    static const struct {
        int thread, cpu, from, to;
        const char *state;
    } want[] = {
        {1, 1, 0, 10, "STATE_DEFAULT"},
        {1, 1, 81, 90, "STATE_DEFAULT"},
        {1, 1, 90, 99, "STATE_DEFAULT"},
        {1, 0, 0, 10, "STATE_RUNNABLE"},
        {1, 0, 10, 60, "STATE_BLOCKED_ON_MONITOR_ENTER"},
        {1, 0, 60, 70, "STATE_WAITING_FOR_CPU"},
        {1, 0, 70, 80, "STATE_WAITING_FOR_CPU"},
        {1, 0, 80, 90, "STATE_RUNNABLE"},
        {1, 0, 90, 100, "STATE_RUNNABLE"},
        {2, 0, 30, 80, "STATE_PARKED"},
    };
    struct fixture *f = *state;
    struct wick_spantrace t;
    size_t found = 0;
    assert_int_equal(wick_spantrace_init(&t, &f->s, &f->ids[0]), 0);
    assert_int_equal(t.nbars, sizeof want / sizeof *want);
    for (size_t i = 0; i < t.nbars; i++)
        for (size_t k = 0; k < t.nbars; k++) {
            const struct wick_span_sample *x = t.bars[k].sample;
            found += f->p.threads[x->thread].os_tid == 100 + want[i].thread && x->cpu == want[i].cpu &&
                     at_ms(t.bars[k].start_ns) == want[i].from && at_ms(t.bars[k].end_ns) == want[i].to &&
                     !strcmp(text(f, f->p.states[x->state]), want[i].state);
        }
    assert_int_equal(found, t.nbars);
    wick_spantrace_release(&t);
}

static void test_spans__a_samples_endpoint_is_its_contexts_or_else_that_of_the_open_span(void **state)
{
    struct fixture *f = *state;
    int64_t cpu[3] = {0}, wall[3] = {0};
    for (size_t i = 0; i < f->s.nsamples; i++) {
        const struct wick_span_sample *x = &f->s.samples[i];
        const char *name = text(f, wick_spans_endpoint(&f->s, x));
        int64_t *sums = x->cpu ? cpu : wall;
        sums[!*name ? 0 : !strcmp(name, "GET /slow") ? 1 : 2] += x->weight_ns / (int64_t)REQUESTS_MS;
    }
    assert_int_equal(cpu[0], 10); /* names no endpoint, so it has none, though a span is open */
    assert_int_equal(cpu[1], 28);
    assert_int_equal(cpu[2], 8);
    assert_int_equal(wall[0], 2000);
    assert_int_equal(wall[1], 150);
    assert_int_equal(wall[2], 10);
}

/* By thread and time: the samples of the recording name no span. */
static void test_spans__an_endpoints_time_is_that_of_its_spans_also_without_contexts(void **state)
{
    struct fixture *f = *state;
    struct wick_span_time t;
    assert_int_equal(wick_span_time_init(&t, &f->s), 0);
    assert_int_equal(t.n, 2);
    for (size_t i = 0; i < t.n; i++) {
        bool slow = !strcmp(text(f, t.rows[i].endpoint), "GET /slow");
        /* db.query is within GET /slow; the task of 50 ms is another thread's; a span that no sample was taken in
         * counts */
        assert_int_equal(t.rows[i].spans_ns / (int64_t)REQUESTS_MS, slow ? 150 : 30);
        assert_int_equal(t.rows[i].sampled_ns / (int64_t)REQUESTS_MS, slow ? 150 : 10);
        assert_ptr_equal(wick_span_time_of(&t, t.rows[i].endpoint), &t.rows[i]);
    }
    int64_t fast = 0, none = 0;
    for (size_t i = 0; i < f->s.nsamples; i++) {
        const struct wick_span_sample *x = &f->s.samples[i];
        const char *name = text(f, wick_spans_endpoint(&f->s, x));
        if (!x->cpu)
            *(!*name ? &none : !strcmp(name, "GET /fast") ? &fast : &(int64_t){0}) += wick_span_time_weight(&t, i);
    }
    assert_int_equal(fast / (int64_t)REQUESTS_MS, 30);
    assert_int_equal(none / (int64_t)REQUESTS_MS, 2000); /* of no span: as it is */
    wick_span_time_release(&t);
}

enum { ALPHA = 1, BETA, GAMMA };

/* What wick_span_time makes of samples that name spans. */
struct timed {
    struct wick_profile p;
    struct wick_spans s;
    struct wick_span_time t;
    bool contexts;
};

static void timed_init(struct timed *x, struct wick_span *spans, size_t n, struct wick_span_sample *samples, size_t m)
{
    assert_int_equal(wick_profile_init(&x->p), 0);
    x->contexts = true;
    x->s = (struct wick_spans){
        .p = &x->p, .spans = spans, .n = n, .samples = samples, .nsamples = m, .contexts = &x->contexts};
    x->s.settings.chosen = false;
}

static int64_t timed_sum(struct timed *x, uint32_t endpoint)
{
    int64_t sum = 0;
    assert_int_equal(wick_span_time_init(&x->t, &x->s), 0);
    for (size_t i = 0; i < x->s.nsamples; i++)
        if (!x->s.samples[i].cpu && x->s.samples[i].endpoint == endpoint)
            sum += wick_span_time_weight(&x->t, i);
    return sum;
}

/* A delayed sample weighs three seconds, in spans of 100 ms: the sum is that of the spans, the states share it. */
static void test_spans__a_delayed_sample_shifts_shares_but_no_sum(void **state)
{
    struct wick_span spans[] = {
        {.end_ns = 100000000, .thread = 1, .endpoint = ALPHA, .id = 11},
        {.start_ns = 200000000, .end_ns = 300000000, .thread = 1, .endpoint = ALPHA, .id = 12},
        {.start_ns = 0, .end_ns = 500000000, .thread = 2, .endpoint = BETA, .id = 13},
    };
    struct wick_span_sample samples[] = {
        {.start_ns = 50000000, .weight_ns = 1000000000, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 11},
        {.start_ns = 900000000, .weight_ns = 3000000000, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 12},
        {.start_ns = 50000000, .weight_ns = 77, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 11, .cpu = true},
    };
    struct timed x;
    (void)state;
    timed_init(&x, spans, 3, samples, 3);
    assert_int_equal(timed_sum(&x, ALPHA), 200000000);
    assert_int_equal(wick_span_time_weight(&x.t, 0), 50000000);
    assert_int_equal(wick_span_time_weight(&x.t, 1), 150000000);
    assert_int_equal(wick_span_time_weight(&x.t, 2), 77); /* CPU time is another matter */
    const struct wick_span_time_row *beta = wick_span_time_of(&x.t, BETA);
    assert_int_equal(beta->spans_ns, 500000000); /* known, though nothing was sampled */
    assert_int_equal(beta->samples, 0);
    wick_span_time_release(&x.t);
    wick_profile_release(&x.p);
}

static void test_spans__samples_of_time_that_no_span_knows_keep_their_weight(void **state)
{
    struct wick_span spans[] = {
        {.end_ns = 100, .thread = 1, .endpoint = ALPHA, .id = 11},
        {.end_ns = 1000, .thread = 3, .endpoint = BETA, .id = 21, .is_virtual = true},
    };
    struct wick_span_sample samples[] = {
        {.start_ns = 50, .weight_ns = 40, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 11},
        {.start_ns = 50, .weight_ns = 7, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 99}, /* had not ended */
        {.start_ns = 50, .weight_ns = 5, .count = 1, .thread = 2, .endpoint = ALPHA, .id = 11}, /* works for it */
        {.start_ns = 50, .weight_ns = 3, .count = 1, .thread = 3, .endpoint = BETA, .id = 21},  /* virtual */
    };
    struct timed x;
    (void)state;
    timed_init(&x, spans, 2, samples, 4);
    assert_int_equal(timed_sum(&x, ALPHA), 100 + 7 + 5);
    wick_span_time_release(&x.t);
    assert_int_equal(timed_sum(&x, BETA), 3);
    wick_span_time_release(&x.t);
    x.s.settings.chosen = true; /* --filter names: perhaps not this thread */
    assert_int_equal(timed_sum(&x, ALPHA), 40 + 7 + 5);
    wick_span_time_release(&x.t);
    wick_profile_release(&x.p);
}

static void test_spans__requests_of_virtual_threads_wait_when_they_are_not_mounted(void **state)
{
    struct wick_span spans[] = {
        {.start_ns = 100, .end_ns = 400, .thread = 1, .endpoint = ALPHA, .id = 1, .is_root = true, .unmounts = true},
        {.start_ns = 200, .end_ns = 500, .thread = 1, .endpoint = ALPHA, .id = 2, .is_root = true, .unmounts = true},
        {.start_ns = 200, .end_ns = 300, .thread = 1, .endpoint = ALPHA, .id = 3, .unmounts = true}, /* in the other */
        {.start_ns = 200, .end_ns = 300, .thread = 1, .endpoint = GAMMA, .id = 4, .is_root = true, .unmounts = true},
    };
    struct wick_span_sample samples[] = {
        {.start_ns = 210, .weight_ns = 60, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 2},
        {.start_ns = 220, .weight_ns = 900, .count = 1, .thread = 1}, /* the carrier without work */
        {.start_ns = 230, .weight_ns = 900, .count = 1, .thread = 1, .endpoint = GAMMA, .id = 4},
        {.start_ns = 240, .weight_ns = 70, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 2, .cpu = true},
    };
    struct timed x;
    (void)state;
    for (int i = 0; i < 4; i++)
        spans[i].is_virtual = true;
    timed_init(&x, spans, 4, samples, 4);
    wick_profile_cover(&x.p, 200, 600);
    timed_sum(&x, ALPHA);
    assert_int_equal(wick_span_time_of(&x.t, ALPHA)->unmounted_ns, 200 + 300 - 60);
    assert_int_equal(wick_span_time_of(&x.t, ALPHA)->spans_ns, 0);
    assert_int_equal(wick_span_time_of(&x.t, GAMMA)->unmounted_ns, 0); /* samples may stand for more */
    assert_null(wick_spans_at(&x.s, 1, 250));                          /* the thread is a carrier */
    wick_span_time_release(&x.t);
    wick_profile_release(&x.p);
}

static void test_spans__time_in_spans_is_counted_once_and_within_the_recording(void **state)
{
    struct wick_span spans[] = {
        {.start_ns = 100, .end_ns = 400, .thread = 1, .endpoint = ALPHA, .id = 1}, /* begins before the recording */
        {.start_ns = 250, .end_ns = 300, .thread = 1, .endpoint = ALPHA, .id = 2}, /* within it */
        {.start_ns = 500, .end_ns = 900, .thread = 1, .endpoint = GAMMA, .id = 3}, /* ends after it */
        {.start_ns = 300, .end_ns = 350, .thread = 2, .endpoint = ALPHA, .id = 4},
    };
    struct wick_span_sample sample = {
        .start_ns = 260, .weight_ns = 1, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 2};
    struct timed x;
    (void)state;
    timed_init(&x, spans, 4, &sample, 1);
    wick_profile_cover(&x.p, 200, 600);
    assert_int_equal(timed_sum(&x, ALPHA), 200 + 50);
    assert_int_equal(wick_span_time_of(&x.t, GAMMA)->spans_ns, 100);
    wick_span_time_release(&x.t);
    wick_profile_release(&x.p);
}

/* A span that lies across the edge of a range counts for what it covers of it, and a sample for when it was taken. */
static void test_spans__a_part_has_what_lies_in_a_range_of_time(void **state)
{
    struct wick_span spans[] = {
        {.start_ns = 100, .end_ns = 400, .thread = 1, .endpoint = ALPHA, .id = 1}, /* begins before the range */
        {.start_ns = 150, .end_ns = 200, .thread = 1, .endpoint = GAMMA, .id = 2}, /* ends before it */
        {.start_ns = 350, .end_ns = 380, .thread = 1, .endpoint = BETA, .id = 3},  /* within it and within another */
        {.start_ns = 450, .end_ns = 900, .thread = 1, .endpoint = ALPHA, .id = 4}, /* ends behind it */
        {.start_ns = 500, .end_ns = 600, .thread = 2, .endpoint = GAMMA, .id = 5}, /* begins behind it */
    };
    struct wick_span_sample samples[] = {
        {.start_ns = 299, .weight_ns = 5, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 1},
        {.start_ns = 300, .weight_ns = 7, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 1},
        {.start_ns = 499, .weight_ns = 7, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 4},
        {.start_ns = 500, .weight_ns = 9, .count = 1, .thread = 1, .endpoint = ALPHA, .id = 4},
    };
    struct timed x;
    struct wick_spans whole;
    (void)state;
    timed_init(&x, spans, 5, samples, 4);
    whole = x.s;
    assert_int_equal(wick_spans_part(&x.s, &whole, 300, 500), 0);
    assert_int_equal(x.s.n, 3);
    assert_int_equal(x.s.nsamples, 2);
    assert_int_equal(timed_sum(&x, ALPHA), 100 + 50); /* as long as the spans cover of it */
    assert_int_equal(wick_span_time_of(&x.t, ALPHA)->samples, 2);
    assert_null(wick_span_time_of(&x.t, GAMMA));
    for (size_t i = 0; i < x.s.n; i++)
        x.s.spans[i].latest_ns = 900;
    assert_int_equal(wick_spans_at(&x.s, 1, 360)->id, 3);
    assert_int_equal(wick_spans_at(&x.s, 1, 390)->id, 1);
    assert_int_equal(whole.spans[0].start_ns, 100); /* those are as they were */
    wick_span_time_release(&x.t);
    wick_spans_part_release(&x.s);
    wick_profile_release(&x.p);
}

static void test_spans__the_innermost_open_span_is_found(void **state)
{
    struct fixture *f = *state;
    uint32_t thread = f->ids[0].longest->thread;
    static const struct {
        int ms;
        const char *operation;
    } want[] = {{0, "GET /slow"}, {19, "GET /slow"}, {20, "db.query"},   {59, "db.query"},    {60, "GET /slow"},
                {100, ""},        {199, ""},         {200, "GET /fast"}, {1519, "GET /fast"}, {1520, ""}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct wick_span *x =
            wick_spans_at(&f->s, thread, (int64_t)(REQUESTS_TIME_NS + (uint64_t)want[i].ms * REQUESTS_MS));
        assert_string_equal(x ? text(f, x->operation) : "", want[i].operation);
    }
    assert_null(wick_spans_at(&f->s, 99, (int64_t)REQUESTS_TIME_NS));
}

static void test_spans__states_are_work_and_have_names(void **state)
{
    struct fixture *f = *state;
    char name[64];
    unsigned seen[3] = {0};
    for (uint16_t i = 1; i < f->p.nstates; i++)
        seen[wick_spans_work(&f->p, i)]++;
    assert_int_equal(seen[WICK_WORK_RUNNING], 2);
    assert_int_equal(seen[WICK_WORK_WAITING], 1);
    assert_int_equal(seen[WICK_WORK_BLOCKED], 2);
    uint16_t safepoint = wick_profile_state(&f->p, wick_profile_cstring(&f->p, "STATE_NATIVE_WAIT"));
    assert_string_equal(wick_spans_state(&f->p, safepoint, name, sizeof name), "native wait");
}

static void test_spans__a_sample_stands_for_its_share_of_the_interval(void **state)
{
    struct fixture *f = *state;
    int64_t start = (int64_t)REQUESTS_TIME_NS, ms = (int64_t)REQUESTS_MS;
    assert_int_equal(wick_spans_look(&f->s, start), 10 * ms);
    assert_int_equal(wick_spans_look(&f->s, start + 1001 * ms), 20 * ms);
    assert_int_equal(wick_spans_look(&f->s, start + 9000 * ms), 20 * ms);
}

/* Two spans, "inner" within "outer", a task of the inner one in another thread, and delayed visits. */
static void test_spans__no_bar_leaves_its_span_or_the_time_of_one_sample(void **state)
{
    enum { OUTER = 1, INNER };
    static const struct {
        uint32_t thread, id;
        int at, weight, from, to; /* ms */
    } want[] = {
        {1, OUTER, 50, 3000, 45, 55},    /* late by 3 s: not drawn longer */
        {1, OUTER, 99, 10, 94, 100},     /* ends half-way to the next */
        {1, INNER, 101, 2000, 100, 106}, /* begins with its span */
        {2, INNER, 197, 10, 192, 200},   /* ends with the span it works for, which is another thread's */
        {2, 0, 600, 5000, 595, 605},     /* names none: held by the trace */
        {3, OUTER, 998, 10, 993, 1000},
    };
    enum { SAMPLES = sizeof want / sizeof *want };
    const int64_t ms = 1000000;
    struct wick_profile p;
    struct wick_span spans[] = {{.end_ns = 1000 * ms, .thread = 1, .trace = 1, .id = OUTER},
                                {.start_ns = 100 * ms, .end_ns = 200 * ms, .thread = 1, .trace = 1, .id = INNER}};
    struct wick_span_sample samples[SAMPLES];
    struct wick_span_look look = {0, 10 * ms};
    bool contexts = true;
    struct wick_spans s = {.p = &p,
                           .spans = spans,
                           .n = 2,
                           .samples = samples,
                           .nsamples = SAMPLES,
                           .looks = &look,
                           .nlooks = 1,
                           .contexts = &contexts};
    struct wick_spantrace t;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (struct wick_span_sample){.start_ns = want[i].at * ms,
                                               .end_ns = want[i].at * ms,
                                               .weight_ns = want[i].weight * ms,
                                               .count = 1,
                                               .thread = want[i].thread,
                                               .trace = 1,
                                               .id = want[i].id};
    assert_int_equal(wick_spantrace_init(&t, &s, &(struct wick_spantrace_id){1, &spans[0], 2}), 0);
    assert_int_equal(t.nbars, SAMPLES);
    for (size_t i = 0; i < t.nbars; i++) {
        const int k = (int)(t.bars[i].sample - samples);
        assert_int_equal(t.bars[i].start_ns / ms, want[k].from);
        assert_int_equal(t.bars[i].end_ns / ms, want[k].to);
    }
    /* what no sample covers is also there; of threads without a span of their own nothing is known */
    static const int gaps[][2] = {{0, 45}, {55, 94}, {106, 1000}};
    assert_int_equal(t.ngaps, 3);
    for (size_t i = 0; i < t.ngaps; i++) {
        assert_int_equal(t.gaps[i].thread, 1);
        assert_int_equal(t.gaps[i].start_ns / ms, gaps[i][0]);
        assert_int_equal(t.gaps[i].end_ns / ms, gaps[i][1]);
    }
    assert_int_equal(wick_spantrace_gaps(&t, 1) / ms, 45 + 39 + 894);
    assert_int_equal(wick_spantrace_gaps(&t, 2), 0);
    wick_spantrace_release(&t);
    wick_profile_release(&p);
}

/* What is read of a damaged recording can still be put together. */
static void test_spans__a_thread_that_was_renamed_is_one_thread_of_a_process(void **state)
{
    (void)state;
    for (int one = 0; one < 2; one++) {
        struct fixture f = {0};
        assert_int_equal(wick_profile_init(&f.p), 0);
        wick_spans_init(&f.s, &f.p);
        f.s.one_process = one;
        uint32_t idle = wick_profile_thread(&f.p, wick_profile_cstring(&f.p, "exec-1"), 40, 22, false);
        uint32_t other = wick_profile_thread(&f.p, wick_profile_cstring(&f.p, "exec-2"), 41, 23, false);
        uint32_t busy = wick_profile_thread(&f.p, wick_profile_cstring(&f.p, "exec-1 GET /"), 40, 22, false);
        uint32_t native = wick_profile_thread(&f.p, wick_profile_cstring(&f.p, "exec-1"), 40, 0, false);
        f.s.samples = calloc(4, sizeof *f.s.samples);
        f.s.cpus = calloc(1, sizeof *f.s.cpus);
        f.s.nsamples = 4;
        f.s.ncpus = 1;
        f.s.samples[0].thread = busy;
        f.s.samples[1].thread = idle;
        f.s.samples[2].thread = other;
        f.s.samples[3].thread = native;
        f.s.cpus[0].thread = idle;
        assert_int_equal(wick_spans_finish(&f.s), 0);
        assert_int_equal(f.s.samples[0].thread, one ? idle : busy);
        assert_int_equal(f.s.samples[1].thread, idle);
        assert_int_equal(f.s.samples[2].thread, other);
        assert_int_equal(f.s.samples[3].thread, native);
        assert_int_equal(f.s.cpus[0].thread, idle);
        wick_spans_release(&f.s);
        wick_profile_release(&f.p);
    }
}

/* Each wait of a trace, and where its owner was: in this trace, in another, or in none. */
static void test_spans__a_wait_for_a_lock_leads_to_its_owner(void **state)
{
    static const struct {
        const char *trace, *owner;
        int from_ms, ms, seen_ms;
    } want[] = {{REQUESTS_SLOW, REQUESTS_SLOW, 10, 50, 40},
                {REQUESTS_SLOW, NULL, 70, 5, 70},
                {REQUESTS_FAST, REQUESTS_REPORT, 202, 4, 202}};
    struct fixture f = {0};
    const struct wick_lock_wait_row **waits;
    size_t found = 0, nwaits;
    (void)state;
    assert_int_equal(read_bytes(&f, owners, owners_size), 0);
    for (int again = 0; again < 2; again++) /* a recording that grows is finished again and again */
        assert_int_equal(wick_trace_locks_finish(&f.locks), 0);
    assert_int_equal(wick_spantrace_list(&f.s, &f.ids, &f.n), 0);
    for (size_t i = 0; i < f.n; i++) {
        struct wick_spantrace t;
        assert_int_equal(wick_spantrace_init(&t, &f.s, &f.ids[i]), 0);
        assert_int_equal(wick_trace_locks_of(&f.locks, &t, &waits, &nwaits), 0);
        for (size_t k = 0; k < nwaits; k++, found++) {
            const struct wick_trace_place at = wick_trace_locks_owner(&f.locks, waits[k]);
            size_t x = 0;
            while (x < 3 &&
                   (strcmp(want[x].trace, text(&f, t.id.key)) != 0 || want[x].from_ms != at_ms(waits[k]->start_ns)))
                x++;
            assert_true(x < 3);
            assert_int_equal(waits[k]->duration_ns, want[x].ms * (int64_t)REQUESTS_MS);
            assert_int_equal(at_ms(at.time_ns), want[x].seen_ms);
            assert_int_equal(at.key != 0, want[x].owner != NULL);
            assert_true(!at.key || !strcmp(text(&f, at.key), want[x].owner));
        }
        free(waits);
        wick_spantrace_release(&t);
    }
    assert_int_equal(found, 3);
    free(f.ids);
    wick_spans_release(&f.s);
    wick_trace_locks_release(&f.locks);
    wick_profile_release(&f.p);
}

static void damage(const unsigned char *from, size_t from_size)
{
    unsigned char *bytes = malloc(from_size);
    uint32_t random = 1;
    for (int round = 0; round < 400; round++) {
        struct fixture f = {0};
        memcpy(bytes, from, from_size);
        for (int i = 0; i < 1 + round % 16; i++) {
            random = random * 1664525u + 1013904223u;
            bytes[68 + random % (from_size - 68)] = (unsigned char)(random >> 24);
        }
        size_t size = round % 3 ? from_size : from_size - random % (from_size / 2);
        if (!read_bytes(&f, bytes, size) && !wick_trace_locks_finish(&f.locks) &&
            !wick_spantrace_list(&f.s, &f.ids, &f.n))
            for (size_t i = 0; i < f.n; i++) {
                const struct wick_lock_wait_row **waits;
                struct wick_spantrace t;
                size_t nwaits;
                assert_int_equal(wick_spantrace_init(&t, &f.s, &f.ids[i]), 0);
                for (size_t k = 0; k < t.nbars; k++)
                    assert_true(t.bars[k].start_ns <= t.bars[k].end_ns);
                assert_true(t.ngaps <= t.nspans + t.nbars);
                for (size_t k = 0; k < t.ngaps; k++)
                    assert_true(t.gaps[k].start_ns < t.gaps[k].end_ns);
                assert_int_equal(wick_trace_locks_of(&f.locks, &t, &waits, &nwaits), 0);
                for (size_t k = 0; k < nwaits; k++)
                    wick_trace_locks_owner(&f.locks, waits[k]);
                free(waits);
                wick_spantrace_release(&t);
            }
        free(f.ids);
        wick_spans_release(&f.s);
        wick_trace_locks_release(&f.locks);
        wick_profile_release(&f.p);
    }
    free(bytes);
}

/* What is read of a damaged recording can still be put together. */
static void test_spans__damaged_recordings_are_no_trouble(void **state)
{
    (void)state;
    damage(recording, recording_size);
    damage(owners, owners_size);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_spans__traces_are_listed_by_latency),
        TEST(test_spans__a_trace_has_its_spans_in_order_with_their_depth),
        TEST(test_spans__bars_say_what_each_thread_did_when),
        TEST(test_spans__a_samples_endpoint_is_its_contexts_or_else_that_of_the_open_span),
        TEST(test_spans__an_endpoints_time_is_that_of_its_spans_also_without_contexts),
        cmocka_unit_test(test_spans__a_delayed_sample_shifts_shares_but_no_sum),
        cmocka_unit_test(test_spans__samples_of_time_that_no_span_knows_keep_their_weight),
        cmocka_unit_test(test_spans__requests_of_virtual_threads_wait_when_they_are_not_mounted),
        cmocka_unit_test(test_spans__time_in_spans_is_counted_once_and_within_the_recording),
        cmocka_unit_test(test_spans__a_part_has_what_lies_in_a_range_of_time),
        TEST(test_spans__the_innermost_open_span_is_found),
        TEST(test_spans__states_are_work_and_have_names),
        TEST(test_spans__a_sample_stands_for_its_share_of_the_interval),
        cmocka_unit_test(test_spans__no_bar_leaves_its_span_or_the_time_of_one_sample),
        cmocka_unit_test(test_spans__a_thread_that_was_renamed_is_one_thread_of_a_process),
        cmocka_unit_test(test_spans__a_wait_for_a_lock_leads_to_its_owner),
        cmocka_unit_test(test_spans__damaged_recordings_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, write_once, forget);
}
