/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_call.h - names of system calls, and of what they return
 *
 * Threads: any.
 */
#ifndef WICK_SYS_SYSTEM_CALL_H
#define WICK_SYS_SYSTEM_CALL_H

#include <stdint.h>

/* "read", "futex" ...; NULL if the number is not known. */
const char *wick_system_call_name(uint32_t number);

/* What a call that returned this failed with: "EAGAIN"; "restarted" if a signal interrupted it and the kernel makes it
 * again; "" = it did not fail. */
const char *wick_system_call_error(int64_t result);

#endif
