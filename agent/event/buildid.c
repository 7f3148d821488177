/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's own build id, read from its own ELF header in memory. Two agents with equal ids are the same build; the
 * CLI compares this with the file it would load.
 */
#include <elf.h>
#include <link.h>
#include <stdint.h>

#include "agent/event/buildid.h"
#include "sys/buildnote.h"

/* Defined by the linker: the start of this library's image. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

const char *wick_agent_build_id(void)
{
    static char id[41];
    if (!id[0]) {
        const uint8_t *base = (const uint8_t *)&__ehdr_start;
        const ElfW(Phdr) *ph = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
        for (int i = 0; i < __ehdr_start.e_phnum; i++)
            if (ph[i].p_type == PT_NOTE)
                wick_buildnote_find(base + ph[i].p_vaddr, ph[i].p_memsz, id);
    }
    return id;
}
