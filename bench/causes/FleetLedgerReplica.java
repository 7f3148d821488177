// SPDX-License-Identifier: Apache-2.0
// healthy: a fleet's ledger writes objects in three ways that each have a reason: one stream for each depot's checkpoint of 2000 trips (each is read by itself), a stream to the standby that is reset once for every 400 trips (so that neither side keeps all of them), and a notice of each very long tour, which somebody reads by itself; there is one class descriptor for a hundred objects or more, serialisation is a small part of the CPU time, and most of that goes to the search for routes, which is what the program is for
// share: none: 12,000 objects a second are written with some 30 to 150 class descriptors; ledger and standby use 20 ms of CPU a second, planner 350 ms; no trips wait
// judge: RIGHT: nothing stands out, or only neutral sentences (CPU time is in FleetLedgerReplica$Planner.shortest). WRONG: class descriptors serialised again and again, serialisation as the cause, reset() or new streams as a fault, locks, waiting of the standby's reader or for its socket, searching collections, sorting or collections as a fault.
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Plans the trips of a fleet of lorries and keeps a ledger of them, with a standby that has it as well. */
public class FleetLedgerReplica {
    static final int DEPOTS = 8;
    static final AtomicLong planned = new AtomicLong();
    static final AtomicLong objects = new AtomicLong();
    static final AtomicLong descriptors = new AtomicLong();
    static final AtomicLong received = new AtomicLong();
    static final AtomicLong bytes = new AtomicLong();

    static final class Trip implements Serializable {
        private static final long serialVersionUID = 1;
        final int lorry;
        final Date start;
        final short[] stops;
        final int metres;

        Trip(int lorry, Date start, short[] stops, int metres) {
            this.lorry = lorry;
            this.start = start;
            this.stops = stops;
            this.metres = metres;
        }
    }

    static final class Notice implements Serializable {
        private static final long serialVersionUID = 1;
        final int lorry;
        final String text;

        Notice(int lorry, String text) {
            this.lorry = lorry;
            this.text = text;
        }
    }

    /** Counts what it writes. */
    static final class LedgerStream extends ObjectOutputStream {
        LedgerStream(OutputStream out) throws IOException {
            super(out);
        }

        @Override
        protected void writeClassDescriptor(ObjectStreamClass type) throws IOException {
            descriptors.incrementAndGet();
            super.writeClassDescriptor(type);
        }

        void put(Serializable object) throws IOException {
            writeObject(object);
            objects.incrementAndGet();
        }
    }

    /** Finds ways through the net of roads. */
    static final class Planner implements Runnable {
        static final int PLACES = 900;
        final int[][] roads = new int[PLACES][PLACES];
        final BlockingQueue<Trip> trips;
        final Random random = new Random(23);

        Planner(BlockingQueue<Trip> trips) {
            this.trips = trips;
            for (int[] row : roads) {
                Arrays.setAll(row, i -> random.nextInt(12) == 0 ? 2_000 + random.nextInt(40_000) : 0);
            }
        }

        int[] shortest(int from) {
            int[] distance = new int[PLACES];
            boolean[] done = new boolean[PLACES];
            Arrays.fill(distance, Integer.MAX_VALUE / 2);
            distance[from] = 0;
            for (int round = 0; round < PLACES; round++) {
                int next = -1;
                for (int place = 0; place < PLACES; place++) {
                    if (!done[place] && (next < 0 || distance[place] < distance[next])) {
                        next = place;
                    }
                }
                done[next] = true;
                for (int place = 0; place < PLACES; place++) {
                    int road = roads[next][place];
                    if (road > 0 && distance[next] + road < distance[place]) {
                        distance[place] = distance[next] + road;
                    }
                }
            }
            return distance;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int tour = 0; tour < 12; tour++) {
                        int[] distance = shortest(random.nextInt(PLACES));
                        short[] stops = new short[12];
                        int metres = 0;
                        for (int i = 0; i < stops.length; i++) {
                            stops[i] = (short) random.nextInt(PLACES);
                            metres += distance[stops[i]];
                        }
                        planned.incrementAndGet();
                        trips.put(new Trip(random.nextInt(500), new Date(), stops, metres));
                    }
                    Thread.sleep(25);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Keeps the latest trips of each depot, and passes all on to the standby. */
    static final class Ledger implements Runnable {
        final BlockingQueue<Trip> trips;
        final LedgerStream standby;
        final List<List<Trip>> depots = new ArrayList<>();
        final AtomicReferenceArray<byte[]> checkpoints = new AtomicReferenceArray<>(DEPOTS);
        final AtomicReferenceArray<byte[]> notices = new AtomicReferenceArray<>(64);

        Ledger(BlockingQueue<Trip> trips, Socket socket) throws IOException {
            this.trips = trips;
            standby = new LedgerStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 14));
            for (int i = 0; i < DEPOTS; i++) {
                depots.add(new ArrayList<>());
            }
        }

        @Override
        public void run() {
            long turn = 0;
            long saved = System.nanoTime();
            int depot = 0;
            try {
                while (true) {
                    Trip trip = trips.poll(100, TimeUnit.MILLISECONDS);
                    if (trip != null) {
                        List<Trip> kept = depots.get(trip.lorry % DEPOTS);
                        if (kept.size() < 2000) {
                            kept.add(trip);
                        } else {
                            kept.set((int) (turn % kept.size()), trip);
                        }
                        standby.put(trip);
                        if (++turn % 400 == 0) {
                            standby.flush();
                            standby.reset();
                        }
                        if (trip.metres > 155_000) {
                            notices.set((int) turn & 63, alone(new Notice(trip.lorry, "long tour")));
                        }
                    }
                    if (System.nanoTime() - saved > 100_000_000L) {
                        saved = System.nanoTime();
                        checkpoint(depot++ % DEPOTS);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        void checkpoint(int depot) throws IOException {
            ByteArrayOutputStream data = new ByteArrayOutputStream(1 << 17);
            try (LedgerStream out = new LedgerStream(data)) {
                out.writeInt(depots.get(depot).size());
                for (Trip trip : depots.get(depot)) {
                    out.put(trip);
                }
            }
            checkpoints.set(depot, data.toByteArray());
            bytes.addAndGet(data.size());
        }

        byte[] alone(Notice notice) throws IOException {
            ByteArrayOutputStream data = new ByteArrayOutputStream(256);
            try (LedgerStream out = new LedgerStream(data)) {
                out.put(notice);
            }
            return data.toByteArray();
        }
    }

    /** The standby, here in the same process. */
    static final class Standby implements Runnable {
        final Socket socket;
        long metres;

        Standby(Socket socket) {
            this.socket = socket;
        }

        @Override
        public void run() {
            try (ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 14))) {
                while (true) {
                    metres += ((Trip) in.readObject()).metres;
                    received.incrementAndGet();
                }
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Trip> trips = new ArrayBlockingQueue<>(1000);
        Thread[] threads = new Thread[3];
        try (ServerSocket door = new ServerSocket(0, 4, InetAddress.getLoopbackAddress())) {
            Socket out = new Socket(InetAddress.getLoopbackAddress(), door.getLocalPort());
            out.setTcpNoDelay(true);
            threads[0] = new Thread(new Planner(trips), "planner");
            threads[2] = new Thread(new Standby(door.accept()), "standby");
            Ledger ledger = new Ledger(trips, out);
            for (int i = 0; i < 1200 * DEPOTS; i++) {
                ledger.depots.get(i % DEPOTS).add(new Trip(i % 500, new Date(), new short[12], 1000 + i));
            }
            threads[1] = new Thread(ledger, "ledger");
        }
        for (Thread thread : threads) {
            thread.setDaemon(true);
            thread.start();
        }
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long[] cpu = new long[threads.length];
        long lastObjects = 0;
        long lastDescriptors = 0;
        long lastPlanned = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long[] used = new long[threads.length];
            Arrays.setAll(used, i -> bean.getThreadCpuTime(threads[i].getId()));
            long o = objects.get();
            long d = descriptors.get();
            long p = planned.get();
            System.out.printf("measured: %d trips planned, %d objects written with %d class descriptors; CPU: planner %d ms, ledger %d ms, standby %d ms; %d trips wait%n",
                    p - lastPlanned, o - lastObjects, d - lastDescriptors, (used[0] - cpu[0]) / 1_000_000,
                    (used[1] - cpu[1]) / 1_000_000, (used[2] - cpu[2]) / 1_000_000, trips.size());
            if (second == 5) {
                System.out.println("READY");
            }
            System.out.flush();
            cpu = used;
            lastObjects = o;
            lastDescriptors = d;
            lastPlanned = p;
        }
    }
}
