/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - the ELF images (executable, libraries, vDSO) mapped in a process: which one holds a pc, and what it offers
 *
 * An image is described once, by a `struct wick_elf_image` that never changes, and has a small number (`id`) that is
 * never used again for another. The set of images is published as a sorted array by one pointer, so that a signal
 * handler finds the image of a pc by binary search while an ordinary thread refreshes the set: from dl_iterate_phdr for
 * this process, from /proc/PID/maps for another. Nothing but program headers and the build id is read; symbols are
 * another matter (elf/symbols.h).
 *
 * Threads: wick_elf_images_find is async-signal-safe and runs beside a refresh. _refresh, _at, _reclaim and
 *          _release belong to one ordinary thread at a time (the caller's lock).
 * Memory:  malloc in _refresh only. Old arrays, and the images that were unmapped, live until _reclaim: call it when no
 *          handler that started before the last refresh can still run and no recorded address needs the image. Images
 *          that cannot be unmapped are never freed by it: pointers to libjvm.so and libc stay good.
 */
#ifndef WICK_ELF_IMAGE_H
#define WICK_ELF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/mem.h"

struct wick_err;

#define WICK_BUILD_ID_MAX 32 /* bytes; SHA-1 has 20 */

enum {
    WICK_IMAGE_PINNED = 1,  /* of this process, and cannot be unmapped while it lives: may be read by plain loads */
    WICK_IMAGE_VDSO = 2,    /* has no file */
    WICK_IMAGE_MAIN = 4,    /* the executable */
    WICK_IMAGE_DELETED = 8, /* its file was removed (another process's images only) */
    WICK_IMAGE_STARTS = 16, /* is a program that the kernel can start (another process's images only) */
};

struct wick_elf_image {
    wick_addr bias;             /* address = bias + the file's virtual address (modulo 2^64) */
    wick_addr map_lo, map_hi;   /* from the first to the end of the last loaded segment */
    wick_addr text_lo, text_hi; /* the executable segments */
    wick_addr eh_hdr;           /* .eh_frame_hdr, 0 if there is none */
    wick_addr ro_lo, ro_hi;     /* the segment that holds .eh_frame_hdr and .eh_frame */
    wick_addr dyn;              /* the dynamic section, 0 if there is none */
    wick_addr entry;            /* as its header says, 0 = nowhere, or not known (this process) */
    uint32_t eh_hdr_size, dyn_size;
    uint32_t id;    /* grows from image to image */
    uint32_t flags; /* WICK_IMAGE_* */
    uint64_t inode; /* of the mapped file, 0 if not known (this process) */
    uint16_t machine;
    uint8_t build_id_len; /* 0: none */
    uint8_t build_id[WICK_BUILD_ID_MAX];
    const char *path; /* as the process's loader or kernel names it; "[vdso]"; never NULL in a published image */
};

struct wick_elf_entry {
    wick_addr lo, hi; /* text range */
    const struct wick_elf_image *image;
};

/* Sorted by lo; the ranges are disjoint. Immutable once published. */
struct wick_elf_table {
    struct wick_elf_table *retired; /* writer only: next older array */
    uint32_t n;
    struct wick_elf_entry e[];
};

struct wick_elf_images {
    _Atomic(struct wick_elf_table *) table; /* writer: refresh; readers: anybody */
    /* the rest is the writer's */
    struct wick_elf_table *retired;
    struct wick_elf_image **all; /* sorted by id: all but the reclaimed ones */
    uint32_t n_all, cap_all, next_id;
    int pid;     /* 0: this process */
    int maps_fd; /* its /proc/PID/maps, borrowed: names one address space, whatever pid executes; -1 = go by pid */
    unsigned long long adds, subs;
    bool counted; /* adds and subs are known */
};

/* Describes the ELF image whose file header is mapped at base. Fills out except id, flags, inode and path.
 * 0, -WICK_E_FORMAT (not a 64-bit little-endian image, or nonsense), -WICK_E_FAULT or -WICK_E_GONE. */
int wick_elf_image_probe(const struct wick_mem *m, wick_addr base, struct wick_elf_image *out);

/* pid 0 is this process. Nothing is read yet. maps_fd may be set afterwards. */
void wick_elf_images_init(struct wick_elf_images *im, int pid);

/* Brings the set up to date and sets *changed. For this process it costs one dl_iterate_phdr step if no library came or
 * went; never call it from a signal handler or while holding a lock that a library constructor might take. mem reads
 * the target (for this process it may be NULL). 0, -WICK_E_NOMEM, -WICK_E_GONE, -WICK_E_PERM or -WICK_E_IO; the set is
 * as before on failure. */
int wick_elf_images_refresh(struct wick_elf_images *im, const struct wick_mem *mem, bool *changed,
                            struct wick_err *err);

/* The image whose text holds pc, or NULL. Async-signal-safe. */
const struct wick_elf_image *wick_elf_images_find(const struct wick_elf_images *im, wick_addr pc);

/* The i-th of those that are known, mapped or not; NULL from the last one on. */
const struct wick_elf_image *wick_elf_images_at(const struct wick_elf_images *im, uint32_t i);

/* Frees old arrays and unmapped images (see Memory). */
void wick_elf_images_reclaim(struct wick_elf_images *im);

/* Whether _reclaim would find anything. */
bool wick_elf_images_wasted(const struct wick_elf_images *im);

void wick_elf_images_release(struct wick_elf_images *im);

#endif
