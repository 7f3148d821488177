// SPDX-License-Identifier: Apache-2.0
// cause: DepotTours.main starts a platform thread for each of 40 depots, all of which compute tours without a rest (DepotTours$Depot.run, plan) on 2 CPUs: 20 threads for each CPU, so that a plan that needs some 15 ms of CPU takes twenty times as long or more
// share: a plan takes 600 to 1100 ms for 12 to 18 ms of CPU time, 45 to 65 times as long beside other work (20 times on two free CPUs); all 40 threads are ready to run all the time
// expect: too-many-threads
// symptom: hot-method hot-calls
// judge: NAMED: too many threads (40 "depot-N") that need a CPU all the time for 2 CPUs (too-many-threads), or that their plans wait for CPUs because of one another (cpu-starvation that names the process's own threads as cause). SYMPTOM ONLY: hot-method or hot-calls in DepotTours$Tour methods (improve, gain, length), CPU use as such, waiting for a CPU without saying that its own threads are the cause. WRONG: neighbours, CPU limit, collections, locks, all else first.
// jdk: 21
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Plans the delivery tours of a parcel firm, depot by depot, anew whenever the parcels have changed. */
public class DepotTours {
    static final AtomicLong plans = new AtomicLong();
    static final AtomicLong elapsed = new AtomicLong();
    static final AtomicLong computed = new AtomicLong();
    static final AtomicLong kilometres = new AtomicLong();

    /** Stops and the way from each to each. */
    static final class Area {
        final int stops;
        final float[] x;
        final float[] y;
        final float[] way;

        Area(int stops) {
            this.stops = stops;
            x = new float[stops];
            y = new float[stops];
            way = new float[stops * stops];
        }

        void refill(Random random) {
            for (int i = 0; i < stops; i++) {
                x[i] = random.nextFloat() * 60;
                y[i] = random.nextFloat() * 60;
            }
            for (int i = 0; i < stops; i++)
                for (int j = 0; j < stops; j++)
                    way[i * stops + j] = (float) Math.sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
        }
    }

    static final class Tour {
        private final Area area;
        private final int[] order;
        private final boolean[] seen;

        Tour(Area area) {
            this.area = area;
            order = new int[area.stops];
            seen = new boolean[area.stops];
        }

        private float way(int i, int j) {
            return area.way[order[i] * area.stops + order[j]];
        }

        void nearest() {
            java.util.Arrays.fill(seen, false);
            int at = 0;
            seen[0] = true;
            order[0] = 0;
            for (int n = 1; n < order.length; n++) {
                int best = -1;
                for (int stop = 0; stop < order.length; stop++)
                    if (!seen[stop] && (best < 0 || area.way[at * area.stops + stop] < area.way[at * area.stops + best]))
                        best = stop;
                seen[best] = true;
                order[n] = best;
                at = best;
            }
        }

        private float gain(int i, int j) {
            return way(i, i + 1) + way(j, j + 1) - way(i, j) - way(i + 1, j + 1);
        }

        private void turn(int from, int to) {
            for (int i = from, j = to; i < j; i++, j--) {
                int stop = order[i];
                order[i] = order[j];
                order[j] = stop;
            }
        }

        boolean improve() {
            boolean better = false;
            for (int i = 0; i < order.length - 3; i++)
                for (int j = i + 2; j < order.length - 1; j++)
                    if (gain(i, j) > 0.001f) {
                        turn(i + 1, j);
                        better = true;
                    }
            return better;
        }

        /** Moves single stops to where they cost less. */
        void move() {
            for (int i = 1; i < order.length - 1; i++) {
                float saved = way(i - 1, i) + way(i, i + 1) - way(i - 1, i + 1);
                for (int j = i + 2; j < order.length - 1; j++) {
                    float added = way(j, i) + way(i, j + 1) - way(j, j + 1);
                    if (added < saved - 0.001f) {
                        int stop = order[i];
                        System.arraycopy(order, i + 1, order, i, j - i);
                        order[j] = stop;
                        break;
                    }
                }
            }
        }

        double length() {
            double sum = 0;
            for (int i = 0; i + 1 < order.length; i++)
                sum += way(i, i + 1);
            return sum;
        }
    }

    static final class Depot implements Runnable {
        private final Random random;
        private final Area area = new Area(500);
        private final Tour tour = new Tour(area);

        Depot(int number) {
            random = new Random(number);
        }

        private double plan() {
            area.refill(random);
            double best = Double.MAX_VALUE;
            for (int start = 0; start < 3; start++) {
                tour.nearest();
                for (int round = 0; round < 40; round++) {
                    boolean better = tour.improve();
                    tour.move();
                    if (!better)
                        break;
                }
                best = Math.min(best, tour.length());
            }
            return best;
        }

        @Override
        public void run() {
            var threads = ManagementFactory.getThreadMXBean();
            while (true) {
                long start = System.nanoTime(), cpu = threads.getCurrentThreadCpuTime();
                kilometres.addAndGet((long) plan());
                computed.addAndGet(threads.getCurrentThreadCpuTime() - cpu);
                elapsed.addAndGet(System.nanoTime() - start);
                plans.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int depot = 0; depot < 40; depot++) {
            Thread thread = new Thread(new Depot(depot), "depot-" + depot);
            thread.setDaemon(true);
            thread.start();
        }
        for (int second = 1; ; second++) {
            long n = plans.get(), e = elapsed.get(), c = computed.get();
            Thread.sleep(1000);
            if (second == 4)
                System.out.println("READY");
            long did = Math.max(1, plans.get() - n);
            System.out.printf("measured: %d plans; each took %.0f ms on average, for %.1f ms of CPU time (%.0f times as long)%n", plans.get() - n,
                (elapsed.get() - e) / 1e6 / did, (computed.get() - c) / 1e6 / did, (double) (elapsed.get() - e) / Math.max(1, computed.get() - c));
            System.out.flush();
        }
    }
}
