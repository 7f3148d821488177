/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_int.h - what the readers of perf's text and of perf.data share: frames and events from perf's names, and the
 * parts of the reader of perf.data
 *
 *   bytes --perf_data.c--> records --perf_order.c--> in order of time --perf_data.c--> perf_task.c: who had what mapped
 *                      (perf_record.c)                                                 perf_dso.c:  what is called how
 *
 * Threads: one at a time per input.
 * Memory:  see each part.
 */
#ifndef WICK_IMPORT_PERF_INT_H
#define WICK_IMPORT_PERF_INT_H

#include "elf/image.h"
#include "import/import_int.h"
#include "import/perf_map.h"

/* --- perf_frames.c: frames and events by perf's names for them --- */

/* Frames one after another. */
struct wick_perf_frames {
    uint32_t *f, n, cap;
    bool nomem;
};

/* Appends the frames, leaf first, of code called `symbol` (empty: unknown) in `dso`, as perf spells it: a path, a name
 * in brackets, /tmp/perf-PID.map, "inlined". high: the address is one of the kernel's. Where the symbol has the form of
 * a JVM's map, "a->b", there are several. */
void wick_perf_frames_of(struct wick_perf_frames *out, struct wick_profile *p, struct wick_word symbol,
                         struct wick_word dso, bool high);

/* The event type of an event of perf's, modifiers (":u") left out. has_period: weights are periods, not ones. */
uint16_t wick_perf_type_of(struct wick_profile *p, struct wick_word name, bool has_period);

/* The label set "process": the process's name and number, 0 if p keeps no labels. */
uint32_t wick_perf_process(struct wick_profile *p, struct wick_word comm, int64_t pid);

/* --- perf_record.c: records taken apart --- */

/* Types of records: the kernel's, and those that perf itself adds. */
enum wick_perf_type {
    WICK_PERF_MMAP = 1,
    WICK_PERF_LOST = 2,
    WICK_PERF_COMM = 3,
    WICK_PERF_EXIT = 4,
    WICK_PERF_FORK = 7,
    WICK_PERF_SAMPLE = 9,
    WICK_PERF_MMAP2 = 10,
    WICK_PERF_LOST_SAMPLES = 13,
    WICK_PERF_USER = 64, /* from here on perf's own */
    WICK_PERF_HEADER_ATTR = 64,
    WICK_PERF_TRACING_DATA = 66,
    WICK_PERF_BUILD_ID = 67,
    WICK_PERF_FINISHED_ROUND = 68,
    WICK_PERF_AUXTRACE = 71,
    WICK_PERF_EVENT_UPDATE = 78,
    WICK_PERF_FEATURE = 80,
    WICK_PERF_COMPRESSED = 81,
    WICK_PERF_COMPRESSED2 = 83,
};

/* An event that was recorded. */
struct wick_perf_attr {
    uint32_t type;
    uint64_t config, sample_type, read_format;
    uint64_t period; /* fixed; 0 = of each sample */
    bool id_all;     /* other records than samples also have a time */
    bool has_event;
    uint16_t event; /* in the profile */
    char name[64];  /* "" = not known */
};

struct wick_perf_rec {
    const unsigned char *p; /* with its header */
    uint32_t type;
    uint16_t misc, size;
};

/* A sample: what of it is used. */
struct wick_perf_sample {
    uint64_t ip, time_ns, period;
    int32_t pid, tid;
    const unsigned char *chain; /* nchain addresses, unaligned; NULL = no call chain was asked for */
    uint64_t nchain;
    bool user_stack; /* user frames were to be unwound later, from a copy of the stack */
};

/* A mapping: MMAP and MMAP2. */
struct wick_perf_mapping {
    int32_t pid;
    uint64_t start, len, pgoff, inode;
    bool executable;
    uint8_t build_id_len;
    const unsigned char *build_id;
    struct wick_word name;
};

static inline uint64_t wick_perf_u64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static inline uint32_t wick_perf_u32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static inline uint16_t wick_perf_u16(const unsigned char *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}

/* Text of at most n bytes up to its NUL. */
static inline struct wick_word wick_perf_text(const unsigned char *p, size_t n)
{
    return (struct wick_word){(const char *)p, strnlen((const char *)p, n)};
}

/* A perf_event_attr of n bytes. False if it is too short. */
bool wick_perf_attr_parse(struct wick_perf_attr *a, const unsigned char *p, size_t n);

/* The name of an event by its numbers, where perf.data does not contain it. */
const char *wick_perf_attr_name(const struct wick_perf_attr *a, char *buf, size_t cap);

/* The number that says which event a record belongs to, by the layout of attribute `a`; false if it has none. */
bool wick_perf_rec_id(const struct wick_perf_attr *a, const struct wick_perf_rec *r, uint64_t *id);

/* When it was written; 0 = it does not say. */
uint64_t wick_perf_rec_time(const struct wick_perf_attr *a, const struct wick_perf_rec *r);

/* False if the record is malformed. What they point at is part of the record. */
bool wick_perf_sample_parse(const struct wick_perf_attr *a, const struct wick_perf_rec *r, struct wick_perf_sample *s);
bool wick_perf_mapping_parse(const struct wick_perf_rec *r, struct wick_perf_mapping *m);

/* --- perf_order.c: records in the order of their times ---
 *
 * perf reads the buffers of the processors one after another, and writes FINISHED_ROUND when it has been through all of
 * them: whatever comes later is younger than the youngest record before the round that ended. */

struct wick_perf_order;

/* take gets the records in order; ctx is handed to it. NULL if memory ran out. */
struct wick_perf_order *wick_perf_order_new(void (*take)(void *ctx, const struct wick_perf_rec *r, uint64_t offset),
                                            void *ctx);
void wick_perf_order_free(struct wick_perf_order *o);

/* Keeps a copy of a record, or hands it on at once if it has no time. 0 or -WICK_E_NOMEM. */
int wick_perf_order_add(struct wick_perf_order *o, const struct wick_perf_rec *r, uint64_t time_ns, uint64_t offset);

/* A round has ended; the input has. */
void wick_perf_order_round(struct wick_perf_order *o);
void wick_perf_order_end(struct wick_perf_order *o);

/* --- perf_dso.c: files that code was mapped from, and their symbols --- */

struct wick_perf_dsos;

/* use_files false: no file of this machine is read, so nothing has a name. */
struct wick_perf_dsos *wick_perf_dsos_new(struct wick_profile *p, bool use_files);
void wick_perf_dsos_free(struct wick_perf_dsos *d);

/* The number of what a mapping maps; 0 = unknown. */
uint32_t wick_perf_dso(struct wick_perf_dsos *d, const struct wick_perf_mapping *m);

/* True if its places are addresses, not offsets in a file. */
bool wick_perf_dso_is_absolute(const struct wick_perf_dsos *d, uint32_t dso);

/* What perf knew of the system that it ran on: its release, where the kernel lay, a file's build id. */
void wick_perf_dsos_release(struct wick_perf_dsos *d, struct wick_word release);
void wick_perf_dsos_kernel_at(struct wick_perf_dsos *d, uint64_t symbol_address);
void wick_perf_dsos_build_id(struct wick_perf_dsos *d, struct wick_word path, const unsigned char *id, size_t len);

/* Appends the frames at a place of a file (dso 0: nowhere), or of the kernel, to a stack. */
struct wick_perf_stack {
    uint32_t *f, n, cap; /* leaf first */
};
void wick_perf_dso_frames(struct wick_perf_dsos *d, uint32_t dso, uint64_t at, struct wick_perf_stack *to);
void wick_perf_kernel_frames(struct wick_perf_dsos *d, uint64_t addr, struct wick_perf_stack *to);

/* What the user should know of names that are missing: "" = nothing. */
void wick_perf_dsos_note(const struct wick_perf_dsos *d, char *buf, size_t cap);
bool wick_perf_dsos_nomem(const struct wick_perf_dsos *d);

/* --- perf_task.c: threads, processes and what they have mapped --- */

struct wick_perf_tasks;

/* Both are borrowed. NULL if memory ran out. */
struct wick_perf_tasks *wick_perf_tasks_new(struct wick_profile *p, struct wick_perf_dsos *d);
void wick_perf_tasks_free(struct wick_perf_tasks *t);

/* A thread has a new name, and with `exec` its process a new program. A thread has begun: its name is its parent's, and
 * so are the mappings of a new process (ppid == pid: nothing is inherited). Memory was mapped. All: 0 or
 * -WICK_E_NOMEM. */
int wick_perf_tasks_comm(struct wick_perf_tasks *t, int32_t pid, int32_t tid, struct wick_word comm, bool exec);
int wick_perf_tasks_fork(struct wick_perf_tasks *t, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid);
int wick_perf_tasks_map(struct wick_perf_tasks *t, const struct wick_perf_mapping *m);
/* A thread has ended; what it still does is known by its name. */
void wick_perf_tasks_exit(struct wick_perf_tasks *t, int32_t tid);

/* The name of a thread (a string of the profile), and the label set that names its process. */
uint32_t wick_perf_tasks_name(struct wick_perf_tasks *t, int32_t tid);
uint32_t wick_perf_tasks_process(struct wick_perf_tasks *t, int32_t pid);

/* What lies at an address of a process: the file's number, and the place in the file (the address itself where there is
 * no file). 0 = nothing known. */
uint32_t wick_perf_tasks_find(struct wick_perf_tasks *t, int32_t pid, uint64_t addr, uint64_t *at);

/* Mappings that were left out because there were too many. */
uint64_t wick_perf_tasks_dropped(const struct wick_perf_tasks *t);

/* --- perf_data.c --- */

struct wick_perf_data;

/* perf's own file in pieces, as `perf record -o -` writes it. _new: NULL if memory ran out. _feed and _end: 0 or
 * -WICK_E_NOMEM; _end also frees. */
struct wick_perf_data *wick_perf_data_new(struct wick_import *im, bool use_files);
int wick_perf_data_feed(struct wick_perf_data *d, const void *data, size_t n);
int wick_perf_data_end(struct wick_perf_data *d);

/* A whole file of either form. mapped: pages that were read are given back. 0, -WICK_E_FORMAT or -WICK_E_NOMEM. */
int wick_perf_data_read(struct wick_import *im, const void *data, size_t n, bool mapped, bool use_files);

/* True if these are the first bytes (16 at least) of the form for pipes, which needs no later part to be read. */
bool wick_perf_data_is_pipe(const void *data, size_t n);

#endif
