// SPDX-License-Identifier: Apache-2.0
// cause: Account.redeem is synchronized and calls the remote ledger inside, so each virtual thread is pinned to its carrier during the socket read and only as many redemptions run at once as there are carriers (2 cores)
// share: 112 to 129 redemptions/s, fixed 1500 redemptions/s (latency inside a running thread 17 ms, fixed 16 ms; the wait is for a carrier)
// judge: NAMED only if the finding says that virtual threads are pinned (carrier blocked) by the synchronized method Account.redeem around the ledger call. Only "virtual threads wait / carriers busy or blocked / few carriers / slow ledger reads" without pinning by synchronized in Account.redeem is a symptom. "Lock contention on Account" is wrong (monitors are practically never contended: 20000 accounts), as is blaming the ledger's 15 ms, the GC or CPU.
// expect: waiting holder=Account.redeem | waiting monitor=Account.redeem | unstarted-threads monitor=Account.redeem
// symptom: waiting unstarted-threads
// jdk: 21
// set: seventeenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantLock;

public class LoyaltyPoints {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder redeemed = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder refused = new LongAdder();

    /** Central ledger, another company's system; 15 ms for each booking. */
    static final class CentralLedger {
        final ServerSocket socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());

        CentralLedger() throws IOException { }

        void open() {
            Thread.ofPlatform().daemon().name("ledger-accept").start(() -> {
                try {
                    while (true) {
                        Socket s = socket.accept();
                        s.setTcpNoDelay(true);
                        Thread.ofPlatform().daemon().name("ledger-" + s.getPort()).start(() -> serve(s));
                    }
                } catch (IOException e) {
                    System.err.println("ledger closed " + e);
                }
            });
        }

        private void serve(Socket s) {
            try (s) {
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    long booking = in.readLong();
                    Thread.sleep(15);
                    out.writeLong(booking ^ 0x5aL);
                }
            } catch (IOException | InterruptedException e) {
                // the till has gone
            }
        }
    }

    /** Lines to the ledger, lent to one booking at a time. */
    static final class LedgerLines {
        private final BlockingQueue<Socket> idle = new LinkedBlockingQueue<>();

        LedgerLines(int port, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                s.setTcpNoDelay(true);
                idle.add(s);
            }
        }

        long book(long booking) throws IOException, InterruptedException {
            Socket s = idle.take();
            try {
                new DataOutputStream(s.getOutputStream()).writeLong(booking);
                return new DataInputStream(s.getInputStream()).readLong();
            } finally {
                idle.add(s);
            }
        }
    }

    static final class Account {
        final int member;
        private final ReentrantLock guard = new ReentrantLock();
        private int points;

        Account(int member) {
            this.member = member;
            this.points = 500 + member % 3000;
        }

        boolean use(int n, LedgerLines lines) throws IOException, InterruptedException {
            if (!OPT) {
                return redeem(n, lines);
            }
            guard.lock();
            try {
                return settle(n, lines);
            } finally {
                guard.unlock();
            }
        }

        synchronized boolean redeem(int n, LedgerLines lines) throws IOException, InterruptedException {
            return settle(n, lines);
        }

        private boolean settle(int n, LedgerLines lines) throws IOException, InterruptedException {
            if (points < n) {
                points += 400;
                return false;
            }
            lines.book((long) member << 16 | n);
            points -= n;
            return true;
        }
    }

    record Till(int number, List<Account> accounts, LedgerLines lines) implements Runnable {
        @Override
        public void run() {
            Random r = new Random(number);
            try {
                while (true) {
                    Account a = accounts.get(r.nextInt(accounts.size()));
                    long t0 = System.nanoTime();
                    if (a.use(10 + r.nextInt(90), lines)) {
                        redeemed.increment();
                        nanos.add(System.nanoTime() - t0);
                    } else {
                        refused.increment();
                    }
                    Thread.sleep(10);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("till closed " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        CentralLedger ledger = new CentralLedger();
        ledger.open();
        LedgerLines lines = new LedgerLines(ledger.socket.getLocalPort(), 40);
        List<Account> accounts = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            accounts.add(new Account(i));
        }
        for (int i = 0; i < 40; i++) {
            Thread.ofVirtual().name("till-" + i).start(new Till(i, accounts, lines));
        }
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = redeemed.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d redemptions/s, mean latency %.1f ms, %d refused%n", n, n == 0 ? 0 : ns / 1e6 / n, refused.sumThenReset());
        }
    }
}
