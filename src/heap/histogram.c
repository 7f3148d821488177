/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.c - see histogram.h
 *
 * It is text, "number: objects bytes class"; other lines are passed over.
 */
#include "heap/histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "model/name.h"
#include "sys/attach.h"

/* "   1:   14266   6672712  [B (java.base@21.0.1)": what is no such line is passed over. */
static int add_line(struct wick_histogram *h, const char *text, const char *class)
{
    unsigned long long objects, bytes;
    int at = 0;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    if (sscanf(text, " %*u: %llu %llu %n", &objects, &bytes, &at) != 2 || !at)
        return 0;
    size_t len = strcspn(text + at, " ");
    wick_name_add_class(&name, text + at, len, 0);
    h->objects = wick_sum_u64(h->objects, objects);
    h->bytes = wick_sum_u64(h->bytes, bytes);
    int rc = name.failed ? -WICK_E_NOMEM : 0;
    if (!rc && (!class || strstr(name.buf, class))) {
        if (h->n == h->cap) {
            size_t cap = h->cap ? h->cap * 2 : 256;
            void *p = reallocarray(h->rows, cap, sizeof *h->rows);
            rc = p ? 0 : -WICK_E_NOMEM;
            h->rows = p ? p : h->rows;
            h->cap = p ? cap : h->cap;
        }
        if (!rc)
            h->rows[h->n++] = (struct wick_histogram_row){wick_strbuf_take(&name), objects, bytes};
    }
    wick_strbuf_release(&name);
    return rc;
}

int wick_histogram_parse(struct wick_histogram *h, char *text, const char *class)
{
    char *rest = text;
    int rc = 0;
    for (char *line; !rc && (line = strsep(&rest, "\n"));)
        rc = add_line(h, line, class);
    return rc;
}

int wick_histogram_ask(struct wick_histogram *h, struct wick_proc *p, bool live, const char *class,
                       struct wick_err *err)
{
    struct wick_strbuf reply = WICK_STRBUF_INIT;
    int rc = wick_attach_command(p, "inspectheap", live ? "-live" : "-all", "", WICK_ATTACH_HEAP_NS, &reply, err);
    if (!rc && wick_histogram_parse(h, reply.buf, class))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc && !h->objects)
        rc = wick_err_set(err, WICK_E_FORMAT, "process %d answered with no histogram", (int)p->pid);
    wick_strbuf_release(&reply);
    return rc;
}

void wick_histogram_release(struct wick_histogram *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->rows[i].name);
    free(h->rows);
    *h = (struct wick_histogram){0};
}
