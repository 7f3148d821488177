/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - source files of the classes that recordings name
 *
 * A recording has the names of classes, and may be hostile: a name leads to plain files of a language of the JVM below
 * the folders that were given. Links between folders are followed inside these only, a file that is a link is not.
 *
 * Threads: any, once all folders are there.
 * Memory:  a descriptor a folder; freed by wick_sources_release.
 */
#ifndef WICK_SERVE_SOURCES_H
#define WICK_SERVE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"

enum { WICK_SOURCES_FOLDERS = 32 };

struct wick_sources {
    int folder[WICK_SOURCES_FOLDERS]; /* O_PATH */
    unsigned n;
};

/* Adds a folder of source files, or one of a project that has them below src/main/java and the like. -WICK_E_NOTFOUND,
 * _PERM, _USAGE (no folder), _LIMIT, with a message. */
int wick_sources_add(struct wick_sources *s, const char *path, struct wick_err *err);
void wick_sources_release(struct wick_sources *s);

/* Appends the path of a class's source file below its folder, without extension: of "a/b/C$D" that is "a/b/C". False
 * if there can be none. */
bool wick_sources_name(const char *class_name, size_t len, struct wick_strbuf *out);

/* Finds the file of such a name: its text is appended to text, where it was found to path. False if there is none. */
bool wick_sources_find(const struct wick_sources *s, const char *name, struct wick_strbuf *text,
                       struct wick_strbuf *path);

#endif
