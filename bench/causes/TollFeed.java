// SPDX-License-Identifier: Apache-2.0
// cause: TollFeed$PassageHistory keeps the last 130,000 passages as objects (a Passage with a Long, an Integer and a Long, a node of a HashMap) that live just longer than a young generation takes to fill, so that each collection copies and promotes them and full collections of the old generation (Serial) find most or much of them dead, every 15 MiB or so.
// share: faulty 0.9 to 1.7 million passages charged/s, of which pauses take about half of the time (a young and a full collection, 35 and 45 ms, in turn, every 17 MiB allocated each), fixed (the history packed in arrays of long) 3.6 to 4.6 million/s without such collections: 2.5 to 4 times.
// expect: promotion class=Passage | promotion frame=TollFeed$PassageHistory
// symptom: promotion gc-pauses gc-cpu
// judge: NAMED: passages of TollFeed$PassageHistory (Passage, Long, HashMap nodes, made in PassageHistory.add) are promoted and die in the old generation soon after, so that full collections come again and again; a larger young generation or heap, or a history without objects for each passage, helps. SYMPTOM ONLY: collections take much of the time; high allocation; full collections. WRONG: a memory leak (what is live stays the same, 17 MiB), System.gc(), HashMap or hash codes that collide, the charging thread's computing or one thread that is too few as the cause, the queue that is full (the source waits for the charging).
// jdk: 8
// set: thirtieth
// jvm: -XX:+UseSerialGC

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class TollFeed {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int WINDOW = 130_000;

    static final class Passage {
        final Long plate;
        final Integer gantry;
        final Long second;

        Passage(long plate, int gantry, long second) {
            this.plate = plate;
            this.gantry = gantry;
            this.second = second;
        }

        @Override
        public int hashCode() {
            long h = (plate * 31 + gantry) * 0x9E3779B97F4A7C15L + second;
            return (int) (h ^ h >>> 32);
        }

        @Override
        public boolean equals(Object o) {
            if (!(o instanceof Passage)) {
                return false;
            }
            Passage p = (Passage) o;
            return p.plate.equals(plate) && p.gantry.equals(gantry) && p.second.equals(second);
        }
    }

    interface Recent {
        boolean add(long plate, int gantry, long second);
    }

    static final class PassageHistory implements Recent {
        private final ArrayDeque<Passage> order = new ArrayDeque<>();
        private final Set<Passage> seen = new HashSet<>(WINDOW * 2);

        @Override
        public boolean add(long plate, int gantry, long second) {
            Passage p = new Passage(plate, gantry, second);
            if (!seen.add(p)) {
                return false;
            }
            order.addLast(p);
            if (order.size() > WINDOW) {
                seen.remove(order.removeFirst());
            }
            return true;
        }
    }

    static final class PackedHistory implements Recent {
        private final long[] order = new long[WINDOW];
        private final long[] table = new long[1 << 18];
        private int next;

        private int slot(long key) {
            int i = (int) (key * 0x9E3779B97F4A7C15L >>> 46);
            while (table[i] != 0 && table[i] != key) {
                i = i + 1 & table.length - 1;
            }
            return i;
        }

        @Override
        public boolean add(long plate, int gantry, long second) {
            long key = plate << 36 | (long) gantry << 26 | second & 0x3FFFFFF;
            int i = slot(key);
            if (table[i] == key) {
                return false;
            }
            if (order[next] != 0) {
                drop(slot(order[next]));
                i = slot(key);
            }
            table[i] = key;
            order[next] = key;
            next = (next + 1) % WINDOW;
            return true;
        }

        private void drop(int hole) {
            int i = hole;
            table[hole] = 0;
            while (true) {
                i = i + 1 & table.length - 1;
                if (table[i] == 0) {
                    return;
                }
                int home = (int) (table[i] * 0x9E3779B97F4A7C15L >>> 46);
                if ((i - home & table.length - 1) >= (i - hole & table.length - 1)) {
                    table[hole] = table[i];
                    table[i] = 0;
                    hole = i;
                }
            }
        }
    }

    static final class Charging implements Runnable {
        final BlockingQueue<long[]> feed;
        final AtomicLong charged;
        final AtomicLong repeated;
        final Recent recent = FIXED ? new PackedHistory() : new PassageHistory();
        final double[] revenue = new double[1024];

        Charging(BlockingQueue<long[]> feed, AtomicLong charged, AtomicLong repeated) {
            this.feed = feed;
            this.charged = charged;
            this.repeated = repeated;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long[] block = feed.take();
                    int fresh = 0;
                    for (int i = 0; i < block.length; i += 3) {
                        if (recent.add(block[i], (int) block[i + 1], block[i + 2])) {
                            fresh++;
                            revenue[(int) block[i + 1]] += 1.2 + (block[i + 2] / 3600 % 24 > 6 ? 0.8 : 0);
                        }
                    }
                    charged.addAndGet(fresh);
                    repeated.addAndGet(block.length / 3 - fresh);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void gantries(BlockingQueue<long[]> feed) {
        Random random = new Random(23);
        long clock = 1;
        try {
            while (true) {
                long[] block = new long[3 * 500];
                for (int i = 0; i < block.length; i += 3) {
                    if (i > 0 && (random.nextInt() & 15) == 0) {
                        System.arraycopy(block, i - 3, block, i, 3);
                    } else {
                        int r = random.nextInt();
                        block[i] = 1 + (r >>> 8);
                        block[i + 1] = r & 1023;
                        block[i + 2] = clock;
                    }
                }
                clock++;
                feed.put(block);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<long[]> feed = new ArrayBlockingQueue<>(8);
        AtomicLong charged = new AtomicLong();
        AtomicLong repeated = new AtomicLong();
        Thread source = new Thread(() -> gantries(feed), "gantries");
        source.setDaemon(true);
        source.start();
        Thread charging = new Thread(new Charging(feed, charged, repeated), "charging");
        charging.setDaemon(true);
        charging.start();
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long now = charged.get();
            System.out.println("measured: " + (now - last) + " passages charged/s, " + repeated.get() + " repeats left out");
            last = now;
        }
        System.exit(0);
    }
}
