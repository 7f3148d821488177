/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_frames.c - perf's names for code and events in the model's terms
 *
 * A symbol in perf-PID.map is Java or a stub; "a->b" there is b inlined into a. What `wick map --compare` has found out
 * about a symbol, " [stale]" or " [changed]" at its end, is part of each of these names. "(inlined)" instead of a
 * library marks native inlining.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "import/perf_int.h"
#include "model/label.h"

static void keep_frame(struct wick_perf_frames *out, uint32_t frame)
{
    if (out->n == out->cap) {
        uint32_t cap = out->cap ? out->cap * 2 : 256;
        uint32_t *bigger = cap > out->cap ? reallocarray(out->f, cap, sizeof *bigger) : NULL;
        out->nomem = out->nomem || !bigger;
        if (!bigger)
            return;
        out->f = bigger;
        out->cap = cap;
    }
    out->f[out->n++] = frame;
}

static uint32_t native_frame(struct wick_profile *p, struct wick_word library, struct wick_word name, unsigned kind)
{
    uint32_t function = wick_profile_function(p, wick_profile_string(p, library.s, library.n),
                                              wick_profile_string(p, name.s, name.n), 0);
    return wick_profile_frame(p, function, 0, -1, kind);
}

/* Foo.bar, Lfoo/Bar;::baz, Lfoo/Bar;baz(I)V: a class and a method; stubs are words. A type in front, as the JDK's own
 * map has it ("int Foo.bar(int)"), is cut off. */
static bool is_method(struct wick_word *w)
{
    const char *paren = memchr(w->s, '(', w->n), *end = paren ? paren : w->s + w->n;
    const char *space = memrchr(w->s, ' ', (size_t)(end - w->s)), *s = space ? space + 1 : w->s;
    size_t n = (size_t)(end - s);
    const char *dot = memrchr(s, '.', n);
    if (!(dot && dot > s && dot + 1 < end) && !(n && *s != ':' && memmem(s, n, "::", 2)) &&
        !(n && *s == 'L' && memchr(s, ';', n)))
        return false;
    w->n -= (size_t)(s - w->s);
    w->s = s;
    return true;
}

static uint32_t java_frame(struct wick_profile *p, struct wick_word method, struct wick_word mark, unsigned kind)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    bool is_java = is_method(&method);
    wick_strbuf_add(&text, method.s, method.n);
    wick_strbuf_add(&text, mark.s, mark.n);
    struct wick_word name = {text.buf, text.len};
    uint32_t frame = is_java ? wick_import_java(p, name.s, name.n, false, 0, kind)
                             : native_frame(p, (struct wick_word){"", 0}, name, WICK_FRAME_STUB);
    p->failed = p->failed || text.failed;
    wick_strbuf_release(&text);
    return frame;
}

/* Symbols of a JVM's map. */
static void java_frames(struct wick_perf_frames *out, struct wick_profile *p, struct wick_word symbol)
{
    struct wick_word mark = wick_perf_map_cut_mark(&symbol);
    const char *end = symbol.s + symbol.n;
    uint32_t first = out->n;
    for (const char *s = symbol.s; s < end;) {
        const char *arrow = memmem(s, (size_t)(end - s), "->", 2), *stop = arrow ? arrow : end;
        struct wick_word method = {s, (size_t)(stop - s)};
        keep_frame(out, java_frame(p, method, mark, s == symbol.s ? WICK_FRAME_C2 : WICK_FRAME_INLINED));
        s = arrow ? arrow + 2 : end;
    }
    for (uint32_t a = first, b = out->n; a + 1 < b; a++) { /* the text has the caller first */
        uint32_t swap = out->f[a];
        out->f[a] = out->f[--b];
        out->f[b] = swap;
    }
}

static bool is_kernel(struct wick_word dso, bool high)
{
    static const char *const user[] = {"[vdso]", "[vsyscall]", "[unknown]", "[heap]", "[stack]", "[uprobes]"};
    if (high)
        return true;
    for (size_t i = 0; i < sizeof user / sizeof *user; i++)
        if (dso.n == strlen(user[i]) && !memcmp(dso.s, user[i], dso.n))
            return false;
    return dso.n > 2 && dso.s[0] == '[' && dso.s[dso.n - 1] == ']';
}

/* /tmp/perf-PID.map, and the files that `perf inject --jit` makes: jitted-PID-N.so. */
static bool is_jvm_map(struct wick_word dso)
{
    const char *slash = memrchr(dso.s, '/', dso.n), *name = slash ? slash + 1 : dso.s, *end = dso.s + dso.n;
    if (dso.n > 4 && !memcmp(end - 4, ".map", 4))
        return memmem(dso.s, dso.n, "perf-", 5) != NULL;
    return end - name > 10 && !memcmp(name, "jitted-", 7) && !memcmp(end - 3, ".so", 3);
}

void wick_perf_frames_of(struct wick_perf_frames *out, struct wick_profile *p, struct wick_word symbol,
                         struct wick_word dso, bool high)
{
    static const char deleted[] = " (deleted)";
    size_t n = sizeof deleted - 1;
    if (dso.n > n && !memcmp(dso.s + dso.n - n, deleted, n))
        dso.n -= n;
    bool inlined = dso.n == 7 && !memcmp(dso.s, "inlined", 7);
    const char *slash = memrchr(dso.s, '/', dso.n);
    struct wick_word library = {slash ? slash + 1 : dso.s, slash ? (size_t)(dso.s + dso.n - slash - 1) : dso.n};
    if (inlined || (!symbol.n && library.n == 9 && !memcmp(library.s, "[unknown]", 9)))
        library.n = 0;
    if (is_jvm_map(dso) && symbol.n) {
        java_frames(out, p, symbol);
        return;
    }
    unsigned kind = is_kernel(dso, high)                  ? WICK_FRAME_KERNEL
                    : memmem(symbol.s, symbol.n, "::", 2) ? WICK_FRAME_CPP
                                                          : WICK_FRAME_NATIVE;
    keep_frame(out, native_frame(p, library, symbol, kind));
}

/* cycles:u, cpu-clock:pppH: what follows the last colon is modifiers if it has their form. */
static size_t without_modifiers(const char *s, size_t n)
{
    const char *colon = memrchr(s, ':', n);
    if (!colon || colon == s || (size_t)(s + n - colon) > 8)
        return n;
    for (const char *c = colon + 1; c < s + n; c++)
        if (!strchr("ukhpPHGSDIeW", *c))
            return n;
    return (size_t)(colon - s);
}

uint16_t wick_perf_type_of(struct wick_profile *p, struct wick_word name, bool has_period)
{
    size_t n = without_modifiers(name.s, name.n);
    bool clock = n >= 9 && (!memcmp(name.s, "cpu-clock", 9) || (n >= 10 && !memcmp(name.s, "task-clock", 10)));
    return wick_profile_event(p, wick_profile_string(p, name.s, n), clock ? WICK_KIND_CPU : WICK_KIND_PERF,
                              clock && has_period ? WICK_UNIT_NS : WICK_UNIT_COUNT);
}

uint32_t wick_perf_process(struct wick_profile *p, struct wick_word comm, int64_t pid)
{
    char text[128];
    if (!p->by_labels)
        return 0;
    int n = snprintf(text, sizeof text, "%.*s-%" PRId64, (int)(comm.n < 64 ? comm.n : 64), comm.s, pid);
    struct wick_label label = {wick_profile_cstring(p, "process"), wick_profile_string(p, text, (size_t)n)};
    return wick_profile_label_set(p, &label, 1);
}
