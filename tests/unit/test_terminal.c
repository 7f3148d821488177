/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of `wick locks`, `wick ttsp` and `wick endpoints` on a pseudo-terminal of 80 columns, and without one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/request/endpoint_table.h"
#include "cli/wait/lock_table.h"
#include "cli/print.h"
#include "cli/wait/ttsp_table.h"
#include "cli/ui.h"

#define COLUMNS 80

#define THREAD   "ajp-nio-127.0.0.1-8009-exec-1234567890 of the pool \xe6\xb3\xa8\xe6\x96\x87 for orders and returns"
#define LEAF     "com/acme/shop/inventory/search/InventoryAvailabilityLookupService$$Lambda$1234"
#define CALLER   "com/acme/shop/checkout/CheckoutControllerWithALongNameOfItsOwnThatFillsMoreThanALineOfATerminal"
#define LOCKED   "com/acme/shop/pricing/PriceListCacheWithReentrantReadWriteLock$NonfairSynchroniser"
#define SENTENCE "\"" THREAD "\" waits for \"another thread with a name that is long\", which waits for it\n"

struct scene {
    struct wick_profile p;
    uint32_t stack, leaf, caller, thread;
};

static uint32_t frame(struct wick_profile *p, const char *class_name, const char *name)
{
    uint32_t f = wick_profile_function(p, wick_profile_cstring(p, class_name), wick_profile_cstring(p, name), 0);
    return wick_profile_frame(p, f, 1234, -1, WICK_FRAME_C2);
}

static void set_scene(struct scene *s)
{
    assert_int_equal(wick_profile_init(&s->p), 0);
    s->caller = frame(&s->p, CALLER, "handleRequestOfACustomer");
    s->leaf = frame(&s->p, LEAF, "lookUpAvailability");
    s->stack = wick_profile_push(&s->p, wick_profile_push(&s->p, 0, s->caller), s->leaf);
    s->thread = wick_profile_thread(&s->p, wick_profile_cstring(&s->p, THREAD), 4711, 1, false);
}

typedef void writer(FILE *out);

static void write_locks(FILE *out)
{
    struct scene s;
    set_scene(&s);
    struct wick_lock_wait_row row = {.class_name = wick_profile_cstring(&s.p, LOCKED),
                                     .identity = 0x1234567,
                                     .weight_ns = 98765400000,
                                     .duration_ns = 98765400000,
                                     .thread = s.thread,
                                     .owner = s.thread,
                                     .stack = s.stack,
                                     .owner_stack = s.stack};
    struct wick_lock_row lock = {
        .count = 1, .total_ns = 98765400000, .longest_ns = 98765400000, .owned_ns = 98765400000};
    struct wick_lock_waits w = {
        .profile = &s.p, .rows = &row, .nrows = 1, .locks = &lock, .nlocks = 1, .recorded = true};
    struct wick_lock_options o = {.stacks = true,
                                  .now = "deadlocks=1\ndeadlock_1=" SENTENCE "lasting_waits=1234567890\n"
                                         "unknown_waits=12345678901234\nwait_1=" SENTENCE};
    assert_int_equal(wick_lock_table(&w, &o, out, NULL), 0);
    wick_profile_release(&s.p);
}

static unsigned occurrences(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

/* The JSON has all, or as much as it may have. */
static void check_bounds(const struct wick_ttsp_incidents *in)
{
    static const struct wick_ttsp_most most = {.blames = 2, .threads = 3, .signals = 1, .frames = 1, .name = 7};
    for (int bounded = 0; bounded < 2; bounded++) {
        struct wick_ttsp_options o = {.json = true};
        char *text;
        size_t n;
        if (bounded)
            o.most = most;
        FILE *out = open_memstream(&text, &n);
        assert_int_equal(wick_ttsp_table_write(in, &o, out, NULL), 0);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(occurrences(text, "\"late\":"), bounded ? 2 : WICK_TTSP_WHYS);
        assert_int_equal(occurrences(text, "\"tid\":"), bounded ? 3 : WICK_TTSP_WHYS);
        assert_int_equal(occurrences(text, "\"attempt\":"), bounded ? 3 : WICK_TTSP_WHYS);
        assert_int_equal(occurrences(text, "\"G1CollectForAllocation\""), !bounded);
        assert_int_equal(occurrences(text, "\"G1Colle\""), bounded);
        free(text);
    }
}

static void write_ttsp(FILE *out)
{
    struct scene s;
    set_scene(&s);
    struct wick_ttsp_signal signal = {.stack = s.stack,
                                      .state = wick_profile_cstring(&s.p, "D (disk sleep)"),
                                      .wchan = wick_profile_cstring(&s.p, "folio_wait_bit_common"),
                                      .scheduler = wick_profile_cstring(&s.p, "SCHED_OTHER"),
                                      .allowed = wick_profile_cstring(&s.p, "0-3,8-11,16-19,24-27")};
    struct wick_ttsp_culprit culprits[WICK_TTSP_WHYS];
    for (unsigned i = 0; i < WICK_TTSP_WHYS; i++)
        culprits[i] = (struct wick_ttsp_culprit){.thread = s.thread,
                                                 .waited_ns = 1234567800000,
                                                 .count = 1,
                                                 .why = (enum wick_ttsp_why)i,
                                                 .frame = i ? s.leaf : 0,
                                                 .caller = s.caller,
                                                 .stack = s.stack};
    struct wick_ttsp_slow slow = {.time_ns = 1700000000000000000,
                                  .reach_ns = 123456700000,
                                  .duration_ns = 234567800000,
                                  .java_threads = 12345,
                                  .late_threads = WICK_TTSP_WHYS,
                                  .operation = wick_profile_cstring(&s.p, "G1CollectForAllocation"),
                                  .count = WICK_TTSP_WHYS};
    struct wick_ttsp_incidents in = {.profile = &s.p,
                                     .slow = &slow,
                                     .nslow = 1,
                                     .culprits = culprits,
                                     .nculprits = WICK_TTSP_WHYS,
                                     .signals = &signal,
                                     .nsignals = 1};
    assert_int_equal(wick_ttsp_table_write(&in, &(struct wick_ttsp_options){.stacks = true}, out, NULL), 0);
    check_bounds(&in);
    wick_profile_release(&s.p);
}

static void write_no_ttsp(FILE *out)
{
    struct wick_profile p;
    assert_int_equal(wick_profile_init(&p), 0);
    wick_profile_cover(&p, 1, 98765432100000);
    struct wick_ttsp_incidents in = {
        .profile = &p, .threshold_ns = 10000000, .safepoints = 123456, .sync_ns = 9876543210, .counters = 1};
    assert_int_equal(wick_ttsp_table_write(&in, &(struct wick_ttsp_options){0}, out, NULL), 0);
    in.counters = 0;
    assert_int_equal(wick_ttsp_table_write(&in, &(struct wick_ttsp_options){0}, out, NULL), 0);
    wick_profile_release(&p);
}

/* Requests of `ms` each; figures as large as they come, or small ones. */
static void write_endpoints_of(FILE *out, int64_t ms)
{
    struct wick_profile p;
    struct wick_spans s;
    struct wick_endpoints e;
    assert_int_equal(wick_profile_init(&p), 0);
    wick_spans_init(&s, &p);
    s.open = 1234567;
    s.n = 2;
    s.spans = calloc(s.n, sizeof *s.spans);
    s.nsamples = 2;
    s.samples = calloc(s.nsamples, sizeof *s.samples);
    for (size_t i = 0; i < 2; i++) {
        uint32_t endpoint = wick_profile_cstring(&p, i ? "GET /short" : CALLER);
        s.spans[i] = (struct wick_span){
            .start_ns = 1, .end_ns = ms * 1000000, .thread = 1, .endpoint = endpoint, .id = endpoint, .is_root = true};
        s.samples[i] = (struct wick_span_sample){.start_ns = 2,
                                                 .weight_ns = ms * 1000000,
                                                 .count = 1,
                                                 .thread = 1,
                                                 .endpoint = endpoint,
                                                 .id = endpoint,
                                                 .cpu = i};
    }
    assert_int_equal(wick_spans_finish(&s), 0);
    assert_int_equal(wick_endpoints_init(&e, &s, INT64_MIN, INT64_MAX), 0);
    assert_int_equal(wick_endpoints_write(&e, WICK_ENDPOINTS_TEXT, out), 0);
    wick_endpoints_release(&e);
    wick_spans_release(&s);
    wick_profile_release(&p);
}

static void write_endpoints(FILE *out)
{
    write_endpoints_of(out, 5);
}

static void write_slow_endpoints(FILE *out)
{
    write_endpoints_of(out, 864000000);
}

static writer *const writers[] = {write_locks, write_ttsp, write_no_ttsp, write_endpoints, write_slow_endpoints};
enum { WRITERS = sizeof writers / sizeof *writers };

/* What arrives at the other side of a pseudo-terminal, until nobody has its terminal any more. */
struct side {
    int fd;
    char *text;
    size_t len;
};

static void *drain(void *arg)
{
    struct side *side = arg;
    char buf[4096];
    FILE *out = open_memstream(&side->text, &side->len);
    for (ssize_t n; (n = read(side->fd, buf, sizeof buf)) > 0;)
        fwrite(buf, 1, (size_t)n, out);
    fclose(out);
    return NULL;
}

static char *on_terminal(writer *write)
{
    struct side side = {.fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    struct winsize size = {.ws_row = 24, .ws_col = COLUMNS};
    struct termios raw;
    pthread_t reader;
    char name[64];
    assert_true(side.fd >= 0 && !grantpt(side.fd) && !unlockpt(side.fd) && !ptsname_r(side.fd, name, sizeof name));
    int fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
    FILE *out = fdopen(fd, "w");
    assert_non_null(out);
    assert_int_equal(wick_ui_width(out), COLUMNS);
    assert_int_equal(pthread_create(&reader, NULL, drain, &side), 0);
    write(out);
    fclose(out);
    pthread_join(reader, NULL);
    close(side.fd);
    return side.text;
}

static char *in_memory(writer *write)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    write(out);
    fclose(out);
    return text;
}

static unsigned columns_of(const char *s, size_t len)
{
    unsigned all = 0, columns;
    for (size_t i = 0; i < len; i += wick_print_unit(s + i, len - i, &columns), all += columns)
        ;
    return all;
}

static void test_terminal__no_line_is_longer_than_its_width(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WRITERS; i++) {
        char *text = on_terminal(writers[i]);
        unsigned lines = 0, full = 0;
        for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n', lines++) {
            size_t len = strcspn(line, "\n");
            unsigned columns = columns_of(line, len);
            if (columns > COLUMNS)
                fail_msg("%u columns: %.*s", columns, (int)len, line);
            full += columns > COLUMNS - 20;
        }
        assert_true(lines >= 3 && full >= 2); /* the room is used */
        free(text);
    }
}

static void test_terminal__only_names_longer_than_a_line_are_cut(void **state)
{
    static const char *const whole[] = {"lookUpAvailability:1234", "handleRequestOfACustomer:1234",
                                        "\xe6\xb3\xa8\xe6\x96\x87"};
    static const char *const cut[] = {"PriceListCacheWithReentrantReadWriteLock$NonfairSynchroniser@1234567",
                                      "checkout.CheckoutControllerWithALongNameOfItsOwnThatFills"};
    (void)state;
    char *text = on_terminal(write_locks);
    for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_non_null(strstr(text, whole[i]));
    for (unsigned i = 0; i < sizeof cut / sizeof *cut; i++)
        assert_null(strstr(text, cut[i]));
    assert_non_null(strstr(text, "..."));
    assert_non_null(strstr(text, "@1234567\n"));
    free(text);
    text = on_terminal(write_no_ttsp);
    for (char *c = text; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    assert_non_null(strstr(text,
                           "each of the 123456 safepoints in 98765.4 s was reached within 10 ms, all in 9876.5 ms. "
                           "No slow thread was found; this JVM does not count its safepoints (-XX:-UsePerfData)."));
    free(text);
}

static void test_terminal__without_one_lines_are_whole(void **state)
{
    static const char *const lines[] = {
        "monitor com.acme.shop.pricing.PriceListCacheWithReentrantReadWriteLock$NonfairSynchroniser@1234567\n",
        "    waits    100.0 %  1 thread in "
        "com.acme.shop.inventory.search.InventoryAvailabilityLookupService$$Lambda$1234."
        "lookUpAvailability:1234\n",
        "    " SENTENCE,
        "\nWaiting at the end, since before or during the recording (1234567890 threads):\n",
        "\n12345678901234 more wait for monitors; there were too many to determine each owner\n",
    };
    (void)state;
    char *text = in_memory(write_locks);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("\"%s\" is not in:\n%s", lines[i], text);
    free(text);
    text = in_memory(write_ttsp);
    assert_non_null(strstr(text, "    \"" THREAD "\" (tid 4711) after 1234567.8 ms: no processor to run on for 0.0 ms "
                                 "(SCHED_OTHER, nice 0, processors 0-3,8-11,16-19,24-27), at com.acme."));
    assert_non_null(strstr(text, "\n2023-11-14 22:13:20.000  123456.7 ms to safepoint, 234567.8 ms in all; "
                                 "G1CollectForAllocation; 7 of 12345 threads slow\n"));
    free(text);
}

static void test_terminal__columns_are_as_narrow_as_it_takes_and_the_least_needed_go(void **state)
{
    (void)state;
    char *text = on_terminal(write_endpoints);
    assert_non_null(strstr(text, "COUNT P50 ms P90 ms P99 ms MAX ms CPU ms CPU/REQ ms  ENDPOINT\n"));
    assert_non_null(strstr(text, "    1  5.000  5.000  5.000  5.000    0.0      0.000  com/"));
    assert_non_null(strstr(text, " GET /short\n"));
    free(text);
    text = on_terminal(write_slow_endpoints);
    assert_non_null(strstr(text, "COUNT        P50 ms        P99 ms      CPU ms  ENDPOINT\n"));
    free(text);
    text = in_memory(write_endpoints);
    assert_non_null(strstr(text,
                           "    COUNT     P50 ms     P90 ms     P99 ms     MAX ms       CPU ms      % CPU/REQ ms  "
                           "ENDPOINT\n"));
    assert_non_null(strstr(text, "  " CALLER "\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal__columns_are_as_narrow_as_it_takes_and_the_least_needed_go),
        cmocka_unit_test(test_terminal__no_line_is_longer_than_its_width),
        cmocka_unit_test(test_terminal__only_names_longer_than_a_line_are_cut),
        cmocka_unit_test(test_terminal__without_one_lines_are_whole),
    };
    unsetenv("COLUMNS");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
