// SPDX-License-Identifier: Apache-2.0
// cause: RadarMosaic$Cell.hashCode is east + north: the 160,000 cells of the map have 799 hash codes, so that each lookup in Mosaic.fold (HashMap.get, put) searches a tree of up to 400 keys with the same hash code, which are not Comparable
// share: over 85 % of CPU time is in HashMap$TreeNode.find (and Cell.equals) below Mosaic.fold
// expect: hot-code what=hash_codes frame=RadarMosaic$
// symptom: hot-code hot-method hot-calls saturated-thread
// judge: NAMED: maps search among keys with the same hash code, of class Cell (or for Mosaic.fold), or Cell.hashCode is poor. SYMPTOM ONLY: hot method HashMap$TreeNode.find or HashMap.get or Cell.equals, or hot calls of Mosaic.fold, without a word of the same hash codes; the folding thread (mosaic) being saturated. WRONG: all else accused (sorting, allocation, queues, waiting), or nothing found.
// jdk: 21
// set: thirty-third
// jvm: -Xmx256m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class RadarMosaic {
    static final int SIDE = 400;

    /** A square kilometre. */
    static final class Cell {
        final int east, north;

        Cell(int east, int north) {
            this.east = east;
            this.north = north;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Cell c && c.east == east && c.north == north;
        }

        @Override
        public int hashCode() {
            return east + north;
        }
    }

    static final class Rain {
        float millimetres;
        int echoes;

        void add(float dbz) {
            millimetres = 0.9f * millimetres + 0.1f * dbz;
            echoes++;
        }
    }

    record Sweep(String station, int[] east, int[] north, float[] dbz, long created) { }

    static final class Mosaic {
        private final Map<Cell, Rain> cells = new HashMap<>();
        long folded;

        void fold(Sweep sweep) {
            for (int i = 0; i < sweep.dbz().length; i++) {
                Cell cell = new Cell(sweep.east()[i], sweep.north()[i]);
                Rain rain = cells.get(cell);
                if (rain == null) {
                    rain = new Rain();
                    cells.put(cell, rain);
                }
                rain.add(sweep.dbz()[i]);
            }
            folded += sweep.dbz().length;
        }

        int size() {
            return cells.size();
        }
    }

    static final class Station extends Thread {
        final BlockingQueue<Sweep> line;
        final Random random;
        final int centreEast, centreNorth;
        int angle;

        Station(String name, int east, int north, BlockingQueue<Sweep> line) {
            super(name);
            setDaemon(true);
            centreEast = east;
            centreNorth = north;
            this.line = line;
            random = new Random(name.hashCode());
        }

        Sweep sweep() {
            int n = 8000;
            int[] e = new int[n], no = new int[n];
            float[] dbz = new float[n];
            for (int i = 0; i < n; i++) {
                double a = (angle + 30 * random.nextDouble()) * Math.PI / 180;
                double r = 180 * Math.sqrt(random.nextDouble());
                e[i] = Math.floorMod((int) (centreEast + r * Math.cos(a)), SIDE);
                no[i] = Math.floorMod((int) (centreNorth + r * Math.sin(a)), SIDE);
                dbz[i] = 60 * random.nextFloat();
            }
            angle = (angle + 30) % 360;
            return new Sweep(getName(), e, no, dbz, System.nanoTime());
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    line.put(sweep());
                    Thread.sleep(90);
                }
            } catch (InterruptedException e) {
                // off the air
            }
        }
    }

    static final class Folder extends Thread {
        final BlockingQueue<Sweep> line;
        final Mosaic mosaic = new Mosaic();
        final AtomicLong sweeps = new AtomicLong(), folding = new AtomicLong(), delay = new AtomicLong();

        Folder(BlockingQueue<Sweep> line) {
            super("mosaic");
            setDaemon(true);
            this.line = line;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Sweep sweep = line.take();
                    long t = System.nanoTime();
                    mosaic.fold(sweep);
                    long end = System.nanoTime();
                    sweeps.incrementAndGet();
                    folding.addAndGet(end - t);
                    delay.addAndGet(end - sweep.created());
                }
            } catch (InterruptedException e) {
                // stopped
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Sweep> line = new ArrayBlockingQueue<>(16);
        Folder folder = new Folder(line);
        int[] all = new int[SIDE * SIDE], rows = new int[SIDE * SIDE];
        for (int i = 0; i < all.length; i++) {
            all[i] = i % SIDE;
            rows[i] = i / SIDE;
        }
        folder.mosaic.fold(new Sweep("chart", all, rows, new float[all.length], System.nanoTime()));
        folder.start();
        new Station("radar-north", 200, 290, line).start();
        new Station("radar-south", 200, 110, line).start();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = folder.sweeps.getAndSet(0), ns = folder.folding.getAndSet(0), delay = folder.delay.getAndSet(0);
            System.out.printf("measured: %d sweeps, %.0f ns for each echo, folding %.2f s of each second, %.0f ms from sweep to map, %d cells%n",
                n, n == 0 ? 0 : (double) ns / n / 8000, ns / 1e9, n == 0 ? 0 : delay / 1e6 / n, folder.mosaic.size());
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
