// SPDX-License-Identifier: Apache-2.0
// cause: RecentPassages.add calls ConcurrentLinkedQueue.size(), which walks the whole 15000-entry queue, for every passage
// share: 6700 to 7100 passages/s, fixed 28000 passages/s (paced); above 90 % of the gantry thread's time
// judge: NAMED only if the finding says that RecentPassages.add calls ConcurrentLinkedQueue.size() which is linear (walks/traverses the queue) for each passage. "CPU hot in RecentPassages.add / ConcurrentLinkedQueue.size" with the place but without that it walks the queue counts as named only if it says the size call itself is the cost; only "high CPU in lane thread" or "CLQ.succ/first hot" is a symptom. Blaming contention on the queue, a memory leak of the queue (it is bounded), the SHA-256 digest or the GC is wrong.
// expect: hot-code kind=searching-collections frame=RecentPassages.add | hot-method frame=ConcurrentLinkedQueue.size
// symptom: saturated-thread hot-method
// jdk: 11
// set: seventeenth
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TollPlaza {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder passed = new LongAdder();
    static final LongAdder repeated = new LongAdder();

    static final class Passage {
        final String plate;
        final int lane;
        final int axles;
        final long at = System.currentTimeMillis();
        int cents;
        long token;

        Passage(String plate, int lane, int axles) {
            this.plate = plate;
            this.lane = lane;
            this.axles = axles;
        }
    }

    /** The passages of the last minutes, kept for objections at the booth. */
    static final class RecentPassages {
        static final int KEEP = 15_000;
        private final Queue<Passage> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger held = new AtomicInteger();

        void add(Passage p) {
            queue.offer(p);
            if (OPT) {
                if (held.incrementAndGet() > KEEP) {
                    queue.poll();
                    held.decrementAndGet();
                }
            } else {
                while (queue.size() > KEEP) {
                    queue.poll();
                }
            }
        }

        long revenue() {
            long sum = 0;
            for (Passage p : queue) {
                sum += p.cents;
            }
            return sum;
        }
    }

    /** Fees by axles, lane and vehicle. */
    static final class Tariff {
        private final int[][] fees = new int[8][12];

        Tariff() {
            for (int a = 0; a < fees.length; a++) {
                for (int l = 0; l < fees[a].length; l++) {
                    fees[a][l] = 180 + a * 95 + (l > 8 ? 40 : 0);
                }
            }
        }

        int fee(Passage p) {
            return fees[p.axles][p.lane];
        }
    }

    static final class Gantry implements Runnable {
        final BlockingQueue<Passage> seen;
        final Tariff tariff = new Tariff();
        final RecentPassages recent;
        final Map<Long, Integer> tokens = new LinkedHashMap<Long, Integer>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Integer> e) {
                return size() > 4000;
            }
        };

        Gantry(BlockingQueue<Passage> seen, RecentPassages recent) {
            this.seen = seen;
            this.recent = recent;
        }

        public void run() {
            try {
                MessageDigest sha = MessageDigest.getInstance("SHA-256");
                while (true) {
                    Passage p = seen.take();
                    p.cents = tariff.fee(p);
                    byte[] d = sha.digest(p.plate.getBytes());
                    for (int i = 0; i < 8; i++) {
                        p.token = p.token << 8 | d[i] & 0xff;
                    }
                    if (tokens.merge(p.token, 1, Integer::sum) > 1) {
                        repeated.increment();
                    }
                    recent.add(p);
                    passed.increment();
                }
            } catch (Exception e) {
                System.err.println("gantry stopped " + e);
            }
        }
    }

    static final class Camera implements Runnable {
        final BlockingQueue<Passage> seen;
        final Random r = new Random(3);

        Camera(BlockingQueue<Passage> seen) {
            this.seen = seen;
        }

        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 60; i++) {
                        seen.put(new Passage("B-" + r.nextInt(900_000), r.nextInt(12), r.nextInt(8)));
                    }
                    Thread.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Passage> seen = new ArrayBlockingQueue<>(500);
        RecentPassages recent = new RecentPassages();
        for (int i = 0; i < RecentPassages.KEEP; i++) {
            Passage p = new Passage("A-" + i, i % 12, i % 8);
            recent.held.incrementAndGet();
            recent.queue.offer(p);
        }
        Thread g = new Thread(new Gantry(seen, recent), "gantry");
        Thread c = new Thread(new Camera(seen), "camera");
        g.setDaemon(true);
        c.setDaemon(true);
        g.start();
        c.start();
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d passages/s, %d repeated, held revenue %d%n",
                passed.sumThenReset(), repeated.sumThenReset(), recent.revenue());
        }
    }
}
