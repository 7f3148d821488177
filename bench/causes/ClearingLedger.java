// SPDX-License-Identifier: Apache-2.0
// cause: all postings take the same ReentrantLock: ClearingLedger$Stripes.of picks one of 64 locks by the account's number modulo 64, but account numbers are serial * 64 + branch, with one branch only; so 16 posting threads wait in turn at ClearingLedger$Ledger.post, whose holder computes interest and asks the clearing house
// share: 93.6 % of the tellers' time is waiting for the lock (35 ms for each posting, held for 2.4 ms), so 15 of 16 threads wait all the time; 0.5 CPUs used of 2, 420 postings a second
// expect: waiting waiter=ClearingLedger$Ledger.post | waiting kind=lock frame=ClearingLedger$Ledger.post
// symptom: waiting
// judge: NAMED: waiting for a lock (ReentrantLock) at ClearingLedger$Ledger.post (or Stripes / Teller.run, its callers), whatever it says of the holder, e.g. that it waits for an answer at ClearingHouse.confirm or computes in Interest.accrue, as long as the lock is in the sentence. SYMPTOM ONLY: waiting for the clearing house's answer (ClearingHouse.confirm) or computing in Interest.accrue or the latch/future/queue of somebody else without saying that a lock is held in that time. WRONG: anything about collections, too many threads, the machine, the server thread "clearing-house" being slow.
// jdk: 25
// set: thirty-sixth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Posts payments to accounts, of which each is changed by one thread at a time. */
public class ClearingLedger {
    static final LongAdder posted = new LongAdder();
    static final LongAdder waitNanos = new LongAdder();
    static final LongAdder heldNanos = new LongAdder();

    static final class Account {
        final long number;
        long cents;
        double accrued;
        int day;
        Account(long number) {
            this.number = number;
            this.cents = 100_000 + number % 900_000;
        }
    }

    /** As many locks as are worth having, each for a part of the accounts. */
    static final class Stripes {
        private final ReentrantLock[] locks = new ReentrantLock[64];
        Stripes() {
            for (int i = 0; i < locks.length; i++) locks[i] = new ReentrantLock();
        }
        ReentrantLock of(long account) {
            return locks[(int) (account % locks.length)];
        }
    }

    static final class Interest {
        private final double[] rates = new double[365];
        Interest() {
            Random random = new Random(1);
            for (int i = 0; i < rates.length; i++) rates[i] = 0.01 + random.nextDouble() * 0.02;
        }
        /** Interest day by day, since rates change daily, of each of the tranches. */
        double accrue(Account account, long cents) {
            double sum = 0;
            for (int tranche = 1; tranche <= 600; tranche++) {
                double capital = (account.cents + cents) / (double) tranche;
                for (int day = 0; day < rates.length; day++) {
                    capital += capital * rates[(day + account.day) % rates.length] / 365;
                }
                sum += capital;
            }
            account.day = (account.day + 1) % rates.length;
            return sum;
        }
    }

    /** The line to the clearing house: one connection for each thread that posts. */
    static final class ClearingHouse implements AutoCloseable {
        private final Socket socket;
        private final DataOutputStream out;
        private final DataInputStream in;
        ClearingHouse(int port) throws IOException {
            socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            socket.setTcpNoDelay(true);
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            in = new DataInputStream(socket.getInputStream());
        }
        long confirm(long account, long cents) throws IOException {
            out.writeLong(account);
            out.writeLong(cents);
            out.flush();
            return in.readLong();
        }
        @Override public void close() throws IOException {
            socket.close();
        }
        static void serve(ServerSocket door) {
            while (true) {
                try {
                    Socket peer = door.accept();
                    peer.setTcpNoDelay(true);
                    Thread t = new Thread(() -> answer(peer), "clearing-house");
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) {
                    return;
                }
            }
        }
        private static void answer(Socket peer) {
            long number = 0;
            try (peer; DataInputStream in = new DataInputStream(peer.getInputStream());
                 DataOutputStream out = new DataOutputStream(new BufferedOutputStream(peer.getOutputStream()))) {
                byte[] question = new byte[16];
                while (true) {
                    in.readFully(question);
                    LockSupport.parkNanos(1_000_000);
                    out.writeLong(++number);
                    out.flush();
                }
            } catch (IOException e) {
                // the line has been closed
            }
        }
    }

    static final class Ledger {
        private final ConcurrentHashMap<Long, Account> accounts = new ConcurrentHashMap<>();
        private final Stripes stripes = new Stripes();
        private final Interest interest = new Interest();

        void open(long number) {
            accounts.put(number, new Account(number));
        }

        void post(long number, long cents, ClearingHouse house) throws IOException {
            Account account = accounts.get(number);
            ReentrantLock lock = stripes.of(number);
            long t0 = System.nanoTime();
            lock.lock();
            long t1 = System.nanoTime();
            try {
                double accrued = interest.accrue(account, cents);
                long receipt = house.confirm(number, cents);
                account.cents += cents;
                account.accrued = accrued + receipt % 2;
            } finally {
                long t2 = System.nanoTime();
                lock.unlock();
                waitNanos.add(t1 - t0);
                heldNanos.add(t2 - t1);
            }
            posted.increment();
        }
    }

    /** Posts what comes in on one channel. */
    record Teller(Ledger ledger, List<Long> numbers, int port, int seed) implements Runnable {
        @Override public void run() {
            Random random = new Random(seed);
            while (true) {
                try (ClearingHouse house = new ClearingHouse(port)) {
                    while (true) {
                        ledger.post(numbers.get(random.nextInt(numbers.size())), random.nextInt(20_001) - 10_000, house);
                    }
                } catch (IOException e) {
                    System.err.println("teller " + seed + ": " + e.getMessage());
                    LockSupport.parkNanos(500_000_000);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket door = new ServerSocket(0, 64, InetAddress.getByName("127.0.0.1"));
        Thread acceptor = new Thread(() -> ClearingHouse.serve(door), "clearing-door");
        acceptor.setDaemon(true);
        acceptor.start();
        Ledger ledger = new Ledger();
        List<Long> numbers = new ArrayList<>();
        int branch = 17;
        for (long serial = 3_000; serial < 53_000; serial++) {
            numbers.add(serial * 64 + branch);
            ledger.open(serial * 64 + branch);
        }
        for (int i = 1; i <= 16; i++) new Thread(new Teller(ledger, numbers, door.getLocalPort(), i), "teller-" + i).start();
        AtomicLong last = new AtomicLong();
        while (posted.sum() < 500) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long w0 = waitNanos.sum(), h0 = heldNanos.sum();
        last.set(posted.sum());
        while (true) {
            Thread.sleep(1000);
            long n = posted.sum(), w = waitNanos.sum(), h = heldNanos.sum(), d = Math.max(1, n - last.getAndSet(n));
            System.out.println(String.format(Locale.ROOT, "measured: %d postings, each waits %.1f ms for its lock and holds it for %.2f ms: %.1f %% of the tellers' time is waiting for locks",
                d, (w - w0) / 1e6 / d, (h - h0) / 1e6 / d, 100.0 * (w - w0) / (w - w0 + h - h0)));
            w0 = w; h0 = h;
        }
    }
}
