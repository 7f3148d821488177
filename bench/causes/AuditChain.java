// SPDX-License-Identifier: Apache-2.0
// healthy: three intake threads stand most of the time in ArrayBlockingQueue.put because the sealer is at 100 % of a core, which looks like a full queue with a stalled consumer; but the seals form a chain (each SHA-256 needs the one before it), the records must be kept in order, the queue is bounded on purpose, and the intake would only make records faster than they can be sealed
// share: 5333 records sealed/s (median of a short run at nice 19 on a 2-core machine under heavy foreign load); the sealer uses all the CPU it gets
// judge: any finding of trouble is WRONG, except the plain statement that throughput is bounded by the sequential SHA-256 chain of the sealer (inherent), with intake held back by back-pressure as designed
// jdk: 8
// set: twenty-eighth
// jvm: -Xmx64m
import java.security.MessageDigest;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class AuditChain {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int RECORD = 16 * 1024;
    static volatile boolean open = true;
    static final AtomicLong sealed = new AtomicLong();

    /** Scanned document pages; the frames go back to the tray after sealing. */
    static final class Intake extends Thread {
        final BlockingQueue<byte[]> tray;
        final BlockingQueue<byte[]> desk;
        long serial;

        Intake(int no, BlockingQueue<byte[]> tray, BlockingQueue<byte[]> desk) {
            super("intake-" + no);
            setDaemon(true);
            this.tray = tray;
            this.desk = desk;
            this.serial = no * 1_000_000_007L;
        }

        @Override
        public void run() {
            try {
                while (open) {
                    byte[] page = tray.poll();
                    if (page == null) {
                        page = new byte[RECORD];
                    }
                    long x = ++serial * 0x9E3779B97F4A7C15L;
                    for (int i = 0; i < page.length; i += 8) {
                        x = x * 6364136223846793005L + 1;
                        page[i] = (byte) (x >>> 56);
                        page[i + 3] = (byte) (x >>> 40);
                    }
                    desk.put(page);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Sealer extends Thread {
        final BlockingQueue<byte[]> tray;
        final BlockingQueue<byte[]> desk;
        byte[] seal = new byte[32];

        Sealer(BlockingQueue<byte[]> tray, BlockingQueue<byte[]> desk) {
            super("sealer");
            setDaemon(true);
            this.tray = tray;
            this.desk = desk;
        }

        @Override
        public void run() {
            try {
                MessageDigest sha = MessageDigest.getInstance("SHA-256");
                while (open) {
                    byte[] page = desk.take();
                    sha.update(seal);
                    sha.update(page);
                    seal = sha.digest();
                    tray.offer(page);
                    sealed.incrementAndGet();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        BlockingQueue<byte[]> tray = new ArrayBlockingQueue<>(80);
        BlockingQueue<byte[]> desk = new ArrayBlockingQueue<>(64);
        Sealer sealer = new Sealer(tray, desk);
        sealer.start();
        for (int i = 1; i <= 3; i++) {
            new Intake(i, tray, desk).start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = sealed.get();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = sealed.get();
            long t = System.nanoTime();
            double rate = (now - before) * 1e9 / (t - at);
            System.out.printf("measured: %.0f records sealed/s, %.1f MB/s%n", rate, rate * RECORD / 1e6);
            before = now;
            at = t;
        }
        open = false;
    }
}
