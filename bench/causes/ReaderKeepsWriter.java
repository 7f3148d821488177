// SPDX-License-Identifier: Apache-2.0
// cause: a report holds the read lock for long, and updates wait for the write lock
// expect: waiting kind=write-lock frame=ReaderKeepsWriter.update
// symptom: waiting
// jdk: 25
import java.util.concurrent.locks.ReentrantReadWriteLock;

public final class ReaderKeepsWriter {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private long value;

    private long report() throws InterruptedException {
        lock.readLock().lock();
        try {
            Thread.sleep(100); // writes to a slow client
            return value;
        } finally {
            lock.readLock().unlock();
        }
    }

    private void update(long by) {
        lock.writeLock().lock();
        try {
            value += by;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void updates() {
        for (long i = 0;; i++) {
            update(i);
        }
    }

    private void reports() {
        try {
            for (;;) {
                report();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        ReaderKeepsWriter table = new ReaderKeepsWriter();
        new Thread(table::reports, "report").start();
        for (int i = 0; i < 4; i++) {
            new Thread(table::updates, "update-" + i).start();
        }
        System.out.println("READY");
    }
}
