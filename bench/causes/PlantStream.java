// SPDX-License-Identifier: Apache-2.0
// cause: partition() takes device % 8, but device numbers go by steps of 8: one worker of eight gets everything
// expect: waiting busiest=partition
// symptom: waiting pool-busy saturated-thread
// share: 844 messages/s, 243 ms against 6130 messages/s, 86 ms fixed
// judge: right: PlantStream.partition skews: all devices land on partition 0; seven workers have nothing to do
// judge: symptom: receivers block in put on a full queue; worker-0 waits for the historian's socket all the time
// judge: wrong: the historian is slow, or the idle workers' waits, or too few threads, or the queue is too small
// jdk: 17
// set: fourteenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Stream of the plants' sensor values: kept in order by device, smoothed, written to the historian. */
public class PlantStream {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int WORKERS = 8;
    static final LongAdder messages = new LongAdder();
    static final LongAdder ageNanos = new LongAdder();
    static final LongAdder alarms = new LongAdder();

    static final class Message {
        final int device;
        final byte[] payload;
        final long received = System.nanoTime();

        Message(int device, byte[] payload) {
            this.device = device;
            this.payload = payload;
        }
    }

    static int partition(int device) {
        int h = Integer.hashCode(device);
        if (FIXED) h = (h * 0x9E3779B9) >>> 16;
        return Math.floorMod(h, WORKERS);
    }

    /** The historian: commits one value at a time on each connection. */
    static void historian(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            byte[] record = new byte[20];
            while (true) {
                in.readFully(record);
                TimeUnit.MICROSECONDS.sleep(700);
                out.writeByte(1);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("historian: " + e);
        }
    }

    static final class Worker extends Thread {
        final BlockingQueue<Message> queue = new ArrayBlockingQueue<>(200);
        private final Map<Integer, double[]> state = new HashMap<>();
        private final Socket socket;

        Worker(int n, int port) throws IOException {
            super("partition-" + n);
            setDaemon(true);
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
        }

        private double smooth(int device, ByteBuffer values) {
            double[] s = state.computeIfAbsent(device, d -> new double[2]);
            while (values.hasRemaining()) {
                double v = values.getShort() / 100.0;
                s[0] += 0.1 * (v - s[0]);
                s[1] += 0.1 * (Math.abs(v - s[0]) - s[1]);
                if (Math.abs(v - s[0]) > 6 * s[1] + 1) alarms.increment();
            }
            return s[0];
        }

        @Override public void run() {
            try {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                while (true) {
                    Message m = queue.take();
                    double value = smooth(m.device, ByteBuffer.wrap(m.payload));
                    byte[] record = ByteBuffer.allocate(20).putInt(m.device).putLong(System.currentTimeMillis())
                            .putDouble(value).array();
                    socket.getOutputStream().write(record);
                    in.readByte();
                    ageNanos.add(System.nanoTime() - m.received);
                    messages.increment();
                }
            } catch (IOException | InterruptedException e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    static void receive(Worker[] workers, int line) {
        Random r = new Random(line);
        try {
            while (true) {
                int plant = 1 + r.nextInt(5);
                int device = plant * 4096 + line * 512 + r.nextInt(24) * 8;
                ByteBuffer payload = ByteBuffer.allocate(240);
                while (payload.hasRemaining()) payload.putShort((short) (2000 + r.nextGaussian() * 80));
                workers[partition(device)].queue.put(new Message(device, payload.array()));
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Worker[] workers = new Worker[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Worker(i, server.getLocalPort());
            Socket s = server.accept();
            Thread t = new Thread(() -> historian(s), "historian-" + i);
            t.setDaemon(true);
            t.start();
            workers[i].start();
        }
        for (int i = 0; i < 3; i++) {
            int line = i;
            Thread t = new Thread(() -> receive(workers, line), "receiver-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (true) {
            TimeUnit.SECONDS.sleep(1);
            long n = messages.sumThenReset();
            System.out.printf("measured: %d messages/s, mean %.1f ms from receipt to historian, %d alarms%n", n,
                    ageNanos.sumThenReset() / 1e6 / Math.max(1, n), alarms.sumThenReset());
        }
    }
}
