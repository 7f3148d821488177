/* SPDX-License-Identifier: Apache-2.0 */
#include "export/format.h"
#include "export/format_writers.h"
#include "export/picture.h"

#include <string.h>
#include <strings.h>

#define X(format, ...) static const char *const format##_extensions[] = {__VA_ARGS__, NULL};
#include "def/format.def"
#undef X

const struct wick_format wick_format_table[] = {
    {"html", html_extensions, "interactive flame graph: one page that needs no network",
     .write = wick_picture_write_html, .keep = wick_picture_keep},
    {"svg", svg_extensions, "flame graph as a picture", .write = wick_picture_write_svg, .keep = wick_picture_keep},
    {"heatmap", heatmap_extensions, "heatmap of time, with the flame graph of any range: one page", .sliced = true,
     .write = wick_heat_page_write, .keep = wick_heat_page_keep},
    {"collapsed", collapsed_extensions, "one line per stack: frames separated by ';', a space, the weight",
     .write = wick_collapsed_out_write, .keep = wick_collapsed_out_keep},
    {"pprof", pprof_extensions, "Go's pprof: a compressed profile.proto, with threads and states as labels",
     .detailed = true, .labelled = true, .write = wick_pprof_write},
    {"speedscope", speedscope_extensions, "JSON for speedscope; with -t a profile for each thread",
     .write = wick_speedscope_write},
    {"firefox", firefox_extensions, "JSON for the Firefox Profiler: threads over time", .detailed = true, .timed = true,
     .write = wick_firefox_write},
    {"trace", trace_extensions, "JSON for Perfetto and chrome://tracing: threads over time", .detailed = true,
     .timed = true, .write = wick_trace_write},
    {"otlp", otlp_extensions, "OpenTelemetry profiles: a message ProfilesData (v1development, proto 1.10 and 1.11)",
     .detailed = true, .labelled = true, .write = wick_otlp_write},
    {"csv", csv_extensions, "table of stacks for spreadsheets and databases", .detailed = true,
     .write = wick_stacks_write_csv},
    {"json", json_extensions, "the same table as JSON", .detailed = true, .write = wick_stacks_write_json},
    {NULL},
};

const struct wick_format *wick_format_by_name(const char *name)
{
    for (const struct wick_format *f = wick_format_table; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const struct wick_format *wick_format_by_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t len = strlen(name), longest = 0;
    const struct wick_format *found = NULL;
    for (const struct wick_format *f = wick_format_table; f->name; f++)
        for (const char *const *e = f->extensions; *e; e++) {
            size_t n = strlen(*e);
            if (n > longest && len > n && name[len - n - 1] == '.' && strcasecmp(*e, name + len - n) == 0) {
                found = f;
                longest = n;
            }
        }
    return found;
}
