/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_library.h - the unwind data of the files that processes have mapped, and of code that is of no file
 *
 * A file is described by itself alone, whichever process has mapped it and however: program headers and .eh_frame are read from
 * the file, and addresses are those that its headers name (bias 0). Which file it is, is the kernel's word (device,
 * inode and times), whereas memory and build ids are the process's, which would give others its own rules. What is of no
 * file that can be read is described by the memory of that process, for that process alone.
 *
 *      process, pc  -->  mapping  -->  file, offset  -->  library, address in it
 *
 * Memory:  malloc: of so many libraries, 32 MiB of bytes at most; those used last stay.
 */
#ifndef WICK_EBPF_HOST_LIBRARY_H
#define WICK_EBPF_HOST_LIBRARY_H

#include <stdbool.h>

#include "ebpf/host_event.h"
#include "ebpf/host_file.h"
#include "elf/image.h"

enum { WICK_HOST_LIBRARIES = 64, WICK_HOST_FOUND = 256, WICK_HOST_SEGMENTS = 8 };

/* A process, and an image in it: NULL = nothing is known of the place. */
struct wick_host_code {
    int pid;
    struct wick_host_birth birth;
    const struct wick_mem *mem;
    const struct wick_elf_image *image;
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
    struct wick_host_inode file; /* device 0: the kernel side does not know it by its file */
    struct wick_elf_image image; /* its path is not set */
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

/* Where the instruction at pc is; code->image is not NULL. `again`: what was found before is asked for anew. */
void wick_host_library_find(struct wick_host_libraries *ls, const struct wick_host_code *code, wick_addr pc, bool again,
                            struct wick_host_spot *out);

#endif
