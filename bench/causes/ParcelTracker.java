// SPDX-License-Identifier: Apache-2.0
// cause: ParcelTracker.Route.locate holds a monitor (synchronized) around a blocking depot socket call on virtual threads, which on JDK 21 pins the carrier threads, so only as many depot calls as there are carriers (2) run at a time
// share: 125 tracked/s faulty, 1850 tracked/s fixed
// judge: Named = virtual threads pinned to their carriers by synchronized in Route.locate while they block on the socket (use ReentrantLock or move the call out of the monitor). Symptom only = "carriers / ForkJoinPool workers sit in socket read", "virtual threads wait for the connection pool", "low CPU", "scheduler starved". Wrong = monitor contention between threads (the 400 routes are hardly contended), slow depot, connection pool too small, GC.
// expect: waiting kind=carrier holder=pins
// symptom: waiting unstarted-threads
// jdk: 21
// set: sixteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class ParcelTracker {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder located = new LongAdder();
    static final LongAdder latencyMs = new LongAdder();

    static class DepotServer {
        final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        DepotServer() throws IOException {
            Thread.ofPlatform().daemon().name("depot-accept").start(() -> {
                while (true) {
                    try {
                        Socket s = server.accept();
                        Thread.ofPlatform().daemon().name("depot-line").start(() -> serve(s));
                    } catch (IOException e) { return; }
                }
            });
        }
        void serve(Socket s) {
            try {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    long parcel = in.readLong();
                    Thread.sleep(15);
                    out.writeLong(parcel * 7 % 5000);
                }
            } catch (IOException | InterruptedException e) { /* line closed */ }
        }
    }

    static class DepotLine {
        final DataInputStream in;
        final DataOutputStream out;
        DepotLine(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }
        long shelfOf(long parcel) throws IOException { out.writeLong(parcel); return in.readLong(); }
    }

    static class Route {
        final int id;
        final ReentrantLock lock = new ReentrantLock();
        final Map<Long, Long> lastSeen = new HashMap<>();
        Route(int id) { this.id = id; }

        long locate(DepotLine line, long parcel) throws IOException {
            if (FIXED) {
                lock.lock();
                try { return refresh(line, parcel); } finally { lock.unlock(); }
            }
            synchronized (this) {
                return refresh(line, parcel);
            }
        }
        private long refresh(DepotLine line, long parcel) throws IOException {
            long shelf = line.shelfOf(parcel);
            lastSeen.put(parcel % 64, shelf);
            return shelf;
        }
    }

    static class Tracking {
        final Route[] routes = new Route[400];
        final BlockingQueue<DepotLine> lines = new LinkedBlockingQueue<>();
        Tracking(int port) throws IOException {
            for (int i = 0; i < routes.length; i++) routes[i] = new Route(i);
            for (int i = 0; i < 30; i++) lines.add(new DepotLine(port));
        }
        String track(long parcel) throws Exception {
            DepotLine line = lines.take();
            try {
                long shelf = routes[(int) (parcel % routes.length)].locate(line, parcel);
                return "P" + parcel + "@" + shelf;
            } finally { lines.add(line); }
        }
    }

    static void customer(Tracking tracking, int no) {
        SplittableRandom rnd = new SplittableRandom(no);
        int letters = 0;
        while (true) {
            try {
                long t0 = System.nanoTime();
                letters += tracking.track(rnd.nextLong(1_000_000)).length();
                located.increment();
                latencyMs.add((System.nanoTime() - t0) / 1_000_000);
                Thread.sleep(40 + letters % 10);
            } catch (Exception e) { throw new RuntimeException(e); }
        }
    }

    public static void main(String[] args) throws Exception {
        Tracking tracking = new Tracking(new DepotServer().server.getLocalPort());
        ExecutorService customers = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("customer-", 0).factory());
        for (int i = 0; i < 150; i++) {
            int no = i;
            customers.submit(() -> customer(tracking, no));
        }
        for (int s = 0; s < 150; s++) {
            long d = located.sum(), l = latencyMs.sum();
            Thread.sleep(1000);
            long n = located.sum() - d;
            System.out.println("measured: tracked/s=" + n + " avgMs=" + (n == 0 ? -1 : (latencyMs.sum() - l) / n));
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
