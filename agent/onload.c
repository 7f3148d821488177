/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The doors through which the JVM lets the agent in.
 *
 * At start (-agentpath:/path/libwick.so=OPTIONS) a wrong value is reported in one line on stderr and stops the JVM,
 * like any other wrong option of its command line. An option that wick does not know is ignored with a warning there,
 * since option strings come from async-profiler and from newer versions of wick (`quiet` leaves it out). By attach the
 * JVM runs already and must go on whatever happens: nothing is printed, and an error is a return code (the CLI passes
 * no options and asks over the control socket, where errors are sentences).
 *
 * Besides async-profiler's spelling there is `connect=FD:DEV:INO`, written by `wick record -- command` only.
 */
#include <jni.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/control.h"
#include "agent/session.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved);
EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

/* The outcome of the first wick_agent_init. The JVM loads agents one at a time. */
static struct wick_err init_error;
static bool initialised;

static const struct wick_agent_front front = {.vm_ready = wick_control_vm_ready, .vm_death = wick_control_shutdown};

static int begin(JavaVM *vm, const char *options, struct wick_err *err)
{
    int fd = -1;
    unsigned long long dev, ino;
    bool connects = options && sscanf(options, "connect=%d:%llu:%llu", &fd, &dev, &ino) == 3;
    /* A JVM started by the profiled one inherits JAVA_TOOL_OPTIONS, but it is not meant: nothing is set up there. */
    if (connects && !wick_control_has_offer(fd, dev, ino))
        return 0;
    if (!initialised) {
        initialised = true;
        int rc = wick_agent_init(vm, &front, &init_error);
        if (rc && !init_error.code)
            wick_err_set(&init_error, (enum wick_code) - rc, "the agent could not be set up: %s", wick_err_text(rc));
        if (!rc)
            init_error.code = 0;
    }
    int rc = wick_control_start(&init_error, err);
    if (rc || !options)
        return rc;
    return connects ? wick_control_adopt(fd, err) : wick_control_run(options, strlen(options), err);
}

/* Each line of text, in one write. */
static void print_notes(const char *text)
{
    for (size_t n; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "\n");
        if (n)
            dprintf(STDERR_FILENO, "wick: %.*s\n", (int)n, text);
    }
}

jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    struct wick_err err = {0};
    (void)reserved;
    if (!begin(vm, options, &err)) {
        print_notes(err.msg);
        return JNI_OK;
    }
    print_notes(err.msg);
    return JNI_ERR;
}

jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    struct wick_err err = {0};
    (void)reserved;
    int rc = begin(vm, options, &err);
    return rc ? 1000 - rc : JNI_OK; /* 1000 + WICK_E_*: apart from the JVM's own codes */
}

void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    wick_control_shutdown();
}
