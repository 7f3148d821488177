// SPDX-License-Identifier: Apache-2.0
// cause: the young generation (-Xmn20m of a heap of 120 MB, Serial) is too small for the passages that TollClearing$Window keeps for a moment (the last 40,000 of them, about 10 MB): they outlive two or three young collections, do not fit into the survivor spaces of 2 MB, are promoted to the old generation and die there, so that full collections follow one another
// share: pauses take about 40 % of the time (400 ms a second), one or two full collections a second among them, nine tenths of what these go through is dead; with -Xmn95m there is no full collection, pauses take 9 % and nearly twice as many passages get through
// expect: promotion
// symptom: gc-pauses gc-cpu
// judge: NAMED: objects are promoted to the old generation and die there (premature promotion), a larger young generation or survivor spaces is the advice, with or without what allocates (TollClearing$Reader.passage, parse, TollClearing$Window.add). SYMPTOM ONLY: collections or pauses take much time (gc-pauses, gc-cpu) without the reason; a larger heap as the advice; the allocating functions without a word about promotion; -Xmn as an unsuitable option without that (that it leaves so little for new objects that they are copied to the old generation is NAMED). WRONG: a leak or a live set that is too large, humongous objects, System.gc(), locks, waits, hot methods as the main cause, the machine, or nothing found.
// jdk: 21
// set: thirty-fifth
// jvm: -XX:+UseSerialGC -Xms120m -Xmx120m -Xmn20m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Matches the passages of lorries at toll gantries to journeys, and charges each. */
public class TollClearing {
    record Passage(String plate, String gantry, String country, long second, int axles, double weight) { }

    /** Reads the lines that the gantries send. */
    static final class Reader {
        private static final String[] COUNTRIES = {"DE", "PL", "CZ", "NL", "AT", "LT", "RO"};
        private final Random random = new Random(11);
        private long second;

        Passage passage() {
            String line = "P" + (100_000 + random.nextInt(300_000)) + ";G" + (10_000 + random.nextInt(400)) + ";" + COUNTRIES[random.nextInt(7)] + ";" + second++ / 100 + ";"
                    + (2 + random.nextInt(4)) + ";" + (7 + random.nextInt(33));
            return parse(line);
        }

        private Passage parse(String line) {
            int plate = line.indexOf(';'), gantry = line.indexOf(';', plate + 1), country = line.indexOf(';', gantry + 1), time = line.indexOf(';', country + 1),
                    axles = line.indexOf(';', time + 1);
            return new Passage(line.substring(0, plate), line.substring(plate + 1, gantry), line.substring(gantry + 1, country), Long.parseLong(line, country + 1, time, 10),
                    Integer.parseInt(line, time + 1, axles, 10), Double.parseDouble(line.substring(axles + 1)));
        }
    }

    /** The passages of the last moments, among which that before is looked for. */
    static final class Window {
        private final int size;
        private final ArrayDeque<Passage> order = new ArrayDeque<>();
        private final Map<String, Passage> latest = new HashMap<>();

        Window(int size) {
            this.size = size;
        }

        Passage add(Passage passage) {
            order.add(passage);
            Passage before = latest.put(passage.plate(), passage);
            if (order.size() > size) {
                Passage oldest = order.poll();
                latest.remove(oldest.plate(), oldest);
            }
            return before;
        }
    }

    /** Prices by gantry and number of axles. */
    static final class Tariff {
        private final Map<String, double[]> prices = new HashMap<>();

        Tariff() {
            for (int gantry = 0; gantry < 400; gantry++) {
                double[] row = new double[2_000];
                for (int i = 0; i < row.length; i++) {
                    row[i] = 0.1 + (gantry * 31 + i) % 97 / 100.0;
                }
                prices.put("G" + (10_000 + gantry), row);
            }
        }

        double charge(Passage from, Passage to) {
            double[] row = prices.get(to.gantry());
            double price = row[(from.gantry().hashCode() & 255) * 5 + to.axles()];
            return to.weight() > 18 ? price * 1.4 : price;
        }
    }

    /** The clearing itself. */
    static final class Clearing implements Runnable {
        private final Reader reader = new Reader();
        private final Window window = new Window(40_000);
        private final Tariff tariff = new Tariff();
        private final Map<String, double[]> accounts = new HashMap<>();
        final AtomicLong passages = new AtomicLong();

        @Override public void run() {
            for (;;) {
                for (int i = 0; i < 1_500; i++) {
                    clear(reader.passage());
                }
                passages.addAndGet(1_500);
                LockSupport.parkNanos(300_000);
            }
        }

        private void clear(Passage passage) {
            Passage before = window.add(passage);
            if (before != null) {
                accounts.computeIfAbsent(passage.country(), c -> new double[1])[0] += tariff.charge(before, passage);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Clearing clearing = new Clearing();
        new Thread(clearing, "clearing").start();
        long count = 0, millis = 0, full = 0;
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long nowCount = 0, nowMillis = 0, nowFull = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                nowCount += bean.getCollectionCount();
                nowMillis += bean.getCollectionTime();
                if (bean.getName().contains("MarkSweep")) {
                    nowFull += bean.getCollectionCount();
                }
            }
            sofar = nowFull;
            if (!ready && second >= 4 && sofar >= 3) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d passages; %d collections, %d of them full, %d ms of pauses in the last second%n", clearing.passages.getAndSet(0), nowCount - count,
                    nowFull - full, nowMillis - millis);
            System.out.flush();
            count = nowCount;
            millis = nowMillis;
            full = nowFull;
        }
    }
}
