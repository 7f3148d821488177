/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_brief.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

enum { MOST = 32 };

const struct wick_host_mapped *wick_host_brief_at(const struct wick_host_process *p, uint64_t pc)
{
    for (uint32_t i = 0; i < p->nmapped; i++)
        if (pc >= p->mapped[i].lo && pc < p->mapped[i].hi)
            return &p->mapped[i];
    return NULL;
}

void wick_host_brief_see(struct wick_host_process *p, const struct wick_host_mapped *mapped, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (mapped[i].lo >= mapped[i].hi || wick_host_brief_at(p, mapped[i].lo) || p->nmapped == MOST)
            continue;
        void *more = reallocarray(p->mapped, p->nmapped + 1, sizeof *p->mapped);
        if (!more)
            return;
        p->mapped = more;
        p->mapped[p->nmapped++] = mapped[i];
    }
}

/* A descriptor of the library's file (struct wick_symbols_from). */
static int open_again(void *arg, const struct wick_elf_image *image)
{
    const struct wick_host_library *l = arg;
    int fd = l->fd >= 0 ? fcntl(l->fd, F_DUPFD_CLOEXEC, 0) : -1;
    (void)image;
    return fd >= 0 ? fd : -WICK_E_NOTFOUND;
}

/* The symbols of a library, which the caller frees; NULL = none can be read. */
static struct wick_symbols *symbols_of(const struct wick_host_process *p, const struct wick_host_library *l)
{
    struct wick_symbols *s = wick_host_symbols_take(p->symbols, &l->key.file);
    if (s)
        return s;
    struct wick_elf_image image = l->image;
    image.path = l->name;
    const struct wick_symbols_from from = {.pid = (int)p->pid, .open = open_again, .open_arg = (void *)l};
    if (wick_symbols_load(&s, &image, &from, NULL))
        return NULL;
    if (!wick_host_file_is(l->fd, &l->key.file)) {
        wick_symbols_free(s);
        return NULL;
    }
    wick_host_symbols_keep(p->symbols, &l->key.file, s);
    return s;
}

bool wick_host_brief_name(const struct wick_host_process *p, uint64_t pc, struct wick_code_name *out)
{
    wick_addr addr;
    const struct wick_host_mapped *m = wick_host_brief_at(p, pc);
    const struct wick_host_library *l = m ? wick_host_library_of(p->libraries, m, pc, &addr) : NULL;
    if (!l)
        return false;
    struct wick_symbols *s = symbols_of(p, l);
    *out = (struct wick_code_name){.library = l->name, .kind = WICK_FRAME_NATIVE};
    out->found = wick_symbolize_vaddr(s, addr, 0, out->symbol, sizeof out->symbol, &out->kind);
    if (!out->found)
        snprintf(out->symbol, sizeof out->symbol, "[%s]", l->name);
    if (s)
        wick_symbols_free(s);
    return true;
}
