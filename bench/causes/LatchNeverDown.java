// SPDX-License-Identifier: Apache-2.0
// cause: one of three lookups throws before it counts the latch down, which nobody sees, so each page waits for its 300 ms: LatchNeverDown.assemble
// expect: endpoint-wait kind=latch frame=LatchNeverDown.assemble | waiting kind=latch frame=LatchNeverDown.assemble | endpoint-wait kind=reply frame=LatchNeverDown.assemble | waiting kind=reply frame=LatchNeverDown.assemble | endpoint-wait kind=future frame=LatchNeverDown.assemble | waiting kind=future frame=LatchNeverDown.assemble
// symptom: waiting endpoint-wait hot-code
// judge: right is what says that requests or threads wait (for a latch, or for other threads) at LatchNeverDown.assemble; symptom: waiting workers of the pool, exceptions of LatchNeverDown.recommendations
// jdk: 21
// set: twelfth
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import wick.Scope;
import wick.Wick;

public final class LatchNeverDown {
    private static volatile int shown;

    private final ExecutorService lookups = Executors.newFixedThreadPool(6);
    private final Map<Integer, int[]> history = new ConcurrentHashMap<>();

    private static void price(int product, Map<String, String> page, CountDownLatch done) {
        page.put("price", (product * 37 % 1000) + " EUR");
        done.countDown();
    }

    private static void stock(int product, Map<String, String> page, CountDownLatch done) {
        page.put("stock", product % 7 + " pieces");
        done.countDown();
    }

    private void recommendations(int user, Map<String, String> page, CountDownLatch done) {
        int[] bought = history.get(user); // null since the table was moved
        page.put("recommended", "like " + bought[0]);
        done.countDown();
    }

    private String assemble(int user, int product) throws InterruptedException {
        Map<String, String> page = new ConcurrentHashMap<>();
        CountDownLatch done = new CountDownLatch(3);
        lookups.submit(() -> price(product, page, done));
        lookups.submit(() -> stock(product, page, done));
        lookups.submit(() -> recommendations(user, page, done));
        done.await(300, TimeUnit.MILLISECONDS);
        return page.toString();
    }

    private void serve(int user) {
        try {
            for (int product = user;; product++) {
                try (Scope request = Wick.span("GET /product")) {
                    shown += assemble(user, product).length();
                }
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        LatchNeverDown shop = new LatchNeverDown();
        for (int i = 0; i < 5; i++) {
            int user = i;
            new Thread(() -> shop.serve(user), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
