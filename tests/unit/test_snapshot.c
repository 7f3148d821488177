/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind a dump by a copy of the process, the records that it consists of, and what happens when memory runs
 * out. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "fake_space.h"
#include "faults.h"
#include "hotspot/class_fields.h"
#include "mem/mem.h"
#include "snapshot/dump_out.h"
#include "snapshot/graph_out.h"
#include "snapshot/klass_table.h"
#include "snapshot/number_map.h"
#include "snapshot/thread_table.h"

/* --- number_map, thread_table ------------------------------------------------------------------------------------- */

static void test_number_map__keeps_the_first_value_of_each_key(void **state)
{
    enum { N = 100000 };
    struct wick_number_map m = {0};
    bool failed = false;
    (void)state;
    assert_int_equal(wick_number_map_get(&m, 7), UINT32_MAX);
    for (uint32_t i = 1; i <= N; i++) {
        uint32_t value = i;
        assert_false(wick_number_map_put(&m, (uint64_t)i << 5, &value, &failed));
    }
    for (uint32_t i = 1; i <= N; i++) {
        uint32_t value = 0;
        assert_true(wick_number_map_put(&m, (uint64_t)i << 5, &value, &failed));
        assert_int_equal(value, i);
        assert_int_equal(wick_number_map_get(&m, (uint64_t)i << 5), i);
    }
    assert_int_equal(wick_number_map_get(&m, 33), UINT32_MAX);
    assert_false(failed);
    free(m.slots);
}

static void test_thread_table__frames_by_thread_and_depth(void **state)
{
    struct wick_thread_table t = {0};
    (void)state;
    assert_int_equal(wick_thread_table_number(&t, 0), 0);
    uint32_t a = wick_thread_table_number(&t, 70), b = wick_thread_table_number(&t, 71);
    assert_int_equal(a, 1);
    assert_int_equal(b, 2);
    assert_int_equal(wick_thread_table_number(&t, 70), a);
    wick_thread_table_frame(&t, a, 3, 0x1000, 9);
    wick_thread_table_frame(&t, a, 3, 0x2000, 10); /* the first one stays */
    wick_thread_table_frame(&t, b, 0, 0x3000, 1);
    wick_thread_table_frame(&t, b, WICK_THREAD_FRAMES_MOST, 0x4000, 1);
    assert_int_equal(t.all[a - 1].deepest, 4);
    assert_int_equal(t.all[b - 1].deepest, 1);
    assert_int_equal(wick_thread_table_get(&t, a, 3)->method, 0x1000);
    assert_int_equal(wick_thread_table_get(&t, a, 3)->bci, 9);
    assert_null(wick_thread_table_get(&t, a, 0));
    assert_null(wick_thread_table_get(&t, b, 3));
    for (uint64_t id = 1000; id < 3000; id++)
        assert_int_equal(wick_thread_table_number(&t, id), id - 997);
    assert_false(t.failed);
    free(t.all);
    free(t.frames);
    free(t.by_id.slots);
    free(t.by_frame.slots);
}

/* --- dump_out ----------------------------------------------------------------------------------------------------- */

enum { CAP = 65536, HEADER = 31 };

struct written {
    int fd;
    uint8_t *bytes;
    size_t n;
};

static struct written open_written(void)
{
    char path[] = "/tmp/wick-test-snapshot.XXXXXX";
    struct written w = {.fd = mkstemp(path)};
    assert_true(w.fd >= 0);
    unlink(path);
    return w;
}

static void read_back(struct written *w)
{
    w->n = (size_t)lseek(w->fd, 0, SEEK_END);
    w->bytes = malloc(w->n);
    assert_non_null(w->bytes);
    assert_int_equal(pread(w->fd, w->bytes, w->n, 0), w->n);
}

static void release(struct written *w)
{
    close(w->fd);
    free(w->bytes);
}

static uint64_t number(const uint8_t *p, unsigned size)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v = v << 8 | p[i];
    return v;
}

/* Segments hold whole sub-records, and say how long they are; a long sub-record is a segment of its own. */
static void test_dump_out__segments(void **state)
{
    enum { SUBS = 5000, SUB = 1 + 8 + 20, LONG = CAP + 1000 };
    static uint8_t buf[CAP];
    static const uint32_t values[] = {1, 0x01020304, UINT32_MAX, 0, 5};
    struct wick_dump_out o;
    struct written w = open_written();
    (void)state;
    wick_dump_out_begin(&o, w.fd, buf, sizeof buf, 1234567);
    for (unsigned i = 0; i < SUBS; i++) {
        wick_dump_out_sub(&o, SUB);
        wick_dump_out_u1(&o, 0x21);
        wick_dump_out_u8(&o, i);
        wick_dump_out_numbers(&o, values, 5, 4);
    }
    wick_dump_out_sub(&o, LONG);
    for (unsigned i = 0; i < LONG; i++)
        wick_dump_out_u1(&o, (uint8_t)i);
    wick_dump_out_record(&o, WICK_DUMP_OUT_STRING, 2);
    wick_dump_out_u2(&o, 0x4142);
    assert_true(wick_dump_out_end(&o));
    read_back(&w);
    assert_int_equal(o.bytes, w.n);
    assert_string_equal((char *)w.bytes, "JAVA PROFILE 1.0.2");
    assert_int_equal(number(w.bytes + 19, 4), 8);
    assert_int_equal(number(w.bytes + 23, 8), 1234567);
    size_t at = HEADER, subs = 0, segments = 0;
    while (w.bytes[at] == WICK_DUMP_OUT_SEGMENT && subs < SUBS) {
        size_t len = number(w.bytes + at + 5, 4);
        assert_int_equal(len % SUB, 0);
        for (at += 9; len; len -= SUB, at += SUB) {
            assert_int_equal(w.bytes[at], 0x21);
            assert_int_equal(number(w.bytes + at + 1, 8), subs++);
            for (unsigned i = 0; i < 5; i++)
                assert_int_equal(number(w.bytes + at + 9 + 4 * i, 4), values[i]);
        }
        segments++;
    }
    assert_int_equal(subs, SUBS);
    assert_true(segments > 1 && segments < 5);
    assert_int_equal(w.bytes[at], WICK_DUMP_OUT_SEGMENT);
    assert_int_equal(number(w.bytes + at + 5, 4), LONG);
    for (unsigned i = 0; i < LONG; i++)
        assert_int_equal(w.bytes[at + 9 + i], (uint8_t)i);
    at += 9 + LONG;
    static const uint8_t last[] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 'A', 'B', 0x2c, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(w.n - at, sizeof last);
    assert_memory_equal(w.bytes + at, last, sizeof last);
    release(&w);
}

static void test_dump_out__a_reader_that_has_gone(void **state)
{
    static uint8_t buf[CAP];
    struct wick_dump_out o;
    int full = open("/dev/full", O_WRONLY);
    (void)state;
    assert_true(full >= 0);
    wick_dump_out_begin(&o, full, buf, sizeof buf, 0);
    for (unsigned i = 0; i < 2 * CAP / 8; i++)
        wick_dump_out_u8(&o, i);
    assert_true(o.failed);
    assert_false(wick_dump_out_end(&o));
    close(full);
}

static void test_dump_out__a_rejection_is_as_long_as_it_says(void **state)
{
    struct written w = open_written();
    char text[300];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    wick_dump_out_reject(w.fd, "why", false);
    wick_dump_out_reject(w.fd, text, true);
    read_back(&w);
    assert_int_equal(w.n, 2 * WICK_DUMP_OUT_REJECTION);
    assert_int_equal(w.bytes[0], WICK_DUMP_OUT_REJECTED);
    assert_int_equal(number(w.bytes + 5, 4), WICK_DUMP_OUT_REJECTION - WICK_DUMP_OUT_HEAD);
    assert_string_equal((char *)w.bytes + WICK_DUMP_OUT_HEAD, "why");
    const uint8_t *again = w.bytes + WICK_DUMP_OUT_REJECTION;
    assert_int_equal(again[0], WICK_DUMP_OUT_AGAIN);
    assert_int_equal(strlen((const char *)again + WICK_DUMP_OUT_HEAD),
                     WICK_DUMP_OUT_REJECTION - WICK_DUMP_OUT_HEAD - 1);
    release(&w);
}

/* --- class_fields, klass_table ------------------------------------------------------------------------------------ */

enum { NAME = 0x18, SUPER = 0x20, HELPER = 0x28, MIRROR = 0x30, CONSTANTS = 0x38, FIELDS = 0x40, COUNT = 0x48 };
enum { POOL = 0x40, SYMBOL_BODY = 6, ARRAY_DATA = 4, MIRROR_KLASS = 0x50, OBJECT_ARRAY = 2u << 30 };

static struct space space;
static struct wick_jvm jvm;
static wick_addr pool;
static uint32_t nsymbols;

static wick_addr symbol(const char *text)
{
    wick_addr at = space_take(&space, SYMBOL_BODY + strlen(text));
    space_put16(&space, at, (uint16_t)strlen(text));
    space_put(&space, at + SYMBOL_BODY, text, strlen(text));
    return at;
}

/* The index of a new entry of the constant pool. */
static uint32_t constant(const char *text)
{
    space_put64(&space, pool + POOL + 8 * (uint64_t)++nsymbols, symbol(text));
    return nsymbols;
}

static int setup(void **state)
{
    (void)state;
    space_init_jvm(&space, &jvm);
    struct wick_hs_layout *l = &jvm.layout;
    l->klass_name = NAME;
    l->klass_super = SUPER;
    l->klass_layout = HELPER;
    l->klass_mirror = MIRROR;
    l->klass_constants = CONSTANTS;
    l->constantpool_size = POOL;
    l->symbol_length = 0;
    l->symbol_body = SYMBOL_BODY;
    l->bytes_length = 0;
    l->bytes_data = l->shorts_data = ARRAY_DATA;
    l->mirror_klass = space_take(&space, 4);
    space_put32(&space, l->mirror_klass, MIRROR_KLASS);
    pool = space_take(&space, POOL + 8 * 64);
    nsymbols = 0;
    return 0;
}

static void use_old_form(void)
{
    jvm.layout.klass_old_fields = FIELDS;
    jvm.layout.klass_java_fields = COUNT;
}

static void use_stream(void)
{
    jvm.layout.klass_fields = FIELDS;
    jvm.layout.field_initialized = 0;
    jvm.layout.field_injected = 1;
    jvm.layout.field_generic = 2;
    jvm.layout.field_contended = 4;
}

/* A class with a mirror: what the JVM has a handle of if `handle`, else the mirror itself. */
static wick_addr klass(const char *name, uint32_t helper, wick_addr super, bool handle, wick_addr *mirror)
{
    wick_addr k = space_take(&space, 0x60), m = space_take(&space, 0x60), h = space_take(&space, 8);
    space_put64(&space, k + NAME, symbol(name));
    space_put64(&space, k + SUPER, super);
    space_put32(&space, k + HELPER, helper);
    space_put64(&space, k + CONSTANTS, pool);
    space_put64(&space, m + MIRROR_KLASS, k);
    space_put64(&space, h, m);
    space_put64(&space, k + MIRROR, handle ? h : m);
    if (mirror)
        *mirror = m;
    return k;
}

static void put_list(wick_addr k, const void *bytes, size_t n, uint32_t length)
{
    wick_addr at = space_take(&space, ARRAY_DATA + n);
    space_put32(&space, at, length);
    space_put(&space, at + ARRAY_DATA, bytes, n);
    space_put64(&space, k + FIELDS, at);
}

/* An int at 12, a static String at 112 and, added by the JVM, a field at 24. */
static void put_old(wick_addr k)
{
    const uint16_t slots[] = {0,
                              (uint16_t)constant("count"),
                              (uint16_t)constant("I"),
                              0,
                              12 << 2 | 1,
                              0,
                              0x0008,
                              (uint16_t)constant("instance"),
                              (uint16_t)constant("Ljava/lang/String;"),
                              0,
                              112 << 2 | 1,
                              0,
                              0x0400,
                              3,
                              4,
                              0,
                              24 << 2 | 1,
                              0,
                              7}; /* what is behind the fields: the index of a generic signature */
    put_list(k, slots, sizeof slots, sizeof slots / 2);
    space_put16(&space, k + COUNT, 2);
}

static void put_stream(wick_addr k)
{
    uint8_t b[64] = {2, 1}; /* fields of the class, and added ones */
    const uint32_t numbers[] = {constant("count"),
                                constant("I"),
                                12,
                                0,
                                0,
                                constant("instance"),
                                constant("Ljava/lang/String;"),
                                112,
                                0x8,
                                0x5,
                                9,
                                7, /* initialised, and generic: a number more for each */
                                3,
                                4,
                                24,
                                0,
                                0x2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        b[2 + i] = (uint8_t)numbers[i];
    for (size_t i = 0; i < 2 + sizeof numbers / sizeof *numbers; i++)
        b[i]++; /* no byte is 0 */
    put_list(k, b, 3 + sizeof numbers / sizeof *numbers, 3 + sizeof numbers / sizeof *numbers);
}

static void check_fields(wick_addr k)
{
    static const struct wick_hs_class_field expected[] = {
        {1, 2, 12, false, false}, {3, 4, 112, true, false}, {3, 4, 24, false, true}};
    uint8_t buf[256];
    struct wick_hs_class_fields it;
    struct wick_hs_class_field f;
    assert_true(wick_hs_class_fields_known(&jvm.layout));
    assert_int_equal(wick_hs_class_fields_begin(&it, &jvm, k, buf, sizeof buf), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_true(wick_hs_class_fields_next(&it, &f));
        assert_int_equal(f.name, expected[i].name);
        assert_int_equal(f.type, expected[i].type);
        assert_int_equal(f.offset, expected[i].offset);
        assert_int_equal(f.is_static, expected[i].is_static);
        assert_int_equal(f.injected, expected[i].injected);
    }
    assert_false(wick_hs_class_fields_next(&it, &f));
    assert_int_equal(wick_hs_class_fields_begin(&it, &jvm, k, buf, 8), -WICK_E_LIMIT);
}

static void check_table(wick_addr sub, wick_addr mirror)
{
    struct wick_klass_table t = {.jvm = &jvm};
    assert_true(wick_klass_table_known(&jvm));
    uint32_t n = wick_klass_table_find(&t, sub);
    assert_int_equal(n, 1); /* behind its superclass */
    const struct wick_klass *k = &t.all[n];
    assert_int_equal(k->kind, WICK_KLASS_INSTANCES);
    assert_int_equal(k->mirror, mirror);
    assert_int_equal(k->instance_bytes, 32);
    assert_int_equal(k->super_number, 0);
    assert_int_equal(k->nfields, 2);
    assert_int_equal(k->value_bytes, 4);
    assert_int_equal(t.fields[k->first_field].type, 10);
    assert_int_equal(t.fields[k->first_field + 1].type, WICK_KLASS_REF);
    assert_true(t.fields[k->first_field + 1].is_static);
    assert_int_equal(wick_klass_table_of_mirror(&t, mirror), n);
    assert_int_equal(wick_klass_table_of_mirror(&t, space_take(&space, 0x60)), WICK_KLASS_NONE);
    assert_false(wick_klass_table_is_primitive(&t, mirror));
    wick_klass_table_constant(&t, n, 0x1110);
    wick_klass_table_constant(&t, n, 0x2220);
    assert_int_equal(t.all[n].nconstants, 2);
    assert_int_equal(t.constants[t.all[n].constants].object, 0x2220);
    assert_int_equal(t.constants[t.constants[t.all[n].constants].before].object, 0x1110);
    free(t.all);
    free(t.fields);
    free(t.constants);
    free(t.by_klass.slots);
    free(t.by_mirror.slots);
}

static void test_klass_table__up_to_jdk_20(void **state)
{
    wick_addr mirror, object = klass("java/lang/Object", 16, 0, false, NULL),
                      sub = klass("A", 32 | 1, object, false, &mirror);
    (void)state;
    use_old_form();
    put_list(object, "", 0, 0);
    put_old(sub);
    check_fields(sub);
    check_table(sub, mirror);
}

static void test_klass_table__since_jdk_21(void **state)
{
    wick_addr mirror, object = klass("java/lang/Object", 16, 0, true, NULL),
                      sub = klass("A", 32, object, true, &mirror);
    (void)state;
    use_stream();
    put_list(object, "\1\1", 2, 2);
    put_stream(sub);
    check_fields(sub);
    check_table(sub, mirror);
}

static void test_klass_table__arrays_and_what_is_none(void **state)
{
    struct wick_klass_table t = {.jvm = &jvm};
    (void)state;
    use_old_form();
    wick_addr ints = klass("[I", 3u << 30 | 16 << 16 | 10 << 8 | 2, 0, true, NULL);
    wick_addr objects = klass("[LA;", OBJECT_ARRAY | 16 << 16 | 12 << 8 | 2, 0, true, NULL);
    wick_addr odd = klass("[?", 3u << 30 | 16 << 16 | 99 << 8, 0, true, NULL);
    wick_addr strange = klass("B", 16, 0, true, NULL);
    space_put64(&space, strange + MIRROR, space_take(&space, 0x60)); /* refers to no class */
    uint32_t n = wick_klass_table_find(&t, ints);
    const struct wick_klass *k = &t.all[n];
    assert_int_equal(k->kind, WICK_KLASS_VALUE_ARRAYS);
    assert_int_equal(k->element, 10);
    assert_int_equal(k->data, 16);
    n = wick_klass_table_find(&t, objects);
    k = &t.all[n];
    assert_int_equal(k->kind, WICK_KLASS_OBJECT_ARRAYS);
    assert_int_equal(k->element, WICK_KLASS_REF);
    assert_int_equal(wick_klass_table_find(&t, odd), WICK_KLASS_NONE);
    assert_int_equal(wick_klass_table_find(&t, strange), WICK_KLASS_NONE);
    assert_int_equal(wick_klass_table_find(&t, 0x10), WICK_KLASS_NONE); /* not readable */
    wick_addr loop = klass("Loop", 16, 0, true, NULL);
    space_put64(&space, loop + SUPER, loop);
    assert_int_equal(wick_klass_table_find(&t, loop), WICK_KLASS_NONE);
    assert_false(t.failed);
    free(t.all);
    free(t.by_klass.slots);
    free(t.by_mirror.slots);
}

/* --- what fails --------------------------------------------------------------------------------------------------- */

static void release_threads(struct wick_thread_table *t)
{
    free(t->all);
    free(t->frames);
    free(t->by_id.slots);
    free(t->by_frame.slots);
}

static void release_klasses(struct wick_klass_table *t)
{
    free(t->all);
    free(t->fields);
    free(t->constants);
    free(t->by_klass.slots);
    free(t->by_mirror.slots);
}

static int attempt_threads(void *arg)
{
    struct wick_thread_table t = {0};
    (void)arg;
    for (uint64_t id = 1; id < 700; id++)
        wick_thread_table_frame(&t, wick_thread_table_number(&t, id), 2, 0x1000, 1);
    int rc = t.failed ? -WICK_E_NOMEM : 0;
    assert_true(rc || (t.n == 699 && t.nframes == 699));
    for (uint64_t id = 1; id < 700; id++) /* whatever has failed, no number leads nowhere */
        assert_true(wick_thread_table_number(&t, id) <= t.n);
    release_threads(&t);
    return rc;
}

static int attempt_klasses(void *arg)
{
    wick_addr *sub = arg;
    struct wick_klass_table t = {.jvm = &jvm};
    uint32_t n = wick_klass_table_find(&t, *sub);
    assert_true(t.failed || n == 1);
    if (!t.failed)
        wick_klass_table_constant(&t, n, 0x1110);
    int rc = t.failed ? -WICK_E_NOMEM : 0;
    release_klasses(&t);
    return rc;
}

/* A JVM in this process's memory, whose heap is empty. */
struct empty {
    struct wick_jvm jvm;
    struct wick_mem mem;
    uint64_t heap[4];
    uint64_t *heap_at;
    uint32_t mirror_klass;
};

static void make_empty(struct empty *e)
{
    memset(e, 0, sizeof *e);
    assert_int_equal(wick_mem_self_init(&e->mem), 0);
    struct wick_hs_layout layout = jvm.layout; /* the one of setup() */
    e->heap[0] = 0x10000000;                   /* where the heap begins, and its words */
    e->heap[1] = 1 << 20;
    e->heap_at = e->heap;
    e->mirror_klass = MIRROR_KLASS;
    e->jvm = jvm;
    e->jvm.mem = &e->mem;
    e->jvm.layout = layout;
    e->jvm.layout.java_heap = (wick_addr)(uintptr_t)&e->heap_at;
    e->jvm.layout.java_heap_reserved = 0;
    e->jvm.layout.java_heap_collections = 24;
    e->jvm.layout.region_start = 0;
    e->jvm.layout.region_words = 8;
    e->jvm.layout.object_klass = 8;
    e->jvm.layout.mirror_klass = (wick_addr)(uintptr_t)&e->mirror_klass;
}

static int attempt_dump(void *arg)
{
    static struct wick_graph_out g;
    struct empty *e = arg;
    struct written w = open_written();
    bool ok = wick_graph_out_begin(&g, &e->jvm, w.fd, 1);
    if (ok) {
        wick_thread_table_frame(&g.threads, wick_thread_table_number(&g.threads, 5), 1, 0, -1);
        ok = wick_graph_out_finish(&g);
    }
    assert_true(ok || g.problem || g.out.failed);
    if (g.seen && g.seen != MAP_FAILED)
        munmap(g.seen, (1 << 20) / 8 + 1);
    free(g.out.buf);
    release_threads(&g.threads);
    release_klasses(&g.klasses);
    free(g.strings.slots);
    close(w.fd);
    return ok ? 0 : -WICK_E_NOMEM;
}

static void test_snapshot__without_memory_it_says_so(void **state)
{
    static struct empty e;
    wick_addr object = klass("java/lang/Object", 16, 0, false, NULL), sub = klass("A", 32, object, false, NULL);
    (void)state;
    use_old_form();
    put_list(object, "", 0, 0);
    put_old(sub);
    make_empty(&e);
    assert_true(faults_each(FAULTS_MEMORY, attempt_threads, NULL) >= 6);
    assert_true(faults_each(FAULTS_MEMORY, attempt_klasses, &sub) >= 6);
    assert_true(faults_each(FAULTS_MEMORY, attempt_dump, &e) >= 5);
}

static void test_snapshot__a_pipe_that_takes_little_at_a_time(void **state)
{
    static struct empty e;
    (void)state;
    use_old_form();
    make_empty(&e);
    assert_true(faults_each(FAULTS_WRITE_ENOSPC, attempt_dump, &e) > 0);
    assert_true(faults_each(FAULTS_WRITE_EINTR, attempt_dump, &e) > 0);
    assert_true(faults_each(FAULTS_WRITE_SHORT, attempt_dump, &e) > 0);
}

/* A dump is not whole if a collection came before its end, or if something was seen and not visited. */
static void test_snapshot__what_is_not_whole_is_no_dump(void **state)
{
    static struct empty e;
    static struct wick_graph_out g;
    (void)state;
    use_old_form();
    make_empty(&e);
    for (int i = 0; i < 3; i++) {
        struct written w = open_written();
        assert_true(wick_graph_out_begin(&g, &e.jvm, w.fd, 1));
        e.heap[3] += i == 1;
        g.nseen += i == 2;
        assert_int_equal(wick_graph_out_finish(&g), i == 0);
        assert_int_equal(g.again, i != 0);
        assert_int_equal(g.problem != NULL, i != 0);
        munmap(g.seen, (1 << 20) / 8 + 1);
        free(g.out.buf);
        release_threads(&g.threads);
        free(g.strings.slots);
        close(w.fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_map__keeps_the_first_value_of_each_key),
        cmocka_unit_test(test_thread_table__frames_by_thread_and_depth),
        cmocka_unit_test(test_dump_out__segments),
        cmocka_unit_test(test_dump_out__a_reader_that_has_gone),
        cmocka_unit_test(test_dump_out__a_rejection_is_as_long_as_it_says),
        cmocka_unit_test_setup(test_klass_table__up_to_jdk_20, setup),
        cmocka_unit_test_setup(test_klass_table__since_jdk_21, setup),
        cmocka_unit_test_setup(test_klass_table__arrays_and_what_is_none, setup),
        cmocka_unit_test_setup(test_snapshot__without_memory_it_says_so, setup),
        cmocka_unit_test_setup(test_snapshot__a_pipe_that_takes_little_at_a_time, setup),
        cmocka_unit_test_setup(test_snapshot__what_is_not_whole_is_no_dump, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
