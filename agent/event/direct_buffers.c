/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct_buffers.c - see direct_buffers.h
 *
 * The account consists of three AtomicLongs that never change places with others. The drain thread enters the JVM once
 * to get hold of them (the class is initialised then if it was not, in this thread), and reads them in memory from then
 * on: no call of the JVM, no safepoint to wait for, nothing that could fail without free heap.
 *
 * Collectors move them. With those that stop the world a read that overlaps a collection is done again (gc.h). ZGC and
 * Shenandoah move objects while this thread reads; the old copy is valid for as long as its memory is not given to
 * others, and where it was, the class in the header is another one. So a value counts only behind the header of an
 * AtomicLong, and within the limit.
 */
#include "agent/event/direct_buffers.h"

#include "agent/jvm/boot_class.h"
#include "agent/jvm/field.h"
#include "agent/jvm/gc.h"
#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "hotspot/oop.h"
#include "hotspot/value.h"

#define NEARLY    0.95 /* of the limit */
#define AGAIN_NS  10000000000ull
#define KIND_BITS 7u /* of a global reference: what kind it is; the rest is the address of its slot */

/* An object's header. The class stands behind the mark word, or in its upper part (compact headers): fields begin where
 * the mark word ends then. */
enum { MARK_BYTES = 8, COMPACT_CLASS_AT = 4, COMPACT_CLASS_SHIFT = 10 };

enum { RESERVED, CAPACITY, BUFFERS, NUMBERS };
enum { TRIES = 200 }; /* rounds: a JVM that is only just starting lets no thread in */

static struct {
    jobject number[NUMBERS]; /* AtomicLongs */
    int32_t value_at;        /* offset of their value */
    uint32_t class_word;
    uint64_t limit, peak;
    uint64_t alarm_ns; /* when the limit was last reached */
    int tries;
    bool known, given_up, near;
} account;

static uint32_t class_word(wick_addr object)
{
    const struct wick_mem *m = &wick_vm.mem;
    return account.value_at == MARK_BYTES ? wick_hs_u32(m, object + COMPACT_CLASS_AT) >> COMPACT_CLASS_SHIFT
                                          : wick_hs_u32(m, object + MARK_BYTES);
}

static wick_addr object_of(jobject global)
{
    return wick_hs_oop_resolve(&wick_vm.jvm, (wick_addr)(uintptr_t)global & ~(wick_addr)KIND_BITS);
}

static bool read_number(int which, uint64_t *out)
{
    enum { ATTEMPTS = 4 };
    for (int i = 0; i < ATTEMPTS; i++) {
        uint32_t before = wick_gc_moves();
        wick_addr object = object_of(account.number[which]);
        uint64_t value = object ? wick_hs_u64(&wick_vm.mem, object + (wick_addr)account.value_at) : 0;
        bool whole = object && class_word(object) == account.class_word;
        atomic_thread_fence(memory_order_acquire); /* pairs: gc_start; what was read was read before the next line */
        if (!whole || (before & 1) || wick_gc_moves() != before || value > INT64_MAX)
            continue;
        *out = value;
        return true;
    }
    return false;
}

/* Whether memory holds what JNI says. The program may allocate between the two. */
static bool agrees(JNIEnv *env, jfieldID value)
{
    enum { ATTEMPTS = 64 };
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t read;
        account.class_word = class_word(object_of(account.number[RESERVED]));
        if (read_number(RESERVED, &read) &&
            read == (uint64_t)(*env)->GetLongField(env, account.number[RESERVED], value))
            return true;
    }
    return false;
}

static bool hold_numbers(JNIEnv *env, jclass bits, const char *const *names)
{
    for (int i = 0; i < NUMBERS; i++) {
        jfieldID id = (*env)->GetStaticFieldID(env, bits, names[i], "Ljava/util/concurrent/atomic/AtomicLong;");
        jobject o = id ? (*env)->GetStaticObjectField(env, bits, id) : NULL;
        account.number[i] = o ? (*env)->NewGlobalRef(env, o) : NULL;
        if (!account.number[i])
            return false;
    }
    return true;
}

static bool find_account(JNIEnv *env)
{
    static const char *const names[NUMBERS] = {"RESERVED_MEMORY", "TOTAL_CAPACITY", "COUNT"};
    static const char *const names_8[NUMBERS] = {"reservedMemory", "totalCapacity", "count"};
    bool old = wick_vm.jvm.major < 9;
    jclass bits = wick_boot_class(env, "java/nio/Bits");
    jclass atomic = bits ? wick_boot_class(env, "java/util/concurrent/atomic/AtomicLong") : NULL;
    jfieldID limit = atomic ? (*env)->GetStaticFieldID(env, bits, old ? "maxMemory" : "MAX_MEMORY", "J") : NULL;
    jfieldID value = limit ? (*env)->GetFieldID(env, atomic, "value", "J") : NULL;
    if (!value || !hold_numbers(env, bits, old ? names_8 : names))
        return false;
    account.value_at = wick_field_offset(env, atomic, "value", "J");
    account.limit = (uint64_t)(*env)->GetStaticLongField(env, bits, limit);
    return account.value_at && account.limit && agrees(env, value);
}

static void let_go(JNIEnv *env)
{
    for (int i = 0; i < NUMBERS; i++) {
        (*env)->DeleteGlobalRef(env, account.number[i]);
        account.number[i] = NULL;
    }
}

void wick_direct_buffers_find(void)
{
    bool attached;
    if (account.known || account.given_up || wick_load_relaxed(&wick_vm.dying))
        return;
    JNIEnv *env = wick_vm.oops_known ? wick_vm_enter(&attached) : NULL;
    account.given_up = !env && (!wick_vm.oops_known || ++account.tries >= TRIES);
    if (!env)
        return;
    if ((*env)->PushLocalFrame(env, 16) == 0) {
        account.known = find_account(env);
        (*env)->ExceptionClear(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    account.given_up = !account.known;
    if (!account.known)
        let_go(env);
    wick_vm_leave(attached);
}

void wick_direct_buffers_open(void)
{
    account.peak = account.alarm_ns = 0;
    account.near = false;
}

bool wick_direct_buffers_look(uint64_t now_ns)
{
    uint64_t used;
    if (!account.known || !read_number(RESERVED, &used) || used > account.limit)
        return false;
    bool was = account.near;
    account.peak = used > account.peak ? used : account.peak;
    account.near = (double)used >= NEARLY * (double)account.limit;
    if (!account.near || was || (account.alarm_ns && now_ns - account.alarm_ns < AGAIN_NS))
        return false;
    account.alarm_ns = now_ns;
    return true;
}

void wick_direct_buffers_write(struct wick_jfr_writer *w, uint64_t now_ns)
{
    uint64_t n[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        if (!account.known || !read_number(i, &n[i]))
            return;
    if (n[RESERVED] > account.limit)
        return;
    const struct wick_jfr_direct_buffers event = {
        .start_ns = now_ns,
        .limit = account.limit,
        .count = n[BUFFERS],
        .capacity = n[CAPACITY],
        .used = n[RESERVED],
        .peak = account.peak > n[RESERVED] ? account.peak : n[RESERVED],
    };
    wick_jfr_write_direct_buffers(w, &event);
    account.peak = 0;
}
