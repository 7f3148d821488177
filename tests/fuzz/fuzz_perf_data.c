/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_perf_data.c - any bytes as perf.data
 *
 * Beyond fuzz_import.h: where the pipe format is cut into pieces makes no difference. No other files are read.
 */
#include "fuzz_import.h"
#include "import/perf_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_pieces(struct wick_profile *p, struct wick_jfr_result *res, const uint8_t *data, size_t size)
{
    struct wick_jfr_visitor v = {.ctx = p, .sample = fuzz_take};
    struct wick_import im = {p, &v, res};
    struct wick_perf_data *d = wick_perf_data_new(&im, false);
    for (size_t at = 0; d && at < size; at += 7)
        wick_perf_data_feed(d, data + at, size - at < 7 ? size - at : 7);
    if (d)
        wick_perf_data_end(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_profile p, q;
    struct wick_jfr_result a = {0}, b = {0};
    struct wick_jfr_visitor v = {.ctx = &p, .sample = fuzz_take};
    struct wick_import im = {&p, &v, &a};
    if (wick_profile_init(&p))
        return 0;
    p.by_labels = true;
    int rc = wick_perf_data_read(&im, data, size, false, false);
    need(a.first_offset <= size && a.lost_bytes <= size);
    fuzz_check(&p, &a, size);
    if (wick_perf_data_is_pipe(data, size) && !wick_profile_init(&q)) {
        q.by_labels = true;
        read_pieces(&q, &b, data, size);
        need(rc == 0 && a.samples == b.samples && a.problems == b.problems && a.first_offset == b.first_offset);
        need(p.nstacks == q.nstacks && p.nframes == q.nframes && p.naggs == q.naggs && a.lost_bytes == b.lost_bytes);
        wick_profile_release(&q);
    }
    wick_profile_release(&p);
    return 0;
}
