// SPDX-License-Identifier: Apache-2.0
// healthy: a compression pipeline bounded by the CPU by design: one drawer fills a small bounded queue and is held back (put blocks, as intended), one packer deflates survey tiles with a reused Deflater and is busy all the time; the throughput is that of the compression itself.
// judge: any claim of a fault is wrong: e.g. "queue too small / producer blocked in put", "Deflater is a bottleneck", "the drawer thread is starved". Saying that it is CPU-bound in compression by design is right.
// set: twentieth
// jdk: 25
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public class MapTileArchive {
    static final int SIDE = 192;

    record Tile(int x, int y, byte[] heights) { }

    final BlockingQueue<Tile> table = new ArrayBlockingQueue<>(32);
    final BlockingQueue<byte[]> blanks = new ArrayBlockingQueue<>(40);
    final LongAdder packed = new LongAdder();
    final LongAdder bytesOut = new LongAdder();
    volatile long check;

    MapTileArchive() {
        for (int i = 0; i < 40; i++) {
            blanks.add(new byte[SIDE * SIDE]);
        }
    }

    void drawer() {
        try {
            for (int n = 0; ; n++) {
                byte[] heights = blanks.take();
                survey(n % 1024, n / 1024, heights);
                table.put(new Tile(n % 1024, n / 1024, heights));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void survey(int x, int y, byte[] heights) {
        int seed = x * 73856093 ^ y * 19349663;
        for (int row = 0; row < SIDE; row++) {
            int level = (row + y) / 3;
            for (int col = 0; col < SIDE; col++) {
                seed = seed * 1664525 + 1013904223;
                level += (seed >>> 30) - 1;
                heights[row * SIDE + col] = (byte) level;
            }
        }
    }

    void packer() {
        Deflater deflater = new Deflater(6);
        byte[] out = new byte[SIDE * SIDE + 1024];
        CRC32 crc = new CRC32();
        try {
            while (true) {
                Tile t = table.take();
                deflater.reset();
                deflater.setInput(t.heights());
                deflater.finish();
                int length = deflater.deflate(out);
                crc.update(out, 0, length);
                check = crc.getValue();
                bytesOut.add(length);
                packed.increment();
                blanks.put(t.heights());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            deflater.end();
        }
    }

    public static void main(String[] args) throws Exception {
        MapTileArchive archive = new MapTileArchive();
        Thread.ofPlatform().daemon().name("drawer").start(archive::drawer);
        Thread.ofPlatform().daemon().name("packer").start(archive::packer);
        System.out.println("READY");
        long lastN = 0;
        long lastB = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = archive.packed.sum();
            long b = archive.bytesOut.sum();
            System.out.println("measured: " + (n - lastN) + " tiles/s, " + (b - lastB) / 1024 + " KB/s");
            lastN = n;
            lastB = b;
        }
    }
}
