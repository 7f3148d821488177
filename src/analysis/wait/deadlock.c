/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/wait/deadlock.h"

#include <string.h>

enum { SHOWN = 4 }; /* threads in a sentence */

#define HEAD  "Java-level deadlock:"
#define STOP  "Java stack information"
#define OWNER "held by \""
#define CLASS ", a "

struct line {
    const char *s;
    size_t len;
};

/* The next line of the rest; false at the end. */
static bool next_line(struct line *rest, struct line *out)
{
    if (!rest->len)
        return false;
    const char *end = memchr(rest->s, '\n', rest->len);
    out->s = rest->s;
    out->len = end ? (size_t)(end - rest->s) : rest->len;
    size_t used = end ? out->len + 1 : out->len;
    rest->s += used;
    rest->len -= used;
    if (out->len && out->s[out->len - 1] == '\r')
        out->len--;
    return true;
}

static bool begins(const struct line *l, const char *with)
{
    return l->len >= strlen(with) && !memcmp(l->s, with, strlen(with));
}

/* What follows a text in the line up to `end`, which may not be there; NULL = the text is not there. */
static const char *after(const struct line *l, const char *text, char end, size_t *len)
{
    const char *at = memmem(l->s, l->len, text, strlen(text));
    if (!at)
        return NULL;
    at += strlen(text);
    size_t rest = l->len - (size_t)(at - l->s);
    const char *stop = memchr(at, end, rest);
    *len = stop ? (size_t)(stop - at) : rest;
    return at;
}

/* "Found 2 deadlocks." as the last line that is not empty. */
static bool is_found(struct line rest)
{
    struct line l, last = {"", 0};
    while (next_line(&rest, &l))
        last = l.len ? l : last;
    size_t len;
    return begins(&last, "Found ") && after(&last, " deadlock", 0, &len);
}

/* What a thread waits for: "(object 0x..., a Account)" or "(a java.util...ReentrantLock$NonfairSync)". */
static const char *class_of(const struct line *l, size_t *len)
{
    const char *name = after(l, CLASS, ')', len);
    return name ? name : after(l, "(a ", ')', len);
}

static void add_link(struct wick_strbuf *out, unsigned n, struct line who, struct line what, struct line owner)
{
    if (n)
        wick_strbuf_adds(out, ", ");
    wick_strbuf_add(out, who.s, who.len);
    wick_strbuf_adds(out, " waits for a ");
    if (what.len)
        wick_strbuf_add(out, what.s, what.len);
    else
        wick_strbuf_adds(out, "lock");
    wick_strbuf_adds(out, " that ");
    wick_strbuf_add(out, owner.s, owner.len);
    wick_strbuf_adds(out, " holds");
}

unsigned wick_deadlock_parse(const char *text, size_t len, struct wick_strbuf *out)
{
    struct line rest = {text, len}, l, who = {0}, what = {0};
    unsigned n = 0;
    bool within = false;
    if (!is_found(rest))
        return 0;
    while (next_line(&rest, &l)) {
        size_t part;
        const char *at;
        if (begins(&l, "Found ") && after(&l, HEAD, 0, &part)) {
            within = true;
        } else if (begins(&l, STOP)) {
            within = false;
        } else if (within && begins(&l, "\"") && l.len > 3 && !memcmp(l.s + l.len - 2, "\":", 2)) {
            who = (struct line){l.s + 1, l.len - 3};
            what = (struct line){0};
        } else if (within && who.s && (at = after(&l, OWNER, '"', &part))) {
            if (n < SHOWN)
                add_link(out, n, who, what, (struct line){at, part});
            who = (struct line){0};
            n++;
        } else if (within && who.s && (at = class_of(&l, &part))) {
            what = (struct line){at, part};
        }
    }
    if (n > SHOWN)
        wick_strbuf_addf(out, ", and %u more", n - SHOWN);
    return n;
}
