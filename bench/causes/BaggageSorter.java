// SPDX-License-Identifier: Apache-2.0
// cause: BaggageSorter.beltOf takes the low three bits of the tag number, in which only the bag's kind is coded (nearly always 0), so that one of the eight belt workers gets almost all bags while the others are idle; the dispatcher waits for room in that one queue.
// share: about 86 % of the possible throughput is lost; fixed is 7 times better (355 against 2520 bags/s)
// judge: Must say that the work is unevenly distributed: belt-0 does nearly all and the other belt threads idle (skewed partition, BaggageSorter.beltOf), so that the dispatcher waits in put for belt-0's queue. Only "dispatcher blocked in ArrayBlockingQueue.put", "belt-0 sleeps/waits for its pusher" or "too few threads" is a symptom.
// expect: waiting uneven=belt-0
// symptom: waiting
// set: twentieth
// jdk: 21
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

public class BaggageSorter {
    record Bag(long tag, String flight, long checkedIn) { }

    static final int BELTS = 8;
    private final List<BlockingQueue<Bag>> belts = new ArrayList<>();
    private final LongAdder sorted = new LongAdder();
    private final LongAdder micros = new LongAdder();
    private final boolean mixed = Boolean.getBoolean("fixed");
    private volatile long audit;

    int beltOf(long tag) {
        if (mixed) {
            long h = (tag >>> 4) * 0x9E3779B97F4A7C15L;
            return (int) (h >>> 61);
        }
        return (int) (tag & (BELTS - 1));
    }

    void checkIn() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            for (long serial = 220_000; ; serial++) {
                int roll = r.nextInt(100);
                int kind = roll < 90 ? 0 : roll < 96 ? 4 : 9;
                Bag bag = new Bag(serial << 4 | kind, "OS" + (100 + r.nextInt(800)), System.nanoTime());
                belts.get(beltOf(bag.tag())).put(bag);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void belt(int number) {
        CRC32 seal = new CRC32();
        try {
            while (true) {
                Bag bag = belts.get(number).take();
                for (int i = 0; i < 400; i++) {
                    seal.update((int) (bag.tag() + i));
                }
                push();
                audit = seal.getValue() ^ bag.flight().hashCode();
                sorted.increment();
                micros.add((System.nanoTime() - bag.checkedIn()) / 1000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void push() {
        LockSupport.parkNanos(3_000_000);
    }

    public static void main(String[] args) throws InterruptedException {
        BaggageSorter sorter = new BaggageSorter();
        for (int i = 0; i < BELTS; i++) {
            sorter.belts.add(new ArrayBlockingQueue<>(32));
        }
        for (int i = 0; i < BELTS; i++) {
            int n = i;
            Thread.ofPlatform().daemon().name("belt-" + n).start(() -> sorter.belt(n));
        }
        Thread.ofPlatform().daemon().name("check-in").start(sorter::checkIn);
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            long n = sorter.sorted.sumThenReset();
            long us = sorter.micros.sumThenReset();
            System.out.printf("measured: %d bags/s, mean %.1f ms in the system%n", n, n == 0 ? 0 : us / 1e3 / n);
        }
    }
}
