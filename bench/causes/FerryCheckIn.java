// SPDX-License-Identifier: Apache-2.0
// cause: FerryCheckIn$Marshal.next asks the ConcurrentLinkedQueue of each of 12 booths for a car (poll) without a rest, millions of times a second, nearly always in vain: the thread marshal computes all the time for some hundreds of cars a second
// share: the thread marshal takes a CPU whenever it gets one (97 % of the CPU time of the process), 10 to 15 million rounds of the booths a second on half a CPU, for some 320 cars a second that cost 1 to 3 ms of it
// expect: hot-code kind=polling-queues frame=FerryCheckIn$Marshal
// symptom: hot-code hot-calls hot-method
// judge: NAMED: polling of (nearly always empty) queues, ConcurrentLinkedQueue.poll, by FerryCheckIn$Marshal.next (or its caller Marshal.run) (hot-code polling-queues; or hot-method/hot-calls that name ConcurrentLinkedQueue.poll with Marshal.next or Marshal.run as caller). SYMPTOM ONLY: thread marshal saturated, or Marshal.next hot, with no word of queues or polling. WRONG: all else first (Decks.place, Booth, collections, sleeps).
// jdk: 8
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Check-in of a car ferry: booths take cars, the marshal sends each to a lane of a deck. */
public class FerryCheckIn {
    static final AtomicLong placed = new AtomicLong();
    static final AtomicLong rounds = new AtomicLong();
    static final AtomicLong placing = new AtomicLong();

    static final class Car {
        final String plate;
        final int centimetres;
        final int kilograms;

        Car(String plate, int centimetres, int kilograms) {
            this.plate = plate;
            this.centimetres = centimetres;
            this.kilograms = kilograms;
        }
    }

    /** A booth with its clerk; cars wait behind it for the marshal. */
    static final class Booth implements Runnable {
        final Queue<Car> cars = new ConcurrentLinkedQueue<>();
        private final Random random;

        Booth(int number) {
            random = new Random(number);
        }

        @Override
        public void run() {
            while (true) {
                cars.add(new Car("K-" + random.nextInt(10000), 350 + random.nextInt(300), 900 + random.nextInt(1800)));
                try {
                    Thread.sleep(20 + random.nextInt(30));
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** The lanes of all decks; a full lane sails. */
    static final class Decks {
        private final int[] length = new int[40];
        private final int[] weight = new int[40];
        private int sailed;

        int place(Car car) {
            int best = 0;
            double least = Double.MAX_VALUE;
            for (int lane = 0; lane < length.length; lane++) {
                double trim = Math.abs(lane - 19.5) * (weight[lane] + car.kilograms) + length[lane] * 3.0;
                if (trim < least) {
                    least = trim;
                    best = lane;
                }
            }
            length[best] += car.centimetres;
            weight[best] += car.kilograms;
            if (length[best] > 9000) {
                length[best] = 0;
                weight[best] = 0;
                sailed++;
            }
            return best;
        }
    }

    static final class Marshal implements Runnable {
        private final List<Booth> booths;
        private final Decks decks = new Decks();
        private final List<String> board = new ArrayList<>();
        private int at;

        Marshal(List<Booth> booths) {
            this.booths = booths;
        }

        /** The next car, from the booths in turn. */
        private Car next() {
            int count = booths.size();
            for (int i = 0; i < count; i++) {
                at = at + 1 == count ? 0 : at + 1;
                Car car = booths.get(at).cars.poll();
                if (car != null)
                    return car;
            }
            return null;
        }

        @Override
        public void run() {
            long tours = 0;
            while (true) {
                Car car = next();
                if ((++tours & 0xfff) == 0)
                    rounds.addAndGet(0x1000);
                if (car == null)
                    continue;
                long start = System.nanoTime();
                show(car, decks.place(car));
                placed.incrementAndGet();
                placing.addAndGet(System.nanoTime() - start);
            }
        }

        private void show(Car car, int lane) {
            if (board.size() >= 100)
                board.clear();
            board.add(car.plate + " lane " + lane);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Booth> booths = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Booth booth = new Booth(i);
            booths.add(booth);
            Thread thread = new Thread(booth, "booth-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread marshal = new Thread(new Marshal(booths), "marshal");
        marshal.setDaemon(true);
        marshal.start();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (int second = 1; ; second++) {
            long p = placed.get(), r = rounds.get(), t = placing.get(), cpu = threads.getThreadCpuTime(marshal.getId());
            Thread.sleep(1000);
            if (second == 3)
                System.out.println("READY");
            System.out.printf("measured: %d cars placed in %.1f ms; the marshal went round the 12 booths %d times, for %.0f ms of CPU time%n",
                placed.get() - p, (placing.get() - t) / 1e6, rounds.get() - r,
                (threads.getThreadCpuTime(marshal.getId()) - cpu) / 1e6);
            System.out.flush();
        }
    }
}
