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
 * <p>The id of the outermost span stands before them and shares the first of the words of 64 bits in which they are kept.
 */
final class Attributes {
    private static final int RECORD_BYTES = 640 - 8; // the last word is not for attributes
    private static final int ALL_FROM = 28; // where attributes begin in a record
    private static final int FROM = ALL_FROM + 2 + 16; // behind the outermost span's id
    private static final int ENDPOINT = 1; // WICK_PUBLISHED_ENDPOINT
    private static final int MAX_VALUE = 255;

    final int endpoint; // the agent's number of its name
    final int length;   // of all attributes in the record
    final long[] words; // of the record, from the one on in which FROM is

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
        length = out.position() - ALL_FROM;
        words = new long[(out.position() + 7) / 8 - FROM / 8];
        for (int i = 0; i < words.length; i++) {
            words[i] = out.getLong((FROM / 8 + i) * 8);
        }
    }

    /** Leaves out what finds no room, and a key without an index. */
    private static void add(ByteBuffer out, int key, String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int length = cut(utf8);
        if (key < 0 || out.remaining() < 2 + length) {
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
