/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.h - the recordings that the server shows, and those of them that are in memory
 *
 * Recordings, and heap dumps beside them, are files that were named at the start, files in folders that were, and
 * those that are made here. Each has an id that follows from its path, so that an address in the browser means the
 * same after a restart. What a request names otherwise is opened only inside the folders: where its links lead is
 * found out once, and later none is followed, whatever has become of a folder on the way.
 *
 * A recording is read when it is first asked about, a large one in steps, between which others are answered. It grows
 * as long as it is recorded here, or its file was written to in the last seconds. Those that were not used for the
 * longest time are forgotten when all take too much memory.
 *
 * Threads: one at a time: the server's lock (serve.h).
 * Memory:  the models, as bounded here; freed by wick_catalog_release.
 */
#ifndef WICK_SERVE_CATALOG_H
#define WICK_SERVE_CATALOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "codec/json.h"
#include "serve/growing.h"

enum { WICK_CATALOG_ID = 12, WICK_CATALOG_ANSWERS = 6 };

/* An answer that was expensive: what was asked, and of how much of the file. */
struct wick_catalog_answer {
    char *asked, *text;
    size_t len;
    int64_t size;
    bool grows;        /* the file did: what lay behind its last complete part was left out */
    uint64_t when_ns;  /* monotonic */
    uint64_t fresh_ns; /* for so long it is good of a file that grows */
};

struct wick_catalog_entry {
    char id[WICK_CATALOG_ID + 1];
    char *path;
    const char *name; /* the path's last part */
    struct wick_growing *model;
    char failure[256];  /* of a recording that is made here: why it ended unasked, or what it warned of; "" = nothing */
    char problem[256];  /* why it cannot be read, or what was lost; "" = nothing */
    int64_t size_bytes; /* when it was last seen */
    int64_t model_bytes;              /* when the model was last brought up to date */
    uint64_t inode, model_inode;      /* the same of the file's number */
    int64_t start_ns, end_ns;         /* by the headers of its chunks, until it is read */
    bool live, finished_model;        /* it grows; the model has all of it */
    bool here, named;                 /* made here; named at the start */
    bool dump;                        /* a heap dump, which has no samples and no model */
    int64_t modified_ns, answered_ns; /* of a heap dump: its file's time, now and when it was asked about last */
    int pid;                          /* of the JVM, 0 = not known */
    unsigned handle;                  /* the front end's, of what is made here */
    uint64_t used;                    /* when, counted in uses */
    uint64_t read_ns;                 /* when the model was last read on, by the monotonic clock */
    struct wick_catalog_answer answers[WICK_CATALOG_ANSWERS];
};

struct wick_catalog {
    struct wick_catalog_entry **entries;
    uint32_t n, cap;
    char **folders;
    uint32_t nfolders;
    uint64_t uses;
};

void wick_catalog_release(struct wick_catalog *c);

/* Adds a file, or a folder with the recordings in it. -WICK_E_NOTFOUND, _PERM, _USAGE (neither), _NOMEM. */
int wick_catalog_name(struct wick_catalog *c, const char *path, struct wick_err *err);

/* Adds a file that is made here. NULL and a message on failure. */
struct wick_catalog_entry *wick_catalog_add_own(struct wick_catalog *c, const char *path, int pid, unsigned handle,
                                                struct wick_err *err);

/* Whether that can be a file's name: without folder, what a recording's name would expand, or what is not shown. */
bool wick_catalog_takes_name(const char *name);

/* Gives the file of an entry that is made here, and has ended, another name in its folder; ".jfr" is added where it is
 * missing. Its id is another one then, since it belongs to the path. -WICK_E_USAGE if it is no name, _STATE if there
 * is such a file or it still grows, _PERM, _NOSPACE, _NOTFOUND, _IO, _NOMEM. */
int wick_catalog_rename(struct wick_catalog *c, struct wick_catalog_entry *e, const char *name, struct wick_err *err);

/* Adds a file that a request names: -WICK_E_PERM unless it lies in one of the folders. */
int wick_catalog_open(struct wick_catalog *c, const char *path, struct wick_catalog_entry **out, struct wick_err *err);

/* Reads again what is in the folders, and the sizes of files. */
void wick_catalog_scan(struct wick_catalog *c);

/* NULL if there is none with this id. */
struct wick_catalog_entry *wick_catalog_find(const struct wick_catalog *c, const char *id);

/* Opens an entry's file for reading: a plain file that is no symbolic link. Its descriptor or an error. */
int wick_catalog_fd(const struct wick_catalog_entry *e, struct wick_err *err);

/* Reads what is new of an entry, all of it at first, until the monotonic clock passes until_ns (0 = never); of a heap
 * dump nothing. running: it is being made here. 0; -WICK_E_* with a message if nothing of it can be read. */
int wick_catalog_read(struct wick_catalog *c, struct wick_catalog_entry *e, bool running, uint64_t until_ns,
                      struct wick_err *err);

/* Whether more of an entry is to be read than its model has; how many bytes of the file it has. */
bool wick_catalog_is_partial(const struct wick_catalog_entry *e);
int64_t wick_catalog_read_bytes(const struct wick_catalog_entry *e);

/* Whether two that are compared may be in memory at the same time. While one is half read neither is forgotten, so they
 * would else be read and forgotten in turn for ever. */
bool wick_catalog_has_room_for(const struct wick_catalog_entry *e, const struct wick_catalog_entry *other);

/* An answer to the same question about the same state of the file; one about a file that grows may be some seconds old.
 * NULL if there is none. */
const struct wick_catalog_answer *wick_catalog_known(const struct wick_catalog_entry *e, const char *asked);

/* Keeps an answer, which becomes the entry's own, instead of the oldest one. size, grows: of the file when it was
 * asked; took: to make it. */
void wick_catalog_keep(struct wick_catalog_entry *e, const char *asked, char *text, size_t len, int64_t size,
                       bool grows, uint64_t took_ns);

/* Writes an entry as the API shows it. */
void wick_catalog_write(const struct wick_catalog_entry *e, struct wick_json *j);

#endif
