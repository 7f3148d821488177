/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.c - entries found by path, and two caches with bounds
 *
 * Entries. An id is the start of a digest of the path, 48 bits. A scan reads the folders, checks each file, and
 * forgets what has gone, unless it was named or is made here. Entries are searched one by one: a scan is O(n^2) short
 * comparisons, with n at most 5000.
 *
 * Models, which take megabytes each, are kept by last use: at most 12, of 768 MiB together; the one that was asked for
 * just now stays however large it is, and so does one that is being read in steps: two of them would else make each
 * other begin again for ever. A model belongs to an inode and a size: another inode, fewer bytes, another first chunk
 * in a file that grows, or more bytes of one that had seemed complete make it new; a file that grows is read on from
 * where the last reading ended.
 *
 * Answers, six for each recording and 4 MiB each at most, are good as long as the file has the size they were made at,
 * or, if it grows, for a second and for ten times as long as they took; the oldest one makes room. One about a file
 * that grew may lack its end, and is not good once the file has ended.
 *
 * Races with those who can write to the folders: a path is found once and then opened through no link (open_found),
 * and what is opened must be a plain file. A file that cannot be opened because descriptors are missing has not gone.
 */
#include "serve/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/blake2s.h"
#include "base/clock.h"
#include "serve/answer.h"
#include "sys/ns.h"

enum {
    MOST_ENTRIES = 5000,
    MOST_MODELS = 12,
    GROWS_S = 10,         /* since the last write to a file that is not made here */
    KEPT_BYTES = 4 << 20, /* of one answer at most */
    FRESH_S = 1,          /* age of an answer about a file that grows, */
    FRESH_TIMES = 10,     /* and so many times what it took to make: a tenth of the time goes into making it anew */
    MARK_BYTES = 255,
    READ_ON_S = 30, /* a model whose reading has paused for longer may make room */
    CROWDED_S = 15, /* the same where more than so many are half read: */
    MOST_PARTS = 4,
    MOST_READ = 8, /* and so many large recordings are read at the same time */
};
#define MOST_BYTES  (UINT64_C(768) << 20)
#define LARGE_BYTES (8 << 20) /* smaller ones are read in one step */

/* --- entries --- */

static void forget_answers(struct wick_catalog_entry *e)
{
    for (uint32_t i = 0; i < WICK_CATALOG_ANSWERS; i++) {
        free(e->answers[i].asked);
        free(e->answers[i].text);
        e->answers[i] = (struct wick_catalog_answer){0};
    }
}

static void forget_model(struct wick_catalog_entry *e)
{
    wick_growing_free(e->model);
    e->model = NULL;
    e->finished_model = false;
}

static void free_entry(struct wick_catalog_entry *e)
{
    forget_answers(e);
    forget_model(e);
    free(e->path);
    free(e);
}

void wick_catalog_release(struct wick_catalog *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        free_entry(c->entries[i]);
    for (uint32_t i = 0; i < c->nfolders; i++)
        free(c->folders[i]);
    free(c->entries);
    free(c->folders);
    *c = (struct wick_catalog){0};
}

static void make_id(const char *path, char out[WICK_CATALOG_ID + 1])
{
    struct wick_blake2s b;
    uint8_t digest[WICK_BLAKE2S_BYTES];
    wick_blake2s_init(&b, "wick-rec");
    wick_blake2s_add(&b, path, strlen(path));
    wick_blake2s_end(&b, digest);
    for (unsigned i = 0; i < WICK_CATALOG_ID / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

struct wick_catalog_entry *wick_catalog_find(const struct wick_catalog *c, const char *id)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!strcmp(c->entries[i]->id, id))
            return c->entries[i];
    return NULL;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

/* The entry of a path, new or known. */
static struct wick_catalog_entry *entry_of(struct wick_catalog *c, const char *path, struct wick_err *err)
{
    char id[WICK_CATALOG_ID + 1];
    make_id(path, id);
    struct wick_catalog_entry *e = wick_catalog_find(c, id);
    if (e)
        return e;
    if (c->n == MOST_ENTRIES) {
        wick_err_set(err, WICK_E_LIMIT, "there are more than %d recordings", MOST_ENTRIES);
        return NULL;
    }
    if (c->n == c->cap) {
        uint32_t cap = c->cap ? 2 * c->cap : 16;
        struct wick_catalog_entry **bigger = reallocarray(c->entries, cap, sizeof(struct wick_catalog_entry *));
        if (bigger) {
            c->entries = bigger;
            c->cap = cap;
        }
    }
    e = c->n < c->cap ? calloc(1, sizeof *e) : NULL;
    char *copy = e ? strdup(path) : NULL;
    if (!copy) {
        free(e);
        wick_err_set(err, WICK_E_NOMEM, "out of memory");
        return NULL;
    }
    memcpy(e->id, id, sizeof id);
    e->path = copy;
    const char *slash = strrchr(copy, '/');
    e->name = slash && slash[1] ? slash + 1 : copy;
    e->dump = ends_with(e->name, ".hprof") || ends_with(e->name, ".hprof.gz");
    c->entries[c->n++] = e;
    return e;
}

/* Opens a path that led through no link when it was found. A folder on it may have been exchanged for one since: none
 * is followed. The descriptor, or -errno. */
static int open_found(const char *path, int flags)
{
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = root < 0 ? -errno : wick_ns_open_unlinked(root, path, flags, 0);
    if (root >= 0)
        close(root);
    return fd;
}

int wick_catalog_fd(const struct wick_catalog_entry *e, struct wick_err *err)
{
    struct stat st;
    int fd = open_found(e->path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return wick_err_set(err,
                            fd == -ENOENT                                     ? WICK_E_NOTFOUND
                            : fd == -EACCES || fd == -ELOOP || fd == -ENOTDIR ? WICK_E_PERM
                                                                              : WICK_E_IO,
                            "cannot open %s: %s", e->name, strerror(-fd));
    if (!fstat(fd, &st) && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return wick_err_set(err, WICK_E_PERM, "%s is not a plain file", e->name);
}

/* --- files and folders --- */

static bool is_shown_name(const char *name)
{
    static const char *const ends[] = {".jfr",       ".jfr.gz", ".pprof", ".pb.gz",
                                       ".collapsed", ".folded", ".hprof", ".hprof.gz"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i]) && *name != '.')
            return true;
    return false;
}

static void scan_folder(struct wick_catalog *c, const char *folder)
{
    int fd = open_found(folder, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !dir)
        close(fd);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        char path[4096];
        struct stat st;
        if (!is_shown_name(d->d_name) || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode) ||
            snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "", d->d_name) >= (int)sizeof path)
            continue;
        entry_of(c, path, NULL);
    }
    if (dir)
        closedir(dir);
}

/* What the file system says of it now. 0; -ENOENT if it has gone, or leads somewhere else; another -errno if that
 * cannot be found out now, as where there are no descriptors left. */
static int look_at_file(struct wick_catalog_entry *e)
{
    struct stat st;
    int found = open_found(e->path, O_PATH);
    if (found == -ENOENT || found == -ENOTDIR || found == -ELOOP || found == -EACCES)
        return -ENOENT;
    if (found < 0)
        return found;
    bool there = !fstat(found, &st) && S_ISREG(st.st_mode);
    close(found);
    if (!there)
        return -ENOENT;
    if (st.st_size != e->size_bytes && !e->model && !e->dump && st.st_size > 0) {
        struct wick_err err = {0};
        int fd = wick_catalog_fd(e, &err);
        char path[32];
        if (fd == -WICK_E_IO)
            return -EMFILE; /* as its size says, it has changed: the next scan finds that out */
        e->start_ns = e->end_ns = 0;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (fd >= 0) {
            wick_jfr_span(path, &e->start_ns, &e->end_ns, &(struct wick_err){0});
            close(fd);
        }
    }
    e->size_bytes = st.st_size;
    e->inode = st.st_ino;
    e->modified_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    if (!e->here)
        e->live = !e->dump && time(NULL) - st.st_mtime < GROWS_S;
    return 0;
}

void wick_catalog_scan(struct wick_catalog *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->nfolders; i++)
        scan_folder(c, c->folders[i]);
    for (uint32_t i = 0; i < c->n; i++) {
        struct wick_catalog_entry *e = c->entries[i];
        if (look_at_file(e) != -ENOENT || e->here || e->named)
            c->entries[kept++] = e;
        else
            free_entry(e);
    }
    c->n = kept;
}

static int cannot_open(const char *path, struct wick_err *err)
{
    int e = errno;
    return wick_err_set(err,
                        e == ENOENT || e == ENOTDIR ? WICK_E_NOTFOUND
                        : e == EACCES               ? WICK_E_PERM
                                                    : WICK_E_IO,
                        "cannot open %s: %s", path, strerror(e));
}

int wick_catalog_name(struct wick_catalog *c, const char *path, struct wick_err *err)
{
    struct stat st;
    char *whole = realpath(path, NULL);
    if (!whole || stat(whole, &st)) {
        free(whole);
        return cannot_open(path, err);
    }
    if (S_ISDIR(st.st_mode)) {
        char **bigger = reallocarray(c->folders, c->nfolders + 1, sizeof(char *));
        if (!bigger) {
            free(whole);
            return wick_err_set(err, WICK_E_NOMEM, "out of memory");
        }
        c->folders = bigger;
        c->folders[c->nfolders++] = whole;
        scan_folder(c, whole);
        return 0;
    }
    struct wick_catalog_entry *e = S_ISREG(st.st_mode) ? entry_of(c, whole, err) : NULL;
    if (e)
        e->named = true;
    else if (!S_ISREG(st.st_mode))
        wick_err_set(err, WICK_E_USAGE, "%s is neither a file nor a folder", path);
    free(whole);
    return e ? 0 : -err->code;
}

struct wick_catalog_entry *wick_catalog_add_own(struct wick_catalog *c, const char *path, int pid, unsigned handle,
                                                struct wick_err *err)
{
    struct wick_catalog_entry *e = entry_of(c, path, err);
    if (!e)
        return NULL;
    forget_model(e); /* of a file that was there before under this name */
    forget_answers(e);
    *e->failure = 0;
    e->here = e->live = true;
    e->pid = pid;
    e->handle = handle;
    return e;
}

/* --- names --- */

bool wick_catalog_takes_name(const char *name)
{
    enum { LONGEST = 100 };
    size_t n = strlen(name);
    for (const char *s = name; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == '/' || *s == '%' || *s == 0x7f)
            return false;
    return n && n <= LONGEST && *name != '.' && *name != '-';
}

static int rename_failed(int error, const struct wick_catalog_entry *e, const char *name, struct wick_err *err)
{
    switch (error) {
    case EEXIST:
        return wick_err_set(err, WICK_E_STATE, "there is a file %s already; choose another name", name);
    case ENOSPC:
    case EDQUOT:
        return wick_err_set(err, WICK_E_NOSPACE, "%s cannot be renamed: the disk is full", e->name);
    case EROFS:
    case EACCES:
    case EPERM:
        return wick_err_set(err, WICK_E_PERM,
                            "%s cannot be renamed: its folder cannot be written to (%s); make it writable, or copy the "
                            "file to another folder",
                            e->name, strerror(error));
    case ENAMETOOLONG:
        return wick_err_set(err, WICK_E_USAGE,
                            "the name is too long for the folder's file system; choose a shorter one");
    case ENOENT:
        return wick_err_set(err, WICK_E_NOTFOUND, "the file of %s has gone", e->name);
    default:
        return wick_err_set(err, WICK_E_IO, "%s cannot be renamed: %s", e->name, strerror(error));
    }
}

/* Never replaces a file. File systems that cannot promise that in one step do it in two. 0 or an errno. */
static int rename_in(const char *folder, const char *from, const char *to)
{
    int dir = open_found(folder, O_RDONLY | O_DIRECTORY);
    if (dir < 0)
        return -dir;
    int error = renameat2(dir, from, dir, to, RENAME_NOREPLACE) ? errno : 0;
    if (error == EINVAL || error == ENOSYS)
        error = linkat(dir, from, dir, to, 0) || unlinkat(dir, from, 0) ? errno : 0;
    close(dir);
    return error;
}

int wick_catalog_rename(struct wick_catalog *c, struct wick_catalog_entry *e, const char *name, struct wick_err *err)
{
    char id[WICK_CATALOG_ID + 1], *folder, *path = NULL;
    const char *end = ends_with(name, ".jfr") ? "" : ".jfr";
    if (!wick_catalog_takes_name(name))
        return wick_err_set(
            err, WICK_E_USAGE,
            "a name has 1 to 100 bytes, no slash, percent sign or control character, and no dot or hyphen "
            "first; choose another one");
    if (!e->here)
        return wick_err_set(err, WICK_E_STATE, "%s was not recorded here: rename its file", e->name);
    if (e->live)
        return wick_err_set(err, WICK_E_STATE, "%s is still being recorded; stop it first", e->name);
    folder = strndup(e->path, e->name - e->path > 1 ? (size_t)(e->name - e->path - 1) : 1);
    if (!folder || asprintf(&path, "%s/%s%s", e->name - e->path > 1 ? folder : "", name, end) < 0) {
        free(folder);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    const char *last = strrchr(path, '/') + 1;
    int rc = 0;
    make_id(path, id);
    if (strcmp(path, e->path) != 0) {
        int error = wick_catalog_find(c, id) ? EEXIST : rename_in(folder, e->name, last);
        rc = error ? rename_failed(error, e, last, err) : 0;
    }
    free(folder);
    if (rc) {
        free(path);
        return rc;
    }
    forget_answers(e); /* some have the name in them */
    free(e->path);
    e->path = path;
    e->name = last;
    memcpy(e->id, id, sizeof id);
    return 0;
}

static bool lies_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return !strcmp(folder, "/") || (!strncmp(path, folder, n) && path[n] == '/');
}

int wick_catalog_open(struct wick_catalog *c, const char *path, struct wick_catalog_entry **out, struct wick_err *err)
{
    /* Whether a file exists elsewhere is nothing to answer either: both are refused alike. */
    char *whole = *path == '/' ? realpath(path, NULL) : NULL;
    bool inside = false;
    for (uint32_t i = 0; whole && i < c->nfolders; i++)
        inside |= lies_in(whole, c->folders[i]);
    struct wick_catalog_entry *e = inside ? entry_of(c, whole, err) : NULL;
    free(whole);
    if (!inside)
        return wick_err_set(err, WICK_E_PERM,
                            "this path does not lead to a file in the folders that were given to `wick ui`");
    if (!e)
        return -err->code;
    int rc = look_at_file(e);
    if (rc)
        return rc == -ENOENT ? wick_err_set(err, WICK_E_PERM, "%s is not a plain file", e->name)
                             : wick_err_set(err, WICK_E_IO, "cannot open %s: %s", e->name, strerror(-rc));
    *out = e;
    return 0;
}

/* --- models --- */

bool wick_catalog_is_partial(const struct wick_catalog_entry *e)
{
    return e->model && e->model->partial;
}

/* Of how many recordings a part has been read, and the last of it at most so long ago. */
static unsigned parts_since(const struct wick_catalog *c, uint64_t seconds)
{
    uint64_t now_ns = wick_clock_mono_ns();
    unsigned n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        n += wick_catalog_is_partial(c->entries[i]) && now_ns < c->entries[i]->read_ns + seconds * UINT64_C(1000000000);
    return n;
}

/* Those that are half read are kept for who asked for them, or they would make each other begin anew for ever. So there
 * must not be many. */
static int check_read(const struct wick_catalog *c, const struct wick_catalog_entry *e, struct wick_err *err)
{
    if (e->size_bytes < LARGE_BYTES || parts_since(c, CROWDED_S) < MOST_READ)
        return 0;
    return wick_err_set(err, WICK_E_LIMIT, "%s is not read now: %d large recordings are being read already", e->name,
                        MOST_READ);
}

bool wick_catalog_has_room_for(const struct wick_catalog_entry *e, const struct wick_catalog_entry *other)
{
    return e == other || wick_growing_bytes(e->model) + wick_growing_bytes(other->model) <= MOST_BYTES;
}

/* Forgets models until the rest is small enough, but not that of `used`. */
static void make_room(struct wick_catalog *c, const struct wick_catalog_entry *used)
{
    uint64_t now_ns = wick_clock_mono_ns();
    uint64_t awaited_s = parts_since(c, READ_ON_S) > MOST_PARTS ? CROWDED_S : READ_ON_S;
    for (;;) {
        struct wick_catalog_entry *oldest = NULL;
        uint64_t bytes = 0;
        unsigned models = 0;
        for (uint32_t i = 0; i < c->n; i++) {
            struct wick_catalog_entry *e = c->entries[i];
            if (!e->model)
                continue;
            models++;
            bytes += wick_growing_bytes(e->model);
            bool is_read = e->model->partial && now_ns < e->read_ns + awaited_s * UINT64_C(1000000000);
            if (e != used && !is_read && (!oldest || e->used < oldest->used))
                oldest = e;
        }
        if (!oldest || (models <= MOST_MODELS && bytes <= MOST_BYTES))
            return;
        forget_model(oldest);
        forget_answers(oldest);
    }
}

/* What is to be known of the file's state besides its samples. */
static void note_problem(struct wick_catalog_entry *e)
{
    const struct wick_jfr_result *r = &e->model->read;
    *e->problem = 0;
    if (r->problems)
        snprintf(e->problem, sizeof e->problem, "damaged at offset %" PRIu64 ": %s (%" PRIu64 " such places)",
                 r->first_offset, r->first, r->problems);
    else if (r->lost_bytes)
        snprintf(e->problem, sizeof e->problem, "%" PRIu64 " bytes could not be read", r->lost_bytes);
}

int64_t wick_catalog_read_bytes(const struct wick_catalog_entry *e)
{
    return e->model ? (int64_t)wick_growing_position(e->model, (uint64_t)e->model_bytes) : 0;
}

int wick_catalog_read(struct wick_catalog *c, struct wick_catalog_entry *e, bool running, uint64_t until_ns,
                      struct wick_err *err)
{
    int rc = 0;
    if (e->here)
        e->live = running;
    rc = look_at_file(e);
    if (rc == -ENOENT) {
        forget_model(e);
        return wick_err_set(err, WICK_E_NOTFOUND, "%s has gone", e->name);
    }
    if (rc)
        return wick_err_set(err, WICK_E_IO, "cannot open %s: %s", e->name, strerror(-rc));
    if (e->model && (e->inode != e->model_inode || e->size_bytes < e->model_bytes || !wick_growing_is_same(e->model) ||
                     (e->finished_model && e->size_bytes != e->model_bytes))) {
        forget_model(e); /* it is another file now, or went on although it had seemed complete */
        forget_answers(e);
    }
    if (e->dump) { /* asked about as a whole, with nothing of it kept but answers */
        if (e->inode != e->model_inode || e->modified_ns != e->answered_ns)
            forget_answers(e);
        e->model_inode = e->inode;
        e->answered_ns = e->modified_ns;
        return 0;
    }
    e->used = ++c->uses;
    if (!e->model) {
        rc = check_read(c, e, err);
        int fd = rc ? rc : wick_catalog_fd(e, err);
        if (fd < 0)
            return fd;
        e->model = wick_growing_open(fd, err);
        rc = e->model ? 0 : -err->code;
    }
    if (!rc && !e->finished_model) {
        rc = wick_growing_read(e->model, !e->live, until_ns, err);
        e->finished_model = !e->live && !e->model->partial;
        e->read_ns = wick_clock_mono_ns();
    }
    if (rc) {
        if (!e->live) /* what is made just now has nothing to be read at first */
            snprintf(e->problem, sizeof e->problem, "%.250s", err->msg);
        forget_model(e);
        return wick_err_prefix(err, "%s", e->name);
    }
    note_problem(e);
    e->model_bytes = e->size_bytes; /* seen before it was read: what came since is read the next time */
    e->model_inode = e->inode;
    make_room(c, e);
    return 0;
}

/* --- answers --- */

const struct wick_catalog_answer *wick_catalog_known(const struct wick_catalog_entry *e, const char *asked)
{
    uint64_t now = wick_clock_mono_ns();
    for (uint32_t i = 0; i < WICK_CATALOG_ANSWERS; i++) {
        const struct wick_catalog_answer *a = &e->answers[i];
        if (a->asked && !strcmp(a->asked, asked) &&
            ((a->size == e->size_bytes && (!a->grows || e->live)) || (e->live && now - a->when_ns < a->fresh_ns)))
            return a;
    }
    return NULL;
}

void wick_catalog_keep(struct wick_catalog_entry *e, const char *asked, char *text, size_t len, int64_t size,
                       bool grows, uint64_t took_ns)
{
    struct wick_catalog_answer *at = &e->answers[0];
    if (len > KEPT_BYTES) { /* made anew rather than kept */
        free(text);
        return;
    }
    for (uint32_t i = 0; i < WICK_CATALOG_ANSWERS; i++) {
        struct wick_catalog_answer *a = &e->answers[i];
        if (a->asked && !strcmp(a->asked, asked)) {
            at = a;
            break;
        }
        if (a->when_ns < at->when_ns)
            at = a;
    }
    free(at->asked);
    free(at->text);
    uint64_t fresh_ns = FRESH_S * UINT64_C(1000000000);
    fresh_ns = took_ns * FRESH_TIMES > fresh_ns ? took_ns * FRESH_TIMES : fresh_ns;
    *at = (struct wick_catalog_answer){strdup(asked), text, len, size, grows, wick_clock_mono_ns(), fresh_ns};
}

/* --- JSON --- */

static void put_text(struct wick_json *j, const char *key, const char *text)
{
    wick_json_key(j, key);
    wick_json_cstr(j, text);
}

static void put_events(struct wick_json *j, const struct wick_profile *p)
{
    for (uint32_t i = 1; i < p->nevents; i++) {
        const struct wick_sample_type *e = &p->events[i];
        if (!e->count)
            continue;
        wick_json_open(j, '{');
        wick_json_key(j, "name");
        wick_json_str(j, p->strings[e->name].s, p->strings[e->name].len);
        put_text(j, "kind", wick_event_kind_name(e->kind));
        put_text(j, "unit", wick_answer_unit(e->unit));
        wick_json_key(j, "samples");
        wick_json_uint(j, e->count);
        wick_json_key(j, "total");
        wick_json_int(j, e->weight);
        wick_json_close(j, '}');
    }
}

static void put_marks(struct wick_json *j, const struct wick_growing *g)
{
    for (uint32_t i = 0; i < g->nmarks; i++) {
        const struct wick_growing_mark *m = &g->marks[i];
        wick_json_open(j, '{');
        wick_json_key(j, "time_ns");
        wick_json_int(j, m->time_ns);
        wick_json_key(j, "text");
        size_t len = g->p.strings[m->text].len; /* wick writes no longer ones, hostile recordings may have them */
        wick_json_str(j, g->p.strings[m->text].s, len < MARK_BYTES ? len : MARK_BYTES);
        wick_json_close(j, '}');
    }
}

void wick_catalog_write(const struct wick_catalog_entry *e, struct wick_json *j)
{
    const struct wick_profile *p = e->model ? &e->model->p : NULL;
    wick_json_open(j, '{');
    put_text(j, "id", e->id);
    put_text(j, "name", e->name);
    put_text(j, "path", e->path);
    put_text(j, "content", e->dump ? "heap" : "samples");
    wick_json_key(j, "size_bytes");
    wick_json_int(j, e->size_bytes);
    wick_json_key(j, "read_bytes");
    wick_json_int(j, wick_catalog_read_bytes(e));
    wick_json_key(j, "partial");
    wick_json_raw(j, wick_catalog_is_partial(e) ? "true" : "false");
    wick_json_key(j, "start_ns");
    wick_json_int(j, p ? p->start_ns : e->start_ns);
    wick_json_key(j, "end_ns");
    wick_json_int(j, p ? p->end_ns : e->end_ns);
    wick_json_key(j, "live");
    wick_json_raw(j, e->live ? "true" : "false");
    wick_json_key(j, "unfinished");
    wick_json_raw(j, e->finished_model && e->model && e->model->read.unfinished ? "true" : "false");
    wick_json_key(j, "here");
    wick_json_raw(j, e->here ? "true" : "false");
    wick_json_key(j, "pid");
    if (e->pid)
        wick_json_int(j, e->pid);
    else
        wick_json_raw(j, "null");
    wick_json_key(j, "problem");
    if (*e->failure || *e->problem)
        wick_json_cstr(j, *e->failure ? e->failure : e->problem);
    else
        wick_json_raw(j, "null");
    wick_json_key(j, "events");
    wick_json_open(j, '[');
    if (p)
        put_events(j, p);
    wick_json_close(j, ']');
    wick_json_key(j, "marks");
    wick_json_open(j, '[');
    if (p)
        put_marks(j, e->model);
    wick_json_close(j, ']');
    wick_json_close(j, '}');
}
