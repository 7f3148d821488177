/* SPDX-License-Identifier: Apache-2.0 */
/* The list of options of the commands that show or convert, and what is made of it. */
#include "cli/args.h"
#include "cli/replace.h"
#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { COMMANDS = 13, MOST = 8 };

static void test_args__no_command_has_two_options_of_one_name_or_letter(void **state)
{
    WICK_ARGS_FOR_EACH(a)
    {
        assert_int_not_equal(a->commands, 0);
        WICK_ARGS_FOR_EACH(b)
        {
            if (a == b || !(a->commands & b->commands))
                continue;
            assert_string_not_equal(a->name, b->name);
            assert_true(!a->letter || a->letter != b->letter);
        }
    }
}

static void test_args__a_default_is_said_of_options_with_values_only(void **state)
{
    WICK_ARGS_FOR_EACH(d)
    if (!*d->metavar) {
        assert_string_equal(d->def, "");
        assert_string_equal(d->words, "");
    }
}

/* Parses a line of words for one command into options and their values. */
static int parse(unsigned command, const char *line, int args[MOST], const char *values[MOST])
{
    static char copy[256];
    char *argv[MOST + 2] = {"wick"};
    int argc = 1, n = 0, arg;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        argv[argc++] = s;
    wick_args_start(command);
    opterr = 0;
    while ((arg = wick_args_next(argc, argv)) != WICK_ARG_END) {
        args[n] = arg;
        values[n++] = optarg;
    }
    return n;
}

static void test_args__a_command_takes_its_own_options_by_name_and_letter(void **state)
{
    int args[MOST];
    const char *values[MOST];
    assert_int_equal(parse(WICK_ARGS_TOP, "-n 3 file --rows=4 -d5 --json", args, values), 4);
    assert_int_equal(args[0], WICK_ARG_ROWS);
    assert_string_equal(values[0], "3");
    assert_int_equal(args[1], WICK_ARG_ROWS);
    assert_string_equal(values[1], "4");
    assert_int_equal(args[2], WICK_ARG_TOP_DURATION);
    assert_int_equal(args[3], WICK_ARG_JSON);
    assert_int_equal(parse(WICK_ARGS_EXPLAIN, "--rows 3", args, values), 1);
    assert_int_equal(args[0], WICK_ARG_UNKNOWN);
    assert_int_equal(parse(WICK_ARGS_STACK, "-t x", args, values), 1);
    assert_int_equal(args[0], WICK_ARG_STACK_THREAD);
    assert_int_equal(parse(WICK_ARGS_FLAME, "-t", args, values), 1);
    assert_int_equal(args[0], WICK_ARG_THREADS);
}

static void test_args__force_is_taken_and_not_handed_out(void **state)
{
    int args[MOST];
    const char *values[MOST];
    wick_replace_force = false;
    assert_int_equal(parse(WICK_ARGS_FLAME, "--force -r", args, values), 1);
    assert_int_equal(args[0], WICK_ARG_LEAF_UP);
    assert_true(wick_replace_force);
    wick_replace_force = false;
    assert_int_equal(parse(WICK_ARGS_LOCKS, "--force", args, values), 1);
    assert_int_equal(args[0], WICK_ARG_UNKNOWN);
    assert_false(wick_replace_force);
}

static char *help_of(unsigned command)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    wick_args_help(command, f);
    fclose(f);
    return text;
}

static void test_args__help_lists_every_option_of_a_command_and_no_other(void **state)
{
    for (unsigned bit = 0; bit < COMMANDS; bit++) {
        char *help = help_of(1u << bit);
        WICK_ARGS_FOR_EACH(d)
        {
            char line[64];
            snprintf(line, sizeof line, "--%s%s%s ", d->name, *d->metavar ? " " : "", d->metavar);
            bool listed = false; /* by this entry, or by another one of its name */
            WICK_ARGS_FOR_EACH(other)
            listed |= (other->commands >> bit & 1) && *other->help && !strcmp(other->name, d->name) &&
                      !strcmp(other->metavar, d->metavar);
            if (listed != !!strstr(help, line))
                fail_msg("command %u, %s", bit, line);
        }
        free(help);
    }
}

static void test_args__kinds_of_events_are_listed_in_the_order_in_which_they_are_taken(void **state)
{
    struct wick_strbuf listed = WICK_STRBUF_INIT, taken = WICK_STRBUF_INIT;
    struct wick_profile p;
    assert_int_equal(wick_profile_init(&p), 0);
    for (unsigned kind = WICK_KIND_COUNT; kind-- > 1;) {
        uint16_t e = wick_profile_event(&p, wick_profile_cstring(&p, wick_event_kind_name(kind)),
                                        (enum wick_event_kind)kind, WICK_UNIT_NS);
        wick_profile_add(&p, &(struct wick_sample){.event = e, .weight = 1, .count = 1});
    }
    for (uint16_t e; (e = wick_profile_main_event(&p)); p.events[e].count = 0)
        wick_strbuf_addf(&taken, "%s%s", taken.len ? ", " : "", wick_event_kind_name(p.events[e].kind));
    wick_args_expand(&listed, "<kinds>", ", ");
    assert_string_equal(listed.buf, taken.buf);
    char *help = help_of(WICK_ARGS_TOP);
    assert_non_null(strstr(help, "cpu, wall, native, perf"));
    free(help);
    wick_strbuf_release(&listed);
    wick_strbuf_release(&taken);
    wick_profile_release(&p);
}

static void test_args__events_of_the_host_are_in_its_help_and_completions(void **state)
{
    struct wick_strbuf offered = WICK_STRBUF_INIT;
    wick_args_expand(&offered, wick_arg_table[WICK_ARG_HOST_EVENT - WICK_ARG_FIRST].words, " ");
    assert_string_equal(
        offered.buf,
        "cpu sched blockio memstall alloc network syscalls "
        "cpu,sched,blockio,memstall,alloc,network,syscalls page-faults minor-faults major-faults context-switches");
    wick_strbuf_release(&offered);
    char *help = help_of(WICK_ARGS_HOST);
#define X(word, field, kind, value, text) assert_non_null(strstr(help, word value " ("));
#include "def/host_event.def"
#undef X
    free(help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_args__no_command_has_two_options_of_one_name_or_letter),
        cmocka_unit_test(test_args__a_default_is_said_of_options_with_values_only),
        cmocka_unit_test(test_args__a_command_takes_its_own_options_by_name_and_letter),
        cmocka_unit_test(test_args__force_is_taken_and_not_handed_out),
        cmocka_unit_test(test_args__help_lists_every_option_of_a_command_and_no_other),
        cmocka_unit_test(test_args__kinds_of_events_are_listed_in_the_order_in_which_they_are_taken),
        cmocka_unit_test(test_args__events_of_the_host_are_in_its_help_and_completions),
    };
    return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
