// SPDX-License-Identifier: Apache-2.0
// cause: MeterServer.reply writes a frame in two small pieces (Frame.head, then Frame.body) straight to a socket without TCP_NODELAY, so Nagle's algorithm keeps the second piece until the client has acknowledged the first one, which takes 40 ms.
// share: faulty about 260 readings/s (44 rounds/s); fixed about 9200 readings/s (1500 rounds/s), 35 times
// expect: held-back
// symptom: waiting pool-busy
// judge: NAMED: what the server writes in MeterServer.reply (two writes for one message) is held back by Nagle's algorithm and the delayed acknowledgement; a finding that names the read in MeterClient.read has to say that it is held back by Nagle or delayed acknowledgement. SYMPTOM ONLY: "collect" workers wait for data of a socket (server's answer) in MeterClient.read; threads wait for futures in Round.total; pool "collect" is busy; the server is slow. WRONG: pool too small, CPU, GC, checksum in Frame, locks.
// jdk: 8
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class DepotReadings {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    static class Frame {
        final int meter;
        final byte[] body;
        Frame(int meter, long seed) {
            this.meter = meter;
            body = new byte[180];
            new Random(seed).nextBytes(body);
        }
        byte[] head() {
            CRC32 crc = new CRC32();
            crc.update(body, 0, body.length);
            return ByteBuffer.allocate(16).putInt(meter).putInt(body.length).putLong(crc.getValue()).array();
        }
        byte[] body() {
            return body;
        }
    }

    static class MeterServer implements Runnable {
        final ServerSocket door;
        MeterServer() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }
        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    final Socket s = door.accept();
                    daemon(new Runnable() {
                        @Override public void run() {
                            serve(s);
                        }
                    }, "meter-" + n);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
        void serve(Socket s) {
            try {
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                if (REVISED) out = new BufferedOutputStream(out, 512);
                long k = 0;
                while (true) {
                    int meter = in.readInt();
                    Thread.sleep(1);
                    reply(out, new Frame(meter, ++k * 31 + meter));
                }
            } catch (EOFException e) {
                return;
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
        void reply(OutputStream out, Frame f) throws IOException {
            out.write(f.head());
            out.write(f.body());
            out.flush();
        }
    }

    static class MeterClient {
        final DataInputStream in;
        final OutputStream out;
        MeterClient(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = s.getOutputStream();
        }
        long read(int meter) throws IOException {
            out.write(ByteBuffer.allocate(4).putInt(meter).array());
            if (in.readInt() != meter) throw new IOException("meter " + meter);
            byte[] body = new byte[in.readInt()];
            long sum = in.readLong();
            in.readFully(body);
            CRC32 crc = new CRC32();
            crc.update(body, 0, body.length);
            if (crc.getValue() != sum) throw new IOException("damaged");
            long kwh = 0;
            for (byte b : body) kwh += b & 0xff;
            return kwh;
        }
    }

    static class Round {
        final ExecutorService collect;
        final BlockingQueue<MeterClient> lines = new LinkedBlockingQueue<MeterClient>();
        final LongAdder readings = new LongAdder();
        Round(ExecutorService collect, int port, int n) throws IOException {
            this.collect = collect;
            for (int i = 0; i < n; i++) lines.add(new MeterClient(port));
        }
        long one(int meter) throws Exception {
            MeterClient c = lines.take();
            try {
                return c.read(meter);
            } finally {
                lines.put(c);
                readings.increment();
            }
        }
        long total(int depot) throws Exception {
            List<Future<Long>> parts = new ArrayList<Future<Long>>();
            for (int m = 0; m < 6; m++) {
                final int meter = depot * 100 + m;
                parts.add(collect.submit(() -> one(meter)));
            }
            long kwh = 0;
            for (Future<Long> p : parts) kwh += p.get();
            return kwh;
        }
    }

    public static void main(String[] args) throws Exception {
        MeterServer server = new MeterServer();
        daemon(server, "meter-door");
        final AtomicInteger n = new AtomicInteger();
        ExecutorService collect = Executors.newFixedThreadPool(12, r -> {
            Thread t = new Thread(r, "collect-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        final Round round = new Round(collect, server.door.getLocalPort(), 12);
        final LongAdder rounds = new LongAdder();
        final AtomicLong kwh = new AtomicLong();
        for (int i = 0; i < 3; i++) {
            final int id = i;
            daemon(() -> {
                try {
                    for (int d = id; ; d = (d + 3) % 40) {
                        kwh.addAndGet(round.total(d));
                        rounds.increment();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "round-" + i);
        }
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            System.out.printf("measured: %d readings/s, %d rounds/s, %d kWh%n", round.readings.sumThenReset(), rounds.sumThenReset(), kwh.getAndSet(0));
        }
        System.exit(0);
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
