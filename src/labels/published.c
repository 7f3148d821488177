/* SPDX-License-Identifier: Apache-2.0 */
/*
 * published.c - see published.h
 */
#include "labels/published.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "codec/protobuf.h"
#include "labels/foreign.h"
#include "labels/resource.h"

enum { CONTEXT_RESOURCE = 1, CONTEXT_ATTRIBUTES }; /* fields of ProcessContext */

/* Its place is found through a TLS descriptor, by us as by readers, who search for the symbol's relocation. */
extern __attribute__((visibility("default"))) __thread struct wick_published_record *otel_thread_ctx_v1;
__thread struct wick_published_record *otel_thread_ctx_v1;

/* Not inlined: glibc before 2.40 may lose vector registers in a descriptor's first call. Nothing is in one here. */
__attribute__((noinline)) void wick_published_point(struct wick_published_record *r)
{
    otel_thread_ctx_v1 = r;
}

struct wick_published_record *wick_published_record(const struct wick_published *p, uint32_t n)
{
    return p->records ? &p->records[n] : NULL;
}

static void add_thread_attributes(const struct wick_published *p, struct wick_strbuf *out)
{
    static const char version[] = "tlsdesc_v1_dev";
    wick_resource_text(out, CONTEXT_ATTRIBUTES, "threadlocal.schema_version", version, sizeof version - 1);
    wick_resource_texts(out, CONTEXT_ATTRIBUTES, "threadlocal.attribute_key_map", (const char *const *)p->keys,
                        p->key_count);
}

static int publish_locked(struct wick_published *p)
{
    struct wick_strbuf context = WICK_STRBUF_INIT, resource = WICK_STRBUF_INIT;
    wick_resource_add(&resource, p->resource.service_name, p->resource.attributes);
    wick_pb_message(&context, CONTEXT_RESOURCE, &resource);
    add_thread_attributes(p, &context);
    int r = wick_process_context_publish(&p->process, &context);
    wick_strbuf_release(&context);
    wick_strbuf_release(&resource);
    return r;
}

static int key_locked(struct wick_published *p, const char *s, size_t len)
{
    for (uint32_t i = 0; i < p->key_count; i++)
        if (strlen(p->keys[i]) == len && !memcmp(p->keys[i], s, len))
            return (int)i;
    char *copy = p->key_count < WICK_PUBLISHED_KEYS ? strndup(s, len) : NULL;
    if (!copy)
        return -1;
    p->keys[p->key_count] = copy;
    return (int)p->key_count++;
}

/* Gives a key back that nobody has heard of. */
static void forget_locked(struct wick_published *p)
{
    free(p->keys[--p->key_count]);
}

static int begin_locked(struct wick_published *p, const struct wick_mem *mem, uint32_t records)
{
    if (wick_process_context_exists() || wick_label_foreign_exists(mem))
        return -WICK_E_STATE;
    if (key_locked(p, "wick.local_root_span_id", 23) != WICK_PUBLISHED_ROOT ||
        key_locked(p, "wick.endpoint", 13) != WICK_PUBLISHED_ENDPOINT)
        return -WICK_E_NOMEM;
    size_t bytes = (size_t)records * sizeof *p->records;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return -WICK_E_NOMEM;
    int r = publish_locked(p);
    if (r)
        munmap(at, bytes);
    else
        p->records = at;
    return r;
}

int wick_published_begin(struct wick_published *p, const struct wick_mem *mem,
                         const struct wick_published_resource *resource, uint32_t records)
{
    pthread_mutex_lock(&p->lock);
    p->resource = *resource;
    int r = p->records ? 0 : begin_locked(p, mem, records);
    pthread_mutex_unlock(&p->lock);
    return r;
}

int wick_published_key(struct wick_published *p, const char *s, size_t len)
{
    pthread_mutex_lock(&p->lock);
    uint32_t before = p->key_count;
    int index = p->process.header ? key_locked(p, s, len) : -1;
    if (index >= 0 && p->key_count > before && publish_locked(p)) {
        forget_locked(p);
        index = -1;
    }
    pthread_mutex_unlock(&p->lock);
    return index;
}

void wick_published_end(struct wick_published *p)
{
    pthread_mutex_lock(&p->lock);
    wick_process_context_withdraw(&p->process);
    pthread_mutex_unlock(&p->lock);
}
