// SPDX-License-Identifier: Apache-2.0
// cause: a thread that makes statistics holds the lock of a synchronized map while it walks over all of it
// expect: waiting kind=monitor holder=StatsUnderMapLock.
// symptom: lock-contention waiting hot-method hot-calls hot-code
// jdk: 17
// set: second
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

public final class StatsUnderMapLock {
    private static final Map<Integer, double[]> SESSIONS = Collections.synchronizedMap(new HashMap<>());
    private static volatile double total;

    private static double score(double[] values) {
        double sum = 0;
        for (double v : values) {
            sum += Math.sqrt(v + sum);
        }
        return sum;
    }

    private static void statistics() {
        for (;;) {
            double sum = 0;
            synchronized (SESSIONS) {
                for (double[] session : SESSIONS.values()) {
                    sum += score(session);
                }
            }
            total = sum;
            pause(2);
        }
    }

    private static void serve(int n) {
        for (;;) {
            for (int i = 0; i < 500; i++) {
                SESSIONS.get((n + i) % 5000);
            }
            pause(1);
        }
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 5000; i++) {
            SESSIONS.put(i, new double[300]);
        }
        new Thread(StatsUnderMapLock::statistics, "statistics").start();
        for (int i = 0; i < 6; i++) {
            int n = i;
            new Thread(() -> serve(n * 700), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
