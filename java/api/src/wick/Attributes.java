/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An endpoint and a set of labels as they stand in a published record (Published), ready to be copied: a sequence of
 * {@code key u8, length u8, bytes}. Immutable.
 *
 * <p>They are kept as words of 64 bits, the first of which is the one that the record's head shares with the first four bytes.
 */
final class Attributes {
    static final int FROM = 28; // where attributes begin in a record
    static final int RECORD_BYTES = 640;
    static final int ROOT_BYTES = 2 + 16; // kept free for the outermost span's id, which goes last
    private static final int ENDPOINT = 1; // WICK_PUBLISHED_ENDPOINT
    private static final int MAX_VALUE = 255;

    final int endpoint; // the agent's number of its name
    final int bytes;
    final long[] words; // of the record, from the one at FROM - 4 on

    Attributes(Connection connection, int endpoint, Map<String, String> labels) {
        this.endpoint = endpoint;
        ByteBuffer out = ByteBuffer.allocate(RECORD_BYTES).order(ByteOrder.nativeOrder());
        out.position(FROM);
        if (endpoint != 0) {
            add(out, ENDPOINT, connection.name(endpoint));
        }
        for (Map.Entry<String, String> label : labels.entrySet()) {
            add(out, connection.key(label.getKey()), label.getValue());
        }
        bytes = out.position() - FROM;
        words = new long[(out.position() + 7) / 8 - (FROM - 4) / 8];
        for (int i = 0; i < words.length; i++) {
            words[i] = out.getLong(FROM - 4 + i * 8);
        }
    }

    /** Leaves out what finds no room, and a key without an index. */
    private static void add(ByteBuffer out, int key, String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int length = cut(utf8);
        if (key < 0 || out.remaining() < 2 + length + ROOT_BYTES) {
            return;
        }
        out.put((byte) key).put((byte) length).put(utf8, 0, length);
    }

    /** How much of a text fits, whole characters only. */
    private static int cut(byte[] utf8) {
        int n = Math.min(utf8.length, MAX_VALUE);
        while (n > 0 && n < utf8.length && (utf8[n] & 0xc0) == 0x80) {
            n--;
        }
        return n;
    }
}
