/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/buildnote.h"

#include <elf.h>
#include <string.h>

/* Notes are {namesz, descsz, type}, the name and the descriptor, each padded to four bytes (gABI, "Note Section"). */
bool wick_buildnote_find(const uint8_t *p, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    while (len >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        memcpy(&n, p, sizeof n);
        size_t name = ((size_t)n.n_namesz + 3) & ~(size_t)3, desc = ((size_t)n.n_descsz + 3) & ~(size_t)3;
        const uint8_t *body = p + sizeof n;
        if (name > len - sizeof n || desc > len - sizeof n - name)
            return false;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(body, "GNU", 4) && n.n_descsz <= 20) {
            for (size_t i = 0; i < n.n_descsz; i++) {
                *out++ = digits[body[name + i] >> 4];
                *out++ = digits[body[name + i] & 15];
            }
            *out = 0;
            return true;
        }
        p = body + name + desc;
        len -= sizeof n + name + desc;
    }
    return false;
}
