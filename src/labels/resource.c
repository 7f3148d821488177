/* SPDX-License-Identifier: Apache-2.0 */
#include "labels/resource.h"

#include <stdbool.h>
#include <string.h>

#include "codec/protobuf.h"
#include "codec/utf8.h"

enum { KV_KEY = 1, KV_VALUE };
enum { VALUE_STRING = 1, VALUE_ARRAY = 5 };
enum { ARRAY_VALUES = 1 };
enum { RESOURCE_ATTRIBUTES = 1 };

#define SERVICE_NAME "service.name"

/* A field with text that is made UTF-8. */
static void put_text(struct wick_strbuf *out, unsigned field, const char *s, size_t len)
{
    struct wick_strbuf clean = WICK_STRBUF_INIT;
    wick_utf8_add(&clean, s, len);
    wick_pb_message(out, field, &clean);
    wick_strbuf_release(&clean);
}

static void put_pair(struct wick_strbuf *out, unsigned field, const char *key, const struct wick_strbuf *value)
{
    struct wick_strbuf pair = WICK_STRBUF_INIT;
    put_text(&pair, KV_KEY, key, strlen(key));
    wick_pb_message(&pair, KV_VALUE, value);
    wick_pb_message(out, field, &pair);
    wick_strbuf_release(&pair);
}

void wick_resource_text(struct wick_strbuf *out, unsigned field, const char *key, const char *value, size_t len)
{
    struct wick_strbuf any = WICK_STRBUF_INIT;
    put_text(&any, VALUE_STRING, value, len);
    put_pair(out, field, key, &any);
    wick_strbuf_release(&any);
}

void wick_resource_texts(struct wick_strbuf *out, unsigned field, const char *key, const char *const *values,
                         uint32_t n)
{
    struct wick_strbuf array = WICK_STRBUF_INIT, any = WICK_STRBUF_INIT;
    for (uint32_t i = 0; i < n; i++) {
        wick_strbuf_clear(&any);
        put_text(&any, VALUE_STRING, values[i], strlen(values[i]));
        wick_pb_message(&array, ARRAY_VALUES, &any);
    }
    wick_strbuf_clear(&any);
    wick_pb_message(&any, VALUE_ARRAY, &array);
    put_pair(out, field, key, &any);
    wick_strbuf_release(&array);
    wick_strbuf_release(&any);
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Appends s .. end without the spaces around it and with %XX resolved. False if it is malformed. */
static bool decode(struct wick_strbuf *out, const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\t'))
        s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    for (; s < end; s++) {
        if (*s != '%') {
            wick_strbuf_addc(out, *s);
            continue;
        }
        if (end - s < 3 || digit(s[1]) < 0 || digit(s[2]) < 0 || (digit(s[1]) | digit(s[2])) == 0)
            return false;
        wick_strbuf_addc(out, (char)(digit(s[1]) << 4 | digit(s[2])));
        s += 2;
    }
    return true;
}

/* One "key=value" of the list; returns whether it was the service's name. */
static bool add_listed(struct wick_strbuf *out, const char *s, const char *end, bool has_name)
{
    struct wick_strbuf key = WICK_STRBUF_INIT, value = WICK_STRBUF_INIT;
    const char *equals = memchr(s, '=', (size_t)(end - s));
    bool good = equals && decode(&key, s, equals) && decode(&value, equals + 1, end) && key.len > 0;
    bool is_name = good && !strcmp(key.buf, SERVICE_NAME);
    if (good && !(is_name && has_name))
        wick_resource_text(out, RESOURCE_ATTRIBUTES, key.buf, value.buf, value.len);
    wick_strbuf_release(&key);
    wick_strbuf_release(&value);
    return is_name;
}

void wick_resource_add(struct wick_strbuf *out, const char *name, const char *attributes)
{
    bool named = name && *name;
    if (named)
        wick_resource_text(out, RESOURCE_ATTRIBUTES, SERVICE_NAME, name, strlen(name));
    for (const char *s = attributes, *end; s && *s; s = *end ? end + 1 : end) {
        end = strchrnul(s, ',');
        named = add_listed(out, s, end, named) || named;
    }
    if (!named) {
        static const char unknown[] = "unknown_service:java";
        wick_resource_text(out, RESOURCE_ATTRIBUTES, SERVICE_NAME, unknown, sizeof unknown - 1);
    }
}
