/* SPDX-License-Identifier: Apache-2.0 */
/* What a JVM answers to Thread.print. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "analysis/wait/deadlock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_strbuf out = WICK_STRBUF_INIT;
    unsigned n = wick_deadlock_parse((const char *)data, size, &out);
    if (!n && out.len)
        abort();
    wick_strbuf_release(&out);
    return 0;
}
