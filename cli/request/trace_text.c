/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace on a terminal. Each row has the same columns: a name, the bar, figures. Of several samples that share a cell
 * the one that covers most of it is drawn, so a cell shows what the thread mostly did in that time, not all it did.
 */
#include "base/sum.h"
#include "cli/request/trace_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "cli/print.h"
#include "cli/ui.h"
#include "model/name.h"

enum { NAME_WIDTH = 34, SPANS_MAX = 200, STACKS_MAX = 5, NATIVE_MAX = 4, FRAMES_MAX = 12 };

/* Prints at most `width` characters of a name, and blanks up to there. */
static void put_name(FILE *out, const char *s, size_t len, unsigned width)
{
    unsigned used = 0;
    size_t n = 0;
    while (n < len) {
        unsigned columns;
        size_t more = wick_print_unit(s + n, len - n, &columns);
        if (used + columns > width)
            break;
        used += columns;
        n += more;
    }
    wick_print_name(out, s, n);
    fprintf(out, "%*s", (int)(width - used), "");
}

static void put_string(const struct wick_spans *s, uint32_t text, const char *none, unsigned width, FILE *out)
{
    const struct wick_string *x = &s->p->strings[text];
    put_name(out, text ? x->s : none, text ? x->len : strlen(none), width);
}

static void put_time(int64_t time_ns, FILE *out)
{
    time_t seconds = (time_t)(time_ns / 1000000000);
    struct tm tm;
    char text[40] = "?";
    if (gmtime_r(&seconds, &tm))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(out, "%s.%03d", text, (int)(time_ns / 1000000 % 1000));
}

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

uint32_t wick_trace_view_title(const struct wick_spantrace_id *id)
{
    return id->longest->endpoint ? id->longest->endpoint : id->longest->operation;
}

void wick_trace_view_list(const struct wick_spans *s, const struct wick_spantrace_id *ids, size_t n, size_t all,
                          FILE *out)
{
    fprintf(out, "The %zu slowest of %zu traces; times in UTC\n\n", n, all);
    fprintf(out, "%12s %6s  %-23s  %-32s  %s\n", "LATENCY ms", "SPANS", "START", "TRACE", "ENDPOINT");
    for (size_t i = 0; i < n; i++) {
        const struct wick_span *x = ids[i].longest;
        fprintf(out, "%12.3f %6zu  ", ms(x->end_ns - x->start_ns), ids[i].spans);
        put_time(x->start_ns, out);
        fputs("  ", out);
        put_string(s, ids[i].key, "", 32, out);
        fputs("  ", out);
        const struct wick_string *name = &s->p->strings[wick_trace_view_title(&ids[i])];
        wick_ui_last_column(out, 79, name->s, name->len);
        fputc('\n', out);
    }
}

/* ---- bars ---- */

/* The letter of a state; '#' and '+' are CPU and waiting for it. */
static char letter(const struct wick_profile *p, const struct wick_span_sample *x)
{
    static const struct {
        const char *state;
        char letter;
    } letters[] = {
        {"STATE_BLOCKED_ON_MONITOR_ENTER", 'm'},
        {"STATE_PARKED", 'p'},
        {"STATE_IN_OBJECT_WAIT", 'w'},
        {"STATE_SLEEPING", 's'},
        {"STATE_IO_WAIT", 'i'},
        {"STATE_HELD_BACK", 'i'},
        {"STATE_DISK_WAIT", 'd'},
        {"STATE_ALLOCATION_STALL", 'a'},
        {"STATE_SAFEPOINT", 'f'},
        {"STATE_NATIVE_WAIT", 'n'},
        {"STATE_WAITING_FOR_CARRIER", 'c'},
    };
    enum wick_span_work work = x->cpu ? WICK_WORK_RUNNING : wick_spans_work(p, x->state);
    if (work != WICK_WORK_BLOCKED)
        return work == WICK_WORK_RUNNING ? '#' : '+';
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (!strcmp(wick_profile_str(p, p->states[x->state]), letters[i].state))
            return letters[i].letter;
    return 'o';
}

static enum wick_ui_colour colour(char c)
{
    return c == '.'   ? WICK_UI_DIM
           : c == '#' ? WICK_UI_GREEN
           : c == '+' ? WICK_UI_YELLOW
           : c == '=' ? WICK_UI_BOLD
                      : WICK_UI_RED;
}

static void put_cells(const char *cells, unsigned width, FILE *out)
{
    char now = ' ';
    fputc('|', out);
    for (unsigned i = 0; i < width; i++) {
        if (cells[i] != now) {
            fputs(wick_ui_colour(out, WICK_UI_PLAIN), out);
            if (cells[i] != ' ')
                fputs(wick_ui_colour(out, colour(cells[i])), out);
        }
        now = cells[i];
        fputc(now, out);
    }
    if (now != ' ')
        fputs(wick_ui_colour(out, WICK_UI_PLAIN), out);
    fputs("| ", out);
}

struct canvas {
    const struct wick_spantrace *t;
    unsigned width;
    char *cells;
    double *covered; /* of each cell, by what it shows */
};

static void clear(struct canvas *c)
{
    memset(c->cells, ' ', c->width);
    memset(c->covered, 0, c->width * sizeof *c->covered);
}

/* Draws from..to; the letter stays where it covers more than what is there. */
static void draw(struct canvas *c, int64_t from_ns, int64_t to_ns, char what)
{
    double whole = (double)(c->t->end_ns - c->t->start_ns);
    double scale = whole > 0 ? c->width / whole : 0;
    double from = (double)(from_ns - c->t->start_ns) * scale, to = (double)(to_ns - c->t->start_ns) * scale;
    unsigned first = from > 0 ? (unsigned)from : 0;
    if (first >= c->width)
        first = c->width - 1;
    for (unsigned i = first; i < c->width && (i < to || i == first); i++) {
        double covers = (to < i + 1 ? to : i + 1) - (from > i ? from : i);
        covers = covers > 0 ? covers : 1e-12;
        if (covers <= c->covered[i])
            continue;
        c->covered[i] = covers;
        c->cells[i] = what;
    }
}

static void put_spans(const struct wick_spans *s, struct canvas *c, FILE *out)
{
    for (size_t i = 0; i < c->t->nspans && i < SPANS_MAX; i++) {
        const struct wick_span *x = c->t->spans[i];
        unsigned depth = wick_spantrace_depth(c->t, i);
        unsigned indent = 2 * (depth < 8 ? depth : 8);
        fprintf(out, "%*s", (int)indent, "");
        put_string(s, x->operation, "[span]", NAME_WIDTH - indent, out);
        clear(c);
        draw(c, x->start_ns, x->end_ns, '=');
        put_cells(c->cells, c->width, out);
        fprintf(out, "%10.3f ms\n", ms(x->end_ns - x->start_ns));
    }
    if (c->t->nspans > SPANS_MAX)
        fprintf(out, "... and %zu more spans (--json has all)\n", c->t->nspans - SPANS_MAX);
}

/* Bars of a thread: n from *first on. */
static size_t bars_of(const struct wick_spantrace *t, uint32_t thread, size_t *first)
{
    size_t i = 0, n = 0;
    while (i < t->nbars && t->bars[i].sample->thread != thread)
        i++;
    while (i + n < t->nbars && t->bars[i + n].sample->thread == thread)
        n++;
    *first = i;
    return n;
}

/* Time that no wall-clock sample covers. */
static int64_t draw_gaps(struct canvas *c, uint32_t thread)
{
    for (size_t i = 0; i < c->t->ngaps; i++)
        if (c->t->gaps[i].thread == thread)
            draw(c, c->t->gaps[i].start_ns, c->t->gaps[i].end_ns, '.');
    return wick_spantrace_gaps(c->t, thread);
}

static void put_lane(const struct wick_spans *s, struct canvas *c, const struct wick_bar *bars, size_t n, bool cpu,
                     uint32_t thread, FILE *out)
{
    int64_t sums[3] = {0}, cpu_ns = 0, gaps;
    size_t looks = 0;
    clear(c);
    gaps = cpu ? 0 : draw_gaps(c, thread);
    for (size_t i = 0; i < n; i++) {
        const struct wick_span_sample *x = bars[i].sample;
        if (x->cpu != cpu)
            continue;
        draw(c, bars[i].start_ns, bars[i].end_ns, letter(s->p, x));
        int64_t *sum = &sums[wick_spans_work(s->p, x->state)];
        *sum = wick_sum(*sum, bars[i].end_ns - bars[i].start_ns);
        cpu_ns = wick_sum(cpu_ns, x->weight_ns);
        looks++;
    }
    if (!looks && !gaps)
        return;
    const char *name = cpu ? "  CPU samples" : "  wall clock";
    put_name(out, name, strlen(name), NAME_WIDTH);
    put_cells(c->cells, c->width, out);
    if (cpu)
        fprintf(out, "%10.3f ms on CPU\n", ms(cpu_ns));
    else
        fprintf(out, "%10.3f ms on CPU, %.3f waiting for CPU, %.3f blocked, %.3f not sampled\n",
                ms(sums[WICK_WORK_RUNNING]), ms(sums[WICK_WORK_WAITING]), ms(sums[WICK_WORK_BLOCKED]), ms(gaps));
}

/* ---- where a thread waited ---- */

/* A place to wait in, by the frames that are printed of it. */
struct wait {
    uint32_t frames[FRAMES_MAX]; /* n of them from the leaf on */
    uint16_t n, state;
    int64_t ns;
};

static bool has_name(const struct wick_profile *p, uint32_t frame)
{
    const char *name = wick_profile_str(p, p->functions[p->frames[frame].function].name);
    return *name && *name != '[';
}

/* The most informative frames: of native ones the first that have names, then those of Java. What lies between is the
 * way through the JVM, which is long and always the same. */
static void choose_frames(const struct wick_profile *p, uint32_t stack, struct wait *w)
{
    uint32_t natives = 0;
    for (; stack && w->n < FRAMES_MAX; stack = p->stacks[stack].parent) {
        uint32_t frame = p->stacks[stack].frame;
        bool java = wick_frame_kind_is_java(p->frames[frame].kind);
        if (!java && (natives == NATIVE_MAX || !has_name(p, frame)))
            continue;
        natives += !java;
        w->frames[w->n++] = frame;
    }
}

/* Whether two frames print the same: how the method was compiled makes no difference. */
static bool same_frame(const struct wick_profile *p, uint32_t a, uint32_t b)
{
    return p->frames[a].function == p->frames[b].function && p->frames[a].line == p->frames[b].line;
}

static bool same_place(const struct wick_profile *p, const struct wait *a, const struct wait *b)
{
    if (a->state != b->state || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_frame(p, a->frames[i], b->frames[i]))
            return false;
    return true;
}

static int longest_first(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return memcmp(x->frames, y->frames, sizeof x->frames);
}

static size_t sum_waits(const struct wick_profile *p, const struct wick_bar *bars, size_t n, struct wait *waits)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct wick_span_sample *x = bars[i].sample;
        struct wait w = {.state = x->state};
        size_t k = 0;
        if (x->cpu || wick_spans_work(p, x->state) != WICK_WORK_BLOCKED)
            continue;
        choose_frames(p, x->stack, &w);
        while (k < kept && !same_place(p, &waits[k], &w))
            k++;
        if (k == kept)
            waits[kept++] = w;
        waits[k].ns = wick_sum(waits[k].ns, bars[i].end_ns - bars[i].start_ns);
    }
    qsort(waits, kept, sizeof *waits, longest_first);
    return kept;
}

static void put_stack(const struct wick_profile *p, const struct wait *w, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    for (uint32_t i = 0; i < w->n; i++) {
        name.len = 0;
        wick_name_add_frame(&name, p, w->frames[i], WICK_NAME_LINES);
        fputs("        ", out);
        wick_print_name(out, name.buf, name.len);
        fputc('\n', out);
    }
    if (!w->n)
        fputs("        [no names]\n", out);
    wick_strbuf_release(&name);
}

static int put_waits(const struct wick_spans *s, const struct wick_bar *bars, size_t n, FILE *out)
{
    struct wait *waits = calloc(n + 1, sizeof *waits);
    char state[64];
    if (!waits)
        return -WICK_E_NOMEM;
    size_t kept = sum_waits(s->p, bars, n, waits);
    for (size_t i = 0; i < kept && i < STACKS_MAX; i++) {
        fprintf(out, "    %.3f ms ", ms(waits[i].ns));
        wick_spans_state(s->p, waits[i].state, state, sizeof state);
        wick_print_name(out, state, strlen(state));
        fputs(":\n", out);
        put_stack(s->p, &waits[i], out);
    }
    free(waits);
    return 0;
}

/* The kernel's accounting for the seconds in which the trace ran. */
static void put_accounts(const struct wick_spans *s, const struct wick_spantrace *t, uint32_t thread, FILE *out)
{
    int64_t cpu = 0, delay = 0, from = INT64_MAX, to = 0;
    for (size_t i = 0; i < s->ncpus; i++) {
        const struct wick_span_cpu *x = &s->cpus[i];
        if (x->thread != thread || x->end_ns <= t->start_ns || x->start_ns >= t->end_ns)
            continue;
        cpu = wick_sum(cpu, x->cpu_ns);
        delay = wick_sum(delay, x->delay_ns);
        from = x->start_ns < from ? x->start_ns : from;
        to = x->end_ns > to ? x->end_ns : to;
    }
    if (to)
        fprintf(out, "    by the kernel's accounting: %.1f ms on CPU, %.1f ms waiting for CPU in the %.1f s around\n",
                ms(cpu), ms(delay), (double)(to - from) / 1e9);
}

static int put_thread(const struct wick_spans *s, struct canvas *c, uint32_t thread, FILE *out)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    size_t first, n = bars_of(c->t, thread, &first);
    const struct wick_bar *bars = c->t->bars + first;
    wick_name_add_thread(&name, s->p, thread);
    fputc('\n', out);
    if (name.len)
        wick_print_name(out, name.buf, name.len);
    fputc('\n', out);
    wick_strbuf_release(&name);
    if (!n)
        fputs("    no samples\n", out);
    put_lane(s, c, bars, n, true, thread, out);
    put_lane(s, c, bars, n, false, thread, out);
    put_accounts(s, c->t, thread, out);
    return put_waits(s, bars, n, out);
}

int wick_trace_view_text(const struct wick_spans *s, const struct wick_spantrace *t, unsigned width, FILE *out)
{
    unsigned columns = width > NAME_WIDTH + 40 ? width - NAME_WIDTH - 16 : 24;
    struct canvas c = {t, columns, malloc(columns), calloc(columns, sizeof *c.covered)};
    int rc = c.cells && c.covered ? 0 : -WICK_E_NOMEM;
    if (!rc) {
        fputs("Trace ", out);
        put_string(s, t->id.key, "", s->p->strings[t->id.key].len, out);
        fprintf(out, ", %.3f ms from ", ms(t->end_ns - t->start_ns));
        put_time(t->start_ns, out);
        fputs(" UTC\n\n", out);
        put_spans(s, &c, out);
    }
    for (size_t i = 0; !rc && i < t->nthreads; i++)
        rc = put_thread(s, &c, t->threads[i], out);
    if (!rc)
        fputs("\n# on CPU  + waiting for CPU  m monitor  p parked  w Object.wait  s sleeping  i I/O  d disk\n"
              "a allocation stall  f safepoint  n native wait  c no carrier  o other  . not sampled\n",
              out);
    free(c.cells);
    free(c.covered);
    return rc;
}
