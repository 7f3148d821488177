/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_start.c - tables of names
 *
 * Names of native code are compared without their arguments. A C library may have no names for these functions.
 * HotSpot's are those of JDK 8 to 25.
 */
#include "model/thread_start.h"

#include <string.h>

static const char *const native[] = {
    "clone",
    "clone3",
    "__clone",
    "__clone3",
    "start_thread",
    "thread_native_entry",
    "java_start",
    "Thread::call_run",
    "JavaThread::run",
    "JavaThread::thread_main_inner",
    "thread_entry",
    "JavaCalls::call_virtual",
    "JavaCalls::call",
    "JavaCalls::call_helper",
    "os::os_exception_wrapper",
    "call_stub",
    "StubRoutines::call_stub",
};

static const struct {
    const char *class_name, *name;
} java[] = {
    {"java/lang/Thread", "run"},
    {"java/lang/Thread", "run0"},
    {"java/lang/Thread", "runWith"},
    {"java/lang/VirtualThread", "run"},
    {"java/lang/VirtualThread", "runWith"},
    {"jdk/internal/vm/Continuation", "enter"},
    {"jdk/internal/vm/Continuation", "enter0"},
    {"jdk/internal/vm/Continuation", "enterSpecial"},
    {"java/util/concurrent/ThreadPoolExecutor", "runWorker"},
    {"java/util/concurrent/ThreadPoolExecutor$Worker", "run"},
    {"java/util/concurrent/ForkJoinWorkerThread", "run"},
    {"java/util/concurrent/ForkJoinPool", "runWorker"},
    {"org/apache/tomcat/util/threads/TaskThread$WrappingRunnable", "run"},
    {"org/apache/tomcat/util/threads/ThreadPoolExecutor", "runWorker"},
    {"org/apache/tomcat/util/threads/ThreadPoolExecutor$Worker", "run"},
    {"io/netty/util/concurrent/FastThreadLocalRunnable", "run"},
};

static bool is(const struct wick_string *s, const char *text, size_t n)
{
    return s->len >= n && !memcmp(s->s, text, n);
}

static bool is_native(const struct wick_string *library, const struct wick_string *name)
{
    if (!name->len || *name->s == '[')
        return is(library, "libc.", 5) || is(library, "libpthread", 10);
    for (size_t i = 0; i < sizeof native / sizeof *native; i++) {
        size_t n = strlen(native[i]);
        if (is(name, native[i], n) && (name->len == n || name->s[n] == '('))
            return true;
    }
    return false;
}

bool wick_frame_starts_thread(const struct wick_profile *p, uint32_t frame)
{
    const struct wick_function *f = &p->functions[p->frames[frame].function];
    const struct wick_string *class_name = &p->strings[f->class_name], *name = &p->strings[f->name];
    for (size_t i = 0; i < sizeof java / sizeof *java; i++)
        if (class_name->len == strlen(java[i].class_name) && is(class_name, java[i].class_name, class_name->len))
            if (name->len == strlen(java[i].name) && is(name, java[i].name, name->len))
                return true;
    return is_native(class_name, name);
}
