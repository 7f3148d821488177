/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The tie between this library and one agent: shared memory, numbers of texts, and the threads' records. */
final class Connection {
    private static final int OVERFLOW = 1; // the agent's number for texts that found no room
    private static final int MAX_TEXTS = 1 << 16;

    final SpanQueue queue;
    private final ByteBuffer marks; // null: an agent that is not known
    private final ConcurrentHashMap<String, Integer> numbers = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, LabelSet> sets = new ConcurrentHashMap<>();
    private final ByteBuffer probes; // null: an older agent
    private final boolean publishes;
    private final ConcurrentHashMap<Integer, String> names = new ConcurrentHashMap<>(); // by number, if it publishes
    private final ConcurrentHashMap<String, Integer> keys = new ConcurrentHashMap<>();
    private final LabelSet noLabels = new LabelSet(0, 0, new TreeMap<>());
    private final LabelSet overflow = new LabelSet(OVERFLOW, 1, new TreeMap<>());
    private volatile LabelSet[] places = {noLabels, overflow, null, null}; // grown under the lock
    private int placesUsed = 2; // guarded by this
    private final ThreadLocal<Record> records = new ThreadLocal<Record>() {
        @Override
        protected Record initialValue() {
            return new Record(Connection.this);
        }
    };

    private Connection(ByteBuffer memory) {
        queue = new SpanQueue(memory);
        marks = queue.isKnown() ? Native.places() : null;
        probes = marks != null ? findProbes() : null;
        publishes = marks != null && Published.WANTED && publish();
    }

    private static ByteBuffer findProbes() {
        try {
            return Native.probes();
        } catch (LinkageError e) {
            return null; // an older agent
        }
    }

    private static boolean publish() {
        try {
            return Native.publish();
        } catch (LinkageError e) {
            return false; // an older agent
        }
    }

    /** A connection to the agent in this JVM, null if there is none or it is of another make. */
    static Connection open() {
        try {
            ByteBuffer memory = Native.connect();
            if (memory == null) {
                return null;
            }
            Connection made = new Connection(memory);
            return made.marks != null ? made : null;
        } catch (LinkageError e) {
            return null; // no agent: Wick.connect() is called when it comes
        }
    }

    boolean isRecording() {
        return queue.isRecording();
    }

    /** Whether somebody reads the probe of spans that begin. */
    boolean showsBegin() {
        return probes != null && probes.getShort(0) != 0;
    }

    /** Whether somebody reads the probe of spans that end. */
    boolean showsEnd() {
        return probes != null && probes.getShort(2) != 0;
    }

    /** The calling thread's record. */
    Record record() {
        return records.get();
    }

    /** Lets go of the calling thread's record. */
    void forget() {
        records.remove();
    }

    /** Whether the thread at that place has a context: for samplers of such threads. */
    void mark(int place, boolean hasContext) {
        marks.put(place, (byte) (hasContext ? 1 : 0));
    }

    boolean isPublishing() {
        return publishes;
    }

    /** What the calling thread publishes with; null: it does not. */
    Published published(long virtualId) {
        ByteBuffer memory = publishes ? Native.published(virtualId) : null;
        return memory == null ? null : new Published(this, memory);
    }

    /** The name that number() has given a number, as far as it is published. */
    String name(int number) {
        return names.getOrDefault(number, "[overflow]");
    }

    /** The index of a label's key in published records, negative if there is none. */
    int key(String key) {
        Integer known = keys.get(key);
        if (known == null) {
            known = Native.key(key.getBytes(StandardCharsets.UTF_8));
            keys.put(key, known);
        }
        return known;
    }

    int number(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        if (numbers.size() >= MAX_TEXTS) {
            return OVERFLOW;
        }
        int number = Native.intern(Text.cut(name).getBytes(StandardCharsets.UTF_8));
        numbers.put(name, number);
        if (publishes && number != OVERFLOW) {
            names.put(number, Text.cut(name));
        }
        return number;
    }

    /** The one set of these labels. */
    LabelSet labelSet(TreeMap<String, String> labels) {
        if (labels.isEmpty()) {
            return noLabels;
        }
        String text = LabelSet.text(labels);
        LabelSet known = sets.get(text);
        if (known != null) {
            return known;
        }
        int number = sets.size() >= MAX_TEXTS ? OVERFLOW : Native.intern(text.getBytes(StandardCharsets.UTF_8));
        if (number == OVERFLOW) {
            return overflow;
        }
        return sets.computeIfAbsent(text, t -> place(number, labels));
    }

    private synchronized LabelSet place(int number, TreeMap<String, String> labels) {
        LabelSet made = new LabelSet(number, placesUsed, labels);
        LabelSet[] now = placesUsed < places.length ? places : Arrays.copyOf(places, placesUsed * 2);
        now[placesUsed++] = made;
        places = now;
        return made;
    }

    /** The set at a place that this thread got from a set. */
    LabelSet setAt(int place) {
        return places[place];
    }
}
