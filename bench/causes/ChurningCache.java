// SPDX-License-Identifier: Apache-2.0
// cause: a cache lives just long enough to be promoted, and fills the old generation again and again
// expect: promotion
// symptom: gc-pauses gc-cpu promotion hot-method hot-calls hot-code
// jvm: -XX:+UseSerialGC -Xmn8m
// jdk: 17
// set: second
import java.util.LinkedHashMap;
import java.util.Map;

public final class ChurningCache {
    private static final Map<Integer, byte[]> CACHE = new LinkedHashMap<>(16, 0.75f, false) {
        @Override protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
            return size() > 12_000;
        }
    };

    private static void store(int key) {
        CACHE.put(key, new byte[2000]);
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (int key = 0;; key++) {
            store(key);
        }
    }
}
