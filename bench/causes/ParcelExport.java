// SPDX-License-Identifier: Apache-2.0
// healthy: keeps to the carrier's contract of 500 parcels a second by sending a batch of 50 each 100 ms on an absolute schedule; it sleeps between batches and its source waits on a full, bounded queue, both by design
// judge: True and harmless: "mostly idle; exporter waits in parkNanos until the next batch", "source waits in ArrayBlockingQueue.put", "partner waits in socket read". Wrong: "the queue is full, the exporter is the bottleneck", "too few exporter threads", "sleeping in a loop / polling", "lock contention on the queue", any I/O or CPU finding that asks for a change.
// jdk: 25
// set: fifteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Hands parcels over to a carrier's intake, which accepts 500 a second and fines anyone who sends more. */
public final class ParcelExport {
    static final int BATCH = 50;
    static final long PERIOD = 100_000_000L;
    static final LongAdder sent = new LongAdder(), accepted = new LongAdder(), late = new LongAdder();

    record Parcel(long id, String sender, String postcode, int grams, int service) {
        void writeTo(Writer out) throws IOException {
            out.write(Long.toString(id));
            out.write('|');
            out.write(sender);
            out.write('|');
            out.write(postcode);
            out.write('|');
            out.write(Integer.toString(grams));
            out.write('|');
            out.write(Integer.toString(service));
            out.write('\n');
        }
    }

    /** Reads the day's parcels from the warehouse, as far ahead as the queue lets it. */
    static final class Source implements Runnable {
        final BlockingQueue<Parcel> queue;

        Source(BlockingQueue<Parcel> queue) { this.queue = queue; }

        @Override public void run() {
            SplittableRandom rnd = new SplittableRandom(5);
            try {
                for (long id = 1; ; id++) {
                    queue.put(new Parcel(id, "S" + rnd.nextInt(900), String.valueOf(10_000 + rnd.nextInt(89_999)), 100 + rnd.nextInt(30_000), rnd.nextInt(4)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Exporter implements Runnable {
        final BlockingQueue<Parcel> queue;
        final BufferedReader in;
        final Writer out;
        final List<Parcel> batch = new ArrayList<>(BATCH);

        Exporter(BlockingQueue<Parcel> queue, int port) throws IOException {
            this.queue = queue;
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
            out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream(), StandardCharsets.US_ASCII), 1 << 14);
        }

        void hand() throws IOException, InterruptedException {
            batch.clear();
            queue.drainTo(batch, BATCH);
            while (batch.size() < BATCH) batch.add(queue.take());
            out.write("BATCH ");
            out.write(Integer.toString(batch.size()));
            out.write('\n');
            for (Parcel p : batch) p.writeTo(out);
            out.flush();
            String answer = in.readLine();
            if (!("OK " + BATCH).equals(answer)) throw new IOException("carrier said " + answer);
            sent.add(BATCH);
        }

        void pace(long due) {
            for (long left; (left = due - System.nanoTime()) > 0; ) LockSupport.parkNanos(this, left);
            if (System.nanoTime() - due > PERIOD / 2) late.increment();
        }

        @Override public void run() {
            try {
                for (long due = System.nanoTime(); ; due += PERIOD) {
                    pace(due);
                    hand();
                    if (System.nanoTime() - due > 10 * PERIOD) due = System.nanoTime();   // never catch up in a burst
                }
            } catch (IOException | InterruptedException e) {
                System.err.println(e);
            }
        }
    }

    static void carrier(Socket s) {
        try (s; BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII))) {
            s.setTcpNoDelay(true);
            long grams = 0;
            for (String line; (line = in.readLine()) != null; ) {
                int n = Integer.parseInt(line, 6, line.length(), 10);
                for (int i = 0; i < n; i++) {
                    String p = in.readLine();
                    int end = p.lastIndexOf('|'), start = p.lastIndexOf('|', end - 1);
                    grams += Integer.parseInt(p, start + 1, end, 10);
                }
                accepted.add(n);
                s.getOutputStream().write(("OK " + n + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("carrier").start(() -> {
            try {
                carrier(server.accept());
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        BlockingQueue<Parcel> queue = new ArrayBlockingQueue<>(1000);
        Thread.ofPlatform().daemon().name("warehouse").start(new Source(queue));
        Thread.ofPlatform().daemon().name("exporter").start(new Exporter(queue, server.getLocalPort()));
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = sent.sum();
            System.out.printf("measured: %d parcels/s of 500 agreed, %d accepted, %d batches late%n", n - last, accepted.sum(), late.sum());
            last = n;
        }
    }
}
