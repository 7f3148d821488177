/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_locks.c - the answer of `wick ui` about who blocks whom
 */
#include "cli/ui/ui_followed.h"
#include "cli/ui/ui_views.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/wait/lock_graph.h"
#include "base/sum.h"
#include "codec/json.h"
#include "model/name.h"

static void put_number(struct wick_json *j, const char *key, int64_t v)
{
    wick_json_key(j, key);
    wick_json_int(j, v);
}

/* A name, of which more would not be read: it stands in each flow, and a recording may have any. */
static void put_text(struct wick_json *j, const char *s, size_t n)
{
    enum { NAME_BYTES = 1000 };
    wick_json_str(j, s, n < NAME_BYTES ? n : NAME_BYTES);
}

static void put_name(struct wick_json *j, const char *key, const struct wick_string *s)
{
    wick_json_key(j, key);
    put_text(j, s->s, s->len);
}

static void put_class(struct wick_json *j, const struct wick_profile *p, const struct wick_lock_flow *f,
                      struct wick_strbuf *text)
{
    const struct wick_string *s = &p->strings[f->class_name];
    wick_strbuf_clear(text);
    if (s->len && f->native)
        wick_strbuf_add(text, s->s, s->len);
    else if (s->len)
        wick_name_add_class(text, s->s, s->len, 0);
    else
        wick_strbuf_adds(text, f->native ? "(no variable)" : f->park ? "(no object)" : "(not known)");
    wick_json_key(j, "class");
    put_text(j, text->buf, text->len);
    wick_json_key(j, "kind");
    wick_json_cstr(j, f->native ? (f->park ? "native wait" : "native") : f->park ? "lock" : "monitor");
}

/* Frames from the leaf on. */
static void put_stack(struct wick_json *j, const char *key, const struct wick_profile *p, uint32_t stack,
                      struct wick_strbuf *text)
{
    enum { FRAMES = 60 };
    unsigned n = 0;
    wick_json_key(j, key);
    wick_json_open(j, '[');
    for (; stack && n < FRAMES; stack = p->stacks[stack].parent, n++) {
        wick_strbuf_clear(text);
        wick_name_add_frame(text, p, p->stacks[stack].frame, WICK_NAME_LINES);
        put_text(j, text->buf, text->len);
    }
    wick_json_close(j, ']');
}

static void put_flow(struct wick_json *j, const struct wick_profile *p, const struct wick_lock_flow *f,
                     struct wick_strbuf *text)
{
    wick_json_open(j, '{');
    put_name(j, "waiter", &p->strings[f->waiter]);
    put_class(j, p, f, text);
    if (f->owner_known) {
        put_name(j, "owner", &p->strings[f->owner]);
    } else {
        wick_json_key(j, "owner");
        wick_json_raw(j, "null");
    }
    put_number(j, "weight_ns", f->weight_ns);
    put_number(j, "longest_ns", f->longest_ns);
    put_number(j, "waits", (int64_t)f->waits);
    put_stack(j, "waiter_stack", p, f->waiter_stack, text);
    put_stack(j, "owner_stack", p, f->owner_stack, text);
    wick_json_close(j, '}');
}

static int put_graph(const struct wick_lock_waits *w, size_t rows, FILE *out)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_json j = {.out = out};
    struct wick_lock_flow *flows;
    int64_t total_ns = 0;
    size_t n;
    if (wick_lock_graph(w, &flows, &n))
        return -WICK_E_NOMEM;
    for (size_t i = 0; i < n; i++)
        total_ns = wick_sum(total_ns, flows[i].weight_ns);
    wick_json_open(&j, '{');
    wick_json_key(&j, "recorded");
    wick_json_raw(&j, w->recorded || n ? "true" : w->not_ours ? "null" : "false");
    put_number(&j, "total_ns", total_ns);
    put_number(&j, "total", (int64_t)n);
    wick_json_key(&j, "flows");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < n && i < rows; i++)
        put_flow(&j, w->profile, &flows[i], &text);
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
    int rc = text.failed ? -WICK_E_NOMEM : 0;
    wick_strbuf_release(&text);
    free(flows);
    return rc;
}

/* Which threads of the profile have a name that matches; *out is NULL for all, malloc'ed. -WICK_E_USAGE, _NOMEM. */
static int take_threads(bool **out, const struct wick_profile *p, const char *expression, struct wick_err *err)
{
    enum { LONGEST = 1000 };
    regex_t regex;
    *out = NULL;
    if (!expression || !*expression)
        return 0;
    if (strlen(expression) > LONGEST || regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
        return wick_err_set(err, WICK_E_USAGE, "thread takes a regular expression of at most %d bytes, not '%.60s'",
                            LONGEST, expression);
    *out = calloc((size_t)p->nthreads + 1, sizeof **out);
    for (uint32_t i = 0; *out && i < p->nthreads; i++)
        (*out)[i] = !regexec(&regex, wick_profile_str(p, p->threads[i].name), 0, NULL, 0);
    regfree(&regex);
    return *out ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

int wick_ui_locks(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    enum { ROWS = 100, MOST_ROWS = 2000 };
    struct wick_lock_waits chosen = {0};
    struct wick_range range;
    int64_t rows;
    int rc = wick_ask_number(a, "rows", 1, MOST_ROWS, ROWS, &rows, err);
    rc = rc ? rc : wick_ui_range(a, &range, err);
    const struct wick_lock_waits *w = rc ? NULL : wick_ui_followed_locks(file, err);
    if (!w)
        return -err->code;
    bool *threads;
    rc = take_threads(&threads, w->profile, wick_ask_get(a, "thread"), err);
    if (!rc && (threads || !wick_range_is_all(&range))) {
        rc = wick_lock_waits_choose(&chosen, w, &range, threads);
        w = &chosen;
    }
    if (!rc)
        rc = put_graph(w, (size_t)rows, out);
    if (rc && !err->code)
        wick_err_set(err, WICK_E_NOMEM, "out of memory");
    free(threads);
    wick_lock_waits_release(&chosen);
    wick_ui_followed_trim();
    return rc;
}
