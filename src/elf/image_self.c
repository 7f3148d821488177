/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The images of this process, from the loader.
 *
 * dl_iterate_phdr holds the loader's lock during the callback, so an image cannot go away while its headers and notes
 * are read, and they are read by plain loads. The loader counts what it ever loaded and unloaded (dlpi_adds,
 * dlpi_subs): if both are as last time the first callback ends the walk, which makes a refresh cost a microsecond.
 *
 * Pinned images are those nobody can unload: the executable, the vDSO, the loader and the C library, and the JVM with
 * the libraries it opens at start and never closes.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/image_scan.h"

struct walk {
    struct wick_elf_scan *scan;
    const struct wick_elf_images *known;
    unsigned seen;
    int rc;
};

/* Loads are safe here (see above); the interface takes a reader. */
static int read_plain(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    (void)m;
    memcpy(buf, (const void *)(uintptr_t)addr, n);
    return 0;
}

static bool is_pinned(const char *path)
{
    static const char *const names[] = {"libc.so.6", "libjvm.so", "libjava.so", "libjli.so", "libpthread.so.0"};
    static const char *const prefixes[] = {"ld-linux", "ld-musl", "libc.musl"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(base, names[i]))
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (!strncmp(base, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct walk *w = arg;
    if (w->seen++ == 0 && size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
        w->scan->counted = true;
        w->scan->adds = info->dlpi_adds;
        w->scan->subs = info->dlpi_subs;
        w->scan->unchanged =
            w->known->counted && w->known->adds == info->dlpi_adds && w->known->subs == info->dlpi_subs;
        if (w->scan->unchanged)
            return 1;
    }
    const struct wick_mem plain = {.read = read_plain, .fd = -1};
    struct wick_elf_image img;
    if (!info->dlpi_phdr || wick_elf_image_describe(&plain, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &img))
        return 0;
    char exe[4096];
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    wick_addr vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso && vdso >= img.map_lo && vdso < img.map_hi) {
        img.flags = WICK_IMAGE_VDSO | WICK_IMAGE_PINNED;
        path = "[vdso]";
    } else if (!*path) {
        ssize_t n = w->seen == 1 ? readlink("/proc/self/exe", exe, sizeof exe - 1) : 0;
        img.flags = w->seen == 1 ? WICK_IMAGE_MAIN | WICK_IMAGE_PINNED : 0;
        exe[n > 0 ? n : 0] = 0;
        path = exe;
    } else if (is_pinned(path)) {
        img.flags = WICK_IMAGE_PINNED;
    }
#if defined(__x86_64__)
    img.machine = EM_X86_64;
#elif defined(__aarch64__)
    img.machine = EM_AARCH64;
#endif
    w->rc = wick_elf_scan_add(w->scan, &img, path);
    return w->rc;
}

int wick_elf_scan_self(struct wick_elf_scan *s, const struct wick_elf_images *known)
{
    struct walk w = {.scan = s, .known = known};
    dl_iterate_phdr(visit, &w);
    return w.rc;
}
