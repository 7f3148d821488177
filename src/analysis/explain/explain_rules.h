/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_rules.h - the rules of `wick explain` (def/explain.def) and what they find
 *
 * A finding is a rule that fired and its figures; the sentence is the rule's with the figures filled in.
 *
 * Memory:  malloc; wick_explain_findings_release frees all.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_RULES_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_RULES_H

#include <string.h>

#include "analysis/explain/explain_facts.h"
#include "analysis/wait/wait_kind.h"

/* Processors that a process used or needed for work, on average, from which on it counts as busy. */
#define WICK_EXPLAIN_BUSY 0.1
#define WICK_EXPLAIN_IDLE 0.02 /* below, it did next to nothing: it has no work, or stopped working */

/* Whose the cause is. Findings are ranked within their group. */
enum wick_explain_group {
    WICK_EXPLAIN_OF_MACHINE, /* CPUs, limits, memory, disks, neighbours */
    WICK_EXPLAIN_OF_JVM,     /* collections, safepoints, compilers, classes */
    WICK_EXPLAIN_OF_PROGRAM,
    WICK_EXPLAIN_OF_PROFILE, /* cautions about the profile itself, after all others */
    WICK_EXPLAIN_GROUPS
};

/* What the figures rest on. */
enum wick_explain_basis { WICK_EXPLAIN_BY_SAMPLES, WICK_EXPLAIN_BY_MEASURED, WICK_EXPLAIN_BY_ESTIMATE };

struct wick_explain_rule {
    const char *name, *measure, *evidence, *sentence, *advice;
    const char *view;  /* the event that shows it, "" = none does */
    const char *topic; /* for the headline */
    enum wick_explain_group group;
    enum wick_explain_basis basis;
    double threshold;
    bool busy; /* silent for an idle process */
    bool risk; /* its cost is no time of threads */
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
    double value;     /* ns, 0 to 1, bytes, a number */
    double low, high; /* the 95 % interval of a share; both 0 = not known */
    char *text;       /* of a text */
};

#define WICK_EXPLAIN_FIGURES 59 /* no sentence has more places */

/* An option of the views (`wick flame`, `wick top`) that selects what a finding rests on. */
struct wick_explain_filter {
    const char *option; /* "include", "state", "thread", "where" */
    char *value;        /* regular expressions are escaped */
};

#define WICK_EXPLAIN_FILTERS 4

/* A step of a chain of blame: what is waited for and where; "cpu" computes, "cpu-wait" is ready to run. */
struct wick_explain_step {
    const char *kind;
    char *frame;
    double share; /* of the time of the step before, in which its holder or task does this */
};

#define WICK_EXPLAIN_LINKS 4 /* after the first step */

struct wick_explain_finding {
    const struct wick_explain_rule *rule;
    const char *advice; /* in place of the rule's; NULL = that */
    double cost_ns;     /* thread time that is at stake: findings of a group are sorted by it */
    double rank_ns;     /* they are sorted by this instead, 0 = by the cost */
    uint32_t endpoint;  /* that it is about, a string; 0 = none */
    bool neutral;       /* it says where time goes, and nothing shows that this is a fault */
    bool led_to;        /* by what another finding is about, which comes first */
    bool remark;        /* nothing shows that it is of this program, or its fault */
    bool little;        /* it takes so little CPU time that it may be what the program is for */
    bool lone;          /* hardly more than one thread waits, and it is not seen for whom */
    bool lasting;       /* each of these waits is a long one, as far as that shows */
    bool in_request;    /* those who wait do so in a request, and nobody is seen to wait for what they hold */
    double held_up_ns;  /* time of those who wait for it by something else than futures */
    bool by_tasks;      /* those who wait for it wait for tasks of executors, and for nothing else */
    struct wick_explain_figure figures[WICK_EXPLAIN_FIGURES];
    struct wick_explain_filter filters[WICK_EXPLAIN_FILTERS];
    struct wick_explain_step steps[WICK_EXPLAIN_LINKS + 1];
    unsigned n, nfilters, nsteps;
    /* The stretch of time in which most of what it rests on happened, and the share of that; 0 = it goes on all of the
     * time, or that is not known. */
    int64_t when_from_ns, when_to_ns;
    double when_share;
    int64_t record_ns; /* 0 = decided; else: the samples are too few, a recording of that length should do */
};

/* Its figure of that name, NULL if it has none. */
static inline const struct wick_explain_figure *wick_explain_figure_of(const struct wick_explain_finding *r,
                                                                       const char *key)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!strcmp(r->figures[i].key, key))
            return &r->figures[i];
    return NULL;
}

/* Whether two are about the same function of the program, at whatever line. */
static inline bool wick_explain_same_function(const struct wick_explain_finding *a,
                                              const struct wick_explain_finding *b)
{
    const struct wick_explain_figure *x = wick_explain_figure_of(a, "frame"), *y = wick_explain_figure_of(b, "frame");
    size_t n = x ? strcspn(x->text, ":") : 0;
    return y && n && n == strcspn(y->text, ":") && !strncmp(x->text, y->text, n);
}

/* What it is sorted by. */
static inline double wick_explain_rank_of(const struct wick_explain_finding *r)
{
    return r->rank_ns > 0 ? r->rank_ns : r->cost_ns;
}

/* How the time went in which the program's threads have work: the parts add up to the whole. */
struct wick_explain_parts {
    double computed_ns;  /* on a CPU */
    double collector_ns; /* of the collector on a CPU, beside the program */
    double starved_ns;   /* ready to run, without a CPU */
    double waited_ns;    /* for others: locks, futures, peers, devices */
    double stalled_ns;   /* for the collector to free memory */
    double stopped_ns;   /* by collections */
};

/* On a CPU, ready without one, at a safepoint, waiting for memory, and each kind of wait. */
#define WICK_EXPLAIN_ACCOUNT_PARTS (4 + WICK_WAIT_KINDS)

/* How the wall time of an endpoint, or of a thread, went: the parts add up to it. */
struct wick_explain_account {
    uint32_t endpoint, thread; /* one of them; the other is 0 */
    double wall_ns, part_ns[WICK_EXPLAIN_ACCOUNT_PARTS];
};

struct wick_explain_findings {
    struct wick_explain_finding *rows; /* by group, that with most at stake first; in it what matters most first */
    size_t n, cap;
    size_t undecided; /* rows[n .. n + undecided): what so few samples do not decide */
    bool failed;      /* memory ran out */
    struct wick_explain_parts parts;
    struct wick_explain_account *accounts; /* endpoints, then threads, those with most time first */
    size_t naccounts, cap_accounts;
    bool idle;
    double busy; /* CPUs that it used or needed */
};

/* "samples", "measured" or "estimate". */
const char *wick_explain_basis_name(enum wick_explain_basis basis);

/* "cpu", "sleep", ...: stable. */
const char *wick_explain_part_name(unsigned part);

/* "machine", stable; "The machine". */
const char *wick_explain_group_name(enum wick_explain_group group);
const char *wick_explain_group_title(enum wick_explain_group group);

/* The sum of the parts. */
double wick_explain_whole(const struct wick_explain_parts *parts);

/* CPUs that the process may use, by its limits and the machine; 0 = not known. */
double wick_explain_cpus(const struct wick_explain_facts *f);

/* The most expensive finding of the group, NULL = it has none whose cost is time of threads. */
const struct wick_explain_finding *wick_explain_costliest(const struct wick_explain_findings *all,
                                                          enum wick_explain_group group);

/* Of the whole, what that finding has at stake, 0 to 1; -1 = there is none. */
double wick_explain_stake(const struct wick_explain_findings *all, enum wick_explain_group group);

/* Whether an OutOfMemoryError said that the heap was full. */
bool wick_explain_is_heap_full(const struct wick_explain_facts *f);

/* Whether who holds most of the heap is what the findings lack: it fills up, or collections cost much and leave it
 * full. */
bool wick_explain_asks_for_holder(const struct wick_explain_findings *all, const struct wick_explain_facts *f);

/* By how many class loaders grow, if they do, else 0. */
uint64_t wick_explain_loaders_grown(const struct wick_explain_findings *all);

/* Applies all rules. 0 or -WICK_E_NOMEM. */
int wick_explain_apply(struct wick_explain_findings *out, struct wick_explain_facts *f, struct wick_err *err);
void wick_explain_findings_release(struct wick_explain_findings *out);

#endif
