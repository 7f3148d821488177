// SPDX-License-Identifier: Apache-2.0
// cause: CompoundingOrders$Bench.compound takes one of only two sessions of StockSessionPool first (acquire) and keeps it while it waits 36 ms for the scale, for which it needs none: ten benches wait for sessions that are held idle. There are too few for that, or they are held too long: the stock system itself needs one for 5 ms.
// share: 75 to 80 % of each bench's time (8 of 10 threads on average, about 165 of 205 ms for each order) is waiting for a session; 36 ms are at the scale (with the session held), 5 ms at the stock system; 0.05 CPUs used.
// expect: waiting kind=pool frame=CompoundingOrders$Bench.compound
// symptom: waiting
// judge: NAMED: waiting for an object of a pool at CompoundingOrders$Bench.compound or CompoundingOrders$StockSessionPool.acquire (also as waiting for a condition there, if it says that this is for sessions of the pool, or that too few are there or that they are held for long), with or without that the borrowers mostly wait for the scale (Bench.compound, Line.ask, Counterpart scale). SYMPTOM ONLY: only that benches wait for answers of the scale (Line.ask), or that threads scale-port-N or stock-port-N sleep (Counterpart.serve), without the pool; that the queue of orders is full (wards). WRONG: contention for the ReentrantLock itself, sessions that leak, CPU, the accept threads, collections, connecting.
// jdk: 17
// set: thirty-first

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A pharmacy that compounds ointments: each bench takes orders, records substances and weighs them. */
public class CompoundingOrders {
    static final int BENCHES = 10;

    record Order(long number, int substance, int milligrams) {
    }

    /** Something at the other end of a socket that answers each 16-byte question by 8 bytes, after a while. */
    static final class Counterpart {
        private final ServerSocket listener;
        private final String name;
        private final long millis;

        Counterpart(String name, long millis) throws IOException {
            this.name = name;
            this.millis = millis;
            this.listener = new ServerSocket(0, 64, InetAddress.getByName("127.0.0.1"));
            Thread t = new Thread(this::accept, name + "-listener");
            t.setDaemon(true);
            t.start();
        }

        int port() {
            return listener.getLocalPort();
        }

        private void accept() {
            int n = 0;
            while (true) {
                try {
                    Socket s = listener.accept();
                    Thread t = new Thread(() -> serve(s), name + "-port-" + ++n);
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) {
                    System.err.println(name + ": " + e);
                }
            }
        }

        private void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                byte[] question = new byte[16];
                while (true) {
                    in.readFully(question);
                    Thread.sleep(millis);
                    long answer = ByteBuffer.wrap(question).getLong(8) + 1;
                    s.getOutputStream().write(ByteBuffer.allocate(8).putLong(answer).array());
                }
            } catch (IOException e) {
                System.err.println(name + ": " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A connection to a counterpart. */
    static class Line {
        private final Socket socket;
        private final DataInputStream in;

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
        }

        long ask(long code, long value) throws IOException {
            socket.getOutputStream().write(ByteBuffer.allocate(16).putLong(code).putLong(value).array());
            return in.readLong();
        }
    }

    static final class StockSession extends Line {
        StockSession(int port) throws IOException {
            super(port);
        }

        long reserve(Order order) throws IOException {
            return ask(order.substance(), order.milligrams());
        }

        void book(long reservation, long weighed) throws IOException {
            ask(reservation, weighed);
        }
    }

    /** The sessions that the stock system's licence has. */
    static final class StockSessionPool {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition returned = lock.newCondition();
        private final ArrayDeque<StockSession> idle = new ArrayDeque<>();

        StockSessionPool(int port, int sessions) throws IOException {
            for (int i = 0; i < sessions; i++) {
                idle.add(new StockSession(port));
            }
        }

        StockSession acquire() throws InterruptedException {
            lock.lock();
            try {
                while (idle.isEmpty()) {
                    returned.await();
                }
                return idle.pop();
            } finally {
                lock.unlock();
            }
        }

        void release(StockSession session) {
            lock.lock();
            try {
                idle.push(session);
                returned.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Bench implements Runnable {
        private final StockSessionPool sessions;
        private final Line scale;
        private final BlockingQueue<Order> orders;
        private final CountDownLatch warm;
        static final LongAdder made = new LongAdder();
        static final LongAdder sessionNanos = new LongAdder();
        static final LongAdder stockNanos = new LongAdder();
        static final LongAdder scaleNanos = new LongAdder();

        Bench(StockSessionPool sessions, Line scale, BlockingQueue<Order> orders, CountDownLatch warm) {
            this.sessions = sessions;
            this.scale = scale;
            this.orders = orders;
            this.warm = warm;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    compound(orders.take());
                    warm.countDown();
                } catch (IOException e) {
                    System.err.println("bench: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        void compound(Order order) throws IOException, InterruptedException {
            long t0 = System.nanoTime();
            StockSession session = sessions.acquire();
            try {
                long t1 = System.nanoTime();
                long reservation = session.reserve(order);
                long t2 = System.nanoTime();
                long weighed = scale.ask(order.number(), order.milligrams());
                long t3 = System.nanoTime();
                session.book(reservation, weighed);
                sessionNanos.add(t1 - t0);
                scaleNanos.add(t3 - t2);
                stockNanos.add(t2 - t1 + System.nanoTime() - t3);
                made.increment();
            } finally {
                sessions.release(session);
            }
        }
    }

    /** Prescriptions come in from the wards, more than enough at this time of day. */
    static void wards(BlockingQueue<Order> orders) {
        try {
            for (long n = 1;; n++) {
                Order order = new Order(n, (int) (n * 7 % 93), (int) (200 + n * 13 % 900));
                while (!orders.offer(order)) {
                    Thread.sleep(20);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Counterpart stock = new Counterpart("stock", 2);
        Counterpart scales = new Counterpart("scale", 36);
        StockSessionPool sessions = new StockSessionPool(stock.port(), 2);
        BlockingQueue<Order> orders = new ArrayBlockingQueue<>(200);
        CountDownLatch warm = new CountDownLatch(60);
        new Thread(() -> wards(orders), "wards").start();
        for (int i = 1; i <= BENCHES; i++) {
            new Thread(new Bench(sessions, new Line(scales.port()), orders, warm), "bench-" + i).start();
        }
        warm.await();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, Bench.made.sumThenReset());
            double pool = Bench.sessionNanos.sumThenReset() / 1e6 / n;
            double scale = Bench.scaleNanos.sumThenReset() / 1e6 / n;
            double work = Bench.stockNanos.sumThenReset() / 1e6 / n;
            System.out.printf("measured: %d orders, each %.0f ms for a session, %.1f ms at the stock system, %.1f ms at the scale (%.0f %% for a session)%n",
                    n, pool, work, scale, 100 * pool / (pool + scale + work));
        }
    }
}
