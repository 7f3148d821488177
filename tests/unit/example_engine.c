/* SPDX-License-Identifier: Apache-2.0 */
/* CONTRIBUTING.md shows this program: an engine that counts its own events and writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/set/engines.h"
#include "jfr_walk.h"
#include "record/output.h"

/* What it keeps during a recording: zeroes at each start. */
struct ticker {
    uint64_t ticks;
    bool runs;
};

/* Whether the options ask for it. A real engine has its own word for -e, in def/event_word.def. */
static bool planned(const struct wick_opt_events *plan)
{
    return plan->cpu[0] != 0;
}

/* From here on a handler may put events into rings: wick_recorder_sample_sig(h->recorder, ...). */
static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct ticker *t = e;
    if (!h->recorder)
        return wick_err_set(err, WICK_E_STATE, "there is nothing to record with");
    t->runs = true;
    return 0;
}

/* No handler begins any more. */
static void stop(void *e)
{
    ((struct ticker *)e)->runs = false;
}

/* An event of its type came out of a ring. It is written as an event of def/event.def; a real engine has its own. */
static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    ((struct ticker *)e)->ticks += ev->samples ? ev->samples : 1;
    wick_jfr_write_mark(d->writer, &(struct wick_jfr_mark){.start_ns = ev->time_ns, .text = "tick"});
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    wick_strbuf_addf(out, "ticks=%llu\n", (unsigned long long)((struct ticker *)e)->ticks);
}

/* All that wick knows of it. What is left out is not needed. */
static const struct wick_engine_ops wick_engine_ticker = {
    .name = "ticker",
    .bytes = sizeof(struct ticker),
    .types = 1u << WICK_EVENT_CPU,
    .planned = planned,
    .start = start,
    .stop = stop,
    .event = event,
    .status = status,
};

/* Its row. wick's own table is in engine/set/engines.c. */
static const struct wick_engine_ops *const table[] = {&wick_engine_ticker, NULL};

/* Where the events end up; they refer to no stack, thread or context. */
static struct wick_jfr_writer *open_writer(struct wick_output *out, int fd)
{
    static const struct wick_jfr_source nothing = {0};
    const struct wick_jfr_config config = {.start_mono_ns = 1000, .start_epoch_ns = 1763700000000000000};
    struct wick_jfr_writer *w;
    assert_int_equal(wick_output_init_fd(out, dup(fd)), 0);
    struct wick_jfr_sink sink = wick_output_sink(out);
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &nothing, &config), 0);
    return w;
}

static void test_engine__an_event_reaches_it_its_status_and_the_recording(void **state)
{
    int fd = memfd_create("example", MFD_CLOEXEC);
    struct wick_output out;
    struct wick_drain drain = {.writer = open_writer(&out, fd)};
    struct wick_session_opts opts = {.event = "cpu"};
    struct wick_recorder recorder;
    struct wick_engines engines;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_err err = {0};
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 64, 64), 0);
    const struct wick_engine_host host = {.opts = &opts, .recorder = &recorder};
    assert_int_equal(wick_engines_start(&engines, table, &host, &err), 0);
    wick_engines_event(&engines, &drain, &(struct wick_event){.type = WICK_EVENT_CPU, .time_ns = 2000, .samples = 3});
    wick_engines_status(&engines, &text);
    assert_string_equal(text.buf, "ticks=3\n");
    wick_engines_stop(&engines);
    wick_engines_release(&engines);
    wick_recorder_release(&recorder);
    wick_strbuf_release(&text);

    assert_int_equal(wick_jfr_writer_close(drain.writer, 3000, NULL), 0);
    wick_output_release(&out);
    struct walk found;
    walk_recorded(&found, fd);
    assert_int_equal(found.events[WICK_JFR_EVENT_MARK], 1);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_engine__an_event_reaches_it_its_status_and_the_recording)};
    return cmocka_run_group_tests_name("example_engine", tests, NULL, NULL);
}
