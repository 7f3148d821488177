/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_scan.h - a fresh list of the images of a process (internal to src/elf)
 *
 * Threads: one ordinary thread.
 * Memory:  malloc; _release frees the list and its paths.
 */
#ifndef WICK_ELF_IMAGE_SCAN_H
#define WICK_ELF_IMAGE_SCAN_H

#include "elf/image.h"

#define WICK_PHDR_MAX 64 /* program headers of one image; real ones have 7 to 14 */

struct wick_elf_scan {
    struct wick_elf_image *images; /* id is not set; path is owned */
    uint32_t n, cap;
    bool unchanged; /* nothing was listed because nothing came or went */
    bool counted;   /* adds and subs are known */
    unsigned long long adds, subs;
};

/* Describes an image by its program headers (n Elf64_Phdr in our memory). As wick_elf_image_probe. */
int wick_elf_image_describe(const struct wick_mem *m, wick_addr bias, const void *phdrs, unsigned n,
                            struct wick_elf_image *out);

/* Appends a copy of img with a copy of path. 0 or -WICK_E_NOMEM. */
int wick_elf_scan_add(struct wick_elf_scan *s, const struct wick_elf_image *img, const char *path);

/* This process, by dl_iterate_phdr; `known` says what was seen last time. */
int wick_elf_scan_self(struct wick_elf_scan *s, const struct wick_elf_images *known);

/* Another process, by its /proc/PID/maps; `of` says which. */
int wick_elf_scan_other(struct wick_elf_scan *s, const struct wick_elf_images *of, const struct wick_mem *mem,
                        struct wick_err *err);

void wick_elf_scan_release(struct wick_elf_scan *s);

#endif
