// SPDX-License-Identifier: Apache-2.0
// healthy: a planner that computes by design (simulated annealing over apiary sites with an incremental cost); one core busy in HivePlacement.delta is its purpose, no waits, hardly any allocation.
// judge: any claim of a performance fault is wrong: e.g. "hot loop / CPU hog in delta", "Math.exp / Math.sqrt is a bottleneck", "single-threaded".
// set: twentieth
// jdk: 8
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class HivePlacement {
    static final int HIVES = 160;
    static final int MEADOWS = 220;
    final double[] mx = new double[MEADOWS];
    final double[] my = new double[MEADOWS];
    final double[] nectar = new double[MEADOWS];
    final double[] hx = new double[HIVES];
    final double[] hy = new double[HIVES];
    final Random random = new Random(77);
    final AtomicLong moves = new AtomicLong();
    volatile double score;

    HivePlacement() {
        for (int i = 0; i < MEADOWS; i++) {
            mx[i] = random.nextDouble() * 1000;
            my[i] = random.nextDouble() * 1000;
            nectar[i] = 1 + random.nextDouble() * 9;
        }
        scatter();
    }

    void scatter() {
        for (int i = 0; i < HIVES; i++) {
            hx[i] = random.nextDouble() * 1000;
            hy[i] = random.nextDouble() * 1000;
        }
    }

    double worth(int hive, double x, double y) {
        double sum = 0;
        for (int m = 0; m < MEADOWS; m++) {
            double dx = mx[m] - x;
            double dy = my[m] - y;
            sum += nectar[m] / (25 + dx * dx + dy * dy);
        }
        double crowd = 0;
        for (int h = 0; h < HIVES; h++) {
            if (h != hive) {
                double dx = hx[h] - x;
                double dy = hy[h] - y;
                crowd += 1 / (4 + Math.sqrt(dx * dx + dy * dy));
            }
        }
        return sum * 1000 - crowd;
    }

    double delta(int hive, double x, double y) {
        return worth(hive, x, y) - worth(hive, hx[hive], hy[hive]);
    }

    void season() {
        scatter();
        double heat = 5.0;
        double total = 0;
        while (heat > 0.01) {
            for (int i = 0; i < 2000; i++) {
                int hive = random.nextInt(HIVES);
                double x = Math.min(1000, Math.max(0, hx[hive] + random.nextGaussian() * heat * 30));
                double y = Math.min(1000, Math.max(0, hy[hive] + random.nextGaussian() * heat * 30));
                double d = delta(hive, x, y);
                if (d > 0 || random.nextDouble() < Math.exp(d / heat)) {
                    hx[hive] = x;
                    hy[hive] = y;
                    total += d;
                }
                moves.incrementAndGet();
            }
            heat *= 0.97;
        }
        score = total;
    }

    public static void main(String[] args) throws Exception {
        final HivePlacement plan = new HivePlacement();
        Thread t = new Thread(new Runnable() {
            @Override
            public void run() {
                while (true) {
                    plan.season();
                }
            }
        }, "planner");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = plan.moves.get();
            System.out.println("measured: " + (now - last) + " placements/s, last season " + (long) plan.score);
            last = now;
        }
    }
}
