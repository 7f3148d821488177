/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_md - the tables of docs/events.md, from the event list
 *
 *     events_md               prints the tables
 *     events_md --check FILE  exit status 1 if FILE does not contain them, word for word
 *     events_md --update FILE rewrites what FILE has between the two marker lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "jfr/format/schema.h"

#define BEGIN_MARK "<!-- begin: made from src/def by tests/jfr/events_md -->\n"
#define END_MARK   "<!-- end -->\n"

static const char *type_name(enum wick_jfr_type_id type)
{
    switch ((int)type) {
#define TYPE(N, jfr_name, ...) \
    case WICK_JFR_TYPE_##N:    \
        return jfr_name;
#define MEMBER(...)
#include "def/jfr_type.def"
#undef TYPE
#undef MEMBER
    default:
        return "?";
    }
}

static void add_tables(struct wick_strbuf *b)
{
    for (int e = 0; e < WICK_JFR_EVENT_COUNT; e++) {
        const struct wick_jfr_event_info *ev = &wick_jfr_events[e];
        wick_strbuf_addf(
            b, "\n### %s\n\n%s (%s%s%s)%s%s\n\n| field | type | unit | meaning |\n| --- | --- | --- | --- |\n",
            ev->jfr_name, ev->label, ev->category, ev->subcategory ? " / " : "", ev->subcategory ? ev->subcategory : "",
            ev->description ? ": " : "", ev->description ? ev->description : "");
        for (int f = (int)ev->first_field; f < (int)ev->end_field; f++) {
            const struct wick_jfr_field_info *field = &wick_jfr_fields[f];
            const struct wick_jfr_kind_info *k = &wick_jfr_kinds[field->kind];
            wick_strbuf_addf(b, "| `%s` | %s | %s | %s |\n", field->jfr_name, type_name(k->type), k->unit,
                             field->description ? field->description : field->label);
        }
    }
    wick_strbuf_adds(b, "\n### Causes of drops\n\n| `wick.Drops.name` | meaning |\n| --- | --- |\n");
#define X(N, name, description) wick_strbuf_adds(b, "| `" name "` | " description " |\n");
#include "def/drop.def"
#undef X
    wick_strbuf_adds(b, "\n### Frame types\n\n| id | name | Java method |\n| --- | --- | --- |\n");
#define X(N, id, name, letter, is_java) wick_strbuf_addf(b, "| %d | %s | %s |\n", id, name, (is_java) ? "yes" : "no");
#include "def/frame.def"
#undef X
}

static int read_file(const char *path, struct wick_strbuf *out)
{
    FILE *f = fopen(path, "r");
    char buf[4096];
    size_t n;
    if (!f)
        return -1;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        wick_strbuf_add(out, buf, n);
    return fclose(f);
}

static int update(const char *path, struct wick_strbuf *doc, const struct wick_strbuf *tables)
{
    char *begin = strstr(doc->buf, BEGIN_MARK), *end = begin ? strstr(begin, END_MARK) : NULL;
    if (!end) {
        fprintf(stderr, "%s: no marker lines\n", path);
        return 1;
    }
    FILE *f = fopen(path, "w");
    if (!f)
        return 1;
    fwrite(doc->buf, 1, (size_t)(begin - doc->buf) + strlen(BEGIN_MARK), f);
    fputs(tables->buf, f);
    fputs(end, f);
    return fclose(f) ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct wick_strbuf tables = WICK_STRBUF_INIT, doc = WICK_STRBUF_INIT;
    int status = 0;
    add_tables(&tables);
    if (argc == 1)
        fputs(tables.buf, stdout);
    else if (argc != 3 || read_file(argv[2], &doc)) {
        fputs("usage: events_md [--check FILE | --update FILE]\n", stderr);
        status = 2;
    } else if (!strcmp(argv[1], "--update"))
        status = update(argv[2], &doc, &tables);
    else if (!strstr(doc.buf, tables.buf)) {
        fprintf(stderr, "%s does not agree with src/def: run events_md --update %s\n", argv[2], argv[2]);
        status = 1;
    }
    wick_strbuf_release(&tables);
    wick_strbuf_release(&doc);
    return status;
}
