// SPDX-License-Identifier: Apache-2.0
// healthy: every 4 s an edition of the toll rules is loaded anew in a class loader of its own, so its code is compiled anew, and some methods are deoptimised when its rarer cases come up for the first time; that is some ten each time, costs some milliseconds of the compilers, and is over in a moment
// share: some ten deoptimisations in the first seconds of each edition (17 in the worst second, then none), 1 to 60 ms of 1000 compiling, 90 ns a vehicle whichever edition; 0.24 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks (time goes to computing in TollBridge$Rules.cents or TollBridge$Lane, no fault shows). WRONG: any accusation: deoptimisations, classes that are unloaded or class loaders that leak, the compilers have too much to do, collections, idle.
// jdk: 11
// set: thirty-third
// jvm: -Xmx160m

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Tolls of a bridge; the rules come in editions, which take effect while traffic goes on. */
public class TollBridge {
    static final int EDITION_MS = 4000;

    public interface Toll {
        long cents(int[] axles, int[] tonnes, int[] minutes);
    }

    /** One edition of the rules; a class loader of each edition defines it for itself. */
    public static final class Rules implements Toll {
        private final int base = 180;

        @Override
        public long cents(int[] axles, int[] tonnes, int[] minutes) {
            long sum = 0;
            for (int i = 0; i < axles.length; i++) {
                sum += vehicle(axles[i], tonnes[i], minutes[i]);
            }
            return sum;
        }

        private int vehicle(int axles, int tonnes, int minute) {
            int cents = base + axles * 95;
            if (tonnes > 12) {
                cents += (tonnes - 12) * 22;
            }
            cents = permit(cents, tonnes, minute);
            if (minute >= 420 && minute < 570) {
                cents = cents * 5 / 4;
            }
            for (int step = 0; step < 24; step++) {
                cents = cents * 31 % 9973 + axles;
            }
            return cents;
        }

        /** Those that need a permit have its class in place of their weight: 101 to 108. */
        private int permit(int cents, int tonnes, int minute) {
            if (tonnes == 101) {
                cents += 4000;
            }
            if (tonnes == 102) {
                cents += minute > 1320 ? 2500 : 5500;
            }
            if (tonnes == 103) {
                cents = cents * 3;
            }
            if (tonnes == 104) {
                cents = Math.max(cents, 9900);
            }
            if (tonnes == 105) {
                cents -= cents / 4;
            }
            if (tonnes == 106) {
                cents += 100 * (minute / 60);
            }
            if (tonnes == 107) {
                cents = 0;
            }
            if (tonnes == 108) {
                cents += convoy(minute);
            }
            return cents;
        }

        private int convoy(int minute) {
            return minute < 300 ? 15000 : 30000;
        }
    }

    static final class EditionLoader extends ClassLoader {
        private final byte[] code;

        EditionLoader(byte[] code, ClassLoader parent) {
            super(parent);
            this.code = code;
        }

        Toll load() throws ReflectiveOperationException {
            return (Toll) defineClass("TollBridge$Rules", code, 0, code.length).getDeclaredConstructor().newInstance();
        }
    }

    static final class RuleBook {
        private final byte[] code;
        private volatile Toll current;
        final AtomicLong editions = new AtomicLong(), loading = new AtomicLong();

        RuleBook() throws IOException, ReflectiveOperationException {
            try (InputStream in = TollBridge.class.getResourceAsStream("TollBridge$Rules.class")) {
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                byte[] part = new byte[4096];
                for (int n; (n = in.read(part)) > 0; ) {
                    all.write(part, 0, n);
                }
                code = all.toByteArray();
            }
            publish();
        }

        void publish() throws ReflectiveOperationException {
            long begun = System.nanoTime();
            current = new EditionLoader(code, TollBridge.class.getClassLoader()).load();
            editions.incrementAndGet();
            loading.addAndGet(System.nanoTime() - begun);
        }

        Toll current() {
            return current;
        }
    }

    /** Vehicles of one lane, some hundred at a time. */
    static final class Lane implements Runnable {
        private final RuleBook book;
        private final AtomicLong vehicles, time, cents;
        private final Random random;
        private final int[] axles = new int[500], tonnes = new int[500], minutes = new int[500];

        Lane(RuleBook book, AtomicLong vehicles, AtomicLong time, AtomicLong cents, long seed) {
            this.book = book;
            this.vehicles = vehicles;
            this.time = time;
            this.cents = cents;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                arrive();
                long begun = System.nanoTime();
                Toll toll = book.current();
                for (int k = 0; k < 8; k++) {
                    cents.addAndGet(toll.cents(axles, tonnes, minutes));
                }
                time.addAndGet(System.nanoTime() - begun);
                vehicles.addAndGet(8 * axles.length);
                LockSupport.parkNanos(2_500_000);
            }
        }

        private void arrive() {
            for (int i = 0; i < axles.length; i++) {
                axles[i] = 2 + random.nextInt(4);
                tonnes[i] = 1 + random.nextInt(40);
                if (random.nextInt(40_000) == 0) {
                    tonnes[i] = 101 + random.nextInt(8);
                }
                minutes[i] = random.nextInt(1440);
            }
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        RuleBook book = new RuleBook();
        AtomicLong vehicles = new AtomicLong(), time = new AtomicLong(), cents = new AtomicLong();
        for (int i = 0; i < 2; i++) {
            start(new Lane(book, vehicles, time, cents, i), "lane-" + i);
        }
        start(() -> {
            try {
                while (true) {
                    Thread.sleep(EDITION_MS);
                    book.publish();
                }
            } catch (InterruptedException | ReflectiveOperationException e) {
                System.out.println("no further editions: " + e);
            }
        }, "editions");
        Thread.sleep(5000);
        System.out.println("READY");
        System.out.flush();
        long v = 0, w = 0;
        java.lang.management.CompilationMXBean compiler = java.lang.management.ManagementFactory.getCompilationMXBean();
        long compiled = compiler.getTotalCompilationTime();
        while (true) {
            Thread.sleep(1000);
            long vn = vehicles.get(), wn = time.get(), cn = compiler.getTotalCompilationTime();
            System.out.printf(Locale.ROOT, "measured: %d vehicles/s, %.0f ns each, %d editions so far, %d ms of 1000 compiling%n",
                    vn - v, (wn - w) / (double) Math.max(1, vn - v), book.editions.get(), cn - compiled);
            System.out.flush();
            v = vn;
            w = wn;
            compiled = cn;
        }
    }
}
