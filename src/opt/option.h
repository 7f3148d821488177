/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option.h - the options of the agent and of the CLI, parsed from one list (def/option.def)
 *
 * Two spellings meet here. The agent takes one string, as async-profiler's does: `start,event=cpu,interval=10ms`. The
 * CLI takes `-e cpu --interval=10ms`. Both end in wick_opt_set(), so a value means the same everywhere. In the agent's
 * string a backslash takes the next character as it is, so that file names with commas are possible: `file=/tmp/a\,b`.
 *
 * Threads: a struct wick_opts belongs to one thread; the table is constant.
 * Memory:  no allocation except where a strbuf is passed. Not for signal handlers.
 */
#ifndef WICK_OPT_OPTION_H
#define WICK_OPT_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

#define WICK_OPT_STR_MAX  256
#define WICK_OPT_PATH_MAX 1024

/* Interval of the wall clock where none is given. */
#define WICK_OPT_WALL_DEFAULT_NS 10000000u

/* Of waiting for locks, one sample on average where no interval is given. */
#define WICK_OPT_LOCK_DEFAULT_NS 10000000u
#define WICK_OPT_ALLOC_DEFAULT   524288u
#define WICK_OPT_ALLOC_MOST      (1u << 30)

enum wick_opt_kind {
    WICK_OPT_FLAG,
    WICK_OPT_STR,
    WICK_OPT_PATH,
    WICK_OPT_NS,
    WICK_OPT_WALL, /* WICK_OPT_NS; without a value WICK_OPT_WALL_DEFAULT_NS */
    WICK_OPT_LOCK, /* WICK_OPT_STR; without a value "on" */
    WICK_OPT_SEC,
    WICK_OPT_UNTIL, /* WICK_OPT_SEC, or a time of day */
    WICK_OPT_DEPTH, /* WICK_OPT_STR: a number, or two: MOST/KEPT */
    WICK_OPT_SIZE,
    WICK_OPT_COUNT,
};

/* Stacks deeper than `most` frames are cut to the `kept` frames nearest the leaf. */
struct wick_opt_depth {
    uint32_t most, kept;
};

/* Who takes an option: one bit a command; WICK_CMD_AGENT is the agent's string. */
enum wick_opt_where {
    WICK_CMD_RECORD = 1 << 0,
    WICK_CMD_START = 1 << 1,
    WICK_CMD_STOP = 1 << 2,
    WICK_CMD_DUMP = 1 << 3,
    WICK_CMD_STATUS = 1 << 4,
    WICK_CMD_PS = 1 << 5,
    WICK_CMD_DOCTOR = 1 << 6,
    WICK_CMD_VERSION = 1 << 7,
    WICK_CMD_AGENT = 1 << 8,
    WICK_CMD_CHANGE = 1 << 9,
    WICK_CMD_MARK = 1 << 10,
    WICK_OPT_CHOOSES = 1 << 30, /* no command: the option is one of those that choose the events */
};

#define WICK_OPT_TYPE_FLAG(f)  bool f
#define WICK_OPT_TYPE_STR(f)   char f[WICK_OPT_STR_MAX]
#define WICK_OPT_TYPE_PATH(f)  char f[WICK_OPT_PATH_MAX]
#define WICK_OPT_TYPE_NS(f)    uint64_t f
#define WICK_OPT_TYPE_WALL(f)  uint64_t f
#define WICK_OPT_TYPE_LOCK(f)  char f[WICK_OPT_STR_MAX]
#define WICK_OPT_TYPE_SEC(f)   uint64_t f
#define WICK_OPT_TYPE_UNTIL(f) uint64_t f
#define WICK_OPT_TYPE_DEPTH(f) struct wick_opt_depth f
#define WICK_OPT_TYPE_SIZE(f)  uint64_t f
#define WICK_OPT_TYPE_COUNT(f) uint64_t f

/* What a recording is made with: the X() lines of def/option.def. */
struct wick_session_opts {
#define X(field, kind, ...) WICK_OPT_TYPE_##kind(field);
#define C(...)
#include "def/option.def"
#undef X
#undef C
};

/* Everything: the recording's options and the CLI's own. */
struct wick_opts {
    struct wick_session_opts s;
#define X(...)
#define C(field, kind, ...) WICK_OPT_TYPE_##kind(field);
#include "def/option.def"
#undef X
#undef C
    uint64_t given; /* bit i: option i of the table was set by the user */
};

struct wick_opt_desc {
    const char *name, *metavar, *words, *def, *help;
    uint64_t min, max;
    unsigned where; /* WICK_CMD_* */
    enum wick_opt_kind kind;
    size_t offset; /* into struct wick_opts */
    char letter;
};

enum wick_opt_index {
#define X(field, ...) WICK_OPT_I_##field,
#define C(field, ...) WICK_OPT_I_##field,
#include "def/option.def"
#undef X
#undef C
    WICK_OPT_TABLE_COUNT
};
_Static_assert(WICK_OPT_TABLE_COUNT <= 64, "struct wick_opts.given has 64 bits");

extern const struct wick_opt_desc wick_opt_table[WICK_OPT_TABLE_COUNT];

/* Its bit in `given`. */
#define WICK_OPT_BIT(field) ((uint64_t)1 << WICK_OPT_I_##field)

/* True if the user set the option himself. */
#define wick_opt_given(o, field) (((o)->given >> WICK_OPT_I_##field) & 1)

enum wick_opt_action {
    WICK_ACTION_NONE,
    WICK_ACTION_START,
    WICK_ACTION_RESUME, /* start, keeping what was recorded before */
    WICK_ACTION_CHANGE, /* the recording goes on with other events or intervals */
    WICK_ACTION_MARK,   /* a moment, with a text */
    WICK_ACTION_STOP,
    WICK_ACTION_DUMP,
    WICK_ACTION_STATUS,
    WICK_ACTION_DEADLOCKS,
    WICK_ACTION_VIRTUAL, /* virtual threads that have a context, to the descriptor */
    WICK_ACTION_HEAP,    /* a dump of the heap, to the descriptor, which is a pipe */
    WICK_ACTION_VERSION,
    WICK_ACTION_RETIRE, /* stop listening: a newer build takes over */
};

/* Fills o with the defaults of the table. */
void wick_opt_defaults(struct wick_opts *o);

/* Sets the option called name[0..name_len) to the value text (NULL = given without a value, right for flags only).
 * where: WICK_CMD_* of the caller; an option that is not for it is refused. Errors: -WICK_E_USAGE with a sentence. */
int wick_opt_set(struct wick_opts *o, const char *name, size_t name_len, const char *value, unsigned where,
                 struct wick_err *err);

/* Parses the agent's string s[0..len) into o (which holds defaults) and *action. Any bytes are allowed; errors:
 * -WICK_E_USAGE. An option that is not known, or that async-profiler has and wick does not, is no error, since a JVM
 * would not start for it: it is ignored, and on success err->msg says so, one sentence a line (err->code stays 0).
 * `quiet` sets o->quiet. Where `wall`, `nativemem`, `lock`, `nativelock` or `ttsp` is given and `event` is not, no
 * other event is recorded, as in async-profiler. */
int wick_opt_parse_agent(const char *s, size_t len, struct wick_opts *o, enum wick_opt_action *action,
                         struct wick_err *err);

/* Parses argv[1..argc) for one command. What is no option is moved to rest[] (room for argc pointers), *nrest counts
 * them; everything after `--` also goes to rest, and *dashdash is the index in rest of the first such word (or *nrest
 * if there was no `--`). Errors: -WICK_E_USAGE. */
int wick_opt_parse_args(int argc, char **argv, unsigned where, struct wick_opts *o, char **rest, int *nrest,
                        int *dashdash, struct wick_err *err);

/* Appends the agent's string for action and every X() option that the user gave: `start,event=cpu`. */
void wick_opt_format_agent(const struct wick_opts *o, const char *action, struct wick_strbuf *out);

/* The options of a recording that goes on: the current ones, with those of `asked` that may change while it runs.
 * If one that chooses the events was given, all of these are as in `asked`, and so is the
 * interval where the current one counts something else: occurrences, or time. */
void wick_opt_change(const struct wick_session_opts *now, const struct wick_opts *asked, struct wick_session_opts *out);

/* An option of async-profiler's that wick does not have, by name: 0 and *why = NULL if ignoring it changes no figure,
 * else what to say of it ("allocations are not sampled"); -WICK_E_NOTFOUND if it is none. */
int wick_opt_peer(const char *name, size_t len, const char **why);

/* Interval text to nanoseconds: a number and ns us ms s h d, or as async-profiler abbreviates, n u m s: m is
 * milliseconds here. counts: it may also be a number of occurrences (k = 1,024, g = 1,024^3, m = 1,000,000).
 * -WICK_E_USAGE. */
int wick_opt_interval(const char *s, bool counts, uint64_t *v);

/* Nanoseconds from `now` (seconds since 1970) until a time of day, local: HH:MM:SS or HH:MM, each part a number or `*`
 * for any. As async-profiler reads it: a part that is any is the current one; a time that is not after now is that of
 * the next day, hour or minute. -WICK_E_USAGE. */
int wick_opt_until(const char *s, int64_t now, uint64_t *ns);

/* Time text to nanoseconds: number (fraction allowed) + ns us ms s m h d; bare_ns = the unit of a bare number.
 * -WICK_E_USAGE if malformed or over 2^63. */
int wick_opt_time(const char *s, uint64_t bare_ns, uint64_t *ns);

/* A point in time in a recording that covers start to end (ns since 1970): "90s" and "-10s" count from its begin and
 * its end, "25%" is a share of it, "10:30:00" the first such time of day (UTC) in it, "2026-11-21T10:30:00.5" and "@N"
 * (seconds since 1970) are absolute. -WICK_E_USAGE. */
int wick_opt_when(const char *text, int64_t start_ns, int64_t end_ns, int64_t *out);

/* Size text to bytes: number + optional b k m g t (powers of 1024, either case, optional "b"/"ib" tail). */
int wick_opt_size(const char *s, uint64_t *bytes);

/* Expands a file name pattern: %p pid, %t local time yyyyMMdd-HHmmss, %n{MAX} seq modulo MAX (%n alone: seq), %{NAME}
 * environment variable, %% a percent sign; anything else stays. when: seconds since 1970. -WICK_E_LIMIT if the result
 * does not fit into out[cap]. */
int wick_opt_expand(const char *pattern, long pid, int64_t when, unsigned long seq, char *out, size_t cap);

/* Expands %p and %{NAME} only and leaves a pattern, in which percent signs of a variable's value stand for themselves.
 * -WICK_E_LIMIT if it does not fit into out[cap]. */
int wick_opt_fix(const char *pattern, long pid, char *out, size_t cap);

/* Appends a pattern that stands for the name. */
void wick_opt_escape(const char *name, struct wick_strbuf *out);

/* True if the pattern yields a new name for each chunk (%n). */
bool wick_opt_is_sequence(const char *pattern);

/* The MAX of %n{MAX}, 0 = none. */
unsigned long wick_opt_sequence_max(const char *pattern);

#endif
