/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_reason.h - why the kernel refuses what `wick host` asks for
 */
#ifndef WICK_EBPF_HOST_REASON_H
#define WICK_EBPF_HOST_REASON_H

#include <stdbool.h>
#include <stddef.h>

struct wick_err;

/* Finds the reason in a log of the kernel's verifier: it shows what it read, why it stopped, and then `processed N
 * insns`. Writes the line (cut at cap); false: the text is no log of one that refused a program. */
bool wick_host_verifier_reason(const char *log, char *reason, size_t cap);

/* The kernel's function whose return is a switch of threads. */
#define WICK_HOST_SWITCH "finish_task_switch"

/* Sets a probe at a function's return: 0 or an errno. */
typedef int wick_host_set_probe(void *arg, const char *function);

/* Sets a probe at WICK_HOST_SWITCH, or else at a variant of it that the compiler made: those are tried that the
 * kernel's symbols list (path NULL = /proc/kallsyms), as long as the kernel says that it has no function of that name.
 * 0; -WICK_E_PERM, -WICK_E_UNSUPPORTED with a message. */
int wick_host_probe_switch(const char *symbols, wick_host_set_probe *set, void *arg, struct wick_err *err);

#endif
