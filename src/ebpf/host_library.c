/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_library.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/loaded.h"
#include "model/hash.h"
#include "symbolize/symbolize.h"

enum { LIBRARY_MOST = 24 << 20, ALL_MOST = 32 << 20, UNUSED_ROUNDS = 60 };
enum { PCREL_SDATA4 = 0x1b }; /* a form of addresses in .eh_frame_hdr */

void wick_host_libraries_init(struct wick_host_libraries *ls, struct wick_host_devices *devices,
                              wick_host_identify *identify, void *arg)
{
    *ls = (struct wick_host_libraries){.devices = devices, .identify = identify, .arg = arg};
}

static void free_library(struct wick_host_libraries *ls, struct wick_host_library *l)
{
    ls->bytes -= l->bytes ? l->size : 0;
    free(l->bytes);
    if (l->use && l->fd >= 0)
        close(l->fd);
    *l = (struct wick_host_library){0};
}

static void use(struct wick_host_libraries *ls, struct wick_host_library *l)
{
    l->use = ++ls->uses;
    l->round = ls->round;
}

void wick_host_libraries_release(struct wick_host_libraries *ls)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        free_library(ls, &ls->of[i]);
    *ls = (struct wick_host_libraries){0};
}

/* --- those that are kept --- */

/* The place of the library that was not used for the longest time, or a free one. */
static struct wick_host_library *oldest_place(struct wick_host_libraries *ls, bool in_use)
{
    struct wick_host_library *oldest = NULL;
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++) {
        struct wick_host_library *l = &ls->of[i];
        if ((!in_use || l->use) && (!oldest || l->use < oldest->use))
            oldest = l;
    }
    return oldest;
}

static struct wick_host_library *known_library(struct wick_host_libraries *ls, const struct wick_host_library_key *key)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        if (ls->of[i].use && !memcmp(&ls->of[i].key, key, sizeof *key))
            return &ls->of[i];
    return NULL;
}

/* Takes it over, bytes included. */
static struct wick_host_library *keep_library(struct wick_host_libraries *ls, const struct wick_host_library *from)
{
    uint64_t more = from->bytes ? from->size : 0;
    while (ls->bytes && ls->bytes + more > ALL_MOST)
        free_library(ls, oldest_place(ls, true));
    struct wick_host_library *l = oldest_place(ls, false);
    free_library(ls, l);
    *l = *from;
    use(ls, l);
    ls->bytes += more;
    return l;
}

void wick_host_libraries_tidy(struct wick_host_libraries *ls)
{
    ls->round++;
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        if (ls->of[i].use && ls->round - ls->of[i].round > UNUSED_ROUNDS)
            free_library(ls, &ls->of[i]);
}

/* --- unwind data --- */

/* Where .eh_frame and the table of its entries begin, in the segment that holds both. */
static wick_addr data_lo(const struct wick_mem *m, const struct wick_elf_image *image)
{
    struct {
        uint8_t version, frame_form, count_form, table_form;
        int32_t frame; /* from here */
    } head;
    if (!image->eh_hdr || wick_mem_read(m, image->eh_hdr, &head, sizeof head) || head.version != 1 ||
        head.frame_form != PCREL_SDATA4)
        return image->ro_lo;
    wick_addr frame = image->eh_hdr + offsetof(__typeof__(head), frame) + (wick_addr)(int64_t)head.frame;
    wick_addr lo = frame < image->eh_hdr ? frame : image->eh_hdr;
    return lo >= image->ro_lo && lo < image->ro_hi ? lo : image->ro_lo;
}

/* Reads the bytes of the image's unwind data, unless there are none or too many. False: they cannot be read. */
static bool read_data(const struct wick_mem *m, struct wick_host_library *l)
{
    l->lo = data_lo(m, &l->image);
    if (l->image.ro_hi <= l->lo || l->image.ro_hi - l->lo > LIBRARY_MOST)
        return true;
    l->size = l->image.ro_hi - l->lo;
    l->bytes = malloc(l->size);
    if (l->bytes && !wick_mem_read(m, l->lo, l->bytes, l->size))
        return true;
    free(l->bytes);
    l->bytes = NULL;
    return false;
}

/* Whether it is a position-independent program, also one that needs no loader. */
static bool is_program(const struct wick_mem *m, const struct wick_elf_image *image)
{
    enum { MOST = 128 };
    Elf64_Dyn dyn[MOST];
    size_t n = image->dyn_size / sizeof *dyn < MOST ? image->dyn_size / sizeof *dyn : MOST;
    if (!image->dyn || wick_mem_read(m, image->dyn, dyn, n * sizeof *dyn))
        return false;
    for (size_t i = 0; i < n && dyn[i].d_tag != DT_NULL; i++)
        if (dyn[i].d_tag == DT_FLAGS_1)
            return dyn[i].d_un.d_val & DF_1_PIE;
    return false;
}

/* Whether the kernel may start a thread at the entry of an image of that name. Linkers give other libraries an entry as
 * well, which means nothing. */
static bool is_started(const struct wick_elf_image *image, const char *name)
{
    return image->entry &&
           ((image->flags & WICK_IMAGE_STARTS) || !strncmp(wick_symbolize_library(name), "ld-", strlen("ld-")));
}

/* --- files --- */

/* What of the file is code, page by page; a segment that is loaded at another place in its page has none here. */
static void add_text(struct wick_host_library *l, const struct wick_elf_load *load)
{
    uint64_t before = load->offset & (WICK_HOST_PAGE - 1);
    if (!load->code || ((load->addr ^ load->offset) & (WICK_HOST_PAGE - 1)) || l->ntext == WICK_HOST_SEGMENTS)
        return;
    uint64_t offset = load->offset - before, end = load->offset + load->size + WICK_HOST_PAGE - 1;
    l->text[l->ntext++] =
        (struct wick_host_segment){offset, load->addr - before, (end & ~(uint64_t)(WICK_HOST_PAGE - 1)) - offset};
}

/* All sections have to be read for it, so only what may be a program of Go is asked. */
static void find_go_table(struct wick_host_library *l, int fd, const struct wick_mem *bytes)
{
    struct stat st;
    struct wick_elf_file f;
    if ((!l->image.eh_hdr || l->starts) && !fstat(fd, &st) && !wick_elf_file_init(&f, bytes, (uint64_t)st.st_size))
        wick_go_table_init(&l->go, &f);
}

/* What the open file is. 0, or negative if it is no program or cannot be read. */
static int describe_file(int fd, struct wick_host_library *l)
{
    struct wick_elf_loaded f;
    struct wick_mem bytes;
    enum { DELETED = sizeof " (deleted)" - 1 };
    char link[32], path[512];
    wick_mem_file_init(&bytes, fd);
    int rc = wick_elf_loaded_init(&f, &bytes);
    const struct wick_mem m = wick_elf_loaded_mem(&f);
    rc = rc ? rc : wick_elf_image_probe(&m, f.base, &l->image);
    if (rc || l->image.bias)
        return rc ? rc : -WICK_E_FORMAT;
    for (uint32_t i = 0; i < f.n; i++)
        add_text(l, &f.load[i]);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    if (n > DELETED && !strcmp(path + n - DELETED, " (deleted)"))
        path[n - DELETED] = 0;
    snprintf(l->name, sizeof l->name, "%s", wick_symbolize_library(path));
    l->image.flags |= is_program(&m, &l->image) ? WICK_IMAGE_STARTS : 0;
    l->starts = is_started(&l->image, path);
    find_go_table(l, fd, &bytes);
    return read_data(&m, l) ? 0 : -WICK_E_FAULT;
}

/* The library of the file that is mapped there; NULL if it cannot be read. */
static struct wick_host_library *from_file(struct wick_host_libraries *ls, const struct wick_host_code *c, wick_addr pc,
                                           struct wick_host_found *found)
{
    struct wick_host_file file;
    if (wick_host_file_open(ls->devices, c->pid, pc, &file))
        return NULL;
    if (c->image->inode && file.shown != c->image->inode) { /* the process has executed another program since */
        close(file.fd);
        return NULL;
    }
    struct wick_host_library new = {.key.file = file.id, .fd = file.fd};
    struct wick_host_library *l = known_library(ls, &new.key);
    if (!ls->identify || !ls->identify(ls->arg, file.fd, &new.file)) /* before its bytes are read */
        new.file.device = 0;
    if (l)
        l->file = new.file;
    else if (!describe_file(file.fd, &new) && wick_host_file_is(file.fd, &file.id))
        l = keep_library(ls, &new);
    if (!l)
        free(new.bytes);
    if (!l || l->fd != file.fd)
        close(file.fd);
    if (l)
        *found = (struct wick_host_found){c->birth,        file.lo,      file.hi, file.offset - (pc - file.lo),
                                          c->image->inode, c->image->id, l->key};
    return l;
}

/* --- memory --- */

static struct wick_host_library *from_memory(struct wick_host_libraries *ls, const struct wick_host_code *c,
                                             struct wick_host_found *found)
{
    const struct wick_elf_image *image = c->image;
    struct wick_host_library new = {.key = {.birth = c->birth, .at = image->map_lo}, .fd = -1, .image = *image};
    struct wick_host_library *l = known_library(ls, &new.key);
    if (l && l->image.id != image->id) { /* another one is there now */
        free_library(ls, l);
        l = NULL;
    }
    new.image.path = NULL;
    new.starts = is_started(image, image->path);
    if (!l && read_data(c->mem, &new))
        l = keep_library(ls, &new);
    if (l)
        *found = (struct wick_host_found){c->birth, image->text_lo, image->text_hi, 0, image->inode, image->id, l->key};
    return l;
}

/* --- finding --- */

static struct wick_host_found *found_place(struct wick_host_libraries *ls, const struct wick_host_code *c)
{
    uint64_t h = wick_hash_2(wick_hash_2(c->birth.start_ns, c->birth.execs), c->image->text_lo);
    return &ls->found[h % WICK_HOST_FOUND];
}

static bool is_found(const struct wick_host_found *f, const struct wick_host_code *c, wick_addr pc)
{
    return pc >= f->lo && pc < f->hi && wick_host_same_birth(&f->birth, &c->birth) && f->inode == c->image->inode &&
           f->image == c->image->id;
}

/* The address of an offset in a file, if its code says one. */
static bool address_of(const struct wick_host_library *l, uint64_t offset, wick_addr *out)
{
    bool known = false;
    for (uint32_t i = 0; i < l->ntext; i++) {
        const struct wick_host_segment *s = &l->text[i];
        wick_addr addr = s->addr + (offset - s->offset);
        if (offset < s->offset || offset - s->offset >= s->size)
            continue;
        if (known && addr != *out)
            return false; /* a page of the file that is loaded at two addresses */
        *out = addr;
        known = true;
    }
    return known;
}

static struct wick_host_library *seen_library(struct wick_host_libraries *ls, const struct wick_host_inode *file)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        if (ls->of[i].use && !memcmp(&ls->of[i].file, file, sizeof *file))
            return &ls->of[i];
    return NULL;
}

/* The library of a file that is open already for another process: nothing need be asked about this one. NULL if it is
 * not known, or not what the mappings show by now. */
static struct wick_host_library *from_seen(struct wick_host_libraries *ls, const struct wick_host_code *c, wick_addr pc,
                                           struct wick_host_found *found)
{
    const struct wick_host_mapped *m = c->mapped;
    if (!m || !m->file.device || m->file.number != c->image->inode || pc < m->lo || pc >= m->hi)
        return NULL;
    struct wick_host_library *l = seen_library(ls, &m->file);
    wick_addr addr = 0;
    if (!l || !address_of(l, m->offset + (pc - m->lo), &addr) || addr != pc - c->image->bias)
        return NULL; /* it is mapped elsewhere by now */
    *found = (struct wick_host_found){c->birth, m->lo, m->hi, m->offset, c->image->inode, c->image->id, l->key};
    return l;
}

static void find_seen(struct wick_host_libraries *ls, const struct wick_host_mapped *m, wick_addr pc,
                      struct wick_host_spot *out)
{
    struct wick_host_library *l = m->file.device ? seen_library(ls, &m->file) : NULL;
    *out = (struct wick_host_spot){.library = l, .offset = m->offset + (pc - m->lo)};
    if (!l)
        return;
    use(ls, l);
    out->known = address_of(l, out->offset, &out->addr);
}

const struct wick_host_library *wick_host_library_of(struct wick_host_libraries *ls, const struct wick_host_mapped *m,
                                                     wick_addr pc, wick_addr *addr)
{
    struct wick_host_spot spot;
    find_seen(ls, m, pc, &spot);
    *addr = spot.addr;
    return spot.known ? spot.library : NULL;
}

void wick_host_library_find(struct wick_host_libraries *ls, const struct wick_host_code *code, wick_addr pc, bool again,
                            struct wick_host_spot *out)
{
    if (!code->image) {
        find_seen(ls, code->mapped, pc, out);
        return;
    }
    struct wick_host_found *f = found_place(ls, code);
    struct wick_host_library *l = !again && is_found(f, code, pc) ? known_library(ls, &f->key) : NULL;
    l = l || again ? l : from_seen(ls, code, pc, f);
    l = l ? l : from_file(ls, code, pc, f);
    l = l ? l : from_memory(ls, code, f);
    *out = (struct wick_host_spot){.library = l, .known = true, .addr = pc};
    if (!l)
        return;
    use(ls, l);
    if (!l->key.file.inode)
        return;
    out->offset = f->offset + (pc - f->lo);
    out->known = address_of(l, out->offset, &out->addr);
}
