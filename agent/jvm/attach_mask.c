/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/jvm/attach_mask.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/atomic.h"
#include "engine/breakpoint.h"

/* Our table, which is the JVM's but for two functions, and the JVM's; set once, before ours is in use: a thread may
 * have found ours when it is replaced, and an agent that put its own over ours goes on calling it. */
static struct JNIInvokeInterface_ ours;
static const struct JNIInvokeInterface_ *original;

static jint JNICALL attach(JavaVM *vm, void **env, void *arguments)
{
    wick_breakpoint_unblock();
    return original->AttachCurrentThread(vm, env, arguments);
}

static jint JNICALL attach_daemon(JavaVM *vm, void **env, void *arguments)
{
    wick_breakpoint_unblock();
    return original->AttachCurrentThreadAsDaemon(vm, env, arguments);
}

/* Whether the word can be written: the kernel writes there what is there. */
static bool is_writable(JavaVM *vm)
{
    JavaVM value = *vm;
    struct iovec from = {&value, sizeof value}, to = {vm, sizeof value};
    return syscall(SYS_process_vm_writev, getpid(), &from, 1, &to, 1, 0) == (long)sizeof value;
}

static void replace(JavaVM *vm, JavaVM from, JavaVM to)
{
    wick_cas_acq_rel((_Atomic(JavaVM) *)vm, &from, to); /* pairs: the calls through the table */
}

bool wick_attach_mask_set(JavaVM *vm)
{
    if (*vm == &ours)
        return true;
    if (original ? *vm != original : !is_writable(vm))
        return false;
    if (!original) {
        original = *vm;
        ours = *original;
        ours.AttachCurrentThread = attach;
        ours.AttachCurrentThreadAsDaemon = attach_daemon;
    }
    replace(vm, original, &ours);
    return *vm == &ours;
}

void wick_attach_mask_clear(JavaVM *vm)
{
    replace(vm, &ours, original);
}
