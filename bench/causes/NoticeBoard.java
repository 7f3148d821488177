// SPDX-License-Identifier: Apache-2.0
// healthy: 300 virtual threads long-poll the board (Topic.await, up to 20 s) and are parked nearly all the time by design; a notice reaches its 10 or so waiting readers within a few milliseconds, the CPU is nearly idle
// share: target p99 below 50 ms from posting to delivery; reaches about 200 deliveries/s, mean 0.33 ms, p99 1.2 ms (worst second 4 ms)
// judge: RIGHT: no fault / healthy, readers wait for news by design (long poll). WRONG: any statement of a fault: threads stuck or starved in Topic.await, lock contention on the topic's lock, too many threads, too low throughput, timeouts, pinned virtual threads, GC.
// jdk: 21
// set: twenty-second
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Notice board of a port: agents long-poll their topic and get each notice as soon as it is posted. */
public class NoticeBoard {
    static final Tally TALLY = new Tally();
    static final int TOPICS = 30;
    static final int AGENTS = 300;

    record Notice(long number, String text, long posted) {
    }

    static final class Topic {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition news = lock.newCondition();
        private Notice newest = new Notice(0, "opened", System.nanoTime());

        void post(String text) {
            lock.lock();
            try {
                newest = new Notice(newest.number() + 1, text, System.nanoTime());
                news.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The newest notice after the one seen, or null if there was none for 20 s. */
        Notice await(long seen) throws InterruptedException {
            lock.lock();
            try {
                long left = TimeUnit.SECONDS.toNanos(20);
                while (newest.number() <= seen) {
                    if (left <= 0) {
                        return null;
                    }
                    left = news.awaitNanos(left);
                }
                return newest;
            } finally {
                lock.unlock();
            }
        }
    }

    static void agent(Topic topic) {
        long seen = 0;
        long letters = 0;
        try {
            while (true) {
                Notice n = topic.await(seen);
                if (n != null) {
                    TALLY.note(System.nanoTime() - n.posted());
                    seen = n.number();
                    letters += n.text().chars().filter(Character::isLetter).count();
                }
            }
        } catch (InterruptedException e) {
            System.err.println("agent left after " + letters + " letters");
        }
    }

    static void harbourOffice(Topic[] topics) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                Thread.sleep(30 + r.nextInt(40));
                topics[r.nextInt(TOPICS)].post("berth " + r.nextInt(90) + " free from " + r.nextInt(24) + ":00 for vessels up to "
                        + r.nextInt(80, 400) + " m");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Topic[] topics = new Topic[TOPICS];
        for (int i = 0; i < TOPICS; i++) {
            topics[i] = new Topic();
        }
        for (int i = 0; i < AGENTS; i++) {
            Topic topic = topics[i % TOPICS];
            Thread.ofVirtual().name("agent-" + i).start(() -> agent(topic));
        }
        Thread office = new Thread(() -> harbourOffice(topics), "harbour-office");
        office.setDaemon(true);
        office.start();
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
            System.out.println(TALLY.take("deliveries"));
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
