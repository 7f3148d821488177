// SPDX-License-Identifier: Apache-2.0
// cause: CellCoverage.Tile.hashCode is row ^ col, which gives only 512 different values for 90000 tiles, so each HashMap bucket holds about 175 equal-hash keys that are not Comparable and every lookup in CellCoverage.Planner.cover searches through them
// share: with the fault 6503 rays/s, with -Dfixed=true 320749 rays/s: 49.3 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: hot-code kind=colliding-keys
// symptom: hot-method | hot-code
// judge: NAMED: Tile.hashCode / colliding keys make HashMap.get walk (TreeNode.find) long bins; SYMPTOM ONLY: HashMap.get or TreeNode.find or Tile.equals is hot without saying that the keys' hashes collide; WRONG: GC, allocation of Tile objects, locks, map too large, resizing
// jdk: 8
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseParallelGC
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

public class CellCoverage {
    static final int SIDE = 300;
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);

    static final class Tile {
        final int row;
        final int col;

        Tile(int row, int col) {
            this.row = row;
            this.col = col;
        }

        @Override
        public boolean equals(Object o) {
            if (!(o instanceof Tile)) {
                return false;
            }
            Tile t = (Tile) o;
            return t.row == row && t.col == col;
        }

        @Override
        public int hashCode() {
            return ALT ? row * 7919 + col : row ^ col;
        }
    }

    static final class Terrain {
        final double height;
        final int landUse;

        Terrain(double height, int landUse) {
            this.height = height;
            this.landUse = landUse;
        }
    }

    static final Map<Tile, Terrain> terrain = new HashMap<>(1 << 18);
    static final LongAdder rays = new LongAdder();
    static volatile boolean open = true;

    static final class Planner implements Runnable {
        private long state;
        double best;

        Planner(long seed) {
            state = seed;
        }

        private int pick(int bound) {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            return (int) ((state >>> 1) % bound);
        }

        @Override
        public void run() {
            while (open) {
                int row = pick(SIDE);
                int col = pick(SIDE);
                double mast = 20 + pick(40);
                double sum = 0;
                for (int k = 0; k < 16; k++) {
                    sum += cover(row, col, mast, k * Math.PI / 8);
                    rays.increment();
                }
                best = Math.max(best, sum);
            }
        }

        private double cover(int row, int col, double mast, double angle) {
            double dy = Math.sin(angle);
            double dx = Math.cos(angle);
            double level = 60;
            Terrain base = terrain.get(new Tile(row, col));
            double top = base.height + mast;
            double sight = -1e9;
            for (int step = 1; step < 40; step++) {
                int r = row + (int) Math.round(dy * step);
                int c = col + (int) Math.round(dx * step);
                Terrain t = terrain.get(new Tile(r, c));
                if (t == null) {
                    break;
                }
                double slope = (t.height - top) / step;
                if (slope > sight) {
                    sight = slope;
                } else {
                    level -= 0.4;
                }
                level -= t.landUse * 0.15;
                if (level < 5) {
                    break;
                }
            }
            return level;
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (int r = 0; r < SIDE; r++) {
            for (int c = 0; c < SIDE; c++) {
                double h = 40 * Math.sin(r / 23.0) * Math.cos(c / 31.0);
                terrain.put(new Tile(r, c), new Terrain(h, (r / 9 + c / 7) % 5));
            }
        }
        for (int i = 1; i <= 2; i++) {
            Thread t = new Thread(new Planner(88172645463325252L * i), "planner-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = rays.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = rays.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f rays/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        open = false;
    }
}
