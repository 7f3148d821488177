// SPDX-License-Identifier: Apache-2.0
// cause: FareAccounts.Accounts.lockFor picks one of 64 striped locks by (card number % 64), but card numbers are issued in steps of 64, so all accounts share lock 0 and the 24 gates queue for one lock while one booking goes over the wire
// share: with the fault 209 rides/s (116.8 ms each), with -Dfixed=true 4097 rides/s (5.9 ms each): 19.6 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: waiting waiter=Accounts.charge one=.
// symptom: waiting
// judge: NAMED: all accounts fall on one and the same stripe (Accounts.lockFor picks by card % 64; striping does not spread); SYMPTOM ONLY: contention on a ReentrantLock in Accounts.charge / lock held during the ledger call, without the stripe choice; WRONG: too many gate threads, slow ledger, missing CPU, GC
// jdk: 21
// set: twenty-eighth
// jvm: -Xmx64m
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class FareAccounts {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int GATES = 24;
    static final int CARDS = 20_000;
    static volatile boolean open = true;
    static final LongAdder rides = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static final class Account {
        final long card;
        long cents = 50_000;
        long version;

        Account(long card) {
            this.card = card;
        }
    }

    /** Connection of one gate to the ledger host. */
    static final class Ledger {
        final DataInputStream in;
        final DataOutputStream out;

        Ledger(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }

        long book(long version) throws IOException {
            out.writeLong(version);
            return in.readLong();
        }
    }

    static void host(ServerSocket door) {
        try {
            while (open) {
                Socket s = door.accept();
                Thread.ofVirtual().start(() -> {
                    try (s) {
                        s.setTcpNoDelay(true);
                        DataInputStream in = new DataInputStream(s.getInputStream());
                        DataOutputStream out = new DataOutputStream(s.getOutputStream());
                        while (open) {
                            long v = in.readLong();
                            Thread.sleep(3);
                            out.writeLong(v + 1);
                        }
                    } catch (IOException | InterruptedException e) {
                        // gate closed
                    }
                });
            }
        } catch (IOException e) {
            open = false;
        }
    }

    static final class Accounts {
        final Lock[] locks = new Lock[64];
        final Map<Long, Account> byCard = new HashMap<>();

        Accounts() {
            for (int i = 0; i < locks.length; i++) {
                locks[i] = new ReentrantLock();
            }
            for (int i = 0; i < CARDS; i++) {
                long card = cardNumber(i);
                byCard.put(card, new Account(card));
            }
        }

        Lock lockFor(long card) {
            long k = ALT ? card * 0x9E3779B97F4A7C15L >>> 40 : card;
            return locks[(int) (k % locks.length)];
        }

        void charge(long card, int fare, Ledger ledger) throws IOException {
            Lock lock = lockFor(card);
            lock.lock();
            try {
                Account a = byCard.get(card);
                if (a.cents < fare) {
                    a.cents += 50_000;
                }
                a.version = ledger.book(a.version);
                a.cents -= fare;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Card number as issued, without the check field. */
    static long cardNumber(int serial) {
        return 7_000_000_000L / 64 * 64 + ((long) serial << 6);
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        ServerSocket door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread host = new Thread(() -> host(door), "ledger-host");
        host.setDaemon(true);
        host.start();
        Accounts accounts = new Accounts();
        for (int g = 1; g <= GATES; g++) {
            Ledger ledger = new Ledger(door.getLocalPort());
            Thread gate = new Thread(() -> {
                try {
                    ThreadLocalRandom rnd = ThreadLocalRandom.current();
                    while (open) {
                        long t = System.nanoTime();
                        accounts.charge(cardNumber(rnd.nextInt(CARDS)), 180 + rnd.nextInt(300), ledger);
                        nanos.add(System.nanoTime() - t);
                        rides.increment();
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, "gate-" + g);
            gate.setDaemon(true);
            gate.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = rides.sum();
        long spent = nanos.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = rides.sum();
            long s = nanos.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f rides/s, %.1f ms each%n",
                    (now - before) * 1e9 / (t - at), (s - spent) / 1e6 / Math.max(1, now - before));
            before = now;
            spent = s;
            at = t;
        }
        open = false;
    }
}
