// SPDX-License-Identifier: Apache-2.0
// healthy: every 5 s a new revision of four tariff modules is published, each loaded once by a class loader of its own (8 classes in some milliseconds), and the old ones are dropped, so that the next full marking unloads them with their loaders; all the rest of the time quotes are computed with the modules that are there, without looking up or defining any class
// share: 0.15 CPUs used at 45,000 quotes/s; publishing takes 11 ms each 5 s, 0.2 % of the time (the first one after the start more); after a full collection all classes of old revisions are unloaded
// judge: RIGHT: nothing stands out, or neutral statements of where time goes: computing in TariffModules$Quotes.book, TariffModules$Quotes.route, TariffModules$ZoneTariff.cents or TariffModules$Surcharges.of. WRONG (false alarm): any accusation of a fault: class loading or looking up classes (TariffModules$ModuleLoader, TariffModules$Publisher.publish) as what costs much, classes that come and go, a leak of class loaders or growing metaspace, deoptimisations, the reading of class files, the timer "publisher" blocked, collections
// jdk: 21
// set: thirty-sixth
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class TariffModules {
    static final LongAdder quotes = new LongAdder();
    static final LongAdder publishNanos = new LongAdder();
    static final LongAdder published = new LongAdder();

    /** What a module offers to the quotes. */
    public interface Tariff {
        long cents(int kilograms, int kilometres, int zone);
    }

    /** A module's own classes: each revision has them anew. */
    public static final class ZoneTariff implements Tariff {
        private final int[] base;
        private final Surcharges surcharges;

        public ZoneTariff(Integer revision) {
            base = new int[32];
            for (int z = 0; z < base.length; z++) {
                base[z] = 420 + z * 35 + revision % 7;
            }
            surcharges = new Surcharges(revision);
        }

        @Override
        public long cents(int kilograms, int kilometres, int zone) {
            return base[zone & 31] + (long) kilograms * 9 + kilometres * 4L + surcharges.of(kilograms, kilometres);
        }
    }

    static final class Surcharges {
        private final int fuelPerMille;

        Surcharges(int revision) {
            fuelPerMille = 80 + revision % 40;
        }

        long of(int kilograms, int kilometres) {
            return (long) kilograms * kilometres * fuelPerMille / 400_000 + (kilograms > 31 ? 650 : 0);
        }
    }

    static final class ModuleLoader extends ClassLoader {
        private static final Set<String> OWN = Set.of("TariffModules$ZoneTariff", "TariffModules$Surcharges");

        ModuleLoader() {
            super(TariffModules.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!OWN.contains(name)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                try (InputStream in = getParent().getResourceAsStream(name + ".class")) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    byte[] code = in.readAllBytes();
                    return defineClass(name, code, 0, code.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    static final class Publisher implements Runnable {
        static final int MODULES = 4;
        volatile Tariff[] current;
        private int revision;

        private Tariff publish(int revision) throws ReflectiveOperationException {
            Class<?> module = new ModuleLoader().loadClass("TariffModules$ZoneTariff");
            return (Tariff) module.getConstructor(Integer.class).newInstance(revision);
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            try {
                Tariff[] next = new Tariff[MODULES];
                for (int m = 0; m < MODULES; m++) {
                    next[m] = publish(++revision);
                }
                current = next;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
            publishNanos.add(System.nanoTime() - begin);
            published.increment();
        }
    }

    /** Finds the cheapest way of each consignment through the depots, and what it costs. */
    static final class Quotes implements Runnable {
        private static final int DEPOTS = 40;
        private final Publisher publisher;
        private final SplittableRandom random = new SplittableRandom(23);
        private final int[][] kilometres = new int[DEPOTS][DEPOTS];
        private long turnover;

        Quotes(Publisher publisher) {
            this.publisher = publisher;
            for (int a = 0; a < DEPOTS; a++) {
                for (int b = 0; b < DEPOTS; b++) {
                    kilometres[a][b] = 20 + random.nextInt(700);
                }
            }
        }

        private int route(int from, int to) {
            int[] best = new int[DEPOTS];
            boolean[] done = new boolean[DEPOTS];
            Arrays.fill(best, Integer.MAX_VALUE);
            best[from] = 0;
            while (true) {
                int at = -1;
                for (int d = 0; d < DEPOTS; d++) {
                    if (!done[d] && (at < 0 || best[d] < best[at])) {
                        at = d;
                    }
                }
                if (at == to) {
                    return best[to];
                }
                done[at] = true;
                for (int d = 0; d < DEPOTS; d++) {
                    best[d] = Math.min(best[d], best[at] + kilometres[at][d]);
                }
            }
        }

        void book(int consignments) {
            Tariff[] tariffs = publisher.current;
            for (int i = 0; i < consignments; i++) {
                int from = random.nextInt(DEPOTS), to = random.nextInt(DEPOTS);
                int way = route(from, to);
                long cheapest = Long.MAX_VALUE;
                for (int kilograms = 1 + random.nextInt(20), k = 0; k < 60; k++) {
                    cheapest = Math.min(cheapest, tariffs[k % tariffs.length].cents(kilograms + k / 4, way, from + to));
                }
                turnover += cheapest;
                quotes.increment();
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    book(1500);
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Publisher publisher = new Publisher();
        publisher.run();
        Executors.newSingleThreadScheduledExecutor(r -> Thread.ofPlatform().daemon().name("publisher").unstarted(r))
            .scheduleWithFixedDelay(publisher, 5, 5, TimeUnit.SECONDS);
        Thread.ofPlatform().daemon().name("quotes").start(new Quotes(publisher));
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        while (true) {
            long n = quotes.sum(), cpu = system.getProcessCpuTime(), wall = System.nanoTime();
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d quotes/s; %.2f CPUs used; %d revisions so far in %.1f ms each, one each 5 s; %d classes there, %d unloaded%n",
                quotes.sum() - n, (system.getProcessCpuTime() - cpu) / (double) (System.nanoTime() - wall), published.sum(),
                publishNanos.sum() / 1e6 / published.sum(), classes.getLoadedClassCount(), classes.getUnloadedClassCount());
            System.out.flush();
        }
    }
}
