/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader's own symbol lookup, done from outside.
 *
 *   DT_GNU_HASH   nbuckets, symoffset, bloom words, bloom shift | bloom filter u64[] | buckets u32[] | chains u32[]
 *                 bucket[hash % nbuckets] is the index of the first symbol of a chain, or 0; chain[i - symoffset] is
 *                 the hash of symbol i, with the lowest bit set at the last one of its chain
 *   DT_HASH       nbucket, nchain | buckets u32[] | chains u32[] (System V ABI; nchain is the number of symbols)
 *
 * glibc stores absolute addresses into the dynamic section when it loads an image; musl does not, nor does anybody for
 * the vDSO. An address inside the image is taken as it is, anything else is relative to the bias.
 *
 * The bloom filter is not consulted: it saves the loader time over hundreds of libraries, and us one read in one.
 */
#include "elf/dynsym.h"

#include <elf.h>
#include <string.h>

#include "base/err.h"

#define MAX_DYN    1024    /* entries of a dynamic section; usual are 30 */
#define MAX_CHAIN  4096    /* symbols of one hash bucket */
#define MAX_BUCKET 1048576 /* buckets read to count symbols */
#define MAX_NAME   256

static wick_addr absolute(const struct wick_elf_image *img, uint64_t v)
{
    if (v >= img->map_lo && v < img->map_hi)
        return v;
    v += img->bias;
    return v >= img->map_lo && v < img->map_hi ? v : 0;
}

int wick_elf_dyn_read(const struct wick_mem *mem, const struct wick_elf_image *image, struct wick_elf_dyn *out)
{
    struct wick_elf_dyn d = {0};
    if (!image->dyn)
        return -WICK_E_NOTFOUND;
    uint32_t n = image->dyn_size / sizeof(Elf64_Dyn);
    for (uint32_t i = 0; i < n && i < MAX_DYN; i++) {
        Elf64_Dyn e;
        int rc = wick_mem_read(mem, image->dyn + i * sizeof e, &e, sizeof e);
        if (rc)
            return rc;
        switch (e.d_tag) {
        case DT_NULL:
            n = 0;
            break;
        case DT_SYMTAB:
            d.symtab = absolute(image, e.d_un.d_ptr);
            break;
        case DT_STRTAB:
            d.strtab = absolute(image, e.d_un.d_ptr);
            break;
        case DT_STRSZ:
            d.strtab_size = e.d_un.d_val;
            break;
        case DT_GNU_HASH:
            d.gnu_hash = absolute(image, e.d_un.d_ptr);
            break;
        case DT_HASH:
            d.hash = absolute(image, e.d_un.d_ptr);
            break;
        case DT_RELA:
            d.rela = absolute(image, e.d_un.d_ptr);
            break;
        case DT_RELASZ:
            d.rela_size = e.d_un.d_val;
            break;
        case DT_JMPREL:
            d.jmprel = absolute(image, e.d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            d.jmprel_size = e.d_un.d_val;
            break;
        case DT_VERSYM:
            d.versym = absolute(image, e.d_un.d_ptr);
            break;
        case DT_VERNEED:
            d.verneed = absolute(image, e.d_un.d_ptr);
            break;
        }
    }
    if (!d.symtab || !d.strtab || (!d.gnu_hash && !d.hash))
        return -WICK_E_NOTFOUND;
    *out = d;
    return 0;
}

struct gnu_head {
    uint32_t nbuckets, symoffset, bloom_size, bloom_shift;
};

/* Reads the head of the GNU hash table and finds its parts. */
static int gnu_open(const struct wick_mem *mem, wick_addr at, struct gnu_head *h, wick_addr *buckets, wick_addr *chains)
{
    int rc = wick_mem_read(mem, at, h, sizeof *h);
    if (rc)
        return rc;
    if (!h->nbuckets)
        return -WICK_E_NOTFOUND;
    *buckets = at + sizeof *h + (uint64_t)h->bloom_size * 8;
    *chains = *buckets + (uint64_t)h->nbuckets * 4;
    return 0;
}

static int count_gnu(const struct wick_mem *mem, wick_addr at, uint32_t *count)
{
    struct gnu_head h;
    wick_addr buckets, chains;
    uint32_t block[256], last = 0, word;
    int rc = gnu_open(mem, at, &h, &buckets, &chains);
    if (rc)
        return rc;
    if (h.nbuckets > MAX_BUCKET)
        return -WICK_E_FORMAT;
    for (uint32_t i = 0; i < h.nbuckets; i += 256) {
        uint32_t n = h.nbuckets - i < 256 ? h.nbuckets - i : 256;
        rc = wick_mem_read(mem, buckets + (uint64_t)i * 4, block, n * 4);
        if (rc)
            return rc;
        for (uint32_t k = 0; k < n; k++)
            last = block[k] > last ? block[k] : last;
    }
    if (last < h.symoffset) {
        *count = h.symoffset;
        return 0;
    }
    for (uint32_t i = 0; i < MAX_CHAIN; i++) {
        rc = wick_mem_read(mem, chains + (uint64_t)(last - h.symoffset) * 4, &word, 4);
        if (rc)
            return rc;
        last++;
        if (word & 1) {
            *count = last;
            return 0;
        }
    }
    return -WICK_E_FORMAT;
}

int wick_elf_dyn_count(const struct wick_mem *mem, const struct wick_elf_dyn *dyn, uint32_t *count)
{
    if (!dyn->hash)
        return count_gnu(mem, dyn->gnu_hash, count);
    uint32_t head[2];
    int rc = wick_mem_read(mem, dyn->hash, head, sizeof head);
    if (!rc)
        *count = head[1];
    return rc;
}

/* What is searched for; len counts the NUL. A thread-local symbol's value is no address, so it is another kind. */
struct wanted {
    const char *name;
    size_t len;
    bool is_tls;
};

/* Is symbol i the one, and defined? 1 or 0, or an error. */
static int matches(const struct wick_mem *mem, const struct wick_elf_dyn *d, uint32_t i, const struct wanted *w,
                   uint64_t *value)
{
    Elf64_Sym s;
    char buf[MAX_NAME];
    int rc = wick_mem_read(mem, d->symtab + (uint64_t)i * sizeof s, &s, sizeof s);
    if (rc)
        return rc;
    if (s.st_shndx == SHN_UNDEF || (ELF64_ST_TYPE(s.st_info) == STT_TLS) != w->is_tls)
        return 0;
    if (wick_mem_read(mem, d->strtab + s.st_name, buf, w->len) || memcmp(buf, w->name, w->len))
        return 0; /* at the end of memory a shorter name may not be readable at our length */
    *value = s.st_value;
    return 1;
}

static int find_gnu(const struct wick_mem *mem, const struct wick_elf_dyn *d, const struct wanted *w, uint64_t *value)
{
    struct gnu_head h;
    wick_addr buckets, chains;
    uint32_t hash = 5381, i, word;
    for (const char *p = w->name; *p; p++)
        hash = hash * 33 + (uint8_t)*p;
    int rc = gnu_open(mem, d->gnu_hash, &h, &buckets, &chains);
    if (!rc)
        rc = wick_mem_read(mem, buckets + (uint64_t)(hash % h.nbuckets) * 4, &i, 4);
    if (rc)
        return rc;
    if (i < h.symoffset)
        return i ? -WICK_E_FORMAT : -WICK_E_NOTFOUND;
    for (uint32_t steps = 0; steps < MAX_CHAIN; steps++, i++) {
        rc = wick_mem_read(mem, chains + (uint64_t)(i - h.symoffset) * 4, &word, 4);
        if (rc)
            return rc;
        rc = (word | 1) == (hash | 1) ? matches(mem, d, i, w, value) : 0;
        if (rc)
            return rc < 0 ? rc : 0;
        if (word & 1)
            return -WICK_E_NOTFOUND;
    }
    return -WICK_E_FORMAT;
}

static int find_sysv(const struct wick_mem *mem, const struct wick_elf_dyn *d, const struct wanted *w, uint64_t *value)
{
    uint32_t head[2], hash = 0, i;
    for (const char *p = w->name; *p; p++) {
        hash = (hash << 4) + (uint8_t)*p;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    int rc = wick_mem_read(mem, d->hash, head, sizeof head);
    if (rc)
        return rc;
    if (!head[0])
        return -WICK_E_NOTFOUND;
    wick_addr buckets = d->hash + sizeof head, chains = buckets + (uint64_t)head[0] * 4;
    rc = wick_mem_read(mem, buckets + (uint64_t)(hash % head[0]) * 4, &i, 4);
    for (uint32_t steps = 0; !rc && steps < MAX_CHAIN; steps++) {
        if (i == 0)
            return -WICK_E_NOTFOUND;
        if (i >= head[1])
            return -WICK_E_FORMAT;
        rc = matches(mem, d, i, w, value);
        if (rc)
            return rc < 0 ? rc : 0;
        rc = wick_mem_read(mem, chains + (uint64_t)i * 4, &i, 4);
    }
    return rc ? rc : -WICK_E_FORMAT;
}

static int find(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name, bool is_tls,
                uint64_t *value)
{
    struct wick_elf_dyn d;
    const struct wanted w = {.name = name, .len = strlen(name) + 1, .is_tls = is_tls};
    if (w.len > MAX_NAME)
        return -WICK_E_NOTFOUND;
    int rc = wick_elf_dyn_read(mem, image, &d);
    if (!rc)
        rc = d.gnu_hash ? find_gnu(mem, &d, &w, value) : find_sysv(mem, &d, &w, value);
    return rc;
}

int wick_elf_dynsym(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name, wick_addr *addr)
{
    uint64_t value = 0;
    int rc = find(mem, image, name, false, &value);
    if (!rc)
        *addr = image->bias + value;
    return rc;
}

int wick_elf_dynsym_tls(const struct wick_mem *mem, const struct wick_elf_image *image, const char *name,
                        uint64_t *offset)
{
    return find(mem, image, name, true, offset);
}
