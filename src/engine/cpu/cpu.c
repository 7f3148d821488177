/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.c - arming threads
 *
 * perf. One event per thread, sampling every `interval`, with the kernel's call chain; user frames are walked by us.
 * The first period is the random phase; the handler sets the regular one. The event signals the thread through its
 * descriptor (F_SETSIG, F_OWNER_TID). Its ring is written backward and mapped read-only, which makes the kernel write
 * over the oldest record: the newest one can always be read. Our signal is a standard one, not a real-time one: while
 * one is pending further ones merge into it instead of queueing, the queue cannot overflow, and the weight comes from
 * a clock anyway. (An overflowing queue would make the kernel send SIGIO, which kills a process that does
 * not expect it.) The event is never disabled and enabled in between, so the counter keeps running.
 *
 * timer. timer_create() on the thread's CPU clock; that clock may belong to any thread of the process (its id is made
 * of the thread's; kernel: include/linux/posix-timers_types.h), and SIGEV_THREAD_ID delivers to the thread.
 *
 * Descriptors. A perf event takes one per thread, out of those that the program may open. A quarter of that limit, and
 * at least HEADROOM, stay free for the program: threads beyond get timers, which take none, or are not sampled where
 * the event does not count CPU time. What is open is counted from time to time; in between, the number of a new
 * descriptor also shows it, because the kernel gives the lowest that is free. An event keeps its descriptor while its
 * thread lives, even if the program comes to need more: who closed it from outside would race with the thread's
 * handler, which reads the counter by that number; and most threads of a crowd sleep, so that they cannot close theirs.
 *
 * The signal. One whose disposition is the default, so that nobody uses it. SIGPROF is left to others, save for the
 * itimer, which knows no other.
 */
#include "engine/cpu/cpu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "sys/perf_event.h"

enum { PERF_PAGES = 2, PAGE = 4096, FIRST_NS = 100000 };
enum { HEADROOM = 256, RECOUNT_NS = 200000000, RECOUNT_REST = 100 };

_Atomic(struct wick_cpu_engine *) wick_cpu_current;
struct wick_gate wick_cpu_gate;

static int perf_open(const struct perf_event_attr *attr, int32_t tid)
{
    return (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The first period is the random phase, and it lasts until the handler sets the regular one. Where signals are blocked
 * that may take long: with a phase of a few microseconds the kernel's interrupts would then leave the thread no time to
 * run (seen: a thread that could not even be killed). */
static uint64_t first_period(const struct wick_cpu_engine *e, uint64_t phase)
{
    uint64_t least = e->event_type != WICK_EVENT_CPU ? 1 : e->interval < FIRST_NS ? e->interval : (uint64_t)FIRST_NS;
    return phase > least ? phase : least;
}

/* How many descriptors this process has open. */
static uint64_t open_descriptors(void)
{
    struct stat st;
    uint64_t n = 0;
    if (!stat("/proc/self/fd", &st) && st.st_size > 0) /* since Linux 6.2 */
        return (uint64_t)st.st_size;
    DIR *d = opendir("/proc/self/fd");
    if (!d)
        return 0; /* then the numbers of our own descriptors have to do */
    for (struct dirent *f; (f = readdir(d));)
        n += f->d_name[0] != '.';
    closedir(d);
    return n - 1;
}

/* Whether one more perf event leaves the program its headroom. */
static bool has_room(struct wick_cpu_engine *e)
{
    uint64_t now = wick_clock_mono_ns(), spent;
    struct rlimit limit = {0};
    if (now < e->recount_ns)
        return e->fd_room > 0;
    getrlimit(RLIMIT_NOFILE, &limit);
    uint64_t keep = limit.rlim_cur / 4 > HEADROOM ? limit.rlim_cur / 4 : HEADROOM, open = open_descriptors();
    e->fd_limit = limit.rlim_cur;
    e->fd_most = limit.rlim_cur > keep ? limit.rlim_cur - keep : 0;
    e->fd_room = e->fd_most > open ? e->fd_most - open : 0;
    spent = (wick_clock_mono_ns() - now) * RECOUNT_REST;
    e->recount_ns = now + (spent > RECOUNT_NS ? spent : RECOUNT_NS);
    return e->fd_room > 0;
}

/* -1: not opened, or it would take the program's headroom. */
static int open_within_headroom(struct wick_cpu_engine *e, const struct perf_event_attr *attr, int32_t tid)
{
    if (!has_room(e)) {
        wick_store_relaxed(&e->fd_short, true);
        return -1;
    }
    int fd = perf_open(attr, tid);
    if (fd < 0 && e->broker)
        fd = e->broker(e->broker_arg, attr, tid);
    if (fd < 0 && errno != EMFILE)
        return -1;
    if (fd >= 0 && (uint64_t)fd < e->fd_most)
        return fd;
    if (fd >= 0)
        close(fd);
    e->fd_room = 0;
    wick_store_relaxed(&e->fd_short, true);
    return -1;
}

/* A thread that arms itself, as it starts: what that cost is not the program's. */
static void restart_own_clock(struct wick_engine_thread *t)
{
    int32_t tid = wick_load_relaxed(&t->tid);
    if (tid == (int32_t)syscall(SYS_gettid))
        t->cpu_base = wick_clock_ns(wick_clock_of_thread(tid));
}

static int arm_perf(struct wick_cpu_engine *e, struct wick_engine_thread *t)
{
    int32_t tid = wick_load_relaxed(&t->tid);
    struct perf_event_attr attr = e->attr;
    attr.sample_period = first_period(e, t->phase);
    int fd = open_within_headroom(e, &attr, tid);
    if (fd < 0)
        return -1;
    /* without the ring (locked memory limit) only the kernel frames are missing */
    void *page = e->kernel_frames ? mmap(NULL, PERF_PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    t->perf_page = page == MAP_FAILED ? NULL : page;
    t->perf_fd = fd;
    bool failed = fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) || fcntl(fd, F_SETSIG, e->signal.number) ||
                  fcntl(fd, F_SETOWN_EX, &owner);
    restart_own_clock(t);
    wick_signal_fence();
    if (failed || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
        if (t->perf_page)
            munmap(t->perf_page, PERF_PAGES * PAGE);
        t->perf_page = NULL;
        t->perf_fd = -1;
        close(fd);
        return -1;
    }
    e->fd_room--;
    wick_add_relaxed(&e->by_perf, 1);
    return 0;
}

static int arm_timer(struct wick_cpu_engine *e, struct wick_engine_thread *t)
{
    int32_t tid = wick_load_relaxed(&t->tid);
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = e->signal.number, .sigev_value.sival_ptr = t};
    ev._sigev_un._tid = tid;
    int id = -1;
    if (syscall(SYS_timer_create, wick_clock_of_thread(tid), &ev, &id))
        return -1;
    uint64_t first = t->phase ? t->phase : 1;
    const struct itimerspec when = {
        .it_value = {(time_t)(first / 1000000000), (long)(first % 1000000000)},
        .it_interval = {(time_t)(e->interval / 1000000000), (long)(e->interval % 1000000000)},
    };
    t->timer = id;
    restart_own_clock(t);
    wick_signal_fence();
    if (syscall(SYS_timer_settime, id, 0, &when, NULL)) {
        syscall(SYS_timer_delete, id);
        t->timer = -1;
        return -1;
    }
    wick_add_relaxed(&e->by_timer, 1);
    return 0;
}

/* The place of time without samples: wick's own threads have one by which readers know them; there is no frame. */
static void note(struct wick_cpu_engine *e, const struct wick_engine_thread *t, uint64_t weight, enum wick_stop why)
{
    if (wick_threads_is_own_locked(e->threads, t->serial))
        why = WICK_STOP_OWN_THREAD;
    wick_recorder_note(e->recorder, e->event_type, wick_clock_mono_ns(), weight, t->serial, why);
}

/* Accounts for the CPU time that a thread used before it was known: as many samples as its clock crossed multiples.
 * With a recording from the JVM's start that is also what the first threads used until the JVM could be sampled. */
static void book_youth(struct wick_cpu_engine *e, struct wick_engine_thread *t)
{
    enum wick_stop why = e->from_birth ? WICK_STOP_JVM_START : WICK_STOP_YOUNG_THREAD;
    uint64_t used = wick_clock_ns(wick_clock_of_thread(wick_load_relaxed(&t->tid)));
    if (!e->from_birth && used > wick_clock_mono_ns() - e->start_ns)
        return; /* older than the recording: the kernel's list of threads had left it out */
    if (used <= t->phase) {
        t->phase -= used;
        return;
    }
    uint64_t crossed = (used - t->phase) / e->interval + 1;
    note(e, t, crossed * e->interval, why);
    t->phase = t->phase + crossed * e->interval - used;
}

static void arm(void *arg, struct wick_engine_thread *t, bool born_late)
{
    struct wick_cpu_engine *e = arg;
    t->phase = wick_random_u64(&e->seed) % e->interval; /* the registry's lock protects the seed */
    t->crossings = t->owed = t->rest_until = t->last_count = t->last_cpu = t->perf_head = 0;
    if ((born_late || e->from_birth) && e->event_type == WICK_EVENT_CPU)
        book_youth(e, t);
    t->cpu_base = wick_clock_ns(wick_clock_of_thread(wick_load_relaxed(&t->tid)));
    int r = e->mode == WICK_CPU_PERF ? arm_perf(e, t) : e->mode == WICK_CPU_TIMER ? arm_timer(e, t) : 0;
    if (r && e->mode == WICK_CPU_PERF && e->event_type == WICK_EVENT_CPU)
        r = arm_timer(e, t);
    t->unsampled = r && wick_clock_ns(wick_clock_of_thread(wick_load_relaxed(&t->tid))); /* no clock: it has ended */
    if (t->unsampled)
        wick_add_relaxed(&e->unsampled, 1);
}

/* What the thread used since its last sample is known, but not where. Timers tick every few milliseconds only, so this
 * is most of the time of a short thread. */
static void book_residue(struct wick_cpu_engine *e, struct wick_engine_thread *t)
{
    uint64_t clock = t->replaced ? 0 : wick_clock_ns(wick_clock_of_thread(wick_load_relaxed(&t->tid))), weight = 0;
    if (e->event_type == WICK_EVENT_CPU && (t->perf_fd >= 0 || (t->timer >= 0 && clock)))
        weight = wick_cpu_residue_sig(e, t, clock > t->cpu_base ? clock - t->cpu_base : 0);
    if (weight)
        note(e, t, weight, WICK_STOP_ENDED);
    if (t->owed)
        wick_recorder_drop_sig(e->recorder, e->event_type, WICK_DROP_THREAD_ENDED, 1, t->owed * e->interval);
    t->owed = 0;
}

/* The running thread ends. */
static void end(void *arg, struct wick_engine_thread *t)
{
    struct wick_cpu_engine *e = arg;
    sigset_t ours, old;
    sigemptyset(&ours);
    sigaddset(&ours, e->signal.number);
    pthread_sigmask(SIG_BLOCK, &ours, &old);
    book_residue(e, t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The thread has ended, or the recorder is quiet. */
static void disarm(void *arg, struct wick_engine_thread *t)
{
    struct wick_cpu_engine *e = arg;
    if (t->perf_fd >= 0) {
        /* A child that was forked and has not called exec yet also holds the event, so closing does not end it. */
        ioctl(t->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
        fcntl(t->perf_fd, F_SETFL, O_NONBLOCK);
    }
    book_residue(e, t);
    if (t->timer >= 0) {
        syscall(SYS_timer_delete, t->timer);
        wick_sub_relaxed(&e->by_timer, 1);
    }
    if (t->perf_page && !e->recorder->keep) /* a lost handler may come back to it */
        munmap(t->perf_page, PERF_PAGES * PAGE);
    if (t->perf_fd >= 0) {
        close(t->perf_fd);
        e->fd_room++;
        wick_sub_relaxed(&e->by_perf, 1);
    }
    if (t->unsampled)
        wick_sub_relaxed(&e->unsampled, 1);
    t->unsampled = false;
    t->timer = t->perf_fd = -1;
    t->perf_page = NULL;
}

/* The broker keeps kernel addresses from a process that may not see them. The event still counts in the kernel, it only
 * has no call chain there. */
static int ask_broker(struct wick_cpu_engine *e, int32_t tid)
{
    struct perf_event_attr without = e->attr;
    int fd = e->broker(e->broker_arg, &e->attr, tid);
    if (fd != -WICK_E_PERM || e->attr.exclude_callchain_kernel)
        return fd;
    without.exclude_callchain_kernel = 1;
    without.write_backward = 0;
    fd = e->broker(e->broker_arg, &without, tid);
    if (fd >= 0) {
        e->attr = without;
        e->kernel_frames = false;
        snprintf(e->note, sizeof e->note,
                 "no kernel frames: the JVM's user may not see kernel addresses. To get them: sysctl "
                 "kernel.perf_event_paranoid=1, or wick record --perf");
    }
    return fd;
}

/* Whether a perf event like ours can be opened on this thread. */
static bool try_perf(struct wick_cpu_engine *e)
{
    int32_t tid = (int32_t)syscall(SYS_gettid);
    int fd = perf_open(&e->attr, tid), why = errno;
    if (fd < 0 && e->broker)
        fd = ask_broker(e, tid);
    errno = why;
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

static bool try_timer(void)
{
    struct sigevent ev = {.sigev_notify = SIGEV_NONE};
    int id;
    if (syscall(SYS_timer_create, wick_clock_of_thread((int32_t)syscall(SYS_gettid)), &ev, &id))
        return false;
    syscall(SYS_timer_delete, id);
    return true;
}

/* After try_timer() has failed. */
static int no_timers(struct wick_err *err)
{
    if (errno == EAGAIN)
        return wick_err_set(err, WICK_E_LIMIT,
                            "cannot make a CPU timer: the user's limit of pending signals is reached, which timers "
                            "count against. Raise it (ulimit -i)");
    return wick_err_set(err, WICK_E_UNSUPPORTED, "this kernel has no CPU timers for threads: %s", strerror(errno));
}

/* The limit of open files leaves no room for a single perf event. */
static int without_descriptors(struct wick_cpu_engine *e, const char *name, struct wick_err *err)
{
    if (e->event_type != WICK_EVENT_CPU)
        return wick_err_set(
            err, WICK_E_LIMIT,
            "cannot sample the perf event %s: it takes a file descriptor per thread, and of the %" PRIu64
            " that the process may open %d have to stay free. Raise the limit of open files (ulimit -n)",
            name, e->fd_limit, HEADROOM);
    if (!try_timer())
        return no_timers(err);
    snprintf(e->note, sizeof e->note,
             "the limit of open files (%" PRIu64 ") leaves no room for perf events: CPU timers, no kernel frames",
             e->fd_limit);
    e->kernel_frames = false;
    e->mode = WICK_CPU_TIMER;
    return 0;
}

static int choose_mode(struct wick_cpu_engine *e, const struct wick_cpu_config *c, struct wick_err *err)
{
    const char *name = c->event && *c->event ? c->event : "cpu";
    bool cpu_time = true, any = !strcmp(name, "cpu"), timer = !strcmp(name, "ctimer"), itimer = !strcmp(name, "itimer");
    int r = wick_perf_event_parse(any || timer || itimer ? "cpu-clock" : name, &e->attr, &cpu_time, err);
    if (r)
        return r;
    e->interval = c->interval ? c->interval : e->attr.sample_period;
    e->event_type = cpu_time ? WICK_EVENT_CPU : WICK_EVENT_PERF;
    e->attr.disabled = 1;
    e->attr.wakeup_events = 1;
    e->attr.exclude_hv = 1;
    e->attr.exclude_kernel = c->user_only;
    e->attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;
    e->attr.exclude_callchain_user = 1;
    e->attr.exclude_callchain_kernel = c->user_only;
    e->attr.sample_period = e->interval;
    e->attr.write_backward = e->kernel_frames = !c->user_only;
    e->mode = WICK_CPU_PERF;
    if (!timer && !itimer && !has_room(e))
        return without_descriptors(e, name, err);
    if (!timer && !itimer && try_perf(e))
        return 0;
    int why = errno;
    if (!timer && !itimer && why == EMFILE)
        return without_descriptors(e, name, err);
    if (!timer && !itimer && e->attr.write_backward && why == EINVAL) {
        e->attr.write_backward = e->kernel_frames = false; /* before Linux 4.7 */
        if (try_perf(e)) {
            snprintf(e->note, sizeof e->note, "this kernel's perf events have no backward ring: no kernel frames");
            return 0;
        }
        why = errno;
    }
    if (!any && !timer && !itimer)
        return wick_err_set(err, why == EACCES || why == EPERM ? WICK_E_PERM : WICK_E_UNSUPPORTED,
                            "cannot open the perf event %s: %s. %s", name, strerror(why),
                            why == EACCES || why == EPERM
                                ? "Lower kernel.perf_event_paranoid, give the process CAP_PERFMON, or record as root"
                                : "This machine does not offer it");
    if (any)
        snprintf(e->note, sizeof e->note, "perf events are not permitted (%s): CPU timers, no kernel frames",
                 strerror(why));
    e->kernel_frames = false;
    e->mode = WICK_CPU_TIMER;
    if (!itimer && try_timer())
        return 0;
    if (timer)
        return no_timers(err);
    if (any)
        snprintf(e->note, sizeof e->note,
                 "neither perf events (%s) nor thread timers (%s) can be made: one timer for the process",
                 strerror(why), strerror(errno));
    e->mode = WICK_CPU_ITIMER;
    return 0;
}

int wick_cpu_start(struct wick_cpu_engine *e, const struct wick_cpu_config *c, struct wick_recorder *r,
                   struct wick_threads *ts, struct wick_err *err)
{
    *e = (struct wick_cpu_engine){.recorder = r, .threads = ts, .broker = c->broker, .broker_arg = c->broker_arg};
    e->seed = wick_clock_mono_ns() ^ (uint64_t)getpid() << 32;
    int rc = choose_mode(e, c, err);
    if (!rc)
        rc = wick_signal_take(&e->signal, e->mode == WICK_CPU_ITIMER ? SIGPROF : 0, wick_cpu_signal_sig, err);
    if (rc)
        return rc;
    e->start_ns = wick_clock_mono_ns();
    e->process_start_ns = wick_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store(&wick_cpu_current, e); /* pairs: wick_cpu_signal_sig */
    const struct wick_thread_hooks hooks = {arm, disarm, end, e};
    e->from_birth = c->from_birth;
    wick_threads_arm(ts, &hooks);
    e->from_birth = false;
    if (e->mode == WICK_CPU_ITIMER) {
        const struct timeval tv = {(time_t)(e->interval / 1000000000), (suseconds_t)(e->interval % 1000000000 / 1000)};
        const struct itimerval when = {tv, tv};
        if (setitimer(ITIMER_PROF, &when, NULL)) {
            wick_cpu_stop(e);
            return wick_err_set(err, WICK_E_UNSUPPORTED, "setitimer: %s", strerror(errno));
        }
    }
    return 0;
}

void wick_cpu_stop(struct wick_cpu_engine *e)
{
    const struct itimerval off = {0};
    if (e->mode == WICK_CPU_ITIMER)
        setitimer(ITIMER_PROF, &off, NULL);
    /* No handler may be reading a ring page while it is unmapped. */
    wick_recorder_quiesce(e->recorder);
    wick_threads_disarm(e->threads, e);
    wick_signal_give(&e->signal);
    atomic_store(&wick_cpu_current, NULL); /* pairs: wick_cpu_signal_sig; seq_cst, see gate.h */
    if (!wick_gate_wait(&wick_cpu_gate, &e->recorder->patience_ns)) /* a handler may not own anything yet */
        wick_recorder_keep(e->recorder, 0);
}

bool wick_cpu_threads_note(const struct wick_cpu_engine *e, char *buf, size_t cap)
{
    uint32_t perf = wick_load_relaxed(&e->by_perf), timer = wick_load_relaxed(&e->by_timer),
             none = wick_load_relaxed(&e->unsampled), all = perf + timer + none;
    bool some = e->mode == WICK_CPU_PERF && timer;
    const char *why = wick_load_relaxed(&e->fd_short)
                          ? ": a quarter of the limit of open files (ulimit -n), and at least 256, stays free"
                          : "";
    if (none)
        snprintf(buf, cap, "%u of %u threads are not sampled%s", none, all,
                 why[0] ? why : ": neither a perf event nor a timer could be set up");
    else if (some)
        snprintf(buf, cap, "%u of %u threads have CPU timers, without kernel frames%s", timer, all, why);
    return none || some;
}

const char *wick_cpu_mode_name(const struct wick_cpu_engine *e)
{
    return e->mode == WICK_CPU_PERF ? "perf" : e->mode == WICK_CPU_TIMER ? "timer" : "itimer";
}
