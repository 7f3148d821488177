/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

/**
 * {@code /safepoint?loops=N&copies=M}: code in which a thread does not poll whether the JVM has asked it to stop.
 *
 * <p>Two ways to be tardy. A counted loop over an {@code int} has no poll inside (Serial and Parallel collector, and
 * every JVM up to 8; the others cut such loops in strips of a thousand turns unless {@code -XX:-UseCountedLoopSafepoints}
 * is given). And one copy of a huge array is a single stub without a poll, in every JVM.
 *
 * <p>Who is made to wait: the {@link MetricsThread}, which takes a thread dump, and with it every other thread.
 */
final class SafepointWork implements Endpoint {
    private static final int ARRAY_BYTES = 64 * 1024 * 1024;
    private static final int LOOP_TURNS = 20_000_000;

    private byte[] source; // guarded by this
    private byte[] target; // guarded by this

    @Override
    public String handle(Query query) {
        int loops = query.get("loops", 1, 1000);
        int copies = query.get("copies", 1, 1000);
        int sum = 0;
        for (int i = 0; i < loops; i++) {
            sum += countedLoop(i);
        }
        for (int i = 0; i < copies; i++) {
            copyHugeArray();
        }
        return "counted to " + sum + ", copied " + copies + " x " + ARRAY_BYTES / (1024 * 1024) + " MiB";
    }

    private static int countedLoop(int start) {
        int x = start | 1;
        for (int i = 0; i < LOOP_TURNS; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    private synchronized void copyHugeArray() {
        if (source == null) {
            source = new byte[ARRAY_BYTES];
            target = new byte[ARRAY_BYTES];
        }
        System.arraycopy(source, 0, target, 0, ARRAY_BYTES);
    }
}
