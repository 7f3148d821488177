/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variable-length integers from hostile bytes: whatever comes, the readers stay inside, move forward or give up, and
 * what the JFR reader accepts comes back the same after writing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/leb128.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size, *p, *before;
    for (p = before = data; p && p < end; before = p) {
        wick_leb128_read(&p, end);
        require(!p || (p > before && p <= end && p - before <= 10));
    }
    for (p = before = data; p && p < end; before = p) {
        uint64_t value = wick_leb128_jfr_read(&p, end);
        uint8_t again[9];
        const uint8_t *q = again;
        size_t n = wick_leb128_jfr_write(again, value);
        require(!p || (p > before && p <= end && n <= (size_t)(p - before)));
        require(wick_leb128_jfr_read(&q, again + n) == value && q == again + n);
    }
    return 0;
}
