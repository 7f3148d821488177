/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/input.h"

bool wick_replace_force;

enum { HEAD = WICK_INPUT_HEAD };

static bool has(const char *head, size_t n, const char *mark)
{
    return memmem(head, n, mark, strlen(mark)) != NULL;
}

static bool begins(const char *head, size_t n, const char *with)
{
    return n >= strlen(with) && !memcmp(head, with, strlen(with));
}

/* Two texts that stand in this order at the start of what wick writes. */
static const struct {
    const char *begin, *mark;
} outputs[] = {
    {"<!DOCTYPE html>", "<meta name=\"generator\" content=\"wick\">"}, /* all pages */
    {"<?xml", "<svg xmlns=\"http://www.w3.org/2000/svg\" width="},     /* flame graph: see below */
    {"{\"$schema\"", "\"exporter\":\"wick@"},                          /* speedscope */
    {"{\"meta\"", "\"product\":\"wick\""},                             /* Firefox Profiler */
    {"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", "\"args\":{\"name\":\"wick\"}"},
    {"{\"event\":", "\"unit\":"},                /* tables of convert and diff */
    {"thread,tid,state,samples,", "leaf,stack"}, /* CSV */
    {"", "\n* = more than sampling error"},      /* the text of diff */
};

/* Whether the first n bytes of a file are those of a recording, a profile or a page as wick writes them. */
static bool is_ours(const char *head, size_t n)
{
    switch (wick_input_is(head, n)) {
    case WICK_INPUT_JFR:
    case WICK_INPUT_PPROF:
    case WICK_INPUT_PERF_DATA:
    case WICK_INPUT_COLLAPSED:
    case WICK_INPUT_GZIP: /* pprof is packed */
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (begins(head, n, outputs[i].begin) && has(head, n, outputs[i].mark))
            return strcmp(outputs[i].begin, "<?xml") != 0 || has(head, n, "data-row=\"");
    return n && head[0] == '\n' && has(head, n < 256 ? n : 256, "\004wick\022"); /* OTLP: the scope's name, version */
}

static int refuse(const char *path, struct wick_err *err)
{
    return wick_err_set(
        err, WICK_E_USAGE,
        "%s exists and is not a file that wick wrote; choose another name, or add --force to replace it", path);
}

int wick_replace_check(const char *path, struct wick_err *err)
{
    char head[HEAD];
    struct stat st;
    if (wick_replace_force || !path || !strcmp(path, "-"))
        return 0;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
        return 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES && !access(path, W_OK) ? refuse(path, err) : 0; /* opening it says why it fails */
    ssize_t n = pread(fd, head, sizeof head, 0);
    close(fd);
    return n > 0 && is_ours(head, (size_t)n) ? 0 : refuse(path, err);
}
