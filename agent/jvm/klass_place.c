/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/jvm/klass_place.h"

#include <stdint.h>

#include "agent/jvm/field.h"
#include "hotspot/value.h"

wick_addr wick_klass_place_of_mirror(const struct wick_jvm *jvm, jclass mirror)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (!l->mirror_klass || l->klass_layout < 0)
        return 0;
    wick_addr object = wick_hs_u64(jvm->mem, (wick_addr)(uintptr_t)mirror);
    uint32_t at = wick_hs_u32(jvm->mem, l->mirror_klass);
    return at && at < WICK_FIELD_OFFSET_END ? wick_hs_u64(jvm->mem, object + at) : 0;
}
