/* SPDX-License-Identifier: Apache-2.0 */
package wick.otel;

import java.util.concurrent.atomic.AtomicReferenceArray;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadableSpan;

import wick.Wick;
import wick.bridge.Endpoints;

/**
 * Opens a scope of the profiler whenever a span is made current, and closes it with OpenTelemetry's.
 *
 * <p>A span may be made current many times, in many threads: the first time counts as its work, an event of the recording; the
 * others are more of the same. One whose parent was current in another thread belongs to that one's endpoint.
 */
final class SpanStorage implements ContextStorage {
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<String> METHOD_BEFORE_1_20 = AttributeKey.stringKey("http.method");
    private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
    private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
    private static final AttributeKey<String> PATH_BEFORE_1_20 = AttributeKey.stringKey("http.target");
    private static final String UNNAMED = "[span]";
    private static final int MOST_NAMES = 2000;
    private static final int SEEN = 4096; // a power of two

    /** A span that has been current, under its id: a later one with the same last bits takes its place. */
    private static final class Seen {
        final String id;
        final String endpoint;

        Seen(String id, String endpoint) {
            this.id = id;
            this.endpoint = endpoint;
        }
    }

    private final ContextStorage inner;
    private final Endpoints names = new Endpoints(MOST_NAMES);
    private final AtomicReferenceArray<Seen> seen = new AtomicReferenceArray<>(SEEN);

    SpanStorage(ContextStorage inner) {
        this.inner = inner;
    }

    @Override
    public Context current() {
        return inner.current();
    }

    @Override
    public Context root() {
        return inner.root();
    }

    @Override
    public Scope attach(Context next) {
        Span span = Wick.keepsScopes() && next != null ? Span.fromContextOrNull(next) : null;
        Context before = span == null ? null : inner.current();
        Span around = before == null ? null : Span.fromContextOrNull(before);
        Scope scope = inner.attach(next);
        if (span == null || span == around || !span.getSpanContext().isValid()) {
            return scope;
        }
        try {
            return open(span, around != null && around.getSpanContext().isValid(), scope);
        } catch (RuntimeException | LinkageError e) {
            return scope; // an API that is not as it was: the program comes first
        }
    }

    private Scope open(Span span, boolean nested, Scope scope) {
        SpanContext ids = span.getSpanContext();
        ReadableSpan readable = span instanceof ReadableSpan ? (ReadableSpan) span : null;
        Seen known = find(ids.getSpanId());
        Seen parent = known == null && !nested && readable != null ? find(readable.getParentSpanContext().getSpanId()) : null;
        String name = known != null ? null : nameOf(readable);
        if (known == null) {
            String endpoint = parent != null ? parent.endpoint : name;
            seen.set(place(ids.getSpanId()), new Seen(ids.getSpanId(), endpoint));
        }
        wick.Scope outer = parent == null ? null
                : Wick.activate(parent.endpoint, ids.getTraceId(), readable.getParentSpanContext().getSpanId());
        wick.Scope own = known != null
                ? Wick.activate(nested ? nameOf(readable) : known.endpoint, ids.getTraceId(), ids.getSpanId())
                : Wick.span(name, ids.getTraceId(), ids.getSpanId());
        return () -> {
            own.close();
            if (outer != null) {
                outer.close();
            }
            scope.close();
        };
    }

    private static int place(String id) {
        return id.hashCode() & SEEN - 1;
    }

    private Seen find(String id) {
        Seen there = seen.get(place(id));
        return there != null && there.id.equals(id) ? there : null;
    }

    private String nameOf(ReadableSpan span) {
        if (span == null) {
            return UNNAMED; // not of the SDK
        }
        if (span.getKind() == SpanKind.SERVER) {
            String method = either(span, METHOD, METHOD_BEFORE_1_20);
            String route = span.getAttribute(ROUTE);
            String path = either(span, PATH, PATH_BEFORE_1_20);
            if (method != null && route != null) {
                return Endpoints.ofRoute(method, route);
            }
            if (method != null && path != null) {
                int query = path.indexOf('?');
                return Endpoints.ofRequest(method, query < 0 ? path : path.substring(0, query));
            }
        }
        return names.bounded(span.getName());
    }

    private static String either(ReadableSpan span, AttributeKey<String> first, AttributeKey<String> second) {
        String value = span.getAttribute(first);
        return value != null ? value : span.getAttribute(second);
    }
}
