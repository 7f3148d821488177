// SPDX-License-Identifier: Apache-2.0
// cause: copying arrays: HarbourPilotPlanner$Planner.heightAt has TideCurve.heights(double[]) copy the whole fortnight (4032 doubles, 32 KB, System.arraycopy) for each single height that HarbourPilotPlanner$Planner.plan reads.
// share: 99 % of the planning time: 5.5 ms a plan, 1.4 us a step, against less than 0.05 ms a plan (0.01 us a step) if the curve is copied once a plan; 22 GB/s of heights copied for 5.5 MB that are used; 0.9 CPUs, no collections.
// expect: hot-code kind=copying-arrays frame=HarbourPilotPlanner$Planner
// symptom: hot-calls hot-method
// judge: NAMED: most of the CPU time is copying arrays (System.arraycopy, memmove, the copy stub) for or in HarbourPilotPlanner$TideCurve.heights, or its callers HarbourPilotPlanner$Planner.heightAt or .plan. SYMPTOM ONLY: one of these methods named as hot (hot-method, hot-calls) without any word of copying or arraycopy. WRONG: collections or allocation, tide or margin computation (predict, SillRule.margin), waits, sleep in desk, too many threads, memory or disks; lack of CPUs is fair beside the cause only if the machine was in fact crowded.
// jdk: 11
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Finds, for each announced vessel, the times in the coming fortnight at which it may pass the sill. */
public class HarbourPilotPlanner {
    static final AtomicLong plans = new AtomicLong(), planNanos = new AtomicLong();
    static final AtomicLong steps = new AtomicLong();

    /** Predicted heights of the tide, one for each five minutes of a fortnight. */
    static final class TideCurve {
        private final double[] heights;

        private TideCurve(double[] heights) {
            this.heights = heights;
        }

        static TideCurve predict(double phase) {
            double[] h = new double[14 * 24 * 12];
            for (int i = 0; i < h.length; i++) {
                double t = i / 12.0;
                h[i] = 2.9 + 1.9 * Math.cos(2 * Math.PI * (t - phase) / 12.4206)
                        + 0.6 * Math.cos(2 * Math.PI * (t - phase / 2) / 12.0)
                        + 0.15 * Math.sin(2 * Math.PI * t / 25.8193);
            }
            return new TideCurve(h);
        }

        int steps() {
            return heights.length;
        }

        /** Curves are shared between desks, so these get the heights in an array of their own. */
        void heights(double[] into) {
            System.arraycopy(heights, 0, into, 0, heights.length);
        }
    }

    static final class Vessel {
        final String name;
        final double draught;
        final int passageSteps;

        Vessel(String name, double draught, int passageSteps) {
            this.name = name;
            this.draught = draught;
            this.passageSteps = passageSteps;
        }
    }

    static final class Passage {
        final int from, to;
        final double margin;

        Passage(int from, int to, double margin) {
            this.from = from;
            this.to = to;
            this.margin = margin;
        }
    }

    static final class SillRule {
        final double chartedDepth = 9.4, squat = 0.35, clearance = 0.6;

        double margin(double tide, Vessel v) {
            return chartedDepth + tide - v.draught - squat * (v.draught / 10) - clearance;
        }
    }

    static final class Planner {
        private final SillRule rule = new SillRule();
        private double[] heights = {};
        private long reads;

        List<Passage> plan(Vessel v, TideCurve curve) {
            List<Passage> windows = new ArrayList<>();
            int open = -1;
            double least = Double.MAX_VALUE;
            for (int i = 0; i < curve.steps(); i++) {
                double margin = rule.margin(heightAt(curve, i), v);
                if (margin >= 0) {
                    if (open < 0) {
                        open = i;
                        least = margin;
                    }
                    least = Math.min(least, margin);
                } else if (open >= 0) {
                    if (i - open >= v.passageSteps) {
                        windows.add(new Passage(open, i, least));
                    }
                    open = -1;
                }
            }
            return windows;
        }

        private double heightAt(TideCurve curve, int step) {
            if (heights.length != curve.steps()) {
                heights = new double[curve.steps()];
            }
            curve.heights(heights);
            reads++;
            return heights[step];
        }
    }

    static void desk(int id, TideCurve[] curves) {
        Random random = new Random(40 + id);
        Planner planner = new Planner();
        long found = 0;
        while (true) {
            Vessel v = new Vessel("V" + random.nextInt(900), 8 + random.nextDouble() * 5, 4 + random.nextInt(8));
            long t = System.nanoTime();
            found += planner.plan(v, curves[random.nextInt(curves.length)]).size();
            planNanos.addAndGet(System.nanoTime() - t);
            plans.incrementAndGet();
            steps.addAndGet(planner.reads);
            planner.reads = 0;
            try {
                Thread.sleep(6);
            } catch (InterruptedException e) {
                System.out.println("stopped after " + found);
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TideCurve[] curves = new TideCurve[5];
        for (int i = 0; i < curves.length; i++) {
            curves[i] = TideCurve.predict(i * 1.7);
        }
        for (int i = 0; i < 2; i++) {
            int id = i;
            new Thread(() -> desk(id, curves), "pilot-desk-" + i).start();
        }
        long lastPlans = 0, lastNanos = 0, lastReads = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long p = plans.get(), n = planNanos.get(), r = steps.get();
            System.out.printf("measured: %d plans, %.1f ms each; %d steps, %.2f us each; %.1f GB of heights read for %.1f MB that are used%n",
                    p - lastPlans, (n - lastNanos) / 1e6 / Math.max(1, p - lastPlans), r - lastReads,
                    (n - lastNanos) / 1e3 / Math.max(1, r - lastReads), (r - lastReads) * 8.0 * curves[0].steps() / 1e9, (r - lastReads) * 8 / 1e6);
            lastPlans = p;
            lastNanos = n;
            lastReads = r;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
