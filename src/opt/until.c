/* SPDX-License-Identifier: Apache-2.0 */
/* A time of day as the end of something: see wick_opt_until() in option.h. */
#include <time.h>

#include "opt/option.h"

enum { ANY = -1 };

/* One or two digits below `limit`, or a star. */
static bool parse_part(const char **s, int limit, int *out)
{
    const char *p = *s;
    if (*p == '*') {
        *out = ANY;
        *s = p + 1;
        return true;
    }
    int v = 0, digits = 0;
    for (; *p >= '0' && *p <= '9' && digits < 3; p++, digits++)
        v = v * 10 + (*p - '0');
    if (!digits || digits > 2 || v >= limit)
        return false;
    *out = v;
    *s = p;
    return true;
}

int wick_opt_until(const char *s, int64_t now, uint64_t *ns)
{
    int hour, minute, second = 0;
    time_t t = (time_t)now;
    struct tm tm;
    if (!parse_part(&s, 24, &hour) || *s++ != ':' || !parse_part(&s, 60, &minute))
        return -WICK_E_USAGE;
    if (*s && (*s++ != ':' || !parse_part(&s, 60, &second)))
        return -WICK_E_USAGE;
    if (*s || !localtime_r(&t, &tm))
        return -WICK_E_USAGE;
    if (hour != ANY)
        tm.tm_hour = hour;
    if (minute != ANY)
        tm.tm_min = minute;
    if (second != ANY)
        tm.tm_sec = second;
    tm.tm_isdst = -1;
    int64_t then = (int64_t)mktime(&tm);
    if (then <= now && hour != ANY) {
        tm.tm_mday++; /* not 86,400 s: a day may have 23 or 25 hours */
        tm.tm_isdst = -1;
        then = (int64_t)mktime(&tm);
    } else if (then <= now) {
        then += minute != ANY ? 3600 : 60;
    }
    if (then <= now)
        return -WICK_E_USAGE;
    *ns = (uint64_t)(then - now) * 1000000000u;
    return 0;
}
