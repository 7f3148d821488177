/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - the files a recording goes to, and the limits on them
 *
 * Two shapes. One file, by descriptor, empty at first: chunks follow each other. Or a directory, by
 * descriptor, and a base name: each chunk is a file of its own, `<base>-000001.jfr`, `<base>-000002.jfr`, …, and the
 * oldest are removed so that the whole stays within a size and an age. Since chunks are readable by themselves, the
 * files joined in order are also a recording. The base name is a pattern (wick_opt_expand) in which %t is the time at
 * which the file is made. With %n the number, from 0 on, stands there instead of at the end; %n{MAX} keeps at most MAX
 * files, and a file of that name that is a recording, of an earlier process, is replaced.
 *
 * A third shape serves where the directory is not ours to write: one file, by descriptor, whose chunks somebody else
 * takes out of it as they end. He is asked when the next one begins; if he does not answer, chunks gather, up to the
 * size limit, and he is asked again with the next.
 *
 * Files are made with O_EXCL and O_NOFOLLOW, mode 0600, relative to the directory's descriptor: no path is resolved.
 *
 * Threads: one at a time. A write beyond a file size limit (RLIMIT_FSIZE) raises SIGXFSZ: the calling thread must have
 *          it blocked or ignored.
 * Memory:  a list of the files that exist, 32 bytes each.
 */
#ifndef WICK_RECORD_OUTPUT_H
#define WICK_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jfr/writer/writer.h"

#define WICK_OUTPUT_BASE_MAX 200 /* bytes of a base name */
#define WICK_OUTPUT_NAME_MAX 256 /* bytes of a file name, NUL included */

struct wick_output_segment {
    uint64_t number, bytes, end_ns; /* end: CLOCK_MONOTONIC, of the last write */
    int64_t made;                   /* seconds since 1970: %t of its name */
};

struct wick_output {
    int fd;    /* the file being written; -1 = none */
    int dirfd; /* -1 = one file */
    char base[WICK_OUTPUT_BASE_MAX + 1];
    uint64_t max_bytes, max_age_ns; /* 0 = no limit */
    uint64_t next_number;
    unsigned long wrap; /* at most so many files, and their numbers are taken modulo this; 0 = no such limit */
    struct wick_output_segment *segments; /* oldest first; the last one is being written */
    size_t count, cap;
    uint64_t removed;                     /* files removed to keep the limits */
    int (*take)(void *arg, uint64_t end); /* one file, and what is in it is taken away; NULL = it stays */
    void *take_arg;
    uint64_t taken; /* up to here */
};

/* One file: a regular, empty file open for writing, without O_APPEND. (Behind another recording the JDK's readers would
 * mix up the constants of both.) Takes fd over on success. 0, or -WICK_E_USAGE for another kind of descriptor. */
int wick_output_init_fd(struct wick_output *o, int fd);

/* The same behind a recording of this process: the writer's numbers must be others than that one's
 * (wick_drain_config.resumed). */
int wick_output_init_more(struct wick_output *o, int fd);

/* Files in a directory. base: a file name, or a pattern of one, without '/'. max_bytes, max_age_ns: 0 = no limit. Takes
 * dirfd over on success. 0, or -WICK_E_USAGE. */
int wick_output_init_dir(struct wick_output *o, int dirfd, const char *base, uint64_t max_bytes, uint64_t max_age_ns);

/* One file, as for _init_fd, whose chunks are taken out of it: take(arg, end) asks for everything before `end`, and
 * returns 0 if that was done. Where max_bytes are not taken no chunk begins. */
int wick_output_init_taken(struct wick_output *o, int fd, int (*take)(void *arg, uint64_t end), void *arg,
                           uint64_t max_bytes, uint64_t max_age_ns);

/* The base name of the files of a recording: the file's without directory and suffix. */
void wick_output_base_name(const char *file, char *out, size_t cap);

/* Closes the descriptors; the files stay. */
void wick_output_release(struct wick_output *o);

/* The output as the writer takes it; o must outlive the writer. */
struct wick_jfr_sink wick_output_sink(struct wick_output *o);

/* Makes a writer's chunks small enough for the output's limits to be kept in steps: at most a quarter of each. */
void wick_output_limit_chunks(const struct wick_output *o, struct wick_jfr_config *config);

/* The name of a file in the directory by place, 0 = oldest of o->count. False if there is none (one file, or i beyond
 * the end). */
bool wick_output_segment_name(const struct wick_output *o, size_t i, char out[WICK_OUTPUT_NAME_MAX]);

#endif
