// SPDX-License-Identifier: Apache-2.0
// cause: a handler blocks the only thread of an event loop, so that all others wait for their turn
// expect: pool-busy pool=loop
// symptom: waiting
// jdk: 25
// set: second
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public final class BlockedEventLoop {
    private static final ExecutorService LOOP = Executors.newSingleThreadExecutor(r -> new Thread(r, "loop-1"));

    private static String handle(int n) {
        if (n % 3 == 0) {
            report(n);
        }
        return "answer " + n;
    }

    private static void report(int n) {
        try {
            Thread.sleep(25); /* a call that blocks */
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void request(int from) {
        for (int n = from;; n++) {
            int number = n;
            CompletableFuture.supplyAsync(() -> handle(number), LOOP).join();
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 6; i++) {
            int from = i;
            new Thread(() -> request(from), "client-" + i).start();
        }
        System.out.println("READY");
    }
}
