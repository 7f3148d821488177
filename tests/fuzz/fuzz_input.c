/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_input.c - any bytes, of which the format has to be found out first: packed or not, text or not
 */
#include "fuzz_import.h"
#include "import/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_err err = {0};
    struct wick_jfr_visitor v = {.ctx = &p, .sample = fuzz_take};
    if (wick_profile_init(&p))
        return 0;
    int rc = wick_input_read_block(&p, data, size, false, &v, &res, &err);
    need((rc == 0) == (err.code == 0));
    fuzz_check(&p, &res, size);
    wick_profile_release(&p);
    return 0;
}
