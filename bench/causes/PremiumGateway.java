// SPDX-License-Identifier: Apache-2.0
// cause: PremiumGateway.guard puts a 3 s Expiry entry per request into a DelayQueue; when the answer is there settle only marks the entry as cancelled and leaves it in the queue until its delay ends, so about 45000 dead entries with their Request and Leg objects fill the heap and cause repeated long full collections.
// share: mean latency 7500 us and p99 110 ms vs about 80 us and 2 ms fixed (a full collection of about 80 ms nearly each second)
// judge: must say that Expiry entries of already answered requests (with the Request and Leg objects they refer to) stay in the DelayQueue expiry (filled in guard, only flagged in settle) until their 3 s delay ends and so fill the heap; "GC is too frequent", "heap too small" or "requests leak" without the expiry queue does not count
// set: eighteenth
// expect: gc-pauses holder=DelayQueue | gc-cpu holder=DelayQueue | allocation-stall holder=DelayQueue
// symptom: gc-pauses gc-cpu
// jdk: 8
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class PremiumGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int RATE = 15000;
    static final AtomicLong expired = new AtomicLong();

    static final class Leg {
        final int term;
        final double amount;

        Leg(int term, double amount) {
            this.term = term;
            this.amount = amount;
        }
    }

    static final class Request {
        final long id;
        final long due;
        final Leg[] legs;
        volatile double price;
        volatile boolean done;

        Request(long id, long due, Leg[] legs) {
            this.id = id;
            this.due = due;
            this.legs = legs;
        }
    }

    static final class Expiry implements Delayed {
        private final Request request;
        private final long at = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        private volatile boolean cancelled;

        Expiry(Request request) {
            this.request = request;
        }

        void fire() {
            if (!cancelled && !request.done) {
                expired.incrementAndGet();
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed o) {
            return Long.compare(at, ((Expiry) o).at);
        }
    }

    private final DelayQueue<Expiry> expiry = new DelayQueue<>();
    private final BlockingQueue<Request> inbox = new ArrayBlockingQueue<>(20_000);
    private final double[] curve = new double[256];
    private long[] lat = new long[RATE * 4];
    private int latCount;
    private long answered;

    PremiumGateway() {
        for (int i = 0; i < curve.length; i++) {
            curve[i] = 0.01 + Math.sin(i * 0.01) * 0.002;
        }
    }

    private Expiry guard(Request r) {
        Expiry e = new Expiry(r);
        expiry.add(e);
        return e;
    }

    private void settle(Expiry e) {
        e.cancelled = true;
        if (FIXED) {
            expiry.remove(e);
        }
    }

    private void expire() {
        try {
            while (true) {
                expiry.take().fire();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer(Request r) {
        return "quote=" + r.id + ";price=" + (long) (r.price * 100) + ";legs=" + r.legs.length + ";valid=3s";
    }

    private Leg[] parse(long id) {
        Leg[] legs = new Leg[21];
        long x = id * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < legs.length; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            legs[i] = new Leg((int) (x & 255), (x >>> 12 & 0xFFFF) * 0.25);
        }
        return legs;
    }

    private double price(Request r) {
        double sum = 0;
        for (Leg leg : r.legs) {
            for (int t = 0; t <= leg.term; t += 16) {
                sum += leg.amount * curve[t] / (1 + t * 0.01);
            }
        }
        return sum;
    }

    private void feed() {
        long start = System.nanoTime();
        for (long id = 0; ; id++) {
            long due = start + id * (1_000_000_000L / RATE);
            long wait = due - System.nanoTime();
            if (wait > 200_000) {
                LockSupport.parkNanos(wait);
            }
            try {
                inbox.put(new Request(id, due, parse(id)));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void serve() {
        try {
            while (true) {
                Request r = inbox.take();
                Expiry timeout = guard(r);
                r.price = price(r);
                r.done = !answer(r).isEmpty();
                settle(timeout);
                record(System.nanoTime() - r.due);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void record(long nanos) {
        answered++;
        if (latCount < lat.length) {
            lat[latCount++] = nanos;
        }
    }

    private synchronized String drain() {
        Arrays.sort(lat, 0, latCount);
        long p99 = latCount == 0 ? 0 : lat[(int) (latCount * 0.99)];
        long sum = Arrays.stream(lat, 0, latCount).sum();
        String s = "measured: quotes/s=" + answered + " p99_us=" + p99 / 1000
                + " mean_us=" + sum / Math.max(1, latCount) / 1000
                + " expired=" + expired.get();
        latCount = 0;
        answered = 0;
        return s;
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        PremiumGateway g = new PremiumGateway();
        daemon(g::serve, "quote-desk-1");
        daemon(g::serve, "quote-desk-2");
        daemon(g::expire, "quote-expiry");
        daemon(g::feed, "quote-feed");
        System.out.println("READY");
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            System.out.println(g.drain());
        }
    }
}
