// SPDX-License-Identifier: Apache-2.0
// healthy: files of a folder are read in large pieces, checked and copied to another, a few a second, which is as fast as they come
// jdk: 17
// set: tenth
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.CRC32C;

public final class HealthyMirror {
    private static final int FILES = 12;

    private final Path from = Path.of("source");
    private final Path to = Path.of("mirror");
    private final BlockingQueue<Path> changed = new ArrayBlockingQueue<>(FILES);

    private void prepare() throws IOException {
        Files.createDirectories(from);
        Files.createDirectories(to);
        byte[] bytes = new byte[512 * 1024];
        for (int i = 0; i < FILES; i++) {
            new Random(i).nextBytes(bytes);
            Files.write(from.resolve("part-" + i), bytes);
        }
    }

    /** What would come from a watcher: each file now and then. */
    private void watch() {
        List<Path> all = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            all.add(from.resolve("part-" + i));
        }
        try {
            for (int n = 0;; n++) {
                changed.put(all.get(n % FILES));
                Thread.sleep(n % 4 == 0 ? 200 : 60);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void copy() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(128 * 1024);
        CRC32C sum = new CRC32C();
        try {
            for (;;) {
                Path file = changed.take();
                Path part = to.resolve(file.getFileName() + ".tmp");
                sum.reset();
                try (FileChannel in = FileChannel.open(file);
                        FileChannel out = FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    while (in.read(buffer.clear()) > 0) {
                        sum.update(buffer.flip());
                        buffer.flip();
                        out.write(buffer);
                    }
                }
                Files.move(part, to.resolve(file.getFileName() + "-" + Long.toHexString(sum.getValue())), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        HealthyMirror mirror = new HealthyMirror();
        mirror.prepare();
        new Thread(mirror::watch, "watch").start();
        for (int i = 0; i < 2; i++) {
            new Thread(mirror::copy, "copy-" + i).start();
        }
        System.out.println("READY");
    }
}
