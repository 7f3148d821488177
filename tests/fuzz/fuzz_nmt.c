/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JVM's report of native memory from hostile bytes: whatever comes, what is accepted can be printed and its sums
 * are those of its rows.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "footprint/nmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_nmt n = {{{{0}}}};
    uint64_t committed = 0, malloced = 0;
    if (wick_nmt_parse((const char *)data, size, &n)) {
        require(!n.count && !n.gc.rows);
        return 0;
    }
    require(n.count > 0 && n.count <= WICK_NMT_CATEGORIES);
    for (uint32_t i = 0; i < n.count; i++) {
        const char *name = n.category[i].name;
        require(*name && memchr(name, 0, WICK_NMT_NAME));
        for (; *name; name++)
            require(*name >= ' ' && *name <= '~');
        committed += n.category[i].committed;
        malloced += n.category[i].malloced;
    }
    require(committed == n.committed && malloced == n.malloced);
    for (uint32_t i = 0; i < n.gc.count; i++)
        require(n.gc.rows[i].lo < n.gc.rows[i].hi);
    wick_nmt_release(&n);
    return 0;
}
