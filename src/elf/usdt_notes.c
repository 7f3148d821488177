/* SPDX-License-Identifier: Apache-2.0 */
#include "elf/usdt_notes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define OWNER      "stapsdt"
#define TYPE       3u
#define MOST_BYTES ((uint64_t)16 << 20)
#define SEGMENTS   64

/* The notes of a file, and what addresses are in it. */
struct notes {
    const struct wick_elf_file *file;
    Elf64_Phdr segments[SEGMENTS];
    uint32_t nsegments;
    uint8_t *bytes;
};

static int read_segments(struct notes *n)
{
    Elf64_Ehdr e;
    int rc = wick_mem_read(&n->file->mem, 0, &e, sizeof e);
    if (rc || e.e_phentsize != sizeof *n->segments)
        return rc;
    n->nsegments = e.e_phnum < SEGMENTS ? e.e_phnum : SEGMENTS;
    return wick_mem_read(&n->file->mem, e.e_phoff, n->segments, n->nsegments * sizeof *n->segments);
}

/* Where an address is in the file, if it is in a segment with that right. */
static bool find_place(const struct notes *n, uint64_t address, uint32_t right, uint64_t *place)
{
    for (uint32_t i = 0; i < n->nsegments; i++) {
        const Elf64_Phdr *p = &n->segments[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & right) || address < p->p_vaddr ||
            address - p->p_vaddr >= p->p_filesz)
            continue;
        *place = p->p_offset + (address - p->p_vaddr);
        return *place >= p->p_offset && *place < n->file->size;
    }
    return false;
}

/* The text that begins there, and what follows it; NULL if it has no end. */
static const char *take_text(const char **at, size_t *left)
{
    const char *text = *at;
    size_t len = strnlen(text, *left);
    if (len == *left)
        return NULL;
    *at += len + 1;
    *left -= len + 1;
    return text;
}

/* A note's content. False: it makes no sense. */
static bool parse(const struct notes *n, const uint8_t *content, size_t len, struct wick_elf_usdt *out)
{
    uint64_t addresses[3];
    if (len < sizeof addresses)
        return false;
    memcpy(addresses, content, sizeof addresses);
    const char *at = (const char *)content + sizeof addresses;
    size_t left = len - sizeof addresses;
    out->provider = take_text(&at, &left);
    out->name = out->provider ? take_text(&at, &left) : NULL;
    out->arguments = out->name ? take_text(&at, &left) : NULL;
    out->semaphore = 0;
    uint64_t moved = n->file->usdt_base.addr && addresses[1] ? n->file->usdt_base.addr - addresses[1] : 0;
    return out->arguments && find_place(n, addresses[0] + moved, PF_X, &out->place) &&
           (!addresses[2] || find_place(n, addresses[2] + moved, PF_W, &out->semaphore));
}

int wick_elf_usdt_each(const struct wick_elf_file *f, void (*found)(void *arg, const struct wick_elf_usdt *probe),
                       void *arg)
{
    struct notes n = {.file = f};
    uint64_t size = f->usdt.size;
    if (!size)
        return -WICK_E_NOTFOUND;
    if (size > MOST_BYTES)
        return -WICK_E_LIMIT;
    int rc = read_segments(&n);
    n.bytes = rc ? NULL : malloc(size);
    if (!n.bytes)
        return rc ? rc : -WICK_E_NOMEM;
    rc = wick_mem_read(&f->mem, f->usdt.off, n.bytes, size);
    for (uint64_t at = 0; !rc && size - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr h;
        struct wick_elf_usdt probe;
        memcpy(&h, n.bytes + at, sizeof h);
        uint64_t name = ((uint64_t)h.n_namesz + 3) & ~UINT64_C(3), content = ((uint64_t)h.n_descsz + 3) & ~UINT64_C(3);
        uint64_t rest = size - at - sizeof h;
        if (name > rest || h.n_descsz > rest - name)
            break;
        const uint8_t *owner = n.bytes + at + sizeof h;
        if (h.n_type == TYPE && h.n_namesz == sizeof OWNER && !memcmp(owner, OWNER, sizeof OWNER) &&
            parse(&n, owner + name, h.n_descsz, &probe))
            found(arg, &probe);
        at += sizeof h + name + (content < rest - name ? content : rest - name);
    }
    free(n.bytes);
    return rc;
}
