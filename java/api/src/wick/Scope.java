/* SPDX-License-Identifier: Apache-2.0 */
package wick;

/**
 * Something that is in force in a thread until it is closed: a span, a label, a context. Meant for try-with-resources. A
 * scope is closed by the thread that opened it; other threads' calls do nothing. Closing twice does nothing, and closing
 * an outer scope ends those inside it too.
 */
public class Scope implements AutoCloseable {
    static final Scope NONE = new Scope(null, null, null, 0);

    final Record record;
    final Scope outer;
    final LabelSet labels;
    final long word; // what the record's `current` is while this is the innermost scope
    private boolean open;

    Scope(Record record, Scope outer, LabelSet labels, long word) {
        this.record = record;
        this.outer = outer;
        this.labels = labels;
        this.word = word;
        this.open = record != null;
    }

    /** The innermost span that this scope is in or is. */
    Span span() {
        return outer == null ? null : outer.span();
    }

    void ended() {}

    @Override
    public final void close() {
        if (!open || record.thread != Thread.currentThread()) {
            return;
        }
        open = false;
        ended();
        record.leave(this);
    }
}
