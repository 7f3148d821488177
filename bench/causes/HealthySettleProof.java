// SPDX-License-Identifier: Apache-2.0
// healthy: two provers keep both CPUs busy with SHA-256 of the day's records, which is the job itself
// share: hashing 94-100% of two CPUs, 6 million leaves/s; GC nothing
// judge: right: nothing is wrong; at most: busy by design in SHA-256 hashing (digests and buffers are reused)
// judge: symptom: CPU at 100%, hot in Prover.leaf / MessageDigest
// judge: wrong: anything that asks for a change: the locks, the queue's waits, allocation, GC, the digest per leaf
// jdk: 21
// set: fourteenth
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Proof of the settlement day: a Merkle tree over all records, so that each bank can check its own. */
public class HealthySettleProof {
    static final int RECORD = 192;
    static final int LEAVES = 1 << 12;
    static final LongAdder leaves = new LongAdder();
    static final LongAdder hashNanos = new LongAdder();

    /** A block of records to be proven; blocks go round between source and provers. */
    static final class Block {
        final byte[] records = new byte[RECORD * LEAVES];
        int number;
    }

    record Root(int block, String hash) {}

    static final class Prover implements Runnable {
        private final BlockingQueue<Block> todo;
        private final BlockingQueue<Block> free;
        private final BlockingQueue<Root> roots;
        private final MessageDigest sha;
        private final byte[] level = new byte[32 * LEAVES];

        Prover(BlockingQueue<Block> todo, BlockingQueue<Block> free, BlockingQueue<Root> roots)
                throws NoSuchAlgorithmException {
            this.todo = todo;
            this.free = free;
            this.roots = roots;
            this.sha = MessageDigest.getInstance("SHA-256");
        }

        private void leaf(Block b, int i) throws DigestException {
            sha.update((byte) 0);
            sha.update(b.records, i * RECORD, RECORD);
            sha.digest(level, i * 32, 32);
        }

        private void join(int i) throws DigestException {
            sha.update((byte) 1);
            sha.update(level, i * 64, 64);
            sha.digest(level, i * 32, 32);
        }

        private String prove(Block b) throws DigestException {
            for (int i = 0; i < LEAVES; i++) leaf(b, i);
            for (int n = LEAVES / 2; n >= 1; n /= 2) {
                for (int i = 0; i < n; i++) join(i);
            }
            return HexFormat.of().formatHex(level, 0, 32);
        }

        @Override public void run() {
            try {
                while (true) {
                    Block b = todo.take();
                    long t0 = System.nanoTime();
                    String hash = prove(b);
                    hashNanos.add(System.nanoTime() - t0);
                    leaves.add(LEAVES);
                    roots.put(new Root(b.number, hash));
                    free.put(b);
                }
            } catch (InterruptedException | DigestException e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    /** Gets the records of the next block; only what changed since the block's last use is put in. */
    static void source(BlockingQueue<Block> free, BlockingQueue<Block> todo) {
        Random r = new Random(11);
        try {
            for (int number = 1; ; number++) {
                Block b = free.take();
                b.number = number;
                ByteBuffer records = ByteBuffer.wrap(b.records);
                for (int i = 0; i < LEAVES; i++) {
                    records.putInt(i * RECORD, number).putInt(i * RECORD + 4, i)
                            .putLong(i * RECORD + 8, r.nextLong());
                }
                todo.put(b);
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    static void start(String name, Runnable r) {
        Thread.ofPlatform().daemon().name(name).start(r);
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Block> free = new ArrayBlockingQueue<>(6);
        BlockingQueue<Block> todo = new ArrayBlockingQueue<>(6);
        BlockingQueue<Root> roots = new ArrayBlockingQueue<>(100);
        AtomicInteger chained = new AtomicInteger();
        for (int i = 0; i < 6; i++) free.put(new Block());
        start("record-source", () -> source(free, todo));
        for (int i = 0; i < 2; i++) start("prover-" + i, new Prover(todo, free, roots));
        start("root-chain", () -> {
            try {
                while (true) {
                    Root root = roots.take();
                    chained.set(31 * chained.get() + root.hash().hashCode() + root.block());
                }
            } catch (InterruptedException e) {
                return;
            }
        });
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d leaves/s, hashing %.0f%% of two CPUs, chain %08x%n",
                    leaves.sumThenReset(), hashNanos.sumThenReset() / 2e7, chained.get());
        }
    }
}
