// SPDX-License-Identifier: Apache-2.0
// healthy: price service at a steady 600 requests/s, bounded cache with 95+ % hits, short young GCs, much idle CPU
// share: none; requests take well below a millisecond
// judge: right: nothing to change; at most: moderate allocation with short young collections
// judge: symptom: short-lived garbage of JSON answers; a synchronized LRU map without contention
// judge: wrong: GC pressure, cache too small, lock contention of the cache, socket waits of keep-alive connections
// jdk: 25
// set: fourteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class HealthyTickerApi {
    record Tick(String symbol, long micros, double bid, double ask) {}

    static final class Book {
        private final ConcurrentHashMap<String, Tick> last = new ConcurrentHashMap<>();
        private final Random r = new Random(8);
        final List<String> symbols = new ArrayList<>();
        Book() {
            for (int i = 0; i < 900; i++) symbols.add("S" + Integer.toString(10_000 + i * 7, 36).toUpperCase());
            for (String s : symbols) move(s);
        }
        void move(String s) {
            Tick t = last.get(s);
            double mid = (t == null ? 20 + r.nextInt(300) : (t.bid + t.ask) / 2) * (1 + r.nextGaussian() / 2000);
            last.put(s, new Tick(s, System.nanoTime() / 1000, mid * 0.9995, mid * 1.0005));
        }
        void moveSome() { for (int i = 0; i < 10; i++) move(symbols.get(r.nextInt(symbols.size()))); }
    }

    /** Candle charts of the last days, at most 700 of them. */
    static final class Charts {
        private final LinkedHashMap<String, double[]> lru = new LinkedHashMap<>(1000, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<String, double[]> e) { return size() > 700; }
        };
        final LongAdder hits = new LongAdder(), misses = new LongAdder();
        double[] of(String symbol) {
            synchronized (lru) {
                double[] d = lru.get(symbol);
                if (d != null) { hits.increment(); return d; }
            }
            misses.increment();
            double[] made = make(symbol);
            synchronized (lru) { lru.put(symbol, made); }
            return made;
        }
        private static double[] make(String symbol) {
            double[] d = new double[240];
            Random r = new Random(symbol.hashCode());
            d[0] = 100;
            for (int i = 1; i < d.length; i++) d[i] = d[i - 1] * (1 + r.nextGaussian() / 100);
            return d;
        }
    }

    final Book book = new Book();
    final Charts charts = new Charts();
    final LongAdder served = new LongAdder(), nanos = new LongAdder();

    String answer(String line) {
        String symbol = line.substring(line.indexOf('/') + 1, line.lastIndexOf(' '));
        Tick t = book.last.get(symbol);
        double[] chart = charts.of(symbol);
        StringBuilder b = new StringBuilder(4096);
        b.append("{\"symbol\":\"").append(symbol).append("\",\"bid\":").append(Math.round(t.bid * 100) / 100.0);
        b.append(",\"ask\":").append(Math.round(t.ask * 100) / 100.0).append(",\"chart\":[");
        for (int i = 0; i < chart.length; i += 2)
            b.append(i == 0 ? "" : ",").append(Math.round(chart[i] * 10) / 10.0);
        return b.append("]}").toString();
    }

    void serve(Socket s) {
        try (s; BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()))) {
            OutputStream out = new BufferedOutputStream(s.getOutputStream(), 8192);
            for (String line; (line = in.readLine()) != null; ) {
                out.write((answer(line) + "\n").getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
        } catch (IOException e) { System.err.println("client left: " + e); }
    }

    void client(int port, int n) {
        Random r = new Random(n);
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            OutputStream out = s.getOutputStream();
            long next = System.nanoTime();
            while (true) {
                String symbol = book.symbols.get(Math.min(899, (int) Math.abs(r.nextGaussian() * 300)));
                long t = System.nanoTime();
                out.write(("GET /" + symbol + " HTTP/1.0\n").getBytes(StandardCharsets.US_ASCII));
                in.readLine();
                nanos.add(System.nanoTime() - t);
                served.increment();
                next += 20_000_000;
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            }
        } catch (IOException | InterruptedException e) { System.err.println("client: " + e); }
    }

    public static void main(String[] args) throws Exception {
        HealthyTickerApi api = new HealthyTickerApi();
        for (int i = 600; i >= 0; i--) api.charts.of(api.book.symbols.get(i));
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ExecutorService http = Executors.newFixedThreadPool(16, Thread.ofPlatform().name("http-", 0).factory());
        Thread.ofPlatform().name("accept").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    http.execute(() -> api.serve(s));
                }
            } catch (IOException e) { System.err.println(e); }
        });
        for (int c = 0; c < 12; c++) {
            int n = c;
            Thread.ofPlatform().name("client-" + c).start(() -> api.client(server.getLocalPort(), n));
            Thread.sleep(3);
        }
        ScheduledExecutorService feed = Executors.newScheduledThreadPool(1, r -> new Thread(r, "feed"));
        feed.scheduleAtFixedRate(api.book::moveSome, 10, 10, TimeUnit.MILLISECONDS);
        Thread.sleep(2000);
        api.charts.misses.reset();
        System.out.println("READY");
        for (long s0 = api.served.sum(), n0 = api.nanos.sum(); ; ) {
            Thread.sleep(1000);
            long s = api.served.sum(), n = api.nanos.sum(), h = api.charts.hits.sumThenReset();
            long m = api.charts.misses.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d requests/s, mean %.3f ms, chart hits %.1f %%%n", s - s0,
                    (n - n0) / 1e6 / Math.max(1, s - s0), 100.0 * h / Math.max(1, h + m));
            s0 = s; n0 = n;
        }
    }
}
