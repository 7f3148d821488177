/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp_table.c - see ttsp_table.h
 */
#include "cli/wait/ttsp_table.h"
#include "cli/input/inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sum.h"
#include "cli/print.h"
#include "cli/ui.h"
#include "model/name.h"

/* What is to blame: one reason at one frame. */
struct blame {
    enum wick_ttsp_why why;
    uint32_t function, frame, caller, count;
    int64_t total_ns, longest_ns;
};

static const char *frame_name(struct wick_strbuf *sb, const struct wick_profile *p, uint32_t frame)
{
    wick_strbuf_clear(sb);
    if (frame)
        wick_name_add_frame(sb, p, frame, WICK_NAME_LINES);
    return sb->buf;
}

static int by_reason(const void *a, const void *b)
{
    const struct blame *x = a, *y = b;
    if (x->why != y->why)
        return x->why < y->why ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->longest_ns < y->longest_ns ? 1 : x->longest_ns > y->longest_ns ? -1 : 0;
}

/* One for each reason and function, with the frame of the longest wait. */
static uint32_t count_blames(const struct wick_ttsp_incidents *in, struct blame *rows)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->nculprits; i++) {
        const struct wick_ttsp_culprit *c = &in->culprits[i];
        rows[i] = (struct blame){.why = c->why,
                                 .function = in->profile->frames[c->frame].function,
                                 .frame = c->frame,
                                 .caller = c->caller,
                                 .count = 1,
                                 .total_ns = c->waited_ns,
                                 .longest_ns = c->waited_ns};
    }
    if (in->nculprits)
        qsort(rows, in->nculprits, sizeof *rows, by_reason);
    for (uint32_t i = 0; i < in->nculprits; i++) {
        if (n && rows[n - 1].why == rows[i].why && rows[n - 1].function == rows[i].function) {
            rows[n - 1].count++;
            rows[n - 1].total_ns = wick_sum(rows[n - 1].total_ns, rows[i].total_ns);
        } else {
            rows[n++] = rows[i];
        }
    }
    return n;
}

static int by_total(const void *a, const void *b)
{
    const struct blame *x = a, *y = b;
    return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ? -1 : 0;
}

static void print_time(FILE *out, int64_t ns)
{
    time_t s = (time_t)(ns / 1000000000);
    struct tm tm;
    char buf[32];
    gmtime_r(&s, &tm);
    strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(out, "%s.%03d", buf, (int)(ns / 1000000 % 1000));
}

/* What write_text prints: the end of a line, and a name. */
struct page {
    const struct wick_ttsp_incidents *in;
    const struct wick_ttsp_options *o;
    FILE *out;
    struct wick_strbuf *line, *sb;
};

/* Ends a line of which `used` columns are taken with what g->line holds. */
static void end_line(const struct page *g, unsigned used, unsigned indent)
{
    wick_ui_last_text(g->out, used, indent, g->line->buf, g->line->len);
    fputc('\n', g->out);
    wick_strbuf_clear(g->line);
}

/* ", at demo.Work.run:12 from demo.Main.main:3" */
static void add_place(const struct page *g, uint32_t frame, uint32_t caller)
{
    if (!frame)
        return;
    wick_strbuf_adds(g->line, ", at ");
    wick_strbuf_adds(g->line, frame_name(g->sb, g->in->profile, frame));
    if (!caller)
        return;
    wick_strbuf_adds(g->line, " from ");
    wick_strbuf_adds(g->line, frame_name(g->sb, g->in->profile, caller));
}

static void print_stack(const struct page *g, uint32_t stack)
{
    enum { INDENT = 8 };
    const struct wick_profile *p = g->in->profile;
    for (; stack; stack = p->stacks[stack].parent) {
        frame_name(g->sb, p, p->stacks[stack].frame);
        fprintf(g->out, "%*s", INDENT, "");
        wick_ui_last_column(g->out, INDENT, g->sb->buf, g->sb->len);
        fputc('\n', g->out);
    }
}

static void print_culprit(const struct page *g, const struct wick_ttsp_culprit *c)
{
    const struct wick_profile *p = g->in->profile;
    const struct wick_ttsp_signal *s = c->count ? &g->in->signals[c->first] : NULL;
    struct wick_strbuf *line = g->line;
    fputs("    ", g->out);
    wick_strbuf_addf(line, "\"%s\" (tid %" PRId64 ") after %.1f ms: %s",
                     wick_profile_str(p, p->threads[c->thread].name), p->threads[c->thread].os_tid,
                     (double)c->waited_ns / 1e6, wick_ttsp_why_text(c->why));
    if (c->why == WICK_TTSP_STARVED && s)
        wick_strbuf_addf(line, " for %.1f ms (%s, nice %" PRId64 ", processors %s)", (double)c->starved_ns / 1e6,
                         wick_profile_str(p, s->scheduler), s->nice, wick_profile_str(p, s->allowed));
    else if (c->why == WICK_TTSP_FAULT && s)
        wick_strbuf_addf(line, " (state %s, in %s, %" PRId64 " major faults)", wick_profile_str(p, s->state),
                         wick_profile_str(p, s->wchan), c->major_faults);
    add_place(g, c->frame, c->caller);
    end_line(g, 4, 8);
    if (g->o->stacks)
        print_stack(g, c->stack);
}

/* No safepoint was slow: how many there were, and how fast. */
static void write_none(const struct page *g)
{
    const struct wick_ttsp_incidents *in = g->in;
    const struct wick_profile *p = in->profile;
    double seconds = p->end_ns > p->start_ns ? ((double)p->end_ns - (double)p->start_ns) / 1e9 : 0;
    if (!in->counters)
        wick_strbuf_adds(g->line,
                         "No slow thread was found; this JVM does not count its safepoints (-XX:-UsePerfData).");
    else if (in->safepoints)
        wick_strbuf_addf(g->line,
                         "No thread was slow: each of the %" PRId64
                         " safepoints in %.1f s was reached within %.4g ms, all in %.1f ms.",
                         in->safepoints, seconds, (double)in->threshold_ns / 1e6, (double)in->sync_ns / 1e6);
    else
        wick_strbuf_addf(g->line, "No thread was slow: there was no safepoint in %.1f s.", seconds);
    end_line(g, 0, 0);
}

static void write_slow(const struct page *g, const struct wick_ttsp_slow *s)
{
    fputc('\n', g->out);
    print_time(g->out, s->time_ns);
    fputs("  ", g->out);
    wick_strbuf_addf(g->line, "%.1f ms to safepoint, %.1f ms in all; %s", (double)s->reach_ns / 1e6,
                     (double)s->duration_ns / 1e6,
                     s->critical    ? "collection held up by JNI critical sections"
                     : s->operation ? wick_profile_str(g->in->profile, s->operation)
                                    : "operation not known");
    if (s->java_threads)
        wick_strbuf_addf(g->line, "; %" PRId64 " of %" PRId64 " threads slow", s->late_threads, s->java_threads);
    else
        wick_strbuf_adds(g->line, "; over before its threads could be examined");
    end_line(g, strlen("2026-01-01 00:00:00.000  "), 8);
    for (uint32_t k = 0; k < s->count; k++)
        print_culprit(g, &g->in->culprits[s->first + k]);
}

static void write_text(const struct page *g, const struct blame *blames, uint32_t nblames)
{
    const struct wick_ttsp_incidents *in = g->in;
    uint32_t shown = g->o->rows && g->o->rows < in->nslow ? g->o->rows : in->nslow;
    int64_t total = 0;
    for (uint32_t i = 0; i < in->nslow; i++)
        total = wick_sum(total, in->slow[i].reach_ns);
    if (!in->nslow) {
        write_none(g);
        return;
    }
    wick_strbuf_addf(g->line, "%" PRIu32 " slow safepoint%s, %.1f ms waited for slow threads", in->nslow,
                     in->nslow == 1 ? "" : "s", (double)total / 1e6);
    end_line(g, 0, 0);
    if (nblames)
        fprintf(g->out, "\n%9s %12s %12s  %s\n", "SLOW", "TOTAL ms", "LONGEST ms", "WHY");
    for (uint32_t i = 0; i < nblames; i++) {
        const struct blame *b = &blames[i];
        int used = fprintf(g->out, "%9" PRIu32 " %12.1f %12.1f  ", b->count, (double)b->total_ns / 1e6,
                           (double)b->longest_ns / 1e6);
        wick_strbuf_adds(g->line, wick_ttsp_why_text(b->why));
        add_place(g, b->frame, b->caller);
        end_line(g, (unsigned)used, (unsigned)used);
    }
    for (uint32_t i = 0; i < shown; i++)
        write_slow(g, &in->slow[i]);
    if (shown < in->nslow)
        fprintf(g->out, "\n... %" PRIu32 " more\n", in->nslow - shown);
}

/* What write_json prints to. */
struct json_page {
    const struct wick_ttsp_incidents *in;
    const struct wick_ttsp_most *most;
    FILE *out;
    struct wick_strbuf *sb;
};

static uint32_t at_most(uint32_t n, uint32_t most)
{
    return most && n > most ? most : n;
}

static void json_string(const struct json_page *g, const char *s)
{
    wick_print_json(g->out, s, g->most->name ? strnlen(s, g->most->name) : strlen(s));
}

static void json_text(const struct json_page *g, const char *key, const char *value)
{
    fprintf(g->out, ",\"%s\":", key);
    json_string(g, value);
}

static void json_place(const struct json_page *g, uint32_t frame, uint32_t caller)
{
    json_text(g, "frame", frame_name(g->sb, g->in->profile, frame));
    json_text(g, "caller", frame_name(g->sb, g->in->profile, caller));
}

static void json_signal(const struct json_page *g, const struct wick_ttsp_signal *s)
{
    const struct wick_profile *p = g->in->profile;
    fprintf(g->out,
            "{\"attempt\":%" PRId64 ",\"gave_way\":%s,\"waited_ns\":%" PRId64 ",\"response_ns\":%" PRId64
            ",\"last_cpu\":%" PRId64 ",\"cpu_ns\":%" PRId64 ",\"run_delay_ns\":%" PRId64 ",\"major_faults\":%" PRId64
            ",\"nice\":%" PRId64,
            s->attempt, s->gave_way ? "true" : "false", s->waited_ns, s->response_ns, s->last_cpu, s->cpu_ns,
            s->run_delay_ns, s->major_faults, s->nice);
    json_text(g, "state", wick_profile_str(p, s->state));
    json_text(g, "wchan", wick_profile_str(p, s->wchan));
    json_text(g, "scheduler", wick_profile_str(p, s->scheduler));
    json_text(g, "allowed_cpus", wick_profile_str(p, s->allowed));
    fprintf(g->out, ",\"stack\":%s}", s->stack ? "true" : "false");
}

static void json_culprit(const struct json_page *g, const struct wick_ttsp_culprit *c)
{
    const struct wick_profile *p = g->in->profile;
    uint32_t frames = 0, signals = at_most(c->count, g->most->signals);
    fputs("{\"thread\":", g->out);
    json_string(g, wick_profile_str(p, p->threads[c->thread].name));
    fprintf(g->out, ",\"tid\":%" PRId64 ",\"waited_ns\":%" PRId64 ",\"why\":\"%s\",\"starved_ns\":%" PRId64,
            p->threads[c->thread].os_tid, c->waited_ns, wick_ttsp_why_name(c->why), c->starved_ns);
    json_place(g, c->frame, c->caller);
    fputs(",\"stack\":[", g->out);
    for (uint32_t s = c->stack; s && at_most(frames + 1, g->most->frames) > frames; s = p->stacks[s].parent) {
        fputs(frames++ ? "," : "", g->out);
        json_string(g, frame_name(g->sb, p, p->stacks[s].frame));
    }
    fputs("],\"signals\":[", g->out);
    for (uint32_t k = 0; k < signals; k++) {
        fputs(k ? "," : "", g->out);
        json_signal(g, &g->in->signals[c->first + k]);
    }
    fputs("]}", g->out);
}

static void json_slow(const struct json_page *g, const struct wick_ttsp_slow *s)
{
    const struct wick_profile *p = g->in->profile;
    uint32_t threads = at_most(s->count, g->most->threads);
    fprintf(g->out,
            "\n{\"time_ns\":%" PRId64 ",\"safepoint\":%" PRId64 ",\"reach_ns\":%" PRId64 ",\"duration_ns\":%" PRId64
            ",\"java_threads\":%" PRId64 ",\"late_threads\":%" PRId64,
            s->time_ns, s->safepoint, s->reach_ns, s->duration_ns, s->java_threads, s->late_threads);
    json_text(g, "kind", s->critical ? "jni critical" : "safepoint");
    json_text(g, "operation", wick_profile_str(p, s->operation));
    json_text(g, "source", wick_profile_str(p, s->source));
    fputs(",\"threads\":[", g->out);
    for (uint32_t k = 0; k < threads; k++) {
        fputs(k ? "," : "", g->out);
        json_culprit(g, &g->in->culprits[s->first + k]);
    }
    fputs("]}", g->out);
}

static void write_json(const struct json_page *g, const struct blame *blames, uint32_t nblames, uint32_t rows)
{
    const struct wick_ttsp_incidents *in = g->in;
    fprintf(g->out, "{\"recorded\":%s,", in->nslow || in->threshold_ns ? "true" : "false");
    fprintf(g->out, "\"unfinished\":%s,", wick_cli_is_unfinished() ? "true" : "false");
    fprintf(g->out,
            "\"incidents\":%" PRIu32 ",\"threshold_ns\":%" PRId64 ",\"safepoints\":%" PRId64 ",\"sync_ns\":%" PRId64
            ",\"blame\":[",
            in->nslow, in->threshold_ns, in->safepoints, in->sync_ns);
    for (uint32_t i = 0; i < at_most(nblames, g->most->blames); i++) {
        const struct blame *b = &blames[i];
        fprintf(g->out, "%s\n{\"why\":\"%s\",\"late\":%" PRIu32 ",\"total_ns\":%" PRId64 ",\"longest_ns\":%" PRId64,
                i ? "," : "", wick_ttsp_why_name(b->why), b->count, b->total_ns, b->longest_ns);
        json_place(g, b->frame, b->caller);
        fputc('}', g->out);
    }
    fputs("],\n\"worst\":[", g->out);
    for (uint32_t i = 0; i < at_most(in->nslow, rows); i++) {
        fputs(i ? "," : "", g->out);
        json_slow(g, &in->slow[i]);
    }
    fputs("\n]}\n", g->out);
}

int wick_ttsp_table_write(const struct wick_ttsp_incidents *in, const struct wick_ttsp_options *o, FILE *out,
                          struct wick_err *err)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT, line = WICK_STRBUF_INIT;
    struct blame *blames = calloc((size_t)in->nculprits + 1, sizeof *blames);
    if (!blames)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table");
    uint32_t n = count_blames(in, blames);
    if (n)
        qsort(blames, n, sizeof *blames, by_total);
    if (o->json)
        write_json(&(struct json_page){in, &o->most, out, &sb}, blames, n, o->rows);
    else
        write_text(&(struct page){in, o, out, &line, &sb}, blames, n);
    bool failed = sb.failed || line.failed;
    free(blames);
    wick_strbuf_release(&sb);
    wick_strbuf_release(&line);
    return failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table") : 0;
}
