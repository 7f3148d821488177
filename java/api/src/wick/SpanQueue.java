/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Spans that ended, on their way to the agent's drain thread: the writers' side of src/labels/queue.h, which has the
 * layout and the protocol. Nobody waits: a full queue drops the span, and the caller counts it.
 */
final class SpanQueue {
    static final int LAYOUT = 2;
    // In words of 64 bits.
    private static final int CONTROL_AT = 0; // layout << 32 | recording
    private static final int STRIPES_AT = 4096 / 8;
    private static final int STRIPES = 8; // a power of two
    private static final int CELLS = 2048; // a power of two
    private static final int CELLS_AT = 64 / 8;
    private static final int CELL_WORDS = 10;
    private static final int STRIPE_WORDS = CELLS_AT + CELLS * CELL_WORDS;
    private static final int OWN_ONLY = 63; // spans after one that found all stripes full, which try their own only
    private static final int SPREAD = 16; // tails lie in cache lines of their own

    private final LongBuffer memory;
    private final AtomicLongArray tails = new AtomicLongArray((STRIPES + 1) * SPREAD);

    SpanQueue(ByteBuffer memory) {
        this.memory = memory.order(ByteOrder.nativeOrder()).asLongBuffer();
    }

    boolean isKnown() {
        return memory.get(CONTROL_AT) >>> 32 == LAYOUT;
    }

    boolean isRecording() {
        return (int) memory.get(CONTROL_AT) != 0;
    }

    /** Where the caller may write its cell, -1 if the queue is full. */
    private long claim(int stripe) {
        int tail = (stripe + 1) * SPREAD;
        while (true) {
            long position = tails.get(tail);
            if (position - memory.get(STRIPES_AT + stripe * STRIPE_WORDS) >= CELLS) {
                return -1;
            }
            if (tails.compareAndSet(tail, position, position + 1)) {
                return position;
            }
        }
    }

    /**
     * Hands a span over.
     *
     * @param spans holds it from place `from` on (Record says how)
     * @return false if there is no room
     */
    boolean offer(Record record, long[] spans, int from, int labels, long duration) {
        int stripe = record.number & STRIPES - 1;
        long position = claim(stripe);
        int others = record.ownStripeOnly > 0 ? 0 : STRIPES - 1;
        for (int i = 0; position < 0 && i < others; i++) {
            stripe = stripe + 1 & STRIPES - 1; // one's own is full
            position = claim(stripe);
        }
        if (position < 0) {
            record.ownStripeOnly = others > 0 ? OWN_ONLY : record.ownStripeOnly - 1;
            return false;
        }
        record.ownStripeOnly = 0;
        LongBuffer m = memory;
        int at = STRIPES_AT + stripe * STRIPE_WORDS + CELLS_AT + (int) (position & CELLS - 1) * CELL_WORDS;
        m.put(at + 1, spans[from + Record.START]);
        m.put(at + 2, duration);
        m.put(at + 3, spans[from + Record.TRACE_HIGH]);
        m.put(at + 4, spans[from + Record.TRACE_LOW]);
        m.put(at + 5, spans[from + Record.ID]);
        m.put(at + 6, spans[from + Record.ROOT]);
        m.put(at + 7, spans[from + Record.PARENT]);
        m.put(at + 8, spans[from + Record.NAMES]);
        m.put(at + 9, spans[from + Record.FLAGS] << 32 | labels & 0xffffffffL);
        record.lazySet(0); // a release store: what is above stays above
        m.put(at, (long) record.number << 32 | position + 1 & 0xffffffffL);
        return true;
    }
}
