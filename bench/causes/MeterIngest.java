// SPDX-License-Identifier: Apache-2.0
// cause: Batcher lingers 10 ms for 100 rows, but only 24 concentrators with one row in flight each can ever come
// expect: waiting frame=MeterIngest$Batcher.collect
// symptom: waiting
// share: mean 10.2 ms (2140 readings/s) against 0.72 ms (13600/s) fixed; 9 of 10 ms are the linger
// judge: right: MeterIngest$Batcher.collect waits (timed poll) for a batch size never reached; linger is the latency
// judge: symptom: concentrators wait for the future in Batcher.submit; the queue is empty; threads idle
// judge: wrong: SeriesStore or its socket is slow, the batcher's single thread is saturated, lock contention, GC
// jdk: 25
// set: fourteenth
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Takes readings of power meters from the concentrators and writes them in batches to the store of series. */
public class MeterIngest {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder readings = new LongAdder();
    static final LongAdder replyNanos = new LongAdder();
    static final LongAdder batches = new LongAdder();
    static final LongAdder storeNanos = new LongAdder();

    record Reading(int meter, long time, double kwh) {}

    record Row(Reading reading, CompletableFuture<Long> written) {}

    /** The store, at the other end of a socket: keeps the last 16 readings of each meter. */
    static void seriesStore(ServerSocket server) {
        Map<Integer, double[]> series = new HashMap<>();
        try (Socket s = server.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            for (long sequence = 1; ; sequence++) {
                int n = in.readInt();
                for (int i = 0; i < n; i++) {
                    double[] last = series.computeIfAbsent(in.readInt(), k -> new double[16]);
                    last[(int) (in.readLong() & 15)] = in.readDouble();
                }
                TimeUnit.MICROSECONDS.sleep(300);
                out.writeLong(sequence);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("store: " + e);
        }
    }

    static final class Batcher implements Runnable {
        private final LinkedBlockingQueue<Row> queue = new LinkedBlockingQueue<>(2000);
        private final int maxRows;
        private final long lingerMillis;
        private final DataOutputStream out;
        private final DataInputStream in;

        Batcher(int maxRows, long lingerMillis, Socket store) throws IOException {
            this.maxRows = maxRows;
            this.lingerMillis = lingerMillis;
            store.setTcpNoDelay(true);
            out = new DataOutputStream(new BufferedOutputStream(store.getOutputStream(), 16384));
            in = new DataInputStream(store.getInputStream());
        }

        long submit(Reading r) throws Exception {
            Row row = new Row(r, new CompletableFuture<>());
            queue.put(row);
            return row.written().get(5, TimeUnit.SECONDS);
        }

        private List<Row> collect() throws InterruptedException {
            List<Row> batch = new ArrayList<>(maxRows);
            batch.add(queue.take());
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lingerMillis);
            while (batch.size() < maxRows) {
                queue.drainTo(batch, maxRows - batch.size());
                long left = deadline - System.nanoTime();
                if (left <= 0 || batch.size() >= maxRows) break;
                Row next = queue.poll(left, TimeUnit.NANOSECONDS);
                if (next == null) break;
                batch.add(next);
            }
            return batch;
        }

        private long write(List<Row> batch) throws IOException {
            out.writeInt(batch.size());
            for (Row row : batch) {
                out.writeInt(row.reading().meter());
                out.writeLong(row.reading().time());
                out.writeDouble(row.reading().kwh());
            }
            out.flush();
            return in.readLong();
        }

        @Override public void run() {
            try {
                while (true) {
                    List<Row> batch = collect();
                    long t0 = System.nanoTime();
                    long sequence = write(batch);
                    storeNanos.add(System.nanoTime() - t0);
                    batches.increment();
                    for (Row row : batch) row.written().complete(sequence);
                }
            } catch (IOException | InterruptedException e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    static void concentrator(Batcher batcher, int number) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        double[] kwh = new double[400];
        try {
            while (true) {
                int m = r.nextInt(kwh.length);
                kwh[m] += r.nextDouble() * 0.02;
                long t0 = System.nanoTime();
                batcher.submit(new Reading(number * 1000 + m, System.currentTimeMillis(), kwh[m]));
                replyNanos.add(System.nanoTime() - t0);
                readings.increment();
                TimeUnit.MILLISECONDS.sleep(r.nextInt(3));
            }
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("series-store").start(() -> seriesStore(server));
        Socket link = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
        Batcher batcher = new Batcher(100, FIXED ? 0 : 10, link);
        Thread.ofPlatform().daemon().name("batcher").start(batcher);
        for (int i = 0; i < 24; i++) {
            int number = i;
            Thread.ofPlatform().daemon().name("concentrator-" + i).start(() -> concentrator(batcher, number));
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = readings.sumThenReset();
            long b = Math.max(1, batches.sumThenReset());
            System.out.printf("measured: %d readings/s, mean %.2f ms, %.1f rows a batch, %.2f ms to store it%n", n,
                    replyNanos.sumThenReset() / 1e6 / Math.max(1, n), (double) n / b,
                    storeNanos.sumThenReset() / 1e6 / b);
        }
    }
}
