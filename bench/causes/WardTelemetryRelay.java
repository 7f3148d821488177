// SPDX-License-Identifier: Apache-2.0
// cause: WardTelemetryRelay.Monitor.send writes each message as two small socket writes (header, then body) with Nagle's algorithm left on, and so waits for the peer's delayed ACK (about 40 ms) on every message.
// share: latency and throughput: 42 ms and 267 samples/s with the fault, 0.3 ms and 4,800 samples/s without it (94 % of the throughput lost).
// judge: right = the monitors' sockets lack TCP_NODELAY (or header and body should go out in one write): Nagle plus delayed ACK in WardTelemetryRelay$Monitor.send, ~40 ms idle per message with hardly any CPU; symptom only = "waiting in socket read" of Monitor.send or of the relay's readers; wrong = the evaluation pool, queue waits, CPU, GC, too few threads.
// expect: held-back
// symptom: waiting
// set: nineteenth
// jdk: 11
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class WardTelemetryRelay {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong confirmed = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static final class Sample {
        final int bed;
        final byte[] wave;
        final DataOutputStream reply;

        Sample(int bed, byte[] wave, DataOutputStream reply) {
            this.bed = bed;
            this.wave = wave;
            this.reply = reply;
        }
    }

    static final class Relay {
        final ServerSocket server;
        final ExecutorService evaluators = Executors.newFixedThreadPool(2, r -> daemon("evaluator", r));

        Relay() throws IOException {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            daemon("relay-accept", this::accept).start();
        }

        void accept() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    daemon("relay-reader-" + n, () -> receive(s)).start();
                }
            } catch (IOException e) {
                return;
            }
        }

        void receive(Socket s) {
            try {
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    int bed = in.readInt();
                    byte[] wave = new byte[in.readInt()];
                    in.readFully(wave);
                    Sample sample = new Sample(bed, wave, out);
                    evaluators.execute(() -> evaluate(sample));
                }
            } catch (IOException e) {
                return;
            }
        }

        void evaluate(Sample sample) {
            int peak = 0;
            for (int round = 0; round < 20; round++) {
                for (byte b : sample.wave) {
                    peak = Math.max(peak, Math.abs(b) + round);
                }
            }
            try {
                sample.reply.write(peak > 100 ? 1 : 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Monitor implements Runnable {
        final int bed;
        final Socket socket;

        Monitor(int bed, int port) throws IOException {
            this.bed = bed;
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            if (FIXED) {
                socket.setTcpNoDelay(true);
            }
        }

        int send(byte[] wave) throws IOException {
            byte[] header = {0, 0, 0, (byte) bed, 0, 0, (byte) (wave.length >> 8), (byte) wave.length};
            OutputStream out = socket.getOutputStream();
            out.write(header);
            out.write(wave);
            return socket.getInputStream().read();
        }

        public void run() {
            byte[] wave = new byte[240];
            try {
                for (int tick = 0; ; tick++) {
                    for (int i = 0; i < wave.length; i++) {
                        wave[i] = (byte) (Math.sin((tick + i) / 9.0) * 90);
                    }
                    long t0 = System.nanoTime();
                    send(wave);
                    nanos.addAndGet(System.nanoTime() - t0);
                    confirmed.incrementAndGet();
                    Thread.sleep(2);
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    static Thread daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }

    public static void main(String[] args) throws Exception {
        Relay relay = new Relay();
        for (int bed = 1; bed <= 12; bed++) {
            daemon("monitor-" + bed, new Monitor(bed, relay.server.getLocalPort())).start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = confirmed.get(), b = nanos.get();
            Thread.sleep(1000);
            long n = confirmed.get() - a;
            System.out.println("measured: " + n + " samples/s latency=" + (nanos.get() - b) / Math.max(1, n) / 1000 + "us");
        }
        System.exit(0);
    }
}
