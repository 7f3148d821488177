/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_live.c - see memory_live.h
 */
#include "cli/memory/memory_live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "hotspot/value.h"
#include "sys/attach.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "unwind/remote.h"

/* Between two readings: a tenth of the time, so that ten points make the line, but neither hectic nor sparse. */
#define SOONEST_NS 500000000ull
#define LATEST_NS  10000000000ull

/* How long the JVM may take to count its memory: with detail it goes through all places of allocation. */
#define NMT_NS 10000000000ull

enum { A_STEP = 256 };

struct live {
    struct wick_proc proc;
    struct wick_remote remote;
    struct wick_footprint_jvm jvm;
    struct wick_footprint_walk walk;
    struct wick_nmt *nmt;
    struct wick_cgroup levels[WICK_CGROUP_LEVELS];
    size_t nlevels;
};

/* Whether one of the signals that are blocked waits. */
static bool is_interrupted(void)
{
    sigset_t waiting;
    return !sigpending(&waiting) && (sigismember(&waiting, SIGINT) > 0 || sigismember(&waiting, SIGTERM) > 0 ||
                                     sigismember(&waiting, SIGHUP) > 0);
}

static int read_once(struct live *l, struct wick_memory_use *u, struct wick_err *err)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int rc = wick_footprint_begin(&l->walk, &l->jvm, l->proc.dir);
    if (!rc) {
        while ((rc = wick_footprint_step(&l->walk, A_STEP)) > 0 && !is_interrupted())
            ;
        /* the kernel takes the memory of a process that ends before it says that it has ended */
        if (!rc && !wick_footprint_kernel_resident(&l->walk))
            rc = -WICK_E_GONE;
        wick_footprint_end(&l->walk);
    }
    if (rc > 0)
        return wick_err_set(err, WICK_E_STATE, "interrupted");
    if (rc == -WICK_E_FORMAT)
        return wick_err_set(err, WICK_E_FORMAT, "the mappings of process %d cannot be understood", (int)l->proc.pid);
    if (rc == -WICK_E_NOMEM)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (rc == -WICK_E_PERM)
        return wick_err_set(err, WICK_E_PERM, "cannot read the mappings of process %d: run wick as its user or as root",
                            (int)l->proc.pid);
    if (rc || wick_proc_gone(&l->proc))
        return wick_err_set(err, WICK_E_GONE, "process %d ended", (int)l->proc.pid);
    wick_memory_use_add(u, now_ns, &l->walk.out);
    for (size_t i = 0; i < l->nlevels; i++) {
        struct wick_cgroup_memory m;
        if (wick_cgroup_memory_read(&l->levels[i], &m))
            wick_memory_use_level(u, now_ns, (uint32_t)i, l->levels[i].dir + l->levels[i].mount, &m);
    }
    return 0;
}

/* True if a signal arrived while it waited. */
static bool pause_for(const sigset_t *signals, uint64_t ns)
{
    const struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return sigtimedwait(signals, NULL, &t) > 0;
}

static int read_for(struct live *l, uint64_t duration_ns, struct wick_memory_use *u, struct wick_err *err)
{
    sigset_t signals, before;
    uint64_t begin_ns = wick_clock_mono_ns(), gap = duration_ns / 10;
    gap = gap < SOONEST_NS ? SOONEST_NS : gap > LATEST_NS ? LATEST_NS : gap;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    int rc = read_once(l, u, err);
    for (uint64_t past; !rc && (past = wick_clock_mono_ns() - begin_ns) < duration_ns;) {
        char left[32];
        wick_ui_progress("%s left", wick_ui_seconds(duration_ns - past, left, sizeof left));
        if (pause_for(&signals, duration_ns - past < gap ? duration_ns - past : gap))
            break;
        rc = read_once(l, u, err);
        if ((rc == -WICK_E_GONE || rc == -WICK_E_STATE) && u->moments) { /* what was seen is worth showing */
            if (rc == -WICK_E_GONE)
                wick_ui_note("wick: process %d ended", (int)l->proc.pid);
            rc = 0;
            break;
        }
    }
    wick_ui_progress_end();
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* Whether the JVM tracks its native memory, by -XX:NativeMemoryTracking as it is now: "off", "summary" or "detail". */
static void read_tracking(const struct wick_jvm *jvm, char *mode, size_t cap)
{
    wick_addr flag = jvm->flag[WICK_JVM_FLAG_NATIVE_MEMORY_TRACKING], text = flag ? wick_hs_u64(jvm->mem, flag) : 0;
    if (!text || wick_mem_read_str(jvm->mem, text, mode, cap) < 0)
        *mode = 0;
}

/* What the JVM counts itself, if it does. It has to be asked for that, by its attach mechanism; where it does not
 * answer, the rest is shown without. */
static void ask_jvm(struct live *l)
{
    char mode[16];
    struct wick_err why = {0};
    struct wick_strbuf text = WICK_STRBUF_INIT;
    read_tracking(&l->remote.jvm, mode, sizeof mode);
    bool detail = !strcmp(mode, "detail");
    if (!detail && strcmp(mode, "summary") != 0)
        return;
    int rc =
        wick_attach_jcmd(&l->proc, detail ? "VM.native_memory detail scale=KB" : "VM.native_memory summary scale=KB",
                         NMT_NS, &text, &why);
    if (!rc && wick_nmt_parse(text.buf, text.len, l->nmt))
        rc = wick_err_set(&why, WICK_E_FORMAT, "its report of native memory cannot be understood");
    if (rc)
        wick_ui_note("wick: without the JVM's own count (NMT): %s", why.msg);
    else
        l->jvm.known = &l->nmt->gc;
    wick_strbuf_release(&text);
}

static int open_and_read(struct live *l, uint64_t duration_ns, struct wick_memory_use *u, struct wick_err *err)
{
    char pid[16];
    int rc = wick_remote_open(&l->remote, l->proc.pid, err);
    if (rc)
        return rc;
    snprintf(pid, sizeof pid, "%d", (int)l->proc.pid);
    l->nlevels = wick_cgroup_levels("", pid, WICK_CGROUP_MEMORY, l->levels, WICK_CGROUP_LEVELS);
    wick_footprint_open(&l->jvm, &l->remote.jvm);
    ask_jvm(l);
    rc = read_for(l, duration_ns, u, err);
    wick_remote_close(&l->remote);
    return rc;
}

int wick_memory_live(const char *word, uint64_t duration_ns, struct wick_memory_use *u, struct wick_nmt *nmt,
                     struct wick_strbuf *title, struct wick_err *err)
{
    struct wick_jvm_entry jvm;
    struct live *l = calloc(1, sizeof *l);
    if (!l)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    l->nmt = nmt;
    int rc = wick_target_open(word, &l->proc, &jvm, err);
    if (!rc) {
        wick_strbuf_addf(title, "%d %s", (int)l->proc.pid, jvm.main);
        rc = open_and_read(l, duration_ns, u, err);
        wick_proc_close(&l->proc);
    }
    free(l);
    return rc;
}
