/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_published.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "elf/tls_descriptor.h"

#define SYMBOL "otel_thread_ctx_v1"

#define FIRST_NS UINT64_C(1000000000)
#define LAST_NS  UINT64_C(30000000000)
#define TRY_NS   UINT64_C(100000000)

/* The most that are read in one search; an image costs as much as some. */
enum { RELOCATIONS = 65536, PER_IMAGE = 64 };

void wick_host_published_release(struct wick_host_published *p)
{
    wick_context_reader_release(&p->reader);
    *p = (struct wick_host_published){0};
}

bool wick_host_published_is_due(const struct wick_host_published *p, uint64_t now_ns)
{
    return now_ns >= p->due_ns;
}

/* The first image that exports the pointer is the one. One that was searched has none, unless its loader was still at
 * work; so only those that came since are. The process may have any images, and the search ends sooner or later. */
static bool find_threads(struct wick_host_published *p, const struct wick_mem *mem,
                         const struct wick_elf_images *images)
{
    const struct wick_elf_image *image;
    struct wick_tls_descriptor d;
    uint32_t most = RELOCATIONS, searched = p->searched;
    bool sure = true;
    for (uint32_t i = 0; most > PER_IMAGE && (image = wick_elf_images_at(images, i)); i++) {
        if (image->id < p->searched)
            continue;
        most -= PER_IMAGE;
        int rc = wick_tls_descriptor_find(mem, image, SYMBOL, &most, &d);
        if (!rc) {
            p->threads = (struct wick_host_publisher){d.dynamic, d.module, d.offset};
            return true;
        }
        sure &= rc == -WICK_E_NOTFOUND;
        searched = sure ? image->id + 1 : searched;
    }
    p->searched = searched;
    return false;
}

static bool differs(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) != 0 : a != b;
}

bool wick_host_published_read(struct wick_host_published *p, const struct wick_host_space *space,
                              const struct wick_elf_images *images, uint64_t now_ns, bool *moved)
{
    char *before = p->reader.service ? strdup(p->reader.service) : NULL;
    bool had_threads = p->has_threads;
    if (!space->context_at && p->reader.published_ns)
        wick_host_published_release(p); /* it has stopped */
    p->wait_ns = !p->wait_ns ? FIRST_NS : p->wait_ns < LAST_NS / 2 ? 2 * p->wait_ns : LAST_NS;
    p->due_ns = now_ns + p->wait_ns;
    if (space->context_at) {
        /* what is being changed is read the next time */
        wick_context_reader_read(&p->reader, &space->mem, space->context_at);
        p->has_threads = p->has_threads || (p->reader.nkeys && find_threads(p, &space->mem, images));
    }
    *moved = p->has_threads != had_threads;
    bool changed = differs(before, p->reader.service);
    free(before);
    return changed;
}

void wick_host_published_labels(struct wick_host_published *p, const struct wick_host_space *space,
                                const uint8_t *record, uint32_t n, uint64_t now_ns, struct wick_strbuf *out)
{
    size_t start = out->len;
    if (wick_context_reader_labels(&p->reader, record, n, out) || !space || !space->context_at ||
        now_ns < p->tried_ns + TRY_NS)
        return;
    p->tried_ns = now_ns;
    if (wick_context_reader_read(&p->reader, &space->mem, space->context_at))
        return;
    wick_strbuf_cut(out, start);
    wick_context_reader_labels(&p->reader, record, n, out);
}
