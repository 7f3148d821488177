/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Spans that ended, on their way to the agent's drain thread: the writers' side of src/labels/queue.h, which has the
 * layout and the protocol. Nobody waits: a full queue drops the span, and the caller counts it.
 */
final class SpanQueue {
    static final int LAYOUT = 1;
    static final int ROOT = 1;
    private static final int RECORDING_AT = 0;
    private static final int LAYOUT_AT = 4;
    private static final int STRIPES_AT = 4096;
    private static final int STRIPES = 8; // a power of two
    private static final int CELLS = 2048; // a power of two
    private static final int CELLS_AT = 64;
    private static final int CELL_BYTES = 80;
    private static final int STRIPE_BYTES = CELLS_AT + CELLS * CELL_BYTES;
    private static final int SPREAD = 16; // tails lie in cache lines of their own

    private final ByteBuffer memory;
    private final AtomicLongArray tails = new AtomicLongArray((STRIPES + 1) * SPREAD);

    SpanQueue(ByteBuffer memory) {
        this.memory = memory;
    }

    boolean isKnown() {
        return memory.getInt(LAYOUT_AT) == LAYOUT;
    }

    boolean isRecording() {
        return memory.getInt(RECORDING_AT) != 0;
    }

    /** Where the caller may write its cell, -1 if the queue is full. */
    private long claim(int stripe) {
        int tail = (stripe + 1) * SPREAD;
        while (true) {
            long position = tails.get(tail);
            if (position - memory.getLong(STRIPES_AT + stripe * STRIPE_BYTES) >= CELLS) {
                return -1;
            }
            if (tails.compareAndSet(tail, position, position + 1)) {
                return position;
            }
        }
    }

    /** False if there is no room. */
    boolean offer(Record record, Span span, long duration) {
        int stripe = record.number & STRIPES - 1;
        long position = claim(stripe);
        if (position < 0) {
            return false;
        }
        ByteBuffer m = memory;
        int at = STRIPES_AT + stripe * STRIPE_BYTES + CELLS_AT + (int) (position & CELLS - 1) * CELL_BYTES;
        m.putInt(at + 4, record.number);
        m.putLong(at + 8, span.start);
        m.putLong(at + 16, duration);
        m.putLong(at + 24, span.traceHigh);
        m.putLong(at + 32, span.traceLow);
        m.putLong(at + 40, span.id);
        m.putLong(at + 48, span.root);
        m.putLong(at + 56, span.parent);
        m.putInt(at + 64, span.endpoint);
        m.putInt(at + 68, span.operation);
        m.putInt(at + 72, span.labels.number);
        m.putInt(at + 76, span.isRoot ? ROOT : 0);
        record.lazySet(0); // a release store: what is above stays above
        m.putInt(at, (int) (position + 1));
        return true;
    }
}
