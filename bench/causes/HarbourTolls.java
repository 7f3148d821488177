// SPDX-License-Identifier: Apache-2.0
// cause: HarbourTolls.settle keeps one of the only four database sessions checked out while it waits about 25 ms for the remote customs service, so the session pool is exhausted and clerks queue for a session.
// share: throughput: about 135 tolls/s instead of about 805 (83 % lost); computed: of about 178 ms per toll (24 clerks) about 148 ms are waiting for a session
// judge: Right: the clerks wait for a session in SessionPool.borrow (ArrayBlockingQueue.take) because HarbourTolls.settle holds a borrowed Session during CustomsLink.clear (remote socket call) - give the session back before the call (naming the pool of 4 as too small for sessions held that long, with the remote call under the held session, is right as well). The wait in borrow alone, and the socket read in CustomsLink.clear alone, are symptoms. Wrong: CPU, GC, monitor contention, or 'the customs server takes too long' as the only cause.
// expect: waiting kind=pool holder=CustomsLink.clear
// symptom: waiting
// set: nineteenth
// jdk: 8
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class HarbourTolls {
    private static final boolean TWO_STEPS = Boolean.getBoolean("fixed");
    private static final int CLERKS = 24;
    private static final LongAdder settled = new LongAdder();

    static final class Session {
        private final double[] berthRates = new double[64];
        Session(int seed) {
            for (int i = 0; i < berthRates.length; i++) berthRates[i] = 10 + (seed * 31 + i * 7) % 50;
        }
        double readRate(int berth) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(2);
            return berthRates[berth & 63];
        }
        void storeToll(int vessel, double toll) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(2);
            berthRates[vessel & 63] += toll > 0 ? 0.0001 : 0;
        }
    }

    static final class SessionPool {
        private final BlockingQueue<Session> free;
        SessionPool(int size) {
            free = new ArrayBlockingQueue<>(size);
            for (int i = 0; i < size; i++) free.add(new Session(i));
        }
        Session borrow() throws InterruptedException { return free.take(); }
        void giveBack(Session s) { free.add(s); }
    }

    static final class CustomsLink implements Closeable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        CustomsLink(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }
        double clear(int vessel) throws IOException {
            out.writeInt(vessel);
            out.flush();
            return in.readDouble();
        }
        public void close() throws IOException { socket.close(); }
    }

    private static void customsDesk(Socket s) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
            s.setTcpNoDelay(true);
            while (true) {
                int vessel = in.readInt();
                Thread.sleep(25);
                out.writeDouble(1.0 + (vessel % 9) / 10.0);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void settle(SessionPool pool, CustomsLink customs, int vessel)
            throws InterruptedException, IOException {
        Session session = pool.borrow();
        try {
            double rate = session.readRate(vessel);
            if (TWO_STEPS) {
                pool.giveBack(session);
                session = null;
            }
            double factor = customs.clear(vessel);
            if (session == null) session = pool.borrow();
            session.storeToll(vessel, rate * factor);
        } finally {
            if (session != null) pool.giveBack(session);
        }
        settled.increment();
    }

    private static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket desk = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        daemon("customs-desk", () -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = desk.accept();
                    daemon("customs-" + n, () -> customsDesk(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        SessionPool pool = new SessionPool(4);
        for (int c = 0; c < CLERKS; c++) {
            final int first = c * 1000;
            daemon("clerk-" + c, () -> {
                try (CustomsLink customs = new CustomsLink(desk.getLocalPort())) {
                    for (int v = first; ; v++) settle(pool, customs, v & 0xffff);
                } catch (IOException | InterruptedException e) {
                    System.err.println(e);
                }
            });
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long before = settled.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = settled.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.1f tolls/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
