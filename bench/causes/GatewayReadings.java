// SPDX-License-Identifier: Apache-2.0
// cause: GatewayReadings.main shares ONE scheduler thread (newScheduledThreadPool(1)) between the 5 ms batch flush (Batcher.flush) that every gateway waits for and TariffFeed.refresh, which blocks ~150 ms on a socket every 200 ms, so that flushes are delayed behind it
// share: 1180 readings/s faulty (worst 155 ms), 4450 readings/s fixed (worst 8-15 ms)
// judge: Named = the single scheduler thread (timekeeper) is occupied by the blocking TariffFeed.refresh, and the flush that completes the gateways' futures runs late because of it (give refresh its own thread / more scheduler threads / asynchronous). Symptom only = "gateways wait in CompletableFuture.get/join", "timekeeper waits in socket read in TariffFeed.refresh" without saying that it holds up the flushes. Wrong = lock contention on the batcher, slow disk, GC, too few gateways.
// expect: waiting worker=timekeeper | pool-busy pool=timekeeper | blocked-scheduler thread=timekeeper
// symptom: waiting
// jdk: 11
// set: sixteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class GatewayReadings {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder stored = new LongAdder();
    static final AtomicLong worstMs = new AtomicLong();

    static class Reading {
        final int meter; final double kwh;
        final CompletableFuture<Long> receipt = new CompletableFuture<>();
        Reading(int meter, double kwh) { this.meter = meter; this.kwh = kwh; }
    }

    static class Batcher {
        private final ConcurrentLinkedQueue<Reading> pending = new ConcurrentLinkedQueue<>();
        private final Map<Integer, Double> sums = new HashMap<>();
        private final CRC32 crc = new CRC32();
        private long sequence;

        CompletableFuture<Long> add(int meter, double kwh) {
            Reading r = new Reading(meter, kwh);
            pending.add(r);
            return r.receipt;
        }
        void flush() {
            List<Reading> batch = new ArrayList<>();
            for (Reading r; (r = pending.poll()) != null; ) batch.add(r);
            if (batch.isEmpty()) return;
            StringBuilder block = new StringBuilder();
            for (Reading r : batch) {
                sums.merge(r.meter, r.kwh, Double::sum);
                block.append(r.meter).append(';').append(r.kwh).append('\n');
            }
            crc.update(block.toString().getBytes());
            for (Reading r : batch) r.receipt.complete(++sequence);
        }
    }

    /** Grid operator's price service (outside of this company). */
    static class GridOperator {
        final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        GridOperator() throws IOException {
            Thread t = new Thread(() -> {
                try (Socket s = server.accept()) {
                    DataInputStream in = new DataInputStream(s.getInputStream());
                    DataOutputStream out = new DataOutputStream(s.getOutputStream());
                    while (true) {
                        int zone = in.readInt();
                        Thread.sleep(150);
                        out.writeDouble(0.21 + zone * 0.001);
                    }
                } catch (IOException | InterruptedException e) { /* end */ }
            }, "grid-operator");
            t.setDaemon(true);
            t.start();
        }
    }

    static class TariffFeed {
        final DataInputStream in; final DataOutputStream out;
        final double[] prices = new double[40];
        int zone;
        TariffFeed(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }
        void refresh() {
            try {
                zone = (zone + 1) % prices.length;
                out.writeInt(zone);
                prices[zone] = in.readDouble();
            } catch (IOException e) { throw new UncheckedIOException(e); }
        }
    }

    static void gateway(Batcher batcher, int no) {
        Random rnd = new Random(no);
        while (true) {
            long t0 = System.nanoTime();
            batcher.add(no * 100 + rnd.nextInt(100), rnd.nextDouble()).join();
            long ms = (System.nanoTime() - t0) / 1_000_000;
            worstMs.accumulateAndGet(ms, Math::max);
            stored.increment();
        }
    }

    static ThreadFactory named(String name) {
        return r -> { Thread t = new Thread(r, name); t.setDaemon(true); return t; };
    }

    public static void main(String[] args) throws Exception {
        Batcher batcher = new Batcher();
        TariffFeed tariffs = new TariffFeed(new GridOperator().server.getLocalPort());
        ScheduledExecutorService timekeeper = Executors.newScheduledThreadPool(1, named("timekeeper"));
        ScheduledExecutorService refresher = FIXED ? Executors.newScheduledThreadPool(1, named("tariffs")) : timekeeper;
        timekeeper.scheduleWithFixedDelay(batcher::flush, 5, 5, TimeUnit.MILLISECONDS);
        refresher.scheduleAtFixedRate(tariffs::refresh, 100, 200, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 24; i++) {
            int no = i;
            named("gateway-" + i).newThread(() -> gateway(batcher, no)).start();
        }
        for (int s = 0; s < 150; s++) {
            long d = stored.sum();
            Thread.sleep(1000);
            System.out.println("measured: readings/s=" + (stored.sum() - d) + " worstMs=" + worstMs.getAndSet(0));
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
