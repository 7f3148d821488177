// SPDX-License-Identifier: Apache-2.0
// cause: the caller that finds the rates expired loads them (80 ms remote call) under the write lock; readers wait
// expect: waiting frame=RateBoard$Provider.load
// symptom: waiting
// share: 99 % of the latency; 690 payments/s, 7.5 ms, worst 82 ms; fixed 1,180 payments/s, 0.01 ms
// judge: right: RateBoard.Rates.current reloads in the request under the write lock; readers wait at the lock
// judge: symptom: request threads park in ReentrantReadWriteLock (read or write); CPUs idle; one waits in socket read
// judge: wrong: the read-write lock as such is slow, too few threads, rate provider alone, GC, pricing code, CPU
// jdk: 25
// set: fourteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Card payments in foreign money: converts amounts by rates of a provider that are valid for a short time. */
public class RateBoard {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long VALID_NANOS = 100_000_000L;
    static final int CASHIERS = 12;

    /** Connection to the rate provider. */
    static final class Provider {
        private final Socket socket;
        private final BufferedReader in;
        private final Writer out;

        Provider(SocketAddress at) throws IOException {
            socket = new Socket();
            socket.connect(at);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream()));
        }

        Map<String, Double> load() {
            try {
                out.write("RATES\n");
                out.flush();
                Map<String, Double> m = new HashMap<>();
                for (String part : in.readLine().split(";")) {
                    m.put(part.substring(0, 3), Double.parseDouble(part.substring(4)));
                }
                return m;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Rates {
        private final Provider provider;
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private volatile Map<String, Double> map;
        private volatile long loaded;
        final LongAdder nanos = new LongAdder(), loads = new LongAdder();

        Rates(Provider provider) {
            this.provider = provider;
            reload();
            if (FIXED) {
                var timer = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "rates-refresh"));
                timer.scheduleWithFixedDelay(this::reload, 20, 20, TimeUnit.MILLISECONDS);
            }
        }

        private void reload() {
            map = provider.load();
            loaded = System.nanoTime();
            loads.increment();
        }

        double current(String currency) {
            long t = System.nanoTime();
            try {
                if (FIXED) return map.get(currency);
                lock.readLock().lock();
                try {
                    if (System.nanoTime() - loaded < VALID_NANOS) return map.get(currency);
                } finally {
                    lock.readLock().unlock();
                }
                lock.writeLock().lock();
                try {
                    if (System.nanoTime() - loaded >= VALID_NANOS) reload();
                    return map.get(currency);
                } finally {
                    lock.writeLock().unlock();
                }
            } finally {
                nanos.add(System.nanoTime() - t);
            }
        }
    }

    private final Rates rates;
    private final ConcurrentHashMap<String, LongAdder> turnover = new ConcurrentHashMap<>();

    RateBoard(SocketAddress provider) throws IOException {
        rates = new Rates(new Provider(provider));
    }

    long pay(String currency, long cents, String merchant) {
        double rate = rates.current(currency);
        long local = Math.round(cents / rate);
        long fee = Math.max(5, local * 14 / 1000);
        turnover.computeIfAbsent(merchant, m -> new LongAdder()).add(local - fee);
        return local;
    }

    /** Stands for the provider: needs 80 ms to answer. */
    static SocketAddress provider() throws IOException {
        ServerSocket ss = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("provider").start(() -> {
            String[] names = {"USD", "GBP", "CHF", "SEK", "NOK", "JPY", "PLN", "CZK"};
            try (Socket s = ss.accept();
                 var in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                 var out = new OutputStreamWriter(s.getOutputStream())) {
                s.setTcpNoDelay(true);
                while (in.readLine() != null) {
                    Thread.sleep(80);
                    StringBuilder sb = new StringBuilder();
                    for (String n : names) sb.append(n).append('=').append(0.5 + Math.random()).append(';');
                    out.write(sb.append('\n').toString());
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("provider: " + e);
            }
        });
        return ss.getLocalSocketAddress();
    }

    public static void main(String[] args) throws Exception {
        RateBoard board = new RateBoard(provider());
        LongAdder done = new LongAdder(), nanos = new LongAdder(), sum = new LongAdder();
        AtomicLong worst = new AtomicLong();
        String[] money = {"USD", "GBP", "CHF", "JPY"};
        for (int i = 0; i < CASHIERS; i++) {
            Thread.ofPlatform().name("cashier-" + i).start(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                while (true) {
                    long t = System.nanoTime();
                    sum.add(board.pay(money[r.nextInt(4)], 100 + r.nextInt(20_000), "m" + r.nextInt(300)));
                    t = System.nanoTime() - t;
                    nanos.add(t);
                    worst.accumulateAndGet(t, Math::max);
                    done.increment();
                    try {
                        Thread.sleep(r.nextInt(6, 15));                      // until the next customer pays
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset()), t = nanos.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d payments/s, mean %.2f ms, worst %.0f ms, in current() %.0f %% of it, %d loads%n",
                n, t / 1e6 / n, worst.getAndSet(0) / 1e6, 100.0 * board.rates.nanos.sumThenReset() / t,
                board.rates.loads.sumThenReset());
        }
    }
}
