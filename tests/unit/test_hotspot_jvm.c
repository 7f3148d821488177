/* SPDX-License-Identifier: Apache-2.0 */
/* One JVM from its tables: what it needs, versions, flags, counters, and the code heap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "fake_tables.h"
#include "hotspot/cont_entry.h"
#include "hotspot/jvm.h"
#include "hotspot/method.h"
#include "hotspot/scopes.h"
#include "hotspot/thread.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { MAX_ROWS = 256, SEG_SHIFT = 7, HEAP_BYTES = 1 << 16 };

static struct space space;
static struct tables tables;
static const struct wick_hs_symbols symbols = {tables_find, &tables};
static struct row rows[MAX_ROWS];
static size_t row_count;
static struct wick_jvm jvm;

/* Every fact of vmstruct.def as a row; the value of field number i is 8 i. */
static const struct row all[] = {
#define NUMBER                  (8 * (__COUNTER__ % 40))
#define FIELD(id, type, field)  {type, field, NUMBER, 0, 0},
#define STATIC(id, type, field) {type, field, 0, 1, 0},
#define SIZE(id, type)          {type, NULL, 8 + NUMBER, 0, 0},
#define CONST(id, name)         {name, NULL, NUMBER, 0, 1},
#define ALT_FIELD(id, type, field)
#define ALT_STATIC(id, type, field)
#define ALT_SIZE(id, type)
#define ALT_CONST(id, name)
#include "hotspot/vmstruct.def"
};

static int same(const struct row *r, const char *type, const char *field)
{
    return !strcmp(r->type, type) && (r->field ? field && !strcmp(r->field, field) : !field);
}

static struct row *row_of(const char *type, const char *field)
{
    for (size_t i = 0; i < row_count; i++)
        if (same(&rows[i], type, field))
            return &rows[i];
    return NULL;
}

static void drop(const char *type, const char *field)
{
    struct row *r = row_of(type, field);
    assert_non_null(r);
    *r = rows[--row_count];
}

/* A static of the JVM with room for n bytes; its address. */
static wick_addr static_of(const char *type, const char *field, size_t n)
{
    struct row *r = row_of(type, field);
    assert_non_null(r);
    if (!r->value)
        r->value = space_take(&space, n);
    return r->value;
}

static void begin(void)
{
    space_init(&space);
    memcpy(rows, all, sizeof all);
    row_count = COUNT(all);
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].is_static)
            rows[i].value = space_take(&space, 8);
    row_of("CodeBlob", NULL)->value = 384;
    row_of("nmethod", NULL)->value = 448;
    row_of("HeapBlock", NULL)->value = 16;
    row_of("JavaThread", NULL)->value = 1024;
    row_of("ConstMethod", NULL)->value = 512;
    row_of("ConstantPool", NULL)->value = 512;
    row_of("PcDesc", NULL)->value = 16;
    row_of("PcDesc", "_pc_offset")->value = 0;
    row_of("PcDesc", "_scope_decode_offset")->value = 4;
}

static int open_jvm(struct wick_err *err)
{
    tables_make(&tables, &space, rows, row_count);
    memset(&jvm, 0x5a, sizeof jvm);
    return wick_jvm_open(&jvm, &space.mem, &symbols, err);
}

static void set_version(int major, const char *release)
{
    space_put32(&space, static_of("Abstract_VM_Version", "_vm_major_version", 8), (uint32_t)major);
    space_put64(&space, static_of("Abstract_VM_Version", "_s_vm_release", 8), space_string(&space, release));
}

static void test_jvm__a_fact_that_is_needed_is_named_when_it_is_missing(void **state)
{
    static const struct {
        const char *type, *field, *id;
    } needed[] = {
        {"CodeBlob", "_name", "cb_name"},          {"nmethod", "_compile_id", "nm_compile_id"},
        {"PcDesc", NULL, "pcdesc_size"},           {"JavaThread", "_anchor", "thread_anchor"},
        {"HeapBlock", NULL, "heapblock_size"},     {"Symbol", "_body", "symbol_body"},
        {"CodeCache", "_heaps", "code cache"},     {"StubRoutines", "_call_stub_return_address", "code cache"},
        {"GrowableArrayBase", "_len", "array_len"}};
    for (size_t i = 0; i < COUNT(needed); i++) {
        struct wick_err err = {0};
        begin();
        drop(needed[i].type, needed[i].field);
        if (!strcmp(needed[i].type, "CodeCache"))
            drop("CodeCache", "_heap");
        assert_int_equal(open_jvm(&err), -WICK_E_UNSUPPORTED);
        assert_non_null(strstr(err.msg, needed[i].id));
        assert_int_equal(((uint8_t *)&jvm)[0], 0x5a);
    }
    begin();
    drop("Method", "_access_flags"); /* nobody needs that to walk */
    assert_int_equal(open_jvm(NULL), 0);
}

/* A fact that only one way of keeping things needs is demanded where that way is taken. */
static void test_jvm__a_fact_of_the_branch_in_use_is_needed(void **state)
{
    static const struct {
        const char *type, *field, *without, *id;
    } needed[] = {{"CodeBlob", "_code_end", NULL, "cb_code_end"},
                  {"CompiledMethod", "_deopt_handler_begin", NULL, "nm_deopt_begin"},
                  {"nmethod", "_deopt_handler_offset", "CodeBlob._code_begin", "nm_deopt_offset"},
                  {"CodeBlob", "_data_offset", "CodeBlob._code_begin", "cb_data_offset"},
                  {"nmethod", "_immutable_data_size", NULL, "nm_immutable_size"},
                  {"CodeBlob", "_relocation_size", NULL, "cb_relocation_size"},
                  {"nmethod", "_metadata_offset", "CodeBlob._mutable_data", "nm_metadata"},
                  {"nmethod", "_dependencies_offset", "nmethod._immutable_data", "nm_dependencies"},
                  {"ThreadsList", "_length", NULL, "threadslist_length"},
                  {"LockStack", "_top", NULL, "lock_stack_top"},
                  {"JavaThread", "_next", "ThreadsSMRSupport._java_thread_list", "thread_next"}};
    for (size_t i = 0; i < COUNT(needed); i++) {
        struct wick_err err = {0};
        char type[64];
        begin();
        if (needed[i].without) {
            const char *dot = strchr(needed[i].without, '.');
            snprintf(type, sizeof type, "%.*s", (int)(dot - needed[i].without), needed[i].without);
            drop(type, dot + 1);
        }
        assert_int_equal(open_jvm(NULL), 0);
        drop(needed[i].type, needed[i].field);
        assert_int_equal(open_jvm(&err), -WICK_E_UNSUPPORTED);
        assert_non_null(strstr(err.msg, needed[i].id));
    }
}

static void test_jvm__versions_decide_what_tables_do_not_contain(void **state)
{
    static const struct {
        int major, bcp_slot, is_short, pointers;
    } cases[] = {{11, 8, 0, 1}, {17, 8, 0, 1}, {22, 8, 0, 1}, {23, 8, 1, 0}, {25, 8, 1, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin();
        if (!cases[i].pointers)
            drop("CodeBlob", "_code_begin");
        set_version(cases[i].major, "a release");
        assert_int_equal(open_jvm(NULL), 0);
        assert_int_equal(jvm.major, cases[i].major);
        assert_string_equal(jvm.release, "a release");
        assert_int_equal(jvm.step.interp_bcp_slot, cases[i].bcp_slot);
        assert_int_equal(jvm.step.cb_frame_complete_is_short, cases[i].is_short);
        assert_int_equal(jvm.step.code_is_pointer, cases[i].pointers);
        assert_int_equal(
            jvm.step.cb_code,
            (cases[i].pointers ? row_of("CodeBlob", "_code_begin") : row_of("CodeBlob", "_code_offset"))->value);
    }
}

/* JDK 8 calls itself 25.x and has one code heap. */
static void test_jvm__jdk_8_is_known_by_its_single_code_heap(void **state)
{
    begin();
    drop("CodeCache", "_heaps");
    set_version(25, "25.412-b08");
    space_put32(&space, static_of("Abstract_VM_Version", "_vm_minor_version", 8), 412);
    assert_int_equal(open_jvm(NULL), 0);
    assert_int_equal(jvm.major, 8);
    assert_int_equal(jvm.security, 412);
    assert_int_equal(jvm.step.interp_bcp_slot, 7);
}

static void test_jvm__a_release_that_cannot_be_read_is_empty(void **state)
{
    begin();
    set_version(17, "x");
    space_put64(&space, static_of("Abstract_VM_Version", "_s_vm_release", 8), 0x10);
    assert_int_equal(open_jvm(NULL), 0);
    assert_string_equal(jvm.release, "");
    assert_int_equal(jvm.major, 17);
}

/* A CodeHeap of HEAP_BYTES reserved; returns its address. */
static wick_addr make_heap(wick_addr *code, wick_addr *map)
{
    wick_addr heap = space_take(&space, 2048);
    uint64_t low = row_of("VirtualSpace", "_low_boundary")->value,
             high = row_of("VirtualSpace", "_high_boundary")->value, committed = row_of("VirtualSpace", "_high")->value,
             memory = row_of("CodeHeap", "_memory")->value, segmap = row_of("CodeHeap", "_segmap")->value;
    *code = space_take(&space, HEAP_BYTES);
    *map = space_take(&space, HEAP_BYTES >> SEG_SHIFT);
    space_put64(&space, heap + memory + low, *code);
    space_put64(&space, heap + memory + high, *code + HEAP_BYTES);
    space_put64(&space, heap + memory + committed, *code + HEAP_BYTES / 2);
    space_put64(&space, heap + segmap + low, *map);
    space_put32(&space, heap + row_of("CodeHeap", "_log2_segment_size")->value, SEG_SHIFT);
    return heap;
}

/* Fields of the same structure may not overlap, as NUMBER would let them. */
static void spread_heap_fields(void)
{
    row_of("VirtualSpace", "_low_boundary")->value = 0;
    row_of("VirtualSpace", "_high_boundary")->value = 8;
    row_of("VirtualSpace", "_high")->value = 16;
    row_of("CodeHeap", "_memory")->value = 16;
    row_of("CodeHeap", "_segmap")->value = 80;
    row_of("CodeHeap", "_log2_segment_size")->value = 160;
    row_of("GrowableArrayBase", "_len")->value = 0;
    row_of("GrowableArray<int>", "_data")->value = 8;
}

static wick_addr heaps[8], code[8], maps[8];

static void make_heaps(uint32_t n)
{
    begin();
    spread_heap_fields();
    wick_addr array = space_take(&space, 64), data = space_take(&space, 64);
    space_put64(&space, row_of("CodeCache", "_heaps")->value, array);
    space_put32(&space, array, n);
    space_put64(&space, array + 8, data);
    for (uint32_t i = 0; i < n && i < 2; i++) {
        heaps[i] = make_heap(&code[i], &maps[i]);
        space_put64(&space, data + 8 * i, heaps[i]);
    }
    space_put64(&space, row_of("StubRoutines", "_call_stub_return_address")->value, 0x1234);
    set_version(17, "17");
    assert_int_equal(open_jvm(NULL), 0);
}

static void test_jvm__code_heaps_are_found_once_they_are_there(void **state)
{
    struct wick_err err = {0};
    make_heaps(2);
    assert_int_equal(wick_jvm_open_code(&jvm, &err), 0);
    assert_int_equal(jvm.step.heap_count, 2);
    assert_int_equal(jvm.step.heap[1].lo, code[1]);
    assert_int_equal(jvm.step.heap[1].hi, code[1] + HEAP_BYTES);
    assert_int_equal(jvm.step.heap[1].segmap, maps[1]);
    assert_int_equal(jvm.step.cc_lo, code[0]);
    assert_int_equal(jvm.step.cc_hi, code[1] + HEAP_BYTES);
    assert_int_equal(jvm.step.seg_shift, SEG_SHIFT);
    assert_int_equal(jvm.step.call_stub_return, 0x1234);
    assert_int_equal(wick_jvm_heap_committed(&jvm, 0), code[0] + HEAP_BYTES / 2);
}

static void test_jvm__a_code_cache_that_is_not_there_yet_is_a_state(void **state)
{
    struct wick_err err = {0};
    static const uint32_t counts[] = {0, 5, UINT32_MAX};
    for (size_t i = 0; i < COUNT(counts); i++) {
        make_heaps(counts[i] ? 2 : 0);
        wick_addr array;
        memcpy(&array, space.bytes + (row_of("CodeCache", "_heaps")->value - SPACE_BASE), 8);
        space_put32(&space, array, counts[i]);
        assert_int_equal(wick_jvm_open_code(&jvm, &err), -WICK_E_STATE);
    }
    make_heaps(2);
    space_put64(&space, row_of("CodeCache", "_heaps")->value, 0);
    assert_int_equal(wick_jvm_open_code(&jvm, &err), -WICK_E_STATE);
    make_heaps(2);
    space_put64(&space, heaps[1] + 16, 0); /* low boundary */
    assert_int_equal(wick_jvm_open_code(&jvm, &err), -WICK_E_STATE);
    make_heaps(2);
    space_put32(&space, heaps[1] + 160, 60); /* log2 of the segment size */
    assert_int_equal(wick_jvm_open_code(&jvm, &err), -WICK_E_STATE);
    assert_non_null(strstr(err.msg, "not initialised yet"));
    make_heaps(2);
    space_put64(&space, row_of("StubRoutines", "_call_stub_return_address")->value, 0);
    assert_int_equal(wick_jvm_open_code(&jvm, &err), -WICK_E_STATE);
    assert_non_null(strstr(err.msg, "not generated yet"));
}

/* A block of the code heap: header, then a blob of the given name. Returns where the next one begins. */
static wick_addr put_block(wick_addr at, uint32_t segments, int used, const char *name, uint32_t compile_id)
{
    space_put64(&space, at, segments);
    space_put(&space, at + 8, &used, 1);
    wick_addr blob = at + 16;
    space_put64(&space, blob + row_of("CodeBlob", "_name")->value, name ? space_string(&space, name) : 0);
    space_put32(&space, blob + row_of("nmethod", "_compile_id")->value, compile_id);
    return at + ((wick_addr)segments << SEG_SHIFT);
}

static void make_code(void)
{
    make_heaps(2);
    row_of("CodeBlob", "_name")->value = 8;
    row_of("nmethod", "_compile_id")->value = 40;
    assert_int_equal(open_jvm(NULL), 0);
    assert_int_equal(wick_jvm_open_code(&jvm, NULL), 0);
}

static void test_last_compile_id__is_the_highest_of_methods_that_live(void **state)
{
    make_code();
    wick_addr at = put_block(code[0], 3, 1, "nmethod", 17);
    at = put_block(at, 2, 1, "I2C/C2I adapters", 5000);
    at = put_block(at, 1, 0, "nmethod", 6000); /* free */
    at = put_block(at, 4, 1, "native nmethod", 90);
    at = put_block(at, 4, 1, NULL, 7000);
    put_block(at, 4, 1, "nmethod", UINT32_MAX); /* being made */
    put_block(code[1], 2, 1, "nmethod", 60);
    assert_int_equal(wick_jvm_last_compile_id(&jvm), 90);
}

static void test_last_compile_id__lying_blocks_end_the_search(void **state)
{
    make_code();
    assert_int_equal(wick_jvm_last_compile_id(&jvm), 0);
    static const uint64_t lengths[] = {0, HEAP_BYTES, UINT64_MAX, 1ull << 57};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        wick_addr at = put_block(code[0], 3, 1, "nmethod", 17);
        put_block(at, 1, 1, "nmethod", 99);
        space_put64(&space, at, lengths[i]);
        assert_int_equal(wick_jvm_last_compile_id(&jvm), 17);
    }
    space_put64(&space, heaps[0] + 32, 0); /* nothing is committed */
    assert_int_equal(wick_jvm_last_compile_id(&jvm), 0);
}

/* What a stack walk and a map read by the tables. */
static void use_all(void)
{
    struct wick_hs_scope scopes[8];
    struct wick_hs_thread threads[16];
    struct wick_hs_method_id id;
    uint32_t ends[16], awaited, count;
    static uint8_t method[1 << 14];
    struct wick_jvm_blobs it = {.jvm = &jvm};
    if (wick_jvm_open_code(&jvm, NULL))
        return;
    wick_jvm_last_compile_id(&jvm);
    for (wick_addr blob; wick_jvm_blob_next(&it, &blob);) {
        wick_hs_scopes(&jvm, jvm.mem, &(struct wick_hs_at){.nmethod = blob, .off = 16}, scopes, COUNT(scopes));
        wick_hs_scope_ends(&jvm, jvm.mem, blob, ends, COUNT(ends));
        if (!wick_hs_method_identity(&jvm, jvm.mem, wick_hs_nmethod_method(&jvm, jvm.mem, blob), &id))
            wick_hs_method_copy(&jvm, jvm.mem, &id, method, sizeof method);
    }
    wick_hs_threads(&jvm, threads, COUNT(threads));
    wick_hs_threads_awaited(&jvm, threads, COUNT(threads), &awaited, &count);
    wick_jvm_flag_is_set(&jvm, WICK_JVM_FLAG_Z, false);
    wick_jvm_perf_counter(&jvm, "sun.rt.x");
}

/* A target may say anything. Whatever it says, it is refused, or what is read by it stays inside what was copied: the
 * sanitizers watch. */
static void test_jvm__no_value_in_the_tables_does_harm(void **state)
{
    static const uint64_t lies[] = {0, UINT64_MAX, 1, 24, 65535, 65536, 1ull << 31, UINT32_MAX, 1ull << 63};
    unsigned refused = 0, taken = 0;
    for (int old = 0; old < 2; old++)
        for (size_t i = 0; i < COUNT(all); i++)
            for (size_t k = 0; k < COUNT(lies); k++) {
                make_code();
                wick_addr at = put_block(code[0], 8, 1, "nmethod", 17);
                put_block(at, 4, 1, "native nmethod", 18);
                for (wick_addr a = code[0] + 64; a < code[0] + 1024; a += 8)
                    space_put64(&space, a, code[0] + (a & 0x1f8)); /* pointers and sizes of all sorts */
                if (old)
                    drop("nmethod", "_immutable_data");
                struct row *r = row_of(all[i].type, all[i].field);
                if (!r)
                    continue;
                r->value = lies[k];
                int rc = open_jvm(NULL);
                assert_true(rc == 0 || rc == -WICK_E_UNSUPPORTED);
                refused += rc != 0;
                taken += rc == 0;
                if (!rc)
                    use_all();
            }
    assert_true(refused > 100 && taken > 100);
}

static wick_addr flag_table;

/* A table that says of itself that it has `said` rows. */
static void make_flags(const char *const *names, uint32_t n, uint64_t said)
{
    begin();
    row_of("JVMFlag", NULL)->value = 48;
    row_of("JVMFlag", "_name")->value = 8;
    row_of("JVMFlag", "_addr")->value = 0;
    flag_table = space_take(&space, 48 * (n + 1));
    space_put64(&space, row_of("JVMFlag", "flags")->value, flag_table);
    space_put64(&space, row_of("JVMFlag", "numFlags")->value, said);
    for (uint32_t i = 0; i < n; i++) {
        space_put64(&space, flag_table + 48 * i + 8, names[i] ? space_string(&space, names[i]) : 0x10);
        space_put64(&space, flag_table + 48 * i, 0x9000 + i);
    }
    assert_int_equal(open_jvm(NULL), 0);
}

static void test_flag__is_found_by_its_whole_name(void **state)
{
    (void)state;
    static const char *const names[] = {"UseZGCX",
                                        NULL,
                                        "DebugNonSafepoints",
                                        "AFlagWhoseNameIsSoLongThatItDoesNotFitIntoTheSixtyFourBytesThatAreReadOfIt",
                                        "MaxHeap",
                                        "MaxHeapSize"};
    const uint32_t n = COUNT(names);
    make_flags(names, n, n);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_DEBUG_NON_SAFEPOINTS], 0x9002);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_MAX_HEAP_SIZE], 0x9005);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_Z], 0);
    make_flags(names, n, 3);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_DEBUG_NON_SAFEPOINTS], 0x9002);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_MAX_HEAP_SIZE], 0);
    make_flags(names, n, UINT64_MAX);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_MAX_HEAP_SIZE], 0x9005);
}

static void test_flag__is_set_as_its_value_or_as_without_it(void **state)
{
    (void)state;
    static const char *const names[] = {"UseZGC", "UseShenandoahGC"};
    make_flags(names, 1, 1);
    wick_addr value = space_take(&space, 8);
    space_put64(&space, flag_table, value);
    assert_int_equal(open_jvm(NULL), 0);
    space_put64(&space, value, 0xff00); /* one byte is the flag's */
    assert_false(wick_jvm_flag_is_set(&jvm, WICK_JVM_FLAG_Z, true));
    space_put64(&space, value, 1);
    assert_true(wick_jvm_flag_is_set(&jvm, WICK_JVM_FLAG_Z, false));
    assert_true(wick_jvm_flag_is_set(&jvm, WICK_JVM_FLAG_SHENANDOAH, true)); /* there is none */
    assert_false(wick_jvm_flag_is_set(&jvm, WICK_JVM_FLAG_SHENANDOAH, false));
    space_put64(&space, flag_table, 0x10); /* nor can this one be read */
    assert_int_equal(open_jvm(NULL), 0);
    assert_true(wick_jvm_flag_is_set(&jvm, WICK_JVM_FLAG_Z, true));
}

static void test_flag__without_a_table_there_is_none(void **state)
{
    (void)state;
    begin();
    drop("JVMFlag", "flags");
    assert_int_equal(open_jvm(NULL), 0);
    assert_int_equal(jvm.flag[WICK_JVM_FLAG_DEBUG_NON_SAFEPOINTS], 0);
}

static wick_addr perf;

enum { ENTRY = 88, VALUE = 80 }; /* bytes of an entry; where its value is */

static void make_perf(const char *const *names, uint32_t n)
{
    begin();
    perf = space_take(&space, 4096 + (size_t)n * ENTRY);
    space_put64(&space, row_of("PerfMemory", "_start")->value, perf);
    space_put32(&space, perf, 0xc0c0feca);
    space_put32(&space, perf + 24, 32);
    space_put32(&space, perf + 28, n);
    wick_addr at = perf + 32;
    for (uint32_t i = 0; i < n; i++) {
        space_put32(&space, at, ENTRY);
        space_put32(&space, at + 4, 20);
        space_put32(&space, at + 16, VALUE);
        space_put(&space, at + 20, names[i], strlen(names[i]) + 1);
        at += ENTRY;
    }
    assert_int_equal(open_jvm(NULL), 0);
}

static void test_perf_counter__is_found_by_its_name(void **state)
{
    static const char *const names[] = {"sun.cls.loadedClasses", "sun.cls.unloadedClasses", "sun.rt.x"};
    make_perf(names, COUNT(names));
    assert_int_equal(wick_jvm_perf_counter(&jvm, "sun.cls.unloadedClasses"), perf + 32 + ENTRY + VALUE);
    assert_int_equal(wick_jvm_perf_counter(&jvm, "sun.cls.unloaded"), 0);
    assert_int_equal(wick_jvm_perf_counter(&jvm, "sun.rt.y"), 0);
}

/* Entries begin at all places of a page, also where their head goes beyond its end. */
static void test_perf_counter__is_found_wherever_it_lies(void **state)
{
    enum { MANY = 600 };
    static char text[MANY][16];
    const char *names[MANY];
    (void)state;
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "sun.x%u", i);
        names[i] = text[i];
    }
    make_perf(names, MANY);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(wick_jvm_perf_counter(&jvm, names[i]), perf + 32 + i * ENTRY + VALUE);
}

static void test_perf_counter__damaged_memory_has_none(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    static const uint32_t lengths[] = {0, 19, (1 << 20) + 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        make_perf(names, 3);
        space_put32(&space, perf + 32, lengths[i]);
        assert_int_equal(wick_jvm_perf_counter(&jvm, "c"), 0);
    }
    make_perf(names, 3);
    space_put32(&space, perf, 0xdeadbeef);
    assert_int_equal(wick_jvm_perf_counter(&jvm, "c"), 0);
    make_perf(names, 3);
    space_put32(&space, perf + 28, UINT32_MAX); /* runs into zeros */
    assert_int_equal(wick_jvm_perf_counter(&jvm, "d"), 0);
    make_perf(names, 3);
    space_put64(&space, row_of("PerfMemory", "_start")->value, 0); /* -XX:-UsePerfData */
    assert_int_equal(wick_jvm_perf_counter(&jvm, "a"), 0);
}

/* The beginning of cont_returnBarrier as JDK 21 generates it, with the place in the JavaThread at [3] and, of the
 * barrier for exceptions, at [27]. */
static wick_addr put_stub(uint32_t first, uint32_t second)
{
    uint8_t bytes[48] = {0x49, 0x8b, 0xa7, [7] = 0x50, 0x48, 0x83, 0xec, 8, [24] = 0x49, 0x8b, 0xa7};
    space_init(&space);
    jvm = (struct wick_jvm){.mem = &space.mem};
    jvm.layout.javathread_size = 1448;
    jvm.layout.thread_cont_entry = jvm.step.thread_cont_entry = WICK_HS_NONE;
    memcpy(bytes + 3, &first, sizeof first);
    memcpy(bytes + 27, &second, sizeof second);
    wick_addr at = space_take(&space, sizeof bytes);
    space_put(&space, at, bytes, sizeof bytes);
    return at;
}

static void test_cont_entry__is_where_the_return_barrier_loads_its_stack_pointer_from(void **state)
{
    wick_addr at = put_stub(1024, 1024);
    (void)state;
    assert_int_equal(wick_hs_cont_entry_place(&jvm, at, at + 48), 1024);
    assert_int_equal(wick_hs_cont_entry_place(&jvm, at, at + 6), WICK_HS_NONE); /* half of an instruction */
    assert_int_equal(wick_hs_cont_entry_place(&jvm, at, at), WICK_HS_NONE);
    wick_hs_cont_entry_learn(&jvm, at + 8, at + 24);
    assert_int_equal(jvm.step.thread_cont_entry, WICK_HS_NONE);
    wick_hs_cont_entry_learn(&jvm, at, at + 48);
    assert_int_equal(jvm.step.thread_cont_entry, 1024);
    assert_int_equal(jvm.layout.thread_cont_entry, 1024);
    jvm.layout.thread_cont_entry = jvm.step.thread_cont_entry = 16; /* what the tables say counts */
    wick_hs_cont_entry_learn(&jvm, at, at + 48);
    assert_int_equal(jvm.step.thread_cont_entry, 16);
    assert_true(wick_hs_is_cont_stub("Cont thaw return barrier"));
    assert_true(wick_hs_is_cont_stub("cont_returnBarrier"));
    assert_false(wick_hs_is_cont_stub("forward exception"));
}

static void test_cont_entry__code_that_is_not_as_expected_says_nothing(void **state)
{
    static const uint32_t wrong[][2] = {{1024, 1032}, {1444, 1444}, {1448, 1448}, {1020, 1020}, {0, 0}, {-8u, -8u}};
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        wick_addr at = put_stub(wrong[i][0], wrong[i][1]);
        assert_int_equal(wick_hs_cont_entry_place(&jvm, at, at + 48), WICK_HS_NONE);
    }
    assert_int_equal(wick_hs_cont_entry_place(&jvm, 8, 56), WICK_HS_NONE); /* not readable */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jvm__a_fact_that_is_needed_is_named_when_it_is_missing),
        cmocka_unit_test(test_jvm__a_fact_of_the_branch_in_use_is_needed),
        cmocka_unit_test(test_jvm__no_value_in_the_tables_does_harm),
        cmocka_unit_test(test_jvm__versions_decide_what_tables_do_not_contain),
        cmocka_unit_test(test_jvm__jdk_8_is_known_by_its_single_code_heap),
        cmocka_unit_test(test_jvm__a_release_that_cannot_be_read_is_empty),
        cmocka_unit_test(test_jvm__code_heaps_are_found_once_they_are_there),
        cmocka_unit_test(test_jvm__a_code_cache_that_is_not_there_yet_is_a_state),
        cmocka_unit_test(test_last_compile_id__is_the_highest_of_methods_that_live),
        cmocka_unit_test(test_last_compile_id__lying_blocks_end_the_search),
        cmocka_unit_test(test_flag__is_found_by_its_whole_name),
        cmocka_unit_test(test_flag__is_set_as_its_value_or_as_without_it),
        cmocka_unit_test(test_flag__without_a_table_there_is_none),
        cmocka_unit_test(test_perf_counter__is_found_by_its_name),
        cmocka_unit_test(test_perf_counter__is_found_wherever_it_lies),
        cmocka_unit_test(test_perf_counter__damaged_memory_has_none),
        cmocka_unit_test(test_cont_entry__is_where_the_return_barrier_loads_its_stack_pointer_from),
        cmocka_unit_test(test_cont_entry__code_that_is_not_as_expected_says_nothing),
    };
    return cmocka_run_group_tests_name("hotspot_jvm", tests, NULL, NULL);
}
