/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfrun.h - perf, run for a while, with maps of the JVMs written before, during and after
 *
 * Threads: one. Blocks SIGINT, SIGTERM and SIGHUP while it runs.
 * Memory:  freed by wick_perfrun_release, which also removes the maps unless they must be kept.
 */
#ifndef WICK_CLIENT_PERFRUN_H
#define WICK_CLIENT_PERFRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/mapfile.h"

struct wick_perfrun_jvm;

/* The maps that were written. */
struct wick_perfrun_maps {
    unsigned jvms, without_frame_pointers; /* of these, some keep none */
    unsigned long symbols, doubtful;       /* of these, some came or went during the recording */
};

struct wick_perfrun {
    const char *events; /* perf's -e; NULL = cycles, or cpu-clock where the machine does not count them */
    uint64_t interval;  /* perf's -c; 0 = 99 samples a second, or every occurrence if all events are tracepoints */
    bool all;           /* the whole machine */
    bool all_user;      /* without kernel frames */
    int pid;            /* else this process; 0 = none */
    char **command;     /* else, or also, run this; NULL = none */
    uint64_t duration_ns;
    const char *data; /* file to be written */
    bool keep_maps;
    void (*progress)(uint64_t left_ns); /* called about once a second while perf runs for a time, NULL = not */

    /* What came of it. */
    struct wick_perfrun_maps maps;
    int status; /* of the command, as a shell would give it */

    /* Private from here. */
    struct wick_perfrun_jvm *jvms;
    size_t njvms;
};

/* Records. 0; -WICK_E_UNSUPPORTED if there is no perf, -WICK_E_IO with perf's own words if it failed, -WICK_E_USAGE. */
int wick_perfrun(struct wick_perfrun *r, struct wick_err *err);
void wick_perfrun_release(struct wick_perfrun *r);

#endif
