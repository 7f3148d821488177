/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_usdt.h - the places of a static probe, by its name
 *
 *     /PATH/OF/FILE:PROVIDER:NAME      in that file
 *     PROVIDER:NAME                    in every library and program that is mapped in some process now
 *
 * What is mapped is opened through the process (ebpf/host_file.h), so a file in a container, or one that was deleted,
 * is found as well.
 *
 * Memory:  while it searches, 16 bytes for each file that is mapped.
 */
#ifndef WICK_EBPF_HOST_USDT_H
#define WICK_EBPF_HOST_USDT_H

#include "ebpf/host_place.h"

/* Adds the places of that probe. -WICK_E_USAGE: there is none, with similar names if there are; -WICK_E_NOTFOUND: no
 * such file; -WICK_E_FORMAT, _LIMIT, _NOMEM; with a message that says what to do. */
int wick_host_usdt_find(const char *name, struct wick_host_places *out, struct wick_err *err);

#endif
