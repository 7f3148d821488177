// SPDX-License-Identifier: Apache-2.0
// healthy: payouts sent at the pace the bank's contract allows (40/s); fewer fall due, so none is delayed
// share: none; ~25 payouts/s fall due, each leaves within a few ms, the CPU is mostly idle
// judge: right: nothing to change; at most: senders wait for the next due payout, which is meant
// judge: symptom: senders wait for the next due payout; RSA signing is the main CPU use (small)
// judge: wrong: sleep in Pacer slows payouts, senders starved, signing too slow, lock of Statistics, queue backlog
// jdk: 11
// set: fourteenth
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class HealthyPayoutRunner {
    static final class Payout implements Delayed {
        final long id; final String iban; final long cents; final long due;
        Payout(long id, String iban, long cents, long delayMillis) {
            this.id = id; this.iban = iban; this.cents = cents;
            due = System.nanoTime() + delayMillis * 1_000_000;
        }
        @Override public long getDelay(TimeUnit u) {
            return u.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        @Override public int compareTo(Delayed o) { return Long.compare(due, ((Payout) o).due); }
    }

    /** The bank takes at most 40 payouts in a second: leave 25 ms between two, bursts of up to 8 are allowed. */
    static final class Pacer {
        private final long gap = 25_000_000, burst = 8;
        private long next = System.nanoTime();
        final LongAdder slept = new LongAdder();
        void await() throws InterruptedException {
            long wait;
            synchronized (this) {
                long now = System.nanoTime();
                next = Math.max(next, now - burst * gap) + gap;
                wait = next - now;
            }
            if (wait > 0) {
                slept.increment();
                TimeUnit.NANOSECONDS.sleep(wait);
            }
        }
    }

    static final class Statistics {
        private long n, late, cents, delay;
        synchronized void add(Payout p) {
            long d = System.nanoTime() - p.due;
            n++;
            cents += p.cents;
            delay += d;
            if (d > 250_000_000) late++;
        }
        synchronized String take() {
            String s = String.format(Locale.ROOT, "%d payouts/s, mean %.2f ms after due, late %d, %.2f EUR", n,
                    delay / 1e6 / Math.max(1, n), late, cents / 100.0);
            n = late = cents = delay = 0;
            return s;
        }
    }

    static final class Sender implements Runnable {
        private final DelayQueue<Payout> due; private final Pacer pacer; private final Statistics stats;
        private final PrivateKey key; private final BlockingQueue<String> archive;
        Sender(DelayQueue<Payout> due, Pacer pacer, Statistics stats, PrivateKey key, BlockingQueue<String> archive) {
            this.due = due; this.pacer = pacer; this.stats = stats; this.key = key; this.archive = archive;
        }
        @Override public void run() {
            try {
                Signature rsa = Signature.getInstance("SHA256withRSA");
                while (true) {
                    Payout p = due.take();
                    String order = "<Pmt><Id>" + p.id + "</Id><Iban>" + p.iban + "</Iban><Amt>" + p.cents + "</Amt>";
                    rsa.initSign(key);
                    rsa.update(order.getBytes(StandardCharsets.UTF_8));
                    String signed = order + Base64.getEncoder().encodeToString(rsa.sign());
                    pacer.await();
                    archive.put(signed);
                    stats.add(p);
                }
            } catch (InterruptedException | GeneralSecurityException e) { System.err.println("sender: " + e); }
        }
    }

    /** Writes what has been sent, twice a second; starts a new file at 6 MB. */
    static void archive(BlockingQueue<String> sent, Path file) {
        long size = 0;
        try {
            while (true) {
                List<String> lines = new ArrayList<>();
                sent.drainTo(lines);
                boolean fresh = size > 6_000_000;
                Files.write(file, lines, fresh ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
                size = fresh ? 0 : Files.size(file);
                Thread.sleep(500);
            }
        } catch (InterruptedException | IOException e) { System.err.println("archive: " + e); }
    }

    public static void main(String[] args) throws Exception {
        KeyPairGenerator g = KeyPairGenerator.getInstance("RSA");
        g.initialize(1024);
        KeyPair pair = g.generateKeyPair();
        DelayQueue<Payout> due = new DelayQueue<>();
        Pacer pacer = new Pacer();
        Statistics stats = new Statistics();
        BlockingQueue<String> sent = new LinkedBlockingQueue<>(2000);
        Path file = Files.createTempFile("payouts", ".xml");
        file.toFile().deleteOnExit();
        for (int i = 0; i < 6; i++)
            new Thread(new Sender(due, pacer, stats, pair.getPrivate(), sent), "sender-" + i).start();
        new Thread(() -> archive(sent, file), "archive").start();
        AtomicLong ids = new AtomicLong(7_000_000);
        Random r = new Random(2);
        ScheduledExecutorService orders = Executors.newSingleThreadScheduledExecutor(x -> new Thread(x, "orders"));
        orders.scheduleAtFixedRate(() -> {
            for (int i = 0; i < 5; i++)
                due.add(new Payout(ids.incrementAndGet(), "DE" + (10_000_000L + r.nextInt(80_000_000)),
                        500 + r.nextInt(200_000), 300 + r.nextInt(1500)));
        }, 0, 200, TimeUnit.MILLISECONDS);
        Thread.sleep(2500);
        stats.take();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.println("measured: " + stats.take() + ", not yet due " + due.size() + ", paced "
                    + pacer.slept.sumThenReset());
        }
    }
}
