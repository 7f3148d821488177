/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The scopes that are open in one thread, and the memory in which the agent's signal handler finds the innermost: the
 * writer's side of src/labels/labels.h, which has the layout and the protocol.
 *
 * <p>Being an AtomicInteger gives it a release store ({@link #lazySet}), the one fence that Java 8 has. HotSpot's compilers
 * move no store to memory across it, and a handler runs on the very processor that made the stores.
 *
 * <p>Opening and closing stores numbers only, no references, which would each cost a collector's barrier.
 */
final class Record extends AtomicInteger {
    private static final long serialVersionUID = 1;
    // In words of 64 bits.
    private static final int CURRENT_AT = 0;
    private static final int CLOSED_AT = 2;
    private static final int DROPPED_AT = 3;
    private static final int SPANS_AT = 4;
    private static final int SPAN_WORDS = 4;
    private static final int DEPTH = 15;

    static final int MAX_LEVELS = 256; // scopes open at the same time; more are ignored
    private static final int FIRST_LEVELS = 16;
    private static final int FIRST_VIRTUAL_LEVELS = 2; // virtual threads are many

    // The parts of a span in `spans`.
    static final int START = 0;
    static final int TRACE_HIGH = 1;
    static final int TRACE_LOW = 2;
    static final int ID = 3;
    static final int ROOT = 4;
    static final int PARENT = 5;
    static final int NAMES = 6; // operation << 32 | endpoint
    static final int FLAGS = 7; // WICK_LABEL_... of src/labels/queue.h
    static final int PARTS = 8;
    private static final long FLAG_ROOT = 1;
    private static final long FLAG_VIRTUAL = 2;
    private static final long UNTIMED = Long.MIN_VALUE;

    final transient Connection connection;
    final int number; // of the thread, for the agent
    private final transient Thread thread = Thread.currentThread();
    private final long virtualId; // 0: a platform thread
    private final int place;      // in the row of those that have a context; 0: none, or virtual
    private boolean marked;       // there
    private transient LongBuffer memory; // null: none (now)
    private transient Published published; // null: for wick only

    // By level, 0 = outermost.
    private int level; // scopes that are open
    private long[] tickets;
    private long[] words;   // the record's `current` while this is the innermost
    private int[] sets;      // label set in force, by its place in the connection
    private int[] innermost; // spans open up to here; this scope's own is the last of them
    private boolean[] isSpan;
    private long[] spans;
    private long lastTicket;

    int ownStripeOnly; // for SpanQueue: how many more spans do not search for room elsewhere
    private long closed;
    private long dropped;
    private transient String lastName; // the operation seen last, and its number
    private int lastNumber;
    private long lastId = System.nanoTime() ^ System.identityHashCode(this) * 0x9e3779b97f4a7c15L;

    Record(Connection connection) {
        this.connection = connection;
        virtualId = Virtual.id(thread);
        number = Native.thread();
        place = virtualId != 0 ? 0 : Native.place();
        int n = virtualId != 0 ? FIRST_VIRTUAL_LEVELS : FIRST_LEVELS;
        tickets = new long[n];
        words = new long[n];
        sets = new int[n];
        innermost = new int[n];
        isSpan = new boolean[n];
        spans = new long[n * PARTS];
    }

    /** Whether there is memory to write to, and room for one more scope. */
    boolean isReady() {
        return (memory != null || bind()) && (level < tickets.length || grow());
    }

    private boolean bind() {
        ByteBuffer bound = Native.bind(virtualId);
        if (bound == null) {
            return false;
        }
        memory = bound.order(ByteOrder.nativeOrder()).asLongBuffer();
        closed = memory.get(CLOSED_AT);
        dropped = memory.get(DROPPED_AT);
        published = connection.published(virtualId);
        return true;
    }

    private boolean grow() {
        int n = level * 2;
        if (n > MAX_LEVELS) {
            return false;
        }
        tickets = Arrays.copyOf(tickets, n);
        words = Arrays.copyOf(words, n);
        sets = Arrays.copyOf(sets, n);
        innermost = Arrays.copyOf(innermost, n);
        isSpan = Arrays.copyOf(isSpan, n);
        spans = Arrays.copyOf(spans, n * PARTS);
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
        lastId ^= lastId << 13;
        lastId ^= lastId >>> 7;
        lastId ^= lastId << 17;
        return lastId;
    }

    private void mark(boolean hasContext) {
        marked = hasContext;
        if (place != 0) {
            connection.mark(place, hasContext);
        }
    }

    /** Makes the innermost scope what a handler sees. Its span, if it has one, has been written. */
    private void show(long word) {
        if (word != 0 != marked) {
            mark(word != 0);
        }
        lazySet(0); // what was written stays before this
        memory.put(CURRENT_AT, word);
        lazySet(0); // and this before what the next scope writes
        if (Published.WANTED && published != null) {
            publish(word);
        }
    }

    /** Makes it visible to other readers as well. */
    private void publish(long word) {
        if (word == 0) {
            published.hide();
            return;
        }
        int set = set();
        int at = (spansOpen() - 1) * PARTS;
        if (at < 0) {
            published.show(0, 0, 0, 0, 0, set);
        } else {
            long[] s = spans;
            published.show(s[at + TRACE_HIGH], s[at + TRACE_LOW], s[at + ID], s[at + ROOT], (int) s[at + NAMES], set);
        }
    }

    /** Writes span number `depth` where a handler will read it; returns the depth that it then sees. */
    private int writeSpan(int depth, long traceHigh, long traceLow, long id, long names) {
        if (depth >= DEPTH) {
            return DEPTH; // too deep: samples keep showing the span around it
        }
        int at = SPANS_AT + depth * SPAN_WORDS;
        LongBuffer m = memory;
        m.put(at, traceHigh);
        m.put(at + 1, traceLow);
        m.put(at + 2, id);
        m.put(at + 3, names);
        return depth + 1;
    }

    /** Opens a level; returns its ticket. */
    private long open(int set, int setNumber, int spanCount, int depth, boolean span) {
        int l = level;
        long word = (long) setNumber << 32 | depth;
        sets[l] = set;
        innermost[l] = spanCount;
        isSpan[l] = span;
        words[l] = word;
        tickets[l] = ++lastTicket;
        level = l + 1;
        show(word);
        return lastTicket;
    }

    int level() {
        return level;
    }

    private int spansOpen() {
        return level == 0 ? 0 : innermost[level - 1];
    }

    private int set() {
        return level == 0 ? 0 : sets[level - 1];
    }

    private int setNumber() {
        return level == 0 ? 0 : (int) (words[level - 1] >>> 32);
    }

    long openSpan(String operation, long traceHigh, long traceLow, long id, boolean timed) {
        int count = spansOpen();
        int at = count * PARTS;
        int around = at - PARTS;
        long[] s = spans;
        long name = numberOf(operation);
        long own = id != 0 ? id : newId();
        boolean inherits = (traceHigh | traceLow) == 0 && count > 0;
        long high = inherits ? s[around + TRACE_HIGH] : traceHigh;
        long low = inherits ? s[around + TRACE_LOW] : traceLow;
        long names = name << 32 | (count > 0 ? s[around + NAMES] & 0xffffffffL : name);
        s[at + TRACE_HIGH] = high;
        s[at + TRACE_LOW] = low;
        s[at + ID] = own;
        s[at + ROOT] = count > 0 ? s[around + ROOT] : own;
        s[at + PARENT] = count > 0 ? s[around + ID] : 0;
        s[at + NAMES] = names;
        s[at + FLAGS] = (count > 0 ? 0 : FLAG_ROOT) | (virtualId != 0 ? FLAG_VIRTUAL : 0);
        int depth = writeSpan(count, high, low, own, names);
        boolean recorded = timed && connection.isRecording();
        s[at + START] = recorded ? System.nanoTime() : UNTIMED;
        long ticket = open(set(), setNumber(), count + 1, depth, true);
        if (recorded && connection.showsBegin()) {
            Native.spanBegun(high, low, own, s[at + PARENT], (int) name, setNumber());
        }
        return ticket;
    }

    long openLabel(String key, String value) {
        LabelSet labels = connection.setAt(set()).with(connection, key, value);
        int count = spansOpen();
        return open(labels.place, labels.number, count, Math.min(count, DEPTH), false);
    }

    long openContext(Context context) {
        int count = spansOpen();
        if (context.span == null) {
            return open(context.labels.place, context.labels.number, count, Math.min(count, DEPTH), false);
        }
        long[] span = context.span;
        System.arraycopy(span, 0, spans, count * PARTS, PARTS);
        spans[count * PARTS + START] = UNTIMED;
        spans[count * PARTS + FLAGS] = 0;
        int depth = writeSpan(count, span[TRACE_HIGH], span[TRACE_LOW], span[ID], span[NAMES]);
        return open(context.labels.place, context.labels.number, count + 1, depth, true);
    }

    /** What is in force, for another thread. */
    Context capture() {
        int count = spansOpen();
        if (level == 0) {
            return Context.NONE;
        }
        long[] span = count == 0 ? null : Arrays.copyOfRange(spans, (count - 1) * PARTS, count * PARTS);
        return new Context(connection, span, connection.setAt(set()));
    }

    /** Ends a scope of this thread, and those inside it that were left open. */
    void close(int l, long ticket) {
        if (thread != Thread.currentThread() || l >= level || tickets[l] != ticket) {
            return;
        }
        if (isSpan[l] && spans[(innermost[l] - 1) * PARTS + START] != UNTIMED) {
            spanEnded(l);
        }
        level = l;
        show(l == 0 ? 0 : words[l - 1]);
        if (l == 0 && virtualId != 0) {
            memory = null;
            published = null;
            Native.unbind(virtualId);
            connection.forget(); // a thread that lives on shall not hold it
        }
    }

    private void spanEnded(int l) {
        if (!connection.isRecording()) {
            return;
        }
        int at = (innermost[l] - 1) * PARTS;
        long duration = System.nanoTime() - spans[at + START];
        if (connection.showsEnd()) {
            long[] s = spans;
            int operation = (int) (s[at + NAMES] >>> 32);
            Native.spanEnded(s[at + TRACE_HIGH], s[at + TRACE_LOW], s[at + ID], duration, operation, (int) (words[l] >>> 32));
        }
        memory.put(CLOSED_AT, ++closed);
        if (!connection.queue.offer(this, spans, at, (int) (words[l] >>> 32), duration)) {
            memory.put(DROPPED_AT, ++dropped);
        }
    }
}
