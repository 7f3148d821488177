// SPDX-License-Identifier: Apache-2.0
// cause: FareShelf$Shelf.capacity sizes the cache of journeys by the heap's maximum and leaves hardly any room beside it (-Xmx256m): the old generation is nearly full with FareShelf$Journey objects that stay, so that one full collection follows another while FareShelf$Desk.quote works
// share: full collections, of 0.3 to 0.6 s each, one to three a second, stop the JVM for 65 to 80 % of the time and find 166 of 256 MB in use each time
// expect: gc-pauses | gc-cpu | live-set
// symptom: gc-pauses gc-cpu live-set heap-limit promotion allocation-stall
// judge: NAMED: collections stop the JVM (gc-pauses or gc-cpu) for a large share of the time because the heap is nearly full with what stays: a larger heap, or keep less; with what keeps it alive (Shelf.journeys, a LinkedHashMap of Journey) or with full collections all the better. SYMPTOM ONLY: much allocation in Desk.search or Desk.quote without the pauses; waits for the monitor of Shelf because of pauses. WRONG: explicit collections, an option other than -Xmx, Desk.search or Shelf.find computing as the fault, cache misses, CPUs, locks as the cause.
// jdk: 8
// set: thirty-third
// jvm: -Xmx256m -XX:+UseParallelGC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Quotes fares of a rail network; journeys that were searched before are kept on a shelf. */
public class FareShelf {
    static final int DESKS = 3;
    static final int STATIONS = 900;
    static final LongAdder quotes = new LongAdder();
    static final LongAdder found = new LongAdder();
    static final LongAdder quoteNanos = new LongAdder();

    static final class Leg {
        final int from;
        final int to;
        final String train;

        Leg(int from, int to, String train) {
            this.from = from;
            this.to = to;
            this.train = train;
        }
    }

    static final class Journey {
        final List<Leg> legs;
        final int minutes;

        Journey(List<Leg> legs, int minutes) {
            this.legs = legs;
            this.minutes = minutes;
        }
    }

    static final class Recent extends LinkedHashMap<Integer, Journey> {
        private static final long serialVersionUID = 1;
        private final int limit;

        Recent(int limit) {
            super(1 << 16, 0.75f, true);
            this.limit = limit;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Journey> eldest) {
            return size() > limit;
        }
    }

    /** Journeys by origin, destination and hour, the least recently used ones go first. */
    static final class Shelf {
        static final int JOURNEY_BYTES = 560;
        final int capacity;
        private final Map<Integer, Journey> journeys;

        Shelf(double share) {
            capacity = capacity(share);
            journeys = new Recent(capacity);
        }

        static int capacity(double share) {
            return (int) (Runtime.getRuntime().maxMemory() * share / JOURNEY_BYTES);
        }

        synchronized Journey find(Integer key) {
            return journeys.get(key);
        }

        synchronized void keep(Integer key, Journey journey) {
            journeys.put(key, journey);
        }
    }

    static final class Desk implements Runnable {
        private final Shelf shelf;
        private final SplittableRandom random;
        private long takings;

        Desk(Shelf shelf, long seed) {
            this.shelf = shelf;
            random = new SplittableRandom(seed);
        }

        /** Journeys that are asked for often have small keys. */
        int nextKey() {
            if (random.nextInt(40) == 0) {
                return shelf.capacity + random.nextInt(shelf.capacity);
            }
            return random.nextInt((int) (shelf.capacity * 0.9));
        }

        Journey search(int key) {
            int from = key % STATIONS, to = (key / STATIONS * 7 + 11) % STATIONS, hour = key % 24;
            List<Leg> best = null;
            int bestMinutes = Integer.MAX_VALUE;
            for (int attempt = 0; attempt < 6; attempt++) {
                List<Leg> legs = new ArrayList<Leg>(4);
                int at = from, minutes = 0;
                for (int leg = 0; leg < 3; leg++) {
                    int next = leg == 2 ? to : (at * 31 + attempt * 17 + hour) % STATIONS;
                    legs.add(new Leg(at, next, "IC " + (at * 7 + next) % 2500 + " of line " + (at + attempt) % 40));
                    minutes += 12 + Math.abs(at - next) / 3;
                    at = next;
                }
                if (minutes < bestMinutes) {
                    bestMinutes = minutes;
                    best = legs;
                }
            }
            return new Journey(best, bestMinutes);
        }

        String quote(int key) {
            Journey journey = shelf.find(key);
            if (journey == null) {
                journey = search(key);
                shelf.keep(key, journey);
            } else {
                found.increment();
            }
            StringBuilder text = new StringBuilder(400);
            int cents = 250;
            for (Leg leg : journey.legs) {
                cents += Math.abs(leg.from - leg.to) * 9;
                text.append(leg.train).append(" from ").append(leg.from).append(" to ").append(leg.to).append("; ");
            }
            for (int group = 1; group <= 8; group++) {
                text.append(group).append(" persons ").append(cents * group * (100 - group) / 100).append(" cents; ");
            }
            takings += cents;
            return text.append(journey.minutes).append(" min").toString();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 120; i++) {
                        long begin = System.nanoTime();
                        takings += quote(nextKey()).length() & 1;
                        quoteNanos.add(System.nanoTime() - begin);
                        quotes.increment();
                    }
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static long collected(boolean count) {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += count ? bean.getCollectionCount() : bean.getCollectionTime();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Shelf shelf = new Shelf(0.82);
        Desk first = new Desk(shelf, 99);
        for (int key = 0; key < shelf.capacity; key++) {
            shelf.keep(key, first.search(key));
        }
        for (int i = 1; i <= DESKS; i++) {
            Thread thread = new Thread(new Desk(shelf, i), "desk-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long lastQuotes = quotes.sum(), lastFound = found.sum(), lastGc = collected(false), lastCount = collected(true), last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long q = quotes.sum(), f = found.sum(), g = collected(false), c = collected(true), now = System.nanoTime();
            System.out.printf("measured: %d quotes/s, %.0f %% found on the shelf (%d places); %d collections stopped the JVM for %.0f %% of the time%n", q - lastQuotes,
                    100.0 * (f - lastFound) / Math.max(1, q - lastQuotes), shelf.capacity, c - lastCount, 1e8 * (g - lastGc) / (now - last));
            System.out.flush();
            lastQuotes = q;
            lastFound = f;
            lastGc = g;
            lastCount = c;
            last = now;
        }
    }
}
