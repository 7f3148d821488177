// SPDX-License-Identifier: Apache-2.0
// cause: each lookup maps the whole file of tiles anew, so that all its pages are faulted in again
// expect: hot-calls frame=TileLookup.tile | hot-code frame=TileLookup.tile
// symptom: hot-calls waiting
// jdk: 17
// set: seventh

import java.io.*;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32;

public class TileLookup {
    static final int TILES = 2048, TILE = 4096;
    static Path file;

    static long tile(int x, int y) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MappedByteBuffer all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            int index = (x * 31 + y) % TILES;
            long neighbours = 0;
            for (int i = 0; i < 1024; i++)
                neighbours += all.getLong((index + i) % TILES * TILE);
            return neighbours;
        }
    }

    public static void main(String[] args) throws Exception {
        file = Path.of("tiles.bin");
        file.toFile().deleteOnExit();
        byte[] one = new byte[TILE];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < TILES; i++) {
                ThreadLocalRandom.current().nextBytes(one);
                out.write(one);
            }
        }
        for (int n = 0; n < 3; n++)
            new Thread(() -> {
                CRC32 etag = new CRC32();
                try {
                    while (true) {
                        ThreadLocalRandom random = ThreadLocalRandom.current();
                        long sum = tile(random.nextInt(5000), random.nextInt(5000));
                        etag.update((int) sum);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, "map-" + n).start();
        System.out.println("READY");
    }
}
