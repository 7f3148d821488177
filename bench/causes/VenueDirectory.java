// SPDX-License-Identifier: Apache-2.0
// cause: VenueDirectory$Availability.of asks the registry (12 ms over a socket) within ConcurrentHashMap.computeIfAbsent on a map that is nearly empty and so has 16 bins; each bin is locked while the function runs, so that lookups of other keys in the same bin, and their removal, wait for it.
// share: faulty 707 answers/s at 22.6 ms each; fixed 1,272 answers/s at 12.6 ms each
// expect: waiting frame=RegistryLink.ask via=monitor
// symptom: waiting
// judge: NAMED: monitors of bins of the ConcurrentHashMap, held in VenueDirectory$Availability.of while computeIfAbsent runs RegistryLink.ask, which waits for the socket. SYMPTOM ONLY: threads wait for a monitor in Availability.of; waiting for the registry's answers at RegistryLink.ask. WRONG: the registry's threads being too few; hash collisions of SlotKey as the cause; the pool of desks; many threads asking for the same key; Tally's lock.
// jdk: 21
// set: twenty-sixth
// jvm:

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

public class VenueDirectory {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int DESKS = 16;
    static final AtomicLong answers = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    record SlotKey(String venue, int day) {
    }

    record Slots(int free, int waiting) {
    }

    /** The city's registry of venues, a service of its own. */
    static final class Registry implements Runnable {
        private final ServerSocket server;

        Registry(ServerSocket server) {
            this.server = server;
        }

        private void serve(Socket socket) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                    PrintWriter out = new PrintWriter(socket.getOutputStream())) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Thread.sleep(12);
                    out.println(Math.floorMod(line.hashCode(), 40) + " " + line.length());
                    out.flush();
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }

        @Override
        public void run() {
            try {
                for (int i = 0; ; i++) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    start(() -> serve(socket), "registry-" + i);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static final class RegistryLink {
        private final BufferedReader in;
        private final PrintWriter out;

        RegistryLink(int port) throws Exception {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            out = new PrintWriter(socket.getOutputStream());
        }

        Slots ask(SlotKey key) {
            try {
                out.println(key.venue() + "/" + key.day());
                out.flush();
                String[] fields = in.readLine().split(" ");
                return new Slots(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Asks once for those who want to know the same at the same time. */
    static final class Availability {
        private final ConcurrentHashMap<SlotKey, Slots> current = new ConcurrentHashMap<>();
        private final ConcurrentHashMap<SlotKey, CompletableFuture<Slots>> asked = new ConcurrentHashMap<>();

        Slots of(SlotKey key, RegistryLink link) {
            Slots slots = current.computeIfAbsent(key, link::ask);
            current.remove(key, slots);
            return slots;
        }

        Slots from(SlotKey key, RegistryLink link) {
            CompletableFuture<Slots> mine = new CompletableFuture<>();
            CompletableFuture<Slots> other = asked.putIfAbsent(key, mine);
            if (other != null) {
                return other.join();
            }
            mine.complete(link.ask(key));
            asked.remove(key, mine);
            return mine.join();
        }
    }

    static final class Tally {
        private final long[] byDay = new long[60];

        synchronized void add(SlotKey key, Slots slots) {
            byDay[key.day()] += slots.free();
        }
    }

    static final class Desk implements Runnable {
        private final Availability availability;
        private final Tally tally;
        private final RegistryLink link;
        private final Random random;

        Desk(Availability availability, Tally tally, int port, int number) throws Exception {
            this.availability = availability;
            this.tally = tally;
            this.link = new RegistryLink(port);
            this.random = new Random(number);
        }

        private String offer(SlotKey key) {
            Slots slots = FIXED ? availability.from(key, link) : availability.of(key, link);
            tally.add(key, slots);
            return key.venue() + " has " + slots.free() + " places, " + slots.waiting() + " wait";
        }

        @Override
        public void run() {
            while (true) {
                SlotKey key = new SlotKey("venue-" + random.nextInt(900), random.nextInt(60));
                long begin = System.nanoTime();
                if (offer(key).isEmpty()) {
                    throw new IllegalStateException("no offer");
                }
                nanos.addAndGet(System.nanoTime() - begin);
                answers.incrementAndGet();
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(new Registry(server), "registry-door");
        Availability availability = new Availability();
        Tally tally = new Tally();
        for (int d = 0; d < DESKS; d++) {
            start(new Desk(availability, tally, server.getLocalPort(), d), "desk-" + d);
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long a = answers.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = answers.get() - a;
            System.out.printf("measured: %d answers/s, %.1f ms each%n", done, (nanos.get() - n) / 1e6 / Math.max(1, done));
        }
        System.exit(0);
    }
}
