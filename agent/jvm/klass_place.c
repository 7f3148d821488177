/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/jvm/klass_place.h"

#include <stdint.h>

#include "agent/jvm/field.h"
#include "hotspot/value.h"

enum { TRIES = 3 };

wick_addr wick_klass_place_of_mirror(const struct wick_jvm *jvm, jclass mirror)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (!l->mirror_klass || l->klass_layout < 0)
        return 0;
    uint32_t at = wick_hs_u32(jvm->mem, l->mirror_klass);
    wick_addr handle = (wick_addr)(uintptr_t)mirror, object = 0, klass = 0;
    for (int i = 0; i < TRIES && (!i || wick_hs_u64(jvm->mem, handle) != object); i++) { /* a collection may move it */
        object = wick_hs_u64(jvm->mem, handle);
        klass = at && at < WICK_FIELD_OFFSET_END ? wick_hs_u64(jvm->mem, object + at) : 0;
    }
    return klass;
}
