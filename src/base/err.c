/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    int exit_code;
} classes[WICK_E_COUNT] = {
    [WICK_OK] = {"success", 0},
#define X(name, exit_code, text) [WICK_E_##name] = {text, exit_code},
#include "def/err.def"
#undef X
};

int wick_err_set(struct wick_err *err, enum wick_code code, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(err->msg, sizeof err->msg, fmt, ap);
        va_end(ap);
        err->code = (int)code;
    }
    return -(int)code;
}

int wick_err_prefix(struct wick_err *err, const char *fmt, ...)
{
    if (!err || !err->code)
        return 0;
    char old[sizeof err->msg];
    memcpy(old, err->msg, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    int room = (int)sizeof err->msg - n - (int)sizeof ": ";
    if (n >= 0 && room > 0)
        snprintf(err->msg + n, sizeof err->msg - (size_t)n, ": %.*s", room, old);
    return -err->code;
}

static int class_of(int code)
{
    if (code < 0)
        code = -code;
    return code < WICK_E_COUNT ? code : WICK_E_IO;
}

const char *wick_err_text(int code)
{
    return classes[class_of(code)].text;
}

int wick_err_exit(int code)
{
    return classes[class_of(code)].exit_code;
}
