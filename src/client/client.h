/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - talking to the agent inside a JVM: finding it, loading it where it is missing, asking it
 *
 * Memory:  replies are in the struct; descriptors are closed by wick_client_close.
 */
#ifndef WICK_CLIENT_CLIENT_H
#define WICK_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/proc.h"
#include "sys/sock.h"

struct wick_client {
    int fd; /* -1 = none */
    pid_t pid;
    char build[41], version[64]; /* the agent's */
    bool running;                /* a recording was running when we connected */
    int reply_fd; /* descriptor that came with the last reply, -1 = none; the one that takes it sets -1 */
    char text[WICK_SOCK_REPLY_MAX];
};

/* How long a command waits for what takes the agent time: a JVM may be at a long safepoint. Where the agent has a limit
 * of its own, that is shorter. */
#define WICK_CLIENT_ANSWER_NS 120000000000u

/* _init: not connected. _close ends the connection, if there is one, and closes a descriptor that nobody took. */
void wick_client_init(struct wick_client *c);
void wick_client_close(struct wick_client *c);

/* Connects to an agent in p: the one that is recording, else the one of build `build`, else any. build may be NULL.
 * -WICK_E_NOTFOUND without a message if there is none. */
int wick_client_find(const struct wick_proc *p, const char *build, struct wick_client *c, struct wick_err *err);

/* Like find, but loads the library lib (a path on our side) if no agent of its build is there, and asks older builds to
 * go. If another build is recording: -WICK_E_STATE. */
int wick_client_obtain(struct wick_proc *p, const char *lib, uint64_t timeout_ns, struct wick_client *c,
                       struct wick_err *err);

/* Sends a request: letters[] names the n descriptors (sys/sock.h), hold = the recording ends with this connection. */
int wick_client_send(struct wick_client *c, const char *letters, const int *fds, int n, bool hold, const char *command,
                     struct wick_err *err);

/* Receives one reply; its text is in c->text. 0, the agent's error as -WICK_E_* with its sentence, -WICK_E_TIMEOUT,
 * -WICK_E_GONE. */
int wick_client_receive(struct wick_client *c, uint64_t timeout_ns, struct wick_err *err);

/* Send without descriptors and receive. */
int wick_client_ask(struct wick_client *c, const char *command, uint64_t timeout_ns, struct wick_err *err);

/* The value of "key=" in a text of lines, copied to out[cap]; false (and "") if it is not there. */
bool wick_client_value(const char *text, const char *key, char *out, size_t cap);

#endif
