/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_live.c - a dump that leaves nothing behind, and the histogram
 *
 * The JVM writes where it sees files, as its user, so others of that user or in that container could put something
 * there first. So a directory with a random name and mode 0700 is made below its root directory, with its identity;
 * the dump is opened through the directory's descriptor without following a link, must be a plain file of that user,
 * and then both are removed: what is read is a file without a name. SIGINT, SIGTERM and SIGHUP are held until then, so
 * that an interrupted dump is also removed, with the parts that newer JVMs write with several threads.
 *
 * Of /tmp and /var/tmp the one with more room is taken, and none with less than the process has in RAM, of which a
 * dump takes hardly more. A tmpfs is charged to the JVM's cgroup: there the room is also what all limits above it
 * leave, as otherwise the kernel would kill the JVM for its dump.
 *
 * The histogram is text, "number: objects bytes class"; other lines are passed over. O(n log n) for n classes.
 */
#include "cli/heap/heap_live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/sum.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "codec/json.h"
#include "model/name.h"
#include "sys/attach.h"
#include "sys/cgroup_memory.h"
#include "sys/ns.h"

#define FILE_NAME "heap.hprof"
/* A dump of many GiB on a slow disk; the JVM stands still during the dump. */
#define TIMEOUT_NS (UINT64_C(3600) * 1000000000)

enum { MOST_PARTS = 64 }; /* files of a dump that several threads write */

/* --- the JVM's directory ------------------------------------------------------------------------------------------ */

struct place {
    int parent, dir; /* descriptors; -1 = not there */
    char name[32];   /* of dir in parent */
    char path[96];   /* of the dump, as the JVM sees it */
    uid_t owner;
};

static int step_make(void *arg, int *fd)
{
    const struct place *p = arg;
    if (mkdirat(p->parent, p->name, 0700))
        return -errno;
    *fd = openat(p->parent, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? -errno : 0;
}

static int step_open(void *arg, int *fd)
{
    const struct place *p = arg;
    *fd = openat(p->dir, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return *fd < 0 ? -errno : 0;
}

static int step_remove(void *arg, int *fd)
{
    const struct place *p = arg;
    char part[48];
    (void)fd;
    unlinkat(p->dir, FILE_NAME, 0);
    for (int i = 0; i < MOST_PARTS; i++) {
        snprintf(part, sizeof part, FILE_NAME ".p%d", i);
        if (unlinkat(p->dir, part, 0))
            break;
    }
    return unlinkat(p->parent, p->name, AT_REMOVEDIR) ? -errno : 0;
}

/* What the limits of the cgroups around the process leave; UINT64_MAX = there are none. */
static uint64_t room_of_cgroups(const struct wick_proc *p)
{
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    struct wick_cgroup_memory m;
    char pid[16];
    uint64_t room = UINT64_MAX;
    snprintf(pid, sizeof pid, "%d", (int)p->pid);
    size_t n = wick_cgroup_levels("", pid, WICK_CGROUP_MEMORY, levels, WICK_CGROUP_LEVELS);
    for (size_t i = 0; i < n; i++) {
        if (!wick_cgroup_memory_read(&levels[i], &m) || !m.limit)
            continue;
        uint64_t needed = wick_cgroup_memory_needed(&m), left = m.limit > needed ? m.limit - needed : 0;
        room = left < room ? left : room;
    }
    return room;
}

/* Bytes that a file there may have. What is in memory is charged to the JVM's cgroup: a dump that leaves no room there
 * would have the kernel kill the JVM. */
static uint64_t free_bytes(const struct wick_proc *p, int dir)
{
    struct statvfs v;
    struct statfs f;
    if (fstatvfs(dir, &v) || fstatfs(dir, &f))
        return 0;
    uint64_t bytes = (uint64_t)v.f_bavail * v.f_frsize;
    bool in_memory = f.f_type == TMPFS_MAGIC || f.f_type == RAMFS_MAGIC;
    uint64_t room = in_memory ? room_of_cgroups(p) : UINT64_MAX;
    return room < bytes ? room : bytes;
}

/* Bytes of the process in RAM: a dump has no more, or hardly. */
static uint64_t resident(const struct wick_proc *p)
{
    struct wick_strbuf text = WICK_STRBUF_INIT;
    unsigned long long size = 0, pages = 0;
    if (!wick_proc_read(p, "statm", &text))
        sscanf(text.buf, "%llu %llu", &size, &pages);
    wick_strbuf_release(&text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The one of /tmp and /var/tmp with more room; both as the JVM sees them. */
static int choose_parent(const struct wick_proc *p, struct place *place, const char **chosen, struct wick_err *err)
{
    static const char *const dirs[] = {"/tmp", "/var/tmp"};
    uint64_t most = 0, wanted = resident(p);
    int root = wick_ns_root(p);
    char path[32], a[32], b[32];
    if (root < 0)
        return wick_err_set(err, WICK_E_PERM, "cannot enter the root directory of process %d: run wick as root",
                            (int)p->pid);
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        snprintf(path, sizeof path, "%s/.", dirs[i]);
        int fd = wick_ns_open(root, path, O_RDONLY | O_DIRECTORY, 0);
        uint64_t bytes = fd >= 0 ? free_bytes(p, fd) : 0;
        if (fd >= 0 && (place->parent < 0 || bytes > most)) {
            if (place->parent >= 0)
                close(place->parent);
            most = bytes;
            place->parent = fd;
            *chosen = dirs[i];
        } else if (fd >= 0) {
            close(fd);
        }
    }
    close(root);
    if (place->parent < 0)
        return wick_err_set(err, WICK_E_IO, "process %d has neither a /tmp nor a /var/tmp to write a heap dump to",
                            (int)p->pid);
    if (most < wanted)
        return wick_err_set(
            err, WICK_E_NOSPACE,
            "a heap dump of process %d may take %s, and its %s has room for %s only: free some space, or dump "
            "elsewhere with `jcmd %d GC.heap_dump FILE`",
            (int)p->pid, wick_ui_binary(wanted, a, sizeof a), *chosen, wick_ui_binary(most, b, sizeof b),
            (int)p->st.nspid);
    return 0;
}

static int make_place(const struct wick_proc *p, struct place *place, struct wick_err *err)
{
    unsigned long long random;
    const char *parent = NULL;
    int rc = choose_parent(p, place, &parent, err);
    if (rc)
        return rc;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return wick_err_set(err, WICK_E_IO, "the kernel gives no random bytes: %s", strerror(errno));
    snprintf(place->name, sizeof place->name, ".wick-%016llx", random);
    snprintf(place->path, sizeof place->path, "%s/%s/" FILE_NAME, parent, place->name);
    place->owner = p->st.euid;
    rc = wick_ns_call(p, WICK_NS_IDENTITY, step_make, place, &place->dir);
    return rc ? wick_err_set(err, rc == -EACCES || rc == -EPERM || rc == -EROFS ? WICK_E_PERM : WICK_E_IO,
                             "cannot make a directory in the %s of process %d as its user: %s", parent, (int)p->pid,
                             strerror(-rc))
              : 0;
}

static void remove_place(const struct wick_proc *p, struct place *place)
{
    if (place->dir >= 0) {
        wick_ns_call(p, WICK_NS_IDENTITY, step_remove, place, NULL);
        close(place->dir);
    }
    if (place->parent >= 0)
        close(place->parent);
}

/* The dump, if it is the plain file that the JVM has made, and nothing else. */
static int open_dump(const struct wick_proc *p, struct place *place, struct wick_err *err)
{
    struct stat st;
    int fd = -1, rc = wick_ns_call(p, WICK_NS_IDENTITY, step_open, place, &fd);
    if (rc)
        return wick_err_set(err, WICK_E_IO, "process %d says that it has written %s, but it cannot be opened: %s",
                            (int)p->pid, place->path, strerror(-rc));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != place->owner) {
        close(fd);
        return wick_err_set(err, WICK_E_PERM, "%s of process %d is not a plain file of its user: refused", place->path,
                            (int)p->pid);
    }
    return fd;
}

/* --- the dump ----------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    interrupted = sig;
}

/* While the JVM writes, a signal that would end wick is kept until what was made has been removed. */
static void hold_signals(struct sigaction *before, bool hold)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction mine = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], hold ? &mine : &before[i], hold ? &before[i] : NULL);
}

static int take(struct wick_proc *p, bool live, struct wick_err *err)
{
    struct place place = {.parent = -1, .dir = -1};
    struct wick_strbuf reply = WICK_STRBUF_INIT;
    struct sigaction before[3];
    hold_signals(before, true);
    int rc = make_place(p, &place, err);
    if (!rc)
        rc = wick_attach_command(p, "dumpheap", place.path, live ? "-live" : "-all", TIMEOUT_NS, &reply, err);
    if (!rc && interrupted)
        rc = wick_err_set(err, WICK_E_INTR, "interrupted");
    if (!rc)
        rc = open_dump(p, &place, err);
    remove_place(p, &place);
    hold_signals(before, false);
    wick_strbuf_release(&reply);
    return rc;
}

int wick_heap_live_dump(const char *word, bool live, struct wick_strbuf *title, struct wick_err *err)
{
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    int rc = wick_target_open(word, &p, &jvm, err);
    if (rc)
        return rc;
    wick_strbuf_addf(title, "%s (pid %d)", jvm.main, (int)p.pid);
    wick_ui_progress("waiting for the JVM to write its heap, during which it is stopped ...");
    rc = take(&p, live, err);
    wick_ui_progress_end();
    wick_proc_close(&p);
    return rc;
}

/* --- the JVM's histogram ------------------------------------------------------------------------------------------ */

struct line {
    char *name;
    uint64_t objects, bytes;
};

struct lines {
    struct line *all;
    size_t n, cap;
    uint64_t objects, bytes;
};

/* "   1:   14266   6672712  [B (java.base@21.0.1)": what is no such line is passed over. */
static int add_line(struct lines *l, const char *text, const struct wick_heap_table *t)
{
    unsigned long long objects, bytes;
    int at = 0;
    struct wick_strbuf name = WICK_STRBUF_INIT;
    if (sscanf(text, " %*u: %llu %llu %n", &objects, &bytes, &at) != 2 || !at)
        return 0;
    size_t len = strcspn(text + at, " ");
    wick_name_add_class(&name, text + at, len, 0);
    l->objects = wick_sum_u64(l->objects, objects);
    l->bytes = wick_sum_u64(l->bytes, bytes);
    int rc = name.failed ? -WICK_E_NOMEM : 0;
    if (!rc && (!t->class || strstr(name.buf, t->class))) {
        if (l->n == l->cap) {
            size_t cap = l->cap ? l->cap * 2 : 256;
            void *p = reallocarray(l->all, cap, sizeof *l->all);
            rc = p ? 0 : -WICK_E_NOMEM;
            l->all = p ? p : l->all;
            l->cap = p ? cap : l->cap;
        }
        if (!rc)
            l->all[l->n++] = (struct line){wick_strbuf_take(&name), objects, bytes};
    }
    wick_strbuf_release(&name);
    return rc;
}

static int by_bytes(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes ? 1 : strcmp(x->name, y->name);
}

static int by_objects(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->objects > y->objects ? -1 : x->objects < y->objects ? 1 : by_bytes(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void write_lines(const struct lines *l, const struct wick_heap_table *t, FILE *out)
{
    char a[32], b[32];
    wick_ui_print(out, "Heap of %s\n", t->title);
    fprintf(out, "  %s in %s objects\n\n", wick_ui_binary(l->bytes, a, sizeof a),
            wick_ui_count(l->objects, b, sizeof b));
    fprintf(out, "  %11s %7s %12s  %s\n", "bytes", "", "objects", "class");
    for (size_t i = 0; i < l->n && (!t->rows || i < t->rows); i++) {
        fprintf(out, "  %11s %5.1f %% %12s  ", wick_ui_binary(l->all[i].bytes, a, sizeof a),
                l->bytes ? 100 * (double)l->all[i].bytes / (double)l->bytes : 0.0,
                wick_ui_count(l->all[i].objects, b, sizeof b));
        wick_ui_last_column(out, 36, l->all[i].name, strlen(l->all[i].name));
        fputc('\n', out);
    }
    if (t->rows && l->n > t->rows)
        fprintf(out, "  ... and %zu more (-n 0 shows all)\n", l->n - t->rows);
}

static void write_lines_json(const struct lines *l, const struct wick_heap_table *t, FILE *out)
{
    struct wick_json j = {.out = out};
    wick_json_open(&j, '{');
    wick_json_key(&j, "objects");
    wick_json_uint(&j, l->objects);
    wick_json_key(&j, "bytes");
    wick_json_uint(&j, l->bytes);
    wick_json_key(&j, "classes");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < l->n && (!t->rows || i < t->rows); i++) {
        wick_json_open(&j, '{');
        wick_json_key(&j, "class");
        wick_json_cstr(&j, l->all[i].name);
        wick_json_key(&j, "objects");
        wick_json_uint(&j, l->all[i].objects);
        wick_json_key(&j, "bytes");
        wick_json_uint(&j, l->all[i].bytes);
        wick_json_close(&j, '}');
    }
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
    fputc('\n', out);
}

static int parse_lines(struct lines *l, char *text, const struct wick_heap_table *t)
{
    char *rest = text;
    int rc = 0;
    for (char *line; !rc && (line = strsep(&rest, "\n"));)
        rc = add_line(l, line, t);
    if (!rc && l->n)
        qsort(l->all, l->n, sizeof *l->all,
              t->sort == WICK_HEAP_BY_NAME      ? by_name
              : t->sort == WICK_HEAP_BY_OBJECTS ? by_objects
                                                : by_bytes);
    return rc;
}

int wick_heap_live_histogram(const char *word, bool live, const struct wick_heap_table *table, bool json, FILE *out,
                             struct wick_err *err)
{
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    struct wick_strbuf reply = WICK_STRBUF_INIT, title = WICK_STRBUF_INIT;
    struct wick_heap_table t = *table;
    struct lines l = {0};
    int rc = wick_target_open(word, &p, &jvm, err);
    if (rc)
        return rc;
    wick_strbuf_addf(&title, "%s (pid %d)", jvm.main, (int)p.pid);
    t.title = title.buf;
    rc = wick_attach_command(&p, "inspectheap", live ? "-live" : "-all", "", TIMEOUT_NS, &reply, err);
    if (!rc && parse_lines(&l, reply.buf, &t))
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (!rc && !l.objects)
        rc = wick_err_set(err, WICK_E_FORMAT, "process %d answered with no histogram", (int)p.pid);
    if (!rc)
        (json ? write_lines_json : write_lines)(&l, &t, out);
    for (size_t i = 0; i < l.n; i++)
        free(l.all[i].name);
    free(l.all);
    wick_strbuf_release(&reply);
    wick_strbuf_release(&title);
    wick_proc_close(&p);
    return rc ? rc : wick_ui_written(err);
}
