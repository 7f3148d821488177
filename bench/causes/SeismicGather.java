// SPDX-License-Identifier: Apache-2.0
// healthy: up to 600 virtual threads are started at once and most of them have not run yet, but they only queue for CPUs: all carriers compute (SeismicGather$Correlator.pick) without blocking, and each shot is done when all its traces are, in whatever order.
// share: 9.6 to 11.3 shots/s of 600 traces (5,750 to 6,780 traces/s) as the CPUs allow.
// judge: WRONG: that carriers are too few, blocked or pinned, that more parallelism or platform threads would help; that Future.get in Gather.firstBreak is a fault; a lock, GC. ACCEPTABLE: neutral and true remarks: virtual threads that have been started and have not run yet, while the carriers compute; CPU time is computing in Correlator.pick; the CPUs are used up; nothing stands out; other programs of the machine take CPUs, if they do.
// jdk: 21
// set: thirtieth
// jvm:

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class SeismicGather {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int TRACES = 600;
    static final int SAMPLES = 1000;
    static final int LAGS = 160;

    static final class Survey {
        private final float[][] traces = new float[64][SAMPLES];
        private final float[] sweep = new float[LAGS];

        Survey() {
            Random random = new Random(41);
            for (float[] t : traces) {
                for (int i = 0; i < t.length; i++) {
                    t[i] = (float) random.nextGaussian();
                }
            }
            for (int i = 0; i < sweep.length; i++) {
                sweep[i] = (float) Math.sin(i * i / 180.0);
            }
        }

        float[] trace(int shot, int receiver) {
            return traces[(shot * 7 + receiver) & 63];
        }
    }

    record Pick(int receiver, int sample, float strength) { }

    static final class Correlator {
        final Survey survey;

        Correlator(Survey survey) {
            this.survey = survey;
        }

        Pick pick(int shot, int receiver) {
            float[] trace = survey.trace(shot, receiver);
            float best = 0;
            int at = 0;
            for (int start = 0; start + LAGS <= SAMPLES; start++) {
                float sum = 0;
                for (int lag = 0; lag < LAGS; lag++) {
                    sum += trace[start + lag] * survey.sweep[lag];
                }
                if (sum > best) {
                    best = sum;
                    at = start;
                }
            }
            return new Pick(receiver, at, best);
        }
    }

    static final class Gather {
        final Correlator correlator;
        final ExecutorService receivers;

        Gather(Correlator correlator, ExecutorService receivers) {
            this.correlator = correlator;
            this.receivers = receivers;
        }

        double firstBreak(int shot) throws InterruptedException, ExecutionException {
            List<Future<Pick>> picks = new ArrayList<>(TRACES);
            for (int r = 0; r < TRACES; r++) {
                int receiver = r;
                picks.add(receivers.submit(() -> correlator.pick(shot, receiver)));
            }
            double weighted = 0;
            double weight = 0;
            for (Future<Pick> f : picks) {
                Pick p = f.get();
                weighted += p.sample() * p.strength();
                weight += p.strength();
            }
            return weighted / weight;
        }
    }

    public static void main(String[] args) throws Exception {
        Gather gather = new Gather(new Correlator(new Survey()), Executors.newVirtualThreadPerTaskExecutor());
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long mark = System.nanoTime();
        int shot = 0;
        int shots = 0;
        double sum = 0;
        while (System.nanoTime() < end) {
            sum += gather.firstBreak(shot++);
            shots++;
            long now = System.nanoTime();
            if (now - mark >= 1_000_000_000L) {
                System.out.printf("measured: %.1f shots/s, %.0f traces/s, first break at sample %.2f%n",
                        shots * 1e9 / (now - mark), shots * (double) TRACES * 1e9 / (now - mark), sum / shots);
                mark = now;
                shots = 0;
                sum = 0;
            }
        }
        System.exit(0);
    }
}
