// SPDX-License-Identifier: Apache-2.0
// cause: nested tasks of one small pool wait for each other's results, so that the pool starves itself
// expect: pool-busy pool=stage
// symptom: waiting
// jdk: 17
// set: third
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

public final class BoundedCallbacks {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(4, r -> new Thread(r, "stage-1"));

    private static int inner(int n) {
        return n + 1;
    }

    private static int outer(int n) throws Exception {
        Future<Integer> f = POOL.submit(() -> inner(n));
        try {
            return f.get(200, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            f.cancel(false);
            return -1;
        }
    }

    private static void request(int from) {
        try {
            for (int n = from;; n++) {
                int number = n;
                POOL.submit(() -> outer(number)).get();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 8; i++) {
            int from = i;
            new Thread(() -> request(from), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
