/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Allocates and frees native memory (bench/native/malloc.c, the argument). A line {@code pairs N}: the nanoseconds of CPU time for so
 * many pairs of malloc and free; {@code paced N}: likewise at a million pairs a second.
 */
public final class NativeMalloc {
    private NativeMalloc() {}

    private static native long pairs(long n);

    private static native long paced(long n);

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            long n = Long.parseLong(words[1]);
            System.out.println("ANSWER " + (words[0].equals("pairs") ? pairs(n) : paced(n)));
        }
    }
}
