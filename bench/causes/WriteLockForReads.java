// SPDX-License-Identifier: Apache-2.0
// cause: quotes only read the price list, but take its write lock, so that one is computed at a time
// expect: waiting kind=write-lock frame=WriteLockForReads.quote
// symptom: waiting hot-method hot-calls hot-code
// jdk: 21
// set: fourth
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public final class WriteLockForReads {
    private static final int ARTICLES = 100_000;
    private static volatile double quoted;

    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final TreeMap<Integer, Double> prices = new TreeMap<>();

    private WriteLockForReads() {
        for (int i = 0; i < ARTICLES; i++) {
            prices.put(i, 1 + i % 100 / 10.0);
        }
    }

    private static double discount(int position, double price) {
        return price * (1 - Math.min(0.3, Math.log1p(position) / 40));
    }

    private double sum(int first, int articles) {
        double sum = 0;
        int position = 0;
        for (Map.Entry<Integer, Double> e : prices.tailMap(first, true).entrySet()) {
            if (position == articles) {
                break;
            }
            sum += discount(position++, e.getValue());
        }
        return sum;
    }

    private double quote(int first, int articles) {
        lock.writeLock().lock();
        try {
            return sum(first, articles);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void reprice() {
        lock.writeLock().lock();
        try {
            prices.merge(ThreadLocalRandom.current().nextInt(ARTICLES), 0.01, Double::sum);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void serve() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            for (int i = 0;; i++) {
                quoted += quote(random.nextInt(ARTICLES / 4), 60_000);
                if (i % 100 == 0) {
                    reprice();
                }
                Thread.sleep(1); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        WriteLockForReads service = new WriteLockForReads();
        for (int i = 0; i < 8; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
