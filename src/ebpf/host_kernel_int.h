/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_kernel_int.h - what host_kernel.c and host_maps.c share: libbpf by hand, and the kernel side of one recording
 *
 * Memory:  that of host_kernel.h.
 */
#ifndef WICK_EBPF_HOST_KERNEL_INT_H
#define WICK_EBPF_HOST_KERNEL_INT_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "ebpf/host_kernel.h"

/* It is loaded when it is needed: with libelf it would add 1 ms of CPU time to the 4 that the start of every command
 * takes. */
#define WICK_HOST_LIBBPF "libbpf.so.1"
#define WICK_HOST_LIBBPF_EACH(X)           \
    X(bpf_iter_create)                     \
    X(bpf_link__destroy)                   \
    X(bpf_link__fd)                        \
    X(bpf_map_delete_elem)                 \
    X(bpf_map_get_next_key)                \
    X(bpf_map_lookup_elem)                 \
    X(bpf_map_update_elem)                 \
    X(bpf_obj_get_info_by_fd)              \
    X(bpf_object__close)                   \
    X(bpf_object__find_map_fd_by_name)     \
    X(bpf_object__find_program_by_name)    \
    X(bpf_object__load)                    \
    X(bpf_object__open_mem)                \
    X(bpf_prog_test_run_opts)              \
    X(bpf_program__attach)                 \
    X(bpf_program__attach_iter)            \
    X(bpf_program__attach_kprobe)          \
    X(bpf_program__attach_perf_event)      \
    X(bpf_program__attach_perf_event_opts) \
    X(bpf_program__fd)                     \
    X(bpf_program__set_autoload)           \
    X(libbpf_find_vmlinux_btf_id)          \
    X(libbpf_num_possible_cpus)            \
    X(libbpf_set_print)                    \
    X(ring_buffer__consume)                \
    X(ring_buffer__epoll_fd)               \
    X(ring_buffer__free)                   \
    X(ring_buffer__new)

extern struct wick_host_libbpf {
#define WICK_HOST_POINTER(name) __typeof__(&name) name;
    WICK_HOST_LIBBPF_EACH(WICK_HOST_POINTER)
#undef WICK_HOST_POINTER
} wick_host_libbpf;

/* Programs that are attached together. */
enum wick_host_group {
    WICK_HOST_GROUP_WAITS,
    WICK_HOST_GROUP_IO,
    WICK_HOST_GROUP_STALLS,
    WICK_HOST_GROUP_CALLS,
    WICK_HOST_GROUP_ALLOCS,
    WICK_HOST_GROUP_OOM_KILLS,
    WICK_HOST_GROUPS
};
enum { WICK_HOST_PROGRAMS = 12 };

struct wick_host_kernel {
    struct bpf_object *object;
    struct bpf_program *sample, *births;
    struct bpf_link *exit_link, *exec_link, *again_link, *group_links[WICK_HOST_GROUPS][WICK_HOST_PROGRAMS];
    struct wick_host_plan planned;
    bool probes; /* there is no sched_exit_tp */
    struct ring_buffer *ring;
    int jvms, threads, publishers, pages, rules, known, counts, plan, counted, allocs;
    int identify; /* a program */
    wick_host_take *take;
    void *arg;
    uint64_t interval_ns;
    int *events; /* of each CPU that is online */
    struct bpf_link **links;
    int count, cpus;
    struct counter {
        struct bpf_link *link; /* has the descriptor */
        int fd;
        uint32_t number; /* of the counted event */
    } * counters;
    size_t ncounters;
};

#endif
