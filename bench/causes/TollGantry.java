// SPDX-License-Identifier: Apache-2.0
// cause: TollGantry$Lanes makes its ThreadPoolExecutor with a core of 0 threads, a SynchronousQueue and a keep-alive time of 0, so that a worker ends as soon as its task is done and TollGantry$Lanes.submit starts a new thread for each passage, which costs much more than the rating of that passage.
// share: 10 s each: faulty 11,200 passages/s, 2.1 ms for a report; fixed 136,000 passages/s, 0.18 ms: 12 times as many.
// expect: hot-code kind=starting-threads frame=TollGantry$Lanes.submit | waiting kind=thread-start frame=TollGantry$Lanes.submit
// symptom: waiting hot-code too-many-threads
// judge: NAMED: a thread is started for each task by the pool in TollGantry$Lanes.submit (ThreadPoolExecutor.execute, addWorker, Thread.start): its workers end at once (core 0, keep-alive 0, no queue). SYMPTOM ONLY: many short threads, many context switches, system CPU time, waits for latches of a batch in TollGantry.batch. WRONG: the rating (Rates.price) as the hot spot, a pool that is too small, lock contention, too many threads that compute.
// jdk: 11
// set: thirtieth
// jvm:
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Rates the passages that the cameras of a motorway report. */
public class TollGantry {
    static final boolean VARIANT = Boolean.getBoolean("fixed");

    enum Kind { CAR, VAN, LORRY, COACH }

    static final class Passage {
        final String plate;
        final Kind kind;
        final int gantry;
        final int hour;
        volatile long cents;

        Passage(String plate, Kind kind, int gantry, int hour) {
            this.plate = plate;
            this.kind = kind;
            this.gantry = gantry;
            this.hour = hour;
        }
    }

    /** What a passage costs. */
    static final class Rates {
        private final Map<Kind, long[]> table = new HashMap<>();

        Rates() {
            for (Kind kind : Kind.values()) {
                long[] hours = new long[24];
                for (int h = 0; h < 24; h++)
                    hours[h] = 80 * (kind.ordinal() + 1) + (h > 6 && h < 10 || h > 15 && h < 19 ? 45 : 0);
                table.put(kind, hours);
            }
        }

        long price(Passage p) {
            long base = table.get(p.kind)[p.hour];
            long share = 0;
            for (int i = 0; i < 60; i++)
                share = share * 31 + (p.plate.charAt(i % p.plate.length()) ^ p.gantry);
            return base + Math.abs(share % 20);
        }
    }

    /** The workers. */
    static final class Lanes {
        private final AtomicInteger numbers = new AtomicInteger();
        private final ThreadPoolExecutor pool;

        Lanes() {
            pool = new ThreadPoolExecutor(0, 24, VARIANT ? 30 : 0, TimeUnit.SECONDS, new SynchronousQueue<>(), r -> {
                Thread t = new Thread(r, "lane-" + numbers.incrementAndGet());
                t.setDaemon(true);
                return t;
            }, new ThreadPoolExecutor.CallerRunsPolicy());
        }

        void submit(Runnable task) {
            pool.execute(task);
        }
    }

    static final Rates rates = new Rates();
    static final Lanes lanes = new Lanes();
    static final LongAdder passages = new LongAdder();
    static final LongAdder batches = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final AtomicLong revenue = new AtomicLong();

    static Passage seen() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        String plate = "" + (char) ('A' + r.nextInt(26)) + (char) ('A' + r.nextInt(26)) + (1000 + r.nextInt(9000));
        return new Passage(plate, Kind.values()[r.nextInt(4)], r.nextInt(300), r.nextInt(24));
    }

    /** The report of one camera: up to a dozen cars. */
    static void batch() throws InterruptedException {
        List<Passage> report = new ArrayList<>();
        for (int i = 0; i < 12; i++)
            report.add(seen());
        long begin = System.nanoTime();
        CountDownLatch open = new CountDownLatch(report.size());
        for (Passage p : report)
            lanes.submit(() -> {
                p.cents = rates.price(p);
                passages.increment();
                open.countDown();
            });
        open.await();
        long sum = 0;
        for (Passage p : report)
            sum += p.cents;
        revenue.addAndGet(sum);
        took.add(System.nanoTime() - begin);
        batches.increment();
    }

    static void camera() {
        try {
            while (true)
                batch();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        for (int i = 1; i <= 2; i++) {
            Thread t = new Thread(TollGantry::camera, "camera-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            long n = Math.max(1, batches.sumThenReset());
            System.out.printf("measured: %.0f passages/s, mean latency of a report %.0f us%n", passages.sumThenReset() / seconds,
                    took.sumThenReset() / 1e3 / n);
        }
        System.exit(0);
    }
}
