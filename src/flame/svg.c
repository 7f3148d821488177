/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.c - the flame graph as a picture
 *
 * One <g> per box: a <title> (what browsers show on hover), a <rect> whose class is the frame's kind, and a <text>
 * where there is room. Colours are classes of a style sheet, with a dark set for browsers that ask for it. The script
 * (web/flame/svg.js) adds zoom and search and needs nothing but these elements: a viewer that runs no scripts shows the
 * same picture.
 *
 * Boxes under the minimal width are left out, and the footer says how many: a box's place and every figure shown are
 * independent of that.
 */
#include "flame/flame.h"

#include <inttypes.h>
#include <string.h>

#include "base/frame_kind.h"
#include "flame/assets.h"
#include "flame/box_layout.h"
#include "flame/text.h"

#define ROW        18u  /* height of a row, a gap of one pixel included */
#define EDGED      4    /* boxes wider than this have an edge; the same in web/flame/svg.js */
#define PAD        12u  /* around the boxes */
#define HEAD       56u  /* above the boxes */
#define FOOT       62u  /* below the boxes */
#define CHAR_WIDTH 6.65 /* of the 11 px monospace label */

/* How many characters of the title, and of the line below it, leave room for what stands at their right. */
#define HEADING_CHARS(width) ((width) / 9 - 20)

static const struct {
    const char *text; /* as in the HTML legend */
    uint8_t kind;
} legend[] = {
    {"C2-compiled", WICK_FRAME_C2},          {"C1-compiled", WICK_FRAME_C1}, {"inlined", WICK_FRAME_INLINED},
    {"interpreted", WICK_FRAME_INTERPRETED}, {"C++", WICK_FRAME_CPP},        {"native", WICK_FRAME_NATIVE},
    {"kernel", WICK_FRAME_KERNEL},           {"stub", WICK_FRAME_STUB},      {"broken walk", WICK_FRAME_BREAK},
    {"not sampled", WICK_FRAME_UNSAMPLED},   {"object", WICK_FRAME_OBJECT},  {"boundary", WICK_FRAME_BOUNDARY},
    {"Java native", WICK_FRAME_JAVA_NATIVE},
};

static const char *legend_text(unsigned kind)
{
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
        if (legend[i].kind == kind)
            return legend[i].text;
    return "?";
}

struct picture {
    FILE *out;
    const struct wick_tree *t;
    const struct wick_flame_opts *o;
    struct wick_box_layout l;
    struct wick_strbuf sb;
    double scale; /* pixels per unit of weight */
    unsigned width, height;
};

static void emit(struct picture *p)
{
    fwrite(p->sb.buf, 1, p->sb.len, p->out);
    wick_strbuf_clear(&p->sb);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The text; where there is no room for all of it its beginning, and all as the tooltip. */
static void add_heading(struct picture *p, const char *s)
{
    struct wick_strbuf *sb = &p->sb;
    if (!wick_text_add_cut(sb, s, strlen(s), HEADING_CHARS(p->width)))
        return;
    wick_strbuf_adds(sb, "<title>");
    wick_text_add_xml(sb, s, strlen(s));
    wick_strbuf_adds(sb, "</title>");
}

static void add_head(struct picture *p)
{
    struct wick_strbuf *sb = &p->sb;
    const char *title = p->o->title ? p->o->title : "Flame graph";
    wick_strbuf_addf(
        sb,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
        "role=\"img\" aria-labelledby=\"title\" data-row=\"%u\" data-pad=\"%u\" data-char=\"%.2f\">\n<style>",
        p->width, p->height, p->width, p->height, ROW, PAD, CHAR_WIDTH);
    wick_strbuf_add(sb, wick_flame_svg_css, wick_flame_svg_css_len);
    wick_strbuf_addf(
        sb,
        "</style>\n<rect class=\"bg\" width=\"%u\" height=\"%u\"/>\n<text id=\"title\" class=\"h\" x=\"%u\" "
        "y=\"24\">",
        p->width, p->height, PAD);
    add_heading(p, title);
    wick_strbuf_addf(sb, "</text>\n<text class=\"m\" x=\"%u\" y=\"42\">", PAD);
    wick_text_add_weight(sb, wick_tree_node(p->t, WICK_TREE_ROOT)->total, p->o->unit);
    if (p->o->subtitle) {
        wick_strbuf_adds(sb, " \xc2\xb7 ");
        add_heading(p, p->o->subtitle);
    }
    wick_strbuf_addf(
        sb,
        "</text>\n<text id=\"reset\" class=\"b\" x=\"%u\" y=\"24\" text-anchor=\"end\" visibility=\"hidden\">"
        "Reset zoom</text>\n<text id=\"search\" class=\"b\" x=\"%u\" y=\"24\" text-anchor=\"end\" "
        "visibility=\"hidden\">Search</text>\n<text id=\"matched\" class=\"m\" x=\"%u\" y=\"42\" "
        "text-anchor=\"end\"></text>\n<g id=\"frames\">\n",
        p->width - PAD - 60, p->width - PAD, p->width - PAD);
    emit(p);
}

static void add_kinds(struct wick_strbuf *sb, const struct wick_tree *t, uint32_t node)
{
    struct wick_tree_split s;
    unsigned kinds = wick_tree_split_get(t, node, &s);
    if (kinds < 2) {
        wick_strbuf_adds(sb, legend_text(wick_tree_kind(t, node)));
        return;
    }
    const char *comma = "";
    for (unsigned k = 0; k < WICK_TREE_JAVA_KINDS; k++) {
        if (!s.total[k])
            continue;
        wick_strbuf_addf(sb, "%s%.3g %% %s", comma, percent(s.total[k], wick_tree_node(t, node)->total),
                         legend_text(wick_tree_java_kind(k)));
        comma = ", ";
    }
}

static void add_box(struct picture *p, const struct wick_box *b)
{
    const struct wick_tree_node *d = wick_tree_node(p->t, b->node);
    uint64_t all = wick_tree_node(p->t, WICK_TREE_ROOT)->total;
    struct wick_strbuf *sb = &p->sb;
    size_t n = 3;
    const char *name = "all";
    if (b->node != WICK_TREE_ROOT)
        name = wick_tree_name_get(p->t, d->name, &n);
    double x = PAD + (double)b->start * p->scale, w = (double)d->total * p->scale;
    unsigned row = p->o->icicle ? d->depth : p->l.depth - d->depth, y = HEAD + row * ROW;
    unsigned kind = wick_tree_kind(p->t, b->node);
    wick_strbuf_adds(sb, "<g><title>");
    wick_text_add_xml(sb, name, n);
    wick_strbuf_addc(sb, '\n');
    wick_text_add_weight(sb, d->total, p->o->unit);
    wick_strbuf_addf(sb, ", %.2f %%", percent(d->total, all));
    if (d->self && d->self != d->total) {
        wick_strbuf_adds(sb, "; self ");
        wick_text_add_weight(sb, d->self, p->o->unit);
        wick_strbuf_addf(sb, ", %.2f %%", percent(d->self, all));
    }
    if (b->node != WICK_TREE_ROOT) {
        uint32_t library = wick_tree_library(p->t, d->name);
        wick_strbuf_adds(sb, "\n");
        add_kinds(sb, p->t, b->node);
        if (library != WICK_TREE_NONE) {
            const char *s = wick_tree_name_get(p->t, library, &n);
            wick_strbuf_adds(sb, ", in ");
            wick_text_add_xml(sb, s, n);
            wick_tree_name_get(p->t, d->name, &n);
        }
    }
    wick_strbuf_addf(sb, "</title><rect class=\"k%s%u%s\" x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%u\"/>",
                     b->node == WICK_TREE_ROOT ? "r k" : "", kind, w > EDGED ? " w" : "", x, y, w, ROW - 1);
    if (w > 3 * CHAR_WIDTH + 6) {
        wick_strbuf_addf(sb, "<text x=\"%.3f\" y=\"%u\">", x + 4, y + 12);
        wick_text_add_label(sb, name, n, wick_frame_kind_is_java(kind), (size_t)((w - 6) / CHAR_WIDTH));
        wick_strbuf_adds(sb, "</text>");
    }
    wick_strbuf_adds(sb, "</g>\n");
    if (sb->len > 32768)
        emit(p);
}

static void count_self(const struct picture *p, uint64_t *by_kind)
{
    for (uint32_t i = 1; i < wick_tree_nodes(p->t); i++) {
        const struct wick_tree_node *d = wick_tree_node(p->t, i);
        struct wick_tree_split s;
        if (!wick_tree_split_get(p->t, i, &s))
            by_kind[d->kind] += d->self;
        else
            for (unsigned k = 0; k < WICK_TREE_JAVA_KINDS; k++)
                by_kind[wick_tree_java_kind(k)] += s.self[k];
    }
}

static void add_foot(struct picture *p)
{
    uint64_t by_kind[WICK_FRAME_KIND_COUNT] = {0}, all = wick_tree_node(p->t, WICK_TREE_ROOT)->total;
    struct wick_strbuf *sb = &p->sb;
    unsigned y = p->height - FOOT + 26;
    double x = PAD;
    count_self(p, by_kind);
    wick_strbuf_addf(sb, "</g>\n<g class=\"l\">\n");
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++) {
        if (!by_kind[legend[i].kind])
            continue;
        char label[64];
        int n = snprintf(label, sizeof label, "%s %.1f %%", legend[i].text, percent(by_kind[legend[i].kind], all));
        wick_strbuf_addf(sb,
                         "<rect class=\"k%u\" x=\"%.1f\" y=\"%u\" width=\"11\" height=\"11\" rx=\"2\"/>"
                         "<text x=\"%.1f\" y=\"%u\">%s</text>\n",
                         legend[i].kind, x, y - 10, x + 16, y, label);
        x += 16 + n * CHAR_WIDTH + 14;
    }
    wick_strbuf_addf(
        sb,
        "</g>\n<text id=\"details\" class=\"m\" x=\"%u\" y=\"%u\">legend: share of samples whose top frame is of "
        "that kind",
        PAD, y + 22);
    if (p->l.hidden)
        wick_strbuf_addf(sb, "; %" PRIu64 " boxes narrower than the minimal width are not drawn", p->l.hidden);
    wick_strbuf_adds(sb, "</text>\n<script><![CDATA[");
    wick_strbuf_add(sb, wick_flame_svg_js, wick_flame_svg_js_len);
    wick_strbuf_adds(sb, "]]></script>\n</svg>\n");
}

int wick_flame_write_svg(struct wick_tree *t, const struct wick_flame_opts *o, FILE *out, struct wick_err *err)
{
    struct wick_tree *reversed = NULL;
    struct picture p = {.out = out, .o = o, .width = o->width >= 300 ? o->width : 1200, .sb = WICK_STRBUF_INIT};
    int rc = o->reverse ? wick_tree_reverse(t, &reversed) : 0;
    p.t = t = reversed ? reversed : t;
    rc = rc ? rc : wick_tree_sort(t);
    if (rc)
        goto out;
    double total = (double)wick_tree_node(t, WICK_TREE_ROOT)->total, inner = p.width - 2 * PAD;
    double least = o->min_width > 0 ? o->min_width / 100 * total : total / inner / 2;
    rc = wick_box_layout_init(&p.l, t, least < total ? (uint64_t)least : (uint64_t)total);
    if (rc)
        goto out;
    p.scale = total > 0 ? inner / total : 0;
    p.height = HEAD + (p.l.depth + 1) * ROW + FOOT;
    add_head(&p);
    for (size_t i = 0; i < p.l.boxes && !p.sb.failed && !ferror(out); i++)
        add_box(&p, &p.l.box[i]);
    add_foot(&p);
    emit(&p);
    rc = p.sb.failed ? -WICK_E_NOMEM : 0;
    wick_box_layout_release(&p.l);
out:
    wick_strbuf_release(&p.sb);
    wick_tree_free(reversed);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "not enough memory to draw the flame graph");
    return wick_flame_finish(out, "flame graph", err);
}
