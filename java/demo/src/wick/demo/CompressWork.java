/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * {@code /compress?kib=N}: compresses and expands a text through JNI, so that native frames stand on Java frames.
 */
final class CompressWork implements Endpoint {
    private static final int LARGEST_KIB = 16 * 1024;

    @Override
    public String handle(Query query) throws DataFormatException {
        byte[] text = text(query.get("kib", 128, LARGEST_KIB) * 1024);
        byte[] packed = deflate(text);
        byte[] expanded = inflate(packed, text.length);
        if (!Arrays.equals(text, expanded)) {
            throw new IllegalStateException("what was compressed came back different");
        }
        CRC32 crc = new CRC32();
        crc.update(expanded);
        return text.length + " -> " + packed.length + " bytes, crc " + Long.toHexString(crc.getValue());
    }

    /** Words with some noise: shrinks to about a third. */
    private static byte[] text(int bytes) {
        byte[] text = new byte[bytes];
        Random random = new Random(bytes);
        for (int i = 0; i < bytes; i++) {
            text[i] = (byte) (i % 3 == 0 ? random.nextInt(26) + 'a' : "the wick feeds the flame ".charAt(i % 25));
        }
        return text;
    }

    private static byte[] deflate(byte[] text) {
        Deflater deflater = new Deflater();
        try {
            deflater.setInput(text);
            deflater.finish();
            byte[] out = new byte[text.length + 1024];
            int length = 0;
            while (!deflater.finished()) {
                length += deflater.deflate(out, length, out.length - length);
            }
            return Arrays.copyOf(out, length);
        } finally {
            deflater.end();
        }
    }

    private static byte[] inflate(byte[] packed, int bytes) throws DataFormatException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed);
            byte[] out = new byte[bytes];
            int length = 0;
            while (length < bytes && !inflater.finished()) {
                length += inflater.inflate(out, length, bytes - length);
            }
            return out;
        } finally {
            inflater.end();
        }
    }
}
