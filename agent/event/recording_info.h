/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording_info.h - the events that describe a recording: settings, JVM, machine, libraries
 *
 * Threads: the drain thread.
 */
#ifndef WICK_AGENT_EVENT_RECORDING_INFO_H
#define WICK_AGENT_EVENT_RECORDING_INFO_H

#include "agent/jvm/vm.h"
#include "engine/set/engines.h"
#include "jfr/writer/writer.h"
#include "opt/option.h"

struct wick_recording_info {
    const struct wick_session_opts *opts;
    struct wick_engines *engines;
    uint64_t start_epoch_ms;
};

/* Writes them at the beginning of a chunk, so that each chunk can be read by itself. */
void wick_recording_info_write(const struct wick_recording_info *info, struct wick_jfr_writer *w, uint64_t now_ns);

#endif
