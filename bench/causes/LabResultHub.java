// SPDX-License-Identifier: Apache-2.0
// cause: virtual threads are pinned: AnalyzerLink.fetch is synchronized and blocks in a socket read inside, so on JDK 21 each pending lab query holds one of the two carrier threads and only two queries are in flight at a time
// share: 2.0 of 48 possible queries in flight at any time (both carriers pinned 100% of the time); about 94 results/s, fixed about 2,350/s (25x)
// judge: names the cause: "virtual threads pinned to their carriers while blocking in AnalyzerLink.fetch (synchronized around I/O)". True, only symptoms: "waits for the network / for the analyzers", "throughput is limited by waiting", "CPU is idle". Wrong: "lock contention" (each link has its own monitor, hardly ever contended), "the analyzer simulator's sleep is the problem", "too many threads", any CPU or GC hot spot.
// expect: waiting kind=pinned frame=AnalyzerLink.exchange
// symptom: waiting
// jdk: 21
// set: fifteenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Hospital hub: gathers blood results of patients from the laboratory's analyzers and keeps the last values per patient. */
public final class LabResultHub {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int LINKS = 48;
    static final LongAdder QUERIES = new LongAdder();
    static final LongAdder QUERY_NANOS = new LongAdder();

    record Result(int patient, int analyte, double value, boolean critical) { }

    /** One connection to an analyzer; requests and replies on it must not be mixed, hence the mutual exclusion. */
    static final class AnalyzerLink {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private final ReentrantLock lock = new ReentrantLock();

        AnalyzerLink(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        Result query(int patient, int analyte) throws IOException {
            if (!FIXED) {
                return fetch(patient, analyte);
            }
            lock.lock();
            try {
                return exchange(patient, analyte);
            } finally {
                lock.unlock();
            }
        }

        synchronized Result fetch(int patient, int analyte) throws IOException {
            return exchange(patient, analyte);
        }

        private Result exchange(int patient, int analyte) throws IOException {
            out.writeLong(((long) patient << 32) | analyte);
            double value = in.readDouble();
            return new Result(patient, analyte, value, value > 95.0);
        }
    }

    /** Stands for the analyzers, which are other machines: answer after 20 ms, each connection for itself. */
    static final class AnalyzerSimulator {
        final ServerSocket server;

        AnalyzerSimulator() throws IOException {
            server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
            daemon("analyzer-accept", this::accept);
        }

        private void accept() {
            try {
                for (int n = 0;; n++) {
                    Socket s = server.accept();
                    daemon("analyzer-" + n, () -> answer(s));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void answer(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    long key = in.readLong();
                    Thread.sleep(20);
                    out.writeDouble((key * 0x9E3779B97F4A7C15L >>> 40) % 1000 / 10.0);
                }
            } catch (IOException | InterruptedException e) {
                // peer has gone
            }
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    private final ConcurrentHashMap<Integer, Result> latest = new ConcurrentHashMap<>();
    private final LongAdder critical = new LongAdder();

    /** One task per result; the next of the same ward follows when this one is done. */
    private void collect(ExecutorService wards, AnalyzerLink link, int ward, int round) {
        try {
            int patient = ward * 100 + round % 100;
            long t0 = System.nanoTime();
            Result r = link.query(patient, round % 12);
            QUERY_NANOS.add(System.nanoTime() - t0);
            QUERIES.increment();
            latest.merge(patient, r, (a, b) -> b.critical() || !a.critical() ? b : a);
            if (r.critical()) {
                critical.increment();
            }
            wards.execute(() -> collect(wards, link, ward, round + 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        AnalyzerSimulator lab = new AnalyzerSimulator();
        List<AnalyzerLink> links = new ArrayList<>();
        for (int i = 0; i < LINKS; i++) {
            links.add(new AnalyzerLink(lab.server.getLocalPort()));
        }
        LabResultHub hub = new LabResultHub();
        ExecutorService wards = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < LINKS; i++) {
            int ward = i;
            wards.execute(() -> hub.collect(wards, links.get(ward), ward, 0));
        }
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        while (true) {
            Thread.sleep(1000);
            long n = QUERIES.sum(), q = QUERY_NANOS.sum();
            System.out.printf("measured: %d results/s, queries in flight on average %.1f of %d, %d critical%n",
                    n - last, (q - lastNanos) / 1e9, LINKS, hub.critical.sum());
            last = n;
            lastNanos = q;
        }
    }
}
