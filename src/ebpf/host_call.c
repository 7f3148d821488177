/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_call.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "sys/system_call.h"

/* What a call does with a socket, and whether what it returns is bytes. */
static const char *operation_of(uint32_t number, bool *bytes)
{
    *bytes = true;
    switch (number) {
    case SYS_sendmmsg:
        *bytes = false;
        return "send";
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendfile:
        return "send";
    case SYS_connect:
        *bytes = false;
        return "connect";
    case SYS_accept:
    case SYS_accept4:
        *bytes = false;
        return "accept";
    case SYS_recvmmsg:
        *bytes = false;
        return "receive";
    default:
        return "receive";
    }
}

static void write_call(const struct wick_host_span_source *of, const struct wick_host_call *call)
{
    char unknown[24];
    const char *name = wick_system_call_name(call->number);
    bool result_is_own = call->number != SYS_rt_sigreturn; /* which returns what the program had before the signal */
    snprintf(unknown, sizeof unknown, "syscall-%u", call->number);
    const struct wick_host_relation label = {.call = name ? name : unknown, .thread = of->labels};
    wick_jfr_write_system_call(of->writer, &(struct wick_jfr_system_call){
                                               .start_ns = call->begin_ns,
                                               .duration_ns = call->whole_ns,
                                               .thread = of->thread,
                                               .stack = of->stack,
                                               .call = label.call,
                                               .error = result_is_own ? wick_system_call_error(call->result) : "",
                                               .weight_ns = call->weight_ns,
                                               .context = wick_host_process_context(of->processes, of->process, &label),
                                           });
}

static void write_network(const struct wick_host_span_source *of, const struct wick_host_call *call,
                          const struct wick_host_ports *given)
{
    struct wick_host_socket_text text;
    bool bytes;
    const char *operation = operation_of(call->number, &bytes);
    wick_host_socket_text(&call->socket, given, &text);
    const struct wick_host_relation label = {
        .operation = operation, .peer = text.peer_name, .service = text.service, .thread = of->labels};
    wick_jfr_write_network_call(of->writer,
                                &(struct wick_jfr_network_call){
                                    .start_ns = call->begin_ns,
                                    .duration_ns = call->whole_ns,
                                    .thread = of->thread,
                                    .stack = of->stack,
                                    .operation = operation,
                                    .protocol = text.protocol,
                                    .local = text.local,
                                    .peer = text.peer,
                                    .bytes = bytes && call->result > 0 ? (uint64_t)call->result : 0,
                                    .error = wick_system_call_error(call->result),
                                    .round_trip_ns = call->socket.rtt_us * UINT64_C(1000),
                                    .retransmits = call->socket.retransmits,
                                    .weight_ns = call->socket_ns,
                                    .context = wick_host_process_context(of->processes, of->process, &label),
                                });
}

void wick_host_call_write(const struct wick_host_span_source *of, const struct wick_host_call *call,
                          const struct wick_host_ports *given)
{
    if (call->weight_ns)
        write_call(of, call);
    if (call->socket_ns)
        write_network(of, call, given);
}
