// SPDX-License-Identifier: Apache-2.0
// cause: CellarAppraisal.appraise joins each CompletableFuture inside the same lazy stream that submits it, so the 8 auction houses are asked one after the other although the quotes pool has 16 threads.
// share: about 84 % of the latency; mean 142 ms against 22 ms with -Dfixed=true, 14 against 88 appraisals/s (ratio about 6)
// judge: must say that the fan-out in CellarAppraisal.appraise runs serially (submit and join in one lazy stream pipeline; the pool is mostly idle and each request waits for one quote at a time). "Slow auction houses", "waiting in CompletableFuture.join" or "socket reads dominate" alone is only a symptom.
// expect: waiting tasks=.
// symptom: waiting
// set: twentieth
// jdk: 17
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

public class CellarAppraisal {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    record House(String name, int patienceMs) { }

    record Bottle(String estate, int vintage) { }

    static final List<House> HOUSES = List.of(new House("Baur", 14), new House("Lemaire", 18),
            new House("Oxley", 22), new House("Tanaka", 16), new House("Ferrer", 12),
            new House("Voss", 20), new House("Quinn", 15), new House("Amaral", 19));
    static final String[] ESTATES = {"Clos Blanc", "Monte Seco", "Hohenfels", "Valdora", "Rivagne"};

    final ExecutorService quotes = Executors.newFixedThreadPool(16, r -> daemon(r, "quotes"));
    final ThreadLocal<Socket[]> lines = ThreadLocal.withInitial(() -> new Socket[HOUSES.size()]);
    final LongAdder done = new LongAdder();
    final LongAdder micros = new LongAdder();
    final int port;

    CellarAppraisal(int port) {
        this.port = port;
    }

    int quote(int house, Bottle b) {
        try {
            Socket[] open = lines.get();
            if (open[house] == null) {
                open[house] = new Socket(InetAddress.getLoopbackAddress(), port);
                open[house].setTcpNoDelay(true);
            }
            DataOutputStream out = new DataOutputStream(open[house].getOutputStream());
            out.writeLong(((long) house << 32) | (b.estate().hashCode() ^ b.vintage()) & 0x7fffffff);
            return new DataInputStream(open[house].getInputStream()).readInt();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    CompletableFuture<Integer> request(int house, Bottle b) {
        return CompletableFuture.supplyAsync(() -> quote(house, b), quotes);
    }

    double appraise(Bottle b) {
        List<Integer> houses = List.of(0, 1, 2, 3, 4, 5, 6, 7);
        if (REVISED) {
            List<CompletableFuture<Integer>> pending = houses.stream()
                    .map(h -> request(h, b)).collect(Collectors.toList());
            return pending.stream().map(CompletableFuture::join).mapToInt(Integer::intValue).average().orElse(0);
        }
        return houses.stream()
                .map(h -> request(h, b))
                .map(CompletableFuture::join)
                .mapToInt(Integer::intValue).average().orElse(0);
    }

    void counter() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            Bottle b = new Bottle(ESTATES[r.nextInt(ESTATES.length)], 1961 + r.nextInt(55));
            long t = System.nanoTime();
            double value = appraise(b);
            micros.add((System.nanoTime() - t) / 1000);
            if (value > 0) {
                done.increment();
            }
        }
    }

    static void house(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                long q = in.readLong();
                Thread.sleep(HOUSES.get((int) (q >>> 32)).patienceMs());
                out.writeInt(40 + (int) (q & 0x3ff));
            }
        } catch (Exception e) {
            System.err.println("house closed: " + e);
        }
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        daemon(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    daemon(() -> house(s), "house").start();
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }, "houses").start();
        CellarAppraisal service = new CellarAppraisal(server.getLocalPort());
        for (int i = 0; i < 2; i++) {
            daemon(service::counter, "counter-" + i).start();
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = service.done.sum();
            long t = service.micros.sum();
            System.out.println("measured: " + (n - lastN) + " appraisals/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN) / 1000) + " ms");
            lastN = n;
            lastT = t;
        }
    }
}
