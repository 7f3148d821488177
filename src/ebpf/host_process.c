/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_process.c - see host_process.h
 *
 * Between the sample and the moment at which /proc is read, the process may have ended and its number may be another's
 * by now, or it may have executed another program. So its memory and its mappings are opened first and held, which stay
 * those of one address space; then the kernel is asked for the birth of what has that number. What is opened by number
 * later, the files behind its code, counts only if that is still the same afterwards.
 */
#include "ebpf/host_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "sys/cgroup_labels.h"
#include "sys/ns.h"
#include "sys/proc.h"

enum {
    REFRESH_NS = 50000000,
    YOUNG_NS = 1000000,
    AGAIN_NS = 200000000,
    CONTAINERS = 1024,
    ROOT_CGROUP = 1,
    SYMBOL_TABLES = 16
};

void wick_host_processes_init(struct wick_host_processes *ps, struct wick_host_kernel *k, struct wick_host_tables *t,
                              struct wick_host_libraries *ls)
{
    *ps = (struct wick_host_processes){.kernel = k, .tables = t, .libraries = ls};
    wick_host_cgroups_init(&ps->cgroups, "");
}

static void free_process(struct wick_host_process *p)
{
    if (!p->gone) {
        wick_symbolizer_release(&p->code);
        wick_elf_images_release(&p->images);
        wick_host_space_close(&p->space);
    }
    wick_host_cache_clear(&p->cache);
    wick_host_published_release(&p->published);
    free(p->mapped);
    free(p->threads);
    free(p->numbered.of);
    free(p->service);
    free(p->cgroup);
    free(p);
}

void wick_host_processes_release(struct wick_host_processes *ps)
{
    for (uint32_t i = 0; i < WICK_HOST_BUCKETS; i++)
        for (struct wick_host_process *p = ps->bucket[i], *next; p; p = next) {
            next = p->next;
            free_process(p);
        }
    wick_host_symbols_release(&ps->symbols);
    free(ps->containers);
    wick_host_cgroups_release(&ps->cgroups);
    wick_host_devices_release(&ps->devices);
    *ps = (struct wick_host_processes){0};
}

static uint32_t bucket_of(const struct wick_host_birth *b)
{
    return (uint32_t)(wick_hash_2(b->start_ns, b->execs) % WICK_HOST_BUCKETS);
}

void wick_host_process_end(struct wick_host_processes *ps, const struct wick_host_birth *birth)
{
    struct wick_host_process **at = &ps->bucket[bucket_of(birth)], *p;
    while ((p = *at) && !wick_host_same_birth(&p->birth, birth))
        at = &p->next;
    wick_host_kernel_forget(ps->kernel, birth);
    if (!p)
        return;
    *at = p->next;
    ps->count--;
    free_process(p);
}

/* Makes room for another: one of some bucket goes, and is read again if it has another sample. */
static void evict(struct wick_host_processes *ps)
{
    for (uint32_t i = 0; i < WICK_HOST_BUCKETS; i++) {
        const struct wick_host_process *p = ps->bucket[ps->next_bucket++ % WICK_HOST_BUCKETS];
        if (p) {
            const struct wick_host_birth birth = p->birth;
            wick_host_process_end(ps, &birth);
            return;
        }
    }
}

/* --- what /proc says of it --- */

static void read_container(const struct wick_proc *proc, const struct wick_strbuf *groups,
                           char text[WICK_HOST_CONTAINER])
{
    struct wick_strbuf mounts = WICK_STRBUF_INIT;
    wick_proc_read(proc, "mountinfo", &mounts);
    if (!wick_proc_container(groups->buf, groups->len, mounts.buf, mounts.len, text, WICK_HOST_CONTAINER))
        *text = 0;
    wick_strbuf_release(&mounts);
}

/* What is known of a cgroup, or if `add` a place for it. NULL if there is none: where cgroups are those of version 1,
 * all processes are in the root of version 2. */
static struct wick_host_container *known_container(struct wick_host_processes *ps, uint64_t cgroup, bool add)
{
    if (cgroup <= ROOT_CGROUP)
        return NULL;
    for (uint32_t i = 0; i < ps->ncontainers; i++)
        if (ps->containers[i].cgroup == cgroup)
            return &ps->containers[i];
    if (add && !ps->containers)
        ps->containers = calloc(CONTAINERS, sizeof *ps->containers);
    if (!add || !ps->containers)
        return NULL;
    struct wick_host_container *c = &ps->containers[ps->ncontainers < CONTAINERS ? ps->ncontainers++ : CONTAINERS - 1];
    c->cgroup = cgroup;
    return c;
}

/* A service by its environment, of which only the first part is read. */
static char *service_of(const struct wick_proc *proc)
{
    enum { ENVIRONMENT = 32 << 10 };
    char *environment = malloc(ENVIRONMENT);
    int fd = environment ? openat(proc->dir, "environ", O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, environment, ENVIRONMENT) : 0;
    char *service = n > 0 ? wick_context_reader_service_of(environment, (size_t)n) : NULL;
    if (fd >= 0)
        close(fd);
    free(environment);
    return service;
}

static void set_cgroup(struct wick_host_process *p, const char *path)
{
    free(p->cgroup);
    p->cgroup = path[1] ? strdup(path) : NULL;
}

/* The cgroup and the container of a process that lives, which answers for itself, and for those of its cgroup that
 * cannot be read. */
static void read_groups(struct wick_host_processes *ps, struct wick_host_process *p, const struct wick_host_head *h,
                        const struct wick_proc *proc)
{
    struct wick_strbuf groups = WICK_STRBUF_INIT;
    struct wick_host_container *known = known_container(ps, h->cgroup, true);
    char path[WICK_CGROUP_PATH];
    wick_proc_read(proc, "cgroup", &groups);
    read_container(proc, &groups, p->container);
    wick_cgroup_labels_unit(groups.buf, p->unit, sizeof p->unit);
    wick_cgroup_labels_pod(groups.buf, p->pod, sizeof p->pod);
    free(p->service);
    p->service = service_of(proc);
    if (p->service && !wick_host_process_is_same(p)) { /* what it has executed since has an environment of its own */
        free(p->service);
        p->service = NULL;
    }
    if (groups.len && !groups.failed && wick_cgroup_path(groups.buf, WICK_CGROUP_CPU, path)) {
        set_cgroup(p, path);
        wick_host_cgroups_meet(&ps->cgroups, path, p->container, wick_clock_mono_ns());
    }
    if (known)
        memcpy(known->text, p->container, WICK_HOST_CONTAINER);
    wick_strbuf_release(&groups);
}

static void groups_of(struct wick_host_processes *ps, struct wick_host_process *p, const struct wick_host_head *h,
                      const struct wick_proc *proc)
{
    const struct wick_host_container *known = known_container(ps, h->cgroup, false);
    *p->container = 0;
    if (proc)
        read_groups(ps, p, h, proc);
    else if (known)
        memcpy(p->container, known->text, WICK_HOST_CONTAINER);
}

/* A value of a label, in which a backslash stands before what would end it. */
static void add_value(struct wick_strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\,=", *text))
            wick_strbuf_addc(out, '\\');
        wick_strbuf_addc(out, *text);
    }
}

static void add_label(struct wick_strbuf *out, const char *key, const char *text)
{
    if (!*text)
        return;
    wick_strbuf_addf(out, ",%s=", key);
    add_value(out, text);
}

/* One whose text may be of any characters. */
static void add_shown(struct wick_strbuf *out, const char *key, const char *text)
{
    if (!*text)
        return;
    wick_strbuf_addf(out, ",%s=", key);
    wick_context_reader_value(out, text, strlen(text));
}

/* What it says of itself goes before its environment, and that before the unit that started it. */
static void add_service(struct wick_strbuf *out, const struct wick_host_process *p)
{
    const char *name = p->published.reader.service ? p->published.reader.service : p->service;
    size_t n = strlen(p->unit) - (*p->unit ? strlen(".service") : 0);
    if (!name && !n)
        return;
    wick_strbuf_adds(out, ",service=");
    wick_context_reader_value(out, name ? name : p->unit, name ? strlen(name) : n);
}

/* "java-4711", and where there is one the container. */
static void add_process(struct wick_strbuf *out, const char *process, const char *in, const char *comm, uint32_t pid,
                        const char *container)
{
    wick_strbuf_addf(out, "%s=", process);
    add_value(out, comm);
    wick_strbuf_addf(out, "-%u", pid);
    if (!*container)
        return;
    wick_strbuf_addf(out, ",%s=", in);
    add_value(out, container);
}

static struct wick_host_process *find(struct wick_host_processes *ps, const struct wick_host_birth *birth)
{
    struct wick_host_process *p = ps->bucket[bucket_of(birth)];
    while (p && !wick_host_same_birth(&p->birth, birth))
        p = p->next;
    return p;
}

static const char *container_by_birth(struct wick_host_processes *ps, const struct wick_host_birth *birth)
{
    const struct wick_host_process *known = find(ps, birth);
    return known ? known->container : "";
}

/* Who woke it, or ran instead of it. */
static void add_other(struct wick_host_processes *ps, const struct wick_host_process *p, struct wick_strbuf *out,
                      const struct wick_host_other *other)
{
    const struct wick_host_process *known = find(ps, &other->birth);
    const char *container = known ? known->container : "";
    wick_strbuf_addc(out, ',');
    if (other->role == WICK_HOST_INTERRUPT)
        wick_strbuf_adds(out, "woken-by=interrupt");
    else if (other->role == WICK_HOST_WOKE)
        add_process(out, "woken-by", "woken-by-container", other->tid ? p->comm : other->comm, other->pid, container);
    else if (!other->pid)
        wick_strbuf_adds(out, "ran-instead=idle");
    else
        add_process(out, "ran-instead", "ran-instead-container", other->comm, other->pid, container);
    if (other->role != WICK_HOST_RAN)
        return;
    wick_strbuf_addf(out, ",ran-instead-cpu=%u", other->cpu);
    if (known && known->cgroup)
        add_label(out, "ran-instead-cgroup", known->cgroup);
}

/* What it waited for: a process and what that one did, or itself the interrupt that woke it. */
static void add_waited_for(struct wick_host_processes *ps, struct wick_strbuf *out,
                           const struct wick_host_relation *wait)
{
    static const char *const doings[WICK_HOST_DOINGS] = {
        [WICK_HOST_WORKED] = "on-cpu",
        [WICK_HOST_QUEUED] = "run-queue",
        [WICK_HOST_DISKED] = "disk",
        [WICK_HOST_SLEPT] = "interrupt",
    };
    if (!wait->link) {
        wick_strbuf_adds(out, wait->other && wait->other->role == WICK_HOST_INTERRUPT ? ",waited-for=interrupt" : "");
        return;
    }
    wick_strbuf_addc(out, ',');
    add_process(out, "waited-for", "waited-for-container", wait->link->comm, wait->link->pid,
                container_by_birth(ps, &wait->link->birth));
    wick_strbuf_addf(out, ",waited-for-state=%s", doings[wait->doing]);
}

static void add_relation(struct wick_strbuf *out, const struct wick_host_relation *of)
{
    const struct {
        const char *key, *text;
    } labels[] = {{"device", of->device}, {"call", of->call},   {"operation", of->operation},  {"peer", of->peer},
                  {"local", of->service}, {"stall", of->stall}, {"lock-owner", of->lock_owner}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (labels[i].text)
            add_shown(out, labels[i].key, labels[i].text);
    if (of->thread)
        wick_strbuf_adds(out, of->thread);
}

uint32_t wick_host_process_context(struct wick_host_processes *ps, const struct wick_host_process *p,
                                   const struct wick_host_relation *of)
{
    struct wick_strbuf labels = WICK_STRBUF_INIT;
    add_process(&labels, "process", "container", p->comm, p->pid, p->container);
    add_label(&labels, "pod", p->pod);
    add_shown(&labels, "unit", p->unit);
    add_service(&labels, p);
    add_label(&labels, "cgroup", p->cgroup ? p->cgroup : "");
    if (of && of->other)
        add_other(ps, p, &labels, of->other);
    if (of)
        add_waited_for(ps, &labels, of);
    if (of && of->detail)
        wick_strbuf_adds(&labels, of->detail == WICK_HOST_MAJOR ? ",fault=major" : ",fault=minor");
    if (of)
        add_relation(&labels, of);
    uint32_t context = labels.failed ? 0 : wick_host_context(ps->tables, labels.buf);
    wick_strbuf_release(&labels);
    return context;
}

bool wick_host_process_is_same(const struct wick_host_process *p)
{
    struct wick_host_birth now;
    return !wick_host_kernel_birth(p->kernel, p->pid, &now) && wick_host_same_birth(&now, &p->birth);
}

/* Opens the file of an image. */
static int open_image(const struct wick_host_process *p, const struct wick_elf_image *image,
                      struct wick_host_file *file)
{
    struct wick_host_devices *devices = p->space.devices;
    if (image->flags & WICK_IMAGE_VDSO)
        return -WICK_E_NOTFOUND;
    int rc = wick_host_file_open(devices, (int)p->pid, image->text_lo, file);
    if (rc == -WICK_E_NOTFOUND) /* a program that has moved its code to huge pages */
        rc = wick_host_file_open(devices, (int)p->pid, image->map_lo, file);
    if (rc || wick_host_process_is_same(p))
        return rc;
    close(file->fd);
    return -WICK_E_GONE;
}

/* The descriptor that is there already, or why there is none (struct wick_symbols_from). */
static int take_opened(void *arg, const struct wick_elf_image *image)
{
    int *fd = arg, opened = *fd;
    (void)image;
    *fd = -1;
    return opened;
}

/* The symbols of an image: those of its file that other processes have as well, or else loaded. */
static int load_symbols(void *arg, const struct wick_elf_image *image, struct wick_symbols **out)
{
    struct wick_host_process *p = arg;
    struct wick_host_file file;
    int opened = open_image(p, image, &file), fd = opened ? opened : file.fd;
    if (!opened && (*out = wick_host_symbols_take(p->symbols, &file.id))) {
        close(file.fd);
        return 0;
    }
    struct wick_symbols_from from = p->code.from;
    from.open = take_opened;
    from.open_arg = &fd;
    int rc = wick_symbols_load(out, image, &from, NULL);
    if (fd >= 0)
        close(fd);
    if (!rc && !opened && wick_symbols_source(*out) != WICK_SYMBOLS_MEMORY)
        wick_host_symbols_keep(p->symbols, &file.id, *out);
    return rc;
}

/* Opens what lives; without success the process is `gone`. What was opened is the sample's if the process is still the
 * same afterwards. */
static void open_process(struct wick_host_processes *ps, struct wick_host_process *p, const struct wick_host_head *h)
{
    struct wick_proc proc;
    bool lives = !(h->flags & WICK_HOST_KTHREAD) && !wick_proc_open((pid_t)h->pid, &proc, NULL);
    bool opened = lives && !wick_host_space_open(&p->space, (int)h->pid, &ps->devices);
    p->gone = !opened || !wick_host_process_is_same(p);
    if (opened && p->gone)
        wick_host_space_close(&p->space);
    if (!(h->flags & WICK_HOST_KTHREAD))
        groups_of(ps, p, h, p->gone ? NULL : &proc);
    p->context = wick_host_process_context(ps, p, NULL);
    p->own_pids = !p->gone && proc.st.pid_depth > 1;
    if (lives)
        wick_proc_close(&proc);
    p->images_ns = p->gone ? h->time_ns : 0;
    if (p->gone)
        return;
    wick_elf_images_init(&p->images, (int)h->pid);
    p->images.maps_fd = p->space.maps_fd;
    wick_symbolizer_init(&p->code, &p->images, (int)h->pid, &p->space.mem, NULL);
    p->code.load = load_symbols;
    p->code.from.open_arg = p;
    p->code.cache.max = SYMBOL_TABLES;
    wick_host_process_refresh(p, h->time_ns);
}

/* It could not be read, and lives all the same: there were no descriptors left, for example. */
static void try_again(struct wick_host_processes *ps, struct wick_host_process *p, const struct wick_host_head *h)
{
    open_process(ps, p, h);
    if (p->gone)
        return;
    ps->gone--;
    wick_host_cache_clear(&p->cache);
}

struct wick_host_process *wick_host_process_of(struct wick_host_processes *ps, const struct wick_host_head *h)
{
    struct wick_host_process **bucket = &ps->bucket[bucket_of(&h->birth)], *p = find(ps, &h->birth);
    if (p) {
        if (p->gone && !(h->flags & WICK_HOST_KTHREAD) && h->time_ns >= p->images_ns + AGAIN_NS)
            try_again(ps, p, h);
        return p;
    }
    if (ps->count >= WICK_HOST_PROCESSES)
        evict(ps);
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->birth = h->birth;
    p->pid = h->pid;
    p->kernel = ps->kernel;
    p->symbols = &ps->symbols;
    p->libraries = ps->libraries;
    p->met_ns = h->time_ns;
    memcpy(p->comm, h->process_comm, sizeof p->comm);
    open_process(ps, p, h);
    ps->met++;
    ps->gone += p->gone && !(h->flags & WICK_HOST_KTHREAD);
    ps->count++;
    p->next = *bucket;
    *bucket = p;
    wick_host_kernel_know(ps->kernel, &p->birth);
    return p;
}

/* How long its mappings are not read again: a program maps its libraries soon after it begins. */
static uint64_t rest_ns(const struct wick_host_process *p, uint64_t now_ns)
{
    uint64_t rest = now_ns > p->met_ns ? (now_ns - p->met_ns) / 4 : 0;
    return rest < YOUNG_NS ? YOUNG_NS : rest < REFRESH_NS ? rest : REFRESH_NS;
}

bool wick_host_process_refresh(struct wick_host_process *p, uint64_t now_ns)
{
    bool changed = false;
    if (p->gone || (p->images_ns && now_ns < p->images_ns + rest_ns(p, now_ns)))
        return false;
    p->images_ns = now_ns;
    if (wick_host_space_refresh(&p->space) || wick_elf_images_refresh(&p->images, &p->space.mem, &changed, NULL))
        return false;
    wick_elf_images_reclaim(&p->images); /* an image is borrowed only until the next refresh */
    if (changed)
        wick_host_cache_clear(&p->cache);
    return changed;
}

void wick_host_processes_tidy(struct wick_host_processes *ps)
{
    for (uint32_t i = 0; i < WICK_HOST_BUCKETS; i++)
        for (struct wick_host_process *p = ps->bucket[i]; p; p = p->next)
            if (!p->gone)
                wick_symbol_cache_tidy(&p->code.cache);
    wick_host_symbols_tidy(&ps->symbols);
    wick_host_libraries_tidy(ps->libraries);
}

void wick_host_processes_renew(struct wick_host_processes *ps)
{
    for (uint32_t i = 0; i < WICK_HOST_BUCKETS; i++)
        for (struct wick_host_process *p = ps->bucket[i]; p; p = p->next) {
            wick_host_cache_clear(&p->cache);
            p->context = wick_host_process_context(ps, p, NULL);
        }
}
