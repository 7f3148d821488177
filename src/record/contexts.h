/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contexts.h - labels and spans as the recording shows them
 *
 * Threads: one (the drain thread).
 */
#ifndef WICK_RECORD_CONTEXTS_H
#define WICK_RECORD_CONTEXTS_H

#include "jfr/writer/writer.h"
#include "labels/labels.h"
#include "record/recorder.h"

/* Room for the texts of a context that are made of others. */
struct wick_context_words {
    char trace[33], span[17];
    char labels[WICK_LABELS_TEXT_MAX * 2];
};

/* A context in words. Ids are lower-case hexadecimal and stand in *words, as do labels with what is waited for; the
 * other strings live as long as the process. */
void wick_contexts_show(const struct wick_labels *l, const struct wick_context *c, struct wick_context_words *words,
                        struct wick_jfr_context *out);

/* The number of a thread under the name that it had at that time. */
typedef uint32_t wick_span_thread(void *arg, uint32_t serial, uint64_t time_ns);

/* Writes the spans that have ended as wick.Span. named may be NULL. */
void wick_contexts_write_spans(struct wick_labels *l, struct wick_jfr_writer *w, wick_span_thread *named, void *arg);

/* Spans of before the recording are nobody's: throws them away and notes where the counters stand. */
void wick_contexts_begin(struct wick_labels *l, struct wick_labels_totals *base);

/* Writes wick.Labels: the counters since `base`. */
void wick_contexts_write_labels(struct wick_labels *l, const struct wick_labels_totals *base,
                                const struct wick_totals *samples, struct wick_jfr_writer *w, uint64_t now_ns);

#endif
