/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_threads.c - see virtual_threads.h
 *
 * The list may be longer than a reply, so the agent writes it to a file in memory that goes with the question. The
 * agent is not loaded for it: it would know of no thread that opened its scopes before.
 */
#include "client/virtual_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/whole.h"

/* --- the agent's lines -------------------------------------------------------------------------------------------- */

/* The array of n elements with room for one more; it grows by doubling. NULL: no memory, the array is as it was. */
static void *grown(void *array, uint32_t n, size_t size)
{
    bool full = !(n & (n - 1));
    return full ? reallocarray(array, n ? 2 * (size_t)n : 1, size) : array;
}

static bool add_row(struct wick_virtual_threads *v, uint64_t id)
{
    struct wick_virtual_row *rows = grown(v->rows, v->nrows, sizeof *rows);
    if (!rows)
        return false;
    v->rows = rows;
    rows[v->nrows++] = (struct wick_virtual_row){
        .id = id, .name = "", .state = "", .trace = "", .span = "", .endpoint = "", .operation = "", .labels = ""};
    return true;
}

static bool add_stack(struct wick_virtual_threads *v)
{
    struct wick_virtual_stack *stacks = grown(v->stacks, v->nstacks, sizeof *stacks);
    if (!stacks)
        return false;
    v->stacks = stacks;
    stacks[v->nstacks++] = (struct wick_virtual_stack){.first = v->nframes};
    return true;
}

static bool add_frame(struct wick_virtual_threads *v, const char *text)
{
    const char **frames = v->nstacks ? grown(v->frames, v->nframes, sizeof *frames) : NULL;
    if (!frames)
        return false;
    v->frames = frames;
    frames[v->nframes++] = text;
    v->stacks[v->nstacks - 1].n++;
    return true;
}

/* A line that belongs to a thread. Keys that are not known are those of another agent's build. */
static void set_row(struct wick_virtual_row *row, const char *key, const char *value)
{
    const struct {
        const char *key, **place;
    } texts[] = {{"name", &row->name},    {"state", &row->state},       {"trace", &row->trace},
                 {"span", &row->span},    {"endpoint", &row->endpoint}, {"operation", &row->operation},
                 {"labels", &row->labels}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(key, texts[i].key))
            *texts[i].place = value;
    if (!strcmp(key, "open_ns"))
        row->open_ns = strtoull(value, NULL, 10);
    else if (!strcmp(key, "carrier"))
        row->carrier = (int32_t)strtol(value, NULL, 10);
    else if (!strcmp(key, "stack"))
        row->stack = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(key, "pinned"))
        row->pinned = *value == '1';
}

/* One line. False: no memory, or it cannot be here. */
static bool take(struct wick_virtual_threads *v, const char *key, const char *value, bool *whole)
{
    uint64_t number = strtoull(value, NULL, 10);
    if (!strcmp(key, "thread"))
        return add_row(v, number);
    if (!strcmp(key, "frames"))
        return add_stack(v);
    if (!strcmp(key, "frame"))
        return add_frame(v, value);
    if (!strcmp(key, "more") && v->nstacks)
        v->stacks[v->nstacks - 1].more = (uint32_t)number;
    else if (!strcmp(key, "known"))
        v->known = (uint32_t)number;
    else if (!strcmp(key, "ended"))
        v->ended = (uint32_t)number;
    else if (!strcmp(key, "cut"))
        v->cut = true;
    else if (!strcmp(key, "end"))
        *whole = true;
    else if (v->nrows)
        set_row(&v->rows[v->nrows - 1], key, value);
    return true;
}

/* Leaves the rows whose name contains `name`, and counts the threads of each stack. False: a row's stack is not there.
 */
static bool choose(struct wick_virtual_threads *v, const char *name)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->nrows; i++) {
        if (v->rows[i].stack >= v->nstacks)
            return false;
        if (name && !strstr(v->rows[i].name, name))
            continue;
        v->stacks[v->rows[i].stack].threads++;
        v->rows[n++] = v->rows[i];
    }
    v->nrows = n;
    return true;
}

int wick_virtual_threads_parse(struct wick_virtual_threads *v, char *text, const char *name, struct wick_err *err)
{
    bool whole = false, good = true;
    *v = (struct wick_virtual_threads){.text = text};
    for (char *line = text, *next; good && *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (end)
            *end = 0;
        char *value = strchr(line, '=');
        if (value)
            *value++ = 0;
        good = value && take(v, line, value, &whole);
    }
    if (good && whole && choose(v, name))
        return 0;
    wick_virtual_threads_release(v);
    return wick_err_set(err, WICK_E_FORMAT, "the agent's list of virtual threads is malformed or incomplete");
}

void wick_virtual_threads_release(struct wick_virtual_threads *v)
{
    free(v->rows);
    free(v->stacks);
    free(v->frames);
    free(v->text);
    *v = (struct wick_virtual_threads){0};
}

/* --- the question ------------------------------------------------------------------------------------------------- */

/* The whole file, terminated; NULL with a sentence. */
static char *slurp(int fd, struct wick_err *err)
{
    struct stat st;
    char *text = fstat(fd, &st) ? NULL : malloc((size_t)st.st_size + 1);
    if (text)
        wick_whole_text_fd(fd, text, (size_t)st.st_size + 1);
    else
        wick_err_set(err, WICK_E_NOMEM, "no memory for the list of virtual threads");
    return text;
}

int wick_virtual_threads_ask(struct wick_virtual_threads *v, struct wick_client *c, uint32_t rows, const char *name,
                             struct wick_err *err)
{
    char command[64], *text = NULL;
    int fd = memfd_create("wick-virtual", MFD_CLOEXEC);
    if (fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    snprintf(command, sizeof command, "virtual,virtual-rows=%" PRIu32, rows);
    int rc = wick_client_send(c, "o", &fd, 1, false, command, err);
    if (!rc)
        rc = wick_client_receive(c, WICK_CLIENT_ANSWER_NS, err);
    if (!rc) {
        text = slurp(fd, err);
        rc = text ? wick_virtual_threads_parse(v, text, name, err) : -WICK_E_NOMEM;
    }
    close(fd);
    return rc;
}
