// SPDX-License-Identifier: Apache-2.0
// cause: the live set almost fills the heap, so the collector runs all the time
// expect: gc-pauses
// symptom: gc-cpu promotion allocation-stall
// jvm: -Xmx64m -XX:+UseParallelGC
// jdk: 17
import java.util.HashMap;
import java.util.Map;

public final class SmallHeap {
    public static void main(String[] args) {
        Map<Integer, byte[]> cache = new HashMap<>();
        System.out.println("READY");
        for (int n = 0;; n++) {
            cache.put(n % 42_000, new byte[1000]);
        }
    }
}
