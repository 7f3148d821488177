// SPDX-License-Identifier: Apache-2.0
// healthy: a cache with a lock that is held for a moment
// jdk: 17
// set: third
import java.util.LinkedHashMap;
import java.util.Map;

public final class HealthyCache {
    private static final Map<Integer, String> CACHE = new LinkedHashMap<>();
    private static volatile int found;

    private static String get(int key) {
        synchronized (CACHE) {
            if (CACHE.size() > 1000) {
                CACHE.clear();
            }
            return CACHE.computeIfAbsent(key, k -> "value " + k);
        }
    }

    private static void serve(int from) {
        try {
            for (int n = from;; n++) {
                found += get(n % 3000).length();
                if (n % 50 == 0) {
                    Thread.sleep(2);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 8; i++) {
            int from = i * 100;
            new Thread(() -> serve(from), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
