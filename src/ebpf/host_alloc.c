/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_alloc.c - see host_alloc.h
 *
 * What is asked of a process counts only if that is still the same afterwards: the probe itself is set by the process's
 * number, and by the file that is mapped there.
 */
#include "ebpf/host_alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ebpf/host_alloc_probe.h"
#include "ebpf/host_probe.h"
#include "ebpf/host_teach.h"
#include "elf/file.h"
#include "hotspot/alloc_tracer.h"
#include "hotspot/klass.h"
#include "sys/maps.h"
#include "sys/whole.h"

enum { FIRST_NS = 30000000, TRIES = 10, MOST_AGENTS = 64, COUNT_NS = 1000000000 };
enum { MOST_SYMBOLS = 32 << 20 }; /* bytes of a table of a library's symbols, or of their names */

/* --- images --- */

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool is_jvm(const char *path)
{
    return !strcmp(wick_symbolize_library(path), "libjvm.so");
}

/* The agent's library, or a copy of it (client/agentlib.c). */
static bool is_agent(const char *path)
{
    const char *name = wick_symbolize_library(path);
    return begins(name, "libwick") || begins(name, ".wick-");
}

static const struct wick_elf_image *find_jvm(const struct wick_host_process *p)
{
    const struct wick_elf_image *image;
    for (uint32_t i = 0; (image = wick_elf_images_at(&p->images, i)); i++)
        if (is_jvm(image->path))
            return image;
    return NULL;
}

/* Opens the file of an image, whose offset is that of the image's code. */
static bool open_file(struct wick_host_process *p, const struct wick_elf_image *image, struct wick_host_file *file)
{
    if (wick_host_file_open(p->space.devices, (int)p->pid, image->text_lo, file))
        return false;
    if (wick_host_process_is_same(p))
        return true;
    close(file->fd);
    return false;
}

/* --- the agent --- */

static bool is_known(const struct wick_host_alloc *a, const struct wick_host_file_id *id)
{
    for (uint32_t i = 0; i < a->nagents; i++)
        if (a->agents[i].device == id->device && a->agents[i].inode == id->inode &&
            a->agents[i].changed_ns == id->changed_ns)
            return true;
    return false;
}

/* Sets the probe of an agent's file, for all processes that have it or will. */
static void watch_agent(struct wick_host_alloc *a, const struct wick_host_file *file)
{
    struct wick_host_alloc_report reports[WICK_HOST_ALLOC_REPORTS];
    char path[64];
    if (is_known(a, &file->id) || a->nagents == MOST_AGENTS)
        return;
    if (!a->agents && !(a->agents = calloc(MOST_AGENTS, sizeof *a->agents)))
        return;
    a->agents[a->nagents++] = file->id;
    uint32_t n = wick_host_alloc_reports(file->fd, reports);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    for (uint32_t i = 0; i < n; i++) {
        const struct wick_host_alloc_at at = {
            .type = a->type, .path = path, .place = reports[i].place, .cookie = reports[i].cookie};
        wick_host_kernel_attach_alloc(a->kernel, WICK_HOST_ALLOC_REPORT, &at, a->next_number++);
    }
}

/* Whether the process has the agent. */
static bool find_agent(struct wick_host_alloc *a, struct wick_host_process *p)
{
    const struct wick_elf_image *image;
    struct wick_host_file file;
    bool found = false;
    for (uint32_t i = 0; (image = wick_elf_images_at(&p->images, i)); i++) {
        if (!is_agent(image->path) || !open_file(p, image, &file))
            continue;
        watch_agent(a, &file);
        close(file.fd);
        found = true;
    }
    return found;
}

/* --- the JVM --- */

static void cannot(struct wick_host_alloc_jvm *j, const char *why)
{
    j->source = WICK_HOST_ALLOC_NOWHERE;
    snprintf(j->why, sizeof j->why, "%.*s", (int)sizeof j->why - 1, why);
}

static bool is_large(const struct wick_elf_file *f)
{
    return f->symtab.size > MOST_SYMBOLS || f->strtab.size > MOST_SYMBOLS;
}

/* Finds AllocTracer by the symbols of that file, those of its debug file, or by its code. A debug file is one of this
 * machine, by build id: the path of the image is the process's word. */
static bool find_tracer(const struct wick_host_process *p, struct wick_host_alloc_jvm *j,
                        const struct wick_elf_image *image, int fd, struct wick_hs_alloc_tracer *out)
{
    struct wick_elf_file own, debug, *symbols = NULL;
    struct wick_err err = {0};
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    bool has_own = copy >= 0 && !wick_elf_file_take_fd(&own, copy);
    bool has_debug = has_own && !own.symtab.size && !wick_elf_open_debug(&own, "", -1, NULL, &debug);
    if (has_own)
        symbols = has_debug ? &debug : &own;
    if (symbols && is_large(symbols)) /* it need not be a JVM's */
        symbols->symtab.size = 0;
    int rc = wick_hs_alloc_tracer_find(out, &p->jvm, image, symbols, &err);
    if (has_debug)
        wick_elf_file_release(&debug);
    if (has_own)
        wick_elf_file_release(&own);
    if (rc)
        cannot(j, err.msg);
    return !rc;
}

/* What the kernel side reads by. */
static struct wick_host_allocs allocs_of(const struct wick_jvm *jvm, const struct wick_hs_alloc_tracer *t)
{
    const struct wick_hs_layout *l = &jvm->layout;
    return (struct wick_host_allocs){
        .allocated = l->thread_allocated,
        .tlab_start = l->thread_tlab + l->tlab_start,
        .tlab_top = l->thread_tlab + l->tlab_top,
        .tlab_end = l->thread_tlab + l->tlab_end,
        .tlab_desired = l->thread_tlab + l->tlab_desired,
        .klass_name = l->klass_name,
        .symbol_length = l->symbol_length,
        .symbol_body = l->symbol_body,
        .thread_osthread = t->by_symbols ? 0 : l->thread_osthread,
        .osthread_tid = t->by_symbols ? 0 : l->osthread_tid,
        .has_thread = t->has_thread,
        .after = t->after,
        .since_ns = wick_clock_ns(CLOCK_BOOTTIME),
    };
}

/* Sets the probes of a JVM whose functions are known. 0 or an errno. */
static int set_probes(struct wick_host_alloc *a, const struct wick_host_process *p, struct wick_host_alloc_jvm *j,
                      const struct wick_elf_image *image, const struct wick_host_file *file,
                      const struct wick_hs_alloc_tracer *t)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    struct wick_host_alloc_at at = {.pid = p->pid, .type = a->type, .path = path};
    int error = 0;
    for (int i = 0; i < WICK_HS_ALLOC_FUNCTIONS && !error; i++) {
        at.place = t->at[i] - image->text_lo + file->offset;
        at.cookie = i == WICK_HS_REFILL ? WICK_HOST_ALLOC_REFILL : WICK_HOST_ALLOC_OUTSIDE;
        error = wick_host_kernel_attach_alloc(a->kernel, WICK_HOST_ALLOC_CALL, &at, j->number);
    }
    at.place = t->end - image->text_lo + file->offset;
    at.cookie = 0;
    j->has_end = !error && t->end && !wick_host_kernel_attach_alloc(a->kernel, WICK_HOST_ALLOC_END, &at, j->number);
    return error;
}

static void watch_jvm(struct wick_host_alloc *a, struct wick_host_process *p, struct wick_host_alloc_jvm *j)
{
    const struct wick_elf_image *image = find_jvm(p);
    struct wick_hs_alloc_tracer t;
    struct wick_host_file file;
    if (j->major <= 8 && j->has_agent) {
        j->source = WICK_HOST_ALLOC_BY_AGENT;
        snprintf(j->why, sizeof j->why, "only while the agent records them: wick start -e alloc %u", p->pid);
        return;
    }
    if (!image || !wick_hs_buffer_known(&p->jvm)) {
        cannot(j, "this JVM does not describe what its threads have allocated");
        return;
    }
    if (!open_file(p, image, &file)) {
        cannot(j, "the file of its libjvm.so cannot be opened");
        return;
    }
    if (find_tracer(p, j, image, file.fd, &t)) {
        const struct wick_host_allocs allocs = allocs_of(&p->jvm, &t);
        j->source = t.by_symbols ? WICK_HOST_ALLOC_BY_SYMBOLS : WICK_HOST_ALLOC_BY_CODE;
        int error = wick_host_kernel_put_allocs(a->kernel, &p->birth, &allocs) ? ENOSPC : 0;
        error = error ? error : set_probes(a, p, j, image, &file, &t);
        if (error) {
            wick_host_kernel_detach_alloc(a->kernel, j->number);
            cannot(j, strerror(error));
        }
    }
    close(file.fd);
}

static void leave_jvm(struct wick_host_alloc *a, const struct wick_host_alloc_jvm *j)
{
    wick_host_kernel_detach_alloc(a->kernel, j->number);
    wick_host_kernel_put_allocs(a->kernel, &j->birth, NULL);
}

/* It has ended: why nothing was seen of it is kept for the report. */
static void bury_jvm(struct wick_host_alloc *a, const struct wick_host_alloc_jvm *j)
{
    leave_jvm(a, j);
    if (!*j->why)
        return;
    a->nended_all++;
    if (a->nended == WICK_HOST_ALLOC_ENDED)
        return;
    a->ended[a->nended].pid = j->pid;
    memcpy(a->ended[a->nended++].why, j->why, sizeof j->why);
}

/* Removes those that have ended without a record of it, since the ring was full. */
static void reclaim(struct wick_host_alloc *a)
{
    struct wick_host_birth now;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->njvms; i++) {
        const struct wick_host_alloc_jvm *j = &a->jvms[i];
        if (wick_host_kernel_birth(a->kernel, j->pid, &now) || !wick_host_same_birth(&now, &j->birth))
            bury_jvm(a, j);
        else
            a->jvms[kept++] = *j;
    }
    a->njvms = kept;
}

static struct wick_host_alloc_jvm *find(const struct wick_host_alloc *a, const struct wick_host_birth *birth)
{
    for (uint32_t i = 0; i < a->njvms; i++)
        if (wick_host_same_birth(&a->jvms[i].birth, birth))
            return &a->jvms[i];
    return NULL;
}

/* Sets the probes of a JVM that is not known yet; of one that is, those of an agent that it did not have. */
static void examine(struct wick_host_alloc *a, struct wick_host_process *p)
{
    struct wick_host_alloc_jvm *j = find(a, &p->birth);
    bool has_agent = find_agent(a, p);
    if (j && j->has_agent == has_agent)
        return;
    if (!j && a->njvms == WICK_HOST_JVMS)
        reclaim(a);
    if (!j && a->njvms == WICK_HOST_JVMS) {
        a->left_out++;
        return;
    }
    if (!j) {
        j = &a->jvms[a->njvms++];
        *j = (struct wick_host_alloc_jvm){.birth = p->birth, .pid = p->pid, .number = a->next_number++};
    } else if (p->jvm.major <= 8) {
        leave_jvm(a, j); /* the agent may set breakpoints there */
    }
    bool again = !j->major || p->jvm.major <= 8;
    j->has_agent = has_agent;
    j->major = p->jvm.major;
    if (again)
        watch_jvm(a, p, j);
}

/* To search a JVM takes up to seconds, and each child that it forks is another one: for one part of that time in SHARE,
 * records come first. It is met again with its next sample. */
void wick_host_alloc_meet(struct wick_host_alloc *a, struct wick_host_process *p)
{
    enum { SHARE = 4 };
    uint64_t begin_ns = wick_clock_mono_ns();
    if (!a->kernel || p->allocs_met || p->gone || p->jvm_state != WICK_HOST_JVM_READY || begin_ns < a->rest_until_ns)
        return;
    p->allocs_met = true;
    examine(a, p);
    uint64_t end_ns = wick_clock_mono_ns();
    a->rest_until_ns = end_ns + SHARE * (end_ns - begin_ns);
}

/* --- processes that are not sampled --- */

/* Whether the process is of no more interest: it is known now, has ended, or is no JVM after all. */
static bool visit(struct wick_host_alloc *a, const struct wick_host_head *h, uint64_t now_ns)
{
    struct wick_host_process *p = wick_host_process_of(a->processes, h);
    a->unread += p && p->gone && !wick_host_process_is_same(p);
    if (!p || p->gone)
        return true;
    wick_host_process_refresh(p, now_ns);
    if (!wick_host_teach_jvm(a->processes, p, now_ns))
        return false;
    p->allocs_met = true;
    examine(a, p);
    return true;
}

void wick_host_alloc_starts(struct wick_host_alloc *a, const struct wick_host_head *h)
{
    struct wick_host_alloc_waiting *w = NULL;
    for (uint32_t i = 0; i < a->nwaiting && !w; i++)
        if (wick_host_same_birth(&a->waiting[i].head.birth, &h->birth))
            w = &a->waiting[i];
    if (!w && a->nwaiting == WICK_HOST_ALLOC_WAITING) { /* unless it is met with a sample */
        a->left_out++;
        return;
    }
    w = w ? w : &a->waiting[a->nwaiting++];
    *w = (struct wick_host_alloc_waiting){.head = *h, .due_ns = h->time_ns + FIRST_NS};
}

/* Each call costs the JVM some time: where very many objects do not fit into their threads' buffers none is probed any
 * more. */
static void bound_cost(struct wick_host_alloc *a, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - a->counted_ns;
    if (a->counted_ns && passed_ns < COUNT_NS)
        return;
    for (uint32_t i = 0; i < a->njvms; i++) {
        struct wick_host_alloc_jvm *j = &a->jvms[i];
        uint64_t calls = wick_host_kernel_alloc_calls(a->kernel, &j->birth), before = j->calls;
        j->calls = calls;
        if (!a->counted_ns || calls <= before || !wick_host_alloc_floods(calls - before, passed_ns))
            continue;
        leave_jvm(a, j);
        cannot(j, "very many objects do not fit into their threads' buffers, and to see each of them costs too much "
                  "(-XX:TLABSize); from then on they are left out");
    }
    a->counted_ns = now_ns;
}

void wick_host_alloc_round(struct wick_host_alloc *a, uint64_t now_ns)
{
    uint32_t kept = 0;
    if (!a->kernel)
        return;
    bound_cost(a, now_ns);
    for (uint32_t i = 0; i < a->nwaiting; i++) {
        struct wick_host_alloc_waiting w = a->waiting[i];
        if (now_ns >= w.due_ns) {
            if (visit(a, &w.head, now_ns) || ++w.tries == TRIES)
                continue;
            w.due_ns = now_ns + ((uint64_t)FIRST_NS << w.tries);
        }
        a->waiting[kept++] = w;
    }
    a->nwaiting = kept;
}

/* One that is known now need not be visited. */
static void forget_waiting(struct wick_host_alloc *a, const struct wick_host_birth *birth)
{
    for (uint32_t i = 0; i < a->nwaiting; i++)
        if (wick_host_same_birth(&a->waiting[i].head.birth, birth))
            a->waiting[i--] = a->waiting[--a->nwaiting];
}

void wick_host_alloc_end(struct wick_host_alloc *a, const struct wick_host_birth *birth)
{
    struct wick_host_alloc_jvm *j = a->kernel ? find(a, birth) : NULL;
    if (!j)
        return;
    forget_waiting(a, birth);
    bury_jvm(a, j);
    *j = a->jvms[--a->njvms];
}

/* Whether the process has mapped a JVM, as far as its own mappings show. */
static bool maps_jvm(int pid)
{
    struct wick_maps maps;
    struct wick_mapping m;
    bool found = false;
    if (wick_maps_open_process(&maps, pid))
        return false;
    while (!found && wick_maps_next(&maps, &m) == 1)
        found = m.executable && m.file && is_jvm(m.path);
    wick_maps_close(&maps);
    return found;
}

/* Reads a process as if there were a record of it. */
static void visit_present(struct wick_host_alloc *a, int pid)
{
    struct wick_host_head h = {.pid = (uint32_t)pid, .tid = (uint32_t)pid, .time_ns = wick_clock_mono_ns()};
    char path[64], comm[WICK_HOST_COMM + 1] = "";
    if (!maps_jvm(pid) || wick_host_kernel_birth(a->kernel, h.pid, &h.birth))
        return;
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    wick_whole_text(path, comm, sizeof comm);
    comm[strcspn(comm, "\n")] = 0;
    memcpy(h.process_comm, comm, sizeof h.process_comm - 1);
    if (!visit(a, &h, h.time_ns))
        wick_host_alloc_starts(a, &h);
}

int wick_host_alloc_begin(struct wick_host_alloc *a, struct wick_host_kernel *k, struct wick_host_processes *ps,
                          uint64_t threshold, struct wick_err *err)
{
    char number[24];
    *a = (struct wick_host_alloc){.kernel = k, .processes = ps, .next_number = WICK_HOST_COUNTED};
    a->jvms = calloc(WICK_HOST_JVMS, sizeof *a->jvms);
    a->ended = calloc(WICK_HOST_ALLOC_ENDED, sizeof *a->ended);
    if (!a->jvms || !a->ended)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (wick_whole_text(WICK_HOST_PROBE_TYPE, number, sizeof number) <= 0)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "allocations cannot be recorded: this kernel has no probes of functions of processes "
                            "(CONFIG_UPROBE_EVENTS). `wick record -e alloc PID` records those of one JVM");
    a->type = (uint32_t)atoi(number);
    int rc = wick_host_kernel_start_allocs(k, threshold, err);
    DIR *proc = rc ? NULL : opendir("/proc");
    for (const struct dirent *e; proc && (e = readdir(proc));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            visit_present(a, atoi(e->d_name));
    if (proc)
        closedir(proc);
    return rc;
}

void wick_host_alloc_release(struct wick_host_alloc *a)
{
    free(a->jvms);
    free(a->ended);
    free(a->agents);
    *a = (struct wick_host_alloc){0};
}

/* --- records --- */

bool wick_host_alloc_is_one(const struct wick_host_process *p, const struct wick_host_head *h)
{
    uint32_t said = h->object.own_tid;
    if (!said)
        return true;
    int32_t known = p->own_pids && !p->gone ? wick_host_teach_own_tid(p, h->tid) : 0; /* 0: it has ended */
    return p->own_pids ? !known || (uint32_t)known == said : said == h->tid;
}

enum owner { OTHERS, OF_JVM, OF_AGENT };

static enum owner owner_of(const struct wick_host_process *p, const struct wick_host_record *r, uint32_t i)
{
    const struct wick_step_frame *f = &r->frames[i];
    if (i >= r->head.nframes || f->kind != WICK_STEP_NATIVE)
        return OTHERS;
    const struct wick_elf_image *image = wick_elf_images_find(&p->images, f->ptr - !f->leaf);
    return !image ? OTHERS : is_jvm(image->path) ? OF_JVM : is_agent(image->path) ? OF_AGENT : OTHERS;
}

uint32_t wick_host_alloc_skip(const struct wick_host_process *p, const struct wick_host_record *r)
{
    uint32_t i = 0, n = p->gone ? 0 : r->head.nframes;
    enum owner owner, last = OTHERS;
    /* between a handler of the agent, on JDK 8, and the JVM is what the kernel returns to from a signal */
    while (i < n && ((owner = owner_of(p, r, i)) || (last == OF_AGENT && owner_of(p, r, i + 1) == OF_JVM))) {
        last = owner;
        i++;
    }
    if (i && i < n && r->frames[i].kind == WICK_STEP_STUB)
        i++;
    return i < n ? i : 0;
}

const char *wick_host_alloc_class(const struct wick_host_process *p, const struct wick_host_record *r,
                                  char room[WICK_HOST_CLASS])
{
    size_t n = strnlen(r->class_name, sizeof r->class_name);
    *room = 0;
    if (n && n < sizeof r->class_name)
        return r->class_name;
    if (r->head.object.klass && !p->gone && p->jvm_state == WICK_HOST_JVM_READY)
        wick_hs_klass_name_sig(&p->jvm, r->head.object.klass, room, WICK_HOST_CLASS);
    return room;
}
