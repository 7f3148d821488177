/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session that records nothing but what it was asked, so that the way from the CLI through the JVM to the session and
 * back can be tested without the profiler. The "recording" is lines of text: the options, the notes, "end".
 *
 * Special events: `fail` refuses to start; `broker` asks the broker for a cpu-clock event on the calling thread and
 * writes what came of it; `enospc` breaks off with a full disk as soon as it is asked for its status.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/perf_broker.h"
#include "agent/event/deadlocks.h"
#include "agent/event/thread_pools.h"
#include "agent/jvm/heap_copy.h"
#include "agent/label/virtual_list.h"
#include "agent/label/virtual_refresh.h"
#include "agent/session.h"
#include "base/atomic.h"
#include "base/clock.h"

static struct {
    atomic_bool running;
    int fd;
    uint64_t start_ns;
    struct wick_session_opts o;
    bool full;
} s = {.fd = -1};

int wick_agent_init(JavaVM *vm, const struct wick_agent_front *front, struct wick_err *err)
{
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) == JNI_EVERSION)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this JVM has no JNI 1.6");
    front->vm_ready(); /* it records without a VM */
    return 0;
}

static void try_broker(int fd)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = 10000000,
                                .sample_type = PERF_SAMPLE_CALLCHAIN,
                                .exclude_callchain_kernel = 1,
                                .disabled = 1};
    int own = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0), e = errno;
    int event = wick_perf_broker_open(&a, (pid_t)syscall(SYS_gettid));
    long long count = -1;
    if (event >= 0 && read(event, &count, sizeof count) != sizeof count)
        count = -2;
    dprintf(fd, "own=%s broker=%s count=%lld\n", own < 0 ? strerror(e) : "opened",
            event < 0 ? wick_err_text(event) : "opened", count);
    a.sample_type |= PERF_SAMPLE_RAW;
    int raw = wick_perf_broker_open(&a, (pid_t)syscall(SYS_gettid));
    a.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
    int foreign = wick_perf_broker_open(&a, 1);
    a.exclude_callchain_kernel = 0;
    int chain = wick_perf_broker_open(&a, (pid_t)syscall(SYS_gettid));
    a.exclude_callchain_kernel = 1;
    a.sample_type |= PERF_SAMPLE_IP;
    int ip = wick_perf_broker_open(&a, (pid_t)syscall(SYS_gettid));
    dprintf(fd, "raw=%s foreign=%s chain=%s ip=%s\n", raw < 0 ? wick_err_text(raw) : "opened",
            foreign < 0 ? wick_err_text(foreign) : "opened", chain < 0 ? wick_err_text(chain) : "opened",
            ip < 0 ? wick_err_text(ip) : "opened");
    if (own >= 0)
        close(own);
    if (event >= 0)
        close(event);
}

/* A recording's first bytes, by which commands know what they may replace. */
static void write_magic(int fd)
{
    dprintf(fd, "FLR%c\n", 0);
}

int wick_session_start(const struct wick_session_opts *o, int out_fd, struct wick_err *err)
{
    if (s.running)
        return wick_err_set(err, WICK_E_STATE, "running");
    if (!strcmp(o->event, "fail"))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "the event 'fail' always fails");
    int fd = out_fd;
    if (fd < 0)
        fd = open(o->file, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open %s: %s", o->file, strerror(errno));
    s.o = *o;
    s.fd = fd;
    s.full = false;
    s.start_ns = wick_clock_mono_ns();
    write_magic(fd);
    dprintf(fd, "event=%s interval=%llu threads=%d file=%s pid=%d variant=%s\n", o->event,
            (unsigned long long)o->interval_ns, o->threads, o->file, (int)getpid(), VARIANT);
    if (!strcmp(o->event, "broker"))
        try_broker(fd);
    snprintf(err->msg, sizeof err->msg, "test double %s", VARIANT);
    s.running = true;
    return 0;
}

static void finish(void)
{
    s.running = false;
    close(s.fd);
    s.fd = -1;
}

int wick_session_start_taken(const struct wick_session_opts *o, int fd, struct wick_err *err)
{
    return wick_session_start(o, fd, err);
}

int wick_session_resume(const struct wick_session_opts *o, int fd, unsigned times, struct wick_err *err)
{
    (void)times;
    return wick_session_start(o, fd, err);
}

void wick_session_vm_ready(void) /* it records without a VM */
{
}

int wick_session_stop(struct wick_err *err)
{
    if (!s.running)
        return wick_err_set(err, WICK_E_STATE, "no recording is running");
    dprintf(s.fd, "end\n");
    finish();
    return 0;
}

int wick_session_change(const struct wick_opts *asked, struct wick_err *err)
{
    (void)asked;
    return wick_err_set(err, WICK_E_UNSUPPORTED, "the double does not change");
}

void wick_session_unused(uint64_t given, void (*note)(void *arg, const char *sentence), void *arg)
{
    (void)given;
    (void)note;
    (void)arg;
}

int wick_session_mark(const char *text, struct wick_err *err)
{
    (void)err;
    dprintf(s.fd, "mark=%s\n", text);
    return 0;
}

int wick_session_dump(int out_fd, struct wick_err *err)
{
    if (!s.running)
        return wick_err_set(err, WICK_E_STATE, "no recording is running");
    write_magic(out_fd);
    dprintf(out_fd, "dump event=%s\n", s.o.event);
    return 0;
}

void wick_session_status(char *buf, size_t cap)
{
    if (s.running && !strcmp(s.o.event, "enospc")) {
        finish();
        s.full = true;
    }
    snprintf(buf, cap, "running=%d\nevent=%s\nfile=%s\nsamples=%llu\ndropped=0\nbytes=100\n%s", (int)s.running,
             s.o.event, s.o.file, (unsigned long long)(wick_clock_mono_ns() - s.start_ns) / 10000000,
             s.full ? "error=no space left on device\nerror_code=14\n" : "");
}

void wick_deadlocks_describe(char *buf, size_t cap)
{
    snprintf(buf, cap, "deadlocks=0\n");
}

int wick_virtual_list_write(uint32_t rows, int out_fd, struct wick_err *err)
{
    (void)err;
    return dprintf(out_fd, "rows=%u\n", rows) > 0 ? 0 : -WICK_E_IO;
}

int wick_heap_copy_make(int fd, struct wick_heap_copy *out, struct wick_err *err)
{
    (void)fd, (void)out;
    return wick_err_set(err, WICK_E_UNSUPPORTED, "a double has no heap");
}

bool wick_heap_copy_lives(void)
{
    return false;
}

void wick_heap_copy_watch(void)
{
}

void wick_heap_copy_end(void)
{
}

bool wick_thread_pools_refresh_needed(void)
{
    return false;
}

void wick_thread_pools_refresh(void)
{
}

bool wick_virtual_refresh_needed(void)
{
    return false;
}

void wick_virtual_refresh(void)
{
}

bool wick_session_running(void)
{
    return s.running;
}
