// SPDX-License-Identifier: Apache-2.0
// healthy: delivery is paced by contract at 400 records/s; the stages before it wait for it, and are on plan
// share: 400 records/s of 400 agreed, 0.02-0.1 ms to the receipt, behind plan: 0
// judge: right: nothing is wrong; the rate is the contract's pace (Pacer) and is met; all else waits for it
// judge: symptom: reader and formatter block in put on full queues (back-pressure); delivery parks; CPU nearly idle
// judge: wrong: the full queues, the park in Pacer, the partner's socket, or the single delivery thread as bottleneck
// jdk: 11
// set: fourteenth
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

/** Nightly feed of the day's trades to a partner, who has agreed to take 400 records a second, all night long. */
public class HealthyNightFeed {
    static final int CONTRACT_RATE = 400;
    static final LongAdder delivered = new LongAdder();
    static final LongAdder replyNanos = new LongAdder();
    static volatile long planned;
    static volatile long sent;

    /** Keeps to the agreed rate; what was lost by a hiccup may be caught up. */
    static final class Pacer {
        private final long step = 1_000_000_000L / CONTRACT_RATE;
        private final long start = System.nanoTime();
        private long next = start;

        void await() {
            long left;
            while ((left = next - System.nanoTime()) > 0) LockSupport.parkNanos(this, left);
            next += step;
            planned = (System.nanoTime() - start) / step;
        }
    }

    static FileChannel trades() throws IOException {
        Path file = Files.createTempFile("trades", ".csv");
        Random r = new Random(8);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            lines.add(String.format("T%06d,%s,%d,%d.%02d,%s", i, r.nextBoolean() ? "BUY" : "SELL",
                    100 * (1 + r.nextInt(50)), 10 + r.nextInt(400), r.nextInt(100), "ISIN" + r.nextInt(1000)));
        }
        Files.write(file, lines);
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
    }

    static void read(FileChannel file, BlockingQueue<String> lines) {
        try {
            while (true) {
                file.position(0);
                BufferedReader in = new BufferedReader(Channels.newReader(file, "UTF-8"));
                for (String line; (line = in.readLine()) != null; ) lines.put(line);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("reader: " + e);
        }
    }

    static void format(BlockingQueue<String> lines, BlockingQueue<byte[]> records) {
        CRC32 crc = new CRC32();
        try {
            while (true) {
                String[] f = lines.take().split(",");
                String text = "{\"id\":\"" + f[0] + "\",\"side\":\"" + f[1] + "\",\"quantity\":" + f[2]
                        + ",\"price\":" + f[3] + ",\"isin\":\"" + f[4] + "\"}";
                byte[] body = text.getBytes(StandardCharsets.UTF_8);
                crc.reset();
                crc.update(body);
                records.put((text + "#" + Long.toHexString(crc.getValue())).getBytes(StandardCharsets.UTF_8));
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    static void deliver(BlockingQueue<byte[]> records, int port) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            DataInputStream in = new DataInputStream(s.getInputStream());
            Pacer pacer = new Pacer();
            while (true) {
                pacer.await();
                byte[] record = records.take();
                byte[] frame = new byte[record.length + 1];
                frame[0] = (byte) record.length;
                System.arraycopy(record, 0, frame, 1, record.length);
                long t0 = System.nanoTime();
                out.write(frame);
                in.readByte();
                replyNanos.add(System.nanoTime() - t0);
                delivered.increment();
                sent++;
            }
        } catch (IOException | InterruptedException e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    static void partner(ServerSocket server) {
        try (Socket s = server.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            byte[] buffer = new byte[256];
            while (true) {
                in.readFully(buffer, 0, in.readUnsignedByte());
                s.getOutputStream().write(1);
            }
        } catch (IOException e) {
            System.err.println("partner: " + e);
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        FileChannel file = trades();
        BlockingQueue<String> lines = new ArrayBlockingQueue<>(500);
        BlockingQueue<byte[]> records = new ArrayBlockingQueue<>(200);
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        start("partner", () -> partner(server));
        start("reader", () -> read(file, lines));
        start("formatter", () -> format(lines, records));
        start("delivery", () -> deliver(records, server.getLocalPort()));
        System.out.println("READY");
        while (true) {
            TimeUnit.SECONDS.sleep(1);
            long n = delivered.sumThenReset();
            System.out.printf("measured: %d records/s of %d agreed, %.3f ms to the receipt, behind plan: %d%n", n,
                    CONTRACT_RATE, replyNanos.sumThenReset() / 1e6 / Math.max(1, n), Math.max(0, planned - sent - 1));
        }
    }
}
