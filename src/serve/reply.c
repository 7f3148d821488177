/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/reply.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/json.h"

static int status_of(int code)
{
    switch (code) {
    case WICK_E_USAGE:
        return 400;
    case WICK_E_PERM:
    case WICK_E_DISABLED:
        return 403;
    case WICK_E_NOTFOUND:
    case WICK_E_NOTJVM:
        return 404;
    case WICK_E_STATE:
    case WICK_E_GONE:
    case WICK_E_UNSUPPORTED:
        return 409;
    case WICK_E_FORMAT:
        return 422;
    case WICK_E_LIMIT:
        return 429;
    default:
        return 500;
    }
}

/* The word for an error. */
static const char *word_for(int status)
{
    switch (status) {
    case 400:
        return "bad_request";
    case 403:
        return "refused";
    case 404:
        return "not_found";
    case 409:
        return "not_possible_now";
    case 422:
        return "unreadable";
    case 429:
        return "too_many";
    default:
        return "failed";
    }
}

const char *wick_reply_advice(int code)
{
    switch (code) {
    case WICK_E_USAGE:
        return "/api/v1/openapi.json lists the parameters and what they take";
    case WICK_E_NOTFOUND:
        return "/api/v1/recordings lists the recordings and their events";
    case WICK_E_LIMIT:
        return "close other pages, or stop a recording, and try again";
    case WICK_E_FORMAT:
        return "record again, or open another file";
    case WICK_E_NOSPACE:
        return "free some space there, or start wick ui with --dir and a folder that has room; what was written until "
               "then can be read";
    default:
        return "";
    }
}

void wick_reply_error(struct wick_http_reply *r, int status, const char *error, const char *why, const char *what_to_do)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct wick_json j = {.out = out};
    *r =
        (struct wick_http_reply){.status = status, .type = "application/json", .body = "{}", .len = 2, .lasting = true};
    if (!out)
        return;
    wick_json_open(&j, '{');
    wick_json_key(&j, "error");
    wick_json_cstr(&j, error);
    wick_json_key(&j, "why");
    wick_json_cstr(&j, why);
    wick_json_key(&j, "what_to_do");
    wick_json_cstr(&j, what_to_do);
    wick_json_close(&j, '}');
    if (ferror(out) | fclose(out)) {
        free(text);
        return;
    }
    r->body = text;
    r->len = len;
    r->lasting = false;
}

void wick_reply_failure(struct wick_http_reply *r, const struct wick_err *err, const char *advice)
{
    int status = status_of(err->code);
    wick_reply_error(r, status, word_for(status), err->msg, advice);
}
