/* SPDX-License-Identifier: Apache-2.0 */
#include "record/note.h"

#include <string.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "base/err.h"

enum { ALIGN = 64 };

static size_t round_up(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

int wick_notes_init(struct wick_notes *n, uint32_t count, size_t bytes)
{
    memset(n, 0, sizeof *n);
    if (count > WICK_NOTES_MOST)
        count = WICK_NOTES_MOST;
    size_t each = round_up(bytes), first = round_up((count + 1) * sizeof(uint32_t));
    void *p =
        mmap(NULL, first + count * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -WICK_E_NOMEM;
    madvise(p, first + count * each, MADV_NOHUGEPAGE);
    n->map = p;
    n->map_bytes = first + count * each;
    n->bytes = each;
    n->first = first;
    n->count = count;
    return 0;
}

void wick_notes_release(struct wick_notes *n)
{
    if (n->map)
        munmap(n->map, n->map_bytes);
    memset(n, 0, sizeof *n);
}
