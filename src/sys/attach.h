/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.h - HotSpot's attach protocol: loading an agent into a running JVM, and other commands
 *
 * A JVM that has not been asked before listens nowhere. It is asked by a file .attach_pid<N> in its /tmp plus SIGQUIT;
 * it then listens on the socket /tmp/.java_pid<N>, N being its pid as it sees itself and /tmp being that of its own
 * root. SIGQUIT ends a process that does not catch it and makes a JVM with attach disabled print all its threads, so it
 * is sent only after the process has proved to be a HotSpot JVM that catches it.
 *
 * Threads: any.
 */
#ifndef WICK_SYS_ATTACH_H
#define WICK_SYS_ATTACH_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "sys/proc.h"

struct wick_attach_reply {
    int vm_code;    /* first line: 0 = the command was understood */
    int agent_code; /* what Agent_OnAttach returned; meaningful if has_agent_code */
    bool has_agent_code;
    char text[512]; /* the rest, for messages: one line, printable */
};

/* Checks that p is a HotSpot JVM and copies the path of its libjvm.so, as the target sees it, to libjvm[cap] (may be
 * NULL). Errors with sentences: -WICK_E_NOTJVM, -WICK_E_PERM, -WICK_E_GONE. */
int wick_attach_check_jvm(const struct wick_proc *p, char *libjvm, size_t cap, struct wick_err *err);

/* Checks that attach can be tried without harm: signals, flags, state. 0 if so. Errors: -WICK_E_DISABLED (flag, -Xrs),
 * -WICK_E_STATE (stopped, or SIGQUIT would end it), -WICK_E_PERM. Touches nothing in the target. */
int wick_attach_check_ready(const struct wick_proc *p, struct wick_err *err);

/* Loads the agent at path lib (as the target sees it, absolute) with the given options, and waits for its
 * Agent_OnAttach to return; timeout_ns bounds the whole. Fails with -WICK_E_NOTJVM, _DISABLED, _PERM, _STATE,
 * _TIMEOUT, _GONE, or -WICK_E_UNSUPPORTED if the JVM refused the library (message = the JVM's words). */
int wick_attach_load(struct wick_proc *p, const char *lib, const char *options, uint64_t timeout_ns,
                     struct wick_err *err);

#define WICK_ATTACH_MOST_REPLY (64u << 20) /* of a longer answer the end is dropped */

/* For commands that walk the whole heap, perhaps many GiB with a slow disk to write to; the JVM stands still until they
 * are done. */
#define WICK_ATTACH_HEAP_NS (UINT64_C(3600) * 1000000000)

/* Sends a command with two arguments ("inspectheap", "dumpheap") and appends the answer, its first line included, to
 * reply. Fails as _load does; with -WICK_E_UNSUPPORTED or _NOSPACE if the JVM says no, with its words. */
int wick_attach_command(struct wick_proc *p, const char *command, const char *first, const char *second,
                        uint64_t timeout_ns, struct wick_strbuf *reply, struct wick_err *err);

/* Runs a diagnostic command as `jcmd` does ("VM.native_memory summary scale=KB") and appends what it prints to
 * *out. Errors as for _command. */
int wick_attach_jcmd(struct wick_proc *p, const char *command, uint64_t timeout_ns, struct wick_strbuf *out,
                     struct wick_err *err);

/* Parses the answer to `load` of JDK 8 ("0\n0\n"), 9 to 20 ("0\nreturn code: 0\n") and 21 on (failures as text after a
 * zero first line). Any bytes allowed; -WICK_E_FORMAT if there is no leading number. */
int wick_attach_parse_reply(const char *data, size_t len, struct wick_attach_reply *reply);

#endif
