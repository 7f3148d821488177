/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource.h - messages of OpenTelemetry: attributes, and the resource that the usual settings describe
 *
 *      KeyValue { string key = 1; AnyValue value = 2; }       AnyValue { string = 1; ... ArrayValue = 5; }
 *      ArrayValue { repeated AnyValue values = 1; }            Resource { repeated KeyValue attributes = 1; }
 *
 * OTEL_RESOURCE_ATTRIBUTES is a list "key=value,key=value", with spaces around each of them ignored and %XX for what
 * cannot be written otherwise. Pairs that are malformed are left out. OTEL_SERVICE_NAME goes before its service.name.
 *
 * Threads: any.
 * Memory:  the caller's buffers.
 */
#ifndef WICK_LABELS_RESOURCE_H
#define WICK_LABELS_RESOURCE_H

#include <stdint.h>

#include "base/strbuf.h"

/* Appends field number `field`, a KeyValue with a string of len bytes, any bytes. */
void wick_resource_text(struct wick_strbuf *out, unsigned field, const char *key, const char *value, size_t len);

/* The same with an array of n strings. */
void wick_resource_texts(struct wick_strbuf *out, unsigned field, const char *key, const char *const *values,
                         uint32_t n);

/* Appends a Resource without its tag. name: OTEL_SERVICE_NAME, attributes: OTEL_RESOURCE_ATTRIBUTES, as they are set;
 * NULL and "" mean that they are not. */
void wick_resource_add(struct wick_strbuf *out, const char *name, const char *attributes);

#endif
