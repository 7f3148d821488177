/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_table.c - see lock_table.h
 *
 * Locks that nobody owned (wick_lock_waits_are_owned) are counted, and shown with --all.
 */
#include "cli/wait/lock_table.h"
#include "cli/input/inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "cli/print.h"
#include "cli/ui.h"
#include "client/client.h"
#include "model/name.h"

enum { SHARES = 4 };

struct table {
    const struct wick_lock_waits *w;
    const struct wick_lock_options *o;
    FILE *out;
    struct wick_strbuf sb, line;   /* a name; the end of a line */
    uint32_t shown, left_out;      /* locks */
    int64_t total_ns, left_out_ns; /* waited for those that have an owner; for the others */
    bool separate;                 /* the next element of a JSON array is not its first */
};

static const char *frame_name(struct table *t, uint32_t frame)
{
    wick_strbuf_clear(&t->sb);
    if (frame)
        wick_name_add_frame(&t->sb, t->w->profile, frame, WICK_NAME_LINES);
    return t->sb.buf;
}

static const char *class_name(struct table *t, const struct wick_lock_wait_row *r)
{
    const struct wick_string *s = &t->w->profile->strings[r->class_name];
    wick_strbuf_clear(&t->sb);
    if (s->len && r->native)
        wick_strbuf_add(&t->sb, s->s, s->len);
    else if (s->len)
        wick_name_add_class(&t->sb, s->s, s->len, 0);
    else
        wick_strbuf_adds(&t->sb, r->native ? "(no variable)" : r->park ? "(no object)" : "(not known)");
    return t->sb.buf;
}

static const char *kind_name(const struct table *t, const struct wick_lock_row *l)
{
    const struct wick_lock_wait_row *r = &t->w->rows[l->first];
    if (r->native)
        return r->park ? "native wait" : "native";
    return !r->park ? "monitor" : wick_lock_waits_are_owned(t->w, l) ? "lock" : "park";
}

static double percent(int64_t part, int64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

static void print_stack(struct table *t, uint32_t stack)
{
    enum { INDENT = 18 };
    const struct wick_profile *p = t->w->profile;
    for (; stack; stack = p->stacks[stack].parent) {
        frame_name(t, p->stacks[stack].frame);
        fprintf(t->out, "%*s", INDENT, "");
        wick_ui_last_column(t->out, INDENT, t->sb.buf, t->sb.len);
        fputc('\n', t->out);
    }
}

/* Ends a line of which `used` columns are taken with what t->line holds. */
static void end_line(struct table *t, unsigned used, unsigned indent)
{
    wick_ui_last_text(t->out, used, indent, t->line.buf, t->line.len);
    fputc('\n', t->out);
    wick_strbuf_clear(&t->line);
}

static void add_place(struct table *t, const struct wick_lock_share *s)
{
    if (!s->frame) {
        wick_strbuf_adds(&t->line, "(not seen where)");
        return;
    }
    wick_strbuf_adds(&t->line, "in ");
    wick_strbuf_adds(&t->line, frame_name(t, s->frame));
    if (s->own) {
        wick_strbuf_adds(&t->line, " from ");
        wick_strbuf_adds(&t->line, frame_name(t, s->own));
    }
}

static void print_shares(struct table *t, const struct wick_lock_row *l, bool owners)
{
    const struct wick_profile *p = t->w->profile;
    struct wick_lock_share *shares;
    uint32_t n = wick_lock_waits_shares(t->w, l, owners, &shares), shown = n < SHARES ? n : SHARES;
    for (uint32_t i = 0; i < shown; i++) {
        const struct wick_lock_share *s = &shares[i];
        int used =
            fprintf(t->out, "    %-8s %5.1f %%  ", owners ? "held by" : "waits", percent(s->weight_ns, l->total_ns));
        if (owners)
            wick_strbuf_addf(&t->line, "\"%s\" ", wick_profile_str(p, p->threads[s->thread].name));
        else
            wick_strbuf_addf(&t->line, "%" PRIu32 " thread%s ", s->threads, s->threads == 1 ? "" : "s");
        add_place(t, s);
        end_line(t, (unsigned)used, (unsigned)used);
        if (t->o->stacks)
            print_stack(t, s->stack);
    }
    if (shown < n)
        fprintf(t->out, "             ... %" PRIu32 " more\n", n - shown);
    free(shares);
}

static void print_lock(struct table *t, const struct wick_lock_row *l)
{
    const struct wick_lock_wait_row *r = &t->w->rows[l->first];
    int used = fprintf(t->out, "%12.1f %6.2f %9" PRIu32 " %12.1f  %s ", (double)l->total_ns / 1e6,
                       percent(l->total_ns, wick_sum(t->total_ns, t->o->all ? t->left_out_ns : 0)), l->count,
                       (double)l->longest_ns / 1e6, kind_name(t, l));
    class_name(t, r);
    if (r->identity)
        wick_strbuf_addf(&t->sb, "@%" PRIx64, (uint64_t)r->identity);
    wick_ui_last_column(t->out, (unsigned)used, t->sb.buf, t->sb.len);
    fputc('\n', t->out);
    print_shares(t, l, false);
    print_shares(t, l, true);
}

/* Calls `take` for the values of "key_1=...", "key_2=..." among the agent's lines; their number. */
static uint32_t each_now(struct table *t, const char *key, void (*take)(struct table *t, const char *v, size_t n))
{
    size_t len = strlen(key);
    uint32_t count = 0;
    for (const char *line = t->o->now; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *value = strncmp(line, key, len) ? "" : line + len + strspn(line + len, "0123456789");
        if (*value != '=')
            continue;
        take(t, value + 1, strcspn(value + 1, "\n"));
        count++;
    }
    return count;
}

static void print_now_line(struct table *t, const char *value, size_t n)
{
    fputs("    ", t->out);
    wick_strbuf_add(&t->line, value, n);
    end_line(t, 4, 8);
}

/* The number behind "key=". */
static unsigned long now_number(const struct table *t, const char *key)
{
    char value[24];
    return wick_client_value(t->o->now, key, value, sizeof value) ? strtoul(value, NULL, 10) : 0;
}

/* What no event reports, since it has not ended. */
static void print_now(struct table *t)
{
    unsigned long deadlocks = now_number(t, "deadlocks"), waits = now_number(t, "lasting_waits");
    unsigned long unknown = now_number(t, "unknown_waits");
    if (deadlocks)
        fprintf(t->out, "\nDeadlocked:\n");
    each_now(t, "deadlock_", print_now_line);
    if (waits) {
        wick_strbuf_addf(&t->line, "Waiting at the end, since before or during the recording (%lu thread%s):", waits,
                         waits == 1 ? "" : "s");
        fputc('\n', t->out);
        end_line(t, 0, 0);
    }
    uint32_t printed = each_now(t, "wait_", print_now_line);
    if (printed < waits)
        fprintf(t->out, "    ... %lu more\n", waits - printed);
    if (!unknown)
        return;
    wick_strbuf_addf(&t->line, "%lu more wait for monitors; there were too many to determine each owner", unknown);
    fputc('\n', t->out);
    end_line(t, 0, 0);
}

static void write_text(struct table *t)
{
    uint32_t printed = 0;
    wick_strbuf_addf(&t->line, "%" PRIu32 " lock%s waited for, %.1f ms in all, threads added together", t->shown,
                     t->shown == 1 ? "" : "s", (double)t->total_ns / 1e6);
    end_line(t, 0, 0);
    if (t->left_out && !t->o->all) {
        wick_strbuf_addf(&t->line, "not shown: %.1f ms parked on %" PRIu32 " object%s without an owner (--all)",
                         (double)t->left_out_ns / 1e6, t->left_out, t->left_out == 1 ? "" : "s");
        end_line(t, 0, 0);
    }
    if (t->shown || (t->o->all && t->left_out))
        fprintf(t->out, "\n%12s %6s %9s %12s  %s\n", "TOTAL ms", "%", "SAMPLES", "LONGEST ms", "LOCK");
    for (uint32_t i = 0; i < t->w->nlocks && (!t->o->rows || printed < t->o->rows); i++) {
        if (!t->o->all && !wick_lock_waits_are_owned(t->w, &t->w->locks[i]))
            continue;
        print_lock(t, &t->w->locks[i]);
        printed++;
    }
    if (t->o->now)
        print_now(t);
}

static void json_text(struct table *t, const char *key, const char *value)
{
    fprintf(t->out, ",\"%s\":", key);
    wick_ui_json_string(t->out, value);
}

static void json_shares(struct table *t, const struct wick_lock_row *l, bool owners)
{
    const struct wick_profile *p = t->w->profile;
    struct wick_lock_share *shares;
    uint32_t n = wick_lock_waits_shares(t->w, l, owners, &shares);
    fprintf(t->out, ",\"%s\":[", owners ? "owners" : "waiters");
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_lock_share *s = &shares[i];
        fprintf(t->out, "%s{\"weight_ns\":%" PRId64 ",\"samples\":%" PRIu32 ",\"threads\":%" PRIu32, i ? "," : "",
                s->weight_ns, s->waits, s->threads);
        if (owners)
            json_text(t, "thread", wick_profile_str(p, p->threads[s->thread].name));
        json_text(t, "frame", frame_name(t, s->frame));
        json_text(t, "from", frame_name(t, s->own));
        fputs(",\"stack\":[", t->out);
        for (uint32_t k = s->stack; k; k = p->stacks[k].parent) {
            fputs(k == s->stack ? "" : ",", t->out);
            wick_ui_json_string(t->out, frame_name(t, p->stacks[k].frame));
        }
        fputs("]}", t->out);
    }
    fputc(']', t->out);
    free(shares);
}

static void json_now_line(struct table *t, const char *value, size_t n)
{
    fputs(t->separate ? ",\n" : "\n", t->out);
    wick_print_json(t->out, value, n);
    t->separate = true;
}

static void json_now(struct table *t)
{
    fprintf(t->out, ",\"lasting_waits\":%lu,\"unknown_waits\":%lu,\"deadlocks\":[", now_number(t, "lasting_waits"),
            now_number(t, "unknown_waits"));
    t->separate = false;
    each_now(t, "deadlock_", json_now_line);
    fputs("],\"waiting\":[", t->out);
    t->separate = false;
    each_now(t, "wait_", json_now_line);
    fputc(']', t->out);
}

static void write_json(struct table *t)
{
    uint32_t printed = 0;
    fprintf(t->out, "{\"recorded\":%s,", t->w->recorded ? "true" : t->w->not_ours ? "null" : "false");
    fprintf(t->out, "\"unfinished\":%s,", wick_cli_is_unfinished() ? "true" : "false");
    fprintf(t->out, "\"total_ns\":%" PRId64 ",\"unowned_ns\":%" PRId64 ",\"locks\":[", t->total_ns, t->left_out_ns);
    for (uint32_t i = 0; i < t->w->nlocks && (!t->o->rows || printed < t->o->rows); i++) {
        const struct wick_lock_row *l = &t->w->locks[i];
        const struct wick_lock_wait_row *r = &t->w->rows[l->first];
        if (!t->o->all && !wick_lock_waits_are_owned(t->w, l))
            continue;
        fprintf(t->out,
                "%s\n{\"kind\":\"%s\",\"identity\":%" PRId64 ",\"total_ns\":%" PRId64 ",\"longest_ns\":%" PRId64
                ",\"samples\":%" PRIu32,
                printed++ ? "," : "", kind_name(t, l), r->identity, l->total_ns, l->longest_ns, l->count);
        json_text(t, "class", class_name(t, r));
        json_shares(t, l, false);
        json_shares(t, l, true);
        fputc('}', t->out);
    }
    fputs("\n]", t->out);
    if (t->o->now)
        json_now(t);
    fputs("}\n", t->out);
}

int wick_lock_table(const struct wick_lock_waits *w, const struct wick_lock_options *o, FILE *out, struct wick_err *err)
{
    struct table t = {.w = w, .o = o, .out = out, .sb = WICK_STRBUF_INIT, .line = WICK_STRBUF_INIT};
    for (uint32_t i = 0; i < w->nlocks; i++) {
        bool owned = wick_lock_waits_are_owned(w, &w->locks[i]);
        *(owned ? &t.shown : &t.left_out) += 1;
        int64_t *total = owned ? &t.total_ns : &t.left_out_ns;
        *total = wick_sum(*total, w->locks[i].total_ns);
    }
    (o->json ? write_json : write_text)(&t);
    bool failed = t.sb.failed || t.line.failed;
    wick_strbuf_release(&t.sb);
    wick_strbuf_release(&t.line);
    return failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory while making the table") : 0;
}
