/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - reads and writes files of snapshots
 *
 * Members of struct wick_step_jvm go by name, so a file stays valid when members are added or moved.
 */
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LINE_BYTES = 4096 };

struct fact {
    const char *name;
    size_t at, size;
};

#define WIDE(m)                                  \
    {                                            \
#m, offsetof(struct wick_step_jvm, m), 8 \
    }
#define SHORT(m)                                 \
    {                                            \
#m, offsetof(struct wick_step_jvm, m), 4 \
    }
static const struct fact facts[] = {
    WIDE(cc_lo),
    WIDE(cc_hi),
    WIDE(call_stub_return),
    WIDE(cont_barrier),
    WIDE(cont_return_pc),
    WIDE(oop_base),
    /* whatever is not an offset, so its default is 0 */
    SHORT(seg_shift),
    SHORT(heapblock_size),
    SHORT(blob_bytes),
    SHORT(nmethod_bytes),
    SHORT(major),
    SHORT(oop_kind),
    SHORT(oop_shift),
    SHORT(code_is_pointer),
    SHORT(cb_frame_complete_is_short),
    SHORT(chunk_bottom_is_argsize),
    SHORT(cb_name),
    SHORT(cb_frame_size),
    SHORT(cb_frame_complete),
    SHORT(cb_code),
    SHORT(cb_code_end),
    SHORT(nm_compile_id),
    SHORT(nm_comp_level),
    SHORT(nm_orig_pc),
    SHORT(nm_deopt),
    SHORT(nm_deopt_mh),
    SHORT(method_const),
    SHORT(constmethod_size),
    SHORT(cm_code_size),
    SHORT(cm_constants),
    SHORT(cp_holder),
    SHORT(interp_bcp_slot),
    SHORT(thread_anchor),
    SHORT(anchor_sp),
    SHORT(anchor_pc),
    SHORT(anchor_fp),
    SHORT(thread_state),
    SHORT(thread_saved_pc),
    SHORT(thread_cont_entry),
    SHORT(entry_wrapper_slot),
    SHORT(wrapper_anchor),
    SHORT(cont_entry_size),
    SHORT(cont_tail),
    SHORT(chunk_parent),
    SHORT(chunk_size),
    SHORT(chunk_sp),
    SHORT(chunk_bottom),
    SHORT(chunk_stack),
};
enum { FACTS = sizeof facts / sizeof *facts, FACTS_OF_ZERO = 16 };

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

/* Index of the first element of `size` bytes, which begins with an address, that is not below addr. */
static size_t lower(const void *base, size_t n, size_t size, uint64_t addr)
{
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        uint64_t at;
        memcpy(&at, (const char *)base + mid * size, sizeof at);
        if (at < addr)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

static void *find(const void *base, size_t n, size_t size, uint64_t addr)
{
    size_t i = lower(base, n, size, addr);
    char *e = (char *)base + i * size;
    return i < n && !memcmp(e, &addr, sizeof addr) ? e : NULL;
}

/* A zeroed element at its place. */
static void *put(void **base, size_t *n, size_t size, uint64_t addr)
{
    size_t i = lower(*base, *n, size, addr);
    if (!(*n & (*n - 1)))
        *base = must(realloc(*base, (*n ? 2 * *n : 1) * size)); /* room grows by powers of two */
    char *e = (char *)*base + i * size;
    memmove(e + size, e, (*n - i) * size);
    memset(e, 0, size);
    memcpy(e, &addr, sizeof addr);
    ++*n;
    return e;
}

struct snapshot_piece *snapshot_piece_find(const struct snapshot_pieces *p, uint64_t addr)
{
    return find(p->at, p->n, sizeof *p->at, addr);
}

struct snapshot_piece *snapshot_piece_add(struct snapshot_pieces *p, uint64_t addr)
{
    return put((void **)&p->at, &p->n, sizeof *p->at, addr);
}

struct snapshot_rule *snapshot_rule_find(const struct snapshot *s, uint64_t pc)
{
    return find(s->rules, s->rule_count, sizeof *s->rules, pc);
}

struct snapshot_rule *snapshot_rule_add(struct snapshot *s, uint64_t pc)
{
    return put((void **)&s->rules, &s->rule_count, sizeof *s->rules, pc);
}

struct snapshot_function *snapshot_function_find(const struct snapshot *s, uint64_t pc)
{
    return find(s->functions, s->function_count, sizeof *s->functions, pc);
}

struct snapshot_function *snapshot_function_add(struct snapshot *s, uint64_t pc)
{
    return put((void **)&s->functions, &s->function_count, sizeof *s->functions, pc);
}

struct snapshot_walk *snapshot_walk_add(struct snapshot *s, struct snapshot_walk *w)
{
    s->walks = must(realloc(s->walks, (s->walk_count + 1) * sizeof(struct snapshot_walk *)));
    return s->walks[s->walk_count++] = w;
}

void snapshot_walk_free(struct snapshot_walk *w)
{
    free(w->own.at);
    free(w);
}

void snapshot_release(struct snapshot *s)
{
    for (size_t i = 0; i < s->walk_count; i++)
        snapshot_walk_free(s->walks[i]);
    free(s->walks);
    free(s->memory.at);
    free(s->rules);
    free(s->functions);
    *s = (struct snapshot){0};
}

static void no_facts(struct wick_step_jvm *j)
{
    static const int32_t absent = -1;
    memset(j, 0, sizeof *j);
    for (int i = FACTS_OF_ZERO; i < FACTS; i++)
        memcpy((char *)j + facts[i].at, &absent, sizeof absent);
}

static bool read_fact(struct wick_step_jvm *j, const char *line)
{
    char name[40];
    int64_t value;
    if (sscanf(line, "%39s %" SCNi64, name, &value) != 2)
        return false;
    for (int i = 0; i < FACTS; i++) {
        if (!strcmp(facts[i].name, name)) {
            memcpy((char *)j + facts[i].at, &value, facts[i].size);
            return true;
        }
    }
    return false;
}

static bool read_heap(struct wick_step_jvm *j, const char *line)
{
    if (j->heap_count == WICK_STEP_HEAPS)
        return false;
    struct wick_step_heap *h = &j->heap[j->heap_count++];
    return sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &h->lo, &h->hi, &h->segmap) == 3;
}

static bool read_rule(struct snapshot *s, const char *line)
{
    uint64_t pc;
    int at, kind, reg, add, flags;
    if (sscanf(line, "%" SCNx64 "%n", &pc, &at) != 1)
        return false;
    struct snapshot_rule *r = snapshot_rule_add(s, pc);
    r->none = !strcmp(line + at, " none");
    if (r->none)
        return true;
    line += at;
    if (sscanf(line, "%" SCNd32 " %d %d %d %d%n", &r->rule.cfa_off, &kind, &reg, &add, &flags, &at) != 5)
        return false;
    r->rule.cfa_kind = (uint8_t)kind;
    r->rule.cfa_reg = (uint8_t)reg;
    r->rule.cfa_add = (int8_t)add;
    r->rule.flags = (uint8_t)flags;
    for (int i = 0; i < WICK_SLOT_COUNT; i++) {
        line += at;
        if (sscanf(line, "%" SCNu8 ":%" SCNd16 "%n", &r->rule.how[i], &r->rule.off[i], &at) != 2)
            return false;
    }
    return true;
}

static bool read_function(struct snapshot *s, const char *line)
{
    uint64_t pc, start = 0;
    if (sscanf(line, "%" SCNx64 " %" SCNx64, &pc, &start) < 1)
        return false;
    snapshot_function_add(s, pc)->start = start;
    return true;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_memory(struct snapshot_pieces *p, const char *line)
{
    uint64_t addr;
    int at;
    if (sscanf(line, "%" SCNx64 " %n", &addr, &at) != 1 || addr % SNAPSHOT_PIECE)
        return false;
    struct snapshot_piece *piece = snapshot_piece_add(p, addr);
    line += at;
    piece->none = !strcmp(line, "none");
    if (!piece->none && strlen(line) != 2 * SNAPSHOT_PIECE)
        return false;
    for (int i = 0; !piece->none && i < SNAPSHOT_PIECE; i++) {
        int high = digit(line[2 * i]), low = digit(line[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        piece->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_state(struct snapshot_walk *w, const char *line)
{
    struct wick_step_state *s = &w->state;
    int at;
    *s = (struct wick_step_state){.leaf = 1};
    if (sscanf(line, "%" SCNx64 " %" SCNu32 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx32 "%n",
               &s->thread, &s->thread_state, &s->stack_end, &s->anchor_sp, &s->anchor_pc, &s->anchor_fp, &s->unknown,
               &at) != 7)
        return false;
    for (int i = 0; i < 17; i++) {
        line += at;
        if (sscanf(line, "%" SCNx64 "%n", &s->reg[i], &at) != 1)
            return false;
    }
    return true;
}

static bool read_frame(struct snapshot_walk *w, const char *line)
{
    if (w->n == SNAPSHOT_FRAMES)
        return false;
    struct snapshot_frame *e = &w->frames[w->n++];
    struct wick_step_frame *f = &e->frame;
    return sscanf(line, "%" SCNu8 " %" SCNx64 " %" SCNu32 " %" SCNu32 " %" SCNu8 " %" SCNu8 " %" SCNu8 " # %159[^\n]",
                  &f->kind, &f->ptr, &f->off, &f->identity, &f->level, &f->leaf, &f->stop, e->name) >= 7;
}

static bool read_line(struct snapshot *s, char *line)
{
    struct snapshot_walk *w = s->walk_count ? s->walks[s->walk_count - 1] : NULL;
    char *rest = strchr(line, ' ');
    line[strcspn(line, "\n")] = 0;
    if (!rest)
        return false;
    *rest++ = 0;
    switch (*line) {
    case '#':
        snprintf(s->title, sizeof s->title, "%.250s", rest);
        return true;
    case 'f':
        return !strcmp(line, "fact")       ? read_fact(&s->jvm, rest)
               : !strcmp(line, "function") ? read_function(s, rest)
                                           : w && read_frame(w, rest);
    case 'h':
        return read_heap(&s->jvm, rest);
    case 'r':
        return read_rule(s, rest);
    case 'm':
        return read_memory(w ? &w->own : &s->memory, rest);
    case 's':
        return w && read_state(w, rest);
    case 'w':
        w = snapshot_walk_add(s, must(calloc(1, sizeof *w)));
        snprintf(w->name, sizeof w->name, "%.47s", rest);
        return true;
    default:
        return false;
    }
}

int snapshot_load(struct snapshot *s, const char *path)
{
    char line[LINE_BYTES];
    int number = 0;
    bool good = true;
    *s = (struct snapshot){0};
    no_facts(&s->jvm);
    gzFile f = gzopen(path, "rb");
    if (!f)
        return -1;
    while (good && gzgets(f, line, sizeof line)) {
        number++;
        good = read_line(s, line);
    }
    if (gzclose(f) != Z_OK)
        return -1;
    return good ? 0 : number;
}

static void write_memory(gzFile f, const struct snapshot_pieces *p)
{
    for (size_t i = 0; i < p->n; i++) {
        gzprintf(f, "mem %" PRIx64 " %s", p->at[i].addr, p->at[i].none ? "none" : "");
        for (int k = 0; !p->at[i].none && k < SNAPSHOT_PIECE; k++)
            gzprintf(f, "%02x", p->at[i].bytes[k]);
        gzprintf(f, "\n");
    }
}

static void write_facts(gzFile f, const struct wick_step_jvm *j)
{
    for (int i = 0; i < FACTS; i++) {
        int64_t wide = 0;
        int32_t narrow = 0;
        memcpy(facts[i].size == 8 ? (void *)&wide : (void *)&narrow, (const char *)j + facts[i].at, facts[i].size);
        if (facts[i].size == 8)
            gzprintf(f, "fact %s 0x%" PRIx64 "\n", facts[i].name, (uint64_t)wide);
        else
            gzprintf(f, "fact %s %" PRId32 "\n", facts[i].name, narrow);
    }
    for (uint32_t i = 0; i < j->heap_count; i++)
        gzprintf(f, "heap %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", j->heap[i].lo, j->heap[i].hi, j->heap[i].segmap);
}

static void write_rules(gzFile f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->rule_count; i++) {
        const struct wick_unwind_rule *r = &s->rules[i].rule;
        gzprintf(f, "rule %" PRIx64, s->rules[i].pc);
        if (s->rules[i].none) {
            gzprintf(f, " none\n");
            continue;
        }
        gzprintf(f, " %d %d %d %d %d", r->cfa_off, r->cfa_kind, r->cfa_reg, r->cfa_add, r->flags);
        for (int k = 0; k < WICK_SLOT_COUNT; k++)
            gzprintf(f, " %d:%d", r->how[k], r->off[k]);
        gzprintf(f, "\n");
    }
    for (size_t i = 0; i < s->function_count; i++)
        if (s->functions[i].start)
            gzprintf(f, "function %" PRIx64 " %" PRIx64 "\n", s->functions[i].pc, s->functions[i].start);
        else
            gzprintf(f, "function %" PRIx64 " none\n", s->functions[i].pc);
}

static void write_walk(gzFile f, const struct snapshot_walk *w)
{
    const struct wick_step_state *s = &w->state;
    gzprintf(f, "walk %s\n", w->name);
    write_memory(f, &w->own);
    gzprintf(f, "state %" PRIx64 " %u %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x", s->thread, s->thread_state,
             s->stack_end, s->anchor_sp, s->anchor_pc, s->anchor_fp, s->unknown);
    for (int i = 0; i < 17; i++)
        gzprintf(f, " %" PRIx64, s->reg[i]);
    gzprintf(f, "\n");
    for (int i = 0; i < w->n; i++) {
        const struct wick_step_frame *e = &w->frames[i].frame;
        gzprintf(f, "frame %d %" PRIx64 " %u %u %d %d %d # %s\n", e->kind, e->ptr, e->off, e->identity, e->level,
                 e->leaf, e->stop, w->frames[i].name);
    }
}

int snapshot_save(const struct snapshot *s, const char *path)
{
    gzFile f = gzopen(path, "wb9");
    if (!f)
        return -1;
    gzprintf(f, "# %s\n", s->title);
    write_facts(f, &s->jvm);
    write_rules(f, s);
    write_memory(f, &s->memory);
    for (size_t i = 0; i < s->walk_count; i++)
        write_walk(f, s->walks[i]);
    return gzclose(f) == Z_OK ? 0 : -1;
}
