// SPDX-License-Identifier: Apache-2.0
// cause: BloodBank$Dossier.save forces its file to the disk (FileDescriptor.sync, fsync) after each of the five steps of every donation, though only the last one has to be safe before the donor is answered; the workers, and the desks that wait for their futures, wait for the disk nearly all the time
// share: about 90 % of the time in which workers have a donation is in FileDescriptor.sync (3 of 6 threads at a time, some 10,000 a second of 0.3 ms on a fast disk), as measured; the desks wait for these workers
// expect: waiting kind=file-sync frame=BloodBank$Dossier.save
// symptom: hot-calls disk-wait waiting pool-busy
// judge: NAMED: waiting for fsync (data to reach the disk) at BloodBank$Dossier.save (or its caller BloodBank$Dossier.step / BloodBank$Intake.call), also as the end of a chain that begins at the futures of BloodBank$Desk.run. SYMPTOM ONLY: waiting for futures in BloodBank$Desk.run or "the pool of lab threads is busy" without the fsync; a disk that is busy, without the function; "file-write" or "I/O" at BloodBank$Dossier.save. WRONG: CPU time, collections, locks, the checks of the sample (Intake.typed), more threads as the only advice.
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The intake of a blood bank: desks hand in donations, the laboratory's workers take each through its steps. */
public class BloodBank {
    static final int DESKS = 6, WORKERS = 6;
    static final LongAdder syncing = new LongAdder(), syncs = new LongAdder(), working = new LongAdder(), done = new LongAdder(), waited = new LongAdder();

    enum Step { RECEIVED, TYPED, SCREENED, LABELLED, SHELVED }

    /** The record of one donation, kept in a file that an interrupted laboratory can go on from. */
    static class Dossier implements Closeable {
        private final File file;
        private final RandomAccessFile out;
        private final StringBuilder text = new StringBuilder();

        Dossier(File folder, int number) throws IOException {
            file = new File(folder, "slot-" + number + ".dossier");
            out = new RandomAccessFile(file, "rw");
        }

        void step(Step step, String finding) throws IOException {
            text.append(step).append(": ").append(finding).append('\n');
            save();
        }

        private void save() throws IOException {
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            out.seek(0);
            out.write(bytes);
            out.setLength(bytes.length);
            long before = System.nanoTime();
            out.getFD().sync();
            syncing.add(System.nanoTime() - before);
            syncs.increment();
        }

        void clear() { text.setLength(0); }
        @Override public void close() throws IOException { out.close(); }
    }

    /** Files are used again once a donation has been handed on. */
    static class Shelf {
        private final BlockingQueue<Dossier> free = new LinkedBlockingQueue<>();

        Shelf(File folder) throws IOException {
            for (int i = 0; i < WORKERS * 2; i++) {
                Dossier dossier = new Dossier(folder, i);
                dossier.file.deleteOnExit();
                free.add(dossier);
            }
        }

        Dossier take() throws InterruptedException { return free.take(); }
        void back(Dossier dossier) { dossier.clear(); free.add(dossier); }
    }

    static class Intake implements Callable<String> {
        private static final String[] GROUPS = {"0-", "0+", "A-", "A+", "B-", "B+", "AB-", "AB+"};
        private final Shelf shelf;
        private final int donor;

        Intake(Shelf shelf, int donor) { this.shelf = shelf; this.donor = donor; }

        @Override public String call() throws Exception {
            long begin = System.nanoTime();
            Dossier dossier = shelf.take();
            try {
                Random sample = new Random(donor);
                dossier.step(Step.RECEIVED, "donor " + donor + ", " + (430 + sample.nextInt(60)) + " ml");
                String group = typed(sample);
                dossier.step(Step.TYPED, group);
                dossier.step(Step.SCREENED, screened(sample) ? "clear" : "to be repeated");
                dossier.step(Step.LABELLED, "=" + donor + group + Integer.toHexString(group.hashCode() * 31 + donor));
                dossier.step(Step.SHELVED, "cold room " + (1 + donor % 4));
                return group;
            } finally {
                shelf.back(dossier);
                done.increment();
                working.add(System.nanoTime() - begin);
            }
        }

        private String typed(Random sample) {
            int[] reaction = new int[GROUPS.length];
            for (int drop = 0; drop < 400; drop++) reaction[sample.nextInt(GROUPS.length)] += sample.nextInt(5);
            int best = 0;
            for (int i = 1; i < reaction.length; i++) if (reaction[i] > reaction[best]) best = i;
            return GROUPS[best];
        }

        private boolean screened(Random sample) {
            double sum = 0;
            for (int marker = 0; marker < 300; marker++) sum += Math.abs(sample.nextGaussian());
            return sum / 300 < 0.95;
        }
    }

    /** A desk hands in one donation after another and sees each donor off when it is safe. */
    static class Desk implements Runnable {
        private static final AtomicInteger DONORS = new AtomicInteger(1000);
        private final ExecutorService laboratory;
        private final Shelf shelf;
        private final Map<String, Integer> groups = new HashMap<>();

        Desk(ExecutorService laboratory, Shelf shelf) { this.laboratory = laboratory; this.shelf = shelf; }

        @Override public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    String group = laboratory.submit(new Intake(shelf, DONORS.incrementAndGet())).get();
                    waited.add(System.nanoTime() - begin);
                    groups.merge(group, 1, Integer::sum);
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    public static void main(String[] args) throws Exception {
        File folder = Files.createTempDirectory("bloodbank").toFile();
        folder.deleteOnExit();
        Shelf shelf = new Shelf(folder);
        final AtomicInteger number = new AtomicInteger();
        ExecutorService laboratory = Executors.newFixedThreadPool(WORKERS, task -> new Thread(task, "lab-" + number.incrementAndGet()));
        for (int i = 1; i <= DESKS; i++) new Thread(new Desk(laboratory, shelf), "desk-" + i).start();
        long time = System.nanoTime(), spent = 0, worked = 0, count = 0, forced = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long t = System.nanoTime(), s = syncing.sum(), w = working.sum(), d = done.sum(), f = syncs.sum();
            System.out.printf(Locale.ROOT, "measured: %d donations/s, %.0f %% of the workers' time in sync (%.2f ms each, %d/s, %.1f threads at a time)%n",
                (d - count) * 1_000_000_000L / (t - time), 100.0 * (s - spent) / Math.max(1, w - worked),
                (s - spent) / 1e6 / Math.max(1, f - forced), (f - forced) * 1_000_000_000L / (t - time), (s - spent) / (double) (t - time));
            time = t; spent = s; worked = w; count = d; forced = f;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
