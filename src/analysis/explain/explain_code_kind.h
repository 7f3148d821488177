/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_code_kind.h - what kind of work of the JDK CPU time is, and for which function of the program
 *
 * Threads: pure functions.
 */
#ifndef WICK_ANALYSIS_EXPLAIN_EXPLAIN_CODE_KIND_H
#define WICK_ANALYSIS_EXPLAIN_EXPLAIN_CODE_KIND_H

#include "analysis/explain/explain_int.h"

enum wick_explain_code {
    WICK_CODE_OTHER, /* of the JDK, or the function itself */
#define CODE(NAME, name, text, advice) WICK_CODE_##NAME,
#include "def/code_kind.def"
    WICK_CODES
};

struct wick_explain_code_text {
    const char *name, *text, *advice;
};

extern const struct wick_explain_code_text wick_explain_codes[WICK_CODES];

/* The stack, cut at the program's function nearest to the leaf, 0 = it has none; what the JDK does for it. */
uint32_t wick_explain_user_of(const struct wick_profile *p, uint32_t stack, enum wick_explain_code *code);

/* Whether work on the way from the leaf to the program's function shows that particular kind; of kinds that no part of
 * the work shows, always. */
bool wick_explain_is_particular(const struct wick_profile *p, enum wick_explain_code particular, uint32_t stack,
                                uint32_t user);

/* The more particular kind that the work is, by what shows it in what the function (0 = any) has the JDK do of it. Of
 * loading classes: looking them up by name, if next to none of it defines one. */
enum wick_explain_code wick_explain_code_of_all(const struct wick_explain_facts *f, uint32_t function,
                                                enum wick_explain_code code);

/* Whether work of that kind which the function has the JDK do is of the particular one, by what shows that, or may be a
 * part of it: it is with numbers that are no longs. */
bool wick_explain_has_part(const struct wick_explain_facts *f, uint32_t function, enum wick_explain_code code,
                           enum wick_explain_code particular, bool *shown);

/* Whether that work comes from how something is asked for, and not from how much is. */
bool wick_explain_is_needless(enum wick_explain_code code);

/* Whether the method on top of the stack is one of the JDK that sorts. */
bool wick_explain_is_sort(const struct wick_profile *p, uint32_t stack);

/* Within a sort: the stack, cut at the method of the JDK that a comparison has called, between the leaf and the
 * program's function; 0 = there is none, or it costs next to nothing. */
uint32_t wick_explain_compared_by(const struct wick_profile *p, uint32_t stack, uint32_t user);

#endif
