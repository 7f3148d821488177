// SPDX-License-Identifier: Apache-2.0
// cause: RateBook.rate holds one lock (RateBook.guard) for all hotels while it loads an expired rate from the remote tariff office (TariffLine.load, about 12 ms), so all other searches wait, even those for cached rates
// share: mean latency 112 to 167 ms, fixed 1 to 3.5 ms; 145 to 195 searches/s, fixed 1100 to 1400 searches/s
// judge: NAMED only if the finding says that RateBook.rate holds its single lock (guard) during the remote load (TariffLine.load / socket read), so other searchers block. "Lock contention on RateBook.guard in RateBook.rate" with the place but without the I/O under the lock is a symptom, as is "threads wait on socket read in TariffLine.load". Blaming the tariff office's delay alone, the GC, CPU, thread count, map implementation or the cache's expiry is wrong.
// expect: waiting frame=TariffLine.load waiter=RateBook.rate
// symptom: waiting lock-contention
// jdk: 25
// set: seventeenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantLock;

public class HotelRates {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder searches = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder loads = new LongAdder();

    record Rate(int hotel, int cents, long until) { }

    /** Central tariff office of the hotel group, 12 ms for an answer. */
    static final class TariffOffice {
        final ServerSocket socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());

        TariffOffice() throws IOException { }

        void open() {
            Thread.ofPlatform().daemon().name("office").start(() -> {
                try {
                    while (true) {
                        Socket s = socket.accept();
                        s.setTcpNoDelay(true);
                        Thread.ofPlatform().daemon().name("office-" + s.getPort()).start(() -> serve(s));
                    }
                } catch (IOException e) {
                    System.err.println("office closed " + e);
                }
            });
        }

        private void serve(Socket s) {
            try (s) {
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    int hotel = in.readInt();
                    Thread.sleep(12);
                    out.writeInt(4500 + hotel * 37 % 20_000);
                }
            } catch (IOException | InterruptedException e) {
                // line closed
            }
        }
    }

    /** A searcher's own line to the office. */
    static final class TariffLine {
        private final Socket s;

        TariffLine(int port) throws IOException {
            s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
        }

        Rate load(int hotel) throws IOException {
            new DataOutputStream(s.getOutputStream()).writeInt(hotel);
            int cents = new DataInputStream(s.getInputStream()).readInt();
            loads.increment();
            long life = 4000 + ThreadLocalRandom.current().nextInt(4000);
            return new Rate(hotel, cents, System.currentTimeMillis() + life);
        }
    }

    static final class RateBook {
        private final ReentrantLock guard = new ReentrantLock();
        private final Map<Integer, Rate> known = new HashMap<>();

        Rate rate(int hotel, TariffLine line) throws IOException {
            if (OPT) {
                Rate r = look(hotel);
                if (r == null) {
                    r = line.load(hotel);
                    guard.lock();
                    try {
                        known.put(hotel, r);
                    } finally {
                        guard.unlock();
                    }
                }
                return r;
            }
            guard.lock();
            try {
                Rate r = look(hotel);
                if (r == null) {
                    r = line.load(hotel);
                    known.put(hotel, r);
                }
                return r;
            } finally {
                guard.unlock();
            }
        }

        private Rate look(int hotel) {
            guard.lock();
            try {
                Rate r = known.get(hotel);
                return r == null || r.until() < System.currentTimeMillis() ? null : r;
            } finally {
                guard.unlock();
            }
        }
    }

    static final class Searcher implements Runnable {
        final RateBook book;
        final TariffLine line;
        final Random r;
        final int[] histogram = new int[64];

        Searcher(RateBook book, TariffLine line, int seed) {
            this.book = book;
            this.line = line;
            this.r = new Random(seed);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    int hotel = (int) Math.min(1999, Math.abs(r.nextGaussian()) * 400);
                    int nights = 1 + r.nextInt(10);
                    long t0 = System.nanoTime();
                    Rate rate = book.rate(hotel, line);
                    long total = 0;
                    for (int n = 0; n < nights; n++) {
                        total += rate.cents() * (n % 7 > 4 ? 120L : 100L) / 100;
                    }
                    nanos.add(System.nanoTime() - t0);
                    searches.increment();
                    histogram[(int) (total / 5000 % 64)]++;
                    Thread.sleep(15);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("searcher stopped " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TariffOffice office = new TariffOffice();
        office.open();
        RateBook book = new RateBook();
        for (int i = 0; i < 24; i++) {
            TariffLine line = new TariffLine(office.socket.getLocalPort());
            Thread.ofPlatform().daemon().name("search-" + i).start(new Searcher(book, line, i));
        }
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = searches.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d searches/s, mean latency %.2f ms, %d loads%n", n, n == 0 ? 0 : ns / 1e6 / n, loads.sumThenReset());
        }
    }
}
