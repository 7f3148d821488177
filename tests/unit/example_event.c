/* SPDX-License-Identifier: Apache-2.0 */
/* CONTRIBUTING.md shows this program: an event of src/def/event.def, written into a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jfr/writer/writer.h"
#include "jfr_walk.h"
#include "record/output.h"

/* What the agent does about once a second. The struct and the function come from the list: member by member, and
 * wick_jfr_write_<name>. */
static void write_code_cache(struct wick_jfr_writer *w, uint64_t now_ns)
{
    wick_jfr_write_code_cache(w, &(struct wick_jfr_code_cache){
                                     .start_ns = now_ns,
                                     .reserved = 240 << 20,
                                     .committed = 12 << 20,
                                     .used = 9 << 20,
                                     .fullest = 0.75f,
                                 });
}

/* This event refers to no stack, thread or context; one that does finds them in the caller's tables. */
static const struct wick_jfr_source nothing = {0};

static void test_event__what_is_written_stands_in_the_recording(void **state)
{
    const struct wick_jfr_config config = {.start_mono_ns = 1000, .start_epoch_ns = 1763700000000000000};
    int fd = memfd_create("example", MFD_CLOEXEC);
    struct wick_output out;
    struct wick_jfr_writer *w;
    assert_int_equal(wick_output_init_fd(&out, dup(fd)), 0);
    struct wick_jfr_sink sink = wick_output_sink(&out);
    assert_int_equal(wick_jfr_writer_open(&w, &sink, &nothing, &config), 0);
    write_code_cache(w, 2000);
    assert_int_equal(wick_jfr_writer_close(w, 3000, NULL), 0);
    wick_output_release(&out);

    /* A second opinion on the bytes: every rule of the format, and what the fields hold. */
    struct walk found;
    walk_recorded(&found, fd);
    assert_int_equal(found.events[WICK_JFR_EVENT_CODE_CACHE], 1);
    assert_int_equal(found.field_sum[WICK_JFR_FIELD_CODE_CACHE_used], 9 << 20);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_event__what_is_written_stands_in_the_recording)};
    return cmocka_run_group_tests_name("example_event", tests, NULL, NULL);
}
