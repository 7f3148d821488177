/* SPDX-License-Identifier: Apache-2.0 */
package wick;

/** Rules for names, keys, values and ids. */
final class Text {
    static final int MAX_KEY = 64;
    static final int MAX_VALUE = 200;

    private Text() {}

    static String cutKey(String s) {
        return s.length() <= MAX_KEY ? s : s.substring(0, MAX_KEY);
    }

    static String cut(String s) {
        return s.length() <= MAX_VALUE ? s : s.substring(0, MAX_VALUE);
    }

    static void escape(StringBuilder to, String s) {
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '\\' || c == ',' || c == '=') {
                to.append('\\');
            }
            to.append(c);
        }
    }

    /** The last 16 digits of an id in hexadecimal; null: 0. */
    static long low(String id) {
        int end = id == null ? 0 : id.length();
        return hex(id, Math.max(0, end - 16), end);
    }

    /** The 16 digits before those. */
    static long high(String id) {
        return id == null ? 0 : hex(id, 0, Math.max(0, id.length() - 16));
    }

    /**
     * The number that hexadecimal digits stand for, 0 if they are none.
     *
     * @param from the first digit
     * @param to behind the last one; of more than 16 the last 16 count
     */
    private static long hex(String s, int from, int to) {
        long n = 0;
        for (int i = from; i < to; i++) {
            int digit = Character.digit(s.charAt(i), 16);
            if (digit < 0) {
                return 0;
            }
            n = n << 4 | digit;
        }
        return n;
    }
}
