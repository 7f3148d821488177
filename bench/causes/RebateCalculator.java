// SPDX-License-Identifier: Apache-2.0
// cause: RebateCalculator$Contracts.load (called by ruleFor) makes a new ContractLoader (a ClassLoader) for each quote and defines the rule's classes in it anew, so that CPU time goes to defining, verifying and interpreting classes, and to collections that unload them.
// share: faulty 6,800 quotes/s at 0.88 ms each; fixed 53,700 quotes/s at 0.10 ms each
// expect: class-unloading caller=Contracts.load | hot-code kind=class-loading
// symptom: gc-pauses
// judge: NAMED: class loaders / classes made anew for each quote in RebateCalculator$Contracts.load (called by ruleFor) (ContractLoader.findClass, defineClass), classes that come and go (unloading). SYMPTOM ONLY: collections for Metaspace thresholds; rules that run interpreted; compile or deoptimisation activity; callers wait for futures. WRONG: a leak of class loaders (they are unloaded); heap or Metaspace too small; the pool of pricers too small; reading of class files from disk (they are read once).
// jdk: 17
// set: twenty-sixth
// jvm:

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class RebateCalculator {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong quotes = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    public record Item(String article, int count, long cents) {
    }

    /** What a contract's own classes implement; it is the same for all contracts. */
    public interface RebateRule {
        long rebate(List<Item> items);
    }

    public static class VolumeRule implements RebateRule {
        private final Steps steps = new Steps();

        @Override
        public long rebate(List<Item> items) {
            long sum = 0;
            for (Item item : items) {
                sum += item.cents() * item.count();
            }
            return sum * steps.permille(sum) / 1000;
        }
    }

    public static class SeasonRule implements RebateRule {
        private final Steps steps = new Steps();

        @Override
        public long rebate(List<Item> items) {
            long sum = 0;
            for (Item item : items) {
                if (item.article().endsWith("7")) {
                    sum += item.cents() * item.count() / 10;
                }
                sum += steps.permille(item.cents());
            }
            return sum;
        }
    }

    public static class Steps {
        private final int[] from = {0, 10_000, 50_000, 200_000, 1_000_000};
        private final int[] permille = {0, 10, 25, 40, 70};

        public int permille(long sum) {
            int at = 0;
            while (at + 1 < from.length && from[at + 1] <= sum) {
                at++;
            }
            return permille[at];
        }
    }

    /** Keeps the classes of one contract apart from those of others. */
    static final class ContractLoader extends ClassLoader {
        private static final Map<String, byte[]> FILES = new ConcurrentHashMap<>();

        ContractLoader(ClassLoader parent) {
            super(parent);
        }

        private static byte[] file(String name) {
            try (InputStream in = RebateCalculator.class.getResourceAsStream("/" + name + ".class")) {
                return in.readAllBytes();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.endsWith("Rule") && !name.endsWith("RebateRule") || name.endsWith("$Steps")) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : findClass(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        protected Class<?> findClass(String name) {
            byte[] code = FILES.computeIfAbsent(name, ContractLoader::file);
            return defineClass(name, code, 0, code.length);
        }
    }

    static final class Contracts {
        private final Map<Integer, RebateRule> rules = new ConcurrentHashMap<>();

        private RebateRule load(int contract) {
            try {
                String name = contract % 2 == 0 ? "RebateCalculator$VolumeRule" : "RebateCalculator$SeasonRule";
                ClassLoader loader = new ContractLoader(RebateCalculator.class.getClassLoader());
                return (RebateRule) loader.loadClass(name).getConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        RebateRule ruleFor(int contract) {
            return FIXED ? rules.computeIfAbsent(contract, this::load) : load(contract);
        }
    }

    static final class QuoteDesk {
        private final Contracts contracts = new Contracts();

        private long tax(List<Item> items) {
            long tax = 0;
            for (int round = 0; round < 12; round++) {
                for (Item item : items) {
                    tax += (item.cents() * item.count() * (item.article().hashCode() % 3 == 0 ? 7 : 19) + round) / 100;
                }
            }
            return tax / 12;
        }

        String quote(int contract, List<Item> items) {
            long rebate = contracts.ruleFor(contract).rebate(items);
            return "contract " + contract + ": rebate " + rebate + ", tax " + tax(items);
        }
    }

    static List<Item> order(Random random) {
        List<Item> items = new ArrayList<>();
        int count = 60 + random.nextInt(80);
        for (int i = 0; i < count; i++) {
            items.add(new Item("a" + random.nextInt(5000), 1 + random.nextInt(20), 50 + random.nextInt(9000)));
        }
        return items;
    }

    public static void main(String[] args) throws Exception {
        QuoteDesk desk = new QuoteDesk();
        AtomicInteger number = new AtomicInteger();
        ExecutorService pricers = Executors.newFixedThreadPool(3, r -> new Thread(r, "pricer-" + number.getAndIncrement()));
        for (int c = 0; c < 6; c++) {
            Random random = new Random(c);
            Thread caller = new Thread(() -> {
                try {
                    while (true) {
                        List<Item> items = order(random);
                        int contract = random.nextInt(40);
                        long begin = System.nanoTime();
                        pricers.submit(() -> desk.quote(contract, items)).get();
                        nanos.addAndGet(System.nanoTime() - begin);
                        quotes.incrementAndGet();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "shop-" + c);
            caller.setDaemon(true);
            caller.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long q = quotes.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = quotes.get() - q;
            System.out.printf("measured: %d quotes/s, %.2f ms each%n", done, (nanos.get() - n) / 1e6 / Math.max(1, done));
        }
        System.exit(0);
    }
}
