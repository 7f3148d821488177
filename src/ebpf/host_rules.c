/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/eh_frame.h"
#include "symbolize/symbolize.h"

enum { LIBRARY_MOST = 24 << 20, ALL_MOST = 32 << 20, NO_RULE_STEP = 16, SMALL = 64 << 10, ENTRY = 48 };
enum { PCREL_SDATA4 = 0x1b }; /* a form of addresses in .eh_frame_hdr */

int wick_host_rules_init(struct wick_host_rules *r, const struct wick_host_rule_sink *sink,
                         struct wick_host_devices *devices)
{
    *r = (struct wick_host_rules){.devices = devices};
    return wick_host_numbers_init(&r->numbers, sink);
}

static void free_library(struct wick_host_rules *r, struct wick_host_library *l)
{
    r->bytes -= l->key.size;
    free(l->bytes);
    *l = (struct wick_host_library){0};
}

void wick_host_rules_release(struct wick_host_rules *r)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        free_library(r, &r->libraries[i]);
    wick_host_numbers_release(&r->numbers);
    *r = (struct wick_host_rules){0};
}

/* --- the bytes of .eh_frame --- */

/* The place of the library that was not used for the longest time, or a free one. */
static struct wick_host_library *oldest_place(struct wick_host_rules *r, bool in_use)
{
    struct wick_host_library *oldest = NULL;
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++) {
        struct wick_host_library *l = &r->libraries[i];
        if ((!in_use || l->use) && (!oldest || l->use < oldest->use))
            oldest = l;
    }
    return oldest;
}

static struct wick_host_library *known_library(struct wick_host_rules *r, const struct wick_host_library_key *key)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        if (r->libraries[i].use && !memcmp(&r->libraries[i].key, key, sizeof *key))
            return &r->libraries[i];
    return NULL;
}

/* Keeps bytes, which are the caller's if that fails. */
static struct wick_host_library *keep_library(struct wick_host_rules *r, const struct wick_host_library_key *key,
                                              uint8_t *bytes)
{
    while (r->bytes + key->size > ALL_MOST)
        free_library(r, oldest_place(r, true));
    struct wick_host_library *l = oldest_place(r, false);
    free_library(r, l);
    *l = (struct wick_host_library){.key = *key, .bytes = bytes};
    r->bytes += key->size;
    return l;
}

static struct wick_host_found *found_place(struct wick_host_rules *r, const struct wick_host_code *c)
{
    uint64_t h = wick_hash_2(wick_hash_2(c->birth.start_ns, c->birth.execs), c->image->ro_lo);
    return &r->found[h % WICK_HOST_FOUND];
}

static bool is_found(const struct wick_host_found *f, const struct wick_host_code *c, wick_addr lo)
{
    return f->key.size && f->birth.start_ns == c->birth.start_ns && f->birth.execs == c->birth.execs &&
           f->ro_lo == c->image->ro_lo && f->lo == lo && f->inode == c->image->inode && f->image == c->image->id;
}

/* The bytes that a key stands for, of malloc; NULL without success. */
static uint8_t *read_bytes(const struct wick_mem *from, uint64_t at, size_t size)
{
    uint8_t *bytes = malloc(size);
    if (bytes && !wick_mem_read(from, at, bytes, size))
        return bytes;
    free(bytes);
    return NULL;
}

/* Where .eh_frame and the table of its entries begin, in the segment that holds both. */
static wick_addr data_lo(const struct wick_host_code *c)
{
    const struct wick_elf_image *image = c->image;
    struct {
        uint8_t version, frame_form, count_form, table_form;
        int32_t frame; /* from here */
    } head;
    if (!image->eh_hdr || wick_mem_read(c->mem, image->eh_hdr, &head, sizeof head) || head.version != 1 ||
        head.frame_form != PCREL_SDATA4)
        return image->ro_lo;
    wick_addr frame = image->eh_hdr + offsetof(__typeof__(head), frame) + (wick_addr)(int64_t)head.frame;
    wick_addr lo = frame < image->eh_hdr ? frame : image->eh_hdr;
    return lo >= image->ro_lo && lo < image->ro_hi ? lo : image->ro_lo;
}

/* The library of the file that is mapped there; NULL if it cannot be read. */
static struct wick_host_library *from_file(struct wick_host_rules *r, const struct wick_host_code *c, wick_addr lo,
                                           size_t size)
{
    struct wick_host_file file;
    if (wick_host_file_open(r->devices, c->pid, lo, &file))
        return NULL;
    const struct wick_host_library_key key = {.file = file.id, .at = file.offset, .size = size};
    struct wick_host_library *l = known_library(r, &key);
    if (!l) {
        struct wick_mem bytes;
        wick_mem_file_init(&bytes, file.fd);
        uint8_t *read = read_bytes(&bytes, file.offset, size);
        l = read ? keep_library(r, &key, read) : NULL;
    }
    close(file.fd);
    return l;
}

static struct wick_host_library *from_memory(struct wick_host_rules *r, const struct wick_host_code *c, wick_addr lo,
                                             size_t size)
{
    const struct wick_host_library_key key = {.birth = c->birth, .at = lo, .size = size};
    uint8_t *read = read_bytes(c->mem, key.at, size);
    return read ? keep_library(r, &key, read) : NULL;
}

/* The bytes of the image's unwind data, from *lo on. NULL: it has none, or they are too many, or cannot be read. */
static const struct wick_host_library *bytes_of(struct wick_host_rules *r, const struct wick_host_code *c,
                                                wick_addr *lo)
{
    *lo = data_lo(c);
    size_t size = c->image->ro_hi - *lo;
    if (c->image->ro_hi <= c->image->ro_lo || size > LIBRARY_MOST)
        return NULL;
    struct wick_host_found *f = found_place(r, c);
    struct wick_host_library *l = is_found(f, c, *lo) ? known_library(r, &f->key) : NULL;
    l = l ? l : from_file(r, c, *lo, size);
    l = l ? l : from_memory(r, c, *lo, size);
    if (!l)
        return NULL;
    *f = (struct wick_host_found){c->birth, c->image->ro_lo, *lo, c->image->inode, c->image->id, l->key};
    l->use = ++r->uses;
    return l;
}

/* Memory of a process, with a part of it at hand. */
struct near_memory {
    const struct wick_mem *all;
    uint64_t lo;
    const struct wick_host_library *at_hand;
};

static int read_near(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    const struct near_memory *near = m->ctx;
    if (!near->at_hand || addr < near->lo || n > near->at_hand->key.size ||
        addr - near->lo > near->at_hand->key.size - n)
        return wick_mem_read(near->all, addr, buf, n);
    memcpy(buf, near->at_hand->bytes + (addr - near->lo), n);
    return 0;
}

/* --- rules and rows --- */

/* Rules that would have to be read bit by bit out of another process are left to frame pointers, if they are many. */
static bool is_cheap(const struct wick_elf_image *image, const struct wick_host_library *at_hand)
{
    return image && (at_hand || image->ro_hi - image->ro_lo < SMALL);
}

/* Whether the kernel may start a thread at its entry. Linkers give other libraries an entry as well, which means
 * nothing. */
static bool is_started(const struct wick_elf_image *image)
{
    return image->entry &&
           ((image->flags & WICK_IMAGE_STARTS) || !strncmp(wick_symbolize_library(image->path), "ld-", strlen("ld-")));
}

/* The rule at pc, of unwind data that is cheap to read. Where the kernel starts a program, or its loader, is the end of
 * every stack. Not all toolchains say so: without a rule there, there is nothing to return to in its first ENTRY bytes.
 * 0, 1 for one of these, or negative. */
static int rule_at(const struct wick_mem *m, const struct wick_elf_image *image, bool cheap, wick_addr pc,
                   struct wick_unwind_rule *rule, wick_addr *from, wick_addr *next)
{
    int rc = cheap ? wick_eh_rule(m, image, pc, rule, from, next) : -WICK_E_NOTFOUND;
    if (!rc || pc < image->entry || pc - image->entry >= ENTRY || !is_started(image))
        return rc;
    wick_addr step = (pc & ~(wick_addr)(NO_RULE_STEP - 1)) + NO_RULE_STEP, last = image->entry + ENTRY;
    *rule = (struct wick_unwind_rule){.flags = WICK_RULE_END};
    *from = image->entry;
    *next = step < last ? step : last;
    return 1;
}

/* Where rules begin that end where one begins at `from`, behind a place without one. */
static wick_addr first_rule(const struct wick_mem *m, const struct wick_elf_image *image, wick_addr from,
                            wick_addr none)
{
    struct wick_unwind_rule rule;
    wick_addr before = 0, next = 0;
    while (from - 1 > none && !wick_eh_rule(m, image, from - 1, &rule, &before, &next) && before < from)
        from = before > none ? before : none + 1;
    return from;
}

int wick_host_rules_find(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc,
                         struct wick_unwind_rule *rule)
{
    wick_addr lo;
    if (!code->image)
        return -WICK_E_NOTFOUND;
    const struct wick_host_library *at_hand = bytes_of(r, code, &lo);
    struct near_memory near = {code->mem, lo, at_hand};
    const struct wick_mem m = {.read = read_near, .ctx = &near};
    wick_addr from, next;
    int rc = rule_at(&m, code->image, is_cheap(code->image, at_hand), pc, rule, &from, &next);
    return rc < 0 ? rc : 0;
}

void wick_host_rules_page(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc, uint64_t now_ns)
{
    const struct wick_elf_image *image = code->image;
    wick_addr lo = 0;
    const struct wick_host_library *at_hand = image ? bytes_of(r, code, &lo) : NULL;
    struct wick_host_page page = {code->birth, pc & ~(uint64_t)(WICK_HOST_PAGE - 1)};
    struct wick_host_rows rows = {.n = 1}; /* without an image: no rule in all of the page */
    struct near_memory near = {code->mem, lo, at_hand};
    const struct wick_mem m = {.read = read_near, .ctx = &near};
    const bool cheap = is_cheap(image, at_hand);
    uint32_t n = 0;
    for (uint64_t at = page.page, end = at + WICK_HOST_PAGE, known = at, none = 0;
         image && at < end && n < WICK_HOST_ROWS;) {
        struct wick_unwind_rule rule;
        wick_addr from = 0, next = 0;
        memset(&rule, 0, sizeof rule);
        int rc = rule_at(&m, image, cheap, at, &rule, &from, &next);
        uint16_t number = rc < 0 ? 0 : wick_host_number(&r->numbers, &rule, now_ns);
        if (!rc && number && none) { /* it is not the first one that begins since then */
            wick_addr first = first_rule(&m, image, from, none);
            none = 0;
            if (first < from) {
                at = known = first;
                continue;
            }
        }
        from = number && from > known ? from : number ? known : at;
        if (!n || rows.row[n - 1].rule != number) {
            rows.row[n].from = (uint16_t)(n ? from - page.page : 0);
            rows.row[n++].rule = number;
        }
        none = !rc && number ? 0 : at;
        /* what has no rule is searched in steps; where the rule that is found next begins is known then */
        at = number && next > at ? next : (at & ~(uint64_t)(NO_RULE_STEP - 1)) + NO_RULE_STEP;
        known = !rc && number ? at : known;
    }
    if (n)
        rows.n = n;
    if (n == WICK_HOST_ROWS) /* what is behind the last row has no rule, rather than a wrong one */
        rows.row[n - 1].rule = 0;
    r->numbers.sink.put_page(r->numbers.sink.arg, &page, &rows);
}
