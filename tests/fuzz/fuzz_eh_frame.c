/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind data made of any bytes.
 *
 * The input is memory from .eh_frame_hdr on, as the loader would have mapped it. It is read three times: by plain loads
 * from a heap copy of its exact size (the sanitizer catches a read beyond it), through a reader, and through a reader
 * whose memory ends earlier than the image claims.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fake_mem.h"
#include "elf/eh_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct wick_unwind_rule *r, wick_addr pc, wick_addr lo, wick_addr hi)
{
    bool good =
        lo <= pc && pc < hi && r->how[7] == 0 && r->off[7] == 0 && r->cfa_kind <= WICK_CFA_DEREF && r->cfa_reg <= 31;
    for (int i = 0; i < WICK_SLOT_COUNT; i++)
        good = good && WICK_HOW_KIND(r->how[i]) <= WICK_HOW_LOST;
    if (!good)
        abort();
}

static void look(const struct wick_mem *mem, const struct wick_elf_image *image, const uint8_t *data, size_t size)
{
    static const uint32_t steps[] = {0, 1, 4, 11, 16, 0x40, 0x1000};
    for (size_t at = 12; at + 8 <= size && at < 12 + 8 * 16; at += 8) {
        int32_t first;
        memcpy(&first, data + at, sizeof first);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            struct wick_unwind_rule r;
            wick_addr pc = image->eh_hdr + (wick_addr)(int64_t)first + steps[i], lo, hi;
            if (!wick_eh_rule(mem, image, pc, &r, &lo, &hi))
                check(&r, pc, lo, hi);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 20 || size > 65536)
        return 0;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    struct wick_mem_range range = {(uintptr_t)copy, size, copy};
    struct wick_mem_fake fake = {&range, 1};
    struct wick_mem mem;
    wick_mem_fake_init(&mem, &fake);
    struct wick_elf_image image = {
        .eh_hdr = range.addr, .eh_hdr_size = (uint32_t)size, .ro_lo = range.addr, .ro_hi = range.addr + size};
    look(&mem, &image, data, size);
    image.flags = WICK_IMAGE_PINNED;
    look(&mem, &image, data, size);
    image.flags = 0;
    range.size = size - size / 4;
    look(&mem, &image, data, size);
    free(copy);
    return 0;
}
