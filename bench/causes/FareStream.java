// SPDX-License-Identifier: Apache-2.0
// cause: each fare is handed over from thread to thread twice, and each time both have to meet, which takes far longer than the work on it: FareStream.read, rate and post
// share: a fare each 4.4 to 70 us, of which 0.2 to 0.4 us are work of all three threads together: 94 % or more is hand-over
// expect: waiting frame=FareStream.read | waiting frame=FareStream.rate | waiting frame=FareStream.post | hot-method caller=FareStream | hot-calls frame=FareStream | hot-code frame=FareStream
// judge: right is that threads hand over to each other at a high rate, or a wait or hot code of the SynchronousQueue below read(), rate() or post()
// symptom: waiting saturated-thread hot-method hot-calls hot-code
// jdk: 17
// set: tenth
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.LongAdder;

/** Taps of cards at stations become fares, which are posted to the lines. */
public final class FareStream {
    private static final LongAdder WORKING = new LongAdder();
    private static final LongAdder FARES = new LongAdder();

    private final BlockingQueue<String> taps = new SynchronousQueue<>();
    private final BlockingQueue<long[]> fares = new SynchronousQueue<>();

    private void read() {
        try {
            for (int n = 0;; n = (n + 1) % 1_000_000) {
                long start = System.nanoTime();
                String tap = n + ",U" + n % 9 + "," + n % 37 + "," + n % 41;
                WORKING.add(System.nanoTime() - start);
                taps.put(tap);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void rate() {
        try {
            for (;;) {
                String tap = taps.take();
                long start = System.nanoTime();
                String[] fields = tap.split(",");
                int stations = Math.abs(Integer.parseInt(fields[2]) - Integer.parseInt(fields[3]));
                long[] fare = {fields[1].charAt(1) - '0', 120 + 35L * Math.min(stations, 12)};
                WORKING.add(System.nanoTime() - start);
                fares.put(fare);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void post() {
        Map<Long, Long> lines = new TreeMap<>();
        try {
            for (;;) {
                long[] fare = fares.take();
                long start = System.nanoTime();
                lines.merge(fare[0], fare[1], Long::sum);
                WORKING.add(System.nanoTime() - start);
                FARES.increment();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        FareStream stream = new FareStream();
        new Thread(stream::read, "taps").start();
        new Thread(stream::rate, "rating").start();
        new Thread(stream::post, "posting").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long fares = FARES.sumThenReset();
            System.out.println("measured: " + fares + " fares a second, one each " + 1_000_000_000 / (fares + 1) + " ns, of which "
                    + WORKING.sumThenReset() / (fares + 1) + " ns are work of all three threads");
        }
    }
}
