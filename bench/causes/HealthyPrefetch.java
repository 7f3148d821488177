// SPDX-License-Identifier: Apache-2.0
// healthy: six pages are fetched ahead by virtual threads behind a semaphore; the reader finds each page there
// jdk: 25
// set: ninth
import java.util.ArrayDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/** The store takes 20 ms for a page; the reader needs one each 25 ms. */
public final class HealthyPrefetch {
    private static final LongAdder WAITING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder PAGES = new LongAdder();
    private static volatile long last;

    private final Semaphore store = new Semaphore(3);

    private byte[] fetch(int page) throws InterruptedException {
        store.acquire();
        try {
            Thread.sleep(20); // the store
            byte[] bytes = new byte[8192];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (page * 31 + i);
            }
            return bytes;
        } finally {
            store.release();
        }
    }

    private static void show(byte[] page) {
        long sum = 0;
        for (int round = 0; round < 100; round++) {
            for (byte one : page) {
                sum = sum * 31 + one;
            }
        }
        last = sum;
    }

    private void read() {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ArrayDeque<Future<byte[]>> ahead = new ArrayDeque<>();
            for (int page = 0;; page++) {
                int next = page;
                ahead.addLast(threads.submit(() -> fetch(next)));
                if (ahead.size() < 6) {
                    continue;
                }
                long start = System.nanoTime();
                byte[] bytes = ahead.removeFirst().get();
                WAITING.add(System.nanoTime() - start);
                show(bytes);
                Thread.sleep(24); // who reads
                ALL.add(System.nanoTime() - start);
                PAGES.increment();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new HealthyPrefetch()::read, "reader").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + WAITING.sum() / (PAGES.sum() + 1) / 1000 + " us of waiting a page, of "
                    + ALL.sum() / (PAGES.sum() + 1) / 1000 + " us");
        }
    }
}
