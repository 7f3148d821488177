// SPDX-License-Identifier: Apache-2.0
// cause: SpoolRouter.oldestFirst sorts 3,000 files with a comparator that calls File.lastModified for both sides of each comparison, so each round makes about 60,000 stat system calls instead of 3,000.
// share: faulty 48-176 orders/s (mean round 90-250 ms), fixed (each time read once into a record, then sorted) 350-570 orders/s (mean round 29-49 ms): about 4 times better
// expect: hot-code kind=costly-comparisons
// symptom: hot-code hot-calls
// judge: NAMED: File.lastModified called in the sort comparator in SpoolRouter.oldestFirst (n log n stat calls); read the attribute once per file. SYMPTOM ONLY: File.lastModified / stat is hot, many system calls, sorting is expensive, without the comparator; a large directory is listed in each round. WRONG: slow disk or writes, Files.readString or Files.delete as the cause, GC, lock contention, too many files as a leak.
// jdk: 25
// set: twenty-third
// jvm:
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

public class SpoolRouter {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int WAITING = 3000;
    private static final int PER_ROUND = 16;
    private static final AtomicLong ROUTED = new AtomicLong();
    private static final AtomicLong ROUNDS = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();

    record Job(File file, long arrived) {
    }

    record Order(String branch, int items, long cents) {
        static Order parse(String text) {
            String[] f = text.trim().split(",");
            return new Order(f[0], Integer.parseInt(f[1]), Long.parseLong(f[2]));
        }
    }

    private final Path dir;
    private final Random random = new Random(9);
    private final Map<String, Long> totals = new TreeMap<>();
    private long sequence;
    private volatile boolean closing;
    private long clock = System.currentTimeMillis() - 500_000_000L;

    SpoolRouter(Path dir) {
        this.dir = dir;
    }

    void fill() throws IOException {
        for (int i = 0; i < WAITING; i++) {
            arrive();
        }
    }

    void arrive() throws IOException {
        String branch = "B" + random.nextInt(30);
        String text = branch + "," + (1 + random.nextInt(9)) + "," + random.nextInt(90000) + "\n";
        Path p = dir.resolve("order-" + Integer.toHexString(random.nextInt(1 << 20)) + "-" + (++sequence) + ".csv");
        Files.writeString(p, text, StandardCharsets.US_ASCII);
        clock += 1000 + random.nextInt(500);
        p.toFile().setLastModified(clock);
    }

    List<File> waiting() throws IOException {
        try (Stream<Path> s = Files.list(dir)) {
            return new ArrayList<>(s.map(Path::toFile).toList());
        }
    }

    List<File> oldestFirst(List<File> files) {
        if (FIXED) {
            List<Job> jobs = new ArrayList<>(files.size());
            for (File f : files) {
                jobs.add(new Job(f, f.lastModified()));
            }
            jobs.sort(Comparator.comparingLong(Job::arrived));
            return jobs.stream().map(Job::file).toList();
        }
        files.sort(Comparator.comparingLong(File::lastModified));
        return files;
    }

    void route(File f) throws IOException {
        Order o = Order.parse(Files.readString(f.toPath(), StandardCharsets.US_ASCII));
        totals.merge(o.branch(), o.cents() * o.items(), Long::sum);
        Files.delete(f.toPath());
        ROUTED.incrementAndGet();
    }

    void round() throws IOException {
        List<File> ordered = oldestFirst(waiting());
        int n = Math.min(PER_ROUND, ordered.size());
        for (int i = 0; i < n; i++) {
            route(ordered.get(i));
        }
        for (int i = 0; i < n; i++) {
            arrive();
        }
    }

    void work(long end) {
        try {
            while (!closing && System.nanoTime() < end) {
                long t = System.nanoTime();
                round();
                NANOS.addAndGet(System.nanoTime() - t);
                ROUNDS.incrementAndGet();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    void removeAll() throws IOException {
        for (File f : waiting()) {
            f.delete();
        }
        Files.deleteIfExists(dir);
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("spool");
        SpoolRouter router = new SpoolRouter(dir);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                router.closing = true;
                Thread.sleep(400);
                router.removeAll();
            } catch (IOException | InterruptedException e) {
                System.out.println("left files in " + dir);
            }
        }));
        router.fill();
        long end = System.nanoTime() + 170L * 1_000_000_000L;
        Thread worker = new Thread(() -> router.work(end), "router");
        worker.start();
        System.out.println("READY");
        long n0 = 0;
        long r0 = 0;
        long t0 = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long n = ROUTED.get();
            long r = ROUNDS.get();
            long t = NANOS.get();
            System.out.println("measured: " + (n - n0) + " orders/s, mean round "
                    + (t - t0) / Math.max(1, r - r0) / 1000 + " us");
            n0 = n;
            r0 = r;
            t0 = t;
        }
        System.out.println("branches " + router.totals.size());
    }
}
