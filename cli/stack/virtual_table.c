/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stack/virtual_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui.h"

enum { GROUP_LINES = 10 }; /* threads of a group that are printed one by one */

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

void wick_virtual_table_print(FILE *f, const struct wick_virtual_threads *v)
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

void wick_virtual_table_json(FILE *f, int pid, const struct wick_virtual_threads *v)
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
