// SPDX-License-Identifier: Apache-2.0
// cause: the quays' threads wait for file locks: BerthBook$Register.update takes a lock of a record (FileChannel.lock), and the second process (BerthBook mirror, started by it) holds a lock of the whole file, in BerthBook$Mirror.copy, for about 230 ms of every 270 ms, since it paces its copying while it has the lock
// share: about 84 % of the time of the 4 quay threads ("waiting" in the measured lines): about four times a second each waits some 230 ms, and hardly in between, 18 ms for each update on average; 0.03 CPUs
// expect: waiting kind=file-lock frame=BerthBook$Register.update
// symptom: waiting
// judge: NAMED: threads wait for a lock of a file (file-lock) at BerthBook$Register.update (or its caller Quay.run/book), which another process (the mirror) holds. SYMPTOM ONLY: waiting in a native method, or for a disk or file, at BerthBook$Register.update without saying that it is a lock; or the finding called neutral / said to be no fault while naming the lock counts as NAMED all the same, but nothing but "the process did next to nothing" is SYMPTOM ONLY. WRONG: monitors or Java locks, Thread.sleep at BerthBook$Quay.run as the main finding, nothing stands out without mention of the lock. (Diagnose the parent process, which prints READY.)
// jdk: 25
// set: thirty-sixth

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class BerthBook {
    static final int RECORD = 64, RECORDS = 4000;
    static final AtomicLong updates = new AtomicLong(), waitNanos = new AtomicLong(), allNanos = new AtomicLong();

    /** The register of berths, a file that the harbour's programs share. */
    static final class Register {
        private final FileChannel channel;

        Register(Path path) throws IOException {
            channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }

        void update(int berth, long ship, int days) throws IOException {
            long at = (long) berth * RECORD;
            long from = System.nanoTime();
            try (FileLock lock = channel.lock(at, RECORD, false)) {
                waitNanos.addAndGet(System.nanoTime() - from);
                ByteBuffer record = ByteBuffer.allocate(RECORD);
                channel.read(record, at);
                record.putLong(0, ship).putInt(8, days).putInt(12, record.getInt(12) + 1).putLong(16, System.currentTimeMillis());
                record.rewind();
                channel.write(record, at);
            }
        }
    }

    /** Picks berths for ships by length and draught. */
    static final class Planner {
        private final int[] length = new int[RECORDS], draught = new int[RECORDS];

        Planner() {
            Random random = new Random(2);
            for (int i = 0; i < RECORDS; i++) {
                length[i] = 20 + random.nextInt(300);
                draught[i] = 30 + random.nextInt(130);
            }
        }

        int best(int first, int count, int shipLength, int shipDraught) {
            int best = first, least = Integer.MAX_VALUE;
            for (int i = first; i < first + count; i++) {
                int waste = Math.abs(length[i] - shipLength) * 3 + Math.abs(draught[i] - shipDraught);
                if (waste < least) {
                    least = waste;
                    best = i;
                }
            }
            return best;
        }
    }

    static final class Quay implements Runnable {
        final Register register;
        final Planner planner;
        final int number;
        final Random random;

        Quay(Register register, Planner planner, int number) {
            this.register = register;
            this.planner = planner;
            this.number = number;
            random = new Random(number);
        }

        @Override public void run() {
            try {
                while (true) {
                    long from = System.nanoTime();
                    book();
                    Thread.sleep(2 + random.nextInt(4));
                    updates.incrementAndGet();
                    allNanos.addAndGet(System.nanoTime() - from);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("quay " + number + ": " + e);
            }
        }

        void book() throws IOException {
            int share = RECORDS / 4;
            int berth = planner.best(number * share, share, 20 + random.nextInt(300), 30 + random.nextInt(130));
            register.update(berth, random.nextLong(), 1 + random.nextInt(20));
        }
    }

    /** Keeps a copy of the register for the customs office; a process of its own. */
    static final class Mirror {
        private final FileChannel register;
        private final byte[] copy = new byte[RECORD * RECORDS];

        Mirror(Path path) throws IOException {
            register = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }

        void run() throws IOException, InterruptedException {
            while (true) {
                copy();
                Thread.sleep(40);
            }
        }

        void copy() throws IOException, InterruptedException {
            try (FileLock all = register.lock()) {
                int slice = copy.length / 22 + 1;
                for (int at = 0; at < copy.length; at += slice) {
                    ByteBuffer part = ByteBuffer.wrap(copy, at, Math.min(slice, copy.length - at));
                    register.read(part, at);
                    Thread.sleep(10); // the line to customs is thin
                }
            }
        }

        static void main(String path) throws Exception {
            Thread parent = new Thread(() -> {
                try {
                    while (System.in.read() >= 0) { }
                } catch (IOException e) {
                    // the harbour has gone
                }
                Runtime.getRuntime().halt(0);
            }, "parent");
            parent.setDaemon(true);
            parent.start();
            new Mirror(Path.of(path)).run();
        }
    }

    static Process startMirror(Path path) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx32m", "-XX:+UseSerialGC",
            "-cp", System.getProperty("java.class.path"), "BerthBook", "mirror", path.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 2) {
            Mirror.main(args[1]);
            return;
        }
        Path path = Files.createTempFile("berths", ".reg");
        path.toFile().deleteOnExit();
        Files.write(path, new byte[RECORD * RECORDS]);
        Process mirror = startMirror(path);
        Runtime.getRuntime().addShutdownHook(new Thread(mirror::destroy));
        Register register = new Register(path);
        Planner planner = new Planner();
        for (int i = 0; i < 4; i++) new Thread(new Quay(register, planner, i), "quay-" + i).start();
        long done = 0, waited = 0, all = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = updates.get(), w = waitNanos.get(), a = allNanos.get();
            System.out.printf("measured: %d updates, %.0f ms waiting for each, waiting %.0f %% of the quays' time%n",
                d - done, (w - waited) / 1e6 / Math.max(1, d - done), (w - waited) * 100.0 / Math.max(1, a - all));
            done = d;
            waited = w;
            all = a;
            if (s == 4) System.out.println("READY");
            System.out.flush();
        }
    }
}
