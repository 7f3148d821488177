/* SPDX-License-Identifier: Apache-2.0 */
#include "export/format.h"
#include "export/collapsed.h"
#include "export/picture.h"

#include <string.h>
#include <strings.h>

static const char *const html_extensions[] = {"html", "htm", NULL};
static const char *const svg_extensions[] = {"svg", NULL};
static const char *const collapsed_extensions[] = {"collapsed", "folded", "txt", NULL};

const struct wick_format wick_formats[] = {
    {"html", html_extensions, "flame graph to look into: one page that needs no network", wick_picture_write_html,
     wick_picture_keep},
    {"svg", svg_extensions, "flame graph as a picture", wick_picture_write_svg, wick_picture_keep},
    {"collapsed", collapsed_extensions, "one line a stack: frames separated by ';', a space, the weight",
     wick_collapsed_write, wick_collapsed_keep},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct wick_format *wick_format_by_name(const char *name)
{
    for (const struct wick_format *f = wick_formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const struct wick_format *wick_format_by_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (const struct wick_format *f = wick_formats; dot && f->name; f++)
        for (const char *const *e = f->extensions; *e; e++)
            if (strcasecmp(*e, dot + 1) == 0)
                return f;
    return NULL;
}
