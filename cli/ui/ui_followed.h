/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_followed.h - the spans, waits for locks, slow safepoints, disturbances, live objects and facts of a recording,
 * read once
 *
 * Several views show the same of a recording, one after another and while it grows. What was read for the last of them
 * is kept, and the file is read on from there: of each kind that of one file, as long as all kinds together take at
 * most 192 MiB, and what was asked about in the last half minute whatever it takes. A file that was replaced, or went
 * on after it had been read to its end, is read anew. Where a part is enough (wick_serve_file.until_ns), a call reads a
 * step of it, at least as long as the answer before took. Files that are asked about in turn are read as a whole from
 * the second time on.
 *
 * Threads: one at a time: what a function returns is good until the next call of any of them.
 * Memory:  as said; freed by wick_ui_followed_forget.
 */
#ifndef WICK_CLI_UI_UI_FOLLOWED_H
#define WICK_CLI_UI_UI_FOLLOWED_H

#include "analysis/explain/explain_facts.h"
#include "analysis/memory/live_growth.h"
#include "analysis/owner/trace_locks.h"
#include "analysis/span/spans.h"
#include "analysis/wait/disturbances.h"
#include "analysis/wait/lock_waits.h"
#include "analysis/wait/ttsp_incidents.h"
#include "serve/serve.h"

/* NULL and a message on failure. */
struct wick_spans *wick_ui_followed_spans(const struct wick_serve_file *file, struct wick_err *err);
struct wick_trace_locks *wick_ui_followed_traces(const struct wick_serve_file *file, struct wick_err *err);
struct wick_lock_waits *wick_ui_followed_locks(const struct wick_serve_file *file, struct wick_err *err);
struct wick_ttsp_incidents *wick_ui_followed_safepoints(const struct wick_serve_file *file, struct wick_err *err);
struct wick_disturbances *wick_ui_followed_disturbances(const struct wick_serve_file *file, struct wick_err *err);

/* Live objects over time, by class or by method, of a range of time; as of the moments that are complete. */
struct wick_growth *wick_ui_followed_growth(const struct wick_serve_file *file, const struct wick_range *range,
                                            bool by_class, struct wick_err *err);

/* What has been read so far, for rules, of a range of time; that of one range is kept beside that of all of the
 * recording. To be released (wick_explain_so_far_release) also on failure, before the next
 * call. 0 or -WICK_E_* with a message. */
int wick_ui_followed_explain(const struct wick_serve_file *file, const struct wick_range *range,
                             struct wick_explain_facts *now, struct wick_err *err);

/* After an answer: forgets what is too large to be kept. And all. */
void wick_ui_followed_trim(void);
void wick_ui_followed_forget(void);

#endif
