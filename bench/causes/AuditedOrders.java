// SPDX-License-Identifier: Apache-2.0
// cause: orders wait for a pool whose workers wait for room in the queue of the audit, whose thread forces each record to the disk: AuditedOrders.audit
// share: 99 % of price() is waiting for room, for which orders wait; force() takes 96 % of the audit's time
// expect: waiting frame=AuditedOrders.audit | disk-wait frame=AuditedOrders.audit | waiting holder=AuditedOrders.audit | waiting kind=fsync | hot-calls frame=AuditedOrders.audit | endpoint-wait frame=AuditedOrders.audit
// judge: right is what names audit() and that it forces to the disk; the full queue, the waits for futures and the busy pool are symptoms
// symptom: waiting pool-busy saturated-thread endpoint-wait hot-calls
// jdk: 21
// set: eleventh
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** Orders are priced in a pool, and what was done goes to an audit. */
public final class AuditedOrders {
    private static final LongAdder FORCE = new LongAdder();
    private static final LongAdder ROOM = new LongAdder();
    private static final LongAdder PRICE = new LongAdder();
    private static final LongAdder ORDER = new LongAdder();

    private final BlockingQueue<String> records = new ArrayBlockingQueue<>(16);
    private final ExecutorService pool = Executors.newFixedThreadPool(4);

    private long price(long order) throws InterruptedException {
        long start = System.nanoTime();
        long cents = 0;
        for (int line = 0; line < 200; line++) {
            cents += (order * 31 + line * 17L) % 977;
        }
        long priced = System.nanoTime();
        records.put("order " + order + " costs " + cents + "\n");
        long end = System.nanoTime();
        ROOM.add(end - priced);
        PRICE.add(end - start);
        return cents;
    }

    private void order(int client) {
        try {
            for (long n = client; n >= 0; n += 10) {
                long order = n;
                long start = System.nanoTime();
                pool.submit(() -> price(order)).get();
                ORDER.add(System.nanoTime() - start);
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void audit(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long n = 0;; n++) {
                ByteBuffer record = ByteBuffer.wrap(records.take().getBytes());
                if (n % 10_000 == 0) {
                    channel.position(0);
                }
                channel.write(record);
                long start = System.nanoTime();
                channel.force(true);
                FORCE.add(System.nanoTime() - start);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        AuditedOrders orders = new AuditedOrders();
        Path file = Files.createTempFile(Path.of("."), "audit", ".log");
        file.toFile().deleteOnExit();
        new Thread(() -> orders.audit(file), "audit").start();
        for (int i = 0; i < 10; i++) {
            int client = i;
            new Thread(() -> orders.order(client), "client-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * ROOM.sumThenReset() / (PRICE.sumThenReset() + 1)
                    + " % of price() is waiting for room; force() takes " + FORCE.sumThenReset() / 1_000_000 + " ms of a second; orders wait for "
                    + ORDER.sumThenReset() / 1_000_000 + " ms of a second");
        }
    }
}
