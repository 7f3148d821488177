/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engines.c - an engine that wick does not have, in a table of its own: all that is known of it is its operations
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "engine/set/engines.h"

/* What was called, one letter each; a capital one is the second engine's. */
static char calls[64];
static int start_code;

struct ticker {
    char name;
    uint32_t events;
};

static void called(char c)
{
    size_t n = strlen(calls);
    assert_true(n + 1 < sizeof calls);
    calls[n] = c;
    calls[n + 1] = 0;
}

static bool planned(const struct wick_opt_events *plan)
{
    return plan->cpu[0];
}

static bool never_planned(const struct wick_opt_events *plan)
{
    return false;
}

static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct ticker *t = e;
    assert_int_equal(t->name, 0); /* each start has a fresh state */
    t->name = 'a';
    h->awake_signal = 40;
    called('a');
    return 0;
}

static int start_second(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    assert_int_equal(h->awake_signal, 40); /* of the one before */
    ((struct ticker *)e)->name = 'B';
    called('B');
    return start_code ? wick_err_set(err, (enum wick_code) - start_code, "no ticks here") : 0;
}

static void stop(void *e)
{
    called(((struct ticker *)e)->name == 'a' ? 's' : 'S');
}

static void release(void *e)
{
    called(((struct ticker *)e)->name == 'a' ? 'r' : 'R');
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    struct ticker *t = e;
    t->events += ev->samples;
    called(t->name == 'a' ? 'e' : 'E');
}

static void lost(void *e, const struct wick_event *ev)
{
    called(((struct ticker *)e)->name == 'a' ? 'l' : 'L');
}

static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    called((char)('0' + what));
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    wick_strbuf_addf(out, "ticks=%u\n", ((struct ticker *)e)->events);
}

static const char *label(void *e)
{
    return "beat";
}

static bool counts_cpu_time(void *e)
{
    return true;
}

static void moment(void *e)
{
    called('m');
}

static void carry(void *e, struct wick_carry *c)
{
    assert_non_null(c->to);
    called('c');
}

static void notes(void *e, void (*note)(void *arg, const char *sentence), void *arg)
{
    note(arg, "ticks may be missing");
}

static const struct wick_engine_sample samples[] = {{WICK_JFR_EVENT_LOCK_OWNER, WICK_EVENT_LOCK},
                                                    {WICK_JFR_EVENT_COUNT, 0}};

static struct wick_gate gate;

static const struct wick_engine_ops ticker = {.name = "ticker",
                                              .bytes = sizeof(struct ticker),
                                              .types = 1u << WICK_EVENT_LOCK,
                                              .samples = samples,
                                              .gate = &gate,
                                              .options = WICK_OPT_BIT(alloc_rate) | WICK_OPT_BIT(filter),
                                              .planned = planned,
                                              .start = start,
                                              .stop = stop,
                                              .release = release,
                                              .take = take,
                                              .event = event,
                                              .lost = lost,
                                              .moment = moment,
                                              .carry = carry,
                                              .status = status,
                                              .notes = notes,
                                              .counts_cpu_time = counts_cpu_time};
static const struct wick_engine_ops second = {.name = "second",
                                              .bytes = sizeof(struct ticker),
                                              .types = 1u << WICK_EVENT_WALL | 1u << WICK_EVENT_TTSP,
                                              .planned = planned,
                                              .start = start_second,
                                              .stop = stop,
                                              .release = release,
                                              .event = event,
                                              .label = label};
static const struct wick_engine_ops idle = {.name = "idle",
                                            .options =
                                                WICK_OPT_BIT(filter) | WICK_OPT_BIT(nobatch) | WICK_OPT_BIT(ttsp_log),
                                            .planned = never_planned};
static const struct wick_engine_ops never = {
    .name = "never", .options = WICK_OPT_BIT(ttsp_log), .planned = never_planned};
static const struct wick_engine_ops *const table[] = {&ticker, &idle, &second, &never, NULL};

static struct wick_recorder recorder;
static struct wick_session_opts opts;
static struct wick_engines engines;

static int start_all(struct wick_err *err)
{
    const struct wick_engine_host host = {.opts = &opts, .recorder = &recorder};
    calls[0] = 0;
    assert_int_equal(wick_recorder_init(&recorder, 8 << 20, 64, 64), 0);
    atomic_store(&recorder.running, 1);
    return wick_engines_start(&engines, table, &host, err);
}

static void end_all(void)
{
    wick_engines_release(&engines);
    wick_recorder_release(&recorder);
}

static int set_up(void **state)
{
    memset(&opts, 0, sizeof opts);
    strcpy(opts.event, "cpu");
    start_code = 0;
    memset(&gate, 0, sizeof gate);
    return 0;
}

static void test_engines__those_that_are_planned_start_in_order_and_stop_in_reverse(void **state)
{
    struct wick_err err = {0};
    char name[WICK_ENGINES_LABEL];
    assert_int_equal(start_all(&err), 0);
    assert_string_equal(calls, "aB");
    assert_int_equal(engines.host.awake_signal, 40);
    assert_string_equal(wick_engines_label(&engines, name), "ticker+beat");
    wick_engines_stop(&engines);
    wick_engines_stop(&engines);
    assert_string_equal(calls, "aBSs");
    end_all();
    assert_string_equal(calls, "aBSsrR");
}

static void test_engines__an_event_goes_to_the_engine_of_its_type(void **state)
{
    struct wick_err err = {0};
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    assert_int_equal(start_all(&err), 0);
    calls[0] = 0;
    wick_engines_event(&engines, NULL, &(struct wick_event){.type = WICK_EVENT_LOCK, .samples = 3});
    wick_engines_event(&engines, NULL, &(struct wick_event){.type = WICK_EVENT_TTSP});
    wick_engines_event(&engines, NULL, &(struct wick_event){.type = WICK_EVENT_CPU}); /* nobody's */
    wick_engines_event(&engines, NULL, &(struct wick_event){.type = WICK_EVENT_TYPES});
    assert_string_equal(calls, "eE");
    wick_engines_lost(&engines, &(struct wick_event){.type = WICK_EVENT_LOCK});
    wick_engines_lost(&engines,
                      &(struct wick_event){.type = WICK_EVENT_WALL}); /* its engine has nothing to give back */
    wick_engines_lost(&engines, &(struct wick_event){.type = WICK_EVENT_PERF});
    wick_engines_moment(&engines);
    wick_engines_carry(&engines, atomic_load(&recorder.tables), atomic_load(&recorder.tables));
    assert_string_equal(calls, "eElmc");
    wick_engines_status(&engines, &sb);
    assert_string_equal(sb.buf, "ticks=3\n");
    wick_strbuf_release(&sb);
    wick_engines_stop(&engines);
    end_all();
}

static void append(void *arg, const char *sentence)
{
    wick_strbuf_adds(arg, sentence);
}

static void test_engines__operations_that_are_missing_are_passed_over(void **state)
{
    struct wick_err err = {0};
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    uint8_t sample[WICK_JFR_EVENT_COUNT] = {0};
    int marked = 0;
    assert_int_equal(start_all(&err), 0);
    calls[0] = 0;
    wick_engines_take(&engines, NULL, WICK_TAKE_DONE);
    wick_engines_take(&engines, NULL, WICK_TAKE_LAST);
    assert_string_equal(calls, "02");
    wick_engines_stats(&engines, NULL, 0);
    wick_engines_settings(&engines, NULL, 0);
    wick_engines_exclude_self(&engines);
    wick_engines_notes(&engines, append, &sb);
    assert_string_equal(sb.buf, "ticks may be missing");
    assert_true(wick_engines_count_cpu_time(&engines));
    wick_engines_samples(&engines, sample);
    for (int i = 0; i < WICK_JFR_EVENT_COUNT; i++)
        marked += sample[i] != 0;
    assert_int_equal(marked, 1);
    assert_int_equal(sample[WICK_JFR_EVENT_LOCK_OWNER], WICK_EVENT_LOCK + 1);
    wick_strbuf_release(&sb);
    wick_engines_stop(&engines);
    end_all();
}

static void add_line(void *arg, const char *sentence)
{
    wick_strbuf_addf(arg, "%s\n", sentence);
}

static void test_engines__an_option_that_only_engines_take_that_do_not_run_is_reported(void **state)
{
    struct wick_err err = {0};
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    assert_int_equal(start_all(&err), 0);
    wick_engines_unused(&engines, WICK_OPT_BIT(alloc_rate) | WICK_OPT_BIT(filter) | WICK_OPT_BIT(file), add_line, &sb);
    assert_string_equal(sb.buf, "");
    wick_engines_unused(&engines, ~(uint64_t)0, add_line, &sb);
    assert_string_equal(sb.buf, "option 'nobatch' has no effect without idle\n"
                                "option 'ttsp-log' has no effect without idle or never\n");
    wick_strbuf_release(&sb);
    wick_engines_stop(&engines);
    end_all();
}

static void test_engines__each_option_of_an_engine_travels_to_the_agent(void **state)
{
    uint64_t choosing = 0, agent = 0;
    for (unsigned i = 0; i < WICK_OPT_TABLE_COUNT; i++) {
        choosing |= wick_opt_table[i].where & WICK_OPT_CHOOSES ? (uint64_t)1 << i : 0;
        agent |= wick_opt_table[i].where & WICK_CMD_AGENT ? (uint64_t)1 << i : 0;
    }
    for (int i = 0; wick_engine_table[i]; i++) {
        assert_int_equal(wick_engine_table[i]->options & ~agent, 0);
        assert_int_equal(wick_engine_table[i]->options & choosing, 0); /* it would not run without them */
    }
}

static void test_engines__one_that_does_not_start_ends_the_others(void **state)
{
    struct wick_err err = {0};
    start_code = -WICK_E_PERM;
    assert_int_equal(start_all(&err), -WICK_E_PERM);
    assert_string_equal(err.msg, "no ticks here");
    assert_string_equal(calls, "aBs");
    end_all();
    assert_string_equal(calls, "aBsr");
}

static void test_engines__options_that_are_wrong_start_nothing(void **state)
{
    struct wick_err err = {0};
    strcpy(opts.event, "cpu,itimer");
    assert_int_equal(start_all(&err), -WICK_E_USAGE);
    assert_string_equal(calls, "");
    end_all();
}

static void test_engines__a_handler_that_never_comes_back_keeps_the_states(void **state)
{
    struct wick_err err = {0};
    assert_int_equal(start_all(&err), 0);
    void *states[2] = {engines.running[0].state, engines.running[1].state};
    atomic_fetch_add(&gate.lost, 1); /* as wick_gate_wait does in stop */
    wick_engines_stop(&engines);
    assert_true(recorder.keep);
    assert_int_equal(recorder.lost, 1);
    wick_engines_release(&engines);
    assert_string_equal(calls, "aBSs"); /* nothing is released: the handler may still be in it */
    assert_int_equal(((struct ticker *)states[0])->name, 'a');
    for (int i = 0; i < 2; i++)
        free(states[i]);
    recorder.keep = false;
    wick_recorder_release(&recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_engines__those_that_are_planned_start_in_order_and_stop_in_reverse, set_up),
        cmocka_unit_test_setup(test_engines__an_event_goes_to_the_engine_of_its_type, set_up),
        cmocka_unit_test_setup(test_engines__operations_that_are_missing_are_passed_over, set_up),
        cmocka_unit_test_setup(test_engines__an_option_that_only_engines_take_that_do_not_run_is_reported, set_up),
        cmocka_unit_test(test_engines__each_option_of_an_engine_travels_to_the_agent),
        cmocka_unit_test_setup(test_engines__one_that_does_not_start_ends_the_others, set_up),
        cmocka_unit_test_setup(test_engines__options_that_are_wrong_start_nothing, set_up),
        cmocka_unit_test_setup(test_engines__a_handler_that_never_comes_back_keeps_the_states, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
