/* SPDX-License-Identifier: Apache-2.0 */
#include "import/collapsed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/stack_line.h"
#include "import/import_int.h"

struct stack {
    struct wick_tree_frame *frame;
    size_t len, cap;
    struct wick_strbuf room; /* for a name with escapes */
    bool escapes;            /* whether the line may have any: a search in each frame would be a fifth of the time */
};

static int push_frame(struct wick_tree *t, struct stack *st, const char *s, size_t n)
{
    if (st->len == st->cap) {
        size_t cap = st->cap ? st->cap * 2 : 256;
        struct wick_tree_frame *p = realloc(st->frame, cap * sizeof *p);
        if (!p)
            return -WICK_E_NOMEM;
        st->frame = p;
        st->cap = cap;
    }
    struct wick_import_frame f;
    wick_import_frame_parse(&f, st->escapes ? &st->room : NULL, s, n);
    if (st->room.failed)
        return -WICK_E_NOMEM;
    uint32_t name = wick_tree_name(t, f.name, f.n);
    if (name == WICK_TREE_NONE)
        return -WICK_E_LIMIT;
    st->frame[st->len++] = (struct wick_tree_frame){.name = name, .line = f.line, .kind = (uint8_t)f.kind};
    return 0;
}

/* One line without its line break. -WICK_E_FORMAT if it is no stack. */
static int add_line(struct wick_tree *t, struct stack *st, const char *s, size_t n)
{
    size_t len, frame_len;
    uint64_t weight;
    int rc = 0;
    if (!wick_stack_line_split(s, n, &len, &weight))
        return -WICK_E_FORMAT;
    st->len = 0;
    st->escapes = memchr(s, '\\', len);
    for (const char *from = s, *frame; !rc && (frame = wick_stack_line_next(&from, s + len, &frame_len));)
        rc = push_frame(t, st, frame, frame_len);
    return rc ? rc : wick_tree_add(t, st->frame, st->len, weight);
}

int wick_collapsed_read(struct wick_tree *t, FILE *in, const char *name, struct wick_err *err)
{
    struct stack st = {.room = WICK_STRBUF_INIT};
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int rc = 0;
    for (unsigned long number = 1; !rc && (n = getline(&line, &cap, in)) >= 0; number++) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            line[--n] = 0;
        if (line && n)
            rc = add_line(t, &st, line, (size_t)n);
        if (rc == -WICK_E_FORMAT)
            wick_err_set(err, WICK_E_FORMAT, "%s, line %lu: not a collapsed stack (\"root;caller;leaf weight\")", name,
                         number);
        else if (rc)
            wick_err_set(err, (enum wick_code) - rc, "%s, line %lu: %s", name, number, wick_err_text(rc));
    }
    if (!rc && ferror(in))
        rc = wick_err_set(err, WICK_E_IO, "cannot read %s: %s", name, strerror(errno));
    free(line);
    free(st.frame);
    wick_strbuf_release(&st.room);
    return rc;
}
