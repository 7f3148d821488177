/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_space.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "labels/process_context.h"
#include "sys/maps.h"

/* Whether n bytes at addr have none of a mapping that is left out. */
static bool is_open(const struct wick_host_space *s, wick_addr addr, size_t n)
{
    uint32_t lo = 0, hi = s->nclosed;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->closed[mid].hi <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == s->nclosed || (s->closed[lo].lo > addr && n <= s->closed[lo].lo - addr);
}

static int read_open(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    const struct wick_host_space *s = m->ctx;
    return n <= UINT64_MAX - addr && is_open(s, addr, n) ? wick_mem_read(&s->all, addr, buf, n) : -WICK_E_FAULT;
}

int wick_host_space_open(struct wick_host_space *s, int pid, struct wick_host_devices *devices)
{
    char path[32];
    *s = (struct wick_host_space){.pid = pid, .maps_fd = -1, .devices = devices, .all.fd = -1};
    int rc = wick_mem_space_init(&s->all, pid, NULL);
    if (rc)
        return rc == -WICK_E_NOTFOUND ? -WICK_E_GONE : rc;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    s->maps_fd = open(path, O_RDONLY | O_CLOEXEC);
    s->mem = (struct wick_mem){.read = read_open, .ctx = s, .pid = pid, .fd = -1};
    if (s->maps_fd >= 0)
        return 0;
    wick_host_space_close(s);
    return -WICK_E_GONE;
}

void wick_host_space_close(struct wick_host_space *s)
{
    if (s->mem.read)
        wick_mem_release(&s->all);
    if (s->maps_fd >= 0 && s->mem.read)
        close(s->maps_fd);
    free(s->closed);
    *s = (struct wick_host_space){.maps_fd = -1};
}

static bool leave_out(struct wick_host_space *s, wick_addr lo, wick_addr hi)
{
    if (s->nclosed && s->closed[s->nclosed - 1].hi == lo) {
        s->closed[s->nclosed - 1].hi = hi;
        return true;
    }
    if (s->nclosed == s->cap_closed) {
        uint32_t cap = s->cap_closed ? s->cap_closed * 2 : 8;
        void *bigger = reallocarray(s->closed, cap, sizeof *s->closed);
        if (!bigger)
            return false;
        s->closed = bigger;
        s->cap_closed = cap;
    }
    s->closed[s->nclosed++] = (struct wick_host_range){lo, hi};
    return true;
}

int wick_host_space_refresh(struct wick_host_space *s)
{
    struct wick_maps maps;
    struct wick_mapping m;
    wick_addr context_at = 0;
    int rc, seen = 0;
    s->nclosed = 0;
    wick_maps_begin(&maps, s->maps_fd);
    wick_host_devices_update(s->devices, s->pid);
    while ((rc = wick_maps_next(&maps, &m)) == 1) {
        seen++;
        if (!context_at && wick_process_context_is_named(m.path))
            context_at = m.lo;
        if (m.file && !wick_host_devices_allow(s->devices, wick_host_device(m.major, m.minor)) &&
            !leave_out(s, m.lo, m.hi)) {
            rc = -WICK_E_NOMEM;
            break;
        }
    }
    if (!rc && seen) {
        s->context_at = context_at;
        return 0;
    }
    s->nclosed = 0;
    if (!leave_out(s, 0, UINT64_MAX)) /* without memory for that, its memory goes */
        wick_mem_release(&s->all), s->all.fd = -1;
    return rc ? rc : -WICK_E_GONE;
}
