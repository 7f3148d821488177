/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sock.h - packets and descriptors over Unix sockets: the carrier of wick's control channel
 *
 * The agent listens on an abstract SOCK_SEQPACKET socket called `@wick/<its pid>/<16 random hex digits>`. One packet is
 * one message; a message may carry descriptors. Abstract names have no permissions, so each side asks the kernel who
 * the other is (wick_sock_peer): the agent expects its own user or root, the CLI expects the very process it means.
 *
 * A request is "wick1 FDS FLAGS\nCOMMAND". FDS is "-" or one letter for each descriptor passed: o = output file,
 * t = output file whose chunks are taken from it as they end, b = broker (sys/broker.h) (never a directory: the target
 * could reach what lies below and beside it). FLAGS is "-" or "hold": the recording ends when this connection does.
 * COMMAND is the agent's option string. A reply is "CODE\nTEXT", CODE being 0 or a WICK_E_ number.
 *
 * Threads: any.
 * Memory:  none. Calls are restarted after EINTR; none raises SIGPIPE.
 */
#ifndef WICK_SYS_SOCK_H
#define WICK_SYS_SOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#define WICK_SOCK_FDS         4     /* most descriptors in one packet */
#define WICK_SOCK_REQUEST_MAX 8192  /* bytes */
#define WICK_SOCK_REPLY_MAX   32768 /* bytes */
#define WICK_SOCK_NAME_MAX    64    /* "wick/<pid>/<hex>" and a NUL */

struct wick_sock_request {
    char fds[WICK_SOCK_FDS + 1]; /* letters in the order of the descriptors */
    bool hold;
    const char *command; /* points into the packet, not terminated */
    size_t command_len;
};

/* Opens a non-blocking listening socket with a fresh random name for process pid (as it sees itself); the name without
 * its leading NUL goes to name[WICK_SOCK_NAME_MAX]. Returns the descriptor or -WICK_E_IO. */
int wick_sock_listen(pid_t pid, char *name);

/* Connects to an abstract name; the descriptor blocks. Returns it, or -errno (so that callers can distinguish
 * EPERM). */
int wick_sock_connect(const char *name);

/* Sends one packet with n descriptors. 0; -WICK_E_GONE if the peer is away; -WICK_E_TIMEOUT if a non-blocking socket
 * (or flags & MSG_DONTWAIT) has no room; -WICK_E_IO. */
int wick_sock_send(int fd, const void *data, size_t len, const int *fds, int n, int flags);

/* Receives one packet into buf[cap] and its descriptors (close-on-exec) into fds[max], their number into *n. Returns
 * the length, 0 at the end of the connection, or: -WICK_E_TIMEOUT nothing there (non-blocking), -WICK_E_FORMAT packet
 * or descriptors cut (all descriptors are closed then), -WICK_E_GONE, -WICK_E_IO. max = 0: descriptors are closed. */
ssize_t wick_sock_recv(int fd, void *buf, size_t cap, int *fds, int max, int *n, int flags);

/* Waits until fd is readable or deadline (wick_clock_mono_ns) passes. 0, -WICK_E_TIMEOUT or -WICK_E_IO. */
int wick_sock_wait(int fd, uint64_t deadline_ns);

/* The peer's credentials; pid is 0 where it has no number in our pid namespace. 0 or -WICK_E_IO. */
int wick_sock_peer(int fd, struct ucred *who);

/* True if peers of different users may be shown with this uid: it is the overflow uid, and this process is in a user
 * namespace that does not map every uid, or that cannot be found out. */
bool wick_sock_uid_is_ambiguous(uid_t uid);

/* The same of the texts of /proc/sys/kernel/overflowuid and /proc/self/uid_map. */
bool wick_sock_uid_is_overflow(uid_t uid, const char *overflow, const char *map);

/* Splits a request packet. -WICK_E_FORMAT unless it is well-formed and lists exactly nfds descriptors. */
int wick_sock_parse_request(const char *packet, size_t len, int nfds, struct wick_sock_request *req);

/* Reads "CODE\n" at the start of a reply; *text = rest. -WICK_E_FORMAT if it is malformed or the code unknown. */
int wick_sock_parse_reply(const char *packet, size_t len, int *code, const char **text, size_t *text_len);

/* Steps through the text of /proc/net/unix: finds the next listening socket named "@wick/<pid>/<16 hex>" at or after
 * *pos, stores its name without '@' and moves *pos behind it. False at the end. */
bool wick_sock_next_name(const char *text, size_t len, size_t *pos, pid_t pid, char *name);

#endif
