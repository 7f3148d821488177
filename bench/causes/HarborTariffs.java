// SPDX-License-Identifier: Apache-2.0
// cause: TariffBook.renew takes the write lock of its ReentrantReadWriteLock and then asks the rate office over a socket (40 ms for each berth) before it unlocks, so all quotes, which need the read lock, stand still during each answer.
// share: faulty about 390 quotes/s, mean latency 25.5 ms; fixed about 3090 quotes/s, 3.2 ms (7.9 times)
// expect: waiting frame=RateOfficeLink.rate chain=read_lock
// symptom: waiting pool-busy
// judge: NAMED: TariffBook.renew waits for the answer of the rate office (socket read in RateOfficeLink.rate) while it holds the write lock of TariffBook, which blocks the readers in TariffBook.rateOf. SYMPTOM ONLY: clients wait for futures; workers of "desk" wait for the read lock; the pool "desk" is busy; the rate office takes 40 ms (true, but nobody would have to wait for it). WRONG: pool too small, the customs ledger (Customs.record), CPU, GC, hot code.
// jdk: 17
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class HarborTariffs {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int BERTHS = 60;

    static class RateOffice extends Thread {
        final ServerSocket door;
        RateOffice() throws IOException {
            super("rate-office");
            door = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            setDaemon(true);
        }
        @Override public void run() {
            try (Socket s = door.accept();
                 BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                 OutputStream out = s.getOutputStream()) {
                s.setTcpNoDelay(true);
                String line;
                Random r = new Random(4);
                while ((line = in.readLine()) != null) {
                    int berth = Integer.parseInt(line.substring(5));
                    Thread.sleep(36 + r.nextInt(9));
                    out.write((1000 + berth * 7 + r.nextInt(50) + "\n").getBytes());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class RateOfficeLink {
        final BufferedReader in;
        final OutputStream out;
        RateOfficeLink(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            out = s.getOutputStream();
        }
        int rate(int berth) throws IOException {
            out.write(("RATE " + berth + "\n").getBytes());
            return Integer.parseInt(in.readLine());
        }
    }

    static class TariffBook {
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Integer> cents = new HashMap<>();
        private final RateOfficeLink office;
        TariffBook(RateOfficeLink office) {
            this.office = office;
            for (int b = 0; b < BERTHS; b++) cents.put(b, 1000 + b * 7);
        }
        int rateOf(int berth) {
            lock.readLock().lock();
            try {
                return cents.get(berth);
            } finally {
                lock.readLock().unlock();
            }
        }
        void renew(int berth) throws IOException {
            int rate = REVISED ? office.rate(berth) : -1;
            lock.writeLock().lock();
            try {
                cents.put(berth, rate >= 0 ? rate : office.rate(berth));
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    static class Customs {
        private final Deque<String> ledger = new ArrayDeque<>();
        String record(String ship, long fee) {
            String line = ship + ';' + fee + ';' + Long.toHexString(fee * 31 + ship.hashCode());
            synchronized (ledger) {
                ledger.addLast(line);
                if (ledger.size() > 500) ledger.removeFirst();
            }
            return line;
        }
    }

    static class Quotes {
        final TariffBook book;
        final Customs customs;
        Quotes(TariffBook book, Customs customs) {
            this.book = book;
            this.customs = customs;
        }
        long quote(String ship, int berth, int hours) throws InterruptedException {
            Thread.sleep(2);
            long fee = 0;
            for (int h = 0; h < hours; h++) fee += book.rateOf((berth + h / 8) % BERTHS) * (h % 24 < 6 ? 80L : 100L) / 100;
            customs.record(ship, fee);
            return fee;
        }
    }

    public static void main(String[] args) throws Exception {
        RateOffice office = new RateOffice();
        office.start();
        TariffBook book = new TariffBook(new RateOfficeLink(office.door.getLocalPort()));
        Quotes quotes = new Quotes(book, new Customs());
        AtomicInteger n = new AtomicInteger();
        ExecutorService desk = Executors.newFixedThreadPool(8, r -> daemon(r, "desk-" + n.incrementAndGet()));
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 10; i++) {
            int id = i;
            daemon(() -> {
                Random r = new Random(id);
                while (true) {
                    long t = System.nanoTime();
                    String ship = "MS-" + r.nextInt(900);
                    int berth = r.nextInt(BERTHS), hours = 12 + r.nextInt(36);
                    try {
                        desk.submit(() -> quotes.quote(ship, berth, hours)).get();
                        Thread.sleep(1);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                }
            }, "agent-" + i).start();
        }
        daemon(() -> {
            try {
                for (int b = 0; ; b = (b + 1) % BERTHS) {
                    book.renew(b);
                    Thread.sleep(5);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, "renewal").start();
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean latency %.2f ms%n", d, d == 0 ? 0 : t / 1e6 / d);
        }
        System.exit(0);
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
