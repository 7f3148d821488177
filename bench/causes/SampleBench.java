// SPDX-License-Identifier: Apache-2.0
// cause: SampleBench$WorkList.subscribe adds its three tie-breakers to the order anew for each analyser that signs in (order = order.thenComparing(...)), so that the comparator is hundreds of wrappers deep, one in another, and each comparison of the sort in WorkList.ranked goes through all of them
// share: 92 to 95 % of the program's work is sorting 500 samples through a comparator that is 360 wrappers deep and more (4 to 12 ms for each sort, 0.2 to 0.3 ms with a comparator to which the tie-breakers were added once); 250 to 460 ms of each second against 20 to 45 (once 139) for all else, on a machine where others took most of both CPUs
// expect: hot-code kind=nested-wrappers frame=SampleBench$
// symptom: hot-method hot-calls hot-code saturated-thread
// judge: NAMED: many wrappers, one in another (kind nested-wrappers), for SampleBench$WorkList.ranked (which calls List.sort) or for a synthetic lambda or a getter of Sample below it, with Comparator.thenComparing as what is nested; also an answer that names WorkList.subscribe as what makes the comparator deep. SYMPTOM ONLY: sorting at WorkList.ranked, or costly comparisons there, without the depth; hot-method of Comparator.lambda$thenComparing or comparingInt; hot-calls at WorkList.ranked; dispatcher having work all the time. WRONG: Results.record, WorkList.finish, HashSet, searching collections, Sample.urgency as a costly method by itself, collections, no fault
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Hands out the blood samples of a hospital's laboratory to its analysers, most urgent first. */
public class SampleBench {
    static final AtomicLong ranks = new AtomicLong();
    static final AtomicLong rankNanos = new AtomicLong();
    static final AtomicLong otherNanos = new AtomicLong();

    static final class Sample {
        private final int number;
        private final int urgency;
        private final int ward;
        private final long drawn;

        Sample(int number, int urgency, int ward, long drawn) {
            this.number = number;
            this.urgency = urgency;
            this.ward = ward;
            this.drawn = drawn;
        }

        int urgency() {
            return urgency;
        }

        int ward() {
            return ward;
        }

        long drawn() {
            return drawn;
        }

        int number() {
            return number;
        }
    }

    /** What is to be done, in the order in which the analysers get it. */
    static final class WorkList {
        private final List<Sample> open = new ArrayList<>();
        private final Map<String, Long> analysers = new HashMap<>();
        private Comparator<Sample> order = Comparator.comparingInt(Sample::urgency);

        void subscribe(String analyser, long now) {
            analysers.put(analyser, now);
            order = order.thenComparing(Comparator.comparingLong(Sample::drawn))
                    .thenComparing(Comparator.comparingInt(Sample::ward))
                    .thenComparing(Comparator.comparingInt(Sample::number));
        }

        void add(Sample sample) {
            open.add(sample);
        }

        List<Sample> ranked() {
            List<Sample> ranked = new ArrayList<>(open);
            ranked.sort(order);
            return ranked;
        }

        void finish(List<Sample> done) {
            open.removeAll(new java.util.HashSet<>(done));
        }

        int size() {
            return open.size();
        }
    }

    /** Samples as the wards send them. */
    static final class Intake {
        private final SplittableRandom random = new SplittableRandom(5);
        private int next = 1;

        Sample sample() {
            return new Sample(next++, random.nextInt(5), random.nextInt(40), 1_000_000 + random.nextInt(400));
        }
    }

    /** Values of an analyser are checked against those of the patient's last days. */
    static final class Results {
        private final Deque<double[]> history = new ArrayDeque<>();
        private long flagged;

        void record(Sample sample) {
            double[] values = new double[24];
            for (int i = 0; i < values.length; i++) {
                values[i] = Math.sqrt(sample.number() * 31 + i) % 17;
            }
            for (double[] before : history) {
                double distance = 0;
                for (int i = 0; i < values.length; i++) {
                    distance += Math.abs(values[i] - before[i]);
                }
                if (distance > 200) {
                    flagged++;
                }
            }
            history.addLast(values);
            if (history.size() > 200) {
                history.removeFirst();
            }
        }
    }

    static final class Dispatcher implements Runnable {
        private static final String[] ANALYSERS = {"cobas-1", "cobas-2", "sysmex-1", "atellica-1", "atellica-2", "bns-1"};
        private final WorkList list = new WorkList();
        private final Intake intake = new Intake();
        private final Results results = new Results();
        private long round;

        Dispatcher() {
            for (int shift = 0; shift < 20; shift++) {
                for (String analyser : ANALYSERS) {
                    list.subscribe(analyser, shift);
                }
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    step();
                    TimeUnit.MILLISECONDS.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void step() {
            long begin = System.nanoTime();
            if (round++ % 300 == 299 && round < 30_000) {
                list.subscribe(ANALYSERS[(int) (round / 300 % ANALYSERS.length)], round);
            }
            while (list.size() < 500) {
                list.add(intake.sample());
            }
            long filled = System.nanoTime();
            List<Sample> ranked = list.ranked();
            long sorted = System.nanoTime();
            List<Sample> batch = new ArrayList<>(ranked.subList(0, 40));
            for (Sample sample : batch) {
                results.record(sample);
            }
            list.finish(batch);
            rankNanos.addAndGet(sorted - filled);
            otherNanos.addAndGet(System.nanoTime() - sorted + filled - begin);
            ranks.incrementAndGet();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new Dispatcher(), "dispatcher").start();
        while (ranks.get() < 60) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {ranks.get(), rankNanos.get(), otherNanos.get()};
        while (true) {
            Thread.sleep(1000);
            long[] now = {ranks.get(), rankNanos.get(), otherNanos.get()};
            System.out.printf("measured: %d rounds, %d ms ranking 500 samples each, %d ms all else%n", now[0] - last[0],
                    (now[1] - last[1]) / 1_000_000, (now[2] - last[2]) / 1_000_000);
            System.out.flush();
            last = now;
        }
    }
}
