// SPDX-License-Identifier: Apache-2.0
// healthy: the weighbridge is a program of its own (a second JVM of this class) that locks the journal file for 0.3 s in each second or so, while a lorry is weighed; the office's copier takes the lock three times a second for a moment and so now and then waits up to 0.3 s, as is meant: it copies whole weighings only, nobody waits for it, and the settlement of deliveries goes on beside it
// share: nothing to name; the copier waits for the file's lock for some 10 % of its time, the copy is a second old at most, as measured; 0.1 to 0.4 of 2 CPUs are used
// judge: NAMED: no fault (nothing stands out; or only neutral remarks, such as that QuarryOffice$Copier.copy now and then waits for a file that another process has locked, or where CPU time goes). SYMPTOM ONLY: none. WRONG: any accusation: file locks, file reads or writes, sleeping, or waiting for a process as a fault; hot code or methods as a fault; locks, collections.
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** The office of a quarry: copies what the weighbridge has weighed and settles the deliveries. */
public class QuarryOffice {
    static final LongAdder waits = new LongAdder(), waited = new LongAdder(), settled = new LongAdder(), weighings = new LongAdder();
    static volatile long longest, lastCopy = System.nanoTime();

    /** The weighbridge: writes the journal, one lorry after another, each as a whole. */
    static class Weighbridge {
        private final Path journal;
        private final Random random = new Random();

        Weighbridge(Path journal) { this.journal = journal; }

        void run() throws IOException, InterruptedException {
            Thread guard = new Thread(() -> {
                try { while (System.in.read() >= 0) { } } catch (IOException e) { e.printStackTrace(); }
                journal.toFile().delete();
                Runtime.getRuntime().halt(0);
            });
            guard.setDaemon(true);
            guard.start();
            try (FileChannel file = FileChannel.open(journal, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                for (int lorry = 1; ; lorry++) {
                    try (FileLock lock = file.lock()) {
                        if (file.size() > 200_000) file.truncate(0);
                        file.position(file.size());
                        for (int axle = 1; axle <= 4; axle++) {
                            line(file, lorry + " axle " + axle + " " + (2000 + random.nextInt(7000)));
                            Thread.sleep(70);
                        }
                        line(file, lorry + " done " + "gravel,sand,basalt".split(",")[random.nextInt(3)]);
                    }
                    Thread.sleep(400 + random.nextInt(500));
                }
            }
        }

        private void line(FileChannel file, String text) throws IOException {
            file.write(ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.US_ASCII)));
        }
    }

    static class Delivery {
        final int lorry, kilos;
        final String kind;

        Delivery(int lorry, int kilos, String kind) { this.lorry = lorry; this.kilos = kilos; this.kind = kind; }
    }

    /** Copies whole weighings from the journal. */
    static class Copier implements Runnable {
        private final Path journal;
        private final Settlement settlement;
        private long read;

        Copier(Path journal, Settlement settlement) { this.journal = journal; this.settlement = settlement; }

        @Override public void run() {
            try {
                int kilos = 0;
                for (String line : copy().split("\n")) {
                    String[] part = line.split(" ");
                    if (part.length == 4) kilos += Integer.parseInt(part[3]);
                    if (part.length != 3) continue;
                    settlement.add(new Delivery(Integer.parseInt(part[0]), kilos, part[2]));
                    weighings.increment();
                    kilos = 0;
                }
                lastCopy = System.nanoTime();
            } catch (IOException e) {
                System.out.println("not copied: " + e);
            }
        }

        private String copy() throws IOException {
            try (FileChannel file = FileChannel.open(journal, StandardOpenOption.READ)) {
                long begin = System.nanoTime();
                try (FileLock lock = file.lock(0, Long.MAX_VALUE, true)) {
                    long wait = System.nanoTime() - begin;
                    waits.increment();
                    waited.add(wait);
                    longest = Math.max(longest, wait);
                    if (file.size() < read) read = 0;
                    ByteBuffer bytes = ByteBuffer.allocate((int) (file.size() - read));
                    while (bytes.hasRemaining() && file.read(bytes, read + bytes.position()) >= 0) { }
                    read += bytes.position();
                    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
                }
            }
        }
    }

    /** Settles what was delivered: prices by kind, distance and contract, some customers at a time. */
    static class Settlement implements Runnable {
        private final Deque<Delivery> deliveries = new ConcurrentLinkedDeque<>();
        private final Map<String, Double> accounts = new TreeMap<>();
        private final Random contracts = new Random(5);
        private int kept;

        void add(Delivery delivery) {
            deliveries.addLast(delivery);
            if (++kept > 400) deliveries.pollFirst();
        }

        @Override public void run() {
            for (int customer = 0; customer < 150; customer++) {
                String name = "customer " + contracts.nextInt(300);
                double discount = contracts.nextDouble() * 0.2, distance = 3 + contracts.nextInt(60), sum = 0;
                for (Delivery delivery : deliveries) {
                    if (delivery.lorry % 7 == customer % 7) sum += price(delivery, distance) * (1 - discount);
                }
                for (int month = 0; month < 36; month++) sum += Math.pow(1.002, month) * interest(distance, month);
                accounts.put(name, Math.round(sum * 100) / 100.0);
                settled.increment();
            }
        }

        private double price(Delivery delivery, double distance) {
            double perTon = delivery.kind.equals("basalt") ? 14.5 : delivery.kind.equals("gravel") ? 9.2 : 7.75;
            return delivery.kilos / 1000.0 * (perTon + 0.11 * distance + Math.sqrt(distance) * 0.3);
        }

        private double interest(double distance, int month) {
            return Math.exp(-month / 12.0) * Math.log1p(distance) * 0.01;
        }
    }

    public static void main(String[] args) throws Exception {
        if (System.getProperty("quarry.journal") != null) {
            new Weighbridge(Paths.get(System.getProperty("quarry.journal"))).run();
            return;
        }
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Path journal = Files.createTempFile("quarry", ".journal");
        journal.toFile().deleteOnExit();
        final Process weighbridge = new ProcessBuilder(Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx48m", "-XX:+UseSerialGC",
            "-Dquarry.journal=" + journal, "-cp", System.getProperty("java.class.path"), "QuarryOffice")
            .redirectErrorStream(true).redirectOutput(new File("/dev/null")).start();
        Runtime.getRuntime().addShutdownHook(new Thread(weighbridge::destroy));
        Settlement settlement = new Settlement();
        for (int lorry = 1; lorry <= 400; lorry++) settlement.add(new Delivery(lorry, 9000 + lorry * 37 % 9000, lorry % 3 == 0 ? "basalt" : "sand"));
        ScheduledExecutorService office = Executors.newScheduledThreadPool(2);
        ScheduledExecutorService copying = Executors.newSingleThreadScheduledExecutor();
        office.scheduleWithFixedDelay(settlement, 10, 4, TimeUnit.MILLISECONDS);
        copying.scheduleWithFixedDelay(new Copier(journal, settlement), 300, 300, TimeUnit.MILLISECONDS);
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), done = 0, lost = 0, count = 0;
        boolean ready = false;
        while (true) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), s = settled.sum(), w = waited.sum(), n = waits.sum();
            System.out.printf(Locale.ROOT, "measured: %d settled/s, %.2f CPUs, %d copies waited %.0f ms for the lock (longest so far %.0f), the copy is %.0f ms old, %d weighings so far%n",
                (s - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), n - count, (w - lost) / 1e6, longest / 1e6, (t - lastCopy) / 1e6, weighings.sum());
            cpu = c; time = t; done = s; lost = w; count = n;
            if (!ready && weighings.sum() > 2) { ready = true; System.out.println("READY"); }
            System.out.flush();
        }
    }
}
