/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_pprof.c - any bytes as profile.proto
 *
 * Beyond fuzz_import.h: what was read, written as pprof and read again, has the same weight.
 */
#include "export/format_writers.h"
#include "fuzz_import.h"
#include "import/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read_again(const struct wick_profile *p, uint16_t event)
{
    char *text = NULL;
    size_t n = 0;
    struct wick_profile q;
    struct wick_export_options o = {.event = event};
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return;
    int rc = wick_pprof_write(p, &o, f, NULL);
    fclose(f);
    if (!rc && !wick_profile_init(&q)) {
        struct wick_jfr_result res;
        need(wick_input_read_block(&q, text, n, false, NULL, &res, NULL) == 0 && res.problems == 0);
        int64_t sum = 0, got = 0;
        for (uint32_t i = 0; i < p->naggs; i++)
            if (p->aggs[i].event == event)
                sum = (int64_t)((uint64_t)sum + (uint64_t)p->aggs[i].weight);
        for (uint32_t i = 0; i < q.naggs; i++)
            got = (int64_t)((uint64_t)got + (uint64_t)q.aggs[i].weight);
        need(q.failed || sum == got);
        wick_profile_release(&q);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_profile p;
    struct wick_jfr_result res = {0};
    struct wick_jfr_visitor v = {.ctx = &p, .sample = fuzz_take};
    struct wick_import im = {&p, &v, &res};
    if (wick_profile_init(&p))
        return 0;
    wick_pprof_in_read(&im, data, size);
    need(res.first_offset <= size && res.lost_bytes <= size);
    fuzz_check(&p, &res, size);
    uint16_t event = wick_profile_main_event(&p);
    if (event && size < 4096 && p.events[event].unit == WICK_UNIT_NS)
        write_and_read_again(&p, event);
    wick_profile_release(&p);
    return 0;
}
