/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jvm/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jvm/starting.h"
#include "sys/attach.h"

int wick_target_operand(char **rest, int nrest, const char *command, const char **word, struct wick_err *err)
{
    if (nrest == 0)
        return wick_err_set(err, WICK_E_USAGE, "which JVM? wick %s PID|NAME (`wick ps` lists them)", command);
    if (nrest > 1)
        return wick_err_set(err, WICK_E_USAGE, "wick %s takes one PID or NAME, not %d", command, nrest);
    *word = rest[0];
    return 0;
}

static int open_pid(pid_t pid, struct wick_proc *p, struct wick_jvm_entry *jvm, struct wick_err *err)
{
    char libjvm[4096];
    int rc = wick_proc_open(pid, p, err);
    if (rc)
        return rc;
    wick_starting_wait(p);
    rc = wick_attach_check_jvm(p, libjvm, sizeof libjvm, err);
    if (rc)
        wick_proc_close(p);
    else if (jvm)
        wick_jvmlist_describe(p, libjvm, jvm);
    return rc;
}

/* The JVM whose name is word, or the only one that has it as a part; NULL with *matches = how many there are. */
static const struct wick_jvm_entry *choose(const struct wick_jvmlist *list, const char *word, size_t *matches)
{
    const struct wick_jvm_entry *part = NULL, *whole = NULL;
    size_t parts = 0, wholes = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct wick_jvm_entry *j = &list->jvms[i];
        if (strstr(j->main, word)) {
            part = j;
            parts++;
        }
        if (!strcmp(j->main, word)) {
            whole = j;
            wholes++;
        }
    }
    *matches = parts;
    return wholes == 1 ? whole : parts == 1 ? part : NULL;
}

static int ambiguous(const struct wick_jvmlist *list, const char *word, size_t matches, struct wick_err *err)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    size_t shown = 0;
    for (size_t i = 0; i < list->count && shown < 10; i++)
        if (strstr(list->jvms[i].main, word)) {
            wick_strbuf_addf(&sb, "\n  %7d  %.60s", (int)list->jvms[i].pid, list->jvms[i].main);
            shown++;
        }
    int rc = wick_err_set(err, WICK_E_USAGE, "%zu JVMs have '%.60s' in their name; give a pid:%s%s", matches, word,
                          sb.buf, matches > shown ? "\n  ..." : "");
    wick_strbuf_release(&sb);
    return rc;
}

int wick_target_open(const char *word, struct wick_proc *p, struct wick_jvm_entry *jvm, struct wick_err *err)
{
    char *end;
    size_t matches;
    struct wick_jvmlist list;
    errno = 0;
    long pid = strtol(word, &end, 10);
    if (*word && !*end)
        return open_pid(errno || pid <= 0 || pid > INT_MAX ? -1 : (pid_t)pid, p, jvm, err);
    int rc = wick_jvmlist_scan(&list, err);
    if (rc)
        return rc;
    const struct wick_jvm_entry *found = *word ? choose(&list, word, &matches) : NULL;
    if (found)
        rc = open_pid(found->pid, p, jvm, err);
    else if (*word && matches)
        rc = ambiguous(&list, word, matches, err);
    else
        rc = wick_err_set(err, WICK_E_NOTFOUND,
                          "no JVM has '%.100s' in the name of its main class: `wick ps` lists them", word);
    wick_jvmlist_free(&list);
    return rc;
}
