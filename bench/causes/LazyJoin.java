// SPDX-License-Identifier: Apache-2.0
// cause: shops are meant to be asked at once, but a lazy stream joins each answer before it asks the next shop
// expect: waiting frame=LazyJoin.cheapest | endpoint-wait
// symptom: waiting
// jdk: 17
// set: sixth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import wick.Scope;
import wick.Wick;

/**
 * Each of eight shops answers after 15 ms, and a pool of thirty threads could ask them at once for all three requests
 * that there are at a time. A stream without a step that collects the futures takes one shop through both steps before
 * the next, so that a request takes 120 ms in place of 15, nearly all of it in join(), and most of the pool is idle.
 * There is hardly anything to compute, no lock and no queue.
 */
public final class LazyJoin {
    private static final int REQUESTS = 3;
    private static volatile int lowest;

    private final AtomicInteger threads = new AtomicInteger();
    private final ExecutorService pool =
        Wick.wrap(Executors.newFixedThreadPool(30, r -> new Thread(r, "asker-" + threads.incrementAndGet())));
    private final List<Shop> shops = new ArrayList<>();

    private LazyJoin() {
        for (int i = 0; i < 8; i++) {
            shops.add(new Shop(i * 7));
        }
    }

    /** A remote shop: its answer comes 15 ms after it was asked. */
    private static final class Shop {
        private final int discount;

        private Shop(int discount) {
            this.discount = discount;
        }

        private int quote(int article) {
            try {
                Thread.sleep(15); // the answer of the shop
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return 1000 + article % 300 - discount;
        }
    }

    private int cheapest(int article) {
        return shops.stream()
            .map(shop -> CompletableFuture.supplyAsync(() -> shop.quote(article), pool))
            .map(CompletableFuture::join)
            .min(Integer::compare)
            .orElse(0);
    }

    private void serve(int first) {
        try {
            for (int article = first;; article += REQUESTS) {
                try (Scope request = Wick.span("GET /offers")) {
                    lowest = cheapest(article);
                }
                Thread.sleep(10); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        LazyJoin service = new LazyJoin();
        for (int i = 0; i < REQUESTS; i++) {
            int first = i;
            new Thread(() -> service.serve(first), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
