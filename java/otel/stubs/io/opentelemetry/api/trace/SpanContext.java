/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.api.trace;

public interface SpanContext {
    String getTraceId();

    String getSpanId();

    boolean isValid();

    boolean isRemote();
}
