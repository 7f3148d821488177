// SPDX-License-Identifier: Apache-2.0
// cause: Cell.hashCode is x ^ y, so the 40,000 cells of the map share only 256 hash values (over 150 keys per hash); HashMap.get of the terrain map walks long bins (trees that cannot be ordered, as Cell is not Comparable) in StrategyMap.costAt
// share: a terrain lookup takes 340 ns (fixed 37 ns), at least 74% of the planners' time (when they were least preempted; fixed at most 27%); per CPU second about 1,000 paths, fixed about 5,300 (5x)
// judge: names the cause: "CPU in HashMap.getNode / HashMap$TreeNode.find and Cell.equals below StrategyMap.costAt: keys collide, Cell.hashCode spreads badly". True, only symptoms: "HashMap.get / Cell.equals is hot", "the path search is where the CPU goes". Wrong: "allocation of Cells / GC is the problem", "PriorityQueue is the bottleneck", "too few threads", "lock contention", "heap too small".
// expect: hot-code kind=colliding-keys frame=StrategyMap.costAt
// symptom: hot-code
// jdk: 25
// set: fifteenth
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Path finding for a strategy game's units: A* on a terrain that knows the cost of each cell. */
public final class StrategyMap {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SIDE = 200;
    static final LongAdder PATHS = new LongAdder();
    static final LongAdder STEPS = new LongAdder();
    static final LongAdder LOOKUP_NANOS = new LongAdder();
    static final LongAdder SAMPLED = new LongAdder();

    static final class Cell {
        final int x, y;

        Cell(int x, int y) {
            this.x = x;
            this.y = y;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Cell c && c.x == x && c.y == y;
        }

        @Override
        public int hashCode() {
            return FIXED ? x * SIDE + y : x ^ y;
        }
    }

    record Open(int index, float estimate) implements Comparable<Open> {
        @Override
        public int compareTo(Open o) {
            return Float.compare(estimate, o.estimate);
        }
    }

    /** Read only after start: shared by all the planners. */
    private final Map<Cell, Float> terrain = new HashMap<>(SIDE * SIDE * 2);

    StrategyMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int x = 0; x < SIDE; x++) {
            for (int y = 0; y < SIDE; y++) {
                if (random.nextInt(8) != 0) { // else a rock
                    terrain.put(new Cell(x, y), 1f + random.nextInt(4));
                }
            }
        }
    }

    Float costAt(int x, int y) {
        return terrain.get(new Cell(x, y));
    }

    /** A planner works for one player at a time, with its own scratch arrays. */
    final class Planner {
        private final float[] best = new float[SIDE * SIDE];
        private final PriorityQueue<Open> open = new PriorityQueue<>(1024);
        private final int[] from = new int[SIDE * SIDE];
        private int lookups;

        List<Cell> path(int fromX, int fromY, int toX, int toY) {
            Arrays.fill(best, Float.MAX_VALUE);
            open.clear();
            int start = fromX * SIDE + fromY, goal = toX * SIDE + toY;
            best[start] = 0;
            open.add(new Open(start, 0));
            while (!open.isEmpty()) {
                int at = open.poll().index();
                if (at == goal) {
                    break;
                }
                STEPS.increment();
                int x = at / SIDE, y = at % SIDE;
                for (int d = 0; d < 4; d++) {
                    int nx = x + (d == 0 ? 1 : d == 1 ? -1 : 0), ny = y + (d == 2 ? 1 : d == 3 ? -1 : 0);
                    if (nx < 0 || ny < 0 || nx >= SIDE || ny >= SIDE) {
                        continue;
                    }
                    Float cost = timedCost(nx, ny);
                    int to = nx * SIDE + ny;
                    if (cost != null && best[at] + cost < best[to]) {
                        best[to] = best[at] + cost;
                        from[to] = at;
                        open.add(new Open(to, best[to] + Math.abs(nx - toX) + Math.abs(ny - toY)));
                    }
                }
            }
            List<Cell> path = new ArrayList<>();
            if (best[goal] < Float.MAX_VALUE) {
                for (int c = goal; c != start; c = from[c]) {
                    path.add(new Cell(c / SIDE, c % SIDE));
                }
            }
            return path;
        }

        /** Measures one lookup of 64. */
        private Float timedCost(int x, int y) {
            if ((++lookups & 63) != 0) {
                return costAt(x, y);
            }
            long t0 = System.nanoTime();
            Float c = costAt(x, y);
            long t = System.nanoTime() - t0;
            if (t < 100_000) { // else the thread was preempted
                LOOKUP_NANOS.add(t);
                SAMPLED.increment();
            }
            return c;
        }
    }

    public static void main(String[] args) throws Exception {
        StrategyMap map = new StrategyMap(42);
        LongAdder cells = new LongAdder();
        for (int i = 0; i < 2; i++) {
            SplittableRandom random = new SplittableRandom(i);
            Planner planner = map.new Planner();
            Thread.ofPlatform().daemon().name("planner-" + i).start(() -> {
                while (true) {
                    int x = random.nextInt(SIDE), y = random.nextInt(SIDE);
                    int tx = Math.clamp(x + random.nextInt(-40, 41), 0, SIDE - 1), ty = Math.clamp(y + random.nextInt(-40, 41), 0, SIDE - 1);
                    if (map.costAt(tx, ty) != null) {
                        cells.add(planner.path(x, y, tx, ty).size());
                        PATHS.increment();
                    }
                }
            });
        }
        System.out.println("READY");
        long last = 0, lastNanos = 0, lastSteps = 0, lastSampled = 0;
        while (true) {
            Thread.sleep(1000);
            long n = PATHS.sum(), l = LOOKUP_NANOS.sum(), s = STEPS.sum(), m = SAMPLED.sum();
            System.out.printf("measured: %d paths/s, %d steps/s, a terrain lookup takes %.0f ns, clock included; about %.0f%% of the two planners' time%n",
                    n - last, s - lastSteps, (double) (l - lastNanos) / Math.max(1, m - lastSampled), 64 * (l - lastNanos) / 2e7);
            last = n;
            lastNanos = l;
            lastSteps = s;
            lastSampled = m;
        }
    }
}
