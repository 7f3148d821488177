/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_ttsp.c - time to safepoint as an engine: its events, its text log
 *
 * A stack is only valid while its event is being written, so it is shown then: as a wick.SafepointLaggard event, and as
 * text for the log. What is known only at the end of an incident, and attempts that brought no stack, follow when the
 * incident is collected.
 */
#include "engine/ttsp/ttsp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/usdt.h"
#include "engine/engine.h"
#include "hotspot/value.h"
#include "record/operation.h"

struct state {
    struct wick_ttsp_engine ttsp;
    int log_fd; /* -1 = no log */
};

static int open_log(struct state *s, const char *path, struct wick_err *err)
{
    int log_fd;
    s->log_fd = -1;
    if (!*path)
        return 0;
    if (!strcmp(path, "stderr") || !strcmp(path, "-"))
        log_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    else
        /* a pipe that nobody reads is an error, not something to wait for: the JVM's end would also wait */
        log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    s->log_fd = log_fd;
    if (log_fd >= 0)
        return 0;
    return wick_err_set(err, errno == EACCES || errno == EPERM ? WICK_E_PERM : WICK_E_IO, "cannot open the log %s: %s",
                        path, strerror(errno));
}

static void close_log(struct state *s)
{
    if (s->log_fd >= 0)
        close(s->log_fd);
    s->log_fd = -1;
}

/* The JVM's own limit for reaching a safepoint, ms. */
static uint64_t safepoint_timeout_ms(const struct wick_jvm *jvm)
{
    wick_addr flag = jvm->flag[WICK_JVM_FLAG_SAFEPOINT_TIMEOUT_DELAY];
    uint64_t ms = flag ? wick_hs_u64(jvm->mem, flag) : 0;
    return ms && ms < UINT32_MAX ? ms : 10000;
}

static int thresholds(const struct wick_session_opts *o, const struct wick_jvm *jvm, struct wick_ttsp_config *c,
                      struct wick_err *err)
{
    const char *list = o->ttsp_threshold ? "" : o->ttsp_threshold_ms;
    return wick_ttsp_thresholds(list, o->ttsp_threshold ? o->ttsp_threshold : 2, o->ttsp_interval,
                                safepoint_timeout_ms(jvm), c, err);
}

static bool planned(const struct wick_opt_events *plan)
{
    return plan->ttsp;
}

static int start(void *e, struct wick_engine_host *h, struct wick_err *err)
{
    struct state *s = e;
    struct wick_ttsp_config c = {.awake_signal = h->awake_signal, .critical_place = h->critical_place};
    int rc = thresholds(h->opts, h->jvm, &c, err);
    if (!rc)
        rc = open_log(s, h->opts->ttsp_log, err);
    if (!rc && (rc = wick_ttsp_start(&s->ttsp, &c, h->jvm, h->libjvm, h->recorder, h->threads, err)))
        close_log(s);
    return rc;
}

static void stop(void *e)
{
    wick_ttsp_stop(&((struct state *)e)->ttsp);
}

static const char *source_name(const struct state *s)
{
    int source = wick_load_acquire(&s->ttsp.source); /* pairs: open_safepoint */
    return source == WICK_HS_SAFEPOINT_SYMBOLS    ? "symbols"
           : source == WICK_HS_SAFEPOINT_COUNTERS ? "counters"
           : source == WICK_HS_SAFEPOINT_NONE     ? "none"
                                                  : "not opened yet";
}

/* A slow thread under its name at the start of the incident. Its events are joined by it, so it is asked for once: a
 * name that cannot be read now may be readable when the next event is written. */
static uint32_t named(const struct state *s, struct wick_ttsp_incident *i, uint32_t late)
{
    struct wick_ttsp_late *l = &i->late[late];
    if (!l->named)
        l->named = wick_threads_named(s->ttsp.threads, l->serial, i->begin_ns);
    return l->named;
}

static void write_attempt(const struct state *s, struct wick_drain *d, const struct wick_ttsp_attempt *a,
                          uint32_t stack)
{
    const struct wick_ttsp_incident *i = a->incident;
    const struct wick_ttsp_late *l = &i->late[a->late];
    const char state[2] = {a->facts.state, 0};
    uint64_t answered = wick_load_relaxed(&a->answered_ns);
    struct wick_thread_name n;
    char name[4];
    const struct wick_jfr_safepoint_laggard event = {
        .start_ns = a->sent_ns,
        .thread = named(s, a->incident, a->late),
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
            wick_threads_name(s->ttsp.threads, l->serial, &n, name, sizeof name) ? (uint32_t)n.java_priority : 0,
        .os_priority = (uint64_t)(int64_t)l->rules.nice,
        .scheduler = l->rules.schedule,
        .allowed_cpus = l->rules.allowed,
        .java_thread = l->java,
    };
    wick_jfr_write_safepoint_laggard(d->writer, &event);
}

static void event(void *e, struct wick_drain *d, const struct wick_event *ev)
{
    const struct state *s = e;
    struct wick_ttsp_attempt *a = wick_ttsp_found(ev);
    if (!a || a->stack)
        return;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    if (s->log_fd >= 0)
        wick_drain_stack_text(d, ev->stack, a->pc, &sb);
    else
        wick_strbuf_addc(&sb, '\n');
    a->stack = wick_strbuf_take(&sb);
    write_attempt(s, d, a, ev->stack);
}

static void write_arrivals(const struct state *s, struct wick_drain *d, struct wick_ttsp_incident *i)
{
    for (uint32_t k = 0; k < i->late_count; k++) {
        struct wick_jfr_safepoint_arrival event = {
            .start_ns = i->late[k].released_ns,
            .thread = named(s, i, k),
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

static void write_incident(const struct state *s, struct wick_drain *d, const struct wick_ttsp_incident *i)
{
    const char *kind = i->critical ? "jni critical" : "safepoint";
    const struct wick_jfr_safepoint_latency event = {
        .start_ns = i->begin_ns,
        .duration_ns = i->end_ns - i->begin_ns,
        .incident = i->id,
        .safepoint_id = i->safepoint,
        .kind = kind,
        .operation = i->operation,
        .reach_ns = i->reach_ns,
        .java_threads = i->java_threads,
        .late_threads = i->awaited,
        .signals = i->attempt_count,
        .source = source_name(s),
    };
    const struct wick_jfr_safepoint_begin begin = {.start_ns = i->begin_ns,
                                                   .duration_ns = i->reach_ns,
                                                   .safepoint_id = i->safepoint,
                                                   .total_threads = i->java_threads};
    const struct wick_jfr_safepoint_state_synchronization sync = {.start_ns = i->begin_ns,
                                                                  .duration_ns = i->reach_ns,
                                                                  .safepoint_id = i->safepoint,
                                                                  .initial_threads = i->awaited};
    WICK_USDT(ttsp__late, WICK_USDT_ALWAYS, event.reach_ns, event.duration_ns, (uintptr_t)event.operation,
              (uintptr_t)kind, event.late_threads, i->late_count ? (uint32_t)i->late[0].tid : 0);
    wick_jfr_write_safepoint_latency(d->writer, &event);
    if (i->critical)
        return;
    wick_jfr_write_safepoint_begin(d->writer, &begin);
    wick_jfr_write_safepoint_state_synchronization(d->writer, &sync);
}

/* Where an incident that is over is written to. */
struct sink {
    struct state *state;
    struct wick_drain *drain;
};

static void forget_stacks(void *arg, struct wick_ttsp_incident *i)
{
    (void)arg;
    for (uint32_t n = 0; n < i->attempt_count; n++) {
        free(i->attempts[n].stack);
        i->attempts[n].stack = NULL;
    }
}

static void write_over(void *arg, struct wick_ttsp_incident *i)
{
    const struct sink *sink = arg;
    const struct state *s = sink->state;
    struct wick_drain *d = sink->drain;
    if (!i->operation[0])
        wick_operation_name(d, i->operation_class, i->operation, sizeof i->operation);
    for (uint32_t n = 0; n < i->attempt_count; n++)
        if (!i->attempts[n].stack)
            write_attempt(s, d, &i->attempts[n], 0);
    write_arrivals(s, d, i);
    write_incident(s, d, i);
    if (s->log_fd >= 0)
        wick_ttsp_log(s->log_fd, s->ttsp.threads, i, wick_load_relaxed(&s->ttsp.vm_start_ns));
    forget_stacks(NULL, i);
}

static void take(void *e, struct wick_drain *d, enum wick_engine_take what)
{
    struct sink sink = {e, d};
    if (what != WICK_TAKE_ALL) /* incidents outlive chunks and generations */
        wick_ttsp_collect(what == WICK_TAKE_LAST, write_over, &sink);
    if (what == WICK_TAKE_LAST)
        close_log(e);
}

/* Incidents belong to the process: what nobody has taken is freed for the next recording. */
static void release(void *e)
{
    wick_ttsp_collect(true, forget_stacks, NULL);
    close_log(e);
}

static void status(void *e, const struct wick_engine_host *h, struct wick_strbuf *out)
{
    const struct state *s = e;
    const struct wick_ttsp_engine *t = &s->ttsp;
    (void)h;
    wick_strbuf_addf(out,
                     "ttsp_source=%s\nttsp_critical=%d\nttsp_incidents=%" PRIu64 "\nttsp_lost=%" PRIu64
                     "\nttsp_unwatched=%" PRIu64 "\nttsp_unclear=%" PRIu64 "\nttsp_looks=%" PRIu64
                     "\nttsp_unsent=%" PRIu64 "\n",
                     source_name(s), t->critical.pending != 0, wick_load_relaxed(&t->incidents),
                     wick_load_relaxed(&t->lost), wick_load_relaxed(&t->unwatched), wick_load_relaxed(&t->unclear),
                     wick_load_relaxed(&t->looks), wick_load_relaxed(&t->unsent));
}

static void settings(void *e, const struct wick_engine_host *h, struct wick_jfr_writer *w, uint64_t now)
{
    const struct state *s = e;
    char num[32];
    (void)h;
    snprintf(num, sizeof num, "%" PRIu64 " ns", s->ttsp.config.threshold_ns[0]);
    wick_engine_setting(w, now, WICK_JFR_EVENT_SAFEPOINT_LATENCY, "enabled", "true");
    wick_engine_setting(w, now, WICK_JFR_EVENT_SAFEPOINT_LATENCY, "ttspThreshold", num);
}

const struct wick_engine_ops wick_engine_ttsp = {
    .name = "ttsp",
    .bytes = sizeof(struct state),
    .types = 1u << WICK_EVENT_TTSP,
    .gate = &wick_ttsp_gate,
    .options = WICK_OPT_BIT(ttsp_threshold_ms) | WICK_OPT_BIT(ttsp_threshold) | WICK_OPT_BIT(ttsp_interval) |
               WICK_OPT_BIT(ttsp_log),
    .planned = planned,
    .start = start,
    .stop = stop,
    .release = release,
    .take = take,
    .event = event,
    .status = status,
    .settings = settings,
};
