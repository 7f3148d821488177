// SPDX-License-Identifier: Apache-2.0
// healthy: the thread seat waits for a lock on a file that another process holds, for most of its time; but it is the standby of headquarters (a child JVM of the same program, which leads for 2.6 s at a time), and the callers' questions are answered at full speed by the threads caller-N, which need no lock.
// share: a typical second of an 11 s run on a crowded machine of 2 CPUs: 10224 answers a second, mean 10.1 us, standing by, 2 terms so far
// judge: Wrong findings: the wait for the file lock at Seat.run as a fault or as stuck or as a deadlock; callers that wait for the lock. Acceptable as true and neutral: seat waits for a lock on a file which another process (headquarters) holds most of the time; Map2d.nearest is where the CPU time goes.
// jdk: 25
// set: twenty-ninth
// jvm:
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class DispatchStandby {
    static final LongAdder ANSWERS = new LongAdder();
    static final LongAdder NANOS = new LongAdder();
    static final LongAdder TERMS = new LongAdder();

    record Ambulance(int number, double x, double y, boolean free) {
    }

    static final class Map2d {
        private final Map<Integer, Ambulance> cars = new ConcurrentHashMap<>();

        Map2d() {
            Random r = new Random(58);
            for (int i = 0; i < 400; i++) {
                cars.put(i, new Ambulance(i, r.nextDouble() * 60, r.nextDouble() * 40, r.nextInt(3) > 0));
            }
        }

        void move(Random r) {
            int n = r.nextInt(400);
            Ambulance a = cars.get(n);
            cars.put(n, new Ambulance(n, a.x() + r.nextGaussian(), a.y() + r.nextGaussian(), r.nextInt(3) > 0));
        }

        int nearest(double x, double y) {
            int best = -1;
            double least = Double.MAX_VALUE;
            for (Ambulance a : cars.values()) {
                if (a.free()) {
                    double d = Math.hypot(a.x() - x, a.y() - y);
                    if (d < least) {
                        least = d;
                        best = a.number();
                    }
                }
            }
            return best;
        }
    }

    static final class Seat implements Runnable {
        private final Path file;
        private final Map2d map;
        private volatile boolean leading;

        Seat(Path file, Map2d map) {
            this.file = file;
            this.map = map;
        }

        @Override
        public void run() {
            Random r = new Random(9);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                while (true) {
                    try (FileLock lock = channel.lock()) {
                        leading = true;
                        TERMS.increment();
                        for (int i = 0; i < 20; i++) {
                            map.move(r);
                            Thread.sleep(10);
                        }
                    }
                    leading = false;
                    Thread.sleep(300);
                }
            } catch (IOException e) {
                System.err.println("seat: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Caller implements Runnable {
        private final Map2d map;
        private final Random random;
        private final long end;
        private long found;

        Caller(Map2d map, int seed, long end) {
            this.map = map;
            this.random = new Random(seed);
            this.end = end;
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                for (int i = 0; i < 12; i++) {
                    long from = System.nanoTime();
                    found += map.nearest(random.nextDouble() * 60, random.nextDouble() * 40);
                    NANOS.add(System.nanoTime() - from);
                    ANSWERS.increment();
                }
                LockSupport.parkNanos(4_000_000L);
            }
        }
    }

    static void headquarters(Path file, long end) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            while (System.nanoTime() < end && System.in.available() == 0) {
                try (FileLock lock = channel.lock()) {
                    System.out.println("hold");
                    Thread.sleep(2600);
                }
                Thread.sleep(120);
                if (System.out.checkError()) {
                    return;
                }
            }
        }
    }

    static Process partner(Path file, int span) throws IOException {
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        return new ProcessBuilder(java, "-Xmx16m", "-Xshare:auto", "-XX:+UseSerialGC", "-Dspan=" + span,
            "-cp", System.getProperty("java.class.path"), "DispatchStandby", file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        if (args.length == 1) {
            headquarters(Path.of(args[0]), end);
            return;
        }
        Path file = Files.createTempFile("dispatch", ".seat");
        Process partner = partner(file, span + 2);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            partner.destroy();
            file.toFile().delete();
        }));
        partner.getInputStream().read();
        Map2d map = new Map2d();
        Seat seat = new Seat(file, map);
        Thread s = new Thread(seat, "seat");
        s.setDaemon(true);
        s.start();
        for (int i = 0; i < 4; i++) {
            Thread t = new Thread(new Caller(map, i, end), "caller-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = ANSWERS.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d answers a second, mean %.1f us, %s, %d terms so far%n",
                n, n == 0 ? 0 : ns / 1e3 / n, seat.leading ? "leading" : "standing by", TERMS.sum());
        }
    }
}
