/* SPDX-License-Identifier: Apache-2.0 */
#include "import/collapsed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame_kind.h"
#include "import/import_int.h"

struct stack {
    struct wick_tree_frame *frame;
    size_t len, cap;
};

static int kind_of_letter(char letter)
{
    switch (letter) {
#define X(name, id, jfr_name, l, is_java) \
    case l:                               \
        return id;
#include "def/frame.def"
#undef X
    default:
        return -1;
    }
}

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
    int kind = n > 4 && s[n - 1] == ']' && !memcmp(s + n - 4, "_[", 2) ? kind_of_letter(s[n - 2]) : -1;
    if (kind >= 0)
        n -= 4;
    else
        kind = (int)wick_import_guess_kind(s, n);
    if (kind == WICK_FRAME_BREAK)
        kind = (int)wick_frame_kind_of_break(s, n);
    uint64_t line = 0, scale = 1;
    size_t digits = 0;
    while (wick_frame_kind_is_java((unsigned)kind) && digits < 6 && digits + 1 < n && s[n - 1 - digits] >= '0' &&
           s[n - 1 - digits] <= '9') {
        line += scale * (uint64_t)(s[n - 1 - digits++] - '0');
        scale *= 10;
    }
    if (digits && n > digits + 1 && s[n - 1 - digits] == ':')
        n -= digits + 1;
    else
        line = 0;
    uint32_t name = wick_tree_name(t, s, n);
    if (name == WICK_TREE_NONE)
        return -WICK_E_LIMIT;
    st->frame[st->len++] = (struct wick_tree_frame){.name = name, .line = (uint32_t)line, .kind = (uint8_t)kind};
    return 0;
}

/* One line without its line break. -WICK_E_FORMAT if it is no stack. */
static int add_line(struct wick_tree *t, struct stack *st, char *s, size_t n)
{
    char *end, *space = memrchr(s, ' ', n);
    if (!space || space == s || space[1] < '0' || space[1] > '9')
        return -WICK_E_FORMAT;
    errno = 0;
    unsigned long long weight = strtoull(space + 1, &end, 10);
    if (errno || end != s + n)
        return -WICK_E_FORMAT;
    st->len = 0;
    for (char *from = s; from <= space;) {
        char *semi = memchr(from, ';', (size_t)(space - from));
        char *to = semi ? semi : space;
        int rc = to > from ? push_frame(t, st, from, (size_t)(to - from)) : 0;
        if (rc)
            return rc;
        from = to + 1;
    }
    return wick_tree_add(t, st->frame, st->len, weight);
}

int wick_collapsed_read(struct wick_tree *t, FILE *in, const char *name, struct wick_err *err)
{
    struct stack st = {0};
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
    return rc;
}
