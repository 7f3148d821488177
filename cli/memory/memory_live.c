/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_live.c - see memory_live.h
 */
#include "cli/memory/memory_live.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "sys/end_signals.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "footprint/footprint_live.h"

/* Between two readings: a tenth of the time, so that ten points make the line; within bounds. */
#define SOONEST_NS 500000000ull
#define LATEST_NS  10000000000ull

static int read_once(struct wick_footprint_live *l, struct wick_memory_use *u, struct wick_err *err)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int rc = wick_footprint_live_read(l, wick_end_signals_pending, err);
    if (rc)
        return rc;
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

static int read_for(struct wick_footprint_live *l, uint64_t duration_ns, struct wick_memory_use *u,
                    struct wick_err *err)
{
    sigset_t signals = wick_end_signals(), before;
    uint64_t begin_ns = wick_clock_mono_ns(), gap = duration_ns / 10;
    gap = gap < SOONEST_NS ? SOONEST_NS : gap > LATEST_NS ? LATEST_NS : gap;
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
                wick_ui_note("wick: process %d ended", (int)l->proc->pid);
            rc = 0;
            break;
        }
    }
    wick_ui_progress_end();
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

static int open_and_read(struct wick_footprint_live *l, struct wick_proc *p, uint64_t duration_ns,
                         struct wick_memory_use *u, struct wick_nmt *nmt, struct wick_err *err)
{
    struct wick_err why = {0};
    int rc = wick_footprint_live_open(l, p, err);
    if (rc)
        return rc;
    if (wick_footprint_live_ask(l, nmt, &why))
        wick_ui_note("wick: without the JVM's own count (NMT): %s", why.msg);
    rc = read_for(l, duration_ns, u, err);
    wick_footprint_live_close(l);
    return rc;
}

int wick_memory_live(const char *word, uint64_t duration_ns, struct wick_memory_use *u, struct wick_nmt *nmt,
                     struct wick_strbuf *title, struct wick_err *err)
{
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    struct wick_footprint_live *l = malloc(sizeof *l);
    if (!l)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc = wick_target_open(word, &p, &jvm, err);
    if (!rc) {
        wick_strbuf_addf(title, "%d %s", (int)p.pid, jvm.main);
        rc = open_and_read(l, &p, duration_ns, u, nmt, err);
        wick_proc_close(&p);
    }
    free(l);
    return rc;
}
