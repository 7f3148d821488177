// SPDX-License-Identifier: Apache-2.0
// cause: Declaration.duty() reads the tariff book through a ThreadLocal (TariffBook.local, withInitial(TariffBook::new)) but each declaration runs on a new virtual thread, so the value is never reused and the TariffBook constructor builds a TreeMap of 1500 chapters for every declaration.
// share: faulty 2612 declarations/s, mean 24.6 ms; fixed 21627 declarations/s, mean 2.8 ms; 8.3 times better (10 s each, 2 busy cores)
// expect: hot-code kind=thread-locals
// symptom: hot-calls waiting unstarted-threads
// judge: NAMED: the ThreadLocal TariffBook is used as a cache, but each declaration has its own virtual thread (newVirtualThreadPerTaskExecutor), so the TariffBook constructor runs once per declaration in Declaration.duty(); share one immutable book (or pool it). SYMPTOM ONLY: CPU in the TariffBook constructor / TreeMap.put / TariffBook.code; high allocation and many young collections; few carrier threads are busy. WRONG: pinning of carrier threads, too few carriers, a ThreadLocal memory leak, the sleep in Declaration.run as the cause, the limit of 64 declarations in flight as the cause.
// jdk: 21
// set: twenty-sixth
// jvm: -Xmx128m
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

public class CustomsDesk {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int CHAPTERS = 1500;
    static final LongAdder cleared = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();
    static final LongAdder dutyCents = new LongAdder();
    static final Semaphore counters = new Semaphore(64);

    record Rate(int perMille, int fixedCents) {
    }

    static final class TariffBook {
        static final ThreadLocal<TariffBook> local = ThreadLocal.withInitial(TariffBook::new);
        static final TariffBook common = new TariffBook();
        private final TreeMap<String, Rate> rates = new TreeMap<>();

        TariffBook() {
            for (int chapter = 0; chapter < CHAPTERS; chapter++) {
                String code = code(chapter * 4);
                rates.put(code, new Rate(chapter % 170, 100 + chapter % 900));
            }
        }

        static String code(int number) {
            char[] digits = new char[6];
            for (int i = 5; i >= 0; i--) {
                digits[i] = (char) ('0' + number % 10);
                number /= 10;
            }
            return new String(digits);
        }

        static TariffBook current() {
            return VARIANT ? common : local.get();
        }

        Rate rate(String code) {
            Map.Entry<String, Rate> entry = rates.floorEntry(code);
            return entry == null ? new Rate(0, 0) : entry.getValue();
        }
    }

    record Item(String code, long cents) {
    }

    static final class Declaration implements Runnable {
        final Item[] items;
        final long received = System.nanoTime();

        Declaration(Random random) {
            items = new Item[4 + random.nextInt(5)];
            for (int i = 0; i < items.length; i++) {
                items[i] = new Item(TariffBook.code(random.nextInt(CHAPTERS * 4)), 100 + random.nextInt(900_000));
            }
        }

        long duty() {
            TariffBook book = TariffBook.current();
            long total = 0;
            for (Item item : items) {
                Rate rate = book.rate(item.code());
                total += item.cents() * rate.perMille() / 1000 + rate.fixedCents();
            }
            return total;
        }

        @Override
        public void run() {
            try {
                Thread.sleep(2);
                dutyCents.add(duty());
                cleared.increment();
                spentNanos.add(System.nanoTime() - received);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                counters.release();
            }
        }
    }

    static void intake(ExecutorService desk) {
        Random random = new Random(17);
        try {
            while (System.nanoTime() < END) {
                counters.acquire();
                desk.execute(new Declaration(random));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService desk = Executors.newVirtualThreadPerTaskExecutor();
        Thread intake = new Thread(() -> intake(desk), "intake");
        intake.setDaemon(true);
        intake.start();
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = cleared.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d declarations/s, mean %.2f ms, duty total %d%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e6 / n, dutyCents.sum() / 100);
            lastCount = count;
            lastSpent = spent;
        }
        intake.join(2000);
        System.exit(0);
    }
}
