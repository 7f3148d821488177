// SPDX-License-Identifier: Apache-2.0
// cause: lookups wait until fifty have come together or 120 ms have passed, and only twelve clients are there
// expect: endpoint-wait kind=future frame=LingerForBatch.rate | waiting kind=future frame=LingerForBatch.rate | endpoint-wait kind=queue frame=LingerForBatch.collect | waiting kind=queue frame=LingerForBatch.collect
// symptom: waiting endpoint-wait unmounted-wait
// jdk: 25
// set: fifth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import wick.Scope;
import wick.Wick;

/** One call for many rates saves round trips where there are many. A call takes 4 ms, a request 124. */
public final class LingerForBatch {
    private static final int CLIENTS = 12;
    private static final int BATCH = 50;
    private static final long LINGER_NS = TimeUnit.MILLISECONDS.toNanos(120);
    private static volatile double converted;

    private final BlockingQueue<Lookup> lookups = new LinkedBlockingQueue<>();

    private static final class Lookup {
        private final String currency;
        private final CompletableFuture<Double> rate = new CompletableFuture<>();

        private Lookup(String currency) {
            this.currency = currency;
        }
    }

    private List<Lookup> collect() throws InterruptedException {
        List<Lookup> batch = new ArrayList<>(BATCH);
        batch.add(lookups.take());
        long end = System.nanoTime() + LINGER_NS;
        while (batch.size() < BATCH) {
            Lookup lookup = lookups.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (lookup == null) {
                break;
            }
            batch.add(lookup);
        }
        return batch;
    }

    private static void fetch(List<Lookup> batch) throws InterruptedException {
        Thread.sleep(4); // the exchange
        for (Lookup lookup : batch) {
            lookup.rate.complete(1.0 + (lookup.currency.hashCode() & 0xff) / 256.0);
        }
    }

    private void batches() {
        try {
            for (;;) {
                fetch(collect());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private double rate(String currency) throws InterruptedException, ExecutionException {
        Lookup lookup = new Lookup(currency);
        lookups.add(lookup);
        return lookup.rate.get();
    }

    private void serve(int client) {
        String[] currencies = {"EUR", "USD", "CHF", "JPY", "SEK"};
        try {
            for (int n = client;; n++) {
                try (Scope request = Wick.span("GET /convert")) {
                    converted += 100 * rate(currencies[n % currencies.length]);
                }
                Thread.sleep(15); // the next request
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        LingerForBatch service = new LingerForBatch();
        new Thread(service::batches, "batcher").start();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            Thread.ofVirtual().name("client-" + i).start(() -> service.serve(client));
        }
        System.out.println("READY");
    }
}
