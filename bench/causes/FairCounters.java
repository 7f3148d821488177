// SPDX-License-Identifier: Apache-2.0
// cause: counters are under a fair lock, which is handed to a thread that must first wake up, for each entry of a log
// expect: lock-contention frame=FairCounters.add | lock-contention class=FairSync
// symptom: waiting hot-method hot-code hot-calls lock-contention
// jvm: -Xmx128m
// jdk: 11
// set: sixth
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Eight workers count the 2000 entries of a part of a log in one map, which takes well below a microsecond for each, as
 * does the parsing. But the lock is fair: as soon as one waits, the next one who comes must queue as well, and the lock
 * passes on with a switch of threads each time. A part takes more than 50 ms instead of two; most of the workers' time
 * is the wait for the lock, and what CPU time there is goes into the switches. Between parts, workers pause for 5 ms.
 */
public final class FairCounters {
    private static final int WORKERS = 8;
    private static final int ENTRIES = 2000;
    private static final String[] LINES = {"GET /a 200 1200", "GET /b 200 310", "PUT /a 403 0", "GET /c 404 17"};

    private final ReentrantLock lock = new ReentrantLock(true);
    private final Map<String, Long> counts = new HashMap<>();

    private void add(String name, long bytes) {
        lock.lock();
        try {
            counts.merge(name, bytes, Long::sum);
        } finally {
            lock.unlock();
        }
    }

    private void count(int seed) {
        for (int i = 0; i < ENTRIES; i++) {
            String line = LINES[Math.floorMod(seed + i, LINES.length)];
            int size = line.lastIndexOf(' ');
            add(line.substring(size - 3, size), Long.parseLong(line.substring(size + 1)));
        }
    }

    private void work(int worker) {
        try {
            for (int n = worker;; n += WORKERS) {
                count(n);
                Thread.sleep(5); // the next part
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        FairCounters counters = new FairCounters();
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            new Thread(() -> counters.work(worker), "worker-" + i).start();
        }
        System.out.println("READY");
    }
}
