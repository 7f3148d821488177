/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp.h - OpenTelemetry's profiles signal: one message ProfilesData of opentelemetry.proto.profiles.v1development
 *
 * The wire format is that of the proto releases 1.10 and 1.11 (earlier ones differ). The bytes are also those of an
 * ExportProfilesServiceRequest, so a file can be posted to /v1development/profiles as it is.
 * docs/formats/otlp.md says what becomes what.
 *
 * Threads: one at a time per profile.
 * Memory:  the file, before it is written.
 */
#ifndef WICK_EXPORT_OTLP_H
#define WICK_EXPORT_OTLP_H

#include "export/format.h"

/* See struct wick_format. */
int wick_otlp_write(const struct wick_profile *p, const struct wick_export_options *o, FILE *out, struct wick_err *err);

#endif
