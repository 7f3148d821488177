/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm_counts.c - see jvm_counts.h
 *
 * The attach protocol is that of sys/attach.c; here the target is the process itself, so no other identity and no other
 * root are needed, and nothing may block: the Attach Listener may be busy with another command for minutes.
 *
 * Nor may the Attach Listener. In JDK 25 it writes its answer piece by piece as a thread in the VM, which every
 * safepoint and handshake waits for; some 200 pieces fill the socket. The thread that reads must need nothing of the
 * JVM, or both wait for ever: the drain thread, which attaches itself now and then, waits for a collection as any Java
 * thread does. So a thread reads that lives for one answer and does nothing else.
 */
#include "agent/event/jvm_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "base/strbuf.h"
#include "footprint/nmt.h"
#include "hotspot/value.h"
#include "sys/sock.h"

#define ANSWER_NS 30000000000ull /* after which a question is given up */

enum { ANSWER_BYTES = 256 << 10, A_READ = 4096, FAILURES = 3, ANSWER_MS = 30000 };

static struct {
    uint64_t every_ns, due_ns, asked_ns;
    int connection;    /* -1 = nothing was asked */
    unsigned failures; /* in a row; after FAILURES the JVM is not asked again in this recording */
    pthread_t reader;  /* while there is a connection: the answer is its own until it has ended */
    _Atomic bool ended;
    struct wick_strbuf answer;
    struct wick_nmt last;
} counts = {.connection = -1, .answer = {.buf = wick_strbuf_empty}};

/* Whether the JVM tracks anything: -XX:NativeMemoryTracking=summary or detail, as it is now. */
static bool is_tracking(void)
{
    char mode[16];
    wick_addr flag = wick_vm.jvm.flag[WICK_JVM_FLAG_NATIVE_MEMORY_TRACKING];
    wick_addr text = flag ? wick_hs_u64(wick_vm.jvm.mem, flag) : 0;
    return text && wick_mem_read_str(wick_vm.jvm.mem, text, mode, sizeof mode) > 0 && strcmp(mode, "off") != 0;
}

/* Reads until the answer ends, is too long or takes too long. Then it lets go of the JVM by itself: the thread that
 * waits for this one may be waiting for the JVM. */
static void *read_answer(void *arg)
{
    char piece[A_READ];
    struct pollfd p = {.fd = counts.connection, .events = POLLIN};
    ssize_t n = 1;
    (void)arg;
    pthread_setname_np(pthread_self(), "wick-counts");
    while (n > 0 && counts.answer.len < ANSWER_BYTES) {
        int ready = poll(&p, 1, ANSWER_MS);
        n = ready > 0 ? recv(p.fd, piece, sizeof piece, MSG_DONTWAIT) : 0;
        if (n > 0)
            wick_strbuf_add(&counts.answer, piece, (size_t)n);
        else if ((ready < 0 && errno == EINTR) || (n < 0 && (errno == EAGAIN || errno == EINTR)))
            n = 1;
    }
    shutdown(p.fd, SHUT_RDWR);
    wick_store_release(&counts.ended, true); /* pairs: wick_jvm_counts_look */
    return NULL;
}

static int start_reader(void)
{
    sigset_t all, old;
    wick_store_relaxed(&counts.ended, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&counts.reader, NULL, read_answer, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return r;
}

/* The reader ends at once if it has not yet. */
static void hang_up(void)
{
    if (counts.connection >= 0) {
        shutdown(counts.connection, SHUT_RDWR);
        pthread_join(counts.reader, NULL);
        close(counts.connection);
    }
    counts.connection = -1;
    wick_strbuf_clear(&counts.answer);
}

void wick_jvm_counts_open(uint64_t interval_ns)
{
    counts.every_ns = interval_ns;
    counts.due_ns = 0;
    counts.failures = is_tracking() ? 0 : FAILURES;
}

void wick_jvm_counts_close(void)
{
    hang_up();
    wick_strbuf_release(&counts.answer);
}

/* A connection to the socket that this JVM listens on, and to no other: /tmp may be shared with another container's
 * JVM of the same number. -1 = it does not listen, or has no room for a caller now. */
static int dial(void)
{
    char path[48];
    struct stat st;
    struct ucred who;
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)getpid());
    int file = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return -1;
    int fd = -1;
    if (!fstat(file, &st) && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d", file);
    if (fd >= 0 &&
        (connect(fd, (struct sockaddr *)&sa, sizeof sa) || wick_sock_peer(fd, &who) || who.pid != getpid())) {
        close(fd);
        fd = -1;
    }
    close(file);
    return fd;
}

static bool send_all(int fd, const char *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t w = send(fd, bytes + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        done += (size_t)w;
    }
    return true;
}

static void ask(uint64_t now_ns)
{
    static const char question[] = "1\0jcmd\0VM.native_memory summary scale=KB\0\0"; /* and the NUL of the literal */
    counts.due_ns = now_ns + counts.every_ns;
    counts.asked_ns = now_ns;
    counts.connection = dial();
    if (counts.connection < 0 || (send_all(counts.connection, question, sizeof question) && !start_reader()))
        return;
    close(counts.connection);
    counts.connection = -1;
}

static void write_counts(struct wick_jfr_writer *w, const struct wick_nmt *n, uint64_t now_ns)
{
    struct wick_jfr_native_memory_usage_total total = {.start_ns = now_ns, .committed = n->committed};
    for (uint32_t i = 0; i < n->count; i++) {
        const struct wick_nmt_category *c = &n->category[i];
        const struct wick_jfr_native_memory_usage usage = {
            .start_ns = now_ns,
            .type = c->name,
            .reserved = c->reserved,
            .committed = c->committed,
            .malloced = c->malloced,
            .mapped = c->mapped,
        };
        wick_jfr_write_native_memory_usage(w, &usage);
        total.reserved += c->reserved;
    }
    wick_jfr_write_native_memory_usage_total(w, &total);
}

/* The answer has ended, or cannot be read on. */
static void take_answer(struct wick_jfr_writer *w, uint64_t now_ns)
{
    bool good = wick_load_acquire(&counts.ended) /* pairs: read_answer */ && !counts.answer.failed &&
                !wick_nmt_parse(counts.answer.buf, counts.answer.len, &counts.last);
    counts.failures = good ? 0 : counts.failures + 1;
    hang_up();
    if (!good)
        return;
    write_counts(w, &counts.last, now_ns);
    wick_nmt_release(&counts.last);
}

bool wick_jvm_counts_look(struct wick_jfr_writer *w, uint64_t now_ns)
{
    if (counts.connection < 0) {
        if (counts.failures < FAILURES && now_ns >= counts.due_ns)
            ask(now_ns);
        return counts.connection >= 0;
    }
    if (wick_load_acquire(&counts.ended) || now_ns - counts.asked_ns >= ANSWER_NS) /* pairs: read_answer */
        take_answer(w, now_ns);
    return counts.connection >= 0;
}
