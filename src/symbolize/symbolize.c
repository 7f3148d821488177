/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolize/symbolize.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/demangle.h"
#include "symbolize/kernel_names.h"
#include "sys/maps.h"

enum { RAW_NAME = 2064 }; /* elf/symbols.c reads no longer ones */

void wick_symbolizer_init(struct wick_symbolizer *s, const struct wick_elf_images *images, int pid,
                          const struct wick_mem *mem, struct wick_kernel_names *kernel)
{
    *s = (struct wick_symbolizer){.images = images, .from = {.pid = pid, .mem = mem}, .kernel = kernel};
    wick_symbol_cache_init(&s->cache, 0);
}

void wick_symbolizer_release(struct wick_symbolizer *s)
{
    wick_symbol_cache_release(&s->cache);
}

const char *wick_symbolize_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool wick_symbolize_vaddr(const struct wick_symbols *symbols, uint64_t vaddr, unsigned demangle, char *name, size_t cap,
                          enum wick_frame_kind *kind)
{
    char raw[RAW_NAME];
    struct wick_symbol symbol;
    if (!symbols || wick_symbols_find(symbols, vaddr, &symbol, raw, sizeof raw))
        return false;
    if (kind)
        *kind = raw[0] == '_' && raw[1] == 'Z' ? WICK_FRAME_CPP : WICK_FRAME_NATIVE;
    wick_demangle(raw, demangle, name, cap);
    return true;
}

static const struct wick_symbols *symbols_of(struct wick_symbolizer *s, const struct wick_elf_image *image)
{
    const struct wick_symbols *known;
    struct wick_symbols *loaded;
    if (wick_symbol_cache_find(&s->cache, image->id, &known))
        return known;
    if (s->load ? s->load(s->from.open_arg, image, &loaded) : wick_symbols_load(&loaded, image, &s->from, NULL))
        loaded = NULL;
    return wick_symbol_cache_add(&s->cache, image->id, loaded);
}

/* Code outside of all images, such as the trampolines of a class archive, is called after its mapping. */
static void name_mapping(int pid, uint64_t pc, struct wick_code_name *out)
{
    struct wick_maps maps;
    struct wick_mapping m;
    snprintf(out->symbol, sizeof out->symbol, "[unknown]");
    if (wick_maps_open_process(&maps, pid))
        return;
    while (wick_maps_next(&maps, &m) == 1) {
        if (pc < m.lo || pc >= m.hi)
            continue;
        const char *name = wick_symbolize_library(m.path);
        snprintf(out->symbol, sizeof out->symbol, *name == '[' ? "%.300s" : "[%.300s]",
                 *name ? name : "anonymous memory");
        break;
    }
    wick_maps_close(&maps);
}

void wick_symbolize(struct wick_symbolizer *s, uint64_t pc, struct wick_code_name *out)
{
    const struct wick_elf_image *image = wick_elf_images_find(s->images, pc);
    out->image = image;
    out->library = image ? wick_symbolize_library(image->path) : "";
    out->kind = WICK_FRAME_NATIVE;
    out->found = false;
    if (!image)
        name_mapping(s->from.pid, pc, out);
    else if (wick_symbolize_vaddr(symbols_of(s, image), pc - image->bias, 0, out->symbol, sizeof out->symbol,
                                  &out->kind))
        out->found = true;
    else
        snprintf(out->symbol, sizeof out->symbol, "[%.200s]", out->library);
}

void wick_symbolize_kernel(struct wick_symbolizer *s, uint64_t pc, struct wick_code_name *out)
{
    out->image = NULL;
    out->library = "";
    out->kind = WICK_FRAME_KERNEL;
    out->found = s->kernel && wick_kernel_names_find(s->kernel, pc, NULL, out->symbol, sizeof out->symbol);
    if (!out->found)
        snprintf(out->symbol, sizeof out->symbol, "[kernel]");
}
