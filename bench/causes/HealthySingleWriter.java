// SPDX-License-Identifier: Apache-2.0
// healthy: one writer thread for all requests, with time to spare
// jdk: 21
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;

public final class HealthySingleWriter {
    private record Entry(int number, CompletableFuture<Long> done) {}

    private static final BlockingQueue<Entry> ENTRIES = new ArrayBlockingQueue<>(64);
    private static final int ROUNDS = 2_000;

    private static long pack(int number) {
        long sum = number;
        for (int i = 0; i < ROUNDS; i++) {
            sum = sum * 1_000_003 + (sum >>> 7);
        }
        return sum;
    }

    private static void write() {
        try {
            for (;;) {
                Entry e = ENTRIES.take();
                e.done().complete(pack(e.number()));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void request(int from) {
        try {
            for (int n = from;; n++) {
                Entry e = new Entry(n, new CompletableFuture<>());
                Thread.sleep(20);
                ENTRIES.put(e);
                e.done().get();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(HealthySingleWriter::write, "writer").start();
        for (int i = 0; i < 6; i++) {
            int from = i;
            new Thread(() -> request(from), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
