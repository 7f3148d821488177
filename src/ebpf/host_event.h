/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_event.h - what the kernel side of `wick host` (bpf/host.bpf.c) and this side exchange
 *
 * A process is known by its birth: its number may be used again, and exec gives it another address space, but the time
 * at which it was started together with the count of its execs is never seen twice.
 *
 * Threads: see the maps in bpf/host.bpf.c.
 * Memory:  flat structs without pointers.
 */
#ifndef WICK_EBPF_HOST_EVENT_H
#define WICK_EBPF_HOST_EVENT_H

#include <stdbool.h>

#include "unwind/step.h"

enum {
    WICK_HOST_FRAMES = 512, /* of a process; deeper stacks are cut */
    WICK_HOST_KERNEL = 64,  /* of the kernel */
    WICK_HOST_COMM = 16,
    WICK_HOST_JVMS = 256,         /* whose layout the kernel side can hold */
    WICK_HOST_THREADS = 16384,    /* Java threads it can hold; the least recently used go */
    WICK_HOST_PAGES = 6144,       /* pages of code whose unwind rules it can hold, likewise */
    WICK_HOST_ROWS = 512,         /* rows of a page; a power of two */
    WICK_HOST_RULES = 8192,       /* different unwind rules at a time; there is room for twice as many */
    WICK_HOST_PAGE = 4096,        /* bytes */
    WICK_HOST_KNOWN = 16384,      /* processes whose mappings have been read, likewise */
    WICK_HOST_RUNS = 512,         /* a CPU's last threads; a power of two */
    WICK_HOST_STAYS = 4,          /* CPUs on whose queues a thread may have been while it waited for one */
    WICK_HOST_RIVALS = 16,        /* processes that ran instead, by CPU */
    WICK_HOST_OTHERS = 17,        /* these, and who woke it */
    WICK_HOST_LINKS = 8,          /* threads, one after the other, that a thread waited for; two for some */
    WICK_HOST_COUNTED = 16,       /* counted events of one recording */
    WICK_HOST_TRANSFERS = 8192,   /* requests to devices that are under way */
    WICK_HOST_PUBLISHERS = 2048,  /* processes whose threads publish contexts */
    WICK_HOST_CONTEXT = 640,      /* bytes of a thread's context; longer ones are left out */
    WICK_HOST_STALLS = 4096,      /* threads that wait for memory at a time */
    WICK_HOST_COPIED = 16 * 4096, /* bytes of a stack */
    WICK_HOST_PATH = 64,          /* of a local socket; longer ones are cut */
    WICK_HOST_MAPPED = 4,         /* mappings that go with a record of a process which is not known yet */
    WICK_HOST_CLASS = 232,        /* bytes of the name of a class, with the NUL; longer ones are cut */
};

enum wick_host_type {
    WICK_HOST_SAMPLE,
    WICK_HOST_EXIT,
    WICK_HOST_WAIT,
    WICK_HOST_OCCURRENCE,
    WICK_HOST_IO,      /* a request to a device begins */
    WICK_HOST_IO_END,  /* it is done: a head alone */
    WICK_HOST_IO_GONE, /* it is part of another one now, or its end was not seen: a head alone */
    WICK_HOST_STALL,   /* a stall for memory has ended */
    WICK_HOST_OOM_KILL,
    WICK_HOST_CALL,      /* a system call has ended */
    WICK_HOST_COPY,      /* of a stack: before a record whose walk lacked something */
    WICK_HOST_ALLOC,     /* an object is allocated, or the bytes that a thread leaves at its end */
    WICK_HOST_JVM_START, /* a JVM starts, or its agent: a head alone */
};

/* Who walks: each has a place of its own on each CPU, since it may come while another one is at work there. Those
 * before BY_WAIT never come within one another. */
enum wick_host_walker {
    WICK_HOST_BY_CLOCK,
    WICK_HOST_BY_COUNTER, /* tracepoints and perf's events */
    WICK_HOST_BY_WAIT,
    WICK_HOST_BY_PROBE,
    WICK_HOST_BY_IO,
    WICK_HOST_BY_SPAN, /* of what has a beginning and an end in a thread */
    WICK_HOST_BY_ALLOC,
    WICK_HOST_WALKERS,
};

/* An address space. */
struct wick_host_birth {
    uint64_t start_ns; /* on CLOCK_BOOTTIME */
    uint64_t execs;
};

static inline bool wick_host_same_birth(const struct wick_host_birth *a, const struct wick_host_birth *b)
{
    return a->start_ns == b->start_ns && a->execs == b->execs;
}

enum {
    WICK_HOST_IN_KERNEL = 1,  /* interrupted in the kernel */
    WICK_HOST_KTHREAD = 2,    /* a thread of the kernel */
    WICK_HOST_HAS_JVM = 4,    /* the walk knew the JVM's layout */
    WICK_HOST_HAS_THREAD = 8, /* and the JavaThread */
    WICK_HOST_TRUNCATED = 16, /* there were more frames */
    WICK_HOST_MISSED = 32,    /* the walk came by pages whose rules were not there */
    WICK_HOST_DISK = 64,      /* of a wait: uninterruptible */
};

/* A request to a block device, known by its address and when it began. */
struct wick_host_io {
    uint64_t request, begin_ns;
    uint64_t queued_ns, whole_ns;            /* at its end: until the device had it, and until it was done */
    uint32_t bytes, operation, major, minor; /* operation: the kernel's REQ_OP_*; major 0: no disk */
};

/* What a thread waits for when it waits for memory. */
enum wick_host_stall { WICK_HOST_RECLAIM, WICK_HOST_CGROUP_RECLAIM, WICK_HOST_COMPACTION };

/* What a thread did from one moment to another. */
struct wick_host_span {
    uint64_t begin_ns, whole_ns;
    uint64_t weight_ns; /* what it stands for */
    uint32_t kind, pad; /* enum wick_host_stall */
};

/* The memory of a process, in pages. */
struct wick_host_memory {
    uint64_t anonymous, file, shared, swapped, virtual;
};

/* A process that the OOM killer ends. The record is of the thread that found no memory. */
struct wick_host_oom {
    struct wick_host_birth birth;
    uint32_t pid, tid;
    uint64_t cgroup;
    char comm[WICK_HOST_COMM];
    struct wick_host_memory victim, own;
};

/* A socket: of the Internet by addresses, of this machine by the name that it or its peer is bound to. */
struct wick_host_socket {
    uint16_t family, type, protocol; /* AF_*, SOCK_*, IPPROTO_* */
    uint16_t local_port, peer_port;  /* 0 = none */
    uint16_t length;                 /* of the path */
    uint32_t rtt_us, retransmits;    /* TCP: smoothed round trip; segments that were sent again, since it was opened */
    union {
        struct {
            uint8_t local[16], peer[16]; /* of version 4: the first four bytes */
        };
        char path[WICK_HOST_PATH];
    };
};

/* A system call that has ended. */
struct wick_host_call {
    uint64_t begin_ns, whole_ns;
    uint64_t weight_ns; /* what it stands for among all calls; 0 = it was not chosen */
    uint64_t socket_ns; /* among those on sockets, likewise */
    int64_t result;
    uint32_t number, pad;
    struct wick_host_socket socket; /* if socket_ns is not 0 */
};

/* An object, or of size 0 the bytes that a thread leaves at its end. */
struct wick_host_object {
    uint64_t size;         /* of the object, in bytes */
    uint64_t weight;       /* bytes that it stands for */
    uint64_t klass;        /* its class in the JVM; 0 = all that is known is the name */
    uint32_t own_tid, pad; /* of the thread where its process lives, as the JVM says; 0 = it was not asked */
};

/* A file, by what the kernel has of it; a change time cannot be set by hand. */
struct wick_host_inode {
    uint64_t device; /* with WICK_HOST_OF_FILE; 0 = none */
    uint64_t number, changed_ns;
};

#define WICK_HOST_OF_FILE (UINT64_C(1) << 63) /* no process was started then */

/* A piece of an address space that code was found in. */
struct wick_host_mapped {
    uint64_t lo, hi;
    uint64_t offset; /* of lo in the file */
    struct wick_host_inode file;
};

/* What is the same in every record. */
struct wick_host_head {
    uint32_t type; /* enum wick_host_type */
    uint32_t pid, tid, flags;
    struct wick_host_birth birth;
    uint64_t thread_start_ns;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t cgroup;
    char comm[WICK_HOST_COMM];         /* of the thread */
    char process_comm[WICK_HOST_COMM]; /* of the process */
    uint32_t nkernel, nframes;
    uint32_t nothers, nlinks;
    uint32_t ncontext; /* bytes of the thread's context */
    uint32_t nmapped;
    union {
        /* of a wait: for how long it could not run, and then for how long it could and did not, both as many times as
         * the record stands for; the system call it was in, negative = none; from when until when it could not run, as
         * it was; and of a lock that says so the thread that had it, by its number in its own process, 0 = none */
        struct {
            uint64_t asleep_ns, ready_ns;
            int64_t call;
            uint64_t slept_ns, woken_ns;
            uint32_t lock_owner, pad_owner;
        };
        /* of an occurrence: which counted event, and what of it (enum wick_host_detail) */
        struct {
            uint32_t event, detail;
        };
        struct wick_host_io io;
        struct wick_host_span span;
        struct wick_host_oom oom;
        struct wick_host_call call_of;
        struct wick_host_object object;
    };
};

/* What is known of an occurrence besides. */
enum wick_host_detail { WICK_HOST_NO_DETAIL, WICK_HOST_MINOR, WICK_HOST_MAJOR };

/* What another process has to do with a wait. */
enum wick_host_role {
    WICK_HOST_RAN,       /* while the thread waited for a CPU; pid 0: none did, the CPU was still to be woken */
    WICK_HOST_WOKE,      /* the thread */
    WICK_HOST_INTERRUPT, /* woke it: no process, but a device, a timer or the network */
};

struct wick_host_other {
    struct wick_host_birth birth;
    union {
        uint64_t ns;  /* that it ran, as many times as the record stands for */
        uint64_t tid; /* of what woke the thread by futex(), if that is of the same process */
    };
    uint32_t pid;
    uint16_t role, cpu;        /* cpu: on which it ran instead */
    char comm[WICK_HOST_COMM]; /* of the process; with a tid that of the thread */
};

/* What a thread did that another one waited for: from then on until the link before this one begins, or until the wait
 * ended. It worked on it in what is not accounted for here. */
struct wick_host_link {
    struct wick_host_birth birth;
    uint64_t from_ns;
    uint64_t queue_ns;           /* on the queue of a CPU */
    uint64_t asleep_ns, disk_ns; /* until a device, a timer or the network woke it; disk: uninterruptibly */
    uint32_t pid, mixed;         /* mixed: in any order. Else it was asleep first */
    char comm[WICK_HOST_COMM];
};

/* Only so many frames as there are, with the others of a wait, its links, and then the thread's context right behind
 * them, bytes up to a multiple of eight, and of a process that is not known yet the mappings that the walk came by. A
 * native frame's `level` is 1 if the rules of its page were not there. */
struct wick_host_record {
    struct wick_host_head head;
    union {
        uint64_t kernel[WICK_HOST_KERNEL];
        char class_name[WICK_HOST_CLASS]; /* of an object: as the JVM has it, NUL-terminated; "" = not known */
    };
    struct wick_step_frame frames[WICK_HOST_FRAMES];
    struct wick_host_other room[WICK_HOST_OTHERS];
    struct wick_host_link more_room[WICK_HOST_LINKS];
    uint8_t last_room[WICK_HOST_CONTEXT + 8];
    struct wick_host_mapped room_behind[WICK_HOST_MAPPED];
};

/* The top of a stack, and where its walk begins. It belongs to the record of the same thread and moment, which comes
 * after it. */
struct wick_host_copy {
    struct wick_host_head head;
    struct wick_step_state state;
    uint64_t at; /* address of the first byte */
    uint32_t n, pad;
    uint8_t bytes[WICK_HOST_COPIED];
};

/* Those of a wait; s->head.nothers of them. */
static inline const struct wick_host_other *wick_host_others(const struct wick_host_record *s)
{
    return (const struct wick_host_other *)&s->frames[s->head.nframes];
}

static inline const struct wick_host_link *wick_host_links(const struct wick_host_record *s)
{
    return (const struct wick_host_link *)(wick_host_others(s) + s->head.nothers);
}

/* What the thread published (OTEP 4947); s->head.ncontext bytes. */
static inline const uint8_t *wick_host_thread_context(const struct wick_host_record *s)
{
    return (const uint8_t *)(wick_host_links(s) + s->head.nlinks);
}

/* Mappings of its process; s->head.nmapped of them. */
static inline const struct wick_host_mapped *wick_host_mapped(const struct wick_host_record *s)
{
    return (const struct wick_host_mapped *)(wick_host_thread_context(s) + ((s->head.ncontext + 7) & ~UINT64_C(7)));
}

/* Bytes behind the frames. */
static inline uint64_t wick_host_bytes_behind(const struct wick_host_head *h)
{
    return h->nothers * sizeof(struct wick_host_other) + h->nlinks * sizeof(struct wick_host_link) +
           ((h->ncontext + 7) & ~UINT64_C(7)) + h->nmapped * sizeof(struct wick_host_mapped);
}

/* Where the threads of a process have the pointer to what they publish (elf/tls_descriptor.h). */
struct wick_host_publisher {
    uint64_t dynamic, module, offset;
};

/* Which file is mapped at an address of the process that asks. */
struct wick_host_question {
    uint64_t addr;
    struct wick_host_inode file;
};

/* What a JVM shows of an object that did not fit into its thread's buffer (hotspot/alloc_tracer.h). */
struct wick_host_allocs {
    int32_t allocated, tlab_start, tlab_top, tlab_end, tlab_desired; /* in a JavaThread */
    int32_t klass_name, symbol_length, symbol_body;
    int32_t thread_osthread, osthread_tid; /* for own_tid, if it is to be asked; else 0 */
    uint32_t has_thread, after;
    uint64_t calls;    /* of the functions that are probed */
    uint64_t since_ns; /* on CLOCK_BOOTTIME: threads that start later are seen from their start */
};

/* The functions of a JVM that are probed: the lower half of the cookie. */
enum wick_host_alloc_place { WICK_HOST_ALLOC_REFILL, WICK_HOST_ALLOC_OUTSIDE };

/* A page of code: of a file, or of an address space alone. */
struct wick_host_page {
    union {
        struct wick_host_inode file;
        struct {
            struct wick_host_birth birth;
            uint64_t zero;
        };
    };
    uint64_t page; /* where it is in the file, or its address */
};

/* From which byte of a page on which rule holds: in ascending order, the first one from byte 0 on. */
struct wick_host_rows {
    uint32_t n;
    struct {
        uint16_t from, rule; /* number of the rule, 0 = there is none */
    } row[WICK_HOST_ROWS];
};

struct wick_host_thread {
    uint64_t start_ns;
    uint32_t tid, pad;
};

/* A process that lives. */
struct wick_host_task {
    struct wick_host_birth birth;
    uint32_t pid, pad;
};

/* Of a thread in its JVM, and by what it is recognised (host_step.h). */
struct wick_host_java_thread {
    uint64_t addr;        /* JavaThread */
    uint64_t osthread_at; /* where it points to its OSThread */
    uint64_t osthread;
    uint64_t id_at; /* where that has its number */
    uint32_t id, pad;
};

/* What came of spans of one type. */
struct wick_host_span_counts {
    uint64_t seen;      /* that ended */
    uint64_t fired;     /* of these: chosen */
    uint64_t recorded;  /* of these: given to the ring */
    uint64_t ring_full; /* not: it was full */
    uint64_t nested;    /* not: another one was being recorded on this CPU */
    uint64_t no_memory; /* not: too many were under way; counted as chosen */
    uint64_t walk_ns;   /* time spent on them */
};

/* Counted on each CPU. */
struct wick_host_counts {
    uint64_t ticks;     /* of the clock, with those of idle CPUs */
    uint64_t idle;      /* of these: of idle CPUs */
    uint64_t recorded;  /* given to the ring */
    uint64_t ring_full; /* not: it was full */
    uint64_t nested;    /* not: a walk was going on on this CPU */
    uint64_t walk_ns;   /* time spent on samples */
    struct {
        uint64_t switches;  /* of threads onto this CPU, idle threads not among them */
        uint64_t fired;     /* waits that were chosen */
        uint64_t recorded;  /* of these: given to the ring */
        uint64_t ring_full; /* not: it was full */
        uint64_t nested;    /* not: a walk was going on on this CPU */
        uint64_t no_memory; /* not: the thread could not be followed; counted as a wait that was chosen */
        uint64_t unseen;    /* not: no program was called when the thread came onto its CPU; likewise */
        uint64_t walk_ns;   /* time spent on them */
    } wait;
    struct {
        uint64_t requests;  /* that began, without those that were merged with another one; summed over CPUs */
        uint64_t fired;     /* that were chosen, and are done */
        uint64_t recorded;  /* of these: both records given to the ring */
        uint64_t ring_full; /* not: it was full */
        uint64_t nested;    /* not: another one was being recorded on this CPU */
        uint64_t no_memory; /* not: too many were under way */
        uint64_t unseen;    /* not: the program was not called at its end */
        uint64_t walk_ns;   /* time spent on them */
    } io;
    struct wick_host_span_counts stall;
    struct wick_host_span_counts call, socket; /* system calls: all, and those on sockets */
    struct wick_host_span_counts alloc;        /* of which `seen` are the objects that the JVMs showed */
    uint64_t oom_kills, oom_lost;              /* lost: the ring was full, or another record was being made */
};

/* A counted event on one CPU. Written by user space before it is attached: period and phase. */
struct wick_host_counted {
    uint64_t period; /* occurrences from one that is recorded to the next; perf's events are counted by the kernel: 1 */
    uint64_t phase;  /* as if so many had been before: at random, so that sums are unbiased */
    uint64_t hits;   /* occurrences that were seen */
    uint64_t fired;  /* of these: chosen */
    uint64_t recorded;  /* of these: given to the ring */
    uint64_t ring_full; /* not: it was full */
    uint64_t nested;    /* not: a program of wick was at work on this CPU */
    uint64_t walk_ns;   /* time spent on them */
};

/* What holds for all waits, all requests, and all spans of one type. */
struct wick_host_plan {
    uint64_t threshold_ns; /* shorter waits are chosen at random, in proportion to their length */
    uint64_t io_period;    /* one of so many requests to devices is chosen at random */
    uint64_t stall_ns;     /* as the threshold of waits: of stalls for memory */
    uint64_t call_ns;      /* of system calls */
    uint64_t socket_ns;    /* of those on sockets */
    uint64_t alloc_bytes;  /* of objects that are allocated: a threshold likewise, in bytes */
};

#endif
