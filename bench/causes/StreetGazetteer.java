// SPDX-License-Identifier: Apache-2.0
// healthy: a gazetteer that keeps all streets of a country in memory (some 500 MiB alive of a heap of 960 MiB, all of it needed), answers lookups and takes in corrections that replace as much as they add; collections are few and short
// share: nothing: 380 answers/s, 0.6 ms each, 2000 corrections/s, 500 to 540 of 960 MiB in use, 0 ms of collections in most seconds, 0.25 to 0.3 CPUs
// judge: RIGHT: nothing stands out, or only neutral words on where time goes (computing in StreetGazetteer$Index.near/byName/Desk.serve). WRONG: any accusation: heap too full or growing (live-set), leak, gc-pauses, gc-cpu, oversized heap, memory limit or growth, cache misses, hot code as a fault, locks, queues. Words on a crowded machine are RIGHT if it is crowded.
// jdk: 21
// set: thirty-first
// jvm: -Xms960m -Xmx960m

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Gazetteer: streets by name and by place, for the address fields of web shops. */
public class StreetGazetteer {
    static final int STREETS = 1_300_000;
    static final int CELLS = 400;

    static final LongAdder answered = new LongAdder();
    static final LongAdder answerNanos = new LongAdder();
    static final LongAdder corrected = new LongAdder();

    record Street(int id, String name, String town, int postcode, float[] line) {
        double distance(float x, float y) {
            double least = Double.MAX_VALUE;
            for (int i = 0; i < line.length; i += 2) least = Math.min(least, Math.hypot(line[i] - x, line[i + 1] - y));
            return least;
        }
    }

    /** Makes streets: in place of the survey's files. */
    static final class Survey {
        private static final String[] FIRST = {"Mill", "Church", "Station", "Garden", "School", "Castle", "Forest", "Bridge", "Market", "Harbour"};
        private static final String[] SECOND = {"Street", "Lane", "Road", "Square", "Way", "Row"};
        private final SplittableRandom random;

        Survey(long seed) {
            random = new SplittableRandom(seed);
        }

        Street street(int id) {
            String name = FIRST[random.nextInt(FIRST.length)] + ' ' + SECOND[random.nextInt(SECOND.length)] + ' ' + id % 9973;
            float x = (float) (random.nextDouble() * CELLS);
            float y = (float) (random.nextDouble() * CELLS);
            float[] line = new float[24 + 2 * random.nextInt(30)];
            for (int i = 0; i < line.length; i += 2) {
                line[i] = Math.min(CELLS - 0.01f, x += 0.01f * random.nextInt(3));
                line[i + 1] = Math.min(CELLS - 0.01f, y += 0.01f * random.nextInt(3));
            }
            return new Street(id, name, "Town " + id % 12000, 10000 + id % 89999, line);
        }
    }

    /** All streets by number, and the numbers by cell of the map. */
    static final class Index {
        private final Street[] streets = new Street[STREETS];
        private final Map<Integer, int[]> cells = new HashMap<>();

        Index(Survey survey) {
            Map<Integer, List<Integer>> lists = new HashMap<>();
            for (int id = 0; id < STREETS; id++) {
                streets[id] = survey.street(id);
                lists.computeIfAbsent(cell(streets[id].line[0], streets[id].line[1]), c -> new ArrayList<>(12)).add(id);
            }
            lists.forEach((cell, ids) -> cells.put(cell, ids.stream().mapToInt(Integer::intValue).toArray()));
        }

        private static int cell(float x, float y) {
            return (int) x * CELLS + (int) y;
        }

        Street near(float x, float y) {
            Street best = null;
            double least = Double.MAX_VALUE;
            for (int dx = -1; dx <= 1; dx++) {
                for (int dy = -1; dy <= 1; dy++) {
                    for (int id : cells.getOrDefault(cell(x + dx, y + dy), new int[0])) {
                        double distance = streets[id].distance(x, y);
                        if (distance < least) {
                            least = distance;
                            best = streets[id];
                        }
                    }
                }
            }
            return best;
        }

        /** A correction keeps the street's place and takes a new name or town. */
        void correct(int id, String name) {
            Street old = streets[id];
            streets[id] = new Street(id, name, old.town(), old.postcode(), old.line().clone());
        }
    }

    static final class Desk {
        private final Index index;
        private final ExecutorService pool = Executors.newFixedThreadPool(2);

        Desk(Index index) {
            this.index = index;
        }

        void submit(float x, float y) {
            pool.execute(() -> serve(x, y));
        }

        private void serve(float x, float y) {
            long before = System.nanoTime();
            StringBuilder answer = new StringBuilder();
            for (int i = 0; i < 24; i++) {
                Street street = index.near(x + 0.04f * i, y);
                if (street != null) answer.append(street.name()).append(", ").append(street.postcode()).append(' ').append(street.town()).append('\n');
            }
            if (answer.length() > 0) answered.increment();
            answerNanos.add(System.nanoTime() - before);
        }
    }

    public static void main(String[] args) throws Exception {
        Index index = new Index(new Survey(3));
        Desk desk = new Desk(index);
        ScheduledExecutorService corrections = Executors.newSingleThreadScheduledExecutor();
        SplittableRandom ids = new SplittableRandom(5);
        corrections.scheduleWithFixedDelay(() -> {
            for (int i = 0; i < 200; i++) index.correct(ids.nextInt(STREETS), "Renamed Street " + ids.nextInt(9999));
            corrected.add(200);
        }, 100, 100, TimeUnit.MILLISECONDS);
        Thread shops = new Thread(() -> {
            SplittableRandom random = new SplittableRandom(11);
            while (true) {
                LockSupport.parkNanos(2_500_000);
                desk.submit((float) (1 + random.nextDouble() * (CELLS - 3)), (float) (1 + random.nextDouble() * (CELLS - 3)));
            }
        }, "shops");
        shops.start();
        while (answered.sum() < 2000) Thread.sleep(50);
        System.gc();
        Thread.sleep(500);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = answered.sum(), t = answerNanos.sum(), c = corrected.sum(), cpu = system.getProcessCpuTime(), gc = collections(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, answered.sum() - n);
            System.out.printf("measured: %.0f answers/s, %.3f ms each; %.0f corrections/s; heap %d MiB in use of %d; %d ms of collections; %.2f CPUs%n",
                dn / seconds, (answerNanos.sum() - t) / 1e6 / dn, (corrected.sum() - c) / seconds,
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20, Runtime.getRuntime().maxMemory() >> 20,
                collections() - gc, (system.getProcessCpuTime() - cpu) / 1e9 / seconds);
        }
    }

    private static long collections() {
        long time = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) time += bean.getCollectionTime();
        return time;
    }
}
