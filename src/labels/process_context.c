/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_context.c - see process_context.h
 *
 * The mapping is private, of a memory file: the kernel shows the file's name in maps, whatever its configuration. Where
 * memory files are forbidden it is anonymous, and gets its name by prctl, which not every kernel has; a mapping without
 * a name is of no use and is taken back.
 */
#include "labels/process_context.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "sys/maps.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* Linux 6.3 */
#endif

enum { VERSION = 2 };

bool wick_process_context_exists(void)
{
    struct wick_maps maps;
    struct wick_mapping m;
    bool found = false;
    if (wick_maps_open_process(&maps, 0))
        return false;
    while (!found && wick_maps_next(&maps, &m) == 1)
        found = wick_process_context_is_named(m.path);
    wick_maps_close(&maps);
    return found;
}

static void *map_file(size_t bytes)
{
    int fd = memfd_create(WICK_PROCESS_CONTEXT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0)
        fd = memfd_create(WICK_PROCESS_CONTEXT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return MAP_FAILED;
    void *p = ftruncate(fd, (off_t)bytes) ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    return p;
}

static void *map_anonymous(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED && prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, p, bytes, WICK_PROCESS_CONTEXT_NAME)) {
        munmap(p, bytes);
        return MAP_FAILED;
    }
    return p;
}

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static struct wick_process_context_header *map_header(void)
{
    void *p = map_file(page());
    if (p == MAP_FAILED)
        p = map_anonymous(page());
    if (p == MAP_FAILED)
        return NULL;
    if (madvise(p, page(), MADV_DONTFORK)) {
        munmap(p, page());
        return NULL;
    }
    return p;
}

/* Later than the one before, which is how a reader knows that something has changed. */
static uint64_t next_time(uint64_t before)
{
    uint64_t now = wick_clock_ns(CLOCK_BOOTTIME);
    return now > before ? now : before + 1;
}

int wick_process_context_publish(struct wick_process_context *c, const struct wick_strbuf *payload)
{
    struct wick_strbuf *next = &c->payloads[!c->turn];
    if (!next->buf)
        wick_strbuf_init(next);
    wick_strbuf_clear(next);
    wick_strbuf_add(next, payload->buf, payload->len);
    if (next->failed || payload->failed || (!c->header && !(c->header = map_header())))
        return -WICK_E_NOMEM;
    struct wick_process_context_header *h = c->header;
    uint64_t before = wick_load_relaxed(&h->published_ns);
    wick_store_relaxed(&h->published_ns, 0);
    atomic_thread_fence(memory_order_seq_cst); /* pairs: a reader's two loads of published_ns */
    memcpy(h->signature, WICK_PROCESS_CONTEXT_NAME, sizeof h->signature);
    h->version = VERSION;
    h->payload_size = (uint32_t)next->len;
    h->payload = (uint64_t)(uintptr_t)next->buf;
    atomic_thread_fence(memory_order_seq_cst); /* pairs: as above */
    wick_store_relaxed(&h->published_ns, next_time(before));
    c->turn = !c->turn;
    return 0;
}

void wick_process_context_withdraw(struct wick_process_context *c)
{
    if (c->header) {
        wick_store_relaxed(&c->header->published_ns, 0);
        atomic_thread_fence(memory_order_seq_cst); /* pairs: a reader's second load */
        munmap(c->header, page());
    }
    for (int i = 0; i < 2; i++)
        if (c->payloads[i].buf)
            wick_strbuf_release(&c->payloads[i]);
    *c = (struct wick_process_context){0};
}
