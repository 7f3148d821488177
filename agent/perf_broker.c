/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The broker's agent side: perf events, and files of a recording that the command makes. One question, one answer, on a
 * socket pair of its own so that the answers never mix with the control connection, which another thread reads. A mutex
 * makes it one question at a time. An answer that comes after its question has timed out is recognised by its sequence
 * number and thrown away, its descriptor closed.
 *
 * Threads of the JVM that begin wait for the answer (a thread is armed under the registry's lock). So a CLI that does
 * not answer, because it was stopped, is not asked again for a while.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/perf_broker.h"
#include "base/clock.h"
#include "sys/broker.h"
#include "sys/sock.h"

#define ANSWER_NS 2000000000u
#define REST_NS   60000000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int broker_fd = -1;     /* under lock */
static uint32_t last_seq;      /* under lock */
static uint64_t rest_until_ns; /* under lock: not asked before */

void wick_perf_broker_set(int fd)
{
    pthread_mutex_lock(&lock);
    if (broker_fd >= 0)
        close(broker_fd);
    broker_fd = fd;
    rest_until_ns = 0;
    pthread_mutex_unlock(&lock);
}

/* Waits for the answer to question seq, which has a descriptor or not. Returns the descriptor, 0, or an error. */
static int await_answer(uint32_t seq, bool has_fd)
{
    uint64_t deadline = wick_clock_mono_ns() + ANSWER_NS;
    for (;;) {
        struct wick_broker_reply r;
        int fd = -1, n = 0;
        int rc = wick_sock_wait(broker_fd, deadline);
        if (rc)
            return rc;
        ssize_t got = wick_sock_recv(broker_fd, &r, sizeof r, &fd, 1, &n, MSG_DONTWAIT);
        if (got == -WICK_E_TIMEOUT)
            continue;
        if (got <= 0)
            return got == 0 ? -WICK_E_GONE : (int)got;
        if (got == sizeof r && r.magic == WICK_BROKER_MAGIC && r.seq == seq) {
            if (r.code < 0 && n == 0)
                return r.code > -WICK_E_COUNT ? r.code : -WICK_E_IO;
            if (r.code == 0 && n == has_fd)
                return has_fd ? fd : 0;
        }
        if (n)
            close(fd);
    }
}

/* Sends a question, whose number is set here, and waits. */
static int ask(void *question, size_t size, uint32_t *seq, bool has_fd)
{
    pthread_mutex_lock(&lock);
    int rc = -WICK_E_STATE;
    if (broker_fd >= 0 && wick_clock_mono_ns() < rest_until_ns) {
        rc = -WICK_E_TIMEOUT;
    } else if (broker_fd >= 0) {
        *seq = ++last_seq;
        rc = wick_sock_send(broker_fd, question, size, NULL, 0, MSG_DONTWAIT);
        if (!rc)
            rc = await_answer(*seq, has_fd);
        if (rc == -WICK_E_GONE) { /* the CLI is away: do not ask again */
            close(broker_fd);
            broker_fd = -1;
        }
        if (rc == -WICK_E_TIMEOUT)
            rest_until_ns = wick_clock_mono_ns() + REST_NS;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

int wick_perf_broker_open(const struct perf_event_attr *attr, pid_t tid)
{
    struct wick_broker_request r = {.magic = WICK_BROKER_MAGIC, .tid = tid, .attr_size = attr->size};
    if (attr->size < PERF_ATTR_SIZE_VER0 || attr->size > sizeof r.attr)
        return -WICK_E_USAGE;
    memcpy(&r.attr, attr, attr->size);
    return ask(&r, sizeof r, &r.seq, true);
}

int wick_perf_broker_take(uint64_t end)
{
    struct wick_broker_take t = {.magic = WICK_BROKER_TAKE_MAGIC, .end = end};
    return ask(&t, sizeof t, &t.seq, false);
}
