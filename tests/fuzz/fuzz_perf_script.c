/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_perf_script.c - any text as output of `perf script`
 *
 * Beyond fuzz_import.h: where the input is cut into pieces makes no difference.
 */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_pieces(struct wick_profile *p, struct wick_jfr_result *res, const uint8_t *data, size_t size,
                        size_t piece)
{
    struct wick_jfr_visitor v = {.ctx = p, .sample = fuzz_take};
    struct wick_import im = {p, &v, res};
    struct wick_perf_in *in = wick_perf_in_new(&im);
    for (size_t at = 0; in && at < size; at += piece)
        wick_perf_in_feed(in, data + at, size - at < piece ? size - at : piece);
    if (in)
        wick_perf_in_end(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_profile p, q;
    struct wick_jfr_result a = {0}, b = {0};
    if (wick_profile_init(&p))
        return 0;
    read_pieces(&p, &a, data, size, size ? size : 1);
    need(a.first_offset <= size && a.lost_bytes <= size);
    fuzz_check(&p, &a, size);
    if (!wick_profile_init(&q)) {
        read_pieces(&q, &b, data, size, 7);
        need(a.samples == b.samples && a.problems == b.problems && a.first_offset == b.first_offset);
        need(p.nstacks == q.nstacks && p.nframes == q.nframes && p.naggs == q.naggs);
        wick_profile_release(&q);
    }
    wick_perf_in_is((const char *)data, size);
    wick_profile_release(&p);
    return 0;
}
