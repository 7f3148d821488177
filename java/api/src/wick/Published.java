/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The context of one thread as readers other than wick find it: the writer's side of src/labels/published.h, which has the
 * layout.
 *
 * <p>Readers inspect a stopped thread. They must not find half a change, so the record is invalid during one;
 * about release stores see Record. Attributes are written only if they are not there already: a span within a span changes
 * nothing but the ids.
 */
final class Published extends AtomicInteger {
    private static final long serialVersionUID = 1;

    /** Whether this program is to publish. */
    static final boolean WANTED = "otel".equals(Wick.property("wick.publish"));

    // In words of 64 bits.
    private static final int TRACE_AT = 0;
    private static final int SPAN_AT = 2;
    private static final int HEAD_AT = 3; // valid u8, flags u8, length of attributes u16; key u8, length u8, two digits
    private static final int ROOT_AT = 4; // eight digits
    private static final int REST_AT = 5; // six digits, and what Attributes has
    private static final int WRITER_AT = 640 / 8 - 1;
    private static final long VALID = 1;
    private static final int LENGTH_SHIFT = 16;
    private static final long ROOT = 0 | 16 << 8; // WICK_PUBLISHED_ROOT, and how many digits it has

    private final transient Connection connection;
    private final transient LongBuffer memory;
    private final long writer; // a number that no other object has, in another class loader neither
    // What the record holds.
    private int set = -1; // labels, by their place in the connection
    private int endpoint;
    private long root; // of which these are the digits in the words HEAD_AT and REST_AT
    private long rootHead;
    private long rootRest;
    private transient Attributes attributes;
    private long head;

    Published(Connection connection, ByteBuffer memory) {
        this.connection = connection;
        this.memory = memory.order(ByteOrder.nativeOrder()).asLongBuffer();
        writer = this.memory.get(WRITER_AT);
        writeRoot(0);
    }

    void hide() {
        memory.put(HEAD_AT, 0);
    }

    /**
     * Makes a span, and what is in force with it, the thread's context. All 0: no span.
     *
     * @param set labels, by their place in the connection
     * @param root the outermost span here
     */
    void show(long traceHigh, long traceLow, long span, long root, int endpoint, int set) {
        LongBuffer m = memory;
        m.put(HEAD_AT, 0);
        lazySet(0); // it is invalid before it changes
        m.put(TRACE_AT, Long.reverseBytes(traceHigh)); // the record is big-endian
        m.put(TRACE_AT + 1, Long.reverseBytes(traceLow));
        m.put(SPAN_AT, Long.reverseBytes(span));
        boolean own = m.get(WRITER_AT) == writer;
        boolean sameRoot = own && root == this.root;
        boolean sameRest = own && set == this.set && endpoint == this.endpoint;
        if (!sameRoot) {
            writeRoot(root);
        }
        if (!sameRest) {
            writeRest(endpoint, set);
        }
        if (!sameRoot || !sameRest) {
            join();
        }
        lazySet(0); // and whole before it is valid again
        m.put(HEAD_AT, head);
    }

    private void writeRoot(long root) {
        long first = hex(root >>> 32);
        long last = hex(root & 0xffffffffL);
        memory.put(ROOT_AT, first >>> 16 | last << 48);
        rootHead = (ROOT | first << 16) << 32;
        rootRest = last >>> 16;
        this.root = root;
    }

    private void writeRest(int endpoint, int set) {
        LongBuffer m = memory;
        Attributes a = connection.setAt(set).attributes(connection, endpoint);
        long[] from = a.words;
        for (int i = 1; i < from.length; i++) {
            m.put(REST_AT + i, from[i]);
        }
        attributes = a;
        this.set = set;
        this.endpoint = endpoint;
    }

    /** The words that hold something of both. */
    private void join() {
        memory.put(WRITER_AT, writer);
        memory.put(REST_AT, rootRest | attributes.words[0]);
        head = rootHead | (long) attributes.length << LENGTH_SHIFT | VALID;
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
