/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.util.concurrent.ThreadLocalRandom;

/** Practically never the same stack twice: 60 calls deep, each to one of four methods at random (4^60 stacks). */
public final class ManyStacks {
    private static volatile long sink;

    private ManyStacks() {}

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(() -> {
                while (true) {
                    sink = next(60, ThreadLocalRandom.current().nextLong());
                }
            }, "stacks-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        while (System.in.read() >= 0) {
            continue;
        }
    }

    private static long next(int depth, long random) {
        if (depth == 0) {
            long x = random | 1;
            for (int i = 0; i < 2000; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
            return x;
        }
        long rest = depth % 30 == 0 ? ThreadLocalRandom.current().nextLong() : random >>> 2;
        switch ((int) random & 3) {
            case 0:
                return north(depth, rest);
            case 1:
                return east(depth, rest);
            case 2:
                return south(depth, rest);
            default:
                return west(depth, rest);
        }
    }

    private static long north(int depth, long random) {
        return next(depth - 1, random) + 1;
    }

    private static long east(int depth, long random) {
        return next(depth - 1, random) + 2;
    }

    private static long south(int depth, long random) {
        return next(depth - 1, random) + 3;
    }

    private static long west(int depth, long random) {
        return next(depth - 1, random) + 4;
    }
}
