// SPDX-License-Identifier: Apache-2.0
// cause: HeapWatch.makeRoom, called for each tile by SlideLane.develop, takes the free part of the heap as it is now (Runtime.freeMemory) for all there is, and calls Runtime.gc() whenever that is below a limit, though the heap may grow to four times of it and the collector would do without
// share: 70 % of the time of a tile (0.9 of 1.3 ms) is waiting for the collections; 6 full ones a second of 60 to 80 ms each stop the JVM 40 % of the time and take 80 % of its CPU time (2 a second of longer pauses on a crowded machine)
// expect: explicit-gc
// symptom: gc-pauses gc-cpu
// judge: NAMED: collections asked for by System.gc() (Runtime.gc), from HeapWatch.makeRoom (or SlideLane.develop that calls it). SYMPTOM ONLY: collections stop the JVM / cost CPU time without saying who asks for them; allocation at SlideLane.develop or Tile; a larger heap advised. WRONG: live set or memory leak in SlideCabinet (bounded, needed), humongous objects, computing in Tile.sharpen or Tile.stain, threads' waiting, safepoints, the machine
// jdk: 21
// set: thirty-fifth
// jvm: -Xms256m -Xmx768m
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Develops the tiles of scanned tissue slides for a pathology laboratory. */
public class SlideScanner {
    static final LongAdder TILES = new LongAdder();
    static final LongAdder TILE_TIME = new LongAdder();
    static final LongAdder ROOM_TIME = new LongAdder();
    static final LongAdder ROOM_CALLS = new LongAdder();

    /** A cell that was found, with the features by which it is distinguished from others. */
    record Cell(int x, int y, float[] features, String label) {
    }

    record Tile(int column, int row, int[] pixels) {
        static final int SIDE = 160;

        static Tile scan(int column, int row) {
            int[] pixels = new int[SIDE * SIDE];
            int state = column * 31 + row * 17 + ThreadLocalRandom.current().nextInt();
            for (int i = 0; i < pixels.length; i++) {
                state = state * 1664525 + 1013904223;
                pixels[i] = state >>> 24;
            }
            return new Tile(column, row, pixels);
        }

        Tile sharpen() {
            int[] sharp = new int[pixels.length];
            for (int y = 1; y < SIDE - 1; y++)
                for (int x = 1; x < SIDE - 1; x++) {
                    int at = y * SIDE + x;
                    int v = 5 * pixels[at] - pixels[at - 1] - pixels[at + 1] - pixels[at - SIDE] - pixels[at + SIDE];
                    sharp[at] = Math.max(0, Math.min(255, v));
                }
            return new Tile(column, row, sharp);
        }

        float[] stain() {
            float[] stain = new float[pixels.length];
            for (int i = 0; i < stain.length; i++)
                stain[i] = (float) -Math.log((pixels[i] + 1) / 256.0);
            return stain;
        }
    }

    /** The cells of the slides on the table, for the doctors who examine them; the oldest slide goes when a new one comes. */
    static final class SlideCabinet {
        private static final int SLIDES = 24;
        private final Deque<Map<Integer, Cell>> slides = new ArrayDeque<>();

        synchronized void keep(Map<Integer, Cell> slide) {
            slides.addLast(slide);
            while (slides.size() > SLIDES)
                slides.removeFirst();
        }

        synchronized int size() {
            return slides.stream().mapToInt(Map::size).sum();
        }
    }

    /** Sees to it that there is room for the next tile. */
    static final class HeapWatch {
        private static final long ROOM = 160L << 20;
        private final Runtime runtime = Runtime.getRuntime();

        void makeRoom() {
            long begin = System.nanoTime();
            if (runtime.freeMemory() < ROOM) {
                runtime.gc();
                ROOM_CALLS.increment();
            }
            ROOM_TIME.add(System.nanoTime() - begin);
        }
    }

    static final class SlideLane implements Runnable {
        private final SlideCabinet cabinet;
        private final HeapWatch watch;

        SlideLane(SlideCabinet cabinet, HeapWatch watch) {
            this.cabinet = cabinet;
            this.watch = watch;
        }

        private Map<Integer, Cell> develop(int column, int row) {
            watch.makeRoom();
            Tile tile = Tile.scan(column, row).sharpen();
            float[] stain = tile.stain();
            Map<Integer, Cell> cells = new HashMap<>();
            for (int y = 8; y < Tile.SIDE - 8; y += 8)
                for (int x = 8; x < Tile.SIDE - 8; x += 8) {
                    float[] features = Arrays.copyOfRange(stain, y * Tile.SIDE + x, y * Tile.SIDE + x + 8);
                    float sum = 0;
                    for (float f : features)
                        sum += f;
                    if (sum > 4)
                        cells.put((row * 1000 + y) * 100000 + column * 1000 + x, new Cell(x, y, features, sum > 20 ? "dense" : "loose"));
                }
            return cells;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Map<Integer, Cell> slide = new HashMap<>();
                    for (int i = 0; i < 60; i++) {
                        long begin = System.nanoTime();
                        slide.putAll(develop(i % 12, i / 12));
                        TILE_TIME.add(System.nanoTime() - begin);
                        TILES.increment();
                        Thread.sleep(3);
                    }
                    cabinet.keep(slide);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        SlideCabinet cabinet = new SlideCabinet();
        HeapWatch watch = new HeapWatch();
        for (int i = 0; i < 3; i++)
            new Thread(new SlideLane(cabinet, watch), "lane-" + i).start();
        boolean ready = false;
        for (int second = 0;; second++) {
            long tiles = TILES.sum(), time = TILE_TIME.sum(), room = ROOM_TIME.sum(), calls = ROOM_CALLS.sum();
            Thread.sleep(1000);
            tiles = TILES.sum() - tiles;
            time = TILE_TIME.sum() - time;
            room = ROOM_TIME.sum() - room;
            calls = ROOM_CALLS.sum() - calls;
            System.out.printf("measured: %d tiles, %.1f ms each, %.0f %% of that making room, for which it was necessary %d times; %d cells kept%n", tiles,
                time / 1e6 / Math.max(1, tiles), 100.0 * room / Math.max(1, time), calls, cabinet.size());
            if (!ready && second >= 3 && ROOM_CALLS.sum() >= 6) {
                ready = true;
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
