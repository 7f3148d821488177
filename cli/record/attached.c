/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/attached.h"

#include <stdlib.h>

#include "base/clock.h"
#include "cli/record/record_run.h"
#include "cli/jvm/target.h"
#include "cli/ui.h"
#include "client/agentlib.h"
#include "client/rotation.h"
#include "client/started.h"

#define START_NS 60000000000u /* a JVM may be at a long safepoint */

uint64_t wick_attached_deadline(uint64_t duration_ns)
{
    uint64_t now = wick_clock_mono_ns();
    return duration_ns < UINT64_MAX - now ? now + duration_ns : UINT64_MAX;
}

int wick_attached_open(struct wick_attached *l, const char *word, struct wick_err *err)
{
    l->client = NULL;
    return wick_target_open(word, &l->proc, &l->jvm, err);
}

int wick_attached_attach(struct wick_attached *l, const struct wick_opts *o, struct wick_err *err)
{
    char lib[4096];
    l->client = malloc(sizeof *l->client);
    if (!l->client)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_client_init(l->client);
    int rc = wick_agentlib_find(o->lib, lib, sizeof lib, err);
    if (!rc)
        rc = wick_client_obtain(&l->proc, lib, o->attach_timeout_ns, l->client, err);
    if (!rc && l->client->running)
        rc = wick_err_set(err, WICK_E_STATE, "process %d is being recorded already: `wick stop %d` ends that recording",
                          (int)l->proc.pid, (int)l->proc.pid);
    return rc;
}

/* Somebody else has stopped the recording. */
static void note_early_end(const struct wick_recording *r, uint64_t duration_ns)
{
    char took[32], wanted[32];
    wick_ui_seconds(wick_clock_mono_ns() - r->started_ns, took, sizeof took);
    wick_ui_seconds(duration_ns, wanted, sizeof wanted);
    wick_ui_note("wick: the recording of process %d was stopped from elsewhere after %s of %s", (int)r->client->pid,
                 took, wanted);
}

int wick_attached_record(struct wick_attached *l, const struct wick_opts *o, const struct wick_cli_output *out,
                         bool *started, struct wick_err *err)
{
    struct wick_recording r;
    struct wick_rotation files;
    *started = false;
    int rc = wick_recording_init(&r, l->client, &l->proc, err);
    if (rc)
        return rc;
    if (out->taken) {
        rc = wick_rotation_open(&files, out->path, out->dir, out->fd, o->s.max_size_bytes, o->s.max_age_ns, err);
        r.files = rc ? NULL : &files;
    }
    rc = rc ? rc : wick_recording_send_start(&r, o, out, err);
    if (!rc)
        rc = wick_recording_await(&r, wick_clock_mono_ns() + START_NS, err);
    *started = !rc;
    if (!rc) {
        if (o->keep_running)
            wick_cli_output_note(out, &l->proc); /* for `wick stop`, should this command be killed */
        rc = wick_recording_run(&r, wick_attached_deadline(o->duration_ns), err);
        if (!rc && r.ended)
            note_early_end(&r, o->duration_ns);
        if (!r.ended) { /* what ended it before its time is not forgotten because it could be stopped */
            int stopped = wick_recording_stop(&r, rc ? &(struct wick_err){0} : err);
            rc = rc ? rc : stopped;
        }
        if (o->keep_running)
            wick_started_forget(&l->proc);
    }
    if (r.files) {
        int rest = *started ? wick_rotation_finish(&files, wick_clock_mono_ns(), rc ? &(struct wick_err){0} : err) : 0;
        rc = rc ? rc : rest;
        wick_rotation_release(&files);
    }
    wick_recording_release(&r); /* from here on Ctrl-C kills */
    return rc;
}

void wick_attached_close(struct wick_attached *l)
{
    if (l->client)
        wick_client_close(l->client);
    free(l->client);
    wick_proc_close(&l->proc);
}
