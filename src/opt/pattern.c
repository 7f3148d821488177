/* SPDX-License-Identifier: Apache-2.0 */
/* File name patterns, spelled as async-profiler spells them (its docs: %p, %t, %n{MAX}, %{ENV}). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opt/option.h"

static void expand_env(struct wick_strbuf *sb, const char *name, size_t len)
{
    char key[128];
    if (len >= sizeof key)
        return;
    memcpy(key, name, len);
    key[len] = 0;
    const char *v = getenv(key);
    if (v)
        wick_strbuf_adds(sb, v);
}

/* Expands what follows a percent sign at p and returns the first character after it. */
static const char *expand_one(struct wick_strbuf *sb, const char *p, long pid, int64_t when, unsigned long seq)
{
    const char *close = (*p == '{' || (*p == 'n' && p[1] == '{')) ? strchr(p, '}') : NULL;
    if (*p == 'p') {
        wick_strbuf_addf(sb, "%ld", pid);
    } else if (*p == 't') {
        time_t t = (time_t)when;
        struct tm tm;
        char text[32] = "";
        if (localtime_r(&t, &tm))
            strftime(text, sizeof text, "%Y%m%d-%H%M%S", &tm);
        wick_strbuf_adds(sb, text);
    } else if (*p == 'n') {
        unsigned long max = close ? strtoul(p + 2, NULL, 10) : 0;
        wick_strbuf_addf(sb, "%lu", max ? seq % max : seq);
        return close ? close + 1 : p + 1;
    } else if (*p == '{' && close) {
        expand_env(sb, p + 1, (size_t)(close - p - 1));
        return close + 1;
    } else {
        wick_strbuf_addc(sb, '%');
        return *p == '%' ? p + 1 : p;
    }
    return p + 1;
}

int wick_opt_fix(const char *pattern, long pid, char *out, size_t cap)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT, env = WICK_STRBUF_INIT;
    for (const char *p = pattern; *p;) {
        const char *close = *p == '%' && p[1] == '{' ? strchr(p, '}') : NULL;
        if (close) {
            wick_strbuf_clear(&env);
            expand_env(&env, p + 2, (size_t)(close - p - 2));
            wick_opt_escape(env.buf, &sb);
            p = close + 1;
        } else if (*p == '%' && p[1] == 'p') {
            wick_strbuf_addf(&sb, "%ld", pid);
            p += 2;
        } else {
            size_t n = *p == '%' && p[1] ? 2 : 1;
            wick_strbuf_add(&sb, p, n);
            p += n;
        }
    }
    int rc = sb.failed || env.failed ? -WICK_E_NOMEM : sb.len >= cap ? -WICK_E_LIMIT : 0;
    if (!rc)
        memcpy(out, sb.buf, sb.len + 1);
    wick_strbuf_release(&env);
    wick_strbuf_release(&sb);
    return rc;
}

void wick_opt_escape(const char *name, struct wick_strbuf *out)
{
    for (; *name; name++)
        wick_strbuf_adds(out, *name == '%' ? "%%" : (char[]){*name, 0});
}

int wick_opt_expand(const char *pattern, long pid, int64_t when, unsigned long seq, char *out, size_t cap)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    for (const char *p = pattern; *p;) {
        if (*p == '%')
            p = expand_one(&sb, p + 1, pid, when, seq);
        else
            wick_strbuf_addc(&sb, *p++);
    }
    int rc = sb.failed ? -WICK_E_NOMEM : sb.len >= cap ? -WICK_E_LIMIT : 0;
    if (!rc)
        memcpy(out, sb.buf, sb.len + 1);
    wick_strbuf_release(&sb);
    return rc;
}

/* What follows the first %n, NULL = there is none. */
static const char *sequence(const char *pattern)
{
    for (const char *p = pattern; (p = strchr(p, '%')); p += p[1] ? 2 : 1)
        if (p[1] == 'n')
            return p + 2;
    return NULL;
}

bool wick_opt_is_sequence(const char *pattern)
{
    return sequence(pattern) != NULL;
}

unsigned long wick_opt_sequence_max(const char *pattern)
{
    const char *p = sequence(pattern);
    return p && *p == '{' && strchr(p, '}') ? strtoul(p + 1, NULL, 10) : 0;
}
