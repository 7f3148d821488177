/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data stands in a script element of type application/json, which nobody runs but which markup could end. So every
 * < > and & of it, which JSON has within strings only, is written as \u003c and so on: the page holds names only in
 * that form, and its script shows them as text.
 */
#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/save.h"

int wick_page_check(const char *path, struct wick_err *err)
{
    size_t n = strlen(path);
    if (!strcmp(path, "-") || (n > 5 && !strcmp(path + n - 5, ".html")))
        return 0;
    return wick_err_set(err, WICK_E_USAGE, "cannot infer the format of '%s': the name must end in .html", path);
}

static void put_data(const char *json, size_t len, FILE *out)
{
    for (const char *end = json + len; json < end;) {
        size_t plain = 0;
        while (json + plain < end && !strchr("<>&", json[plain]))
            plain++;
        fwrite(json, 1, plain, out);
        json += plain;
        if (json < end)
            fprintf(out, "\\u%04x", (unsigned char)*json++);
    }
}

/* The data, malloc'ed. */
static int make_data(const struct wick_page *page, char **json, size_t *len, struct wick_err *err)
{
    FILE *memory = open_memstream(json, len);
    int rc = memory ? page->json(page->ctx, memory) : -WICK_E_NOMEM;
    if (memory && (ferror(memory) | fclose(memory)))
        rc = -WICK_E_NOMEM;
    if (!rc)
        return 0;
    free(*json);
    return err->code ? rc : wick_err_set(err, WICK_E_NOMEM, "out of memory while making the page");
}

static void put_page(const struct wick_page *page, const char *json, size_t len, FILE *out)
{
    fputs(page->head, out);
    put_data(json, len, out);
    fputs(page->tail, out);
}

int wick_page_write(const struct wick_page *page, FILE *out, struct wick_err *err)
{
    char *json = NULL;
    size_t len = 0;
    int rc = make_data(page, &json, &len, err);
    if (rc)
        return rc;
    put_page(page, json, len, out);
    free(json);
    return 0;
}

int wick_page_save(const struct wick_page *page, const char *path, struct wick_err *err)
{
    char *json = NULL;
    size_t len = 0;
    int rc = make_data(page, &json, &len, err);
    if (rc)
        return rc;
    FILE *out = wick_save_open(path, false, err);
    rc = out ? 0 : -(int)err->code;
    if (out) {
        put_page(page, json, len, out);
        rc = wick_save_close(out, path, 0, err);
    }
    free(json);
    return rc;
}
