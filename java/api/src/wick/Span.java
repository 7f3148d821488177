/* SPDX-License-Identifier: Apache-2.0 */
package wick;

/** A scope that is a span; if it is timed, its end is written to the recording. */
final class Span extends Scope {
    static final long UNTIMED = Long.MIN_VALUE;

    final long start;
    final long traceHigh;
    final long traceLow;
    final long id;
    final long root;
    final long parent;
    final int endpoint;
    final int operation;
    final boolean isRoot;

    Span(Record record, Scope outer, LabelSet labels, long word, long start, long traceHigh, long traceLow, long id, long root,
            long parent, int endpoint, int operation, boolean isRoot) {
        super(record, outer, labels, word);
        this.start = start;
        this.traceHigh = traceHigh;
        this.traceLow = traceLow;
        this.id = id;
        this.root = root;
        this.parent = parent;
        this.endpoint = endpoint;
        this.operation = operation;
        this.isRoot = isRoot;
    }

    @Override
    Span span() {
        return this;
    }

    @Override
    void ended() {
        if (start != UNTIMED) {
            record.spanEnded(this);
        }
    }
}
