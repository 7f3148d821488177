// SPDX-License-Identifier: Apache-2.0
// cause: tasks of the common pool wait for a slow call, and requests join them
// expect: pool-busy pool=ForkJoinPool.commonPool frame=CommonPoolBlocked.price
// symptom: waiting
// jvm: -Djava.util.concurrent.ForkJoinPool.common.parallelism=2
// jdk: 21
import java.util.concurrent.CompletableFuture;

public final class CommonPoolBlocked {
    private static int price(int item) {
        try {
            Thread.sleep(20); // a remote service
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return item * 3;
    }

    private static int request(int item) {
        return CompletableFuture.supplyAsync(() -> price(item)).join();
    }

    private static void serve() {
        for (int n = 0;; n++) {
            request(n);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 8; i++) {
            new Thread(CommonPoolBlocked::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
