// SPDX-License-Identifier: Apache-2.0
// healthy: a scheduler with 4 threads and five jobs of a dairy, each of which takes a small part of its interval; every job begins when it is due, also beside the longest one, and little CPU time is used
// share: five jobs in 4 threads, each begins within 0.2 to 1.2 ms of when it is due on average where CPUs are free for them (up to 160 ms at worst while other programs take them), the longest one takes some 10 ms; less than 0.1 CPUs
// judge: RIGHT: nothing stands out, that it did little, or neutral findings of where time goes (the jobs readings, cleaning). WRONG: blocked-scheduler, pool-busy, saturated-thread, waits of the scheduler's threads or of main, the monitor of Plant, file I/O, building strings. On a crowded machine a lack of CPUs is true and no mistake
// jdk: 8
// set: thirty-fifth
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Watches the tanks of a dairy: reads them, balances the milk, checks the cleaning, writes reports. */
public class DairyPlant {
    static final int TANKS = 60;

    /** The readings of the last minutes. */
    static final class Plant {
        private final Deque<double[]> readings = new ArrayDeque<double[]>();

        synchronized void add(double[] litres) {
            readings.addLast(litres);
            if (readings.size() > 1200) {
                readings.removeFirst();
            }
        }

        synchronized List<double[]> latest(int count) {
            List<double[]> all = new ArrayList<double[]>(readings);
            return all.subList(Math.max(0, all.size() - count), all.size());
        }
    }

    /** A job that knows when it should have begun. */
    abstract static class Job implements Runnable {
        final String name;
        final long interval;
        private long due;
        private int runs;
        private long late;
        private long worst;
        private long busy;

        Job(String name, long interval) {
            this.name = name;
            this.interval = interval;
        }

        @Override
        public void run() {
            long from = System.nanoTime();
            due = due == 0 ? from : due + interval * 1_000_000;
            try {
                work();
            } catch (Exception e) {
                System.out.println(name + ": " + e);
            }
            synchronized (this) {
                runs++;
                late += Math.max(0, from - due);
                worst = Math.max(worst, from - due);
                busy += System.nanoTime() - from;
            }
        }

        abstract void work() throws Exception;

        synchronized String figures() {
            String text = String.format("%s %d times, %.1f ms late (%.1f at most), %.1f ms long", name, runs, late / 1e6 / Math.max(1, runs), worst / 1e6, busy / 1e6 / Math.max(1, runs));
            runs = 0;
            late = 0;
            worst = 0;
            busy = 0;
            return text;
        }
    }

    private static List<Job> jobs(final Plant plant, final File folder) {
        return Arrays.asList(
            new Job("readings", 50) {
                private final Random random = new Random(3);

                @Override
                void work() {
                    double[] litres = new double[TANKS];
                    for (int tank = 0; tank < TANKS; tank++) {
                        double sum = 0;
                        for (int probe = 0; probe < 1500; probe++) {
                            sum += 9000 + random.nextGaussian() * 25;
                        }
                        litres[tank] = sum / 1500;
                    }
                    plant.add(litres);
                }
            },
            new Job("balance", 400) {
                volatile double lost;

                @Override
                void work() {
                    double first = 0;
                    double last = 0;
                    for (double[] litres : plant.latest(1200)) {
                        first = last;
                        last = 0;
                        double[] sorted = litres.clone();
                        Arrays.sort(sorted);
                        for (double litre : sorted) {
                            last += litre;
                        }
                    }
                    lost = first - last;
                }
            },
            new Job("cleaning", 1000) {
                volatile int dirty;

                @Override
                void work() {
                    int found = 0;
                    for (int pipe = 0; pipe < 4000; pipe++) {
                        double flow = 0;
                        for (int bend = 1; bend < 160; bend++) {
                            flow += Math.sin(pipe * 0.01 + bend) / bend;
                        }
                        found += flow < -0.4 ? 1 : 0;
                    }
                    dirty = found;
                }
            },
            new Job("report", 2000) {
                private int number;

                @Override
                void work() throws IOException {
                    File file = new File(folder, "report-" + number++ + ".csv");
                    try (PrintWriter out = new PrintWriter(file, "UTF-8")) {
                        for (double[] litres : plant.latest(200)) {
                            StringBuilder line = new StringBuilder();
                            for (double litre : litres) {
                                line.append(Math.round(litre * 10) / 10.0).append(';');
                            }
                            out.println(line);
                        }
                    }
                }
            },
            new Job("purge", 5000) {
                @Override
                void work() {
                    File[] files = folder.listFiles();
                    for (int i = 0; files != null && i < files.length; i++) {
                        if (System.currentTimeMillis() - files[i].lastModified() > 6000) {
                            files[i].delete();
                        }
                    }
                }
            });
    }

    public static void main(String[] args) throws Exception {
        final File folder = new File(System.getProperty("java.io.tmpdir"), "dairy-" + ManagementFactory.getRuntimeMXBean().getName().replace('@', '-'));
        folder.mkdirs();
        Runtime.getRuntime().addShutdownHook(new Thread() {
            @Override
            public void run() {
                File[] files = folder.listFiles();
                for (int i = 0; files != null && i < files.length; i++) {
                    files[i].delete();
                }
                folder.delete();
            }
        });
        final AtomicInteger number = new AtomicInteger();
        ScheduledExecutorService scheduler = new ScheduledThreadPoolExecutor(4, new ThreadFactory() {
            @Override
            public Thread newThread(Runnable r) {
                return new Thread(r, "plant-jobs-" + number.incrementAndGet());
            }
        });
        List<Job> jobs = jobs(new Plant(), folder);
        for (Job job : jobs) {
            scheduler.scheduleAtFixedRate(job, 100, job.interval, TimeUnit.MILLISECONDS);
        }
        Thread.sleep(4000);
        for (Job job : jobs) {
            job.figures();
        }
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = os.getProcessCpuTime(), at = System.nanoTime();
        for (;;) {
            Thread.sleep(1000);
            long cpu2 = os.getProcessCpuTime(), at2 = System.nanoTime();
            StringBuilder line = new StringBuilder(String.format("measured: %.2f CPUs", (double) (cpu2 - cpu) / (at2 - at)));
            for (Job job : jobs) {
                line.append("; ").append(job.figures());
            }
            System.out.println(line);
            cpu = cpu2;
            at = at2;
        }
    }
}
