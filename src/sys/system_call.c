/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/system_call.h"

#include <stddef.h>
#include <string.h>

/* Of the kernel alone: ERESTARTSYS to ERESTART_RESTARTBLOCK (include/linux/errno.h). */
enum { LAST_ERROR = 4095, RESTART_FIRST = 512, RESTART_LAST = 516 };

const char *wick_system_call_name(uint32_t number)
{
    static const char *const names[] = {
#define X(number, name) [number] = #name,
#include "def/system_call.def"
#undef X
    };
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

const char *wick_system_call_error(int64_t result)
{
    if (result >= 0 || result < -LAST_ERROR)
        return "";
    if (result <= -RESTART_FIRST && result >= -RESTART_LAST)
        return "interrupted";
    const char *name = strerrorname_np((int)-result);
    return name ? name : "error";
}
