/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_names.h - from the kernel side's frames to those of a recording
 *
 *     native pc      --> symbol         kept by pc until the mappings change
 *     interpreted    --> method         kept by Method* and ConstMethod*, and read again after a second
 *     compiled       --> its scopes     kept by nmethod, pc and compile id; that must be the same before and after
 *     kernel's pc    --> symbol         kept
 *
 * Metaspace and the code cache are reused. What has changed since the sample was taken is a frame that says so, never
 * the name of what is there now.
 *
 * Memory:  caches of the processes, and one for the kernel.
 */
#ifndef WICK_EBPF_HOST_NAMES_H
#define WICK_EBPF_HOST_NAMES_H

#include "ebpf/host_process.h"

struct wick_host_names {
    struct wick_host_tables *tables; /* borrowed */
    struct wick_host_cache kernel;
    struct wick_symbolizer kernel_code;
    void *method; /* room for a copied method */
};

/* 0 or -WICK_E_NOMEM. */
int wick_host_names_init(struct wick_host_names *n, struct wick_host_tables *t);
void wick_host_names_release(struct wick_host_names *n);

/* What a frame stands for: one frame, or of a compiled method one for each scope; at most `cap`. Returns how many. */
uint32_t wick_host_expand(struct wick_host_names *n, struct wick_host_process *p, const struct wick_step_frame *f,
                          uint64_t now_ns, struct wick_jfr_frame *out, uint32_t cap);

/* The tables start anew: no frame of the kernel is kept. */
void wick_host_names_renew(struct wick_host_names *n);

/* The frame of a kernel address. */
struct wick_jfr_frame wick_host_kernel_frame(struct wick_host_names *n, uint64_t pc);

#endif
