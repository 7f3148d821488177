/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.sdk.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;

public interface ReadableSpan {
    String getName();

    SpanKind getKind();

    SpanContext getParentSpanContext();

    <T> T getAttribute(AttributeKey<T> key);
}
