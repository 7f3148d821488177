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

#include "cli/ui.h"
#include "client/client.h"
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
    return !strcmp(type, "wick.Profiler") || !strcmp(type, "jdk.ActiveRecording");
}

struct losses {
    uint64_t before, now; /* until the recording was changed, and since */
    int64_t part;         /* when this part of it started */
};

/* A total since the recording started or was changed: then it begins again. */
static void take(void *ctx, const struct wick_jfr_event *e)
{
    struct losses *l = ctx;
    int64_t n;
    if (wick_jfr_event_int(e, "recordingStart", &n) && n != l->part) {
        l->before += l->now;
        l->now = 0;
        l->part = n;
    }
    if (wick_jfr_event_int(e, "dropped", &n) && n >= 0)
        l->now = (uint64_t)n;
}

void wick_outcome_of_file(const char *path)
{
    struct losses lost = {0};
    const struct wick_jfr_visitor v = {.ctx = &lost, .sample = skip, .want = want, .event = take};
    struct wick_jfr_result res = {0};
    struct wick_err err = {0};
    struct wick_profile p;
    if (wick_profile_init(&p))
        return;
    if (!wick_jfr_read_file(&p, path, &v, &res, &err))
        print(res.samples, lost.before + lost.now);
    wick_profile_release(&p);
}

void wick_outcome_of_status(const char *text)
{
    char samples[32], dropped[32];
    if (wick_client_value(text, "samples", samples, sizeof samples) &&
        wick_client_value(text, "dropped", dropped, sizeof dropped))
        print(strtoull(samples, NULL, 10), strtoull(dropped, NULL, 10));
}
