/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults_jvm.c - what the agent asks a JVM for, while memory and descriptors run out
 *
 * Stubs and properties that JVMTI reports, methods that are bound anew, variables of libjvm.so, the process's memory.
 * The sources are included that only a JVM calls into, and one for a function of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/event/locks.c"
#include "agent/jvm/heap_copy.c"
#include "agent/jvm/vm.c"
#include "agent/event/memory.h"
#include "agent/event/recording_info.c"
#include "agent/jvm/heap_sampler.h"
#include "fake_vm.h"
#include "faults.h"

/* --- a JVM that reports this --- */

enum { STUBS = 600, PROPERTIES = 3 };

static jvmtiError JNICALL generate(jvmtiEnv *ti, jvmtiEvent event)
{
    char name[32];
    for (int i = 0; i < STUBS; i++) {
        snprintf(name, sizeof name, "stub %d", i);
        code_generated(ti, name, fake_object + 4 * (size_t)i, 16);
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL property_keys(jvmtiEnv *ti, jint *n, char ***keys)
{
    static char *all[PROPERTIES];
    static char names[PROPERTIES][4] = {"a", "b", "c"};
    for (int i = 0; i < PROPERTIES; i++)
        all[i] = names[i];
    *n = PROPERTIES;
    *keys = all;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL property(jvmtiEnv *ti, const char *key, char **value)
{
    static char text[8];
    snprintf(text, sizeof text, "<%s>", key);
    *value = text;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *ti, unsigned char *p)
{
    return JVMTI_ERROR_NONE;
}

static int set_up(void **state)
{
    bool changed;
    fake_vm_init();
    fake_jvmti.GenerateEvents = generate;
    fake_jvmti.GetSystemProperties = property_keys;
    fake_jvmti.GetSystemProperty = property;
    fake_jvmti.Deallocate = deallocate;
    wick_vm.java_vm = &fake_java_vm;
    wick_vm.jvmti = &fake_jvmti_env;
    memset(&wick_vm.jvm.layout, 0xff, sizeof wick_vm.jvm.layout);
    assert_int_equal(wick_mem_self_init(&wick_vm.mem), 0);
    wick_vm.jvm.mem = &wick_vm.mem;
    wick_elf_images_init(&wick_vm.images, 0);
    return wick_elf_images_refresh(&wick_vm.images, &wick_vm.mem, &changed, NULL);
}

static int tear_down(void **state)
{
    wick_elf_images_release(&wick_vm.images);
    return 0;
}

/* --- attempts --- */

/* Those that had memory are there, apart from each other and sorted. */
static int stubs(void *arg)
{
    collect_stubs();
    uint32_t n = wick_vm.stub_count;
    assert_true(n <= STUBS);
    for (uint32_t i = 0; i < n; i++) {
        assert_non_null(wick_vm.stubs[i].name);
        assert_true(!i || wick_vm.stubs[i - 1].hi <= wick_vm.stubs[i].lo);
        free((char *)(uintptr_t)wick_vm.stubs[i].name);
    }
    wick_vm.stub_count = 0; /* the list itself stays, and its size */
    return n == STUBS ? 0 : -WICK_E_NOMEM;
}

static int properties(void *arg)
{
    collect_properties();
    bool whole = !strcmp(wick_vm_property("a"), "<a>") && !strcmp(wick_vm_property("c"), "<c>");
    for (uint32_t i = 0; i < wick_vm.property_count; i++) {
        free(wick_vm.properties[i].key);
        free(wick_vm.properties[i].value);
    }
    free(wick_vm.properties);
    wick_vm.properties = NULL;
    wick_vm.property_count = 0;
    return whole ? 0 : -WICK_E_NOMEM;
}

static const JNINativeMethod *registered;

static jint JNICALL note_methods(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint n)
{
    registered = methods;
    wick_store_relaxed(&locks.park, methods[1].fnPtr == (void *)park ? park : NULL);
    return JNI_OK;
}

static void JNICALL the_jvms_park(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
}

/* Without memory Unsafe's methods are registered as they are. */
static int methods(void *arg)
{
    static char park_name[] = "park", park_type[] = "(ZJ)V", other[] = "unpark";
    const JNINativeMethod both[] = {{other, park_type, NULL}, {park_name, park_type, (void *)the_jvms_park}};
    locks.register_function = note_methods;
    assert_int_equal(register_park(NULL, NULL, both, 2), JNI_OK);
    bool bound = wick_load_relaxed(&locks.park) == park;
    assert_true(bound == (registered != both));
    return bound ? 0 : -WICK_E_NOMEM;
}

static int memory_use(void *arg)
{
    wick_memory_open(1000000000);
    wick_memory_close();
    return 0;
}

static int open_twice(void *arg)
{
    struct wick_err err = {0};
    struct wick_vm before = wick_vm;
    int rc = open_jvm(&err); /* our program has no tables of HotSpot's */
    assert_true(rc && err.msg[0]);
    wick_elf_images_release(&wick_vm.images);
    wick_mem_release(&wick_vm.mem);
    memcpy(&wick_vm, &before, sizeof wick_vm);
    return 0;
}

static int known_file(void *arg)
{
    struct wick_strbuf *whole = arg, sb = WICK_STRBUF_INIT;
    read_proc("/proc/self/cmdline", &sb, 64 << 10);
    bool same = sb.len && sb.len == whole->len && !memcmp(sb.buf, whole->buf, sb.len);
    wick_strbuf_release(&sb);
    return same ? 0 : -WICK_E_IO;
}

/* --- tests --- */

static void test_faults__what_is_said_of_the_jvm_is_whole_after_signals_and_pieces(void **state)
{
    struct wick_strbuf whole = WICK_STRBUF_INIT;
    read_proc("/proc/self/cmdline", &whole, 64 << 10);
    assert_true(whole.len > 0);
    assert_true(faults_each(FAULTS_READ_EINTR, known_file, &whole) > 0);
    assert_true(faults_each(FAULTS_READ_SHORT, known_file, &whole) > 0);
    assert_true(faults_each(FAULTS_READ_EIO, known_file, &whole) > 0);
    wick_strbuf_release(&whole);
}

static faults_attempt *const parts[] = {stubs, properties, methods, memory_use, open_twice};

static void test_faults__what_a_jvm_reports_may_have_no_room(void **state)
{
    unsigned met = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) { /* a fault comes first: the list of stubs stays */
        met += faults_each(FAULTS_MEMORY, parts[i], NULL);
        met += faults_each(FAULTS_DESCRIPTORS, parts[i], NULL);
        assert_int_equal(parts[i](NULL), 0);
    }
    assert_true(met > STUBS);
    free(wick_vm.stubs);
}

/* It searches once in a process, so the one call fails. */
static int sampler(void *arg)
{
    wick_heap_sampler_find(&fake_jvmti_env, wick_elf_images_find(&wick_vm.images, (wick_addr)(uintptr_t)sampler));
    assert_int_equal(wick_heap_sampler_interval(), WICK_HEAP_SAMPLER_DEFAULT);
    return 0;
}

static void test_faults__an_interval_that_is_not_found_is_the_default(void **state)
{
    assert_true(faults_each(FAULTS_MEMORY, sampler, NULL) > 0);
}

/* Where it cannot be known what a copy of the process may take, there is no room for it. */
static int room_for_copy(void *arg)
{
    uint64_t needed = own_bytes(), left = available_bytes();
    bool known = needed != UINT64_MAX && left;
    assert_true(known ? needed < left : left < needed);
    return known ? 0 : -WICK_E_NOSPACE;
}

static void test_faults__no_copy_without_knowing_its_room(void **state)
{
    assert_true(faults_each(FAULTS_DESCRIPTORS, room_for_copy, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__what_a_jvm_reports_may_have_no_room),
        cmocka_unit_test(test_faults__what_is_said_of_the_jvm_is_whole_after_signals_and_pieces),
        cmocka_unit_test(test_faults__an_interval_that_is_not_found_is_the_default),
        cmocka_unit_test(test_faults__no_copy_without_knowing_its_room),
    };
    return cmocka_run_group_tests_name("faults_jvm", tests, set_up, tear_down);
}
