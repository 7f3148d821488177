/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_mapping.h - which file a piece of code is from, by the kernel's own list of the mappings of a process
 *
 * A process that has just begun is not known yet, but its code is mostly that of files which other processes have
 * mapped, so their unwind rules are there already: pages of files are known by the file and the offset in it.
 *
 *      mm->mm_mt:  node { pivot, pivot, ... | slot, slot, ... }  -->  node  -->  vma  -->  file  -->  inode
 *                         slot i holds what lies up to pivot i
 *
 * It is read without a lock: an interrupt can take the lock of mappings once at most, if nobody has it. So what is read
 * counts only if it makes sense at its end: a mapping of this address space around the address, which is the same when
 * its file has been read. Before Linux 6.1 mappings are in a tree of another kind, and no file is found.
 *
 * Threads: as the walker that asks.
 * Memory:  half a KiB in each walker.
 */
#ifndef WICK_BPF_HOST_MAPPING_H
#define WICK_BPF_HOST_MAPPING_H

#include <stdbool.h>

#include <bpf/bpf_core_read.h>

#include "ebpf/host_event.h"

/* The fields that are read; the loader finds out where they are in the kernel that runs. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct maple_tree {
    void *ma_root;
};
struct maple_range_64 {
    unsigned long pivot[15];
    void *slot[16];
};
struct maple_arange_64 {
    unsigned long pivot[9];
    void *slot[10];
};
struct mm_struct___mapped {
    struct maple_tree mm_mt;
};
struct super_block {
    __u32 s_dev;
};
/* The time of the last change has had several names. */
struct timespec64 {
    __s64 tv_sec;
    long tv_nsec;
};
struct inode___mapped {
    struct super_block *i_sb;
    unsigned long i_ino;
    __s64 i_ctime_sec;
    __u32 i_ctime_nsec;
};
struct inode___before_6_11 {
    struct timespec64 __i_ctime;
};
struct inode___before_6_6 {
    struct timespec64 i_ctime;
};
struct file___mapped {
    struct inode___mapped *f_inode;
};
struct vm_area_struct {
    unsigned long vm_start, vm_end;
    struct mm_struct___mapped *vm_mm;
    unsigned long vm_pgoff;
    struct file___mapped *vm_file;
};
#pragma clang attribute pop

/* A tree of 65,530 mappings has fewer levels. A pointer to a node has its type in the low bits. */
enum { MAPLE_LEVELS = 8, MAPLE_WORDS = 32, MAPLE_PIVOTS = 15, MAPLE_IS_NODE = 2, MAPLE_FIRST = 4096 };
enum { MAPLE_TYPE = 3, MAPLE_TYPES = 15, MAPLE_LEAF = 1, MAPLE_ARANGE = 3, PAGE_SHIFT = 12 };

enum { CODE_RANGES = 4 }; /* a power of two */

/* A piece of the address space; .file.device is 0 if it is of no file. */
struct code_range {
    __u64 lo, hi;
    __u64 offset; /* of lo in the file */
    struct wick_host_inode file;
};

struct mappings {
    struct code_range range[CODE_RANGES]; /* the last ones that were found */
    __u64 node[MAPLE_WORDS];
    __u64 slot, vma;
    __u32 next, pad;
};

STEP_INLINE void begin_mappings(struct mappings *m)
{
    m->next = 0;
    for (int i = 0; i < CODE_RANGES; i++)
        m->range[i].lo = m->range[i].hi = 0;
}

/* Which slot of m->node holds pc: in front of it are the pivots below pc; those that are not in use are 0. The count is
 * kept in memory so that the verifier need not follow each of its values. */
STEP_INLINE void choose_slot(struct mappings *m, __u64 pc, bool arange)
{
    __u32 pivot = arange ? bpf_core_field_offset(struct maple_arange_64, pivot) / 8
                         : bpf_core_field_offset(struct maple_range_64, pivot) / 8;
    __u32 slot = arange ? bpf_core_field_offset(struct maple_arange_64, slot) / 8
                        : bpf_core_field_offset(struct maple_range_64, slot) / 8;
    m->slot = slot;
    for (__u32 i = 0; i < MAPLE_PIVOTS; i++) {
        __u64 last = m->node[(pivot + i) & (MAPLE_WORDS - 1)];
        if (pivot + i >= slot || !last || last >= pc)
            break;
        m->slot++;
    }
}

/* Leaves the mapping around pc in m->vma, if the tree says so. 0 on success. */
STEP_INLINE int find_vma(struct mappings *m, __u64 pc)
{
    if (STEP_NULL(m) || !bpf_core_field_exists(struct mm_struct___mapped, mm_mt))
        return -1;
    const struct mm_struct___mapped *mm = (const void *)bpf_get_current_task_btf()->mm;
    if (!mm)
        return -1;
    __u64 at = (__u64)mm->mm_mt.ma_root;
    if ((at & 3) != MAPLE_IS_NODE || at < MAPLE_FIRST)
        return -1;
    for (int level = 0; level < MAPLE_LEVELS; level++) {
        __u32 type = at >> MAPLE_TYPE & MAPLE_TYPES;
        if (type < MAPLE_LEAF || type > MAPLE_ARANGE ||
            bpf_probe_read_kernel(m->node, sizeof m->node, (const void *)(at & ~(__u64)0xff)))
            return -1;
        choose_slot(m, pc, type == MAPLE_ARANGE);
        at = m->node[m->slot & (MAPLE_WORDS - 1)];
        if (type == MAPLE_LEAF) {
            m->vma = at;
            return at < MAPLE_FIRST ? -1 : 0;
        }
    }
    return -1;
}

#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

STEP_INLINE int read_change(struct wick_host_inode *out, const struct inode___mapped *inode)
{
    enum { SECOND = 1000000000 };
    const struct inode___before_6_11 *later = (const void *)inode;
    const struct inode___before_6_6 *earlier = (const void *)inode;
    struct timespec64 t = {0, 0};
    __u32 ns = 0;
    int rc = -1;
    if (bpf_core_field_exists(inode->i_ctime_sec)) {
        rc = READ(t.tv_sec, inode->i_ctime_sec) || READ(ns, inode->i_ctime_nsec);
        t.tv_nsec = ns;
    } else if (bpf_core_field_exists(later->__i_ctime)) {
        rc = READ(t.tv_sec, later->__i_ctime.tv_sec) || READ(t.tv_nsec, later->__i_ctime.tv_nsec);
    } else if (bpf_core_field_exists(earlier->i_ctime)) {
        rc = READ(t.tv_sec, earlier->i_ctime.tv_sec) || READ(t.tv_nsec, earlier->i_ctime.tv_nsec);
    }
    out->changed_ns = (__u64)t.tv_sec * SECOND + (__u64)t.tv_nsec;
    return rc;
}

/* What a file is known by. 0 on success. */
STEP_INLINE int read_inode(struct wick_host_inode *out, __u64 file)
{
    const struct inode___mapped *inode = NULL;
    const struct super_block *sb = NULL;
    __u32 device = 0;
    if (STEP_NULL(out) || READ(inode, ((const struct file___mapped *)file)->f_inode) || READ(sb, inode->i_sb) ||
        READ(device, sb->s_dev) || READ(out->number, inode->i_ino) || read_change(out, inode))
        return -1;
    out->device = (__u64)device | WICK_HOST_OF_FILE;
    return 0;
}

/* What m->vma is, if it is a mapping of this address space around pc. 0 on success. */
STEP_INLINE int read_vma(struct mappings *m, struct code_range *out, __u64 pc)
{
    if (STEP_NULL(m) || STEP_NULL(out))
        return -1;
    const struct vm_area_struct *vma = (const void *)m->vma;
    const void *mm = NULL, *file = NULL, *again = NULL;
    __u64 page = 0;
    out->file.device = 0;
    if (READ(out->lo, vma->vm_start) || READ(out->hi, vma->vm_end) || READ(mm, vma->vm_mm) ||
        READ(page, vma->vm_pgoff) || READ(file, vma->vm_file) || mm != bpf_get_current_task_btf()->mm || pc < out->lo ||
        pc >= out->hi)
        return -1;
    out->offset = page << PAGE_SHIFT;
    if (!file || read_inode(&out->file, (__u64)file))
        out->file.device = 0;
    __u64 lo = 0;
    if (READ(lo, vma->vm_start) || READ(again, vma->vm_file) || lo != out->lo || again != file)
        out->file.device = 0;
    return 0;
}

/* Finds the mapping around pc: its number in m->range, or negative. */
STEP_FN int find_range(struct mappings *m, __u64 pc)
{
    if (STEP_NULL(m))
        return -1;
    for (int i = 0; i < CODE_RANGES; i++)
        if (pc >= m->range[i].lo && pc < m->range[i].hi)
            return i;
    __u32 i = m->next & (CODE_RANGES - 1);
    if (find_vma(m, pc) || read_vma(m, &m->range[i], pc)) {
        m->range[i].lo = m->range[i].hi = 0;
        return -1;
    }
    m->next = i + 1;
    return (int)i;
}

#undef READ

#endif
