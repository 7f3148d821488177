/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_reason.h"

#include <stdio.h>
#include <string.h>

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
