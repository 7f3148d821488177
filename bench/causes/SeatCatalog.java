// SPDX-License-Identifier: Apache-2.0
// cause: SeatCatalog$Plans.plan is synchronized over the whole cache and asks the venue over the network (12 ms) while it holds the monitor, so a miss stops all other requests, hits too
// share: faulty: 750 requests/s, 94 % of a handler's time in plan (nearly all of it waiting for the monitor); fixed (fetch outside of the monitor): 6400 requests/s, 50 % (its own misses); 8.5x
// judge: Names the cause: "contention on the monitor of SeatCatalog$Plans taken at Plans.plan; its holder waits in a socket read (Venue.fetch)", "I/O under a lock in Plans.plan". Only symptom: "threads blocked / waiting in Plans.plan", "one thread waits in socket read below Venue.fetch", "CPU idle". Wrong: "the venue service is slow" (12 ms is its normal time, and the calls could overlap), "the connection pool is too small" (16 connections, at most one in use), "the cache is too small", "LinkedHashMap is hot".
// expect: waiting waiter=Plans.plan frame=Venue.fetch
// symptom: waiting
// jdk: 8
// set: fifteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Seat plans of events for the ticket shop: kept in memory, fetched from the venue when missing. */
public final class SeatCatalog {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int EVENTS = 5000, KEPT = 4500, HANDLERS = 16;
    static final LongAdder served = new LongAdder(), missed = new LongAdder(), inPlan = new LongAdder(), total = new LongAdder();

    static final class Plan {
        final int event;
        final long[] free;

        Plan(int event, long[] free) {
            this.event = event;
            this.free = free;
        }

        int freeSeats() {
            int n = 0;
            for (long w : free) n += Long.bitCount(w);
            return n;
        }
    }

    static final class Line {
        final DataInputStream in;
        final DataOutputStream out;

        Line(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }
    }

    /** The venue's service, with a line for each of the handlers. */
    static final class Venue {
        final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();

        Venue(int port) throws IOException {
            for (int i = 0; i < HANDLERS; i++) lines.add(new Line(port));
        }

        Plan fetch(int event) throws IOException, InterruptedException {
            Line line = lines.take();
            try {
                line.out.writeInt(event);
                line.out.flush();
                long[] free = new long[line.in.readInt()];
                for (int i = 0; i < free.length; i++) free[i] = line.in.readLong();
                return new Plan(event, free);
            } finally {
                lines.add(line);
            }
        }
    }

    static final class Plans {
        final Venue venue;
        private final LinkedHashMap<Integer, Plan> kept = new LinkedHashMap<Integer, Plan>(8192, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<Integer, Plan> eldest) { return size() > KEPT; }
        };

        Plans(Venue venue) {
            this.venue = venue;
            for (int i = 0; i < KEPT; i++) kept.put(i, new Plan(i, new long[]{-1L, i, ~i, 77L * i}));
        }

        synchronized Plan plan(int event) throws IOException, InterruptedException {
            Plan p = kept.get(event);
            if (p == null) {
                missed.increment();
                p = venue.fetch(event);
                kept.put(event, p);
            }
            return p;
        }

        Plan planApart(int event) throws IOException, InterruptedException {
            Plan p;
            synchronized (this) { p = kept.get(event); }
            if (p == null) {
                missed.increment();
                p = venue.fetch(event);
                synchronized (this) { kept.put(event, p); }
            }
            return p;
        }
    }

    static void venueSide(Socket s) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
            s.setTcpNoDelay(true);
            while (true) {
                int event = in.readInt();
                Thread.sleep(12);
                out.writeInt(4);
                for (int i = 0; i < 4; i++) out.writeLong(event * 0x9E3779B97F4A7C15L >>> i);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            // shop closed
        }
    }

    static void handler(int id, Plans plans) {
        SplittableRandom rnd = new SplittableRandom(id);
        long seats = 0;
        try {
            while (true) {
                long t0 = System.nanoTime();
                int event = rnd.nextInt(EVENTS);
                Plan p = FIXED ? plans.planApart(event) : plans.plan(event);
                long t1 = System.nanoTime();
                seats += p.freeSeats();
                Thread.sleep(1);                           // the shopper's connection
                inPlan.add(t1 - t0);
                total.add(System.nanoTime() - t0);
                served.increment();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e + " after " + seats);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("venue-accept", () -> {
            try {
                for (int i = 0; ; i++) {
                    Socket s = server.accept();
                    daemon("venue-" + i, () -> venueSide(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        Plans plans = new Plans(new Venue(server.getLocalPort()));
        for (int i = 0; i < HANDLERS; i++) {
            int id = i;
            daemon("shop-" + i, () -> handler(id, plans));
        }
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = served.sum();
            System.out.printf("measured: %d requests/s, %.0f %% of a handler's time in the plans, %.1f %% missed%n", n - last,
                    100.0 * inPlan.sum() / Math.max(1, total.sum()), 100.0 * missed.sum() / Math.max(1, n));
            last = n;
        }
    }
}
