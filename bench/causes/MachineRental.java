// SPDX-License-Identifier: Apache-2.0
// healthy: quotes for building machines; their data come from a store that needs 12 ms, but a cache has 99 % of what is asked for, loads each machine once for all who ask (outside of any lock) and again after a minute or two; quotes take about 1 ms, most of it computing
// share: see the measured lines: 99 to 100 % of lookups are hits, a few loads a second of 12 ms each, quotes take about 1 ms on average, 0.3 to 0.6 CPUs
// judge: RIGHT: nothing stands out, or neutral remarks: time goes to computing (MachineRental$Desk.quote, MachineRental$Terms.*), or a small part of it to waiting for the store's answers at MachineRental$Store.load. WRONG: any accusation: a cache that misses, the store, locks (MachineRental$Cache), pool or number of threads, GC, sleeping desks or backends, the machine.
// jdk: 8
// set: thirty-fifth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/** Quotes the rent of building machines. */
public class MachineRental {
    static final int MACHINES = 260;

    static final class Machine {
        final int number;
        final double price;
        final double[] season = new double[366];
        final long until;

        Machine(int number, double price, long until) {
            this.number = number;
            this.price = price;
            this.until = until;
            for (int day = 0; day < season.length; day++) {
                season[day] = 1 + 0.3 * Math.sin((day + number) / 58.0);
            }
        }
    }

    /** The archive of all machines, on an old computer. */
    static final class Archive implements Runnable {
        private final ServerSocket door;

        Archive(ServerSocket door) {
            this.door = door;
        }

        @Override public void run() {
            for (int line = 1;; line++) {
                try {
                    Socket caller = door.accept();
                    caller.setTcpNoDelay(true);
                    Thread clerk = new Thread(() -> serve(caller), "archive-" + line);
                    clerk.setDaemon(true);
                    clerk.start();
                } catch (IOException e) {
                    System.out.println("archive: " + e);
                }
            }
        }

        private void serve(Socket caller) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.US_ASCII));
                    OutputStream out = caller.getOutputStream()) {
                for (String question = in.readLine(); question != null; question = in.readLine()) {
                    Thread.sleep(12);
                    out.write((80 + Integer.parseInt(question) % 700 + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("archive: " + e);
            }
        }
    }

    /** The way to the archive, over a few lines that stay open. */
    static final class Store {
        private static final class Line {
            final OutputStream out;
            final BufferedReader in;

            Line(int port) throws IOException {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                out = socket.getOutputStream();
                in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            }
        }

        private final BlockingQueue<Line> free = new ArrayBlockingQueue<>(8);
        private final Random spread = new Random(2);

        Store(int port) throws IOException {
            for (int i = 0; i < 8; i++) {
                free.add(new Line(port));
            }
        }

        Machine load(int number) throws IOException, InterruptedException {
            Line line = free.take();
            try {
                line.out.write((number + "\n").getBytes(StandardCharsets.US_ASCII));
                String answer = line.in.readLine();
                if (answer == null) {
                    throw new IOException("the archive has hung up");
                }
                return new Machine(number, Double.parseDouble(answer), System.nanoTime() + 1_000_000_000L * (10 + spread.nextInt(150)));
            } finally {
                free.add(line);
            }
        }
    }

    /** Machines that have been asked for within the last minute or two. */
    static final class Cache {
        private final ConcurrentHashMap<Integer, FutureTask<Machine>> machines = new ConcurrentHashMap<>();
        private final Store store;
        final AtomicLong hits = new AtomicLong(), loads = new AtomicLong();

        Cache(Store store) {
            this.store = store;
        }

        Machine machine(int number) throws InterruptedException, ExecutionException {
            FutureTask<Machine> known = machines.get(number);
            if (known != null && !(known.isDone() && known.get().until < System.nanoTime())) {
                hits.incrementAndGet();
                return known.get();
            }
            FutureTask<Machine> load = new FutureTask<>(() -> store.load(number));
            FutureTask<Machine> other = known == null ? machines.putIfAbsent(number, load) : machines.replace(number, known, load) ? null : machines.get(number);
            if (other != null) {
                return other.get();
            }
            loads.incrementAndGet();
            load.run();
            try {
                return load.get();
            } catch (ExecutionException e) {
                machines.remove(number, load);
                throw e;
            }
        }
    }

    /** What a rent comes to. */
    static final class Terms {
        double rent(Machine machine, int first, int days) {
            double sum = 0;
            for (int day = first; day < first + days; day++) {
                sum += machine.price * machine.season[day % 366] * discount(day - first) * (day % 7 > 4 ? 0.6 : 1);
            }
            return sum;
        }

        double discount(int day) {
            return 0.55 + 0.45 * Math.exp(-day / 40.0);
        }

        double deposit(Machine machine, int days) {
            return Math.sqrt(machine.price * days) * 11 + Math.log1p(days) * 40;
        }
    }

    /** A desk that answers one customer after another. */
    static final class Desk implements Runnable {
        private final Cache cache;
        private final Terms terms = new Terms();
        private final Random random;
        final AtomicLong quotes = new AtomicLong(), nanos = new AtomicLong();
        volatile double best;

        Desk(Cache cache, int number) {
            this.cache = cache;
            this.random = new Random(number);
        }

        @Override public void run() {
            for (;;) {
                try {
                    long begin = System.nanoTime();
                    best = quote(random.nextInt(MACHINES), random.nextInt(366));
                    nanos.addAndGet(System.nanoTime() - begin);
                    quotes.incrementAndGet();
                    Thread.sleep(8 + random.nextInt(8));
                } catch (ExecutionException e) {
                    System.out.println("no quote: " + e.getCause());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private double quote(int number, int day) throws InterruptedException, ExecutionException {
            Machine machine = cache.machine(number);
            double cheapest = Double.MAX_VALUE;
            for (int shift = 0; shift < 28; shift++) {
                for (int days = 5; days <= 90; days += 5) {
                    double rent = terms.rent(machine, day + shift, days) + terms.deposit(machine, days) * 0.01;
                    cheapest = Math.min(cheapest, rent / days);
                }
            }
            return cheapest;
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread archive = new Thread(new Archive(door), "archive");
        archive.setDaemon(true);
        archive.start();
        Cache cache = new Cache(new Store(door.getLocalPort()));
        Desk[] desks = new Desk[6];
        for (int i = 0; i < desks.length; i++) {
            desks[i] = new Desk(cache, i);
            new Thread(desks[i], "desk-" + i).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long quotes = 0, nanos = 0, hits = cache.hits.getAndSet(0), loads = cache.loads.getAndSet(0);
            for (Desk desk : desks) {
                quotes += desk.quotes.getAndSet(0);
                nanos += desk.nanos.getAndSet(0);
            }
            sofar += hits > 40 * loads ? 1 : 0;
            if (!ready && second >= 6 && sofar >= 1) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d quotes, %.2f ms each; %.1f %% of lookups were hits, %d loads%n", quotes, nanos / 1e6 / Math.max(1, quotes),
                    100.0 * hits / Math.max(1, hits + loads), loads);
            System.out.flush();
        }
    }
}
