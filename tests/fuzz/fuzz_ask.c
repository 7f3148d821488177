/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests from hostile bytes: a target before the first NUL, and a body behind it. What is taken apart are strings
 * within the request, and no more of them than there can be.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/ask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_within(const char *s, const char *text, size_t n)
{
    require((s >= text && s <= text + n && memchr(s, 0, (size_t)(text + n - s) + 1)) || !*s);
}

static void check_all(const struct wick_ask *a, const char *text, size_t n)
{
    require(a->nsegments <= WICK_ASK_SEGMENTS && a->npairs <= WICK_ASK_PARAMETERS);
    for (uint32_t i = 0; i < a->nsegments; i++)
        check_within(a->segment[i], text, n);
    for (uint32_t i = 0; i < a->npairs; i++) {
        check_within(a->pair[i].key, text, n);
        check_within(a->pair[i].value, text, n);
        require(wick_ask_get(a, a->pair[i].key) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wick_ask a;
    struct wick_err err = {0};
    int64_t v;
    size_t n = strnlen((const char *)data, size), rest = n < size ? size - n - 1 : 0;
    char *target = calloc(1, n + 1), *body = calloc(1, rest + 1);
    if (!target || !body)
        abort();
    memcpy(target, data, n);
    if (rest)
        memcpy(body, data + n + 1, rest);
    if (!wick_ask_target(&a, target, &err)) {
        check_all(&a, target, n);
        if (!wick_ask_number(&a, "n", -5, 500, 7, &v, &err))
            require(v >= -5 && v <= 500);
    }
    if (!wick_ask_body(&a, body, rest, &err))
        check_all(&a, body, rest);
    free(target);
    free(body);
    return 0;
}
