/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as people write them: see wick_opt_when() in option.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opt/option.h"

#define NS_PER_S INT64_C(1000000000)
#define DAY_NS   (86400 * NS_PER_S)

/* Digits behind a point as nanoseconds. False if something else follows. */
static bool parse_fraction(const char *s, int64_t *ns)
{
    int64_t unit = NS_PER_S / 10;
    *ns = 0;
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9'; s++, unit /= 10)
            *ns += (*s - '0') * unit;
    return !*s || (*s == 'Z' && !s[1]);
}

static bool parse_absolute(const char *text, int64_t start_ns, int64_t *out)
{
    struct tm tm = {0};
    int64_t fraction, day = start_ns - start_ns % DAY_NS;
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        rest = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
    if (rest && parse_fraction(rest, &fraction)) {
        *out = (int64_t)timegm(&tm) * NS_PER_S + fraction;
        return true;
    }
    tm = (struct tm){0};
    rest = strptime(text, "%H:%M:%S", &tm);
    if (!rest || !parse_fraction(rest, &fraction))
        return false;
    *out = day + (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * NS_PER_S + fraction;
    if (*out < start_ns - NS_PER_S) /* the recording went over midnight */
        *out += DAY_NS;
    return true;
}

int wick_opt_when(const char *text, int64_t start_ns, int64_t end_ns, int64_t *out)
{
    uint64_t ns;
    char *end;
    double share = strtod(text, &end);
    if (end != text && end[0] == '%' && !end[1] && share >= 0 && share <= 100) {
        *out = start_ns + (int64_t)((double)(end_ns - start_ns) * share / 100);
        return 0;
    }
    if (*text == '@' && strtod(text + 1, &end) > 0 && !*end) {
        int64_t seconds = strtoll(text + 1, &end, 10), fraction;
        if (seconds > INT64_MAX / NS_PER_S - 1 || !parse_fraction(end, &fraction))
            return -WICK_E_USAGE;
        *out = seconds * NS_PER_S + fraction;
        return 0;
    }
    if (parse_absolute(text, start_ns, out))
        return 0;
    if (wick_opt_time(text + (*text == '-' || *text == '+'), NS_PER_S, &ns))
        return -WICK_E_USAGE;
    *out = *text == '-' ? end_ns - (int64_t)ns : start_ns + (int64_t)ns;
    return 0;
}
