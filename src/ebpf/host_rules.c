/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_rules.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "elf/eh_frame.h"

enum { NO_RULE_STEP = 16, SMALL = 64 << 10, ENTRY = 48 };

int wick_host_rules_init(struct wick_host_rules *r, const struct wick_host_rule_sink *sink,
                         struct wick_host_devices *devices)
{
    memset(r->taught, 0, sizeof r->taught);
    wick_host_libraries_init(&r->libraries, devices, sink->identify, sink->arg);
    return wick_host_numbers_init(&r->numbers, sink);
}

void wick_host_rules_release(struct wick_host_rules *r)
{
    wick_host_libraries_release(&r->libraries);
    wick_host_numbers_release(&r->numbers);
}

/* --- what is read to find a rule --- */

/* An image, with the bytes of its unwind data at hand or not. */
struct view {
    const struct wick_mem *mem; /* for what is not at hand; NULL = no process is read */
    const struct wick_host_library *at_hand;
    const struct wick_elf_image *image; /* NULL: nothing has a rule */
    bool starts;
    struct wick_mem reader; /* of this view; where it is, it stays */
    struct wick_eh_found found;
    struct wick_go_found found_go;
};

static int read_view(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    const struct view *v = m->ctx;
    const struct wick_host_library *l = v->at_hand;
    if (!l || !l->bytes || addr < l->lo || n > l->size || addr - l->lo > l->size - n)
        return v->mem ? wick_mem_read(v->mem, addr, buf, n) : -WICK_E_FAULT;
    memcpy(buf, l->bytes + (addr - l->lo), n);
    return 0;
}

/* What to read for a place; a file's rules are those of the file alone. */
static struct view view_of(const struct wick_host_code *code, const struct wick_host_spot *place)
{
    const struct wick_host_library *l = place->library;
    const bool of_file = l && l->key.file.inode;
    return (struct view){
        .mem = of_file ? NULL : code->mem,
        .at_hand = l,
        .image = !place->known ? NULL
                 : l           ? &l->image
                               : code->image,
        .starts = l && l->starts,
    };
}

/* --- rules and rows --- */

/* Rules that would have to be read bit by bit out of another process are left to frame pointers, if they are many. */
static bool is_cheap(const struct view *v)
{
    const bool at_hand = v->at_hand && v->at_hand->bytes;
    return v->image && (at_hand || (v->mem && v->image->ro_hi - v->image->ro_lo < SMALL));
}

/* The rule of the image's code that was compiled by Go. */
static int go_rule(struct view *v, wick_addr pc, struct wick_unwind_rule *rule, wick_addr *from, wick_addr *next)
{
    struct wick_mem file;
    if (!v->at_hand || !v->at_hand->go.size)
        return -WICK_E_NOTFOUND;
    wick_mem_file_init(&file, v->at_hand->fd);
    return wick_go_table_rule(&v->at_hand->go, &file, pc, &v->found_go, rule, from, next);
}

/* The rule at pc, of unwind data that is cheap to read. Where the kernel starts a program, or its loader, is the end of
 * every stack. Not all toolchains say so: without a rule there, there is nothing to return to in its first ENTRY bytes.
 * 0, 1 for one of these, or negative. */
static int rule_at(struct view *v, bool cheap, wick_addr pc, struct wick_unwind_rule *rule, wick_addr *from,
                   wick_addr *next)
{
    const struct wick_elf_image *image = v->image;
    v->reader = (struct wick_mem){.read = read_view, .ctx = v};
    int rc = cheap ? wick_eh_rule_from(&v->reader, image, pc, &v->found, rule, from, next) : -WICK_E_NOTFOUND;
    rc = rc ? go_rule(v, pc, rule, from, next) : 0;
    if (!rc || !v->starts || pc < image->entry || pc - image->entry >= ENTRY)
        return rc;
    wick_addr step = (pc & ~(wick_addr)(NO_RULE_STEP - 1)) + NO_RULE_STEP, last = image->entry + ENTRY;
    *rule = (struct wick_unwind_rule){.flags = WICK_RULE_END};
    *from = image->entry;
    *next = step < last ? step : last;
    return 1;
}

/* Where rules begin that end where one begins at `from`, behind a place without one. */
static wick_addr first_rule(const struct view *v, wick_addr from, wick_addr none)
{
    const struct wick_mem m = {.read = read_view, .ctx = v};
    struct wick_unwind_rule rule;
    wick_addr before = 0, next = 0;
    while (from - 1 > none && !wick_eh_rule(&m, v->image, from - 1, &rule, &before, &next) && before < from)
        from = before > none ? before : none + 1;
    return from;
}

int wick_host_rules_find(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc,
                         struct wick_unwind_rule *rule)
{
    struct wick_host_spot place;
    wick_addr from, next;
    if (!code->image && !code->mapped)
        return -WICK_E_NOTFOUND;
    wick_host_library_find(&r->libraries, code, pc, false, &place);
    struct view v = view_of(code, &place);
    int rc = v.image ? rule_at(&v, is_cheap(&v), place.addr, rule, &from, &next) : -WICK_E_NOTFOUND;
    return rc < 0 ? rc : 0;
}

/* The rows of the page at an address by v's image. */
static void make_rows(struct wick_host_numbers *numbers, struct view *v, wick_addr page, uint64_t now_ns,
                      struct wick_host_rows *rows)
{
    const bool cheap = is_cheap(v);
    uint32_t n = 0;
    rows->n = 1; /* without an image: no rule in all of the page */
    for (uint64_t at = page, end = at + WICK_HOST_PAGE, known = at, none = 0;
         v->image && at < end && n < WICK_HOST_ROWS;) {
        struct wick_unwind_rule rule;
        wick_addr from = 0, next = 0;
        memset(&rule, 0, sizeof rule);
        int rc = rule_at(v, cheap, at, &rule, &from, &next);
        uint16_t number = rc < 0 ? 0 : wick_host_number(numbers, &rule, now_ns);
        if (!rc && number && none) { /* it is not the first one that begins since then */
            wick_addr first = first_rule(v, from, none);
            none = 0;
            if (first < from) {
                at = known = first;
                continue;
            }
        }
        from = number && from > known ? from : number ? known : at;
        if (!n || rows->row[n - 1].rule != number) {
            rows->row[n].from = (uint16_t)(n ? from - page : 0);
            rows->row[n++].rule = number;
        }
        none = !rc && number ? 0 : at;
        /* what has no rule is searched in steps; where the rule that is found next begins is known then */
        at = number && next > at ? next : (at & ~(uint64_t)(NO_RULE_STEP - 1)) + NO_RULE_STEP;
        known = !rc && number ? at : known;
    }
    if (n)
        rows->n = n;
    if (n == WICK_HOST_ROWS) /* what is behind the last row has no rule, rather than a wrong one */
        rows->row[n - 1].rule = 0;
}

/* --- what the kernel side has --- */

static struct wick_host_taught *taught_place(struct wick_host_rules *r, const struct wick_host_page *page)
{
    return &r->taught[wick_hash_bytes(page, sizeof *page) % WICK_HOST_TAUGHT];
}

/* When it was handed over, on CLOCK_MONOTONIC; 0 = it was not, or is forgotten. */
static uint64_t taught_ns(struct wick_host_rules *r, const struct wick_host_page *page)
{
    const struct wick_host_taught *t = taught_place(r, page);
    return t->ns >= r->numbers.begun_ns && !memcmp(&t->page, page, sizeof *page) ? t->ns : 0;
}

static void note(struct wick_host_rules *r, const struct wick_host_page *page)
{
    *taught_place(r, page) = (struct wick_host_taught){*page, wick_clock_mono_ns()};
}

static void hand_over(struct wick_host_rules *r, const struct wick_host_page *page, const struct wick_host_rows *rows)
{
    const struct wick_host_rule_sink *sink = &r->numbers.sink;
    sink->put_page(sink->arg, page, rows);
    note(r, page);
}

static struct wick_host_page page_of_process(const struct wick_host_code *code, uint64_t pc)
{
    return (struct wick_host_page){.birth = code->birth, .page = pc & ~(uint64_t)(WICK_HOST_PAGE - 1)};
}

/* Of the file that the spot is in; false: the kernel side does not know it by its file. */
static bool page_of_file(const struct wick_host_spot *spot, struct wick_host_page *out)
{
    if (!spot->library || !spot->library->file.device)
        return false;
    *out = (struct wick_host_page){.file = spot->library->file, .page = spot->offset & ~(uint64_t)(WICK_HOST_PAGE - 1)};
    return true;
}

bool wick_host_rules_taught(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc)
{
    struct wick_host_spot spot = {.known = false};
    struct wick_host_page file;
    const struct wick_host_page own = page_of_process(code, pc);
    if (taught_ns(r, &own))
        return true;
    if (code->image || code->mapped)
        wick_host_library_find(&r->libraries, code, pc, false, &spot);
    return page_of_file(&spot, &file) && taught_ns(r, &file);
}

void wick_host_rules_page(struct wick_host_rules *r, const struct wick_host_code *code, uint64_t pc, uint64_t now_ns)
{
    const struct wick_host_page own = page_of_process(code, pc);
    struct wick_host_page file;
    struct wick_host_spot spot = {.known = false};
    struct wick_host_rows rows = {.n = 0};
    uint64_t before_ns = taught_ns(r, &own);
    if (now_ns <= before_ns)
        return; /* it was missed before it was there */
    if (code->image || code->mapped)
        wick_host_library_find(&r->libraries, code, pc, before_ns > 0, &spot);
    const bool is_read = code->image || !code->mapped;
    if (!is_read && !spot.library)
        return; /* another process may have it as well, and can be read */
    bool of_file = page_of_file(&spot, &file);
    if (of_file && !before_ns && now_ns <= taught_ns(r, &file)) {
        note(r, &own);
        return; /* likewise, for another process */
    }
    struct view v = view_of(code, &spot);
    make_rows(&r->numbers, &v, spot.addr & ~(wick_addr)(WICK_HOST_PAGE - 1), now_ns, &rows);
    if (of_file)
        hand_over(r, &file, &rows);
    if (is_read && (!of_file || before_ns)) /* a file's page that is missed again is not found by its file */
        hand_over(r, &own, &rows);
    note(r, &own);
}
