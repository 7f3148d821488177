/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - the events and types of wick's recordings as data, made from def/event.def and def/jfr_type.def
 *
 * Threads: constants, and one pure function.
 * Memory:  the metadata is appended to the caller's buffer.
 */
#ifndef WICK_JFR_FORMAT_SCHEMA_H
#define WICK_JFR_FORMAT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Places in def/event.def. */
enum wick_jfr_event_id {
#define EVENT(N, n, ...) WICK_JFR_EVENT_##N,
#define FIELD(...)
#define EXTRA(...)
#define END(...)
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
    WICK_JFR_EVENT_COUNT
};

/* Type ids in wick's chunks: 0 and 1 are the format's own (jfr_format.h), then the events, then the other types. */
enum wick_jfr_type_id {
    WICK_JFR_TYPE_FIRST = 1,
#define EVENT(N, n, ...) WICK_JFR_TYPE_EVENT_##N,
#define FIELD(...)
#define EXTRA(...)
#define END(...)
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
#define TYPE(N, ...) WICK_JFR_TYPE_##N,
#define MEMBER(...)
#include "def/jfr_type.def"
#undef TYPE
#undef MEMBER
    WICK_JFR_TYPE_END,
    WICK_JFR_TYPE_NONE = 0, /* "no annotation" in the tables below */
};

/* Where readers that know only async-profiler's fields expect the type of the next event (def/event.def, EXTRA). The
 * ids of def/sample_kind.def follow it. */
#define WICK_JFR_EXTRA_TYPE 125
_Static_assert(WICK_JFR_TYPE_END <= WICK_JFR_EXTRA_TYPE, "type ids take one byte and are no extra fields'");

/* Every field of every event, in order. */
enum wick_jfr_field_id {
#define EVENT(...)
#define FIELD(N, kind, member, ...) WICK_JFR_FIELD_##N##_##member,
#define EXTRA                       FIELD
#define END(...)
#include "def/event.def"
#undef EVENT
#undef FIELD
#undef EXTRA
#undef END
    WICK_JFR_FIELD_COUNT
};

/* What an event field can be (def/jfr_kind.def). */
enum wick_jfr_kind {
#define X(K, ...) WICK_JFR_KIND_##K,
#include "def/jfr_kind.def"
#undef X
    WICK_JFR_KINDS
};

struct wick_jfr_kind_info {
    const char *name;
    enum wick_jfr_type_id type;
    bool pool;
    enum wick_jfr_type_id annotation;
    const char *annotation_value; /* NULL: none */
    const char *unit;             /* for people; "" = none */
};

struct wick_jfr_event_info {
    const char *jfr_name, *label, *category, *subcategory, *description; /* the last two may be NULL */
    enum wick_jfr_field_id first_field, end_field;
};

struct wick_jfr_field_info {
    enum wick_jfr_kind kind;
    const char *jfr_name, *label, *description; /* description may be NULL */
};

extern const struct wick_jfr_kind_info wick_jfr_kinds[WICK_JFR_KINDS];
extern const struct wick_jfr_event_info wick_jfr_events[WICK_JFR_EVENT_COUNT];
extern const struct wick_jfr_field_info wick_jfr_fields[WICK_JFR_FIELD_COUNT];

/* The type id of an event, for jdk.ActiveSetting's field `id`. */
static inline uint64_t wick_jfr_event_type_id(enum wick_jfr_event_id e)
{
    return WICK_JFR_TYPE_FIRST + 1 + (uint64_t)e;
}

/* Appends the body of the metadata event to out: what follows its head (size, type, start, duration, id), the same for
 * every chunk. 0 or -WICK_E_NOMEM, after which what was appended is of no use. */
int wick_jfr_schema_metadata(struct wick_strbuf *out);

#endif
