// SPDX-License-Identifier: Apache-2.0
// healthy: the service is in its start-up phase: it loads its fleets one after another, a loader for each CPU; unpacking snapshots, compiling each fleet's rules once, replaying the last readings and the JIT compiler's own work are done once and are over in a while; the loaders hardly wait
// judge: True and harmless: "starting up: much time in the interpreter / JIT compiler", "CPU goes to Loader.load / Loader.replay (inflating, parsing, matching, sorting)", "loaders wait for the registry now and then". Wrong: "regular expressions are compiled again and again" (each fleet has rules of its own, compiled once), "JIT trouble", "hot spot to be fixed", "loaders pool too small", lock contention, GC pressure, memory leak (the store grows to its size of about 35 MB and stays).
// jdk: 21
// set: fifteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.regex.*;
import java.util.zip.*;

/** A telemetry service for fleets; READY means that its port is open, queries are answered once their fleet is in. */
public final class FleetBoot {
    static final int FLEETS = 2500, VEHICLES = 600, READINGS = 350_000, TEMPLATES = 4;
    static final AtomicInteger loaded = new AtomicInteger();
    static final LongAdder vehicles = new LongAdder(), fetching = new LongAdder(), loading = new LongAdder();

    /** A fleet as queries need it: sorted ids, and for each vehicle its alarm limit, group, last and highest reading. */
    record Fleet(int number, long[] ids, short[] limits, byte[] groups, short[] last, short[] highest) {
        int limitOf(long id) {
            int at = Arrays.binarySearch(ids, id);
            return at < 0 ? -1 : limits[at];
        }
    }

    static final class Store {
        final AtomicReferenceArray<Fleet> fleets = new AtomicReferenceArray<>(FLEETS);

        String status() { return loaded.get() < FLEETS ? "STARTING " + loaded.get() + '/' + FLEETS : "UP"; }
    }

    /** Fetches snapshots from the fleet registry and turns them into what queries need. */
    static final class Loader implements Runnable {
        final AtomicInteger next;
        final Store store;
        final int port;

        Loader(AtomicInteger next, Store store, int port) {
            this.next = next;
            this.store = store;
            this.port = port;
        }

        private final byte[] buf = new byte[1 << 14];
        private byte[] snapshot = new byte[1 << 20];
        private int at, end;

        private int next(InputStream in) throws IOException {
            if (at == end) {
                end = in.read(buf, at = 0, buf.length);
                if (end <= 0) throw new EOFException("snapshot is cut off");
            }
            return buf[at++];
        }

        private long number(InputStream in) throws IOException {
            long v = 0;
            for (int c; (c = next(in)) >= '0'; ) v = v * 10 + c - '0';
            return v;
        }

        private String word(InputStream in) throws IOException {
            StringBuilder w = new StringBuilder(24);
            for (int c; (c = next(in)) != ','; ) w.append((char) c);
            return w.toString();
        }

        /** The snapshot: number of vehicles, a line for each, number of readings, a line for each; parsed as it is unpacked. */
        Fleet load(int fleet, InputStream in) throws IOException {
            List<Pattern> rules = new ArrayList<>();
            for (int g = 0; g < 10; g++) {
                rules.add(Pattern.compile("(?:f" + fleet + "|all)-[a-z]+-" + g + "[0-" + (5 + (fleet + g) % 5) + "](\\d+)"));
            }
            at = end = 0;
            int n = (int) number(in);
            long[] keys = new long[n], raw = new long[n], ids = new long[n];
            short[] limit = new short[n], limits = new short[n];
            byte[] group = new byte[n], groups = new byte[n];
            for (int i = 0; i < n; i++) {
                raw[i] = number(in);
                keys[i] = raw[i] << 12 | i;
                group[i] = groupOf(word(in), rules);
                limit[i] = (short) number(in);
            }
            Arrays.sort(keys);
            int[] place = new int[n];
            for (int i = 0; i < n; i++) {
                int from = (int) (keys[i] & 0xfff);
                place[from] = i;
                ids[i] = raw[from];
                limits[i] = limit[from];
                groups[i] = group[from];
            }
            short[] last = new short[n], highest = new short[n];
            replay(in, place, last, highest);
            return new Fleet(fleet, ids, limits, groups, last, highest);
        }

        private void replay(InputStream in, int[] place, short[] last, short[] highest) throws IOException {
            for (long left = number(in); left > 0; left--) {
                int vehicle = place[(int) number(in)];
                short value = (short) number(in);
                last[vehicle] = value;
                if (value > highest[vehicle]) highest[vehicle] = value;
            }
        }

        byte groupOf(String name, List<Pattern> rules) {
            for (int g = 0; g < rules.size(); g++) if (rules.get(g).matcher(name).matches()) return (byte) g;
            return -1;
        }

        /** Asks for the next fleet before working on this one, so that the registry's time is no time of ours. */
        @Override public void run() {
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
                s.setTcpNoDelay(true);
                DataOutputStream ask = new DataOutputStream(s.getOutputStream());
                DataInputStream in = new DataInputStream(s.getInputStream());
                int fleet = next.getAndIncrement();
                ask.writeInt(fleet);
                while (fleet < FLEETS) {
                    long t0 = System.nanoTime();
                    int length = in.readInt();
                    if (snapshot.length < length) snapshot = new byte[length];
                    in.readFully(snapshot, 0, length);
                    int following = next.getAndIncrement();
                    ask.writeInt(following);
                    long t1 = System.nanoTime();
                    Fleet f = load(fleet, new GZIPInputStream(new ByteArrayInputStream(snapshot, 0, length), 1 << 14));
                    store.fleets.set(fleet, f);
                    loaded.incrementAndGet();
                    vehicles.add(f.ids().length);
                    fetching.add(t1 - t0);
                    loading.add(System.nanoTime() - t1);
                    fleet = following;
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    static byte[] template(int t) throws IOException {
        SplittableRandom rnd = new SplittableRandom(t);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Writer w = new OutputStreamWriter(new GZIPOutputStream(bytes), StandardCharsets.US_ASCII)) {
            w.write(VEHICLES + "\n");
            for (int i = 0; i < VEHICLES; i++) {
                w.write(rnd.nextLong(1L << 40) + ",all-truck-" + rnd.nextInt(10) + rnd.nextInt(10) + rnd.nextInt(10_000) + ',' + (60 + rnd.nextInt(60)) + '\n');
            }
            w.write(READINGS + "\n");
            for (int i = 0; i < READINGS; i++) w.write(rnd.nextInt(VEHICLES) + "," + rnd.nextInt(140) + '\n');
        }
        return bytes.toByteArray();
    }

    /** The registry reads each snapshot from its own store, which takes it some 2 ms. */
    static void registry(ServerSocket server, byte[][] templates) {
        try {
            while (true) {
                Socket s = server.accept();
                Thread.ofPlatform().daemon().name("registry-line").start(() -> {
                    try (s; DataInputStream in = new DataInputStream(s.getInputStream())) {
                        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 1 << 16));
                        while (true) {
                            byte[] t = templates[in.readInt() % TEMPLATES];
                            Thread.sleep(2);
                            out.writeInt(t.length);
                            out.write(t);
                            out.flush();
                        }
                    } catch (EOFException e) {
                        // the loader has all it wanted
                    } catch (IOException | InterruptedException e) {
                        System.err.println(e);
                    }
                });
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[][] templates = new byte[TEMPLATES][];               // stands for the registry's store
        for (int t = 0; t < TEMPLATES; t++) templates[t] = template(t);
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("registry").start(() -> registry(server, templates));
        Store store = new Store();
        AtomicInteger next = new AtomicInteger();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) Thread.ofPlatform().daemon().name("loader-" + i).start(new Loader(next, store, server.getLocalPort()));
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            double all = Math.max(1, fetching.sum() + loading.sum());
            System.out.printf("measured: %s, %d vehicles, %.0f %% of the loaders' time fetching%n", store.status(), vehicles.sum(), 100 * fetching.sum() / all);
        }
    }
}
