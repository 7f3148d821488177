// SPDX-License-Identifier: Apache-2.0
// healthy: housekeeping of an archive waits for the write lock until the backup, which reads with the read lock at a gentle pace, is through with a segment group; that is intended, nobody waits for the housekeeping, its work is done in time, and requests use neither lock and are answered within microseconds
// share: housekeeping waits 1.1 s of each 1.8 s or so for the write lock, in one thread, which harms nobody; 2000 searches a second or more of 0.14 ms each, 0.35 CPUs
// judge: right: nothing stands out; neutral remarks, e.g. that time goes to waiting for the write lock at SegmentArchive$Housekeeping.compact without calling it a fault, or where the CPU time goes (Archive.find, Archive.score). WRONG: accusing the wait for the write lock (Housekeeping.compact), or the backup that holds the read lock in that time (Backup.copy, its Thread.sleep/pace), a stuck thread, sleeping in Desk.run (the load's pace), collections, the disk, the machine.
// jdk: 17
// set: thirty-sixth
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** An archive of letters in segments: it is searched, backed up and tidied while it runs. */
public class SegmentArchive {
    static final int SEGMENTS = 64, WORDS = 40_000;
    static final LongAdder found = new LongAdder();
    static final LongAdder findNanos = new LongAdder();
    static final LongAdder compacted = new LongAdder();
    static final LongAdder waited = new LongAdder();
    static final LongAdder copied = new LongAdder();
    static volatile long slowestNanos;

    /** Letters as sequences of numbered words; a segment does not change once it is made. */
    static final class Segment {
        final int number;
        final int[] words;
        final int age;
        Segment(int number, int[] words, int age) {
            this.number = number;
            this.words = words;
            this.age = age;
        }
        Segment tidy() {
            int[] sorted = words.clone();
            for (int from = 0; from < sorted.length; from += 1000) java.util.Arrays.sort(sorted, from, from + 1000);
            return new Segment(number, sorted, age + 1);
        }
    }

    static final class Archive {
        /** Which files there are on the disk: changed by housekeeping only, kept as they are while a backup copies. */
        final ReentrantReadWriteLock files = new ReentrantReadWriteLock(true);
        private volatile Segment[] segments = new Segment[SEGMENTS];

        Archive() {
            SplittableRandom random = new SplittableRandom(6);
            for (int i = 0; i < SEGMENTS; i++) segments[i] = new Segment(i, random.ints(WORDS, 0, 50_000).toArray(), 0);
        }

        Segment segment(int number) {
            return segments[number];
        }

        void replace(Segment segment) {
            Segment[] next = segments.clone();
            next[segment.number] = segment;
            segments = next;
        }

        int find(int word, SplittableRandom random) {
            int best = 0;
            for (int i = 0; i < 3; i++) best = Math.max(best, score(segments[random.nextInt(SEGMENTS)], word));
            return best;
        }

        private static int score(Segment segment, int word) {
            int score = 0;
            for (int w : segment.words) {
                int distance = Math.abs(w - word);
                if (distance < 40) score += 40 - distance;
            }
            return score;
        }
    }

    /** Copies the archive again and again, slowly, so that the disk has time for others. */
    static final class Backup implements Runnable {
        private final Archive archive;
        private final Path file;
        Backup(Archive archive, Path file) {
            this.archive = archive;
            this.file = file;
        }
        @Override public void run() {
            try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (int group = 0; ; group = (group + 16) % SEGMENTS) {
                    copy(out, group, group + 16);
                    Thread.sleep(700);
                }
            } catch (IOException e) {
                System.err.println("backup: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        private void copy(FileChannel out, int from, int to) throws IOException, InterruptedException {
            ByteBuffer buffer = ByteBuffer.allocateDirect(WORDS * 4);
            archive.files.readLock().lock();
            try {
                for (int i = from; i < to; i++) {
                    buffer.clear();
                    for (int w : archive.segment(i).words) buffer.putInt(w);
                    buffer.flip();
                    out.write(buffer, (long) i * WORDS * 4);
                    copied.add(WORDS * 4L);
                    Thread.sleep(100);
                }
            } finally {
                archive.files.readLock().unlock();
            }
        }
    }

    /** Tidies one segment every now and then; when does not matter, as long as it keeps up. */
    static final class Housekeeping implements Runnable {
        private final Archive archive;
        Housekeeping(Archive archive) {
            this.archive = archive;
        }
        @Override public void run() {
            for (int n = 0; ; n++) {
                Segment tidy = archive.segment(n % SEGMENTS).tidy();
                compact(tidy);
                LockSupport.parkNanos(600_000_000L);
            }
        }
        private void compact(Segment tidy) {
            long t0 = System.nanoTime();
            archive.files.writeLock().lock();
            try {
                waited.add(System.nanoTime() - t0);
                archive.replace(tidy);
            } finally {
                archive.files.writeLock().unlock();
            }
            compacted.increment();
        }
    }

    /** Searches, at the pace at which readers ask. */
    static final class Desk implements Runnable {
        private final Archive archive;
        private final int seed;
        Desk(Archive archive, int seed) {
            this.archive = archive;
            this.seed = seed;
        }
        @Override public void run() {
            SplittableRandom random = new SplittableRandom(seed);
            long sum = 0;
            while (sum >= 0) {
                LockSupport.parkNanos(1_000_000L);
                long t0 = System.nanoTime();
                sum += archive.find(random.nextInt(50_000), random) & 7;
                long took = System.nanoTime() - t0;
                found.increment();
                findNanos.add(took);
                if (took > slowestNanos) slowestNanos = took;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("archive", ".bak");
        file.toFile().deleteOnExit();
        Archive archive = new Archive();
        for (int i = 1; i <= 3; i++) new Thread(new Desk(archive, i), "desk-" + i).start();
        new Thread(new Backup(archive, file), "backup").start();
        new Thread(new Housekeeping(archive), "housekeeping").start();
        while (found.sum() < 4000) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long f0 = found.sum(), n0 = findNanos.sum(), w0 = waited.sum(), b0 = copied.sum(), c0 = cpu();
        while (true) {
            slowestNanos = 0;
            Thread.sleep(1000);
            long f = found.sum(), n = findNanos.sum(), w = waited.sum(), b = copied.sum(), c = cpu();
            System.out.println(String.format(Locale.ROOT, "measured: %d searches, %.0f us each, the slowest %.1f ms; %d KiB backed up; %d segments tidied so far, housekeeping waited %d ms for the backup; %.2f CPUs",
                f - f0, (n - n0) / 1e3 / Math.max(1, f - f0), slowestNanos / 1e6, (b - b0) >> 10, compacted.sum(), (w - w0) / 1_000_000, (c - c0) / 1e9));
            f0 = f; n0 = n; w0 = w; b0 = b; c0 = c;
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
