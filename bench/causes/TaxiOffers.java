// SPDX-License-Identifier: Apache-2.0
// healthy: drivers wait for passengers: each of 20 cars that is free makes an Offer and waits on it (Object.wait) until the dispatcher completes it, which looks like waiting for a reply; it is waiting for work, since a call from a passenger is answered within some milliseconds and there are more cars than passengers at that hour
// share: a call waits 2 to 4 ms for its car, nearly all of which is the search for the nearest one, as measured, and no call is ever without one; cars are free most of the time; the dispatcher rests for more than 80 % of its time
// judge: NAMED: that nothing stands out, or neutral words only: threads wait for a reply/notification at TaxiOffers$Offer.await, which somebody in the process is to give, "if it should be less", without an accusation; or that time goes to computing in TaxiOffers$Streets.minutes (neutral). SYMPTOM ONLY: does not apply. WRONG: an accusation of the waiting at Offer.await or Car.run, of the dispatcher as too slow, saturated or resting/polling, of locks, of lost notifications, of collections or hot code
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx128m
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** The exchange of a taxi company: passengers call, the dispatcher finds the car that is there first. */
public class TaxiOffers {
    static final LongAdder calls = new LongAdder(), callNanos = new LongAdder(), without = new LongAdder();
    static final LongAdder idleNanos = new LongAdder(), rides = new LongAdder(), dispatchNanos = new LongAdder(), freeCars = new LongAdder();

    record Call(int from, int to, long at) { }

    /** A car that is free, and where it stands; done when the dispatcher has given it a passenger. */
    static final class Offer {
        final int car, place;
        private Call call;

        Offer(int car, int place) {
            this.car = car;
            this.place = place;
        }

        synchronized Call await() throws InterruptedException {
            while (call == null)
                wait();
            return call;
        }

        synchronized void give(Call passenger) {
            call = passenger;
            notifyAll();
        }
    }

    /** The town's streets: how many minutes it takes from one place to another. */
    static final class Streets {
        static final int SIDE = 72, PLACES = SIDE * SIDE;
        private final int[] cost = new int[PLACES];

        Streets() {
            Random random = new Random(3);
            for (int i = 0; i < PLACES; i++)
                cost[i] = 1 + random.nextInt(5);
        }

        /** From one place to all others, by sweeps until nothing gets shorter. */
        int[] minutes(int from) {
            int[] best = new int[PLACES];
            Arrays.fill(best, 1 << 20);
            best[from] = 0;
            boolean shorter = true;
            while (shorter) {
                shorter = false;
                for (int i = 0; i < PLACES; i++) {
                    int least = best[i];
                    if (i % SIDE > 0)
                        least = Math.min(least, best[i - 1] + cost[i]);
                    if (i % SIDE < SIDE - 1)
                        least = Math.min(least, best[i + 1] + cost[i]);
                    if (i >= SIDE)
                        least = Math.min(least, best[i - SIDE] + cost[i]);
                    if (i < PLACES - SIDE)
                        least = Math.min(least, best[i + SIDE] + cost[i]);
                    shorter |= least < best[i];
                    best[i] = least;
                }
            }
            return best;
        }
    }

    static final class Exchange implements Runnable {
        private final BlockingQueue<Call> queue = new LinkedBlockingQueue<>();
        private final Set<Offer> free = new LinkedHashSet<>();
        private final Streets streets = new Streets();

        void call(Call call) {
            queue.add(call);
        }

        void register(Offer offer) {
            synchronized (free) {
                free.add(offer);
                free.notify();
            }
        }

        private Offer nearest(int[] minutes) throws InterruptedException {
            synchronized (free) {
                if (free.isEmpty())
                    without.increment();
                while (free.isEmpty())
                    free.wait();
                freeCars.add(free.size());
                Offer best = null;
                for (Iterator<Offer> i = free.iterator(); i.hasNext(); ) {
                    Offer offer = i.next();
                    if (best == null || minutes[offer.place] < minutes[best.place])
                        best = offer;
                }
                free.remove(best);
                return best;
            }
        }

        @Override public void run() {
            try {
                while (true) {
                    Call call = queue.take();
                    long begin = System.nanoTime();
                    nearest(streets.minutes(call.from())).give(call);
                    long end = System.nanoTime();
                    calls.increment();
                    callNanos.add(end - call.at());
                    dispatchNanos.add(end - begin);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A car: free, on a ride, free again where that ended. Rides take seconds here, not minutes. */
    static final class Car implements Runnable {
        private final Exchange exchange;
        private final int number;

        Car(Exchange exchange, int number) {
            this.exchange = exchange;
            this.number = number;
        }

        @Override public void run() {
            int place = number * 37 % Streets.PLACES;
            try {
                while (true) {
                    Offer offer = new Offer(number, place);
                    long begin = System.nanoTime();
                    exchange.register(offer);
                    Call call = offer.await();
                    idleNanos.add(System.nanoTime() - begin);
                    int[] minutes = exchange.streets.minutes(place);
                    Thread.sleep(60 + (minutes[call.from()] + minutes[call.to()]) / 10);
                    place = call.to();
                    rides.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Passengers, who call when they like to. */
    static void passengers(Exchange exchange) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            while (true) {
                Thread.sleep(10 + random.nextInt(40));
                exchange.call(new Call(random.nextInt(Streets.PLACES), random.nextInt(Streets.PLACES), System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Exchange exchange = new Exchange();
        new Thread(exchange, "dispatcher").start();
        for (int i = 0; i < 20; i++)
            new Thread(new Car(exchange, i), "car-" + i).start();
        new Thread(() -> passengers(exchange), "telephone").start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, calls.sumThenReset());
            System.out.printf("measured: %d calls, a car for each within %.2f ms, %.1f of 20 cars free, %d calls without; dispatcher busy %.1f %%; a car is free for %.0f ms%n",
                n, callNanos.sumThenReset() / 1e6 / n, freeCars.sumThenReset() / (double) n, without.sum(), dispatchNanos.sumThenReset() / 1e7, idleNanos.sumThenReset() / 1e6 / n);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
