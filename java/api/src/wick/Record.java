/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The scopes that are open in one thread, and the memory in which the agent's signal handler finds the innermost: the
 * writer's side of src/labels/labels.h, which has the layout and the protocol.
 *
 * <p>Being an AtomicInteger gives it a release store ({@link #lazySet}), the one fence that Java 8 has. HotSpot's compilers
 * move no store to memory across it, and a handler runs on the very processor that made the stores.
 */
final class Record extends AtomicInteger {
    private static final long serialVersionUID = 1;
    private static final int CURRENT_AT = 0;
    private static final int CLOSED_AT = 16;
    private static final int DROPPED_AT = 24;
    private static final int SPANS_AT = 32;
    private static final int SPAN_BYTES = 40;
    private static final int DEPTH = 12;

    final transient Connection connection;
    final transient Thread thread = Thread.currentThread();
    final int number; // of the thread, for the agent
    private final long virtualId; // 0: a platform thread
    private transient ByteBuffer memory; // null: none (now)
    private transient Scope top; // the innermost open scope
    private long closed;
    private long dropped;
    private transient String lastName; // the operation seen last, and its number
    private int lastNumber;
    private long nextId = System.nanoTime() ^ System.identityHashCode(this) * 0x9e3779b97f4a7c15L;

    Record(Connection connection) {
        this.connection = connection;
        virtualId = Virtual.id(thread);
        number = Native.thread();
    }

    /** Whether there is memory to write to. */
    boolean isReady() {
        return memory != null || bind();
    }

    private boolean bind() {
        ByteBuffer bound = Native.bind(virtualId);
        if (bound == null) {
            return false;
        }
        memory = bound.order(ByteOrder.nativeOrder());
        closed = memory.getLong(CLOSED_AT);
        dropped = memory.getLong(DROPPED_AT);
        return true;
    }

    private int numberOf(String name) {
        if (name != lastName) { // the same String object is the common case
            lastNumber = connection.number(name);
            lastName = name;
        }
        return lastNumber;
    }

    /** An id for a span that was given none: not 0, and no other span's but by chance. */
    private long newId() {
        nextId ^= nextId << 13;
        nextId ^= nextId >>> 7;
        nextId ^= nextId << 17;
        return nextId;
    }

    private void makeVisible(Scope scope) {
        top = scope;
        memory.putLong(CURRENT_AT, scope == null ? 0 : scope.word);
        lazySet(0); // stays before what the next scope writes
    }

    /** Writes a span behind the open ones; returns the new depth. */
    private int push(int depth, long traceHigh, long traceLow, long id, long root, int endpoint, int operation) {
        if (depth >= DEPTH) {
            return depth; // too deep: samples keep showing the span around it
        }
        ByteBuffer m = memory;
        int at = SPANS_AT + depth * SPAN_BYTES;
        m.putLong(at, traceHigh);
        m.putLong(at + 8, traceLow);
        m.putLong(at + 16, id);
        m.putLong(at + 24, root);
        m.putInt(at + 32, endpoint);
        m.putInt(at + 36, operation);
        lazySet(0); // stays before what makes it visible
        return depth + 1;
    }

    Scope openSpan(String operation, long traceHigh, long traceLow, long id, boolean timed) {
        Scope outer = top;
        Span around = outer == null ? null : outer.span();
        LabelSet labels = outer == null ? connection.noLabels : outer.labels;
        int name = numberOf(operation);
        long own = id != 0 ? id : newId();
        boolean inherits = (traceHigh | traceLow) == 0 && around != null;
        long high = inherits ? around.traceHigh : traceHigh;
        long low = inherits ? around.traceLow : traceLow;
        long root = around == null ? own : around.root;
        int endpoint = around == null ? name : around.endpoint;
        int depth = push(outer == null ? 0 : (int) outer.word, high, low, own, root, endpoint, name);
        Span span = new Span(this, outer, labels, (long) labels.number << 32 | depth, timed ? System.nanoTime() : Span.UNTIMED,
                high, low, own, root, around == null ? 0 : around.id, endpoint, name, around == null);
        makeVisible(span);
        return span;
    }

    Scope openLabel(String key, String value) {
        Scope outer = top;
        LabelSet labels = (outer == null ? connection.noLabels : outer.labels).with(connection, key, value);
        Scope scope = new Scope(this, outer, labels,
                (long) labels.number << 32 | (outer == null ? 0 : outer.word & 0xffffffffL));
        makeVisible(scope);
        return scope;
    }

    Scope openContext(Context context) {
        Scope outer = top;
        Span from = context.span;
        int depth = outer == null ? 0 : (int) outer.word;
        long word = (long) context.labels.number << 32;
        if (from == null) {
            Scope scope = new Scope(this, outer, context.labels, word | depth);
            makeVisible(scope);
            return scope;
        }
        depth = push(depth, from.traceHigh, from.traceLow, from.id, from.root, from.endpoint, from.operation);
        Span span = new Span(this, outer, context.labels, word | depth, Span.UNTIMED, from.traceHigh, from.traceLow, from.id,
                from.root, from.parent, from.endpoint, from.operation, false);
        makeVisible(span);
        return span;
    }

    Scope top() {
        return top;
    }

    /** Ends a scope of this thread, and those inside it that were left open. */
    void leave(Scope scope) {
        for (Scope s = top; s != null; s = s.outer) {
            if (s == scope) {
                makeVisible(scope.outer);
                if (scope.outer == null && virtualId != 0) {
                    memory = null;
                    Native.unbind(virtualId);
                }
                return;
            }
        }
    }

    void spanEnded(Span span) {
        if (!connection.isRecording() || memory == null) {
            return;
        }
        long duration = System.nanoTime() - span.start;
        memory.putLong(CLOSED_AT, ++closed);
        if (!connection.queue.offer(this, span, duration)) {
            memory.putLong(DROPPED_AT, ++dropped);
        }
    }
}
