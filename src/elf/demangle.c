/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling hostile names.
 *
 * A symbol table is data that anybody may have made. Mangled names can refer back to parts of themselves, so 100 bytes
 * may stand for gigabytes of text; and the library's usual entry points grow a buffer with malloc, which ends the
 * process when it fails. Therefore the callback entry points are used, which do not allocate (their work area is on
 * the stack and bounded by the library's recursion limit, 2048): the callback fills our buffer, and when that is full
 * leaves the library with longjmp. Input longer than MAX_IN bytes is not tried.
 *
 * What comes out is then made short: a flame graph needs `CodeCache::find_blob`, not a paragraph.
 */
#include "elf/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include <libiberty/demangle.h>

#define MAX_IN       2048
#define MAX_OUT      8192
#define MAX_TEMPLATE 80 /* bytes of a template argument list, brackets included */

struct text {
    jmp_buf full;
    size_t n;
    char buf[MAX_OUT];
};

static void collect(const char *s, size_t n, void *arg)
{
    struct text *t = arg;
    if (n == 0)
        return; /* s may be NULL then */
    if (n >= sizeof t->buf - t->n)
        longjmp(t->full, 1);
    memcpy(t->buf + t->n, s, n);
    t->n += n;
}

static bool is_rust(const char *s)
{
    return !strncmp(s, "_R", 2) || (!strncmp(s, "_ZN", 3) && strstr(s, "17h"));
}

/* Demangles into t->buf. Nothing that changes after setjmp is used after longjmp. */
static bool run(const char *symbol, unsigned flags, struct text *t)
{
    int options = DMGL_ANSI | (flags & WICK_DEMANGLE_PARAMS ? DMGL_PARAMS : 0);
    t->n = 0;
    if (setjmp(t->full))
        return false;
    if (is_rust(symbol) && rust_demangle_callback(symbol, 0, collect, t)) {
        t->buf[t->n] = 0;
        return true;
    }
    t->n = 0;
    if (strncmp(symbol, "_Z", 2) || !cplus_demangle_v3_callback(symbol, options, collect, t))
        return false;
    t->buf[t->n] = 0;
    return t->n > 0;
}

/* The length of name without what compilers append to parts and copies of a function, which starts with a dot. */
static size_t without_clone(const char *name)
{
    static const char *const marks[] = {".cold",      ".part.", ".isra.",     ".constprop.",
                                        ".lto_priv.", ".llvm.", ".localalias"};
    for (const char *dot = name; (dot = strchr(dot, '.')); dot++)
        for (size_t i = 0; dot > name && i < sizeof marks / sizeof marks[0]; i++)
            if (!strncmp(dot, marks[i], strlen(marks[i])))
                return (size_t)(dot - name);
    return strlen(name);
}

/* If the text at s is `operator` and a name made of angle brackets, its length; else 0. */
static size_t angle_operator(const char *s)
{
    static const char *const names[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"};
    if (strncmp(s, "operator", 8))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(s + 8, names[i], strlen(names[i])))
            return 8 + strlen(names[i]);
    return 0;
}

/* The length of the bracketed list at s ('<'), or 0 if it does not end. Arrows inside are no brackets. */
static size_t list_length(const char *s)
{
    int depth = 0;
    for (size_t i = 0; s[i];) {
        size_t op = angle_operator(s + i);
        if (op) {
            i += op;
            continue;
        }
        if (s[i] == '<')
            depth++;
        else if (s[i] == '>' && (i == 0 || s[i - 1] != '-') && --depth == 0)
            return i + 1;
        i++;
    }
    return 0;
}

/* Replaces outermost template argument lists that are too long by <...>, in place. */
static void shorten_templates(char *s)
{
    char *to = s;
    while (*s) {
        size_t op = angle_operator(s), list = !op && *s == '<' ? list_length(s) : 0, n = op ? op : list ? list : 1;
        if (list > MAX_TEMPLATE) {
            memcpy(to, "<...>", 5);
            to += 5;
        } else {
            memmove(to, s, n);
            to += n;
        }
        s += n;
    }
    *to = 0;
}

static size_t copy(char *out, size_t cap, const char *s, size_t n)
{
    if (n >= cap)
        n = cap - 1;
    memcpy(out, s, n);
    out[n] = 0;
    return n;
}

size_t wick_demangle(const char *symbol, unsigned flags, char *out, size_t cap)
{
    struct text t;
    char plain[MAX_IN];
    size_t n = strnlen(symbol, MAX_IN);
    if (n == MAX_IN)
        return copy(out, cap, symbol, strnlen(symbol, cap));
    memcpy(plain, symbol, n + 1);
    if (!(flags & WICK_DEMANGLE_CLONES))
        plain[without_clone(plain)] = 0;
    size_t len = strlen(plain);
    bool plt = len > 4 && !strcmp(plain + len - 4, "@plt");
    if (plt)
        plain[len - 4] = 0;
    const char *s = plain;
    if (run(plain, flags, &t)) {
        if (!(flags & WICK_DEMANGLE_TEMPLATES))
            shorten_templates(t.buf);
        s = t.buf;
    }
    n = copy(out, cap, s, strlen(s));
    return plt ? n + copy(out + n, cap - n, "@plt", 4) : n;
}
