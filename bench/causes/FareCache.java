// SPDX-License-Identifier: Apache-2.0
// cause: FareCache.renew takes the write lock of the fare table before it fetches the new fares from the remote tariff host (about 50 ms) and holds it during the fetch, so all quoting readers are blocked most of the time.
// share: throughput: about 40,000 quotes/s instead of about 180,000 to 370,000 (at least 78 % lost); computed: the write lock is held 50 of every 56 ms
// judge: Right: quote threads wait for the read lock in FareCache.fare (ReentrantReadWriteLock) because FareCache.renew (thread tariff-renewal) holds the write lock across TariffHost.fetch (socket read); remedy: fetch outside, take the write lock only to store. Waiting readers alone are the symptom; the socket read in fetch is only the length of the hold. Wrong: too many readers, contention among readers, CPU, GC, pool size.
// expect: waiting frame=TariffHost.fetch via=read_lock
// symptom: waiting
// set: nineteenth
// jdk: 25
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class FareCache {
    private static final boolean AHEAD = Boolean.getBoolean("fixed");
    private static final LongAdder quotes = new LongAdder();
    private static final int CARRIERS = 20;
    private static final int ROUTES = 60;

    private final ReentrantReadWriteLock access = new ReentrantReadWriteLock();
    private final Map<Integer, int[]> fares = new HashMap<>();

    static final class TariffHost {
        private final DataInputStream in;
        private final DataOutputStream out;

        TariffHost(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        int[] fetch(int carrier) throws IOException {
            out.writeInt(carrier);
            out.flush();
            int[] list = new int[in.readInt()];
            for (int i = 0; i < list.length; i++) list[i] = in.readInt();
            return list;
        }
    }

    void renew(TariffHost host, int carrier) throws IOException {
        int[] list = AHEAD ? host.fetch(carrier) : null;
        access.writeLock().lock();
        try {
            if (list == null) list = host.fetch(carrier);
            fares.put(carrier, list);
        } finally {
            access.writeLock().unlock();
        }
    }

    int fare(int carrier, int route) {
        access.readLock().lock();
        try {
            int[] list = fares.get(carrier);
            return list == null ? -1 : list[route % list.length];
        } finally {
            access.readLock().unlock();
        }
    }

    private static void desk(FareCache cache, int number) {
        SplittableRandom r = new SplittableRandom(number);
        long check = 0;
        while (true) {
            int carrier = r.nextInt(CARRIERS);
            int route = r.nextInt(ROUTES);
            double price = cache.fare(carrier, route);
            for (int day = 1; day <= 365; day++) price += Math.sin(day * 0.0172 + route) * 0.05;
            check += Math.round(price);
            quotes.increment();
            if (check == Long.MIN_VALUE) return;
        }
    }

    private static void tariffs(ServerSocket server) {
        try (Socket s = server.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            Random r = new Random(3);
            while (true) {
                int carrier = in.readInt();
                Thread.sleep(50);
                out.writeInt(ROUTES);
                for (int i = 0; i < ROUTES; i++) out.writeInt(carrier * 10 + r.nextInt(9000));
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("tariffs: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("tariff-host").start(() -> tariffs(server));
        FareCache cache = new FareCache();
        TariffHost host = new TariffHost(server.getLocalPort());
        Thread.ofPlatform().daemon().name("tariff-renewal").start(() -> {
            try {
                for (int c = 0; ; c = (c + 1) % CARRIERS) {
                    cache.renew(host, c);
                    Thread.sleep(6);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("renewal: " + e);
            }
        });
        for (int n = 0; n < 4; n++) {
            int number = n;
            Thread.ofPlatform().daemon().name("desk-" + n).start(() -> desk(cache, number));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        long before = quotes.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = quotes.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f quotes/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
