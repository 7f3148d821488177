// SPDX-License-Identifier: Apache-2.0
// cause: somebody limited the young generation to 1 MB, so that there are collections all the time
// expect: gc-pauses | gc-cpu | promotion
// symptom: hot-method hot-calls hot-code late-safepoints slow-safepoints
// jvm: -XX:+UseParallelGC -Xmn1m
// jdk: 17
// set: eighth
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class TinyNursery {
    private static volatile int size;

    private static Map<String, Integer> basket(int number) {
        Map<String, Integer> basket = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            basket.merge("article-" + (number * 31 + i * 7) % 97, i, Integer::sum);
        }
        return basket;
    }

    private static void serve(int worker) {
        List<Map<String, Integer>> recent = new ArrayList<>();
        for (int number = worker;; number++) {
            recent.add(basket(number));
            if (recent.size() == 200) {
                recent.clear();
            }
            size += recent.size();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int worker = i;
            new Thread(() -> serve(worker), "basket-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            long collections = 0;
            long millis = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                collections += bean.getCollectionCount();
                millis += bean.getCollectionTime();
            }
            long up = ManagementFactory.getRuntimeMXBean().getUptime();
            System.out.println("measured: " + collections * 1000 / up + " collections a second, " + 100 * millis / up + " % of the time");
        }
    }
}
