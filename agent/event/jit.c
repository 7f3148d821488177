/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit.c - polls of what compilers and the VM thread work at
 *
 * A compilation is what one or more polls in a row find on one compiler thread, with the same id and method; it is
 * written when a poll finds something else there, from the first to the last poll that saw it. So one that is shorter
 * than the time between two polls may be missed, or have length 0, and lengths are too short by up to two such times;
 * it is long compilations that are of interest. The average of a queue is that of the polls, its peak the greatest
 * that one saw; operations are counted by polls that saw them, by the address of their class's virtual functions, and
 * named later.
 *
 * Compiler threads are Java threads that JVMTI hides; they are found in the JVM's list by the name that the kernel has
 * of them. They come and go with the load, so the list is read again now and then.
 *
 * The JVM does not publish how much of the code cache is in use: its blocks are counted one by one, which takes
 * milliseconds where there are many, so the next count waits for a multiple of what the last one took.
 */
#include "agent/event/jit.h"

#include <inttypes.h>
#include <string.h>

#include "record/operation.h"
#include "agent/jvm/vm.h"
#include "base/clock.h"
#include "hotspot/compiler.h"
#include "hotspot/method.h"
#include "hotspot/safepoint.h"
#include "hotspot/thread.h"

#define RESCAN_NS 2000000000u

enum {
    THREADS_MOST = 4096,
    JOBS_MOST = 32,
    OPERATIONS_MOST = 8,
    NAMES_MOST = 32,
    METHOD_BYTES = 16 << 10,
    REST_FACTOR = 1000
};

static const char *const compiler_names[WICK_HS_COMPILERS] = {"C1", "C2"};

/* A compiler thread and what it works at. */
struct job {
    struct wick_hs_thread thread;
    uint32_t serial;
    bool busy;
    struct wick_hs_compilation work;
    uint64_t first_ns, last_ns; /* polls that saw it */
    char method[256];
};

struct queue {
    uint32_t looks, length, peak;
    uint64_t sum;
};

struct operation {
    wick_addr virtuals; /* of its class */
    uint32_t looks;
};

/* What is found once for the process. */
static struct {
    bool open;
    struct wick_hs_compiler compiler;
    wick_addr operation;
    struct {
        wick_addr virtuals;
        char name[64];
    } names[NAMES_MOST]; /* of operations: resolving a symbol costs more than a poll */
    uint32_t nnames;
} at;

static struct {
    struct job jobs[JOBS_MOST];
    uint32_t njobs;
    uint64_t rescan_ns;
    struct queue queues[WICK_HS_COMPILERS];
    struct operation operations[OPERATIONS_MOST];
    uint32_t noperations, looks;
    uint64_t since_ns;                 /* start of these polls */
    uint64_t count_ns;                 /* when the code cache is counted next */
    uint32_t reasons[WICK_HS_REASONS]; /* deoptimisations by reason from before, or already written */
    uint64_t used;
    float fullest;
} jit;

static void open_symbols(void)
{
    struct wick_elf_file f;
    bool have = !wick_elf_open_symbols(wick_vm.libjvm, &f);
    wick_hs_compiler_open(&at.compiler, &wick_vm.jvm, have ? &f : NULL, wick_vm.libjvm->bias);
    at.operation = wick_hs_operation_find(have ? &f : NULL, wick_vm.libjvm->bias);
    if (have)
        wick_elf_file_release(&f);
    at.open = true;
}

void wick_jit_open(void)
{
    memset(&jit, 0, sizeof jit);
}

/* --- compilations --- */

/* java/lang/Foo, bar: java.lang.Foo.bar. False if the method is none (any more). */
static bool name_method(wick_addr method, char *out, size_t cap)
{
    static _Alignas(8) char buf[METHOD_BYTES];
    const struct wick_hs_method *m = (const void *)buf;
    struct wick_hs_method_id id;
    if (wick_hs_method_identity(&wick_vm.jvm, &wick_vm.mem, method, &id) ||
        wick_hs_method_copy(&wick_vm.jvm, &wick_vm.mem, &id, buf, sizeof buf) < 0)
        return false;
    size_t n = 0, length = (size_t)m->class_len + m->name_len;
    for (size_t i = 0; i < length && n + 2 < cap; i++) {
        if (i == m->class_len)
            out[n++] = '.';
        out[n++] = i < m->class_len && m->data[i] == '/' ? '.' : (char)m->data[i];
    }
    out[n] = 0;
    return n > 0;
}

static void finish(struct wick_drain *d, struct job *j)
{
    if (j->busy && j->method[0]) {
        const struct wick_jfr_compilation event = {.start_ns = j->first_ns,
                                                   .duration_ns = j->last_ns - j->first_ns,
                                                   .thread = j->serial,
                                                   .compile_id = j->work.id,
                                                   .compiler = compiler_names[j->work.level == 4],
                                                   .method = j->method,
                                                   .level = j->work.level,
                                                   .osr = j->work.osr};
        wick_jfr_write_compilation(d->writer, &event);
    }
    j->busy = false;
}

static void look_at_job(struct wick_drain *d, struct job *j, uint64_t now)
{
    struct wick_hs_compilation c;
    bool works = wick_hs_compiler_work(&wick_vm.jvm, j->thread.addr, &c);
    if (works && j->busy && c.id == j->work.id && c.method == j->work.method) {
        j->last_ns = now;
        if (!j->method[0])
            name_method(c.method, j->method, sizeof j->method);
        return;
    }
    finish(d, j);
    if (works) {
        j->work = c;
        j->first_ns = j->last_ns = now;
        j->method[0] = 0;
        j->busy = true;
    }
}

/* The serial number of a compiler thread, 0 = it is none. The kernel keeps 15 bytes of "C2 CompilerThread0". */
static uint32_t compiler_serial(int32_t tid)
{
    const struct wick_engine_thread *t = wick_threads_find_sig(&wick_vm.threads, tid);
    struct wick_thread_name n;
    char name[16];
    bool known = t && wick_threads_name(&wick_vm.threads, t->serial, &n, name, sizeof name);
    return known && n.os_name[0] == 'C' && !strncmp(n.os_name + 2, " Compiler", 9) ? n.serial : 0;
}

static struct job *find_job(uint32_t serial)
{
    for (uint32_t i = 0; i < jit.njobs; i++)
        if (jit.jobs[i].serial == serial)
            return &jit.jobs[i];
    return NULL;
}

/* Takes compiler threads in that came, and out that went. */
static void scan_threads(struct wick_drain *d)
{
    static struct wick_hs_thread threads[THREADS_MOST];
    int n = wick_hs_threads(&wick_vm.jvm, threads, THREADS_MOST);
    uint32_t kept = 0;
    if (n < 0)
        return;
    for (uint32_t i = 0; i < jit.njobs; i++) {
        struct job *j = &jit.jobs[i];
        bool there = false;
        for (int k = 0; k < n && !there; k++)
            there = threads[k].addr == j->thread.addr && threads[k].tid == j->thread.tid;
        if (!there)
            finish(d, j);
        else
            jit.jobs[kept++] = *j;
    }
    jit.njobs = kept;
    for (int i = 0; i < n && jit.njobs < JOBS_MOST; i++) {
        uint32_t serial = compiler_serial(threads[i].tid);
        if (serial && !find_job(serial))
            jit.jobs[jit.njobs++] = (struct job){.thread = threads[i], .serial = serial};
    }
}

/* --- polls --- */

static void look_at_queues(void)
{
    for (unsigned k = 0; k < WICK_HS_COMPILERS; k++) {
        struct queue *q = &jit.queues[k];
        if (!wick_hs_compiler_waiting(&at.compiler, k, &q->length))
            continue;
        q->looks++;
        q->sum += q->length;
        q->peak = q->length > q->peak ? q->length : q->peak;
    }
}

static void look_at_operation(void)
{
    wick_addr virtuals = wick_hs_operation_class(&wick_vm.jvm, at.operation);
    uint32_t i = 0;
    jit.looks++;
    while (i < jit.noperations && jit.operations[i].virtuals != virtuals)
        i++;
    if (!virtuals || i == OPERATIONS_MOST)
        return;
    if (i == jit.noperations)
        jit.operations[jit.noperations++] = (struct operation){.virtuals = virtuals};
    jit.operations[i].looks++;
}

void wick_jit_look(struct wick_drain *d, uint64_t now_ns)
{
    if (!at.open)
        open_symbols();
    if (!jit.since_ns) {
        jit.since_ns = now_ns;
        for (uint32_t i = 1; i < at.compiler.nreasons; i++)
            wick_hs_compiler_reason(&at.compiler, i, &jit.reasons[i]);
    }
    if (now_ns >= jit.rescan_ns) {
        jit.rescan_ns = now_ns + RESCAN_NS;
        scan_threads(d);
    }
    for (uint32_t i = 0; i < jit.njobs; i++)
        look_at_job(d, &jit.jobs[i], now_ns);
    look_at_queues();
    look_at_operation();
}

/* --- what is written --- */

static void write_queues(struct wick_drain *d, uint64_t now)
{
    for (unsigned k = 0; k < WICK_HS_COMPILERS; k++) {
        struct queue *q = &jit.queues[k];
        const struct wick_jfr_compile_queue event = {.start_ns = now,
                                                     .compiler = compiler_names[k],
                                                     .length = q->length,
                                                     .peak = q->peak,
                                                     .average = q->looks ? (float)q->sum / (float)q->looks : 0};
        if (q->looks)
            wick_jfr_write_compile_queue(d->writer, &event);
        *q = (struct queue){0};
    }
}

/* "" if it is not known: the operation ended while it was read. */
static const char *operation_name(struct wick_drain *d, wick_addr virtuals)
{
    static char name[64];
    for (uint32_t i = 0; i < at.nnames; i++)
        if (at.names[i].virtuals == virtuals)
            return at.names[i].name;
    wick_operation_name(d, virtuals, name, sizeof name);
    if (!name[0] || at.nnames == NAMES_MOST)
        return name;
    at.names[at.nnames].virtuals = virtuals;
    memcpy(at.names[at.nnames].name, name, sizeof name);
    return at.names[at.nnames++].name;
}

static void write_operations(struct wick_drain *d, uint64_t now)
{
    uint64_t period = now - jit.since_ns;
    for (uint32_t i = 0; i < jit.noperations; i++) {
        const struct operation *o = &jit.operations[i];
        const char *name = operation_name(d, o->virtuals);
        const struct wick_jfr_vm_operation event = {.start_ns = jit.since_ns,
                                                    .duration_ns = period,
                                                    .operation = name,
                                                    .looks = o->looks,
                                                    .of = jit.looks,
                                                    .time_ns = period / jit.looks * o->looks};
        if (name[0])
            wick_jfr_write_vm_operation(d->writer, &event);
    }
    jit.noperations = jit.looks = 0;
    jit.since_ns = now;
}

static void count_code(uint64_t now)
{
    const struct wick_step_jvm *s = &wick_vm.jvm.step;
    uint64_t used[WICK_STEP_HEAPS] = {0}, begin = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    struct wick_jvm_blobs it = {.jvm = &wick_vm.jvm};
    if (now < jit.count_ns)
        return;
    for (wick_addr blob; wick_jvm_blob_next(&it, &blob);)
        used[it.heap] += it.at - (blob - s->heapblock_size);
    jit.used = 0;
    jit.fullest = 0;
    for (uint32_t i = 0; i < s->heap_count; i++) {
        uint64_t size = s->heap[i].hi - s->heap[i].lo;
        float share = size ? (float)used[i] / (float)size : 0;
        jit.used += used[i];
        jit.fullest = share > jit.fullest ? share : jit.fullest;
    }
    jit.count_ns = now + (wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) * REST_FACTOR;
}

static void write_code_cache(struct wick_drain *d, uint64_t now)
{
    const struct wick_step_jvm *s = &wick_vm.jvm.step;
    uint64_t reserved = 0, committed = 0;
    count_code(now);
    for (uint32_t i = 0; i < s->heap_count; i++) {
        wick_addr end = wick_jvm_heap_committed(&wick_vm.jvm, i);
        reserved += s->heap[i].hi - s->heap[i].lo;
        committed += end > s->heap[i].lo ? end - s->heap[i].lo : 0;
    }
    const struct wick_jfr_code_cache cache = {.start_ns = now,
                                              .reserved = reserved,
                                              .committed = committed,
                                              .used = jit.used,
                                              .fullest = jit.fullest,
                                              .stopped = wick_hs_compiler_stopped(&at.compiler)};
    wick_jfr_write_code_cache(d->writer, &cache);
}

/* --- deoptimisations --- */

static void write_reason(struct wick_drain *d, uint64_t now, uint32_t reason)
{
    char name[32];
    uint32_t count;
    if (!wick_hs_compiler_reason(&at.compiler, reason, &count) || count == jit.reasons[reason] ||
        !wick_hs_compiler_reason_name(&at.compiler, reason, name, sizeof name))
        return;
    wick_jfr_write_deoptimization_reason(
        d->writer, &(struct wick_jfr_deoptimization_reason){
                       .start_ns = now, .reason = name, .count = (uint32_t)(count - jit.reasons[reason])});
    jit.reasons[reason] = count;
}

static void write_deopts(struct wick_drain *d, uint64_t now)
{
    uint32_t all;
    if (!wick_hs_compiler_deopts(&at.compiler, &all))
        return;
    wick_jfr_write_deoptimizations(d->writer, &(struct wick_jfr_deoptimizations){.start_ns = now, .count = all});
    for (uint32_t i = 1; i < at.compiler.nreasons; i++)
        write_reason(d, now, i);
}

void wick_jit_write(struct wick_drain *d, uint64_t now_ns, bool last)
{
    wick_jit_look(d, now_ns);
    write_queues(d, now_ns);
    write_operations(d, now_ns);
    write_code_cache(d, now_ns);
    write_deopts(d, now_ns);
    for (uint32_t i = 0; last && i < jit.njobs; i++)
        finish(d, &jit.jobs[i]);
}

void wick_jit_status(struct wick_strbuf *out)
{
    uint32_t n;
    wick_strbuf_addf(out, "code_cache_used=%" PRIu64 "\ncode_cache_fullest_percent=%.0f\n", jit.used,
                     100 * (double)jit.fullest);
    if (!at.open)
        return;
    for (unsigned k = 0; k < WICK_HS_COMPILERS; k++)
        if (wick_hs_compiler_waiting(&at.compiler, k, &n))
            wick_strbuf_addf(out, "compile_queue_%s=%" PRIu32 "\n", k ? "c2" : "c1", n);
    if (wick_hs_compiler_deopts(&at.compiler, &n))
        wick_strbuf_addf(out, "deoptimizations=%" PRIu32 "\n", n);
    if (at.compiler.compiles)
        wick_strbuf_addf(out, "compiler_stopped=%d\n", wick_hs_compiler_stopped(&at.compiler));
}
