// SPDX-License-Identifier: Apache-2.0
// cause: PaymentRules.RuleFinder.ruleFor calls Class.forName for a country specific rule class that does not exist for most (country, scheme) pairs, for every payment, so each payment searches the class path (stat of files) and throws and catches ClassNotFoundException; the outcome is not remembered
// share: faulty 90648 payments/s; fixed 539246 payments/s; 5.9 times (10 s and 11 s on a shared, loaded 2-CPU machine)
// judge: NAMED = repeated failing class lookups (Class.forName / loadClass / ClassNotFoundException per payment in RuleFinder.ruleFor), to be cached. "Thousands of ClassNotFoundException per second thrown in RuleFinder.ruleFor by Class.forName" counts as named. SYMPTOM ONLY = "many exceptions" without class lookup or place; "time in URLClassPath/BuiltinClassLoader/file stat" without the caller; "contention on class loading lock". WRONG = class loader leak, metaspace, GC, reflection newInstance cost as the main cause, disk slow.
// expect: hot-code kind=class-lookup
// symptom: hot-code
// jdk: 17
// set: sixteenth
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class PaymentRules {
    interface Rule {
        BigDecimal fee(BigDecimal amount);
    }

    public static class RuleDEsepa implements Rule {
        public BigDecimal fee(BigDecimal amount) {
            return new BigDecimal("0.20");
        }
    }

    public static class RuleUScard implements Rule {
        public BigDecimal fee(BigDecimal amount) {
            return amount.multiply(new BigDecimal("0.029")).add(new BigDecimal("0.30"));
        }
    }

    public static class GeneralRule implements Rule {
        public BigDecimal fee(BigDecimal amount) {
            return amount.multiply(new BigDecimal("0.014")).add(new BigDecimal("0.25"));
        }
    }

    record Payment(long id, String country, String scheme, BigDecimal amount) {}

    static class RuleFinder {
        static final boolean KEEP = Boolean.getBoolean("fixed");
        final Rule general = new GeneralRule();
        final Map<String, Rule> known = new ConcurrentHashMap<>();

        Rule ruleFor(Payment p) {
            String name = "PaymentRules$Rule" + p.country + p.scheme;
            if (KEEP) return known.computeIfAbsent(name, this::resolve);
            return resolve(name);
        }

        private Rule resolve(String name) {
            try {
                return (Rule) Class.forName(name).getDeclaredConstructor().newInstance();
            } catch (ClassNotFoundException e) {
                return general;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(name, e);
            }
        }
    }

    static class Ledger {
        private final Map<String, BigDecimal> fees = new TreeMap<>();

        synchronized void book(String country, BigDecimal fee) {
            fees.merge(country, fee, BigDecimal::add);
        }

        synchronized int size() {
            return fees.size();
        }
    }

    static final String[] COUNTRIES = {"DE", "US", "FR", "IT", "ES", "PL", "NL", "AT", "SE", "DK", "PT", "IE"};
    static final String[] SCHEMES = {"sepa", "card", "wallet", "invoice"};

    final RuleFinder finder = new RuleFinder();
    final Ledger ledger = new Ledger();
    final ThreadPoolExecutor pool = new ThreadPoolExecutor(3, 3, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(64), r -> {
        Thread t = new Thread(r, "settle");
        t.setDaemon(true);
        return t;
    }, new ThreadPoolExecutor.CallerRunsPolicy());
    final LongAdder done = new LongAdder();

    void settle(List<Payment> batch) {
        for (Payment p : batch) {
            BigDecimal fee = finder.ruleFor(p).fee(p.amount).setScale(2, RoundingMode.HALF_EVEN);
            if (valid(p)) ledger.book(p.country, fee);
            done.increment();
        }
    }

    boolean valid(Payment p) {
        String iban = p.country + String.format("%018d", p.id);
        int sum = 0;
        for (int i = 0; i < iban.length(); i++) sum = (sum * 36 + Character.getNumericValue(iban.charAt(i))) % 97;
        return sum != 96;
    }

    void merchant(int id) {
        var r = new Random(id);
        long n = id * 1_000_000L;
        try {
            while (true) {
                var batch = new ArrayList<Payment>();
                for (int i = 0; i < 40; i++)
                    batch.add(new Payment(n++, COUNTRIES[r.nextInt(COUNTRIES.length)], SCHEMES[r.nextInt(SCHEMES.length)],
                            BigDecimal.valueOf(100 + r.nextInt(100_000), 2)));
                pool.submit(() -> settle(batch)).get();
            }
        } catch (InterruptedException | ExecutionException e) {
            System.out.println("merchant " + id + " ends: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        var app = new PaymentRules();
        for (int i = 1; i <= 6; i++) {
            int id = i;
            var t = new Thread(() -> app.merchant(id), "merchant-" + id);
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + app.done.sumThenReset() + " payments/s, " + app.ledger.size() + " countries");
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
