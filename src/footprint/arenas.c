/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arenas.c - see arenas.h
 *
 * Why memory is read instead of mallinfo2 or malloc_info being called: those wait for the lock of each arena. A thread
 * may have stopped, or been stopped, with one of them held; a reader that waits there hangs, and while it has a lock
 * itself the program's threads wait for it, for as long as it takes to go through all free chunks. A child of fork()
 * waits for ever. And there is no calling them from outside, or where another allocator is used.
 *
 * So nothing here is certain, and everything is checked before it counts. glibc's arenas (struct malloc_state) are a
 * ring through their `next`; all but the first, main_arena, lie in heaps of their own behind a head that points to
 * them. main_arena is in libc's data, and found there without symbols: 127 lists in a row, each of which is empty, and
 * then points to itself, or is not. The offset of the lists is 112 from glibc 2.27 on, and 24 where there are no
 * fastbins; the rest of the struct is the same.
 *
 * A list of free chunks is doubly linked. A chunk counts if the next one points back to it, and its size is one of that
 * list's. One that was allocated since has its neighbour no longer pointing to it, so a walk that lost its way ends at
 * the next chunk. Such a list is read again, and after some tries what was seen of it counts, as the least that is
 * there. At the end the sums must be possible. Chunks in fastbins are singly linked, and small; from glibc 2.32 on with
 * links that are mangled by their address.
 *
 * malloc_trim gives back whole pages within free chunks, and the end of the main arena but for a page. What of these is
 * resident is asked of the kernel. Chunks in fastbins, which it joins with others before, are left out: it may be more.
 */
#include "footprint/arenas.h"

#include <string.h>

#include "base/err.h"

enum {
    WORD = 8,
    PAGE = 4096,
    LISTS = 127, /* the first is of chunks that are not sorted yet */
    SMALL = 63,  /* the last list of chunks of one size: 16 bytes times its number */
    FASTBINS = 10,
    FASTBINS_AT = 16,
    WITH_FASTBINS = 112,
    WITHOUT = 24,
    /* from the lists: */
    TOP = -16,
    NEXT = 2048,
    ATTACHED = NEXT + 16,
    SYSTEM = NEXT + 24,
    SYSTEM_MOST = NEXT + 32,
    ARENA_BYTES = WITH_FASTBINS + SYSTEM_MOST + WORD,

    HEAD_SIZE = 48, /* struct malloc_chunk */
    LEAST = 32,     /* of a chunk */
    FLAGS = 7,
    NOT_CONTIGUOUS = 2,

    ARENAS_MOST = 4096,
    EMPTY_LEAST = 8, /* lists of main_arena; the large ones nearly always are */
    CHUNKS_A_STEP = 256,
    AN_ARENA = 8, /* chunks that take as long as the rest of an arena */
    CHUNKS_MOST = 1 << 20,
    TRIES = 3,
    MAPPED_MOST = 65536 /* blocks with a mapping of their own: mallopt's default */
};

#define ADDRESSES   (1ull << 47)
#define SYSTEM_SANE (1ull << 42) /* bytes of an arena */

static const char *const names[WICK_ARENAS_STATES] = {
#define X(NAME, text) text,
#include "def/arenas_state.def"
#undef X
};

const char *wick_arenas_state_name(enum wick_arenas_state state)
{
    return names[state];
}

/* ---- an arena ---- */

static uint64_t word(const struct wick_arenas_walk *w, int64_t at)
{
    return w->data[at / WORD];
}

/* What list i looks like as a chunk, so that its links are where a chunk's are. */
static wick_addr list_of(wick_addr arena, uint32_t bins, uint32_t i)
{
    return arena + bins + (uint64_t)(i - 1) * 16 - 16;
}

static bool is_chunk(wick_addr a)
{
    return a && a % 16 == 0 && a < ADDRESSES;
}

/* Whether the words from `at` bytes on, at address `arena`, have the form of an arena. */
static bool has_lists(const uint64_t *at, wick_addr arena, uint32_t bins, uint32_t empty_least)
{
    uint32_t empty = 0;
    const uint64_t *link = at + bins / WORD;
    for (uint32_t i = 1; i <= LISTS; i++, link += 2) {
        wick_addr self = list_of(arena, bins, i);
        if ((link[0] == self) != (link[1] == self) || link[0] % 8 || link[1] % 8 ||
            (link[0] != self && (!is_chunk(link[0]) || !is_chunk(link[1]))))
            return false;
        empty += link[0] == self;
    }
    uint64_t system = at[(bins + SYSTEM) / WORD], most = at[(bins + SYSTEM_MOST) / WORD];
    uint64_t next = at[(bins + NEXT) / WORD], top = at[(bins + TOP) / WORD];
    return empty >= empty_least && system <= most && most < SYSTEM_SANE && next && next % 8 == 0 && top % 8 == 0 && top;
}

static bool read_arena(struct wick_arenas_walk *w, wick_addr at)
{
    return !wick_mem_read(w->mem, at, w->data, ARENA_BYTES) && has_lists(w->data, at, w->bins, 0);
}

/* All but the main arena lie behind the head of their heap. */
static bool in_its_heap(const struct wick_arenas_walk *w, wick_addr arena)
{
    uint64_t owner = 0, head = arena & ~(uint64_t)(PAGE - 1);
    return arena - head >= 32 && arena - head <= 128 && !wick_mem_read(w->mem, head, &owner, sizeof owner) &&
           owner == arena;
}

/* The resident bytes of whole pages from lo to hi. */
static uint64_t resident_in(struct wick_arenas_walk *w, uint64_t lo, uint64_t hi)
{
    uint64_t bytes = 0;
    lo = (lo + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    hi &= ~(uint64_t)(PAGE - 1);
    while (lo < hi) {
        int n = wick_pagemap_read(w->pagemap, lo, hi, &lo);
        for (int i = 0; i < n; i++)
            if (w->pagemap->run[i].resident && !w->pagemap->run[i].unsure)
                bytes += w->pagemap->run[i].hi - w->pagemap->run[i].lo;
        if (n < 0)
            break;
    }
    return bytes;
}

/* The chunk at the end of an arena; before the first allocation it is a list, without a size. */
static bool take_top(struct wick_arenas_walk *w)
{
    struct wick_arenas_chunk c;
    wick_addr top = word(w, w->bins + TOP);
    bool contiguous = !((word(w, 0) >> 32) & NOT_CONTIGUOUS);
    if (top == list_of(w->arena, w->bins, 1))
        return true;
    if (!is_chunk(top) || wick_mem_read(w->mem, top, &c, 16))
        return false;
    uint64_t size = c.size & ~(uint64_t)FLAGS;
    if (size > word(w, w->bins + SYSTEM) || (top + size) % 16)
        return false;
    w->out.top += size;
    if (w->arena == w->main && contiguous && size > LEAST + 1)
        w->out.trimmable += resident_in(w, top + LEAST + 1, top + size);
    return true;
}

/* ---- lists ---- */

static bool fits(uint32_t list, uint64_t size)
{
    return size >= LEAST && size % 16 == 0 &&
           (list == 1 || (list <= SMALL ? size == list * 16ull : size > SMALL * 16ull));
}

static void count_chunk(struct wick_arenas_walk *w, wick_addr at, uint64_t size)
{
    w->in_bin.free += size;
    if (size > PAGE + HEAD_SIZE)
        w->in_bin.trimmable += resident_in(w, at + HEAD_SIZE, at + size);
}

/* Most lists are empty: w->data says so, as of when the arena was begun. */
static void begin_list(struct wick_arenas_walk *w, uint32_t bin)
{
    while (bin <= LISTS && word(w, w->bins + (bin - 1) * 16) == list_of(w->arena, w->bins, bin))
        bin++;
    w->bin = bin;
    w->chunk = 0;
    w->tries = 0;
}

static void end_list(struct wick_arenas_walk *w)
{
    w->out.free += w->in_bin.free;
    w->out.trimmable += w->in_bin.trimmable;
    w->in_bin = (struct wick_arenas_sum){0};
    begin_list(w, w->bin + 1);
}

/* The list was changed under the reader. */
static void lost(struct wick_arenas_walk *w)
{
    w->block = 0;
    if (++w->tries >= TRIES) {
        w->out.state = WICK_ARENAS_PARTLY;
        end_list(w);
        return;
    }
    w->in_bin = (struct wick_arenas_sum){0};
    w->chunk = 0;
}

static int read_chunk(struct wick_arenas_walk *w, wick_addr at, struct wick_arenas_chunk *out)
{
    wick_addr block = at & ~(uint64_t)(sizeof w->bytes - 1), from = at - block;
    if (from + sizeof *out > sizeof w->bytes)
        return wick_mem_read(w->mem, at, out, sizeof *out);
    if (block != w->block && wick_mem_read(w->mem, block, w->bytes, sizeof w->bytes)) {
        w->block = 0;
        return -WICK_E_FAULT;
    }
    w->block = block;
    memcpy(out, w->bytes + from, sizeof *out);
    return 0;
}

/* Goes on in a list for one chunk, or to its end. */
static void go_on(struct wick_arenas_walk *w)
{
    wick_addr self = list_of(w->arena, w->bins, w->bin), at = w->chunk ? w->chunk : self;
    struct wick_arenas_chunk c = w->head, next;
    if (!w->chunk && read_chunk(w, at, &c)) {
        lost(w);
        return;
    }
    uint64_t size = c.size & ~(uint64_t)FLAGS;
    w->chunks++;
    if (c.next != self && !is_chunk(c.next)) {
        lost(w);
    } else if (read_chunk(w, c.next, &next) || next.previous != at ||
               (at != self && (!fits(w->bin, size) || size > w->of_arena - w->in_bin.free))) {
        lost(w);
    } else {
        if (at != self)
            count_chunk(w, at, size);
        w->chunk = c.next;
        w->head = next;
        if (c.next == self)
            end_list(w);
    }
}

static bool is_of_size(const struct wick_arenas_walk *w, wick_addr at, uint64_t size, struct wick_arenas_chunk *c)
{
    return is_chunk(at) && !wick_mem_read(w->mem, at, c, sizeof *c) && (c->size & ~(uint64_t)FLAGS) == size;
}

/* A list of small chunks of one size. */
static void take_fastbin(struct wick_arenas_walk *w, wick_addr at, uint64_t size)
{
    struct wick_arenas_chunk c, next;
    bool good = !at || is_of_size(w, at, size, &c);
    while (at && good && w->chunks++ < w->most) {
        wick_addr clear = c.next ^ (at + 16) >> 12;
        w->out.free += size;
        at = clear == 0 || is_of_size(w, clear, size, &next) ? clear : c.next;
        good = !at || is_of_size(w, at, size, &c);
    }
    if (at)
        w->out.state = WICK_ARENAS_PARTLY;
}

/* Those of the arena in w->data. */
static void take_fastbins(struct wick_arenas_walk *w)
{
    for (uint32_t i = 0; w->bins == WITH_FASTBINS && i < FASTBINS; i++)
        take_fastbin(w, word(w, FASTBINS_AT + i * WORD), (i + 2) * 16ull);
}

/* ---- the ring of arenas ---- */

static void give_up(struct wick_arenas_walk *w)
{
    w->out = (struct wick_arenas){.state = WICK_ARENAS_UNKNOWN};
    w->arena = 0;
}

static void begin_arena(struct wick_arenas_walk *w, wick_addr at)
{
    w->arena = at;
    if ((at != w->main && !in_its_heap(w, at)) || w->out.arenas == ARENAS_MOST || !read_arena(w, at) || !take_top(w)) {
        give_up(w);
        return;
    }
    w->out.arenas++;
    w->of_arena = word(w, w->bins + SYSTEM);
    w->system += w->of_arena;
    w->chunks += AN_ARENA;
    take_fastbins(w);
    begin_list(w, 1);
}

static void finish(struct wick_arenas_walk *w)
{
    w->arena = 0;
    if (w->out.free + w->out.top > w->system) {
        give_up(w);
        return;
    }
    w->out.used = w->system - w->out.free - w->out.top;
    if (!w->system && !w->out.mapped)
        w->out = (struct wick_arenas){.state = WICK_ARENAS_UNUSED};
}

static void end_arena(struct wick_arenas_walk *w)
{
    uint64_t next = 0;
    if (wick_mem_read(w->mem, w->arena + w->bins + NEXT, &next, sizeof next))
        give_up(w);
    else if (next == w->main)
        finish(w);
    else
        begin_arena(w, next);
}

bool wick_arenas_step(struct wick_arenas_walk *w)
{
    w->block = 0;
    for (uint32_t begun = w->chunks; w->arena && w->chunks - begun < CHUNKS_A_STEP;) {
        if (w->chunks >= w->most && w->bin <= LISTS) {
            w->out.state = WICK_ARENAS_PARTLY;
            end_list(w);
            w->bin = LISTS + 1;
        }
        if (w->bin <= LISTS)
            go_on(w);
        else
            end_arena(w);
    }
    return w->arena;
}

/* ---- what libc's data has ---- */

/* Blocks with a mapping of their own, of struct malloc_par (mp_): their number, how many there may be, the most there
 * were, 0 or 1; their bytes, the most. The fields before differ between versions. `arena`: where main_arena is. */
static bool take_mapped(struct wick_arenas_walk *w, const uint8_t *data, size_t n, size_t arena)
{
    for (size_t at = 0; at + 40 <= n; at += 4) {
        if (at + 40 > arena && at < arena + ARENA_BYTES)
            continue;
        uint32_t head[4];
        uint64_t bytes[2];
        memcpy(head, data + at, sizeof head);
        if (head[1] != MAPPED_MOST || head[0] > head[2] || head[2] > MAPPED_MOST || head[3] > 1)
            continue;
        memcpy(bytes, data + ((at + sizeof head + 7) & ~(size_t)7), sizeof bytes);
        if (bytes[0] % PAGE || bytes[1] % PAGE || bytes[0] > bytes[1] || bytes[1] >= ADDRESSES ||
            bytes[0] < (uint64_t)head[0] * PAGE || !head[0] != !bytes[0])
            continue;
        w->out.blocks = head[0];
        w->out.mapped = bytes[0];
        return true;
    }
    return false;
}

/* As the C library has it at first: alone in its ring, and without lists. */
static bool is_unused(const uint64_t *at, wick_addr arena, uint32_t bins)
{
    return at[(bins + NEXT) / WORD] == arena && at[(bins + ATTACHED) / WORD] == 1 && !at[(bins + TOP) / WORD] &&
           !at[bins / WORD] && !at[(bins + SYSTEM) / WORD];
}

/* Whether the ring leads back: with lists at one offset an arena begins elsewhere than with the other. */
static bool is_ring(const struct wick_arenas_walk *w, wick_addr arena, uint32_t bins)
{
    wick_addr at = arena;
    for (uint32_t i = 0; i < ARENAS_MOST; i++)
        if (wick_mem_read(w->mem, at + bins + NEXT, &at, sizeof at) || at % WORD || at == arena)
            return at == arena;
    return false;
}

static bool find_main(struct wick_arenas_walk *w, uint64_t lo, size_t n)
{
    static const uint32_t offsets[] = {WITH_FASTBINS, WITHOUT};
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++)
        for (size_t at = 0; at + offsets[k] + SYSTEM_MOST + WORD <= n; at += WORD) {
            if (is_unused(w->data + at / WORD, lo + at, offsets[k]))
                w->out.state = WICK_ARENAS_UNUSED;
            if (!has_lists(w->data + at / WORD, lo + at, offsets[k], EMPTY_LEAST) || !is_ring(w, lo + at, offsets[k]))
                continue;
            w->main = lo + at;
            w->bins = offsets[k];
            return true;
        }
    return false;
}

void wick_arenas_begin(struct wick_arenas_walk *w, const struct wick_mem *mem, struct wick_pagemap *pagemap,
                       uint64_t lo, uint64_t hi, uint32_t most)
{
    memset(w, 0, sizeof *w);
    w->most = most ? most : CHUNKS_MOST;
    w->mem = mem;
    w->pagemap = pagemap;
    w->out.state = WICK_ARENAS_NO_GLIBC;
    if (lo >= hi)
        return;
    size_t n = hi - lo < sizeof w->data ? hi - lo : sizeof w->data;
    w->out.state = WICK_ARENAS_UNKNOWN;
    if (wick_mem_read(mem, lo, w->data, n) || !find_main(w, lo, n) ||
        !take_mapped(w, (const uint8_t *)w->data, n, w->main - lo))
        return;
    w->out.state = WICK_ARENAS_KNOWN;
    begin_arena(w, w->main);
}
