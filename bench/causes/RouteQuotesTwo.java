// SPDX-License-Identifier: Apache-2.0
// cause: virtual threads do socket I/O inside synchronized PartnerClient.ask, pinning both carriers (JDK 21)
// expect: unstarted-threads frame=RouteQuotesTwo$PartnerClient | waiting kind=pinned frame=RouteQuotesTwo$PartnerClient
// symptom: waiting
// share: 105 quotes/s, mean 150 ms; fixed: 860 quotes/s, mean 18.6 ms
// judge: right: RouteQuotesTwo$PartnerClient.ask: synchronized around blocking socket I/O pins the carrier threads
// judge: symptom: carriers (ForkJoinPool-1-worker) wait in socket read; virtual threads wait to be scheduled
// judge: wrong: contention on PartnerClient's monitor (each has its own); the partner is slow; too few partners; GC
// jdk: 21
// set: fourteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantLock;

public class RouteQuotesTwo {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    record Leg(String from, String to, int kg) {}
    record Quote(String partner, long cents, int days) {}

    /** One line to a haulier. Used by one request at a time, the lock keeps answers in step with questions. */
    static final class PartnerClient {
        final String name; final DataInputStream in; final DataOutputStream out;
        final ReentrantLock lock = new ReentrantLock();
        long asked;
        PartnerClient(String name, int port) throws IOException {
            this.name = name;
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            s.setSoTimeout(4000);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }
        Quote quote(Leg leg) throws IOException {
            if (!FIXED) return ask(leg);
            lock.lock();
            try { return talk(leg); } finally { lock.unlock(); }
        }
        synchronized Quote ask(Leg leg) throws IOException { return talk(leg); }
        private Quote talk(Leg leg) throws IOException {
            asked++;
            out.writeUTF(leg.from);
            out.writeUTF(leg.to);
            out.writeInt(leg.kg);
            out.flush();
            return new Quote(name, in.readLong(), in.readInt());
        }
    }

    static void haulier(Socket s) {
        try (s; DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()))) {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                String from = in.readUTF(), to = in.readUTF();
                int kg = in.readInt();
                Thread.sleep(9);
                out.writeLong(900 + 37L * kg + Math.abs((from + to).hashCode() % 5000));
                out.writeInt(1 + from.length() % 3);
                out.flush();
            }
        } catch (Exception e) { /* line closed */ }
    }

    final BlockingQueue<PartnerClient> north = new LinkedBlockingQueue<>(), south = new LinkedBlockingQueue<>();
    final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    final ConcurrentHashMap<String, Long> best = new ConcurrentHashMap<>();
    final LongAdder served = new LongAdder(), nanos = new LongAdder(), lineNanos = new LongAdder();

    Quote via(BlockingQueue<PartnerClient> lines, Leg leg) throws Exception {
        PartnerClient p = lines.take();
        long t = System.nanoTime();
        try { return p.quote(leg); } finally { lines.put(p); lineNanos.add(System.nanoTime() - t); }
    }

    String handle(String query) throws Exception {
        Map<String, String> q = new HashMap<>();
        for (String part : query.split("&")) {
            int is = part.indexOf('=');
            q.put(part.substring(0, is), part.substring(is + 1));
        }
        Leg leg = new Leg(q.get("from"), q.get("to"), Integer.parseInt(q.get("kg")));
        Quote a = via(north, leg), b = via(south, leg);
        Quote cheap = a.cents <= b.cents ? a : b;
        best.merge(leg.from + "-" + leg.to, cheap.cents, Math::min);
        return "{\"partner\":\"" + cheap.partner + "\",\"cents\":" + cheap.cents + ",\"days\":" + cheap.days + "}";
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("sim-haulier-accept").start(() -> {
            for (int n = 0; ; n++) {
                try {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread.ofPlatform().daemon().name("sim-haulier-" + n).start(() -> haulier(s));
                } catch (IOException e) { return; }
            }
        });
        RouteQuotesTwo service = new RouteQuotesTwo();
        for (int i = 0; i < 12; i++) {
            service.north.add(new PartnerClient("north-" + i, server.getLocalPort()));
            service.south.add(new PartnerClient("south-" + i, server.getLocalPort()));
        }
        String[] towns = {"Ulm", "Bremen", "Kassel", "Lyon", "Basel", "Ghent", "Turin", "Graz", "Brno", "Aarhus"};
        for (int c = 0; c < 16; c++) {
            Random r = new Random(c);
            Thread.ofPlatform().name("web-" + c).start(() -> {
                while (true) {
                    String to = towns[r.nextInt(10)];
                    String query = "from=" + towns[r.nextInt(10)] + "&to=" + to + "&kg=" + r.nextInt(800);
                    long t = System.nanoTime();
                    try {
                        service.requests.submit(() -> service.handle(query)).get(10, TimeUnit.SECONDS);
                        service.served.increment();
                        service.nanos.add(System.nanoTime() - t);
                    } catch (Exception e) { System.err.println("request: " + e); }
                }
            });
        }
        Thread.sleep(1200);
        System.out.println("READY");
        for (long s0 = service.served.sum(), n0 = service.nanos.sum(), l0 = service.lineNanos.sum(); ; ) {
            Thread.sleep(1000);
            long s = service.served.sum(), n = service.nanos.sum(), l = service.lineNanos.sum();
            System.out.printf(Locale.ROOT,
                    "measured: %d quotes/s, mean %.1f ms, of it on lines %.1f ms, %d relations%n",
                    s - s0,
                    (n - n0) / 1e6 / Math.max(1, s - s0), (l - l0) / 1e6 / Math.max(1, s - s0),
                    service.best.size());
            s0 = s; n0 = n; l0 = l;
        }
    }
}
