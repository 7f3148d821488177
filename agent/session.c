/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - one recording: puts recorder, engine, drain and output together
 *
 * The drain thread is the session's heart beat: every TICK it finds new threads and empties the rings, every second
 * (and when a chunk is full) it flushes the recording. It leaves the engine's signal unblocked, so that its own cost is
 * in the profile.
 *
 * Before the VM is initialised (Agent_OnLoad) a start is only prepared - its output is opened, so that mistakes are
 * reported at once - and carried out at VMInit.
 */
#include "agent/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/event/allocations.h"
#include "agent/jvm/gc.h"
#include "agent/label/publish.h"
#include "agent/perf_broker.h"
#include "agent/event/jit.h"
#include "agent/label/jar_labels.h"
#include "agent/event/locks.h"
#include "agent/event/deadlocks.h"
#include "agent/event/direct_buffers.h"
#include "agent/event/exhaustion.h"
#include "agent/event/jvm_counts.h"
#include "agent/event/memory.h"
#include "agent/jvm/java_names.h"
#include "agent/ownfile.h"
#include "agent/event/recording_info.h"
#include "agent/event/runtime.h"
#include "agent/event/thread_pools.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "engine/alloc/alloc.h"
#include "engine/lock/lock.h"
#include "engine/set/engines.h"
#include "opt/events.h"
#include "record/drain.h"

enum { TICK_MS = 50 };

enum phase { IDLE, PREPARED, RUNNING };

/* What handlers use beside the mappings. It is left to those that never came back, and another one is made. */
struct sampling {
    struct wick_recorder recorder;
    struct wick_engines engines;
};

static struct sampling first_sampling;

static struct session {
    pthread_mutex_t lock; /* drain and output; the front end serialises start and stop itself */
    _Atomic int phase;    /* relaxed: what goes with it is read under the front end's lock */
    struct wick_session_opts opts;
    struct sampling *sampling;
    struct wick_drain drain;
    struct wick_output output;
    struct wick_recording_info info;
    pthread_t thread;
    int wake;         /* eventfd: stop the drain thread */
    unsigned resumed; /* how often this recording has gone on */
    bool taken;       /* the CLI takes the chunks out of the file */
    bool changing;    /* it goes on in a moment */
    uint64_t start_ns;
    uint64_t lost;               /* handlers that never came back, of all recordings that have ended */
    struct wick_totals before;   /* of this recording, until it was changed */
    uint64_t before_bytes;       /* the same of its file */
    uint64_t first_start_ns;     /* of its first part */
    int before_rc;               /* the first error of a part that has ended */
    bool full;                   /* the disk is: nothing of the last second was written */
    struct wick_totals final;    /* of the last recording */
    struct wick_jfr_stats stats; /* the same */
    char error[256];             /* why the recording is not whole, "" = it is */
    char file[WICK_OPT_PATH_MAX];
} session = {.lock = PTHREAD_MUTEX_INITIALIZER, .sampling = &first_sampling, .wake = -1};

static _Atomic bool vm_ended; /* relaxed: front->vm_death takes the front end's lock after it is set */

static int begin(struct wick_err *err);

void wick_session_vm_ready(void)
{
    struct wick_err err = {0};
    if (wick_load_relaxed(&session.phase) != PREPARED)
        return;
    if (begin(&err)) {
        wick_output_release(&session.output);
        snprintf(session.error, sizeof session.error, "%.200s", err.msg);
        wick_store_relaxed(&session.phase, IDLE);
        dprintf(STDERR_FILENO, "wick: the recording did not start: %s\n", err.msg);
    }
}

static const struct wick_agent_front *front;

/* From here on the JVM takes itself apart: nothing may be started in it any more. */
static void vm_death(void)
{
    wick_store_relaxed(&vm_ended, true);
    wick_publish_stop();
    front->vm_death();
}

static void vm_ready(void)
{
    front->vm_ready();
}

int wick_agent_init(JavaVM *vm, const struct wick_agent_front *f, struct wick_err *err)
{
    static const struct wick_vm_listener listener = {
        .up = wick_agent_labels_init,
        .ready = vm_ready,
        .attached = wick_agent_labels_find,
        .carrier = wick_agent_labels_carrier,
        .thread_end = wick_agent_labels_thread_end,
        .death = vm_death,
    };
    front = f;
    int r = wick_vm_init(vm, &listener, err);
    if (r)
        return r;
    wick_gc_init(vm);
    wick_exhaustion_init(vm);
    return 0;
}

bool wick_session_running(void)
{
    return wick_load_relaxed(&session.phase) != IDLE;
}

static int thread_names(void *arg, uint32_t serial, struct wick_jfr_thread *out)
{
    struct wick_thread_name n;
    static char os_name[16], java_name[1024]; /* session.lock is held */
    (void)arg;
    if (!wick_threads_name(&wick_vm.threads, serial, &n, java_name, sizeof java_name))
        return -WICK_E_NOTFOUND;
    memcpy(os_name, n.os_name, sizeof os_name);
    *out = (struct wick_jfr_thread){
        .os_name = os_name, .os_tid = (uint64_t)n.tid, .java_name = n.java_name, .java_tid = n.java_tid, .group = NULL};
    return 0;
}

static uint32_t named(void *arg, uint32_t serial, uint64_t time_ns)
{
    (void)arg;
    return wick_threads_named(&wick_vm.threads, serial, time_ns);
}

static void chunk_end(void *arg)
{
    (void)arg;
    wick_threads_refresh_names(&wick_vm.threads);
}

static void chunk_begin(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    (void)arg;
    wick_recording_info_write(&session.info, w, now_ns);
}

static void more(void *arg, struct wick_drain *d, bool all)
{
    struct session *s = arg;
    wick_engines_take(&s->sampling->engines, d, all ? WICK_TAKE_ALL : WICK_TAKE_DONE);
}

static void carry(void *arg, const struct wick_tables *from, struct wick_tables *to)
{
    struct session *s = arg;
    wick_engines_carry(&s->sampling->engines, from, to);
}

static void event(void *arg, struct wick_drain *d, const struct wick_event *e)
{
    struct session *s = arg;
    wick_engines_event(&s->sampling->engines, d, e);
}

static void lost(void *arg, const struct wick_event *e)
{
    struct session *s = arg;
    wick_engines_lost(&s->sampling->engines, e);
}

static const char *why_full(void)
{
    return session.taken ? "the command that records takes no files, or its disk is full" : "the disk is full";
}

/* What became of the last attempt to write. `last`: there will be no other. */
static void note_written(int rc, bool last)
{
    const char *const why = why_full();
    const bool was_full = session.full;
    session.full = rc == -WICK_E_NOSPACE;
    if (session.full && last)
        snprintf(session.error, sizeof session.error, "%s: what was sampled since then is missing", why);
    else if (session.full)
        snprintf(session.error, sizeof session.error,
                 "%s: samples are lost until there is room again; then the recording goes on by itself", why);
    else if (rc == -WICK_E_IO)
        snprintf(session.error, sizeof session.error, "the recording cannot be written: input/output error");
    else if (was_full)
        snprintf(session.error, sizeof session.error,
                 "for a while there was no room for the recording: what was sampled then is missing");
}

static void *drain_main(void *arg)
{
    struct session *s = arg;
    uint64_t last_flush = wick_clock_mono_ns();
    bool full = false; /* then there may be more in the rings */
    prctl(PR_SET_NAME, "wick-drain");
    wick_engines_exclude_self(&s->sampling->engines);
    pthread_mutex_lock(&s->lock);
    wick_runtime_begin(&s->drain, last_flush);
    pthread_mutex_unlock(&s->lock);
    for (;;) {
        struct pollfd p = {.fd = s->wake, .events = POLLIN};
        if (poll(&p, 1, full ? 0 : TICK_MS) > 0)
            break;
        wick_direct_buffers_find();
        wick_thread_pools_find();
        uint64_t now = wick_clock_mono_ns();
        wick_deadlocks_round(now);
        pthread_mutex_lock(&s->lock);
        wick_threads_poll(&wick_vm.threads);
        wick_threads_round(&wick_vm.threads, now);
        wick_drain_round(&s->drain);
        wick_jit_look(&s->drain, now);
        wick_gc_write(s->drain.writer); /* there may be thousands a second */
        bool ends = wick_exhaustion_write(s->drain.writer, now) || wick_memory_is_short(now);
        ends |= wick_direct_buffers_look(now);
        bool locked = wick_deadlocks_write(s->drain.writer, now);
        if (ends) { /* the JVM may end soon: everything recorded so far has to be in the file by then */
            wick_memory_due();
            wick_engines_moment(&s->sampling->engines);
        }
        ends |= wick_memory_look(&s->drain, now);
        wick_jvm_counts_look(s->drain.writer, now);
        full = wick_drain_chunk_full(&s->drain);
        if (full || ends || locked || now - last_flush >= WICK_JFR_FLUSH_NS) {
            last_flush = now;
            wick_engines_stats(&s->sampling->engines, s->drain.writer, now);
            wick_runtime_write(&s->drain, now, false);
            wick_thread_pools_write(s->drain.writer, now);
            note_written(wick_drain_flush(&s->drain, now), false);
            wick_threads_forget(&wick_vm.threads);
        }
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static int start_thread(struct session *s)
{
    sigset_t all, old;
    sigfillset(&all);
    int open = s->sampling->engines.host.awake_signal;
    if (open)
        sigdelset(&all, open);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int r = pthread_create(&s->thread, NULL, drain_main, s);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return r;
}

/* perf events that a privileged CLI opens for us. */
static int broker(void *arg, const struct perf_event_attr *attr, int32_t tid)
{
    (void)arg;
    return wick_perf_broker_open(attr, tid);
}

static int open_recorder(struct session *s, struct wick_err *err)
{
    size_t limit = s->opts.memlimit_bytes;
    struct wick_opt_events plan;
    int r = wick_opt_events(&s->opts, &plan, err);
    if (r)
        return r;
    struct sampling *fresh = s->sampling->recorder.keep ? calloc(1, sizeof *fresh) : s->sampling;
    if (!fresh)
        return wick_err_set(err, WICK_E_NOMEM, "the recording's tables could not be set up: %s",
                            wick_err_text(-WICK_E_NOMEM));
    s->sampling = fresh;
    uint32_t ring = wick_recorder_ring(s->opts.ring, plan.cpu_interval, limit);
    r = wick_recorder_init(&s->sampling->recorder, limit / 4 * 3, ring, s->opts.depth.most);
    if (!r && (r = wick_walker_init(&s->sampling->recorder.walker, &wick_vm.jvm, &wick_vm.images)))
        wick_recorder_release(&s->sampling->recorder);
    if (r)
        return wick_err_set(err, (enum wick_code) - r, "the recording's tables could not be set up: %s",
                            wick_err_text(r));
    s->sampling->recorder.kept_frames = s->opts.depth.kept;
    struct wick_walker *w = &s->sampling->recorder.walker;
    w->stubs = wick_vm.stubs;
    w->stub_count = wick_vm.stub_count;
    w->last_old_compile_id = wick_vm.last_old_compile_id;
    s->sampling->recorder.labels = wick_agent_labels.map ? &wick_agent_labels : NULL;
    return 0;
}

static void close_recorder(struct session *s)
{
    if (s->sampling->recorder.keep) { /* a handler that has not come back may still use all of it */
        s->lost += s->sampling->recorder.lost;
    } else {
        wick_walker_release(&s->sampling->recorder.walker);
    }
    wick_recorder_release(&s->sampling->recorder);
}

/* Scopes are written while a recording runs. */
static void set_labels(bool on)
{
    if (wick_agent_labels.map)
        wick_labels_recording(&wick_agent_labels, on);
}

/* Where the engines of the recording run. */
static struct wick_engine_host engine_host(const struct session *s)
{
    static const struct wick_java_waits java_waits = {wick_agent_locks_find, wick_agent_locks_on, wick_agent_locks_off};
    static const struct wick_java_allocations java_allocations = {
        wick_agent_allocations_open,
        wick_agent_allocations_on,
        wick_agent_allocations_off,
        wick_agent_allocations_interval,
        wick_agent_allocations_change,
        wick_agent_allocations_give_gap,
        {wick_agent_allocations_is_gone, wick_agent_allocations_collections, wick_agent_allocations_drop},
        wick_agent_allocations_tracer,
        wick_agent_allocations_guard};
    return (struct wick_engine_host){
        .opts = &s->opts,
        .recorder = &s->sampling->recorder,
        .threads = &wick_vm.threads,
        .jvm = &wick_vm.jvm,
        .images = &wick_vm.images,
        .libjvm = wick_vm.libjvm,
        .java_waits = &java_waits,
        .java_allocations = &java_allocations,
        .broker = broker,
        .critical_place = wick_vm.critical_place,
        .from_birth = wick_load_relaxed(&s->phase) == PREPARED,
    };
}

/* What is noted of how the engines run goes to the user with the answer to the start: the first of it. */
static void first_note(void *arg, const char *sentence)
{
    struct wick_err *err = arg;
    if (!err->msg[0])
        snprintf(err->msg, sizeof err->msg, "%.150s", sentence);
}

/* Everything but the output, which is open. */
static int begin(struct wick_err *err)
{
    struct session *s = &session;
    bool changed;
    wick_elf_images_refresh(&wick_vm.images, &wick_vm.mem, &changed, NULL);
    int r = open_recorder(s, err);
    if (r)
        return r;
    const struct wick_drain_host host = {s, thread_names, named, event, lost, chunk_end, chunk_begin, more, carry};
    const struct wick_engine_host engines = engine_host(s);
    struct wick_drain_config config = {
        .from_birth = engines.from_birth,
        .labels = wick_agent_labels.map ? &wick_agent_labels : NULL,
        .chunk_bytes = s->opts.chunk_size_bytes,
        .chunk_ns = s->opts.chunk_time_ns,
        .memory_limit = s->opts.memlimit_bytes / 4,
        .max_frames = s->sampling->recorder.max_frames,
        .resumed = s->resumed,
    };
    config.start_ns = s->start_ns = wick_clock_mono_ns();
    if (!s->changing)
        s->first_start_ns = s->start_ns;
    s->info = (struct wick_recording_info){&s->opts, &s->sampling->engines, wick_clock_epoch_ns() / 1000000};
    wick_runtime_open();
    wick_exhaustion_open();
    wick_direct_buffers_open();
    wick_thread_pools_open();
    wick_memory_open(s->opts.memory_interval_ns);
    wick_jvm_counts_open(s->opts.memory_interval_ns);
    s->wake = eventfd(0, EFD_CLOEXEC);
    wick_threads_begin(&wick_vm.threads);
    wick_agent_names_begin();
    wick_store_release(&s->sampling->recorder.running, 1); /* pairs: wick_recorder_enter_sig */
    r = wick_engines_start(&s->sampling->engines, wick_engine_table, &engines, err);
    if (r)
        goto no_engine;
    config.cpu_time = wick_engines_count_cpu_time(&s->sampling->engines);
    wick_engines_samples(&s->sampling->engines, config.sample);
    r = wick_drain_open(&s->drain, &s->sampling->recorder, &wick_vm.images, &s->output, &host, &config, err);
    if (r)
        goto no_drain;
    wick_deadlocks_open();
    /* whatever comes: from now on it can be read */
    note_written(wick_jfr_writer_flush(s->drain.writer, s->start_ns), false);
    if (s->wake < 0 || start_thread(s)) {
        r = wick_err_set(err, WICK_E_NOMEM, "the drain thread could not be started");
        goto no_thread;
    }
    err->msg[0] = 0;
    wick_engines_notes(&s->sampling->engines, first_note, err);
    set_labels(true);
    wick_store_relaxed(&s->phase, RUNNING);
    return 0;

no_thread:
    wick_engines_stop(&s->sampling->engines); /* the drain needs a quiet recorder */
    wick_drain_close(&s->drain, wick_clock_mono_ns(), NULL, NULL);
    goto no_engine;
no_drain:
    wick_engines_stop(&s->sampling->engines);
no_engine:
    wick_runtime_close();
    wick_memory_close();
    wick_jvm_counts_close();
    wick_engines_release(&s->sampling->engines);
    if (s->wake >= 0)
        close(s->wake);
    s->wake = -1;
    close_recorder(s);
    wick_threads_rest(&wick_vm.threads);
    return r;
}

static int ask_to_take(void *arg, uint64_t end)
{
    (void)arg;
    return wick_perf_broker_take(end);
}

static int open_output(const struct wick_session_opts *o, int out_fd, struct wick_err *err)
{
    struct wick_output *out = &session.output;
    if (session.taken)
        return wick_output_init_taken(out, out_fd, ask_to_take, NULL, o->max_size_bytes, o->max_age_ns)
                   ? wick_err_set(err, WICK_E_USAGE, "the output must be a regular file")
                   : 0;
    bool segments = out_fd < 0 && (o->max_size_bytes || o->max_age_ns || wick_opt_is_sequence(o->file));
    int r;
    char base[WICK_OUTPUT_BASE_MAX + 1];
    if (out_fd < 0 && !segments)
        return wick_err_set(err, WICK_E_USAGE, "no output: give file=PATH");
    if (!segments) {
        r = session.resumed ? wick_output_init_more(out, out_fd) : wick_output_init_fd(out, out_fd);
        return r ? wick_err_set(err, WICK_E_USAGE, "the output must be a regular file") : 0;
    }
    wick_output_base_name(o->file, base, sizeof base);
    char pattern[WICK_OPT_PATH_MAX], path[WICK_OPT_PATH_MAX];
    const char *slash = strrchr(o->file, '/');
    snprintf(pattern, sizeof pattern, "%.*s", slash ? (int)(slash - o->file) + 1 : 1, slash ? o->file : ".");
    if (wick_opt_expand(pattern, getpid(), wick_clock_epoch_ns() / 1000000000, 0, path, sizeof path))
        return wick_err_set(err, WICK_E_LIMIT, "the directory's name is too long once expanded");
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open the directory of %s: %s", o->file, strerror(errno));
    r = wick_output_init_dir(out, dir, base, o->max_size_bytes, o->max_age_ns);
    if (r)
        close(dir);
    return r ? wick_err_set(err, WICK_E_USAGE, "'%s' cannot be the base name of a recording's files", base) : 0;
}

static int start(const struct wick_session_opts *o, int out_fd, unsigned resumed, bool taken, struct wick_err *err)
{
    struct session *s = &session;
    if (wick_load_relaxed(&s->phase) != IDLE)
        return wick_err_set(err, WICK_E_STATE,
                            "a recording is already running in this JVM: stop it first (wick stop %d)", (int)getpid());
    if (wick_load_relaxed(&vm_ended))
        return wick_err_set(err, WICK_E_STATE, "the JVM is ending");
    if (!s->changing) {
        s->before = (struct wick_totals){0};
        s->before_bytes = 0;
        s->before_rc = 0;
        s->full = false;
        s->error[0] = 0;
    }
    s->resumed = resumed;
    s->taken = taken;
    s->opts = *o;
    memcpy(s->file, o->file, sizeof s->file);
    int r = open_output(o, out_fd, err);
    if (r)
        return r;
    if (!wick_load_acquire(&wick_vm.live)) { /* pairs: become_live in vm.c */
        wick_store_relaxed(&s->phase, PREPARED);
        return 0;
    }
    r = begin(err);
    if (r) {
        if (out_fd >= 0) /* on failure the caller keeps the descriptor it gave */
            s->output.fd = -1;
        wick_output_release(&s->output);
    }
    return r;
}

int wick_session_start(const struct wick_session_opts *o, int out_fd, struct wick_err *err)
{
    return start(o, out_fd, 0, false, err);
}

int wick_session_start_taken(const struct wick_session_opts *o, int fd, struct wick_err *err)
{
    return start(o, fd, 0, true, err);
}

int wick_session_resume(const struct wick_session_opts *o, int fd, unsigned times, struct wick_err *err)
{
    return start(o, fd, times, false, err);
}

int wick_session_stop(struct wick_err *err)
{
    struct session *s = &session;
    int was = wick_load_relaxed(&s->phase);
    if (was == IDLE)
        return wick_err_set(err, WICK_E_STATE, "no recording is running in this JVM%s%s", s->error[0] ? ": " : "",
                            s->error);
    if (was == PREPARED) {
        wick_output_release(&s->output);
        wick_store_relaxed(&s->phase, IDLE);
        return 0;
    }
    const uint64_t one = 1;
    set_labels(false);
    wick_engines_stop(&s->sampling->engines);
    (void)!write(s->wake, &one, sizeof one);
    pthread_join(s->thread, NULL);
    wick_deadlocks_last();
    pthread_mutex_lock(&s->lock);
    wick_threads_refresh_names(&wick_vm.threads);
    wick_engines_stats(&s->sampling->engines, s->drain.writer, wick_clock_mono_ns());
    wick_drain_round(&s->drain);
    wick_engines_take(&s->sampling->engines, &s->drain, WICK_TAKE_LAST);
    wick_runtime_write(&s->drain, wick_clock_mono_ns(), true);
    wick_thread_pools_write(s->drain.writer, wick_clock_mono_ns());
    (void)wick_exhaustion_write(s->drain.writer, wick_clock_mono_ns());
    (void)wick_deadlocks_write(s->drain.writer, wick_clock_mono_ns());
    wick_memory_end(&s->drain);
    wick_runtime_close();
    wick_memory_close();
    wick_jvm_counts_close();
    int r = wick_drain_close(&s->drain, wick_clock_mono_ns(), &s->final, &s->stats);
    note_written(r, true);
    wick_output_release(&s->output);
    close(s->wake);
    s->wake = -1;
    wick_engines_release(&s->sampling->engines);
    if (wick_recorder_is_idle(&s->sampling->recorder))
        wick_elf_images_reclaim(&wick_vm.images);
    close_recorder(s);
    wick_threads_rest(&wick_vm.threads);
    wick_store_relaxed(&s->phase, IDLE);
    pthread_mutex_unlock(&s->lock);
    if (!s->changing && !r)
        r = s->before_rc;
    if (r)
        return wick_err_set(err, (enum wick_code) - r, "the recording is incomplete: %s",
                            s->error[0] ? s->error : wick_err_text(r));
    return 0;
}

static int must_run(struct wick_err *err)
{
    int phase = wick_load_relaxed(&session.phase);
    return phase == RUNNING    ? 0
           : phase == PREPARED ? wick_err_set(err, WICK_E_STATE, "the JVM is starting: its recording has not begun")
                               : wick_err_set(err, WICK_E_STATE, "no recording is running in this JVM");
}

int wick_session_change(const struct wick_opts *asked, struct wick_err *err)
{
    struct session *s = &session;
    struct wick_err failure = {0};
    int r = must_run(err);
    if (r)
        return r;
    if (s->taken || s->output.dirfd >= 0)
        return wick_err_set(
            err, WICK_E_UNSUPPORTED,
            "a recording in several files (%%n, max-size, max-age) cannot be changed: stop it and start "
            "another one");
    const struct wick_session_opts was = s->opts;
    const struct wick_totals was_before = s->before;
    struct wick_session_opts o;
    struct wick_opt_events plan;
    wick_opt_change(&was, asked, &o);
    if ((r = wick_opt_events(&o, &plan, err)))
        return r;
    int fd = fcntl(s->output.fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return wick_err_set(err, WICK_E_LIMIT, "the recording cannot be changed: the process is out of descriptors");
    s->changing = true;
    r = wick_session_stop(&failure); /* if the disk is full, it is also full for what follows */
    const unsigned times = s->resumed + 1;
    s->before_rc = s->before_rc ? s->before_rc : r;
    s->before_bytes += s->stats.bytes;
    wick_totals_add(&s->before, &s->final);
    r = start(&o, fd, times, false, err);
    if (r && start(&was, fd, times, false, &failure)) {
        close(fd);
        s->before = was_before; /* the last part is the last recording's */
        s->before_bytes -= s->stats.bytes;
        wick_err_prefix(err, "the recording has ended, since it could be continued neither as asked nor as before");
    }
    s->changing = false;
    return r;
}

void wick_session_unused(uint64_t given, void (*note)(void *arg, const char *sentence), void *arg)
{
    if (wick_load_relaxed(&session.phase) == RUNNING)
        wick_engines_unused(&session.sampling->engines, given, note, arg);
}

int wick_session_mark(const char *text, struct wick_err *err)
{
    struct session *s = &session;
    int r = must_run(err);
    if (r)
        return r;
    const uint64_t now = wick_clock_mono_ns();
    pthread_mutex_lock(&s->lock);
    wick_jfr_write_mark(s->drain.writer, &(struct wick_jfr_mark){.start_ns = now, .text = text});
    r = wick_drain_flush(&s->drain, now); /* only now is it known whether it is in the file */
    note_written(r, false);
    pthread_mutex_unlock(&s->lock);
    if (r == -WICK_E_NOSPACE)
        return wick_err_set(err, WICK_E_NOSPACE, "the mark is not in the recording: %s; free some space and mark again",
                            why_full());
    return r ? wick_err_set(err, (enum wick_code) - r, "the mark is not in the recording: %s", wick_err_text(r)) : 0;
}

/* Copies the files of a recording with limits, oldest first. */
static int copy_segments(const struct wick_output *o, int to, struct wick_err *err)
{
    for (size_t i = 0; i < o->count; i++) {
        char name[WICK_OUTPUT_NAME_MAX];
        struct stat st;
        int fd = wick_output_segment_name(o, i, name) ? openat(o->dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (fd < 0)
            continue; /* already removed by another process */
        int r = fstat(fd, &st) ? 0 : wick_ownfile_copy_bytes(fd, to, (uint64_t)st.st_size, err);
        close(fd);
        if (r)
            return r;
    }
    return 0;
}

int wick_session_dump(int out_fd, struct wick_err *err)
{
    struct session *s = &session;
    struct stat st;
    if (wick_load_relaxed(&s->phase) != RUNNING)
        return wick_err_set(err, WICK_E_STATE, "no recording is running in this JVM");
    if (s->taken)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "the files of this recording are made by the `wick record` that runs: copy those");
    /* Held while copying: nothing is written to the file, and the rings buffer what is sampled. */
    pthread_mutex_lock(&s->lock);
    int r = wick_drain_flush_all(&s->drain, wick_clock_mono_ns());
    note_written(r, true);
    if (out_fd < 0)
        ; /* it is all in the file */
    else if (s->output.dirfd >= 0)
        r = copy_segments(&s->output, out_fd, err);
    else if (fstat(s->output.fd, &st))
        r = wick_err_set(err, WICK_E_IO, "cannot read the recording back: %s", strerror(errno));
    else
        r = wick_ownfile_copy_bytes(s->output.fd, out_fd, (uint64_t)st.st_size, err);
    if (!r && out_fd >= 0)
        wick_ownfile_mark_complete(out_fd);
    pthread_mutex_unlock(&s->lock);
    return r;
}

static size_t add(char *buf, size_t cap, size_t at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static size_t add(char *buf, size_t cap, size_t at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = at < cap ? vsnprintf(buf + at, cap - at, fmt, ap) : 0;
    va_end(ap);
    return n > 0 ? at + (size_t)n : at;
}

/* What each type of event has come to. */
static size_t add_types(char *buf, size_t cap, size_t n, const struct wick_totals *t)
{
    static const char *const names[] = {
#define X(NAME, name, unit) name,
#include "def/event_type.def"
#undef X
    };
    for (int i = 0; i < WICK_EVENT_TYPES; i++)
        if (t->of[i].fired)
            n = add(buf, cap, n,
                    "fired_%s=%" PRIu64 "\nrecorded_%s=%" PRIu64 "\ndropped_%s=%" PRIu64 "\nweight_%s=%" PRIu64
                    "\ndropped_weight_%s=%" PRIu64 "\n",
                    names[i], t->of[i].fired, names[i], t->of[i].recorded, names[i], t->of[i].dropped, names[i],
                    t->of[i].weight, names[i], t->of[i].drop_weight);
    return n;
}

void wick_session_status(char *buf, size_t cap)
{
    struct session *s = &session;
    static const char *const drop_names[] = {
#define X(NAME, name, text) name,
#include "def/drop.def"
#undef X
    };
    struct wick_totals t = s->final;
    struct wick_jfr_stats stats = s->stats;
    int phase = wick_load_relaxed(&s->phase);
    char engine[WICK_ENGINES_LABEL];
    /* the unit of weight=: at most one of the two is sampled */
    const enum wick_event_type event = t.of[WICK_EVENT_PERF].fired ? WICK_EVENT_PERF : WICK_EVENT_CPU;
    uint64_t dropped = 0, now = wick_clock_mono_ns();
    uint32_t libraries = 0; /* that are known: also those unloaded since the last flush */
    struct wick_strbuf more_text = WICK_STRBUF_INIT;
    if (phase == RUNNING) {
        pthread_mutex_lock(&s->lock);
        wick_drain_totals(&s->drain, &t);
        wick_jfr_writer_stats(s->drain.writer, &stats);
        wick_engines_status(&s->sampling->engines, &more_text);
        wick_jit_status(&more_text);
        libraries = wick_vm.images.n_all;
        pthread_mutex_unlock(&s->lock);
    }
    wick_totals_add(&t, &s->before);
    for (int i = 0; i < WICK_DROP_COUNT; i++)
        dropped += t.drops[i];
    size_t n = add(buf, cap, 0, "running=%d\nversion=%s\nevent=%s\nfile=%s\n", phase != IDLE, WICK_VERSION,
                   s->opts.event, s->file);
    n = add(buf, cap, n, "fired=%" PRIu64 "\nsamples=%" PRIu64 "\ndropped=%" PRIu64 "\n", t.fired, t.recorded, dropped);
    n = add(buf, cap, n,
            "weight=%" PRIu64 "\ndropped_weight=%" PRIu64 "\nbiased_weight=%" PRIu64 "\nbroken=%" PRIu64
            "\ngaps=%" PRIu64 "\n",
            t.of[event].weight, t.of[event].drop_weight, t.of[event].biased_weight, t.broken, t.gaps);
    n = add(buf, cap, n, "wall_weight=%" PRIu64 "\nwall_dropped_weight=%" PRIu64 "\n", t.of[WICK_EVENT_WALL].weight,
            t.of[WICK_EVENT_WALL].drop_weight);
    n = add_types(buf, cap, n, &t);
    n = add(buf, cap, n, "handler_ns=%" PRIu64 "\nframes=%" PRIu64 "\nbytes=%" PRIu64 "\n", t.handler_ns, t.frames,
            s->before_bytes + stats.bytes);
    for (int i = 0; i < WICK_DROP_COUNT; i++)
        if (t.drops[i])
            n = add(buf, cap, n, "drop_%s=%" PRIu64 "\n", drop_names[i], t.drops[i]);
    if (phase == RUNNING)
        n = add(buf, cap, n, "elapsed_ns=%" PRIu64 "\nengine=%s\n", now - s->first_start_ns,
                wick_engines_label(&s->sampling->engines, engine));
    if (phase == RUNNING)
        n = add(buf, cap, n, "libraries=%" PRIu32 "\n", libraries);
    n = add(buf, cap, n, "%s", more_text.buf);
    wick_strbuf_release(&more_text);
    if (s->lost)
        n = add(buf, cap, n, "lost_handlers=%" PRIu64 "\n", s->lost);
    if (s->error[0])
        n = add(buf, cap, n, "error=%s\n", s->error);
    if (wick_load_relaxed(&vm_ended)) /* what stopped the recording, if it has been stopped */
        n = add(buf, cap, n, "vm_ended=1\n");
    if (n >= cap && cap)
        buf[cap - 1] = 0;
}
