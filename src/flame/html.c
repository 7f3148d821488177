/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.c - the one-file HTML flame graph
 *
 * The page is web/flame/ put together at build time (web/embed.py) and cut in three where the title and the data
 * go in. The title is the only text from outside that is written as text, and it is escaped; everything else, names
 * included, is inside base64. The page's Content-Security-Policy names the hashes of its own style and script, so even
 * markup that got in by a mistake could not run.
 */
#include "flame/flame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "flame/assets.h"
#include "flame/pack.h"
#include "flame/text.h"

int wick_flame_finish(FILE *out, const char *what, struct wick_err *err)
{
    errno = 0;
    bool lost = ferror(out);
    if (!fflush(out) && !lost)
        return 0;
    if (lost && !errno) { /* the reason was known to some earlier fwrite only: one more byte reports it again */
        clearerr(out);
        fputc('\n', out);
        fflush(out);
    }
    int e = errno;
    if (e == ENOSPC || e == EDQUOT)
        return wick_err_set(err, WICK_E_NOSPACE, "cannot write the %s: %s; free some space or choose another place",
                            what, strerror(e));
    return wick_err_set(err, WICK_E_IO, "cannot write the %s: %s", what, e ? strerror(e) : "write failed");
}

int wick_flame_write_html(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err)
{
    struct wick_strbuf title = WICK_STRBUF_INIT;
    wick_text_add_xml(&title, o->title ? o->title : "Flame graph", strlen(o->title ? o->title : "Flame graph"));
    int rc = title.failed ? -WICK_E_NOMEM : wick_tree_sort(t);
    if (rc)
        goto out;
    fwrite(wick_flame_html_head, 1, wick_flame_html_head_len, out);
    fwrite(title.buf, 1, title.len, out);
    fwrite(wick_flame_html_body, 1, wick_flame_html_body_len, out);
    rc = wick_pack_base64(t, o, out);
    fwrite(wick_flame_html_tail, 1, wick_flame_html_tail_len, out);
out:
    wick_strbuf_release(&title);
    if (rc)
        return wick_err_set(err, (enum wick_code) - rc, "not enough memory to write the flame graph of %u nodes",
                            wick_tree_nodes(t));
    return wick_flame_finish(out, "flame graph", err);
}
