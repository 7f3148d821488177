// SPDX-License-Identifier: Apache-2.0
// cause: rule promotion: the young generation (-XX:NewRatio=7: 24 of 192 MiB) is smaller than what BourseTape$Ladder keeps for a short time (the last 24,000 ticks, about 25 MiB, 0.2 s), so ticks made in BourseTape$Feed.decode are copied to the old generation just before they die there, and full collections, about one a second, find most of it dead
// share: collections stop the program for 20 to 30 % of the time: 18 young ones a second 16 to 22 %, since they copy nearly all that they find, and one full one a second 7 %, which finds 85 % of what was in use dead (170 to 27 MiB); the program itself takes 0.1 CPUs
// expect: promotion | jvm-option
// symptom: gc-pauses gc-cpu
// judge: NAMED: promotion (objects that are copied to the old generation and die there; a larger young generation), or jvm-option that names the young generation's size (NewRatio), or gc-pauses that says that the young generation is too small. SYMPTOM ONLY: gc-pauses or gc-cpu with "a larger heap or less allocation", full collections without the reason, allocation in Feed.decode. WRONG: a leak or growing live set, explicit collections, humongous objects, the Ladder as what fills the heap (it has the same size all the time, the heap has room), a too small heap because of it, hot code in Index.weigh, locks.
// jdk: 8
// set: thirty-sixth
// jvm: -XX:+UseParallelGC -Xms192m -Xmx192m -XX:NewRatio=7
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Reads the tape of a stock exchange, puts ticks that arrive out of order in their place, and computes an index. */
public class BourseTape {
    static final int WINDOW = 24000;

    static final class Level {
        final long price;
        final int volume;
        final int orders;

        Level(long price, int volume, int orders) {
            this.price = price;
            this.volume = volume;
            this.orders = orders;
        }
    }

    static final class Tick {
        final long sequence;
        final String paper;
        final Level[] bids;
        final Level[] asks;

        Tick(long sequence, String paper, Level[] bids, Level[] asks) {
            this.sequence = sequence;
            this.paper = paper;
            this.bids = bids;
            this.asks = asks;
        }
    }

    static final class Feed {
        private final SplittableRandom random = new SplittableRandom(11);
        private long sequence;

        Tick decode() {
            String paper = "XB" + random.nextInt(300);
            long mid = 10_000 + random.nextInt(90_000);
            Level[] bids = new Level[14];
            Level[] asks = new Level[14];
            for (int i = 0; i < bids.length; i++) {
                bids[i] = new Level(mid - 1 - i, 100 + random.nextInt(900), 1 + i);
                asks[i] = new Level(mid + 1 + i, 100 + random.nextInt(900), 1 + i);
            }
            return new Tick(++sequence, paper, bids, asks);
        }
    }

    /** The latest ticks, until late corrections for them cannot come any more. */
    static final class Ladder {
        private final ArrayDeque<Tick> ticks = new ArrayDeque<>(WINDOW + 1);

        Tick add(Tick tick) {
            ticks.addLast(tick);
            return ticks.size() > WINDOW ? ticks.pollFirst() : null;
        }

        int size() {
            return ticks.size();
        }
    }

    static final class Index {
        private final Map<String, Double> prices = new HashMap<>();
        private double points = 1000;

        void weigh(Tick tick) {
            long value = 0;
            long volume = 0;
            for (int i = 0; i < tick.bids.length; i++) {
                value += tick.bids[i].price * tick.bids[i].volume + tick.asks[i].price * tick.asks[i].volume;
                volume += tick.bids[i].volume + tick.asks[i].volume;
            }
            double price = (double) value / volume;
            Double before = prices.put(tick.paper, price);
            if (before != null) {
                points += (price - before) / before / 300;
            }
        }
    }

    static final class Tape implements Runnable {
        private final Feed feed = new Feed();
        private final Ladder ladder = new Ladder();
        private final Index index = new Index();
        volatile long published;

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 2000; i++) {
                        Tick due = ladder.add(feed.decode());
                        if (due != null) {
                            index.weigh(due);
                            published = due.sequence;
                        }
                    }
                    long rest = 14 - (System.nanoTime() - begin) / 1_000_000;
                    if (rest > 0) {
                        Thread.sleep(rest);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Tape tape = new Tape();
        Thread thread = new Thread(tape, "tape");
        thread.setDaemon(true);
        thread.start();
        while (tape.published < WINDOW) {
            Thread.sleep(100);
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        long[] last = counts();
        long ticks = tape.published;
        long then = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long[] now = counts();
            double s = (System.nanoTime() - then) / 1e9;
            System.out.printf("measured: %.0f ticks/s, %d young collections (%d ms), %d full ones (%d ms): %.0f %% of the time%n",
                    (tape.published - ticks) / s, now[0] - last[0], now[1] - last[1], now[2] - last[2], now[3] - last[3],
                    (now[1] - last[1] + now[3] - last[3]) / s / 10);
            last = now;
            ticks = tape.published;
            then = System.nanoTime();
        }
    }

    private static long[] counts() {
        long[] counts = new long[4];
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            int at = bean.getName().contains("MarkSweep") ? 2 : 0;
            counts[at] += bean.getCollectionCount();
            counts[at + 1] += bean.getCollectionTime();
        }
        return counts;
    }
}
