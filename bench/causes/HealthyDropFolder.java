// SPDX-License-Identifier: Apache-2.0
// healthy: a watcher of a folder waits until partners drop a file there, three times a second, and reads it at once
// jvm: -Xmx128m -XX:+UseSerialGC
// jdk: 17
// set: sixth
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;

/** A file has 200 lines and takes a ms to read and book; then the watcher waits again. Both threads do little. */
public final class HealthyDropFolder {
    private static volatile long booked;

    private final Path folder;
    private final WatchService watcher;

    private HealthyDropFolder() throws IOException {
        folder = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"), "HealthyDropFolder"));
        watcher = folder.getFileSystem().newWatchService();
        folder.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
    }

    private static long book(Path file) throws IOException {
        long sum = 0;
        for (String line : Files.readAllLines(file)) {
            sum += Long.parseLong(line.substring(line.indexOf(' ') + 1));
        }
        return sum;
    }

    private void watch() {
        try {
            for (;;) {
                WatchKey key = watcher.take();
                for (WatchEvent<?> event : key.pollEvents()) {
                    Path file = folder.resolve((Path) event.context());
                    if (file.toString().endsWith(".booking")) {
                        booked += book(file);
                        Files.delete(file);
                    }
                }
                key.reset();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void drop(int number) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            lines.add("account-" + i + " " + number * 31 % 1000);
        }
        Path part = Files.write(folder.resolve("drop.part"), lines);
        Files.move(part, folder.resolve(number + ".booking"), StandardCopyOption.ATOMIC_MOVE);
    }

    private void deliver() {
        try {
            for (int n = 0;; n++) {
                drop(n);
                Thread.sleep(330); // the next file
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        HealthyDropFolder service = new HealthyDropFolder();
        new Thread(service::watch, "watcher").start();
        new Thread(service::deliver, "partner").start();
        System.out.println("READY");
    }
}
