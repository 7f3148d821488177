// SPDX-License-Identifier: Apache-2.0
// healthy: 32 threads (one for each line) get ready to run at the same time at each tick of a second and compete for the CPUs for some tens of milliseconds, like too many threads that compute; but each digest is due at the end of its second only, all are ready early in it, and the threads sleep for the rest.
// share: a typical second of an 11 s run on a crowded machine of 2 CPUs: 32 digests a second, ready 113 ms after the tick on average, 301 at most, 0 missed their second, 368 trams standing
// judge: Wrong findings: too many threads, a lack of CPUs as a fault, the sleep until the next tick as a fault, a lock. Acceptable as true and neutral: Tram.smoothed (Math.exp) is where the CPU time goes; threads wait for a CPU for a short time after each tick; threads sleep most of the time.
// jdk: 25
// set: twenty-ninth
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class TramDepotDigest {
    static final LongAdder ROUNDS = new LongAdder();
    static final LongAdder MISSED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();
    static final AtomicLong LONGEST = new AtomicLong();

    record Position(double metre, double speed, long at) {
    }

    record Digest(double headway, double lateness, int standing) {
    }

    static final class Tram {
        private final double[] metre = new double[256];
        private final double[] speed = new double[256];
        private int count;

        void report(Position p) {
            metre[count & 255] = p.metre();
            speed[count & 255] = p.speed();
            count++;
        }

        double smoothed(int window) {
            int n = Math.min(count, 256);
            double sum = 0;
            double weight = 0;
            for (int i = 0; i < n; i++) {
                int k = (count - 1 - i) & 255;
                double w = Math.exp(-i / (double) window);
                sum += w * (metre[k] + speed[k] * i);
                weight += w;
            }
            return weight == 0 ? 0 : sum / weight;
        }
    }

    static final class Line implements Runnable {
        private final int number;
        private final long start;
        private final long end;
        private final List<Tram> trams = new ArrayList<>();
        private final Random random;
        private volatile Digest latest;

        Line(int number, long start, long end) {
            this.number = number;
            this.start = start;
            this.end = end;
            this.random = new Random(number);
            for (int i = 0; i < 24; i++) {
                trams.add(new Tram());
            }
        }

        @Override
        public void run() {
            long due = start;
            try {
                while (due < end) {
                    long rest = due - System.nanoTime();
                    if (rest > 0) {
                        Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
                    }
                    receive();
                    latest = digest();
                    long took = System.nanoTime() - due;
                    NANOS.add(took);
                    ROUNDS.increment();
                    LONGEST.accumulateAndGet(took, Math::max);
                    due += 1_000_000_000L;
                    if (System.nanoTime() > due) {
                        MISSED.increment();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void receive() {
            for (Tram t : trams) {
                double v = 9 * random.nextDouble();
                for (int i = 0; i < 12; i++) {
                    t.report(new Position(i * v + number, v, i));
                }
            }
        }

        private Digest digest() {
            double headway = 0;
            double late = 0;
            int standing = 0;
            double previous = 0;
            for (Tram t : trams) {
                double best = Double.MAX_VALUE;
                double at = 0;
                for (int window = 1; window <= 150; window++) {
                    double m = t.smoothed(window);
                    double cost = Math.abs(m - previous) + window * 0.1;
                    if (cost < best) {
                        best = cost;
                        at = m;
                    }
                }
                headway += Math.abs(at - previous);
                late += at / 9;
                if (Math.abs(at - previous) < 1) {
                    standing++;
                }
                previous = at;
            }
            return new Digest(headway / trams.size(), late / trams.size(), standing);
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long start = System.nanoTime() + 500_000_000L;
        long end = System.nanoTime() + span * 1_000_000_000L;
        List<Line> lines = new ArrayList<>();
        for (int i = 1; i <= 32; i++) {
            Line line = new Line(i, start, end);
            lines.add(line);
            Thread t = new Thread(line, "line-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = ROUNDS.sumThenReset();
            long ns = NANOS.sumThenReset();
            int standing = 0;
            for (Line line : lines) {
                standing += line.latest == null ? 0 : line.latest.standing();
            }
            System.out.printf("measured: %d digests a second, ready %.0f ms after the tick on average, %d at most, %d missed their second, %d trams standing%n",
                n, n == 0 ? 0 : ns / 1e6 / n, LONGEST.getAndSet(0) / 1_000_000, MISSED.sum(), standing);
        }
    }
}
