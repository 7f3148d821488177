/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_rules.h - unwind rules of native code for the kernel side, a page of code at a time
 *
 * When a walk comes by a page for the first time, the rules of all its instructions are made from .eh_frame:
 *
 *      page:  { from byte 0: rule 7 | from byte 18: rule 3 | ... }       pages[birth, page]
 *      rule:  CFA = rsp + 24, return address at CFA - 8, ...             rules[number]
 *
 * Different rules are few (host_number.h). The bytes of .eh_frame are read once for all processes that have mapped the
 * same file, from the file: its device, inode and times are the kernel's word, whereas memory and build ids are the
 * process's, which would give others its own rules. What is of no file that can be read is kept for that process alone.
 *
 * Memory:  malloc: of so many libraries, 32 MiB of bytes at most; those used last stay.
 */
#ifndef WICK_EBPF_HOST_RULES_H
#define WICK_EBPF_HOST_RULES_H

#include "ebpf/host_file.h"
#include "ebpf/host_number.h"
#include "elf/image.h"

enum { WICK_HOST_LIBRARIES = 64, WICK_HOST_FOUND = 256 };

/* Where bytes are from. */
struct wick_host_library_key {
    struct wick_host_file_id file; /* 0 = memory of a process */
    struct wick_host_birth birth;  /* that process; else 0 */
    uint64_t at, size;             /* in the file, or its memory */
};

struct wick_host_library {
    struct wick_host_library_key key;
    uint64_t use;   /* 0 = a free place */
    uint8_t *bytes; /* .eh_frame, the table of its entries, and what lies behind them in the segment */
};

/* What a process's image was found to be, so that its file need not be opened for each page. */
struct wick_host_found {
    struct wick_host_birth birth;
    uint64_t ro_lo, lo, inode; /* lo: where its unwind data begin */
    uint32_t image;            /* its id */
    struct wick_host_library_key key;
};

struct wick_host_rules {
    struct wick_host_numbers numbers;
    struct wick_host_devices *devices; /* borrowed */
    struct wick_host_library libraries[WICK_HOST_LIBRARIES];
    struct wick_host_found found[WICK_HOST_FOUND];
    uint64_t uses;
    size_t bytes;
};

/* A process, and an image in it: NULL = nothing is known of the place. */
struct wick_host_code {
    int pid;
    struct wick_host_birth birth;
    const struct wick_mem *mem;
    const struct wick_elf_image *image;
};

/* 0 or -WICK_E_NOMEM. Borrows the devices. */
int wick_host_rules_init(struct wick_host_rules *r, const struct wick_host_rule_sink *sink,
                         struct wick_host_devices *devices);
void wick_host_rules_release(struct wick_host_rules *r);

/* The rule of the instruction at pc alone. 0, or as wick_eh_rule(). */
int wick_host_rules_find(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc,
                         struct wick_unwind_rule *rule);

/* Hands the rules of pc's page to the sink. now_ns: CLOCK_MONOTONIC. */
void wick_host_rules_page(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc, uint64_t now_ns);

#endif
