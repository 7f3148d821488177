/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_process.h - the processes that a recording of the whole machine has met, and what is known of each
 *
 * A process is read at its first sample, while it lives: its mappings, the container it is in, and whether it is a JVM.
 * All that is read from it is hostile: reads are bounded, and what does not make sense is left out.
 *
 * Memory:  malloc; at most WICK_HOST_PROCESSES at a time (any one goes when another comes), with a cache each.
 */
#ifndef WICK_EBPF_HOST_PROCESS_H
#define WICK_EBPF_HOST_PROCESS_H

#include <stdbool.h>

#include "ebpf/host_cache.h"
#include "ebpf/host_chain.h"
#include "ebpf/host_kernel.h"
#include "ebpf/host_library.h"
#include "ebpf/host_published.h"
#include "ebpf/host_space.h"
#include "ebpf/host_symbols.h"
#include "ebpf/host_tables.h"
#include "ebpf/host_cgroups.h"
#include "elf/image.h"
#include "hotspot/jvm.h"
#include "hotspot/thread.h"
#include "symbolize/symbolize.h"

enum { WICK_HOST_PROCESSES = 2048, WICK_HOST_BUCKETS = 1024, WICK_HOST_CONTAINER = 80, WICK_HOST_REFUSED = 8 };

enum wick_host_jvm_state {
    WICK_HOST_NO_JVM,       /* no libjvm.so is mapped */
    WICK_HOST_JVM_STARTING, /* one is, and what it describes is not there yet */
    WICK_HOST_JVM_READY,
    WICK_HOST_JVM_REFUSED, /* what it describes makes no sense, when it was read last */
};

/* A thread of a process in a container: its number there, and on this machine. */
struct wick_host_numbered {
    uint32_t own, here;
};

struct wick_host_process {
    struct wick_host_process *next; /* of the same bucket */
    struct wick_host_birth birth;
    uint32_t pid;
    struct wick_host_kernel *kernel; /* borrowed */
    char comm[WICK_HOST_COMM];
    char container[WICK_HOST_CONTAINER]; /* "" = in none */
    char pod[WICK_HOST_CONTAINER];       /* of Kubernetes, its uid; "" = none */
    char unit[WICK_HOST_CONTAINER];      /* of systemd; "" = none */
    char *service;                       /* by its environment; NULL = none */
    char *cgroup;     /* its path in the hierarchy of the cpu controller; NULL = root, or not known */
    uint32_t context; /* number in the tables */
    bool gone;        /* it could not be read, most likely because it had ended */
    bool allocs_met;  /* whether its allocations can be seen has been found out (host_alloc.h) */
    bool own_pids;    /* its threads have other numbers in its own pid namespace */
    struct wick_host_space space;
    struct wick_elf_images images;
    struct wick_symbolizer code;
    struct wick_host_symbols *symbols;     /* borrowed */
    struct wick_host_libraries *libraries; /* borrowed */
    struct wick_host_mapped *mapped;       /* as its first walks saw them (host_brief.h), so many: */
    uint32_t nmapped;
    uint64_t met_ns;    /* time of its first sample */
    uint64_t spent_ns;  /* CPU time that naming its frames took */
    uint64_t images_ns; /* when the mappings were read last */
    enum wick_host_jvm_state jvm_state;
    uint64_t jvm_ns;     /* when it was read last */
    int jvm_doublings;   /* of the time until it is read again */
    bool jvm_reported;   /* among those that were refused */
    uint64_t threads_ns; /* when its threads may be listed again */
    struct wick_jvm jvm;
    struct {
        struct wick_host_numbered *of; /* its threads, as listed last, if it has own_pids */
        uint32_t n;
        uint64_t next_ns; /* when they may be listed again */
    } numbered;
    struct wick_hs_thread *threads; /* Java threads, as listed last */
    int nthreads;
    struct wick_host_cache cache;
    struct wick_host_published published;
};

/* What is written for those processes of a cgroup (of version 2) that cannot be read. */
struct wick_host_container {
    uint64_t cgroup;
    char text[WICK_HOST_CONTAINER]; /* "" = they are in none */
};

struct wick_host_processes {
    struct wick_host_process *bucket[WICK_HOST_BUCKETS];
    uint32_t count, next_bucket;
    struct wick_host_kernel *kernel; /* borrowed */
    struct wick_host_tables *tables; /* borrowed */
    struct wick_host_container *containers;
    struct wick_host_cgroups cgroups;      /* of those that lived when they were met */
    struct wick_host_devices devices;      /* whose files may be read */
    struct wick_host_symbols symbols;      /* of their files */
    struct wick_host_libraries *libraries; /* borrowed */
    uint32_t ncontainers;
    uint64_t met, gone, jvms, refused;       /* since the start */
    uint32_t refused_pid[WICK_HOST_REFUSED]; /* some of those that were refused, so many: */
    uint32_t nrefused_pids;
};

/* No processes yet. Keeps k, t and ls, which must outlive it; _release frees all processes. */
void wick_host_processes_init(struct wick_host_processes *ps, struct wick_host_kernel *k, struct wick_host_tables *t,
                              struct wick_host_libraries *ls);
void wick_host_processes_release(struct wick_host_processes *ps);

/* The process of a sample, read if it is new; NULL = no memory. Borrowed until the next call of _of or _end. */
struct wick_host_process *wick_host_process_of(struct wick_host_processes *ps, const struct wick_host_head *h);

/* What belongs to one sample: what others have to do with a wait, or what more is known of an occurrence. NULL, 0 =
 * nothing is known. */
struct wick_host_relation {
    const struct wick_host_other *other;
    const struct wick_host_link *link; /* what it waited for, and what that one did */
    enum wick_host_doing doing;
    enum wick_host_detail detail;
    const char *device;     /* of a request to a disk */
    const char *operation;  /* of that, or of a call on a socket */
    const char *peer;       /* what that is connected to */
    const char *service;    /* its own address, if it was connected to */
    const char *call;       /* name of a system call */
    const char *stall;      /* what memory was waited for */
    const char *lock_owner; /* thread that had the lock which was waited for */
    const char *thread;     /* labels that the thread published, each behind a comma */
};

/* The number of its labels; `of` may be NULL. */
uint32_t wick_host_process_context(struct wick_host_processes *ps, const struct wick_host_process *p,
                                   const struct wick_host_relation *of);

/* That address space has ended. */
void wick_host_process_end(struct wick_host_processes *ps, const struct wick_host_birth *birth);

/* Whether what has the process's number is still that address space. */
bool wick_host_process_is_same(const struct wick_host_process *p);

/* Reads the mappings again, unless that was done just now. True if they have changed; then names that were found for
 * its code are forgotten. */
bool wick_host_process_refresh(struct wick_host_process *p, uint64_t now_ns);

/* The tables start anew: no frame is kept, and labels get their new numbers. */
void wick_host_processes_renew(struct wick_host_processes *ps);

/* Gives back symbol tables that were not used for a while; called about once a second. */
void wick_host_processes_tidy(struct wick_host_processes *ps);

#endif
