/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_rules.h - the rules of `wick explain` (def/explain.def) and what they find
 *
 * A finding is a rule that fired and its figures; the sentence is the rule's with the figures filled in.
 *
 * Threads: one at a time.
 * Memory:  malloc; wick_explain_findings_release frees all.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_RULES_H
#define WICK_ANALYSIS_EXPLAIN_RULES_H

#include "analysis/explain_facts.h"

/* Processors that a process used or wanted for work, on average, from which on it counts as busy. */
#define WICK_EXPLAIN_BUSY 0.1

struct wick_explain_rule {
    const char *name, *measure, *evidence, *sentence, *advice;
    double threshold;
    bool busy; /* silent for an idle process */
};

enum wick_explain_rule_id {
#define X(NAME, ...) WICK_EXPLAIN_RULE_##NAME,
#include "def/explain.def"
#undef X
    WICK_EXPLAIN_RULES
};

extern const struct wick_explain_rule wick_explain_rules[WICK_EXPLAIN_RULES];

enum wick_explain_unit {
    WICK_EXPLAIN_TEXT,
    WICK_EXPLAIN_TIME,
    WICK_EXPLAIN_SHARE,
    WICK_EXPLAIN_BYTES,
    WICK_EXPLAIN_NUMBER
};

struct wick_explain_figure {
    const char *key;
    enum wick_explain_unit unit;
    double value; /* ns, 0 to 1, bytes, a number */
    char *text;   /* of a text */
};

#define WICK_EXPLAIN_FIGURES 16 /* no sentence has more places */

struct wick_explain_finding {
    const struct wick_explain_rule *rule;
    const char *advice; /* in the place of the rule's; NULL = that */
    double cost_ns;     /* thread time that is at stake: findings are sorted by it */
    struct wick_explain_figure figures[WICK_EXPLAIN_FIGURES];
    unsigned n;
};

struct wick_explain_findings {
    struct wick_explain_finding *rows; /* what matters most first; words of caution last */
    size_t n, cap;
    bool failed; /* memory ran out */
};

/* Applies all rules. 0 or -WICK_E_NOMEM. */
int wick_explain_apply(struct wick_explain_findings *out, struct wick_explain_facts *f, struct wick_err *err);
void wick_explain_findings_release(struct wick_explain_findings *out);

#endif
