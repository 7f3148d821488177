/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_synth - writes recordings of known content, for readers to be checked against
 *
 *     jfr_synth write FILE [SAMPLES]   a recording of several chunks with every event type, hostile names, deep stacks,
 *                                      late and early times; prints what it holds as `key value` lines
 *     jfr_synth endless FILE           flushes every few milliseconds until it is killed; prints nothing
 *     jfr_synth size FILE              100,000 samples of an ordinary service; prints bytes by part and ns per event
 *     jfr_synth requests FILE         the requests of requests.h
 *     jfr_synth owners FILE           the same with who had the locks
 *     jfr_synth disturbances FILE     the minute of disturb_story.h
 *     jfr_synth halves FILE            the two different halves of halves.h
 *     jfr_synth memory FILE            the readings and collections of memory_story.h
 *     jfr_synth live FILE              the live objects of live_story.h
 *     jfr_synth load FILE STACKS SAMPLES   one chunk in which so many different stacks, of 10 to 30 frames, branch out
 *                                      as calls do: what a converter is measured with
 *     jfr_synth plain FILE STACKS SAMPLES  the same stacks in a recording as async-profiler writes it (plain.h)
 *
 * Everything is derived from counters by a fixed generator, so two runs write the same samples.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "disturb_story.h"
#include "halves.h"
#include "live_story.h"
#include "lock_story.h"
#include "memory_story.h"
#include "plain.h"
#include "record/output.h"
#include "requests.h"

#define DEEP      2000u
#define THREADS   200u
#define STACKS    5000u
#define METHODS   3000u
#define START_NS  UINT64_C(5000000000000)
#define EPOCH_NS  UINT64_C(1700000000000000000)
#define SAMPLE_NS UINT64_C(1000000)

static uint32_t mix(uint32_t v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}

static const char *const hostile[] = {
    "",
    "\xff\xfe bytes that are no UTF-8 \xc3",
    "quote\" back\\slash \x01\x1b[31m newline\n tab\t </script><b>&amp;",
    "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 \xe4\xb8\x96\xe7\x95\x8c",
    "modified UTF-8: NUL \xc0\x80 and a pair \xed\xa0\xbd\xed\xb8\x80",
    "real UTF-8 beyond the BMP \xf0\x9f\x98\x80",
    "lone surrogate \xed\xa0\xbd end",
    "a;b;c 1234",
    "overlong \xc1\xbf \xe0\x80\x80 \xf8\x88\x80\x80\x80",
};
#define HOSTILE         (sizeof hostile / sizeof hostile[0])
#define HOSTILE_METHODS ((uint32_t)HOSTILE * 3 + 1) /* methods below this number have such names */

static size_t synth_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    size_t depth = id % 500 == 7 ? DEEP + 100 : 5 + mix(id) % 60;
    *truncated = depth > cap;
    if (depth > cap)
        depth = cap;
    for (size_t i = 0; i < depth; i++) {
        uint32_t r = mix(id * 131u + (uint32_t)(i / 2) * 7u);
        uint32_t method = (i < 4 ? r % METHODS : (uint32_t)(depth - i) % 400) + 1;
        out[i] = (struct wick_jfr_frame){method * 1000003u, 1 + r % 300, r % 200, (uint8_t)(r % WICK_FRAME_KIND_COUNT)};
    }
    return depth;
}

static int synth_method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    static char class_name[128], name[128], signature[64];
    uint32_t m = id * 0x78819a6bu; /* undoes the factor 1000003 above, modulo 2^32 */
    if (m % 97 == 5)
        return -1;
    if (m < HOSTILE_METHODS) {
        const char *s = hostile[(m - 1) % HOSTILE];
        *out = (struct wick_jfr_method){s, s, m % 2 ? s : "(Ljava/lang/String", 1, true, true};
        return 0;
    }
    if (m % 5 == 0) {
        snprintf(class_name, sizeof class_name, "libnative%u.so.6", m % 7);
        snprintf(name, sizeof name, "std::vector<int, %u>::push_back(int&&)", m);
        *out = (struct wick_jfr_method){class_name, name};
        return 0;
    }
    snprintf(class_name, sizeof class_name, "com/example/service%u/impl/RequestHandler%u", m % 20, m % 311);
    snprintf(name, sizeof name, "handleRequest%u", m);
    snprintf(signature, sizeof signature, "(I[[Ljava/lang/String;J)%s", m % 2 ? "V" : "[Ljava/util/Map;");
    *out = (struct wick_jfr_method){class_name, name, signature, 1 + m % 8, false, m % 50 == 0};
    return 0;
}

static int synth_thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    static char name[64];
    if (id % 41 == 40)
        return -1;
    snprintf(name, sizeof name, "http-worker-%u", id);
    const char *text = id % 3 ? name : hostile[id / 3 % HOSTILE];
    *out = (struct wick_jfr_thread){text, 10000 + id, id % 4 ? text : NULL, id % 4 ? id : 0, id % 8 ? NULL : "main"};
    return 0;
}

static int synth_context(void *arg, uint32_t id, struct wick_jfr_context *out)
{
    static char span[17];
    (void)arg;
    snprintf(span, sizeof span, "%016x", id);
    *out = (struct wick_jfr_context){.endpoint = id % 3 ? "GET /cpu" : "GET /lock", .span_id = span};
    if (id % 2)
        out->trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    if (id % 7)
        out->labels = "customer=big,tier=a\\,b";
    return 0;
}

static const struct wick_jfr_source source = {NULL, synth_stack, synth_method, synth_thread, synth_context};

struct expected {
    uint64_t samples, weight_ns, perf_samples, perf_weight, settings, libraries, spans;
};

static void chunk_begin(void *arg, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct expected *x = arg;
    wick_jfr_write_active_recording(w, &(struct wick_jfr_active_recording){.start_ns = now_ns,
                                                                           .id = 1,
                                                                           .name = "wick",
                                                                           .destination = "synth.jfr",
                                                                           .recording_start_ms = EPOCH_NS / 1000000,
                                                                           .flush_interval_ms = 1000});
    uint64_t id = wick_jfr_event_type_id(WICK_JFR_EVENT_EXECUTION_SAMPLE);
    wick_jfr_write_active_setting(
        w, &(struct wick_jfr_active_setting){.start_ns = now_ns, .id = id, .name = "interval", .value = "10 ms"});
    wick_jfr_write_active_setting(
        w, &(struct wick_jfr_active_setting){.start_ns = now_ns, .id = id, .name = "engine", .value = "perf"});
    wick_jfr_write_jvm_information(w, &(struct wick_jfr_jvm_information){.start_ns = now_ns,
                                                                         .jvm_name = "Synthetic VM",
                                                                         .jvm_version = "17+35",
                                                                         .jvm_arguments = "-Xmx1g",
                                                                         .java_arguments = hostile[2],
                                                                         .jvm_start_ms = EPOCH_NS / 1000000 - 5000,
                                                                         .pid = 4711});
    wick_jfr_write_os_information(w, &(struct wick_jfr_os_information){.start_ns = now_ns, .os_version = hostile[3]});
    wick_jfr_write_span(w, &(struct wick_jfr_span){.start_ns = START_NS - UINT64_C(3600000000000),
                                                   .duration_ns = UINT64_C(7200000000000),
                                                   .operation = "an hour before the recording",
                                                   .endpoint = hostile[2],
                                                   .is_root = 1});
    x->spans++;
    wick_jfr_write_cpu_information(w, &(struct wick_jfr_cpu_information){now_ns, "cpu", "a cpu", 1, 2, 4});
    wick_jfr_write_initial_system_property(w, &(struct wick_jfr_initial_system_property){now_ns, "java.home", "/opt"});
    wick_jfr_write_initial_system_property(w,
                                           &(struct wick_jfr_initial_system_property){now_ns, hostile[1], hostile[2]});
    wick_jfr_write_native_library(
        w, &(struct wick_jfr_native_library){now_ns, "/lib/libc.so.6", 0x7f0000000000u, 0x7f0000200000u});
    if (x) {
        x->settings += 2;
        x->libraries++;
    }
}

static void write_second(struct wick_jfr_writer *w, uint64_t now_ns)
{
    wick_jfr_write_cpu_load(w, &(struct wick_jfr_cpu_load){now_ns, 0.5f, 0.25f, 0.875f});
    wick_jfr_write_drops(w, &(struct wick_jfr_drops){now_ns, "ring_full", 17});
    wick_jfr_write_drops(w, &(struct wick_jfr_drops){now_ns, "stopped", 1});
    wick_jfr_write_profiler(w, &(struct wick_jfr_profiler){now_ns, 1000, 983, 17, 5000000, 1 << 20, 1 << 16, 42, 77});
    wick_jfr_write_wall_clock_sample(
        w, &(struct wick_jfr_wall_clock_sample){now_ns, 1, 2, WICK_JFR_STATE_PARKED, 41, 410000, 6000000});
    wick_jfr_write_thread_cpu(w, &(struct wick_jfr_thread_cpu){now_ns, 1000000, 1, 250000, 750000, 9});
    wick_jfr_write_wall_sampler(
        w, &(struct wick_jfr_wall_sampler){now_ns, 4000, 100, 1, 70000, 9000, 1600, 1500, 60, 40, 3000000});
    wick_jfr_write_log(w, &(struct wick_jfr_log){now_ns, "warning", hostile[2]});
}

static void write_sample(struct wick_jfr_writer *w, struct expected *x, uint64_t i)
{
    uint32_t r = mix((uint32_t)i);
    uint64_t now = START_NS + i * SAMPLE_NS, late = i % 100 == 99 ? UINT64_C(300000000) : r % 1000;
    uint32_t thread = 1 + r % THREADS, stack = (1 + mix(r) % STACKS) * 77777u;
    uint64_t weight = 1 + mix(r + 1) % 30000000;
    if (i % 10 == 3) {
        wick_jfr_write_perf_sample(w, &(struct wick_jfr_perf_sample){now - late, thread, stack, WICK_JFR_STATE_DEFAULT,
                                                                     i % 20 == 3 ? "cache-misses" : hostile[2], weight,
                                                                     WICK_JFR_SAMPLE_USER});
        x->perf_samples++;
        x->perf_weight += weight;
        return;
    }
    wick_jfr_write_execution_sample(w, &(struct wick_jfr_execution_sample){now - late, thread, i % 1000 ? stack : 0,
                                                                           1 + r % 3, WICK_JFR_SAMPLE_USER + r % 2,
                                                                           weight, i % 5 ? 1 + r % 900 : 0});
    x->samples++;
    x->weight_ns += weight;
}

static int open_recording(struct wick_output *o, struct wick_jfr_writer **w, const char *path,
                          struct wick_jfr_config *config)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || wick_output_init_fd(o, fd)) {
        perror(path);
        return 1;
    }
    struct wick_jfr_sink sink = wick_output_sink(o);
    return wick_jfr_writer_open(w, &sink, &source, config) ? 1 : 0;
}

static int cmd_write(const char *path, uint64_t samples)
{
    struct expected x = {0};
    struct wick_output o;
    struct wick_jfr_writer *w;
    struct wick_jfr_stats s;
    struct wick_jfr_config config = {START_NS, EPOCH_NS, .chunk_bytes = 1 << 20, .chunk_begin = chunk_begin,
                                     .chunk_arg = &x};
    if (open_recording(&o, &w, path, &config))
        return 1;
    for (uint64_t i = 0; i < samples; i++) {
        write_sample(w, &x, i);
        if (i % 1000 == 999) {
            write_second(w, START_NS + i * SAMPLE_NS);
            if (wick_jfr_writer_flush(w, START_NS + i * SAMPLE_NS))
                return 1;
        }
    }
    if (wick_jfr_writer_close(w, START_NS + samples * SAMPLE_NS, &s))
        return 1;
    wick_output_release(&o);
    uint64_t micros = x.weight_ns / 1000;
    printf("jdk.ExecutionSample %" PRIu64 "\nwick.PerfSample %" PRIu64 "\n", x.samples, x.perf_samples);
    printf("weight_us %" PRIu64 "\nperf_weight %" PRIu64 "\n", micros, x.perf_weight);
    printf("jdk.ActiveSetting %" PRIu64 "\njdk.NativeLibrary %" PRIu64 "\n", x.settings, x.libraries);
    printf("jdk.CPULoad %" PRIu64 "\nwick.Drops %" PRIu64 "\n", samples / 1000, samples / 1000 * 2);
    printf("wick.Span %" PRIu64 "\n", x.spans);
    printf("wick.Log %" PRIu64 "\nwick.Profiler %" PRIu64 "\nchunks %" PRIu64 "\n", samples / 1000, samples / 1000,
           s.chunks);
    return 0;
}

static int cmd_endless(const char *path)
{
    struct expected x = {0};
    struct wick_output o;
    struct wick_jfr_writer *w;
    struct wick_jfr_config config = {START_NS, EPOCH_NS, .chunk_bytes = 256 << 10, .chunk_begin = chunk_begin,
                                     .chunk_arg = &x};
    if (open_recording(&o, &w, path, &config))
        return 1;
    for (uint64_t i = 0;; i++) {
        write_sample(w, &x, i);
        if (i % 200 == 199) {
            if (wick_jfr_writer_flush(w, START_NS + i * SAMPLE_NS))
                return 1;
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

/* A service with 100 threads and 2,000 distinct stacks, sampled at 10 ms; the clock begins late in the chunk's hour so
 * that times take as many bytes as they ever do. */
static int cmd_size(const char *path)
{
    struct wick_output o;
    struct wick_jfr_writer *w;
    struct wick_jfr_stats s;
    struct wick_jfr_config config = {START_NS, EPOCH_NS, .chunk_bytes = 64 << 20};
    if (open_recording(&o, &w, path, &config))
        return 1;
    const uint64_t n = 100000, batch = 10000;
    uint64_t spent_ns = 0, flush_ns = 0;
    for (uint64_t i = 0; i < n;) {
        uint64_t t = 0, begin = wick_clock_mono_ns();
        for (uint64_t end = i + batch; i < end; i++) {
            uint32_t r = mix((uint32_t)i);
            t = START_NS + UINT64_C(1800000000000) + i * 100000;
            wick_jfr_write_execution_sample(
                w, &(struct wick_jfr_execution_sample){t, 1 + r % 100, 1 + mix(r) % 2000, WICK_JFR_STATE_DEFAULT,
                                                       WICK_JFR_SAMPLE_USER, 9990000 + r % 20000, 0});
        }
        uint64_t written = wick_clock_mono_ns();
        if (wick_jfr_writer_flush(w, t))
            return 1;
        spent_ns += written - begin;
        flush_ns += wick_clock_mono_ns() - written;
    }
    if (wick_jfr_writer_close(w, START_NS + UINT64_C(1810000000000), &s))
        return 1;
    wick_output_release(&o);
    printf("bytes_per_event %.2f\nns_per_event %.1f\nflush_us %.1f\n", (double)s.event_bytes / (double)n,
           (double)spent_ns / (double)n, (double)flush_ns / 1000 / (double)(n / batch));
    printf("constant_bytes %" PRIu64 "\nbytes %" PRIu64 "\nmemory_bytes %zu\n", s.constant_bytes, s.bytes,
           s.memory_bytes);
    return 0;
}

/* --- load: a call tree as a service has it --- */

/* The path from the root is spelt by the digits of the stack's number: levels with one callee and levels with several
 * alternate, so near the root all stacks are alike and near the leaves they differ. */
static size_t load_stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    size_t depth = 10 + mix(id) % 21;
    uint32_t path = 0, digits = id;
    *truncated = depth > cap;
    depth = depth > cap ? cap : depth;
    for (size_t level = 0; level < depth; level++) {
        uint32_t digit = level % 2 ? digits % 8 : 0;
        bool rest = level + 1 == depth;
        path = mix(path * 31 + (rest ? digits : digit) + 1);
        digits = level % 2 ? digits / 8 : digits;
        uint32_t method = HOSTILE_METHODS + mix(path) % METHODS; /* a peer whose page breaks cannot be measured */
        uint32_t site = method % 200 + path % 4;                 /* a method calls from four places */
        out[depth - 1 - level] = (struct wick_jfr_frame){method * 1000003u, 1 + site, 3 * site, (uint8_t)(path % 3)};
    }
    return depth;
}

static const struct wick_jfr_source load_source = {NULL, load_stack, synth_method, synth_thread};

static int cmd_load(const char *path, uint32_t stacks, uint64_t samples)
{
    struct wick_output o;
    struct wick_jfr_stats s;
    struct wick_jfr_writer *w;
    struct wick_jfr_config config = {START_NS, EPOCH_NS, .chunk_bytes = UINT64_C(4) << 30};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || !stacks || wick_output_init_fd(&o, fd)) {
        perror(path);
        return 1;
    }
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &load_source, &config))
        return 1;
    for (uint64_t i = 0; i < samples; i++) {
        uint32_t r = mix((uint32_t)i), stack = i < stacks ? (uint32_t)i : mix(r) % stacks;
        uint64_t t = START_NS + i * (SAMPLE_NS / 10);
        if (wick_jfr_write_execution_sample(
                w, &(struct wick_jfr_execution_sample){t, 1 + r % 100, 1 + stack, WICK_JFR_STATE_DEFAULT,
                                                       WICK_JFR_SAMPLE_USER, 9990000 + r % 20000}))
            return 1;
        if (i % 100000 == 99999 && wick_jfr_writer_flush(w, t))
            return 1;
    }
    if (wick_jfr_writer_close(w, START_NS + samples * SAMPLE_NS / 10, &s))
        return 1;
    wick_output_release(&o);
    printf("bytes %" PRIu64 "\nchunks %" PRIu64 "\n", s.bytes, s.chunks);
    return 0;
}

static const struct {
    const char *name;
    int (*write)(int fd);
} stories[] = {{"requests", requests_write},   {"owners", requests_write_locks}, {"disturbances", disturb_story_write},
               {"memory", memory_story_write}, {"locks", lock_story_write},      {"halves", halves_write},
               {"live", live_story_write}};

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "load"))
        return cmd_load(argv[2], (uint32_t)strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    if (argc == 5 && !strcmp(argv[1], "plain"))
        return plain_write(argv[2], &load_source, (uint32_t)strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    if (argc >= 3 && !strcmp(argv[1], "write"))
        return cmd_write(argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 100000);
    if (argc == 3 && !strcmp(argv[1], "endless"))
        return cmd_endless(argv[2]);
    for (size_t i = 0; argc == 3 && i < sizeof stories / sizeof *stories; i++) {
        if (strcmp(argv[1], stories[i].name) != 0)
            continue;
        int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        return fd < 0 || stories[i].write(fd) ? 1 : 0;
    }
    if (argc == 3 && !strcmp(argv[1], "size"))
        return cmd_size(argv[2]);
    fputs("usage: jfr_synth write FILE [SAMPLES] | endless FILE | size FILE | requests FILE | owners FILE |\n"
          "       jfr_synth disturbances FILE | memory FILE | locks FILE | halves FILE | live FILE |\n"
          "       jfr_synth load|plain FILE STACKS SAMPLES\n",
          stderr);
    return 2;
}
