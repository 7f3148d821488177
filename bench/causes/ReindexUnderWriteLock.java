// SPDX-License-Identifier: Apache-2.0
// cause: a job rebuilds an index under the write lock, and readers wait for it
// expect: waiting kind=read-lock frame=ReindexUnderWriteLock.find
// symptom: gc-pauses gc-cpu humongous-allocation hot-method hot-calls hot-code
// jdk: 11
// jvm: -Xmx512m
// set: third
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public final class ReindexUnderWriteLock {
    private static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock(true);
    private static Map<String, Integer> index = new HashMap<>();
    private static volatile long hits;

    private static void find(int n) {
        LOCK.readLock().lock();
        try {
            hits += index.getOrDefault("k" + n % 1000, 0);
        } finally {
            LOCK.readLock().unlock();
        }
    }

    private static void rebuild() {
        Map<String, Integer> fresh = new HashMap<>();
        for (int i = 0; i < 60_000; i++) {
            fresh.put("k" + i, i);
        }
        index = fresh;
    }

    private static void reindex() {
        try {
            for (;;) {
                LOCK.writeLock().lock();
                try {
                    rebuild();
                } finally {
                    LOCK.writeLock().unlock();
                }
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void search(int from) {
        try {
            for (int n = from;; n++) {
                find(n);
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(ReindexUnderWriteLock::reindex, "reindex").start();
        for (int i = 0; i < 6; i++) {
            int from = i;
            new Thread(() -> search(from), "search-" + i).start();
        }
        System.out.println("READY");
    }
}
