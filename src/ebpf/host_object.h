/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_object.h - bpf/host.bpf.c as compiled: an ELF object that libbpf loads (made by bpf/embed.py)
 *
 * Threads: constants.
 */
#ifndef WICK_EBPF_HOST_OBJECT_H
#define WICK_EBPF_HOST_OBJECT_H

#include <stddef.h>

extern const unsigned char wick_host_object[];
extern const size_t wick_host_object_size;

#endif
