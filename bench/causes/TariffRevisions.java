// SPDX-License-Identifier: Apache-2.0
// healthy: compiled code of TariffRevisions$Compiled.charge is left (deoptimised) for an unstable branch, again and again, about one to five times a second, since four times a second a new hidden class comes with a new tariff (its constants are static finals by design); but each costs a few milliseconds of compiling of one small method, and throughput is the same without revisions.
// share: 13.7 to 27.9 million calls rated/s (24 to 29 ns each), with four revisions a second; 13.2 to 19.7 million/s (24 to 40 ns) when the revisions stop after the first second.
// judge: WRONG: deoptimisations, compiling, class loading or the code cache as what makes it slow; a leak of classes or of metaspace; that the exchange waits for room in the queue as a fault; one thread (rater) as a bottleneck that is a fault of the program. ACCEPTABLE: true and neutral remarks: CPU time is computing in Compiled.charge and call; the rater or the exchange is the busiest thread of a pipeline; a few deoptimisations a second; nothing stands out.
// jdk: 25
// set: thirtieth
// jvm:

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class TariffRevisions {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int CALLS = 2000;

    interface Tariff {
        double charge(int[] block);
    }

    static final class Book {
        static volatile double[] drafted = {0.02, 0.05, 0.04, 0.6};
    }

    static final class Compiled implements Tariff {
        private static final double SETUP = Book.drafted[0];
        private static final double DAY = Book.drafted[1];
        private static final double NIGHT = Book.drafted[2];
        private static final double DISCOUNT = Book.drafted[3];

        @Override
        public double charge(int[] block) {
            double sum = 0;
            for (int i = 0; i < block.length; i += 3) {
                sum += block[i] == 9 ? satellite(block[i + 1]) : call(block[i], block[i + 1], block[i + 2]);
            }
            return sum;
        }

        private double satellite(int seconds) {
            return SETUP * 20 + Math.ceil(seconds / 30.0) * 1.9;
        }

        private double call(int zone, int seconds, int minuteOfDay) {
            boolean day = minuteOfDay >= 480 && minuteOfDay < 1200;
            double rate = (day ? DAY : NIGHT) * (1 + zone * 0.35);
            double minutes = seconds / 60.0;
            double full = SETUP + rate * Math.min(minutes, 10);
            for (double more = minutes - 10; more > 0; more -= 5) {
                rate *= DISCOUNT;
                full += rate * Math.min(more, 5);
            }
            return Math.rint(full * 10000) / 10000;
        }
    }

    static final class Registry {
        private final byte[] form;
        private final Random market = new Random(53);
        private volatile Tariff current;
        private int revision;

        Registry() throws IOException {
            try (InputStream in = TariffRevisions.class.getResourceAsStream("TariffRevisions$Compiled.class")) {
                form = in.readAllBytes();
            }
        }

        void revise() throws ReflectiveOperationException {
            Book.drafted = new double[] {0.02 + market.nextInt(4) / 100.0, 0.05 + market.nextInt(9) / 1000.0,
                0.03 + market.nextInt(9) / 1000.0, 0.55 + market.nextInt(20) / 100.0};
            Class<?> c = MethodHandles.lookup().defineHiddenClass(form, true).lookupClass();
            current = (Tariff) c.getDeclaredConstructor().newInstance();
            revision++;
        }

        Tariff current() {
            return current;
        }
    }

    static final class Rater implements Runnable {
        final BlockingQueue<int[]> records;
        final Registry registry;
        final LongAdder rated;
        final LongAdder nanos;
        final AtomicLong cents;

        Rater(BlockingQueue<int[]> records, Registry registry, LongAdder rated, LongAdder nanos, AtomicLong cents) {
            this.records = records;
            this.registry = registry;
            this.rated = rated;
            this.nanos = nanos;
            this.cents = cents;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    int[] block = records.take();
                    long t = System.nanoTime();
                    double sum = registry.current().charge(block);
                    nanos.add(System.nanoTime() - t);
                    cents.addAndGet((long) (sum * 100));
                    rated.add(block.length / 3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void exchange(BlockingQueue<int[]> records) {
        Random random = new Random(59);
        try {
            while (true) {
                int[] block = new int[3 * CALLS];
                for (int i = 0; i < block.length; i += 3) {
                    block[i] = random.nextInt(200_000) == 0 ? 9 : random.nextInt(6);
                    block[i + 1] = 5 + random.nextInt(2400);
                    block[i + 2] = random.nextInt(1440);
                }
                records.put(block);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<int[]> records = new ArrayBlockingQueue<>(16);
        Registry registry = new Registry();
        registry.revise();
        LongAdder rated = new LongAdder();
        LongAdder nanos = new LongAdder();
        AtomicLong cents = new AtomicLong();
        Thread source = new Thread(() -> exchange(records), "exchange");
        source.setDaemon(true);
        source.start();
        Thread rater = new Thread(new Rater(records, registry, rated, nanos, cents), "rater");
        rater.setDaemon(true);
        rater.start();
        System.out.println("READY");
        for (int s = 1; s <= SPAN; s++) {
            for (int quarter = 0; quarter < 4; quarter++) {
                Thread.sleep(250);
                registry.revise();
            }
            long n = rated.sumThenReset();
            long t = nanos.sumThenReset();
            System.out.println("measured: " + n + " calls rated/s, mean " + (n == 0 ? 0 : t / n) + " ns each, revision "
                    + registry.revision + ", " + cents.get() / 100 + " in all");
        }
        System.exit(0);
    }
}
