/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_rules.h - unwind rules of native code for the kernel side, a page of code at a time
 *
 * When a walk comes by a page for the first time, the rules of all its instructions are made from .eh_frame:
 *
 *      page:  { from byte 0: rule 7 | from byte 18: rule 3 | ... }       pages[birth, page]
 *      rule:  CFA = rsp + 24, return address at CFA - 8, ...             rules[number]
 *
 * Different rules are few. The bytes of .eh_frame are read once for all processes that have a library with that build
 * id, since they are the same wherever it is mapped.
 *
 * Threads: one.
 * Memory:  malloc: of so many libraries, 64 MiB of bytes at most; those used last stay.
 */
#ifndef WICK_EBPF_HOST_RULES_H
#define WICK_EBPF_HOST_RULES_H

#include "ebpf/host_kernel.h"
#include "elf/image.h"
#include "model/hash.h"

enum { WICK_HOST_LIBRARIES = 64 };

struct wick_host_library {
    uint8_t id[WICK_BUILD_ID_MAX];
    uint8_t id_len; /* 0 = a free place */
    uint64_t use;
    uint8_t *bytes; /* of the segment that holds .eh_frame */
    size_t size;
};

struct wick_host_rules {
    struct wick_host_kernel *kernel; /* borrowed */
    struct wick_unwind_rule *rules;  /* number - 1 */
    uint32_t n;
    struct wick_index index;
    struct wick_host_library libraries[WICK_HOST_LIBRARIES];
    uint64_t uses;
    size_t bytes;
};

/* 0 or -WICK_E_NOMEM. */
int wick_host_rules_init(struct wick_host_rules *r, struct wick_host_kernel *k);
void wick_host_rules_release(struct wick_host_rules *r);

/* Hands the rules of pc's page to the kernel side. image: what holds pc, NULL = nothing known. */
void wick_host_rules_page(struct wick_host_rules *r, const struct wick_host_birth *birth, const struct wick_mem *mem,
                          const struct wick_elf_image *image, uint64_t pc);

#endif
