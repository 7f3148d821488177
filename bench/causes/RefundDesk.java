// SPDX-License-Identifier: Apache-2.0
// cause: refund() returns on "declined" without giving its ledger connection back; pool is dry until the reaper acts
// expect: waiting kind=pool peak=.
// symptom: waiting
// share: 280 refunds/s, mean 50 ms (90 % waiting for a connection); fixed: 1930/s, mean 6.2 ms
// judge: right: RefundDesk.refund: connection leaked on the declined path (not given back) exhausts the pool
// judge: symptom: request threads wait in LedgerPool.borrow; the pool of 12 is empty; reaper reclaims abandoned ones
// judge: wrong: the pool is too small; the ledger is slow; a lock; the reaper's interval as root; GC
// jdk: 17
// set: fourteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class RefundDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    static final class LedgerConnection implements Closeable {
        private final Socket socket; private final DataInputStream in; private final DataOutputStream out;
        volatile long borrowedAt;
        LedgerConnection(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }
        String call(String command, long order) throws IOException {
            out.writeUTF(command);
            out.writeLong(order);
            out.flush();
            return in.readUTF();
        }
        @Override public void close() throws IOException { socket.close(); }
    }

    static final class LedgerPool {
        private final BlockingQueue<LedgerConnection> idle = new LinkedBlockingQueue<>();
        private final Set<LedgerConnection> busy = ConcurrentHashMap.newKeySet();
        private final int port;
        final LongAdder reclaimed = new LongAdder();
        LedgerPool(int size, int port) throws IOException {
            this.port = port;
            for (int i = 0; i < size; i++) idle.add(new LedgerConnection(port));
        }
        LedgerConnection borrow() throws InterruptedException {
            LedgerConnection c = idle.poll(5, TimeUnit.SECONDS);
            if (c == null) throw new IllegalStateException("no ledger connection within 5 s");
            c.borrowedAt = System.nanoTime();
            busy.add(c);
            return c;
        }
        void giveBack(LedgerConnection c) { if (busy.remove(c)) idle.add(c); }
        void reapAbandoned() {
            for (LedgerConnection c : busy) {
                if (System.nanoTime() - c.borrowedAt < 900_000_000L || !busy.remove(c)) continue;
                try {
                    c.close();
                    idle.add(new LedgerConnection(port));
                    reclaimed.increment();
                } catch (IOException e) { System.err.println("reaper: " + e); }
            }
        }
    }

    static void ledger(Socket s) {
        try (s; DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()))) {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                String command = in.readUTF();
                long order = in.readLong();
                Thread.sleep(3);
                out.writeUTF(command.equals("CHECK") && order % 29 == 0 ? "SETTLED" : "OK");
                out.flush();
            }
        } catch (Exception e) { /* connection closed by the pool */ }
    }

    enum Outcome { PAID, DECLINED }

    final LedgerPool pool;
    final LongAdder done = new LongAdder(), no = new LongAdder();
    final LongAdder nanos = new LongAdder(), waitNanos = new LongAdder();
    final Map<Long, Outcome> recent = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override protected boolean removeEldestEntry(Map.Entry<Long, Outcome> e) { return size() > 2000; }
    });

    RefundDesk(int port) throws IOException { pool = new LedgerPool(12, port); }

    Outcome refund(long order, int cents) throws IOException, InterruptedException {
        long t = System.nanoTime();
        LedgerConnection ledger = pool.borrow();
        waitNanos.add(System.nanoTime() - t);
        String state = ledger.call("CHECK", order);
        if (!state.equals("OK")) {
            if (FIXED) pool.giveBack(ledger);
            return Outcome.DECLINED;
        }
        try {
            ledger.call("REFUND " + cents, order);
            return Outcome.PAID;
        } finally {
            pool.giveBack(ledger);
        }
    }

    void client(int n) {
        Random r = new Random(n);
        while (true) {
            long order = 1_000_000 + r.nextInt(8_000_000), t = System.nanoTime();
            try {
                Outcome o = refund(order, 100 + r.nextInt(9000));
                recent.put(order, o);
                if (o == Outcome.DECLINED) no.increment();
                done.increment();
                nanos.add(System.nanoTime() - t);
            } catch (Exception e) { System.err.println("refund failed: " + e); }
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread accept = new Thread(() -> {
            for (int n = 0; ; n++) {
                try {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread(() -> ledger(s), "sim-ledger-" + n);
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) { return; }
            }
        }, "sim-ledger-accept");
        accept.setDaemon(true);
        accept.start();
        RefundDesk desk = new RefundDesk(server.getLocalPort());
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, x -> new Thread(x, "pool-reaper"));
        timer.scheduleWithFixedDelay(desk.pool::reapAbandoned, 200, 200, TimeUnit.MILLISECONDS);
        for (int c = 0; c < 12; c++) {
            int n = c;
            new Thread(() -> desk.client(n), "refund-" + c).start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        for (long d0 = desk.done.sum(), n0 = desk.nanos.sum(), w0 = desk.waitNanos.sum(); ; ) {
            Thread.sleep(1000);
            long d = desk.done.sum(), n = desk.nanos.sum(), w = desk.waitNanos.sum();
            System.out.printf(Locale.ROOT, "measured: %d refunds/s, mean %.1f ms, wait for a connection %.0f %%, "
                    + "declined so far %d, reclaimed so far %d%n", d - d0, (n - n0) / 1e6 / Math.max(1, d - d0),
                    100.0 * (w - w0) / Math.max(1, n - n0), desk.no.sum(), desk.pool.reclaimed.sum());
            d0 = d; n0 = n; w0 = w;
        }
    }
}
