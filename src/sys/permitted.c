/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/permitted.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/proc.h"

static void read_capabilities(struct wick_permitted *out)
{
    const uint64_t perfmon = (uint64_t)1 << CAP_PERFMON | (uint64_t)1 << CAP_SYS_ADMIN;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    struct wick_proc_status st = {.seccomp = -1};
    if (!wick_proc_read_at(AT_FDCWD, "/proc/self/status", &sb))
        wick_proc_parse_status(sb.buf, sb.len, &st);
    wick_strbuf_release(&sb);
    out->seccomp = st.seccomp;
    out->privileged = (st.cap_effective & perfmon) != 0;
}

/* Tries to open an event on ourselves. 0 or errno. */
static int try_event(uint32_t type, uint64_t config, bool kernel)
{
    struct perf_event_attr a = {.type = type,
                                .size = sizeof a,
                                .config = config,
                                .sample_period = 1000000,
                                .sample_type = PERF_SAMPLE_IP,
                                .disabled = 1,
                                .exclude_kernel = !kernel,
                                .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static bool has_kernel_addresses(void)
{
    unsigned long long address = 0;
    FILE *f = fopen("/proc/kallsyms", "re");
    bool read = f && fscanf(f, "%llx", &address) == 1;
    if (f)
        fclose(f);
    /* The first symbol may truly be at 0 (per-cpu); any non-zero one proves readability. */
    if (read && !address && (f = fopen("/proc/kallsyms", "re"))) {
        char line[512];
        for (int i = 0; i < 50000 && !address && fgets(line, sizeof line, f); i++)
            address = strtoull(line, NULL, 16);
        fclose(f);
    }
    return address != 0;
}

void wick_permitted_read(struct wick_permitted *out)
{
    struct rlimit files = {0};
    *out = (struct wick_permitted){.paranoid = 99, .kptr_restrict = -1, .rate = -1, .mlock_kb = -1};
    read_capabilities(out);
    out->user = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false);
    out->kernel = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true);
    out->hardware = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
    out->has_perf = wick_proc_number("/proc/sys/kernel/perf_event_paranoid", &out->paranoid);
    out->symbols = has_kernel_addresses();
    (void)wick_proc_number("/proc/sys/kernel/kptr_restrict", &out->kptr_restrict);
    out->tracefs =
        !access("/sys/kernel/tracing/events", R_OK | X_OK) || !access("/sys/kernel/debug/tracing/events", R_OK | X_OK);
    (void)getrlimit(RLIMIT_NOFILE, &files);
    out->files = files.rlim_cur;
    out->files_most = files.rlim_max;
    (void)wick_proc_number("/proc/sys/kernel/perf_event_max_sample_rate", &out->rate);
    (void)wick_proc_number("/proc/sys/kernel/perf_event_mlock_kb", &out->mlock_kb);
}
