/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.api.trace;

public enum SpanKind {
    INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER
}
