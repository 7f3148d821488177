// SPDX-License-Identifier: Apache-2.0
// cause: Screening builds its ThreadPoolExecutor with core 2, maximum 20 and an unbounded LinkedBlockingQueue; such a pool never grows beyond its core size, so 2 threads do all the blocking scoring calls while tasks queue up.
// share: throughput 163 payments/s at 74 ms vs 960/s at 12.4 ms fixed
// judge: Must say that the screening pool of FraudScreen.Screening has only 2 (core) threads and tasks wait in its queue; for full naming that it never grows to its maximum because the queue is unbounded (or that the pool of 2 is too small for blocking calls). "The scoring call is slow" or "payment threads wait on Future.get" alone does not count.
// set: eighteenth
// expect: pool-busy pool=screening
// symptom: waiting
// jdk: 17
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FraudScreen {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder passed = new LongAdder();
    static final LongAdder stopped = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Payment(long id, String iban, long cents, String country) {}
    record Verdict(long id, int score) {}

    static final class ScoringGateway {
        private final int[] weights = new Random(5).ints(512, 1, 90).toArray();
        Verdict score(Payment p, int[] features) throws InterruptedException {
            Thread.sleep(12);
            int s = 0;
            for (int f : features) s += weights[f & 511];
            return new Verdict(p.id(), s % 1000);
        }
    }

    static final class Screening {
        private final ScoringGateway gateway = new ScoringGateway();
        private final ThreadPoolExecutor pool;
        private final AtomicInteger number = new AtomicInteger();

        Screening() {
            pool = new ThreadPoolExecutor(FIXED ? 20 : 2, 20, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
                Thread t = new Thread(r, "screening-" + number.incrementAndGet());
                t.setDaemon(true);
                return t;
            });
        }

        Future<Verdict> submit(Payment p) {
            return pool.submit(() -> gateway.score(p, features(p)));
        }

        private int[] features(Payment p) {
            int[] f = new int[64];
            int h = p.iban().hashCode();
            for (int i = 0; i < f.length; i++) {
                h = h * 1664525 + 1013904223 + (int) p.cents();
                f[i] = h >>> 20;
            }
            return f;
        }
    }

    static final class Ledger {
        private final ConcurrentHashMap<String, LongAdder> totals = new ConcurrentHashMap<>();
        void add(Payment p) {
            totals.computeIfAbsent(p.country(), k -> new LongAdder()).add(p.cents());
        }
    }

    static final class PaymentChannel implements Runnable {
        private static final String[] COUNTRIES = {"DE", "FR", "NL", "AT", "PL", "ES", "IT"};
        private final Screening screening;
        private final Ledger ledger;
        private long next;
        PaymentChannel(Screening screening, Ledger ledger) {
            this.screening = screening;
            this.ledger = ledger;
        }

        @Override public void run() {
            try {
                while (true) {
                    Payment p = receive();
                    long t0 = System.nanoTime();
                    Verdict v = screening.submit(p).get();
                    nanos.add(System.nanoTime() - t0);
                    if (v.score() > 985) {
                        stopped.increment();
                    } else {
                        ledger.add(p);
                        passed.increment();
                    }
                }
            } catch (InterruptedException | ExecutionException e) {
                e.printStackTrace();
            }
        }

        private Payment receive() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            String country = COUNTRIES[r.nextInt(COUNTRIES.length)];
            StringBuilder iban = new StringBuilder(country);
            for (int i = 0; i < 20; i++) iban.append((char) ('0' + r.nextInt(10)));
            return new Payment(next++, iban.toString(), r.nextLong(100, 900_000), country);
        }
    }

    public static void main(String[] args) throws Exception {
        Screening screening = new Screening();
        Ledger ledger = new Ledger();
        for (int i = 0; i < 12; i++) {
            Thread t = new Thread(new PaymentChannel(screening, ledger), "payment-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = passed.sumThenReset() + stopped.sumThenReset(), n = nanos.sumThenReset();
            System.out.println("measured: payments/s " + c + " mean ms " + (c == 0 ? 0 : n / c / 1000) / 1000.0);
        }
        System.exit(0);
    }
}
