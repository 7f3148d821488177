// SPDX-License-Identifier: Apache-2.0
// cause: LabResults$GatewayLink.fetch reads an answer until the connection ends, though its header says how long it is: the gateway keeps the connection open for a next question and closes it after 300 ms without one, so each fetch waits for data of its socket for 300 ms after its answer has come
// share: a fetch takes 303 ms, its last byte comes after 1 to 2.3 ms: 99 % of the wait is for the end of the connection; 8 threads wait so for more than 95 % of their time; 0.06 CPUs
// expect: waiting frame=LabResults$GatewayLink
// symptom: waiting
// judge: NAMED: waiting for data of a socket / for a server's answer (socket-read) at LabResults$GatewayLink.fetch (or LabResults$GatewayLink.drain, which it calls to read), from 127.0.0.1, which may be named as this process. SYMPTOM ONLY: threads validator-N wait (for a socket) without that place; only that few results come; the gateway's own threads (LabResults$Gateway.serve waits for a socket) as the place. WRONG: anything else as the first fault (Nagle / held-back writes, the accept backlog, the sleep, CPU, locks, too many threads or connections), or that nothing stands out.
// jdk: 8
// set: thirty-first
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class LabResults {
    static final LongAdder fetched = new LongAdder(), fetchNanos = new LongAdder(), answerNanos = new LongAdder(), flagged = new LongAdder(), failed = new LongAdder();

    /** The analysers' side: answers "which results has sample n" as often as asked on one connection. */
    static final class Gateway implements Runnable {
        private static final int IDLE_MS = 300;
        private final ServerSocket server;
        private final AtomicInteger numbers = new AtomicInteger();
        private final ExecutorService sessions = Executors.newCachedThreadPool(r -> new Thread(r, "analyser-session-" + numbers.incrementAndGet()));
        Gateway() throws IOException { server = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1")); }
        int port() { return server.getLocalPort(); }

        private byte[] results(int sample) {
            Random random = new Random(sample);
            ByteBuffer b = ByteBuffer.allocate(4 + 240 * 8);
            b.putInt(240 * 8);
            for (int i = 0; i < 240; i++) b.putDouble(4 + 1.3 * random.nextGaussian());
            return b.array();
        }

        private void serve(Socket socket) {
            try (Socket s = socket) {
                s.setTcpNoDelay(true);
                s.setSoTimeout(IDLE_MS);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                for (;;) {
                    int sample = in.readInt();
                    s.getOutputStream().write(results(sample));
                }
            } catch (SocketTimeoutException e) {
                return;
            } catch (IOException e) {
                return;
            }
        }

        public void run() {
            for (;;) {
                try {
                    Socket s = server.accept();
                    sessions.execute(() -> serve(s));
                } catch (IOException e) {
                    failed.increment();
                }
            }
        }
    }

    static final class GatewayLink {
        private final InetSocketAddress address;
        private long lastData;
        GatewayLink(int port) { address = new InetSocketAddress("127.0.0.1", port); }

        double[] fetch(int sample) throws IOException {
            long begin = System.nanoTime();
            try (Socket s = new Socket()) {
                s.setTcpNoDelay(true);
                s.setSoTimeout(20000);
                s.connect(address, 20000);
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                out.writeInt(sample);
                out.flush();
                ByteBuffer answer = ByteBuffer.wrap(drain(s.getInputStream()));
                int length = answer.getInt();
                double[] values = new double[length / 8];
                for (int i = 0; i < values.length; i++) values[i] = answer.getDouble();
                answerNanos.add(lastData - begin);
                fetchNanos.add(System.nanoTime() - begin);
                fetched.increment();
                return values;
            }
        }

        private byte[] drain(InputStream in) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
            byte[] buffer = new byte[2048];
            for (int n; (n = in.read(buffer)) >= 0;) {
                bytes.write(buffer, 0, n);
                lastData = System.nanoTime();
            }
            return bytes.toByteArray();
        }
    }

    /** Compares a sample's curve with reference curves, and flags what is out of range. */
    static final class Validator implements Runnable {
        private final GatewayLink link;
        private final AtomicInteger samples;
        private final double[][] reference = new double[60][240];
        Validator(GatewayLink link, AtomicInteger samples) {
            this.link = link;
            this.samples = samples;
            for (int i = 0; i < reference.length; i++) for (int k = 0; k < 240; k++) reference[i][k] = 4 + Math.sin(i + k / 17.0);
        }
        boolean plausible(double[] values) {
            double best = Double.MAX_VALUE;
            for (int shift = -12; shift <= 12; shift++)
                for (double[] r : reference) {
                    double d = 0;
                    for (int i = 0; i < values.length; i++) {
                        int k = i + shift;
                        if (k >= 0 && k < r.length) d += Math.abs(values[i] - r[k]);
                    }
                    best = Math.min(best, d);
                }
            return best < 260;
        }
        public void run() {
            for (;;) {
                try {
                    if (!plausible(link.fetch(samples.incrementAndGet()))) flagged.increment();
                } catch (IOException e) {
                    failed.increment();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Gateway gateway = new Gateway();
        Thread g = new Thread(gateway, "analyser-gateway");
        g.start();
        AtomicInteger samples = new AtomicInteger();
        for (int i = 0; i < 8; i++) new Thread(new Validator(new GatewayLink(gateway.port()), samples), "validator-" + i).start();
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long f = fetched.sum(), n = fetchNanos.sum(), a = answerNanos.sum();
            Thread.sleep(1000);
            long df = Math.max(1, fetched.sum() - f);
            double all = (fetchNanos.sum() - n) / 1e6 / df, answer = (answerNanos.sum() - a) / 1e6 / df;
            System.out.printf("measured: %d results, %.1f ms each, whose last byte came after %.1f ms; %d failed%n", df, all, answer, failed.sum());
            System.out.flush();
        }
    }
}
