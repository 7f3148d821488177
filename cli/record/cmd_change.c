/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wick change, mark: what is done to a recording while it runs; any command may have started it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/record/record_run.h"
#include "cli/record/running.h"
#include "cli/ui.h"

/* True if an option was given that a recording which runs can take. */
static bool asks_for_change(const struct wick_opts *o)
{
    for (size_t i = 0; i < WICK_OPT_TABLE_COUNT; i++)
        if ((o->given >> i & 1) && (wick_opt_table[i].where & WICK_CMD_CHANGE) &&
            (wick_opt_table[i].where & WICK_CMD_AGENT))
            return true;
    return false;
}

/* Sends a command and shows what the agent notes. */
static int send_command(struct wick_running *s, const struct wick_strbuf *command, struct wick_err *err)
{
    if (command->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int rc =
        wick_client_ask(s->client, command->buf,
                        wick_opt_given(&s->o, attach_timeout_ns) ? s->o.attach_timeout_ns : WICK_CLIENT_ANSWER_NS, err);
    if (!rc)
        wick_recording_show_notes(s->client->text);
    return rc;
}

static int change(struct wick_running *s, struct wick_err *err)
{
    struct wick_strbuf command = WICK_STRBUF_INIT;
    char event[64] = "", engine[64] = "";
    if (!asks_for_change(&s->o))
        return wick_err_set(err, WICK_E_USAGE, "nothing to change: give -e EVENT, -i TIME or another option");
    int rc = wick_running_find(s, err);
    wick_opt_format_agent(&s->o, "change", &command);
    rc = rc ? rc : send_command(s, &command, err);
    wick_strbuf_release(&command);
    if (rc)
        return rc;
    if (!wick_client_ask(s->client, "status", s->o.attach_timeout_ns, &(struct wick_err){0})) {
        wick_client_value(s->client->text, "event", event, sizeof event);
        wick_client_value(s->client->text, "engine", engine, sizeof engine);
    }
    wick_ui_note("the recording of process %d (%s) continues%s%s%s%s%s", (int)s->p.pid, s->jvm.main,
                 *event ? " with " : "", event, *engine ? " (" : "", engine, *engine ? ")" : "");
    return 0;
}

int wick_cmd_change(int argc, char **argv)
{
    struct wick_running s;
    struct wick_err err = {0};
    int rc = wick_running_begin(argc, argv, &s, NULL, &err);
    if (!rc)
        rc = change(&s, &err);
    return wick_running_end(&s, rc, &err);
}

static int mark(struct wick_running *s, const struct wick_strbuf *text, struct wick_err *err)
{
    struct wick_strbuf command = WICK_STRBUF_INIT;
    if (!text->len)
        return wick_err_set(err, WICK_E_USAGE, "what happened? wick mark PID|NAME TEXT, such as \"cache emptied\"");
    if (text->len >= sizeof s->o.s.text)
        return wick_err_set(err, WICK_E_USAGE, "the text has %zu bytes; a mark takes %zu at most", text->len,
                            sizeof s->o.s.text - 1);
    int rc = wick_running_find(s, err);
    memcpy(s->o.s.text, text->buf, text->len + 1);
    s->o.given |= (uint64_t)1 << WICK_OPT_I_text;
    wick_opt_format_agent(&s->o, "mark", &command);
    rc = rc ? rc : send_command(s, &command, err);
    wick_strbuf_release(&command);
    return rc;
}

int wick_cmd_mark(int argc, char **argv)
{
    struct wick_running s;
    struct wick_strbuf text = WICK_STRBUF_INIT;
    struct wick_err err = {0};
    int rc = wick_running_begin(argc, argv, &s, &text, &err);
    if (!rc)
        rc = mark(&s, &text, &err);
    wick_strbuf_release(&text);
    return wick_running_end(&s, rc, &err);
}
