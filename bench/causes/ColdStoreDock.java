// SPDX-License-Identifier: Apache-2.0
// cause: file-sync: ColdStoreDock$AisleBook.record calls MappedByteBuffer.force() for every single carton (64 bytes) of a pallet, in place of once for the pallet in AisleBook.close; the dock threads wait for the disk nearly all of the time in which they have work
// share: about 95 % of the dock threads' working time (everything but the rest between two pallets) is in force(), about 2 to 2.5 of 3 threads on average
// expect: waiting kind=file-sync frame=ColdStoreDock$ | hot-calls forces=disk
// symptom: waiting hot-calls disk-wait
// judge: NAMED: waiting for fsync / data forced to the disk (file-sync) at ColdStoreDock$AisleBook.record or its caller ColdStoreDock$Dock.receive, or hot-calls / disk-wait that says that the time goes to forcing data (msync, force) there. SYMPTOM ONLY: a busy disk or I/O without the place; CPU time in the kernel below AisleBook.record without the words that data is forced. WRONG: the sleep in Dock.run (pace of arriving pallets), locks, the check digits in Carton, collections, nothing stands out.
// jdk: 25
// set: thirty-sixth
// jvm: -Xmx256m
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Goods receipt of a cold store: each dock enters the cartons of arriving pallets into the book of its aisle. */
public class ColdStoreDock {
    static final int SLOT = 64;
    static final int SLOTS = 16384;

    record Carton(long sscc, int article, int grams, short celsiusTenths) {
        int checkDigit() {
            long rest = sscc;
            int sum = 0;
            for (int i = 0; i < 17; i++) {
                int digit = (int) (rest % 10);
                sum += (i & 1) == 0 ? digit * 3 : digit;
                rest /= 10;
            }
            return (10 - sum % 10) % 10;
        }
    }

    record Pallet(int number, List<Carton> cartons) {
        static Pallet arriving(int number, SplittableRandom random) {
            int size = 150 + random.nextInt(60);
            List<Carton> cartons = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                cartons.add(new Carton(340_000_000_000_000_000L + random.nextLong(1_000_000_000L),
                        random.nextInt(900), 4000 + random.nextInt(9000), (short) (-180 - random.nextInt(40))));
            }
            return new Pallet(number, cartons);
        }
    }

    /** The book of one aisle: a ring of slots in a mapped file, which survives a power cut. */
    static final class AisleBook {
        private final Path file;
        private final MappedByteBuffer slots;
        private int next;

        AisleBook(int aisle) throws IOException {
            file = Files.createTempFile("aisle-" + aisle + "-", ".book");
            file.toFile().deleteOnExit();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                slots = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) SLOT * SLOTS);
            }
        }

        void record(int pallet, Carton carton) {
            int at = next * SLOT;
            slots.putInt(at, pallet);
            slots.putLong(at + 4, carton.sscc());
            slots.putInt(at + 12, carton.article());
            slots.putInt(at + 16, carton.grams());
            slots.putShort(at + 20, carton.celsiusTenths());
            slots.put(at + 22, (byte) carton.checkDigit());
            long begin = System.nanoTime();
            slots.force(at, SLOT);
            forced.add(System.nanoTime() - begin);
            next = (next + 1) % SLOTS;
        }

        void close(Pallet pallet, long grams) {
            int at = next * SLOT;
            slots.putInt(at, -pallet.number());
            slots.putInt(at + 4, pallet.cartons().size());
            slots.putLong(at + 8, grams);
            slots.force(at, SLOT);
            next = (next + 1) % SLOTS;
        }
    }

    static final class Dock implements Runnable {
        private final AisleBook book;
        private final SplittableRandom random;
        private int number;

        Dock(int aisle) throws IOException {
            book = new AisleBook(aisle);
            random = new SplittableRandom(aisle);
            number = aisle * 1_000_000;
        }

        void receive(Pallet pallet) {
            long grams = 0;
            for (Carton carton : pallet.cartons()) {
                if (carton.celsiusTenths() > -150) {
                    continue;
                }
                book.record(pallet.number(), carton);
                grams += carton.grams();
            }
            book.close(pallet, grams);
            cartons.add(pallet.cartons().size());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(12);
                    long begin = System.nanoTime();
                    receive(Pallet.arriving(++number, random));
                    worked.add(System.nanoTime() - begin);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final LongAdder forced = new LongAdder();
    static final LongAdder worked = new LongAdder();
    static final LongAdder cartons = new LongAdder();

    public static void main(String[] args) throws Exception {
        for (int aisle = 1; aisle <= 3; aisle++) {
            Thread thread = new Thread(new Dock(aisle), "dock-" + aisle);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long f = forced.sum(), w = worked.sum(), c = cartons.sum(), t = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            double work = Math.max(1, worked.sum() - w);
            System.out.printf("measured: %.0f cartons/s, docks work %.2f threads, %.0f %% of that in force()%n",
                    (cartons.sum() - c) / s, work / 1e9 / s, 100 * Math.min(1, (forced.sum() - f) / work));
        }
    }
}
