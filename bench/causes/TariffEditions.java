// SPDX-License-Identifier: Apache-2.0
// healthy: the helpers that print sheets wait for the static initializer of the next TariffEditions$Edition (2.4 s of 4.5 s, one waits for the other by the JVM's class initialization), but that edition is prepared ahead of time, nobody needs it before the 4.5 s are over, and the counters answer all requests from the edition in force.
// share: 1190 to 1310 journeys priced a second, mean 0.04 to 0.24 ms, also while an edition is prepared; one edition each 4.5 s, each on time
// judge: WRONG: any accusation: class initialization (Edition.<clinit>, Edition.read, Press.make, sheet) as the cause of slowness, the sleep in it, the press thread's sleep or futures, class loading or unloading, journey as a hot spot that must go. ACCEPTABLE: nothing stands out; neutral remarks that press helpers wait for the initialization of Edition with most of their time and that no request depends on it, or that CPU time is in Counter.journey.
// jdk: 11
// set: thirtieth
// jvm:
import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Fares of a railway: the edition in force answers all requests, while the next one is made ready, as a class of its own, long before it is due. */
public class TariffEditions {
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;
    public static final AtomicInteger editions = new AtomicInteger();

    public interface Tariff {
        int cents(int from, int to, boolean discount);
        int edition();
    }

    /** One edition: its table of distances comes from the network, line by line, when the class is first used. */
    public static final class Edition implements Tariff {
        private static final int NUMBER = editions.incrementAndGet();
        private static final int[][] KILOMETRES = read();

        private static int[][] read() {
            Random random = new Random(NUMBER / 100);
            int[][] table = new int[120][120];
            for (int i = 0; i < table.length; i++) {
                for (int j = 0; j < i; j++) table[i][j] = table[j][i] = 5 + random.nextInt(700);
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return table;
        }

        @Override public int cents(int from, int to, boolean discount) {
            int full = 180 + KILOMETRES[from][to] * 21;
            return discount ? full * 3 / 4 : full;
        }

        @Override public int edition() {
            return NUMBER;
        }
    }

    /** Loads an edition's class from the class path once more. */
    static final class EditionLoader extends ClassLoader {
        private final String name;

        EditionLoader(String name) {
            super(TariffEditions.class.getClassLoader());
            this.name = name;
        }

        @Override protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            if (!wanted.equals(name)) return super.loadClass(wanted, resolve);
            synchronized (getClassLoadingLock(wanted)) {
                Class<?> known = findLoadedClass(wanted);
                if (known != null) return known;
                try (InputStream in = getParent().getResourceAsStream(wanted.replace('.', '/') + ".class")) {
                    if (in == null) throw new ClassNotFoundException(wanted);
                    byte[] bytes = in.readAllBytes();
                    return defineClass(wanted, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(wanted, e);
                }
            }
        }
    }

    /** Makes the next edition ready: one helper makes the tariff, others print the table of fares and the list of stations with it. */
    static final class Press implements Runnable {
        private final AtomicReference<Tariff> current;
        private final ExecutorService helpers = Executors.newFixedThreadPool(3, work -> {
            Thread thread = new Thread(work, "press-helper");
            thread.setDaemon(true);
            return thread;
        });

        Press(AtomicReference<Tariff> current) {
            this.current = current;
        }

        static Tariff make(ClassLoader loader) throws ReflectiveOperationException {
            return (Tariff) Class.forName("TariffEditions$Edition", true, loader).getDeclaredConstructor().newInstance();
        }

        static int sheet(ClassLoader loader, int from) throws ReflectiveOperationException {
            Tariff tariff = make(loader);
            int sum = 0;
            for (int to = 0; to < 120; to++) if (to != from) sum += tariff.cents(from, to, false);
            return sum;
        }

        @Override public void run() {
            try {
                while (open) {
                    ClassLoader loader = new EditionLoader("TariffEditions$Edition");
                    Future<Tariff> made = helpers.submit(() -> make(loader));
                    Future<Integer> fares = helpers.submit(() -> sheet(loader, 3));
                    Future<Integer> stations = helpers.submit(() -> sheet(loader, 70));
                    Thread.sleep(4500);
                    if (fares.get() <= 0 || stations.get() <= 0) throw new IllegalStateException("empty sheet");
                    current.set(made.get());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    static final class Counter implements Runnable {
        private final AtomicReference<Tariff> current;
        private final LongAdder asked;
        private final LongAdder nanos;
        private final LongAdder cents;

        Counter(AtomicReference<Tariff> current, LongAdder asked, LongAdder nanos, LongAdder cents) {
            this.current = current;
            this.asked = asked;
            this.nanos = nanos;
            this.cents = cents;
        }

        private long journey(Random random) {
            Tariff tariff = current.get();
            long best = Long.MAX_VALUE;
            int from = random.nextInt(120);
            int to = random.nextInt(120);
            for (int over = 0; over < 120; over++)
                for (int then = 0; then < 120; then++)
                    best = Math.min(best, tariff.cents(from, over, false) + tariff.cents(over, then, true) + tariff.cents(then, to, true));
            return best;
        }

        @Override public void run() {
            Random random = new Random();
            try {
                while (open) {
                    long begin = System.nanoTime();
                    cents.add(journey(random));
                    nanos.add(System.nanoTime() - begin);
                    asked.increment();
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicReference<Tariff> current = new AtomicReference<>(Press.make(new EditionLoader("TariffEditions$Edition")));
        LongAdder asked = new LongAdder();
        LongAdder nanos = new LongAdder();
        LongAdder cents = new LongAdder();
        for (int i = 0; i < 4; i++) {
            Thread counter = new Thread(new Counter(current, asked, nanos, cents), "counter-" + i);
            counter.setDaemon(true);
            counter.start();
        }
        Thread press = new Thread(new Press(current), "press");
        press.setDaemon(true);
        press.start();
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long n = asked.sumThenReset();
            System.out.printf("measured: %d journeys priced, mean %.3f ms, edition %d%n", n, n == 0 ? 0.0 : nanos.sumThenReset() / 1e6 / n, current.get().edition());
        }
        open = false;
    }
}
