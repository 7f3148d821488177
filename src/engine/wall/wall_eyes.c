/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_eyes.c - observing a thread of this process from another one
 */
#include "engine/wall/wall.h"

#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/thread/held_back.h"
#include "hotspot/thread.h"
#include "jfr/writer/writer.h"

/* The socket that the thread waits for data of, or for room in, -1 = none. */
static int awaited_socket(struct wick_wall_engine *e, const struct wick_thread_look *l, bool *sends)
{
    struct pollfd p;
    *sends = l->sends;
    if (l->state != WICK_JFR_STATE_IO)
        return -1;
    if (!l->polled || wick_mem_read(&e->recorder->walker.mem, l->polled, &p, sizeof p) ||
        !(p.events & (POLLIN | POLLOUT)))
        return l->socket;
    *sends = !(p.events & POLLIN);
    return p.fd;
}

/* reads: the socket that it waits for data of, -1 = none. */
static uint8_t state_of(struct wick_wall_engine *e, wick_addr java, const struct wick_thread_look *l, int reads)
{
    if (l->state == WICK_JFR_STATE_IO)
        return reads >= 0 && wick_held_back(reads) ? WICK_JFR_STATE_HELD_BACK : WICK_JFR_STATE_IO;
    bool monitor =
        java && l->state == WICK_JFR_STATE_NATIVE_WAIT && wick_hs_thread_enters_monitor(e->recorder->walker.jvm, java);
    return monitor ? WICK_JFR_STATE_MONITOR : l->state;
}

static uint32_t label_of(struct wick_wall_engine *e, const struct wick_thread_look *l, int socket)
{
    struct wick_labels *labels = e->recorder->labels;
    if (!e->awaited || (socket < 0 && l->file < 0 && !l->child))
        return 0;
    if (l->child)
        return wick_awaited_child(labels, l->child);
    return socket >= 0 ? wick_awaited_socket(e->awaited, labels, socket) : wick_awaited_file(labels, l->file);
}

static bool walk(struct wick_wall_engine *e, const struct wick_engine_thread *t, const struct wick_thread_look *l,
                 struct wick_event *out, enum wick_drop *why)
{
    struct wick_outside o = {.pc = l->pc, .sp = l->sp, .lo = l->sp - WICK_STEP_RED_ZONE, .stack = e->stack};
    bool sends;
    int socket = awaited_socket(e, l, &sends);
    uint32_t label = label_of(e, l, socket);
    struct wick_scratch *scratch = wick_recorder_enter_sig(e->recorder);
    wick_addr java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
    if (!scratch) {
        *why = WICK_DROP_WALK_IN_PROGRESS;
        return false;
    }
    o.bytes = wick_mem_read_most(&e->recorder->walker.mem, o.lo, e->stack, WICK_THREAD_LOOK_STACK);
    const struct wick_sample_sig in = {
        .outside = &o,
        .java = java,
        .tid = wick_load_relaxed(&t->tid),
        .time_ns = wick_clock_mono_ns(),
        .type = WICK_EVENT_WALL,
        .state = state_of(e, java, l, sends ? -1 : socket),
        .awaited = label,
    };
    bool good = wick_recorder_walk_sig(e->recorder, scratch, &in, out);
    wick_recorder_leave_sig(scratch);
    *why = WICK_DROP_STACK_TABLE_FULL;
    return good;
}

static bool is_outside_calls(struct wick_wall_engine *e, const struct wick_engine_thread *t)
{
    const struct wick_jvm *jvm = e->recorder->walker.jvm;
    wick_addr java = wick_load_acquire(&t->java); /* pairs: wick_threads_java */
    return java && wick_hs_thread_awaited_sig(jvm, wick_hs_thread_state_sig(jvm, java));
}

static bool send(struct wick_wall_engine *e, int32_t tid)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = e->signal.number;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = e;
    return !syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, e->signal.number, &info);
}

const struct wick_wall_eyes wick_wall_eyes = {
    wick_thread_look_cpu_ns, wick_thread_look, wick_thread_sched, walk, is_outside_calls, send};
