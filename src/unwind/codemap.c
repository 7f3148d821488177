/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codemap.c - every blob of the code heaps with its name
 *
 * The blobs are found by walking the heaps block by block (hotspot/jvm.h) and read by the same code that reads them for
 * a stack walk (step_blob.h). An nmethod is called after its method; any other blob has a name of its own. With
 * inlining, an nmethod's debug information divides it into stretches (hotspot/scopes.h).
 */
#include "unwind/codemap.h"

#include <stdlib.h>
#include <string.h>

#include "hotspot/method.h"
#include "hotspot/scopes.h"
#include "hotspot/value.h"
#include "model/hash.h"
#include "unwind/step.h"

enum { NAME_BYTES = 128, BLOB_MAX_BYTES = 64 << 20, MAX_ENDS = 1 << 15, MAX_SCOPES = 64 };
enum { PAGES = 64, PAGE_BYTES = 4096 };

/* The last pages read, since debug information is read a few bytes at a time. Stale pages do no harm: what is read is
 * checked as it is anyway. */
struct pages {
    struct wick_mem mem; /* reads through the pages */
    const struct wick_mem *from;
    wick_addr addr[PAGES]; /* of the page at each place, 0 = none */
    uint8_t bytes[PAGES][PAGE_BYTES];
};

static const uint8_t *page_at(struct pages *p, wick_addr page)
{
    unsigned place = (unsigned)(page / PAGE_BYTES) % PAGES;
    if (p->addr[place] == page)
        return p->bytes[place];
    p->addr[place] = 0;
    if (wick_mem_read(p->from, page, p->bytes[place], PAGE_BYTES))
        return NULL;
    p->addr[place] = page;
    return p->bytes[place];
}

static int read_pages(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    struct pages *p = (struct pages *)m; /* mem is the first member */
    for (size_t done = 0; done < n;) {
        size_t in = (addr + done) % PAGE_BYTES, part = PAGE_BYTES - in < n - done ? PAGE_BYTES - in : n - done;
        const uint8_t *bytes = page_at(p, addr + done - in);
        if (!bytes)
            return -WICK_E_FAULT;
        memcpy((char *)buf + done, bytes + in, part);
        done += part;
    }
    return 0;
}

static void pages_init(struct pages *p, const struct wick_mem *from)
{
    p->mem = *from;
    p->from = from;
    p->mem.read = read_pages;
}

struct wick_step_env {
    const struct wick_mem *mem;
    struct wick_step_scratch scratch;
};

static inline struct wick_step_scratch *step_scratch(struct wick_step_env *env)
{
    return &env->scratch;
}

static int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    return wick_mem_read(env->mem, addr, buf, n);
}

#include "unwind/step_blob.h"

/* java/lang/Foo, bar: java.lang.Foo.bar; the serial number of a hidden class ("/0x...") keeps its slash. */
static void add_method(struct wick_strbuf *out, const struct wick_hs_method *m)
{
    for (uint16_t i = 0; i < m->class_len; i++) {
        bool package = m->data[i] == '/' && i + 1 < m->class_len && !(m->data[i + 1] >= '0' && m->data[i + 1] <= '9');
        wick_strbuf_addc(out, package ? '.' : (char)m->data[i]);
    }
    wick_strbuf_addc(out, '.');
    wick_strbuf_add(out, m->data + m->class_len, m->name_len);
}

/* Names by Method*, copied once: popular methods are inlined in hundreds of places. */
struct names {
    struct wick_strbuf text;
    struct {
        wick_addr method;
        size_t at, len; /* in text; len 0 = cannot be read */
    } * known;
    uint32_t n, cap;
    struct wick_index ix;
    void *buf; /* for one method */
};

struct map {
    const struct wick_remote *r;
    struct pages pages;
    struct names names;
    struct wick_strbuf name, next;
    uint32_t ends[MAX_ENDS];
    void (*take)(void *ctx, const struct wick_code_entry *c);
    void *ctx;
    bool failed;
};

static void copy_name(struct map *m, wick_addr method)
{
    struct names *n = &m->names;
    struct wick_hs_method_id id;
    size_t at = n->text.len;
    if (!wick_hs_method_identity(&m->r->jvm, &m->pages.mem, method, &id) &&
        wick_hs_method_copy(&m->r->jvm, &m->pages.mem, &id, n->buf, WICK_HS_METHOD_BYTES) >= 0)
        add_method(&n->text, n->buf);
    n->known[n->n].method = method;
    n->known[n->n].at = at;
    n->known[n->n].len = n->text.len - at;
}

/* Appends a method's name; false if it cannot be read: it has just been thrown away. */
static bool add_name(struct map *m, wick_addr method, struct wick_strbuf *out)
{
    struct names *n = &m->names;
    uint64_t h = wick_hash_2(method, 0);
    uint32_t at = wick_index_start(&n->ix, h), id;
    while (wick_index_next(&n->ix, h, &at, &id))
        if (n->known[id].method == method)
            goto found;
    if (n->n == n->cap) {
        void *bigger = reallocarray(n->known, n->cap ? n->cap * 2 : 256, sizeof *n->known);
        m->failed = m->failed || !bigger;
        if (!bigger)
            return false;
        n->known = bigger;
        n->cap = n->cap ? n->cap * 2 : 256;
    }
    copy_name(m, method);
    m->failed = m->failed || n->text.failed || wick_index_add(&n->ix, h, n->n);
    id = n->n++;
found:
    wick_strbuf_add(out, n->text.buf + n->known[id].at, n->known[id].len);
    return n->known[id].len > 0;
}

/* "a->b->c" for the pcs up to offset off; innermost scope comes first. */
static bool add_way(struct map *m, wick_addr nmethod, uint32_t off, struct wick_strbuf *out)
{
    struct wick_hs_scope scopes[MAX_SCOPES];
    const struct wick_hs_at at = {.nmethod = nmethod, .off = off};
    int n = wick_hs_scopes(&m->r->jvm, &m->pages.mem, &at, scopes, MAX_SCOPES);
    bool good = n > 0;
    while (good && n--) {
        good = add_name(m, scopes[n].method, out);
        if (n)
            wick_strbuf_adds(out, "->");
    }
    return good;
}

static void hand_out(struct map *m, const struct wick_step_blob *b, uint64_t start, uint64_t end, bool is_java)
{
    if (start < end && m->name.len)
        m->take(m->ctx, &(struct wick_code_entry){start, end, &m->name, is_java, b->comp_level});
}

/* The stretches of a compiled method, neighbours with the same name put together. What lies behind the last one is
 * called after the method itself. */
static void take_stretches(struct map *m, const struct wick_step_blob *b)
{
    int n = wick_hs_scope_ends(&m->r->jvm, &m->pages.mem, b->addr, m->ends, MAX_ENDS);
    uint64_t start = b->code, end = b->code;
    wick_strbuf_clear(&m->name);
    for (int i = 0; i <= n && end < b->code_end; i++) {
        wick_strbuf_clear(&m->next);
        bool good = i < n ? add_way(m, b->addr, m->ends[i], &m->next)
                          : add_name(m, wick_hs_nmethod_method(&m->r->jvm, &m->pages.mem, b->addr), &m->next);
        if (!good || m->next.len != m->name.len || memcmp(m->next.buf, m->name.buf, m->name.len)) {
            hand_out(m, b, start, end, true);
            start = end;
            struct wick_strbuf swap = m->name;
            m->name = m->next;
            m->next = swap;
            if (!good)
                wick_strbuf_clear(&m->name);
        }
        end = i < n ? b->code + m->ends[i] + 1 : b->code_end;
        end = end < b->code_end ? end : b->code_end;
    }
    hand_out(m, b, start, end, true);
}

static bool name_blob(struct map *m, wick_addr blob)
{
    char name[NAME_BYTES];
    wick_addr at = wick_hs_u64(&m->pages.mem, blob + (unsigned)m->r->jvm.layout.cb_name);
    if (!at || wick_mem_read_str(&m->pages.mem, at, name, sizeof name) <= 0)
        return false;
    wick_strbuf_adds(&m->name, name);
    return true;
}

static void take_blob(struct map *m, wick_addr at, bool inlined)
{
    struct wick_step_env env = {.mem = &m->pages.mem};
    struct wick_step_blob b;
    if (step_blob_read(&env, &m->r->jvm.step, at, &b) != WICK_STOP_NONE || b.addr != at || b.code_end <= b.code ||
        b.code < at || b.code_end - b.code > BLOB_MAX_BYTES)
        return;
    bool is_java = b.kind == WICK_BLOB_NMETHOD || b.kind == WICK_BLOB_NATIVE;
    wick_strbuf_clear(&m->name);
    if (inlined && b.kind == WICK_BLOB_NMETHOD)
        take_stretches(m, &b);
    else if (is_java ? add_name(m, wick_hs_nmethod_method(&m->r->jvm, &m->pages.mem, at), &m->name) : name_blob(m, at))
        hand_out(m, &b, b.code, b.code_end, is_java);
}

int wick_codemap_read(const struct wick_remote *r, bool inlined,
                      void (*take)(void *ctx, const struct wick_code_entry *c), void *ctx)
{
    struct map *m = calloc(1, sizeof *m);
    if (!m)
        return -WICK_E_NOMEM;
    struct wick_jvm_blobs it = {.jvm = &r->jvm};
    m->r = r;
    m->take = take;
    m->ctx = ctx;
    pages_init(&m->pages, &r->mem);
    wick_strbuf_init(&m->names.text);
    wick_strbuf_init(&m->name);
    wick_strbuf_init(&m->next);
    wick_hash_seed_init();
    m->names.buf = malloc(WICK_HS_METHOD_BYTES);
    m->failed = !m->names.buf;
    for (wick_addr at; !m->failed && wick_jvm_blob_next(&it, &at);) {
        take_blob(m, at, inlined);
        m->failed = m->failed || m->name.failed || m->next.failed;
    }
    int rc = m->failed ? -WICK_E_NOMEM : 0;
    wick_strbuf_release(&m->names.text);
    wick_strbuf_release(&m->name);
    wick_strbuf_release(&m->next);
    wick_index_release(&m->names.ix);
    free(m->names.known);
    free(m->names.buf);
    free(m);
    return rc;
}
