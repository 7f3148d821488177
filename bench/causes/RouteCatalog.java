// SPDX-License-Identifier: Apache-2.0
// cause: the refresher reads the supplier's answer (~250 ms) while it holds the StampedLock's write lock
// expect: waiting holder=Catalog.refresh | waiting chain=Catalog.refresh | waiting frame=Catalog.refresh waiter=Catalog.find
// symptom: waiting endpoint-wait lock-contention
// share: readers wait for the lock ~60 % of the time
// judge: right: threads wait for the StampedLock in Catalog.find (readLock) because Catalog.refresh holds it while it
// judge: waits for the supplier (socket read), or at least contention of the StampedLock in Catalog with refresh named.
// judge: symptom: waiting for the StampedLock in find without who holds it; refresh waits for the socket.
// judge: wrong: CPU, GC, the supplier's thread, idle pool threads.
// jdk: 17
// set: thirteenth

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.StampedLock;

public class RouteCatalog {
    static final LongAdder searches = new LongAdder(), waiting = new LongAdder(), holding = new LongAdder();

    static class Catalog {
        private final StampedLock lock = new StampedLock();
        private final Map<String, List<String>> routes = new HashMap<>();
        private final int port;

        Catalog(int port) {
            this.port = port;
        }

        List<String> find(String from) {
            long asked = System.nanoTime();
            long stamp = lock.readLock();
            waiting.add(System.nanoTime() - asked);
            try {
                return new ArrayList<>(routes.getOrDefault(from, List.of()));
            } finally {
                lock.unlockRead(stamp);
            }
        }

        void refresh() {
            long stamp = lock.writeLock();
            long from = System.nanoTime();
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                    BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()))) {
                routes.clear();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    int dash = line.indexOf('-');
                    routes.computeIfAbsent(line.substring(0, dash), k -> new ArrayList<>()).add(line.substring(dash + 1));
                }
            } catch (IOException e) {
                System.err.println(e);
            } finally {
                holding.add(System.nanoTime() - from);
                lock.unlockWrite(stamp);
            }
        }
    }

    /** The supplier sends its timetable in pages. */
    static void supply(ServerSocket listener) {
        while (true) {
            try (Socket s = listener.accept(); PrintWriter out = new PrintWriter(s.getOutputStream(), false)) {
                for (int page = 0; page < 10; page++) {
                    Thread.sleep(25);
                    for (int i = 0; i < 40; i++) {
                        out.println("S" + (page * 40 + i) % 97 + "-S" + (i * 31 + page) % 97 + " " + page + ":" + i);
                    }
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    static void search(Catalog catalog) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                List<String> hops = catalog.find("S" + r.nextInt(97));
                int best = 0;
                for (String hop : hops) {
                    for (String next : catalog.find(hop.substring(0, hop.indexOf(' ')))) {
                        best = Math.max(best, next.compareTo(hop));
                    }
                }
                searches.increment();
                Thread.sleep(3);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        new Thread(() -> supply(listener), "supplier").start();
        Catalog catalog = new Catalog(listener.getLocalPort());
        catalog.refresh();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleWithFixedDelay(catalog::refresh, 100, 150, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 6; i++) {
            new Thread(() -> search(catalog), "search-" + i).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d searches/s, 6 readers wait %d ms/s, writer holds %d ms/s%n",
                    searches.sumThenReset(), waiting.sumThenReset() / 1_000_000, holding.sumThenReset() / 1_000_000);
        }
    }
}
