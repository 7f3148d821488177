/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/utf8.h"

static int malformed(struct wick_err *err, const char *what)
{
    return wick_err_set(err, WICK_E_USAGE, "the request is malformed: %s", what);
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int add_pair(struct wick_ask *a, const char *key, const char *value, struct wick_err *err)
{
    if (a->npairs == WICK_ASK_PARAMETERS)
        return malformed(err, "it has too many parameters");
    a->pair[a->npairs++] = (struct wick_ask_pair){key, value};
    return 0;
}

/* --- the target --- */

/* Undoes percent escapes in place. False if they are malformed, or say NUL. */
static bool unescape(char *s, bool plus)
{
    char *out = s;
    for (; *s; s++) {
        if (*s != '%') {
            *out++ = plus && *s == '+' ? ' ' : *s;
            continue;
        }
        int high = hex(s[1]), low = high < 0 ? -1 : hex(s[2]);
        if (low < 0 || !(high | low))
            return false;
        *out++ = (char)(high << 4 | low);
        s += 2;
    }
    *out = 0;
    return true;
}

static int take_parameters(struct wick_ask *a, char *text, struct wick_err *err)
{
    int rc = 0;
    for (char *next; text && !rc; text = next) {
        next = strchr(text, '&');
        if (next)
            *next++ = 0;
        char *value = strchr(text, '=');
        if (!*text)
            continue;
        if (value)
            *value++ = 0;
        if (!unescape(text, true) || (value && !unescape(value, true)))
            return malformed(err, "a parameter has an invalid percent escape");
        rc = add_pair(a, text, value ? value : "", err);
    }
    return rc;
}

int wick_ask_target(struct wick_ask *a, char *target, struct wick_err *err)
{
    *a = (struct wick_ask){0};
    char *query = strchr(target, '?');
    if (*target != '/')
        return malformed(err, "its target does not begin with a slash");
    if (query)
        *query++ = 0;
    for (char *at = target + 1, *next; at; at = next) {
        next = strchr(at, '/');
        if (next)
            *next++ = 0;
        if (!*at && !next)
            break; /* nothing behind the last slash */
        if (a->nsegments == WICK_ASK_SEGMENTS)
            return malformed(err, "its path has too many parts");
        if (!unescape(at, false))
            return malformed(err, "its path has an invalid percent escape");
        a->segment[a->nsegments++] = at;
    }
    return take_parameters(a, query, err);
}

const char *wick_ask_get(const struct wick_ask *a, const char *key)
{
    for (uint32_t i = 0; i < a->npairs; i++)
        if (!strcmp(a->pair[i].key, key))
            return a->pair[i].value;
    return NULL;
}

int wick_ask_number(const struct wick_ask *a, const char *key, int64_t least, int64_t most, int64_t otherwise,
                    int64_t *out, struct wick_err *err)
{
    const char *text = wick_ask_get(a, key);
    char *end = NULL;
    errno = 0;
    int64_t v = text ? strtoll(text, &end, 10) : otherwise;
    if (text && (errno || *end || !(*text == '-' || (*text >= '0' && *text <= '9')) || v < least || v > most))
        return wick_err_set(err, WICK_E_USAGE, "%s takes a number from %lld to %lld, not '%.60s'", key,
                            (long long)least, (long long)most, text);
    *out = v;
    return 0;
}

int wick_ask_flag(const struct wick_ask *a, const char *key, bool *out, struct wick_err *err)
{
    int64_t v;
    int rc = wick_ask_number(a, key, 0, 1, *out, &v, err);
    if (!rc)
        *out = v != 0;
    return rc;
}

/* --- the body --- */

/* Text that is read, and written over with what it means. */
struct json_text {
    char *at, *end;
};

static void skip_blanks(struct json_text *j)
{
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
        j->at++;
}

/* Whether c comes next, which it is then behind. */
static bool comes(struct json_text *j, char c)
{
    skip_blanks(j);
    if (j->at == j->end || *j->at != c)
        return false;
    j->at++;
    return true;
}

/* Four hexadecimal digits; UINT32_MAX if they are not there. */
static uint32_t four_digits(struct json_text *j)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        int digit = j->at < j->end ? hex(*j->at) : -1;
        if (digit < 0)
            return UINT32_MAX;
        v = v << 4 | (uint32_t)digit;
    }
    return v;
}

/* A character named by \uNNNN, or two of them; 0 if it is none that a string may hold. */
static uint32_t named_character(struct json_text *j)
{
    uint32_t c = four_digits(j);
    if (c >= 0xd800 && c < 0xdc00) {
        if (j->end - j->at < 6 || j->at[0] != '\\' || j->at[1] != 'u')
            return 0;
        j->at += 2;
        uint32_t low = four_digits(j);
        if (low < 0xdc00 || low >= 0xe000)
            return 0;
        return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    return c == UINT32_MAX || (c >= 0xdc00 && c < 0xe000) ? 0 : c;
}

/* A string, which ends with a NUL in place of its quote; NULL if none comes, or it is malformed. What it means is never
 * longer than its text. */
static char *take_string(struct json_text *j)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (!comes(j, '"'))
        return NULL;
    char *start = j->at, *out = start;
    while (j->at < j->end && *j->at != '"') {
        char c = *j->at++;
        if ((unsigned char)c < 0x20)
            return NULL;
        if (c != '\\') {
            *out++ = c;
            continue;
        }
        c = j->at < j->end ? *j->at++ : 0;
        const char *known = c ? strchr(from, c) : NULL;
        uint32_t named = c == 'u' ? named_character(j) : known ? (uint32_t)to[known - from] : 0;
        if (!named)
            return NULL;
        out += wick_utf8_encode(out, named);
    }
    if (j->at == j->end)
        return NULL;
    j->at++;
    *out = 0;
    return start;
}

/* A whole number as text. It is moved to where the colon or blank before it was, so that there is room for its NUL. */
static char *take_number(struct json_text *j)
{
    skip_blanks(j);
    char *start = j->at;
    if (j->at < j->end && *j->at == '-')
        j->at++;
    char *digits = j->at;
    while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
        j->at++;
    if (j->at == digits)
        return NULL;
    size_t n = (size_t)(j->at - start);
    memmove(start - 1, start, n);
    start[n - 1] = 0;
    return start - 1;
}

static int take_inner(struct wick_ask *a, struct json_text *j, struct wick_err *err)
{
    if (comes(j, '}'))
        return 0;
    do {
        char *key = take_string(j);
        char *value = key && comes(j, ':') ? take_string(j) : NULL;
        int rc = value ? add_pair(a, key, value, err)
                       : malformed(err, "an object within its body has a value that is not a string");
        if (rc)
            return rc;
    } while (comes(j, ','));
    return comes(j, '}') ? 0 : malformed(err, "an object within its body does not end");
}

static int take_array(struct wick_ask *a, struct json_text *j, const char *key, struct wick_err *err)
{
    if (comes(j, ']'))
        return 0;
    do {
        char *value = take_string(j);
        int rc = value ? add_pair(a, key, value, err)
                       : malformed(err, "an array in its body has an element that is not a string");
        if (rc)
            return rc;
    } while (comes(j, ','));
    return comes(j, ']') ? 0 : malformed(err, "an array of its body does not end");
}

static int take_value(struct wick_ask *a, struct json_text *j, const char *key, struct wick_err *err)
{
    if (comes(j, '['))
        return take_array(a, j, key, err);
    if (comes(j, '{'))
        return take_inner(a, j, err);
    bool quoted = j->at < j->end && *j->at == '"';
    char *text = quoted ? take_string(j) : take_number(j);
    return text ? add_pair(a, key, text, err)
                : malformed(err, "a value in its body is not a string, number, array or object");
}

int wick_ask_body(struct wick_ask *a, char *text, size_t n, struct wick_err *err)
{
    struct json_text j = {text, text + n};
    int rc = 0;
    *a = (struct wick_ask){0};
    if (!comes(&j, '{'))
        return malformed(err, "its body is no JSON object");
    if (comes(&j, '}'))
        return 0;
    do {
        char *key = take_string(&j);
        if (!key || !comes(&j, ':'))
            return malformed(err, "a member of its body has no name");
        rc = take_value(a, &j, key, err);
    } while (!rc && comes(&j, ','));
    if (!rc && !comes(&j, '}'))
        rc = malformed(err, "its body does not end");
    skip_blanks(&j);
    return rc ? rc : j.at == j.end ? 0 : malformed(err, "something follows its body");
}
