// SPDX-License-Identifier: Apache-2.0
// cause: TicketDesk.settle runs long pure CPU jobs (digestDay, several hundred ms without any blocking call) on the same virtual thread executor as the short customer requests; virtual threads are not time-sliced, so the jobs hold both carrier threads and the requests wait for a carrier.
// share: mean request latency 58 ms (p90 105 ms) vs 0.1 to 0.4 ms fixed, at the same settlement rate
// judge: must say that the CPU-bound settlement jobs (settle/digestDay) occupy the virtual thread carriers (ForkJoinPool scheduler, parallelism 2) so that the short requests (handle) wait to be mounted, i.e. the jobs belong on platform threads or another pool; "CPU is saturated" or "digestDay is hot" alone does not count
// set: eighteenth
// expect: unstarted-threads frame=TicketDesk.digestDay
// symptom: waiting
// jdk: 21
// jvm: -Djdk.virtualThreadScheduler.parallelism=2
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class TicketDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder days = new LongAdder();
    static final LongAdder sold = new LongAdder();

    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    private final ExecutorService bulk = FIXED ? Executors.newFixedThreadPool(2, r -> {
        Thread t = new Thread(r, "settlement");
        t.setDaemon(true);
        return t;
    }) : requests;
    private final LinkedTransferQueue<Long> latencies = new LinkedTransferQueue<>();
    private final ReentrantLock seatsLock = new ReentrantLock();
    private final int[] seats = new int[500];

    private boolean reserve(int show) {
        seatsLock.lock();
        try {
            seats[show] = (seats[show] + 1) % 900;
            return seats[show] != 0;
        } finally {
            seatsLock.unlock();
        }
    }

    private String confirm(int show, long id) {
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            sb.append(Long.toString(id * 31 + show + i, 36)).append('-');
        }
        return sb.toString();
    }

    private void handle(long id, long arrived) {
        int show = (int) (id * 7919 % seats.length);
        if (reserve(show) && !confirm(show, id).isEmpty()) {
            sold.increment();
        }
        latencies.add(System.nanoTime() - arrived);
    }

    private long digestDay(long day) {
        long h = day;
        for (int i = 0; i < 60_000_000; i++) {
            h ^= h << 13;
            h ^= h >>> 7;
            h ^= h << 17;
        }
        return h;
    }

    private void settle(long day, Semaphore slots) {
        try {
            if (digestDay(day + 1) != 0) {
                days.increment();
            }
        } finally {
            slots.release();
        }
    }

    private void closeDays() {
        Semaphore slots = new Semaphore(2);
        for (long day = 0; ; day++) {
            slots.acquireUninterruptibly();
            long d = day;
            bulk.execute(() -> settle(d, slots));
        }
    }

    private void counter() {
        try {
            for (long id = 0; ; id++) {
                long n = id;
                long arrived = System.nanoTime();
                requests.execute(() -> handle(n, arrived));
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long[] drain() {
        java.util.ArrayList<Long> all = new java.util.ArrayList<>();
        latencies.drainTo(all);
        long[] a = new long[all.size()];
        for (int i = 0; i < a.length; i++) {
            a[i] = all.get(i);
        }
        Arrays.sort(a);
        return a;
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        TicketDesk d = new TicketDesk();
        daemon(d::closeDays, "closing");
        daemon(d::counter, "counter");
        System.out.println("READY");
        long daysBefore = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long[] a = d.drain();
            long done = days.sum();
            long mean = a.length == 0 ? -1 : Arrays.stream(a).sum() / a.length / 1000;
            long p90 = a.length == 0 ? -1 : a[a.length * 9 / 10] / 1000;
            System.out.println("measured: requests/s=" + a.length + " mean_us=" + mean
                    + " p90_us=" + p90 + " settled_days/s=" + (done - daysBefore));
            daysBefore = done;
        }
        System.exit(0);
    }
}
