/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_rules.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "elf/eh_frame.h"

enum { LIBRARY_MOST = 24 << 20, ALL_MOST = 64 << 20, NO_RULE_STEP = 16, SMALL = 64 << 10 };

int wick_host_rules_init(struct wick_host_rules *r, struct wick_host_kernel *k)
{
    *r = (struct wick_host_rules){.kernel = k, .rules = calloc(WICK_HOST_RULES, sizeof *r->rules)};
    return r->rules ? 0 : -WICK_E_NOMEM;
}

static void free_library(struct wick_host_rules *r, struct wick_host_library *l)
{
    r->bytes -= l->size;
    free(l->bytes);
    *l = (struct wick_host_library){0};
}

void wick_host_rules_release(struct wick_host_rules *r)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++)
        free_library(r, &r->libraries[i]);
    wick_index_release(&r->index);
    free(r->rules);
    *r = (struct wick_host_rules){0};
}

/* --- the bytes of .eh_frame --- */

/* The place of the library that was not used for the longest time, or a free one. */
static struct wick_host_library *oldest_place(struct wick_host_rules *r, bool in_use)
{
    struct wick_host_library *oldest = NULL;
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++) {
        struct wick_host_library *l = &r->libraries[i];
        if ((!in_use || l->id_len) && (!oldest || l->use < oldest->use))
            oldest = l;
    }
    return oldest;
}

/* The library's place: the one that it has, or an empty one, with room for so many bytes. */
static struct wick_host_library *place_of(struct wick_host_rules *r, const struct wick_elf_image *image, size_t size)
{
    for (int i = 0; i < WICK_HOST_LIBRARIES; i++) {
        struct wick_host_library *l = &r->libraries[i];
        if (l->id_len == image->build_id_len && !memcmp(l->id, image->build_id, l->id_len))
            return l;
    }
    while (r->bytes + size > ALL_MOST)
        free_library(r, oldest_place(r, true));
    struct wick_host_library *l = oldest_place(r, false);
    free_library(r, l);
    return l;
}

/* The bytes of the image's segment with .eh_frame. NULL: there is no build id to know it by, or it is too large. */
static const struct wick_host_library *bytes_of(struct wick_host_rules *r, const struct wick_mem *mem,
                                                const struct wick_elf_image *image)
{
    size_t size = image->ro_hi - image->ro_lo;
    if (!image->build_id_len || image->ro_hi <= image->ro_lo || size > LIBRARY_MOST)
        return NULL;
    struct wick_host_library *l = place_of(r, image, size);
    l->use = ++r->uses;
    if (l->id_len)
        return l->size == size ? l : NULL;
    uint8_t *bytes = malloc(size);
    if (!bytes || wick_mem_read(mem, image->ro_lo, bytes, size)) {
        free(bytes);
        return NULL;
    }
    memcpy(l->id, image->build_id, image->build_id_len);
    l->id_len = image->build_id_len;
    l->bytes = bytes;
    l->size = size;
    r->bytes += size;
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
    if (!near->at_hand || addr < near->lo || n > near->at_hand->size || addr - near->lo > near->at_hand->size - n)
        return wick_mem_read(near->all, addr, buf, n);
    memcpy(buf, near->at_hand->bytes + (addr - near->lo), n);
    return 0;
}

/* --- rules and rows --- */

/* The number of a rule; 0 = there are too many. */
static uint16_t rule_number(struct wick_host_rules *r, const struct wick_unwind_rule *rule)
{
    uint64_t h = wick_hash_bytes(rule, sizeof *rule);
    uint32_t at = wick_index_start(&r->index, h), id;
    while (wick_index_next(&r->index, h, &at, &id))
        if (!memcmp(&r->rules[id], rule, sizeof *rule))
            return (uint16_t)(id + 1);
    if (r->n + 1 >= WICK_HOST_RULES || wick_index_add(&r->index, h, r->n))
        return 0;
    r->rules[r->n++] = *rule;
    wick_host_kernel_put_rule(r->kernel, r->n, rule);
    return (uint16_t)r->n;
}

/* Rules that would have to be read bit by bit out of another process are left to frame pointers, if they are many. */
static bool is_cheap(const struct wick_elf_image *image, const struct wick_host_library *at_hand)
{
    return image && (at_hand || image->ro_hi - image->ro_lo < SMALL);
}

void wick_host_rules_page(struct wick_host_rules *r, const struct wick_host_birth *birth, const struct wick_mem *mem,
                          const struct wick_elf_image *image, uint64_t pc)
{
    const struct wick_host_library *at_hand = image ? bytes_of(r, mem, image) : NULL;
    struct wick_host_page page = {*birth, pc & ~(uint64_t)(WICK_HOST_PAGE - 1)};
    struct wick_host_rows rows = {.n = 1}; /* without an image: no rule in all of the page */
    struct near_memory near = {mem, image ? image->ro_lo : 0, at_hand};
    const struct wick_mem m = {.read = read_near, .ctx = &near};
    uint32_t n = 0;
    for (uint64_t at = page.page, end = at + WICK_HOST_PAGE, known = at;
         is_cheap(image, at_hand) && at < end && n < WICK_HOST_ROWS;) {
        struct wick_unwind_rule rule;
        wick_addr from = 0, next = 0;
        memset(&rule, 0, sizeof rule);
        uint16_t number = wick_eh_rule(&m, image, at, &rule, &from, &next) ? 0 : rule_number(r, &rule);
        from = number && from > known ? from : number ? known : at;
        if (!n || rows.row[n - 1].rule != number) {
            rows.row[n].from = (uint16_t)(n ? from - page.page : 0);
            rows.row[n++].rule = number;
        }
        /* what has no rule is searched in steps; where the rule that is found next begins is known then */
        at = number && next > at ? next : (at & ~(uint64_t)(NO_RULE_STEP - 1)) + NO_RULE_STEP;
        known = number ? at : known;
    }
    if (n)
        rows.n = n;
    if (n == WICK_HOST_ROWS) /* what is behind the last row has no rule, rather than a wrong one */
        rows.row[n - 1].rule = 0;
    wick_host_kernel_put_page(r->kernel, &page, &rows);
}
