/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_step_bpf.c - the stepping code as a kernel-side program (step.bpf.c)
 *
 * With rights (CAP_BPF and CAP_PERFMON, Linux 5.17) the kernel takes the program, and its walks over the fake JVM of
 * the unit tests, which is mapped where it says it is, find frame by frame what the same code finds here: with and
 * without tables of what earlier walks found (bpf/host_kept.h), which must not outlive what they are of. How much stack
 * it takes is lint's to check (bpf_stack).
 *
 * Prints TAP. The argument is the object.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../unit/fake_jvm.h"
#include "step_job.h"

/* --- the walks ---------------------------------------------------------------------------------------------------- */

static struct fj f;
static struct fj_blob interpreter, caller;

static void begin(unsigned major)
{
    fj_init(&f, major);
    interpreter = fj_blob(&f, "Interpreter", 4096, 0, -1);
    caller = fj_blob(&f, "nmethod", 512, 4, 16);
}

static void put_frame(uint32_t end, uint64_t ret, uint64_t fp)
{
    f.stack[end] = ret;
    f.stack[end - 1] = fp;
}

/* native, compiled, interpreted, stub, compiled with words pushed (a scan), entry, native, by the anchor to compiled,
 * which has no caller */
static void mixed(void)
{
    begin(17);
    struct fj_blob stub = fj_blob(&f, "StubRoutines (1)", 300, 4, -1);
    f.jvm.call_stub_return = fj_return(&f, &stub, 150);
    f.s.pc = FJ_NATIVE + 0x10;
    f.s.sp = fj_sp(20);
    f.s.thread_state = STEP_THREAD_IN_JAVA;
    f.stack[22] = fj_return(&f, &caller, 100);
    put_frame(26, interpreter.code + 900, fj_sp(40));
    put_frame(41, fj_return(&f, &stub, 100), fj_sp(70));
    f.stack[41] = fj_return(&f, &stub, 100);
    f.stack[40] = fj_sp(70);
    f.stack[39] = fj_sp(45);
    f.stack[37] = FJ_METHOD;
    f.stack[32] = FJ_BCP(5);
    put_frame(48, fj_return(&f, &caller, 200), fj_sp(70));
    put_frame(52, 5, 5);
    put_frame(60, fj_return(&f, &caller, 300), fj_sp(70));
    put_frame(64, f.jvm.call_stub_return, fj_sp(80));
    put_frame(81, FJ_NATIVE + 0x200, 0);
    f.stack[74] = fj_sp(100);
    f.stack[102] = fj_sp(120);
    f.stack[103] = fj_return(&f, &caller, 400);
}

/* In a compiled method's prologue behind `push rbp; sub rsp, 16`, then compiled. */
static void prologue(void)
{
    static const uint8_t code[] = {0x55, 0x48, 0x83, 0xec, 0x10};
    begin(21);
    fj_code(&f, &caller, 0, code, sizeof code);
    f.s.pc = caller.code + 5;
    f.s.sp = fj_sp(20);
    put_frame(23, fj_return(&f, &caller, 100), fj_sp(60));
}

/* A native thread seen from outside: rbp is found by the room that the function makes, or, without, by its call. */
static void seek(bool by_size)
{
    static const struct wick_unwind_rule by_fp = {
        .cfa_off = 16, .cfa_reg = 6, .off = {-16, -8}, .how = {WICK_HOW_CFA, WICK_HOW_CFA}};
    static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20};
    begin(17);
    f.env.rule = &by_fp;
    f.env.function = FJ_NATIVE + 512;
    if (by_size)
        memcpy(f.native + 512, code, sizeof code);
    int32_t rel = 512 - 256;
    f.native[256 - 5] = 0xe8;
    memcpy(f.native + 256 - 4, &rel, sizeof rel);
    f.s.pc = FJ_NATIVE + 512 + 64;
    f.s.sp = fj_sp(20);
    f.s.unknown = ~(1u << STEP_REG_SP);
    uint32_t at = by_size ? 24 : 400;
    f.stack[at] = fj_sp(600);
    f.stack[at + 1] = FJ_NATIVE + 256;
}

static void seek_by_size(void)
{
    seek(true);
}

static void seek_by_call(void)
{
    seek(false);
}

/* At the return barrier: a compiled and an interpreted frame in the heap, in the parent chunk a compiled one, then the
 * carrier's. */
static void frozen(void)
{
    enum { CONT = 8, CHUNK = 16, PARENT = 200, HEAD = FJ_CHUNK_HEAD / 8 };
    begin(21);
    struct fj_blob stubs = fj_blob(&f, "StubRoutines (continuation stubs)", 300, 0, -1);
    struct fj_blob b = fj_blob(&f, "nmethod", 200, 10, 16);
    uint64_t *chunk = &f.heap[CHUNK + HEAD], *parent = &f.heap[PARENT + HEAD];
    const struct {
        uint32_t at, sp, bottom;
        uint64_t parent;
    } chunks[] = {{CHUNK, 10, 50, FJ_HEAP + 8 * PARENT}, {PARENT, 30, 42, 0}};
    for (int i = 0; i < 2; i++) {
        uint8_t *p = (uint8_t *)&f.heap[chunks[i].at];
        fj_put32(p, 12, 64);
        fj_put32(p, 16, chunks[i].sp);
        fj_put32(p, 20, chunks[i].bottom);
        fj_put64(p, 32, chunks[i].parent);
    }
    chunk[9] = b.code + 60;
    chunk[18] = 10;
    chunk[19] = interpreter.code + 900;
    chunk[27] = 12;
    chunk[25] = FJ_METHOD;
    chunk[21] = 21;
    chunk[20] = FJ_BCP(7);
    parent[29] = b.code + 80;
    f.jvm.cont_barrier = stubs.code + 40;
    f.stack[41] = FJ_HEAP + 8 * CONT;
    f.stack[43] = 1;
    f.heap[CONT + 2] = FJ_HEAP + 8 * CHUNK;
    put_frame(61, fj_return(&f, &caller, 100), fj_sp(70));
    f.s.pc = stubs.code + 40;
    f.s.sp = fj_sp(40);
    f.s.fp = fj_sp(60);
    f.s.leaf = 0;
}

static const struct {
    const char *name;
    void (*put)(void);
    const char *kinds; /* of the frames: a letter for each enum wick_step_kind */
} walks[] = {
    {"mixed", mixed, "ncisccencb"},
    {"prologue", prologue, "ccb"},
    {"rbp by the function's size", seek_by_size, "nn"},
    {"rbp by the call", seek_by_call, "nn"},
    {"frozen", frozen, "cicBcb"},
};

/* Maps what the fake JVM says it has. Without randomised addresses, with which one would collide once in a while. */
static bool map_fake(void)
{
    for (size_t i = 0; i < sizeof f.ranges / sizeof *f.ranges; i++) {
        void *at = (void *)(uintptr_t)f.ranges[i].addr;
        void *got = mmap(at, f.ranges[i].size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
        if (got != at)
            return false;
    }
    return true;
}

static void walk_here(struct step_job *job)
{
    for (job->n = 0; job->n < STEP_JOB_FRAMES;) {
        job->result = (uint32_t)wick_step(&f.env, &f.jvm, &f.s, &job->frames[job->n]);
        job->n += job->result != WICK_STEP_NONE;
        if (job->result != WICK_STEP_MORE)
            break;
    }
    job->state = f.s;
}

/* Runs the job in samples of this thread; the time is a guard against hanging only. */
static bool walk_in_kernel(int map, int event, struct step_job *job)
{
    uint32_t key = 0;
    time_t end = time(NULL) + 120;
    for (size_t i = 0; i < sizeof f.ranges / sizeof *f.ranges; i++)
        memcpy((void *)(uintptr_t)f.ranges[i].addr, f.ranges[i].data, f.ranges[i].size);
    if (bpf_map_update_elem(map, &key, job, BPF_ANY) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
        return false;
    do {
        if (bpf_map_lookup_elem(map, &key, job))
            return false;
    } while (!job->done && time(NULL) < end);
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    return job->done;
}

static bool same(const struct step_job *a, const struct step_job *b, const char *kinds)
{
    static const char letter[] = "nicwseBb?";
    bool good = a->n == b->n && a->result == b->result && !memcmp(&a->state, &b->state, sizeof a->state);
    char seen[STEP_JOB_FRAMES + 1] = "", kernel[STEP_JOB_FRAMES + 1] = "";
    for (uint32_t i = 0; i < a->n; i++) {
        const struct wick_step_frame *x = &a->frames[i], *y = &b->frames[i];
        seen[i] = letter[x->kind];
        kernel[i] = letter[y->kind];
        good = good && x->kind == y->kind && x->leaf == y->leaf && x->stop == y->stop &&
               (x->kind == WICK_STEP_BREAK || x->kind == WICK_STEP_BOUNDARY ||
                (x->ptr == y->ptr && x->off == y->off && x->identity == y->identity && x->level == y->level) ||
                (x->kind == WICK_STEP_NATIVE && x->ptr == y->ptr));
    }
    if (!good || strcmp(seen, kinds))
        printf("# here %s, in the kernel %s, expected %s; results %u, %u\n", seen, kernel, kinds, a->result, b->result);
    return good && !strcmp(seen, kinds);
}

static void put_job(struct step_job *job, uint64_t process, uint32_t tables, uint64_t time_ns)
{
    *job = (struct step_job){.jvm = f.jvm, .state = f.s, .process = process, .time_ns = time_ns, .tables = tables};
    job->function = f.env.function;
    job->has_rule = f.env.rule != NULL;
    if (f.env.rule)
        job->rule = *f.env.rule;
}

/* Without tables, then with empty ones, and with what those have then. */
static bool check_walk(size_t i, int map, int event)
{
    bool good = true;
    for (uint32_t round = 0; round < 3 && good; round++) {
        struct step_job here = {0}, kernel;
        walks[i].put();
        put_job(&kernel, i + 1, round > 0, round);
        walk_here(&here);
        good = walk_in_kernel(map, event, &kernel) && same(&here, &kernel, walks[i].kinds);
    }
    return good;
}

/* Where the caller of a compiled method is found, which has a frame of so many words and that compile id. */
static uint32_t find_caller(int map, int event, uint32_t words, uint32_t id, uint64_t time_ns)
{
    enum { PROCESS = 100 };
    struct step_job job;
    prologue();
    put_frame(27, fj_return(&f, &caller, 200), fj_sp(60));
    fj_put32(f.code, caller.addr - FJ_CODE + 8, words);
    fj_put32(f.code, caller.addr - FJ_CODE + 72, id);
    put_job(&job, PROCESS, 1, time_ns);
    return walk_in_kernel(map, event, &job) && job.n > 1 ? job.frames[1].off : 0;
}

static bool check_kept(int map, int event)
{
    enum { SECOND = 1 << 30 };
    uint32_t first = find_caller(map, event, 4, 4711, 1), kept = find_caller(map, event, 8, 4711, 2);
    uint32_t other = find_caller(map, event, 8, 4712, 3), later = find_caller(map, event, 4, 4712, 3 + SECOND);
    bool good = first == 100 && kept == 100 && other == 200 && later == 100;
    if (!good)
        printf("# first %u, kept %u, of another compilation %u, later %u\n", first, kept, other, later);
    return good;
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

static char *said;
static size_t said_len;
static FILE *saying;

static int note(enum libbpf_print_level level, const char *format, va_list args)
{
    return level == LIBBPF_DEBUG ? 0 : vfprintf(saying, format, args);
}

/* Why the program cannot be tried here, or NULL. */
static const char *why_not(int error)
{
    static char text[160];
    struct utsname u;
    unsigned major = 0, minor = 0;
    if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2 || major * 1000 + minor < 5017)
        return "bpf_loop() needs Linux 5.17";
    if (error != EPERM && error != ENOSYS)
        return NULL;
    snprintf(text, sizeof text, "the kernel does not let this process load BPF programs: %s", strerror(error));
    return text;
}

static int open_clock(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = 1000000,
                                .disabled = 1};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int result(int number, bool good, const char *what, const char *skip)
{
    printf("%sok %d - %s%s%s\n", good || skip ? "" : "not ", number, what, skip ? " # SKIP " : "", skip ? skip : "");
    return good || skip ? 0 : 1;
}

static int check_kernel(const char *path)
{
    const int count = (int)(sizeof walks / sizeof *walks);
    libbpf_set_print(note);
    struct bpf_object *o = bpf_object__open_file(path, NULL);
    int rc = o ? bpf_object__load(o) : -errno, failed = 0;
    const char *skip = rc ? why_not(-rc) : NULL;
    fflush(saying);
    if (rc && !skip)
        printf("# %s: %.4000s\n", strerror(-rc), said_len > 4000 ? said + said_len - 4000 : said);
    failed += result(1, !rc, "the verifier takes the stepping code", skip);
    int event = rc ? -1 : open_clock();
    if (!rc && event < 0 && (errno == EACCES || errno == EPERM))
        skip = "the kernel does not let this process open perf events";
    bool ready = event >= 0 &&
                 !ioctl(event, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(bpf_object__find_program_by_name(o, "walk")));
    begin(17);
    if (ready && !map_fake()) {
        ready = false;
        skip = "the addresses of the fake JVM are in use";
    }
    int map = ready ? bpf_object__find_map_fd_by_name(o, "jobs") : -1;
    for (int i = 0; i < count; i++) {
        bool good = ready && check_walk((size_t)i, map, event);
        failed += result(2 + i, good, walks[i].name, good ? NULL : skip);
    }
    bool good = ready && check_kept(map, event);
    failed += result(2 + count, good, "what is kept of a method that is gone is not used", good ? NULL : skip);
    if (event >= 0)
        close(event);
    bpf_object__close(o);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE) && personality(ADDR_NO_RANDOMIZE) >= 0)
        execv("/proc/self/exe", argv);
    saying = open_memstream(&said, &said_len);
    printf("1..%d\n", 2 + (int)(sizeof walks / sizeof *walks));
    return check_kernel(argv[1]) != 0;
}
