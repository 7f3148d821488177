// SPDX-License-Identifier: Apache-2.0
// healthy: two district threads turn uploads into strings, records and trips, some 280 MB a second of garbage, nearly all of which dies young; G1 has room (13 of 96 MB in use after collections), with short pauses.
// share: about 5 young collections a second of 4 ms each: 2 % of the time; no full or mixed ones of note; 0.4 to 0.6 CPUs, of which threads of the collector and the VM use 7 %; 510,000 taps a second get through as they come, queues are empty.
// judge: RIGHT: nothing stands out, or a neutral mention of where CPU time goes (FareTaps$Tap.parse, FareTaps$District.tap or run, maps, strings). WRONG: any accusation of collections (gc-pauses, gc-cpu, promotion, live-set, heap too small or too large), of allocation, building strings, waits of queues or of Thread.sleep in Gates.run; if the machine was crowded, a word on a lack of CPUs is fair.
// jdk: 21
// set: thirty-sixth
// jvm: -XX:+UseG1GC -Xmx96m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Joins taps of fare cards at the gates of a metro into trips, and keeps what each card has spent today. */
public class FareTaps {
    static final AtomicLong taps = new AtomicLong(), trips = new AtomicLong(), workNanos = new AtomicLong();

    enum Kind { IN, OUT }

    record Tap(long card, int station, Kind kind, int second) {
        static Optional<Tap> parse(String line) {
            List<String> f = new ArrayList<>();
            int from = 0;
            for (int i = line.indexOf(','); i >= 0; i = line.indexOf(',', from)) {
                f.add(line.substring(from, i));
                from = i + 1;
            }
            f.add(line.substring(from));
            if (f.size() != 4) {
                return Optional.empty();
            }
            return Optional.of(new Tap(Long.parseLong(f.get(0)), Integer.parseInt(f.get(1)), Kind.valueOf(f.get(2)), Integer.parseInt(f.get(3))));
        }
    }

    record Trip(long card, int from, int to, int seconds, int cents) {
    }

    static final class CardDay {
        Tap entered;
        int spent, count;
    }

    static final class Tariff {
        int cents(int from, int to, int second) {
            int zones = 1 + Math.abs(from / 12 - to / 12);
            int hour = second / 3600 % 24;
            return 190 + 45 * zones + (hour >= 7 && hour < 9 || hour >= 16 && hour < 18 ? 60 : 0);
        }
    }

    /** The cards of one part of the town; only one thread works on it. */
    static final class District implements Runnable {
        private final BlockingQueue<byte[]> uploads;
        private final Map<Long, CardDay> cards = new HashMap<>();
        private final Tariff tariff = new Tariff();
        private Map<String, List<Trip>> hour = new TreeMap<>();
        private int cents;

        District(BlockingQueue<byte[]> uploads) {
            this.uploads = uploads;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    byte[] upload = uploads.take();
                    long t = System.nanoTime();
                    new String(upload, StandardCharsets.UTF_8).lines().map(Tap::parse).flatMap(Optional::stream).forEach(this::tap);
                    if (hour.values().stream().mapToInt(List::size).sum() > 20000) {
                        cents = hour.values().stream().flatMap(List::stream).mapToInt(Trip::cents).sum();
                        hour = new TreeMap<>();
                    }
                    workNanos.addAndGet(System.nanoTime() - t);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void tap(Tap tap) {
            CardDay day = cards.computeIfAbsent(tap.card(), c -> new CardDay());
            if (tap.kind() == Kind.IN) {
                day.entered = tap;
            } else if (day.entered != null) {
                Tap in = day.entered;
                int cents = Math.min(tariff.cents(in.station(), tap.station(), in.second()), Math.max(0, 1400 - day.spent));
                Trip trip = new Trip(tap.card(), in.station(), tap.station(), tap.second() - in.second(), cents);
                hour.computeIfAbsent(in.station() + ">" + tap.station(), k -> new ArrayList<>(4)).add(trip);
                day.entered = null;
                day.spent = ++day.count % 9 == 0 ? 0 : day.spent + cents;
                trips.incrementAndGet();
            }
            taps.incrementAndGet();
        }
    }

    /** The gates, which send what they have every few milliseconds. */
    static final class Gates implements Runnable {
        private final BlockingQueue<byte[]> uploads;
        private final List<byte[]> day = new ArrayList<>();

        Gates(int id, BlockingQueue<byte[]> uploads) {
            this.uploads = uploads;
            Random random = new Random(id);
            for (int u = 0; u < 40; u++) {
                StringBuilder b = new StringBuilder();
                for (int i = 0; i < 400; i++) {
                    long card = 3_000_000_000L + random.nextInt(60000) * 2L + id;
                    int second = u * 600 + i;
                    b.append(card).append(',').append(random.nextInt(60)).append(",IN,").append(second).append('\n');
                    b.append(card).append(',').append(random.nextInt(60)).append(",OUT,").append(second + 300 + random.nextInt(2400)).append('\n');
                }
                day.add(b.toString().getBytes(StandardCharsets.UTF_8));
            }
        }

        @Override
        public void run() {
            try {
                for (int n = 0; ; n++) {
                    uploads.put(day.get(n % day.size()));
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            BlockingQueue<byte[]> uploads = new ArrayBlockingQueue<>(64);
            new Thread(new District(uploads), "district-" + i).start();
            new Thread(new Gates(i, uploads), "gates-" + i).start();
        }
        List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
        long lt = 0, lg = 0, ln = 0, lw = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long t = taps.get(), g = 0, n = 0, w = workNanos.get();
            for (GarbageCollectorMXBean c : collectors) {
                if (!c.getName().contains("Concurrent")) {
                    g += c.getCollectionTime();
                    n += c.getCollectionCount();
                }
            }
            System.out.printf("measured: %d taps; %d collections, %d ms in all, %.1f %% of the time, %.1f ms each; %.2f threads at work%n",
                    t - lt, n - ln, g - lg, (g - lg) / 10.0, (g - lg) / (double) Math.max(1, n - ln), (w - lw) / 1e9);
            lt = t;
            lg = g;
            ln = n;
            lw = w;
            if (s == 5) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
