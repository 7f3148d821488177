/* SPDX-License-Identifier: Apache-2.0 */
#include "model/frame_path.h"

#include <stdlib.h>
#include <string.h>

#include "codec/stack_line.h"
#include "model/name.h"
#include "model/own.h"
#include "model/thread_start.h"

/* A name without escapes, in its place: it does not get longer. 0, or 1 if it has a NUL, or -WICK_E_NOMEM. */
static int unescape(char *name, struct wick_strbuf *room)
{
    size_t n = strlen(name);
    const char *plain = wick_stack_line_unescape(room, name, &n);
    if (room->failed)
        return -WICK_E_NOMEM;
    memmove(name, plain, n);
    name[n] = 0;
    return strlen(name) < n;
}

/* The names of the copied text. 0, or 1 if it is no path, or -WICK_E_NOMEM. */
static int take_names(struct wick_frame_path *path, struct wick_strbuf *room)
{
    path->from_root = path->to_leaf = true;
    for (char *at = path->text, *next; at; at = next) {
        next = strchr(at, ';');
        if (next)
            *next++ = 0;
        bool star = !strcmp(at, "*");
        if (!*at || (star && at != path->text && next))
            return 1;
        int rc = star ? 0 : unescape(at, room);
        if (rc)
            return rc;
        if (!star)
            path->names[path->n++] = at;
        else if (at == path->text)
            path->from_root = false;
        else
            path->to_leaf = false;
    }
    return path->n ? 0 : 1;
}

int wick_frame_path_parse(struct wick_frame_path **out, const char *text, struct wick_err *err)
{
    struct wick_strbuf room = WICK_STRBUF_INIT;
    size_t most = 1;
    for (const char *s = text; *s; s++)
        most += *s == ';';
    struct wick_frame_path *path = calloc(1, sizeof *path + most * sizeof *path->names);
    if (path)
        path->text = strdup(text);
    int rc = path && path->text ? take_names(path, &room) : -WICK_E_NOMEM;
    wick_strbuf_release(&room);
    if (!rc) {
        *out = path;
        return 0;
    }
    wick_frame_path_free(path);
    if (rc < 0)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    return wick_err_set(err, WICK_E_USAGE,
                        "'%.60s' is not a path: it takes names of frames separated by semicolons, and * for any frames "
                        "before or after them, as in 'Main.run;Shop.buy;*'",
                        text);
}

void wick_frame_path_free(struct wick_frame_path *path)
{
    if (path)
        free(path->text);
    free(path);
}

static bool begins_with_start(const struct wick_frame_path *path)
{
    return !strcmp(path->names[0], WICK_THREAD_START);
}

bool wick_frame_path_ends_with(const struct wick_frame_path *path, const struct wick_profile *p, uint32_t frame,
                               const char *name)
{
    if (path->n == 1 && begins_with_start(path))
        return wick_frame_starts_thread(p, frame);
    return !strcmp(path->names[path->n - 1], name);
}

/* The stack without the profiler's frames at its leaf. */
static uint32_t shown(const struct wick_profile *p, uint32_t stack, bool own)
{
    while (own && stack && wick_frame_is_own(p, p->stacks[stack].frame))
        stack = p->stacks[stack].parent;
    return stack;
}

static bool only_starts(const struct wick_profile *p, uint32_t stack)
{
    if (!stack)
        return false;
    for (; stack; stack = p->stacks[stack].parent)
        if (!wick_frame_starts_thread(p, p->stacks[stack].frame))
            return false;
    return true;
}

bool wick_frame_path_leads_to(const struct wick_frame_path *path, const struct wick_profile *p, uint32_t stack,
                              bool own, struct wick_strbuf *text)
{
    bool start = begins_with_start(path), starts = false;
    for (uint32_t k = path->n; k-- > 0; stack = p->stacks[stack].parent) {
        stack = shown(p, stack, own);
        if (start && !k)
            return !starts && only_starts(p, stack);
        if (!stack)
            return false;
        wick_strbuf_clear(text);
        wick_name_add_frame(text, p, p->stacks[stack].frame, 0);
        if (text->failed || strcmp(text->buf, path->names[k]) != 0)
            return false;
        starts = wick_frame_starts_thread(p, p->stacks[stack].frame); /* then it is one of those above as well */
    }
    return !path->from_root || !shown(p, stack, own);
}
