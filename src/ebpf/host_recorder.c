/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_recorder.c - records of the kernel side become events, in rounds
 *
 * A record serves two purposes, one of them urgent. The kernel side can only walk through code whose unwind rules it
 * has: the process must be read while it lives, and each moment later costs frames. To name frames, symbols may
 * have to be read from files, which takes long and can wait. So a round takes records from the ring and at once only
 * teaches the kernel side what they miss, for 40 ms at most; what is missed then will be missed again. The record is
 * put off, in 8 MiB of memory, and taking ends after 50 ms, so that the round then works off what was kept, in the
 * order of the records: the end of a process comes after the samples that were taken before it.
 *
 * Each waking costs more than some samples. So a round begins when a record is announced, of a process that is not
 * known yet or a walk that lacked something, and else 50 ms after the last one; 100 ms after one that found few
 * records, unless what is recorded may come in bursts.
 *
 * Once a second totals and events are flushed. Stacks and threads are remembered until they take 16 MiB; then they are
 * forgotten, and a new chunk starts. So are names and labels at 16 MiB, but not twice within half a minute, since all
 * frames are named anew then. Samples that the kernel side lost are counted by reason there.
 */
#include "ebpf/host_recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "ebpf/host_call.h"
#include "ebpf/host_pressure.h"
#include "ebpf/host_recorder_int.h"
#include "ebpf/host_span.h"
#include "ebpf/host_wait.h"
#include "symbolize/kernel_names.h"

enum {
    ROUND_MS = 50,
    LONG_ROUND_MS = 100,
    FEW = 128 << 10,
    TEACH_NS = 40000000,
    PUT_OFF_NS = 50000000,
    PASSING_LIMIT = 16 << 20,
    LASTING_LIMIT = 16 << 20,
    KEPT = 8 << 20
};

#define RENEW_NS UINT64_C(30000000000)

_Static_assert((int)WICK_OPT_HOST_COUNTED == (int)WICK_HOST_COUNTED, "as many can be asked for as there is room for");

/* --- samples --- */

/* The frames of a sample, leaf first, without the process's first ones; sets *truncated. Returns how many. */
static uint32_t expand_from(struct wick_host_recorder *r, struct wick_host_process *p, const struct wick_host_record *s,
                            uint32_t first, bool *truncated)
{
    uint32_t n = 0, nkernel = s->head.nkernel < WICK_HOST_KERNEL ? s->head.nkernel : WICK_HOST_KERNEL;
    for (uint32_t i = 0; i < nkernel; i++)
        r->frames[n++] = wick_host_kernel_frame(&r->names, s->kernel[i] - (i > 0));
    for (uint32_t i = first; i < s->head.nframes && n < WICK_HOST_RECORDER_FRAMES; i++) {
        uint32_t more = wick_host_expand(&r->names, p, &s->frames[i], s->head.time_ns, r->frames + n,
                                         WICK_HOST_RECORDER_FRAMES - n);
        /* one reason is enough for frames that share it */
        bool again = more == 1 && n && r->frames[n].kind == WICK_FRAME_BREAK &&
                     r->frames[n - 1].kind == WICK_FRAME_BREAK && r->frames[n].method == r->frames[n - 1].method;
        n += again ? 0 : more;
    }
    *truncated = (s->head.flags & WICK_HOST_TRUNCATED) || n == WICK_HOST_RECORDER_FRAMES;
    return n;
}

static uint32_t expand_stack(struct wick_host_recorder *r, struct wick_host_process *p,
                             const struct wick_host_record *s, bool *truncated)
{
    return expand_from(r, p, s, 0, truncated);
}

static struct wick_host_tid tid_of(const struct wick_host_head *h)
{
    struct wick_host_tid thread = {.start_ns = h->thread_start_ns, .tid = h->tid};
    memcpy(thread.comm, h->comm, sizeof thread.comm);
    thread.comm[sizeof thread.comm - 1] = 0;
    return thread;
}

static uint32_t thread_of(struct wick_host_recorder *r, const struct wick_host_head *h)
{
    const struct wick_host_tid thread = tid_of(h);
    return wick_host_thread_number(&r->tables, &thread);
}

/* The labels that the thread of a sample published, each behind a comma; NULL = none. Until the next call. */
static const char *thread_labels(struct wick_host_recorder *r, struct wick_host_process *p,
                                 const struct wick_host_record *s)
{
    wick_strbuf_clear(&r->labels);
    if (s->head.ncontext)
        wick_host_published_labels(&p->published, p->gone ? NULL : &p->space, wick_host_thread_context(s),
                                   s->head.ncontext, s->head.time_ns, &r->labels);
    return r->labels.len && !r->labels.failed ? r->labels.buf : NULL;
}

/* The number of a sample's labels; `of`: what they are besides the process's and the thread's own. */
static uint32_t context_of(struct wick_host_recorder *r, struct wick_host_process *p, const struct wick_host_record *s,
                           struct wick_host_relation of)
{
    of.thread = thread_labels(r, p, s);
    return wick_host_process_context(&r->processes, p, &of);
}

static void write_sample(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    bool truncated = false;
    struct wick_host_process *p = wick_host_process_of(&r->processes, &s->head);
    if (!p)
        return;
    uint32_t n = expand_stack(r, p, s, &truncated);
    const struct wick_jfr_execution_sample event = {
        .start_ns = s->head.time_ns,
        .thread = thread_of(r, &s->head),
        .stack = wick_host_stack(&r->tables, r->frames, n, truncated),
        .state = WICK_JFR_STATE_DEFAULT,
        .kind = s->head.flags & WICK_HOST_IN_KERNEL ? WICK_JFR_SAMPLE_KERNEL : WICK_JFR_SAMPLE_USER,
        .weight_ns = r->choice.interval_ns,
        .context = s->head.ncontext ? context_of(r, p, s, (struct wick_host_relation){0}) : p->context,
    };
    wick_jfr_write_execution_sample(r->writer, &event);
}

/* One of a counted event, which stands for a period of it. */
static void write_occurrence(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    bool truncated = false;
    struct wick_host_process *p = wick_host_process_of(&r->processes, &s->head);
    if (!p || s->head.event >= r->choice.ncounted)
        return;
    uint32_t n = expand_stack(r, p, s, &truncated);
    const struct wick_jfr_perf_sample event = {
        .start_ns = s->head.time_ns,
        .thread = thread_of(r, &s->head),
        .stack = wick_host_stack(&r->tables, r->frames, n, truncated),
        .state = WICK_JFR_STATE_DEFAULT,
        .event = r->choice.counted[s->head.event].name,
        .weight = r->probes[s->head.event].attr.sample_period,
        .kind = s->head.flags & WICK_HOST_IN_KERNEL ? WICK_JFR_SAMPLE_KERNEL : WICK_JFR_SAMPLE_USER,
        .context = context_of(r, p, s, (struct wick_host_relation){.detail = (enum wick_host_detail)s->head.detail}),
    };
    wick_jfr_write_perf_sample(r->writer, &event);
    r->occurrences_weight += event.weight;
}

/* A request to a disk begins: its event is made when it is done. */
static void begin_request(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    struct wick_host_transfer t = {.io = s->head.io, .frames = r->frames, .thread = tid_of(&s->head)};
    struct wick_host_process *p = wick_host_process_of(&r->processes, &s->head);
    if (!p)
        return;
    const struct wick_host_relation disk = {.device = wick_host_io_device(&r->ios, t.io.major, t.io.minor),
                                            .operation = wick_host_io_operation(t.io.operation)};
    t.n = expand_stack(r, p, s, &t.truncated);
    t.context = context_of(r, p, s, disk);
    wick_host_io_begin(&r->ios, &t);
}

static void end_request(struct wick_host_recorder *r, const struct wick_host_io *io)
{
    struct wick_host_transfer t;
    if (!wick_host_io_end(&r->ios, io, &t))
        return;
    const struct wick_jfr_block_io event = {
        .start_ns = io->begin_ns,
        .duration_ns = io->whole_ns,
        .thread = wick_host_thread_number(&r->tables, &t.thread),
        .stack = wick_host_stack(&r->tables, t.frames, t.n, t.truncated),
        .queued_ns = io->queued_ns,
        .device = wick_host_io_device(&r->ios, io->major, io->minor),
        .operation = wick_host_io_operation(io->operation),
        .bytes = io->bytes,
        .weight_ns = io->whole_ns * r->choice.io_period,
        .context = t.context,
    };
    wick_jfr_write_block_io(r->writer, &event);
    r->transfers_weight += event.weight_ns;
    free(t.frames);
}

/* It is part of another one, whose event has its bytes, or its end was not seen. */
static void forget_request(struct wick_host_recorder *r, const struct wick_host_io *io)
{
    struct wick_host_transfer t;
    if (wick_host_io_end(&r->ios, io, &t))
        free(t.frames);
}

/* Whose a record is, with its stack of *n frames; false if there is no memory. */
static bool source_of(struct wick_host_recorder *r, const struct wick_host_record *s, struct wick_host_span_source *of,
                      uint32_t *n)
{
    bool truncated = false;
    struct wick_host_process *p = wick_host_process_of(&r->processes, &s->head);
    if (!p)
        return false;
    *n = expand_stack(r, p, s, &truncated);
    *of = (struct wick_host_span_source){
        .writer = r->writer,
        .processes = &r->processes,
        .process = p,
        .labels = thread_labels(r, p, s),
        .thread = thread_of(r, &s->head),
        .stack = wick_host_stack(&r->tables, r->frames, *n, truncated),
    };
    return true;
}

/* A stall for memory, or an OOM kill. */
static void write_span(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    uint32_t n;
    struct wick_host_span_source of;
    if (!source_of(r, s, &of, &n))
        return;
    if (s->head.type == WICK_HOST_OOM_KILL) {
        wick_host_span_oom(&of, &s->head);
        return;
    }
    wick_host_span_stall(&of, &s->head);
    r->stalls_weight += s->head.span.weight_ns;
}

/* A system call that has ended. */
static void write_call(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    uint32_t n;
    struct wick_host_span_source of;
    if (!source_of(r, s, &of, &n))
        return;
    wick_host_call_write(&of, &s->head.call_of, &r->ports);
    r->calls.weight += s->head.call_of.weight_ns;
    r->sockets.weight += s->head.call_of.socket_ns;
}

/* An allocated object, or what a thread had left at its end. */
static void write_alloc(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    char room[WICK_HOST_CLASS];
    bool truncated = false;
    struct wick_host_process *p = wick_host_process_of(&r->processes, &s->head);
    if (!p)
        return;
    if (!wick_host_alloc_is_one(p, &s->head)) {
        r->allocs_odd++;
        return;
    }
    uint32_t n = expand_from(r, p, s, wick_host_alloc_skip(p, s), &truncated);
    const struct wick_jfr_object_allocation_sample event = {
        .start_ns = s->head.time_ns,
        .thread = thread_of(r, &s->head),
        .stack = wick_host_stack(&r->tables, r->frames, n, truncated),
        .class_name = wick_host_alloc_class(p, s, room),
        .weight = s->head.object.weight,
        .size = s->head.object.size,
        .context = context_of(r, p, s, (struct wick_host_relation){0}),
    };
    wick_jfr_write_object_allocation_sample(r->writer, &event);
    r->allocs_weight += event.weight;
}

/* Which thread had the lock that a wait was for; NULL = it is none, or that is not known. */
static const char *lock_owner(struct wick_host_recorder *r, struct wick_host_process *p,
                              const struct wick_host_record *s, uint32_t n, char room[WICK_HOST_OWNER_NAME])
{
    const struct wick_host_other *others = wick_host_others(s);
    const struct wick_host_head *h = &s->head;
    if (h->lock_owner && wick_host_owner_is_locking(&r->tables, r->frames, n))
        return wick_host_owner_name(&r->owners, p, h->lock_owner, h->time_ns);
    if (h->call != SYS_futex || (h->flags & WICK_HOST_DISK))
        return NULL;
    for (uint32_t i = 0; i < h->nothers; i++)
        if (others[i].role == WICK_HOST_WOKE && others[i].tid && others[i].tid != h->tid &&
            strncmp(others[i].comm, "VM Thread", WICK_HOST_COMM) != 0 && /* at the end of a safepoint */
            wick_host_owner_is_java(&r->tables, r->frames, n)) {
            snprintf(room, WICK_HOST_OWNER_NAME, "%.*s-%u", WICK_HOST_COMM - 1, others[i].comm,
                     (unsigned)others[i].tid);
            return room;
        }
    return NULL;
}

/* A wait is asleep first, and then without a processor; either may be nothing. */
static void write_wait(struct wick_host_recorder *r, const struct wick_host_record *s)
{
    uint32_t n;
    char owner[WICK_HOST_OWNER_NAME];
    struct wick_host_span_source of;
    if (!source_of(r, s, &of, &n))
        return;
    of.lock_owner = lock_owner(r, of.process, s, n, owner);
    r->waits_weight += wick_host_wait_write(&of, s, wick_host_wait_state(&r->tables, &s->head, r->frames, n));
}

/* --- records --- */

/* A head alone. */
static bool is_short(const struct wick_host_head *head)
{
    return head->type == WICK_HOST_EXIT || head->type == WICK_HOST_IO_END || head->type == WICK_HOST_IO_GONE ||
           head->type == WICK_HOST_JVM_START;
}

/* Bytes of a record as it is kept: its size is a multiple of what it holds. */
static size_t record_bytes(const struct wick_host_head *head)
{
    return is_short(head) ? sizeof *head
                          : offsetof(struct wick_host_record, frames) + head->nframes * sizeof(struct wick_step_frame) +
                                wick_host_bytes_behind(head);
}

static void end_process(struct wick_host_recorder *r, const struct wick_host_birth *birth)
{
    wick_host_alloc_end(&r->allocs, birth);
    wick_host_process_end(&r->processes, birth);
}

/* Does what was put off: symbols may have to be read, which takes long. */
static void work_off(struct wick_host_recorder *r)
{
    for (size_t at = 0; at < r->kept_bytes;) {
        const struct wick_host_head *head = (const void *)(r->kept + at);
        at += record_bytes(head);
        wick_host_priority_update(&r->priority);
        if (head->type == WICK_HOST_EXIT)
            end_process(r, &head->birth);
        else if (head->type == WICK_HOST_IO_END)
            end_request(r, &head->io);
        else if (head->type == WICK_HOST_IO_GONE)
            forget_request(r, &head->io);
        else if (head->type == WICK_HOST_IO)
            begin_request(r, (const struct wick_host_record *)head);
        else if (head->type == WICK_HOST_WAIT)
            write_wait(r, (const struct wick_host_record *)head);
        else if (head->type == WICK_HOST_OCCURRENCE)
            write_occurrence(r, (const struct wick_host_record *)head);
        else if (head->type == WICK_HOST_STALL || head->type == WICK_HOST_OOM_KILL)
            write_span(r, (const struct wick_host_record *)head);
        else if (head->type == WICK_HOST_CALL)
            write_call(r, (const struct wick_host_record *)head);
        else if (head->type == WICK_HOST_ALLOC)
            write_alloc(r, (const struct wick_host_record *)head);
        else
            write_sample(r, (const struct wick_host_record *)head);
    }
    r->kept_bytes = 0;
}

/* Keeps a record for work_off(); does that first if there is no room. */
static void put_off(struct wick_host_recorder *r, const struct wick_host_head *head)
{
    size_t n = record_bytes(head);
    if (r->kept_bytes + n > KEPT)
        work_off(r);
    memcpy(r->kept + r->kept_bytes, head, n);
    r->kept_bytes += n;
}

/* Teaches the kernel side what the record shows to be missing. Returns the record, or a better one in its place. */
static const struct wick_host_head *learn(struct wick_host_recorder *r, struct wick_host_process *p,
                                          const struct wick_host_record *record)
{
    uint64_t until_ns = r->round_ns + TEACH_NS;
    wick_host_teach(&r->processes, &r->rules, p, record, until_ns);
    const struct wick_host_record *better = wick_host_rewalk(&r->again, &r->rules, p, record, until_ns);
    if (better)
        wick_host_teach(&r->processes, &r->rules, p, better, until_ns);
    return better ? &better->head : &record->head;
}

static bool take_record(void *arg, const struct wick_host_head *head)
{
    struct wick_host_recorder *r = arg;
    wick_host_priority_update(&r->priority);
    if (head->type == WICK_HOST_COPY) {
        wick_host_rewalk_keep(&r->again, (const struct wick_host_copy *)head);
        return true;
    }
    if (head->type == WICK_HOST_JVM_START) {
        wick_host_alloc_starts(&r->allocs, head);
        return true;
    }
    r->transfers += head->type == WICK_HOST_IO_END;
    if (!is_short(head)) {
        if (head->nframes > WICK_HOST_FRAMES || head->nothers > WICK_HOST_OTHERS || head->nlinks > WICK_HOST_LINKS ||
            head->ncontext > WICK_HOST_CONTEXT || head->nmapped > WICK_HOST_MAPPED)
            return true;
        if (head->type == WICK_HOST_OOM_KILL) /* first: it is about to end */
            wick_host_span_victim(&r->processes, head);
        struct wick_host_process *p = wick_host_process_of(&r->processes, head);
        r->taken += head->type == WICK_HOST_SAMPLE;
        r->occurrences += head->type == WICK_HOST_OCCURRENCE;
        r->stalls += head->type == WICK_HOST_STALL;
        r->allocs_taken += head->type == WICK_HOST_ALLOC;
        if (head->type == WICK_HOST_CALL) {
            r->calls.taken += head->call_of.weight_ns > 0;
            r->sockets.taken += head->call_of.socket_ns > 0;
        }
        if (p) {
            head = learn(r, p, (const struct wick_host_record *)head);
            wick_host_alloc_meet(&r->allocs, p);
        }
    }
    put_off(r, head);
    return wick_clock_mono_ns() < r->round_ns + PUT_OFF_NS;
}

static void write_cgroup(void *arg, const struct wick_host_cgroup *g, const struct wick_host_cgroup_reading *now)
{
    struct wick_host_recorder *r = arg;
    wick_jfr_write_cgroup_cpu(r->writer, &(struct wick_jfr_cgroup_cpu){
                                             .start_ns = now->time_ns,
                                             .limit = (float)now->limit,
                                             .periods = now->periods,
                                             .throttled = now->throttled,
                                             .throttled_ns = now->throttled_ns,
                                             .period_ns = now->period_ns,
                                             .cgroup = wick_host_cgroup_path(g),
                                             .container = g->container,
                                         });
}

/* --- the course of a recording --- */

/* Whether samples of the clock are all that is recorded: so many a second, and no more. */
static bool is_steady(const struct wick_opt_host_events *c)
{
    return !c->threshold_ns && !c->io_period && !c->stall_ns && !c->call_ns && !c->socket_ns && !c->alloc_bytes &&
           !c->ncounted;
}

/* Takes what is in the ring, but not for long. True if there may be more. */
static bool take_all(struct wick_host_recorder *r)
{
    r->round_ns = wick_clock_mono_ns();
    bool more = wick_host_kernel_take(r->kernel);
    r->wait_ms = is_steady(&r->choice) && !more && r->kept_bytes < FEW ? LONG_ROUND_MS : ROUND_MS;
    work_off(r);
    return more;
}

int wick_host_recorder_write_to(struct wick_host_recorder *r, struct wick_output *out, uint64_t chunk_ns,
                                struct wick_err *err)
{
    const struct wick_jfr_sink sink = wick_output_sink(out);
    const struct wick_jfr_source source = wick_host_tables_source(&r->tables);
    struct wick_jfr_config config = {
        .start_mono_ns = r->start_ns,
        .max_frames = WICK_HOST_RECORDER_FRAMES,
        .chunk_ns = chunk_ns,
        .chunk_begin = wick_host_report_settings,
        .chunk_arg = r,
    };
    wick_output_limit_chunks(out, &config);
    return wick_jfr_writer_open(&r->writer, &sink, &source, &config)
               ? wick_err_set(err, WICK_E_NOMEM, "no memory for the recording's writer")
               : 0;
}

/* Every process that lives takes descriptors: of its memory, and of the files with its symbols. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Finds the counted events, and which programs they need. */
static int find_probes(struct wick_host_recorder *r, unsigned *what, struct wick_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; i < r->choice.ncounted && !rc; i++) {
        const struct wick_opt_host_counted *c = &r->choice.counted[i];
        rc = wick_host_probe_find(c->name, c->period, &r->probes[i], err);
        *what |= WICK_HOST_LOAD_COUNTED << r->probes[i].kind;
    }
    return rc;
}

int wick_host_recorder_open(struct wick_host_recorder **out, const struct wick_opt_host_events *choice,
                            struct wick_err *err)
{
    struct wick_host_recorder *r = calloc(1, sizeof *r);
    if (!r)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_hash_seed_init();
    allow_descriptors();
    r->choice = *choice;
    r->ports = wick_host_socket_ports();
    wick_strbuf_init(&r->labels);
    r->start_ns = wick_clock_mono_ns();
    r->start_epoch_ns = wick_clock_epoch_ns();
    unsigned what = (choice->threshold_ns ? WICK_HOST_LOAD_WAITS : 0) | (choice->io_period ? WICK_HOST_LOAD_IO : 0) |
                    (choice->stall_ns ? WICK_HOST_LOAD_STALLS : 0) |
                    (choice->call_ns || choice->socket_ns ? WICK_HOST_LOAD_CALLS : 0) |
                    (choice->alloc_bytes ? WICK_HOST_LOAD_ALLOCS : 0);
    int rc = find_probes(r, &what, err);
    if (!rc) /* from here on: checking the programs takes the kernel a second */
        wick_host_priority_init(&r->priority);
    rc = rc ? rc : wick_host_kernel_open(&r->kernel, what, take_record, r, err);
    if (!rc) {
        const struct wick_host_rule_sink sink = wick_host_kernel_sink(r->kernel);
        wick_host_processes_init(&r->processes, r->kernel, &r->tables, &r->rules.libraries);
        r->kept = malloc(KEPT);
        if (wick_host_names_init(&r->names, &r->tables) ||
            wick_host_rules_init(&r->rules, &sink, &r->processes.devices) || wick_host_ios_init(&r->ios) ||
            wick_host_rewalk_init(&r->again) || !r->kept)
            rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    if (!rc &&
        choice->alloc_bytes) /* first: to examine the JVMs that there are takes longer than the ring has room for */
        rc = wick_host_alloc_begin(&r->allocs, r->kernel, &r->processes, choice->alloc_bytes, err);
    if (!rc && choice->interval_ns)
        rc = wick_host_kernel_start(r->kernel, choice->interval_ns, err);
    if (!rc && choice->threshold_ns)
        rc = wick_host_kernel_start_waits(r->kernel, choice->threshold_ns, err);
    if (!rc && choice->io_period)
        rc = wick_host_kernel_start_io(r->kernel, choice->io_period, err);
    if (!rc && choice->stall_ns)
        rc = wick_host_kernel_start_stalls(r->kernel, choice->stall_ns, err);
    if (!rc && (choice->call_ns || choice->socket_ns))
        rc = wick_host_kernel_start_calls(r->kernel, choice->call_ns, choice->socket_ns, err);
    for (uint32_t i = 0; i < choice->ncounted && !rc; i++)
        rc = wick_host_kernel_start_counted(r->kernel, &r->probes[i], i, choice->counted[i].name, err);
    if (rc) {
        wick_host_recorder_close(r, NULL);
        return rc;
    }
    wick_host_priority_restart(&r->priority);
    *out = r;
    return 0;
}

const struct wick_host_probe *wick_host_recorder_probe(const struct wick_host_recorder *r, uint32_t number)
{
    return &r->probes[number];
}

/* Forgets all names and labels but those of requests under way. */
static void renew(struct wick_host_recorder *r, uint64_t now_ns)
{
    struct wick_host_tables old;
    wick_host_tables_renew(&r->tables, &old);
    wick_host_names_renew(&r->names);
    wick_host_processes_renew(&r->processes);
    wick_host_ios_renew(&r->ios, &r->tables, &old);
    wick_host_tables_release(&old);
    r->renewed_ns = now_ns;
}

static void flush(struct wick_host_recorder *r, uint64_t now_ns, bool end)
{
    wick_host_report_totals(r, now_ns);
    wick_host_pressure_write(r->writer, now_ns);
    wick_host_cgroups_read(&r->processes.cgroups, now_ns, end, write_cgroup, r);
    bool forget = wick_host_lasting_bytes(&r->tables) >= LASTING_LIMIT && now_ns - r->renewed_ns >= RENEW_NS;
    if (!forget && wick_host_passing_bytes(&r->tables) < PASSING_LIMIT) {
        wick_jfr_writer_flush(r->writer, now_ns);
    } else {
        wick_jfr_writer_rotate(r->writer, now_ns);
        wick_host_forget_passing(&r->tables);
    }
    if (forget)
        renew(r, now_ns);
    wick_host_processes_tidy(&r->processes);
    wick_kernel_names_tidy(&wick_kernel_names, false);
    r->flush_ns = now_ns;
}

void wick_host_recorder_round(struct wick_host_recorder *r)
{
    wick_host_kernel_wait(r->kernel, r->wait_ms);
    wick_host_priority_update(&r->priority);
    take_all(r);
    wick_host_priority_update(&r->priority);
    uint64_t now_ns = wick_clock_mono_ns();
    wick_host_alloc_round(&r->allocs, now_ns);
    if (now_ns - r->flush_ns >= WICK_JFR_FLUSH_NS)
        flush(r, now_ns, false);
}

/* What the kernel left out is known only while the clocks and counters are there. */
struct due {
    uint64_t ticks, occurred[WICK_HOST_COUNTED];
};

static void read_due(const struct wick_host_recorder *r, struct due *due)
{
    due->ticks = wick_host_kernel_due(r->kernel);
    for (uint32_t i = 0; i < r->choice.ncounted; i++)
        due->occurred[i] = wick_host_kernel_occurred(r->kernel, i);
}

static void add_up_skipped(struct wick_host_recorder *r, const struct due *due, struct wick_host_totals *t)
{
    struct wick_host_counts c;
    wick_host_kernel_counts(r->kernel, &c);
    /* the first tick and the last one of a CPU may lie outside */
    uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
    t->skipped = due->ticks > c.ticks + 2 * cpus ? due->ticks - c.ticks : 0;
    t->missed = wick_host_kernel_missed(r->kernel);
    for (uint32_t i = 0; i < r->choice.ncounted; i++) {
        /* a CPU may be within a period, of each part */
        uint64_t edge = cpus * r->probes[i].places.n * r->probes[i].attr.sample_period;
        t->each[i].skipped = due->occurred[i] > t->each[i].hits + edge ? due->occurred[i] - t->each[i].hits : 0;
    }
}

void wick_host_recorder_close(struct wick_host_recorder *r, struct wick_host_totals *totals)
{
    if (!r)
        return;
    wick_host_priority_end(&r->priority);
    if (r->writer) {
        struct due due;
        read_due(r, &due);
        wick_host_kernel_stop(r->kernel);
        while (take_all(r))
            ;
        uint64_t now_ns = wick_clock_mono_ns();
        flush(r, now_ns, true);
        if (totals) {
            wick_host_report_add_up(r, totals);
            add_up_skipped(r, &due, totals);
        }
        wick_jfr_writer_close(r->writer, now_ns, NULL);
    }
    wick_host_names_release(&r->names);
    wick_host_rules_release(&r->rules);
    wick_host_ios_release(&r->ios);
    wick_host_alloc_release(&r->allocs);
    wick_host_processes_release(&r->processes);
    wick_host_tables_release(&r->tables);
    wick_host_kernel_close(r->kernel);
    for (uint32_t i = 0; i < r->choice.ncounted; i++)
        wick_host_probe_release(&r->probes[i]);
    wick_strbuf_release(&r->labels);
    wick_host_rewalk_release(&r->again);
    free(r->kept);
    free(r);
}
