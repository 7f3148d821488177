/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The context of one thread as readers other than wick find it: the writer's side of src/labels/published.h, which has the
 * layout.
 *
 * <p>Readers look at a thread that stands still. What they must not find is half a change, so the record is invalid meanwhile;
 * about release stores see Record. Attributes are written only if they are not there already: a span within a span changes
 * nothing but the ids.
 */
final class Published extends AtomicInteger {
    private static final long serialVersionUID = 1;

    /** Whether this program is to publish. */
    static final boolean WANTED = "otel".equals(Wick.property("wick.publish"));

    private static final int TRACE_AT = 0;
    private static final int SPAN_AT = 16;
    private static final int HEAD_AT = 24; // valid u8, flags u8, length of attributes u16, their first four bytes
    private static final long VALID = 1;
    private static final int LENGTH_SHIFT = 16;
    private static final int ROOT = 0; // WICK_PUBLISHED_ROOT

    private final transient Connection connection;
    private final transient ByteBuffer memory;
    private long head;        // of what the record holds
    private int set = -1;     // label set of it, by its place in the connection
    private int endpoint;
    private long root;

    Published(Connection connection, ByteBuffer memory) {
        this.connection = connection;
        this.memory = memory.order(ByteOrder.nativeOrder());
    }

    void hide() {
        memory.putLong(HEAD_AT, 0);
    }

    /**
     * Makes a span, and what is in force with it, the thread's context. All 0: no span.
     *
     * @param set labels, by their place in the connection
     * @param root the outermost span here
     */
    void show(long traceHigh, long traceLow, long span, long root, int endpoint, int set) {
        ByteBuffer m = memory;
        m.putLong(HEAD_AT, 0);
        lazySet(0); // it is invalid before it changes
        m.putLong(TRACE_AT, Long.reverseBytes(traceHigh)); // the record wants big endian
        m.putLong(TRACE_AT + 8, Long.reverseBytes(traceLow));
        m.putLong(SPAN_AT, Long.reverseBytes(span));
        if (set != this.set || endpoint != this.endpoint || root != this.root) {
            writeAttributes(root, endpoint, set);
        }
        lazySet(0); // and whole before it is valid again
        m.putLong(HEAD_AT, head);
    }

    private void writeAttributes(long root, int endpoint, int set) {
        ByteBuffer m = memory;
        Attributes a = connection.setAt(set).attributes(connection, endpoint);
        int end = Attributes.FROM + a.bytes;
        long[] words = a.words;
        m.putLong(HEAD_AT, words[0]); // not valid yet
        if (set != this.set || endpoint != this.endpoint) {
            for (int i = 1; i < words.length; i++) {
                m.putLong(HEAD_AT + i * 8, words[i]);
            }
        }
        int length = a.bytes;
        if (root != 0) {
            m.putShort(end, (short) (ROOT | 16 << 8));
            m.putLong(end + 2, hex(root >>> 32));
            m.putLong(end + 10, hex(root & 0xffffffffL));
            length += Attributes.ROOT_BYTES;
        }
        head = m.getLong(HEAD_AT) | (long) length << LENGTH_SHIFT | VALID;
        this.set = set;
        this.endpoint = endpoint;
        this.root = root;
    }

    /** The eight hexadecimal digits of a number of 32 bits, the first in the lowest byte. */
    static long hex(long n) {
        long x = (n << 16 | n) & 0x0000ffff0000ffffL;
        x = (x << 8 | x) & 0x00ff00ff00ff00ffL;
        x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0fL; // a digit a byte, the first in the highest
        long letters = (x + 0x0606060606060606L) >>> 4 & 0x0101010101010101L;
        return Long.reverseBytes(x + 0x3030303030303030L + letters * ('a' - '0' - 10));
    }
}
