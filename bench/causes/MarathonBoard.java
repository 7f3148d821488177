// SPDX-License-Identifier: Apache-2.0
// cause: MarathonBoard$Race.draw copies and sorts all 6000 runners (List.sort by a chain of three comparators) for each chip read to show the first ten, though visitors see the board ten times a second.
// share: faulty 190 to 604 chip reads/s on a crowded machine (mean 409; 1200 on a quiet one); fixed (drawn at most each 100 ms) 2.3 to 7.1 million chip reads/s.
// expect: hot-code frame=MarathonBoard$Race.draw kind=sorting
// symptom: saturated-thread waiting hot-method hot-code
// judge: NAMED: CPU time of sorting for MarathonBoard$Race.draw (List.sort / TimSort with Race.ORDER), called by pass for each chip read; sort less often, or keep the order or the first ten. SYMPTOM ONLY: the timekeeper threads are saturated, mats wait for room in the queue, comparators are hot. WRONG: the queue being too small, HashMap lookups, the sleep of screen, collections, costly key extraction by I/O.
// jdk: 21
// set: twenty-ninth
// jvm:

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Reads the chips of runners at mats along a course, and keeps a board of who leads and how the clubs stand. */
public class MarathonBoard {
    static final int RUNNERS = 6_000;
    static final int MATS = 9;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder reads = new LongAdder();
    static volatile List<String> shown = List.of();

    /** A runner, and how far they have come. */
    static final class Runner {
        final int bib;
        final int club;
        int mats;
        long millis;

        Runner(int bib, int club) {
            this.bib = bib;
            this.club = club;
        }

        int mats() {
            return mats;
        }

        long millis() {
            return millis;
        }

        int bib() {
            return bib;
        }
    }

    /** A chip over a mat. */
    record Pass(int bib, long millis) {
    }

    /** The state of the race. */
    static final class Race {
        private static final Comparator<Runner> ORDER = Comparator.comparingInt(Runner::mats).reversed()
                .thenComparingLong(Runner::millis).thenComparingInt(Runner::bib);
        private final Map<Integer, Runner> runners = new HashMap<>();
        private final int[] clubs = new int[60];
        private long drawn;

        Race() {
            for (int bib = 1; bib <= RUNNERS; bib++) {
                runners.put(bib * 7919, new Runner(bib, bib % 60));
            }
        }

        void pass(Pass p) {
            Runner r = runners.get(p.bib() * 7919);
            if (r.mats == MATS) {
                clubs[r.club]++;
                r.mats = 0;
                r.millis = 0;
            }
            r.mats++;
            r.millis += p.millis();
            long now = System.nanoTime();
            if (!FIXED || now - drawn > 100_000_000L) {
                drawn = now;
                draw();
            }
        }

        private void draw() {
            List<Runner> standing = new ArrayList<>(runners.values());
            standing.sort(ORDER);
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Runner r = standing.get(i);
                lines.add((i + 1) + ". " + r.bib + " at mat " + r.mats + " in " + r.millis / 1000 + " s");
            }
            shown = lines;
        }
    }

    /** The mats, which send what they have read. */
    static void mats(BlockingQueue<Pass> out, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try {
            while (true) {
                out.put(new Pass(1 + random.nextInt(RUNNERS), 900_000 + random.nextInt(900_000)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Brings passes into the race, one after another. */
    static void timekeeper(BlockingQueue<Pass> in, Race race) {
        try {
            while (true) {
                race.pass(in.take());
                reads.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What visitors see. */
    static void screen() {
        long seen = 0;
        try {
            while (true) {
                Thread.sleep(100);
                List<String> lines = shown;
                seen += lines.isEmpty() ? 0 : lines.get(0).length();
                if (seen < 0) {
                    System.out.println(lines);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        for (int course = 0; course < 2; course++) {
            BlockingQueue<Pass> queue = new ArrayBlockingQueue<>(500);
            Race race = new Race();
            int seed = course;
            start("mats-" + course, () -> mats(queue, seed));
            start("timekeeper-" + course, () -> timekeeper(queue, race));
        }
        start("screen", MarathonBoard::screen);
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long last = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = reads.sum();
            System.out.printf("measured: %d chip reads/s%n", now - last);
            last = now;
        }
        System.exit(0);
    }
}
