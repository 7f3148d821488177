// SPDX-License-Identifier: Apache-2.0
// healthy: tariffs are served from a ConcurrentHashMap and renewed in the background by two threads before they expire, so no request waits for the tariff service (25 ms); the desks work at the rate of arriving requests and wait for work in between
// judge: True and harmless: "mostly idle; desks wait in LinkedBlockingQueue.take", "refresh threads wait in socket read below TariffService.load or in the scheduler's queue", "CPU goes to Desk.premium". Wrong: "slow remote calls block requests", "the desks' pool is too small/large", "refresh pool undersized", "cache misses/expiry storm", "lock contention", "hot method premium is to be optimised".
// jdk: 11
// set: fifteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Premiums for travel insurance; tariffs come from head office and hold for four seconds (in the test setting). */
public final class TariffCache {
    static final int REGIONS = 120, DESKS = 6, PER_SECOND = 1200;
    static final long TTL = 4_000_000_000L, AHEAD = 1_500_000_000L;
    static final LongAdder quoted = new LongAdder(), nanos = new LongAdder(), renewed = new LongAdder(), direct = new LongAdder();

    static final class Tariff {
        final int region;
        final double[] base;
        final long expires = System.nanoTime() + TTL;

        Tariff(int region, double[] base) {
            this.region = region;
            this.base = base;
        }
    }

    /** Head office: one line for each of the callers. */
    static final class TariffService {
        final DataInputStream in;
        final DataOutputStream out;

        TariffService(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        Tariff load(int region) throws IOException {
            out.writeInt(region);
            out.flush();
            double[] base = new double[in.readInt()];
            for (int i = 0; i < base.length; i++) base[i] = in.readDouble();
            return new Tariff(region, base);
        }
    }

    static final class Tariffs {
        final ConcurrentHashMap<Integer, Tariff> held = new ConcurrentHashMap<>();
        final BlockingQueue<TariffService> lines = new LinkedBlockingQueue<>();
        final ScheduledThreadPoolExecutor renewal = new ScheduledThreadPoolExecutor(2, r -> {
            Thread t = new Thread(r, "renewal");
            t.setDaemon(true);
            return t;
        });

        Tariffs(int port) throws IOException, InterruptedException {
            for (int i = 0; i < 4; i++) lines.add(new TariffService(port));
            for (int r = 0; r < REGIONS; r++) {
                int region = r;
                held.put(r, load(region));
                long period = (TTL - AHEAD) / 1000;
                renewal.scheduleAtFixedRate(() -> renew(region), period * (r + 1) / REGIONS, period, TimeUnit.MICROSECONDS);
            }
        }

        private Tariff load(int region) throws IOException, InterruptedException {
            TariffService line = lines.take();
            try {
                return line.load(region);
            } finally {
                lines.add(line);
            }
        }

        private void renew(int region) {
            try {
                held.put(region, load(region));
                renewed.increment();
            } catch (IOException | InterruptedException e) {
                System.err.println("kept the old tariff of " + region + ": " + e);
            }
        }

        Tariff of(int region) throws IOException, InterruptedException {
            Tariff t = held.get(region);
            if (t.expires - System.nanoTime() > 0) return t;
            direct.increment();                          // only when head office was away
            t = load(region);
            held.put(region, t);
            return t;
        }
    }

    static final class Trip {
        final int region, days;
        final int[] ages;
        final long arrived = System.nanoTime();

        Trip(int region, int days, int[] ages) {
            this.region = region;
            this.days = days;
            this.ages = ages;
        }
    }

    static double premium(Tariff t, Trip trip) {
        double sum = 0;
        for (int age : trip.ages) {
            double risk = t.base[Math.min(age, t.base.length - 1)];
            for (int d = 1; d <= trip.days; d++) sum += risk / Math.sqrt(d);
        }
        return sum;
    }

    static void desk(BlockingQueue<Trip> trips, Tariffs tariffs) {
        try {
            while (true) {
                Trip trip = trips.take();
                if (premium(tariffs.of(trip.region), trip) <= 0) throw new IllegalStateException();
                nanos.add(System.nanoTime() - trip.arrived);
                quoted.increment();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e);
        }
    }

    static void headOffice(Socket s) {
        try (DataInputStream in = new DataInputStream(s.getInputStream());
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
            s.setTcpNoDelay(true);
            while (true) {
                int region = in.readInt();
                Thread.sleep(25);
                out.writeInt(100);
                for (int i = 0; i < 100; i++) out.writeDouble(1.5 + region % 9 + i * i / 900.0);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
        daemon("head-office", () -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    daemon("head-office-line", () -> headOffice(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        Tariffs tariffs = new Tariffs(server.getLocalPort());
        BlockingQueue<Trip> trips = new LinkedBlockingQueue<>(10_000);
        for (int i = 0; i < DESKS; i++) daemon("desk-" + i, () -> desk(trips, tariffs));
        SplittableRandom rnd = new SplittableRandom(3);
        ScheduledThreadPoolExecutor arrivals = new ScheduledThreadPoolExecutor(1);
        arrivals.scheduleAtFixedRate(() -> {
            for (int i = 0; i < PER_SECOND / 100; i++) {
                trips.offer(new Trip(rnd.nextInt(REGIONS), 1 + rnd.nextInt(60), rnd.ints(1 + rnd.nextInt(6), 0, 100).toArray()));
            }
        }, 0, 10, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = quoted.sum();
            System.out.printf("measured: %d quotes/s of %d arriving, %.2f ms each, %d renewals, %d loads by requests%n", n - last, PER_SECOND,
                    nanos.sum() / 1e6 / Math.max(1, n), renewed.sum(), direct.sum());
            last = n;
        }
    }
}
