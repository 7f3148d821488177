// SPDX-License-Identifier: Apache-2.0
// healthy: A bounded pipeline with back-pressure: two compressing threads keep both cores fully busy with useful work, so the reader mostly waits to put into the full queue and the writer mostly waits for results, exactly as intended.
// judge: Right: nothing wrong / limited by the CPU of the compressing threads (Compressor.pack, Deflater), waits of tile-reader in ArrayBlockingQueue.put and tile-writer in take are legitimate back-pressure. Wrong: queue too small, too few threads, contention on the queue, memory retention, the waiting reader or writer as the fault.
// set: nineteenth
// jdk: 25
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.*;

public class SatelliteTiles {
    private static final int SIDE = 128;
    private static final LongAdder packed = new LongAdder();
    private static final LongAdder bytesOut = new LongAdder();

    record Tile(int x, int y, byte[] pixels) { }

    record Packed(int x, int y, byte[] data, int length, long checksum) { }

    static final class Reader implements Runnable {
        private final BlockingQueue<Tile> out;

        Reader(BlockingQueue<Tile> out) {
            this.out = out;
        }

        private static byte[] scan(int x, int y, SplittableRandom r) {
            byte[] p = new byte[SIDE * SIDE];
            int level = 100 + (x ^ y) % 50;
            for (int i = 0; i < p.length; i++) {
                if ((i & 15) == 0) level += r.nextInt(7) - 3;
                p[i] = (byte) (level + (i % SIDE) / 8);
            }
            return p;
        }

        @Override
        public void run() {
            SplittableRandom r = new SplittableRandom(4);
            try {
                for (int n = 0; ; n++) {
                    int x = n % 1000;
                    int y = n / 1000 % 1000;
                    out.put(new Tile(x, y, scan(x, y, r)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Compressor implements Runnable {
        private final BlockingQueue<Tile> in;
        private final BlockingQueue<Packed> out;
        private final Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        private final Adler32 adler = new Adler32();
        private final byte[] buffer = new byte[SIDE * SIDE + 1024];

        Compressor(BlockingQueue<Tile> in, BlockingQueue<Packed> out) {
            this.in = in;
            this.out = out;
        }

        private Packed pack(Tile t) {
            byte[] delta = new byte[t.pixels().length];
            for (int i = 0; i < delta.length; i++) {
                delta[i] = (byte) (t.pixels()[i] - (i >= SIDE ? t.pixels()[i - SIDE] : 0));
            }
            deflater.reset();
            deflater.setInput(delta);
            deflater.finish();
            int n = deflater.deflate(buffer);
            adler.reset();
            adler.update(buffer, 0, n);
            return new Packed(t.x(), t.y(), Arrays.copyOf(buffer, n), n, adler.getValue());
        }

        @Override
        public void run() {
            try {
                while (true) out.put(pack(in.take()));
            } catch (InterruptedException e) {
                deflater.end();
            }
        }
    }

    private static void archive(BlockingQueue<Packed> in) {
        long check = 0;
        try {
            while (true) {
                Packed p = in.take();
                check = check * 31 + p.checksum() + p.x() + p.y() + p.data().length;
                bytesOut.add(p.length());
                packed.increment();
            }
        } catch (InterruptedException e) {
            System.err.println("archive " + check);
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Tile> tiles = new ArrayBlockingQueue<>(64);
        BlockingQueue<Packed> results = new ArrayBlockingQueue<>(64);
        Thread.ofPlatform().daemon().name("tile-reader").start(new Reader(tiles));
        for (int i = 0; i < 2; i++) {
            Thread.ofPlatform().daemon().name("tile-pack-" + i).start(new Compressor(tiles, results));
        }
        Thread.ofPlatform().daemon().name("tile-writer").start(() -> archive(results));
        Thread.sleep(4000);
        System.out.println("READY");
        long before = packed.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = packed.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f tiles/s (%d KB written)%n",
                    (now - before) * 1e9 / (t - at), bytesOut.sum() / 1024);
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
