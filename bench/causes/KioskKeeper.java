// SPDX-License-Identifier: Apache-2.0
// healthy: nine keepers wait in Process.waitFor for nearly all of their time; but each keeps watch over a display process that is to run for seconds, begins it anew some milliseconds after its end, and nobody waits for a keeper.
// share: a typical second of an 11 s run on a crowded machine of 2 CPUs: 9 of 9 displays on, 2 begun again, each after 6.6 ms, 1374 tickets sold, 6.7 us each
// judge: Wrong findings: waits for processes at Kiosk.run as a fault; starting processes too often (two or three a second, each as long as a shift); the sleep of the counter as a fault; Journal.book as a contended place. Acceptable as true and neutral: keepers wait for child processes (sleep) to end; Journal.book is where the CPU time goes.
// jdk: 17
// set: twenty-ninth
// jvm:
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class KioskKeeper {
    static final LongAdder RESTARTS = new LongAdder();
    static final LongAdder GAP = new LongAdder();
    static final LongAdder SALES = new LongAdder();
    static final LongAdder SALE_NANOS = new LongAdder();

    record Sale(int kiosk, int ticket, int cents) {
    }

    static final class Kiosk implements Runnable {
        private final int number;
        private final Random random;
        private volatile Process display;
        private volatile boolean closing;
        private int exits;

        Kiosk(int number) {
            this.number = number;
            this.random = new Random(number * 104729L + 3);
        }

        @Override
        public void run() {
            long ended = 0;
            try {
                while (!closing) {
                    String shift = String.format("%d.%d", 2 + random.nextInt(4), random.nextInt(10));
                    display = new ProcessBuilder("sleep", shift).inheritIO().start();
                    if (ended != 0) {
                        GAP.add(System.nanoTime() - ended);
                        RESTARTS.increment();
                    }
                    int code = display.waitFor();
                    ended = System.nanoTime();
                    exits += code == 0 ? 1 : 0;
                }
            } catch (IOException e) {
                System.err.println("kiosk " + number + ": " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        boolean showing() {
            Process p = display;
            return p != null && p.isAlive();
        }

        void close() {
            closing = true;
            Process p = display;
            if (p != null) {
                p.destroy();
            }
        }
    }

    static final class Journal {
        private final Map<Integer, AtomicLong> turnover = new ConcurrentHashMap<>();
        private final AtomicLong chain = new AtomicLong(17);

        void book(Sale sale) {
            turnover.computeIfAbsent(sale.kiosk(), k -> new AtomicLong()).addAndGet(sale.cents());
            long seal = chain.get();
            for (int i = 0; i < 4000; i++) {
                seal = seal * 6364136223846793005L + sale.ticket() + i;
            }
            chain.set(seal);
        }

        String report() {
            StringBuilder b = new StringBuilder();
            for (Map.Entry<Integer, AtomicLong> e : new TreeMap<>(turnover).entrySet()) {
                b.append(e.getKey()).append('=').append(e.getValue().get() / 100).append(' ');
            }
            return b.toString().trim();
        }
    }

    static final class Counter implements Runnable {
        private final Journal journal;
        private final int kiosks;
        private final long end;
        private final Random random = new Random(58);

        Counter(Journal journal, int kiosks, long end) {
            this.journal = journal;
            this.kiosks = kiosks;
            this.end = end;
        }

        @Override
        public void run() {
            int ticket = 0;
            try {
                while (System.nanoTime() < end) {
                    int group = 5 + random.nextInt(20);
                    for (int i = 0; i < group; i++) {
                        long from = System.nanoTime();
                        journal.book(new Sale(random.nextInt(kiosks), ticket++, 180 + random.nextInt(900)));
                        SALE_NANOS.add(System.nanoTime() - from);
                        SALES.increment();
                    }
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        List<Kiosk> kiosks = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Kiosk k = new Kiosk(i);
            kiosks.add(k);
            Thread t = new Thread(k, "keeper-" + i);
            t.setDaemon(true);
            t.start();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> kiosks.forEach(Kiosk::close)));
        Journal journal = new Journal();
        Thread counter = new Thread(new Counter(journal, kiosks.size(), end), "counter");
        counter.setDaemon(true);
        counter.start();
        System.out.println("READY");
        for (int second = 1; System.nanoTime() < end; second++) {
            Thread.sleep(1000);
            long sales = SALES.sumThenReset();
            long ns = SALE_NANOS.sumThenReset();
            long restarts = RESTARTS.sumThenReset();
            long gap = GAP.sumThenReset();
            long showing = kiosks.stream().filter(Kiosk::showing).count();
            System.out.printf("measured: %d of %d displays on, %d begun again, each after %.1f ms, %d tickets sold, %.1f us each%n",
                showing, kiosks.size(), restarts, restarts == 0 ? 0 : gap / 1e6 / restarts, sales, sales == 0 ? 0 : ns / 1e3 / sales);
            if (second % 60 == 0) {
                System.out.println("turnover: " + journal.report());
            }
        }
    }
}
