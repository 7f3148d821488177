/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first kernel with bpf_loop(). */
enum { KERNEL_MAJOR = 5, KERNEL_MINOR = 17 };

/* The first one that waits were recorded on: sched_switch has the state of the thread that leaves, and the runs of
 * another CPU can be looked up. */
enum { WAITS_MAJOR = 6, WAITS_MINOR = 1 };

#define INSTEAD                                                                                                     \
    "Without it: `wick record --perf -a` records the whole machine through perf, and `wick record PID` one JVM as " \
    "its own user"

int wick_host_failure(int error, bool waits, bool refused, const char *complaint, struct wick_err *err)
{
    struct utsname u;
    int major = 0, minor = 0;
    if (!uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
        (major < KERNEL_MAJOR || (major == KERNEL_MAJOR && minor < KERNEL_MINOR)))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "wick host needs Linux 5.17 or newer (bpf_loop), and this is %.60s. " INSTEAD, u.release);
    if (waits && (major < WAITS_MAJOR || (major == WAITS_MAJOR && minor < WAITS_MINOR)))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "-e sched needs Linux 6.1 or newer, and this is %.60s. -e cpu "
                            "works; `wick record -e wall PID` shows what a JVM waits for",
                            u.release);
    if (access("/sys/kernel/btf/vmlinux", R_OK))
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            "wick host needs a kernel that describes its types in /sys/kernel/btf/vmlinux "
                            "(CONFIG_DEBUG_INFO_BTF). " INSTEAD);
    if (error == EPERM || (error == EACCES && !refused)) /* the verifier says EACCES as well */
        return wick_err_set(err, WICK_E_PERM,
                            "the kernel does not let this process load BPF programs: run as root, or with CAP_BPF, "
                            "CAP_PERFMON, CAP_SYS_PTRACE and CAP_CHECKPOINT_RESTORE. " INSTEAD);
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        "this kernel does not accept the program of wick host: %s%s%.*s. " INSTEAD, strerror(error),
                        *complaint ? ": " : "", (int)strcspn(complaint, "\n"), complaint);
}
