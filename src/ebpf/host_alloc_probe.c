/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_alloc_probe.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/user.h>

#include "elf/usdt_notes.h"

#define OPERAND "8@%"

/* The kernel's struct pt_regs begins as this one. */
#define REGISTER(name)                                                         \
    {                                                                          \
#name, offsetof(struct user_regs_struct, name) / sizeof(unsigned long) \
    }

static const struct {
    const char *name;
    unsigned long place;
} registers[] = {REGISTER(r15), REGISTER(r14), REGISTER(r13), REGISTER(r12), REGISTER(rbp),
                 REGISTER(rbx), REGISTER(r11), REGISTER(r10), REGISTER(r9),  REGISTER(r8),
                 REGISTER(rax), REGISTER(rcx), REGISTER(rdx), REGISTER(rsi), REGISTER(rdi)};

bool wick_host_alloc_cookie(const char *arguments, uint64_t *cookie)
{
    *cookie = 0;
    for (int i = 0; i < WICK_HOST_ALLOC_ARGUMENTS; i++) {
        size_t n = strcspn(arguments, " "), k = 0;
        if (strncmp(arguments, OPERAND, strlen(OPERAND)) != 0)
            return false;
        const char *name = arguments + strlen(OPERAND);
        size_t length = n - strlen(OPERAND), count = sizeof registers / sizeof *registers;
        while (k < count && (strlen(registers[k].name) != length || memcmp(registers[k].name, name, length) != 0))
            k++;
        if (k == count)
            return false;
        *cookie |= (uint64_t)registers[k].place << 8 * i;
        arguments += n + (arguments[n] == ' ');
    }
    return true;
}

struct reports {
    struct wick_host_alloc_report *out;
    uint32_t n;
};

static void see_probe(void *arg, const struct wick_elf_usdt *probe)
{
    struct reports *r = arg;
    uint64_t cookie;
    if (strcmp(probe->provider, "wick") != 0 || strcmp(probe->name, "alloc__sample") != 0 ||
        r->n == WICK_HOST_ALLOC_REPORTS || !wick_host_alloc_cookie(probe->arguments, &cookie))
        return;
    r->out[r->n++] = (struct wick_host_alloc_report){probe->place, cookie};
}

uint32_t wick_host_alloc_reports(int fd, struct wick_host_alloc_report out[WICK_HOST_ALLOC_REPORTS])
{
    struct reports r = {.out = out};
    struct wick_elf_file file;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0 || wick_elf_file_take_fd(&file, copy))
        return 0;
    wick_elf_usdt_each(&file, see_probe, &r);
    wick_elf_file_release(&file);
    return r.n;
}
