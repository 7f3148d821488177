// SPDX-License-Identifier: Apache-2.0
// cause: every parcel is handed to one clerk thread, which writes each label to a file opened with "rwd", and wakes the desk only then: LabelClerk.print
// share: 99 % of a parcel is waiting for the clerk, whose time is print() for 99 %
// expect: waiting frame=LabelClerk.print | waiting holder=LabelClerk.print | disk-wait frame=LabelClerk.print | hot-calls frame=LabelClerk.print | endpoint-wait frame=LabelClerk.print | waiting frame=LabelClerk$Slip.await holder=LabelClerk.print
// judge: right is what names print(), or its write to the disk; that desks are parked in await() is a symptom
// symptom: waiting saturated-thread
// jdk: 25
// set: eleventh
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Desks hand slips to a clerk, who prints labels; both sides park and unpark each other. */
public final class LabelClerk {
    private static final LongAdder PRINT = new LongAdder();
    private static final LongAdder AWAIT = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private static final class Slip {
        private final Thread desk = Thread.currentThread();
        private final int parcel;
        private volatile boolean done;

        private Slip(int parcel) {
            this.parcel = parcel;
        }

        private void await() {
            while (!done) {
                LockSupport.park(this);
            }
        }

        private void finish() {
            done = true;
            LockSupport.unpark(desk);
        }
    }

    private final ConcurrentLinkedQueue<Slip> slips = new ConcurrentLinkedQueue<>();
    private volatile Thread clerk;

    private void print(RandomAccessFile file, int parcel) throws IOException {
        if (file.getFilePointer() > 1 << 20) {
            file.seek(0);
        }
        file.write(("label of parcel " + parcel + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private void work(Path path) {
        clerk = Thread.currentThread();
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rwd")) {
            for (;;) {
                Slip slip = slips.poll();
                if (slip == null) {
                    LockSupport.park(this);
                    continue;
                }
                long start = System.nanoTime();
                print(file, slip.parcel);
                PRINT.add(System.nanoTime() - start);
                slip.finish();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void desk(int number) {
        long weight = 0;
        for (int parcel = number; weight >= 0; parcel += 8) {
            long start = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                weight = (weight * 31 + i + parcel) & Long.MAX_VALUE >> 1;
            }
            Slip slip = new Slip(parcel);
            slips.add(slip);
            LockSupport.unpark(clerk);
            long handed = System.nanoTime();
            slip.await();
            long end = System.nanoTime();
            AWAIT.add(end - handed);
            ALL.add(end - start);
        }
    }

    public static void main(String[] args) throws Exception {
        LabelClerk office = new LabelClerk();
        Path file = Files.createTempFile(Path.of("."), "labels", ".txt");
        file.toFile().deleteOnExit();
        new Thread(() -> office.work(file), "clerk").start();
        for (int i = 0; i < 8; i++) {
            int number = i;
            new Thread(() -> office.desk(number), "desk-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * AWAIT.sumThenReset() / (ALL.sumThenReset() + 1)
                    + " % of a parcel is waiting for the clerk, whose print() takes " + PRINT.sumThenReset() / 1_000_000 + " ms of a second");
        }
    }
}
