// SPDX-License-Identifier: Apache-2.0
// cause: TrawlerLogbook$LogbookStore.append expands a vessel's whole logbook, adds one line of 70 bytes and compresses the whole of it again (pack, unpack), for each reported haul; open logbooks should be kept as they are, and be compressed once, when the vessel lands
// share: about 97 % of the process's CPU time (0.4 to 0.7 of a CPU) is compressing and expanding in LogbookStore.pack and unpack, as measured by thread CPU time
// expect: hot-code kind=compression frame=TrawlerLogbook$LogbookStore
// symptom: hot-calls
// judge: NAMED: CPU time goes to compressing (and expanding) data, for TrawlerLogbook$LogbookStore.pack (or append, which calls it; unpack as a second one); it must be said which function of the program it is. SYMPTOM ONLY: Deflater.deflateBytes or libz as a hot method without the program's function; "hot calls" of pack without saying that it is compression. WRONG: collections or allocation as the main cause, locks, lack of CPUs or threads, quota accounting (Quotas.land), string building; "no fault shows" without naming the compression.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Takes reports of hauls from trawlers at sea, keeps their logbooks and what is left of the quotas. */
public class TrawlerLogbook {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder packing = new LongAdder(), reports = new LongAdder(), landings = new LongAdder();

    static class Haul {
        final String vessel, species, square;
        final int minute, kilos, depth;

        Haul(String vessel, String species, String square, int minute, int kilos, int depth) {
            this.vessel = vessel; this.species = species; this.square = square;
            this.minute = minute; this.kilos = kilos; this.depth = depth;
        }

        String line() {
            return minute / 1440 + "d" + minute % 1440 / 60 + "h" + minute % 60 + "|" + vessel + "|" + species + "|" + square
                + "|" + kilos + "kg|" + depth + "m|seq" + Integer.toHexString(Objects.hash(vessel, species, minute, kilos)) + "\n";
        }
    }

    /** The logbooks of all vessels, small in memory: a season has some hundred thousand hauls. */
    static class LogbookStore {
        private final Map<String, byte[]> logs = new ConcurrentHashMap<>();
        private final Map<String, byte[]> landed = new ConcurrentHashMap<>();

        int append(Haul haul) throws IOException {
            byte[] book = logs.get(haul.vessel);
            byte[] soFar = book == null ? new byte[0] : unpack(book);
            byte[] line = haul.line().getBytes(StandardCharsets.UTF_8);
            byte[] all = Arrays.copyOf(soFar, soFar.length + line.length);
            System.arraycopy(line, 0, all, soFar.length, line.length);
            logs.put(haul.vessel, pack(all));
            return all.length;
        }

        void open(String vessel, String text) throws IOException {
            logs.put(vessel, pack(text.getBytes(StandardCharsets.UTF_8)));
        }

        void close(String vessel) {
            byte[] book = logs.remove(vessel);
            if (book != null) landed.put(vessel, book);
        }

        private byte[] pack(byte[] text) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length / 3 + 64);
            try (OutputStream out = new GZIPOutputStream(bytes, 8192)) {
                out.write(text);
            }
            return bytes.toByteArray();
        }

        private byte[] unpack(byte[] book) throws IOException {
            try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(book), 8192)) {
                return in.readAllBytes();
            }
        }
    }

    /** What may still be caught, by species and square. */
    static class Quotas {
        private final Map<String, long[]> caught = new ConcurrentHashMap<>();

        boolean land(Haul haul) {
            long[] sum = caught.computeIfAbsent(haul.species + "/" + haul.square, k -> new long[2]);
            synchronized (sum) {
                sum[0] += haul.kilos;
                sum[1]++;
                return sum[0] < 40_000_000L;
            }
        }
    }

    /** A radio station: the vessels in its range report to it. */
    static class Station implements Runnable {
        private static final String[] SPECIES = {"COD", "HAD", "POK", "PLE", "SOL", "HER", "MAC", "WHG"};
        private final LogbookStore store;
        private final Quotas quotas;
        private final int number;
        private final Random random;
        private final int[] minutes = new int[12];

        Station(LogbookStore store, Quotas quotas, int number) {
            this.store = store; this.quotas = quotas; this.number = number;
            this.random = new Random(number * 31L + 5);
        }

        private Haul receive() {
            int vessel = random.nextInt(minutes.length);
            minutes[vessel] += 20 + random.nextInt(240);
            return new Haul("LK-" + number + (char) ('A' + vessel), SPECIES[random.nextInt(SPECIES.length)],
                (char) ('D' + random.nextInt(6)) + "" + (10 + random.nextInt(40)), minutes[vessel],
                50 + random.nextInt(9000), 40 + random.nextInt(400));
        }

        /** The logbooks of vessels that are at sea when the station comes into service. */
        void takeOver() throws IOException {
            Map<String, StringBuilder> texts = new TreeMap<>();
            for (int n = 0; n < 2400; n++) {
                Haul haul = receive();
                StringBuilder text = texts.computeIfAbsent(haul.vessel, k -> new StringBuilder());
                if (text.length() < 2000 * (haul.vessel.charAt(haul.vessel.length() - 1) - 'A')) text.append(haul.line());
            }
            for (Map.Entry<String, StringBuilder> e : texts.entrySet()) store.open(e.getKey(), e.getValue().toString());
        }

        @Override public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 12; i++) {
                        Haul haul = receive();
                        boolean open = quotas.land(haul);
                        long before = THREADS.getCurrentThreadCpuTime();
                        int size = store.append(haul);
                        packing.add(THREADS.getCurrentThreadCpuTime() - before);
                        reports.increment();
                        if (size > 24_000 || !open && size > 22_000) { store.close(haul.vessel); landings.increment(); }
                    }
                    Thread.sleep(6);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        LogbookStore store = new LogbookStore();
        Quotas quotas = new Quotas();
        for (int i = 1; i <= 2; i++) {
            Station station = new Station(store, quotas, i);
            station.takeOver();
            new Thread(station, "station-" + i).start();
        }
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), spent = packing.sum(), done = reports.sum();
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), s = packing.sum(), d = reports.sum();
            System.out.printf(Locale.ROOT, "measured: %d hauls/s, %.2f CPUs, %.0f %% of them to expand and compress logbooks (%d us a haul), %d landings%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), 100.0 * (s - spent) / Math.max(1, c - cpu),
                (s - spent) / 1000 / Math.max(1, d - done), landings.sum());
            cpu = c; time = t; spent = s; done = d;
            if (second == 2) System.out.println("READY");
            System.out.flush();
        }
    }
}
