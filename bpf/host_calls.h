/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * host_calls.h - the part of host.bpf.c that is about system calls: how long they take, and of those on sockets what
 * they are connected to
 *
 *   sys_enter: noted, with the open file of what may be a socket    sys_exit: chosen? --> user's stack --> record
 *
 * Which socket it is, is read when the call is done: connect() has made the connection then, and accept() has another
 * descriptor. If the number has another open file by then, since some thread has closed it, nothing is said of it.
 * Calls of 32-bit programs have other numbers, and are left out.
 *
 * Threads: each CPU, in threads; what belongs to a thread goes with it.
 * Memory:  storage of tasks.
 */
#ifndef WICK_BPF_HOST_CALLS_H
#define WICK_BPF_HOST_CALLS_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inode {
    __u16 i_mode;
};
struct file {
    struct inode *f_inode;
    void *private_data;
};
struct fdtable {
    unsigned int max_fds;
    struct file **fd;
};
struct files_struct {
    struct fdtable *fdt;
};
struct socket {
    struct sock *sk;
};
struct in6_addr {
    __u8 bytes[16];
};
struct sock_common {
    __u32 skc_daddr, skc_rcv_saddr;
    __u16 skc_dport, skc_num, skc_family;
    struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};
struct sock {
    struct sock_common __sk_common;
    __u16 sk_type, sk_protocol;
};
struct tcp_sock {
    __u32 srtt_us, total_retrans;
};
struct sockaddr_un {
    char sun_path[108];
};
struct unix_address {
    int len;
    struct sockaddr_un name[1];
};
struct unix_sock {
    struct unix_address *addr;
    struct sock *peer;
};
#pragma clang attribute pop

/* Reads a field of a structure of the kernel into something of the same size; 0, or non-zero. */
#define READ(to, field) bpf_probe_read_kernel(&(to), sizeof(to), &(field))

/* Where connect() is asked to connect to: a sockaddr_in, _in6 or _un, of which a part may be missing. */
struct address {
    __u16 family, port;
    union {
        struct {
            __u8 four[4];
        };
        struct {
            __u32 flow;
            __u8 six[16];
        };
    };
    char rest[WICK_HOST_PATH - 22];
};

_Static_assert(sizeof(struct address) >= sizeof(__u16) + WICK_HOST_PATH, "there is room for a path");

/* A system call under way. */
struct call {
    __u64 begin_ns; /* 0 = none is */
    __u64 file;     /* open file of its descriptor; 0 = it is not followed, or has none */
    __u64 began_ns, ended_ns, weight_ns,
        socket_ns; /* at its end: here, since there is little room on the stack beside a walk */
    __u32 number, fd;
    struct address to; /* of connect() */
    __u32 to_bytes;    /* that it says its address has; 0 = it could not be read */
    __u32 pad;
};

/* Goes with the thread. */
struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct call);
} calls SEC(".maps");

enum { TYPE_OF_FILE = 0170000, TYPE_SOCKET = 0140000, INTERNET = 2, INTERNET_6 = 10, LOCAL = 1 };
enum { STREAM = 1, PROTOCOL_TCP = 6, SHORT_ADDRESS = 16, LONG_ADDRESS = 24 }; /* bytes that are needed */

#define LOW_CALLS                                                                                                      \
    (1ULL << __NR_read | 1ULL << __NR_write | 1ULL << __NR_readv | 1ULL << __NR_writev | 1ULL << __NR_sendfile |       \
     1ULL << __NR_connect | 1ULL << __NR_accept | 1ULL << __NR_sendto | 1ULL << __NR_recvfrom | 1ULL << __NR_sendmsg | \
     1ULL << __NR_recvmsg)

/* Whether the first argument of that call may be a socket that it sends to, receives from or connects. */
STEP_INLINE bool takes_socket(__u64 number)
{
    if (number < 64)
        return LOW_CALLS >> number & 1;
    return number == __NR_accept4 || number == __NR_sendmmsg || number == __NR_recvmmsg;
}

/* The open file of a descriptor of this thread, as an address; 0 = there is none. */
static __attribute__((noinline)) __u64 file_of(__u32 fd)
{
    struct files_struct *files = bpf_get_current_task_btf()->files;
    struct fdtable *table = files ? files->fdt : NULL;
    __u64 file = 0;
    if (table && fd < table->max_fds)
        READ(file, table->fd[fd]);
    return file;
}

/* The socket behind an open file; NULL = it is none. */
static __attribute__((noinline)) struct sock *sock_of(__u64 addr)
{
    struct file *file = (struct file *)addr;
    struct inode *inode = NULL;
    struct socket *socket = NULL;
    struct sock *sk = NULL;
    __u16 mode = 0;
    if (!addr || READ(inode, file->f_inode) || READ(mode, inode->i_mode) || (mode & TYPE_OF_FILE) != TYPE_SOCKET ||
        READ(socket, file->private_data) || READ(sk, socket->sk))
        return NULL;
    return sk;
}

/* That of a call that is done: of accept() the new one. */
static __attribute__((noinline)) struct sock *socket_of_call(const struct call *of, __s64 result)
{
    if (!of->file || file_of(of->fd) != of->file)
        return NULL;
    bool accepted = (of->number == __NR_accept || of->number == __NR_accept4) && result >= 0;
    return sock_of(accepted ? file_of((__u32)result) : of->file);
}

/* The name that a local socket was bound to; false = it has none. A name that begins with a zero is no path. */
static __attribute__((noinline)) bool read_name(struct wick_host_socket *out, struct sock *sk)
{
    struct unix_sock *of = (struct unix_sock *)sk;
    struct unix_address *addr = NULL;
    __s32 len = 0;
    if (!sk || READ(addr, of->addr) || !addr || READ(len, addr->len) || len <= 2 ||
        bpf_probe_read_kernel(out->path, sizeof out->path, &addr->name[0].sun_path))
        return false;
    __u32 n = (__u32)len - 2;
    out->length = n < sizeof out->path ? n : sizeof out->path;
    return true;
}

static __attribute__((noinline)) void fill_local(struct wick_host_socket *out, struct sock *sk)
{
    struct unix_sock *of = (struct unix_sock *)sk;
    struct sock *peer = NULL;
    if (READ(peer, of->peer) || !read_name(out, peer))
        read_name(out, sk);
}

static __attribute__((noinline)) void fill_socket(struct wick_host_socket *out, struct sock *sk)
{
    struct sock_common *common = &sk->__sk_common;
    __u16 port = 0, number = 0;
    READ(out->family, common->skc_family);
    READ(out->type, sk->sk_type);
    READ(out->protocol, sk->sk_protocol);
    if (out->family == LOCAL) {
        fill_local(out, sk);
    } else if (out->family == INTERNET || out->family == INTERNET_6) {
        READ(port, common->skc_dport);
        READ(number, common->skc_num);
        out->peer_port = __builtin_bswap16(port);
        out->local_port = number;
    }
    if (out->family == INTERNET) {
        bpf_probe_read_kernel(out->peer, 4, &common->skc_daddr);
        bpf_probe_read_kernel(out->local, 4, &common->skc_rcv_saddr);
    } else if (out->family == INTERNET_6 && EXISTS(common->skc_v6_daddr)) {
        bpf_probe_read_kernel(out->peer, 16, &common->skc_v6_daddr);
        bpf_probe_read_kernel(out->local, 16, &common->skc_v6_rcv_saddr);
    }
    if (out->type != STREAM || out->protocol != PROTOCOL_TCP)
        return;
    struct tcp_sock *tcp = (struct tcp_sock *)sk;
    READ(out->rtt_us, tcp->srtt_us);
    READ(out->retransmits, tcp->total_retrans);
    out->rtt_us >>= 3; /* the kernel keeps eight times of it */
}

/* There is no memory for the thread. */
STEP_INLINE void count_lost(struct wick_host_span_counts *kind)
{
    __atomic_fetch_add(&kind->fired, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&kind->no_memory, 1, __ATOMIC_RELAXED);
}

/* A connection that failed is taken back by the kernel before the call returns: what it was to be is known from the
 * start. */
static __attribute__((noinline)) void fill_failed(struct wick_host_socket *out, const struct address *to, __u32 bytes)
{
    out->peer_port = 0;
    if (to->family == INTERNET && bytes >= SHORT_ADDRESS) {
        __builtin_memcpy(out->peer, to->four, sizeof to->four);
        out->peer_port = __builtin_bswap16(to->port);
    } else if (to->family == INTERNET_6 && bytes >= LONG_ADDRESS) {
        __builtin_memcpy(out->peer, to->six, sizeof to->six);
        out->peer_port = __builtin_bswap16(to->port);
    } else if (to->family == LOCAL && bytes > sizeof to->family) {
        __u32 n = bytes - sizeof to->family;
        bpf_probe_read_kernel(out->path, sizeof out->path, &to->port); /* a copy in line takes stack, byte by byte */
        out->length = n < sizeof out->path ? n : sizeof out->path;
    }
}

/* An address of so many bytes; more than there are may be read. Returns how many are known. */
static __attribute__((noinline)) __u32 read_address(struct address *to, const void *from, __u32 bytes)
{
    if (!bpf_probe_read_user(to, sizeof *to, from))
        return bytes < sizeof *to ? bytes : sizeof *to;
    if (!bpf_probe_read_user(to, SHORT_ADDRESS, from))
        return bytes < SHORT_ADDRESS ? bytes : SHORT_ADDRESS;
    return 0;
}

SEC("tp_btf/sys_enter")
int call_enter(unsigned long long *ctx)
{
    __u32 zero = 0;
    __u64 number = ctx[1];
    struct task_struct *task = bpf_get_current_task_btf();
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    if (!p || !c || (task->thread_info.status & COMPAT))
        return 0;
    bool on_socket = p->socket_ns && takes_socket(number);
    if (!p->call_ns && !on_socket)
        return 0;
    struct call *of = bpf_task_storage_get(&calls, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!of) {
        if (p->call_ns)
            count_lost(&c->call);
        if (on_socket)
            count_lost(&c->socket);
        return 0;
    }
    of->number = (__u32)number;
    of->file = 0;
    if (on_socket) {
        const struct pt_regs *regs = (const struct pt_regs *)ctx[0];
        of->fd = (__u32)regs->rdi;
        of->file = file_of(of->fd);
        if (number == __NR_connect)
            of->to_bytes = read_address(&of->to, (const void *)regs->rsi, (__u32)regs->rdx);
    }
    of->begin_ns = bpf_ktime_get_ns();
    return 0;
}

/* What became of a call that was chosen as one of that kind. */
STEP_INLINE void count_call(struct wick_host_span_counts *kind, bool nested, bool full, __u64 ns)
{
    __atomic_fetch_add(&kind->fired, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(nested ? &kind->nested : full ? &kind->ring_full : &kind->recorded, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&kind->walk_ns, ns, __ATOMIC_RELAXED);
}

/* What a call that was chosen was, and what it stands for. Straight into the record: there is little room on the stack
 * beside a walk. */
static __attribute__((noinline)) int fill_call(struct wick_host_call *out, const struct call *of, __s64 result,
                                               struct sock *sk)
{
    out->begin_ns = of->began_ns;
    out->whole_ns = of->ended_ns - of->began_ns;
    out->result = result;
    out->number = of->number;
    out->weight_ns = of->weight_ns;
    out->socket_ns = of->socket_ns;
    if (!sk || !of->socket_ns)
        return 0;
    fill_socket(&out->socket, sk);
    if (of->number == __NR_connect && result < 0 && of->to_bytes)
        fill_failed(&out->socket, &of->to, of->to_bytes);
    return 0;
}

SEC("tp_btf/sys_exit")
int call_exit(unsigned long long *ctx)
{
    __u32 zero = 0;
    __u64 now = bpf_ktime_get_ns();
    struct call *of = bpf_task_storage_get(&calls, bpf_get_current_task_btf(), NULL, 0);
    const struct wick_host_plan *p = bpf_map_lookup_elem(&plan, &zero);
    struct wick_host_counts *c = bpf_map_lookup_elem(&counts, &zero);
    if (!of || !of->begin_ns || !p || !c)
        return 0;
    of->began_ns = of->begin_ns;
    of->ended_ns = now > of->begin_ns ? now : of->begin_ns;
    of->begin_ns = 0;
    struct sock *sk = p->socket_ns ? socket_of_call(of, (__s64)ctx[1]) : NULL;
    if (p->call_ns)
        __atomic_fetch_add(&c->call.seen, 1, __ATOMIC_RELAXED);
    if (sk)
        __atomic_fetch_add(&c->socket.seen, 1, __ATOMIC_RELAXED);
    of->weight_ns = stands_for(of->ended_ns - of->began_ns, p->call_ns);
    of->socket_ns = sk ? stands_for(of->ended_ns - of->began_ns, p->socket_ns) : 0;
    if (!of->weight_ns && !of->socket_ns)
        return 0;
    struct walker *at = begin_span(WICK_HOST_CALL);
    bool full = false;
    if (at) {
        struct wick_host_call *call = &at->record.head.call_of;
        __builtin_memset(call, 0, sizeof *call);
        fill_call(call, of, (__s64)ctx[1], sk);
        full = end_span(at);
    }
    __u64 ns = bpf_ktime_get_ns() - of->ended_ns;
    if (of->weight_ns)
        count_call(&c->call, !at, full, ns);
    if (of->socket_ns)
        count_call(&c->socket, !at, full, of->weight_ns ? 0 : ns);
    return 0;
}

#endif
