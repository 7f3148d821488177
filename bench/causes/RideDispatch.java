// SPDX-License-Identifier: Apache-2.0
// cause: OfferBook.cancel withdraws the expiry timer of an accepted offer with PriorityQueue.remove(Object), a linear search through some 30 000 outstanding timers on every ride.
// share: throughput about 8000 rides/s, fixed about 28 000 (ratio 3.4, so about 70 % of the dispatcher time)
// judge: NAMED only if the finding says that OfferBook.cancel (PriorityQueue.remove / indexOf called from it) searches the whole timer queue linearly, i.e. cost grows with the number of outstanding offers. "PriorityQueue is hot", "Offer.equals is hot" or "OfferBook lock contended" without the linear removal is a symptom. Blaming DriverMatcher, GC, memory leak of offers or the sweeper is wrong.
// expect: hot-code kind=searching-collections frame=OfferBook.cancel
// symptom: hot-method lock-contention
// jdk: 25
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class RideDispatch {
    static final LongAdder rides = new LongAdder(), expired = new LongAdder();

    public static void main(String[] args) throws Exception {
        OfferBook book = new OfferBook();
        Dispatcher dispatcher = new Dispatcher(book, new DriverMatcher());
        dispatcher.openShift(30_000);
        Thread.ofPlatform().daemon().name("dispatcher").start(dispatcher);
        Thread.ofPlatform().daemon().name("offer-expiry").start(() -> {
            try {
                while (true) {
                    Thread.sleep(50);
                    expired.add(book.expire(System.nanoTime()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d rides/s, %d offers open, %d expired%n", rides.sumThenReset(), book.size(), expired.sum());
        }
    }
}

final class Offer implements Comparable<Offer> {
    final long id, deadline;
    final double x, y;
    boolean closed;

    Offer(long id, long deadline, double x, double y) {
        this.id = id;
        this.deadline = deadline;
        this.x = x;
        this.y = y;
    }

    @Override public int compareTo(Offer o) {
        int c = Long.compare(deadline, o.deadline);
        return c != 0 ? c : Long.compare(id, o.id);
    }
    @Override public boolean equals(Object o) { return o instanceof Offer other && other.id == id; }
    @Override public int hashCode() { return Long.hashCode(id); }
}

class OfferBook {
    private final boolean fixed = Boolean.getBoolean("fixed");
    private final PriorityQueue<Offer> timers = new PriorityQueue<>();
    private final TreeSet<Offer> ordered = new TreeSet<>();

    synchronized void add(Offer offer) {
        if (fixed) ordered.add(offer);
        else timers.add(offer);
    }

    synchronized boolean cancel(Offer offer) {
        if (offer.closed) return false;
        offer.closed = true;
        return fixed ? ordered.remove(offer) : timers.remove(offer);
    }

    synchronized int expire(long now) {
        int n = 0;
        for (Offer first; (first = first()) != null && first.deadline < now; n++) {
            first.closed = true;
            if (fixed) ordered.pollFirst();
            else timers.poll();
        }
        return n;
    }

    private Offer first() {
        return fixed ? (ordered.isEmpty() ? null : ordered.first()) : timers.peek();
    }

    synchronized int size() { return fixed ? ordered.size() : timers.size(); }
}

class DriverMatcher {
    private final double[] xs = new double[600], ys = new double[600];
    private final Random random = new Random(4);

    DriverMatcher() {
        for (int i = 0; i < xs.length; i++) {
            xs[i] = random.nextDouble() * 40;
            ys[i] = random.nextDouble() * 40;
        }
    }

    int nearest(double x, double y) {
        int best = 0;
        double bestDistance = Double.MAX_VALUE;
        for (int i = 0; i < xs.length; i++) {
            double d = Math.hypot(x - xs[i], y - ys[i]);
            if (d < bestDistance) {
                bestDistance = d;
                best = i;
            }
        }
        xs[best] += (x - xs[best]) * 0.1;
        ys[best] += (y - ys[best]) * 0.1;
        return best;
    }
}

class Dispatcher implements Runnable {
    private final OfferBook book;
    private final DriverMatcher matcher;
    private final Random random = new Random(8);
    private Offer[] open = new Offer[0];
    private long nextId = 1;

    Dispatcher(OfferBook book, DriverMatcher matcher) {
        this.book = book;
        this.matcher = matcher;
    }

    private Offer newOffer() {
        long patience = 90_000_000_000L + random.nextInt(60_000) * 1_000_000L;
        Offer offer = new Offer(nextId++, System.nanoTime() + patience, random.nextDouble() * 40, random.nextDouble() * 40);
        book.add(offer);
        return offer;
    }

    void openShift(int offers) {
        open = new Offer[offers];
        for (int i = 0; i < offers; i++) open[i] = newOffer();
    }

    public void run() {
        while (true) {
            int k = random.nextInt(open.length);
            Offer taken = open[k];
            int driver = matcher.nearest(taken.x, taken.y);
            if (book.cancel(taken) && driver >= 0) RideDispatch.rides.increment();
            open[k] = newOffer();
        }
    }
}
