/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_check.h - what of `wick host` works here, and what to do about the rest (`wick host doctor`)
 *
 * What can be tried is tried: the programs are loaded, attached to the clock and the scheduler, and taken away again.
 */
#ifndef WICK_EBPF_HOST_CHECK_H
#define WICK_EBPF_HOST_CHECK_H

#include "doctor/doctor.h"

/* Adds a finding for each thing that a recording of the whole machine needs. FAIL: there can be none. */
void wick_host_check(struct wick_doctor *d);

#endif
