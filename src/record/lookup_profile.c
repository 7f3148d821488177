/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup_profile.c - see lookup_profile.h
 */
#include "record/lookup_profile.h"

#include <stdlib.h>
#include <string.h>

#include "hotspot/lookups.h"

enum { METHODS_MOST = 4096, OF_ONE = 8, CALLS_LEAST = 100, BYTECODES_MOST = 1024 };

static bool is_of_jdk(const struct wick_hs_method *m)
{
    static const char *const begins[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (m->class_len >= strlen(begins[i]) && !memcmp(m->data, begins[i], strlen(begins[i])))
            return true;
    return !m->class_len; /* a stub */
}

/* The method may have been unloaded since, and something else be where it was. */
static bool is_still(const struct wick_jvm *jvm, const struct wick_mem *mem, const struct wick_hs_method_id *id)
{
    struct wick_hs_method_id now;
    return !wick_hs_method_identity(jvm, mem, id->method, &now) && !memcmp(&now, id, sizeof now);
}

/* The lines from the first of the bytecodes that run where nothing was found to the furthest of them. */
static void lines_of(const struct wick_hs_method *m, const struct wick_hs_lookup *l, uint8_t excluded, uint32_t *first,
                     uint32_t *last)
{
    *first = *last = wick_hs_method_line(m, l->miss_from, excluded);
    for (uint32_t bci = l->miss_from; bci < l->miss_to && bci - l->miss_from < BYTECODES_MOST; bci++) {
        uint32_t line = wick_hs_method_line(m, bci, excluded);
        *last = line > *last ? line : *last;
    }
}

static void write(struct wick_tables *t, uint32_t method, const struct wick_hs_lookup *l, uint8_t excluded,
                  struct wick_jfr_writer *w, uint64_t now_ns)
{
    const struct wick_hs_method *m = wick_tables_method_data(t, method);
    uint32_t first, last, line = wick_hs_method_line(m, l->bci, excluded);
    if (l->found + l->missed < CALLS_LEAST)
        return;
    lines_of(m, l, excluded, &first, &last);
    if (!first || (line >= first && line <= last)) /* samples do not say which of the two they are of */
        return;
    uint32_t stack = wick_tables_node_sig(t, 0, WICK_FRAME_JAVA(WICK_FRAME_INTERPRETED, method, (int32_t)l->bci));
    if (!stack)
        return;
    wick_jfr_write_lookup_profile(w, &(struct wick_jfr_lookup_profile){.start_ns = now_ns,
                                                                       .stack = stack,
                                                                       .callee = l->callee,
                                                                       .found = l->found,
                                                                       .missed = l->missed,
                                                                       .first_line = first,
                                                                       .last_line = last});
}

void wick_lookup_profile_write(struct wick_tables *t, const struct wick_jvm *jvm, const struct wick_mem *mem,
                               struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_hs_lookup_room *room = malloc(sizeof *room);
    struct wick_hs_lookup *found = calloc(OF_ONE, sizeof *found);
    uint32_t n = wick_load_relaxed(&t->method_count), tried = 0;
    n = n < t->method_cap ? n : t->method_cap; /* handlers count on where it is full */
    for (uint32_t i = 1; room && found && i < n && tried < METHODS_MOST; i++) {
        const struct wick_hs_method_id *id = &t->methods[i].id;
        if (!t->methods[i].data || !id->const_method || is_of_jdk(wick_tables_method_data(t, i)))
            continue; /* not filled in yet, a stub, or the JDK's */
        tried++;
        if (!is_still(jvm, mem, id))
            continue;
        int lookups = wick_hs_lookups(jvm, mem, id, room, found, OF_ONE);
        lookups = lookups && is_still(jvm, mem, id) ? lookups : 0;
        for (int k = 0; k < lookups; k++)
            write(t, i, &found[k], jvm->major >= 20, w, now_ns);
    }
    free(room);
    free(found);
}
