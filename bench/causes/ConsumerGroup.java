// SPDX-License-Identifier: Apache-2.0
// cause: after each message its offset is written to a file that was opened so that a write returns when it is on the disk: ConsumerGroup.commit
// share: 99 % of a message is commit()
// expect: waiting frame=ConsumerGroup.commit | disk-wait frame=ConsumerGroup.commit | hot-method frame=ConsumerGroup.commit | hot-method caller=ConsumerGroup.commit | hot-calls frame=ConsumerGroup.commit | hot-calls caller=ConsumerGroup.commit | hot-code frame=ConsumerGroup.commit | endpoint-cpu frame=ConsumerGroup.commit
// judge: right is what names commit() as a wait for the disk; the CPU of digest() is a symptom, which is louder
// symptom: hot-method hot-calls hot-code
// jdk: 17
// set: tenth
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Messages of four partitions are counted by device; beside it the digest of the last hour is kept current. */
public final class ConsumerGroup {
    private static final LongAdder COMMITTING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder MESSAGES = new LongAdder();

    private final RandomAccessFile offsets;
    private final long[] devices = new long[4096];

    private ConsumerGroup(int partition) throws IOException {
        offsets = new RandomAccessFile("offsets-" + partition, "rwd");
    }

    private static byte[] message(long offset) {
        return ("{\"device\":" + offset * 31 % 4096 + ",\"state\":\"" + (offset % 3 == 0 ? "on" : "off") + "\"}").getBytes();
    }

    private void apply(byte[] message) {
        int device = 0;
        for (byte b : message) {
            if (b >= '0' && b <= '9') {
                device = device * 10 + b - '0';
            }
        }
        devices[device]++;
    }

    private void commit(long offset) throws IOException {
        offsets.seek(0);
        offsets.write(ByteBuffer.allocate(8).putLong(offset).array());
    }

    private void consume() {
        try {
            for (long offset = 0;; offset++) {
                long start = System.nanoTime();
                apply(message(offset));
                long applied = System.nanoTime();
                commit(offset + 1);
                long end = System.nanoTime();
                COMMITTING.add(end - applied);
                ALL.add(end - start);
                MESSAGES.increment();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Not on the way of any message. */
    private static void digest() {
        double[] hour = new double[3600];
        try {
            for (int n = 0;; n++) {
                double energy = 0;
                for (int lag = 0; lag < 2400; lag++) {
                    for (int i = lag; i < hour.length; i++) {
                        energy += hour[i] * hour[i - lag];
                    }
                }
                hour[n % hour.length] = Math.sin(n) + energy % 1;
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        for (int i = 0; i < 4; i++) {
            ConsumerGroup partition = new ConsumerGroup(i);
            new Thread(partition::consume, "partition-" + i).start();
        }
        new Thread(ConsumerGroup::digest, "digest").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * COMMITTING.sumThenReset() / (all + 1) + " % of a message is commit(), "
                    + all / (MESSAGES.sumThenReset() + 1) / 1000 + " us a message");
        }
    }
}
