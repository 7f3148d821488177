/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as sentences and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain_head.h"
#include "cli/explain/explain_text.h"
#include "cli/input/inputs.h"
#include "cli/print.h"
#include "cli/ui.h"

#define WIDTH 100
#define EQUAL 0.85 /* of a share: what has that much is not behind */

enum { ACCOUNTS = 100 }; /* threads of which JSON says how their time went */

static void add_time(struct wick_strbuf *out, double ns)
{
    if (ns >= 1e9)
        wick_strbuf_addf(out, "%.1f s", ns / 1e9);
    else
        wick_strbuf_addf(out, "%.*f ms", ns < 1e7 ? 1 : 0, ns / 1e6);
}

/* "71 %", or "71 % (68 to 74 %)" where the interval is wider than the digits shown. */
static void add_share(struct wick_strbuf *out, const struct wick_explain_figure *g)
{
    int digits = g->value < 0.0995 ? 1 : 0;
    char value[16], low[16], high[16];
    snprintf(value, sizeof value, "%.*f", digits, 100 * g->value);
    snprintf(low, sizeof low, "%.*f", digits, 100 * g->low);
    snprintf(high, sizeof high, "%.*f", digits, 100 * g->high);
    wick_strbuf_addf(out, "%s %%", value);
    if (g->high > 0 && (strcmp(low, value) != 0 || strcmp(high, value) != 0))
        wick_strbuf_addf(out, " (%s to %s %%)", low, high);
}

static void add_figure(struct wick_strbuf *out, const struct wick_explain_figure *g)
{
    char bytes[32];
    switch (g->unit) {
    case WICK_EXPLAIN_TEXT:
        wick_strbuf_adds(out, g->text);
        break;
    case WICK_EXPLAIN_TIME:
        add_time(out, g->value);
        break;
    case WICK_EXPLAIN_SHARE:
        add_share(out, g);
        break;
    case WICK_EXPLAIN_BYTES:
        wick_strbuf_adds(out, wick_ui_binary((uint64_t)g->value, bytes, sizeof bytes));
        break;
    case WICK_EXPLAIN_NUMBER:
        wick_strbuf_addf(out, "%.*f", g->value < 100 && g->value != (double)(int)g->value ? 1 : 0, g->value);
        break;
    }
}

/* The figure whose name the first len bytes of a text are. */
static const struct wick_explain_figure *named(const struct wick_explain_finding *f, const char *text, size_t len)
{
    char key[32];
    if (len >= sizeof key)
        return NULL;
    memcpy(key, text, len);
    key[len] = 0;
    return wick_explain_figure_of(f, key);
}

/* Whether the optional part that begins at s has all its figures. */
static bool complete(const struct wick_explain_finding *f, const char *s)
{
    for (; *s && *s != ']'; s++)
        if (*s == '{' && !named(f, s + 1, strcspn(s + 1, "?}")))
            return false;
    return true;
}

/* One of the texts of "one|many", len long, by what the figure is when shown. */
static void add_choice(struct wick_strbuf *out, const struct wick_explain_figure *g, const char *texts, size_t len)
{
    struct wick_strbuf shown = WICK_STRBUF_INIT;
    const char *bar = memchr(texts, '|', len), *end = texts + len;
    add_figure(&shown, g);
    if (bar && !strcmp(shown.buf, "1"))
        wick_strbuf_add(out, texts, (size_t)(bar - texts));
    else if (bar)
        wick_strbuf_add(out, bar + 1, (size_t)(end - bar - 1));
    wick_strbuf_release(&shown);
}

/* Appends a text of def/explain.def with the finding's figures in it. */
static void add_filled(struct wick_strbuf *out, const struct wick_explain_finding *f, const char *text)
{
    for (const char *s = text; *s; s++) {
        if (*s == '[' && !complete(f, s)) {
            s += strcspn(s, "]");
        } else if (*s == '{') {
            size_t len = strcspn(s + 1, "}"), key = strcspn(s + 1, "?}");
            const struct wick_explain_figure *g = named(f, s + 1, key);
            if (g && key < len)
                add_choice(out, g, s + key + 2, len - key - 1);
            else if (g)
                add_figure(out, g);
            else
                wick_strbuf_addc(out, '?');
            s += len + 1;
        } else if (*s != '[' && *s != ']') {
            wick_strbuf_addc(out, *s);
        }
    }
}

void wick_explain_text_sentence(struct wick_strbuf *out, const struct wick_explain_finding *f)
{
    add_filled(out, f, f->rule->sentence);
    if (f->rule->basis == WICK_EXPLAIN_BY_ESTIMATE)
        wick_strbuf_adds(out, " (an estimate)");
}

/* The groups in the order of their findings; their number. */
static size_t groups_of(const struct wick_explain_findings *all, enum wick_explain_group *out)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (!n || out[n - 1] != all->rows[i].rule->group)
            out[n++] = all->rows[i].rule->group;
    return n;
}

static const struct wick_explain_finding *first_of(const struct wick_explain_findings *all,
                                                   enum wick_explain_group group)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->rows[i].rule->group == group)
            return &all->rows[i];
    return NULL;
}

static void add_percent(struct wick_strbuf *out, double share)
{
    if (share < 0.01)
        wick_strbuf_adds(out, "less than 1 %");
    else
        wick_strbuf_addf(out, "%.0f %%", 100 * share);
}

/* Of the time in which threads have work: what the sentence says, if that is of the same, else by the cost. */
static double share_of_work(const struct wick_explain_findings *all, const struct wick_explain_finding *r)
{
    static const char said[] = "{share} of the time that threads have work";
    const struct wick_explain_figure *share = wick_explain_figure_of(r, "share");
    double whole = wick_explain_whole(&all->parts), part = whole > 0 ? r->cost_ns / whole : 0;
    if (share && strstr(r->rule->sentence, said))
        return share->value;
    return part < 1 ? part : 1;
}

/* Whether all findings but cautions only say where time goes. */
static bool shows_no_fault(const struct wick_explain_findings *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->rows[i].rule->group != WICK_EXPLAIN_OF_PROFILE && !all->rows[i].neutral)
            return false;
    return true;
}

/* Whether the group's costliest finding costs nearly as much as the first one. */
static bool is_equal(const struct wick_explain_findings *all, const struct wick_explain_finding *first,
                     enum wick_explain_group group)
{
    const struct wick_explain_finding *other = wick_explain_costliest(all, group);
    return other && !first->rule->risk && group != WICK_EXPLAIN_OF_PROFILE &&
           share_of_work(all, other) >= EQUAL * share_of_work(all, first);
}

/* Whether the first finding is a fault, and a later group has one that only says where more of the time goes. */
static bool is_fault_before_more(const struct wick_explain_findings *all, const struct wick_explain_finding *first,
                                 const enum wick_explain_group *groups, size_t n)
{
    bool more = false;
    for (size_t i = 1; i < n && !first->rule->risk && !first->neutral; i++) {
        const struct wick_explain_finding *other = wick_explain_costliest(all, groups[i]);
        more |= other && other->neutral && EQUAL * share_of_work(all, other) > share_of_work(all, first);
    }
    return more;
}

/* Whether the last step of a chain is what the finding is about: the same wait, or work, at the same place. */
static bool ends_at(const struct wick_explain_step *last, const struct wick_explain_finding *r)
{
    const struct wick_explain_figure *frame = wick_explain_figure_of(r, "frame"),
                                     *kind = wick_explain_figure_of(r, "kind");
    bool hot = !strncmp(r->rule->name, "hot-", strlen("hot-"));
    bool same = hot ? !strcmp(last->kind, "cpu") : kind && !strcmp(last->kind, kind->text);
    return same && frame && !strcmp(last->frame, frame->text);
}

static bool leads_to(const struct wick_explain_finding *r, const struct wick_explain_finding *other)
{
    return r->nsteps && r->rule->group == other->rule->group && ends_at(&r->steps[r->nsteps - 1], other);
}

/* Whether the chain of blame of a finding ends where another one of its group is, and not the other way round as well.
 */
static bool is_cause_of(const struct wick_explain_finding *cause, const struct wick_explain_finding *r)
{
    return r != cause && leads_to(r, cause) && !leads_to(cause, r);
}

/* The number of the finding that this one is the cause of; 0 = of none. */
static size_t effect_of(const struct wick_explain_findings *all, const struct wick_explain_finding *cause)
{
    for (size_t i = 0; i < all->n; i++)
        if (is_cause_of(cause, &all->rows[i]))
            return i + 1;
    return 0;
}

/* The number of the finding that is the cause of this one; 0 = none is. */
static size_t cause_of(const struct wick_explain_findings *all, const struct wick_explain_finding *r)
{
    for (size_t i = 0; i < all->n; i++)
        if (is_cause_of(&all->rows[i], r))
            return i + 1;
    return 0;
}

/* Whether it is about memory that is full and does no harm yet: no time goes there. */
static bool is_limit(const struct wick_explain_finding *r)
{
    return r->rule == &wick_explain_rules[WICK_EXPLAIN_RULE_DIRECT_MEMORY];
}

void wick_explain_text_headline(struct wick_strbuf *out, const struct wick_explain_findings *all)
{
    enum wick_explain_group groups[WICK_EXPLAIN_GROUPS];
    size_t n = groups_of(all, groups);
    if (!n || groups[0] == WICK_EXPLAIN_OF_PROFILE)
        return;
    const struct wick_explain_finding *first = first_of(all, groups[0]);
    const char *title = wick_explain_group_title(groups[0]);
    bool neutral = shows_no_fault(all), equal = n > 1 && is_equal(all, first, groups[1]);
    const char *how = n < 2 ? "It is " : equal ? "In about equal parts " : "Mostly ";
    if (is_fault_before_more(all, first, groups, n))
        how = "A fault shows in ";
    if (neutral)
        wick_strbuf_adds(out, is_limit(first) ? "To watch: " : "Time goes to ");
    else
        wick_strbuf_addf(out, "%sthe %s: ", how, title + strlen("The "));
    add_filled(out, first, first->rule->topic);
    if (!first->rule->risk) {
        wick_strbuf_adds(out, ", ");
        add_percent(out, share_of_work(all, first));
        wick_strbuf_adds(out, " of the time in which threads have work");
    }
    size_t cause = cause_of(all, first);
    if (cause) {
        wick_strbuf_adds(out, ", which comes down to ");
        add_filled(out, &all->rows[cause - 1], all->rows[cause - 1].rule->topic);
        wick_strbuf_addf(out, " (finding %zu)", cause);
    }
    for (size_t i = 1; i < n; i++) {
        first = wick_explain_costliest(all, groups[i]);
        if (groups[i] == WICK_EXPLAIN_OF_PROFILE || !first)
            continue;
        wick_strbuf_addf(out, "; the %s: ", wick_explain_group_title(groups[i]) + strlen("The "));
        add_filled(out, first, first->rule->topic);
        wick_strbuf_adds(out, ", ");
        add_percent(out, share_of_work(all, first));
    }
    wick_strbuf_adds(out, neutral ? "; no fault of the program shows." : ".");
}

/* Appends a text with the JVM's number in place of "PID", if there is one. */
static void add_about(struct wick_strbuf *out, const char *text, int pid)
{
    for (const char *at; pid && (at = strstr(text, "PID")); text = at + strlen("PID")) {
        wick_strbuf_add(out, text, (size_t)(at - text));
        wick_strbuf_addf(out, "%d", pid);
    }
    wick_strbuf_adds(out, text);
}

static void add_advice(struct wick_strbuf *out, const struct wick_explain_finding *f, int pid)
{
    if (f->neutral)
        wick_strbuf_adds(out, "if it should be less: ");
    add_about(out, f->advice ? f->advice : f->rule->advice, pid);
}

/* What a recording of this kind cannot show; NULL where nothing is missing. */
static const char *missing(const struct wick_explain_facts *f, unsigned i)
{
    switch (i) {
    case 0:
        return f->nwall || f->has_wall ? NULL : "waiting: record with -e cpu,wall";
    case 1:
        return f->ncpu || f->has_cpu ? NULL : "what uses the CPU: record with -e cpu";
    default:
        return f->got_ns || f->rivals || f->has_thread_cpu ? NULL
                                                           : "waiting for a CPU: wick.ThreadCpu comes with -e wall";
    }
}
#define MISSING 3

/* Wraps a text in which names are as recorded. */
static void write_wrapped(const struct wick_strbuf *from, int at, int indent, FILE *out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    if (memory) {
        wick_print_name(memory, from->buf, from->len);
        fclose(memory);
    }
    wick_ui_wrap(out, text ? text : "", at, indent, WIDTH);
    free(text);
}

/* In quotes for a shell, unless it needs none. */
static void add_word(struct wick_strbuf *out, const char *word)
{
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@%+") == strlen(word)) {
        wick_strbuf_adds(out, word);
        return;
    }
    wick_strbuf_addc(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            wick_strbuf_adds(out, "'\\''");
        else
            wick_strbuf_addc(out, *word);
    wick_strbuf_addc(out, '\'');
}

static void add_range(struct wick_strbuf *out, const char *option, int64_t time_ns)
{
    if (time_ns > 0)
        wick_strbuf_addf(out, " --%s @%" PRId64 ".%09" PRId64, option, time_ns / 1000000000, time_ns % 1000000000);
}

/* Appends the command, for a shell, that draws the stacks of the range on which the finding rests; nothing if none
 * does. */
static void add_command(struct wick_strbuf *out, const struct wick_explain_findings *all,
                        const struct wick_explain_finding *r, const struct wick_explain_facts *f,
                        const struct wick_explain_input *in)
{
    unsigned nth = 1; /* of its rule: each has a file of its own */
    if (!*r->rule->view || !in->n)
        return;
    wick_strbuf_addf(out, "wick flame -e %s", r->rule->view);
    add_range(out, "from", f->range.from_ns);
    add_range(out, "to", f->range.to_ns);
    for (unsigned i = 0; i < r->nfilters; i++) {
        wick_strbuf_addf(out, " --%s ", r->filters[i].option);
        add_word(out, r->filters[i].value);
    }
    for (const struct wick_explain_finding *o = all->rows; o != r; o++)
        nth += o->rule == r->rule;
    wick_strbuf_addf(out, " -o %s", r->rule->name);
    if (nth > 1)
        wick_strbuf_addf(out, "-%u", nth);
    wick_strbuf_adds(out, ".html");
    for (int i = 0; i < in->n; i++) {
        wick_strbuf_addc(out, ' ');
        add_word(out, in->paths[i]);
    }
}

static void write_finding(const struct wick_explain_findings *all, size_t i, const struct wick_explain_facts *f,
                          const struct wick_explain_input *in, FILE *out)
{
    const struct wick_explain_finding *r = &all->rows[i];
    struct wick_strbuf text = WICK_STRBUF_INIT;
    size_t effect = effect_of(all, r), cause = cause_of(all, r);
    wick_explain_text_sentence(&text, r);
    if (effect)
        wick_strbuf_addf(&text, "; this is the cause of finding %zu", effect);
    int at = fprintf(out, "%zu. ", i + 1);
    write_wrapped(&text, at, 3, out);
    fprintf(out, "   -> ");
    wick_strbuf_clear(&text);
    if (cause)
        wick_strbuf_addf(&text, "first finding %zu, which is its cause; then: ", cause);
    add_advice(&text, r, in->pid);
    wick_ui_wrap(out, text.buf, 6, 6, WIDTH);
    wick_strbuf_clear(&text);
    if (r->nfilters)
        add_command(&text, all, r, f, in);
    if (text.len) {
        fprintf(out, "      ");
        wick_print_name(out, text.buf, text.len); /* not wrapped: it is to be copied */
        fputc('\n', out);
    }
    wick_strbuf_release(&text);
}

/* How long to record, in s, so that all open questions are decided; 0 = there are none. */
static int64_t seconds_to_record(const struct wick_explain_findings *all)
{
    int64_t most = 0;
    for (size_t i = all->n; i < all->n + all->undecided; i++)
        most = all->rows[i].record_ns > most ? all->rows[i].record_ns : most;
    return (most + 999999999) / 1000000000;
}

static void write_undecided(const struct wick_explain_findings *all, int pid, FILE *out)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    for (size_t i = all->n; i < all->n + all->undecided; i++) {
        wick_strbuf_clear(&text);
        wick_strbuf_adds(&text, "Not decided, there are too few samples: ");
        wick_explain_text_sentence(&text, &all->rows[i]);
        write_wrapped(&text, 0, 3, out);
    }
    wick_strbuf_clear(&text);
    add_about(&text, "PID", pid);
    if (all->undecided)
        fprintf(out, "   -> wick record " WICK_EXPLAIN_RECORD " -d %" PRId64 " -f explain.jfr %s\n",
                seconds_to_record(all), text.buf);
    wick_strbuf_release(&text);
}

/* Of a process that does nothing it is not known whether that is well. */
static void write_nothing(const struct wick_explain_findings *all, const struct wick_explain_facts *f, int pid,
                          FILE *out)
{
    if (!all->idle) {
        fprintf(out, "Nothing stands out in %.1f s.\n", (double)f->duration_ns / 1e9);
        return;
    }
    struct wick_strbuf text = WICK_STRBUF_INIT;
    add_about(&text, "wick stack PID shows what its threads wait for", pid);
    fprintf(out,
            "The process did next to nothing in %.1f s (%.3f CPUs): it had no work, or it stopped working.\n"
            "   -> %s\n",
            (double)f->duration_ns / 1e9, all->busy, text.buf);
    wick_strbuf_release(&text);
}

static void write_text(const struct wick_explain_findings *all, const struct wick_explain_facts *f,
                       const struct wick_explain_input *in, FILE *out)
{
    struct wick_strbuf line = WICK_STRBUF_INIT;
    wick_explain_head(&line, f);
    write_wrapped(&line, 0, 0, out);
    wick_strbuf_clear(&line);
    wick_explain_text_headline(&line, all);
    if (line.len)
        write_wrapped(&line, 0, 0, out);
    wick_strbuf_release(&line);
    for (size_t i = 0; i < all->n; i++) {
        const struct wick_explain_finding *r = &all->rows[i];
        if (!i || all->rows[i - 1].rule->group != r->rule->group)
            fprintf(out, "%s%s\n", i || all->rows[0].rule->group != WICK_EXPLAIN_OF_PROFILE ? "\n" : "",
                    wick_explain_group_title(r->rule->group));
        write_finding(all, i, f, in, out);
    }
    if (all->n)
        fputc('\n', out);
    write_undecided(all, in->pid, out);
    if (!all->n)
        write_nothing(all, f, in->pid, out);
    for (unsigned i = 0; i < MISSING; i++)
        if (missing(f, i))
            fprintf(out, "Not recorded: %s\n", missing(f, i));
    if (f->own_ns)
        fprintf(out, "wick's own work, %.1f ms of CPU time in %.1f s, is left out\n", (double)f->own_ns / 1e6,
                (double)f->duration_ns / 1e9);
}

static void write_figures(const struct wick_explain_finding *r, FILE *out)
{
    static const char *const suffix[] = {"", "_ns", "", "_bytes", ""};
    for (unsigned i = 0; i < r->n; i++) {
        const struct wick_explain_figure *g = &r->figures[i];
        fprintf(out, "%s\"%s%s\":", i ? "," : "", g->key, suffix[g->unit]);
        if (g->unit == WICK_EXPLAIN_TEXT)
            wick_print_json(out, g->text, strlen(g->text));
        else
            fprintf(out, g->unit == WICK_EXPLAIN_TIME || g->unit == WICK_EXPLAIN_BYTES ? "%.0f" : "%.6g", g->value);
        if (g->high > 0)
            fprintf(out, ",\"%s_low\":%.6g,\"%s_high\":%.6g", g->key, g->low, g->key, g->high);
    }
}

/* "evidence":{...}: the range, the event and the options with which a view shows what the finding rests on. */
static void write_evidence(const struct wick_explain_findings *all, const struct wick_explain_finding *r,
                           const struct wick_explain_facts *f, const struct wick_explain_input *in, FILE *out)
{
    struct wick_strbuf command = WICK_STRBUF_INIT;
    fprintf(out, ",\"evidence\":{\"from_ns\":%" PRId64 ",\"to_ns\":%" PRId64 ",\"events\":", f->p->start_ns,
            f->p->end_ns);
    wick_print_json(out, r->rule->evidence, strlen(r->rule->evidence));
    fputs(",\"view\":", out);
    wick_print_json(out, r->rule->view, strlen(r->rule->view));
    fputs(",\"filters\":[", out);
    for (unsigned i = 0; i < r->nfilters; i++) {
        fprintf(out, "%s{\"option\":\"%s\",\"value\":", i ? "," : "", r->filters[i].option);
        wick_print_json(out, r->filters[i].value, strlen(r->filters[i].value));
        fputc('}', out);
    }
    fputc(']', out);
    if (r->when_to_ns)
        fprintf(out, ",\"when\":{\"from_ns\":%" PRId64 ",\"to_ns\":%" PRId64 ",\"share\":%.3g}", r->when_from_ns,
                r->when_to_ns, r->when_share);
    add_command(&command, all, r, f, in);
    if (command.len) {
        fputs(",\"command\":", out);
        wick_print_json(out, command.buf, command.len);
    }
    fputc('}', out);
    wick_strbuf_release(&command);
}

/* "headline":..., "groups":[...], "time":{...}, the latter adding up to whole_ns. */
static void write_overview(const struct wick_explain_findings *all, FILE *out)
{
    enum wick_explain_group groups[WICK_EXPLAIN_GROUPS];
    size_t n = groups_of(all, groups);
    struct wick_strbuf headline = WICK_STRBUF_INIT;
    const struct wick_explain_parts *t = &all->parts;
    wick_explain_text_headline(&headline, all);
    fputs(",\"headline\":", out);
    wick_print_json(out, headline.len ? headline.buf : "", headline.len);
    fputs(",\"groups\":[", out);
    for (size_t i = 0; i < n; i++) {
        double share = wick_explain_stake(all, groups[i]);
        fprintf(out, "%s{\"group\":\"%s\"", i ? "," : "", wick_explain_group_name(groups[i]));
        if (share >= 0)
            fprintf(out, ",\"share\":%.6g", share);
        fputc('}', out);
    }
    fprintf(out,
            "],\"time\":{\"whole_ns\":%.0f,\"computing_ns\":%.0f,\"collector_ns\":%.0f,\"starved_ns\":%.0f,"
            "\"waiting_ns\":%.0f,\"stalled_ns\":%.0f,\"stopped_ns\":%.0f}",
            wick_explain_whole(t), t->computed_ns, t->collector_ns, t->starved_ns, t->waited_ns, t->stalled_ns,
            t->stopped_ns);
    wick_strbuf_release(&headline);
}

/* "accounts":[...]: how the time of endpoints and threads went. */
static void write_accounts(const struct wick_explain_findings *all, const struct wick_explain_facts *f, FILE *out)
{
    unsigned threads = 0;
    fputs(",\"accounts\":[", out);
    for (size_t i = 0; i < all->naccounts && threads < ACCOUNTS; i++) {
        const struct wick_explain_account *a = &all->accounts[i];
        uint32_t string = a->endpoint ? a->endpoint : f->p->threads[a->thread].name;
        const char *name = wick_profile_str(f->p, string);
        threads += !a->endpoint;
        fprintf(out, "%s\n{\"%s\":", i ? "," : "", a->endpoint ? "endpoint" : "thread");
        wick_print_json(out, name, strlen(name));
        fprintf(out, ",\"wall_ns\":%.0f,\"parts\":{", a->wall_ns);
        for (unsigned k = 0, n = 0; k < WICK_EXPLAIN_ACCOUNT_PARTS; k++)
            if (a->part_ns[k] > 0)
                fprintf(out, "%s\"%s_ns\":%.0f", n++ ? "," : "", wick_explain_part_name(k), a->part_ns[k]);
        fputs("}}", out);
    }
    fputs("\n]", out);
}

static void write_json_finding(const struct wick_explain_findings *all, const struct wick_explain_finding *r,
                               const struct wick_explain_facts *f, const struct wick_explain_input *in, FILE *out)
{
    struct wick_strbuf sentence = WICK_STRBUF_INIT;
    wick_explain_text_sentence(&sentence, r);
    fprintf(out, "{\"rule\":\"%s\",\"group\":\"%s\",\"basis\":\"%s\"", r->rule->name,
            wick_explain_group_name(r->rule->group), wick_explain_basis_name(r->rule->basis));
    if (r->endpoint) {
        fputs(",\"endpoint\":", out);
        wick_print_json(out, wick_profile_str(f->p, r->endpoint), strlen(wick_profile_str(f->p, r->endpoint)));
    }
    if (r->neutral)
        fputs(",\"neutral\":true", out);
    if (r->record_ns)
        fprintf(out, ",\"record_ns\":%" PRId64, r->record_ns);
    fprintf(out, ",\"cost_ns\":%.0f,\"sentence\":", r->cost_ns);
    wick_print_json(out, sentence.buf, sentence.len);
    fputs(",\"advice\":", out);
    wick_strbuf_clear(&sentence);
    add_advice(&sentence, r, in->pid);
    wick_print_json(out, sentence.buf, sentence.len);
    fputs(",\"figures\":{", out);
    write_figures(r, out);
    fputc('}', out);
    for (unsigned i = 0; i < r->nsteps; i++) {
        fprintf(out, "%s{\"kind\":\"%s\",\"share\":%.6g,\"frame\":", i ? "," : ",\"chain\":[", r->steps[i].kind,
                r->steps[i].share);
        wick_print_json(out, r->steps[i].frame, strlen(r->steps[i].frame));
        fputc('}', out);
    }
    fputs(r->nsteps ? "]" : "", out);
    write_evidence(all, r, f, in, out);
    fputc('}', out);
    wick_strbuf_release(&sentence);
}

static void write_json(const struct wick_explain_findings *all, const struct wick_explain_facts *f,
                       const struct wick_explain_input *in, FILE *out)
{
    fprintf(out, "{\"duration_ns\":%" PRId64 ",\"own_ns\":%" PRId64 ",\"unfinished\":%s", f->duration_ns, f->own_ns,
            wick_cli_is_unfinished() ? "true" : "false");
    fprintf(out, ",\"idle\":%s", all->idle ? "true" : "false");
    write_overview(all, out);
    write_accounts(all, f, out);
    fputs(",\"findings\":[", out);
    for (size_t i = 0; i < all->n; i++) {
        fputs(i ? ",\n" : "\n", out);
        write_json_finding(all, &all->rows[i], f, in, out);
    }
    fputs("\n],\"undecided\":[", out);
    for (size_t i = all->n; i < all->n + all->undecided; i++) {
        fputs(i > all->n ? ",\n" : "\n", out);
        write_json_finding(all, &all->rows[i], f, in, out);
    }
    fputs("\n],\"not_recorded\":[", out);
    for (unsigned i = 0, n = 0; i < MISSING; i++) {
        if (!missing(f, i))
            continue;
        fputs(n++ ? "," : "", out);
        wick_print_json(out, missing(f, i), strlen(missing(f, i)));
    }
    fputs("]}\n", out);
}

void wick_explain_text_write(const struct wick_explain_findings *all, const struct wick_explain_facts *f,
                             const struct wick_explain_input *in, bool json, FILE *out)
{
    (json ? write_json : write_text)(all, f, in, out);
}
