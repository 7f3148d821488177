/* SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/cont_entry.h"

#include <string.h>

#include "hotspot/value.h"

enum { STUB_BYTES = 1024, LOAD_BYTES = 7 };

bool wick_hs_is_cont_stub(const char *name)
{
    return !strncmp(name, "cont_", 5) || !strncmp(name, "Cont thaw", 9);
}

int32_t wick_hs_cont_entry_place(const struct wick_jvm *jvm, wick_addr lo, wick_addr hi)
{
    static const uint8_t load[3] = {0x49, 0x8b, 0xa7};
    uint8_t code[STUB_BYTES];
    int32_t found = WICK_HS_NONE;
    size_t n = hi > lo && hi - lo < sizeof code ? (size_t)(hi - lo) : sizeof code;
    if (hi <= lo || wick_mem_read(jvm->mem, lo, code, n))
        return WICK_HS_NONE;
    for (size_t i = 0; i + LOAD_BYTES <= n; i++) {
        if (memcmp(code + i, load, sizeof load) != 0)
            continue;
        int32_t place = (int32_t)wick_hs_at32(code + i, sizeof load);
        bool inside = place > 0 && place % 8 == 0 && place <= jvm->layout.javathread_size - 8;
        if (!inside || (found != WICK_HS_NONE && found != place))
            return WICK_HS_NONE;
        found = place;
    }
    return found;
}

void wick_hs_cont_entry_learn(struct wick_jvm *jvm, wick_addr lo, wick_addr hi)
{
    int32_t place = jvm->layout.thread_cont_entry < 0 ? wick_hs_cont_entry_place(jvm, lo, hi) : WICK_HS_NONE;
    if (place != WICK_HS_NONE)
        jvm->layout.thread_cont_entry = jvm->step.thread_cont_entry = place;
}
