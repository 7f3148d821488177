/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol, from the JVM's side (JDK 8 to 25: os/linux or os/posix attachListener):
 *
 *   SIGQUIT arrives; the Signal Dispatcher searches for .attach_pid<N> in its working directory, then in /tmp, and
 *   requires that it is owned by its own effective user (9+: or root). Found: it starts the Attach Listener thread,
 *   which binds /tmp/.java_pid<N> (mode 0600). Not found, or -XX:+DisableAttachMechanism: it prints a thread dump to
 *   stdout.
 *
 *   A connection's peer must have the JVM's effective uid and gid (8 knows no exception for root). A request is
 *   NUL-terminated strings: protocol version "1", the command, three arguments. `load` takes the library, "true" (the
 *   path is absolute) and the agent's options. The answer is a decimal number, a newline, and text up to the end of the
 *   connection.
 *
 * A socket file may be left over from a dead JVM with the same pid (containers with a volume as /tmp): then connect is
 * refused and the JVM is asked again, which replaces the file.
 *
 * All that touches the target's files is done as its user, in a child (sys/ns.h), on descriptors resolved inside its
 * root.
 */
#include "sys/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/ns.h"
#include "sys/sock.h"

enum { ATTACH_WORDS = 5 }; /* of a request: version, command, three arguments */

static int no_permission(const struct wick_proc *p, struct wick_err *err)
{
    struct passwd *pw = getpwuid(p->st.euid);
    if (!geteuid())
        return wick_err_set(
            err, WICK_E_PERM,
            "process %d may not be inspected although wick runs as root: this root lacks CAP_SYS_PTRACE, as in many "
            "containers, or a security module forbids it",
            (int)p->pid);
    if (p->st.euid == geteuid())
        return wick_err_set(
            err, WICK_E_PERM,
            "process %d may not be inspected although it runs as you: it has more privileges or lives in "
            "another user namespace; run wick as root",
            (int)p->pid);
    return wick_err_set(err, WICK_E_PERM, "process %d belongs to user %s (uid %u): run wick as that user or as root",
                        (int)p->pid, pw ? pw->pw_name : "?", (unsigned)p->st.euid);
}

int wick_attach_check_jvm(const struct wick_proc *p, char *libjvm, size_t cap, struct wick_err *err)
{
    struct wick_strbuf maps = WICK_STRBUF_INIT;
    char path[4096];
    int rc = wick_proc_read(p, "maps", &maps);
    if (rc == -WICK_E_PERM)
        rc = no_permission(p, err);
    else if (rc == -WICK_E_GONE || (!rc && !maps.len && wick_proc_gone(p)))
        rc = wick_err_set(err, WICK_E_GONE, "process %d has ended", (int)p->pid);
    else if (rc)
        rc = wick_err_set(err, (enum wick_code) - rc, "cannot read /proc/%d/maps: %s", (int)p->pid, wick_err_text(rc));
    else if (memmem(maps.buf, maps.len, "/libj9vm", 8))
        rc = wick_err_set(err, WICK_E_NOTJVM, "process %d (%s) is an OpenJ9 JVM: wick profiles HotSpot JVMs only",
                          (int)p->pid, p->st.comm);
    else if (!wick_proc_find_mapped(maps.buf, maps.len, "libjvm.so", path, sizeof path))
        rc = wick_err_set(err, WICK_E_NOTJVM,
                          "process %d (%s) is not a HotSpot JVM: it has no libjvm.so; `wick ps` lists the JVMs",
                          (int)p->pid, p->st.comm);
    else if (libjvm)
        snprintf(libjvm, cap, "%s", path);
    wick_strbuf_release(&maps);
    return rc;
}

static int jvm_flag(const struct wick_proc *p, const char *name)
{
    struct wick_strbuf cmd = WICK_STRBUF_INIT, env = WICK_STRBUF_INIT;
    wick_proc_read(p, "cmdline", &cmd);
    wick_proc_read(p, "environ", &env);
    int v = wick_proc_jvm_flag(cmd.buf, cmd.len, env.buf, env.len, name);
    wick_strbuf_release(&cmd);
    wick_strbuf_release(&env);
    return v;
}

/* True if the JVM seems to listen already: with -Xrs (ReduceSignalUsage) or -XX:+StartAttachListener it does so from
 * its start, and needs no SIGQUIT. */
static bool has_socket(const struct wick_proc *p)
{
    char path[48];
    struct stat st;
    snprintf(path, sizeof path, "/tmp/.java_pid%d", (int)p->st.nspid);
    int root = wick_ns_root(p), fd = root < 0 ? -1 : wick_ns_open(root, path, O_PATH, 0);
    bool yes = fd >= 0 && !fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_uid == p->st.euid;
    if (fd >= 0)
        close(fd);
    if (root >= 0)
        close(root);
    return yes;
}

int wick_attach_check_ready(const struct wick_proc *p, struct wick_err *err)
{
    int pid = (int)p->pid;
    if (p->st.state == 'Z' || p->st.state == 'X')
        return wick_err_set(err, WICK_E_GONE, "process %d has ended (its parent has not collected it yet)", pid);
    if (p->st.state == 'T' || p->st.state == 't')
        return wick_err_set(err, WICK_E_STATE, "process %d is stopped (%s) and cannot answer: %s", pid,
                            p->st.state == 'T' ? "by a signal" : "by a debugger",
                            p->st.state == 'T' ? "continue it with `kill -CONT`" : "let the debugger continue it");
    if (geteuid() != 0 && geteuid() != p->st.euid)
        return no_permission(p, err);
    if (jvm_flag(p, "DisableAttachMechanism") == 1)
        return wick_err_set(
            err, WICK_E_DISABLED,
            "process %d runs with -XX:+DisableAttachMechanism: it refuses every attach; restart it without "
            "that flag, or with -agentpath:/path/libwick.so=start,...",
            pid);
    if (!wick_proc_has_signal(p->st.sig_caught, SIGQUIT) && !has_socket(p))
        return wick_err_set(
            err, WICK_E_DISABLED,
            "process %d does not handle SIGQUIT (%s), which is how a JVM is asked to listen, and its socket "
            "in /tmp is not there; restart it without -Xrs, or with -agentpath:/path/libwick.so=start,...",
            pid,
            wick_proc_has_signal(p->st.sig_ignored, SIGQUIT) ? "it ignores it"
                                                             : "it would end it: -Xrs, or it is still starting");
    return 0;
}

int wick_attach_parse_reply(const char *data, size_t len, struct wick_attach_reply *reply)
{
    static const char label[] = "return code: ";
    struct wick_attach_reply r = {0};
    char copy[1024], *end;
    size_t n = len < sizeof copy - 1 ? len : sizeof copy - 1;
    memcpy(copy, data, n);
    copy[n] = 0;
    long code = strtol(copy, &end, 10);
    if (end == copy || (*end && *end != '\n'))
        return -WICK_E_FORMAT;
    r.vm_code = (int)code;
    char *text = *end ? end + 1 : end;
    char *number = strncmp(text, label, sizeof label - 1) ? text : text + sizeof label - 1;
    code = strtol(number, &end, 10);
    if (end != number && (*end == 0 || *end == '\n')) {
        r.has_agent_code = true;
        r.agent_code = (int)code;
        text = *end ? end + 1 : end;
    }
    size_t out = 0;
    for (; *text && out < sizeof r.text - 1; text++)
        r.text[out++] = (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text;
    while (out && r.text[out - 1] == ' ')
        out--;
    r.text[out] = 0;
    *reply = r;
    return 0;
}

/* --- steps that run as the target's user -------------------------------------------------------------------------- */

struct files {
    int root, tmp; /* the target's root and its /tmp, O_PATH */
    char trigger[32], socket[32];
    uid_t owner;
    bool made_trigger;
};

/* Connects to the socket file below f->tmp without following a link: the file is pinned by O_PATH|O_NOFOLLOW first and
 * then reached through our own /proc/self/fd. */
static int step_connect(void *arg, int *out)
{
    const struct files *f = arg;
    struct stat st;
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int file = openat(f->tmp, f->socket, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return -errno;
    if (fstat(file, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != f->owner) {
        close(file);
        return -ENOTSOCK;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = 5};
    snprintf(sa.sun_path, sizeof sa.sun_path, "/proc/self/fd/%d", file);
    int rc = 0;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) ||
        connect(fd, (struct sockaddr *)&sa, sizeof sa))
        rc = -errno;
    close(file);
    if (!rc)
        *out = fd;
    else if (fd >= 0)
        close(fd);
    return rc;
}

/* Returns 1 if the trigger file was made, 0 if one of the right owner was there. */
static int step_trigger(void *arg, int *out)
{
    const struct files *f = arg;
    struct stat st;
    (void)out;
    int fd = openat(f->tmp, f->trigger, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        return 1;
    }
    if (errno != EEXIST)
        return -errno;
    if (fstatat(f->tmp, f->trigger, &st, AT_SYMLINK_NOFOLLOW))
        return -errno;
    return S_ISREG(st.st_mode) && st.st_uid == f->owner ? 0 : -EEXIST;
}

static int step_untrigger(void *arg, int *out)
{
    const struct files *f = arg;
    (void)out;
    return unlinkat(f->tmp, f->trigger, 0) ? -errno : 0;
}

/* --- the dialogue ------------------------------------------------------------------------------------------------- */

static int gone(const struct wick_proc *p, const char *when, struct wick_err *err)
{
    return wick_err_set(err, WICK_E_GONE, "process %d ended %s", (int)p->pid, when);
}

static int open_files(const struct wick_proc *p, struct files *f, struct wick_err *err)
{
    *f = (struct files){.root = wick_ns_root(p), .tmp = -1, .owner = p->st.euid};
    if (f->root == -WICK_E_PERM)
        return no_permission(p, err);
    if (f->root < 0)
        return gone(p, "before it was attached to", err);
    f->tmp = wick_ns_open(f->root, "/tmp", O_PATH | O_DIRECTORY, 0);
    if (f->tmp == -ELOOP || f->tmp == -ENOTDIR) /* /tmp is a link: resolved inside the root, as the JVM does */
        f->tmp = wick_ns_open(f->root, "/tmp/.", O_PATH | O_DIRECTORY, 0);
    if (f->tmp < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open the /tmp of process %d: %s", (int)p->pid, strerror(-f->tmp));
    snprintf(f->trigger, sizeof f->trigger, ".attach_pid%d", (int)p->st.nspid);
    snprintf(f->socket, sizeof f->socket, ".java_pid%d", (int)p->st.nspid);
    return 0;
}

static void close_files(struct files *f)
{
    if (f->tmp >= 0)
        close(f->tmp);
    if (f->root >= 0)
        close(f->root);
}

static int late(struct wick_proc *p, uint64_t timeout_ns, const char *what, struct wick_err *err)
{
    if (wick_proc_gone(p))
        return gone(p, "while it was attached to", err);
    if (!wick_proc_refresh(p, NULL) && (p->st.state == 'T' || p->st.state == 't'))
        return wick_err_set(err, WICK_E_STATE,
                            "process %d was stopped while it was attached to: continue it with `kill -CONT`",
                            (int)p->pid);
    return wick_err_set(
        err, WICK_E_TIMEOUT,
        "process %d %s within %.3g s: it may be starting, hung, short of CPU, or have attach disabled; try "
        "again, or with a longer --attach-timeout",
        (int)p->pid, what, (double)timeout_ns / 1e9);
}

/* A JVM in its first moments has no handler yet: gives it a second. */
static void wait_for_handler(struct wick_proc *p)
{
    for (int i = 0; i < 100 && !wick_proc_has_signal(p->st.sig_caught, SIGQUIT); i++) {
        struct timespec t = {0, 10000000};
        nanosleep(&t, NULL);
        if (wick_proc_refresh(p, NULL))
            return;
    }
}

/* The process must still catch SIGQUIT: between the first check and now it may have exec'ed something else. */
static int send_quit(struct wick_proc *p, struct wick_err *err)
{
    int rc = wick_proc_refresh(p, err);
    if (!rc)
        rc = wick_attach_check_ready(p, err);
    if (rc)
        return rc;
    if (!wick_proc_has_signal(p->st.sig_caught, SIGQUIT)) /* a socket without a listener: nothing can be done */
        return wick_err_set(err, WICK_E_DISABLED,
                            "process %d does not listen on its attach socket and does not handle SIGQUIT", (int)p->pid);
    rc = wick_proc_kill(p, SIGQUIT);
    if (rc == -WICK_E_GONE)
        return gone(p, "before it was attached to", err);
    if (rc)
        return wick_err_set(err, WICK_E_PERM, "cannot signal process %d: run wick as root", (int)p->pid);
    return 0;
}

static int ask_to_listen(struct wick_proc *p, struct files *f, struct wick_err *err)
{
    wait_for_handler(p);
    int rc = wick_proc_gone(p) ? gone(p, "before it was attached to", err) : wick_attach_check_ready(p, err);
    if (rc)
        return rc;
    rc = wick_ns_call(p, WICK_NS_IDENTITY, step_trigger, f, NULL);
    if (rc == -EEXIST)
        return wick_err_set(err, WICK_E_STATE, "the /tmp of process %d holds a foreign %s: remove it and try again",
                            (int)p->pid, f->trigger);
    if (rc == -ENOSPC || rc == -EDQUOT)
        return wick_err_set(err, WICK_E_NOSPACE, "the /tmp of process %d is full: the JVM needs it to be attached to",
                            (int)p->pid);
    if (rc < 0)
        return wick_err_set(err, rc == -EACCES || rc == -EPERM || rc == -EROFS ? WICK_E_PERM : WICK_E_IO,
                            "cannot create %s in the /tmp of process %d as its user: %s", f->trigger, (int)p->pid,
                            strerror(-rc));
    f->made_trigger = rc == 1;
    return send_quit(p, err);
}

/* Connects; asks the JVM to listen if it does not. Returns the socket or an error. */
static int connect_jvm(struct wick_proc *p, struct files *f, uint64_t timeout_ns, struct wick_err *err)
{
    uint64_t deadline = wick_clock_mono_ns() + timeout_ns, nap = 1000000;
    bool asked = false;
    int fd = -1, rc = 0;
    for (;;) {
        rc = wick_ns_call(p, WICK_NS_IDENTITY, step_connect, f, &fd);
        if (!rc)
            break;
        if (rc == -ENOTSOCK) {
            rc = wick_err_set(err, WICK_E_STATE,
                              "the /tmp of process %d holds a %s that is not the JVM's: remove it and try again",
                              (int)p->pid, f->socket);
            break;
        }
        if (rc != -ENOENT && rc != -ECONNREFUSED) {
            rc = wick_err_set(err, rc == -EACCES || rc == -EPERM ? WICK_E_PERM : WICK_E_IO,
                              "cannot connect to %s of process %d: %s", f->socket, (int)p->pid, strerror(-rc));
            break;
        }
        if (wick_proc_gone(p)) {
            rc = gone(p, "while it was attached to", err);
            break;
        }
        if (!asked) {
            rc = ask_to_listen(p, f, err);
            if (rc)
                break;
            asked = true;
        } else if (wick_clock_mono_ns() > deadline) {
            rc = late(p, timeout_ns, "did not start listening", err);
            break;
        }
        struct timespec t = {0, (long)nap};
        nanosleep(&t, NULL);
        nap = nap < 32000000 ? nap * 2 : nap;
    }
    if (f->made_trigger)
        wick_ns_call(p, WICK_NS_IDENTITY, step_untrigger, f, NULL);
    return rc ? rc : fd;
}

static int check_peer(const struct wick_proc *p, int fd, struct wick_err *err)
{
    struct ucred peer;
    if (wick_sock_peer(fd, &peer) || peer.pid != p->pid)
        return wick_err_set(err, WICK_E_PERM, "the attach socket of process %d belongs to another process: refused",
                            (int)p->pid);
    return 0;
}

static int send_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -WICK_E_GONE;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Reads to the end of the connection; what is beyond `most` bytes is dropped. */
static int read_reply(struct wick_proc *p, int fd, uint64_t timeout_ns, struct wick_strbuf *reply, size_t most,
                      struct wick_err *err)
{
    uint64_t deadline = wick_clock_mono_ns() + timeout_ns;
    for (;;) {
        char part[4096];
        if (wick_sock_wait(fd, deadline))
            return late(p, timeout_ns, "did not answer", err);
        ssize_t r = read(fd, part, sizeof part);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            break;
        wick_strbuf_add(reply, part, (size_t)r < most - reply->len ? (size_t)r : most - reply->len);
    }
    if (reply->failed)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    return reply->len || !wick_proc_gone(p) ? 0 : gone(p, "before it answered", err);
}

static int check_reply(const struct wick_proc *p, const char *lib, const char *data, size_t len, struct wick_err *err)
{
    struct wick_attach_reply r;
    if (wick_attach_parse_reply(data, len, &r))
        return wick_err_set(err, WICK_E_FORMAT, "process %d gave no sensible answer to `load`", (int)p->pid);
    if (!r.vm_code && r.has_agent_code && !r.agent_code)
        return 0;
    if (r.vm_code == 101)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "process %d speaks another version of the attach protocol",
                            (int)p->pid);
    if (*r.text)
        return wick_err_set(err, WICK_E_UNSUPPORTED, "process %d could not load %s: %s", (int)p->pid, lib, r.text);
    return wick_err_set(
        err, WICK_E_UNSUPPORTED,
        "process %d could not load %s (code %d): the library cannot be read by its user, is for another "
        "processor or C library, or refused to start",
        (int)p->pid, lib, r.has_agent_code ? r.agent_code : r.vm_code);
}

/* One request, of ATTACH_WORDS words, and its answer. */
static int dialogue(struct wick_proc *p, struct files *f, const char *const *words, uint64_t timeout_ns,
                    struct wick_strbuf *reply, size_t most, struct wick_err *err)
{
    struct wick_strbuf req = WICK_STRBUF_INIT;
    int fd = connect_jvm(p, f, timeout_ns, err);
    if (fd < 0)
        return fd;
    for (size_t i = 0; i < ATTACH_WORDS; i++)
        wick_strbuf_add(&req, words[i], strlen(words[i]) + 1);
    int rc = req.failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : check_peer(p, fd, err);
    if (!rc && send_all(fd, req.buf, req.len))
        rc = gone(p, "or closed the connection before it was asked", err);
    if (!rc)
        rc = read_reply(p, fd, timeout_ns, reply, most, err);
    wick_strbuf_release(&req);
    close(fd);
    return rc;
}

static int ask(struct wick_proc *p, const char *const *words, uint64_t timeout_ns, struct wick_strbuf *reply,
               size_t most, struct wick_err *err)
{
    struct files f;
    int rc = wick_attach_check_jvm(p, NULL, 0, err);
    if (!rc)
        rc = wick_proc_refresh(p, err);
    /* A JVM that listens already is not asked, so only what forbids a connection counts here. */
    if (!rc && (p->st.state == 'T' || p->st.state == 't' || p->st.state == 'Z'))
        rc = wick_attach_check_ready(p, err);
    if (!rc && geteuid() != 0 && geteuid() != p->st.euid)
        rc = no_permission(p, err);
    if (rc)
        return rc;
    rc = open_files(p, &f, err);
    if (!rc)
        rc = dialogue(p, &f, words, timeout_ns, reply, most, err);
    close_files(&f);
    return rc;
}

int wick_attach_load(struct wick_proc *p, const char *lib, const char *options, uint64_t timeout_ns,
                     struct wick_err *err)
{
    const char *const words[ATTACH_WORDS] = {"1", "load", lib, "true", options};
    struct wick_strbuf reply = WICK_STRBUF_INIT;
    int rc = ask(p, words, timeout_ns, &reply, 4096, err);
    if (!rc)
        rc = check_reply(p, lib, reply.buf, reply.len, err);
    wick_strbuf_release(&reply);
    return rc;
}

int wick_attach_command(struct wick_proc *p, const char *command, const char *first, const char *second,
                        uint64_t timeout_ns, struct wick_strbuf *reply, struct wick_err *err)
{
    const char *const words[ATTACH_WORDS] = {"1", command, first, second, ""};
    struct wick_attach_reply r;
    size_t before = reply->len;
    int rc = ask(p, words, timeout_ns, reply, before + WICK_ATTACH_MOST_REPLY, err);
    if (rc)
        return rc;
    if (wick_attach_parse_reply(reply->buf + before, reply->len - before, &r))
        return wick_err_set(err, WICK_E_FORMAT, "process %d gave no sensible answer to `%s`", (int)p->pid, command);
    if (r.vm_code)
        return wick_err_set(err, strstr(r.text, "No space") ? WICK_E_NOSPACE : WICK_E_UNSUPPORTED,
                            "process %d refused `%s` (code %d)%s%s", (int)p->pid, command, r.vm_code,
                            *r.text ? ": " : "", r.text);
    return 0;
}

int wick_attach_jcmd(struct wick_proc *p, const char *command, uint64_t timeout_ns, struct wick_strbuf *out,
                     struct wick_err *err)
{
    struct wick_strbuf reply = WICK_STRBUF_INIT;
    int rc = wick_attach_command(p, "jcmd", command, "", timeout_ns, &reply, err);
    const char *line_end = rc ? NULL : memchr(reply.buf, '\n', reply.len);
    if (line_end)
        wick_strbuf_add(out, line_end + 1, (size_t)(reply.buf + reply.len - line_end - 1));
    wick_strbuf_release(&reply);
    return !rc && out->failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : rc;
}
