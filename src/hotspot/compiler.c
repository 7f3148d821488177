/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler.c - see compiler.h
 *
 * A CompileQueue (hotspot/share/compiler/compileBroker.hpp) begins with its name, first, last and stale task, then the
 * number of tasks; up to JDK 8 a lock stands behind the name. The name says whether it is one.
 *
 * The histogram of deoptimisations counts by reason, action and bytecode: its first element counts all, the first of
 * each reason's row those for that reason (Deoptimization::gather_statistics). There are as many rows as reasons have
 * names.
 */
#include "hotspot/compiler.h"

#include <string.h>

#include "hotspot/value.h"

enum { NAME = 0, SIZE_8 = 40, SIZE_9 = 32, LENGTH_MOST = 1 << 24, LEVELS = 4 };

static wick_addr find(const struct wick_elf_file *f, wick_addr bias, const char *name, uint64_t *size)
{
    uint64_t vaddr;
    return f && !wick_elf_find_symtab(f, name, &vaddr, size) ? vaddr + bias : 0;
}

static void find_reasons(struct wick_hs_compiler *c, const struct wick_elf_file *libjvm, wick_addr bias)
{
    uint64_t counts = 0, names = 0;
    c->deopts = find(libjvm, bias, "_ZN14Deoptimization20_deoptimization_histE", &counts);
    c->reasons = find(libjvm, bias, "_ZN14Deoptimization17_trap_reason_nameE", &names);
    uint64_t n = names / sizeof(uint64_t);
    if (!c->deopts || !c->reasons || n > WICK_HS_REASONS || !n || counts % (n * sizeof(uint32_t)))
        return;
    c->nreasons = (uint32_t)n;
    c->reason_bytes = (uint32_t)(counts / n);
}

void wick_hs_compiler_open(struct wick_hs_compiler *c, const struct wick_jvm *jvm, const struct wick_elf_file *libjvm,
                           wick_addr bias)
{
    *c = (struct wick_hs_compiler){.jvm = jvm};
    c->queue[0] = find(libjvm, bias, "_ZN13CompileBroker17_c1_compile_queueE", NULL);
    c->queue[1] = find(libjvm, bias, "_ZN13CompileBroker17_c2_compile_queueE", NULL);
    c->compiles = find(libjvm, bias, "_ZN13CompileBroker24_should_compile_new_jobsE", NULL);
    find_reasons(c, libjvm, bias);
}

bool wick_hs_compiler_waiting(const struct wick_hs_compiler *c, unsigned k, uint32_t *methods)
{
    const struct wick_mem *m = c->jvm->mem;
    wick_addr queue = c->queue[k] ? wick_hs_u64(m, c->queue[k]) : 0;
    char name[3] = {0};
    if (!queue || wick_mem_read(m, wick_hs_u64(m, queue + NAME), name, 2) || name[0] != 'C' || name[1] != "12"[k])
        return false;
    uint32_t n = wick_hs_u32(m, queue + (c->jvm->major >= 9 ? SIZE_9 : SIZE_8));
    if (n > LENGTH_MOST)
        return false;
    *methods = n;
    return true;
}

bool wick_hs_compiler_stopped(const struct wick_hs_compiler *c)
{
    uint32_t on;
    return c->compiles && !wick_mem_read(c->jvm->mem, c->compiles, &on, sizeof on) && on == 0;
}

bool wick_hs_compiler_deopts(const struct wick_hs_compiler *c, uint32_t *count)
{
    return c->deopts && !wick_mem_read(c->jvm->mem, c->deopts, count, sizeof *count);
}

bool wick_hs_compiler_reason(const struct wick_hs_compiler *c, uint32_t reason, uint32_t *count)
{
    return reason && reason < c->nreasons &&
           !wick_mem_read(c->jvm->mem, c->deopts + (wick_addr)reason * c->reason_bytes, count, sizeof *count);
}

bool wick_hs_compiler_reason_name(const struct wick_hs_compiler *c, uint32_t reason, char *buf, size_t cap)
{
    const struct wick_mem *m = c->jvm->mem;
    wick_addr name = reason < c->nreasons ? wick_hs_u64(m, c->reasons + reason * sizeof(uint64_t)) : 0;
    return name && wick_mem_read_str(m, name, buf, cap) > 0;
}

bool wick_hs_compiler_work(const struct wick_jvm *jvm, wick_addr thread, struct wick_hs_compilation *out)
{
    const struct wick_hs_layout *l = &jvm->layout;
    const struct wick_mem *m = jvm->mem;
    if (l->compiler_env < 0 || l->env_task < 0 || l->task_method < 0 || l->task_osr_bci < 0 || l->task_level < 0 ||
        l->task_id < 0)
        return false;
    wick_addr env = wick_hs_u64(m, thread + (unsigned)l->compiler_env);
    wick_addr task = env ? wick_hs_u64(m, env + (unsigned)l->env_task) : 0;
    if (!task)
        return false;
    *out = (struct wick_hs_compilation){
        .id = wick_hs_u32(m, task + (unsigned)l->task_id),
        .level = wick_hs_u32(m, task + (unsigned)l->task_level),
        .osr = wick_hs_u32(m, task + (unsigned)l->task_osr_bci) != UINT32_MAX,
        .method = wick_hs_u64(m, task + (unsigned)l->task_method),
    };
    return out->id && out->method && out->level >= 1 && out->level <= LEVELS;
}
