// SPDX-License-Identifier: Apache-2.0
// healthy: A results board with 1500 viewers, each a virtual thread in a long poll that waits up to 4 s for the next change of its district; nearly all threads are parked at any time and the poll takes seconds by design, while each change reaches its viewers within milliseconds.
// share: none; 500 updates delivered/s, mean delivery 0.2 to 1 ms, CPU well below one core
// judge: Right is "no fault found", or the remark that the parked virtual threads are long polls as designed. Wrong: threads stuck / deadlock / starvation in District.await, thread explosion or leak, lock contention on the districts' lock, slow polls (the waiting time of a poll is no latency), pinning, or tally computation as a fault.
// jdk: 25
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.*;

public class ElectionBoard {
    static final LongAdder delivered = new LongAdder(), nanos = new LongAdder(), empty = new LongAdder();

    public static void main(String[] args) throws Exception {
        List<District> districts = new ArrayList<>();
        for (int i = 0; i < 150; i++) districts.add(new District(i));
        for (int i = 0; i < 1500; i++) Thread.ofVirtual().name("viewer-" + i).start(new Viewer(districts.get(i % 150)));
        CountingCentre centre = new CountingCentre(districts);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("counting-centre").factory());
        clock.scheduleAtFixedRate(centre, 500, 20, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = delivered.sumThenReset();
            System.out.printf("measured: %d updates delivered/s, mean delivery %.2f ms, empty polls %d%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n), empty.sumThenReset());
        }
    }
}

record Standing(long version, long at, String text) {}

class District {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final int number;
    private Standing current;

    District(int number) {
        this.number = number;
        this.current = new Standing(0, System.nanoTime(), "district " + number + ": no result");
    }

    void publish(String text) {
        lock.lock();
        try {
            current = new Standing(current.version() + 1, System.nanoTime(), "district " + number + ": " + text);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Standing await(long seen, long millis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lock();
        try {
            while (current.version() <= seen) {
                if (left <= 0) return null;
                left = changed.awaitNanos(left);
            }
            return current;
        } finally {
            lock.unlock();
        }
    }
}

class Tally {
    private final long[] votes = new long[9];

    void count(int party, int n) { votes[party] += n; }

    int[] seats(int total) {
        int[] seats = new int[votes.length];
        for (int s = 0; s < total; s++) {
            int best = 0;
            for (int p = 1; p < votes.length; p++) {
                if (votes[p] * (seats[best] + 1) > votes[best] * (seats[p] + 1)) best = p;
            }
            seats[best]++;
        }
        return seats;
    }
}

class CountingCentre implements Runnable {
    private final List<District> districts;
    private final List<Tally> tallies = new ArrayList<>();
    private final Random random = new Random(12);

    CountingCentre(List<District> districts) {
        this.districts = districts;
        for (int i = 0; i < districts.size(); i++) tallies.add(new Tally());
    }

    public void run() {
        int k = random.nextInt(districts.size());
        Tally tally = tallies.get(k);
        for (int p = 0; p < 9; p++) tally.count(p, random.nextInt(40 * (p + 1)));
        districts.get(k).publish(Arrays.toString(tally.seats(120)));
    }
}

class Viewer implements Runnable {
    private final District district;
    private int shown;

    Viewer(District district) { this.district = district; }

    public void run() {
        long seen = 0;
        try {
            while (true) {
                Standing s = district.await(seen, 4000);
                if (s == null) {
                    ElectionBoard.empty.increment();
                    continue;
                }
                seen = s.version();
                shown += s.text().length();
                ElectionBoard.nanos.add(System.nanoTime() - s.at());
                ElectionBoard.delivered.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
