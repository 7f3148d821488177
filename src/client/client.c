/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's socket has a random name, found in /proc/PID/net/unix, which lists the target's network namespace.
 * Several containers of a pod share one and may all have a pid 1, and anybody may bind a plausible name; so
 * every candidate is connected to, and the kernel is asked whose socket it is. Only the target's own counts.
 */
#include "client/client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "client/agentlib.h"
#include "sys/attach.h"
#include "sys/ns.h"

#define MAX_AGENTS    8
#define GREETING_NS   5000000000u
#define RETIREMENT_NS 2000000000u

void wick_client_init(struct wick_client *c)
{
    memset(c, 0, sizeof *c);
    c->fd = c->reply_fd = -1;
}

void wick_client_close(struct wick_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    if (c->reply_fd >= 0)
        close(c->reply_fd);
    c->fd = c->reply_fd = -1;
}

bool wick_client_value(const char *text, const char *key, char *out, size_t cap)
{
    size_t n = strlen(key);
    *out = 0;
    for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
        if (strncmp(p, key, n) || p[n] != '=')
            continue;
        size_t len = strcspn(p + n + 1, "\n");
        snprintf(out, cap, "%.*s", (int)len, p + n + 1);
        return true;
    }
    return false;
}

int wick_client_send(struct wick_client *c, const char *letters, const int *fds, int n, bool hold, const char *command,
                     struct wick_err *err)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_strbuf_addf(&sb, "wick1 %s %s\n%s", n ? letters : "-", hold ? "hold" : "-", command);
    int rc = sb.failed ? -WICK_E_NOMEM : wick_sock_send(c->fd, sb.buf, sb.len, fds, n, 0);
    if (!sb.failed && sb.len > WICK_SOCK_REQUEST_MAX)
        rc = -WICK_E_LIMIT;
    wick_strbuf_release(&sb);
    if (rc == -WICK_E_GONE)
        return wick_err_set(err, WICK_E_GONE, "process %d ended or closed the control connection", (int)c->pid);
    return rc ? wick_err_set(err, (enum wick_code) - rc, "cannot send to the agent in process %d: %s", (int)c->pid,
                             wick_err_text(rc))
              : 0;
}

/* Text of a peer that is not trusted: control characters would reach a terminal. */
static void make_printable(char *s)
{
    for (; *s; s++)
        if (((unsigned char)*s < 0x20 && *s != '\n') || *s == 0x7f)
            *s = '?';
}

int wick_client_receive(struct wick_client *c, uint64_t timeout_ns, struct wick_err *err)
{
    int code, n = 0;
    const char *text;
    size_t len;
    if (c->reply_fd >= 0)
        close(c->reply_fd);
    c->reply_fd = -1;
    if (wick_sock_wait(c->fd, wick_clock_mono_ns() + timeout_ns))
        return wick_err_set(err, WICK_E_TIMEOUT, "the agent in process %d did not answer within %.3g s", (int)c->pid,
                            (double)timeout_ns / 1e9);
    ssize_t got = wick_sock_recv(c->fd, c->text, sizeof c->text - 1, &c->reply_fd, 1, &n, 0);
    if (got == 0 || got == -WICK_E_GONE)
        return wick_err_set(err, WICK_E_GONE, "process %d ended or closed the control connection", (int)c->pid);
    if (got > 0)
        c->text[got] = 0;
    if (got < 0 || wick_sock_parse_reply(c->text, (size_t)got, &code, &text, &len))
        return wick_err_set(err, WICK_E_FORMAT, "the agent in process %d gave a malformed answer", (int)c->pid);
    memmove(c->text, text, len);
    c->text[len] = 0;
    make_printable(c->text);
    return code ? wick_err_set(err, (enum wick_code)code, "%.1000s", c->text) : 0;
}

int wick_client_ask(struct wick_client *c, const char *command, uint64_t timeout_ns, struct wick_err *err)
{
    int rc = wick_client_send(c, "", NULL, 0, false, command, err);
    return rc ? rc : wick_client_receive(c, timeout_ns, err);
}

static int connect_step(void *arg, int *fd)
{
    int r = wick_sock_connect(arg);
    if (r >= 0) {
        *fd = r;
        return 0;
    }
    return r;
}

/* Connects to one name and greets; 0 if it is an agent of p. *denied: the kernel did not let us. */
static int greet(const struct wick_proc *p, char *name, struct wick_client *c, bool *denied)
{
    struct ucred peer;
    char text[8];
    wick_client_init(c);
    c->pid = p->pid;
    int rc = wick_ns_call(p, WICK_NS_NET | WICK_NS_IDENTITY, connect_step, name, &c->fd);
    if (rc) {
        *denied |= rc == -EPERM || rc == -EACCES;
        return -WICK_E_NOTFOUND;
    }
    if (wick_sock_peer(c->fd, &peer) || peer.pid != p->pid || wick_client_ask(c, "version", GREETING_NS, NULL)) {
        wick_client_close(c);
        return -WICK_E_NOTFOUND;
    }
    wick_client_value(c->text, "build", c->build, sizeof c->build);
    wick_client_value(c->text, "version", c->version, sizeof c->version);
    c->running = wick_client_value(c->text, "running", text, sizeof text) && text[0] == '1';
    return 0;
}

/* Greets every agent in p; returns how many. */
static int greet_all(const struct wick_proc *p, struct wick_client *list, bool *denied)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    char name[WICK_SOCK_NAME_MAX];
    size_t pos = 0;
    int n = 0, tries = 0;
    *denied = false;
    wick_proc_read(p, "net/unix", &sb);
    while (n < MAX_AGENTS && tries++ < 256 && wick_sock_next_name(sb.buf, sb.len, &pos, p->st.nspid, name))
        n += !greet(p, name, &list[n], denied);
    wick_strbuf_release(&sb);
    return n;
}

static int find_in(struct wick_client *list, int n, const char *build)
{
    for (int i = 0; i < n; i++)
        if (list[i].running)
            return i;
    for (int i = 0; build && i < n; i++)
        if (!strcmp(list[i].build, build))
            return i;
    return n ? 0 : -1;
}

static void keep_one(struct wick_client *list, int n, int keep, struct wick_client *c)
{
    for (int i = 0; i < n; i++)
        if (i != keep)
            wick_client_close(&list[i]);
    if (keep >= 0)
        *c = list[keep];
}

int wick_client_find(const struct wick_proc *p, const char *build, struct wick_client *c, struct wick_err *err)
{
    bool denied;
    struct wick_client *list = calloc(MAX_AGENTS, sizeof *list);
    if (!list)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int n = greet_all(p, list, &denied), keep = find_in(list, n, build);
    keep_one(list, n, keep, c);
    free(list);
    if (keep >= 0)
        return 0;
    if (denied)
        return wick_err_set(err, WICK_E_PERM,
                            "process %d is in another network namespace that may not be entered: run wick as root",
                            (int)p->pid);
    return -WICK_E_NOTFOUND;
}

/* Asks agents of other builds to stop listening. One that records is left alone and makes this fail. */
static int retire_others(struct wick_client *list, int n, const char *build, struct wick_err *err)
{
    for (int i = 0; i < n; i++) {
        if (!strcmp(list[i].build, build))
            continue;
        if (list[i].running)
            return wick_err_set(
                err, WICK_E_STATE,
                "another build of wick's agent (%.40s) is recording process %d: end that recording with "
                "`wick stop %d` first",
                list[i].version, (int)list[i].pid, (int)list[i].pid);
        wick_client_ask(&list[i], "retire", RETIREMENT_NS, NULL);
    }
    return 0;
}

/* A JVM listens a little earlier than it takes agents (JDK 21 and later say so in these words): it is asked again. */
static int load_when_live(struct wick_proc *p, const char *path, uint64_t timeout_ns, struct wick_err *err)
{
    uint64_t deadline = wick_clock_mono_ns() + timeout_ns;
    for (;;) {
        int rc = wick_attach_load(p, path, "", timeout_ns, err);
        if (!rc || !strstr(err->msg, "only permitted in the live phase") || wick_clock_mono_ns() > deadline)
            return rc;
        *err = (struct wick_err){0};
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
}

static int load(struct wick_proc *p, const char *lib, bool others, uint64_t timeout_ns, struct wick_err *err)
{
    struct wick_agentlib_place place;
    int rc = wick_attach_check_jvm(p, NULL, 0, err);
    if (rc)
        return rc;
    /* dlopen knows a library by its name and inode: next to another build the new one needs a name of its own. */
    rc = wick_agentlib_place(p, lib, others, &place, err);
    if (rc)
        return rc;
    rc = load_when_live(p, place.path, timeout_ns, err);
    wick_agentlib_unplace(p, &place);
    return rc;
}

int wick_client_obtain(struct wick_proc *p, const char *lib, uint64_t timeout_ns, struct wick_client *c,
                       struct wick_err *err)
{
    char build[41];
    bool denied;
    struct wick_client *list = NULL;
    int rc = wick_agentlib_build_id(lib, build, err);
    if (rc)
        return rc;
    list = calloc(MAX_AGENTS, sizeof *list);
    if (!list)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    int n = greet_all(p, list, &denied), same = -1;
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i].build, build))
            same = i;
    rc = retire_others(list, n, build, err);
    keep_one(list, n, rc ? -1 : same, c);
    free(list);
    if (rc || same >= 0)
        return rc;
    /* A library of the same name that was loaded before, and whose file has since been replaced, is what dlopen finds:
     * then the old build answers, and the new one is loaded under a name of its own. */
    for (int attempt = n > 0; attempt < 2; attempt++) {
        rc = load(p, lib, attempt > 0, timeout_ns, err);
        if (!rc)
            rc = wick_client_find(p, build, c, err);
        if (rc || !strcmp(c->build, build))
            break;
        wick_client_ask(c, "retire", RETIREMENT_NS, NULL);
        wick_client_close(c);
        rc = -WICK_E_NOTFOUND;
    }
    if (rc == -WICK_E_NOTFOUND)
        rc = wick_err_set(err, WICK_E_IO, "the agent was loaded into process %d but cannot be reached", (int)p->pid);
    return rc;
}
