/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context_reader.c - see context_reader.h
 *
 *      ProcessContext { Resource resource = 1; repeated KeyValue attributes = 2; }
 *
 * with the messages of resource.h. The attribute threadlocal.attribute_key_map is an array of names: that of attribute
 * number i is the i-th.
 */
#include "labels/context_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "codec/protobuf.h"
#include "codec/utf8.h"
#include "labels/process_context.h"
#include "labels/resource.h"

enum { CONTEXT_RESOURCE = 1, CONTEXT_ATTRIBUTES = 2 };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { KV_KEY = 1, KV_VALUE = 2 };
enum { VALUE_STRING = 1, VALUE_ARRAY = 5 };
enum { ARRAY_VALUES = 1 };
enum { VERSION = 2 };
enum { TRACE = 0, SPAN = 16, VALID = 24, SIZE = 26, ATTRIBUTES = 28 };

#define SERVICE "service.name"
#define UNKNOWN "unknown_service" /* or "unknown_service:java": what the specification has an SDK say without a name */
#define KEY_MAP "threadlocal.attribute_key_map"

/* Labels that wick gives by itself (docs/host.md): what a process says of itself does not replace them. */
static const char *const own[] = {
    "process", "container", "pod", "unit", "service", "cgroup", "ran-instead", "ran-instead-container", "woken-by",
    "woken-by-container", "waited-for", "waited-for-container", "waited-for-state", "fault", "device", "stall",
    "operation", "call", "peer", "local", "lock-owner", "ran-instead-cgroup", "ran-instead-cpu", "traceId", "spanId",
    /* and what OTLP calls some of them (export/otlp.c) */
    "container.id", "k8s.pod.uid", "process.pid", "process.executable.name", "thread.id", "thread.name",
    "wick.thread.state", "service.name", "host.name"};

#define OWN_GROUP "wick.java_thread."

void wick_context_reader_release(struct wick_context_reader *r)
{
    for (uint32_t i = 0; i < r->nkeys; i++)
        free(r->keys[i]);
    free(r->keys);
    free(r->service);
    *r = (struct wick_context_reader){0};
}

/* --- texts --- */

/* n bytes of any sort as UTF-8, about WICK_CONTEXT_READER_TEXT of them at most, with a backslash before those that are
 * `escaped`, and a question mark for those that are `replaced` or not to be shown. */
static void add_clean(struct wick_strbuf *out, const char *s, size_t n, const char *escaped, const char *replaced)
{
    size_t start = out->len;
    for (size_t i = 0, len; i < n && out->len - start < WICK_CONTEXT_READER_TEXT; i += len ? len : 1) {
        len = wick_utf8_length(s + i, n - i);
        if (!len || wick_utf8_is_hidden(wick_utf8_decode(s + i, len)) || (len == 1 && strchr(replaced, s[i]))) {
            wick_strbuf_addc(out, '?');
            continue;
        }
        if (len == 1 && strchr(escaped, s[i]))
            wick_strbuf_addc(out, '\\');
        wick_strbuf_add(out, s + i, len);
    }
}

void wick_context_reader_value(struct wick_strbuf *out, const char *text, size_t n)
{
    add_clean(out, text, n, "\\,=", "");
}

static char *name_of(const uint8_t *data, size_t n)
{
    struct wick_strbuf name = WICK_STRBUF_INIT;
    add_clean(&name, (const char *)data, n, "", "\\,=");
    char *text = name.failed || !name.len ? NULL : strdup(name.buf);
    wick_strbuf_release(&name);
    return text;
}

/* --- messages --- */

/* The fields of a KeyValue: its key, and what is of interest of its value. */
struct pair {
    struct wick_pb_field key, value; /* .data NULL = none */
};

static struct pair pair_of(const struct wick_pb_field *message)
{
    struct wick_pb r = wick_pb_reader(message->data, message->len);
    struct wick_pb_field f;
    struct pair p = {0};
    while (wick_pb_next(&r, &f))
        if (f.wire == WICK_PB_BYTES && f.number == KV_KEY)
            p.key = f;
        else if (f.wire == WICK_PB_BYTES && f.number == KV_VALUE)
            p.value = f;
    return p;
}

static bool is_key(const struct pair *p, const char *name)
{
    return p->key.len == strlen(name) && !memcmp(p->key.data, name, p->key.len) && p->value.data;
}

/* The field of an AnyValue that has that number; false: it has another kind of value. */
static bool value_of(const struct wick_pb_field *any, unsigned number, struct wick_pb_field *out)
{
    struct wick_pb r = wick_pb_reader(any->data, any->len);
    while (wick_pb_next(&r, out))
        if (out->wire == WICK_PB_BYTES && out->number == number)
            return true;
    return false;
}

static void take_service(struct wick_context_reader *r, const struct wick_pb_field *attribute)
{
    const struct pair p = pair_of(attribute);
    struct wick_pb_field text;
    if (r->service || !is_key(&p, SERVICE) || !value_of(&p.value, VALUE_STRING, &text))
        return;
    if (text.len < strlen(UNKNOWN) || memcmp(text.data, UNKNOWN, strlen(UNKNOWN)) != 0)
        r->service = name_of(text.data, text.len);
}

static void read_resource(struct wick_context_reader *r, const uint8_t *message, size_t n)
{
    struct wick_pb pb = wick_pb_reader(message, n);
    struct wick_pb_field f;
    while (wick_pb_next(&pb, &f))
        if (f.wire == WICK_PB_BYTES && f.number == RESOURCE_ATTRIBUTES)
            take_service(r, &f);
}

static int read_keys(struct wick_context_reader *r, const struct wick_pb_field *any)
{
    struct wick_pb_field array, f, text;
    if (r->keys || !value_of(any, VALUE_ARRAY, &array))
        return 0;
    r->keys = calloc(WICK_CONTEXT_READER_KEYS, sizeof *r->keys);
    if (!r->keys)
        return -WICK_E_NOMEM;
    struct wick_pb pb = wick_pb_reader(array.data, array.len);
    while (r->nkeys < WICK_CONTEXT_READER_KEYS && wick_pb_next(&pb, &f)) {
        if (f.wire != WICK_PB_BYTES || f.number != ARRAY_VALUES)
            continue;
        /* a name that is none keeps its place, since those behind it are counted from the start */
        r->keys[r->nkeys++] = value_of(&f, VALUE_STRING, &text) ? name_of(text.data, text.len) : NULL;
    }
    return 0;
}

int wick_context_reader_parse(struct wick_context_reader *r, const uint8_t *message, size_t n)
{
    struct wick_context_reader new = {0};
    struct wick_pb pb = wick_pb_reader(message, n);
    struct wick_pb_field f;
    int rc = 0;
    while (!rc && wick_pb_next(&pb, &f)) {
        if (f.wire != WICK_PB_BYTES)
            continue;
        if (f.number == CONTEXT_RESOURCE)
            read_resource(&new, f.data, f.len);
        const struct pair p = f.number == CONTEXT_ATTRIBUTES ? pair_of(&f) : (struct pair){0};
        if (p.key.data && is_key(&p, KEY_MAP))
            rc = read_keys(&new, &p.value);
    }
    rc = !rc && pb.bad ? -WICK_E_FORMAT : rc;
    if (rc) {
        wick_context_reader_release(&new);
        return rc;
    }
    new.published_ns = r->published_ns;
    wick_context_reader_release(r);
    *r = new;
    return 0;
}

/* --- memory --- */

/* What stands in memory, of which only published_ns changes while it is read. */
struct header {
    char signature[8];
    uint32_t version, payload_size;
    uint64_t published_ns, payload;
};
_Static_assert(sizeof(struct header) == sizeof(struct wick_process_context_header), "the same, without atomics");

/* Reads the payload that belongs to h; it does if the time is still the same afterwards. */
static int read_payload(struct wick_context_reader *r, const struct wick_mem *mem, wick_addr at, const struct header *h)
{
    struct header after;
    uint8_t *payload = malloc((size_t)h->payload_size + 1);
    if (!payload)
        return -WICK_E_NOMEM;
    int rc = wick_mem_read(mem, h->payload, payload, h->payload_size);
    rc = rc ? rc : wick_mem_read(mem, at, &after, sizeof after);
    if (!rc && (after.published_ns != h->published_ns || after.payload != h->payload))
        rc = -WICK_E_STATE;
    rc = rc ? rc : wick_context_reader_parse(r, payload, h->payload_size);
    if (!rc)
        r->published_ns = h->published_ns;
    free(payload);
    return rc;
}

int wick_context_reader_read(struct wick_context_reader *r, const struct wick_mem *mem, wick_addr header)
{
    struct header h;
    int rc = wick_mem_read(mem, header, &h, sizeof h);
    if (rc)
        return rc;
    if (memcmp(h.signature, WICK_PROCESS_CONTEXT_NAME, sizeof h.signature) || h.version != VERSION ||
        h.payload_size > WICK_CONTEXT_READER_PAYLOAD)
        return -WICK_E_FORMAT;
    if (!h.published_ns)
        return -WICK_E_STATE;
    return h.published_ns == r->published_ns ? 0 : read_payload(r, mem, header, &h);
}

/* The value of a variable in an environment; NULL = it is not there as a whole. */
static const char *variable(const char *environment, size_t n, const char *name)
{
    size_t len = strlen(name);
    for (size_t at = 0, size; at < n; at += size + 1) {
        size = strnlen(environment + at, n - at);
        if (size > len && size < n - at && !memcmp(environment + at, name, len) && environment[at + len] == '=')
            return environment + at + len + 1;
    }
    return NULL;
}

char *wick_context_reader_service_of(const char *environment, size_t n)
{
    const char *name = variable(environment, n, "OTEL_SERVICE_NAME");
    const char *attributes = variable(environment, n, "OTEL_RESOURCE_ATTRIBUTES");
    struct wick_context_reader r = {0};
    struct wick_strbuf resource = WICK_STRBUF_INIT;
    if (name || attributes)
        wick_resource_add(&resource, name, attributes);
    if (!resource.failed)
        read_resource(&r, (const uint8_t *)resource.buf, resource.len);
    wick_strbuf_release(&resource);
    return r.service;
}

/* --- records of threads --- */

static bool is_own(const char *key)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(key, own[i]))
            return true;
    return !strncmp(key, OWN_GROUP, strlen(OWN_GROUP));
}

static void add_attribute(struct wick_strbuf *out, const char *key, const uint8_t *value, size_t n)
{
    if (!strcmp(key, "wick.endpoint"))
        key = "endpoint";
    if (is_own(key) || !strcmp(key, "wick.local_root_span_id"))
        return;
    wick_strbuf_addf(out, ",%s=", key);
    wick_context_reader_value(out, (const char *)value, n);
}

/* An id of n bytes as hexadecimal digits; nothing for 0. */
static void add_id(struct wick_strbuf *out, const char *key, const uint8_t *id, size_t n)
{
    static const uint8_t none[16];
    if (!memcmp(id, none, n))
        return;
    wick_strbuf_addf(out, ",%s=", key);
    for (size_t i = 0; i < n; i++)
        wick_strbuf_addf(out, "%02x", id[i]);
}

bool wick_context_reader_labels(const struct wick_context_reader *r, const uint8_t *record, size_t n,
                                struct wick_strbuf *out)
{
    bool all = true, seen[WICK_CONTEXT_READER_KEYS] = {false};
    size_t start = out->len;
    if (n < ATTRIBUTES || record[VALID] != 1)
        return true;
    size_t size = (size_t)record[SIZE] | (size_t)record[SIZE + 1] << 8;
    size_t end = size < n - ATTRIBUTES ? ATTRIBUTES + size : n;
    for (size_t at = ATTRIBUTES; at + 2 <= end && at + 2 + record[at + 1] <= end; at += 2 + (size_t)record[at + 1]) {
        const char *key = record[at] < r->nkeys ? r->keys[record[at]] : NULL;
        size_t before = out->len;
        all &= record[at] < r->nkeys;
        if (key && !seen[record[at]])
            add_attribute(out, key, record + at + 2, record[at + 1]);
        if (out->len - start > WICK_CONTEXT_READER_LABELS)
            wick_strbuf_cut(out, before);
        seen[record[at]] = true;
    }
    add_id(out, "traceId", record + TRACE, 16);
    add_id(out, "spanId", record + SPAN, 8);
    return all;
}
