/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Takes locks of the C library (bench/native/contended.c, the argument). A line {@code free N}: the nanoseconds of CPU
 * time for so many locks that no other thread takes; {@code fight MS}: rounds a second of threads that fight for a
 * mutex.
 */
public final class NativeContended {
    private NativeContended() {}

    private static native long free(long n);

    private static native long fight(long ms);

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            long n = Long.parseLong(words[1]);
            System.out.println("ANSWER " + (words[0].equals("free") ? free(n) : fight(n)));
        }
    }
}
