/* SPDX-License-Identifier: Apache-2.0 */
#include "opt/events.h"

#include <string.h>

int wick_opt_events(const struct wick_session_opts *o, struct wick_opt_events *out, struct wick_err *err)
{
    struct wick_opt_events e = {.cpu_interval = o->interval_ns, .wall_ns = o->wall_ns, .ttsp = o->ttsp};
    bool wall = false;
    for (const char *p = o->event;; p++) {
        size_t n = strcspn(p, ",");
        if (n == 4 && !memcmp(p, "wall", 4)) {
            wall = true;
        } else if (n == 4 && !memcmp(p, "ttsp", 4)) {
            e.ttsp = true;
        } else if (!n || e.cpu[0]) {
            return wick_err_set(
                err, WICK_E_USAGE,
                "option event: '%.100s' is not a list of at most one event, wall and ttsp (-e cpu,wall)", o->event);
        } else {
            memcpy(e.cpu, p, n);
            e.cpu[n] = 0;
        }
        p += n;
        if (!*p)
            break;
    }
    /* a bare -i is that of the only event; beside another one the wall clock has its own */
    if (wall && !e.wall_ns)
        e.wall_ns = e.cpu[0] ? WICK_OPT_WALL_DEFAULT_NS : o->interval_ns;
    *out = e;
    return 0;
}
