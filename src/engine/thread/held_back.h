/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held_back.h - whether Nagle's algorithm holds back what this process has written to a TCP socket
 *
 * Without TCP_NODELAY the kernel keeps a piece that is smaller than a segment until all that was sent before is
 * acknowledged. The other side delays its acknowledgement, by 40 ms or more, as long as it has nothing to answer; and
 * it has not, if it needs the piece that is held back:
 *
 *     write(header)  ---- sent ------------------------->  reads it, waits for the rest
 *     write(body)         held back
 *     read(answer)        waits       <---- ACK, late ---
 *                    ---- sent ------------------------->  answers
 *
 * Threads: any.
 */
#ifndef WICK_ENGINE_THREAD_HELD_BACK_H
#define WICK_ENGINE_THREAD_HELD_BACK_H

#include <stdbool.h>
#include <stddef.h>

struct tcp_info;

/* Whether a small piece waits for an acknowledgement, and for nothing else: neither a window nor a lost segment.
 * size: what the kernel filled in; before Linux 5.4 it does not say enough, so false. */
bool wick_held_back_by(const struct tcp_info *t, size_t size);

/* The same of a descriptor of this process, which may be none of a socket. One system call; two more if something is
 * held back, since TCP_NODELAY and TCP_CORK may have been set after the write. */
bool wick_held_back(int fd);

#endif
