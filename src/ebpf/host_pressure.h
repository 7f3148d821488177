/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pressure.h - what tasks of the machine waited for, as the kernel counts it (pressure stall information)
 */
#ifndef WICK_EBPF_HOST_PRESSURE_H
#define WICK_EBPF_HOST_PRESSURE_H

#include "jfr/writer/writer.h"

/* Writes wick.Pressure with the sums so far; nothing where the kernel does not count it. */
void wick_host_pressure_write(struct wick_jfr_writer *w, uint64_t now_ns);

#endif
