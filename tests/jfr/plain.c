/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include <stdio.h>

#include "../unit/jfr_build.h"
#include "jfr/format/dense_ids.h"

#define INTERVAL_TICKS (JFR_BUILD_FREQUENCY / 10000)
#define THREADS        100u
#define MAX_FRAMES     2048u

enum {
    THREAD = 20,
    CLASS,
    SYMBOL,
    METHOD,
    FRAME,
    STACK,
    FRAME_TYPE,
    THREAD_STATE,
    TIMESTAMP = 30, /* these two are known to jfr_build.h */
    TIMESPAN,
    SAMPLE = 101,
    SETTING,
};

static const char *const types[] = {
    "4 byte",
    "5 boolean",
    "10 int",
    "11 long",
    "12 java.lang.String",
    "20 java.lang.Thread osName:12 osThreadId:11 javaName:12 javaThreadId:11 group:11",
    "21 java.lang.Class classLoader:11 name:22p package:11 modifiers:10",
    "22 jdk.types.Symbol string:12",
    "23 jdk.types.Method type:21p name:22p descriptor:22p modifiers:10 hidden:5",
    "24 jdk.types.StackFrame method:23p lineNumber:10 bytecodeIndex:10 type:26p",
    "25 jdk.types.StackTrace truncated:5 frames:24a",
    "26 jdk.types.FrameType description:12",
    "27 jdk.types.ThreadState name:12",
    "30 jdk.jfr.Timestamp value:12",
    "31 jdk.jfr.Timespan value:12",
    "E101 jdk.ExecutionSample startTime:11T sampledThread:20p stackTrace:25p state:27p",
    "E102 jdk.ActiveSetting startTime:11T duration:11S eventThread:20p stackTrace:25p id:11 name:12 value:12",
};

/* Constants while they are collected: ids count from 1. */
struct pools {
    const struct wick_jfr_source *source;
    struct wick_jfr_ids methods, classes;
    struct wick_jfr_names symbols;
    struct wick_strbuf out;
    unsigned n;
};

static uint32_t symbol(struct pools *p, const char *s)
{
    return wick_jfr_names_add(&p->symbols, s ? s : "", s ? strlen(s) : 0);
}

static void begin(struct pools *p, int64_t type, int64_t constants)
{
    jfr_put(&p->out, type);
    jfr_put(&p->out, constants);
    p->n++;
}

static void put_stacks(struct pools *p, uint32_t stacks)
{
    static struct wick_jfr_frame frames[MAX_FRAMES];
    begin(p, STACK, stacks);
    for (uint32_t id = 1; id <= stacks; id++) {
        bool truncated = false;
        size_t n = p->source->stack(p->source->arg, id, frames, MAX_FRAMES, &truncated);
        jfr_put(&p->out, id);
        wick_strbuf_addc(&p->out, truncated);
        jfr_put(&p->out, (int64_t)n);
        for (size_t i = 0; i < n; i++) {
            jfr_put(&p->out, wick_jfr_ids_add(&p->methods, frames[i].method));
            jfr_put(&p->out, frames[i].line);
            jfr_put(&p->out, frames[i].bci);
            jfr_put(&p->out, frames[i].kind);
        }
    }
}

static void put_methods(struct pools *p)
{
    begin(p, METHOD, p->methods.count);
    for (uint32_t id = 1; id <= p->methods.count; id++) {
        struct wick_jfr_method m = {0};
        if (p->source->method(p->source->arg, wick_jfr_ids_key(&p->methods, id), &m))
            m = (struct wick_jfr_method){.class_name = "", .name = "[unknown]"};
        jfr_put(&p->out, id);
        jfr_put(&p->out, wick_jfr_ids_add(&p->classes, symbol(p, m.class_name)));
        jfr_put(&p->out, symbol(p, m.name));
        jfr_put(&p->out, symbol(p, m.signature));
        jfr_put(&p->out, m.modifiers);
        wick_strbuf_addc(&p->out, m.hidden);
    }
}

static void put_names(struct pools *p)
{
    begin(p, CLASS, p->classes.count);
    for (uint32_t id = 1; id <= p->classes.count; id++) {
        jfr_put(&p->out, id);
        jfr_put(&p->out, 0);
        jfr_put(&p->out, wick_jfr_ids_key(&p->classes, id));
        jfr_put(&p->out, 0);
        jfr_put(&p->out, 0);
    }
    begin(p, SYMBOL, p->symbols.count);
    for (uint32_t id = 1; id <= p->symbols.count; id++) {
        size_t len;
        const char *s = wick_jfr_names_get(&p->symbols, id, &len);
        jfr_put(&p->out, id);
        wick_strbuf_addc(&p->out, 3);
        jfr_put(&p->out, (int64_t)len);
        wick_strbuf_add(&p->out, s, len);
    }
}

static void put_threads(struct pools *p)
{
    char name[32];
    begin(p, THREAD, THREADS);
    for (uint32_t id = 1; id <= THREADS; id++) {
        snprintf(name, sizeof name, "worker-%u", id);
        jfr_put(&p->out, id);
        jfr_put_utf8(&p->out, name);
        jfr_put(&p->out, 1000 + id);
        jfr_put_utf8(&p->out, name);
        jfr_put(&p->out, id);
        jfr_put(&p->out, 0);
    }
}

static void put_enum(struct pools *p, int64_t type, const char *const *names, unsigned n)
{
    begin(p, type, n);
    for (unsigned i = 0; i < n; i++) {
        jfr_put(&p->out, i);
        jfr_put_utf8(&p->out, names[i]);
    }
}

static void put_setting(struct jfr_build *j, const char *name, const char *value)
{
    struct wick_strbuf b = WICK_STRBUF_INIT;
    jfr_put(&b, JFR_BUILD_START_TICKS);
    jfr_put(&b, 0);
    jfr_put(&b, 0);
    jfr_put(&b, 0);
    jfr_put(&b, SAMPLE);
    jfr_put_utf8(&b, name);
    jfr_put_utf8(&b, value);
    jfr_event(j, SETTING, &b);
    wick_strbuf_release(&b);
}

int plain_write(const char *path, const struct wick_jfr_source *source, uint32_t stacks, uint64_t samples)
{
    static const char *const kinds[] = {"Interpreted", "JIT compiled", "Inlined",    "Native",
                                        "C++",         "Kernel",       "C1 compiled"};
    static const char *const states[] = {"STATE_RUNNABLE", "STATE_SLEEPING", "STATE_DEFAULT"};
    struct jfr_build j = {.out = WICK_STRBUF_INIT};
    struct pools p = {.source = source, .out = WICK_STRBUF_INIT};
    jfr_begin(&j);
    put_setting(&j, "event", "cpu");
    put_setting(&j, "interval", "10 ms");
    for (uint64_t i = 0; i < samples; i++) {
        uint32_t r = (uint32_t)(i * 0x9e3779b97f4a7c15u >> 32), stack = i < stacks ? (uint32_t)i : r % stacks;
        JFR_EVENT(&j, SAMPLE, JFR_BUILD_START_TICKS + (int64_t)i * INTERVAL_TICKS, 1 + r % THREADS, 1 + stack, 2);
    }
    put_threads(&p);
    put_stacks(&p, stacks);
    put_methods(&p);
    put_names(&p);
    put_enum(&p, FRAME_TYPE, kinds, sizeof kinds / sizeof *kinds);
    put_enum(&p, THREAD_STATE, states, sizeof states / sizeof *states);
    jfr_checkpoint(&j, p.n, &p.out);
    jfr_metadata(&j, types, sizeof types / sizeof *types);
    jfr_end(&j);
    FILE *f = fopen(path, "wb");
    bool ok = f && !p.out.failed && !j.out.failed && fwrite(j.out.buf, 1, j.out.len, f) == j.out.len;
    if ((f && fclose(f)) || !ok)
        perror(path);
    printf("bytes %zu\nchunks 1\n", j.out.len);
    wick_strbuf_release(&j.out);
    wick_strbuf_release(&p.out);
    wick_jfr_ids_release(&p.methods);
    wick_jfr_ids_release(&p.classes);
    wick_jfr_names_release(&p.symbols);
    return ok ? 0 : 1;
}
