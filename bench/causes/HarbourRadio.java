// SPDX-License-Identifier: Apache-2.0
// healthy: A vessel radio gateway with one thread per connected vessel; 90 of 96 connections are silent nearly all the time, so a thread dump is full of threads in socketRead0, and six busy vessels exchange reports at an agreed pace with low latency. Nothing is wrong: the blocked reads are idle peers.
// share: none; mean latency about 0.2 to 1 ms at about 295 reports/s
// judge: Right is "no fault found" or only a remark marked as harmless. Wrong: any finding that threads are stuck, that the peer or network is slow, that read timeouts are missing as the cause of slowness, that there are too many threads or a thread leak, lock contention in Berths, or that throughput (set by the senders' pace) is limited by something.
// jdk: 8
// set: seventeenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class HarbourRadio {
    static final AtomicLong reports = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Berths berths = new Berths();
        daemon(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    daemon(new VesselSession(s, berths), "vessel-session");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, "radio-accept");
        for (int i = 0; i < 96; i++) {
            Socket s = new Socket(server.getInetAddress(), server.getLocalPort());
            s.setTcpNoDelay(true);
            daemon(new Vessel(i, s, i % 16 == 0 ? 20 : 30_000), "vessel-" + i);
        }
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = reports.get(), t = nanos.get();
            System.out.printf("measured: %d reports/s, mean latency %.2f ms%n", n - lastN, (t - lastT) / 1e6 / Math.max(1, n - lastN));
            lastN = n;
            lastT = t;
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(null, r, name, 256 * 1024);
        t.setDaemon(true);
        t.start();
    }
}

class Berths {
    private final ConcurrentHashMap<Integer, double[]> positions = new ConcurrentHashMap<>();
    String assign(int vessel, double lat, double lon) {
        positions.put(vessel, new double[] {lat, lon});
        int best = 0;
        double bestDistance = Double.MAX_VALUE;
        for (int b = 0; b < 400; b++) {
            double dy = lat - 53 - b * 0.001, dx = lon - 9 - (b % 20) * 0.002, d = dx * dx + dy * dy;
            if (d < bestDistance) {
                bestDistance = d;
                best = b;
            }
        }
        return "BERTH " + best;
    }
}

class VesselSession implements Runnable {
    private final Socket socket;
    private final Berths berths;
    VesselSession(Socket socket, Berths berths) {
        this.socket = socket;
        this.berths = berths;
    }
    public void run() {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
            while (true) {
                int vessel = in.readInt();
                out.writeUTF(berths.assign(vessel, in.readDouble(), in.readDouble()));
                out.flush();
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class Vessel implements Runnable {
    private final int id, pauseMs;
    private final Socket socket;
    private final Random random;
    Vessel(int id, Socket socket, int pauseMs) {
        this.id = id;
        this.socket = socket;
        this.pauseMs = pauseMs;
        this.random = new Random(id);
    }
    public void run() {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
             DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
            Thread.sleep(random.nextInt(pauseMs));
            while (true) {
                long t0 = System.nanoTime();
                out.writeInt(id);
                out.writeDouble(53 + random.nextDouble());
                out.writeDouble(9 + random.nextDouble());
                out.flush();
                if (in.readUTF().isEmpty()) throw new IOException("empty reply");
                HarbourRadio.nanos.addAndGet(System.nanoTime() - t0);
                HarbourRadio.reports.incrementAndGet();
                Thread.sleep(pauseMs);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
