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

/* What a call that returned this failed with: "EAGAIN"; "interrupted" if a signal came before it was done, after
 * which the kernel makes it again or returns EINTR; "" = it did not fail. */
const char *wick_system_call_error(int64_t result);

#endif
