/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_kernel.c - libbpf by hand, and the order of what is attached
 *
 * libbpf is loaded with dlopen when a recording starts, and its functions called through a table made of one list; a
 * missing one is another version of the library. Why the kernel refuses a program it does not say in a way that helps,
 * so a failure is explained afterwards by what can be asked: release, BTF, rights, and else libbpf's own last warning.
 *
 * The clock is a perf event of each CPU that is online (CPU clock), with the BPF program attached to it; ticks that
 * should have come, by the events' own counts, less those that the program counted are those that were skipped.
 *
 * For waits, what makes the record is attached first: it does nothing until a thread was seen to leave its CPU, and
 * without it a wait that was chosen has no stack. Then comes the switch, and wakeups later: a wakeup that is seen
 * must belong to a switch that was seen, else a sleep would be taken for time on the run queue. The threads that there
 * are already are noted at last, by an iterator that is run once. Counters are kept for each CPU and summed up here.
 */
#include "ebpf/host_kernel_int.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "ebpf/host_counts.h"
#include "ebpf/host_failure.h"
#include "ebpf/host_object.h"
#include "ebpf/host_reason.h"

/* --- the library --- */

struct wick_host_libbpf wick_host_libbpf;

static int load_library(struct wick_err *err)
{
    void *lib = dlopen(WICK_HOST_LIBBPF, RTLD_NOW | RTLD_LOCAL);
    bool whole = lib != NULL;
#define FIND(name) whole = whole && (wick_host_libbpf.name = (__typeof__(&name))dlsym(lib, #name));
    WICK_HOST_LIBBPF_EACH(FIND)
#undef FIND
    return whole ? 0
                 : wick_err_set(err, WICK_E_UNSUPPORTED,
                                "wick host needs the library " WICK_HOST_LIBBPF
                                ", which cannot be loaded: %s; Debian's package is "
                                "libbpf1",
                                lib ? "it is another version" : dlerror());
}

/* --- the programs --- */

/* Of a group, in this order. A tracepoint is named where a kernel may lack it, and then has nothing of that kind to
 * record. */
struct group_program {
    const char *name, *tracepoint;
};

static const struct group_program group_programs[WICK_HOST_GROUPS][WICK_HOST_PROGRAMS + 1] = {
    /* a wakeup that is seen belongs to a switch that was seen, else a sleep would be taken for time on the run queue */
    [WICK_HOST_GROUP_WAITS] = {{"wait_switch", NULL},
                               {"wait_migrate", NULL},
                               {"wait_handler_entry", NULL},
                               {"wait_handler_exit", NULL},
                               {"wait_soft_entry", NULL},
                               {"wait_soft_exit", NULL},
                               {"wait_timer_entry", NULL},
                               {"wait_timer_exit", NULL},
                               {"wait_packet", NULL},
                               {"wait_waking", NULL},
                               {"wait_wakeup_new", NULL},
                               {"wait_wakeup", NULL}},
    /* the end first: of what is seen to begin the end is seen */
    [WICK_HOST_GROUP_IO] = {{"io_complete", NULL},
                            {"io_merge", "block_rq_merge"},
                            {"io_requeue", NULL},
                            {"io_issue", NULL},
                            {"io_insert", NULL}},
    [WICK_HOST_GROUP_STALLS] = {{"reclaim_end", "mm_vmscan_direct_reclaim_end"},
                                {"cgroup_end", "mm_vmscan_memcg_reclaim_end"},
                                {"compaction_end", "mm_compaction_end"},
                                {"reclaim_begin", "mm_vmscan_direct_reclaim_begin"},
                                {"cgroup_begin", "mm_vmscan_memcg_reclaim_begin"},
                                {"compaction_begin", "mm_compaction_begin"}},
    [WICK_HOST_GROUP_CALLS] = {{"call_exit", NULL}, {"call_enter", NULL}},
    [WICK_HOST_GROUP_ALLOCS] = {{"alloc_start", NULL}}, /* the others are attached by process */
    /* always attached; the mark first, which does nothing without the signal */
    [WICK_HOST_GROUP_OOM_KILLS] = {{"oom_victim", NULL}, {"oom_signal", NULL}},
};

/* Where a thread that has a processor again is seen: the tracepoint sched_exit_tp, or before Linux 6.16 a probe. */
#define AGAIN_PROGRAM   "wait_exit"
#define AGAIN_PROBE     "wait_return"
#define THREADS_PROGRAM "wait_threads" /* an iterator: run once */

/* What libbpf said last, for the message of a failure, or why the kernel's verifier refused a program. */
static char complaint[400];
static bool refused;

static int keep_complaint(enum libbpf_print_level level, const char *format, va_list args)
{
    char *text = NULL;
    if (level != LIBBPF_WARN || refused || vasprintf(&text, format, args) < 0)
        return 0;
    refused = wick_host_verifier_reason(text, complaint, sizeof complaint);
    if (!refused)
        snprintf(complaint, sizeof complaint, "%s", text);
    free(text);
    return 0;
}

static int take_record(void *arg, void *data, size_t size)
{
    struct wick_host_kernel *k = arg;
    return size < sizeof(struct wick_host_head) || k->take(k->arg, data) ? 0 : -EAGAIN;
}

static int find_maps(struct wick_host_kernel *k)
{
    const struct {
        const char *name;
        int *fd;
    } maps[] = {{"jvms", &k->jvms},        {"threads", &k->threads}, {"publishers", &k->publishers},
                {"pages", &k->pages},      {"rules", &k->rules},     {"known", &k->known},
                {"counts", &k->counts},    {"plan", &k->plan},       {"counted", &k->counted},
                {"alloc_jvms", &k->allocs}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if ((*maps[i].fd = wick_host_libbpf.bpf_object__find_map_fd_by_name(k->object, maps[i].name)) < 0)
            return -ENOENT;
    k->ring = wick_host_libbpf.ring_buffer__new(wick_host_libbpf.bpf_object__find_map_fd_by_name(k->object, "ring"),
                                                take_record, k, NULL);
    k->sample = wick_host_libbpf.bpf_object__find_program_by_name(k->object, "sample");
    k->births = wick_host_libbpf.bpf_object__find_program_by_name(k->object, "births");
    const struct bpf_program *p = wick_host_libbpf.bpf_object__find_program_by_name(k->object, "identify");
    k->identify = p ? wick_host_libbpf.bpf_program__fd(p) : -1;
    return k->ring && k->sample && k->births ? 0 : -ENOMEM;
}

static struct bpf_link *attach(struct wick_host_kernel *k, const char *program)
{
    struct bpf_program *p = wick_host_libbpf.bpf_object__find_program_by_name(k->object, program);
    return p ? wick_host_libbpf.bpf_program__attach(p) : NULL;
}

static int want(struct wick_host_kernel *k, const char *program, bool wanted)
{
    struct bpf_program *p = wick_host_libbpf.bpf_object__find_program_by_name(k->object, program);
    return !p || wick_host_libbpf.bpf_program__set_autoload(p, wanted) ? -ENOENT : 0;
}

/* The programs of counted events, in the order of enum wick_host_probe_kind. */
static const char *const counted_programs[] = {"counted_perf", "counted_tracepoint", "counted_probe"};
enum { COUNTED_PROGRAMS = sizeof counted_programs / sizeof *counted_programs };

/* Those of allocations, in the order of enum wick_host_alloc_probe. */
static const char *const alloc_programs[] = {"alloc_call", "alloc_end", "alloc_report"};
enum { ALLOC_PROGRAMS = sizeof alloc_programs / sizeof *alloc_programs };

/* Whether the kernel has that tracepoint. */
static bool is_known(const char *tracepoint)
{
    bool known = wick_host_libbpf.libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP) > 0;
    *complaint = 0; /* that there is none is no reason of a failure */
    return known;
}

static bool is_there(const struct group_program *p)
{
    return !p->tracepoint || is_known(p->tracepoint);
}

static int want_group(struct wick_host_kernel *k, enum wick_host_group g, bool wanted)
{
    int rc = 0;
    for (const struct group_program *p = group_programs[g]; p->name && !rc; p++)
        rc = want(k, p->name, wanted && is_there(p));
    return rc;
}

static bool attach_group(struct wick_host_kernel *k, enum wick_host_group g)
{
    const struct group_program *p = group_programs[g];
    for (size_t i = 0; p[i].name; i++)
        if (is_there(&p[i]) && !(k->group_links[g][i] = attach(k, p[i].name)))
            return false;
    return true;
}

static int load(struct wick_host_kernel *k, unsigned what)
{
    bool waits = what & WICK_HOST_LOAD_WAITS;
    k->object = wick_host_libbpf.bpf_object__open_mem(wick_host_object, wick_host_object_size, NULL);
    if (!k->object)
        return -errno;
    k->probes = waits && !is_known("sched_exit_tp");
    int rc = want(k, THREADS_PROGRAM, waits);
    rc = rc ? rc : want(k, AGAIN_PROGRAM, waits && !k->probes);
    rc = rc ? rc : want(k, AGAIN_PROBE, k->probes);
    const bool wanted[WICK_HOST_GROUPS] = {waits,
                                           what & WICK_HOST_LOAD_IO,
                                           what & WICK_HOST_LOAD_STALLS,
                                           what & WICK_HOST_LOAD_CALLS,
                                           what & WICK_HOST_LOAD_ALLOCS,
                                           true};
    for (int g = 0; g < WICK_HOST_GROUPS && !rc; g++)
        rc = want_group(k, (enum wick_host_group)g, wanted[g]);
    for (size_t i = 0; i < COUNTED_PROGRAMS && !rc; i++)
        rc = want(k, counted_programs[i], what >> i & WICK_HOST_LOAD_COUNTED);
    for (size_t i = 0; i < ALLOC_PROGRAMS && !rc; i++)
        rc = want(k, alloc_programs[i], what & WICK_HOST_LOAD_ALLOCS);
    return rc ? rc : wick_host_libbpf.bpf_object__load(k->object);
}

int wick_host_kernel_open(struct wick_host_kernel **out, unsigned what, wick_host_take *take, void *arg,
                          struct wick_err *err)
{
    int rc = load_library(err);
    if (rc)
        return rc;
    struct wick_host_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    k->take = take;
    k->arg = arg;
    k->cpus = wick_host_libbpf.libbpf_num_possible_cpus();
    wick_host_libbpf.libbpf_set_print(keep_complaint);
    *complaint = refused = 0;
    rc = k->cpus > 0 ? 0 : k->cpus;
    if (!rc) {
        k->events = calloc((size_t)k->cpus, sizeof *k->events);
        k->links = calloc((size_t)k->cpus, sizeof *k->links);
        rc = k->events && k->links ? load(k, what) : -ENOMEM;
    }
    rc = rc ? rc : find_maps(k);
    if (!rc && (!(k->exit_link = attach(k, "process_exit")) || !(k->exec_link = attach(k, "process_exec"))))
        rc = -errno;
    if (!rc && !attach_group(k, WICK_HOST_GROUP_OOM_KILLS))
        rc = -errno;
    if (rc) {
        wick_host_kernel_close(k);
        return wick_host_failure(-rc, what & WICK_HOST_LOAD_WAITS, refused, complaint, err);
    }
    *out = k;
    return 0;
}

void wick_host_kernel_close(struct wick_host_kernel *k)
{
    if (!k)
        return;
    wick_host_kernel_stop(k);
    wick_host_libbpf.bpf_link__destroy(k->exit_link);
    wick_host_libbpf.bpf_link__destroy(k->exec_link);
    wick_host_libbpf.ring_buffer__free(k->ring);
    wick_host_libbpf.bpf_object__close(k->object);
    free(k->events);
    free(k->links);
    free(k->counters);
    free(k);
}

int wick_host_kernel_start(struct wick_host_kernel *k, uint64_t interval_ns, struct wick_err *err)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = interval_ns,
    };
    k->interval_ns = interval_ns;
    for (int cpu = 0; cpu < k->cpus; cpu++) {
        int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0 && errno == ENODEV)
            continue; /* this CPU is not online */
        struct bpf_link *link = fd < 0 ? NULL : wick_host_libbpf.bpf_program__attach_perf_event(k->sample, fd);
        if (!link) {
            int error = errno;
            if (fd >= 0)
                close(fd);
            return wick_err_set(
                err, error == EACCES || error == EPERM ? WICK_E_PERM : WICK_E_UNSUPPORTED,
                "the clock of CPU %d cannot be sampled: %s. Run as root, or with CAP_PERFMON and CAP_BPF", cpu,
                strerror(error));
        }
        k->events[k->count] = fd;
        k->links[k->count++] = link;
    }
    return k->count ? 0 : wick_err_set(err, WICK_E_UNSUPPORTED, "no CPU has a clock that can be sampled");
}

/* Has the kernel side note each thread that there is. */
static int visit_threads(struct wick_host_kernel *k)
{
    struct bpf_program *p = wick_host_libbpf.bpf_object__find_program_by_name(k->object, THREADS_PROGRAM);
    struct bpf_link *link = p ? wick_host_libbpf.bpf_program__attach_iter(p, NULL) : NULL;
    int fd = link ? wick_host_libbpf.bpf_iter_create(wick_host_libbpf.bpf_link__fd(link)) : -1;
    char nothing[64];
    ssize_t n = -1;
    while (fd >= 0 && (n = read(fd, nothing, sizeof nothing)) > 0) {
    }
    if (fd >= 0)
        close(fd);
    wick_host_libbpf.bpf_link__destroy(link);
    return n < 0 ? -1 : 0;
}

static int set_probe(void *arg, const char *function)
{
    struct wick_host_kernel *k = arg;
    struct bpf_program *p = wick_host_libbpf.bpf_object__find_program_by_name(k->object, AGAIN_PROBE);
    k->again_link = p ? wick_host_libbpf.bpf_program__attach_kprobe(p, true, function) : NULL;
    return k->again_link ? 0 : p ? errno : EINVAL;
}

static int set_plan(struct wick_host_kernel *k)
{
    uint32_t key = 0;
    return wick_host_libbpf.bpf_map_update_elem(k->plan, &key, &k->planned, BPF_ANY);
}

static int cannot_trace(const char *what, const char *word, struct wick_err *err)
{
    return wick_err_set(err, WICK_E_UNSUPPORTED, "%s cannot be traced: %s. Without -e %s, CPU time is recorded", what,
                        strerror(errno), word);
}

/* By what is planned. */
static int start_group(struct wick_host_kernel *k, enum wick_host_group g, const char *what, const char *word,
                       struct wick_err *err)
{
    return !set_plan(k) && attach_group(k, g) ? 0 : cannot_trace(what, word, err);
}

int wick_host_kernel_start_waits(struct wick_host_kernel *k, uint64_t threshold_ns, struct wick_err *err)
{
    if (!k->probes) {
        k->again_link = attach(k, AGAIN_PROGRAM);
    } else {
        int rc = wick_host_probe_switch(NULL, set_probe, k, err);
        if (rc)
            return rc;
    }
    k->planned.threshold_ns = threshold_ns;
    if (!k->again_link)
        return cannot_trace("the scheduler", "sched", err);
    int rc = start_group(k, WICK_HOST_GROUP_WAITS, "the scheduler", "sched", err);
    return rc || !visit_threads(k) ? rc : cannot_trace("the scheduler", "sched", err);
}

int wick_host_kernel_start_io(struct wick_host_kernel *k, uint64_t period, struct wick_err *err)
{
    k->planned.io_period = period;
    return start_group(k, WICK_HOST_GROUP_IO, "requests to disks", "blockio", err);
}

int wick_host_kernel_start_stalls(struct wick_host_kernel *k, uint64_t threshold_ns, struct wick_err *err)
{
    k->planned.stall_ns = threshold_ns;
    return start_group(k, WICK_HOST_GROUP_STALLS, "stalls for memory", "memstall", err);
}

int wick_host_kernel_start_calls(struct wick_host_kernel *k, uint64_t threshold_ns, uint64_t socket_ns,
                                 struct wick_err *err)
{
    k->planned.call_ns = threshold_ns;
    k->planned.socket_ns = socket_ns;
    return start_group(k, WICK_HOST_GROUP_CALLS, "system calls",
                       !socket_ns     ? "syscalls"
                       : threshold_ns ? "syscalls,network"
                                      : "network",
                       err);
}

/* --- counted events --- */

/* Sets what the kernel side counts by; nothing is attached yet. */
static int plan_counted(struct wick_host_kernel *k, const struct wick_host_probe *p, uint32_t number)
{
    struct wick_host_counted *of = calloc((size_t)k->cpus, sizeof *of);
    uint64_t random = wick_random_stream(wick_clock_mono_ns(), number);
    for (int i = 0; of && i < k->cpus; i++) {
        of[i].period = p->kind == WICK_HOST_PROBE_COUNTER ? 1 : p->attr.sample_period;
        of[i].phase = wick_random_below(&random, of[i].period);
    }
    int rc = of ? wick_host_libbpf.bpf_map_update_elem(k->counted, &number, of, BPF_ANY) : -ENOMEM;
    free(of);
    return rc;
}

static int cannot_attach(const char *name, int error, struct wick_err *err)
{
    if (error == EACCES || error == EPERM)
        return wick_err_set(
            err, WICK_E_PERM,
            "%.200s cannot be recorded: the kernel refuses it to this user: run as root, or with CAP_PERFMON "
            "and CAP_BPF",
            name);
    if (error == ENOENT || error == EOPNOTSUPP)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "%.200s cannot be recorded: this machine does not count it", name);
    return wick_err_set(err, WICK_E_UNSUPPORTED, "%.200s cannot be recorded: %s", name, strerror(error));
}

/* Attaches a program to an event, of process pid or on a CPU. 0 or an errno. */
static int attach_event(struct wick_host_kernel *k, const char *name, struct perf_event_attr *attr, pid_t pid, int cpu,
                        uint64_t cookie, uint32_t number)
{
    struct bpf_program *program = wick_host_libbpf.bpf_object__find_program_by_name(k->object, name);
    LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
    int fd = program ? (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC) : -1;
    if (fd < 0)
        return errno;
    struct bpf_link *link = wick_host_libbpf.bpf_program__attach_perf_event_opts(program, fd, &opts);
    int error = errno;
    struct counter *more = link ? realloc(k->counters, (k->ncounters + 1) * sizeof *more) : NULL;
    if (!more) {
        if (link)
            wick_host_libbpf.bpf_link__destroy(link);
        else
            close(fd);
        return link ? ENOMEM : error;
    }
    k->counters = more;
    k->counters[k->ncounters++] = (struct counter){link, fd, number};
    return 0;
}

/* One part of it, on a CPU. 0 or an errno. */
static int attach_part(struct wick_host_kernel *k, const struct wick_host_probe *p, uint32_t part, uint32_t number,
                       int cpu)
{
    struct perf_event_attr attr = p->attr;
    const struct wick_host_place *place = &p->places.of[part];
    attr.config = place->config;
    if (p->kind == WICK_HOST_PROBE_FUNCTION) {
        attr.config1 = (uintptr_t)place->path;
        attr.config2 = place->at;
    }
    if (p->kind != WICK_HOST_PROBE_COUNTER)
        attr.sample_period = 0;
    return attach_event(k, counted_programs[p->kind], &attr, -1, cpu, number | (uint64_t)place->detail << 32, number);
}

int wick_host_kernel_start_counted(struct wick_host_kernel *k, struct wick_host_probe *p, uint32_t number,
                                   const char *name, struct wick_err *err)
{
    int error = plan_counted(k, p, number) ? errno : 0, attached = 0, last = ENODEV;
    /* what a tracepoint or a probe calls is called on every CPU */
    int cpus = p->kind == WICK_HOST_PROBE_COUNTER ? k->cpus : 1;
    for (uint32_t part = 0; part < p->places.n && !error; part++) {
        for (int cpu = 0; cpu < cpus && !error; cpu++) {
            error = attach_part(k, p, part, number, cpu);
            attached += !error;
            error = error == ENODEV && cpus > 1 ? 0 : error; /* that CPU is not online */
        }
        bool exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
        if (error && !exhausted && p->kind == WICK_HOST_PROBE_FUNCTION) { /* its other places may do */
            p->places.of[part].error = last = error;
            error = 0;
        }
    }
    return error || !attached ? cannot_attach(name, error ? error : last, err) : 0;
}

/* --- allocations --- */

int wick_host_kernel_start_allocs(struct wick_host_kernel *k, uint64_t threshold, struct wick_err *err)
{
    k->planned.alloc_bytes = threshold;
    return start_group(k, WICK_HOST_GROUP_ALLOCS, "the start of JVMs", "alloc", err);
}

int wick_host_kernel_attach_alloc(struct wick_host_kernel *k, enum wick_host_alloc_probe probe,
                                  const struct wick_host_alloc_at *at, uint32_t number)
{
    struct perf_event_attr attr = {.size = sizeof attr, .type = at->type};
    attr.config1 = (uintptr_t)at->path;
    attr.config2 = at->place;
    return attach_event(k, alloc_programs[probe], &attr, at->pid ? (pid_t)at->pid : -1, at->pid ? -1 : 0, at->cookie,
                        number);
}

void wick_host_kernel_detach_alloc(struct wick_host_kernel *k, uint32_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->ncounters; i++)
        if (k->counters[i].number == number)
            wick_host_libbpf.bpf_link__destroy(k->counters[i].link);
        else
            k->counters[kept++] = k->counters[i];
    k->ncounters = kept;
}

/* --- what came of it --- */

void wick_host_kernel_counted(struct wick_host_kernel *k, uint32_t number, struct wick_host_counted *out)
{
    struct wick_host_counted *of = calloc((size_t)k->cpus, sizeof *of);
    *out = (struct wick_host_counted){0};
    if (of && !wick_host_libbpf.bpf_map_lookup_elem(k->counted, &number, of))
        for (int i = 0; i < k->cpus; i++) {
            out->hits += of[i].hits;
            out->fired += of[i].fired;
            out->recorded += of[i].recorded;
            out->ring_full += of[i].ring_full;
            out->nested += of[i].nested;
            out->walk_ns += of[i].walk_ns;
        }
    free(of);
}

uint64_t wick_host_kernel_occurred(const struct wick_host_kernel *k, uint32_t number)
{
    uint64_t sum = 0, n;
    for (size_t i = 0; i < k->ncounters; i++)
        if (k->counters[i].number == number && read(k->counters[i].fd, &n, sizeof n) == sizeof n)
            sum += n;
    return sum;
}

uint64_t wick_host_kernel_missed(const struct wick_host_kernel *k)
{
    uint64_t sum = 0;
    for (size_t i = WICK_HOST_PROBE_TRACEPOINT; i < COUNTED_PROGRAMS && k->ncounters; i++) {
        struct bpf_program *p = wick_host_libbpf.bpf_object__find_program_by_name(k->object, counted_programs[i]);
        int fd = p ? wick_host_libbpf.bpf_program__fd(p) : -1;
        struct bpf_prog_info info = {0};
        uint32_t n = sizeof info;
        if (fd >= 0 && !wick_host_libbpf.bpf_obj_get_info_by_fd(fd, &info, &n))
            sum += info.recursion_misses;
    }
    return sum;
}

bool wick_host_kernel_probes(const struct wick_host_kernel *k)
{
    return k->probes;
}

/* The beginnings first, as what ends is seen then; of waits what ends them, so that none is cut short. */
static void detach_group(struct wick_host_kernel *k, enum wick_host_group g)
{
    for (size_t i = 0; i < WICK_HOST_PROGRAMS; i++) {
        struct bpf_link **link = &k->group_links[g][g == WICK_HOST_GROUP_WAITS ? i : WICK_HOST_PROGRAMS - 1 - i];
        wick_host_libbpf.bpf_link__destroy(*link);
        *link = NULL;
    }
}

void wick_host_kernel_stop(struct wick_host_kernel *k)
{
    /* what ends waits, or they would end without who woke the thread */
    struct bpf_link **ends[] = {&k->group_links[WICK_HOST_GROUP_WAITS][0], &k->again_link};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        wick_host_libbpf.bpf_link__destroy(*ends[i]);
        *ends[i] = NULL;
    }
    detach_group(k, WICK_HOST_GROUP_WAITS);
    for (int g = WICK_HOST_GROUP_WAITS + 1; g < WICK_HOST_GROUPS; g++)
        detach_group(k, (enum wick_host_group)g);
    for (int i = 0; i < k->count; i++)
        wick_host_libbpf.bpf_link__destroy(k->links[i]); /* and the event's descriptor */
    k->count = 0;
    for (size_t i = 0; i < k->ncounters; i++)
        wick_host_libbpf.bpf_link__destroy(k->counters[i].link);
    k->ncounters = 0;
}

void wick_host_kernel_wait(struct wick_host_kernel *k, int most_ms)
{
    struct pollfd p = {wick_host_libbpf.ring_buffer__epoll_fd(k->ring), POLLIN, 0};
    poll(&p, 1, most_ms);
}

bool wick_host_kernel_take(struct wick_host_kernel *k)
{
    return wick_host_libbpf.ring_buffer__consume(k->ring) == -EAGAIN;
}

void wick_host_kernel_counts(struct wick_host_kernel *k, struct wick_host_counts *out)
{
    struct wick_host_counts *of = calloc((size_t)k->cpus, sizeof *of);
    uint32_t key = 0;
    *out = (struct wick_host_counts){0};
    if (of && !wick_host_libbpf.bpf_map_lookup_elem(k->counts, &key, of))
        for (int i = 0; i < k->cpus; i++)
            wick_host_counts_add(out, &of[i]);
    free(of);
}

uint64_t wick_host_kernel_due(const struct wick_host_kernel *k)
{
    uint64_t ticks = 0, ns;
    for (int i = 0; i < k->count; i++)
        if (read(k->events[i], &ns, sizeof ns) == sizeof ns)
            ticks += ns / k->interval_ns;
    return ticks;
}

/* The kernel side writes a task for each that is asked for; kernels before 6.1 show all. */
int wick_host_kernel_birth(struct wick_host_kernel *k, uint32_t pid, struct wick_host_birth *out)
{
    union bpf_iter_link_info which = {.task.tid = pid};
    LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &which, .link_info_len = sizeof which);
    struct bpf_link *link = wick_host_libbpf.bpf_program__attach_iter(k->births, &opts);
    int fd = link ? wick_host_libbpf.bpf_iter_create(wick_host_libbpf.bpf_link__fd(link)) : -1, rc = -WICK_E_GONE;
    struct wick_host_task tasks[64];
    for (ssize_t n; fd >= 0 && rc && (n = read(fd, tasks, sizeof tasks)) > 0;)
        for (size_t i = 0; i < (size_t)n / sizeof *tasks && rc; i++)
            if (tasks[i].pid == pid) {
                *out = tasks[i].birth;
                rc = 0;
            }
    if (fd >= 0)
        close(fd);
    wick_host_libbpf.bpf_link__destroy(link);
    return rc;
}
