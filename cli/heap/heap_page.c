/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page is that of a flame graph (flame/html.c) with a treemap and the suspects above, put together by web/embed.py.
 * The dominator tree by class is packed as a call tree; the suspects are JSON, in which codec/json.h leaves no '<'.
 */
#include "cli/heap/heap_page.h"

#include <inttypes.h>
#include <string.h>

#include "cli/heap/heap_assets.h"
#include "cli/save.h"
#include "cli/ui.h"
#include "codec/json.h"
#include "flame/flame.h"
#include "flame/pack.h"
#include "flame/text.h"

enum { MOST_STEPS = 40 };

static void put_line(struct wick_json *j, struct wick_strbuf *line)
{
    wick_json_str(j, line->buf, line->len);
    wick_strbuf_clear(line);
}

static void put_path(struct wick_json *j, struct wick_heap_report *r, const struct wick_heap_path *p)
{
    struct wick_strbuf line = WICK_STRBUF_INIT;
    if (p->n) {
        wick_strbuf_adds(&line, "GC root: ");
        wick_heap_root_add(&r->graph, p->objects[0], &line);
        put_line(j, &line);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (i == MOST_STEPS / 2 && p->n > MOST_STEPS) {
            wick_strbuf_addf(&line, "... %u more objects ...", p->n - MOST_STEPS);
            put_line(j, &line);
            i = p->n - MOST_STEPS / 2;
        }
        if (i) {
            wick_heap_reference_add(&r->graph, p->objects[i - 1], p->objects[i], &line);
            wick_strbuf_adds(&line, " \xe2\x86\x92 ");
        }
        wick_heap_object_add(&r->graph, p->objects[i], &line);
        put_line(j, &line);
    }
    wick_strbuf_release(&line);
}

static void put_kept(struct wick_json *j, struct wick_heap_report *r, const struct wick_heap_suspect *s)
{
    struct wick_strbuf line = WICK_STRBUF_INIT;
    char a[32], b[32];
    if (s->alike) {
        wick_strbuf_addf(&line, "and %s more of its class, held by the same object: %s",
                         wick_ui_count(s->alike, a, sizeof a), wick_ui_binary(s->alike_retained, b, sizeof b));
        put_line(j, &line);
    }
    for (size_t k = 0; k < WICK_HEAP_KEPT && s->kept[k].objects; k++) {
        wick_strbuf_addf(&line, "%s %s of ", k ? "and" : "keeps", wick_ui_count(s->kept[k].objects, a, sizeof a));
        wick_heap_class_name(&r->graph.classes, s->kept[k].class, &line);
        wick_strbuf_addf(&line, ", %s", wick_ui_binary(s->kept[k].retained, b, sizeof b));
        put_line(j, &line);
    }
    wick_strbuf_release(&line);
}

static void write_facts(struct wick_heap_report *r, FILE *out)
{
    struct wick_json j = {.out = out};
    struct wick_strbuf head = WICK_STRBUF_INIT;
    wick_json_open(&j, '{');
    wick_json_key(&j, "suspects");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < r->retained.nsuspects; i++) {
        const struct wick_heap_suspect *s = &r->retained.suspects[i];
        wick_strbuf_clear(&head);
        wick_heap_object_add(&r->graph, s->object, &head);
        wick_strbuf_addf(&head, "  0x%" PRIx64, wick_heap_graph_brief(&r->graph, s->object).id);
        wick_json_open(&j, '{');
        wick_json_key(&j, "head");
        wick_json_str(&j, head.buf, head.len);
        wick_json_key(&j, "retained");
        wick_json_uint(&j, s->retained);
        wick_json_key(&j, "lines");
        wick_json_open(&j, '[');
        put_kept(&j, r, s);
        put_path(&j, r, &r->paths[i]);
        wick_json_close(&j, ']');
        wick_json_close(&j, '}');
    }
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
    wick_strbuf_release(&head);
}

static int write_page(struct wick_heap_report *r, const struct wick_heap_table *t, FILE *out, struct wick_err *err)
{
    struct wick_strbuf title = WICK_STRBUF_INIT, escaped = WICK_STRBUF_INIT, subtitle = WICK_STRBUF_INIT;
    char a[32];
    const char *name = strrchr(t->title, '/');
    if (t->heading)
        wick_strbuf_adds(&title, t->heading);
    else
        wick_strbuf_addf(&title, "Heap of %s", name ? name + 1 : t->title);
    wick_text_add_xml(&escaped, title.buf, title.len);
    wick_strbuf_addf(&subtitle, "retained, by class of dominators \xc2\xb7 %s objects alive",
                     wick_ui_count(r->retained.objects, a, sizeof a));
    const struct wick_flame_opts o = {.title = title.buf, .subtitle = subtitle.buf, .unit = "bytes", .icicle = true};
    int rc = title.failed || escaped.failed || subtitle.failed ? -WICK_E_NOMEM : wick_tree_sort(r->retained.tree);
    if (!rc) {
        fwrite(wick_heap_assets_head, 1, wick_heap_assets_head_len, out);
        fwrite(escaped.buf, 1, escaped.len, out);
        fwrite(wick_heap_assets_body, 1, wick_heap_assets_body_len, out);
        rc = wick_pack_base64(r->retained.tree, &o, out);
    }
    if (!rc) {
        fwrite(wick_heap_assets_facts, 1, wick_heap_assets_facts_len, out);
        write_facts(r, out);
        fwrite(wick_heap_assets_tail, 1, wick_heap_assets_tail_len, out);
    }
    wick_strbuf_release(&title);
    wick_strbuf_release(&escaped);
    wick_strbuf_release(&subtitle);
    return rc ? wick_err_set(err, WICK_E_NOMEM, "out of memory while making the page") : 0;
}

int wick_heap_page_save(struct wick_heap_report *r, const struct wick_heap_table *t, const char *path,
                        struct wick_err *err)
{
    FILE *out = wick_save_open(path, false, err);
    return out ? wick_save_close(out, path, write_page(r, t, out, err), err) : -err->code;
}
