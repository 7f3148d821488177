// SPDX-License-Identifier: Apache-2.0
// healthy: five threads block in reads of pipes from processes that they have started, and write files, for nearly all of their time; but the stations send a reading only a few times a second, each is stored within about a millisecond, and nobody waits for these threads.
// share: a typical second of an 11 s run on a crowded machine of 2 CPUs: 12 readings stored a second, 0.9 ms after the station took them, 4 forecasts
// judge: Wrong findings: waits for reads of a pipe or file at Gauge.run as a fault; slow child processes; starting too many processes (five, once; their shell scripts run date and sleep); a slow disk; flushing for each line. Acceptable as true and neutral: threads gauge-* wait for what the station processes write; Forecast.fit is where the CPU time goes.
// jdk: 8
// set: twenty-ninth
// jvm:
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

public class TideGaugeStore {
    static final LongAdder STORED = new LongAdder();
    static final LongAdder LAG = new LongAdder();
    static final LongAdder FORECASTS = new LongAdder();

    static final class Reading {
        final long at;
        final double level;

        Reading(long at, double level) {
            this.at = at;
            this.level = level;
        }
    }

    static final class Gauge implements Runnable {
        private final String name;
        private final Path file;
        private final Process station;
        private final Deque<Reading> recent = new ArrayDeque<>();
        private int lines;

        Gauge(String name, Path folder, String pause) throws IOException {
            this.name = name;
            this.file = folder.resolve(name + ".csv");
            String script = "while date +%s%N; do sleep " + pause + " || exit; done";
            station = new ProcessBuilder("sh", "-c", script)
                .redirectError(new File("/dev/null")).start();
            station.getOutputStream().close();
        }

        @Override
        public void run() {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(station.getInputStream(), StandardCharsets.US_ASCII));
                 BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
                String line;
                while ((line = in.readLine()) != null) {
                    long at = Long.parseLong(line.trim()) / 1_000_000;
                    double level = level(at);
                    out.write(name + "," + at + "," + level + "\n");
                    out.flush();
                    lines++;
                    add(new Reading(at, level));
                    STORED.increment();
                    LAG.add(Math.max(0, System.currentTimeMillis() - at));
                }
            } catch (IOException e) {
                System.err.println(name + ": " + e.getMessage());
            }
        }

        private double level(long at) {
            return 2.1 + 1.7 * Math.sin(at / 4.47e7) + 0.1 * Math.sin(lines / 7.0);
        }

        private synchronized void add(Reading r) {
            recent.addLast(r);
            if (recent.size() > 240) {
                recent.removeFirst();
            }
        }

        synchronized List<Reading> recent() {
            return new ArrayList<>(recent);
        }

        void stop() {
            station.destroy();
        }
    }

    static final class Forecast implements Runnable {
        private final List<Gauge> gauges;
        private volatile double highest;

        Forecast(List<Gauge> gauges) {
            this.gauges = gauges;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    double most = 0;
                    for (Gauge g : gauges) {
                        most = Math.max(most, fit(g.recent()));
                    }
                    highest = most;
                    FORECASTS.increment();
                    Thread.sleep(250);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private double fit(List<Reading> list) {
            double best = 0;
            double least = Double.MAX_VALUE;
            for (int phase = 0; phase < 90; phase++) {
                double error = 0;
                for (Reading r : list) {
                    double d = r.level - 2.1 - 1.7 * Math.sin(r.at / 4.47e7 + phase / 45.0 * Math.PI);
                    error += d * d;
                }
                if (error < least) {
                    least = error;
                    best = 2.1 + 1.7 * Math.cos(phase / 45.0 * Math.PI);
                }
            }
            return best;
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        Path folder = Files.createTempDirectory("gauges");
        List<Gauge> gauges = new ArrayList<>();
        String[] names = {"pier", "lock", "breakwater", "inner-harbour", "estuary"};
        String[] pauses = {"0.31", "0.43", "0.57", "0.71", "0.37"};
        for (int i = 0; i < names.length; i++) {
            Gauge g = new Gauge(names[i], folder, pauses[i]);
            gauges.add(g);
            Thread t = new Thread(g, "gauge-" + names[i]);
            t.setDaemon(true);
            t.start();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (Gauge g : gauges) {
                g.stop();
                g.file.toFile().delete();
            }
            folder.toFile().delete();
        }));
        Thread forecast = new Thread(new Forecast(gauges), "forecast");
        forecast.setDaemon(true);
        forecast.start();
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = STORED.sumThenReset();
            long lag = LAG.sumThenReset();
            System.out.printf("measured: %d readings stored a second, %.1f ms after the station took them, %d forecasts%n",
                n, n == 0 ? 0 : lag / (double) n, FORECASTS.sumThenReset());
        }
    }
}
