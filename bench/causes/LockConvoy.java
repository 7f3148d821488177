// SPDX-License-Identifier: Apache-2.0
// cause: all threads compute under one monitor
// expect: waiting kind=monitor frame=LockConvoy.count
// symptom: lock-contention hot-code hot-method hot-calls
// jdk: 21
import java.util.HashMap;
import java.util.Map;

public final class LockConvoy {
    private final Map<Integer, Integer> counts = new HashMap<>();

    private void count(int from) {
        synchronized (counts) {
            for (int i = 0; i < 3000; i++) {
                counts.merge((from + i) % 10007, 1, Integer::sum);
            }
        }
    }

    private void serve() {
        for (int n = 0;; n += 17) {
            count(n);
        }
    }

    public static void main(String[] args) {
        LockConvoy service = new LockConvoy();
        for (int i = 0; i < 8; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
