// SPDX-License-Identifier: Apache-2.0
// cause: TaxiBooking$Guard.watch puts a TimerTask (Limit) with a reference to its Ride into a java.util.Timer for 14 s and only cancels it when the ride is answered after less than a millisecond; nothing purges the Timer, so about 17,000 cancelled tasks keep about 45 MB of rides alive in a heap of 64 MB, and one full collection follows another.
// share: faulty: mean latency 6.1 ms from READY on, 6 to 30 ms later (1250 rides/s, at times fewer); fixed: 0.25 to 0.4 ms in most seconds, 1.5 ms over 10 s with one disturbed second of 10 ms; READY comes after 16 s, when the effect is there.
// expect: cancelled-tasks
// symptom: gc-cpu gc-pauses live-set
// judge: NAMED: cancelled tasks (TaxiBooking$Limit) stay in the queue of the java.util.Timer (guard) until they would be due and keep the rides in the heap (purge() after cancel helps). SYMPTOM ONLY: collections take much of the time, the heap is nearly full, a larger heap, who allocates most (Fleet.nearest, Ride), or that int[] or Ride fills the heap without the Timer. WRONG: a leak that grows without end, the ArrayBlockingQueue or the dispatchers as the cause, too few threads, slow code in Fleet.nearest.
// jdk: 8
// set: twenty-fourth
// jvm:
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class TaxiBooking {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong booked = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();

    static final class Ride {
        final long id;
        final long due;
        final int[] waypoints = new int[600];
        final CompletableFuture<String> answer = new CompletableFuture<>();

        Ride(long id, long due, Random random) {
            this.id = id;
            this.due = due;
            for (int i = 0; i < waypoints.length; i++) waypoints[i] = random.nextInt(100_000);
        }

        long length() {
            long sum = 0;
            for (int i = 1; i < waypoints.length; i++) sum += Math.abs(waypoints[i] - waypoints[i - 1]);
            return sum;
        }
    }

    static final class Limit extends TimerTask {
        private final Ride ride;

        Limit(Ride ride) {
            this.ride = ride;
        }

        @Override
        public void run() {
            ride.answer.completeExceptionally(new TimeoutException("ride " + ride.id));
        }
    }

    static final class Guard {
        private final Timer timer = new Timer("guard", true);
        private final AtomicLong ended = new AtomicLong();

        Guard(Fleet fleet) {
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    fleet.refresh();
                }
            }, 250, 250);
        }

        void watch(Ride ride, int seconds) {
            Limit limit = new Limit(ride);
            timer.schedule(limit, seconds * 1000L);
            ride.answer.whenComplete((text, error) -> end(limit));
        }

        private void end(Limit limit) {
            limit.cancel();
            if (ended.incrementAndGet() % 500 == 0 && FIXED) timer.purge();
        }
    }

    static final class Fleet {
        private final Map<Integer, Integer> cars = new HashMap<>();
        private volatile int moved;

        Fleet() {
            for (int i = 0; i < 3000; i++) cars.put(i, i * 131 % 100_000);
        }

        void refresh() {
            moved = (moved + 17) % 1000;
        }

        String nearest(Ride ride) {
            int start = ride.waypoints[0];
            List<String> offers = new ArrayList<>();
            for (int i = 0; i < 160; i++) {
                int car = (int) ((ride.id * 31 + i * 47) % 3000);
                offers.add("car " + car + " at distance " + Math.abs(cars.get(car) + moved - start) + " of " + ride.length());
            }
            offers.sort(null);
            return offers.get(0);
        }
    }

    static final class Dispatcher extends Thread {
        private final BlockingQueue<Ride> rides;
        private final Fleet fleet;

        Dispatcher(int number, BlockingQueue<Ride> rides, Fleet fleet) {
            super("dispatch-" + number);
            this.rides = rides;
            this.fleet = fleet;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Ride ride = rides.take();
                    ride.answer.complete(fleet.nearest(ride));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Intake {
        private final BlockingQueue<Ride> rides;
        private final Guard guard;
        private final Random random = new Random(11);
        private long ids;

        Intake(BlockingQueue<Ride> rides, Guard guard) {
            this.rides = rides;
            this.guard = guard;
        }

        void accept(long due) {
            Ride ride = new Ride(ids++, due, random);
            ride.answer.whenComplete((text, error) -> {
                spent.addAndGet(System.nanoTime() - ride.due);
                booked.incrementAndGet();
            });
            guard.watch(ride, 14);
            rides.offer(ride);
        }

        void run() {
            long next = System.nanoTime();
            while (true) {
                next += 800_000L;
                long now = System.nanoTime();
                if (next > now) LockSupport.parkNanos(next - now);
                if (now - next > 400_000_000L) next = now;
                accept(next);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Ride> rides = new ArrayBlockingQueue<>(3000);
        Fleet fleet = new Fleet();
        Guard guard = new Guard(fleet);
        for (int i = 0; i < 3; i++) new Dispatcher(i, rides, fleet).start();
        Thread intake = new Thread(() -> new Intake(rides, guard).run(), "intake");
        intake.setDaemon(true);
        intake.start();
        Thread.sleep(16_000);
        System.out.println("READY");
        for (int second = 0; second < 160; second++) {
            long n = booked.get();
            long t = spent.get();
            Thread.sleep(1000);
            long count = booked.get() - n;
            System.out.printf("measured: %d rides/s, mean latency %.2f ms%n", count, count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
