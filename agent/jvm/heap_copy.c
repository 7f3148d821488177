/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_copy.c - fork() in the middle of a walk over the heap
 *
 * JVMTI's FollowReferences stops the program, and the VM thread then reports every reference of the heap: a second for
 * some millions of objects. At the first report the VM thread forks. In the parent the walk is ended there, so that the
 * program goes on; in the child, where nothing but the VM thread exists, it goes on, in a copy of memory in which
 * nothing moves.
 *
 * What the reports do not say is where the objects are. HotSpot hands out pointers to tags that it keeps on its stack
 * between the object and its size, and those of the referrer likewise (class CallbackWrapper, class
 * TwoOopCallbackWrapper in hotspot/share/prims/jvmtiTagMap.cpp; the same in JDK 8 to 25). So the word before the tag
 * must be the size that is reported, and graph_out.c holds what is before that against the heap. Tagging all objects
 * would take the JVM three times as long, and a table of them as large as a quarter of the heap.
 *
 * The child:
 *   - ends with the VM thread that made it, and is the first to be killed when memory runs out
 *   - has no descriptor but the pipe, so it disturbs no log, socket or file
 *   - has copies of its own of what is mapped shared and written to by the VM thread: the counters of hsperfdata
 *   - knows that the walk is over when its VM thread sleeps: a thread of its own polls for that
 *   - takes it for over too when the VM thread waits for a lock that a thread held that only the parent has, such as a
 *     compiler's, or when its code fails; then not all may have been visited, and a copy of another moment is made
 *   - ends by itself when it gets nowhere for a minute, as when its reader has stopped
 *
 * The heap must be private memory (ZGC's is shared, as are some large pages), and there must be room for a copy of all
 * of it, since the program may write to all of it before the child has ended. Should others take that room, the parent
 * ends the child.
 */
#include "agent/jvm/heap_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/jvm/vm.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "snapshot/graph_out.h"
#include "sys/cgroup_memory.h"
#include "sys/maps.h"

enum { POLL_US = 2000, SLEEPS = 5, STUCK_S = 60, NICE = 10, MAP_MOST = 1 << 20 };
enum { END_POLL_NS = 5000000, END_POLLS = 100 };
enum { HALT = SIGUSR1 };        /* halts the VM thread */
enum { ROOM_LEAST = 64 << 20 }; /* bytes that a child may leave to its cgroup, or the machine */

static struct {
    int fd;
    pid_t parent, child; /* child: 0 = none */
    bool forked, in_child, watched;
    int fork_error;
    /* Of the child. */
    int vm_thread;
    _Atomic uint64_t reports;
    _Atomic bool reporting;
    struct wick_graph_out graph;
} the_copy;

/* --- the child ---------------------------------------------------------------------------------------------------- */

/* Ends the child; its reader learns why the dump is not whole. */
static _Noreturn void end(bool whole)
{
    if (!whole)
        wick_dump_out_reject(the_copy.fd, the_copy.graph.problem ? the_copy.graph.problem : "it could not be written",
                             the_copy.graph.again);
    _exit(whole ? 0 : 1);
}

/* Handles the signal that halts the VM thread. */
static _Noreturn void stand_still(int sig)
{
    const struct timespec hour = {.tv_sec = 3600};
    (void)sig;
    for (;;)
        nanosleep(&hour, NULL);
}

/* The VM thread's code may fault or abort in a process in which no other thread of the JVM exists, after the walk as
 * well as during it. It stands still then, which watch() takes for the end of the walk. */
static void at_fault(int sig)
{
    bool reporting = wick_load_acquire(&the_copy.reporting); /* pairs: report */
    if (the_copy.watched && !reporting && syscall(SYS_gettid) == the_copy.vm_thread)
        stand_still(sig);
    the_copy.graph.problem = "its code failed in the copy";
    the_copy.graph.again = true;
    end(false);
}

static void take_over_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXFSZ};
    static const int plain[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM};
    sigset_t set;
    sigemptyset(&set);
    struct sigaction fault = {.sa_handler = at_fault}, usual = {.sa_handler = SIG_DFL}, none = {.sa_handler = SIG_IGN},
                     halt = {.sa_handler = stand_still};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &fault, NULL);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        sigaction(plain[i], &usual, NULL);
        sigaddset(&set, plain[i]);
    }
    sigaction(SIGPIPE, &none, NULL);
    sigaction(HALT, &halt, NULL);
    sigaddset(&set, HALT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Closes all descriptors but the pipe. */
static void close_others(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        if (fd != the_copy.fd)
            dup2(null, fd);
    unsigned most = 65536;
    if (the_copy.fd > 3)
        syscall(SYS_close_range, 3, (unsigned)the_copy.fd - 1, 0);
    if (!syscall(SYS_close_range, (unsigned)(the_copy.fd > 2 ? the_copy.fd + 1 : 3), UINT32_MAX, 0))
        return;
    struct rlimit r;
    if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_cur < most)
        most = (unsigned)r.rlim_cur;
    for (int fd = 3; fd < (int)most; fd++)
        if (fd != the_copy.fd)
            close(fd);
}

/* Puts a copy of its own in place of a mapping. */
static void keep_own(const struct wick_mapping *m)
{
    size_t n = (size_t)(m->hi - m->lo);
    void *at = (void *)(uintptr_t)m->lo;
    void *own = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        _exit(1);
    memcpy(own, at, n);
    if (mremap(own, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
        _exit(1);
}

/* The VM thread goes on counting in hsperfdata, which monitors read. */
static void unshare_counters(void)
{
    static struct wick_maps maps;
    struct wick_mapping m;
    if (wick_maps_open_process(&maps, 0))
        _exit(1);
    while (wick_maps_next(&maps, &m) == 1)
        if (m.shared && m.readable && m.writable && m.hi - m.lo <= MAP_MOST && strstr(m.path, "/hsperfdata_"))
            keep_own(&m);
    wick_maps_close(&maps);
}

static void be_first_to_go(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY);
    if (fd >= 0 && write(fd, "1000", 4) < 0)
        errno = 0; /* it is only a wish */
    if (fd >= 0)
        close(fd);
    setpriority(PRIO_PROCESS, 0, NICE);
}

static bool vm_thread_sleeps(void)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", the_copy.vm_thread);
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *end = strrchr(text, ')');
    return end && !strncmp(end, ") S", 3);
}

/* The child has come on: it has another minute. */
static void still_alive(void)
{
    alarm(STUCK_S);
}

/* Waits until the walk is over, and ends the dump and the process. */
static void *watch(void *arg)
{
    uint64_t before = 0;
    (void)arg;
    for (unsigned sleeps = 0; sleeps < SLEEPS;) {
        usleep(POLL_US);
        uint64_t reports = wick_load_acquire(&the_copy.reports); /* pairs: report */
        bool idle =
            !wick_load_acquire(&the_copy.reporting) && reports == before && vm_thread_sleeps(); /* pairs: report */
        sleeps = idle ? sleeps + 1 : 0;
        if (reports != before)
            still_alive();
        before = reports;
    }
    syscall(SYS_tgkill, getpid(), the_copy.vm_thread, HALT); /* the JVM's next operation would change the heap */
    still_alive();
    end(wick_graph_out_finish(&the_copy.graph));
}

static void become_child(void)
{
    struct timespec now;
    pthread_t thread;
    the_copy.in_child = true;
    the_copy.vm_thread = (int)syscall(SYS_gettid);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != the_copy.parent)
        _exit(1);
    prctl(PR_SET_NAME, "wick-heap-copy");
    take_over_signals();
    still_alive(); /* what follows may wait for a lock whose thread is not here */
    close_others();
    be_first_to_go();
    unshare_counters();
    clock_gettime(CLOCK_REALTIME, &now);
    if (wick_mem_self_init(&wick_vm.mem) ||
        !wick_graph_out_begin(&the_copy.graph, &wick_vm.jvm, the_copy.fd,
                              (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) ||
        pthread_create(&thread, NULL, watch, NULL))
        end(false);
    the_copy.watched = true;
    the_copy.graph.out.wrote = still_alive;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* What HotSpot has beside a tag. */
enum { OBJECT = -2, BYTES = -1, REFERRER = -1 };

static void report(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong size, const jlong *tag,
                   const jlong *referrer_tag)
{
    struct wick_graph_out_ref r = {.kind = (int)kind,
                                   .object = (wick_addr)tag[OBJECT],
                                   .referrer = !referrer_tag         ? 0
                                               : referrer_tag == tag ? (wick_addr)tag[OBJECT] /* refers to itself */
                                                                     : (wick_addr)referrer_tag[REFERRER],
                                   .bytes = (uint64_t)size};
    if (tag[BYTES] != size) {
        the_copy.graph.problem = "the JVM does not say where its objects are as it is known to";
        end(false);
    }
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
        r.thread_id = (uint64_t)info->stack_local.thread_id;
        r.depth = (uint32_t)info->stack_local.depth;
        r.method = (wick_addr)(uintptr_t)info->stack_local.method;
        r.bci = (int32_t)info->stack_local.location;
    } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
        r.thread_id = (uint64_t)info->jni_local.thread_id;
        r.depth = (uint32_t)info->jni_local.depth;
        r.method = (wick_addr)(uintptr_t)info->jni_local.method;
        r.bci = -1;
    }
    wick_store_release(&the_copy.reporting, true); /* pairs: watch */
    if (!wick_graph_out_reference(&the_copy.graph, &r))
        end(false);
    wick_store_release(&the_copy.reports, wick_load_relaxed(&the_copy.reports) + 1); /* pairs: watch */
    wick_store_release(&the_copy.reporting, false);                                  /* pairs: watch */
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length,
                                 void *data)
{
    (void)class_tag, (void)referrer_class_tag, (void)length, (void)data;
    if (!the_copy.forked) {
        the_copy.forked = true;
        pid_t pid = fork();
        if (pid) {
            the_copy.child = pid > 0 ? pid : 0;
            the_copy.fork_error = pid < 0 ? errno : 0;
            return JVMTI_VISIT_ABORT;
        }
        become_child();
    }
    if (!the_copy.in_child)
        return JVMTI_VISIT_ABORT;
    report(kind, info, size, tag, referrer_tag);
    return JVMTI_VISIT_OBJECTS;
}

/* --- the parent --------------------------------------------------------------------------------------------------- */

/* Bytes of this process in RAM that no file stands behind, or none that all share. UINT64_MAX: not known. */
static uint64_t own_bytes(void)
{
    unsigned long long size = 0, resident = 0, shared = 0;
    char line[128];
    FILE *f = fopen("/proc/self/statm", "re");
    int n = f && fgets(line, sizeof line, f) ? sscanf(line, "%llu %llu %llu", &size, &resident, &shared) : 0;
    if (f)
        fclose(f);
    return n == 3 && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : UINT64_MAX;
}

/* Of the machine's memory, 0: not known. */
static uint64_t available_bytes(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib << 10;
}

/* What the machine and the cgroups' limits leave. */
static uint64_t room(void)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    struct wick_cgroup_memory m;
    uint64_t least = available_bytes();
    size_t n = wick_cgroup_levels("", "self", WICK_CGROUP_MEMORY, levels, WICK_CGROUP_LEVELS);
    for (size_t i = 0; i < n; i++) {
        if (!wick_cgroup_memory_read(&levels[i], &m) || !m.limit)
            continue;
        uint64_t needed = wick_cgroup_memory_needed(&m), left = m.limit > needed ? m.limit - needed : 0;
        least = left < least ? left : least;
    }
    return least;
}

/* Whether all of the heap is memory that a child gets copies of. */
static bool is_private(wick_addr from, wick_addr to)
{
    static struct wick_maps maps;
    struct wick_mapping m;
    bool ok = !wick_maps_open_process(&maps, 0);
    while (ok && wick_maps_next(&maps, &m) == 1)
        if (m.hi > from && m.lo < to && (m.shared || strstr(m.path, "hugepage")))
            ok = false;
    wick_maps_close(&maps);
    return ok;
}

static int check(struct wick_err *err)
{
    wick_addr from, to;
    if (the_copy.child)
        return wick_err_set(err, WICK_E_STATE, "a copy of this JVM's heap is being written (process %d)",
                            (int)the_copy.child);
    const char *obstacle =
        wick_vm.oops_known ? wick_graph_out_obstacle(&wick_vm.jvm, &from, &to) : "this JDK's references are not known";
    if (!obstacle && !is_private(from, to))
        obstacle = "the heap is in memory that a child process shares";
    if (obstacle)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "this heap cannot be copied: %s", obstacle);
    uint64_t needed = own_bytes(), left = room();
    if (left < needed)
        return wick_err_set(err, WICK_E_NOSPACE,
                            "a copy of this JVM's memory may take %" PRIu64 " MiB, and there is room for %" PRIu64
                            " MiB",
                            needed >> 20, left >> 20);
    return 0;
}

static int walk(jvmtiEnv *ti)
{
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    const jvmtiHeapCallbacks calls = {.heap_reference_callback = on_reference};
    jvmtiError e = (*ti)->AddCapabilities(ti, &wanted);
    return e ? (int)e : (int)(*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL);
}

static void reap(void)
{
    if (the_copy.child && waitpid(the_copy.child, NULL, WNOHANG) != 0)
        the_copy.child = 0;
}

/* Waits for a copy that has written its dump, and whose process is about to end. */
static void await_end(void)
{
    const struct timespec pause = {.tv_nsec = END_POLL_NS};
    for (unsigned i = 0; i < END_POLLS && the_copy.child; i++) {
        reap();
        if (the_copy.child)
            nanosleep(&pause, NULL);
    }
}

int wick_heap_copy_make(int fd, struct wick_heap_copy *out, struct wick_err *err)
{
    jvmtiEnv *ti = NULL;
    bool attached;
    await_end();
    int rc = check(err);
    if (rc)
        return rc;
    if (!wick_vm_enter(&attached))
        return wick_err_set(err, WICK_E_STATE, "the JVM accepts no threads of the agent now");
    the_copy.fd = fd;
    the_copy.parent = getpid();
    the_copy.forked = false;
    the_copy.fork_error = 0;
    int e = (int)(*wick_vm.java_vm)->GetEnv(wick_vm.java_vm, (void **)&ti, JVMTI_VERSION_1_1);
    uint64_t begin_ns = wick_clock_mono_ns();
    e = e ? e : walk(ti);
    out->stopped_ns = wick_clock_mono_ns() - begin_ns;
    out->pid = (int32_t)the_copy.child;
    if (ti)
        (*ti)->DisposeEnvironment(ti);
    wick_vm_leave(attached);
    if (the_copy.child)
        return 0;
    if (the_copy.fork_error)
        return wick_err_set(err, WICK_E_LIMIT, "cannot copy the process: %s", strerror(the_copy.fork_error));
    return wick_err_set(err, WICK_E_UNSUPPORTED, "the JVM does not walk its heap (JVMTI error %d)", e);
}

bool wick_heap_copy_lives(void)
{
    return the_copy.child != 0;
}

void wick_heap_copy_watch(void)
{
    reap();
    if (the_copy.child && room() < ROOM_LEAST)
        kill(the_copy.child, SIGKILL);
}

void wick_heap_copy_end(void)
{
    if (!the_copy.child)
        return;
    kill(the_copy.child, SIGKILL);
    while (waitpid(the_copy.child, NULL, 0) < 0 && errno == EINTR)
        ;
    the_copy.child = 0;
}
