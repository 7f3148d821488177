/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_call.h - events of system calls that have ended: wick.SystemCall, and of those on sockets wick.NetworkCall
 */
#ifndef WICK_EBPF_HOST_CALL_H
#define WICK_EBPF_HOST_CALL_H

#include "ebpf/host_socket.h"
#include "ebpf/host_span.h"

/* Writes those events that the call was chosen for. */
void wick_host_call_write(const struct wick_host_span_source *of, const struct wick_host_call *call,
                          const struct wick_host_ports *given);

#endif
