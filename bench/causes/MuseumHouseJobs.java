// SPDX-License-Identifier: Apache-2.0
// healthy: five jobs at a fixed rate in a ScheduledThreadPoolExecutor of three threads; each takes milliseconds of its period, begins on time, and the queue has nothing but the next run of each.
// share: all jobs together 0.1 to 0.2 CPUs; jobs begin 0.2 to 3 ms late as a rule (at most some 10 ms on a machine that is shared); 4 or 5 tasks in the queue, one for each job.
// judge: Right: nothing stands out, or neutral statements of where CPU time goes (ClimateJob.work, ShowcaseJob.work, VisitorJob.work, LightJob.work and what they call). WRONG: any accusation, such as blocked-scheduler, pool-busy, growing-queue, cancelled tasks, waits of house-N for work, the monitor of Climate, file access by LogJob. Remarks about a crowded machine are all right if it is crowded.
// jdk: 17
// set: thirty-first
// jvm: -Xmx128m

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What has to be done regularly in a museum: climate, light, visitors, showcases, the log of the house. */
public class MuseumHouseJobs {
    static final int ROOMS = 150;

    /** A job with what it has cost and how late it began. */
    abstract static class HouseJob implements Runnable {
        final String name;
        final long periodMillis;
        private final AtomicLong due = new AtomicLong();
        private final LongAdder runs = new LongAdder();
        private final AtomicLong worstLate = new AtomicLong();
        private final LongAdder busy = new LongAdder();
        private final CountDownLatch first;

        HouseJob(String name, long periodMillis, CountDownLatch first) {
            this.name = name;
            this.periodMillis = periodMillis;
            this.first = first;
        }

        void start(ScheduledThreadPoolExecutor scheduler, long delay) {
            due.set(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delay));
            scheduler.scheduleAtFixedRate(this, delay, periodMillis, TimeUnit.MILLISECONDS);
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            worstLate.accumulateAndGet(begin - due.getAndAdd(TimeUnit.MILLISECONDS.toNanos(periodMillis)), Math::max);
            try {
                work();
            } catch (IOException | RuntimeException e) {
                System.err.println(name + ": " + e);
            }
            busy.add(System.nanoTime() - begin);
            runs.increment();
            first.countDown();
        }

        abstract void work() throws IOException;

        String report() {
            long n = Math.max(1, runs.sumThenReset());
            return String.format("%s %.1f ms, at most %.1f late", name, busy.sumThenReset() / 1e6 / n, worstLate.getAndSet(0) / 1e6);
        }
    }

    /** The last readings of each room. */
    static final class Climate {
        private final double[][] humidity = new double[ROOMS][900];
        private int at;

        synchronized void record(Random random) {
            at = (at + 1) % 900;
            for (int r = 0; r < ROOMS; r++) {
                humidity[r][at] = 50 + 4 * random.nextGaussian();
            }
        }

        synchronized double[] history(int room) {
            return humidity[room].clone();
        }
    }

    static final class ClimateJob extends HouseJob {
        private final Climate climate;
        private final Random random = new Random(1);
        private final AtomicInteger alarms;

        ClimateJob(Climate climate, AtomicInteger alarms, CountDownLatch first) {
            super("climate", 100, first);
            this.climate = climate;
            this.alarms = alarms;
        }

        @Override
        void work() {
            climate.record(random);
            for (int room = 0; room < ROOMS; room++) {
                double[] h = climate.history(room);
                if (Math.abs(slope(h)) > 0.05 || median(h) > 60) {
                    alarms.incrementAndGet();
                }
            }
        }

        private static double slope(double[] y) {
            double sx = 0;
            double sy = 0;
            double sxx = 0;
            double sxy = 0;
            for (int i = 0; i < y.length; i++) {
                sx += i;
                sy += y[i];
                sxx += (double) i * i;
                sxy += i * y[i];
            }
            return (y.length * sxy - sx * sy) / (y.length * sxx - sx * sx);
        }

        private static double median(double[] y) {
            Arrays.sort(y);
            return y[y.length / 2];
        }
    }

    static final class LightJob extends HouseJob {
        private final float[] lux = new float[ROOMS * 700];
        private int tick;

        LightJob(CountDownLatch first) {
            super("light", 100, first);
        }

        @Override
        void work() {
            tick++;
            for (int i = 0; i < lux.length; i++) {
                double day = 0.5 + 0.5 * Math.sin(tick * 0.01 + (i % 700) * 0.02);
                lux[i] += 0.1f * ((float) (50 + 100 * day) - lux[i]);
            }
        }
    }

    static final class VisitorJob extends HouseJob {
        private final Map<String, Integer> seen;
        private final Random random = new Random(3);

        VisitorJob(Map<String, Integer> seen, CountDownLatch first) {
            super("visitors", 500, first);
            this.seen = seen;
        }

        @Override
        void work() {
            List<Integer> doors = new ArrayList<>();
            for (int i = 0; i < 200_000; i++) {
                doors.add(random.nextInt(ROOMS));
            }
            Map<Integer, Integer> count = new TreeMap<>();
            for (Integer door : doors) {
                count.merge(door, 1, Integer::sum);
            }
            count.forEach((room, n) -> seen.merge("room " + room, n, Integer::sum));
        }
    }

    static final class LogJob extends HouseJob {
        private final Map<String, Integer> seen;
        private final AtomicInteger alarms;

        LogJob(Map<String, Integer> seen, AtomicInteger alarms, CountDownLatch first) {
            super("log", 2000, first);
            this.seen = seen;
            this.alarms = alarms;
        }

        @Override
        void work() throws IOException {
            Path draft = Files.createTempFile("house-log", ".txt");
            Path log = draft.resolveSibling(draft.getFileName() + ".done");
            try {
                try (BufferedWriter out = Files.newBufferedWriter(draft, StandardCharsets.UTF_8)) {
                    for (Map.Entry<String, Integer> e : new TreeMap<>(seen).entrySet()) {
                        out.write(e.getKey() + ": " + e.getValue() + " visitors");
                        out.newLine();
                    }
                    out.write(alarms.get() + " alarms");
                    out.newLine();
                }
                Files.move(draft, log, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(draft);
                Files.deleteIfExists(log);
            }
        }
    }

    static final class ShowcaseJob extends HouseJob {
        private final Random random = new Random(7);

        ShowcaseJob(CountDownLatch first) {
            super("showcases", 500, first);
        }

        @Override
        void work() {
            double[] vibration = new double[6000];
            for (int i = 0; i < vibration.length; i++) {
                vibration[i] = random.nextGaussian();
            }
            double worst = 0;
            for (int lag = 1; lag <= 3000; lag++) {
                double sum = 0;
                for (int i = lag; i < vibration.length; i++) {
                    sum += vibration[i] * vibration[i - lag];
                }
                worst = Math.max(worst, Math.abs(sum));
            }
            if (worst > 1e6) {
                System.err.println("showcases: " + worst);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(3,
                r -> new Thread(r, "house-" + threads.incrementAndGet()));
        scheduler.setRemoveOnCancelPolicy(true);
        CountDownLatch first = new CountDownLatch(60);
        AtomicInteger alarms = new AtomicInteger();
        Map<String, Integer> seen = new ConcurrentHashMap<>();
        List<HouseJob> jobs = List.of(new ClimateJob(new Climate(), alarms, first), new LightJob(first),
                new VisitorJob(seen, first), new LogJob(seen, alarms, first), new ShowcaseJob(first));
        long delay = 100;
        for (HouseJob job : jobs) {
            job.start(scheduler, delay);
            delay += 37;
        }
        first.await();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(2000);
            StringBuilder line = new StringBuilder("measured:");
            for (HouseJob job : jobs) {
                line.append(' ').append(job.report()).append(';');
            }
            System.out.println(line.append(' ').append(scheduler.getQueue().size()).append(" in the queue"));
        }
    }
}
