/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/running.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/ui.h"

/* The operands behind the first one. */
static int join(struct wick_strbuf *words, char **rest, int *nrest, struct wick_err *err)
{
    for (int i = 1; i < *nrest; i++) {
        if (i > 1)
            wick_strbuf_addc(words, ' ');
        wick_strbuf_adds(words, rest[i]);
    }
    if (*nrest > 1)
        *nrest = 1;
    return words->failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}

int wick_running_begin(int argc, char **argv, struct wick_running *s, struct wick_strbuf *words, struct wick_err *err)
{
    char **rest = calloc((size_t)argc + 1, sizeof *rest);
    const char *word;
    int nrest, dashdash;
    memset(s, 0, sizeof *s);
    s->client = malloc(sizeof *s->client);
    if (!rest || !s->client) {
        free(rest);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    wick_client_init(s->client);
    int rc = wick_cmd_parse(argc, argv, &s->o, rest, &nrest, &dashdash, err);
    if (!rc && words)
        rc = join(words, rest, &nrest, err);
    if (!rc)
        rc = wick_target_operand(rest, nrest, argv[0], &word, err);
    if (!rc)
        rc = wick_target_open(word, &s->p, &s->jvm, err);
    s->open = !rc;
    free(rest);
    return rc;
}

int wick_running_end(struct wick_running *s, int rc, const struct wick_err *err)
{
    if (s->client)
        wick_client_close(s->client);
    free(s->client);
    if (s->open)
        wick_proc_close(&s->p);
    return rc < 0 ? wick_ui_fail(err) : 0;
}

int wick_running_refuse_stopped(struct wick_running *s, struct wick_err *err)
{
    int rc = wick_proc_refresh(&s->p, err);
    if (rc || (s->p.st.state != 'T' && s->p.st.state != 't'))
        return rc;
    return wick_err_set(err, WICK_E_TIMEOUT,
                        "process %d (%.100s) does not answer because it is stopped (%s), so whether it is being "
                        "recorded is not known: %s",
                        (int)s->p.pid, s->jvm.main, s->p.st.state == 't' ? "a debugger holds it" : "SIGSTOP",
                        s->p.st.state == 't' ? "let the debugger continue it" : "continue it with `kill -CONT`");
}

int wick_running_find(struct wick_running *s, struct wick_err *err)
{
    int rc = wick_running_refuse_stopped(s, err);
    rc = rc ? rc : wick_client_find(&s->p, NULL, s->client, err);
    if (rc == -WICK_E_NOTFOUND && wick_running_refuse_stopped(s, err)) /* since it was asked */
        return -WICK_E_TIMEOUT;
    if (rc == -WICK_E_NOTFOUND)
        return wick_err_set(err, WICK_E_STATE, "process %d (%.100s) is not being recorded: wick's agent is not in it",
                            (int)s->p.pid, s->jvm.main);
    return rc;
}
