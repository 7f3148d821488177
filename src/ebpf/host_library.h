/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_library.h - the unwind data of the files that processes have mapped, and of code that is of no file
 *
 * A file is described by itself alone, whichever process has mapped it and however: program headers, .eh_frame and
 * Go's table of functions are read from the file, and addresses are those that its headers name (bias 0). Which file it
 * is, is the kernel's word (device, inode and times), whereas memory and build ids are the process's, which would give
 * others its own rules. What is of no file that can be read is described by the memory of that process, for that
 * process alone.
 *
 *      process, pc  -->  mapping  -->  file, offset  -->  library, address in it
 *
 * Memory:  malloc: of so many libraries, 32 MiB of bytes at most, and a descriptor each; those used last stay, for a
 *          minute.
 */
#ifndef WICK_EBPF_HOST_LIBRARY_H
#define WICK_EBPF_HOST_LIBRARY_H

#include <stdbool.h>

#include "ebpf/host_event.h"
#include "ebpf/host_file.h"
#include "elf/go_table.h"
#include "elf/image.h"

enum { WICK_HOST_LIBRARIES = 64, WICK_HOST_FOUND = 256, WICK_HOST_SEGMENTS = 8, WICK_HOST_NAME = 96 };

/* A process, and an image in it: NULL = nothing is known of the place. */
struct wick_host_code {
    int pid;
    struct wick_host_birth birth;
    const struct wick_mem *mem;
    const struct wick_elf_image *image;
    const struct wick_host_mapped
        *mapped; /* as its walks saw it, NULL = they did not; alone of one that cannot be read */
};

/* By which the kernel side knows the file that is open; false: it does not. */
typedef bool wick_host_identify(void *arg, int fd, struct wick_host_inode *out);

struct wick_host_library_key {
    struct wick_host_file_id file; /* 0 = memory of a process */
    struct wick_host_birth birth;  /* that process; else 0 */
    uint64_t at;                   /* in its memory */
};

struct wick_host_segment {
    uint64_t offset, addr, size;
};

struct wick_host_library {
    struct wick_host_library_key key;
    uint64_t use;                /* 0 = a free place */
    uint32_t round;              /* of the last use */
    struct wick_host_inode file; /* device 0: the kernel side does not know it by its file */
    int fd;                      /* the file; -1 = none */
    char name[WICK_HOST_NAME];   /* of the file, without directories */
    struct wick_elf_image image; /* its path is not set */
    struct wick_go_table go;     /* of its code that was compiled by Go */
    bool starts;                 /* the kernel may start a thread at its entry */
    struct wick_host_segment text[WICK_HOST_SEGMENTS];
    uint32_t ntext;
    uint64_t lo, size; /* address of the bytes, and how many: .eh_frame, the table of its entries, and what is behind */
    uint8_t *bytes;    /* NULL: there are none, or too many */
};

/* What a process's mapping was found to be, so that its file need not be opened for each page. */
struct wick_host_found {
    struct wick_host_birth birth;
    uint64_t lo, hi, offset, inode;
    uint32_t image; /* its id */
    struct wick_host_library_key key;
};

struct wick_host_libraries {
    struct wick_host_devices *devices; /* borrowed */
    wick_host_identify *identify;
    void *arg;
    struct wick_host_library of[WICK_HOST_LIBRARIES];
    struct wick_host_found found[WICK_HOST_FOUND];
    uint64_t uses;
    uint32_t round;
    size_t bytes;
};

/* A place of code in a library. */
struct wick_host_spot {
    const struct wick_host_library *library; /* until the next call; NULL = it cannot be read at once */
    bool known;                              /* else the file has no code there */
    wick_addr addr;                          /* by the library's image */
    uint64_t offset;                         /* in the file */
};

/* No libraries yet. Borrows the devices; identify may be NULL. */
void wick_host_libraries_init(struct wick_host_libraries *ls, struct wick_host_devices *devices,
                              wick_host_identify *identify, void *arg);
void wick_host_libraries_release(struct wick_host_libraries *ls);

/* Gives back those that were not used for a while; called about once a second. */
void wick_host_libraries_tidy(struct wick_host_libraries *ls);

/* The library of a mapping that the kernel side has seen, if it was described by then, and the address of pc in it.
 * NULL: it is not known. Until the next call. */
const struct wick_host_library *wick_host_library_of(struct wick_host_libraries *ls, const struct wick_host_mapped *m,
                                                     wick_addr pc, wick_addr *addr);

/* Where the instruction at pc is; code->image or code->mapped is not NULL. `again`: what was found before is asked for
 * anew. */
void wick_host_library_find(struct wick_host_libraries *ls, const struct wick_host_code *code, wick_addr pc, bool again,
                            struct wick_host_spot *out);

#endif
