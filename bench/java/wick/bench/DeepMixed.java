/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

/**
 * A thread whose stack is as deep as it should be: {@code args[1]} Java frames, and {@code args[2]} native ones of the library {@code args[0]}
 * (bench/native/deepmixed.c) below them, in which it computes. Ends with its input.
 */
public final class DeepMixed {
    static volatile long sink;

    private DeepMixed() {}

    private static native long goDown(int depth, long rounds);

    static long descend(int java, int nativeFrames) {
        long x = java > 1 ? descend(java - 1, nativeFrames) : goDown(nativeFrames, 2_000_000);
        sink = x;
        return x + 1;
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        int java = Integer.parseInt(args[1]), nativeFrames = Integer.parseInt(args[2]);
        Thread busy = new Thread(() -> {
            while (true) {
                descend(java, nativeFrames);
            }
        }, "deep");
        busy.setDaemon(true);
        busy.start();
        System.out.println("READY");
        while (System.in.read() >= 0) {
            continue;
        }
    }
}
