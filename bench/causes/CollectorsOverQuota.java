// SPDX-License-Identifier: Apache-2.0
// cause: sixteen threads collect in parallel, and the process may use one CPU
// expect: gc-threads
// symptom: late-safepoints cpu-limit gc-pauses gc-cpu promotion hot-code hot-calls hot-method allocation-stall
// cpu: 1
// jvm: -XX:+UseParallelGC -XX:ParallelGCThreads=16 -Xmn16m
// jdk: 17
public final class CollectorsOverQuota {
    private static final Object[] KEPT = new Object[60_000];

    private static Object make(int n) {
        return new int[n % 100];
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (int n = 0;; n = (n + 7919) & Integer.MAX_VALUE) {
            KEPT[n % KEPT.length] = make(n);
        }
    }
}
