/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ui.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/print.h"
#include "codec/plain.h"

static bool is_quiet;
static bool progress_shown;

void wick_ui_set_quiet(bool quiet)
{
    is_quiet = quiet;
}

unsigned wick_ui_width(FILE *f)
{
    const char *set = getenv("COLUMNS");
    struct winsize w;
    uint32_t columns;
    if (!isatty(fileno(f)))
        return 0;
    if (set && wick_ui_rows(set, &columns) && columns)
        return columns;
    return !ioctl(fileno(f), TIOCGWINSZ, &w) ? w.ws_col : 0;
}

static unsigned columns_of(const char *s, size_t len)
{
    unsigned all = 0, columns;
    for (size_t i = 0; i < len; i += wick_print_unit(s + i, len - i, &columns), all += columns)
        ;
    return all;
}

static unsigned room_behind(unsigned used, unsigned width)
{
    enum { LEAST = 24 };
    return width > used + LEAST ? width - used : LEAST;
}

void wick_ui_last_column(FILE *f, unsigned used, const char *s, size_t len)
{
    unsigned width = wick_ui_width(f);
    if (width)
        wick_print_fitted(f, s, len, room_behind(used, width));
    else
        wick_print_name(f, s, len);
}

void wick_ui_last_text(FILE *f, unsigned used, unsigned indent, const char *s, size_t len)
{
    unsigned width = wick_ui_width(f), at = used;
    if (!width) {
        wick_print_name(f, s, len);
        return;
    }
    for (const char *word = s, *end = s + len, *next; word <= end; word = next + 1) {
        const char *blank = memchr(word, ' ', (size_t)(end - word));
        next = blank ? blank : end;
        unsigned columns = columns_of(word, (size_t)(next - word)), room;
        if (word != s && at + 1 + columns > width) {
            fprintf(f, "\n%*s", (int)indent, "");
            at = indent;
        } else if (word != s) {
            fputc(' ', f);
            at++;
        }
        room = room_behind(at, width);
        wick_print_fitted(f, word, (size_t)(next - word), room);
        at += columns < room ? columns : room;
    }
}

const char *wick_ui_colour(FILE *f, enum wick_ui_colour c)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m"};
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no && *no) || !isatty(fileno(f)) || (term && !strcmp(term, "dumb")))
        return "";
    return codes[c];
}

static void print_text(FILE *f, const char *fmt, va_list ap)
{
    char *text = NULL;
    int n = vasprintf(&text, fmt, ap);
    if (n > 0)
        wick_plain_print_text(f, text, (size_t)n);
    if (n >= 0)
        free(text);
}

void wick_ui_print(FILE *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_text(f, fmt, ap);
    va_end(ap);
}

void wick_ui_column(FILE *f, const char *s, int width)
{
    width -= (int)columns_of(s, strlen(s));
    wick_ui_plain(f, s);
    if (width > 0)
        fprintf(f, "%*s", width, "");
}

int wick_ui_fail(const struct wick_err *err)
{
    wick_ui_progress_end();
    fprintf(stderr, "%swick:%s ", wick_ui_colour(stderr, WICK_UI_RED), wick_ui_colour(stderr, WICK_UI_PLAIN));
    wick_ui_print(stderr, "%s\n", err->msg[0] ? err->msg : wick_err_text(err->code));
    return err->code ? wick_err_exit(err->code) : 1;
}

bool wick_ui_rows(const char *text, uint32_t *out)
{
    char *end;
    unsigned long v = strtoul(text, &end, 10);
    *out = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
    return *text >= '0' && *text <= '9' && !*end;
}

int wick_ui_bad_option(const char *command, const char *what, const char *value)
{
    if (what)
        wick_ui_print(stderr, "wick: %s, not '%s'\n", what, value);
    fprintf(stderr, "wick: `wick %s --help` lists the options\n", command);
    return wick_err_exit(WICK_E_USAGE);
}

int wick_ui_written(struct wick_err *err)
{
    if (fflush(stdout) || ferror(stdout))
        return wick_err_set(err, WICK_E_IO, "cannot write to standard output: %s", strerror(errno));
    return 0;
}

/* Lines of two threads do not mix: a command may have another one that reports. */
void wick_ui_note(const char *fmt, ...)
{
    if (is_quiet)
        return;
    flockfile(stderr);
    wick_ui_progress_end();
    va_list ap;
    va_start(ap, fmt);
    print_text(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    funlockfile(stderr);
}

bool wick_ui_shows_progress(void)
{
    return !is_quiet && isatty(STDERR_FILENO);
}

void wick_ui_progress(const char *fmt, ...)
{
    if (!wick_ui_shows_progress())
        return;
    flockfile(stderr);
    fputs("\r\033[K", stderr);
    va_list ap;
    va_start(ap, fmt);
    print_text(stderr, fmt, ap);
    va_end(ap);
    fflush(stderr);
    progress_shown = true;
    funlockfile(stderr);
}

void wick_ui_progress_end(void)
{
    flockfile(stderr);
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
    funlockfile(stderr);
}

/* Divides until less than `most` is left; returns the number of times, up to four. */
static size_t scale(double *v, double by, double most)
{
    size_t u = 0;
    for (; *v >= most && u < 4; u++)
        *v /= by;
    return u;
}

const char *wick_ui_bytes(uint64_t n, char *out, size_t cap)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double v = (double)n;
    size_t u = scale(&v, 1000, 999.5);
    snprintf(out, cap, u && v < 9.95 ? "%.1f %s" : "%.0f %s", v, units[u]);
    return out;
}

const char *wick_ui_binary(uint64_t n, char *out, size_t cap)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)n;
    size_t u = scale(&v, 1024, 1024);
    snprintf(out, cap, "%.*f %s", v < 10 && v != (double)(int)v ? 1 : 0, v, units[u]);
    return out;
}

const char *wick_ui_count(uint64_t n, char *out, size_t cap)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t o = 0;
    for (int i = 0; i < len && o + 2 < cap; i++) {
        if (i && (len - i) % 3 == 0)
            out[o++] = ',';
        out[o++] = digits[i];
    }
    out[o] = 0;
    return out;
}

const char *wick_ui_seconds(uint64_t ns, char *out, size_t cap)
{
    uint64_t s = ns / 1000000000u;
    if (s < 120)
        snprintf(out, cap, "%.1f s", (double)ns / 1e9);
    else if (s < 7200)
        snprintf(out, cap, "%llu min %llu s", (unsigned long long)(s / 60), (unsigned long long)(s % 60));
    else
        snprintf(out, cap, "%llu h %llu min", (unsigned long long)(s / 3600), (unsigned long long)(s / 60 % 60));
    return out;
}

void wick_ui_plain(FILE *f, const char *s)
{
    wick_print_name(f, s, strlen(s));
}

void wick_ui_json_string(FILE *f, const char *s)
{
    wick_print_json(f, s, strlen(s));
}

void wick_ui_wrap(FILE *f, const char *text, int at, int indent, int width)
{
    bool first = true;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (!first && at + 1 + n > width) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', f);
            at++;
        }
        wick_print_name(f, text, (size_t)n);
        at += n;
        first = false;
        text += n + (text[n] == ' ');
    }
    fputc('\n', f);
}
