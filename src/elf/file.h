/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - an ELF file: where its symbols, names, PLT and build id are
 *
 * Only the section headers are read; everything else is read where and when it is needed, by pread: a mapped file that
 * another process truncates would kill the process that reads it.
 *
 * Threads: immutable after _init or _open; any thread may read.
 * Memory:  no allocation; _release closes the descriptor.
 */
#ifndef WICK_ELF_FILE_H
#define WICK_ELF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"
#include "mem/mem.h"

struct wick_err;

#define WICK_ELF_EXEC_MAX 32 /* executable sections that are remembered */
#define WICK_ELF_PLT_MAX  4
#define WICK_ELF_RELA_MAX 4

/* A section; size 0 = absent. */
struct wick_elf_sec {
    uint64_t addr, off, size;
    uint32_t entsize;
};

struct wick_elf_file {
    struct wick_mem mem; /* the file's bytes; address = offset */
    int fd;              /* owned; -1 = none */
    uint64_t size, base; /* base: lowest virtual address that is loaded */
    uint16_t machine;
    struct wick_elf_sec symtab, strtab, dynsym, dynstr, debuglink;
    struct wick_elf_sec exec[WICK_ELF_EXEC_MAX], plt[WICK_ELF_PLT_MAX], rela[WICK_ELF_RELA_MAX];
    uint32_t n_exec, n_plt, n_rela;
    struct wick_elf_sec go_table;        /* .gopclntab (go_table.h) */
    struct wick_elf_sec usdt, usdt_base; /* .note.stapsdt; .stapsdt.base: only its address counts */
    uint8_t build_id_len;
    uint8_t build_id[WICK_BUILD_ID_MAX];
};

/* Bytes through mem (borrowed as long as f lives). 0, -WICK_E_FORMAT or -WICK_E_FAULT. */
int wick_elf_file_init(struct wick_elf_file *f, const struct wick_mem *mem, uint64_t size);

/* A descriptor, which f owns from now on; it is closed also on failure. 0, -WICK_E_FORMAT or -WICK_E_IO. */
int wick_elf_file_take_fd(struct wick_elf_file *f, int fd);

void wick_elf_file_release(struct wick_elf_file *f);

/* Opens a regular file for reading and nothing else (no device, no fifo), without blocking. root_fd < 0: path as it is;
 * else path is resolved inside that directory as chroot would, so that a hostile tree leads nowhere else.
 * The descriptor or -WICK_E_NOTFOUND, -WICK_E_PERM or -WICK_E_IO. */
int wick_elf_open_path(int root_fd, const char *path);

/* Opens the file behind an image: by its path if the file found there is the one that is mapped (same build id, or same
 * inode), else through /proc/PID/map_files, which works for deleted files and needs privileges. pid 0: this process;
 * root_fd as above. The descriptor, or as above. */
int wick_elf_open_image(const struct wick_elf_image *image, int pid, int root_fd);

/* Finds the separate debug file of f (which came from path, seen from root_fd) and opens it: by build id, then by
 * .gnu_debuglink beside it, in .debug/ and under debug_dir (NULL = /usr/lib/debug); for a path that is not to be
 * believed pass "", and it is by build id alone. It must have a symbol table and the same build id, or the checksum
 * that the link states. 0 or -WICK_E_NOTFOUND. */
int wick_elf_open_debug(const struct wick_elf_file *f, const char *path, int root_fd, const char *debug_dir,
                        struct wick_elf_file *out);

/* Opens the file that has the symbol table of an image of this process: its own, or its separate debug file under
 * /usr/lib/debug. Without either it is the image's own file, where nothing will be found. 0, or why there is no file.
 */
int wick_elf_open_symbols(const struct wick_elf_image *image, struct wick_elf_file *out);

/* The virtual address of a defined symbol of .symtab, and its size (may be NULL), by scanning it once. 0,
 * -WICK_E_NOTFOUND, -WICK_E_FORMAT, -WICK_E_LIMIT or -WICK_E_FAULT. */
int wick_elf_find_symtab(const struct wick_elf_file *f, const char *name, uint64_t *vaddr, uint64_t *size);

/* What the PLT entry at vaddr jumps to. 0: name is the imported symbol; or, for an indirect function of this file, name
 * is empty and *target is the resolver's virtual address. -WICK_E_NOTFOUND: vaddr is in no PLT. An entry without a
 * relocation (the PLT's first) is named ".plt". */
int wick_elf_plt_find(const struct wick_elf_file *f, uint64_t vaddr, char *name, size_t cap, uint64_t *target,
                      struct wick_elf_sec *entry);

#endif
