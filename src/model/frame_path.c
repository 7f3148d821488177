/* SPDX-License-Identifier: Apache-2.0 */
#include "model/frame_path.h"

#include <stdlib.h>
#include <string.h>

#include "model/name.h"
#include "model/own.h"
#include "model/thread_start.h"

static const char START[] = "[thread start]";

static int refuse(struct wick_frame_path *path, const char *text, struct wick_err *err)
{
    wick_frame_path_free(path);
    return wick_err_set(err, WICK_E_USAGE,
                        "'%.60s' is not a path: it takes names of frames separated by semicolons, and * for any frames "
                        "before or after them, as in 'Main.run;Shop.buy;*'",
                        text);
}

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Undoes \xHH, in place; but for \x00, which stays. */
static void unescape(char *name)
{
    char *to = name;
    for (const char *s = name; *s; to++) {
        int high = s[0] == '\\' && s[1] == 'x' ? digit_of(s[2]) : -1, low = high < 0 ? -1 : digit_of(s[3]);
        bool escape = low >= 0 && high + low > 0;
        *to = escape ? (char)(high << 4 | low) : *s;
        s += escape ? 4 : 1;
    }
    *to = 0;
}

int wick_frame_path_parse(struct wick_frame_path **out, const char *text, struct wick_err *err)
{
    size_t most = 1;
    for (const char *s = text; *s; s++)
        most += *s == ';';
    struct wick_frame_path *path = calloc(1, sizeof *path + most * sizeof *path->names);
    char *copy = strdup(text);
    if (!path || !copy) {
        free(path);
        free(copy);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    path->text = copy;
    path->from_root = path->to_leaf = true;
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, ';');
        if (next)
            *next++ = 0;
        bool star = !strcmp(at, "*");
        if (!*at || (star && at != copy && next))
            return refuse(path, text, err);
        if (!star)
            unescape(at);
        if (!star)
            path->names[path->n++] = at;
        else if (at == copy)
            path->from_root = false;
        else
            path->to_leaf = false;
    }
    if (!path->n)
        return refuse(path, text, err);
    *out = path;
    return 0;
}

void wick_frame_path_free(struct wick_frame_path *path)
{
    if (path)
        free(path->text);
    free(path);
}

static bool begins_with_start(const struct wick_frame_path *path)
{
    return !strcmp(path->names[0], START);
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
