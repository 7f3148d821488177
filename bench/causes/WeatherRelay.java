// SPDX-License-Identifier: Apache-2.0
// healthy: requests in about 20 threads wait most of their time for permits of a Semaphore, as if there were too few or some were not given back; the permits are the quota of the provider (40 calls a second by contract, it refuses what goes beyond that), refilled by a timer, so more permits would only lead to refusals, and the backfill that waits for them has all day.
// share: measures calls per second (40, all the contract allows), refusals (0) and the mean time of a call itself (about 3 ms)
// judge: WRONG: too few permits, permits get lost or are not given back, the thread "quota" (timer) is a bottleneck to be removed, pool of threads too small, the provider is slow, more threads. ACCEPTABLE: a neutral remark that threads wait for permits in Quota.take that "quota"/Quota.refill gives, as a limit of rate; the process did next to nothing; nothing stands out.
// jdk: 21
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class WeatherRelay {
    static final int CALLS_A_SECOND = 40;

    static class Provider implements Runnable {
        final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Deque<Long> lately = new ArrayDeque<>();
        Provider() throws IOException { }
        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = door.accept();
                    start(() -> serve(s), "provider-" + n);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
        private synchronized boolean within() {
            long now = System.nanoTime();
            while (!lately.isEmpty() && now - lately.peekFirst() > 1_000_000_000L) lately.removeFirst();
            if (lately.size() >= CALLS_A_SECOND + 8) return false;
            lately.addLast(now);
            return true;
        }
        private void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                for (String line; (line = in.readLine()) != null; ) {
                    Thread.sleep(2);
                    int place = Integer.parseInt(line.substring(4));
                    out.write((within() ? "200 " + (place * 37 % 45 - 10) + " " + (980 + place % 60) + "\n" : "429\n").getBytes());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class Quota {
        private final Semaphore permits = new Semaphore(0, true);
        void take() throws InterruptedException {
            permits.acquire();
        }
        void refill() {
            if (permits.availablePermits() < 2) permits.release();
        }
    }

    record Report(int degrees, int hectopascal) { }

    static class ProviderLine {
        private final BufferedReader in;
        private final OutputStream out;
        ProviderLine(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            out = s.getOutputStream();
        }
        Report ask(int place) throws IOException {
            out.write(("GET " + place + "\n").getBytes());
            String[] f = in.readLine().split(" ");
            if (!f[0].equals("200")) return null;
            return new Report(Integer.parseInt(f[1]), Integer.parseInt(f[2]));
        }
    }

    static class Archive {
        private final Map<Integer, Report> reports = new ConcurrentHashMap<>();
        private final AtomicInteger next = new AtomicInteger();
        int place() {
            return next.getAndIncrement() % 20_000;
        }
        void keep(int place, Report r) {
            reports.put(place, r);
        }
        int size() {
            return reports.size();
        }
    }

    static class Backfill implements Runnable {
        private final Quota quota;
        private final ProviderLine line;
        private final Archive archive;
        private final Totals totals;
        Backfill(Quota quota, ProviderLine line, Archive archive, Totals totals) {
            this.quota = quota;
            this.line = line;
            this.archive = archive;
            this.totals = totals;
        }
        @Override public void run() {
            try {
                while (true) {
                    int place = archive.place();
                    quota.take();
                    long t = System.nanoTime();
                    Report r = line.ask(place);
                    totals.nanos.add(System.nanoTime() - t);
                    totals.calls.increment();
                    if (r == null) totals.refused.increment();
                    else archive.keep(place, r);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class Totals {
        final LongAdder calls = new LongAdder(), nanos = new LongAdder(), refused = new LongAdder();
    }

    public static void main(String[] args) throws Exception {
        Provider provider = new Provider();
        start(provider, "provider-door");
        Quota quota = new Quota();
        Archive archive = new Archive();
        Totals totals = new Totals();
        for (int i = 0; i < 18; i++) start(new Backfill(quota, new ProviderLine(provider.door.getLocalPort()), archive, totals), "backfill-" + i);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "quota");
            t.setDaemon(true);
            return t;
        });
        timer.scheduleAtFixedRate(quota::refill, 0, 1_000_000 / CALLS_A_SECOND, TimeUnit.MICROSECONDS);
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long n = totals.calls.sumThenReset(), t = totals.nanos.sumThenReset();
            System.out.printf("measured: %d calls/s, %.2f ms each, %d refused so far, %d places%n", n, n == 0 ? 0 : t / 1e6 / n, totals.refused.sum(), archive.size());
        }
        System.exit(0);
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
