// SPDX-License-Identifier: Apache-2.0
// cause: one writer thread packs the records of all requests, which wait for it; the other CPU is idle
// expect: saturated-thread thread=writer
// symptom: waiting hot-method hot-calls hot-code pool-busy
// jdk: 21
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;

public final class SingleWriter {
    private record Entry(int number, CompletableFuture<Long> done) {}

    private static final BlockingQueue<Entry> ENTRIES = new ArrayBlockingQueue<>(64);
    private static final int ROUNDS = 200_000;

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
                ENTRIES.put(e);
                e.done().get();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(SingleWriter::write, "writer").start();
        for (int i = 0; i < 6; i++) {
            int from = i;
            new Thread(() -> request(from), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
