/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_pressure.h"

#include <unistd.h>

#include "sys/hostload.h"
#include "sys/whole.h"

#define PRESSURE "/proc/pressure/"

static uint64_t waited(const char *file, const char *line)
{
    char text[512];
    return wick_whole_text(file, text, sizeof text) > 0 ? wick_hostload_parse_psi(text, line) : 0;
}

void wick_host_pressure_write(struct wick_jfr_writer *w, uint64_t now_ns)
{
    if (access(PRESSURE "cpu", R_OK))
        return;
    wick_jfr_write_pressure(w, &(struct wick_jfr_pressure){
                                   .start_ns = now_ns,
                                   .cpu_some_ns = waited(PRESSURE "cpu", "some"),
                                   .memory_some_ns = waited(PRESSURE "memory", "some"),
                                   .memory_full_ns = waited(PRESSURE "memory", "full"),
                                   .io_some_ns = waited(PRESSURE "io", "some"),
                                   .io_full_ns = waited(PRESSURE "io", "full"),
                               });
}
