// SPDX-License-Identifier: Apache-2.0
// cause: FerryBookings.DeskPool.create builds a ThreadPoolExecutor with core 2, maximum 16 and an unbounded LinkedBlockingQueue, so the pool never grows beyond 2 threads, and requests queue behind 2 workers that block 20 ms each on the carrier socket
// share: 98 offers/s faulty (avg 180 ms in the queue), 790 offers/s fixed (2 ms)
// judge: Named = the request executor (threads desk-N) has only 2 threads although its maximum is 16, because the queue is unbounded / the core size is too small, so requests wait in the queue (pool sizing; DeskPool.create). Symptom only = "workers wait on carrier socket read", "clients wait in Future.get", "low CPU". Wrong = the carrier being slow as the cause to fix, lock contention, GC, Nagle.
// expect: pool-busy pool=desk
// symptom: waiting
// jdk: 25
// set: sixteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FerryBookings {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder done = new LongAdder();
    static final LongAdder waitedMicros = new LongAdder();

    /** The partner's end: answers every availability question after about 20 ms. */
    static class CarrierEndpoint implements Runnable {
        final ServerSocket server;
        CarrierEndpoint() throws IOException { server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress()); }
        public void run() {
            while (true) {
                try {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread(() -> answer(s), "carrier-endpoint");
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) { return; }
            }
        }
        void answer(Socket s) {
            try (DataInputStream in = new DataInputStream(s.getInputStream()); DataOutputStream out = new DataOutputStream(s.getOutputStream())) {
                while (true) {
                    int sailing = in.readInt();
                    Thread.sleep(20);
                    out.writeInt(40 + sailing % 60);
                }
            } catch (IOException | InterruptedException e) { /* closed */ }
        }
    }

    static class CarrierClient {
        final DataInputStream in;
        final DataOutputStream out;
        CarrierClient(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }
        int freePlaces(int sailing) throws IOException { out.writeInt(sailing); return in.readInt(); }
    }

    static class DeskPool {
        static ExecutorService create(int core, int max) {
            AtomicInteger n = new AtomicInteger();
            ThreadFactory f = r -> { Thread t = new Thread(r, "desk-" + n.incrementAndGet()); t.setDaemon(true); return t; };
            return new ThreadPoolExecutor(core, max, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), f);
        }
    }

    record Offer(int sailing, int places, long cents) {}

    static class BookingDesk {
        final ExecutorService pool = FIXED ? DeskPool.create(16, 16) : DeskPool.create(2, 16);
        final ThreadLocal<CarrierClient> carrier;
        final Map<Integer, Long> tariff = new ConcurrentHashMap<>();
        BookingDesk(int port) {
            for (int i = 0; i < 500; i++) tariff.put(i, 2500L + i * 13L);
            carrier = ThreadLocal.withInitial(() -> {
                try { return new CarrierClient(port); } catch (IOException e) { throw new UncheckedIOException(e); }
            });
        }
        Future<Offer> request(int sailing, int persons) {
            long t0 = System.nanoTime();
            return pool.submit(() -> {
                waitedMicros.add((System.nanoTime() - t0) / 1000);
                int places = carrier.get().freePlaces(sailing);
                return price(sailing, places, persons);
            });
        }
        Offer price(int sailing, int places, int persons) {
            long cents = tariff.get(sailing % 500) * persons;
            if (places < 50) cents += cents / 10;
            return new Offer(sailing, places, cents);
        }
    }

    static void agency(BookingDesk desk, int no) {
        Random rnd = new Random(no);
        long total = 0;
        while (true) {
            try {
                Offer o = desk.request(rnd.nextInt(4000), 1 + rnd.nextInt(5)).get();
                total += o.cents();
                done.increment();
                Thread.sleep(2);
            } catch (Exception e) { throw new RuntimeException("agency " + no + " total " + total, e); }
        }
    }

    public static void main(String[] args) throws Exception {
        CarrierEndpoint carrier = new CarrierEndpoint();
        Thread ct = new Thread(carrier, "carrier-accept");
        ct.setDaemon(true);
        ct.start();
        BookingDesk desk = new BookingDesk(carrier.server.getLocalPort());
        for (int i = 0; i < 20; i++) {
            int no = i;
            Thread t = new Thread(() -> agency(desk, no), "agency-" + i);
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            long d = done.sum(), w = waitedMicros.sum();
            Thread.sleep(1000);
            long n = done.sum() - d;
            System.out.println("measured: offers/s=" + n + " avgQueueMs=" + (n == 0 ? 0 : (waitedMicros.sum() - w) / n / 1000));
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
