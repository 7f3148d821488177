// SPDX-License-Identifier: Apache-2.0
// cause: every request ends with System.gc()
// expect: explicit-gc frame=ExplicitCollections.request
// symptom: gc-pauses gc-cpu
// jvm: -Xmx256m -XX:+UseParallelGC
// jdk: 11
import java.util.ArrayList;
import java.util.List;

public final class ExplicitCollections {
    private static final List<byte[]> CACHE = new ArrayList<>();
    private static volatile int sum;

    private static void request(int n) {
        byte[] answer = new byte[10_000];
        answer[n % answer.length] = 1;
        sum += answer[5];
        System.gc();
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 400_000; i++) {
            CACHE.add(new byte[100]);
        }
        System.out.println("READY");
        for (int n = 0;; n++) {
            request(n);
            Thread.sleep(10);
        }
    }
}
