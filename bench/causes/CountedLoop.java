// SPDX-License-Identifier: Apache-2.0
// cause: an analysis runs a counted loop of more than 100 ms without a safepoint, and collections wait for its end
// expect: late-safepoints | slow-safepoints
// symptom: hot-method hot-code hot-calls gc-pauses waiting
// jvm: -Xmx256m -Xmn16m -XX:+UseParallelGC
// jdk: 17
// set: sixth
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * With the parallel collector, a loop that counts with an int has no safepoint poll. One such loop over twelve million
 * readings takes 100 ms and more, and begins anew 20 ms after its end. Four other threads answer requests, which
 * allocate enough for several young collections a second: each takes a few ms by itself, but begins only when the loop
 * is at its end, with all other threads stopped from then on, which is more than half of the time. The analysis itself
 * may take as long as it likes, as it has a CPU for itself; the requests would need a tenth of the other one.
 */
public final class CountedLoop {
    private static final int READINGS = 12_000_000;
    private static volatile long result;
    private static volatile int rows;

    private static long analyse(int[] readings) {
        long state = 1;
        for (int i = 0; i < readings.length; i++) {
            state = state * 31 + readings[i] / (1 + (state & 15)) + (state >>> 7) % 1001;
        }
        return state;
    }

    private static void analyseAll(int[] readings) {
        try {
            for (;;) {
                result = analyse(readings);
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<byte[]> answer(int n) {
        List<byte[]> lines = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            byte[] line = new byte[1000 + (n + i) % 200];
            line[i] = (byte) n;
            lines.add(line);
        }
        return lines;
    }

    private static void serve() {
        try {
            for (int n = 0;; n++) {
                rows = answer(n).size();
                Thread.sleep(1); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        int[] readings = new Random(1).ints(READINGS, 0, 1 << 20).toArray();
        new Thread(() -> analyseAll(readings), "analysis").start();
        for (int i = 0; i < 4; i++) {
            new Thread(CountedLoop::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
