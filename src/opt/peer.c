/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What async-profiler takes and wick does not, so that an option string moves from one to the other unchanged. Most of
 * it chooses how to walk stacks or how to draw pictures, which wick decides itself or when the recording is read; the
 * rest asks for something that wick does not record, and that is said.
 */
#include <string.h>

#include "opt/option.h"

static const char no_window[] = "a recording has no window opened by functions";

static const struct {
    const char *name, *why;
} peers[] = {
    /* how stacks are walked, signals and clocks */
    {"cstack", NULL},
    {"features", NULL},
    {"safemode", NULL},
    {"signal", NULL},
    {"clock", NULL},
    {"mcache", NULL},
    {"sched", NULL},
    {"record-cpu", NULL},
    {"persistent", NULL},
    {"jfropts", NULL},
    {"libpath", NULL},
    /* messages */
    {"quiet", NULL},
    {"log", NULL},
    {"loglevel", NULL},
    /* the form of names and pictures */
    {"simple", NULL},
    {"dot", NULL},
    {"norm", NULL},
    {"sig", NULL},
    {"ann", NULL},
    {"lib", NULL},
    {"samples", NULL},
    {"total", NULL},
    {"title", NULL},
    {"minwidth", NULL},
    {"reverse", NULL},
    {"inverted", NULL},
    /* what the recording lacks for it */
    {"tlab", NULL},
    {"nofree", "what is freed is always matched"},
    {"trace", "calls of methods are not traced"},
    {"proc", "other processes are not sampled"},
    {"all", "choose events by name, such as event=cpu,wall,lock"},
    {"begin", no_window},
    {"end", no_window},
    {"nostop", no_window},
    {"include", "stacks are chosen when the recording is read (wick flame -I)"},
    {"exclude", "stacks are chosen when the recording is read (wick flame -X)"},
    {"ratelimit", "samples are not limited by number but by the interval"},
    {"target-cpu", "threads are sampled on every processor"},
    {"fdtransfer", "give `wick start` or `wick record` the privilege instead"},
    {"jfrsync", "start the JDK's recording with jcmd JFR.start"},
    {"server", "there is no HTTP server"},
};

int wick_opt_peer(const char *name, size_t len, const char **why)
{
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (strlen(peers[i].name) == len && !memcmp(name, peers[i].name, len)) {
            *why = peers[i].why;
            return 0;
        }
    return -WICK_E_NOTFOUND;
}
