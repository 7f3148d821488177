/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_list.c - the virtual threads that have a context, with their stacks, on request
 *
 * A virtual thread that waits is an object in the heap: no thread of the kernel stands for it.
 * Its outermost scope has left a weak reference to it in the labels, so the list is known without walking the heap.
 *
 * Stacks come from Thread.getStackTrace, called by the thread that asks. It reads the frozen frames of one thread,
 * holding up that thread only, if it is about to go on just then; one that is mounted is asked with a handshake of its
 * own. JVMTI's GetStackTrace would do the same, but from the moment its capability is added every mount and unmount of
 * every virtual thread notifies JVMTI, and each method it names gets a jmethodID for ever.
 *
 * Stacks are expensive (some 10 us a thread), so they are taken until `rows` threads are listed, those that have had a
 * context longest first, for no longer than LIMIT_NS, and no longer than the JVM lives: it waits for the control thread
 * when it ends.
 *
 * The answer is lines `key=value`, control characters in values replaced. A stack comes when its first thread does:
 *
 *      known=N                threads with a context; in the first line
 *      frames=K               the frames of stack K follow, leaf first
 *      frame=CLASS.METHOD[:LINE]
 *      more=N                 frames left out
 *      thread=ID              its lines follow: name, state (of Thread.State), stack, open_ns (since the outermost
 *                             scope); carrier (kernel id) if it is mounted; pinned=1; trace, span (hexadecimal),
 *                             endpoint, operation, labels
 *      ended=N                threads that ended, or were collected, with a scope open, among those asked
 *      cut=1                  the time was up
 *      end=1                  the last line of an answer that is whole
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/label/jar_labels.h"
#include "agent/label/virtual_list.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "base/fnv.h"
#include "base/strbuf.h"
#include "hotspot/thread.h"
#include "sys/whole.h"

#define LIMIT_NS 8000000000u /* less than other commands wait for this one */

enum { FRAMES_MOST = 512, FLUSH_BYTES = 64 << 10, LOCAL_REFS = 16 };

/* What is needed of Java's classes. */
static struct {
    jmethodID get_stack, get_state;                             /* of Thread */
    jfieldID name;                                              /* of Thread */
    jfieldID frame_class, frame_method, frame_line, state_name; /* of StackTraceElement, of Enum */
    jclass virtual_thread;                                      /* a global reference; NULL: without the two below */
    jfieldID carrier, state;
    jint pinned, timed_pinned;
} java;

struct list {
    JNIEnv *env;
    int fd;
    uint64_t now_ns; /* the moment of the list */
    struct wick_strbuf out;
    struct wick_strbuf stack; /* of the thread that is asked */
    uint64_t *stacks;         /* hashes; a slot's place in `numbers` is the stack's number */
    uint32_t *numbers;
    uint32_t slots, stack_count; /* slots: a power of two, twice as many as there can be stacks */
    uint32_t shown, ended;
    int rc;
};

/* True, and no longer pending, if the last call threw. */
static bool failed(JNIEnv *env)
{
    bool thrown = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    return thrown;
}

/* Where a virtual thread keeps its carrier and whether it is pinned: not part of Java's API, so a JDK may lack it. */
static void find_virtual(JNIEnv *env)
{
    jclass c = (*env)->FindClass(env, "java/lang/VirtualThread");
    java.carrier = c ? (*env)->GetFieldID(env, c, "carrierThread", "Ljava/lang/Thread;") : NULL;
    java.state = java.carrier ? (*env)->GetFieldID(env, c, "state", "I") : NULL;
    jfieldID pinned = java.state ? (*env)->GetStaticFieldID(env, c, "PINNED", "I") : NULL;
    jfieldID timed = pinned ? (*env)->GetStaticFieldID(env, c, "TIMED_PINNED", "I") : NULL;
    if (timed) {
        java.pinned = (*env)->GetStaticIntField(env, c, pinned);
        java.timed_pinned = (*env)->GetStaticIntField(env, c, timed);
        java.virtual_thread = (*env)->NewGlobalRef(env, c);
    }
    failed(env);
}

/* Once; true if all that is needed is there. */
static bool find_classes(JNIEnv *env)
{
    if (java.state_name)
        return true;
    if ((*env)->PushLocalFrame(env, LOCAL_REFS))
        return !failed(env);
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    jclass frame = thread ? (*env)->FindClass(env, "java/lang/StackTraceElement") : NULL;
    jclass enumeration = frame ? (*env)->FindClass(env, "java/lang/Enum") : NULL;
    if (enumeration) {
        java.get_stack = (*env)->GetMethodID(env, thread, "getStackTrace", "()[Ljava/lang/StackTraceElement;");
        java.get_state =
            java.get_stack ? (*env)->GetMethodID(env, thread, "getState", "()Ljava/lang/Thread$State;") : NULL;
        java.name = java.get_state ? (*env)->GetFieldID(env, thread, "name", "Ljava/lang/String;") : NULL;
        java.frame_class = java.name ? (*env)->GetFieldID(env, frame, "declaringClass", "Ljava/lang/String;") : NULL;
        java.frame_method =
            java.frame_class ? (*env)->GetFieldID(env, frame, "methodName", "Ljava/lang/String;") : NULL;
        java.frame_line = java.frame_method ? (*env)->GetFieldID(env, frame, "lineNumber", "I") : NULL;
        java.state_name = java.frame_line ? (*env)->GetFieldID(env, enumeration, "name", "Ljava/lang/String;") : NULL;
    }
    if (!failed(env) && java.state_name)
        find_virtual(env);
    (*env)->PopLocalFrame(env, NULL);
    return java.state_name;
}

static void flush(struct list *l)
{
    if (!l->rc && wick_whole_write(l->fd, l->out.buf, l->out.len))
        l->rc = -WICK_E_IO;
    if (l->out.failed || l->stack.failed)
        l->rc = -WICK_E_NOMEM;
    wick_strbuf_clear(&l->out);
}

static void add_value(struct wick_strbuf *out, const char *s)
{
    for (; *s; s++)
        wick_strbuf_addc(out, (unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s);
}

/* Adds the string in a field of an object. */
static void add_string(JNIEnv *env, struct wick_strbuf *out, jobject object, jfieldID field)
{
    jstring s = (*env)->GetObjectField(env, object, field);
    const char *text = s ? (*env)->GetStringUTFChars(env, s, NULL) : NULL;
    if (text) {
        add_value(out, text);
        (*env)->ReleaseStringUTFChars(env, s, text);
    }
    failed(env);
    (*env)->DeleteLocalRef(env, s);
}

/* The lines of a thread's stack, to l->stack. */
static void read_stack(struct list *l, jobject thread)
{
    JNIEnv *env = l->env;
    wick_strbuf_clear(&l->stack);
    jobjectArray frames = (*env)->CallObjectMethod(env, thread, java.get_stack);
    if (failed(env) || !frames)
        return;
    jsize n = (*env)->GetArrayLength(env, frames), shown = n < FRAMES_MOST ? n : FRAMES_MOST;
    for (jsize i = 0; i < shown; i++) {
        jobject frame = (*env)->GetObjectArrayElement(env, frames, i);
        wick_strbuf_adds(&l->stack, "frame=");
        add_string(env, &l->stack, frame, java.frame_class);
        wick_strbuf_addc(&l->stack, '.');
        add_string(env, &l->stack, frame, java.frame_method);
        jint line = (*env)->GetIntField(env, frame, java.frame_line);
        wick_strbuf_addf(&l->stack, line > 0 ? ":%d\n" : "\n", (int)line);
        (*env)->DeleteLocalRef(env, frame);
    }
    if (n > shown)
        wick_strbuf_addf(&l->stack, "more=%d\n", (int)(n - shown));
    (*env)->DeleteLocalRef(env, frames);
}

static uint64_t hash_of(const struct wick_strbuf *s)
{
    uint64_t h = wick_fnv_64(WICK_FNV_64, s->buf, s->len);
    return h ? h : 1;
}

/* The number of the stack in l->stack, which is written if it is new. */
static uint32_t number_stack(struct list *l)
{
    uint64_t hash = hash_of(&l->stack);
    uint32_t at = (uint32_t)(hash >> 32) & (l->slots - 1);
    while (l->stacks[at] && l->stacks[at] != hash)
        at = (at + 1) & (l->slots - 1);
    if (!l->stacks[at]) {
        l->stacks[at] = hash;
        l->numbers[at] = l->stack_count++;
        wick_strbuf_addf(&l->out, "frames=%" PRIu32 "\n", l->numbers[at]);
        wick_strbuf_add(&l->out, l->stack.buf, l->stack.len);
    }
    return l->numbers[at];
}

/* Where it is mounted, if it is, and whether it is pinned there. */
static void add_mount(struct list *l, jobject thread)
{
    JNIEnv *env = l->env;
    if (!java.virtual_thread || !(*env)->IsInstanceOf(env, thread, java.virtual_thread))
        return;
    jint state = (*env)->GetIntField(env, thread, java.state);
    jobject carrier = (*env)->GetObjectField(env, thread, java.carrier);
    wick_addr native = carrier ? (wick_addr)(*env)->GetLongField(env, carrier, wick_vm.eetop) : 0;
    if (native)
        wick_strbuf_addf(&l->out, "carrier=%d\n", (int)wick_hs_thread_tid(&wick_vm.jvm, native));
    if (state == java.pinned || state == java.timed_pinned)
        wick_strbuf_adds(&l->out, "pinned=1\n");
    (*env)->DeleteLocalRef(env, carrier);
}

static void add_text(struct list *l, const char *key, uint32_t text)
{
    if (!text)
        return;
    wick_strbuf_addf(&l->out, "%s=", key);
    add_value(&l->out, wick_labels_text(&wick_agent_labels, text));
    wick_strbuf_addc(&l->out, '\n');
}

static void add_context(struct list *l, const struct wick_context *c, uint32_t operation)
{
    if (c->trace_hi)
        wick_strbuf_addf(&l->out, "trace=%016" PRIx64 "%016" PRIx64 "\n", c->trace_hi, c->trace_lo);
    else if (c->trace_lo)
        wick_strbuf_addf(&l->out, "trace=%016" PRIx64 "\n", c->trace_lo);
    if (c->span)
        wick_strbuf_addf(&l->out, "span=%016" PRIx64 "\n", c->span);
    add_text(l, "endpoint", c->endpoint);
    add_text(l, "operation", operation);
    add_text(l, "labels", c->labels);
}

/* A thread that is there, and has a context. */
static void add_thread(struct list *l, const struct wick_label_holder *h, jobject thread)
{
    struct wick_context context;
    uint32_t operation;
    JNIEnv *env = l->env;
    jobject state = (*env)->CallObjectMethod(env, thread, java.get_state);
    if (failed(env) || !state)
        return;
    read_stack(l, thread);
    if (!l->stack.len) { /* a thread that has opened a scope has a frame until it ends */
        l->ended++;
        return;
    }
    if (!wick_labels_holder_context(&wick_agent_labels, h, &context, &operation))
        return; /* it has closed its scopes */
    uint32_t stack = number_stack(l);
    wick_strbuf_addf(&l->out, "thread=%" PRIu64 "\nname=", h->id);
    add_string(env, &l->out, thread, java.name);
    wick_strbuf_adds(&l->out, "\nstate=");
    add_string(env, &l->out, state, java.state_name);
    wick_strbuf_addf(&l->out, "\nstack=%" PRIu32 "\nopen_ns=%" PRIu64 "\n", stack,
                     l->now_ns > h->since_ns ? l->now_ns - h->since_ns : 0);
    add_mount(l, thread);
    add_context(l, &context, operation);
    l->shown++;
}

static void *to_local(void *arg, void *weak)
{
    JNIEnv *env = arg;
    return (*env)->NewLocalRef(env, weak);
}

static void add_holder(struct list *l, const struct wick_label_holder *h)
{
    JNIEnv *env = l->env;
    if ((*env)->PushLocalFrame(env, LOCAL_REFS)) {
        failed(env);
        return;
    }
    struct wick_context context;
    uint32_t operation;
    jobject thread = wick_labels_holder_thread(&wick_agent_labels, h, to_local, env);
    if (thread)
        add_thread(l, h, thread);
    else if (wick_labels_holder_context(&wick_agent_labels, h, &context, &operation))
        l->ended++; /* its record is still there, the thread is not */
    (*env)->PopLocalFrame(env, NULL);
}

static int longest_first(const void *a, const void *b)
{
    const struct wick_label_holder *x = a, *y = b;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Writes the answer: up to `rows` threads of those known. */
static void write_list(struct list *l, const struct wick_label_holder *holders, uint32_t rows, uint32_t known)
{
    uint64_t end = l->now_ns + LIMIT_NS;
    bool cut = false;
    wick_strbuf_addf(&l->out, "known=%" PRIu32 "\n", known);
    for (uint32_t i = 0; i < known && l->shown < rows && !cut && !l->rc; i++) {
        add_holder(l, &holders[i]);
        if (l->out.len >= FLUSH_BYTES)
            flush(l);
        cut = wick_load_relaxed(&wick_vm.dying) || wick_clock_mono_ns() >= end;
    }
    if (l->ended)
        wick_strbuf_addf(&l->out, "ended=%" PRIu32 "\n", l->ended);
    wick_strbuf_adds(&l->out, cut ? "cut=1\nend=1\n" : "end=1\n");
    flush(l);
}

static int list_threads(JNIEnv *env, uint32_t rows, int fd, struct wick_err *err)
{
    struct list l = {.env = env,
                     .fd = fd,
                     .now_ns = wick_clock_mono_ns(),
                     .out = WICK_STRBUF_INIT,
                     .stack = WICK_STRBUF_INIT,
                     .slots = 16};
    struct wick_label_holder *holders = malloc(WICK_LABELS_RECORDS * sizeof *holders);
    uint32_t known = holders ? wick_labels_holders(&wick_agent_labels, holders, WICK_LABELS_RECORDS) : 0;
    rows = known < rows ? known : rows;
    while (l.slots < 2 * rows)
        l.slots *= 2;
    l.stacks = calloc(l.slots, sizeof *l.stacks);
    l.numbers = calloc(l.slots, sizeof *l.numbers);
    if (holders && l.stacks && l.numbers) {
        qsort(holders, known, sizeof *holders, longest_first);
        write_list(&l, holders, rows, known);
    } else {
        l.rc = -WICK_E_NOMEM;
    }
    wick_strbuf_release(&l.out);
    wick_strbuf_release(&l.stack);
    free(l.stacks);
    free(l.numbers);
    free(holders);
    return l.rc ? wick_err_set(err, (enum wick_code) - l.rc, "the list of virtual threads is incomplete: %s",
                               wick_err_text(l.rc))
                : 0;
}

int wick_virtual_list_write(uint32_t rows, int out_fd, struct wick_err *err)
{
    bool attached;
    if (!wick_load_acquire(&wick_vm.live) || wick_load_relaxed(&wick_vm.dying)) /* pairs: become_live in vm.c */
        return wick_err_set(err, WICK_E_STATE, "the JVM is starting or ending");
    if (wick_vm.jvm.major < 21)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "JDK %d has no virtual threads: they came with 21",
                            wick_vm.jvm.major);
    if (!wick_agent_labels.map)
        return wick_err_set(err, WICK_E_NOMEM, "there was no memory for labels");
    JNIEnv *env = wick_vm_enter(&attached);
    if (!env)
        return wick_err_set(err, WICK_E_STATE, "the JVM does not let a thread of the agent attach");
    int rc = find_classes(env) ? list_threads(env, rows, out_fd, err)
                               : wick_err_set(err, WICK_E_UNSUPPORTED,
                                              "this JVM's Thread is not as expected: its threads cannot be listed");
    wick_vm_leave(attached);
    return rc;
}
