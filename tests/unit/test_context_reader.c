/* SPDX-License-Identifier: Apache-2.0 */
/* What other processes publish about themselves and their threads, as wick's own publisher writes it, and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "codec/protobuf.h"
#include "labels/context_reader.h"
#include "labels/process_context.h"
#include "labels/resource.h"

static const char *const keys[] = {"wick.local_root_span_id", "wick.endpoint", "customer", "process", "odd=\nkey"};
enum { KEYS = sizeof keys / sizeof *keys };

static void make(struct wick_strbuf *out, const char *service, uint32_t nkeys)
{
    struct wick_strbuf resource = WICK_STRBUF_INIT;
    wick_resource_add(&resource, service, NULL);
    wick_pb_message(out, 1, &resource);
    wick_resource_text(out, 2, "threadlocal.schema_version", "tlsdesc_v1_dev", 14);
    wick_resource_texts(out, 2, "threadlocal.attribute_key_map", keys, nkeys);
    wick_strbuf_release(&resource);
}

static int parse(struct wick_context_reader *r, const struct wick_strbuf *message)
{
    return wick_context_reader_parse(r, (const uint8_t *)message->buf, message->len);
}

static void test_parse__has_the_service_and_the_keys(void **state)
{
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT;
    (void)state;
    make(&message, "till", KEYS);
    assert_int_equal(parse(&r, &message), 0);
    assert_string_equal(r.service, "till");
    assert_int_equal(r.nkeys, KEYS);
    assert_string_equal(r.keys[2], "customer");
    assert_string_equal(r.keys[4], "odd??key");
    wick_strbuf_clear(&message);
    make(&message, "unknown_service:java", 2);
    assert_int_equal(parse(&r, &message), 0);
    assert_null(r.service);
    wick_strbuf_clear(&message);
    make(&message, "other", 2);
    assert_int_equal(parse(&r, &message), 0);
    assert_string_equal(r.service, "other");
    assert_int_equal(r.nkeys, 2);
    wick_context_reader_release(&r);
    wick_strbuf_release(&message);
}

static void test_parse__a_cut_message_changes_nothing(void **state)
{
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT;
    int refused = 0;
    (void)state;
    make(&message, "till", KEYS);
    assert_int_equal(parse(&r, &message), 0);
    for (size_t n = 1; n < message.len; n++) {
        uint8_t *part = malloc(n); /* of that size, so that a read behind it is seen */
        memcpy(part, message.buf, n);
        int rc = wick_context_reader_parse(&r, part, n);
        refused += rc == -WICK_E_FORMAT;
        if (rc)
            assert_true(rc == -WICK_E_FORMAT && r.service && !strcmp(r.service, "till"));
        free(part);
    }
    assert_true(refused > (int)message.len / 2);
    wick_context_reader_release(&r);
    wick_strbuf_release(&message);
}

/* A record with two attributes of the keys a and b. */
static size_t record_of(uint8_t *record, unsigned a, const char *x, unsigned b, const char *y)
{
    size_t nx = strlen(x), ny = strlen(y), size = 4 + nx + ny;
    memset(record, 0, 28);
    record[15] = 0xab;
    record[16] = 0xcd;
    record[24] = 1;
    record[26] = (uint8_t)size;
    record[28] = (uint8_t)a;
    record[29] = (uint8_t)nx;
    memcpy(record + 30, x, nx);
    record[30 + nx] = (uint8_t)b;
    record[31 + nx] = (uint8_t)ny;
    memcpy(record + 32 + nx, y, ny);
    return 28 + size;
}

static void expect_labels(const struct wick_context_reader *r, const uint8_t *record, size_t n, bool all,
                          const char *text)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    uint8_t *copy = malloc(n);
    memcpy(copy, record, n);
    assert_int_equal(wick_context_reader_labels(r, copy, n, &out), all);
    assert_string_equal(out.buf, text);
    free(copy);
    wick_strbuf_release(&out);
}

#define IDS ",traceId=000000000000000000000000000000ab,spanId=cd00000000000000"

static void test_labels__attributes_become_labels(void **state)
{
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT;
    uint8_t record[128];
    (void)state;
    make(&message, "till", KEYS);
    assert_int_equal(parse(&r, &message), 0);
    size_t n = record_of(record, 1, "GET /a=b", 2, "big");
    expect_labels(&r, record, n, true, ",endpoint=GET /a\\=b,customer=big" IDS);
    n = record_of(record, 0, "00000000000000cd", 2, "\x1b[2J\xff");
    expect_labels(&r, record, n, true, ",customer=?[2J?" IDS);
    n = record_of(record, 3, "init-1", 2, "x");
    expect_labels(&r, record, n, true, ",customer=x" IDS); /* whose it is, it does not say itself */
    n = record_of(record, 9, "?", 2, "x");
    expect_labels(&r, record, n, false, ",customer=x" IDS);
    record[24] = 0;
    expect_labels(&r, record, n, true, "");
    wick_context_reader_release(&r);
    wick_strbuf_release(&message);
}

static void test_labels__what_does_not_fit_is_left_out(void **state)
{
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT;
    uint8_t record[128];
    (void)state;
    make(&message, "till", KEYS);
    assert_int_equal(parse(&r, &message), 0);
    size_t n = record_of(record, 2, "first", 2, "second");
    expect_labels(&r, record, n - 1, true, ",customer=first" IDS);
    record[29] = 200;
    expect_labels(&r, record, n, true, IDS);
    record[27] = 0xff;
    expect_labels(&r, record, n, true, IDS);
    expect_labels(&r, record, 27, true, "");
    wick_context_reader_release(&r);
    wick_strbuf_release(&message);
}

/* One that has many attributes is not longer for it than others. */
static void test_labels__are_bounded(void **state)
{
    static const char *const many[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT, out = WICK_STRBUF_INIT;
    uint8_t record[28 + 612] = {[24] = 1, [26] = 612 & 0xff, [27] = 612 >> 8};
    (void)state;
    make(&message, "till", KEYS);
    assert_int_equal(parse(&r, &message), 0);
    for (size_t at = 28; at + 2 <= sizeof record; at += 2)
        record[at] = 2;
    expect_labels(&r, record, sizeof record, true, ",customer=");
    wick_strbuf_clear(&message);
    wick_resource_texts(&message, 2, "threadlocal.attribute_key_map", many, sizeof many / sizeof *many);
    assert_int_equal(parse(&r, &message), 0);
    memset(record + 28, '=', sizeof record - 28); /* each takes two bytes in the text */
    for (size_t i = 0; i < 4; i++) {
        record[28 + 152 * i] = (uint8_t)i;
        record[29 + 152 * i] = 150;
    }
    record[28 + 608] = 4;
    record[29 + 608] = 2;
    assert_true(wick_context_reader_labels(&r, record, sizeof record, &out));
    assert_in_range(out.len, WICK_CONTEXT_READER_LABELS / 2, WICK_CONTEXT_READER_LABELS);
    assert_null(strstr(out.buf, ",d="));
    assert_non_null(strstr(out.buf, ",e=\\=\\="));
    wick_strbuf_release(&out);
    wick_context_reader_release(&r);
    wick_strbuf_release(&message);
}

static void test_labels__are_none_of_wicks_own(void **state)
{
    static const char *const refused[] = {
        "service",     "container.id", "k8s.pod.uid", "process.pid",        "process.executable.name", "thread.id",
        "thread.name", "service.name", "host.name",   "wick.thread.state",  "wick.java_thread.name",   "call",
        "peer",        "local",        "lock-owner",  "ran-instead-cgroup", "ran-instead-cpu"};
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT;
    uint8_t record[128];
    (void)state;
    wick_resource_texts(&message, 2, "threadlocal.attribute_key_map", refused, sizeof refused / sizeof *refused);
    assert_int_equal(parse(&r, &message), 0);
    assert_int_equal(r.nkeys, sizeof refused / sizeof *refused);
    for (unsigned i = 0; i < r.nkeys; i++) {
        size_t n = record_of(record, i, "x", i, "y");
        expect_labels(&r, record, n, true, IDS);
    }
    wick_context_reader_release(&r);
    wick_strbuf_release(&message);
}

static void test_read__follows_the_header(void **state)
{
    struct wick_process_context context = {0};
    struct wick_context_reader r = {0};
    struct wick_strbuf message = WICK_STRBUF_INIT;
    struct wick_mem mem;
    (void)state;
    assert_int_equal(wick_mem_self_init(&mem), 0);
    make(&message, "till", 2);
    assert_int_equal(wick_process_context_publish(&context, &message), 0);
    wick_addr at = (wick_addr)(uintptr_t)context.header;
    assert_int_equal(wick_context_reader_read(&r, &mem, at), 0);
    assert_string_equal(r.service, "till");
    uint64_t published_ns = r.published_ns;
    assert_true(published_ns > 0);
    assert_int_equal(wick_context_reader_read(&r, &mem, at), 0); /* nothing has changed */
    assert_int_equal(r.published_ns, published_ns);
    wick_strbuf_clear(&message);
    make(&message, "other", KEYS);
    assert_int_equal(wick_process_context_publish(&context, &message), 0);
    assert_int_equal(wick_context_reader_read(&r, &mem, at), 0);
    assert_string_equal(r.service, "other");
    assert_int_equal(r.nkeys, KEYS);
    published_ns = wick_load_relaxed(&context.header->published_ns);
    wick_store_relaxed(&context.header->published_ns, 0);
    assert_int_equal(wick_context_reader_read(&r, &mem, at), -WICK_E_STATE);
    wick_store_relaxed(&context.header->published_ns, published_ns + 1);
    uint64_t payload = context.header->payload;
    context.header->payload = 16;
    assert_int_equal(wick_context_reader_read(&r, &mem, at), -WICK_E_FAULT);
    context.header->payload = payload;
    context.header->payload_size = UINT32_MAX;
    assert_int_equal(wick_context_reader_read(&r, &mem, at), -WICK_E_FORMAT);
    context.header->version = 3;
    assert_int_equal(wick_context_reader_read(&r, &mem, at), -WICK_E_FORMAT);
    assert_string_equal(r.service, "other");
    wick_context_reader_release(&r);
    wick_process_context_withdraw(&context);
    wick_strbuf_release(&message);
    wick_mem_release(&mem);
}

static void expect_service(const char *environment, size_t n, const char *service)
{
    char *found = wick_context_reader_service_of(environment, n);
    if (service)
        assert_true(found && !strcmp(found, service));
    else
        assert_null(found);
    free(found);
}

static void test_service_of__reads_an_environment(void **state)
{
    static const char both[] = "A=1\0OTEL_RESOURCE_ATTRIBUTES=place=x,service.name=shop\0OTEL_SERVICE_NAME=till";
    static const char attributes[] = "OTEL_RESOURCE_ATTRIBUTES=place=x, service.name = a%20b \0B=2";
    static const char none[] = "XOTEL_SERVICE_NAME=till\0OTEL_SERVICE_NAME=";
    (void)state;
    expect_service(both, sizeof both, "till");
    expect_service(both, sizeof both - 2, "shop"); /* the last one was cut */
    expect_service(attributes, sizeof attributes, "a b");
    expect_service(none, sizeof none, NULL);
    expect_service("", 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__has_the_service_and_the_keys),
        cmocka_unit_test(test_parse__a_cut_message_changes_nothing),
        cmocka_unit_test(test_labels__attributes_become_labels),
        cmocka_unit_test(test_labels__what_does_not_fit_is_left_out),
        cmocka_unit_test(test_labels__are_bounded),
        cmocka_unit_test(test_labels__are_none_of_wicks_own),
        cmocka_unit_test(test_read__follows_the_header),
        cmocka_unit_test(test_service_of__reads_an_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
