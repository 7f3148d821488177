// SPDX-License-Identifier: Apache-2.0
// cause: Account.balanceAt multiplies BigDecimals day by day and never rounds, numbers grow to thousands of digits
// expect: hot-code kind=many-digits frame=FxSettlement$Account.balanceAt | hot-code kind=big-numbers frame=FxSettlement$Account.balanceAt
// symptom: hot-method hot-calls gc-pauses
// share: 12300 settlements/s, mean 0.32 ms; fixed: 34000/s, mean 0.12 ms
// judge: right: FxSettlement$Account.balanceAt: unrounded BigDecimal.multiply in a loop, scale grows without bound
// judge: symptom: CPU is busy in BigInteger.multiply / BigDecimal; big int[] allocations
// judge: wrong: GC; the pool of 2 workers; parsing of the statement lines; the journal lock
// jdk: 25
// set: fourteenth
import java.math.*;
import java.time.LocalDate;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FxSettlement {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final MathContext PRECISION = MathContext.DECIMAL128;

    record Booking(LocalDate day, BigDecimal amount, String currency) {}
    record Settlement(String account, BigDecimal euros, int bookings) {}

    static final class Rates {
        private final Map<String, BigDecimal> toEuro = new ConcurrentHashMap<>();
        private final BigDecimal[] daily = new BigDecimal[366];
        Rates() {
            Random r = new Random(77);
            for (String c : List.of("USD", "GBP", "CHF", "SEK")) refresh(c, r);
            for (int i = 0; i < daily.length; i++)
                daily[i] = BigDecimal.valueOf(1_000_000_000L + 40_000 + r.nextInt(90_000), 9);
        }
        void refresh(String currency, Random r) {
            toEuro.put(currency, BigDecimal.valueOf(700_000 + r.nextInt(500_000), 6));
        }
        BigDecimal toEuro(String currency) { return toEuro.getOrDefault(currency, BigDecimal.ONE); }
        BigDecimal growth(LocalDate day) { return daily[day.getDayOfYear() - 1]; }
    }

    static final class Account {
        final String id; final List<Booking> bookings = new ArrayList<>();
        Account(String id) { this.id = id; }
        void read(String statement) {
            for (String line : statement.split("\n")) {
                String[] f = line.split(";");
                bookings.add(new Booking(LocalDate.parse(f[0]), new BigDecimal(f[1]), f[2]));
            }
            bookings.sort(Comparator.comparing(Booking::day));
        }
        BigDecimal balanceAt(LocalDate until, Rates rates) {
            BigDecimal balance = BigDecimal.ZERO;
            int next = 0;
            for (LocalDate day = bookings.get(0).day; day.isBefore(until); day = day.plusDays(1)) {
                balance = balance.multiply(rates.growth(day));
                if (FIXED) balance = balance.round(PRECISION);
                while (next < bookings.size() && bookings.get(next).day.equals(day)) {
                    Booking b = bookings.get(next++);
                    balance = balance.add(b.amount.multiply(rates.toEuro(b.currency)));
                }
            }
            return balance;
        }
    }

    static final class Journal {
        private final Deque<Settlement> last = new ArrayDeque<>();
        private BigDecimal total = BigDecimal.ZERO;
        synchronized void add(Settlement s) {
            last.addLast(s);
            if (last.size() > 1000) last.removeFirst();
            total = total.add(s.euros);
        }
        synchronized BigDecimal total() { return total; }
    }

    static String statement(Random r) {
        String[] currencies = {"EUR", "USD", "GBP", "CHF", "SEK"};
        StringBuilder b = new StringBuilder(2000);
        LocalDate day = LocalDate.of(2025, 1, 2);
        for (int i = 0; i < 40; i++) {
            b.append(day.plusDays(i * 9L)).append(';').append(r.nextInt(900_000) / 100.0).append(';')
                    .append(currencies[r.nextInt(currencies.length)]).append('\n');
        }
        return b.toString();
    }

    public static void main(String[] args) throws Exception {
        Rates rates = new Rates();
        Journal journal = new Journal();
        ExecutorService workers = Executors.newFixedThreadPool(2, Thread.ofPlatform().name("settle-", 1).factory());
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        LongAdder balanceNanos = new LongAdder(), digits = new LongAdder();
        List<String> statements = new ArrayList<>();
        Random seed = new Random(3);
        for (int i = 0; i < 300; i++) statements.add(statement(seed));
        for (int c = 0; c < 4; c++) {
            Random r = new Random(c);
            Thread.ofPlatform().name("api-" + c).start(() -> {
                while (true) {
                    long t = System.nanoTime();
                    String id = "DE" + (1000 + r.nextInt(9000));
                    String text = statements.get(r.nextInt(statements.size()));
                    try {
                        workers.submit(() -> {
                            Account a = new Account(id);
                            a.read(text);
                            long t1 = System.nanoTime();
                            BigDecimal exact = a.balanceAt(LocalDate.of(2025, 12, 30), rates);
                            balanceNanos.add(System.nanoTime() - t1);
                            digits.add(exact.precision());
                            BigDecimal euros = exact.setScale(2, RoundingMode.HALF_EVEN);
                            Settlement s = new Settlement(id, euros, a.bookings.size());
                            journal.add(s);
                            return s;
                        }).get();
                    } catch (InterruptedException | ExecutionException e) { throw new IllegalStateException(e); }
                    done.increment();
                    nanos.add(System.nanoTime() - t);
                }
            });
        }
        ScheduledExecutorService feed = Executors.newSingleThreadScheduledExecutor();
        Random tick = new Random();
        feed.scheduleAtFixedRate(() -> rates.refresh(tick.nextBoolean() ? "USD" : "GBP", tick), 50, 50,
                TimeUnit.MILLISECONDS);
        Thread.sleep(1500);
        System.out.println("READY");
        for (long d0 = done.sum(), n0 = nanos.sum(), b0 = balanceNanos.sum(), g0 = digits.sum(); ; ) {
            Thread.sleep(1000);
            long d = done.sum(), n = nanos.sum(), b = balanceNanos.sum(), g = digits.sum(), k = Math.max(1, d - d0);
            System.out.printf(Locale.ROOT, "measured: %d settlements/s, mean %.2f ms, balance %.2f ms, %d digits%n",
                    d - d0, (n - n0) / 1e6 / k, (b - b0) / 1e6 / k, (g - g0) / k);
            d0 = d; n0 = n; b0 = b; g0 = g;
        }
    }
}
