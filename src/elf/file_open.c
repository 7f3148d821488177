/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening the files behind images, and their debug files.
 *
 * A path comes from the target, which may be hostile and live in another mount namespace. The tool (perhaps root) opens
 * it below /proc/PID/root with openat2(RESOLVE_IN_ROOT), so that no symbolic link leads out. Kernels before 5.6 and old
 * seccomp profiles lack that call; there every component is opened with O_NOFOLLOW instead, which refuses all links:
 * enough, because the kernel names mapped files by their resolved paths. Only regular files are accepted, and those of
 * other processes are opened for reading only once they are known to be some: to open a device, a fifo or a file of
 * the kernel may have an effect.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"
#include "elf/file.h"
#include "sys/maps.h"

#define FLAGS       (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define NAME_FLAGS  (O_PATH | O_CLOEXEC) /* opens no file, but the name of one */
#define MAX_PATH    4096
#define MAX_CRC     ((uint64_t)256 << 20) /* bytes of a debug file whose checksum is computed */
#define CRC32_REVPO 0xedb88320u           /* the polynomial of zlib's crc32, reversed */

static bool is_of_kernel(const struct statfs *fs)
{
    switch ((unsigned long)fs->f_type) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
        return true;
    default:
        return false;
    }
}

/* Opens for reading what was opened with NAME_FLAGS, which it closes. Negative and errno on failure. */
static int open_named(int name)
{
    char path[32];
    struct stat st;
    struct statfs fs;
    if (name < 0)
        return name;
    snprintf(path, sizeof path, "/proc/self/fd/%d", name);
    int fd = -1;
    if (fstat(name, &st) || !S_ISREG(st.st_mode) || statfs(path, &fs) || is_of_kernel(&fs))
        errno = ENOENT;
    else
        fd = open(path, FLAGS);
    int saved = errno;
    close(name);
    errno = saved;
    return fd;
}

/* Opens the name of path below root, following no link at all. */
static int open_no_links(int root_fd, const char *path)
{
    char part[256];
    int dir = root_fd, fd = -1;
    for (;;) {
        path += strspn(path, "/");
        size_t n = strcspn(path, "/");
        if (n == 0 || n >= sizeof part || (n <= 2 && !strncmp(path, "..", n))) {
            errno = ENOENT;
            fd = -1;
            break;
        }
        memcpy(part, path, n);
        part[n] = 0;
        path += n;
        bool last = !path[strspn(path, "/")];
        fd = openat(dir, part, NAME_FLAGS | O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
        if (last || fd < 0)
            break;
        if (dir != root_fd)
            close(dir);
        dir = fd;
    }
    int saved = errno;
    if (dir != root_fd)
        close(dir);
    errno = saved;
    return fd;
}

static int open_in_root(int root_fd, const char *path)
{
    struct open_how how = {.flags = NAME_FLAGS, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof how);
    return open_named(fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_no_links(root_fd, path) : fd);
}

static int only_regular(int fd)
{
    struct stat st;
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? -WICK_E_NOTFOUND
               : errno == EACCES || errno == EPERM ? -WICK_E_PERM
                                                   : -WICK_E_IO;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return -WICK_E_NOTFOUND;
    }
    return fd;
}

int wick_elf_open_path(int root_fd, const char *path)
{
    return only_regular(root_fd < 0 ? open(path, FLAGS) : open_in_root(root_fd, path));
}

static bool same_id(const struct wick_elf_file *f, const uint8_t *id, size_t len)
{
    return f->build_id_len == len && !memcmp(f->build_id, id, len);
}

/* Is the open file the one that is mapped? An image without a build id is identified by its inode, if that is known. */
static bool is_image(const struct wick_elf_image *image, int fd)
{
    struct stat st;
    struct wick_elf_file f;
    struct wick_mem mem;
    wick_mem_file_init(&mem, fd);
    if (fstat(fd, &st) || wick_elf_file_init(&f, &mem, (uint64_t)st.st_size))
        return false;
    if (image->build_id_len)
        return same_id(&f, image->build_id, image->build_id_len);
    return !image->inode || image->inode == st.st_ino;
}

/* /proc/PID/map_files/LO-HI of the mapping that holds the image's text. */
static int open_map_file(const struct wick_elf_image *image, int pid)
{
    char path[96], who[16] = "self";
    struct wick_mapping m;
    if (pid)
        snprintf(who, sizeof who, "%d", pid);
    snprintf(path, sizeof path, "/proc/%s/maps", who);
    int maps = open(path, O_RDONLY | O_CLOEXEC);
    if (maps < 0)
        return -WICK_E_PERM;
    bool found = wick_maps_find(maps, image->text_lo, &m);
    close(maps);
    if (!found)
        return -WICK_E_NOTFOUND;
    snprintf(path, sizeof path, "/proc/%s/map_files/%lx-%lx", who, (unsigned long)m.lo, (unsigned long)m.hi);
    return only_regular(open_named(open(path, NAME_FLAGS)));
}

int wick_elf_open_image(const struct wick_elf_image *image, int pid, int root_fd)
{
    if (image->flags & WICK_IMAGE_VDSO)
        return -WICK_E_NOTFOUND;
    int fd = image->path[0] == '/' || root_fd < 0 ? wick_elf_open_path(root_fd, image->path) : -WICK_E_NOTFOUND;
    if (fd >= 0 && is_image(image, fd))
        return fd;
    if (fd >= 0)
        close(fd);
    fd = open_map_file(image, pid);
    if (fd >= 0 && !is_image(image, fd)) {
        close(fd);
        fd = -WICK_E_NOTFOUND;
    }
    return fd;
}

/* ------------------------------------------------------------------------------------------------- debug files */

static int crc32_of(const struct wick_elf_file *f, uint32_t *out)
{
    const size_t block = 65536;
    uint32_t table[256], crc = ~0u;
    if (f->size > MAX_CRC)
        return -WICK_E_LIMIT;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int k = 0; k < 8; k++)
            v = v >> 1 ^ (v & 1 ? CRC32_REVPO : 0);
        table[i] = v;
    }
    uint8_t *buf = malloc(block);
    int rc = buf ? 0 : -WICK_E_NOMEM;
    for (uint64_t pos = 0; pos < f->size && !rc; pos += block) {
        size_t n = f->size - pos < block ? (size_t)(f->size - pos) : block;
        rc = wick_mem_read(&f->mem, pos, buf, n);
        for (size_t i = 0; i < n && !rc; i++)
            crc = crc >> 8 ^ table[(crc ^ buf[i]) & 0xff];
    }
    free(buf);
    *out = ~crc;
    return rc;
}

/* What f's .gnu_debuglink says: a file name, and the checksum of that file. */
struct link {
    char name[256];
    uint32_t crc;
    bool known;
};

static struct link read_link(const struct wick_elf_file *f)
{
    struct link l = {.known = false};
    if (!f->debuglink.size)
        return l;
    int n = wick_mem_read_str(&f->mem, f->debuglink.off, l.name, sizeof l.name);
    uint64_t at = n < 0 ? 0 : ((uint64_t)n + 4) & ~(uint64_t)3;
    l.known = n > 0 && at + 4 <= f->debuglink.size && !strchr(l.name, '/') && strcmp(l.name, "..") &&
              !wick_mem_read(&f->mem, f->debuglink.off + at, &l.crc, 4);
    return l;
}

/* Opens one candidate and keeps it if it belongs to f. */
static bool try_debug(const struct wick_elf_file *f, const struct link *link, int root_fd, const char *path,
                      struct wick_elf_file *out)
{
    struct wick_elf_file t;
    int fd = wick_elf_open_path(root_fd, path);
    if (fd < 0 || wick_elf_file_take_fd(&t, fd))
        return false;
    uint32_t crc;
    bool fits = f->build_id_len && t.build_id_len ? same_id(&t, f->build_id, f->build_id_len)
                                                  : link->known && !crc32_of(&t, &crc) && crc == link->crc;
    if (fits && t.symtab.size) {
        *out = t;
        return true;
    }
    wick_elf_file_release(&t);
    return false;
}

static bool try_build_id(const struct wick_elf_file *f, const struct link *link, int root_fd, const char *debug_dir,
                         struct wick_elf_file *out)
{
    char path[MAX_PATH];
    size_t n = (size_t)snprintf(path, sizeof path, "%s/.build-id/%02x/", debug_dir, f->build_id[0]);
    if (f->build_id_len < 2 || n + 2 * WICK_BUILD_ID_MAX + sizeof ".debug" > sizeof path)
        return false;
    for (unsigned i = 1; i < f->build_id_len; i++)
        n += (size_t)snprintf(path + n, sizeof path - n, "%02x", f->build_id[i]);
    snprintf(path + n, sizeof path - n, ".debug");
    /* The host's own debug files serve as well: the build id vouches for them. */
    return try_debug(f, link, root_fd, path, out) || (root_fd >= 0 && try_debug(f, link, -1, path, out));
}

int wick_elf_open_debug(const struct wick_elf_file *f, const char *path, int root_fd, const char *debug_dir,
                        struct wick_elf_file *out)
{
    char buf[MAX_PATH];
    struct link link = read_link(f);
    const char *slash = strrchr(path, '/');
    debug_dir = debug_dir ? debug_dir : "/usr/lib/debug";
    if (try_build_id(f, &link, root_fd, debug_dir, out))
        return 0;
    if (!link.known || !slash)
        return -WICK_E_NOTFOUND;
    int dir = (int)(slash - path);
    for (int i = 0; i < 3; i++) {
        int n = i == 0   ? snprintf(buf, sizeof buf, "%.*s/%s", dir, path, link.name)
                : i == 1 ? snprintf(buf, sizeof buf, "%.*s/.debug/%s", dir, path, link.name)
                         : snprintf(buf, sizeof buf, "%s%.*s/%s", debug_dir, dir, path, link.name);
        if (n > 0 && (size_t)n < sizeof buf && try_debug(f, &link, root_fd, buf, out))
            return 0;
    }
    return -WICK_E_NOTFOUND;
}

int wick_elf_open_symbols(const struct wick_elf_image *image, struct wick_elf_file *out)
{
    struct wick_elf_file debug;
    int fd = wick_elf_open_image(image, 0, -1);
    int rc = fd < 0 ? fd : wick_elf_file_take_fd(out, fd);
    if (!rc && !out->symtab.size && !wick_elf_open_debug(out, image->path, -1, NULL, &debug)) {
        wick_elf_file_release(out);
        *out = debug;
    }
    return rc;
}
