// SPDX-License-Identifier: Apache-2.0
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Allocates known amounts at one method for each size. A line on standard input is answered by nanoseconds of CPU time, and by the bytes of
 * each method, NAME=BYTES:
 *
 * <pre>
 *   drop KIB      so many KiB at each method, from 16 bytes to 8 MiB in turn; nothing is kept
 *   each KIB      the same, one method after the other
 *   keep KIB      up to 32 KiB, in turn, and all is kept; what the line before kept is dropped, and garbage collected
 *   native KIB    the same with native memory of up to 8 MiB; what the line before kept is freed
 *   small KIB     objects of 64 bytes, for the cost
 * </pre>
 */
public final class Allocates {
    private static final int HEADER = 16;
    private static final int[] SIZES = {16, 128, 1024, 32 << 10, 512 << 10, 8 << 20};
    private static final String[] NAMES = {"b16", "b128", "k1", "k32", "k512", "m8"};
    private static final List<Object> KEPT = new ArrayList<>();
    private static final List<Long> ADDRESSES = new ArrayList<>();
    private static volatile Object sink;
    private static Method allocate, free;
    private static Object unsafe;

    private Allocates() {
    }

    static Object b16() {
        return new byte[0];
    }

    static Object b128() {
        return new byte[128 - HEADER];
    }

    static Object k1() {
        return new byte[1024 - HEADER];
    }

    static Object k32() {
        return new byte[(32 << 10) - HEADER];
    }

    static Object k512() {
        return new byte[(512 << 10) - HEADER];
    }

    static Object m8() {
        return new byte[(8 << 20) - HEADER];
    }

    static Object of(int site) {
        switch (site) {
            case 0: return b16();
            case 1: return b128();
            case 2: return k1();
            case 3: return k32();
            case 4: return k512();
            default: return m8();
        }
    }

    static Object small() {
        return new byte[64 - HEADER];
    }

    private static void freeAll() throws ReflectiveOperationException {
        for (Long address : ADDRESSES)
            free.invoke(unsafe, address);
        ADDRESSES.clear();
        KEPT.clear();
    }

    /** In rounds, so that sizes alternate: as many bytes of each as the largest has. */
    private static void inTurn(long bytes, int sites, boolean keep, boolean outside, long[] sums) throws ReflectiveOperationException {
        long round = Math.min(bytes, SIZES[sites - 1]);
        for (long done = 0; done + round <= bytes; done += round)
            for (int site = 0; site < sites; site++)
                some(site, round, keep, outside, sums);
    }

    private static void some(int site, long bytes, boolean keep, boolean outside, long[] sums) throws ReflectiveOperationException {
        for (long n = bytes / SIZES[site]; n > 0; n--) {
            if (outside)
                ADDRESSES.add((Long) allocate.invoke(unsafe, (long) SIZES[site]));
            else if (keep)
                KEPT.add(of(site));
            else
                sink = of(site);
            sums[site] += SIZES[site];
        }
    }

    private static String answer(String[] words) throws ReflectiveOperationException {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long bytes = Long.parseLong(words[1]) << 10;
        long[] sums = new long[SIZES.length];
        freeAll();
        long begin = bean.getCurrentThreadCpuTime();
        switch (words[0]) {
            case "drop": inTurn(bytes, SIZES.length, false, false, sums); break;
            case "each":
                for (int site = 0; site < SIZES.length; site++)
                    some(site, bytes, false, false, sums);
                break;
            case "keep": inTurn(bytes, 4, true, false, sums); break;
            case "native": inTurn(bytes, SIZES.length, false, true, sums); break;
            default:
                for (long n = bytes / 64; n > 0; n--)
                    sink = small();
        }
        long took = bean.getCurrentThreadCpuTime() - begin;
        sink = null;
        if (words[0].equals("keep"))
            System.gc();
        StringBuilder out = new StringBuilder("ANSWER ").append(took);
        for (int site = 0; site < SIZES.length; site++)
            out.append(' ').append(NAMES[site]).append('=').append(sums[site]);
        return out.toString();
    }

    /** Entry point. */
    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName("sun.misc.Unsafe");
        Field field = c.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        unsafe = field.get(null);
        allocate = c.getMethod("allocateMemory", long.class);
        free = c.getMethod("freeMemory", long.class);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine())
            System.out.println(answer(line.split(" ")));
    }
}
