/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_script.c - reading the text of `perf script`
 *
 *     http-nio 4711/4733 [001] 12345.678901:   10101010 cpu-clock:pppH:
 *             7f12345678ab Lorg/example/Handler;::handle+0x1b (/tmp/perf-4711.map)
 *                 5580123 main+0x23 (/usr/bin/server)
 *         ffffffff81234567 do_syscall_64+0x57 ([kernel.kallsyms])
 *
 * A sample is a head and its frames, leaf first, up to an empty line. The head holds what `-F` asked for: the name of
 * the thread (which may hold blanks), pid/tid or tid, [cpu], time, period and event; all but the name may be missing.
 * It is parsed from the time backwards and forwards, since only the time has an unambiguous form. Without call chains
 * (`-g`) the one frame follows the head.
 *
 * The name of the thread becomes the root frame, as it does elsewhere, and with the tid the thread of the sample.
 *
 * Frames. What follows the address is the same text again and again, so the frames of each different text are worked
 * out once. A symbol in perf-PID.map is Java or a stub; "a->b" there is b inlined into a. "(inlined)" instead of a
 * library marks native inlining. The library is missing without `-F dso`, and for what is inlined with `-F +srcline`:
 * then the address makes it a frame.
 *
 * -F +srcline: a line below a frame, "file:12", "file:12 (inlined)", "file:12 (discriminator 3)", "??:0", or, where
 * there is no debug information, "library[1f20]".
 *
 * The weight is the period, where the head has one, else 1. Periods of cpu-clock and task-clock are nanoseconds.
 */
#include "import/perf_int.h"
#include "model/label.h"

#include <ctype.h>
#include <stdlib.h>

#define DEPTH_MAX 4096u

/* The frames that a text stands for: one, or several for inlined Java methods. */
struct known {
    size_t text;  /* in texts */
    uint32_t len; /* of the text */
    uint32_t first, count;
    bool is_jvm; /* in a JVM's map */
};

/* The label set of a process is made when it is first seen; what it is called is known at the end. */
struct process {
    int64_t pid;
    uint32_t labels;
    uint32_t name; /* string: its own, if known; else that of the thread that came first */
    bool own_name, is_jvm;
};

struct perf_head {
    const char *comm, *event;
    size_t comm_len, event_len;
    const char *rest; /* behind the event */
    size_t rest_len;
    int64_t pid, tid, time_ns, period;
    bool has_pid, has_tid, has_time, has_period;
};

struct wick_perf_in {
    struct wick_import *im;
    struct wick_lines lines;
    struct wick_strbuf texts;
    struct known *known;
    uint32_t nknown, cap_known;
    struct wick_index ix;
    struct wick_perf_frames frames; /* of `known`, leaf first */
    struct process *processes;
    uint32_t nprocesses, cap_processes;
    struct wick_index by_pid;
    struct wick_sample sample;
    uint32_t root;             /* frame with the thread's name */
    uint32_t stack[DEPTH_MAX]; /* of the sample at hand, leaf first */
    uint32_t depth;
    uint32_t at_hand; /* process of the sample, + 1; 0 = not given */
    bool open;        /* a sample has begun */
    bool single;      /* heads with their frame behind them have been seen: an indented line may be a head */
    bool nomem;
};

/* --- words --- */

/* The next word in [at, end); n = 0 at the end. */
static struct wick_word next_word(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *s = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    return (struct wick_word){s, (size_t)(at - s)};
}

/* The last word in [from, at). */
static struct wick_word word_before(const char *from, const char *at)
{
    while (at > from && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    const char *end = at;
    while (at > from && at[-1] != ' ' && at[-1] != '\t')
        at--;
    return (struct wick_word){at, (size_t)(end - at)};
}

/* Digits up to the end or to `stop`: how many, 0 if there are none or the number is too great. */
static size_t number(const char *s, size_t n, int64_t *out)
{
    size_t i = 0;
    int64_t v = 0;
    for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s[i] - '0', &v))
            return 0;
    *out = v;
    return i;
}

/* 12345.678901: */
static bool is_time(struct wick_word w, int64_t *ns)
{
    int64_t s = 0, fraction = 0;
    size_t a = number(w.s, w.n, &s);
    if (!a || a + 2 >= w.n || w.s[a] != '.' || w.s[w.n - 1] != ':')
        return false;
    size_t digits = w.n - a - 2, b = number(w.s + a + 1, digits, &fraction);
    if (b != digits || digits > 9)
        return false;
    for (; digits < 9; digits++)
        fraction *= 10;
    return !__builtin_mul_overflow(s, 1000000000, ns) && !__builtin_add_overflow(*ns, fraction, ns);
}

/* 4711/4733 or 4733; what is left of a thread that has just ended is -1. */
static bool is_ids(struct wick_word w, int64_t *pid, int64_t *tid)
{
    if (w.n == 2 && !memcmp(w.s, "-1", 2)) {
        *pid = *tid = -1;
        return true;
    }
    size_t a = number(w.s, w.n, pid);
    *tid = *pid;
    if (!a || a == w.n)
        return a > 0;
    return w.s[a] == '/' && a + 1 < w.n && number(w.s + a + 1, w.n - a - 1, tid) == w.n - a - 1;
}

static bool is_cpu(struct wick_word w)
{
    int64_t cpu;
    return w.n > 2 && w.s[0] == '[' && w.s[w.n - 1] == ']' && number(w.s + 1, w.n - 2, &cpu) == w.n - 2;
}

/* An address and something behind it: `rest` is the symbol and what follows it. */
static bool is_addressed(const char *at, const char *end, struct wick_word *address, struct wick_word *rest)
{
    *address = next_word(at, end);
    bool hex = address->n > 0 && address->n <= 16;
    for (size_t i = 0; i < address->n && hex; i++)
        hex = isxdigit((unsigned char)address->s[i]);
    struct wick_word symbol = hex ? next_word(address->s + address->n, end) : (struct wick_word){end, 0};
    *rest = (struct wick_word){symbol.s, (size_t)(end - symbol.s)};
    return symbol.n > 0;
}

/* --- heads --- */

/* A number behind the time or the ids is the period, unless it is the address of the frame behind the head. */
static bool is_period(struct wick_word w, const char *end)
{
    struct wick_word next = next_word(w.s + w.n, end), address, symbol;
    if (!next.n || next.s[next.n - 1] == ':')
        return true;
    return is_addressed(next.s, end, &address, &symbol) && symbol.s[0] != '(';
}

/* The event and what stands before it, from `at` on. */
static void head_tail(struct perf_head *h, const char *at, const char *end)
{
    struct wick_word w = next_word(at, end);
    if (w.n && number(w.s, w.n, &h->period) == w.n && is_period(w, end)) {
        h->has_period = true;
        w = next_word(w.s + w.n, end);
    }
    if (w.n > 1 && w.s[w.n - 1] == ':') {
        h->event = w.s;
        h->event_len = w.n - 1;
        w = next_word(w.s + w.n, end);
    }
    h->rest = w.s;
    h->rest_len = (size_t)(end - w.s);
}

/* The name and the ids, which end at `at`. */
static void head_front(struct perf_head *h, const char *from, const char *at)
{
    struct wick_word w = word_before(from, at);
    if (is_cpu(w))
        w = word_before(from, w.s);
    if (w.n && is_ids(w, &h->pid, &h->tid)) {
        h->has_tid = true;
        h->has_pid = memchr(w.s, '/', w.n) != NULL;
        w = (struct wick_word){w.s, 0};
    } else {
        w.s += w.n;
    }
    while (from < w.s && (*from == ' ' || *from == '\t'))
        from++;
    while (w.s > from && (w.s[-1] == ' ' || w.s[-1] == '\t'))
        w.s--;
    h->comm = from;
    h->comm_len = (size_t)(w.s - from);
}

static bool parse_head(struct perf_head *h, const char *line, size_t n)
{
    const char *end = line + n;
    int64_t pid, tid;
    *h = (struct perf_head){.rest = end};
    for (struct wick_word w = next_word(line, end); w.n; w = next_word(w.s + w.n, end))
        if (is_time(w, &h->time_ns)) {
            h->has_time = true;
            head_front(h, line, w.s);
            head_tail(h, w.s + w.n, end);
            return h->comm_len || h->has_tid;
        }
    struct wick_word first = next_word(line, end);
    for (struct wick_word w = next_word(first.s + first.n, end); w.n; w = next_word(w.s + w.n, end))
        if (is_ids(w, &pid, &tid)) { /* no time: the first number behind the name */
            struct wick_word cpu = next_word(w.s + w.n, end);
            const char *tail = is_cpu(cpu) ? cpu.s + cpu.n : w.s + w.n;
            head_front(h, line, w.s + w.n);
            head_tail(h, tail, end);
            return h->comm_len > 0;
        }
    return false;
}

static uint16_t event_of(struct wick_perf_in *in, const struct perf_head *h)
{
    struct wick_word name = h->event_len ? (struct wick_word){h->event, h->event_len} : (struct wick_word){"perf", 4};
    return wick_perf_type_of(in->im->p, name, h->has_period);
}

/* --- frames --- */

/* Where " (library)" begins, NULL if there is none. Symbols and paths may both hold brackets; a path begins as such. */
static const char *library_of(const char *text, const char *end)
{
    if (end == text || end[-1] != ')')
        return NULL;
    const char *path = memmem(text, (size_t)(end - text), " (/", 3);
    const char *open = path ? path + 1 : memrchr(text, '(', (size_t)(end - text));
    return open && open > text && open[-1] == ' ' ? open : NULL;
}

/* +0x1b up to the end; the same form within the name of a hidden class, Foo$$Lambda+0x7f12.run, is none. */
static bool is_offset(const char *s, const char *end)
{
    if (end - s <= 3 || s[1] != '0' || s[2] != 'x')
        return false;
    for (s += 3; s < end && isxdigit((unsigned char)*s); s++)
        ;
    return s == end;
}

/* symbol+0x1b (library), or without the library; high: the address is one of the kernel's. */
static void make_frames(struct wick_perf_in *in, const char *text, size_t n, bool high)
{
    const char *end = text + n, *open = library_of(text, end);
    struct wick_word symbol = {text, (size_t)((open ? open : end) - text)}, dso = {"", 0};
    if (open)
        dso = (struct wick_word){open + 1, (size_t)(end - open - 2)};
    while (symbol.n && symbol.s[symbol.n - 1] == ' ')
        symbol.n--;
    const char *plus = memrchr(symbol.s, '+', symbol.n);
    if (plus && plus > symbol.s && is_offset(plus, symbol.s + symbol.n))
        symbol.n = (size_t)(plus - symbol.s);
    if (symbol.n == 9 && !memcmp(symbol.s, "[unknown]", 9))
        symbol.n = 0;
    wick_perf_frames_of(&in->frames, in->im->p, symbol, dso, high);
}

/* The frames of a text, made when it is first seen. NULL when memory ran out. */
static const struct known *frames_of(struct wick_perf_in *in, const char *text, size_t n, bool high)
{
    uint64_t h = wick_hash_bytes(text, n);
    uint32_t at = wick_index_start(&in->ix, h), id;
    while (wick_index_next(&in->ix, h, &at, &id))
        if (in->known[id].len == n && !memcmp(in->texts.buf + in->known[id].text, text, n))
            return &in->known[id];
    if (in->nknown == in->cap_known) {
        uint32_t cap = in->cap_known ? in->cap_known * 2 : 256;
        struct known *bigger = cap > in->cap_known ? reallocarray(in->known, cap, sizeof *bigger) : NULL;
        in->nomem = in->nomem || !bigger;
        if (!bigger)
            return NULL;
        in->known = bigger;
        in->cap_known = cap;
    }
    uint32_t first = in->frames.n;
    make_frames(in, text, n, high);
    in->known[in->nknown] = (struct known){in->texts.len, (uint32_t)n, first, in->frames.n - first,
                                           memmem(text, n, "/perf-", 6) && text[n - 1] == ')' && n > 5 &&
                                               !memcmp(text + n - 5, ".map)", 5)};
    wick_strbuf_add(&in->texts, text, n);
    in->nomem = in->nomem || in->texts.failed || wick_index_add(&in->ix, h, in->nknown);
    return &in->known[in->nknown++];
}

/* A line of a call chain, or what stands behind a head. */
static bool add_frame(struct wick_perf_in *in, const char *line, size_t n)
{
    const char *end = line + n;
    while (end > line && end[-1] == ' ')
        end--;
    struct wick_word address, rest;
    bool addressed = is_addressed(line, end, &address, &rest);
    bool high = addressed && address.n == 16 && address.s[0] >= '8';
    if (!addressed) { /* -F sym,dso */
        rest.s = next_word(line, end).s;
        rest.n = (size_t)(end - rest.s);
        if (!library_of(rest.s, end))
            return false;
    }
    const struct known *k = frames_of(in, rest.s, rest.n, high);
    if (k && k->is_jvm && in->at_hand)
        in->processes[in->at_hand - 1].is_jvm = true;
    for (uint32_t i = 0; k && i < k->count && in->depth < DEPTH_MAX; i++)
        in->stack[in->depth++] = in->frames.f[k->first + i];
    return k != NULL;
}

/* Without " (inlined)" or " (discriminator 3)" at the end. */
static size_t without_note(const char *s, size_t n)
{
    const char *note = n && s[n - 1] == ')' ? memmem(s, n, " (", 2) : NULL;
    size_t len = note ? (size_t)(s + n - note) : 0;
    bool known = (len == 10 && !memcmp(note, " (inlined)", 10)) || (len > 16 && !memcmp(note, " (discriminator ", 16));
    return known ? n - len : n;
}

/* perf-4711.map[7f12345678ab] */
static bool is_place_without_line(struct wick_word w)
{
    const char *open = w.n && w.s[w.n - 1] == ']' ? memrchr(w.s, '[', w.n) : NULL;
    if (!open || open == w.s || open + 2 >= w.s + w.n)
        return false;
    for (const char *at = open + 1; at < w.s + w.n - 1; at++)
        if (!isxdigit((unsigned char)*at))
            return false;
    return true;
}

/* "Handler.java:12" below a frame is its line. */
static bool add_line_number(struct wick_perf_in *in, const char *line, size_t n)
{
    while (n && line[n - 1] == ' ')
        n--;
    n = without_note(line, n);
    struct wick_word w = next_word(line, line + n);
    if (!in->depth || !w.n || w.n != n - (size_t)(w.s - line))
        return false;
    const char *colon = memrchr(w.s, ':', w.n);
    int64_t v;
    size_t digits = colon ? (size_t)(w.s + w.n - colon - 1) : 0;
    if (!digits || number(colon + 1, digits, &v) != digits || v > INT32_MAX)
        return is_place_without_line(w);
    struct wick_frame f = in->im->p->frames[in->stack[in->depth - 1]];
    in->stack[in->depth - 1] = wick_profile_frame(in->im->p, f.function, (int32_t)v, -1, f.kind);
    return true;
}

/* --- processes --- */

static struct process *find_process(struct wick_perf_in *in, int64_t pid)
{
    uint64_t h = wick_hash_2((uint64_t)pid, 4);
    uint32_t at = wick_index_start(&in->by_pid, h), id;
    while (wick_index_next(&in->by_pid, h, &at, &id))
        if (in->processes[id].pid == pid)
            return &in->processes[id];
    return NULL;
}

static struct process *add_process(struct wick_perf_in *in, int64_t pid, uint32_t name)
{
    if (in->nprocesses == in->cap_processes) {
        uint32_t cap = in->cap_processes ? in->cap_processes * 2 : 64;
        void *bigger = cap > in->cap_processes ? reallocarray(in->processes, cap, sizeof *in->processes) : NULL;
        in->nomem = in->nomem || !bigger;
        if (!bigger)
            return NULL;
        in->processes = bigger;
        in->cap_processes = cap;
    }
    const struct wick_string *s = &in->im->p->strings[name];
    struct process *p = &in->processes[in->nprocesses];
    *p = (struct process){.pid = pid, .name = name};
    p->labels = wick_perf_process(in->im->p, (struct wick_word){s->s, s->len}, pid);
    in->nomem = in->nomem || wick_index_add(&in->by_pid, wick_hash_2((uint64_t)pid, 4), in->nprocesses);
    in->nprocesses++;
    return p;
}

static uint32_t process_of(struct wick_perf_in *in, const struct perf_head *h, uint32_t name)
{
    if (!in->im->p->by_labels)
        return 0;
    struct process *p = find_process(in, h->pid);
    p = p ? p : add_process(in, h->pid, name);
    if (p && h->pid == h->tid) {
        p->name = name;
        p->own_name = true;
    }
    in->at_hand = p ? (uint32_t)(p - in->processes) + 1 : 0;
    return p ? p->labels : 0;
}

/* A process is called as its first thread is; a JVM's, which never has samples, "java". */
static void name_processes(struct wick_perf_in *in)
{
    struct wick_profile *p = in->im->p;
    for (uint32_t i = 0; i < in->nprocesses; i++) {
        const struct process *o = &in->processes[i];
        const struct wick_string *s = &p->strings[o->name];
        bool java = !o->own_name && o->is_jvm;
        struct wick_word name = {java ? "java" : s->s, java ? 4 : s->len};
        uint32_t named = wick_perf_process(p, name, o->pid), key = wick_profile_label_key(p, "process");
        wick_profile_relabel(p, o->labels, key, wick_profile_label(p, named, key));
    }
}

/* --- samples --- */

static void end_sample(struct wick_perf_in *in)
{
    if (!in->open)
        return;
    in->open = false;
    uint32_t stack = wick_profile_push(in->im->p, 0, in->root);
    while (in->depth)
        stack = wick_profile_push(in->im->p, stack, in->stack[--in->depth]);
    in->sample.stack = stack;
    wick_import_sample(in->im, &in->sample);
}

static void begin_sample(struct wick_perf_in *in, const struct perf_head *h)
{
    struct wick_profile *p = in->im->p;
    uint32_t name = wick_profile_string(p, h->comm, h->comm_len);
    in->root = wick_profile_frame(p, wick_profile_function(p, 0, name, 0), 0, -1, WICK_FRAME_BOUNDARY);
    in->sample = (struct wick_sample){
        .thread = wick_profile_thread(p, name, h->has_tid && h->tid > 0 ? h->tid : 0, 0, false),
        .labels = h->has_pid ? process_of(in, h, name) : 0,
        .event = event_of(in, h),
        .time_ns = h->time_ns,
        .weight = h->has_period ? h->period : 1,
        .count = 1,
    };
    in->depth = 0;
    in->at_hand = h->has_pid ? in->at_hand : 0;
    in->open = true;
}

/* A head with its frame behind it. */
static bool is_single(const struct perf_head *h)
{
    struct wick_word address, symbol;
    return is_addressed(h->rest, h->rest + h->rest_len, &address, &symbol);
}

static void take_line(void *ctx, const char *line, size_t n, uint64_t offset)
{
    struct wick_perf_in *in = ctx;
    struct perf_head h;
    if (!next_word(line, line + n).n) {
        end_sample(in);
        return;
    }
    bool indented = line[0] == ' ' || line[0] == '\t';
    bool head = in->single && parse_head(&h, line, n) && (h.has_time || is_single(&h));
    if (line[0] == '#' || (in->open && !head && indented && (add_line_number(in, line, n) || add_frame(in, line, n))))
        return;
    if (head || parse_head(&h, line, n)) {
        end_sample(in);
        begin_sample(in, &h);
        if (h.rest_len && add_frame(in, h.rest, h.rest_len))
            in->single = true;
        return;
    }
    in->im->res->lost_bytes += n;
    wick_import_problem(in->im, offset, "perf script: neither a sample nor a frame");
}

struct wick_perf_in *wick_perf_in_new(struct wick_import *im)
{
    struct wick_perf_in *in = calloc(1, sizeof *in);
    if (!in)
        return NULL;
    in->im = im;
    in->lines = (struct wick_lines){.part = WICK_STRBUF_INIT, .take = take_line, .ctx = in, .im = im};
    wick_strbuf_init(&in->texts);
    return in;
}

int wick_perf_in_feed(struct wick_perf_in *in, const void *data, size_t n)
{
    int rc = wick_lines_feed(&in->lines, data, n);
    return in->nomem || in->frames.nomem || in->im->p->failed ? -WICK_E_NOMEM : rc;
}

int wick_perf_in_end(struct wick_perf_in *in)
{
    wick_lines_end(&in->lines);
    end_sample(in);
    name_processes(in);
    int rc = in->nomem || in->frames.nomem || in->im->p->failed ? -WICK_E_NOMEM : 0;
    in->im->res->chunks++;
    wick_strbuf_release(&in->texts);
    wick_index_release(&in->ix);
    wick_index_release(&in->by_pid);
    free(in->known);
    free(in->processes);
    free(in->frames.f);
    free(in);
    return rc;
}

/* What stands before anything else but comments: a head with a time or an event; or one without either, as -F may have
 * it, with its frame behind it (perf then indents the head) or indented on the next line. */
bool wick_perf_in_is(const char *text, size_t n)
{
    struct wick_word address, symbol;
    bool headed = false; /* the line above is a head without time and event */
    for (const char *end = text + n; text < end;) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text)), *stop = line_end ? line_end : end;
        size_t len = (size_t)(stop - text);
        struct perf_head h;
        bool indented = len && (text[0] == ' ' || text[0] == '\t'), empty = !next_word(text, stop).n;
        if (headed && indented && is_addressed(text, stop, &address, &symbol))
            return true;
        if (!empty && text[0] != '#') {
            if (headed || !parse_head(&h, text, len))
                return false;
            if (h.has_time || h.event_len || (indented && is_single(&h)))
                return true;
            headed = !h.rest_len;
            if (!headed)
                return false;
        } else if (empty) {
            headed = false; /* a sample without frames */
        }
        text += len + 1;
    }
    return false;
}
