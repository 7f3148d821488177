/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks.c - see hooks.h
 *
 * Everything happens inside dl_iterate_phdr, whose lock keeps images from being unmapped. It does not keep the loader
 * from working on an image that is being loaded: that is listed before its words are filled and its read-only part
 * (PT_GNU_RELRO) is protected. A word is therefore changed by compare-and-swap, and only when it holds what the loader
 * leaves there; and a word of the read-only part only when that is read-only, because then the loader is done with it.
 * What is not ready is tried again, after twice as many rounds each time. When hooks are installed, a call that waits
 * for the loader makes sure that all images are complete, so that parts that other code has left writable are patched
 * as well.
 *
 * Lazy binding. A word of the PLT that leads back into its own image is not bound yet. It gets our function if
 * the image was linked with a version of the symbol that is the same code as ours. A thread that is just being bound
 * writes the true function over ours; the next pass finds that. When hooks go off the word gets the true function: what
 * binding would have put there.
 */
#include "elf/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomic.h"
#include "elf/image_scan.h"
#include "sys/maps.h"

enum { PASSES_MOST = 1 << 12, TRIES = 8 };

struct pass;

struct span {
    wick_addr lo, hi;
};

/* One image in one pass. */
struct visit {
    struct pass *pass;
    struct wick_elf_image image;
    struct span relro;
    struct span known; /* mapping of the last lookup */
    int protection;    /* its; -1 = cannot be found */
    uint32_t words, waiting;
};

struct pass {
    struct wick_elf_hooks *h;
    void (*word)(struct visit *v, const struct wick_elf_slot *slot);
    bool all;      /* also images that are done */
    bool complete; /* the loader works on none of the images */
    bool first, gave_up, is_own;
    uint32_t waiting;
    struct wick_elf_hooks_count count;
};

/* --- protection ------------------------------------------------------------------------------------------------ */

/* The mapping that holds addr, read without allocating: this runs inside the loader's lock. */
static bool find_mapping(wick_addr addr, struct span *out, int *protection)
{
    struct wick_mapping m;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = wick_maps_find(fd, addr, &m);
    close(fd);
    if (found) {
        *out = (struct span){m.lo, m.hi};
        *protection = (m.readable ? PROT_READ : 0) | (m.writable ? PROT_WRITE : 0) | (m.executable ? PROT_EXEC : 0);
    }
    return found;
}

static int protection_of(struct visit *v, wick_addr addr)
{
    if (addr < v->known.lo || addr >= v->known.hi) {
        if (!find_mapping(addr, &v->known, &v->protection)) {
            v->known = (struct span){addr, addr + 1};
            v->protection = -1;
        }
    }
    return v->protection;
}

/* Changes the word from one value to the other, whatever its page's protection. False: it held something else, or the
 * page cannot be changed. */
static bool change(struct visit *v, wick_addr addr, uintptr_t from, uintptr_t to)
{
    _Atomic uintptr_t *word = (_Atomic uintptr_t *)(uintptr_t)addr;
    int protection = protection_of(v, addr);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = (void *)(uintptr_t)(addr & ~(wick_addr)(page - 1));
    if (protection < 0 || !(protection & PROT_READ))
        return false;
    if (protection & PROT_WRITE)
        return wick_cas_acq_rel(word, &from, to); /* pairs: the call through it */
    if (mprotect(at, page, protection | PROT_WRITE))
        return false;
    bool changed = wick_cas_acq_rel(word, &from, to); /* pairs: the call through it */
    mprotect(at, page, protection);
    return changed;
}

/* --- one image --------------------------------------------------------------------------------------------------- */

static bool inside(const struct wick_elf_image *i, wick_addr addr)
{
    return addr && addr >= i->map_lo && addr < i->map_hi;
}

static uintptr_t value_of(wick_addr addr)
{
    return wick_load_acquire((_Atomic uintptr_t *)(uintptr_t)addr); /* pairs: change */
}

/* The loader may still protect the page the word is in. */
static bool unready(struct visit *v, wick_addr addr)
{
    return !v->pass->complete && addr >= v->relro.lo && addr < v->relro.hi && (protection_of(v, addr) & PROT_WRITE);
}

/* True if the version that an image needs has the code that we are linked with (own; "" = found by name only, and there
 * is one version). What moved into libc.so.6 with glibc 2.34 kept its version and got that one in addition. */
static bool is_one_code(const char *own, const char *wanted)
{
    static const char before[] = "GLIBC_2.2.5", since[] = "GLIBC_2.34";
    return !*own || !strcmp(own, wanted) || (!strcmp(own, before) && !strcmp(wanted, since)) ||
           (!strcmp(own, since) && !strcmp(wanted, before));
}

static void put_ours(struct visit *v, const struct wick_elf_slot *slot)
{
    const struct wick_elf_hooks *h = v->pass->h;
    const struct wick_elf_hook *k = &h->hooks[slot->name];
    if (inside(&v->image, k->not_in) || protection_of(v, slot->addr) < 0)
        return;
    uintptr_t value = value_of(slot->addr);
    bool unbound = slot->lazy && inside(&v->image, value) && is_one_code(h->versions[slot->name], slot->version);
    v->words++;
    if (value == k->ours)
        return;
    if ((value != k->truth && !unbound) || unready(v, slot->addr) || !change(v, slot->addr, value, k->ours) || unbound)
        v->waiting++;
}

static void put_truth(struct visit *v, const struct wick_elf_slot *slot)
{
    const struct wick_elf_hook *k = &v->pass->h->hooks[slot->name];
    for (int i = 0; i < TRIES && protection_of(v, slot->addr) >= 0 && value_of(slot->addr) == k->ours; i++)
        change(v, slot->addr, k->ours, k->truth);
}

static void count_ours(struct visit *v, const struct wick_elf_slot *slot)
{
    if (protection_of(v, slot->addr) >= 0 && value_of(slot->addr) == v->pass->h->hooks[slot->name].ours)
        v->words++;
}

/* Remembers which versions our own image is linked with. */
static void learn_version(struct visit *v, const struct wick_elf_slot *slot)
{
    memcpy(v->pass->h->versions[slot->name], slot->version, WICK_GOT_VERSION_MAX);
}

/* --- all images -------------------------------------------------------------------------------------------------- */

static bool is_done(const struct wick_elf_hooks *h, const struct wick_elf_image *i)
{
    for (uint32_t k = 0; k < h->ndone; k++)
        if (h->done[k].bias == i->bias && h->done[k].dyn == i->dyn)
            return true;
    return false;
}

static void set_done(struct wick_elf_hooks *h, const struct wick_elf_image *i)
{
    if (h->ndone == WICK_HOOKS_IMAGES)
        return;
    h->done[h->ndone].bias = i->bias;
    h->done[h->ndone++].dyn = i->dyn;
}

/* The loader, the vDSO, and images that hold one of the functions. */
static bool is_left_alone(const struct wick_elf_hooks *h, const struct wick_elf_image *i)
{
    if (inside(i, getauxval(AT_BASE)) || inside(i, getauxval(AT_SYSINFO_EHDR)))
        return true;
    for (uint32_t k = 0; k < h->n; k++)
        if (inside(i, h->hooks[k].truth) || inside(i, h->hooks[k].ours))
            return true;
    return false;
}

/* What the loader protects when an image is complete: whole pages only. */
static struct span relro_of(const struct dl_phdr_info *info)
{
    wick_addr page = (wick_addr)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        wick_addr lo = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO)
            return (struct span){lo & ~(page - 1), (lo + p->p_memsz) & ~(page - 1)};
    }
    return (struct span){0, 0};
}

static void found(void *arg, const struct wick_elf_slot *slot)
{
    struct visit *v = arg;
    if (v->pass->h->hooks[slot->name].truth)
        v->pass->word(v, slot);
}

static void visit_image(struct pass *p, const struct dl_phdr_info *info)
{
    struct wick_elf_hooks *h = p->h;
    struct visit v = {.pass = p, .relro = relro_of(info)};
    const char *names[WICK_HOOKS_MOST];
    if (wick_elf_image_describe(&h->mem, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &v.image))
        return;
    bool own = inside(&v.image, h->hooks[0].ours);
    if (p->is_own ? !own : is_left_alone(h, &v.image) || (!p->all && is_done(h, &v.image)))
        return;
    for (uint32_t i = 0; i < h->n; i++)
        names[i] = h->hooks[i].name;
    (void)wick_elf_got_slots(&h->mem, &v.image, names, h->n, found, &v);
    if (!p->all && !v.waiting)
        set_done(h, &v.image);
    p->waiting += v.waiting;
    p->count.words += v.words;
    p->count.images += v.words != 0;
}

/* The first image's record counts how many ever came and went. Returns false if nothing is to be done. */
static bool begin_pass(struct pass *p, const struct dl_phdr_info *info)
{
    struct wick_elf_hooks *h = p->h;
    bool same = h->adds == info->dlpi_adds && h->subs == info->dlpi_subs;
    if (p->all)
        return true;
    if (h->subs != info->dlpi_subs)
        h->ndone = 0; /* another image may lie where one was */
    if (!same)
        h->idle = h->rest = 0;
    h->adds = info->dlpi_adds;
    h->subs = info->dlpi_subs;
    if (p->complete) { /* was seen so before the loader was waited for */
        p->gave_up = !same;
        return same;
    }
    if (same && (!h->unfinished || h->idle++ < h->rest))
        return false;
    h->idle = 0;
    h->rest = h->rest ? h->rest * 2 : 1;
    return true;
}

static int each_image(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct pass *p = arg;
    (void)size;
    if (p->first && !begin_pass(p, info))
        return 1;
    p->first = false;
    if (info->dlpi_phdr)
        visit_image(p, info);
    return 0;
}

/* True if images were examined. */
static bool run(struct pass *p)
{
    p->first = true;
    dl_iterate_phdr(each_image, p);
    return !p->first;
}

/* Returns once the loader has finished what it is at. */
static void wait_for_loader(void)
{
    Dl_info info;
    (void)dladdr((void *)(uintptr_t)each_image, &info);
}

int wick_elf_hooks_on(struct wick_elf_hooks *h, const struct wick_elf_hook *hooks, uint32_t n)
{
    memset(h, 0, sizeof *h);
    h->hooks = hooks;
    h->n = n < WICK_HOOKS_MOST ? n : WICK_HOOKS_MOST;
    int rc = wick_mem_self_init(&h->mem);
    if (rc)
        return rc;
    struct pass own = {.h = h, .word = learn_version, .all = true, .is_own = true};
    run(&own);
    for (int i = 0; i < TRIES; i++) {
        struct pass p = {.h = h, .word = put_ours, .complete = true};
        wait_for_loader();
        if (run(&p) || !p.gave_up) {
            h->unfinished = p.waiting != 0;
            return 0;
        }
    }
    h->unfinished = true; /* libraries come all the time */
    return 0;
}

void wick_elf_hooks_refresh(struct wick_elf_hooks *h)
{
    struct pass p = {.h = h, .word = put_ours};
    if (run(&p))
        h->unfinished = p.waiting && h->rest < PASSES_MOST;
}

void wick_elf_hooks_off(struct wick_elf_hooks *h)
{
    struct pass p = {.h = h, .word = put_truth, .all = true};
    run(&p);
    wick_mem_release(&h->mem);
}

void wick_elf_hooks_count(const struct wick_elf_hooks *h, struct wick_elf_hooks_count *out)
{
    struct wick_elf_hooks own = {.hooks = h->hooks, .n = h->n, .mem = h->mem}; /* the rest may change now */
    struct pass p = {.h = &own, .word = count_ours, .all = true};
    run(&p);
    *out = p.count;
}

/* --- shared --- */

int wick_elf_hooks_shared_on(struct wick_elf_hooks_shared *s, const struct wick_elf_hook *hooks, uint32_t n,
                             const char *what, struct wick_err *err)
{
    pthread_mutex_lock(&s->lock);
    int rc = wick_elf_hooks_on(&s->placed, hooks, n);
    s->on = !rc;
    pthread_mutex_unlock(&s->lock);
    return rc ? wick_err_set(err, (enum wick_code) - rc,
                             "%s cannot be watched: the process's own memory cannot be read", what)
              : 0;
}

void wick_elf_hooks_shared_refresh(struct wick_elf_hooks_shared *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->on)
        wick_elf_hooks_refresh(&s->placed);
    pthread_mutex_unlock(&s->lock);
}

void wick_elf_hooks_shared_off(struct wick_elf_hooks_shared *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->on)
        wick_elf_hooks_off(&s->placed);
    s->on = false;
    pthread_mutex_unlock(&s->lock);
}

void wick_elf_hooks_shared_count(struct wick_elf_hooks_shared *s, struct wick_elf_hooks_count *out)
{
    *out = (struct wick_elf_hooks_count){0};
    pthread_mutex_lock(&s->lock);
    if (s->on)
        wick_elf_hooks_count(&s->placed, out);
    pthread_mutex_unlock(&s->lock);
}
