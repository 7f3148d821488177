/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels: records, texts, the queue of spans, and what a handler sees between any two instructions of an update.
 *
 * The writer is Java in the product; here it is a C function with the same stores in the same order. The processor's
 * trap flag runs a handler after each of its instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "labels/labels.h"

static struct wick_labels labels;
static struct wick_mem self;

static int set_up(void **state)
{
    (void)state;
    if (!self.read && wick_mem_self_init(&self))
        return -1;
    return wick_labels_init(&labels, &self);
}

static int tear_down(void **state)
{
    (void)state;
    wick_labels_release(&labels);
    return 0;
}

/* --- the writer, as Record.java does it --------------------------------------------------------------------------- */

static void open_span(struct wick_label_record *r, uint64_t id, uint32_t endpoint, uint32_t set)
{
    uint32_t depth = (uint32_t)wick_load_relaxed(&r->current);
    if (depth < WICK_LABELS_DEPTH) {
        volatile struct wick_label_span *s = &r->spans[depth++];
        s->trace_hi = id;
        s->trace_lo = ~id;
        s->span = id * 3;
        s->endpoint = endpoint;
        s->operation = endpoint;
    }
    wick_signal_fence();
    wick_store_release(&r->current, (uint64_t)set << 32 | depth); /* pairs: wick_labels_read_sig */
}

static void back_to(struct wick_label_record *r, uint64_t word)
{
    wick_store_release(&r->current, word); /* pairs: wick_labels_read_sig */
}

static bool whole(const struct wick_context *c)
{
    return c->trace_lo == ~c->trace_hi && c->span == c->trace_hi * 3;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void test_labels__a_thread_without_scopes_has_no_context(void **state)
{
    struct wick_context c;
    (void)state;
    assert_false(wick_labels_read_sig(&labels, 77, 0, &c));
    assert_int_not_equal(wick_labels_bind(&labels, 77, 0), 0);
    assert_false(wick_labels_read_sig(&labels, 77, 0, &c));
    assert_false(wick_labels_read_sig(&labels, -1, 0, &c));
    assert_false(wick_labels_read_sig(&labels, WICK_LABELS_MAX_TID, 0, &c));
}

static void test_labels__the_innermost_span_is_seen_and_closing_restores(void **state)
{
    struct wick_context c;
    uint32_t n = wick_labels_bind(&labels, 77, 0);
    struct wick_label_record *r = &labels.records[n];
    (void)state;
    open_span(r, 5, 2, 9);
    uint64_t word = wick_load_relaxed(&r->current);
    open_span(r, 6, 3, 10);
    assert_true(wick_labels_read_sig(&labels, 77, 0, &c));
    assert_true(whole(&c) && c.trace_hi == 6 && c.endpoint == 3 && c.labels == 10);
    back_to(r, word);
    assert_true(wick_labels_read_sig(&labels, 77, 0, &c));
    assert_true(whole(&c) && c.trace_hi == 5 && c.endpoint == 2 && c.labels == 9);
    back_to(r, 0);
    assert_false(wick_labels_read_sig(&labels, 77, 0, &c));
}

static void test_labels__a_label_without_a_span_is_a_context(void **state)
{
    struct wick_context c;
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, 8, 0)];
    (void)state;
    wick_store_release(&r->current, 7ull << 32); /* pairs: wick_labels_read_sig */
    assert_true(wick_labels_read_sig(&labels, 8, 0, &c));
    assert_true(c.labels == 7 && !c.span && !c.endpoint);
}

static void test_labels__a_depth_that_cannot_be_is_refused(void **state)
{
    struct wick_context c;
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, 8, 0)];
    (void)state;
    wick_store_release(&r->current, WICK_LABELS_DEPTH + 1); /* pairs: wick_labels_read_sig */
    assert_false(wick_labels_read_sig(&labels, 8, 0, &c));
}

static void test_labels__a_thread_that_ends_leaves_its_counts_and_its_record(void **state)
{
    struct wick_labels_totals t;
    struct wick_context c;
    uint32_t n = wick_labels_bind(&labels, 77, 0);
    (void)state;
    assert_int_equal(wick_labels_bind(&labels, 77, 0), n);
    open_span(&labels.records[n], 5, 2, 9);
    wick_store_relaxed(&labels.records[n].closed, 10);
    wick_store_relaxed(&labels.records[n].dropped, 3);
    wick_labels_totals(&labels, &t);
    assert_int_equal(t.open, 1);
    wick_labels_thread_end(&labels, 77, 0);
    assert_false(wick_labels_read_sig(&labels, 77, 0, &c));
    assert_int_equal(wick_labels_bind(&labels, 78, 0), n); /* used again, and clean */
    assert_false(wick_labels_read_sig(&labels, 78, 0, &c));
    wick_labels_totals(&labels, &t);
    assert_int_equal(t.closed, 10);
    assert_int_equal(t.dropped, 3);
    assert_int_equal(t.open, 0);
}

static void test_labels__records_run_out_and_that_is_counted(void **state)
{
    struct wick_labels_totals t;
    (void)state;
    uint32_t bound = 0;
    for (int tid = 1; tid <= WICK_LABELS_RECORDS + 4; tid++)
        bound += wick_labels_bind(&labels, tid, 0) != 0;
    wick_labels_totals(&labels, &t);
    assert_int_equal(bound, WICK_LABELS_RECORDS - 1);
    assert_int_equal(t.no_record, 5);
    wick_labels_thread_end(&labels, 9, 0);
    assert_int_not_equal(wick_labels_bind(&labels, WICK_LABELS_RECORDS + 4, 0), 0);
}

/* --- virtual threads ---------------------------------------------------------------------------------------------- */

enum { OWN = 64, CURRENT = 72, ID = 200 };

/* A JavaThread with the two handles and an id. */
struct carrier {
    uint64_t words[64];
    uint64_t own, current;
};

static uint64_t mount(struct carrier *c, uint64_t id)
{
    c->own = 0x1000;
    c->current = id ? 0x2000 + id : c->own;
    c->words[OWN / 8] = (uint64_t)(uintptr_t)&c->own;
    c->words[CURRENT / 8] = (uint64_t)(uintptr_t)&c->current;
    if (id)
        c->words[ID / 8] = id; /* stays when the thread is unmounted, as in JDK 21 */
    return (uint64_t)(uintptr_t)c->words;
}

static void test_labels__a_virtual_threads_context_follows_it_to_another_carrier(void **state)
{
    struct carrier a = {0}, b = {0};
    struct wick_context c;
    (void)state;
    wick_label_mount_init(&labels.mount, OWN, CURRENT, ID);
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, 100, 31)];
    open_span(r, 5, 2, 0);
    open_span(&labels.records[wick_labels_bind(&labels, 101, 0)], 6, 3, 0); /* the carrier's own */
    assert_true(wick_labels_read_sig(&labels, 100, mount(&a, 31), &c) && c.trace_hi == 5);
    assert_false(wick_labels_read_sig(&labels, 100, mount(&a, 0), &c)); /* unmounted: the stale id says nothing */
    assert_true(wick_labels_read_sig(&labels, 101, mount(&b, 31), &c) && c.trace_hi == 5);
    assert_true(wick_labels_read_sig(&labels, 101, mount(&b, 0), &c) && c.trace_hi == 6);
    assert_false(wick_labels_read_sig(&labels, 101, mount(&b, 32), &c));
    wick_labels_unbind_virtual(&labels, 31);
    assert_false(wick_labels_read_sig(&labels, 101, mount(&b, 31), &c));
}

static void test_labels__a_carrier_has_the_context_of_the_mounted_thread(void **state)
{
    struct carrier a = {0};
    (void)state;
    wick_label_mount_init(&labels.mount, OWN, CURRENT, ID);
    assert_false(wick_labels_mounted_has(&labels, mount(&a, 31)));
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, 100, 31)];
    wick_labels_bind(&labels, 100, 32);
    assert_false(wick_labels_mounted_has(&labels, mount(&a, 31))); /* a record, but nothing open */
    open_span(r, 5, 2, 0);
    assert_true(wick_labels_mounted_has(&labels, mount(&a, 31)));
    assert_false(wick_labels_mounted_has(&labels, mount(&a, 0))); /* unmounted: the stale id says nothing */
    assert_false(wick_labels_mounted_has(&labels, mount(&a, 32)));
    assert_false(wick_labels_mounted_has(&labels, 0x1000));
}

/* Every place shows as the bit of its number and nowhere else, carriers apart from threads with a context. */
static void test_labels__a_place_is_one_bit(void **state)
{
    uint64_t carriers;
    (void)state;
    for (uint32_t place = 1; place < 200; place++) {
        bool carries = place % 3 == 0;
        if (carries)
            wick_labels_carrier(&labels, place);
        else
            wick_store_relaxed(&labels.places->bytes[place], WICK_LABELS_OPEN);
        for (uint32_t w = 0; w < 5; w++) {
            uint64_t bit = w == place / 64 ? 1ull << place % 64 : 0, open = wick_labels_open(&labels, w, &carriers);
            assert_true(open == (carries ? 0 : bit) && carriers == (carries ? bit : 0));
        }
        wick_labels_thread_end(&labels, 1, place);
    }
    memset(labels.places->bytes, WICK_LABELS_OPEN, 64);
    assert_true(wick_labels_open(&labels, 0, &carriers) == UINT64_MAX && !carriers);
    wick_labels_carrier(&labels, WICK_LABELS_PLACES); /* no place: no harm */
    wick_labels_thread_end(&labels, 1, WICK_LABELS_PLACES);
}

static void test_labels__a_javathread_that_is_gone_is_no_crash(void **state)
{
    struct carrier a = {0};
    struct wick_context c;
    (void)state;
    wick_label_mount_init(&labels.mount, OWN, CURRENT, ID);
    open_span(&labels.records[wick_labels_bind(&labels, 100, 0)], 7, 2, 0);
    wick_labels_bind(&labels, 100, 31);
    uint64_t java = mount(&a, 31);
    assert_false(wick_labels_read_sig(&labels, 100, java, &c));
    a.words[CURRENT / 8] = 0xdead0000;
    assert_true(wick_labels_read_sig(&labels, 100, java, &c) && c.trace_hi == 7);
    assert_true(wick_labels_read_sig(&labels, 100, 0x1000, &c) && c.trace_hi == 7);
    a.words[OWN / 8] = 0;
    assert_true(wick_labels_read_sig(&labels, 100, java, &c) && c.trace_hi == 7);
}

static void test_labels__a_hundred_thousand_virtual_threads_have_records(void **state)
{
    enum { N = 100000 };
    struct wick_context c;
    struct carrier a = {0};
    (void)state;
    wick_label_mount_init(&labels.mount, OWN, CURRENT, ID);
    uint32_t missing = 0, wrong = 0;
    for (uint64_t id = 1; id <= N; id++) {
        uint32_t n = wick_labels_bind(&labels, 5, id * 2);
        missing += !n;
        if (n)
            open_span(&labels.records[n], id, 2, 0);
    }
    assert_int_equal(missing, 0);
    for (uint64_t id = 1; id <= N; id++)
        wrong += !wick_labels_read_sig(&labels, 5, mount(&a, id * 2), &c) || c.trace_hi != id;
    assert_int_equal(wrong, 0);
    for (uint64_t id = 1; id <= N; id++)
        wick_labels_unbind_virtual(&labels, id * 2);
    assert_int_equal(labels.free_count + 1, labels.record_top);
}

static void test_labels__the_place_of_the_mounted_id_is_found_by_proof(void **state)
{
    struct wick_label_mount m;
    uint64_t words[WICK_LABEL_MOUNT_BYTES / 8];
    (void)state;
    wick_label_mount_init(&m, OWN, CURRENT, -1);
    for (uint64_t i = 0; i < WICK_LABEL_MOUNT_PROOFS; i++) {
        assert_int_equal(wick_load_relaxed(&m.id_offset), 0);
        uint64_t id = 30 + i;
        memset(words, 0, sizeof words);
        words[9] = 30;      /* right once, by coincidence */
        words[40] = id;     /* right each time */
        words[60] = id + 1; /* right for the next thread */
        wick_label_mount_see(&m, id, (const uint8_t *)words, sizeof words);
        wick_label_mount_see(&m, id, (const uint8_t *)words, sizeof words); /* the same thread proves nothing more */
    }
    assert_int_equal(wick_load_relaxed(&m.id_offset), 40 * 8);
}

static void test_labels__no_place_is_found_where_none_holds(void **state)
{
    struct wick_label_mount m;
    uint64_t words[32] = {0};
    (void)state;
    wick_label_mount_init(&m, OWN, CURRENT, -1);
    for (uint64_t id = 1; id < 50; id++) {
        words[id % 32] = id;
        wick_label_mount_see(&m, id, (const uint8_t *)words, sizeof words);
    }
    assert_int_equal(wick_load_relaxed(&m.id_offset), 0);
}

/* --- texts -------------------------------------------------------------------------------------------------------- */

static void test_labels__texts_have_one_number_each(void **state)
{
    (void)state;
    uint32_t a = wick_labels_intern(&labels, "customer=big", 12), b = wick_labels_intern(&labels, "customer=small", 14);
    assert_int_not_equal(a, b);
    assert_int_equal(wick_labels_intern(&labels, "customer=big", 12), a);
    assert_string_equal(wick_labels_text(&labels, a), "customer=big");
    assert_string_equal(wick_labels_text(&labels, 0), "");
    assert_string_equal(wick_labels_text(&labels, 12345), "");
    assert_int_equal(wick_labels_intern(&labels, "", 0), 0);
}

static void test_labels__too_many_texts_become_overflow(void **state)
{
    char s[16];
    struct wick_labels_totals t;
    (void)state;
    uint32_t n = 0, lost = 0;
    for (uint32_t i = 0; i < WICK_LABELS_TEXTS + 10; i++) {
        int len = snprintf(s, sizeof s, "t%u", i);
        n = wick_labels_intern(&labels, s, (size_t)len);
        lost += n == WICK_LABELS_OVERFLOW;
    }
    wick_labels_totals(&labels, &t);
    assert_string_equal(wick_labels_text(&labels, n), "[overflow]");
    assert_int_equal(lost, t.no_text);
    assert_true(lost >= 10 && lost <= 12);
    char longer[WICK_LABELS_TEXT_MAX + 1];
    memset(longer, 'x', sizeof longer);
    assert_int_equal(wick_labels_intern(&labels, longer, sizeof longer), WICK_LABELS_OVERFLOW);
}

/* --- the queue ---------------------------------------------------------------------------------------------------- */

/* A writer: the tail is a Java object in the product. */
static _Atomic uint64_t tails[WICK_LABEL_STRIPES];

static bool claim(struct wick_label_client *c, uint32_t stripe, uint64_t *position)
{
    uint64_t at = wick_load_relaxed(&tails[stripe]);
    do {
        if (at - wick_load_acquire(&c->stripes[stripe].head) >= WICK_LABEL_CELLS) /* pairs: take in queue.c */
            return false;
    } while (!wick_cas_acq_rel(&tails[stripe], &at, at + 1));
    *position = at;
    return true;
}

static void publish(struct wick_label_client *c, uint32_t stripe, uint64_t position, uint64_t id)
{
    struct wick_label_event *e = &c->stripes[stripe].cells[position % WICK_LABEL_CELLS];
    e->span = id;
    e->trace_lo = ~id;
    e->duration_ns = id * 7;
    wick_store_release(&e->sequence, (uint32_t)(position + 1)); /* pairs: published in queue.c */
}

static bool offer(struct wick_label_client *c, uint32_t stripe, uint64_t id)
{
    uint64_t position;
    if (!claim(c, stripe, &position))
        return false;
    publish(c, stripe, position, id);
    return true;
}

/* No time passes, unless a test says so: no thread is given up. */
#define NOW UINT64_C(1000000000)

static struct wick_label_client *connect_client(void)
{
    memset((void *)tails, 0, sizeof tails);
    struct wick_label_client *c = wick_labels_connect(&labels);
    assert_non_null(c);
    return c;
}

static void test_labels__a_full_stripe_refuses_and_takes_again(void **state)
{
    struct wick_label_event e;
    (void)state;
    struct wick_label_client *c = connect_client();
    uint64_t sum = 0;
    for (uint64_t i = 0; i < WICK_LABEL_CELLS; i++)
        assert_true(offer(c, 3, i));
    assert_false(offer(c, 3, 0));
    assert_true(wick_labels_take(&labels, NOW, &e));
    assert_true(offer(c, 3, WICK_LABEL_CELLS));
    do
        sum += e.span;
    while (wick_labels_take(&labels, NOW, &e));
    assert_int_equal(sum, (uint64_t)WICK_LABEL_CELLS * (WICK_LABEL_CELLS + 1) / 2);
}

static void test_labels__a_writer_that_dies_does_not_stop_the_queue(void **state)
{
    struct wick_label_event e;
    struct wick_labels_totals t;
    uint64_t lost;
    (void)state;
    struct wick_label_client *c = connect_client();
    assert_true(claim(c, 0, &lost));
    const uint64_t patience = WICK_LABEL_PATIENCE_NS;
    for (int i = 0; i < 1000; i++)
        assert_false(
            wick_labels_take(&labels, NOW + (uint64_t)i * patience, &e)); /* not overtaken: it may still come */
    const uint64_t begin = NOW + 2000 * patience;
    assert_true(offer(c, 0, 42));
    for (int i = 0; i < 1000; i++)
        assert_false(wick_labels_take(&labels, begin, &e)); /* many polls are not much time */
    assert_false(wick_labels_take(&labels, begin + patience, &e));
    assert_true(wick_labels_take(&labels, begin + patience + 1, &e));
    assert_int_equal(e.span, 42);
    wick_labels_totals(&labels, &t);
    assert_int_equal(t.skipped, 1);
}

static void test_labels__clients_are_few_and_all_learn_that_a_recording_runs(void **state)
{
    (void)state;
    struct wick_label_client *first = wick_labels_connect(&labels);
    wick_labels_recording(&labels, true);
    for (int i = 1; i < WICK_LABELS_CLIENTS; i++) {
        struct wick_label_client *c = wick_labels_connect(&labels);
        assert_true(c && wick_load_relaxed(&c->recording) && c->layout == WICK_LABELS_LAYOUT);
    }
    assert_null(wick_labels_connect(&labels));
    assert_int_equal(wick_load_relaxed(&first->recording), 1);
    wick_labels_recording(&labels, false);
    assert_int_equal(wick_load_relaxed(&first->recording), 0);
}

enum { WRITERS = 4, EACH = 200000 };

static struct wick_label_client *shared;
static _Atomic uint64_t refused;

static void *write_many(void *arg)
{
    uint64_t me = (uint64_t)(uintptr_t)arg;
    for (uint64_t i = 1; i <= EACH; i++)
        if (!offer(shared, (uint32_t)me % 2, me << 32 | i))
            wick_add_relaxed(&refused, 1);
    return NULL;
}

static void test_labels__every_span_is_taken_once_or_refused(void **state)
{
    pthread_t threads[WRITERS];
    uint64_t last[WRITERS] = {0}, taken = 0;
    struct wick_label_event e;
    struct wick_labels_totals t;
    (void)state;
    shared = connect_client();
    wick_store_relaxed(&refused, 0);
    for (uintptr_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, (void *)i), 0);
    for (int ended = 0; ended < 2;) {
        if (!wick_labels_take(&labels, NOW, &e)) {
            if (taken + wick_load_relaxed(&refused) >= (uint64_t)WRITERS * EACH)
                ended++;
            continue;
        }
        uint64_t who = e.span >> 32, n = e.span & 0xffffffff;
        assert_true(who < WRITERS && n > last[who] && e.trace_lo == ~e.span && e.duration_ns == e.span * 7);
        last[who] = n;
        taken++;
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    wick_labels_totals(&labels, &t);
    assert_int_equal(taken + wick_load_relaxed(&refused), (uint64_t)WRITERS * EACH);
    assert_int_equal(t.taken, taken);
    assert_int_equal(t.skipped, 0);
}

/* --- between any two instructions --------------------------------------------------------------------------------- */

#if defined __x86_64__
static volatile uint64_t stops, torn, seen_ids; /* seen_ids: bit n = span n was seen, bit 0 = none */
static int32_t stepped_tid;

static void at_each_instruction(int sig, siginfo_t *info, void *context)
{
    struct wick_context c;
    (void)sig;
    (void)info;
    (void)context;
    stops++;
    if (!wick_labels_read_sig(&labels, stepped_tid, 0, &c)) {
        seen_ids |= 1;
        return;
    }
    seen_ids |= 1ull << (c.trace_hi & 63);
    torn += !whole(&c) || c.endpoint != c.trace_hi + 10 || c.labels != c.trace_hi + 20;
}

static inline void step(bool on)
{
    if (on)
        __asm__ volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc");
    else
        __asm__ volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc");
}

static void test_labels__a_handler_sees_whole_contexts_at_every_instruction(void **state)
{
    struct sigaction sa = {.sa_sigaction = at_each_instruction, .sa_flags = SA_SIGINFO}, old;
    (void)state;
    stepped_tid = (int32_t)syscall(SYS_gettid);
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, stepped_tid, 0)];
    stops = torn = seen_ids = 0;
    assert_int_equal(sigaction(SIGTRAP, &sa, &old), 0);
    step(true);
    for (uint32_t round = 0; round < 20; round++) {
        open_span(r, 1, 11, 21);
        uint64_t outer = wick_load_relaxed(&r->current);
        open_span(r, 2, 12, 22);
        back_to(r, outer);
        open_span(r, 3, 13, 23); /* over the memory of span 2 */
        back_to(r, outer);
        back_to(r, 0);
    }
    step(false);
    sigaction(SIGTRAP, &old, NULL);
    assert_true(stops > 20 * 40);
    assert_int_equal(torn, 0);
    assert_int_equal(seen_ids, 1 | 1 << 1 | 1 << 2 | 1 << 3);
}

/* The proof that the test above can fail: the same stores, made visible first. */
static void test_labels__the_wrong_order_is_noticed(void **state)
{
    struct sigaction sa = {.sa_sigaction = at_each_instruction, .sa_flags = SA_SIGINFO}, old;
    (void)state;
    stepped_tid = (int32_t)syscall(SYS_gettid);
    struct wick_label_record *r = &labels.records[wick_labels_bind(&labels, stepped_tid, 0)];
    open_span(r, 1, 11, 21);
    back_to(r, 0);
    stops = torn = seen_ids = 0;
    assert_int_equal(sigaction(SIGTRAP, &sa, &old), 0);
    step(true);
    wick_store_release(&r->current, 22ull << 32 | 1); /* pairs: wick_labels_read_sig */
    r->spans[0].trace_hi = 2;
    wick_signal_fence();
    r->spans[0].trace_lo = ~2ull;
    step(false);
    sigaction(SIGTRAP, &old, NULL);
    assert_true(torn > 0);
}
#endif

/* --- virtual threads, listed -------------------------------------------------------------------------------------- */

static void *same(void *arg, void *thread)
{
    ++*(int *)arg;
    return thread;
}

static void test_labels__virtual_threads_are_listed_with_what_is_known_of_them(void **state)
{
    static int handles[3];
    struct wick_label_holder list[3];
    struct wick_context c;
    uint32_t operation;
    int uses = 0;
    (void)state;
    wick_labels_bind(&labels, 77, 0); /* a platform thread is none of them */
    for (uint64_t i = 0; i < 3; i++) {
        void *handle = &handles[i];
        uint32_t n = wick_labels_bind_virtual(&labels, 31 + i, 1000 - i, &handle);
        assert_null(handle); /* taken */
        open_span(&labels.records[n], 5 + i, 2, 9);
    }
    assert_int_equal(wick_labels_holders(&labels, list, 2), 3); /* all are counted, two listed */
    assert_int_equal(wick_labels_holders(&labels, list, 3), 3);
    assert_true(list[1].id == 32 && list[1].since_ns == 999);
    assert_true(wick_labels_holder_context(&labels, &list[1], &c, &operation));
    assert_true(whole(&c) && c.trace_hi == 6 && c.endpoint == 2 && c.labels == 9 && operation == 2);
    assert_ptr_equal(wick_labels_holder_thread(&labels, &list[1], same, &uses), &handles[1]);
    assert_ptr_equal(wick_labels_unbind_virtual(&labels, 32), &handles[1]);
    assert_false(wick_labels_holder_context(&labels, &list[1], &c, &operation));
    assert_null(wick_labels_holder_thread(&labels, &list[1], same, &uses));
    assert_int_equal(uses, 1);
    assert_int_equal(wick_labels_holders(&labels, list, 3), 2);
}

static void test_labels__each_virtual_thread_that_has_a_record_now_is_drawn_equally_often(void **state)
{
    enum { THREADS = 1000, LEFT = 7, CAP = 4, DRAWS = 7000 };
    struct wick_label_holder drawn[CAP];
    uint32_t count = 1, times[THREADS + 1] = {0};
    uint64_t random = 1;
    void *none = NULL;
    (void)state;
    assert_int_equal(wick_labels_draw(&labels, &random, drawn, CAP, &count), 0);
    assert_int_equal(count, 0);
    for (uint64_t id = 1; id <= THREADS; id++)
        assert_true(wick_labels_bind(&labels, (int32_t)id, 0) && wick_labels_bind_virtual(&labels, id, id, &none));
    for (uint64_t id = 1; id <= THREADS; id++)
        if (id % (THREADS / LEFT)) /* those that are left lie far apart */
            wick_labels_unbind_virtual(&labels, id);
    for (int i = 0; i < DRAWS; i++) {
        assert_int_equal(wick_labels_draw(&labels, &random, drawn, CAP, &count), CAP);
        for (int k = 0; k < CAP; k++)
            times[drawn[k].id]++;
    }
    assert_int_equal(count, LEFT);
    for (uint64_t id = 1; id <= THREADS; id++)
        assert_in_range(times[id], id % (THREADS / LEFT) ? 0 : 3800, id % (THREADS / LEFT) ? 0 : 4200);
    for (uint64_t id = THREADS / LEFT * 3; id <= THREADS; id++)
        wick_labels_unbind_virtual(&labels, id);
    assert_int_equal(wick_labels_draw(&labels, &random, drawn, CAP, &count), 2);
    assert_true(count == 2 && drawn[0].id + drawn[1].id == THREADS / LEFT * 3 && drawn[0].since_ns == drawn[0].id);
}

static void test_labels__a_record_that_changed_hands_is_not_taken_for_the_old_one(void **state)
{
    static int handles[2];
    void *first = &handles[0], *second = &handles[1];
    struct wick_label_holder h;
    struct wick_context c;
    uint32_t operation;
    int uses = 0;
    (void)state;
    uint32_t n = wick_labels_bind_virtual(&labels, 31, 1, &first);
    wick_labels_holders(&labels, &h, 1);
    wick_labels_unbind_virtual(&labels, 31);
    assert_int_equal(wick_labels_bind_virtual(&labels, 32, 2, &second), n);
    open_span(&labels.records[n], 6, 3, 0);
    assert_false(wick_labels_holder_context(&labels, &h, &c, &operation));
    assert_null(wick_labels_holder_thread(&labels, &h, same, &uses));
}

static void test_labels__a_thread_that_is_bound_already_leaves_its_handle_with_the_caller(void **state)
{
    static int handles[2];
    void *first = &handles[0], *second = &handles[1];
    (void)state;
    uint32_t n = wick_labels_bind_virtual(&labels, 31, 1, &first);
    assert_int_equal(wick_labels_bind_virtual(&labels, 31, 2, &second), n);
    assert_ptr_equal(second, &handles[1]);
    assert_ptr_equal(wick_labels_unbind_virtual(&labels, 31), &handles[0]);
    assert_null(wick_labels_unbind_virtual(&labels, 31));
}

static void *write_contexts(void *arg)
{
    struct wick_label_record *r = arg;
    for (uint64_t id = 1; wick_load_relaxed(&r->closed) == 0; id++) {
        open_span(r, id, 2, 9);
        back_to(r, 0);
    }
    return NULL;
}

static void test_labels__a_context_seen_from_another_thread_is_whole(void **state)
{
    struct wick_label_holder h;
    struct wick_context c;
    uint32_t operation, seen = 0;
    pthread_t thread;
    (void)state;
    void *none = NULL;
    uint32_t n = wick_labels_bind_virtual(&labels, 31, 1, &none);
    wick_labels_holders(&labels, &h, 1);
    assert_int_equal(pthread_create(&thread, NULL, write_contexts, &labels.records[n]), 0);
    for (int i = 0; i < 200000; i++) {
        if (!wick_labels_holder_context(&labels, &h, &c, &operation))
            continue;
        seen++;
        if (!whole(&c))
            break;
    }
    wick_store_relaxed(&labels.records[n].closed, 1);
    pthread_join(thread, NULL);
    assert_true(!seen || whole(&c));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_labels__virtual_threads_are_listed_with_what_is_known_of_them),
        TEST(test_labels__each_virtual_thread_that_has_a_record_now_is_drawn_equally_often),
        TEST(test_labels__a_record_that_changed_hands_is_not_taken_for_the_old_one),
        TEST(test_labels__a_thread_that_is_bound_already_leaves_its_handle_with_the_caller),
        TEST(test_labels__a_context_seen_from_another_thread_is_whole),
        TEST(test_labels__a_thread_without_scopes_has_no_context),
        TEST(test_labels__the_innermost_span_is_seen_and_closing_restores),
        TEST(test_labels__a_label_without_a_span_is_a_context),
        TEST(test_labels__a_depth_that_cannot_be_is_refused),
        TEST(test_labels__a_thread_that_ends_leaves_its_counts_and_its_record),
        TEST(test_labels__records_run_out_and_that_is_counted),
        TEST(test_labels__a_virtual_threads_context_follows_it_to_another_carrier),
        TEST(test_labels__a_carrier_has_the_context_of_the_mounted_thread),
        TEST(test_labels__a_place_is_one_bit),
        TEST(test_labels__a_javathread_that_is_gone_is_no_crash),
        TEST(test_labels__a_hundred_thousand_virtual_threads_have_records),
        TEST(test_labels__the_place_of_the_mounted_id_is_found_by_proof),
        TEST(test_labels__no_place_is_found_where_none_holds),
        TEST(test_labels__texts_have_one_number_each),
        TEST(test_labels__too_many_texts_become_overflow),
        TEST(test_labels__a_full_stripe_refuses_and_takes_again),
        TEST(test_labels__a_writer_that_dies_does_not_stop_the_queue),
        TEST(test_labels__clients_are_few_and_all_learn_that_a_recording_runs),
        TEST(test_labels__every_span_is_taken_once_or_refused),
#if defined __x86_64__
        TEST(test_labels__a_handler_sees_whole_contexts_at_every_instruction),
        TEST(test_labels__the_wrong_order_is_noticed),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
