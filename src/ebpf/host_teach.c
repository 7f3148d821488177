/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_teach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ebpf/host_brief.h"
#include "elf/dynsym.h"
#include "hotspot/value.h"
#include "sys/proc.h"

enum {
    MOST_DOUBLINGS = 10,
    THREADS_RETRY_NS = 200000000,
    THREADS = 65536,
    THREADS_SHARE = 20,
    PATH = 64,
    RECURSION = 64
};

#define JVM_RETRY_NS UINT64_C(100000000)

/* --- the JVM --- */

static const struct wick_elf_image *find_libjvm(const struct wick_host_process *p)
{
    const struct wick_elf_image *image;
    for (uint32_t i = 0; (image = wick_elf_images_at(&p->images, i)); i++)
        if (!strcmp(wick_symbolize_library(image->path), "libjvm.so"))
            return image;
    return NULL;
}

struct libjvm {
    const struct wick_mem *mem;
    const struct wick_elf_image *image;
};

static wick_addr find_symbol(void *arg, const char *name)
{
    const struct libjvm *l = arg;
    wick_addr addr = 0;
    return wick_elf_dynsym(l->mem, l->image, name, &addr) ? 0 : addr;
}

static void refuse_jvm(struct wick_host_processes *ps, const struct wick_host_process *p)
{
    ps->refused++;
    if (ps->nrefused_pids < WICK_HOST_REFUSED)
        ps->refused_pid[ps->nrefused_pids++] = p->pid;
}

static void accept_jvm(struct wick_host_processes *ps, const struct wick_host_process *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ps->nrefused_pids; i++)
        if (ps->refused_pid[i] != p->pid)
            ps->refused_pid[kept++] = ps->refused_pid[i];
    ps->nrefused_pids = kept;
    ps->refused--;
}

/* The layout, if it is there. What of it is read while the JVM starts may be from before it was set, so it is read once
 * more when all is there. */
static int read_jvm(struct wick_host_process *p, const struct libjvm *l)
{
    const struct wick_hs_symbols symbols = {find_symbol, (void *)l};
    int rc = 0;
    for (int again = 0; again < 2 && !rc; again++) {
        rc = wick_jvm_open(&p->jvm, &p->space.mem, &symbols, NULL);
        rc = rc ? rc : wick_jvm_open_code(&p->jvm, NULL);
    }
    return rc;
}

/* Whether it may be read again by now; if so, the time until the next one is twice as long. */
static bool is_due(struct wick_host_process *p, uint64_t now_ns)
{
    if (p->jvm_ns && now_ns < p->jvm_ns + (JVM_RETRY_NS << p->jvm_doublings))
        return false;
    p->jvm_ns = now_ns;
    bool doubles = p->jvm_state == WICK_HOST_JVM_REFUSED || p->jvm_state == WICK_HOST_JVM_READY;
    p->jvm_doublings += doubles && p->jvm_doublings < MOST_DOUBLINGS;
    return true;
}

/* Stubs of virtual threads come later than others, or never. */
static void find_stubs(struct wick_host_processes *ps, struct wick_host_process *p, uint64_t now_ns)
{
    struct wick_jvm *jvm = &p->jvm;
    bool lacks = (jvm->layout.cont_return_barrier && !jvm->step.cont_barrier) ||
                 (jvm->layout.cont_return_pc && !jvm->step.cont_return_pc);
    struct wick_jvm now = *jvm;
    if (!lacks || !is_due(p, now_ns) || wick_jvm_open_code(&now, NULL))
        return;
    *jvm = now;
    wick_host_kernel_put_jvm(ps->kernel, &p->birth, &jvm->step);
}

/* Reads the layout as soon as it is there. What makes no sense may do so later: while libjvm.so is loaded, the pointers
 * in its tables are still those of the file. So it is tried again, each time after twice as long. */
static void open_jvm(struct wick_host_processes *ps, struct wick_host_process *p, uint64_t now_ns)
{
    if (!is_due(p, now_ns))
        return;
    struct libjvm l = {&p->space.mem, find_libjvm(p)};
    if (!l.image)
        return;
    int rc = read_jvm(p, &l);
    bool before = p->jvm_state == WICK_HOST_JVM_REFUSED, refused = rc && rc != -WICK_E_STATE;
    p->jvm_state = refused ? WICK_HOST_JVM_REFUSED : rc ? WICK_HOST_JVM_STARTING : WICK_HOST_JVM_READY;
    if (refused && before && !p->jvm_reported) /* at the first time it may be that libjvm.so is being loaded */
        refuse_jvm(ps, p);
    else if (!refused && p->jvm_reported)
        accept_jvm(ps, p);
    p->jvm_reported = refused && before;
    if (rc)
        return;
    p->jvm_doublings = 0;
    ps->jvms++;
    wick_host_kernel_put_jvm(ps->kernel, &p->birth, &p->jvm.step);
}

int32_t wick_host_teach_own_tid(const struct wick_host_process *p, uint32_t tid)
{
    char path[PATH];
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_proc_status st = {0};
    if (!p->own_pids)
        return (int32_t)tid;
    snprintf(path, sizeof path, "/proc/%u/task/%u/status", p->pid, tid);
    if (wick_proc_read_at(-1, path, &text) || wick_proc_parse_status(text.buf, text.len, &st))
        st.nspid = 0;
    wick_strbuf_release(&text);
    return (int32_t)st.nspid;
}

/* Takes the thread from the list: when it is missed again, it is another one by then, or the list is too old. */
static wick_addr take_listed(struct wick_host_process *p, int32_t tid)
{
    for (int i = 0; i < p->nthreads; i++)
        if (p->threads[i].tid == tid) {
            p->threads[i].tid = 0;
            return p->threads[i].addr;
        }
    return 0;
}

/* Hands a JavaThread to the kernel side, if it says itself that it is this thread's. */
static void put_thread(struct wick_host_processes *ps, const struct wick_host_process *p,
                       const struct wick_host_head *h, int32_t tid, wick_addr addr)
{
    const struct wick_hs_layout *l = &p->jvm.layout;
    const struct wick_host_thread thread = {h->thread_start_ns, h->tid, 0};
    struct wick_host_java_thread java = {.addr = addr, .osthread_at = addr + (unsigned)l->thread_osthread};
    java.osthread = wick_hs_u64(&p->space.mem, java.osthread_at);
    java.id_at = java.osthread + (unsigned)l->osthread_tid;
    java.id = (uint32_t)tid;
    if (java.osthread && wick_hs_u32(&p->space.mem, java.id_at) == java.id)
        wick_host_kernel_put_thread(ps->kernel, &thread, &java);
}

/* When threads may be listed again: to list those of a JVM takes no more than a twentieth of the time. */
static uint64_t next_listing(uint64_t now_ns, uint64_t took_ns)
{
    uint64_t wait_ns = took_ns * THREADS_SHARE;
    return now_ns + (wait_ns > THREADS_RETRY_NS ? wait_ns : THREADS_RETRY_NS);
}

/* Lists the JVM's threads anew if this one is not among those of the last time. */
static void find_thread(struct wick_host_processes *ps, struct wick_host_process *p, const struct wick_host_head *h)
{
    int32_t tid = wick_host_teach_own_tid(p, h->tid);
    wick_addr addr = tid ? take_listed(p, tid) : 0;
    if (!addr && tid && h->time_ns >= p->threads_ns) {
        uint64_t begin_ns = wick_clock_mono_ns();
        struct wick_hs_thread *list = malloc(THREADS * sizeof *list);
        int n = list ? wick_hs_threads(&p->jvm, list, THREADS) : 0;
        free(p->threads);
        p->threads_ns = next_listing(h->time_ns, wick_clock_mono_ns() - begin_ns);
        p->nthreads = n > 0 ? n : 0;
        p->threads = n > 0 ? realloc(list, (size_t)n * sizeof *list) : NULL;
        if (!p->threads) {
            p->nthreads = 0;
            free(list);
        }
        addr = take_listed(p, tid);
    }
    if (addr)
        put_thread(ps, p, h, tid, addr);
}

/* --- labels --- */

static void read_published(struct wick_host_processes *ps, struct wick_host_process *p, uint64_t now_ns)
{
    bool moved = false;
    wick_host_process_refresh(p, now_ns);
    if (wick_host_published_read(&p->published, &p->space, &p->images, now_ns, &moved))
        p->context = wick_host_process_context(ps, p, NULL);
    if (moved)
        wick_host_kernel_put_publisher(ps->kernel, &p->birth, p->published.has_threads ? &p->published.threads : NULL);
}

/* --- native code --- */

static void find_rules(struct wick_host_rules *rules, struct wick_host_process *p, uint64_t pc, uint64_t now_ns)
{
    if (p->gone) {
        const struct wick_host_code code = {.birth = p->birth, .mapped = wick_host_brief_at(p, pc)};
        if (code.mapped)
            wick_host_rules_page(rules, &code, pc, now_ns);
        return;
    }
    const struct wick_elf_image *image = wick_elf_images_find(&p->images, pc);
    if (!image && wick_host_process_refresh(p, now_ns))
        image = wick_elf_images_find(&p->images, pc);
    /* mapped after the mappings were read, perhaps: it is missed again, and an empty page would stay for good */
    if (!image && p->images_ns < now_ns)
        return;
    const struct wick_host_code code = {(int)p->pid, p->birth, &p->space.mem, image,
                                        image ? wick_host_brief_at(p, pc) : NULL};
    wick_host_rules_page(rules, &code, pc, now_ns);
}

/* Whether no frame shortly before frame i is in the same page: those of a recursion are. */
static bool is_first(const struct wick_host_record *r, uint32_t i)
{
    for (uint32_t back = 1; back <= i && back <= RECURSION; back++)
        if (r->frames[i - back].kind == WICK_STEP_NATIVE &&
            r->frames[i - back].ptr / WICK_HOST_PAGE == r->frames[i].ptr / WICK_HOST_PAGE)
            return false;
    return true;
}

void wick_host_teach(struct wick_host_processes *ps, struct wick_host_rules *rules, struct wick_host_process *p,
                     const struct wick_host_record *r, uint64_t until_ns)
{
    const struct wick_host_head *h = &r->head;
    wick_host_brief_see(p, wick_host_mapped(r), h->nmapped);
    for (uint32_t i = 0; h->flags & WICK_HOST_MISSED && i < h->nframes && wick_clock_mono_ns() < until_ns; i++)
        if (r->frames[i].kind == WICK_STEP_NATIVE && r->frames[i].level && is_first(r, i))
            find_rules(rules, p, r->frames[i].ptr - !r->frames[i].leaf, h->time_ns);
    if (p->gone)
        return;
    if (wick_host_published_is_due(&p->published, h->time_ns))
        read_published(ps, p, h->time_ns);
    if (p->jvm_state != WICK_HOST_JVM_READY) {
        open_jvm(ps, p, h->time_ns);
        return;
    }
    find_stubs(ps, p, h->time_ns);
    if ((h->flags & WICK_HOST_HAS_JVM) && !(h->flags & WICK_HOST_HAS_THREAD))
        find_thread(ps, p, h);
}

bool wick_host_teach_jvm(struct wick_host_processes *ps, struct wick_host_process *p, uint64_t now_ns)
{
    if (!p->gone && p->jvm_state != WICK_HOST_JVM_READY)
        open_jvm(ps, p, now_ns);
    return p->jvm_state == WICK_HOST_JVM_READY;
}
