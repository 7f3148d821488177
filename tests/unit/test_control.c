/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's control thread in this process, with a session that only counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/control.h"
#include "agent/event/deadlocks.h"
#include "agent/event/thread_pools.h"
#include "agent/jvm/heap_copy.h"
#include "agent/label/virtual_list.h"
#include "agent/perf_broker.h"
#include "agent/label/virtual_refresh.h"
#include "agent/session.h"
#include "base/clock.h"
#include "sys/broker.h"
#include "sys/sock.h"

static atomic_int running, starts, stops;
/* A recording that waits for the VM: it takes begin_ms to begin, and calls of anything else in that time are
 * counted. */
static atomic_int begin_ms, begins, beginning, begin_seen, overlaps;
static char last_event[WICK_OPT_STR_MAX], last_mark[WICK_OPT_STR_MAX];

int wick_session_start(const struct wick_session_opts *o, int out_fd, struct wick_err *err)
{
    if (!strcmp(o->event, "fail"))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "no such event");
    memcpy(last_event, o->event, sizeof last_event);
    if (out_fd >= 0)
        close(out_fd);
    running = 1;
    starts++;
    return 0;
}

int wick_session_start_taken(const struct wick_session_opts *o, int fd, struct wick_err *err)
{
    return wick_session_start(o, fd, err);
}

int wick_session_resume(const struct wick_session_opts *o, int fd, unsigned times, struct wick_err *err)
{
    (void)times;
    return wick_session_start(o, fd, err);
}

static void nap(long ms);

void wick_session_vm_ready(void)
{
    beginning = 1;
    while (begin_ms && !begin_seen)
        nap(1);
    nap(begin_ms);
    begins += running;
    beginning = 0;
}

int wick_session_stop(struct wick_err *err)
{
    overlaps += beginning;
    if (!running)
        return wick_err_set(err, WICK_E_STATE, "nothing to stop");
    stops++;
    running = 0;
    return 0;
}

int wick_session_change(const struct wick_opts *asked, struct wick_err *err)
{
    if (!strcmp(asked->s.event, "fatal"))
        running = 0;
    if (!running || !strcmp(asked->s.event, "fail"))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "no such event");
    memcpy(last_event, asked->s.event, sizeof last_event);
    return 0;
}

void wick_session_unused(uint64_t given, void (*note)(void *arg, const char *sentence), void *arg)
{
    if (given & WICK_OPT_BIT(nobatch))
        note(arg, "nobatch does nothing");
}

int wick_session_mark(const char *text, struct wick_err *err)
{
    (void)err;
    snprintf(last_mark, sizeof last_mark, "%s", text);
    return 0;
}

int wick_session_dump(int out_fd, struct wick_err *err)
{
    (void)err;
    return write(out_fd, "dump", 4) == 4 ? 0 : -WICK_E_IO;
}

void wick_session_status(char *buf, size_t cap)
{
    overlaps += beginning;
    snprintf(buf, cap, "running=%d\n", running);
}

void wick_deadlocks_describe(char *buf, size_t cap)
{
    snprintf(buf, cap, "deadlocks=0\n");
}

int wick_virtual_list_write(uint32_t rows, int out_fd, struct wick_err *err)
{
    (void)err;
    return dprintf(out_fd, "rows=%u\n", rows) > 0 ? 0 : -WICK_E_IO;
}

int wick_heap_copy_make(int fd, struct wick_heap_copy *out, struct wick_err *err)
{
    (void)fd, (void)out;
    return wick_err_set(err, WICK_E_UNSUPPORTED, "a double has no heap");
}

bool wick_heap_copy_lives(void)
{
    return false;
}

void wick_heap_copy_watch(void)
{
}

void wick_heap_copy_end(void)
{
}

bool wick_thread_pools_refresh_needed(void)
{
    return false;
}

void wick_thread_pools_refresh(void)
{
}

bool wick_virtual_refresh_needed(void)
{
    return false;
}

void wick_virtual_refresh(void)
{
}

bool wick_session_running(void)
{
    return running;
}

static void nap(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static bool becomes(atomic_int *v, int want)
{
    for (int i = 0; i < 6000 && *v != want; i++)
        nap(10);
    return *v == want;
}

/* The kernel's list of sockets. */
static const char *sockets(size_t *len)
{
    static char text[1 << 20];
    int file = open("/proc/self/net/unix", O_RDONLY);
    *len = 0;
    for (ssize_t n; (n = read(file, text + *len, sizeof text - 1 - *len)) > 0;)
        *len += (size_t)n;
    close(file);
    text[*len] = 0;
    return text;
}

/* Waits until the control thread has no connection any more: it closes its end when it next has a processor. */
static bool is_alone(void)
{
    char own[32];
    snprintf(own, sizeof own, "@wick/%d/", (int)getpid());
    for (int i = 0; i < 6000; i++, nap(10)) {
        size_t len, n = 0;
        for (const char *at = sockets(&len); (at = strstr(at, own)); at++)
            n++;
        if (n <= 1)
            return true;
    }
    return false;
}

static int connect_agent(void)
{
    char name[WICK_SOCK_NAME_MAX];
    size_t len, pos = 0;
    const char *text = sockets(&len);
    assert_true(wick_sock_next_name(text, len, &pos, getpid(), name));
    int fd = wick_sock_connect(name);
    assert_true(fd >= 0);
    return fd;
}

/* Sends a packet and returns the reply's code, -1 at the end of the connection. text may be NULL. */
static int ask(int fd, const char *packet, const int *fds, int n, char *text, int *fd_back)
{
    static char buf[WICK_SOCK_REPLY_MAX];
    int code, got = 0, back = -1;
    const char *t;
    size_t len;
    if (wick_sock_send(fd, packet, strlen(packet), fds, n, 0))
        return -1;
    if (wick_sock_wait(fd, wick_clock_mono_ns() + 60000000000u))
        return -2;
    ssize_t r = wick_sock_recv(fd, buf, sizeof buf, &back, 1, &got, 0);
    if (r <= 0)
        return -1;
    assert_int_equal(wick_sock_parse_reply(buf, (size_t)r, &code, &t, &len), 0);
    if (text)
        snprintf(text, 256, "%.*s", (int)len, t);
    if (fd_back)
        *fd_back = back;
    else if (back >= 0)
        close(back);
    return code;
}

static int temp_file(void)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    assert_true(fd >= 0);
    return fd;
}

static int open_fds(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void test_control__start_status_stop(void **state)
{
    (void)state;
    char text[256];
    int back, fd = connect_agent(), out = temp_file();
    assert_int_equal(ask(fd, "wick1 - -\nversion", NULL, 0, text, NULL), 0);
    assert_non_null(strstr(text, "version=" WICK_VERSION));
    assert_int_equal(ask(fd, "wick1 - -\nstop", NULL, 0, text, NULL), WICK_E_STATE);
    assert_int_equal(ask(fd, "wick1 o -\nstart,event=cpu-clock", &out, 1, text, NULL), 0);
    assert_string_equal(last_event, "cpu-clock");
    assert_int_equal(ask(fd, "wick1 - -\nstatus", NULL, 0, text, NULL), 0);
    assert_string_equal(text, "running=1\n");
    assert_int_equal(ask(fd, "wick1 o -\nstart", &out, 1, text, NULL), WICK_E_STATE);
    assert_int_equal(ask(fd, "wick1 o -\ndump", &out, 1, text, NULL), 0);
    assert_int_equal(ask(fd, "wick1 - -\nstop", NULL, 0, text, &back), 0);
    struct stat a, b;
    assert_int_equal(fstat(out, &a), 0);
    assert_int_equal(fstat(back, &b), 0); /* the recording comes back with the reply */
    assert_true(a.st_ino == b.st_ino);
    close(back);
    close(out);
    close(fd);
}

static void test_control__the_answer_says_which_options_have_no_effect(void **state)
{
    (void)state;
    char text[256];
    int fd = connect_agent(), out = temp_file();
    assert_int_equal(ask(fd, "wick1 o -\nstart,nobatch,colour=red", &out, 1, text, NULL), 0);
    assert_non_null(strstr(text, "colour"));
    assert_non_null(strstr(text, "\nnobatch does nothing"));
    assert_int_equal(ask(fd, "wick1 - -\nchange,nobatch", NULL, 0, text, NULL), 0);
    assert_string_equal(text, "nobatch does nothing");
    assert_int_equal(ask(fd, "wick1 - -\nchange,nobatch,quiet", NULL, 0, text, NULL), 0);
    assert_string_equal(text, "");
    assert_int_equal(ask(fd, "wick1 - -\nstop", NULL, 0, NULL, NULL), 0);
    close(out);
    close(fd);
}

static void test_control__mistakes_are_answered_with_sentences(void **state)
{
    (void)state;
    char text[256];
    int fd = connect_agent(), out = temp_file(), ro = open("/dev/null", O_RDONLY);
    assert_int_equal(ask(fd, "wick1 o -\nstart,event=fail", &out, 1, text, NULL), WICK_E_UNSUPPORTED);
    assert_string_equal(text, "no such event");
    assert_int_equal(ask(fd, "wick1 - -\nstart", NULL, 0, text, NULL), WICK_E_USAGE);
    assert_int_equal(ask(fd, "wick1 - -\nstart,colour=red", NULL, 0, text, NULL), WICK_E_USAGE);
    assert_int_equal(ask(fd, "wick1 - -\n", NULL, 0, text, NULL), WICK_E_USAGE);
    assert_int_equal(ask(fd, "wick1 o -\nstart", &ro, 1, text, NULL), WICK_E_USAGE);
    assert_int_equal(ask(fd, "wick1 - -\ndump", NULL, 0, text, NULL), WICK_E_USAGE);
    /* A pipe that nobody empties would hold up the JVM's end. */
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(ask(fd, "wick1 o -\ndump", &ends[1], 1, text, NULL), WICK_E_USAGE);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(running, 0);
    close(ro);
    close(out);
    close(fd);
}

static void test_control__garbage_ends_the_connection_and_leaks_nothing(void **state)
{
    (void)state;
    static char big[WICK_SOCK_REQUEST_MAX + 100];
    int null = open("/dev/null", O_RDONLY), list[WICK_SOCK_FDS] = {null, null, null, null};
    unsigned seed = 1;
    assert_true(is_alone());
    int before = open_fds();
    memset(big, 'x', sizeof big - 1);
    for (int round = 0; round < 200; round++) {
        int fd = connect_agent();
        char junk[64];
        for (size_t i = 0; i < sizeof junk; i++)
            junk[i] = (char)rand_r(&seed);
        if (round == 0)
            wick_sock_send(fd, big, sizeof big - 1, list, 4, 0);
        else
            wick_sock_send(fd, junk, 1 + (size_t)round % sizeof junk, list, round % 5, 0);
        char c;
        assert_int_equal(wick_sock_wait(fd, wick_clock_mono_ns() + 60000000000u), 0);
        assert_true(read(fd, &c, 1) <= 0);
        close(fd);
    }
    assert_true(is_alone());
    assert_int_equal(open_fds(), before);
    close(null);
    int fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 - -\nstatus", NULL, 0, NULL, NULL), 0);
    close(fd);
}

static void test_control__many_silent_clients_do_not_shut_out_a_new_one(void **state)
{
    (void)state;
    int idle[40];
    for (int i = 0; i < 40; i++)
        idle[i] = connect_agent();
    int fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 - -\nstatus", NULL, 0, NULL, NULL), 0);
    close(fd);
    for (int i = 0; i < 40; i++)
        close(idle[i]);
}

static void test_control__a_client_that_never_reads_is_dropped(void **state)
{
    (void)state;
    int slow = connect_agent(), rc = 0, sent = 0;
    while (sent < 100000 && !rc) {
        rc = wick_sock_send(slow, "wick1 - -\nversion", 17, NULL, 0, MSG_DONTWAIT);
        sent++;
        if (rc == -WICK_E_TIMEOUT) {
            nap(1);
            rc = 0;
        }
    }
    assert_int_equal(rc, -WICK_E_GONE);
    int fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 - -\nstatus", NULL, 0, NULL, NULL), 0);
    close(fd);
    close(slow);
}

static void test_control__a_held_recording_ends_with_its_client(void **state)
{
    (void)state;
    int out = temp_file(), fd = connect_agent(), before = stops;
    assert_int_equal(ask(fd, "wick1 o hold\nstart", &out, 1, NULL, NULL), 0);
    int other = connect_agent();
    assert_int_equal(ask(other, "wick1 o hold\nstart", &out, 1, NULL, NULL), WICK_E_STATE);
    close(other); /* not the one that holds it */
    nap(50);
    assert_int_equal(running, 1);
    close(fd);
    assert_true(becomes(&running, 0));
    assert_int_equal(stops, before + 1);
    fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 o -\nstart", &out, 1, NULL, NULL), 0);
    close(fd);
    nap(100);
    assert_int_equal(running, 1); /* nobody holds this one */
    fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 - -\nstop", NULL, 0, NULL, NULL), 0);
    close(fd);
    close(out);
}

/* Before all that need a VM: it is not up yet. */
static void test_control__anybody_changes_and_marks_a_held_recording(void **state)
{
    (void)state;
    int fd = connect_agent(), other = connect_agent(), out = temp_file();
    assert_int_equal(ask(fd, "wick1 o hold\nstart,event=cpu", &out, 1, NULL, NULL), 0);
    assert_int_equal(ask(other, "wick1 - -\nmark,text=a\\,b=c", NULL, 0, NULL, NULL), 0);
    assert_string_equal(last_mark, "a,b=c");
    assert_int_equal(ask(other, "wick1 - -\nchange,event=wall", NULL, 0, NULL, NULL), 0);
    assert_string_equal(last_event, "wall");
    assert_int_equal(ask(other, "wick1 - -\nchange,event=fail", NULL, 0, NULL, NULL), WICK_E_UNSUPPORTED);
    int before = stops;
    close(fd);
    assert_true(becomes(&running, 0));
    assert_int_equal(stops, before + 1); /* it still hangs on the one that started it */

    fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 o hold\nstart,event=cpu", &out, 1, NULL, NULL), 0);
    assert_int_equal(ask(other, "wick1 - -\nchange,event=fatal", NULL, 0, NULL, NULL), WICK_E_UNSUPPORTED);
    assert_int_equal(ask(other, "wick1 o -\nstart,event=cpu", &out, 1, NULL, NULL), 0);
    close(fd);
    nap(50);
    assert_int_equal(running, 1); /* that is another one */
    assert_int_equal(ask(other, "wick1 - -\nstop", NULL, 0, NULL, NULL), 0);
    close(other);
    close(out);
}

static void test_control__time_begins_with_the_vm(void **state)
{
    (void)state;
    struct wick_err err = {0};
    assert_int_equal(wick_control_run("start,event=cpu,timeout=100ms", 29, &err), 0);
    nap(400);
    assert_int_equal(running, 1);
    wick_control_vm_ready();
    assert_true(becomes(&running, 0));
}

static void test_control__timeout_stops_the_recording(void **state)
{
    (void)state;
    int out = temp_file(), fd = connect_agent(), back = -1, before = starts;
    assert_int_equal(ask(fd, "wick1 o -\nstart,timeout=100ms", &out, 1, NULL, NULL), 0);
    assert_int_equal(starts, before + 1);
    assert_true(becomes(&running, 0));
    /* Its file can still be fetched. */
    assert_int_equal(ask(fd, "wick1 - -\nstop", NULL, 0, NULL, &back), 0);
    assert_true(back >= 0);
    close(back);
    close(fd);
    close(out);
}

static void *become_ready(void *arg)
{
    wick_control_vm_ready();
    return arg;
}

/* On a crowded machine the timeout of a recording that -agentpath has started expires while the JVM is still coming up,
 * and commands also come. Neither may meet a recording that has half begun. */
static void test_control__nothing_is_done_to_a_recording_that_is_just_beginning(void **state)
{
    (void)state;
    struct wick_err err = {0};
    pthread_t jvm;
    int fd = connect_agent(), was = stops, before = begins;
    assert_int_equal(wick_control_run("start,event=cpu,timeout=200ms", 29, &err), 0);
    begin_ms = 600;
    assert_int_equal(pthread_create(&jvm, NULL, become_ready, NULL), 0);
    assert_true(becomes(&beginning, 1));
    begin_seen = 1;
    assert_int_equal(ask(fd, "wick1 - -\nstatus", NULL, 0, NULL, NULL), 0);
    assert_int_equal(pthread_join(jvm, NULL), 0);
    assert_int_equal(begins, before + 1);
    assert_true(becomes(&running, 0));
    assert_int_equal(stops, was + 1);
    assert_int_equal(overlaps, 0);
    close(fd);
}

static void test_control__the_thread_blocks_signals_and_has_a_name(void **state)
{
    (void)state;
    char path[320], text[4096], *hit;
    bool found = false;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
        int fd = open(path, O_RDONLY);
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
        close(fd);
        text[n > 0 ? n : 0] = 0;
        if (!strstr(text, "Name:\twick-control"))
            continue;
        found = true;
        hit = strstr(text, "SigBlk:\t");
        assert_non_null(hit);
        unsigned long long mask = strtoull(hit + 8, NULL, 16);
        assert_true(mask >> (SIGPROF - 1) & mask >> (SIGQUIT - 1) & mask >> (SIGTERM - 1) & 1);
    }
    closedir(dir);
    assert_true(found);
}

/* arg: the socket, and a descriptor to hand out. */
static void *broker_peer(void *arg)
{
    struct wick_broker_request r;
    struct perf_event_attr a;
    int fd = ((int *)arg)[0], null = ((int *)arg)[1];
    while (wick_sock_recv(fd, &r, sizeof r, NULL, 0, NULL, 0) == sizeof r) {
        int code = wick_broker_check(&r, sizeof r, &a, NULL);
        struct wick_broker_reply stale = {WICK_BROKER_MAGIC, r.seq - 1, 0}, reply = {WICK_BROKER_MAGIC, r.seq, code};
        wick_sock_send(fd, &stale, sizeof stale, &null, 1, 0); /* an answer that comes too late */
        wick_sock_send(fd, "junk", 4, NULL, 0, 0);
        wick_sock_send(fd, &reply, sizeof reply, &null, !code, 0);
    }
    return NULL;
}

static void test_broker__answers_are_matched_and_a_dead_peer_is_forgotten(void **state)
{
    (void)state;
    assert_true(is_alone());
    int pair[2], out = temp_file(), fd = connect_agent();
    pthread_t peer;
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .size = sizeof a, .sample_period = 1000000};
    assert_int_equal(wick_perf_broker_open(&a, 1), -WICK_E_STATE);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    int peers[] = {pair[0], open("/dev/null", O_RDONLY)};
    pthread_create(&peer, NULL, broker_peer, peers);
    assert_int_equal(ask(fd, "wick1 ob hold\nstart", (int[]){out, pair[1]}, 2, NULL, NULL), 0);
    close(pair[1]);
    int before = open_fds(), event = wick_perf_broker_open(&a, 1);
    assert_true(event >= 0);
    assert_int_equal(fcntl(event, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(event);
    a.pinned = 1;
    assert_int_equal(wick_perf_broker_open(&a, 1), -WICK_E_PERM);
    assert_int_equal(open_fds(), before);
    a.pinned = 0;
    shutdown(pair[0], SHUT_RDWR);
    assert_int_equal(wick_perf_broker_open(&a, 1), -WICK_E_GONE);
    assert_int_equal(wick_perf_broker_open(&a, 1), -WICK_E_STATE);
    pthread_join(peer, NULL);
    close(peers[1]);
    close(pair[0]);
    close(fd);
    assert_true(becomes(&running, 0));
    close(out);
}

/* Threads of the JVM that begin wait for the answer: once is enough. */
static void test_broker__one_that_does_not_answer_is_not_asked_again_at_once(void **state)
{
    (void)state;
    int pair[2], out = temp_file(), fd = connect_agent();
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .size = sizeof a, .sample_period = 1000000};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    assert_int_equal(ask(fd, "wick1 ob hold\nstart", (int[]){out, pair[1]}, 2, NULL, NULL), 0);
    close(pair[1]);
    uint64_t before = wick_clock_mono_ns(), asked = 0;
    for (int i = 0; i < 100; i++)
        assert_int_equal(wick_perf_broker_open(&a, 1), -WICK_E_TIMEOUT);
    struct wick_broker_request r;
    while (recv(pair[0], &r, sizeof r, MSG_DONTWAIT) > 0)
        asked++;
    assert_in_range(asked, 1, 1 + (wick_clock_mono_ns() - before) / 60000000000u); /* perf_broker.c's REST_NS */
    close(pair[0]);
    close(fd);
    assert_true(becomes(&running, 0));
    close(out);
}

static void test_adopt__only_the_first_takes_the_request(void **state)
{
    (void)state;
    int pair[2], out = temp_file();
    struct stat st;
    char reply[64];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    assert_int_equal(fstat(pair[1], &st), 0);
    assert_false(wick_control_has_offer(pair[1], st.st_dev, st.st_ino));
    static const char request[] = "wick1 o hold\nstart,event=adopted";
    wick_sock_send(pair[0], request, sizeof request - 1, &out, 1, 0);
    assert_false(wick_control_has_offer(pair[1], st.st_dev, st.st_ino + 1));
    assert_false(wick_control_has_offer(out, st.st_dev, st.st_ino));
    assert_false(wick_control_has_offer(999, st.st_dev, st.st_ino));
    assert_true(wick_control_has_offer(pair[1], st.st_dev, st.st_ino));
    struct wick_err err = {0};
    assert_int_equal(wick_control_adopt(pair[1], &err), 0);
    assert_string_equal(last_event, "adopted");
    assert_int_equal(running, 1);
    assert_int_equal(wick_sock_recv(pair[0], reply, sizeof reply, NULL, 0, NULL, 0), 2);
    assert_false(wick_control_has_offer(pair[1], st.st_dev, st.st_ino));
    close(pair[0]);
    assert_true(becomes(&running, 0));
    close(out);
}

/* What the option string asks for; the session's recording is empty. */
static void test_run__dump_and_stop_need_something_recorded(void **state)
{
    (void)state;
    struct wick_err err = {0};
    static const char dump[] = "dump,file=/tmp/wick-test-dump.jfr", stop[] = "stop,file=/tmp/wick-test-stop.jfr";
    unlink("/tmp/wick-test-dump.jfr");
    assert_int_equal(wick_control_run(dump, sizeof dump - 1, &err), -WICK_E_STATE);
    assert_int_equal(wick_control_run(stop, sizeof stop - 1, &err), -WICK_E_STATE);
    assert_int_equal(access("/tmp/wick-test-dump.jfr", F_OK), -1);
    assert_int_equal(wick_control_run("start,loop=1h", 13, &err), -WICK_E_USAGE);
    assert_int_equal(wick_control_run("start,file=/tmp/x,loop=soon", 27, &err), -WICK_E_USAGE);
    assert_int_equal(wick_control_run("start,file=/tmp/x,loop=10ms", 27, &err), -WICK_E_USAGE);
    assert_int_equal(running, 0);
}

static void test_run__agentpath_options(void **state)
{
    (void)state;
    struct wick_err err = {0};
    assert_int_equal(wick_control_run("", 0, &err), 0);
    assert_int_equal(wick_control_run("start,event=fail,file=/x", 24, &err), -WICK_E_UNSUPPORTED);
    assert_string_equal(err.msg, "no such event");
    assert_int_equal(wick_control_run("start,event=cpu", 15, &err), 0); /* what it records is fetched later */
    assert_int_equal(running, 1);
    wick_control_shutdown();
    assert_int_equal(running, 0);
}

enum { ANSWERED = 3, REFUSED, NO_NAMESPACE, NO_OVERFLOW };

/* A process of its own: a control thread, and a peer with the same uid. `strange`: in a user namespace without a number
 * for anybody, where both have the overflow uid. */
static int command_oneself(bool strange)
{
    struct wick_err none = {0}, err = {0};
    struct ucred who;
    if (strange && unshare(CLONE_NEWUSER))
        return NO_NAMESPACE;
    if (wick_control_start(&none, &err))
        return 1;
    int fd = connect_agent();
    if (strange && (wick_sock_peer(fd, &who) || who.uid != geteuid() || !wick_sock_uid_is_ambiguous(who.uid)))
        return NO_OVERFLOW;
    return ask(fd, "wick1 - -\nversion", NULL, 0, NULL, NULL) == 0 ? ANSWERED : REFUSED;
}

/* What command_oneself() returns in a new process, which is no copy of this one's threads and locks. */
static int commanded(const char *how)
{
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        execl("/proc/self/exe", "test_control", how, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The overflow uid stands for every user that the namespace has no number for. */
static void test_control__the_overflow_uid_is_nobodys_own(void **state)
{
    (void)state;
    assert_int_equal(commanded("same"), ANSWERED);
    int strange = commanded("strange");
    if (strange == NO_NAMESPACE) {
        print_message("# user namespaces are not permitted here\n");
        skip();
    }
    assert_int_equal(strange, REFUSED);
}

/* Last: afterwards nobody listens. */
static void test_retire__refused_while_recording_then_the_socket_is_gone(void **state)
{
    (void)state;
    int fd = connect_agent(), out = temp_file();
    char c;
    assert_int_equal(ask(fd, "wick1 o -\nstart", &out, 1, NULL, NULL), 0);
    assert_int_equal(ask(fd, "wick1 - -\nretire", NULL, 0, NULL, NULL), WICK_E_STATE);
    assert_int_equal(ask(fd, "wick1 - -\nstop", NULL, 0, NULL, NULL), 0);
    assert_int_equal(ask(fd, "wick1 - -\nretire", NULL, 0, NULL, NULL), 0);
    assert_true(read(fd, &c, 1) <= 0);
    close(fd);
    struct wick_err none = {0}, err = {0};
    nap(100);
    assert_int_equal(wick_control_start(&none, &err), 0); /* a later load of the same build */
    fd = connect_agent();
    assert_int_equal(ask(fd, "wick1 - -\nstatus", NULL, 0, NULL, NULL), 0);
    close(fd);
    close(out);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        _exit(command_oneself(!strcmp(argv[1], "strange")));
    const struct CMUnitTest tests[] = {
        /* First: nothing has been recorded. */
        cmocka_unit_test(test_run__dump_and_stop_need_something_recorded),
        cmocka_unit_test(test_control__start_status_stop),
        cmocka_unit_test(test_control__the_answer_says_which_options_have_no_effect),
        cmocka_unit_test(test_control__mistakes_are_answered_with_sentences),
        cmocka_unit_test(test_control__garbage_ends_the_connection_and_leaks_nothing),
        cmocka_unit_test(test_control__many_silent_clients_do_not_shut_out_a_new_one),
        cmocka_unit_test(test_control__a_client_that_never_reads_is_dropped),
        cmocka_unit_test(test_control__a_held_recording_ends_with_its_client),
        cmocka_unit_test(test_control__time_begins_with_the_vm),
        cmocka_unit_test(test_control__timeout_stops_the_recording),
        cmocka_unit_test(test_control__nothing_is_done_to_a_recording_that_is_just_beginning),
        cmocka_unit_test(test_control__the_thread_blocks_signals_and_has_a_name),
        cmocka_unit_test(test_broker__one_that_does_not_answer_is_not_asked_again_at_once),
        cmocka_unit_test(test_broker__answers_are_matched_and_a_dead_peer_is_forgotten),
        cmocka_unit_test(test_adopt__only_the_first_takes_the_request),
        cmocka_unit_test(test_control__anybody_changes_and_marks_a_held_recording),
        cmocka_unit_test(test_run__agentpath_options),
        cmocka_unit_test(test_control__the_overflow_uid_is_nobodys_own),
        cmocka_unit_test(test_retire__refused_while_recording_then_the_socket_is_gone),
    };
    struct wick_err none = {0}, err = {0};
    if (wick_control_start(&none, &err))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
