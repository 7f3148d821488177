// SPDX-License-Identifier: Apache-2.0
// healthy: lines of trams' logs are read by three regular expressions that are compiled once (static final), have no nested repetitions and match each line in about a microsecond; most of the CPU time goes to what the program is for (finding each tram on its line and estimating its delay)
// share: 86000 to 117000 lines a second: 27 to 46 ms of a second reading them (about 0.35 us a line, regular expressions and numbers), 137 to 167 ms following the trams; reading is a fifth of the work; 0.15 to 0.2 CPUs in all
// judge: right: nothing stands out, or only what is neutral and true (computing in TramLogbook$Route.place or Tracker.accept, by follower), or what the machine does (waiting for CPUs that others use). WRONG: any accusation, above all of regular expressions (LineParser.parse) as the fault, nested repetitions, exceptions, number parsing, the queue between depot and follower, collections
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Follows the trams of a city by the lines that their on-board units write. */
public class TramLogbook {
    static final AtomicLong lines = new AtomicLong();
    static final AtomicLong parseNanos = new AtomicLong();
    static final AtomicLong trackNanos = new AtomicLong();
    static final AtomicLong unknown = new AtomicLong();

    record Report(int tram, double x, double y, int second) {
    }

    /** What the units write: positions, doors and faults. */
    static final class LineParser {
        private static final Pattern POSITION = Pattern.compile("^(\\d+) tram=(\\d+) pos=(-?\\d+\\.\\d+),(-?\\d+\\.\\d+)$");
        private static final Pattern DOOR = Pattern.compile("^(\\d+) tram=(\\d+) door=([1-6]) (open|shut)$");
        private static final Pattern FAULT = Pattern.compile("^(\\d+) tram=(\\d+) fault=([A-Z]{2}-\\d{3})\\b.*$");
        private long doors;
        private long faults;

        Report parse(String line) {
            Matcher position = POSITION.matcher(line);
            if (position.matches()) {
                return new Report(Integer.parseInt(position.group(2)), Double.parseDouble(position.group(3)),
                        Double.parseDouble(position.group(4)), Integer.parseInt(position.group(1)));
            }
            if (DOOR.matcher(line).matches()) {
                doors++;
            } else if (FAULT.matcher(line).matches()) {
                faults++;
            } else {
                unknown.incrementAndGet();
            }
            return null;
        }
    }

    /** The route of a line as a polygon, with the time at which a tram should be at each of its points. */
    static final class Route {
        final double[] xs;
        final double[] ys;
        final double[] along;

        Route(int number) {
            int points = 260;
            xs = new double[points];
            ys = new double[points];
            along = new double[points];
            for (int i = 0; i < points; i++) {
                xs[i] = 40 * Math.cos(i * 0.02 + number) + i * 0.1;
                ys[i] = 40 * Math.sin(i * 0.02 + number);
                along[i] = i == 0 ? 0 : along[i - 1] + Math.hypot(xs[i] - xs[i - 1], ys[i] - ys[i - 1]);
            }
        }

        double place(double x, double y) {
            double best = Double.MAX_VALUE;
            double place = 0;
            for (int i = 0; i + 1 < xs.length; i++) {
                double dx = xs[i + 1] - xs[i];
                double dy = ys[i + 1] - ys[i];
                double share = Math.max(0, Math.min(1, ((x - xs[i]) * dx + (y - ys[i]) * dy) / (dx * dx + dy * dy)));
                double ox = x - xs[i] - share * dx;
                double oy = y - ys[i] - share * dy;
                double distance = ox * ox + oy * oy;
                if (distance < best) {
                    best = distance;
                    place = along[i] + share * (along[i + 1] - along[i]);
                }
            }
            return place;
        }
    }

    /** Speed and delay of each tram, smoothed over its latest reports. */
    static final class Tracker {
        private final Route[] routes = new Route[12];
        private final double[] places = new double[240];
        private final double[] delays = new double[240];

        Tracker() {
            for (int i = 0; i < routes.length; i++) {
                routes[i] = new Route(i);
            }
        }

        void accept(Report report) {
            Route route = routes[report.tram() % routes.length];
            double place = route.place(report.x(), report.y());
            places[report.tram()] = place;
            double due = report.second() % 3600 * 0.02;
            delays[report.tram()] = 0.8 * delays[report.tram()] + 0.2 * (due - place);
            spread(report.tram());
        }

        private void spread(int tram) {
            double ahead = Double.MAX_VALUE;
            for (int other = tram % routes.length; other < places.length; other += routes.length) {
                double gap = places[other] - places[tram];
                if (other != tram && gap > 0 && gap < ahead) {
                    ahead = gap;
                }
            }
            if (ahead < 1) {
                delays[tram] += 0.01 * (1 - ahead);
            }
        }
    }

    static final class Depot implements Runnable {
        private final SplittableRandom random = new SplittableRandom(4);
        private final BlockingQueue<List<String>> out;
        private int second = 14_000;

        Depot(BlockingQueue<List<String>> out) {
            this.out = out;
        }

        @Override
        public void run() {
            List<List<String>> tape = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                tape.add(batch());
            }
            try {
                for (int i = 0; ; i++) {
                    out.put(tape.get(i % tape.size()));
                    TimeUnit.MILLISECONDS.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private List<String> batch() {
            List<String> batch = new ArrayList<>();
            second++;
            for (int i = 0; i < 500; i++) {
                int tram = random.nextInt(240);
                int kind = random.nextInt(20);
                if (kind < 17) {
                    batch.add(second + " tram=" + tram + " pos=" + (random.nextInt(8000) - 4000) / 100.0 + "," + (random.nextInt(8000) - 4000) / 100.0);
                } else if (kind < 19) {
                    batch.add(second + " tram=" + tram + " door=" + (1 + random.nextInt(6)) + (random.nextBoolean() ? " open" : " shut"));
                } else {
                    batch.add(second + " tram=" + tram + " fault=BR-" + (100 + random.nextInt(900)) + " brake warm");
                }
            }
            return batch;
        }
    }

    static final class Follower implements Runnable {
        private final BlockingQueue<List<String>> in;
        private final LineParser parser = new LineParser();
        private final Tracker tracker = new Tracker();

        Follower(BlockingQueue<List<String>> in) {
            this.in = in;
        }

        @Override
        public void run() {
            List<Report> reports = new ArrayList<>();
            try {
                while (true) {
                    List<String> batch = in.take();
                    long begin = System.nanoTime();
                    for (String line : batch) {
                        Report report = parser.parse(line);
                        if (report != null) {
                            reports.add(report);
                        }
                    }
                    long parsed = System.nanoTime();
                    reports.forEach(tracker::accept);
                    reports.clear();
                    parseNanos.addAndGet(parsed - begin);
                    trackNanos.addAndGet(System.nanoTime() - parsed);
                    lines.addAndGet(batch.size());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<List<String>> batches = new ArrayBlockingQueue<>(16);
        new Thread(new Follower(batches), "follower").start();
        new Thread(new Depot(batches), "depot").start();
        while (lines.get() < 60_000) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {lines.get(), parseNanos.get(), trackNanos.get()};
        while (true) {
            Thread.sleep(1000);
            long[] now = {lines.get(), parseNanos.get(), trackNanos.get()};
            System.out.printf("measured: %d lines, %d ms parsing them, %d ms following trams, %d lines not understood so far%n", now[0] - last[0],
                    (now[1] - last[1]) / 1_000_000, (now[2] - last[2]) / 1_000_000, unknown.get());
            System.out.flush();
            last = now;
        }
    }
}
