/* SPDX-License-Identifier: Apache-2.0 */
/* What the process and its threads publish for readers other than wick, read as such a reader does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "codec/protobuf.h"
#include "labels/published.h"
#include "labels/resource.h"

extern __thread struct wick_published_record *otel_thread_ctx_v1;

static struct wick_mem mem;

static int set_up(void **state)
{
    (void)state;
    return wick_mem_self_init(&mem);
}

static bool copy(uint64_t at, void *to, size_t n)
{
    struct iovec local = {to, n}, remote = {(void *)(uintptr_t)at, n};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n;
}

/* Where the mapping is, 0 if there is none. */
static uint64_t find_mapping(void)
{
    char line[512];
    unsigned long long at = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    assert_non_null(f);
    while (!at && fgets(line, sizeof line, f))
        if (strstr(line, "/memfd:OTEL_CTX") || strstr(line, "[anon:OTEL_CTX]"))
            assert_int_equal(sscanf(line, "%llx", &at), 1);
    fclose(f);
    return at;
}

/* Takes the payload as a reader does, reading the time first and last; returns its size, -1 if it has changed. */
static long take_payload(uint64_t at, uint8_t *to, size_t cap)
{
    uint64_t time_at = at + offsetof(struct wick_process_context_header, published_ns), before, after;
    struct wick_process_context_header h;
    if (!copy(time_at, &before, sizeof before) || !before || !copy(at, &h, sizeof h) || h.payload_size > cap ||
        !copy(h.payload, to, h.payload_size) || !copy(time_at, &after, sizeof after) || after != before)
        return -1;
    assert_memory_equal(h.signature, "OTEL_CTX", 8);
    assert_int_equal(h.version, 2);
    return h.payload_size;
}

static void fill(struct wick_strbuf *sb, size_t n, char c)
{
    wick_strbuf_clear(sb);
    for (size_t i = 0; i < n; i++)
        wick_strbuf_addc(sb, c);
}

static void test_process_context__a_reader_finds_what_was_published_last(void **state)
{
    struct wick_process_context c = {0};
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    uint8_t got[64];
    (void)state;
    assert_false(wick_process_context_exists());
    for (int i = 1; i <= 3; i++) {
        uint64_t before = c.header ? wick_load_relaxed(&c.header->published_ns) : 0;
        fill(&payload, (size_t)i * 10, (char)('a' + i));
        assert_int_equal(wick_process_context_publish(&c, &payload), 0);
        assert_true(wick_process_context_exists());
        assert_int_equal(take_payload(find_mapping(), got, sizeof got), i * 10);
        assert_memory_equal(got, payload.buf, payload.len);
        assert_true(wick_load_relaxed(&c.header->published_ns) > before);
    }
    wick_process_context_withdraw(&c);
    assert_false(wick_process_context_exists());
    assert_int_equal(find_mapping(), 0);
    wick_process_context_withdraw(&c);
    wick_strbuf_release(&payload);
}

static void test_process_context__a_payload_out_of_memory_leaves_the_one_before(void **state)
{
    struct wick_process_context c = {0};
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    uint8_t got[64];
    (void)state;
    fill(&payload, 5, 'x');
    assert_int_equal(wick_process_context_publish(&c, &payload), 0);
    payload.failed = true;
    assert_int_equal(wick_process_context_publish(&c, &payload), -WICK_E_NOMEM);
    assert_int_equal(take_payload(find_mapping(), got, sizeof got), 5);
    wick_process_context_withdraw(&c);
    wick_strbuf_release(&payload);
}

static void test_process_context__a_child_has_none(void **state)
{
    struct wick_process_context c = {0};
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    int status = 0;
    (void)state;
    fill(&payload, 5, 'x');
    assert_int_equal(wick_process_context_publish(&c, &payload), 0);
    pid_t child = fork();
    if (!child)
        _exit(wick_process_context_exists() ? 1 : 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(wick_process_context_exists());
    wick_process_context_withdraw(&c);
    wick_strbuf_release(&payload);
}

struct race {
    struct wick_process_context c;
    _Atomic bool stop;
};

/* Payloads of which each byte is their length. */
static void *publish_on(void *arg)
{
    struct race *r = arg;
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    for (unsigned n = 1; !wick_load_relaxed(&r->stop); n = n % 200 + 1) {
        fill(&payload, n, (char)n);
        wick_process_context_publish(&r->c, &payload);
    }
    wick_strbuf_release(&payload);
    return NULL;
}

static void test_process_context__a_reader_never_takes_half_a_change(void **state)
{
    struct race r = {0};
    struct wick_strbuf payload = WICK_STRBUF_INIT;
    uint8_t got[256];
    pthread_t t;
    (void)state;
    fill(&payload, 1, 1);
    assert_int_equal(wick_process_context_publish(&r.c, &payload), 0);
    uint64_t at = find_mapping();
    assert_int_equal(pthread_create(&t, NULL, publish_on, &r), 0);
    for (int whole = 0; whole < 2000;) {
        long n = take_payload(at, got, sizeof got);
        for (long i = 0; i < n; i++)
            assert_int_equal(got[i], n);
        whole += n > 0;
    }
    wick_store_relaxed(&r.stop, true);
    pthread_join(t, NULL);
    wick_process_context_withdraw(&r.c);
    wick_strbuf_release(&payload);
}

/* --- messages --- */

static struct wick_pb_field only(struct wick_pb *r, unsigned number)
{
    struct wick_pb_field f;
    assert_true(wick_pb_next(r, &f));
    assert_int_equal(f.number, number);
    return f;
}

/* Appends "key=value;" of a KeyValue. */
static void say_pair(struct wick_strbuf *out, const struct wick_pb_field *pair)
{
    struct wick_pb r = wick_pb_reader(pair->data, pair->len);
    struct wick_pb_field key = only(&r, 1), value = only(&r, 2);
    struct wick_pb any = wick_pb_reader(value.data, value.len);
    struct wick_pb_field v;
    wick_strbuf_add(out, key.data, key.len);
    wick_strbuf_addc(out, '=');
    assert_true(wick_pb_next(&any, &v));
    if (v.number == 1) {
        wick_strbuf_add(out, v.data, v.len);
    } else {
        struct wick_pb array = wick_pb_reader(v.data, v.len);
        assert_int_equal(v.number, 5);
        for (struct wick_pb_field e; wick_pb_next(&array, &e);) {
            struct wick_pb element = wick_pb_reader(e.data, e.len);
            struct wick_pb_field s = only(&element, 1);
            wick_strbuf_addf(out, "[%.*s]", (int)s.len, (const char *)s.data);
        }
    }
    wick_strbuf_addc(out, ';');
}

static void assert_resource(const char *name, const char *attributes, const char *wanted)
{
    struct wick_strbuf message = WICK_STRBUF_INIT, said = WICK_STRBUF_INIT;
    wick_resource_add(&message, name, attributes);
    struct wick_pb r = wick_pb_reader(message.buf, message.len);
    for (struct wick_pb_field f; wick_pb_next(&r, &f);) {
        assert_int_equal(f.number, 1);
        say_pair(&said, &f);
    }
    assert_false(r.bad);
    assert_string_equal(said.buf, wanted);
    wick_strbuf_release(&message);
    wick_strbuf_release(&said);
}

static void test_resource__settings_become_attributes(void **state)
{
    (void)state;
    assert_resource(NULL, NULL, "service.name=unknown_service:java;");
    assert_resource("", "", "service.name=unknown_service:java;");
    assert_resource("till", NULL, "service.name=till;");
    assert_resource(NULL, "service.name=list,a=b", "service.name=list;a=b;");
    assert_resource("till", "service.name=list,a=b", "service.name=till;a=b;");
    assert_resource(NULL, "a=1,service.name=x,service.name=y", "a=1;service.name=x;");
    assert_resource("s", " a = b c ,\tk=v\t", "service.name=s;a=b c;k=v;");
    assert_resource("s", "a=x%2Cy%3d%25,b%20c=d", "service.name=s;a=x,y=%;b c=d;");
    assert_resource("s", "a=1=2,empty=", "service.name=s;a=1=2;empty=;");
    assert_resource("s", ",,=v,none,a=%2,b=%zz,c=%00,d=%,ok=1", "service.name=s;ok=1;");
    assert_resource("s", "a=\xff", "service.name=s;a=\xef\xbf\xbd;");
}

/* --- threads --- */

static const struct wick_published_resource till = {.service_name = "till"};

static void assert_context(const char *wanted)
{
    uint8_t payload[65536];
    struct wick_strbuf said = WICK_STRBUF_INIT;
    long n = take_payload(find_mapping(), payload, sizeof payload);
    assert_true(n > 0);
    struct wick_pb r = wick_pb_reader(payload, (size_t)n);
    for (struct wick_pb_field f; wick_pb_next(&r, &f);) {
        if (f.number == 2) {
            say_pair(&said, &f);
            continue;
        }
        assert_int_equal(f.number, 1);
        struct wick_pb resource = wick_pb_reader(f.data, f.len);
        for (struct wick_pb_field a; wick_pb_next(&resource, &a);)
            say_pair(&said, &a);
    }
    assert_string_equal(said.buf, wanted);
    wick_strbuf_release(&said);
}

#define CONTEXT(keys)                                              \
    "service.name=till;threadlocal.schema_version=tlsdesc_v1_dev;" \
    "threadlocal.attribute_key_map=[wick.local_root_span_id][wick.endpoint]" keys ";"

static void release(struct wick_published *p)
{
    wick_published_end(p);
    if (p->records)
        munmap(p->records, 16 * sizeof *p->records);
    while (p->key_count)
        free(p->keys[--p->key_count]);
}

static void test_published__keys_keep_their_index(void **state)
{
    struct wick_published p = WICK_PUBLISHED_INIT;
    (void)state;
    assert_int_equal(wick_published_key(&p, "early", 5), -1);
    assert_int_equal(wick_published_begin(&p, &mem, &till, 16), 0);
    assert_context(CONTEXT(""));
    assert_int_equal(wick_published_key(&p, "customer", 8), WICK_PUBLISHED_OWN);
    assert_int_equal(wick_published_key(&p, "custom", 6), WICK_PUBLISHED_OWN + 1);
    assert_int_equal(wick_published_key(&p, "customer", 8), WICK_PUBLISHED_OWN);
    assert_int_equal(wick_published_key(&p, "wick.endpoint", 13), WICK_PUBLISHED_ENDPOINT);
    assert_context(CONTEXT("[customer][custom]"));
    assert_int_equal(wick_published_begin(&p, &mem, &till, 16), 0);
    assert_context(CONTEXT("[customer][custom]"));
    release(&p);
    assert_int_equal(wick_published_key(&p, "late", 4), -1);
}

static void test_published__there_are_256_keys(void **state)
{
    struct wick_published p = WICK_PUBLISHED_INIT;
    char key[16];
    (void)state;
    assert_int_equal(wick_published_begin(&p, &mem, &till, 16), 0);
    for (int i = WICK_PUBLISHED_OWN; i < 256; i++)
        assert_int_equal(wick_published_key(&p, key, (size_t)snprintf(key, sizeof key, "key%d", i)), i);
    assert_int_equal(wick_published_key(&p, "another", 7), -1);
    assert_int_equal(wick_published_key(&p, "key255", 6), 255);
    release(&p);
}

static void test_published__a_second_one_does_not_begin(void **state)
{
    struct wick_published p = WICK_PUBLISHED_INIT, q = WICK_PUBLISHED_INIT;
    (void)state;
    assert_int_equal(wick_published_begin(&p, &mem, &till, 16), 0);
    assert_int_equal(wick_published_begin(&q, &mem, &till, 16), -WICK_E_STATE);
    assert_null(wick_published_record(&q, 1));
    assert_context(CONTEXT(""));
    release(&p);
    assert_int_equal(wick_published_begin(&q, &mem, &till, 16), 0);
    release(&q);
}

static void *look(void *arg)
{
    *(struct wick_published_record **)arg = otel_thread_ctx_v1;
    return NULL;
}

static void test_published__the_pointer_is_the_threads_own(void **state)
{
    struct wick_published p = WICK_PUBLISHED_INIT;
    struct wick_published_record *of_other = (void *)1;
    pthread_t t;
    (void)state;
    assert_null(otel_thread_ctx_v1);
    assert_int_equal(wick_published_begin(&p, &mem, &till, 16), 0);
    wick_published_point(wick_published_record(&p, 3));
    assert_ptr_equal(otel_thread_ctx_v1, p.records + 3);
    assert_int_equal(pthread_create(&t, NULL, look, &of_other), 0);
    pthread_join(t, NULL);
    assert_null(of_other);
    wick_published_point(NULL);
    assert_null(otel_thread_ctx_v1);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process_context__a_reader_finds_what_was_published_last),
        cmocka_unit_test(test_process_context__a_payload_out_of_memory_leaves_the_one_before),
        cmocka_unit_test(test_process_context__a_child_has_none),
        cmocka_unit_test(test_process_context__a_reader_never_takes_half_a_change),
        cmocka_unit_test(test_resource__settings_become_attributes),
        cmocka_unit_test(test_published__keys_keep_their_index),
        cmocka_unit_test(test_published__there_are_256_keys),
        cmocka_unit_test(test_published__a_second_one_does_not_begin),
        cmocka_unit_test(test_published__the_pointer_is_the_threads_own),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
