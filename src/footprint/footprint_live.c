/* SPDX-License-Identifier: Apache-2.0 */
#include "footprint/footprint_live.h"

#include <stdio.h>
#include <string.h>

#include "hotspot/value.h"
#include "sys/attach.h"

/* How long the JVM may take to count its memory: with detail it goes through all places of allocation. */
#define NMT_NS 10000000000ull

enum { A_STEP = 256 };

int wick_footprint_live_open(struct wick_footprint_live *l, struct wick_proc *p, struct wick_err *err)
{
    char pid[16];
    memset(l, 0, sizeof *l);
    int rc = wick_remote_open(&l->remote, p->pid, err);
    if (rc)
        return rc;
    l->proc = p;
    snprintf(pid, sizeof pid, "%d", (int)p->pid);
    l->nlevels = wick_cgroup_levels("", pid, WICK_CGROUP_MEMORY, l->levels, WICK_CGROUP_LEVELS);
    wick_footprint_open(&l->jvm, &l->remote.jvm);
    return 0;
}

void wick_footprint_live_close(struct wick_footprint_live *l)
{
    wick_remote_close(&l->remote);
}

/* Whether the JVM tracks its native memory, by -XX:NativeMemoryTracking as it is now: "off", "summary" or "detail". */
static void read_tracking(const struct wick_jvm *jvm, char *mode, size_t cap)
{
    wick_addr flag = jvm->flag[WICK_JVM_FLAG_NATIVE_MEMORY_TRACKING], text = flag ? wick_hs_u64(jvm->mem, flag) : 0;
    if (!text || wick_mem_read_str(jvm->mem, text, mode, cap) < 0)
        *mode = 0;
}

int wick_footprint_live_ask(struct wick_footprint_live *l, struct wick_nmt *nmt, struct wick_err *err)
{
    char mode[16];
    struct wick_strbuf text = WICK_STRBUF_INIT;
    read_tracking(&l->remote.jvm, mode, sizeof mode);
    bool detail = !strcmp(mode, "detail");
    if (!detail && strcmp(mode, "summary") != 0)
        return 0;
    int rc = wick_attach_jcmd(
        l->proc, detail ? "VM.native_memory detail scale=KB" : "VM.native_memory summary scale=KB", NMT_NS, &text, err);
    if (!rc && wick_nmt_parse(text.buf, text.len, nmt))
        rc = wick_err_set(err, WICK_E_FORMAT, "its report of native memory cannot be understood");
    if (!rc)
        l->jvm.known = &nmt->gc;
    wick_strbuf_release(&text);
    return rc;
}

static int walk(struct wick_footprint_live *l, bool (*interrupted)(void))
{
    int rc = wick_footprint_begin(&l->walk, &l->jvm, l->proc->dir);
    if (rc)
        return rc;
    while ((rc = wick_footprint_step(&l->walk, A_STEP)) > 0 && !interrupted())
        ;
    /* the kernel takes the memory of a process that ends before it says that it has ended */
    if (!rc && !wick_footprint_kernel_resident(&l->walk))
        rc = -WICK_E_GONE;
    wick_footprint_end(&l->walk);
    return rc;
}

int wick_footprint_live_read(struct wick_footprint_live *l, bool (*interrupted)(void), struct wick_err *err)
{
    int pid = (int)l->proc->pid, rc = walk(l, interrupted);
    if (rc > 0)
        return wick_err_set(err, WICK_E_STATE, "interrupted");
    if (rc == -WICK_E_FORMAT)
        return wick_err_set(err, WICK_E_FORMAT, "the mappings of process %d cannot be understood", pid);
    if (rc == -WICK_E_NOMEM)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (rc == -WICK_E_PERM)
        return wick_err_set(err, WICK_E_PERM, "cannot read the mappings of process %d: run wick as its user or as root",
                            pid);
    if (rc || wick_proc_gone(l->proc))
        return wick_err_set(err, WICK_E_GONE, "process %d ended", pid);
    return 0;
}
