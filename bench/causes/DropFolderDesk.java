// SPDX-License-Identifier: Apache-2.0
// healthy: four WatchService threads of the JDK wait in native code (LinuxWatchService.poll) and four watchers in WatchService.take nearly all the time, because suppliers send a note only now and then; each note is booked within milliseconds.
// share: measured 25 notes/s, booked 1.3 to 5 ms after they were sent on a crowded machine, after the first second; that is all that suppliers send.
// judge: WRONG: any fault for the waits in native code (poll of the watch service), for take(), for the suppliers' sleeps, for reading the small files, or for Stock's lock. ACCEPTABLE: nothing stands out, the process does next to nothing, neutral remarks that the watchers wait for files.
// jdk: 11
// set: twenty-ninth
// jvm:

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Takes the delivery notes that suppliers drop into folders, and enters them as soon as they are there. */
public class DropFolderDesk {
    static final int SUPPLIERS = 4;
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder notes = new LongAdder();
    static final LongAdder lines = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    /** What is in stock. */
    static final class Stock {
        private final Map<String, Integer> pieces = new TreeMap<>();

        synchronized void add(String article, int count) {
            int now = pieces.merge(article, count, Integer::sum);
            if (now > 5_000) {
                pieces.put(article, now - 5_000);
            }
        }

        synchronized int articles() {
            return pieces.size();
        }
    }

    /** Watches one supplier's folder. */
    static final class Watcher extends Thread {
        private final Path folder;
        private final WatchService service;
        private final Stock stock;

        Watcher(Path folder, Stock stock) throws IOException {
            super("watch-" + folder.getFileName());
            this.folder = folder;
            this.stock = stock;
            service = folder.getFileSystem().newWatchService();
            folder.register(service, StandardWatchEventKinds.ENTRY_CREATE);
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    WatchKey key = service.take();
                    for (WatchEvent<?> event : key.pollEvents()) {
                        Path name = (Path) event.context();
                        if (name != null && name.toString().endsWith(".note")) {
                            book(folder.resolve(name));
                        }
                    }
                    if (!key.reset()) {
                        return;
                    }
                }
            } catch (InterruptedException | IOException e) {
                System.out.println(getName() + ": " + e);
            }
        }

        private void book(Path file) throws IOException {
            List<String> text = Files.readAllLines(file, StandardCharsets.UTF_8);
            long sent = Long.parseLong(text.get(0));
            for (String line : text.subList(1, text.size())) {
                int at = line.indexOf(';');
                stock.add(line.substring(0, at), Integer.parseInt(line.substring(at + 1)));
                lines.increment();
            }
            Files.delete(file);
            nanos.add(System.nanoTime() - sent);
            notes.increment();
        }
    }

    /** A supplier, who sends a note now and then. */
    static final class Supplier extends Thread {
        private final Path folder;
        private final Path outbox;
        private int number;

        Supplier(Path folder, Path outbox) {
            super("supplier-" + folder.getFileName());
            this.folder = folder;
            this.outbox = outbox;
            setDaemon(true);
        }

        @Override
        public void run() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            try {
                while (true) {
                    Thread.sleep(random.nextInt(60, 240));
                    List<String> text = new ArrayList<>();
                    text.add(String.valueOf(System.nanoTime()));
                    int count = random.nextInt(20, 400);
                    for (int i = 0; i < count; i++) {
                        text.add("A" + random.nextInt(3_000) + ";" + random.nextInt(1, 40));
                    }
                    String name = folder.getFileName() + "-" + number++ + ".note";
                    Path draft = outbox.resolve(name);
                    Files.write(draft, text);
                    Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (InterruptedException | IOException e) {
                System.out.println(getName() + ": " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path root = Files.createTempDirectory("deliveries");
        Path outbox = Files.createDirectory(root.resolve("outbox"));
        Stock stock = new Stock();
        List<Path> folders = new ArrayList<>();
        for (int i = 0; i < SUPPLIERS; i++) {
            Path folder = Files.createDirectory(root.resolve("s" + i));
            folders.add(folder);
            new Watcher(folder, stock).start();
            new Supplier(folder, outbox).start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long lastNotes = 0;
        long lastNanos = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = notes.sum();
            long t = nanos.sum();
            System.out.printf("measured: %d notes/s, booked %.2f ms after they were sent, %d articles%n", n - lastNotes,
                    (t - lastNanos) / 1e6 / Math.max(1, n - lastNotes), stock.articles());
            lastNotes = n;
            lastNanos = t;
        }
        folders.add(outbox);
        try {
            for (Path folder : folders) {
                clear(folder);
            }
            Files.deleteIfExists(root);
        } catch (IOException e) {
            System.out.println("not cleared: " + e);
        }
        System.exit(0);
    }

    static void clear(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path p : (Iterable<Path>) files::iterator) {
                Files.deleteIfExists(p);
            }
        }
        Files.deleteIfExists(folder);
    }
}
