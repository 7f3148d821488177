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
    void *binfmt;
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

/* A tree of 65,530 mappings rarely has more levels; what is deeper is not found. A pointer to a node has its type in
 * the low bits. */
enum { MAPLE_LEVELS = 6, MAPLE_WORDS = 32, MAPLE_PIVOTS = 15, MAPLE_IS_NODE = 2, MAPLE_FIRST = 4096 };
enum { MAPLE_TYPE = 3, MAPLE_TYPES = 15, MAPLE_LEAF = 1, MAPLE_ARANGE = 3, PAGE_SHIFT = 12 };

struct mappings {
    struct wick_host_mapped range[WICK_HOST_MAPPED]; /* the last ones that were found; hi 0: none */
    __u64 node[MAPLE_WORDS];
    __u64 at, slot; /* a node, or what the tree holds */
    __u32 next, type;
    /* what is read on the way: beside a walk there is little room on the stack */
    struct wick_host_mapped found;
    const void *mm;
    const struct file___mapped *file, *again;
    const struct inode___mapped *inode;
    const struct super_block *sb;
    struct timespec64 change;
    __u64 page, lo;
    __u32 device, change_ns;
};

STEP_INLINE void begin_mappings(struct mappings *m)
{
    m->next = 0;
    for (int i = 0; i < WICK_HOST_MAPPED; i++)
        m->range[i].lo = m->range[i].hi = 0;
}

/* Whether the thread is between two programs: it has the memory of the one that is being loaded already, and the
 * registers of the one before. The last part of that, when the new one's arguments are put in place, does not show. */
STEP_INLINE bool is_being_loaded(void)
{
    const struct mm_struct___mapped *mm = (const void *)bpf_get_current_task_btf()->mm;
    return mm && !mm->binfmt;
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

/* Leaves the mapping around pc in m->at, if the tree says so. 0 on success. */
STEP_INLINE int find_vma(struct mappings *m, __u64 pc)
{
    if (!bpf_core_field_exists(struct mm_struct___mapped, mm_mt))
        return -1;
    const struct mm_struct___mapped *mm = (const void *)bpf_get_current_task_btf()->mm;
    if (!mm)
        return -1;
    m->at = (__u64)mm->mm_mt.ma_root;
    if ((m->at & 3) != MAPLE_IS_NODE || m->at < MAPLE_FIRST)
        return -1;
    for (int level = 0; level < MAPLE_LEVELS; level++) {
        m->type = m->at >> MAPLE_TYPE & MAPLE_TYPES;
        if (m->type < MAPLE_LEAF || m->type > MAPLE_ARANGE ||
            bpf_probe_read_kernel(m->node, sizeof m->node, (const void *)(m->at & ~(__u64)0xff)))
            return -1;
        choose_slot(m, pc, m->type == MAPLE_ARANGE);
        m->at = m->node[m->slot & (MAPLE_WORDS - 1)];
        if (m->type == MAPLE_LEAF)
            return m->at < MAPLE_FIRST ? -1 : 0;
    }
    return -1;
}

#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

STEP_INLINE int read_change(struct mappings *m)
{
    const struct inode___before_6_11 *later = (const void *)m->inode;
    const struct inode___before_6_6 *earlier = (const void *)m->inode;
    int rc = -1;
    if (bpf_core_field_exists(m->inode->i_ctime_sec)) {
        rc = READ(m->change.tv_sec, m->inode->i_ctime_sec) || READ(m->change_ns, m->inode->i_ctime_nsec);
        m->change.tv_nsec = m->change_ns;
    } else if (bpf_core_field_exists(later->__i_ctime)) {
        rc = READ(m->change.tv_sec, later->__i_ctime.tv_sec) || READ(m->change.tv_nsec, later->__i_ctime.tv_nsec);
    } else if (bpf_core_field_exists(earlier->i_ctime)) {
        rc = READ(m->change.tv_sec, earlier->i_ctime.tv_sec) || READ(m->change.tv_nsec, earlier->i_ctime.tv_nsec);
    }
    return rc;
}

/* What m->file is known by. 0 on success. */
STEP_INLINE int read_inode(struct mappings *m)
{
    enum { SECOND = 1000000000 };
    if (READ(m->inode, m->file->f_inode) || READ(m->sb, m->inode->i_sb) || READ(m->device, m->sb->s_dev) ||
        READ(m->found.file.number, m->inode->i_ino) || read_change(m))
        return -1;
    m->found.file.changed_ns = (__u64)m->change.tv_sec * SECOND + (__u64)m->change.tv_nsec;
    m->found.file.device = m->device | WICK_HOST_OF_FILE;
    return 0;
}

#define VMA ((const struct vm_area_struct *)m->at)

/* Fills m->found if m->at is a mapping of this address space around pc. 0 on success. */
STEP_INLINE int read_vma(struct mappings *m, __u64 pc)
{
    m->found.file.device = 0;
    if (READ(m->found.lo, VMA->vm_start) || READ(m->found.hi, VMA->vm_end) || READ(m->mm, VMA->vm_mm) ||
        READ(m->page, VMA->vm_pgoff) || READ(m->file, VMA->vm_file) || m->mm != bpf_get_current_task_btf()->mm ||
        pc < m->found.lo || pc >= m->found.hi)
        return -1;
    m->found.offset = m->page << PAGE_SHIFT;
    if (!m->file || read_inode(m) || READ(m->lo, VMA->vm_start) || READ(m->again, VMA->vm_file) ||
        m->lo != m->found.lo || m->again != m->file)
        m->found.file.device = 0;
    return 0;
}

/* Finds the mapping around pc: its number in m->range, or negative. */
STEP_FN int find_range(struct mappings *m, __u64 pc)
{
    if (STEP_NULL(m))
        return -1;
    for (int i = 0; i < WICK_HOST_MAPPED; i++)
        if (pc >= m->range[i].lo && pc < m->range[i].hi)
            return i;
    if (find_vma(m, pc) || read_vma(m, pc))
        return -1;
    __u32 i = m->next++ & (WICK_HOST_MAPPED - 1);
    m->range[i] = m->found;
    return (int)i;
}

#undef VMA
#undef READ

#endif
