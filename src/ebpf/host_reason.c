/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_reason.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "elf/kallsyms.h"

bool wick_host_verifier_reason(const char *log, char *reason, size_t cap)
{
    const char *end = strstr(log, "\nprocessed "), *line = end;
    if (!end)
        return false;
    while (line > log && line[-1] != '\n')
        line--;
    snprintf(reason, cap, "%.*s", (int)(end - line), line);
    return true;
}

struct attempt {
    wick_host_set_probe *set;
    void *arg;
    int error; /* of the last one */
    char name[128];
};

/* 1: the search is over. */
static int try_one(void *arg, const char *name)
{
    struct attempt *a = arg;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->error = a->set(a->arg, name);
    return a->error != ENOENT;
}

#define NEEDS \
    "-e sched needs the tracepoint sched_exit_tp (Linux 6.16), or a probe of the kernel's function " WICK_HOST_SWITCH
#define INSTEAD "-e cpu works; `wick record -e wall PID` shows what a JVM waits for"

/* Why there is no probe. listed: what the search in the kernel's symbols returned. */
static int explain(const struct attempt *a, int listed, struct wick_err *err)
{
    if (a->error == EPERM || a->error == EACCES)
        return wick_err_set(err, WICK_E_PERM,
                            NEEDS
                            ", and the kernel does not permit that probe: %s. Run as root, or with CAP_BPF and "
                            "CAP_PERFMON; a kernel that is locked down for confidentiality permits none. " INSTEAD,
                            strerror(a->error));
    if (a->error != ENOENT)
        return wick_err_set(err, WICK_E_UNSUPPORTED, NEEDS ", and that of %s fails: %s. " INSTEAD, a->name,
                            strerror(a->error));
    if (listed < 0)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            NEEDS ". The kernel has no function of that name, or no probes (CONFIG_KPROBES), and its "
                                  "variants cannot be looked up: /proc/kallsyms cannot be read. " INSTEAD);
    if (!*a->name)
        return wick_err_set(err, WICK_E_UNSUPPORTED,
                            NEEDS ", and this kernel was compiled without a function of that name. " INSTEAD);
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        NEEDS ". There is %s, but no probe can be set (CONFIG_KPROBES): %s. " INSTEAD, a->name,
                        strerror(a->error));
}

int wick_host_probe_switch(const char *symbols, wick_host_set_probe *set, void *arg, struct wick_err *err)
{
    struct attempt a = {.set = set, .arg = arg};
    int listed = 0;
    if (!try_one(&a, WICK_HOST_SWITCH)) {
        *a.name = 0; /* whether there is one shows the list */
        listed = wick_kallsyms_variants(symbols, WICK_HOST_SWITCH, try_one, &a);
    }
    return a.error ? explain(&a, listed, err) : 0;
}
