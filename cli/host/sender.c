/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sender.c - the thread between a recording and a collector
 *
 * `end` is how far the recording is complete, `taken` how far it has been put into the spool. The recorder's thread
 * moves the one, the sender's the other; a lock and a condition are between them. A chunk that cannot be read or
 * spooled is reported once, and skipped. At the end all is put into the spool, however long that takes, and sent while
 * the collector takes it.
 */
#include "cli/host/sender.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/ui.h"
#include "push/push_spool.h"

#define MOST_LAST_NS UINT64_C(60000000000) /* at the end, in all */
#define LAST_NS      UINT64_C(10000000000) /* without a message that is taken, at the end */

struct wick_sender {
    struct wick_push *push;
    char spool[4096];
    struct utsname machine;
    int fd; /* the recording */
    pthread_t thread;
    bool started, failed;
    uint64_t most; /* bytes of the recording that may wait to become messages: then samples are dropped, and counted */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under the lock: */
    uint64_t end, taken;
    uint64_t moved_ns; /* when a message was last taken, or put into the spool */
    bool spooling;
    bool closing, giving_up, closed; /* no more comes; what is left stays in the spool; the thread is done */
};

static void print_note(void *ctx, const char *text)
{
    (void)ctx;
    wick_ui_note("%s", text);
}

/* --- the thread --- */

/* Messages of what lies in the recording from `from` to `to`. */
static int spool_range(struct wick_sender *p, uint64_t from, uint64_t to, struct wick_err *err)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = from / page * page;
    char *data = mmap(NULL, to - begin, PROT_READ, MAP_SHARED, p->fd, (off_t)begin);
    if (data == MAP_FAILED)
        return wick_err_set(err, WICK_E_IO, "cannot read the recording: %s", strerror(errno));
    int rc = wick_push_recording(p->push, data + (from - begin), to - from, err);
    munmap(data, to - begin);
    /* from the start: of a block at the edge of a hole nothing is freed */
    fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)to);
    return rc;
}

static void take(struct wick_sender *p, uint64_t from, uint64_t to)
{
    struct wick_err err = {0};
    if (!spool_range(p, from, to, &err) || p->failed)
        return;
    p->failed = true;
    wick_ui_note("samples of %" PRIu64 " bytes were not sent: %s", to - from, err.msg);
}

static void wait_for_change(struct wick_sender *p, uint64_t until_ns)
{
    struct timespec t = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    if (until_ns == UINT64_MAX)
        pthread_cond_wait(&p->changed, &p->lock);
    else
        pthread_cond_timedwait(&p->changed, &p->lock, &t);
}

static void *send_all(void *arg)
{
    struct wick_sender *p = arg;
    uint64_t due_ns = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        uint64_t from = p->taken, to = p->end;
        if (to > from || (!p->giving_up && wick_clock_mono_ns() >= due_ns)) {
            p->spooling = to > from;
            pthread_mutex_unlock(&p->lock);
            if (to > from)
                take(p, from, to);
            else
                due_ns = wick_push_round(p->push, wick_clock_mono_ns());
            pthread_mutex_lock(&p->lock);
            p->taken = to;
            p->spooling = false;
            if (to > from)
                due_ns = 0;
            if (!due_ns)
                p->moved_ns = wick_clock_mono_ns();
            pthread_cond_broadcast(&p->changed);
        } else if (p->giving_up || (p->closing && due_ns == UINT64_MAX)) {
            break;
        } else {
            wait_for_change(p, due_ns);
        }
    }
    p->closed = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* --- the recorder's side --- */

static int chunk_ended(void *ctx, uint64_t end)
{
    struct wick_sender *p = ctx;
    pthread_mutex_lock(&p->lock);
    p->end = end;
    bool behind = end - p->taken > p->most;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return behind ? -WICK_E_NOSPACE : 0;
}

/* The user's own directory: made, with those above it, as others of the user's cache are. */
static int own_spool(char *path, size_t cap, struct wick_err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/'))
        return wick_err_set(err, WICK_E_USAGE,
                            "HOME is not set: give a directory for what waits to be sent with --spool");
    int n = snprintf(path, cap, "%s%s/wick/otlp", given ? cache : home, given ? "" : "/.cache");
    if (n < 0 || (size_t)n >= cap)
        return wick_err_set(err, WICK_E_LIMIT, "the name of the cache directory is too long");
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700); /* what fails is said by the one who opens it */
        *slash = '/';
    }
    return 0;
}

static int open_file(struct wick_sender *p, struct wick_output *out, struct wick_err *err)
{
    p->fd = wick_push_spool_file(p->spool);
    if (p->fd < 0)
        return wick_err_set(err, errno == ENOSPC ? WICK_E_NOSPACE : WICK_E_IO, "cannot make a file in %s: %s", p->spool,
                            strerror(errno));
    if (fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "the file system of %s cannot free parts of a file (%s): give a directory on another one "
                            "with --spool",
                            p->spool, strerror(errno));
    int fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return wick_err_set(err, WICK_E_LIMIT, "cannot open descriptors: %s", strerror(errno));
    int rc = wick_output_init_taken(out, fd, chunk_ended, p, p->most, 0);
    if (rc)
        close(fd);
    return rc ? wick_err_set(err, (enum wick_code) - rc, "cannot write to %s: %s", p->spool, wick_err_text(rc)) : 0;
}

static int start_thread(struct wick_sender *p, struct wick_err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals end the recorder's waits */
    int error = pthread_create(&p->thread, NULL, send_all, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    p->started = !error;
    return error ? wick_err_set(err, WICK_E_LIMIT, "cannot start a thread: %s", strerror(error)) : 0;
}

int wick_sender_open(struct wick_sender **out, const char *url, const char *spool, uint64_t spool_bytes,
                     struct wick_output *file, struct wick_err *err)
{
    struct wick_sender *p = calloc(1, sizeof *p);
    pthread_condattr_t attr;
    if (!p)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p->fd = -1;
    p->most = spool_bytes;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &attr);
    pthread_condattr_destroy(&attr);
    int rc = spool ? 0 : own_spool(p->spool, sizeof p->spool, err);
    if (spool && snprintf(p->spool, sizeof p->spool, "%s", spool) >= (int)sizeof p->spool)
        rc = wick_err_set(err, WICK_E_USAGE, "the name of the spool is too long");
    const struct wick_push_config config = {.url = url,
                                            .headers = getenv("OTEL_EXPORTER_OTLP_HEADERS"),
                                            .spool = p->spool,
                                            .spool_bytes = spool_bytes,
                                            .service = "wick host",
                                            .host = uname(&p->machine) ? NULL : p->machine.nodename,
                                            .note = print_note};
    rc = rc ? rc : wick_push_open(&p->push, &config, err);
    bool opened = false;
    if (!rc) {
        rc = open_file(p, file, err);
        opened = !rc;
    }
    rc = rc ? rc : start_thread(p, err);
    if (rc) {
        if (opened)
            wick_output_release(file);
        wick_sender_close(p, NULL);
        return rc;
    }
    *out = p;
    return 0;
}

const char *wick_sender_url(const struct wick_sender *p)
{
    return wick_push_url(p->push);
}

const char *wick_sender_spool(const struct wick_sender *p)
{
    return p->spool;
}

/* Hands the last chunk over, and gives the thread time as long as the collector takes messages. */
static void end_thread(struct wick_sender *p)
{
    struct stat st;
    uint64_t now_ns = wick_clock_mono_ns();
    pthread_mutex_lock(&p->lock);
    if (!fstat(p->fd, &st) && (uint64_t)st.st_size > p->end)
        p->end = (uint64_t)st.st_size;
    p->closing = true;
    p->moved_ns = now_ns;
    pthread_cond_broadcast(&p->changed);
    while (!p->closed) {
        bool spooling = p->spooling || p->taken < p->end;
        uint64_t until_ns = p->moved_ns + LAST_NS, end_ns = now_ns + MOST_LAST_NS;
        until_ns = until_ns < end_ns ? until_ns : end_ns;
        if (!spooling && wick_clock_mono_ns() >= until_ns)
            break;
        wait_for_change(p, spooling ? UINT64_MAX : until_ns);
    }
    p->giving_up = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    wick_push_abort(p->push);
    pthread_join(p->thread, NULL);
}

void wick_sender_close(struct wick_sender *p, struct wick_push_totals *totals)
{
    if (!p)
        return;
    if (p->started)
        end_thread(p);
    wick_push_close(p->push, totals);
    if (p->fd >= 0)
        close(p->fd);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
