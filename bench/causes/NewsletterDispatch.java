// SPDX-License-Identifier: Apache-2.0
// healthy: sends newsletters under a rate limit of 200 mails/s agreed with the mail provider (token bucket refilled by a timer), in bursts of 20 each 100 ms; 40 sender threads wait for tokens by design, an hourly-like statistics timer runs, nothing is overloaded
// judge: Right = healthy / idle by design; "throughput is bounded by the configured rate limit (Bucket), which is intended" is right. Wrong = accusing the semaphore/token bucket as a contention fault, pool size, too many idle threads, the timer, lock contention, GC.
// jdk: 25
// set: sixteenth
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.Deflater;

public class NewsletterDispatch {
    static final LongAdder sent = new LongAdder(), bytes = new LongAdder();

    record Subscriber(int id, String name, String address, int topics) {}

    record Mail(Subscriber to, byte[] body) {}

    /** The provider's contract: 200 mails a second, granted in portions of 20. */
    static class Bucket {
        static final int PER_PORTION = 20, CAPACITY = 60;
        final Semaphore tokens = new Semaphore(0);
        void refill() {
            int missing = CAPACITY - tokens.availablePermits();
            if (missing > 0) tokens.release(Math.min(PER_PORTION, missing));
        }
        void take() throws InterruptedException { tokens.acquire(); }
    }

    static class Composer {
        final String[] topics = {"garden", "travel", "reading", "cooking", "music", "cycling", "weather", "history"};
        byte[] compose(Subscriber s) {
            StringBuilder b = new StringBuilder("Hello ").append(s.name()).append(",\n");
            for (int i = 0; i < topics.length; i++) {
                if ((s.topics() >> i & 1) == 0) continue;
                b.append("\n== ").append(topics[i]).append(" ==\n");
                for (int p = 0; p < 12; p++) b.append("News ").append(p).append(" about ").append(topics[i]).append(" of this week, ref ").append(s.id() * 31 + p).append(".\n");
            }
            return pack(b.toString().getBytes(StandardCharsets.UTF_8));
        }
        byte[] pack(byte[] plain) {
            Deflater d = new Deflater(5);
            try {
                d.setInput(plain);
                d.finish();
                byte[] out = new byte[plain.length + 100];
                return Arrays.copyOf(out, d.deflate(out));
            } finally { d.end(); }
        }
    }

    static class Statistics {
        private final Map<String, LongAdder> byDomain = new ConcurrentHashMap<>();
        void count(Mail m) { byDomain.computeIfAbsent(m.to().address().substring(m.to().address().indexOf('@') + 1), k -> new LongAdder()).increment(); }
        String top() {
            return byDomain.entrySet().stream().max(Comparator.comparingLong(e -> e.getValue().sum())).map(Map.Entry::getKey).orElse("-");
        }
    }

    static class Sender implements Runnable {
        final BlockingQueue<Subscriber> list; final Bucket bucket; final Composer composer; final Statistics statistics;
        Sender(BlockingQueue<Subscriber> list, Bucket bucket, Composer composer, Statistics statistics) {
            this.list = list; this.bucket = bucket; this.composer = composer; this.statistics = statistics;
        }
        @Override public void run() {
            try {
                while (true) {
                    Subscriber s = list.take();
                    bucket.take();
                    deliver(new Mail(s, composer.compose(s)));
                }
            } catch (InterruptedException e) { /* shutdown */ }
        }
        void deliver(Mail m) {
            bytes.add(m.body().length);
            statistics.count(m);
            sent.increment();
        }
    }

    static void readList(BlockingQueue<Subscriber> list) {
        Random rnd = new Random(3);
        try {
            for (int id = 0; ; id++)
                list.put(new Subscriber(id, "Reader " + id, "r" + id + "@mail" + rnd.nextInt(40) + ".example", 1 + rnd.nextInt(255)));
        } catch (InterruptedException e) { /* shutdown */ }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Subscriber> list = new ArrayBlockingQueue<>(500);
        Bucket bucket = new Bucket();
        Composer composer = new Composer();
        Statistics statistics = new Statistics();
        ThreadFactory senders = Thread.ofPlatform().daemon().name("sender-", 0).factory();
        for (int i = 0; i < 40; i++) senders.newThread(new Sender(list, bucket, composer, statistics)).start();
        Thread.ofPlatform().daemon().name("list-reader").start(() -> readList(list));
        ScheduledExecutorService timers = Executors.newScheduledThreadPool(2, Thread.ofPlatform().daemon().name("timer-", 0).factory());
        timers.scheduleAtFixedRate(bucket::refill, 100, 100, TimeUnit.MILLISECONDS);
        timers.scheduleAtFixedRate(statistics::top, 1, 2, TimeUnit.SECONDS);
        for (int s = 0; s < 150; s++) {
            long d = sent.sum(), b = bytes.sum();
            Thread.sleep(1000);
            System.out.println("measured: mails/s=" + (sent.sum() - d) + " kB/s=" + (bytes.sum() - b) / 1000 + " limit=200");
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
