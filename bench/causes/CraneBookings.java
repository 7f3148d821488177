// SPDX-License-Identifier: Apache-2.0
// cause: BookingDesk.place takes a session by SessionPool.borrow and does not give it back when the terminal refuses the slot (the RefusedException leaves the method before SessionPool.giveBack), so the sessions stay lost until Warden takes them back after 1.5 s, and all clients wait for the few that are left.
// share: faulty about 370 orders/s, mean latency 26 to 55 ms; fixed about 1930 orders/s, 6.2 ms (5.2 times)
// expect: waiting kind=pool peak=.
// symptom: waiting
// judge: NAMED: sessions of SessionPool that BookingDesk.place borrows are not given back on the path of the refusal (some objects of the pool get lost). SYMPTOM ONLY: threads wait for a session of the pool in SessionPool.borrow; the pool has too few sessions. WRONG: the terminal server is slow (5 ms by design), more sessions needed as the cause, CPU, GC, exceptions cost too much CPU, Warden holds the lock for long.
// jdk: 11
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class CraneBookings {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    static class Terminal implements Runnable {
        final ServerSocket door;
        Terminal() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }
        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = door.accept();
                    daemon(() -> serve(s), "terminal-" + n);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
        void serve(Socket s) {
            Random r = new Random(s.getPort());
            try {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                while (in.readLine() != null) {
                    Thread.sleep(4 + r.nextInt(3));
                    out.write((r.nextInt(100) < 1 ? "FULL\n" : "SLOT " + r.nextInt(96) + "\n").getBytes());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class RefusedException extends Exception {
        RefusedException(String order) {
            super("refused: " + order);
        }
    }

    static class Session {
        final BufferedReader in;
        final OutputStream out;
        volatile long lentAt;
        Session(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            out = s.getOutputStream();
        }
        String ask(String order) throws IOException {
            out.write((order + "\n").getBytes());
            return in.readLine();
        }
    }

    static class SessionPool {
        private final Deque<Session> free = new ArrayDeque<>();
        private final Set<Session> lent = new HashSet<>();
        SessionPool(int size, int port) throws IOException {
            for (int i = 0; i < size; i++) free.add(new Session(port));
        }
        synchronized Session borrow() throws InterruptedException {
            while (free.isEmpty()) wait();
            Session s = free.pollFirst();
            s.lentAt = System.nanoTime();
            lent.add(s);
            return s;
        }
        synchronized void giveBack(Session s) {
            if (lent.remove(s)) {
                free.addLast(s);
                notify();
            }
        }
        synchronized List<Session> lentFor(long nanos) {
            List<Session> out = new ArrayList<>();
            for (Session s : lent) if (System.nanoTime() - s.lentAt > nanos) out.add(s);
            return out;
        }
    }

    static class Warden implements Runnable {
        final SessionPool pool;
        Warden(SessionPool pool) {
            this.pool = pool;
        }
        @Override public void run() {
            try {
                while (true) {
                    Thread.sleep(200);
                    for (Session s : pool.lentFor(1_500_000_000L)) pool.giveBack(s);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static class BookingDesk {
        final SessionPool pool;
        final AtomicLong refused = new AtomicLong();
        BookingDesk(SessionPool pool) {
            this.pool = pool;
        }
        int place(String order) throws Exception {
            Session s = pool.borrow();
            int slot;
            try {
                slot = slotOf(order, s.ask(order));
            } catch (RefusedException e) {
                if (REVISED) pool.giveBack(s);
                throw e;
            }
            pool.giveBack(s);
            return slot;
        }
        private int slotOf(String order, String reply) throws RefusedException {
            if (!reply.startsWith("SLOT ")) throw new RefusedException(order);
            return Integer.parseInt(reply.substring(5));
        }
    }

    public static void main(String[] args) throws Exception {
        Terminal terminal = new Terminal();
        daemon(terminal, "terminal-door");
        SessionPool pool = new SessionPool(10, terminal.door.getLocalPort());
        daemon(new Warden(pool), "warden");
        BookingDesk desk = new BookingDesk(pool);
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        int[][] load = new int[12][96];
        for (int i = 0; i < 12; i++) {
            int id = i;
            daemon(() -> {
                Random r = new Random(id);
                for (long k = 0; ; k++) {
                    long t = System.nanoTime();
                    try {
                        load[id][desk.place("crane " + r.nextInt(14) + " box " + id + '-' + k)]++;
                    } catch (RefusedException e) {
                        desk.refused.incrementAndGet();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                }
            }, "orders-" + i);
        }
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d orders/s, mean latency %.2f ms, refused so far %d%n", d, d == 0 ? 0 : t / 1e6 / d, desk.refused.get());
        }
        System.exit(0);
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
