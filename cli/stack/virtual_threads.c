/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stack/virtual_threads.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui.h"

enum { GROUP_LINES = 10 }; /* threads of a group that are printed one by one */

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
    return wick_err_set(err, WICK_E_FORMAT, "the agent's list of virtual threads is malformed or not whole");
}

void wick_virtual_threads_release(struct wick_virtual_threads *v)
{
    free(v->rows);
    free(v->stacks);
    free(v->frames);
    free(v->text);
    *v = (struct wick_virtual_threads){0};
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void print_part(FILE *f, const char *before, const char *value)
{
    if (!*value)
        return;
    fputs(before, f);
    wick_ui_plain(f, value);
}

static void print_row(FILE *f, const struct wick_virtual_row *row)
{
    char open[32];
    fputc('"', f);
    wick_ui_plain(f, row->name);
    fprintf(f, "\" id=%" PRIu64 " ", row->id);
    for (const char *c = row->state; *c; c++)
        fputc(*c == '_' ? ' ' : isupper((unsigned char)*c) ? tolower((unsigned char)*c) : '?', f);
    if (row->carrier)
        fprintf(f, ", %s tid=%d", row->pinned ? "pinned to" : "mounted on", (int)row->carrier);
    else
        fputs(", unmounted", f);
    fprintf(f, ", open for %s", wick_ui_seconds(row->open_ns, open, sizeof open));
    print_part(f, ", endpoint=", row->endpoint);
    print_part(f, ", operation=", strcmp(row->operation, row->endpoint) != 0 ? row->operation : "");
    print_part(f, ", trace=", row->trace);
    print_part(f, ", span=", row->span);
    print_part(f, ", labels: ", row->labels);
    fputc('\n', f);
}

static void print_frames(FILE *f, const struct wick_virtual_threads *v, const struct wick_virtual_stack *stack)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        fputs("    ", f);
        wick_ui_plain(f, v->frames[stack->first + i]);
        fputc('\n', f);
    }
    if (stack->more)
        fprintf(f, "    ... and %" PRIu32 " frames more\n", stack->more);
}

/* The threads of one stack, from the first of them on, and the stack. */
static void print_group(FILE *f, const struct wick_virtual_threads *v, uint32_t first)
{
    uint32_t number = v->rows[first].stack, printed = 0;
    const struct wick_virtual_stack *stack = &v->stacks[number];
    if (stack->threads > 1)
        fprintf(f, "\n%" PRIu32 " threads with the same stack\n", stack->threads);
    else
        fputc('\n', f);
    for (uint32_t i = first; i < v->nrows && printed < GROUP_LINES; i++) {
        if (v->rows[i].stack != number)
            continue;
        print_row(f, &v->rows[i]);
        printed++;
    }
    if (stack->threads > printed)
        fprintf(f, "... and %" PRIu32 " more (--json lists all)\n", stack->threads - printed);
    print_frames(f, v, stack);
}

void wick_virtual_threads_print(FILE *f, const struct wick_virtual_threads *v)
{
    char shown[32], known[32];
    bool *done = calloc(v->nstacks ? v->nstacks : 1, sizeof *done);
    fprintf(f, "%s of %s virtual threads with a context shown, longest open first%s\n",
            wick_ui_count(v->nrows, shown, sizeof shown), wick_ui_count(v->known, known, sizeof known),
            v->cut ? "; the time limit was reached" : "");
    if (!v->known)
        fputs(
            "(listed are virtual threads with an open scope; programs open scopes with wick.jar, see docs/labels.md)\n",
            f);
    if (v->ended)
        fprintf(f, "%s ended without closing their scopes\n", wick_ui_count(v->ended, shown, sizeof shown));
    for (uint32_t i = 0; done && i < v->nrows; i++) {
        if (!done[v->rows[i].stack])
            print_group(f, v, i);
        done[v->rows[i].stack] = true;
    }
    free(done);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void json_string(FILE *f, const char *key, const char *value)
{
    if (!*value)
        return;
    fprintf(f, ", \"%s\": ", key);
    wick_ui_json_string(f, value);
}

static void json_row(FILE *f, const struct wick_virtual_row *row)
{
    fprintf(f, "{\"id\": %" PRIu64 ", \"name\": ", row->id);
    wick_ui_json_string(f, row->name);
    json_string(f, "state", row->state);
    fprintf(f, ", \"mounted\": %s", row->carrier ? "true" : "false");
    if (row->carrier)
        fprintf(f, ", \"carrier_tid\": %d", (int)row->carrier);
    fprintf(f, ", \"pinned\": %s, \"open_ns\": %" PRIu64, row->pinned ? "true" : "false", row->open_ns);
    json_string(f, "endpoint", row->endpoint);
    json_string(f, "operation", row->operation);
    json_string(f, "trace_id", row->trace);
    json_string(f, "span_id", row->span);
    json_string(f, "labels", row->labels);
    fprintf(f, ", \"stack\": %" PRIu32 "}", row->stack);
}

static void json_stack(FILE *f, const struct wick_virtual_threads *v, const struct wick_virtual_stack *stack)
{
    fprintf(f, "{\"threads\": %" PRIu32 ", \"frames\": [", stack->threads);
    for (uint32_t i = 0; i < stack->n; i++) {
        fputs(i ? ", " : "", f);
        wick_ui_json_string(f, v->frames[stack->first + i]);
    }
    fprintf(f, "], \"more\": %" PRIu32 "}", stack->more);
}

void wick_virtual_threads_json(FILE *f, int pid, const struct wick_virtual_threads *v)
{
    fprintf(f,
            "{\"pid\": %d, \"known\": %" PRIu32 ", \"shown\": %" PRIu32 ", \"ended\": %" PRIu32
            ", \"cut\": %s,\n \"threads\": [",
            pid, v->known, v->nrows, v->ended, v->cut ? "true" : "false");
    for (uint32_t i = 0; i < v->nrows; i++) {
        fputs(i ? ",\n  " : "\n  ", f);
        json_row(f, &v->rows[i]);
    }
    fputs("],\n \"stacks\": [", f);
    for (uint32_t i = 0; i < v->nstacks; i++) {
        fputs(i ? ",\n  " : "\n  ", f);
        json_stack(f, v, &v->stacks[i]);
    }
    fputs("]}\n", f);
}
