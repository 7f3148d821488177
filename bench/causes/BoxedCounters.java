// SPDX-License-Identifier: Apache-2.0
// cause: events are kept as boxed numbers that fill most of a small heap, so collections stop the program
// expect: gc-pauses | promotion | live-set
// symptom: gc-cpu hot-method hot-code hot-calls allocation-stall
// jvm: -XX:+UseParallelGC
// jdk: 8
// set: third
import java.util.ArrayList;
import java.util.List;

public final class BoxedCounters {
    public static void main(String[] args) {
        List<List<Long>> kept = new ArrayList<>();
        System.out.println("READY");
        for (long n = 0;; n++) {
            List<Long> window = new ArrayList<>();
            for (long i = 0; i < 1000; i++) {
                window.add(n * 1000 + i);
            }
            kept.add(window);
            if (kept.size() > 2000) {
                kept.set((int) (n % 1900), window);
                kept.remove(kept.size() - 1);
            }
        }
    }
}
