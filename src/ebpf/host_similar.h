/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_similar.h - of many names those that resemble one that does not exist, for a message
 */
#ifndef WICK_EBPF_HOST_SIMILAR_H
#define WICK_EBPF_HOST_SIMILAR_H

#include <stddef.h>

enum { WICK_HOST_SIMILAR = 4, WICK_HOST_SIMILAR_NAME = 96 };

struct wick_host_similar {
    const char *name; /* borrowed: what was asked for */
    size_t tail;      /* bytes before the part of it that matters most: those of "sched:" */
    struct {
        char name[WICK_HOST_SIMILAR_NAME];
        size_t score;
    } best[WICK_HOST_SIMILAR]; /* in ascending order of score */
    unsigned n;
};

/* Another name that exists. */
void wick_host_similar_add(struct wick_host_similar *s, const char *name);

/* Writes "; similar: a, b", or nothing if none was. */
void wick_host_similar_text(const struct wick_host_similar *s, char *text, size_t cap);

#endif
