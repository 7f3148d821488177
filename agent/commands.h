/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - what the agent is asked to do, and what it does when time is up
 *
 * A command is an option string ("start,event=cpu,file=x.jfr"), of the agent's own options or of the CLI. It is carried
 * out before it is answered, and nothing here waits for a client.
 *
 * Threads: any, one at a time: the callers hold a lock (control.c).
 * Memory:  static; descriptors of the recordings.
 */
#ifndef WICK_AGENT_COMMANDS_H
#define WICK_AGENT_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/sock.h"

/* Descriptors that come with a command. -1 = none; who takes one sets it to -1. */
struct wick_command_fds {
    int out, broker;
    bool taken; /* the CLI takes the chunks from `out` as they end */
    bool own;   /* no CLI: the agent's own option string */
};

struct wick_command_reply {
    int code;                                      /* 0 or WICK_E_ */
    int fd;                                        /* sent along, closed afterwards; -1 = none */
    bool retires;                                  /* no more commands: a newer build takes over */
    char notes[sizeof((struct wick_err *)0)->msg]; /* what was ignored in the request, "" = nothing */
    char text[WICK_SOCK_REPLY_MAX - 16];
};

/* Before all others; again after a command that retires. init: the outcome of wick_agent_init. */
void wick_commands_init(const struct wick_err *init);

/* Carries out one command. r->fd is the caller's afterwards, and what is left of f (wick_commands_close). */
void wick_commands_run(const char *command, size_t len, struct wick_command_fds *f, struct wick_command_reply *r);

/* Closes what nobody has taken. */
void wick_commands_close(struct wick_command_fds *f);

/* A stop that nobody waits for: what became of the file is said on stderr. */
void wick_commands_stop_unasked(void);

/* When something is due without a command (options timeout and loop), UINT64_MAX = never; and what is due by now. */
uint64_t wick_commands_due(void);
void wick_commands_expire(uint64_t now_ns);

/* The VM is up: a recording that was started before begins. The VM goes down: a recording ends. */
void wick_commands_vm_ready(void);
void wick_commands_vm_death(void);

#endif
