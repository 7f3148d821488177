/* SPDX-License-Identifier: Apache-2.0 */

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.opentelemetry.sdk.trace.ReadableSpan;

/**
 * A service that has spans of OpenTelemetry and knows nothing of wick. Each request computes in its own span, in a span inside
 * it, and in two tasks of a pool: one that has the request's context, one that only opens a span of its own. "requests N" serves so many
 * and prints "served N".
 */
public class Otel {
    static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static int ids = 1000;

    static final class TestSpan implements Context, Span, SpanContext, ReadableSpan {
        final String name;
        final SpanKind kind;
        final TestSpan parent;
        final boolean valid;
        final Map<String, String> attributes = new TreeMap<>();
        final String id;

        TestSpan(String name, SpanKind kind, TestSpan parent, boolean valid, String... attributes) {
            this.name = name;
            this.kind = kind;
            this.parent = parent;
            this.valid = valid;
            id = String.format("%016x", nextId() * 0x9e3779b97f4a7c15L);
            for (int i = 0; i < attributes.length; i += 2) {
                this.attributes.put(attributes[i], attributes[i + 1]);
            }
        }

        @Override
        public SpanContext getSpanContext() {
            return this;
        }

        @Override
        public String getTraceId() {
            return TRACE;
        }

        @Override
        public String getSpanId() {
            return id;
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public boolean isRemote() {
            return false;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public SpanKind getKind() {
            return kind;
        }

        @Override
        public SpanContext getParentSpanContext() {
            return parent != null ? parent : new TestSpan("", SpanKind.INTERNAL, null, false);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T getAttribute(AttributeKey<T> key) {
            return (T) attributes.get(key.getKey());
        }
    }

    static synchronized int nextId() {
        return ids++;
    }

    static double sink;

    /** Computes for so many milliseconds of CPU time. */
    static void burn(int ms) {
        java.lang.management.ThreadMXBean cpu = java.lang.management.ManagementFactory.getThreadMXBean();
        long end = cpu.getCurrentThreadCpuTime() + ms * 1000000L;
        while (cpu.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 1000; i++) {
                sink += Math.sqrt(i);
            }
        }
    }

    static void ownWork() {
        burn(10);
    }

    static void insideWork() {
        burn(10);
    }

    static void poolWork() {
        burn(10);
    }

    static void in(TestSpan span, Runnable work) {
        try (Scope scope = span.makeCurrent()) {
            work.run();
        }
    }

    static void request(ExecutorService pool, int i) throws Exception {
        TestSpan server = new TestSpan("GET", SpanKind.SERVER, null, true, "http.request.method", "GET", "url.path", "/users/" + i);
        in(server, () -> {
            ownWork();
            in(new TestSpan("price", SpanKind.INTERNAL, server, true), Otel::insideWork);
            in(server, Otel::ownWork); // already current
        });
        pool.submit(() -> in(server, Otel::poolWork)).get();
        pool.submit(() -> in(new TestSpan("render", SpanKind.INTERNAL, server, true), Otel::poolWork)).get();
        in(new TestSpan("no span", SpanKind.SERVER, null, false), () -> { });
    }

    public static void main(String[] args) throws Exception {
        for (AutoConfigurationCustomizerProvider p : java.util.ServiceLoader.load(AutoConfigurationCustomizerProvider.class)) {
            p.customize(null); // as OpenTelemetry's automatic configuration does
            p.customize(null);
        }
        ExecutorService pool = Executors.newSingleThreadExecutor();
        System.out.println("up");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            int n = Integer.parseInt(line.substring("requests ".length()));
            for (int i = 0; i < n; i++) {
                request(pool, i);
            }
            in(new TestSpan("GET", SpanKind.SERVER, null, true, "http.method", "GET", "http.target", "/old/7?x=1"), () -> burn(10));
            in(new TestSpan("GET", SpanKind.SERVER, null, true, "http.method", "GET", "http.route", "/users/{id}"), () -> burn(10));
            in(new TestSpan("orders process", SpanKind.CONSUMER, null, true), () -> burn(10));
            System.out.println("served " + n);
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }
}
