/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;

/**
 * Informs the profiler of what the calling thread is working on: the samples that wick takes carry it, and spans become events
 * of the recording.
 *
 * <pre>{@code
 * try (Scope request = Wick.span("GET /cpu", traceId, spanId); Scope who = Wick.label("customer", "big")) {
 *     ...
 * }
 * }</pre>
 *
 * <p>Without the agent every method returns immediately and does nothing; no method throws because of it. Scopes are
 * kept while a recording runs and cost next to nothing otherwise; one that is open when a recording begins is not part of it. With
 * the system property {@code wick.scopes=always} those of platform threads are kept as soon as the agent is there: the
 * recording's samples carry them, but a span that was open before becomes no event. With {@code wick.publish=otel} all scopes are
 * kept, and readers of OpenTelemetry's thread context also see them. Scopes belong to the thread that opens them, platform or virtual; {@link #capture} and {@link #wrap} carry them to others.
 *
 * <p>Bounds: 16 labels in force at a time, keys of 64 and values and names of 200 characters (longer ones are cut), 15 spans
 * open within each other (deeper ones are recorded as events but do not show in samples), 256 scopes open in a thread, 65,534 different names and sets
 * of labels in the life of the JVM (later ones show as {@code [overflow]}).
 */
public final class Wick {
    /** Plain, not volatile: a thread may see the agent with a short delay. */
    static Connection connection = Connection.open();

    private static final boolean ALWAYS = "always".equals(property("wick.scopes"));

    private Wick() {}

    static String property(String name) {
        try {
            return System.getProperty(name);
        } catch (SecurityException e) {
            return null;
        }
    }

    /** Called by the agent when it is loaded into a JVM that runs already. */
    @SuppressWarnings("unused")
    private static void connect() {
        connection = Connection.open();
    }

    /** The calling thread's record, ready for a scope; null: nothing is kept. */
    static Record record() {
        Connection c = connection;
        if (!keeps(c)) {
            return null;
        }
        Record record = c.record();
        return record.isReady() ? record : null;
    }

    /**
     * Whether the calling thread's scopes are kept now. While no recording runs those of a virtual thread never are: each
     * outermost one would cost two calls of the agent.
     */
    private static boolean keeps(Connection c) {
        return c != null && (c.isRecording() || Published.WANTED && c.isPublishing()
                || ALWAYS && Virtual.id(Thread.currentThread()) == 0);
    }

    /** Whether a recording runs now. */
    public static boolean isRecording() {
        Connection c = connection;
        return c != null && c.isRecording();
    }

    /** Whether the calling thread's scopes are kept now: for a caller that would have to work for what it passes. */
    public static boolean keepsScopes() {
        return keeps(connection);
    }

    /** Opens a span without ids of a tracer: it gets an id of its own, and the trace of the span around it. */
    public static Scope span(String operation) {
        return span(operation, 0, 0, 0);
    }

    /** Opens a span of a trace with a 64-bit id. */
    public static Scope span(String operation, long traceId, long spanId) {
        return span(operation, 0, traceId, spanId);
    }

    /** Opens a span; ids in hexadecimal, as in W3C's trace context: up to 32 digits and up to 16; null: none. */
    public static Scope span(String operation, String traceId, String spanId) {
        return keeps(connection)
                ? span(operation, Text.high(traceId), Text.low(traceId), Text.low(spanId))
                : new Scope(null, 0, 0);
    }

    /**
     * Opens a span: samples carry it, and when it is closed it becomes an event wick.Span. The outermost span of a thread
     * gives the endpoint its name; spans within it keep that endpoint.
     *
     * @param operation what is done; one of a limited number of names (a route, not a URL)
     * @param traceIdHigh the upper half of the trace's id; 0 in both halves: that of the span around
     * @param traceIdLow the lower half
     * @param spanId 0: one is made up
     */
    public static Scope span(String operation, long traceIdHigh, long traceIdLow, long spanId) {
        Record record = record();
        int level = record == null ? 0 : record.level();
        return new Scope(record, level, record == null ? 0 : record.openSpan(operation, traceIdHigh, traceIdLow, spanId, true));
    }

    /**
     * As {@link #span(String, long, long, long)}, but without an event and without a clock read: for a tracer that
     * makes a span of its own the current one again and again.
     */
    public static Scope activate(String operation, long traceIdHigh, long traceIdLow, long spanId) {
        Record record = record();
        int level = record == null ? 0 : record.level();
        return new Scope(record, level, record == null ? 0 : record.openSpan(operation, traceIdHigh, traceIdLow, spanId, false));
    }

    /** As {@link #activate(String, long, long, long)}, with ids in hexadecimal. */
    public static Scope activate(String operation, String traceId, String spanId) {
        return keeps(connection)
                ? activate(operation, Text.high(traceId), Text.low(traceId), Text.low(spanId))
                : new Scope(null, 0, 0);
    }

    /**
     * Puts a label in force; closing the scope brings back what was before.
     *
     * @param key name of the label
     * @param value one of a limited number of values; null or empty: the label is taken away
     */
    public static Scope label(String key, String value) {
        Record record = record();
        int level = record == null ? 0 : record.level();
        return new Scope(record, level, record == null ? 0 : record.openLabel(key, value));
    }

    /** What is in force in the calling thread, for another one. */
    public static Context capture() {
        Record record = record();
        return record == null ? Context.NONE : record.capture();
    }

    /** A task that runs, wherever it does, in the context of this call. */
    public static Runnable wrap(Runnable task) {
        return capture().wrap(task);
    }

    /** A task that runs, wherever it does, in the context of this call. */
    public static <V> Callable<V> wrap(Callable<V> task) {
        return capture().wrap(task);
    }

    /** An executor whose tasks run in the context of the thread that hands them in. */
    public static ExecutorService wrap(ExecutorService pool) {
        return new ContextExecutor(pool);
    }
}
