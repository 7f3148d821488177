/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - errors as answers: {error, why, what_to_do} and a status
 *
 * Memory:  the reply's body is malloc'ed, or lasting if there was none.
 */
#ifndef WICK_SERVE_REPLY_H
#define WICK_SERVE_REPLY_H

#include "base/err.h"
#include "serve/http.h"

/* What to do about an error with that code, "" = nothing that is known here. Lasting. */
const char *wick_reply_advice(int code);

/* Makes r an error of these texts. error: a word for programs. */
void wick_reply_error(struct wick_http_reply *r, int status, const char *error, const char *why,
                      const char *what_to_do);

/* Makes r the error that err says, with its status and word. */
void wick_reply_failure(struct wick_http_reply *r, const struct wick_err *err, const char *advice);

#endif
