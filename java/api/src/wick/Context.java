/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.util.concurrent.Callable;

/**
 * What a thread was working on at one moment, to be taken over by another thread. Immutable; it may be attached any number
 * of times, also after the scopes it came from have been closed.
 */
public final class Context {
    static final Context NONE = new Context(null, null, null);

    private final Connection connection; // null: nothing
    final long[] span; // Record.PARTS of them; null: no span
    final LabelSet labels;

    Context(Connection connection, long[] span, LabelSet labels) {
        this.connection = connection;
        this.span = span;
        this.labels = labels;
    }

    /** Puts this context in force in the calling thread until the scope is closed. */
    public Scope attach() {
        Record record = connection == null || connection != Wick.connection ? null : Wick.record();
        return record == null ? new Scope(null, 0, 0) : new Scope(record, record.level(), record.openContext(this));
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
