// SPDX-License-Identifier: Apache-2.0
// healthy: the four branch threads stand in ArrayBlockingQueue.put most of the time, but that is back-pressure as designed: the two sealing threads keep both cores busy with the SHA-256 sealing the archive demands, so the bounded queue merely holds the branches to the pace of the CPU.
// share: measures e.g. "2407 documents/s sealed, 17327 KiB/s"
// judge: Right is: no fault, CPU-bound on the digest work, waiting in put/the queue is back-pressure; naming the queue's size or lock, the branches' waiting, or the number of threads as a fault is wrong.
// set: twenty-first
// jdk: 8
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Order archive of a flour mill: branches hand in their order documents, the archive seals them in a chain. */
public class FlourMillOrders {
    static final int BRANCHES = 4;
    static final int SEALERS = 2;
    static final LongAdder SEALED = new LongAdder();
    static final LongAdder BYTES = new LongAdder();

    static final class OrderDocument {
        final int branch;
        final long number;
        final byte[] text;

        OrderDocument(int branch, long number, byte[] text) {
            this.branch = branch;
            this.number = number;
            this.text = text;
        }
    }

    /** Writes the documents of one branch. */
    static final class Branch implements Runnable {
        private final int id;
        private final BlockingQueue<OrderDocument> counter;
        private final Random random;
        private long number;

        Branch(int id, BlockingQueue<OrderDocument> counter) {
            this.id = id;
            this.counter = counter;
            this.random = new Random(id);
        }

        private OrderDocument write() {
            int lines = 300 + random.nextInt(200);
            StringBuilder b = new StringBuilder(lines * 24);
            b.append("branch ").append(id).append(" order ").append(++number).append('\n');
            for (int i = 0; i < lines; i++) {
                b.append("type ").append(405 + random.nextInt(1300)).append(" sacks ").append(random.nextInt(60)).append('\n');
            }
            return new OrderDocument(id, number, b.toString().getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    counter.put(write());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Seals documents: each seal covers the document and the seal before it, in twenty rounds as the archive rules say. */
    static final class Sealer implements Runnable {
        private static final int ROUNDS = 20;
        private final BlockingQueue<OrderDocument> counter;
        private final MessageDigest digest;
        private byte[] last = new byte[32];

        Sealer(BlockingQueue<OrderDocument> counter) {
            this.counter = counter;
            try {
                this.digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        private byte[] seal(OrderDocument d) {
            byte[] seal = last;
            for (int i = 0; i < ROUNDS; i++) {
                digest.update(seal);
                digest.update((byte) d.branch);
                digest.update(d.text);
                seal = digest.digest();
            }
            return seal;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    OrderDocument d = counter.take();
                    last = seal(d);
                    BYTES.add(d.text.length);
                    SEALED.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<OrderDocument> counter = new ArrayBlockingQueue<>(16);
        for (int i = 0; i < BRANCHES; i++) {
            Thread t = new Thread(new Branch(i, counter), "branch-" + i);
            t.setDaemon(true);
            t.start();
        }
        for (int i = 0; i < SEALERS; i++) {
            Thread t = new Thread(new Sealer(counter), "sealer-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        SEALED.sumThenReset();
        BYTES.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + SEALED.sumThenReset() + " documents/s sealed, "
                + BYTES.sumThenReset() / 1024 + " KiB/s");
        }
        System.exit(0);
    }
}
