/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.api.trace;

import io.opentelemetry.context.Context;

public interface Span {
    /** A context that is a span, in tests; OpenTelemetry keeps the span in the context. */
    static Span fromContextOrNull(Context context) {
        return context instanceof Span ? (Span) context : null;
    }

    SpanContext getSpanContext();
}
