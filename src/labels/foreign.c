/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - which library publishes thread contexts, and where its thread-local pointer is
 */
#include "labels/foreign.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "elf/dynsym.h"

#define SYMBOL "otel_thread_ctx_v1"

/* Static blocks lie above the stack in the memory that a thread was made with; others are allocated elsewhere. Says
 * nothing about the first thread, whose static block is the loader's. */
static bool in_own_stack(wick_addr at)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr))
        return false;
    bool known = !pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    return known && at - (wick_addr)(uintptr_t)low < size;
}

static void publish(struct wick_label_foreign *f, enum wick_label_foreign_way way, uint64_t module, uint64_t offset)
{
    f->module = module;
    f->offset = offset;
    wick_store_release(&f->way, way); /* pairs: wick_label_foreign_slot_sig */
}

/* library: the handle of the image whose symbol has that offset. False if its pointer cannot be found in a handler. */
static bool take(struct wick_label_foreign *f, const struct wick_mem *mem, void *library, uint64_t offset)
{
    struct wick_label_foreign found = {0};
    size_t module = 0;
    wick_addr at = (wick_addr)(uintptr_t)dlsym(library, SYMBOL); /* this thread has a block from here on */
    if (!at || dlinfo(library, RTLD_DI_TLS_MODID, &module) || !module)
        return false;
    if (in_own_stack(at))
        publish(&found, WICK_FOREIGN_STATIC, 0, at - (wick_addr)(uintptr_t)__builtin_thread_pointer());
    else
        publish(&found, WICK_FOREIGN_DYNAMIC, module, offset);
    if (wick_label_foreign_slot_sig(&found, mem) != at)
        return false;
    publish(f, wick_load_relaxed(&found.way), found.module, found.offset);
    return true;
}

/* Whether it exports the pointer, and is not wick itself, which also does so (published.h). */
static bool exports(const struct wick_elf_image *image, const struct wick_mem *mem, uint64_t *offset)
{
    wick_addr own = (wick_addr)(uintptr_t)exports;
    bool is_own = own >= image->map_lo && own < image->map_hi;
    return !is_own && !wick_elf_dynsym_tls(mem, image, SYMBOL, offset);
}

static bool publishes(struct wick_label_foreign *f, const struct wick_elf_image *image, const struct wick_mem *mem)
{
    uint64_t offset;
    if (!exports(image, mem, &offset))
        return false;
    void *library = dlopen(image->flags & WICK_IMAGE_MAIN ? NULL : image->path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return false; /* it has already been unloaded, or is in another namespace of the loader */
    bool good = take(f, mem, library, offset);
    if (!good)
        dlclose(library); /* otherwise it stays, for its module number must not become another's */
    return good;
}

static bool is_first_thread(void)
{
    return (pid_t)syscall(SYS_gettid) == getpid();
}

void wick_label_foreign_find(struct wick_label_foreign *f, const struct wick_elf_images *images,
                             const struct wick_mem *mem, bool changed)
{
    if (changed)
        f->looked = false;
    if (f->looked || wick_load_relaxed(&f->way) || is_first_thread())
        return;
    const struct wick_elf_table *t = wick_load_relaxed(&images->table);
    bool found = false;
    for (uint32_t i = 0; t && i < t->n && !found; i++)
        found = publishes(f, t->e[i].image, mem);
    f->looked = true;
}

bool wick_label_foreign_exists(const struct wick_mem *mem)
{
    struct wick_elf_images images;
    bool changed, found = false;
    uint64_t offset;
    wick_elf_images_init(&images, 0);
    wick_elf_images_refresh(&images, mem, &changed, NULL);
    const struct wick_elf_table *t = wick_load_relaxed(&images.table);
    for (uint32_t i = 0; t && i < t->n && !found; i++)
        found = exports(t->e[i].image, mem, &offset);
    wick_elf_images_release(&images);
    return found;
}
