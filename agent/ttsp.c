/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttsp.c - see ttsp.h
 *
 * A stack is only valid while its event is being told, so it is written then: as a wick.SafepointLaggard event, and as
 * text for the log. What is known only at the end of an incident, and attempts that brought no stack, follow when the
 * incident is collected.
 */
#include "agent/ttsp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/operation.h"
#include "agent/ttsp_log.h"
#include "agent/vm.h"
#include "base/clock.h"
#include "engine/ttsp.h"
#include "hotspot/value.h"

static struct wick_ttsp_engine first_engine, *engine = &first_engine; /* another one after a handler was lost */
static int log_fd = -1;

static int open_log(const char *path, struct wick_err *err)
{
    log_fd = -1;
    if (!*path)
        return 0;
    if (!strcmp(path, "stderr") || !strcmp(path, "-"))
        log_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    else
        /* a pipe that nobody reads is an error, not something to wait for: the JVM's end would wait, too */
        log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (log_fd >= 0)
        return 0;
    return wick_err_set(err, errno == EACCES || errno == EPERM ? WICK_E_PERM : WICK_E_IO, "cannot open the log %s: %s",
                        path, strerror(errno));
}

static void close_log(void)
{
    if (log_fd >= 0)
        close(log_fd);
    log_fd = -1;
}

/* The JVM's own limit for reaching a safepoint, ms. */
static uint64_t safepoint_timeout_ms(void)
{
    wick_addr flag = wick_jvm_flag(&wick_vm.jvm, "SafepointTimeoutDelay");
    uint64_t ms = flag ? wick_hs_u64(&wick_vm.mem, flag) : 0;
    return ms && ms < UINT32_MAX ? ms : 10000;
}

static int thresholds(const struct wick_session_opts *o, struct wick_ttsp_config *c, struct wick_err *err)
{
    const char *list = o->ttsp_threshold ? "" : o->ttsp_threshold_ms;
    return wick_ttsp_thresholds(list, o->ttsp_threshold ? o->ttsp_threshold : 2, o->ttsp_interval,
                                safepoint_timeout_ms(), c, err);
}

uint64_t wick_agent_ttsp_threshold_ns(const struct wick_session_opts *o)
{
    struct wick_ttsp_config c;
    struct wick_err err;
    return thresholds(o, &c, &err) ? 0 : c.threshold_ns[0];
}

/* A handler that has not come back may still use the engine. */
static int replace_engine(struct wick_err *err)
{
    struct wick_ttsp_engine *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return wick_err_set(err, WICK_E_NOMEM, "the time-to-safepoint watcher could not be set up: out of memory");
    fresh->next_id = engine->next_id;
    engine = fresh;
    return 0;
}

int wick_agent_ttsp_start(const struct wick_session_opts *o, struct wick_recorder *r, int awake_signal,
                          struct wick_err *err)
{
    struct wick_ttsp_config c = {.awake_signal = awake_signal, .critical_place = wick_vm.critical_place};
    int rc = thresholds(o, &c, err);
    if (!rc)
        rc = open_log(o->ttsp_log, err);
    if (!rc && engine->keep)
        rc = replace_engine(err);
    if (!rc && (rc = wick_ttsp_start(engine, &c, &wick_vm.jvm, wick_vm.libjvm, r, &wick_vm.threads, err)))
        close_log();
    return rc;
}

void wick_agent_ttsp_stop(void)
{
    wick_ttsp_stop(engine);
}

static const char *source_name(void)
{
    int source = wick_load_acquire(&engine->source); /* pairs: open_safepoint */
    return source == WICK_HS_SAFEPOINT_SYMBOLS    ? "symbols"
           : source == WICK_HS_SAFEPOINT_COUNTERS ? "counters"
           : source == WICK_HS_SAFEPOINT_NONE     ? "none"
                                                  : "not opened yet";
}

static void write_attempt(struct wick_drain *d, const struct wick_ttsp_attempt *a, uint32_t stack)
{
    const struct wick_ttsp_incident *i = a->incident;
    const struct wick_ttsp_late *l = &i->late[a->late];
    const char state[2] = {a->facts.state, 0};
    uint64_t answered = wick_load_relaxed(&a->answered_ns);
    struct wick_thread_name n;
    char name[4];
    const struct wick_jfr_safepoint_laggard event = {
        .start_ns = a->sent_ns,
        .thread = l->serial,
        .stack = stack,
        .incident = i->id,
        .safepoint_id = i->safepoint,
        .attempt = a->number,
        .kind = a->gave_way ? "gave way" : "late",
        .waited_ns = a->sent_ns - i->begin_ns,
        .response_ns = answered > a->sent_ns ? answered - a->sent_ns : 0,
        .os_state = state,
        .wchan = a->facts.wchan,
        .last_cpu = (uint64_t)(int64_t)a->facts.last_cpu,
        .cpu_ns = a->facts.cpu_ns,
        .run_delay_ns = a->facts.run_delay_ns,
        .major_faults = a->facts.major_faults,
        .priority =
            wick_threads_name(&wick_vm.threads, l->serial, &n, name, sizeof name) ? (uint32_t)n.java_priority : 0,
        .os_priority = (uint64_t)(int64_t)l->rules.nice,
        .scheduler = l->rules.schedule,
        .allowed_cpus = l->rules.allowed,
        .java_thread = l->java,
    };
    wick_jfr_write_safepoint_laggard(d->writer, &event);
}

void wick_agent_ttsp_event(struct wick_drain *d, const struct wick_event *e)
{
    struct wick_ttsp_attempt *a = wick_ttsp_found(e);
    if (!a || a->stack)
        return;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    if (log_fd >= 0)
        wick_drain_stack_text(d, e->stack, a->pc, &sb);
    else
        wick_strbuf_addc(&sb, '\n');
    a->stack = wick_strbuf_take(&sb);
    write_attempt(d, a, e->stack);
}

static void write_arrivals(struct wick_drain *d, const struct wick_ttsp_incident *i)
{
    for (uint32_t k = 0; k < i->late_count; k++) {
        struct wick_jfr_safepoint_arrival event = {
            .start_ns = i->late[k].released_ns,
            .thread = i->late[k].serial,
            .incident = i->id,
            .waited_ns = i->late[k].released_ns - i->begin_ns,
        };
        for (uint32_t n = 0; n < i->attempt_count; n++) {
            event.signals += i->attempts[n].late == k;
            event.answers += i->attempts[n].late == k && wick_load_relaxed(&i->attempts[n].answered_ns) != 0;
        }
        wick_jfr_write_safepoint_arrival(d->writer, &event);
    }
}

static void write_incident(struct wick_drain *d, const struct wick_ttsp_incident *i)
{
    const struct wick_jfr_safepoint_latency event = {
        .start_ns = i->begin_ns,
        .duration_ns = i->end_ns - i->begin_ns,
        .incident = i->id,
        .safepoint_id = i->safepoint,
        .kind = i->critical ? "jni critical" : "safepoint",
        .operation = i->operation,
        .reach_ns = i->reach_ns,
        .java_threads = i->java_threads,
        .late_threads = i->awaited,
        .signals = i->attempt_count,
        .source = source_name(),
    };
    const struct wick_jfr_safepoint_begin begin = {.start_ns = i->begin_ns,
                                                   .duration_ns = i->reach_ns,
                                                   .safepoint_id = i->safepoint,
                                                   .total_threads = i->java_threads};
    const struct wick_jfr_safepoint_state_synchronization sync = {.start_ns = i->begin_ns,
                                                                  .duration_ns = i->reach_ns,
                                                                  .safepoint_id = i->safepoint,
                                                                  .initial_threads = i->awaited};
    wick_jfr_write_safepoint_latency(d->writer, &event);
    if (i->critical)
        return;
    wick_jfr_write_safepoint_begin(d->writer, &begin);
    wick_jfr_write_safepoint_state_synchronization(d->writer, &sync);
}

static void tell(void *arg, struct wick_ttsp_incident *i)
{
    struct wick_drain *d = arg;
    if (!i->operation[0])
        wick_operation_name(d, i->operation_class, i->operation, sizeof i->operation);
    for (uint32_t n = 0; n < i->attempt_count; n++)
        if (!i->attempts[n].stack)
            write_attempt(d, &i->attempts[n], 0);
    write_arrivals(d, i);
    write_incident(d, i);
    if (log_fd >= 0)
        wick_ttsp_log(log_fd, i, wick_load_relaxed(&engine->vm_start_ns));
    for (uint32_t n = 0; n < i->attempt_count; n++) {
        free(i->attempts[n].stack);
        i->attempts[n].stack = NULL;
    }
}

void wick_agent_ttsp_round(struct wick_drain *d, bool last)
{
    wick_ttsp_collect(last, tell, d);
    if (last)
        close_log();
}

void wick_agent_ttsp_status(struct wick_strbuf *out)
{
    if (!engine->running)
        return;
    wick_strbuf_addf(
        out,
        "ttsp_source=%s\nttsp_critical=%d\nttsp_incidents=%" PRIu64 "\nttsp_lost=%" PRIu64 "\nttsp_unwatched=%" PRIu64
        "\nttsp_unclear=%" PRIu64 "\nttsp_looks=%" PRIu64 "\nttsp_unsent=%" PRIu64 "\n",
        source_name(), engine->critical.pending != 0, wick_load_relaxed(&engine->incidents),
        wick_load_relaxed(&engine->lost), wick_load_relaxed(&engine->unwatched), wick_load_relaxed(&engine->unclear),
        wick_load_relaxed(&engine->looks), wick_load_relaxed(&engine->unsent));
}
