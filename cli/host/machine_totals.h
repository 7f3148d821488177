/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine_totals.h - what a recording of the whole machine got and lost, in sentences
 */
#ifndef WICK_CLI_HOST_MACHINE_TOTALS_H
#define WICK_CLI_HOST_MACHINE_TOTALS_H

#include "ebpf/host_recorder.h"
#include "opt/host_events.h"

/* Notes for all that was asked for, and every loss by its cause. */
void wick_machine_totals_print(const struct wick_opt_host_events *e, const struct wick_host_totals *t);

#endif
