/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.util.concurrent.Callable;

/**
 * What a thread was working on at one moment, to be taken over by another thread. Immutable; it may be attached any number
 * of times, also after the scopes it came from have been closed.
 */
public final class Context {
    static final Context NONE = new Context(null, null, null);

    final Connection connection;
    final Span span;
    final LabelSet labels;

    Context(Connection connection, Span span, LabelSet labels) {
        this.connection = connection;
        this.span = span;
        this.labels = labels;
    }

    /** Puts this context in force in the calling thread until the scope is closed. */
    public Scope attach() {
        Connection c = connection;
        if (c == null || c != Wick.connection || !c.isRecording()) {
            return Scope.NONE;
        }
        Record record = c.record();
        return record.isReady() ? record.openContext(this) : Scope.NONE;
    }

    /** A task that runs in this context. */
    @SuppressWarnings("try")
    public Runnable wrap(Runnable task) {
        if (connection == null) {
            return task;
        }
        return () -> {
            try (Scope scope = attach()) {
                task.run();
            }
        };
    }

    /** A task that runs in this context. */
    @SuppressWarnings("try")
    public <V> Callable<V> wrap(Callable<V> task) {
        if (connection == null) {
            return task;
        }
        return () -> {
            try (Scope scope = attach()) {
                return task.call();
            }
        };
    }
}
