/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jvm/target.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/ui.h"
#include "sys/attach.h"
#include "sys/procstat.h"

#define YOUNG_NS   10000000000u
#define NEWBORN_NS 3000000000u
#define NOTE_NS    500000000u

int wick_target_operand(char **rest, int nrest, const char *command, const char **word, struct wick_err *err)
{
    if (nrest == 0)
        return wick_err_set(err, WICK_E_USAGE, "which JVM? wick %s PID|NAME (`wick ps` lists them)", command);
    if (nrest > 1)
        return wick_err_set(err, WICK_E_USAGE, "wick %s takes one PID or NAME, not %d", command, nrest);
    *word = rest[0];
    return 0;
}

/* Time since the process was started; as old as can be if that cannot be read. */
static uint64_t age_ns(const struct wick_proc *p)
{
    uint64_t now = wick_clock_ns(CLOCK_BOOTTIME), born = UINT64_MAX;
    struct wick_procstat s;
    if (wick_procstat_read(p->dir, "stat", &s))
        born = s.start * wick_procstat_tick_ns();
    return born > now ? UINT64_MAX : now - born;
}

/* Whether it runs the java launcher. Its file says so a moment earlier than its name, which execve sets last. */
static bool runs_java(const struct wick_proc *p)
{
    char exe[4096];
    ssize_t n = readlinkat(p->dir, "exe", exe, sizeof exe - 1);
    exe[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(exe, '/');
    return !strcmp(p->st.comm, "java") || (slash && !strcmp(slash, "/java"));
}

/* The age up to which the process is worth waiting for; 0 if it can be attached to. One that does not run java may be
 * between fork and exec, or a script that starts it, but not for long. */
static uint64_t waited_for_ns(const struct wick_proc *p)
{
    struct wick_strbuf maps = WICK_STRBUF_INIT;
    char path[4096];
    bool unread = wick_proc_read(p, "maps", &maps) != 0;
    bool jvm = !unread && wick_proc_find_mapped(maps.buf, maps.len, "libjvm.so", path, sizeof path);
    wick_strbuf_release(&maps);
    if (unread || (jvm && wick_proc_has_signal(p->st.sig_caught, SIGQUIT)))
        return 0;
    return jvm || runs_java(p) ? YOUNG_NS : NEWBORN_NS;
}

/* Waits while a process that has just been started is not yet a JVM that can be attached to: without libjvm.so, or not
 * handling SIGQUIT yet. The attach then reports what is wrong. Notes when it waits. */
static void wait_for_start(struct wick_proc *p)
{
    uint64_t since = wick_clock_mono_ns();
    bool noted = false;
    while (p->st.state != 'T' && p->st.state != 't' && !wick_proc_gone(p) && age_ns(p) < waited_for_ns(p)) {
        if (!noted && wick_clock_mono_ns() - since > NOTE_NS) {
            wick_ui_note("process %d is starting: waiting until it can be attached to", (int)p->pid);
            noted = true;
        }
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        if (wick_proc_refresh(p, NULL))
            return;
    }
}

static int open_pid(pid_t pid, struct wick_proc *p, struct wick_jvm_entry *jvm, struct wick_err *err)
{
    char libjvm[4096];
    int rc = wick_proc_open(pid, p, err);
    if (rc)
        return rc;
    wait_for_start(p);
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
