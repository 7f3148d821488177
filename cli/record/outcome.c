/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures are read from the recording, not asked of the agent, so the line is printed, and correct, however the JVM
 * ended. Samples of threads that were found idle stand for several of the sampler's; what is counted is events in the
 * file.
 */
#include "cli/record/outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jvm/client.h"
#include "cli/ui.h"
#include "jfr/reader/reader.h"

static void print(uint64_t samples, uint64_t lost)
{
    char s[32], l[32];
    wick_ui_count(samples, s, sizeof s);
    if (!lost)
        wick_ui_note("samples: %s, none lost", s);
    else
        wick_ui_note("samples: %s, and %s lost (%.2g %%)", s, wick_ui_count(lost, l, sizeof l),
                     100.0 * (double)lost / ((double)samples + (double)lost));
}

static void skip(void *ctx, const struct wick_sample *s)
{
    (void)ctx;
    (void)s;
}

static bool want(void *ctx, const char *type)
{
    (void)ctx;
    return !strcmp(type, "wick.Profiler");
}

/* A total since the recording started: the last one counts. */
static void take(void *ctx, const struct wick_jfr_event *e)
{
    int64_t n;
    if (wick_jfr_event_int(e, "dropped", &n) && n >= 0)
        *(uint64_t *)ctx = (uint64_t)n;
}

void wick_outcome_of_file(const char *path)
{
    uint64_t lost = 0;
    const struct wick_jfr_visitor v = {.ctx = &lost, .sample = skip, .want = want, .event = take};
    struct wick_jfr_result res = {0};
    struct wick_err err = {0};
    struct wick_profile p;
    if (wick_profile_init(&p))
        return;
    if (!wick_jfr_read_file(&p, path, &v, &res, &err))
        print(res.samples, lost);
    wick_profile_release(&p);
}

void wick_outcome_of_status(const char *text)
{
    char samples[32], dropped[32];
    if (wick_client_value(text, "samples", samples, sizeof samples) &&
        wick_client_value(text, "dropped", dropped, sizeof dropped))
        print(strtoull(samples, NULL, 10), strtoull(dropped, NULL, 10));
}
