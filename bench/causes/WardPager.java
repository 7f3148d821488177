// SPDX-License-Identifier: Apache-2.0
// healthy: 24 ward threads wait by design on their own queues until a page arrives (about 120 pages/s in all) and answer at once; the process is almost idle, queues are empty and delivery latency is far below its 50 ms target.
// judge: Wrong accusations: blocked or starved threads, lock contention or a deadlock because many threads sit in BlockingQueue.take/park, a too large or too small pool, a slow producer, low throughput as a fault, sleeping in the ring timer. Waiting here is idleness.
// set: eighteenth
// jdk: 11
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class WardPager {
    static final LongAdder delivered = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final AtomicLong worst = new AtomicLong();

    static final class Page {
        final long at = System.nanoTime();
        final int bed;
        final String reason;
        Page(int bed, String reason) {
            this.bed = bed;
            this.reason = reason;
        }
    }

    static final class Ward implements Runnable {
        private final String name;
        private final BlockingQueue<Page> inbox = new LinkedBlockingQueue<>(100);
        private final Map<Integer, Deque<String>> log = new HashMap<>();
        Ward(String name) { this.name = name; }

        boolean page(Page p) { return inbox.offer(p); }

        int waiting() { return inbox.size(); }

        @Override public void run() {
            try {
                while (true) {
                    Page p = inbox.take();
                    String text = compose(p);
                    note(p.bed, text);
                    long d = System.nanoTime() - p.at;
                    nanos.add(d);
                    worst.accumulateAndGet(d, Math::max);
                    delivered.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private String compose(Page p) {
            return name + " bed " + p.bed + ": " + p.reason.toUpperCase(Locale.ROOT);
        }

        private void note(int bed, String text) {
            Deque<String> d = log.computeIfAbsent(bed, k -> new ArrayDeque<>());
            d.addLast(text);
            if (d.size() > 20) d.removeFirst();
        }
    }

    static final class Switchboard {
        private static final String[] REASONS = {"call button", "infusion end", "heart rate", "door alarm", "visitor"};
        private final List<Ward> wards = new ArrayList<>();
        private final Random random = new Random(3);
        private int lost;

        Switchboard(int n) {
            for (int i = 0; i < n; i++) {
                Ward w = new Ward("ward-" + i);
                wards.add(w);
                Thread t = new Thread(w, w.name);
                t.setDaemon(true);
                t.start();
            }
        }

        void ring() {
            int n = 1 + random.nextInt(4);
            for (int i = 0; i < n; i++) {
                Ward w = wards.get(random.nextInt(wards.size()));
                if (!w.page(new Page(random.nextInt(40), REASONS[random.nextInt(REASONS.length)]))) lost++;
            }
        }

        int waiting() {
            int s = 0;
            for (Ward w : wards) s += w.waiting();
            return s;
        }
    }

    public static void main(String[] args) throws Exception {
        Switchboard board = new Switchboard(24);
        ScheduledExecutorService line = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "ring-line");
            t.setDaemon(true);
            return t;
        });
        line.scheduleAtFixedRate(board::ring, 20, 20, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = delivered.sumThenReset(), n = nanos.sumThenReset();
            System.out.println("measured: pages/s " + c + " mean us " + (c == 0 ? 0 : n / c / 1000)
                + " worst us " + worst.getAndSet(0) / 1000 + " waiting " + board.waiting() + " lost " + board.lost);
        }
        System.exit(0);
    }
}
