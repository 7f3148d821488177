// SPDX-License-Identifier: Apache-2.0
// cause: SubstationTelemetry.poll sends each request as two small writes (header, then body) on a socket without TCP_NODELAY; Nagle's algorithm holds the second one back until the other side's delayed acknowledgement (about 40 ms), and the client waits for the reply that long.
// share: about 95 % of each poll's latency; fixed is about 20 times better (120 against 2500 polls/s, 46 ms against 2.4 ms)
// judge: Must say that the master threads wait in the socket read of SubstationTelemetry.poll for the reply (waiting for the remote side/network, not CPU or locks); full marks for Nagle/delayed acknowledgement (write-write-read, no TCP_NODELAY, about 40 ms each). "More CPU or threads" or blaming the idle station threads is wrong; sockets read by the station threads are only the counterpart.
// expect: held-back frame=SubstationTelemetry.poll
// symptom: waiting
// set: twentieth
// jdk: 8
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

public class SubstationTelemetry {
    static final AtomicLong polls = new AtomicLong();
    static final AtomicLong micros = new AtomicLong();
    static volatile double lastLoad;

    static final class Station implements Runnable {
        private final Socket line;

        Station(Socket line) {
            this.line = line;
        }

        @Override
        public void run() {
            byte[] header = new byte[6];
            byte[] body = new byte[24];
            try {
                line.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(line.getInputStream());
                OutputStream out = line.getOutputStream();
                double load = 40;
                while (true) {
                    in.readFully(header);
                    in.readFully(body);
                    Thread.sleep(2);
                    ByteBuffer reply = ByteBuffer.allocate(96);
                    for (int i = 0; i < 12; i++) {
                        load += Math.sin(i + load) * 0.1;
                        reply.putDouble(load);
                    }
                    out.write(reply.array());
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("station: " + e);
            }
        }
    }

    static double poll(OutputStream out, DataInputStream in, int unit, int sequence) throws IOException {
        byte[] header = ByteBuffer.allocate(6).putShort((short) unit).putInt(sequence).array();
        byte[] body = ByteBuffer.allocate(24).putLong(System.nanoTime()).putInt(12).array();
        out.write(header);
        out.write(body);
        double sum = 0;
        for (int i = 0; i < 12; i++) {
            sum += in.readDouble();
        }
        return sum / 12;
    }

    static void master(int port, int unit) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            if (Boolean.getBoolean("fixed")) {
                s.setTcpNoDelay(true);
            }
            OutputStream out = s.getOutputStream();
            DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(s.getInputStream()));
            for (int seq = 0; ; seq++) {
                long t = System.nanoTime();
                lastLoad = poll(out, in, unit, seq);
                micros.addAndGet((System.nanoTime() - t) / 1000);
                polls.incrementAndGet();
            }
        } catch (IOException e) {
            System.err.println("master: " + e);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("rtu-listener", () -> {
            try {
                for (int i = 0; ; i++) {
                    daemon("rtu-" + i, new Station(server.accept()));
                }
            } catch (IOException e) {
                System.err.println("listener: " + e);
            }
        });
        for (int i = 0; i < 6; i++) {
            final int unit = i;
            daemon("master-" + unit, () -> master(server.getLocalPort(), unit));
        }
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            long n = polls.getAndSet(0);
            long us = micros.getAndSet(0);
            System.out.println("measured: " + n + " polls/s, mean " + (n == 0 ? 0 : us / n) + " us");
        }
    }
}
