/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - findings of `wick doctor` and `wick host doctor`, printed
 */
#ifndef WICK_CLI_FINDINGS_H
#define WICK_CLI_FINDINGS_H

#include <stdbool.h>

#include "doctor/doctor.h"

/* Prints them as a list or as JSON. Returns the command's exit status: 6 if something fails. */
int wick_cli_findings_print(const struct wick_doctor *d, bool json);

#endif
