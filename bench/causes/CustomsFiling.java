// SPDX-License-Identifier: Apache-2.0
// healthy: filing threads wait in Slots.next for the next slot because the contract with the customs office allows one filing every 40 ms (25 a second); declarations come in groups of 5 at about 20 a second, so each is filed within about 200 ms and no backlog builds up
// share: target p99 below 400 ms at up to 25 filings/s; reaches 20 filings/s (all that come in), mean 80 ms, p99 168 ms, steady
// judge: RIGHT: no fault / healthy, waits come from the agreed rate limit (Slots.next) and meet the target. WRONG: any statement of a fault: rate limiter as a bottleneck to be removed or raised, lock contention in Slots, sleeping threads, pool too small, queue backlog, low CPU use, GC.
// jdk: 25
// set: twenty-second
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Files customs declarations with the customs office; the contract allows one filing every 40 ms. Target: p99 below 400 ms. */
public class CustomsFiling {
    static final Tally TALLY = new Tally();
    static final long SLOT = 40_000_000L;

    record Declaration(long number, String goods, int kilos, long asked) {
    }

    /** Hands out the slots of the contract, one after the other. */
    static final class Slots {
        private final AtomicLong free = new AtomicLong(System.nanoTime());

        void next() {
            long now = System.nanoTime();
            long slot = free.getAndUpdate(f -> Math.max(f, now) + SLOT);
            for (long left = slot - System.nanoTime(); left > 0; left = slot - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    static final class Filing implements Runnable {
        private final BlockingQueue<Declaration> tray;
        private final Slots slots;
        private String lastSeal = "";

        Filing(BlockingQueue<Declaration> tray, Slots slots) {
            this.tray = tray;
            this.slots = slots;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Declaration d = tray.take();
                    String message = render(d);
                    slots.next();
                    lastSeal = file(message);
                    TALLY.note(System.nanoTime() - d.asked());
                }
            } catch (InterruptedException e) {
                System.err.println("filing ended after " + lastSeal);
            }
        }

        private static String render(Declaration d) {
            StringBuilder b = new StringBuilder();
            for (int item = 1; item <= 40; item++) {
                b.append("ITEM ").append(item).append(' ').append(d.goods()).append(' ').append(d.kilos() / item).append(" kg\n");
            }
            return b.toString();
        }

        private static String file(String message) {
            try {
                byte[] sum = MessageDigest.getInstance("SHA-256").digest(message.getBytes(StandardCharsets.US_ASCII));
                return HexFormat.of().formatHex(sum);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void forwarders(BlockingQueue<Declaration> tray) {
        Random r = new Random(9);
        long number = 0;
        try {
            while (true) {
                Thread.sleep(230 + r.nextInt(40));
                for (int i = 0; i < 5; i++) {
                    tray.add(new Declaration(++number, "goods-" + r.nextInt(5_000), 100 + r.nextInt(20_000), System.nanoTime()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Declaration> tray = new LinkedBlockingQueue<>();
        Slots slots = new Slots();
        for (int i = 1; i <= 6; i++) {
            start("filing-" + i, new Filing(tray, slots));
        }
        start("forwarders", () -> forwarders(tray));
        Thread.sleep(3000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("filings"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
