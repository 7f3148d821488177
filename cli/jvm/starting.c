/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jvm/starting.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/ui.h"
#include "sys/procstat.h"

#define YOUNG_NS 10000000000u
#define NOTE_NS  500000000u

/* Time since the process was started; as old as can be if that cannot be read. */
static uint64_t age_ns(const struct wick_proc *p)
{
    uint64_t now = wick_clock_ns(CLOCK_BOOTTIME), born = UINT64_MAX;
    struct wick_procstat s;
    if (wick_procstat_read(p->dir, "stat", &s))
        born = s.start * wick_procstat_tick_ns();
    return born > now ? UINT64_MAX : now - born;
}

static bool is_ready(const struct wick_proc *p)
{
    struct wick_strbuf maps = WICK_STRBUF_INIT;
    char path[4096];
    bool unread = wick_proc_read(p, "maps", &maps) != 0;
    bool jvm = !unread && wick_proc_find_mapped(maps.buf, maps.len, "libjvm.so", path, sizeof path);
    wick_strbuf_release(&maps);
    return unread || (jvm ? wick_proc_has_signal(p->st.sig_caught, SIGQUIT) : strcmp(p->st.comm, "java") != 0);
}

void wick_starting_wait(struct wick_proc *p)
{
    uint64_t since = wick_clock_mono_ns();
    bool noted = false;
    while (p->st.state != 'T' && p->st.state != 't' && !wick_proc_gone(p) && !is_ready(p) && age_ns(p) < YOUNG_NS) {
        if (!noted && wick_clock_mono_ns() - since > NOTE_NS) {
            wick_ui_note("process %d is starting: waiting until it can be attached to", (int)p->pid);
            noted = true;
        }
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        if (wick_proc_refresh(p, NULL))
            return;
    }
}
