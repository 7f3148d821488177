/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, one poll(2). It sleeps until a client connects, so an idle agent costs nothing but its stack.
 *
 * Anybody in the network namespace can connect to an abstract socket, so a connection is judged by its credentials
 * before a byte is read: the user this process runs as, or root. (wick run by root takes the target's user before it
 * connects, because inside a user namespace the outer root has no number.) A peer that does not pass is disconnected,
 * and the thread takes a pause, so that a flood of strangers costs at most a hundred accepts a second.
 *
 * A request is one packet and is answered by one packet; nothing here waits for a client. A reply that does not fit the
 * client's socket buffer closes that client. A client that stays silent for IDLE_NS is closed, unless it holds a
 * recording: then its end is the recording's end. There are MAX_CLIENTS places; when all are taken the one that has
 * been silent longest gives way.
 *
 * Everything that changes the session happens under `lock`, because Agent_OnLoad and Agent_OnUnload act in threads of
 * the JVM.
 */
#include "agent/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/commands.h"
#include "agent/jvm/heap_copy.h"
#include "agent/event/thread_pools.h"
#include "agent/label/virtual_refresh.h"
#include "agent/session.h"
#include "base/clock.h"
#include "sys/sock.h"

#define MAX_CLIENTS 8
#define IDLE_NS     UINT64_C(60000000000) /* a client may itself wait for a processor, for seconds */
#define PAUSE_NS    10000000u
#define REFRESH_NS  250000000u
#define STACK_SIZE  (1u << 20) /* a thread that attaches to the JVM needs room for its guard zones */

struct client {
    int fd; /* -1 = free */
    uint64_t heard_ns;
    bool holds; /* the running recording ends with this connection */
};

/* Written by the control thread only, but for what is marked. */
static struct {
    pthread_mutex_t lock; /* around every wick_command_* call, and around the fields up to the blank line */
    bool started;         /* the thread exists */
    struct client clients[MAX_CLIENTS]; /* adopt() adds to it before or while the thread runs */

    int listen_fd, wake_fd;
    uint64_t pause_until; /* no accept before this time */
    bool retired;
} ctl = {.lock = PTHREAD_MUTEX_INITIALIZER, .listen_fd = -1, .wake_fd = -1};

/* --- clients ------------------------------------------------------------------------------------------------------ */

/* Ends a connection, and the recording that depends on it, if there is one. */
static void drop_client_locked(struct client *c)
{
    bool held = c->holds;
    close(c->fd);
    *c = (struct client){.fd = -1};
    if (held && wick_session_running())
        wick_commands_stop_unasked();
}

static int add_client_locked(int fd)
{
    struct client *best = NULL;
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *c = &ctl.clients[i];
        if (c->fd < 0) {
            best = c;
            break;
        }
        if (!c->holds && (!best || c->heard_ns < best->heard_ns))
            best = c;
    }
    if (!best)
        return -WICK_E_LIMIT;
    if (best->fd >= 0)
        drop_client_locked(best);
    *best = (struct client){.fd = fd, .heard_ns = wick_clock_mono_ns()};
    return 0;
}

/* A recording that has ended hangs on nobody any more. */
static void drop_holds_locked(void)
{
    for (int i = 0; i < MAX_CLIENTS && !wick_session_running(); i++)
        ctl.clients[i].holds = false;
}

static bool send_reply(int fd, struct wick_command_reply *r)
{
    char head[16];
    int n = snprintf(head, sizeof head, "%d\n", r->code);
    size_t text = strlen(r->text);
    memmove(r->text + n, r->text, text < sizeof r->text - 16 ? text : sizeof r->text - 16);
    if (text > sizeof r->text - 16)
        text = sizeof r->text - 16;
    memcpy(r->text, head, (size_t)n);
    int rc = wick_sock_send(fd, r->text, text + (size_t)n, &r->fd, r->fd >= 0, MSG_DONTWAIT);
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    return !rc;
}

static void sort_fds(const struct wick_sock_request *req, const int *list, struct wick_command_fds *f)
{
    for (int i = 0; req->fds[i]; i++) {
        if (req->fds[i] == 'b')
            f->broker = list[i];
        else
            f->out = list[i];
        f->taken |= req->fds[i] == 't';
    }
}

/* Carries out one packet. False: hang up. */
static bool serve_packet_locked(struct client *c, const char *packet, size_t len, const int *list, int n)
{
    struct wick_sock_request req;
    struct wick_command_fds f = {.out = -1, .broker = -1};
    struct wick_command_reply *r = malloc(sizeof *r);
    bool was_running = wick_session_running(), ok = false;
    if (!r || wick_sock_parse_request(packet, len, n, &req)) {
        for (int i = 0; i < n; i++)
            close(list[i]);
        free(r);
        return false;
    }
    sort_fds(&req, list, &f);
    wick_commands_run(req.command, req.command_len, &f, r);
    wick_commands_close(&f);
    ctl.retired |= r->retires;
    drop_holds_locked();
    if (req.hold && !was_running && r->code == 0 && wick_session_running())
        c->holds = true;
    ok = send_reply(c->fd, r);
    free(r);
    return ok;
}

static void serve_client(struct client *c)
{
    char packet[WICK_SOCK_REQUEST_MAX];
    int list[WICK_SOCK_FDS], n = 0;
    ssize_t len = wick_sock_recv(c->fd, packet, sizeof packet, list, WICK_SOCK_FDS, &n, MSG_DONTWAIT);
    if (len == -WICK_E_TIMEOUT)
        return;
    c->heard_ns = wick_clock_mono_ns();
    if (len <= 0 || !serve_packet_locked(c, packet, (size_t)len, list, n))
        drop_client_locked(c);
}

/* True for our own user and for root. In a user namespace every uid without a number there is shown as the overflow uid
 * (65534): a JVM that runs under that number cannot distinguish its own user from strangers, so it accepts root
 * only. */
static bool may_command(int fd)
{
    struct ucred who;
    if (wick_sock_peer(fd, &who))
        return false;
    return who.uid == 0 || (who.uid == geteuid() && !wick_sock_uid_is_ambiguous(who.uid));
}

static void accept_client_locked(uint64_t now)
{
    int fd = accept4(ctl.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && may_command(fd) && !add_client_locked(fd))
        return;
    if (fd < 0 && (errno == EINTR || errno == EAGAIN || errno == ECONNABORTED))
        return; /* a signal came first, or the caller has gone */
    if (fd >= 0)
        close(fd);
    /* Strangers, no descriptors left (EMFILE keeps the socket readable), or every place holds a recording. */
    ctl.pause_until = now + PAUSE_NS;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Time to the next thing that happens without a message, in milliseconds; -1 = nothing is due. */
static int next_due_locked(uint64_t now)
{
    uint64_t due = wick_commands_due();
    if (ctl.pause_until > now && ctl.pause_until < due)
        due = ctl.pause_until;
    for (int i = 0; i < MAX_CLIENTS; i++) {
        const struct client *c = &ctl.clients[i];
        if (c->fd >= 0 && !c->holds && c->heard_ns + IDLE_NS < due)
            due = c->heard_ns + IDLE_NS;
    }
    bool refreshes = wick_session_running() && (wick_virtual_refresh_needed() || wick_thread_pools_refresh_needed());
    if ((refreshes || wick_heap_copy_lives()) && now + REFRESH_NS < due)
        due = now + REFRESH_NS;
    if (due == UINT64_MAX)
        return -1;
    uint64_t ms = due > now ? (due - now) / 1000000 + 1 : 0;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static void expire_locked(uint64_t now)
{
    wick_commands_expire(now);
    wick_heap_copy_watch();
    if (wick_session_running() && wick_virtual_refresh_needed())
        wick_virtual_refresh();
    if (wick_session_running() && wick_thread_pools_refresh_needed())
        wick_thread_pools_refresh();
    drop_holds_locked();
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *c = &ctl.clients[i];
        if (c->fd >= 0 && !c->holds && now >= c->heard_ns + IDLE_NS)
            drop_client_locked(c);
    }
}

/* Sets out what to wait for: wake, listen, then the clients in their places. */
static int prepare_poll_locked(struct pollfd *p, uint64_t now)
{
    p[0] = (struct pollfd){.fd = ctl.wake_fd, .events = POLLIN};
    p[1] = (struct pollfd){.fd = now < ctl.pause_until ? -1 : ctl.listen_fd, .events = POLLIN};
    for (int i = 0; i < MAX_CLIENTS; i++)
        p[2 + i] = (struct pollfd){.fd = ctl.clients[i].fd, .events = POLLIN};
    return next_due_locked(now);
}

static void handle_events_locked(const struct pollfd *p)
{
    uint64_t count, now = wick_clock_mono_ns();
    if (p[0].revents && read(ctl.wake_fd, &count, sizeof count) < 0)
        return;
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (p[2 + i].fd >= 0 && p[2 + i].revents && ctl.clients[i].fd == p[2 + i].fd)
            serve_client(&ctl.clients[i]);
    if (p[1].revents)
        accept_client_locked(now);
    expire_locked(now);
}

static void *control_thread(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&ctl.lock);
    while (!ctl.retired) {
        struct pollfd p[2 + MAX_CLIENTS];
        int ms = prepare_poll_locked(p, wick_clock_mono_ns());
        pthread_mutex_unlock(&ctl.lock);
        int n = poll(p, 2 + MAX_CLIENTS, ms);
        pthread_mutex_lock(&ctl.lock);
        if (n >= 0)
            handle_events_locked(p);
    }
    close(ctl.listen_fd);
    ctl.listen_fd = -1;
    for (int i = 0; i < MAX_CLIENTS; i++)
        if (ctl.clients[i].fd >= 0)
            drop_client_locked(&ctl.clients[i]);
    ctl.started = false; /* a later load of this very build starts it again */
    pthread_mutex_unlock(&ctl.lock);
    return NULL;
}

static int spawn_thread(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, old;
    if (pthread_attr_init(&attr))
        return -WICK_E_NOMEM;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    /* The new thread inherits the mask: not even its first instruction can take one of the application's signals. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&thread, &attr, control_thread, NULL);
    if (!rc)
        pthread_setname_np(thread, "wick-control");
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return rc ? -WICK_E_LIMIT : 0;
}

static int start_listening_locked(struct wick_err *err)
{
    char name[WICK_SOCK_NAME_MAX];
    ctl.retired = false;
    ctl.listen_fd = wick_sock_listen(getpid(), name);
    if (ctl.listen_fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot open the control socket: %s", strerror(errno));
    if (ctl.wake_fd < 0)
        ctl.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ctl.wake_fd >= 0 && !spawn_thread()) {
        ctl.started = true;
        return 0;
    }
    close(ctl.listen_fd);
    ctl.listen_fd = -1;
    return wick_err_set(err, WICK_E_LIMIT,
                        "cannot start the control thread: the process is out of threads or descriptors");
}

int wick_control_start(const struct wick_err *init, struct wick_err *err)
{
    int rc = 0;
    pthread_mutex_lock(&ctl.lock);
    if (!ctl.started) {
        for (int i = 0; i < MAX_CLIENTS; i++)
            ctl.clients[i].fd = -1;
        wick_commands_init(init);
        rc = start_listening_locked(err);
    }
    pthread_mutex_unlock(&ctl.lock);
    return rc;
}

/* --- called from the JVM's threads -------------------------------------------------------------------------------- */

static void wake(void)
{
    uint64_t one = 1;
    if (write(ctl.wake_fd, &one, sizeof one) < 0)
        return; /* the counter is full: it is awake already */
}

int wick_control_run(const char *options, size_t len, struct wick_err *err)
{
    struct wick_command_reply *r = len ? malloc(sizeof *r) : NULL;
    struct wick_command_fds f = {.out = -1, .broker = -1, .own = true};
    if (!len)
        return 0;
    if (!r)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    pthread_mutex_lock(&ctl.lock);
    wick_commands_run(options, len, &f, r);
    drop_holds_locked();
    pthread_mutex_unlock(&ctl.lock);
    wake(); /* a timeout may have been set */
    wick_commands_close(&f);
    if (r->fd >= 0)
        close(r->fd);
    int rc = r->code ? wick_err_set(err, (enum wick_code)r->code, "%.900s", r->text) : 0;
    if (!rc && err)
        memcpy(err->msg, r->notes, sizeof err->msg);
    free(r);
    return rc;
}

bool wick_control_has_offer(int fd, unsigned long long dev, unsigned long long ino)
{
    struct stat st;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return !fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_dev == dev && st.st_ino == ino && may_command(fd) &&
           poll(&p, 1, 0) == 1;
}

int wick_control_adopt(int fd, struct wick_err *err)
{
    char packet[WICK_SOCK_REQUEST_MAX];
    int list[WICK_SOCK_FDS], n = 0;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    ssize_t len = wick_sock_recv(fd, packet, sizeof packet, list, WICK_SOCK_FDS, &n, MSG_DONTWAIT);
    if (len <= 0) { /* a JVM before us may have taken the request */
        close(fd);
        return len != -WICK_E_FORMAT
                   ? 0
                   : wick_err_set(err, WICK_E_LIMIT,
                                  "the request that this JVM was started with came without its files: "
                                  "the process is out of descriptors");
    }
    pthread_mutex_lock(&ctl.lock);
    int rc = add_client_locked(fd);
    for (int i = 0; !rc && i < MAX_CLIENTS; i++)
        if (ctl.clients[i].fd == fd && !serve_packet_locked(&ctl.clients[i], packet, (size_t)len, list, n))
            drop_client_locked(&ctl.clients[i]);
    pthread_mutex_unlock(&ctl.lock);
    wake();
    if (rc) {
        close(fd);
        while (n > 0)
            close(list[--n]);
    }
    return rc ? wick_err_set(err, WICK_E_LIMIT, "too many control connections") : 0;
}

void wick_control_vm_ready(void)
{
    pthread_mutex_lock(&ctl.lock);
    wick_commands_vm_ready();
    pthread_mutex_unlock(&ctl.lock);
    wake();
}

void wick_control_shutdown(void)
{
    pthread_mutex_lock(&ctl.lock);
    wick_commands_vm_death();
    pthread_mutex_unlock(&ctl.lock);
}
