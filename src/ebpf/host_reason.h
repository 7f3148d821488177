/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_reason.h - why the kernel refuses what `wick host` asks for
 */
#ifndef WICK_EBPF_HOST_REASON_H
#define WICK_EBPF_HOST_REASON_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the reason in a log of the kernel's verifier: it shows what it read, why it stopped, and then `processed N
 * insns`. Writes the line (cut at cap); false: the text is no log of one that refused a program. */
bool wick_host_verifier_reason(const char *log, char *reason, size_t cap);

#endif
