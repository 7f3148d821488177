/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_jfr_cut.c - any bytes as a JFR recording, cut
 *
 * Beyond not crashing: what comes out is as long as was said, can be read from its first byte to its last, without a
 * complaint unless there was one about the input, and where there was none its samples weigh the same.
 */
#include "jfr/cut/cut.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
    if (!ok)
        abort();
}

static bool every_second(void *ctx, const struct wick_profile *p, const struct wick_sample *s)
{
    return ++*(unsigned *)ctx & 1;
}

struct sums {
    uint64_t count, weight;
    struct wick_jfr_result res;
    int rc;
};

static struct sums sums_of(const void *data, size_t size)
{
    struct sums s = {0};
    struct wick_profile p;
    if (wick_profile_init(&p))
        exit(0);
    s.rc = wick_jfr_read_memory(&p, data, size, NULL, &s.res, NULL);
    for (uint32_t i = 1; i < p.nevents; i++) {
        s.count += p.events[i].count;
        s.weight += (uint64_t)p.events[i].weight;
    }
    wick_profile_release(&p);
    return s;
}

static void cut(const uint8_t *data, size_t size, struct wick_filter filter)
{
    struct wick_jfr_cut_result made = {0};
    struct wick_jfr_result res;
    struct wick_profile p;
    char *out = NULL;
    size_t len = 0;
    if (wick_profile_init(&p))
        return;
    struct wick_jfr_cut c = {.filter = filter, .out = open_memstream(&out, &len)};
    int rc = wick_jfr_cut_memory(&p, data, size, &c, &made, &res, NULL);
    fclose(c.out);
    need(len == made.bytes);
    if (!rc && len) {
        struct sums after = sums_of(out, len), before = sums_of(data, size);
        need(!after.rc && !after.res.lost_bytes && after.res.chunks == made.chunks);
        need(after.res.samples == made.samples && (!after.res.problems || res.problems));
        bool whole = !filter.match && !filter.from_ns && !filter.to_ns && !res.problems && !made.unknown;
        need(!whole || (after.count == before.count && after.weight == before.weight));
    }
    wick_profile_release(&p);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned n = 0;
    cut(data, size, (struct wick_filter){0});
    cut(data, size, (struct wick_filter){.from_ns = 1700000000000001500, .to_ns = 1700000000000002500});
    cut(data, size, (struct wick_filter){.match = every_second, .ctx = &n});
    return 0;
}
